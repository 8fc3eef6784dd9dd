"""Answers of runs to topics with the judgment of each nugget, and what is checked of them."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from irdiv.errors import IrdivError, counted, examples
from irdiv.types import Bools, Floats, Objects


class JudgedAnswers(NamedTuple):
    """A row for each nugget of each answer."""

    runs: list[str]
    topics: Objects
    rows: pd.DataFrame
    """Codes: ``run, topic, intent, weight``, the last one of the importance or weight."""
    credit: Floats
    """How far each nugget is supported, from 0 to 1."""
    unknown_labels: dict[str, int]

    def sums(self, values: Floats | Bools) -> Floats:
        """Return the sum of the values of all rows of each run and topic, ``[run, topic]``, in the order of rows."""
        shape = len(self.runs), len(self.topics)
        cell = self.rows["run"].to_numpy() * shape[1] + self.rows["topic"].to_numpy()
        sums = np.bincount(cell, weights=values, minlength=shape[0] * shape[1])
        return np.asarray(sums, dtype=np.float64).reshape(shape)

    def has_answer(self) -> Bools:
        """Return whether a run has an answer to a topic, ``[run, topic]``."""
        return self.sums(np.ones(len(self.rows))) > 0


def require_one_answer(answers: JudgedAnswers) -> None:
    """Raise an error if all nuggets of a topic occur several times for a run, as in a second answer of the same name.

    Some may: nugget banks have texts twice, and their ids are made of the text.
    """
    times = answers.rows.groupby(["run", "topic", "intent"]).size().groupby(level=["run", "topic"]).min()
    twice = times[times > 1]
    if len(twice):
        (run, topic), count = twice.index[0], twice.iloc[0]
        raise IrdivError(
            f"run {answers.runs[run]!r} has {count} answers to topic {answers.topics[topic]!r}: each nugget occurs "
            f"{count} times ({len(twice)} such topics). Give each answer a run name of its own, or keep one."
        )


def require_complete(answers: JudgedAnswers, missing: Literal["error", "zero"]) -> list[str]:
    """Raise an error if a run lacks a topic, or return a note about each such run where they score 0."""
    has_answer = answers.has_answer()
    notes = []
    for run in np.flatnonzero(~has_answer.all(axis=1)):
        lacking = answers.topics[~has_answer[run]]
        found = f"run {answers.runs[run]!r} lacks {len(lacking)} of {len(answers.topics)} topics ({examples(lacking)})"
        if missing == "error":
            raise IrdivError(
                f"{found}. missing='zero' scores it 0 there; else leave these topics out of all runs, or this run."
            )
        notes.append(f"{found} and scores 0 there.")
    return notes


def shared_notes(answers: JudgedAnswers) -> list[str]:
    """Return notes about unknown labels, nuggets that occur twice, and nuggets that not all runs have."""
    notes = []
    if answers.unknown_labels:
        count = sum(answers.unknown_labels.values())
        notes.append(
            f"{count} of {len(answers.rows)} assignments have labels that are not known "
            f"({examples(answers.unknown_labels)}) and count 0; labels={{…}} states what they mean."
        )
    times = answers.rows.groupby(["run", "topic", "intent"]).size()
    if (times > 1).any():
        repeated = counted(int(np.count_nonzero(times > 1)), "nugget occurs", "nuggets occur")
        notes.append(f"{repeated} several times in an answer; each of the rows counts.")
    different = _topics_with_different_nuggets(answers)
    if len(different):
        notes.append(
            f"runs do not have the same nuggets, of the same weight, in {len(different)} of {len(answers.topics)} "
            f"topics ({examples(answers.topics[different])}); each answer is scored by its own."
        )
    return notes


def _topics_with_different_nuggets(answers: JudgedAnswers) -> list[int]:
    times = answers.rows.groupby(["topic", "intent", "weight", "run"]).size()
    by_nugget = times.groupby(level=["topic", "intent", "weight"]).agg(["min", "max", "size"])
    n_runs = np.count_nonzero(answers.has_answer(), axis=0)[by_nugget.index.get_level_values("topic")]
    is_different = (by_nugget["min"] != by_nugget["max"]) | (by_nugget["size"] != n_runs)
    return sorted(set(by_nugget.index.get_level_values("topic")[is_different]))
