"""Measures as pure functions on arrays: no frames, no names of measures, no ir_measures."""
