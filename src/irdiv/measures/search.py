"""Measures by what is searched for: their names, summaries and keywords."""

from __future__ import annotations

import ir_measures

from irdiv.measures.answers import ANSWER_MEASURES, AnswerMeasure
from irdiv.measures.catalogue import registry
from irdiv.measures.declaration import Declaration
from irdiv.measures.nuggets import NUGGET_KEYWORDS
from irdiv.measures.spec import ir_measures_names
from irdiv.measures.spec_text import normalize_name
from irdiv.measures.words import has_words

_ANSWER_KEYWORDS = ("scores of answers", "coverage", "nugget recall", "nuggetizer", *NUGGET_KEYWORDS)


def find_declarations(text: str) -> list[Declaration]:
    """Return the measures whose names contain a text, then those whose descriptions have all of its words.

    Those with the words in the summary or family come before those with the words in keywords.

    >>> [declaration.name for declaration in find_declarations("vital")]
    ['Vital-coverage']
    """
    found: list[list[Declaration]] = [[], [], [], []]
    for declaration in registry.values():
        name = _normalize(declaration.name)
        matches = (
            name == _normalize(text),
            _normalize(text) in name,
            has_words(f"{declaration.summary} {declaration.family}", text),
            has_words(" ".join([declaration.summary, *declaration.keywords]), text),
        )
        if any(matches):
            found[matches.index(True)].append(declaration)
    return [declaration for group in found for declaration in group]


def find_answer_measures(text: str) -> list[AnswerMeasure]:
    """Return the measures of answers whose names contain a text, or whose descriptions have all of its words.

    >>> [str(measure) for measure in find_answer_measures("penalties")]
    ['rubric_score']
    """
    return [
        measure
        for name, measure in ANSWER_MEASURES.items()
        if _normalize(text) in _normalize(name) or has_words(" ".join([measure.summary, *_ANSWER_KEYWORDS]), text)
    ]


def find_ir_measures(text: str) -> list[str]:
    """Return the names of ir_measures' own measures that contain a text, then those described by all of its words."""
    names = sorted(ir_measures_names(), key=str.lower)
    by_name = [name for name in names if _normalize(text) in _normalize(name)]
    described = {name: ir_measures.measures.registry[name] for name in names if name not in by_name}
    return [*by_name, *(name for name, m in described.items() if has_words(f"{m.PRETTY_NAME} {m.SHORT_DESC}", text))]


def _normalize(name: str) -> str:
    return normalize_name(name.strip()).casefold()
