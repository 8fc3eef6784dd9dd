# pyright: reportUnnecessaryTypeIgnoreComment=true
"""Code as users write it, checked by mypy and pyright: each `assert_type` is what the checker must reveal.

It is not run. A line that must be an error carries an ignore comment, which is an error itself where it is not needed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import polars as pl
from typing_extensions import assert_type

import irdiv
from irdiv.measures import DSharp, nDCG
from irdiv.stats import DiscriminativePower, PairedTestResult

qrels = pd.DataFrame({"query_id": ["1"], "intent_id": ["a"], "doc_id": ["d"], "relevance": [1]})
run = pd.DataFrame({"query_id": ["1"], "doc_id": ["d"], "score": [1.0]})
polars_run = pl.DataFrame({"query_id": ["1"], "doc_id": ["d"], "score": [1.0]})

# Measures
assert_type(irdiv.parse("D#-nDCG@10"), ir_measures.Measure)
assert_type(DSharp(nDCG, gamma=0.3), irdiv.measures.Measure)
assert_type(irdiv.explain("D#-nDCG"), str)
print(irdiv.nonsense)  # type: ignore[attr-defined]
print(irdiv.stats.nonsense)  # type: ignore[attr-defined]

# The caller's frame type comes back
assert_type(irdiv.with_intents(qrels, "intents.csv"), pd.DataFrame)
assert_type(irdiv.with_intents(pl.from_pandas(qrels), "intents.csv"), pl.DataFrame)
assert_type(irdiv.with_intents("qrels.txt", qrels), pd.DataFrame)
assert_type(irdiv.datasets.to_adhoc(pl.from_pandas(qrels)), pl.DataFrame)
assert_type(irdiv.datasets.to_adhoc(Path("qrels.txt")), pd.DataFrame)
assert_type(irdiv.oracle(qrels), pd.DataFrame)
assert_type(irdiv.oracle(pl.from_pandas(qrels), depth=10), pl.DataFrame)
assert_type(irdiv.read_run("run.txt"), pd.DataFrame)

# Evaluations
evaluation = irdiv.evaluate(qrels, run, ["D#-nDCG@10", nDCG @ 10])
assert_type(evaluation, irdiv.Evaluation[pd.DataFrame])
assert_type(evaluation.frame, pd.DataFrame)
assert_type(evaluation.summary(), pd.DataFrame)
assert_type(evaluation.to_latex(baseline="a"), str)
in_polars = irdiv.evaluate(qrels, {"a": polars_run, "b": polars_run}, "D#-nDCG@10")
assert_type(in_polars, irdiv.Evaluation[pl.DataFrame])
assert_type(in_polars.pivot(), pl.DataFrame)
loaded = irdiv.load("clueweb09/catb/trec-web-2012/diversity")
assert_type(irdiv.evaluate(loaded, {"a": "a.run"}, "D#-nDCG@10"), irdiv.Evaluation[pd.DataFrame])
of_collection = irdiv.evaluate(irdiv.Collection(qrels), {"1": {"d": 1.0}}, "D#-nDCG@10", ties="rank")
assert_type(of_collection, irdiv.Evaluation[Any])
assert_type(irdiv.evaluate(irdiv.Collection(qrels), polars_run, "D#-nDCG@10"), irdiv.Evaluation[pl.DataFrame])
assert_type(irdiv.Hierarchy(irdiv.Collection(qrels)), irdiv.Hierarchy[Any])
assert_type(irdiv.evaluate(qrels, polars_run, "D#-nDCG@10", run_column="run"), irdiv.Evaluation[pl.DataFrame])
assert_type(irdiv.evaluate(qrels, "all.parquet", "D#-nDCG@10", run_column="run"), irdiv.Evaluation[pd.DataFrame])
saved = irdiv.Collection(qrels)
assert_type(saved.to_pandas(), irdiv.Collection)
irdiv.evaluate(qrels, run, "D#-nDCG@10", ties="best")  # type: ignore[call-overload]

# Statistics
assert_type(irdiv.stats.compare(evaluation, baseline="a"), pd.DataFrame)
assert_type(irdiv.stats.compare(in_polars), pl.DataFrame)
assert_type(irdiv.stats.correlate(in_polars.frame), pl.DataFrame)
assert_type(irdiv.stats.t_test([0.1, 0.2], [0.2, 0.3]), PairedTestResult)
assert_type(irdiv.stats.topic_set_size(in_polars, 0.1), pl.DataFrame)
assert_type(irdiv.stats.read_values("values.txt"), pd.DataFrame)
assert_type(irdiv.stats.grades_from_votes(pl.from_pandas(qrels)), pl.DataFrame)
assert_type(irdiv.stats.discriminative_power(evaluation), DiscriminativePower[pd.DataFrame])
assert_type(irdiv.stats.discriminative_power(in_polars).summary(), pl.DataFrame)
study = {"web09": evaluation, "web10": evaluation}
assert_type(irdiv.stats.discriminative_power(study), DiscriminativePower[pd.DataFrame])
assert_type(irdiv.stats.discriminative_power(study).summary(by_collection=True), pd.DataFrame)
assert_type(irdiv.stats.correlate({"web09": in_polars, "web10": in_polars}), pl.DataFrame)
assert_type(irdiv.stats.concordance({"web09": in_polars.frame}, "I-rec@10"), pl.DataFrame)
assert_type(irdiv.stats.compare({"web09": "web09.csv"}), pd.DataFrame)

# What an evaluation answers
assert_type(evaluation["D#-nDCG@10"], pd.DataFrame)
assert_type(in_polars.rank("D#-nDCG@10"), pl.DataFrame)
assert_type(in_polars.compare(baseline="a"), pl.DataFrame)
assert_type(in_polars.worst(3, baseline="a"), pl.DataFrame)
assert_type(in_polars.per_intent("nDCG@10"), pl.DataFrame)
assert_type(in_polars.topic("1").intents, pl.DataFrame)
assert_type(in_polars.cases("D#-nDCG@10", "I-rec@10").frame, pl.DataFrame)
assert_type(irdiv.stats.rank_runs(evaluation), pd.DataFrame)

# Answers
assert_type(irdiv.rag.score_answers(qrels), irdiv.Evaluation[pd.DataFrame])
in_polars_too = irdiv.rag.score_answers(pl.from_pandas(qrels), missing="zero")
assert_type(in_polars_too, irdiv.Evaluation[pl.DataFrame])
assert_type(irdiv.rag.correlate_with_answers(in_polars, in_polars_too, method="tau"), pl.DataFrame)
assert_type(irdiv.rag.read_contexts(["bm25.jsonl", "dense.jsonl"]), dict[str, pd.DataFrame])
assert_type(irdiv.rag.read_contexts({"bm25": pl.from_pandas(qrels)}), dict[str, pl.DataFrame])
assert_type(irdiv.rag.read_nuggets("judgments.jsonl"), pd.DataFrame)
irdiv.rag.score_answers(qrels, by="rubric")  # type: ignore[call-overload]
