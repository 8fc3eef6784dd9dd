"""Analyses beyond measures: ideal runs, textbook curves and counts, and what runs cover of intents and hierarchies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irdiv.lazy import names_of_modules

if TYPE_CHECKING:
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

_MODULE_OF = {
    "GainVectors": "irdiv.analysis.textbook",
    "gain_vectors": "irdiv.analysis.textbook",
    "hierarchy_nodes": "irdiv.analysis.hierarchy",
    "ideal_gaps": "irdiv.analysis.oracles",
    "intent_probabilities": "irdiv.analysis.coverage",
    "interpolated_precision": "irdiv.analysis.textbook",
    "layer_scores": "irdiv.analysis.hierarchy",
    "node_coverage": "irdiv.analysis.hierarchy",
    "oracle": "irdiv.analysis.oracles",
    "relevant_documents_by_intent": "irdiv.analysis.coverage",
    "retrieval_counts": "irdiv.analysis.textbook",
    "uncovered_intents": "irdiv.analysis.coverage",
    "user_oriented_measures": "irdiv.analysis.users",
    "values_by_parameter": "irdiv.analysis.curves",
    "values_by_rank": "irdiv.analysis.curves",
}
# Type checkers read the imports above instead, so that a name that does not exist is an error to them.
if not TYPE_CHECKING:
    __getattr__, __dir__ = names_of_modules(__name__, _MODULE_OF)
