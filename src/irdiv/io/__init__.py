"""Qrels, runs and intent tables in any form: names of columns, files, checks and errors."""
