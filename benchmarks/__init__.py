"""Measures irdiv and what users would pick instead, side by side in one process: ``python -m benchmarks``."""
