"""Measures as pure functions on arrays: no frames, no names, no ir_measures."""
