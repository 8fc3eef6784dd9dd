"""Qrels compiled to arrays once, and runs compiled against them: the only place that joins the two."""
