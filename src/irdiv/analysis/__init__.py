"""Analyses beyond measures: ideal runs, textbook curves and counts, and what runs cover of intents and hierarchies."""

from __future__ import annotations

from irdiv.analysis.coverage import intent_probabilities, relevant_documents_by_intent, uncovered_intents
from irdiv.analysis.curves import values_by_parameter, values_by_rank
from irdiv.analysis.hierarchy import hierarchy_nodes, layer_scores, node_coverage
from irdiv.analysis.oracles import ideal_gaps, oracle
from irdiv.analysis.textbook import GainVectors, gain_vectors, interpolated_precision, retrieval_counts
from irdiv.analysis.users import user_oriented_measures

__all__ = [
    "GainVectors",
    "gain_vectors",
    "hierarchy_nodes",
    "ideal_gaps",
    "intent_probabilities",
    "interpolated_precision",
    "layer_scores",
    "node_coverage",
    "oracle",
    "relevant_documents_by_intent",
    "retrieval_counts",
    "uncovered_intents",
    "user_oriented_measures",
    "values_by_parameter",
    "values_by_rank",
]
