"""Measures of answers: names and formulas of what `irdiv.rag.score_answers` computes. No run of documents has them."""

from __future__ import annotations

from statistics import mean
from typing import NoReturn

import ir_measures
from ir_measures.measures.base import MeanAgg

from irdiv.errors import IrdivError

_SHARES = {
    "vital_score": ("Share of the vital nuggets that the answer supports", "Σ_vital c_i / n_vital"),
    "weighted_score": (
        "Share of the vital and okay nuggets that the answer supports, an okay one with weight ½",
        "(Σ_vital c_i + ½ Σ_okay c_i) / (n_vital + ½ n_okay)",
    ),
    "all_score": ("Share of all nuggets that the answer supports", "Σ c_i / n"),
}
_NUGGETS = {
    prefix + name: (f"{summary}; partial support counts {partial}.", formula)
    for name, (summary, formula) in _SHARES.items()
    for prefix, partial in (("strict_", "0"), ("", "½"))
}
_RUBRIC = {
    "rubric_score": (
        "Weighted share of the criteria that the answer satisfies; criteria with a negative weight are penalties.",
        "Σ w_i c_i / Σ max(w_i, 0)",
    )
}
_DEFINITIONS = {**_NUGGETS, **_RUBRIC}
"""Summary and formula of each measure."""


class AnswerMeasure(ir_measures.Measure):
    """A measure of answers, by its name; it has no parameters and no cutoff.

    >>> AnswerMeasure("vital_score").formula
    'Σ_vital c_i / n_vital'
    """

    def __init__(self, name: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.__name__ = self.NAME = name
        self.summary, self.formula = _DEFINITIONS[name]
        self.__doc__ = f"{self.summary}\n\n{self.formula}"

    def __call__(self, **params: object) -> NoReturn:
        """Raise an error: there is nothing to set."""
        raise IrdivError(f"{self} has no parameters and no cutoff; found {', '.join(params)}.")

    def __reduce__(self) -> tuple[object, ...]:
        return AnswerMeasure, (self.NAME,)

    def aggregator(self) -> MeanAgg:
        """Return an aggregator that rounds the mean only once, as nuggetizer does."""
        return _ExactMean()


class _ExactMean(MeanAgg):
    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.values: list[float] = []

    def add(self, value: float) -> None:
        self.values.append(value)

    def result(self) -> float:
        return mean(self.values) if self.values else self.default


ANSWER_MEASURES = {name: AnswerMeasure(name) for name in _DEFINITIONS}
NUGGET_MEASURES = tuple(ANSWER_MEASURES[name] for name in _NUGGETS)
"""nuggetizer's six scores, in the order of its files."""
RUBRIC_MEASURES = tuple(ANSWER_MEASURES[name] for name in _RUBRIC)


def refuse_answer_measure(measure: object) -> None:
    """Raise an error for a measure of answers, or the name of one, where a measure of runs is needed."""
    name = str(measure).replace("-", "_")
    if name in ANSWER_MEASURES:
        raise IrdivError(
            f"{name} is a measure of answers, and not of rankings of documents: irdiv.rag.score_answers(assignments) "
            "computes it from the nuggets or criteria that each answer supports."
        )
