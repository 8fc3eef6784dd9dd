"""(l) Statistics of a campaign, each in a process of its own: ``python -m benchmarks.campaign tukey 150``."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

import irdiv
from benchmarks.timing import Growth, peak, seconds
from irdiv import stats
from irdiv.evaluation.results import Evaluation

RUNS = [20, 50, 150]
TOPICS, MEASURES, SAMPLES = 300, 10, 10_000
Analysis = Callable[[Evaluation[pd.DataFrame]], object]
ANALYSES: dict[str, tuple[str, Analysis]] = {
    "tukey": (
        "randomized Tukey HSD test of all pairs, B = 10,000",
        lambda evaluation: stats.compare(evaluation, test="tukey", n_resamples=SAMPLES, interval="t"),
    ),
    "bootstrap": (
        "bootstrap test of all pairs, BCa intervals, B = 10,000",
        lambda evaluation: stats.compare(evaluation, n_resamples=SAMPLES),
    ),
    "randomization": (
        "randomization test of all pairs, B = 10,000",
        lambda evaluation: stats.compare(evaluation, test="randomization", n_resamples=SAMPLES, interval="t"),
    ),
    "power": (
        "discriminative power, B = 10,000",
        lambda evaluation: stats.discriminative_power(evaluation, n_resamples=SAMPLES),
    ),
    "leaderboard": (
        "leaderboard, BCa intervals, B = 10,000",
        lambda evaluation: stats.leaderboard(evaluation, n_resamples=SAMPLES),
    ),
    "letters": (
        "ranking by one measure, groups of runs that do not differ, B = 10,000",
        lambda evaluation: stats.rank_runs(evaluation, n_resamples=SAMPLES),
    ),
    "subsets": (
        "discriminative power on 50, 150 and all topics, B = 1000, one trial",
        lambda evaluation: stats.power_by_topics(evaluation, sizes=[50, 150, TOPICS], trials=1),
    ),
}


def campaigns(quick: bool = False) -> Iterator[Growth]:
    """Measure all analyses of few and many runs, or of few only."""
    for name, (title, _) in ANALYSES.items():
        growth = Growth("l", f"{title}: runs on {TOPICS} topics by {MEASURES} measures", "runs")
        for runs in RUNS[:-1] if quick else RUNS:
            command = [sys.executable, "-m", "benchmarks.campaign", name, str(runs)]
            growth.points.append(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))
        yield growth


def measure(name: str, runs: int) -> dict[str, Any]:
    """Return the seconds of an analysis, the peak of memory, and the memory before it."""
    evaluation, analyze = _evaluation(runs), ANALYSES[name][1]
    analyze(_evaluation(2))  # imports what it needs
    before = peak()
    return {
        "size": runs,
        "seconds": seconds(lambda: analyze(evaluation)),
        "gigabytes": peak(),
        "gigabytes_before": before,
    }


def _evaluation(runs: int) -> Evaluation[pd.DataFrame]:
    """Return values of runs of different quality on topics of different difficulty."""
    rng = np.random.default_rng(0)
    topics = rng.normal(0.4, 0.2, (1, MEASURES, TOPICS))
    values = topics + rng.normal(0, 0.05, (runs, 1, 1)) + rng.normal(0, 0.15, (runs, MEASURES, TOPICS))
    return Evaluation(
        tuple(f"run{number}" for number in range(runs)),
        np.array([str(topic) for topic in range(TOPICS)], dtype=object),
        tuple(irdiv.parse(f"D#-nDCG@{cutoff}") for cutoff in range(1, MEASURES + 1)),
        np.clip(values, 0, 1),
    )


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
