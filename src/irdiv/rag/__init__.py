"""Coverage for retrieval-augmented generation: nuggets, rubrics, aspects and sub-questions are intents.

``read_*`` makes ordinary frames of the files that nuggetizer, the TREC RAG and RAGTIME tracks, FreshStack, BRIGHT-Pro,
CRUX and ResearchRubrics use. The qrels go to `irdiv.evaluate`, intent tables to `irdiv.with_intents`, assignments of
nuggets to answers to `score_answers`.
"""

from __future__ import annotations

from irdiv.rag.answers import score_answers
from irdiv.rag.assignments import read_assignments
from irdiv.rag.contexts import read_contexts
from irdiv.rag.crux import read_crux
from irdiv.rag.nuggets import read_nuggets
from irdiv.rag.prediction import correlate_with_answers

__all__ = [
    "correlate_with_answers",
    "read_assignments",
    "read_contexts",
    "read_crux",
    "read_nuggets",
    "score_answers",
]
