"""Significance of differences between systems, and how measures compare as measures."""
