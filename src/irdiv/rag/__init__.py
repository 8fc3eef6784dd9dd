"""Evaluation of retrieval for generation: nuggets, rubrics and aspects are intents, and answers are scored by them."""

from __future__ import annotations

from irdiv.rag.answers import score_answers
from irdiv.rag.prediction import correlate_with_answers

__all__ = [
    "correlate_with_answers",
    "score_answers",
]
