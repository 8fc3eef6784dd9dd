"""The values of columns: grades, scores and probabilities that are taken, rounded by nobody, or refused."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import ir_measures
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import irdiv
from irdiv import IrdivError

DOCS = list("abcdefg")


def library_and_type(series) -> str:
    return f"{type(series).__module__.split('.')[0]}-{getattr(series, 'dtype', getattr(series, 'type', None))}"


def frame_with(name: str, series) -> object:
    """Return a frame of the library of a series, with the series under a name and one document in each row."""
    ids = {"query_id": ["1"] * len(series), "doc_id": DOCS[: len(series)]}
    if isinstance(series, pa.Array):
        return pa.table({**ids, name: series})
    return (pl if isinstance(series, pl.Series) else pd).DataFrame({**ids, name: series})


def grades(series) -> list[int]:
    """Return the gains of documents, which are ranked in their order."""
    ranked = {"1": DOCS[: len(series)]}
    found = irdiv.analysis.values_by_rank(frame_with("relevance", series), ranked, f"CG(gain=linear)@{len(series)}")
    return np.diff(found["value"], prepend=0).tolist()


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([2, 0, 1]),
        pd.Series([2.0, 0.0, 1.0]),
        pd.Series(["2", "0", "1"]),
        pd.Series([2, 0, 1], dtype="Int8"),
        pl.Series([2, 0, 1]),
        pl.Series([2, 0, 1], dtype=pl.UInt8),
        pl.Series([Decimal(2), Decimal(0), Decimal(1)]),
        pa.array([2, 0, 1]),
        pa.array([2.0, 0.0, 1.0]),
    ],
    ids=library_and_type,
)
def test_grades_are_integers(series):
    assert grades(series) == [2, 0, 1]


@pytest.mark.parametrize("grade", [255, 100_000, 100_000.0])
def test_the_largest_grades(grade):
    assert grades(pd.Series([grade, 1])) == [grade, 1]
    irdiv.Collection({"1": {"a": -100_000, "b": 1}})


def refused(qrels, run=None, specs="Hit", **options) -> str:
    with pytest.raises(IrdivError) as caught:
        irdiv.evaluate(qrels, {"1": ["a"]} if run is None else run, specs, **options)
    return str(caught.value)


@pytest.mark.parametrize("options", [{}, {"batch_rows": 1}])
@pytest.mark.parametrize(
    ("grades", "shown"),
    [
        ([1, 100_001], ["levels", "100001", "100000"]),
        ([-100_001, 1], ["levels", "-100001"]),
        ([1, 2**53 + 1], ["levels", str(2**53 + 1)]),
        ([1.0, 100_001.0], ["levels", "100001"]),
        ([0.5, 1.0], ["whole numbers", "0.5", "gain="]),
        ([1.0, np.inf], ["finite", "inf", "row"]),
        ([1.0, None], ["finite", "nan", "row"]),
        (["support", "1"], ["numbers", "'support'", "irdiv.rag.read_nuggets", "labels="]),
    ],
)
def test_values_that_are_no_grades(grades, shown, options):
    message = refused(frame_with("relevance", pd.Series(grades)), **options)
    assert [text for text in ["'relevance'", *shown] if text not in message] == []


def test_the_grade_that_is_furthest_from_0_is_named():
    for grades in ([-200_000, 150_000], [150_000, -200_000]):
        assert "holds -200000" in refused(frame_with("relevance", pd.Series(grades)))
    assert "0.5, 0.25" in refused(frame_with("relevance", pd.Series([0.5, 1.0, 0.25])))


def judged(documents: int = 2) -> dict[str, dict[str, int]]:
    """Return grades that descend with the documents, so that their order shows in the values."""
    return {"1": {doc: documents - index for index, doc in enumerate(DOCS[:documents])}}


@pytest.mark.parametrize(
    ("words", "shown", "hidden"),
    [
        (["yes", "no", "yes"], ["'yes', 'no'"], ["…", "read_nuggets"]),
        (["a", "b", "c", "d"], ["'a', 'b', 'c', …"], ["'d'"]),
        (["x" * 99], ["'xxx", "..."], ["x" * 60]),
    ],
)
@pytest.mark.parametrize("library", [pd, pl])
def test_words_in_place_of_scores(words, shown, hidden, library):
    message = refused(judged(), frame_with("score", library.Series(words)))
    assert [text for text in ["'score' of the run must hold numbers", *shown] if text not in message] == []
    assert [text for text in hidden if text in message] == []


def test_a_number_with_an_underscore_is_a_word_in_polars():
    assert "'1_0'" in refused(judged(), frame_with("score", pl.Series(["1_0"])))


@pytest.mark.parametrize("options", [{}, {"batch_rows": 1}])
@pytest.mark.parametrize("name", ["score", "rank"])
@pytest.mark.parametrize(
    ("numbers", "found"),
    [
        (pd.Series([1.0, np.nan, 2.0, np.inf]), "nan in row 1 "),
        (pd.Series([-np.inf, 1.0]), "-inf in row 0 "),
        (pd.Series([1.0, 2.0, None]), "nan in row 2 "),
        (pl.Series([1.0, None]), "nan in row 1 "),
        (pa.array([1.0, None]), "nan in row 1 "),
    ],
    ids=range(5),
)
def test_scores_that_are_not_finite(numbers, found, name, options):
    assert f"'{name}' of the run must hold finite numbers, found {found}" in refused(
        judged(), frame_with(name, numbers), **options
    )


def test_the_count_of_rows_without_a_score():
    assert "2 such rows" in refused(judged(), frame_with("score", pd.Series([1.0, np.nan, 2.0, np.inf])))


LARGE = [2**62 + 3, 2**62 + 2, 2**62 + 1]


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(LARGE),
        pd.Series([-number for number in LARGE]),
        pd.Series(LARGE, dtype="Int64"),
        pd.Series([2**62 + number for number in LARGE], dtype="uint64"),
        pd.Series([2**64 + 1, 1], dtype=object),
        pd.Series(["1.5", str(2**53 + 1)]),
        pd.Series([Decimal(2**53 + 1), Decimal("0.1")]),
        pd.Series([Decimal("0.1"), Decimal("0.33333333333333333333")]),
        pd.Series([1, Fraction(2**53 + 1)], dtype=object),
        pl.Series(LARGE),
        pl.Series([Decimal("1.00000000000000000001")]),
        pa.array(LARGE),
        pa.array([Decimal("1.00000000000000000001")]),
    ],
    ids=library_and_type,
)
@pytest.mark.parametrize("options", [{}, {"batch_rows": 1}])
def test_scores_that_floats_would_round(series, options):
    message = refused(judged(), frame_with("score", series), **options)
    assert [text for text in ("'score' of the run", "64-bit float", "ranks from 1") if text not in message] == []


@pytest.mark.parametrize(
    "form", ["run_column", "dict", "dict with floats", "namedtuples with floats", "Parquet", "ranks"]
)
def test_large_scores_in_other_forms(tmp_path, form):
    run = frame_with("score", pd.Series(LARGE))
    scores = dict(zip(DOCS, LARGE, strict=False))
    options = {"run_column": "name"} if form == "run_column" else {}
    if form == "run_column":
        run["name"] = "x"
    elif form == "ranks":
        run = run.rename(columns={"score": "rank"})
    elif form == "Parquet":
        run.to_parquet(tmp_path / "run.parquet")
        run = tmp_path / "run.parquet"
    elif form == "namedtuples with floats":
        run = [ir_measures.ScoredDoc("1", doc, score) for doc, score in {**scores, "x": 0.5}.items()]
    else:
        run = {"1": {**scores, "x": 0.5} if form == "dict with floats" else scores}
    assert "holds 461168601842738790" in refused(judged(), run, **options)


def test_the_first_integer_that_is_rounded_among_floats():
    rows = [ir_measures.ScoredDoc("1", "a", 2**53 + 1), ir_measures.ScoredDoc("1", "b", 0.5)]
    assert "holds 9007199254740993, " in refused(judged(), rows)


@pytest.mark.parametrize("rows", [1, 9])
def test_decimals_in_batches(rows):
    scores = pa.array([Decimal("1.00000000000000001"), Decimal("1.00000000000000002")])
    assert "holds Decimal('1.0" in refused(judged(), frame_with("score", scores).to_reader(max_chunksize=rows))


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([2**62, 2**53, 3, -(2**63)]),
        pd.Series([2**64 - 2**11, 2**63], dtype="uint64"),
        pd.Series(["1e300", "9007199254740993.5", "0.25", "0.10"]),
        pd.Series([Decimal("1e30"), Decimal("0.25"), Decimal.from_float(0.1)]),
        pd.Series([2**70, "2.0", True, Decimal("0.5"), Fraction(1, 3), "0"], dtype=object),
        pl.Series([Decimal("0.3"), Decimal("0.1")]),
        pl.Series([2.0**62 + 1, 0.1]),
        pa.array([2**62, 1]),
    ],
    ids=library_and_type,
)
def test_scores_that_are_floats(series):
    """Documents are in the order of their grades only if they are ordered by score."""
    run = frame_with("score", series)
    assert irdiv.evaluate(judged(len(series)), run, "nDCG(dcg='log2')").values.item() == 1
    assert irdiv.evaluate(judged(len(series)), run[::-1], "nDCG(dcg='log2')").values.item() == 1


@pytest.mark.parametrize("equal", [["0.10", "0.1"], [Decimal("0.10"), Decimal("0.1")], [1, "1.0"], [0.0, -0.0]])
def test_equal_scores_that_are_written_differently_are_ties(equal):
    run = frame_with("score", pd.Series(equal, dtype=object))
    found = [irdiv.evaluate({"1": {"a": 1, "b": 0}}, run, "Hit@1", ties=ties).values.item() for ties in TIES]
    assert found == [0, 1, 1], dict(zip(TIES, found, strict=True))


TIES = ("docid_desc", "docid_asc", "input")


def table(weights: list) -> pd.DataFrame:
    return pd.DataFrame({"query_id": "1", "intent_id": [str(i) for i in range(len(weights))], "weight": weights})


JUDGED = pd.DataFrame({"query_id": "1", "intent_id": list("012"), "doc_id": list("abc"), "relevance": 1})


@pytest.mark.parametrize(
    ("weights", "shown"),
    [
        ([0.0, -0.5, -2.0], ["-0.5", "0 or more", "penalties"]),
        ([np.inf, 1.0], ["finite", "inf", "row 0"]),
        ([0.5, 1e308], ["1e+308", "up to 1e+100"]),
        (["high", "1"], ["numbers", "'high'"]),
    ],
)
def test_weights_that_are_no_probabilities(weights, shown):
    with pytest.raises(IrdivError, match="'weight' of the intents") as caught:
        irdiv.with_intents(JUDGED, table(weights))
    assert [text for text in shown if text not in str(caught.value)] == []


@pytest.mark.parametrize("convert", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas])
def test_weights_that_are_probabilities(convert):
    folded = irdiv.with_intents(convert(JUDGED), convert(table([0.0, 1e100, 5e-324])))
    assert nw.from_native(folded)["probability"].to_list() == [0.0, 1e100, 5e-324]
    missing = irdiv.with_intents(convert(JUDGED.assign(relevance=[1, 0, 1])), convert(table([0.75, None, 0.25])))
    shares = irdiv.analysis.intent_probabilities(nw.from_native(missing).to_pandas())["probability"]
    assert shares.tolist() == [0.75, 0.25]


@pytest.mark.parametrize("options", [{}, {"batch_rows": 1}])
def test_probabilities_in_qrels(options):
    assert "'probability' of the qrels must hold finite" in refused(JUDGED.assign(probability=np.inf), **options)
    nothing = JUDGED.assign(probability=0.0)
    assert "have the probability 0" in refused(nothing, specs="D-nDCG", **options)
    # Only measures that use probabilities check them.
    assert irdiv.evaluate(nothing, {"1": ["a"]}, ["I-rec@3", "ERR_IA@3"], **options).values.min() > 0


@pytest.mark.parametrize("options", [{}, {"batch_rows": 2}])
@pytest.mark.parametrize("stated", [0, 3, [1, 4, 1]])
def test_a_stated_highest_grade(stated, options):
    qrels = JUDGED.assign(max_grade=stated)
    # The probability of satisfaction is (2^1 - 1) / 2^max_grade, and one of three intents has a document.
    expected = 0.5 ** max(np.max(stated), 1) / 3
    assert irdiv.evaluate(qrels, {"1": ["a"]}, "ERR-IA@1", **options).values.item() == expected


@pytest.mark.parametrize("name", ["probability", "type", "parent_id", "description", "importance"])
@pytest.mark.parametrize("options", [{}, {"batch_rows": 2}])
def test_what_is_said_of_an_intent_declares_it(name, options):
    """Where intents are described, those without relevant documents count if they are; an empty cell says nothing."""
    value = {"probability": 0.5, "type": "inf", "importance": "vital"}.get(name, "x")
    rows = JUDGED.iloc[:2].assign(relevance=[1, 0])
    for said, recall in (([value, None], 1), ([value, value], 1 / 2), ([None, None], 1 / 2)):
        qrels = rows.assign(**{name: said})
        found = irdiv.evaluate(qrels, {"1": ["a"]}, "I-rec(intents='all')@1", **options)
        assert found.values.item() == recall, (name, said)
