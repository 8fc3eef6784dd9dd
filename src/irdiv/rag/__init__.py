"""Coverage for retrieval-augmented generation: nuggets, rubrics, aspects and sub-questions are intents.

``read_*`` makes ordinary frames of the files that nuggetizer, the TREC RAG and RAGTIME tracks, FreshStack, BRIGHT-Pro,
CRUX and ResearchRubrics use. The qrels go to `irdiv.evaluate`, intent tables to `irdiv.with_intents`.
"""

from __future__ import annotations

from irdiv.rag.assignments import read_assignments
from irdiv.rag.contexts import read_contexts
from irdiv.rag.crux import read_crux
from irdiv.rag.nuggets import read_nuggets

__all__ = ["read_assignments", "read_contexts", "read_crux", "read_nuggets"]
