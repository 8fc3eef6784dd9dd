"""What is measured: irdiv first, then what users would pick instead. Each checks that all sides found the same."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pyndeval
import pytrec_eval
from ir_measures import AP_IA, ERR_IA, NRBP, P_IA, StRecall, alpha_DCG, alpha_nDCG, nERR_IA, nNRBP
from pyNTCIREVAL import Labeler
from pyNTCIREVAL.metrics import MSnDCG, QMeasure
from scipy import stats

import irdiv
from benchmarks import data
from benchmarks.timing import Comparison, compare
from irdiv import properties
from irdiv.evaluation.results import Evaluation

NINE = [ERR_IA @ 10, nERR_IA @ 10, alpha_DCG @ 10, alpha_nDCG @ 10, NRBP, nNRBP, AP_IA, P_IA @ 10, StRecall @ 10]
NINE_OF_PYNDEVAL = ["ERR-IA@10", "nERR-IA@10", "alpha-DCG@10", "alpha-nDCG@10", "NRBP", "nNRBP", "MAP-IA", "P-IA@10"]
NINE_OF_PYNDEVAL += ["strec@10"]
RUN_FILES = 60
MANY_RUNS = 1000


def ndeval() -> Iterator[Comparison]:
    """(a) One run of 50 topics × 1000 documents by ndeval's nine measures."""
    qrels, run = data.qrels(), data.run()
    judged = list(zip(qrels["query_id"], qrels["iteration"], qrels["doc_id"], qrels["relevance"].tolist(), strict=True))
    ranked = list(zip(run["query_id"], run["doc_id"], run["score"].tolist(), strict=True))

    def prepare() -> irdiv.Collection:
        collection = irdiv.Collection(qrels)
        irdiv.evaluate(collection, {"151": {"x": 1.0}}, NINE)  # finds the ideals, as pyndeval does here
        return collection

    collection, theirs = prepare(), ir_measures.pyndeval.evaluator(NINE, qrels)
    pyndeval_alone = pyndeval.RelevanceEvaluator(judged, NINE_OF_PYNDEVAL)
    ours, peer = irdiv.evaluate(collection, run, NINE).summary().iloc[0], theirs.calc_aggregate(run)
    np.testing.assert_allclose(ours.to_numpy(), [peer[measure] for measure in NINE], atol=1e-9)

    yield compare(
        "a",
        "score a run in memory",
        {
            "irdiv": lambda: irdiv.evaluate(collection, run, NINE).summary(),
            "ir_measures + pyndeval": lambda: theirs.calc_aggregate(run),
        },
        target=20,
    )
    yield compare(
        "a",
        "score a run in memory (pyndeval: of tuples)",
        {"irdiv": lambda: irdiv.evaluate(collection, run, NINE), "pyndeval": lambda: pyndeval_alone.evaluate(ranked)},
        target=5,
    )
    yield compare(
        "a",
        "prepare the qrels, ideals included",
        {
            "irdiv": prepare,
            "ir_measures + pyndeval": lambda: ir_measures.pyndeval.evaluator(NINE, qrels),
            "pyndeval": lambda: pyndeval.RelevanceEvaluator(judged, NINE_OF_PYNDEVAL),
        },
        target=10,
    )
    irdiv.plugins.ir_measures.set_ndeval_provider("irdiv")
    taken_over = ir_measures.evaluator(NINE, qrels)
    irdiv.plugins.ir_measures.set_ndeval_provider("pyndeval")
    yield compare(
        "a",
        "score a run through ir_measures, after set_ndeval_provider",
        {
            "irdiv": lambda: taken_over.calc_aggregate(run),
            "ir_measures + pyndeval": lambda: theirs.calc_aggregate(run),
        },
    )


def files() -> Iterator[Comparison]:
    """(b) Sixty run files by the nine measures, against polars reading and sorting them."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [data.write_run(Path(folder), number) for number in range(RUN_FILES)]
        qrels = data.write_qrels(Path(folder))
        collection = irdiv.Collection(qrels)
        evaluator = ir_measures.pyndeval.evaluator(NINE, data.qrels())

        def read_and_sort() -> None:
            for path in paths:
                frame = pl.read_csv(path, separator=" ", has_header=False, schema_overrides={"column_1": pl.String})
                frame.sort(["column_1", "column_5"], descending=[False, True])

        def by_ir_measures() -> None:
            for path in paths:
                evaluator.calc_aggregate(ir_measures.read_trec_run(path))

        yield compare(
            "b",
            f"evaluate {RUN_FILES} run files",
            {
                "irdiv": lambda: irdiv.evaluate(collection, {path: path for path in paths}, NINE).summary(),
                "polars, reading and sorting only": read_and_sort,
                "ir_measures + pyndeval": by_ir_measures,
            },
            target=0.5,
            repetitions=5,
        )
        command = [sys.executable, "-m", "irdiv", "eval", qrels, *paths, "-m", *map(str, NINE)]
        yield compare(
            "b",
            f"irdiv eval on {RUN_FILES} run files, start of Python included",
            {
                "irdiv eval": lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL),
                "ir_measures + pyndeval, started": by_ir_measures,
            },
            repetitions=3,
            memory=False,
        )


def ntcireval() -> Iterator[Comparison]:
    """(c) Per-intent and D-measures, against pyNTCIREVAL in a loop over topics and intents."""
    qrels, run = data.qrels(), data.run()
    collection = irdiv.Collection(qrels)
    ranked = {str(query): rows["doc_id"].tolist() for query, rows in run.groupby("query_id")}
    levels = {
        str(query): {
            str(intent): dict(zip(mine["doc_id"], mine["relevance"].tolist(), strict=True))
            for intent, mine in rows.groupby("iteration")
        }
        for query, rows in qrels.groupby("query_id")
    }
    specs = ["nDCG-IA(gain='linear')@10", "Q-IA(gain='linear')@10"]
    d_specs = ["D-nDCG(gain='linear')@10", "D-Q(gain='linear')@10"]

    def scored(grade_of: dict[str, int], gains: list[float], docs: list[str]) -> tuple[float, float]:
        labeler = Labeler(grade_of, truncate=10)
        xrelnum = labeler.compute_per_level_doc_num(len(gains) + 1)
        labeled = labeler.label(docs)
        return MSnDCG(xrelnum, gains, 10).compute(labeled), QMeasure(xrelnum, gains, 1.0, 10).compute(labeled)

    def per_intent() -> np.ndarray:
        return np.array(
            [
                np.mean([scored(grade_of, [1.0, 2.0, 3.0], ranked[query]) for grade_of in intents.values()], axis=0)
                for query, intents in levels.items()
            ]
        ).T

    def global_gain() -> np.ndarray:
        out = []
        for query, intents in levels.items():
            total: dict[str, float] = {}
            for grade_of in intents.values():
                for doc, grade in grade_of.items():
                    total[doc] = total.get(doc, 0.0) + max(grade, 0) / len(intents)
            gains = sorted(set(total.values()) - {0.0})
            place = {gain: number + 1 for number, gain in enumerate(gains)}
            out.append(scored({doc: place.get(gain, 0) for doc, gain in total.items()}, gains, ranked[query]))
        return np.array(out).T

    for ours, theirs in ((specs, per_intent), (d_specs, global_gain)):
        np.testing.assert_allclose(irdiv.evaluate(collection, run, ours).values[0], theirs(), atol=1e-9)
    yield compare(
        "c",
        "nDCG-IA and Q-IA at 10, 50 topics x 4 intents",
        {"irdiv": lambda: irdiv.evaluate(collection, run, specs), "pyNTCIREVAL in a loop": per_intent},
        repetitions=5,
    )
    yield compare(
        "c",
        "D-nDCG and D-Q at 10, 50 topics x 4 intents",
        {"irdiv": lambda: irdiv.evaluate(collection, run, d_specs), "pyNTCIREVAL in a loop": global_gain},
        repetitions=5,
    )


def adhoc() -> Iterator[Comparison]:
    """(d) nDCG, AP and P@10 on plain qrels, against pytrec_eval and ranx."""
    import ranx

    warnings.simplefilter("ignore")  # of numba, which ranx lets through
    qrels, run = data.adhoc(data.qrels()), data.run()
    judged, ranked = data.as_dicts(qrels, "relevance"), data.as_dicts(run, "score")
    specs = ["nDCG", "AP", "P@10"]
    names = {"ndcg", "map", "P_10"}
    collection = irdiv.Collection(qrels)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, names)
    theirs = pd.DataFrame(evaluator.evaluate(ranked)).T.mean()[["ndcg", "map", "P_10"]]
    np.testing.assert_allclose(irdiv.evaluate(collection, run, specs).summary().iloc[0], theirs, atol=1e-9)
    started = [sys.executable, "-c", _RANX_FROM_THE_START]
    first = compare(
        "d",
        "import, compile, score two documents, in a new process",
        {
            "irdiv": lambda: subprocess.run([sys.executable, "-c", _IRDIV_FROM_THE_START], check=True),
            "ranx": lambda: subprocess.run(started, check=True),
        },
        repetitions=3,
        memory=False,
    )
    ranx_qrels, ranx_run = ranx.Qrels(judged), ranx.Run(ranked)
    yield compare(
        "d",
        "nDCG, AP, P@10 of a run in memory, each on its own data structures",
        {
            "irdiv, frame": lambda: irdiv.evaluate(collection, run, specs),
            "pytrec_eval, dicts": lambda: evaluator.evaluate(ranked),
            "ranx, its own objects": lambda: ranx.evaluate(ranx_qrels, ranx_run, ["ndcg", "map", "precision@10"]),
        },
        target=1,
    )
    yield compare(
        "d",
        "nDCG, AP, P@10 of a run in dicts",
        {
            "irdiv": lambda: irdiv.evaluate(collection, ranked, specs),
            "pytrec_eval": lambda: evaluator.evaluate(ranked),
            "ranx": lambda: ranx.evaluate(ranx_qrels, ranx.Run(ranked), ["ndcg", "map", "precision@10"]),
        },
        target=1,
    )
    yield first


_SMALL = "q = {'1': {'a': 1}}; r = {'1': {'a': 1.0, 'b': 0.5}}; "
_IRDIV_FROM_THE_START = f"import irdiv; {_SMALL}irdiv.evaluate(q, r, ['nDCG', 'AP', 'P@10'])"
_RANX_FROM_THE_START = (
    f"import ranx; {_SMALL}ranx.evaluate(ranx.Qrels(q), ranx.Run(r), ['ndcg', 'map', 'precision@10'])"
)


def significance() -> Iterator[Comparison]:
    """(e) The bootstrap test of all pairs of 20 runs on 50 topics by 10 measures, against a loop over pairs."""
    values = np.random.default_rng(0).random((20, 10, data.TOPICS))
    evaluation: Evaluation[pd.DataFrame] = Evaluation(
        tuple(f"run{number}" for number in range(20)),
        np.array([str(topic) for topic in range(data.TOPICS)], dtype=object),
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

    yield compare(
        "e",
        "bootstrap test, 190 pairs x 10 measures, B = 1000",
        {
            "irdiv": lambda: irdiv.stats.discriminative_power(evaluation, delta=False),
            "scipy.stats.bootstrap in a loop over pairs": loop,
        },
        target=100,
        repetitions=3,
    )


def cold_start() -> Iterator[Comparison]:
    """(g) The start of the package and of the command line."""

    def started(*arguments: str) -> None:
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)

    yield compare(
        "g",
        "import",
        {
            "import irdiv, pandas": lambda: started("-c", "import irdiv, pandas"),
            "import ir_measures, pandas": lambda: started("-c", "import ir_measures, pandas"),
            "import irdiv": lambda: started("-c", "import irdiv"),
            "import polars": lambda: started("-c", "import polars"),
        },
        memory=False,
    )
    command = "from irdiv_cli import main; main(['--help'])"
    yield compare(
        "g",
        "--help of the command line",
        {
            "irdiv --help": lambda: started(
                "-c", f"import contextlib\nwith contextlib.suppress(SystemExit): {command}"
            ),
            "ir_measures --help": lambda: started("-m", "ir_measures", "--help"),
        },
        memory=False,
    )


def many_runs() -> Iterator[Comparison]:
    """(j) A thousand runs of 50 topics × 20 documents in one frame, against a loop over them."""
    frame = data.many_runs(MANY_RUNS)
    collection = irdiv.Collection(data.qrels())
    named = {str(name): rows.reset_index(drop=True) for name, rows in frame.groupby("run", sort=False)}
    specs = ["D#-nDCG@10", "alpha-nDCG@10", "ERR-IA@10"]

    def loop() -> np.ndarray:
        return np.concatenate([irdiv.evaluate(collection, run, specs).values for run in named.values()])

    together = irdiv.evaluate(collection, frame, specs, run_column="run")
    np.testing.assert_array_equal(together.values, loop())
    shuffled = frame.sample(frac=1, random_state=0, ignore_index=True)
    sides = {
        "irdiv, run_column": lambda: irdiv.evaluate(collection, frame, specs, run_column="run"),
        "irdiv in a loop over runs": loop,
        "irdiv, a mapping of runs": lambda: irdiv.evaluate(collection, named, specs),
        "irdiv, run_column, rows shuffled": lambda: irdiv.evaluate(collection, shuffled, specs, run_column="run"),
    }
    yield compare("j", f"{MANY_RUNS} runs in one frame, by three measures", sides, target=5, repetitions=5)


def more() -> Iterator[Comparison]:
    """Hierarchies and the case analysis, against irdiv's own simplest way."""
    qrels, run = data.qrels(), data.run()
    tree = irdiv.Collection(irdiv.with_intents(qrels, data.hierarchy(qrels)))
    yield compare(
        "more",
        "LAD#-nDCG@20 on three layers of intents",
        {
            "irdiv": lambda: irdiv.evaluate(tree, run, "LAD#-nDCG@20"),
            "irdiv's D#-nDCG@20 on the leaves": lambda: irdiv.evaluate(tree, run, "D#-nDCG@20"),
        },
        target=0.25,
    )
    specs = ["RR", "P@5", "P@10", "nDCG@5", "nDCG@10", "AP", "StRecall@10", "P_IA@10", "AP_IA", "ERR_IA@10"]
    specs += ["alpha_nDCG@10", "NRBP", "CT", "nCT", "ACT"]
    collection = irdiv.Collection(qrels)
    once = compare(
        "more",
        "case analysis: 88,573 rankings x 15 measures",
        {
            "irdiv": lambda: properties.check(specs),
            "irdiv.evaluate on as many lists, 50 at a time": lambda: irdiv.evaluate(collection, run, specs),
        },
        repetitions=3,
    )
    times = len(properties.Rankings()) / data.TOPICS
    once.sides[1].seconds = [seconds * times for seconds in once.sides[1].seconds]
    yield once


ALL = {
    "a": ndeval,
    "b": files,
    "c": ntcireval,
    "d": adhoc,
    "e": significance,
    "g": cold_start,
    "j": many_runs,
    "more": more,
}
