"""Runs that may not be what the user thinks: ranks against scores, unjudged documents, swapped arguments."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import irdiv
from irdiv import IrdivError, IrdivWarning
from irdiv.datasets.collection import Dataset

# Runs here lack topics on purpose.
pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.filterwarnings("ignore:.* lacks|.* ids with spaces")]

QRELS = pd.DataFrame({"query_id": ["1", "1", "2", "10"], "intent_id": "i", "doc_id": list("abaa"), "relevance": 1})
# In topics 2 and 10, the document with the second rank has the highest score.
RUN = pd.DataFrame(
    {
        "query_id": ["1"] * 3 + ["10"] * 3 + ["2"] * 3,
        "doc_id": list("abc") * 3,
        "rank": [1, 2, 3] * 3,
        "score": [3.0, 2.0, 1.0, 2.0, 3.0, 1.0, 2.5, 3.0, 1.0],
    }
)
SCORES = {"1": {"a": 1.5, "b": 1.0}}
GRADES = {"1": {"a": 1, "b": 0}}
MESSAGE = "ranks that contradict its scores in 2 topics.* topic '2'.* 'b'.* 2 .*3.* 'a'.* 1 .*2.5.*ties='rank'"


def as_file(path, run: pd.DataFrame) -> str:
    columns = run.assign(q0="Q0", tag="t")[["query_id", "q0", "doc_id", "rank", "score", "tag"]]
    columns.to_csv(path, sep=" ", header=False, index=False)
    return str(path)


def as_parquet(path, run: pd.DataFrame) -> str:
    run.to_parquet(f"{path}.parquet")
    return f"{path}.parquet"


FORMS = {
    "pandas": (lambda path, run: run, {}),
    "polars": (lambda path, run: pl.from_pandas(run), {}),
    "Arrow": (lambda path, run: pa.Table.from_pandas(run), {}),
    "file": (as_file, {}),
    "Parquet": (as_parquet, {}),
    "batches": (lambda path, run: run.iloc[::-1], {"batch_rows": 1}),
    "strings": (lambda path, run: run.astype({"rank": str}), {}),
}


@pytest.mark.parametrize("form", FORMS)
def test_ranks_that_contradict_scores(tmp_path, form):
    convert, options = FORMS[form]
    with pytest.warns(IrdivWarning, match="the run .*" + MESSAGE) as caught:
        found = irdiv.evaluate(QRELS, convert(tmp_path / "run", RUN), "I-rec@1", **options)
    assert len(caught) == 1
    assert found.values.tolist() == irdiv.evaluate(QRELS, RUN.drop(columns="rank"), "I-rec@1").values.tolist()
    # The remedy of the message does not warn.
    by_rank = irdiv.evaluate(QRELS, convert(tmp_path / "run", RUN), "I-rec@1", ties="rank", **options)
    assert by_rank.values.tolist() != found.values.tolist()


@pytest.mark.parametrize("options", [{}, {"batch_rows": 1}])
def test_runs_with_the_same_mistake_are_in_one_warning(options):
    runs = {"x": RUN, "good": RUN.drop(columns="rank"), "y": RUN, "z": RUN}
    with pytest.warns(IrdivWarning, match=f"^run 'x' .*{MESSAGE}.* 2 more runs .*: 'y', 'z'") as caught:
        irdiv.evaluate(QRELS, runs, "I-rec@1", **options)
    assert len(caught) == 1
    other_ids = {name: run.assign(doc_id="D-" + run["doc_id"]) for name, run in runs.items()}
    with pytest.warns(IrdivWarning) as caught:
        irdiv.evaluate(QRELS, other_ids, "I-rec@1", **options)
    assert [str(warning.message).split(" has ")[0] for warning in caught] == ["run 'x'", "run 'x'"]
    assert str(caught[1].message).endswith("3 more runs have the same problem: 'good', 'y', 'z'.")


@pytest.mark.parametrize("options", [{}, {"batch_rows": 1}])
@pytest.mark.parametrize(
    "change",
    [
        lambda run: run.assign(score=-run["rank"]),
        lambda run: run.assign(score=1.0),
        lambda run: run.assign(score=1.0, rank=run["rank"].iloc[::-1].to_numpy()),
        lambda run: run.assign(score=[2.0, 1.0, 1.0] * 3, rank=[1, 3, 2] * 3),
        lambda run: run.assign(rank=1),
        lambda run: run.assign(rank=0.0),
        lambda run: run.assign(rank=None),
        lambda run: run.assign(rank=float("nan")),
        lambda run: run.assign(rank="first"),
        lambda run: run.assign(score=-run["rank"], rank=run["rank"] * 10),
        lambda run: run[run["query_id"] == "1"],
        lambda run: run.assign(query_id=run["query_id"].where(run["query_id"] == "1", "unknown")),
    ],
)
def test_ranks_that_do_not_contradict_scores(change, options):
    # Warnings are errors in tests.
    irdiv.evaluate(QRELS, change(RUN), "I-rec@3", **options)


def test_trec_runs_agree_with_their_ranks(real_data):
    qrels = real_data / "trec-web" / "2012" / "qrels-for-ndeval.txt"
    runs = {path.name: path for path in sorted((real_data / "trec-web" / "runs-2012").iterdir())}
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*contradict")
        warnings.filterwarnings("ignore", message=".*no relevant document")
        irdiv.evaluate(qrels, runs, "I-rec@10")


@pytest.mark.parametrize("options", [{}, {"batch_rows": 1}])
def test_a_run_without_judged_documents(options):
    run = RUN.drop(columns="rank").assign(doc_id="D-" + RUN["doc_id"])
    with pytest.warns(IrdivWarning, match="the run has no judged document among the first 2 .*'a'.*'D-") as caught:
        assert irdiv.evaluate(QRELS, run, ["I-rec@2", "P@1"], **options).values.sum() == 0
    assert len(caught) == 1
    with pytest.warns(IrdivWarning, match="the run has no judged document: .*'a'.*'D-"):
        irdiv.evaluate(QRELS, run, ["I-rec@2", "AP"], **options)


SEPARATORS = "#:/|@_-. "


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        *((lambda ids, sep=sep: f"{ids}{sep}3", f"from the last '{sep}' on") for sep in SEPARATORS),
        *((lambda ids, sep=sep: f"x{sep}{ids}", f"up to the first '{sep}'") for sep in SEPARATORS),
        (lambda ids: f"{ids}#b#1", "from the last '#' on"),
        (lambda ids: f"{ids} ", "white space"),
        (str.upper, "upper and lower case"),
        (lambda ids: "00" + ids, "leading zeros"),
        (lambda ids: "zZ" + ids, "letters at the start"),
    ],
)
def test_by_what_ids_differ(change, difference):
    doc = "1a#b" if change("") == "#b#1" else "1a"
    other = change("1a")
    sentence = f"the same but for .*{re.escape(difference)}"
    for judged, ranked in ((doc, other), (other, doc)):
        with pytest.warns(IrdivWarning, match=sentence):
            irdiv.evaluate({"7x": {judged: 1, "none": 1}}, {"7x": {ranked: 1.0, "nobody": 2.0}}, "P@2")
    with pytest.raises(IrdivError, match=sentence):
        irdiv.evaluate({doc: {"d": 1}, "none": {"d": 1}}, {other: {"d": 1.0}, "nobody": {"d": 1.0}}, "P@1")


@pytest.mark.parametrize(("judged", "ranked"), [("p-1", "p-2"), ("0", "x"), ("#1", "x")])
def test_ids_without_anything_in_common(judged, ranked):
    """Only one side is changed, and something must be left: p-1 and p-2 are not the same but for the end."""
    for one, other in ((judged, ranked), (ranked, judged)):
        with pytest.warns(IrdivWarning, match="PyTerrier.* docno") as caught:
            irdiv.evaluate({"1": {one: 1}}, {"1": {other: 1.0}}, "P@1")
        assert "but for" not in str(caught[0].message)


@pytest.mark.parametrize("options", [{}, {"batch_rows": 1}])
def test_one_judged_document_within_the_largest_cutoff_is_enough(options):
    qrels = pd.concat([QRELS, pd.DataFrame([("10", "i", "x", 0)], columns=QRELS.columns)])
    run = {"1": {"y": 2.0, "a": 1.0}, "10": {"z": 2.0, "x": 1.0}}
    unjudged = {"1": run["1"]}
    irdiv.evaluate(qrels, run, ["I-rec@1", "I-rec@2"], **options)
    irdiv.evaluate(qrels, {"10": run["10"]}, "I-rec@2", **options)
    with pytest.warns(IrdivWarning, match="no judged document among the first 1 of any topic"):
        irdiv.evaluate(qrels, unjudged, "I-rec@1", **options)
    irdiv.evaluate(qrels, unjudged, "D-nDCG(judged_only=True)@1", **options)


@pytest.mark.parametrize(
    "swap",
    [
        lambda path: (RUN, QRELS),
        lambda path: (pl.from_pandas(RUN), QRELS),
        lambda path: ({"x": RUN, "y": RUN}, QRELS),
        lambda path: (as_file(path / "run", RUN), path / "qrels"),
        lambda path: (as_parquet(path / "run", RUN), QRELS),
        lambda path: (RUN, as_parquet(path / "qrels", QRELS)),
        lambda path: (RUN, Dataset("test", QRELS, QRELS, QRELS)),
        lambda path: (RUN, irdiv.Collection(QRELS)),
        lambda path: (RUN, {"x": irdiv.Collection(QRELS)}),
        lambda path: (SCORES, GRADES),
        lambda path: ({"x": SCORES, "y": SCORES}, GRADES),
        lambda path: (SCORES, QRELS),
        lambda path: (RUN, GRADES),
        lambda path: (SCORES, irdiv.Collection(GRADES)),
        lambda path: ({"1": {"a": np.float64(1.5)}}, {"1": {"a": np.int64(1)}}),
        lambda path: ({"1": ["a"]}, GRADES),
        lambda path: (RUN.drop(columns="score"), QRELS),
    ],
)
@pytest.mark.parametrize("options", [{}, {"batch_rows": 1}])
def test_swapped_arguments(tmp_path, swap, options):
    QRELS[["query_id", "intent_id", "doc_id", "relevance"]].to_csv(
        tmp_path / "qrels", sep=" ", header=False, index=False
    )
    with pytest.raises(IrdivError, match="swapped: .*qrels first, then the runs"):
        irdiv.evaluate(*swap(tmp_path), "I-rec@1", **options)


def test_other_mistakes_are_not_called_swapped():
    for qrels, run in [
        (RUN, RUN),
        (QRELS.drop(columns="relevance"), RUN),
        (RUN.assign(relevance=0.5), QRELS),
        (SCORES, SCORES),
        (SCORES, {"x": GRADES, "y": SCORES}),
        ({"1": {"a": 1.5, "b": "x"}}, GRADES),
        ({"1": {"a": 1.5}, "2": 3}, GRADES),
        ({"1": ["a"], "2": {"a": 1.5}}, GRADES),
    ]:
        with pytest.raises(IrdivError) as caught:
            irdiv.evaluate(qrels, run, "I-rec@1")
        assert "swapped" not in str(caught.value)
    # Whole scores may be grades.
    irdiv.evaluate({"1": {"a": 2.0, "b": 1.0}}, GRADES, "P@1")
