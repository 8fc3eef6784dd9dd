"""Print how irdiv compares with ir_measures and pyndeval."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import AP_IA, ERR_IA, NRBP, P_IA, StRecall, alpha_DCG, alpha_nDCG, nERR_IA, nNRBP
from scipy import stats

import irdiv
from benchmarks import data
from benchmarks.data import TOPICS
from benchmarks.timing import Comparison, compare
from irdiv import properties
from irdiv.evaluation import Evaluation

NINE = [ERR_IA @ 10, nERR_IA @ 10, alpha_DCG @ 10, alpha_nDCG @ 10, NRBP, nNRBP, AP_IA, P_IA @ 10, StRecall @ 10]
RUN_FILES = 30


def main() -> None:
    """Measure everything and print a table."""
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}\n")
    print(f"{'workload':58}{'irdiv':>10}{'other':>10}{'ratio':>8}  other")
    for c in comparisons():
        print(f"{c.name:58}{1e3 * c.ours_seconds:8.1f}ms{1e3 * c.other_seconds:8.1f}ms{c.ratio:7.1f}x  {c.other}")


def comparisons() -> Iterator[Comparison]:
    """Yield each comparison as soon as it is measured."""
    qrels, run = data.qrels(), data.run()
    yield from in_memory(qrels, run)
    yield hierarchical(qrels, run)
    yield significance()
    yield case_analysis()
    yield imports()
    yield from_files(qrels)


def in_memory(qrels: pd.DataFrame, run: pd.DataFrame) -> Iterator[Comparison]:
    """Nine measures of ndeval at 10 on a run of 50 topics × 1000 documents."""
    other = "ir_measures + pyndeval"

    def prepare() -> irdiv.Collection:
        collection = irdiv.Collection(qrels)
        irdiv.evaluate(collection, {"151": {"x": 1.0}}, NINE)  # finds the ideals, as pyndeval does here
        return collection

    yield compare(
        "prepare the qrels, ideals included", prepare, other, lambda: ir_measures.pyndeval.evaluator(NINE, qrels)
    )
    collection, evaluator = prepare(), ir_measures.pyndeval.evaluator(NINE, qrels)
    yield compare(
        "score nine measures @10, 50 topics x 1000 documents",
        lambda: irdiv.evaluate(collection, run, NINE).summary(),
        other,
        lambda: evaluator.calc_aggregate(run),
    )
    irdiv.take_over()
    ours = ir_measures.evaluator(NINE, qrels)
    irdiv.hand_back()
    yield compare(
        "the same through ir_measures after take_over()",
        lambda: ours.calc_aggregate(run),
        other,
        lambda: evaluator.calc_aggregate(run),
    )


def hierarchical(qrels: pd.DataFrame, run: pd.DataFrame) -> Comparison:
    """A measure on three layers of an intent hierarchy, against the flat one on its leaves."""
    collection = irdiv.Collection(irdiv.with_intents(qrels, data.hierarchy(qrels)))
    return compare(
        "LAD#-nDCG@20 on three layers",
        lambda: irdiv.evaluate(collection, run, "LAD#-nDCG@20"),
        "irdiv's D#-nDCG@20 on the leaves",
        lambda: irdiv.evaluate(collection, run, "D#-nDCG@20"),
    )


def significance() -> Comparison:
    """The bootstrap test of all pairs of 20 runs on 50 topics by 10 measures, against a loop over pairs."""
    values = np.random.default_rng(0).random((20, 10, TOPICS))
    evaluation = Evaluation(
        tuple(f"run{number}" for number in range(20)),
        np.array([str(topic) for topic in range(TOPICS)], dtype=object),
        tuple(irdiv.parse(f"D#-nDCG@{cutoff}") for cutoff in range(1, 11)),
        values,
    )

    def t(sample: np.ndarray, axis: int = -1) -> np.ndarray:
        mean: np.ndarray = sample.mean(axis=axis) / (sample.std(axis=axis, ddof=1) / np.sqrt(sample.shape[axis]))
        return mean

    def loop() -> None:
        for one, two in combinations(range(20), 2):
            for z in values[one] - values[two]:
                w = z - z.mean()
                samples = stats.bootstrap((w,), t, n_resamples=1000, method="percentile", rng=0).bootstrap_distribution
                np.mean(np.abs(samples) >= np.abs(t(z)))

    return compare(
        "bootstrap test, 190 pairs x 10 measures, B = 1000",
        lambda: irdiv.discriminative_power(evaluation, delta=False),
        "scipy.stats.bootstrap in a loop over pairs",
        loop,
        repetitions=3,
    )


def case_analysis() -> Comparison:
    """The published measures on all rankings of up to ten documents, against as many short evaluations."""
    specs = ["RR", "P@5", "P@10", "nDCG@5", "nDCG@10", "AP", "StRecall@10", "P_IA@10", "AP_IA", "ERR_IA@10"]
    specs += ["alpha_nDCG@10", "NRBP", "CT", "nCT", "ACT"]
    qrels, run = data.qrels(), data.run()
    collection = irdiv.Collection(qrels)
    once = compare(
        "case analysis: 88,573 rankings x 15 measures",
        lambda: properties.check(specs),
        "irdiv.evaluate, as many lists, 50 at a time",
        lambda: irdiv.evaluate(collection, run, specs),
        repetitions=3,
    )
    lists = len(properties.Rankings()) / TOPICS
    return once._replace(other_seconds=once.other_seconds * lists)


def imports() -> Comparison:
    """Importing irdiv beside what users import anyway."""

    def started(code: str) -> None:
        subprocess.run([sys.executable, "-c", code], check=True)

    return compare(
        "import irdiv, pandas",
        lambda: started("import irdiv, pandas"),
        "import ir_measures, pandas",
        lambda: started("import ir_measures, pandas"),
    )


def from_files(qrels: pd.DataFrame) -> Comparison:
    """The command line on run files, against as many evaluations in memory by pyndeval."""
    run = data.run()
    evaluator = ir_measures.pyndeval.evaluator(NINE, qrels)
    with tempfile.TemporaryDirectory() as folder:
        paths = [write_run(Path(folder), number) for number in range(RUN_FILES)]
        qrels_path = Path(folder) / "qrels.txt"
        data.qrels()[["query_id", "iteration", "doc_id", "relevance"]].to_csv(
            qrels_path, sep=" ", header=False, index=False
        )
        specs = [str(measure) for measure in NINE]
        command = [sys.executable, "-m", "irdiv", "eval", str(qrels_path), *paths, "-m", *specs]
        return compare(
            f"irdiv eval on {RUN_FILES} run files",
            lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL),
            f"{RUN_FILES} x ir_measures + pyndeval in memory",
            lambda: [evaluator.calc_aggregate(run) for _ in range(RUN_FILES)],
            repetitions=3,
        )


def write_run(folder: Path, number: int) -> str:
    """Write a run file and return its path."""
    frame = data.run(number)
    frame = frame.assign(q0="Q0", rank=frame.groupby("query_id").cumcount() + 1, tag=f"run{number}")
    path = folder / f"run{number}.txt"
    frame[["query_id", "q0", "doc_id", "rank", "score", "tag"]].to_csv(path, sep=" ", header=False, index=False)
    return str(path)


if __name__ == "__main__":
    main()
