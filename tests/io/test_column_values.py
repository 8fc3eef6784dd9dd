"""The values of columns as numbers and strings, in frames of each library, and the errors about them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from irdiv import IrdivError
from irdiv.frames import values


def column(series, name: str = "relevance"):
    if isinstance(series, list):
        series = pd.Series(series, name=name)
    if isinstance(series, pa.Array):
        return nw.from_native(pa.table({name: series}), eager_only=True)[name]
    return nw.from_native(series, series_only=True)


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([-1, 0, 2]),
        pd.Series([-1.0, 0.0, 2.0]),
        pd.Series(["-1", "0", "2"]),
        pd.Series([-1, 0, 2], dtype="Int8"),
        pl.Series([-1, 0, 2]),
        pl.Series([Decimal("-1"), Decimal("0"), Decimal("2")]),
        pa.array([-1, 0, 2]),
        pa.array([-1.0, 0.0, 2.0]),
    ],
    ids=lambda series: f"{type(series).__module__.split('.')[0]}-{getattr(series, 'dtype', None)}",
)
def test_grades_are_integers(series):
    grades = values.integer_grades(column(series))
    assert grades.tolist() == [-1, 0, 2]
    assert grades.dtype == np.int64


def test_grades_without_a_sign():
    grades = values.integer_grades(column(pl.Series([0, 255], dtype=pl.UInt8)))
    assert (grades.tolist(), grades.dtype) == ([0, 255], np.int64)


def test_no_grades():
    assert values.integer_grades(column(pd.Series([], dtype=int))).tolist() == []


@pytest.mark.parametrize("grade", [100_000, -100_000, 100_000.0])
def test_the_largest_grades(grade):
    assert values.integer_grades(column([grade, 1])).tolist() == [grade, 1]


@pytest.mark.parametrize(
    ("grades", "extreme"),
    [
        ([1, 100_001], 100_001),
        ([-100_001, 1], -100_001),
        ([-200_000, 150_000], -200_000),
        ([-150_000, 200_000], 200_000),
        ([1, 2**53 + 1], 2**53 + 1),
        ([1.0, 100_001.0], 100_001),
    ],
)
def test_values_that_are_too_large_for_grades(grades, extreme):
    with pytest.raises(IrdivError) as caught:
        values.integer_grades(column(grades))
    assert str(caught.value) == (
        f"grades are levels of a scale, but column 'relevance' holds {extreme}; map them to levels up to 100000 first."
    )


def test_grades_with_fractions():
    with pytest.raises(IrdivError) as caught:
        values.integer_grades(column([0.5, 1.0, 0.25]))
    assert str(caught.value) == (
        "grades are whole numbers, but column 'relevance' holds 0.5, 0.25; map the grades to integers first, or give "
        "gains by the parameter gain={grade: gain}."
    )


LABELS = (
    " Text labels become grades by irdiv.rag.read_nuggets(frame), those that it does not know by "
    "labels={'label': grade}."
)


@pytest.mark.parametrize(
    ("words", "role", "found"),
    [
        (["yes", "no", "yes"], "run", "'yes', 'no'."),
        (["a", "b", "c"], "run", "'a', 'b', 'c'."),
        (["a", "b", "c", "d"], "run", "'a', 'b', 'c', …."),
        (["a", "b", "c", *"cccccc", "d"], "run", "'a', 'b', 'c'."),
        (["a", "b", "c", *"ccccc", "d"], "run", "'a', 'b', 'c', …."),
        (["yes"], "intents", "'yes'."),
        (["yes"], "qrels", "'yes'." + LABELS),
        (["x" * 99], "run", "'xxxxxxxxxxxx...xxxxxxxxxxxxx'."),
    ],
)
@pytest.mark.parametrize("library", [pd, pl])
def test_words_in_place_of_numbers(words, role, found, library):
    with pytest.raises(IrdivError) as caught:
        values.float_values(column(library.Series("relevance", words) if library is pl else words), role)
    assert str(caught.value) == f"column 'relevance' of the {role} must hold numbers, found {found}"


def test_a_number_with_an_underscore_is_a_word_in_polars():
    with pytest.raises(IrdivError, match="must hold numbers, found '1_0'"):
        values.float_values(column(pl.Series("score", ["1_0"])), "run")


@pytest.mark.parametrize(
    ("numbers", "found"),
    [
        ([1.0, np.nan, 2.0, np.inf], "nan in row 1 (2 such rows)"),
        ([-np.inf, 1.0], "-inf in row 0 (1 such rows)"),
        ([1.0, 2.0, None], "nan in row 2 (1 such rows)"),
    ],
)
def test_numbers_that_are_not_finite(numbers, found):
    with pytest.raises(IrdivError) as caught:
        values.float_values(column(numbers, "score"), "run")
    assert (
        str(caught.value) == f"column 'score' of the run must hold finite numbers, found {found}; drop or correct them."
    )


def test_missing_numbers_where_they_are_allowed():
    made = values.float_values(column([0.5, None]), "qrels", allow_missing=True)
    assert made.dtype == np.float64
    np.testing.assert_array_equal(made, [0.5, np.nan])
    with pytest.raises(IrdivError, match=r"of the qrels must hold finite numbers, found inf in row 1 \(1 such rows\)"):
        values.float_values(column([np.nan, np.inf]), "qrels", allow_missing=True)


def test_integers_as_floats():
    assert values.float_values(column([1, 2]), "run").dtype == np.float64


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
    ids=lambda series: f"{type(series).__module__.split('.')[0]}-{getattr(series, 'dtype', None)}",
)
def test_scores_that_floats_would_round(series):
    with pytest.raises(IrdivError, match="of the run holds .*, which a 64-bit float cannot hold: .* ranks from 1"):
        values.order_values(column(series), "run")


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([2**62, 2**53, -(2**63), 3]),
        pd.Series([], dtype="int64"),
        pd.Series([2**63, 2**64 - 2**11], dtype="uint64"),
        pd.Series(["0.10", "0.1", "1e300", "9007199254740993.5"]),
        pd.Series([Decimal("0.10"), Decimal("0.1"), Decimal.from_float(0.1), Decimal("1e30")]),
        pd.Series([1, "1", "1.0", 2**70, Decimal(1), Fraction(1, 3), True], dtype=object),
        pl.Series([Decimal("0.1"), Decimal("0.3")]),
        pl.Series([0.1, 2.0**62 + 1]),
        pa.array([2**62, 1]),
    ],
    ids=lambda series: f"{type(series).__module__.split('.')[0]}-{getattr(series, 'dtype', None)}",
)
def test_scores_that_are_floats(series):
    expected = [float(value) for value in (series.to_pylist() if isinstance(series, pa.Array) else series.to_list())]
    assert values.order_values(column(series), "run").tolist() == expected


def test_ranks_that_are_not_used_may_be_anything():
    np.testing.assert_array_equal(values.floats_or_none(column([1, None], "rank")), [1, np.nan])
    assert values.floats_or_none(column(["first"], "rank")) is None
    assert values.floats_or_none(column([np.inf], "rank")) is None


def test_fractions_as_ids():
    for allowed in ([1.0, 2.0], [1.0, None], ["1.5"], [1, 2], pl.Series("query_id", [1.0, None])):
        values.raise_if_fractional(column(allowed, "query_id"), "run")
    with pytest.raises(IrdivError) as caught:
        values.raise_if_fractional(column([1.0, 2.5, 3.5], "query_id"), "run")
    assert str(caught.value) == (
        "column 'query_id' of the run has numbers with fractions as ids, such as 2.5; make them strings."
    )


def test_probabilities_below_0():
    values.check_probabilities(column([0.0, 0.5, None], "probability"))
    with pytest.raises(IrdivError) as caught:
        values.check_probabilities(column([0.0, -0.5, -2.0], "weight"))
    assert str(caught.value) == (
        "column 'weight' of the intents holds -0.5; give 0 or more. Negative weights of rubrics are penalties for "
        "answers, not probabilities: leave their rows out."
    )
    with pytest.raises(IrdivError, match="column 'weight' of the intents must hold finite numbers, found inf in row 0"):
        values.check_probabilities(column([np.inf], "weight"))


def test_probabilities_whose_sum_exceeds_all_floats():
    values.check_probabilities(column([1e100, 5e-324], "probability"))
    with pytest.raises(IrdivError) as caught:
        values.check_probabilities(column([0.5, 1e308], "weight"))
    assert (
        str(caught.value) == "column 'weight' of the intents holds 1e+308; give probabilities or weights up to 1e+100."
    )


@pytest.mark.parametrize(
    "series",
    [pd.Series(["a", None, "", 7], dtype=object), pl.Series(["a", None, "", "7"]), pa.array(["a", None, "", "7"])],
)
def test_missing_and_empty_strings(series):
    assert values.strings_or_none(column(series)).tolist() == ["a", None, "", "7"]
    assert values.ids_or_none(column(series)).tolist() == ["a", None, None, "7"]


def test_ids_that_are_numbers_with_missing_ones():
    assert values.ids_or_none(column([51.0, None])).tolist() == ["51", None]


@pytest.mark.parametrize(
    ("series", "given"),
    [
        (pd.Series([0.5, np.nan, 0.0]), [True, False, True]),
        (pd.Series(["a", None, ""], dtype=object), [True, False, True]),
        (pl.Series([0.5, None, float("nan")]), [True, False, False]),
        (pl.Series([1, None]), [True, False]),
        (pa.array([0.5, None, np.nan]), [True, False, False]),
    ],
)
def test_which_values_are_given(series, given):
    assert values.is_given(column(series)).tolist() == given


@pytest.mark.parametrize(
    ("iterations", "are_adhoc"),
    [(["0"], True), (["Q0", "0", "0"], True), (["0", "1"], False), (["1", "0"], False), (["q0"], False), ([], False)],
)
def test_iterations_of_ad_hoc_qrels(iterations, are_adhoc):
    assert values.are_adhoc_iterations(pa.array(iterations, pa.large_string())) is are_adhoc
