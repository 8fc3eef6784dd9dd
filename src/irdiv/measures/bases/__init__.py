"""The base measures, one module for each family."""

from __future__ import annotations

from irdiv.measures.bases import gains, precision, user_models

BASES = (*gains.BASES, *precision.BASES, *user_models.BASES)
