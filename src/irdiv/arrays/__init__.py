"""Frames joined into arrays: a collection compiled once, runs compiled against it."""
