"""Names that users give to measures: they are those of columns, and specs are still found."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

import irdiv
from irdiv import IrdivError
from irdiv.demo import demo_qrels_and_runs, write_demo
from irdiv_cli import main

NAMED = {"strict": "Coverage(rel=2)@10", "D#": "D#-nDCG(gamma=0.3)@10", "map": "AP"}
SPECS = list(NAMED.values())


@pytest.fixture(scope="module")
def demo():
    return demo_qrels_and_runs()


@pytest.fixture(scope="module")
def named(demo):
    return irdiv.evaluate(*demo, NAMED)


@pytest.fixture(scope="module")
def plain(demo):
    return irdiv.evaluate(*demo, SPECS)


def test_columns_have_the_names(named, plain):
    np.testing.assert_array_equal(named.values, plain.values)
    assert named.measures == plain.measures
    assert list(named.summary().columns) == list(named.pivot().columns) == list(NAMED)
    assert list(named.frame["measure"].unique()) == list(NAMED)
    assert repr(named).split("\n")[0].split() == list(NAMED)
    assert "| strict |" in named.to_markdown()
    assert all(f"<th>{name}</th>" in named._repr_html_() for name in NAMED)


def test_both_the_name_and_the_spec_are_found(named, plain):
    for name, spec in NAMED.items():
        for key in (name, spec, irdiv.parse(spec)):
            pd.testing.assert_frame_equal(named[key], plain[spec])
    pd.testing.assert_frame_equal(named["Dsharp-nDCG(gamma=0.3)@10"], plain[SPECS[1]])
    with pytest.raises(IrdivError, match="P@5 was not evaluated; .*'strict'"):
        named["P@5"]


@pytest.mark.parametrize("key", ["strict", "Coverage(rel=2)@10", irdiv.parse("Coverage(rel=2)@10")])
def test_statistics_take_both(named, plain, key):
    found = named.compare(measures=key, test="t")
    expected = plain.compare(measures=SPECS[0], test="t").assign(measure="strict")
    pd.testing.assert_frame_equal(found, expected)
    pd.testing.assert_frame_equal(named.rank(key), plain.rank(SPECS[0]).assign(measure="strict"))
    worst = plain.worst(3, measure=SPECS[0], run="spammy").assign(measure="strict")
    pd.testing.assert_frame_equal(named.worst(3, measure=key, run="spammy"), worst)
    assert named.to_markdown(measures=key).count("strict") == 1
    correlations = irdiv.stats.correlate(plain, measures=["AP", SPECS[0]])
    names = {"AP": "map", SPECS[0]: "strict"}
    pd.testing.assert_frame_equal(
        irdiv.stats.correlate(named, measures=["map", key]), correlations.rename(index=names, columns=names)
    )
    assert set(named.cases(key, "D#", n=2).frame.columns) >= {"strict", "D#"}
    assert named.topic("1").scores.columns.tolist() == list(NAMED)


def test_names_survive_pickling_files_polars_and_batches(demo, named, tmp_path):
    copy = pickle.loads(pickle.dumps(named))
    pd.testing.assert_frame_equal(copy["strict"], named["Coverage(rel=2)@10"])
    named.to_csv(tmp_path / "values.csv")
    expected = irdiv.stats.compare(named.frame, measures="strict", test="t")
    pd.testing.assert_frame_equal(irdiv.stats.compare(tmp_path / "values.csv", measures="strict", test="t"), expected)
    frames = {name: pl.from_pandas(run) for name, run in demo[1].items()}
    evaluation = irdiv.evaluate(pl.from_pandas(demo[0]), frames, NAMED, batch_rows=20)
    assert evaluation.summary().columns == ["run", *NAMED]
    assert evaluation["strict"].equals(evaluation["Coverage(rel=2)@10"])


def test_parameters_and_components(demo):
    # the name stays with the measure that the parameters make of it; what has no other name is named by its spec
    measures = {"cov": "Coverage@10", "I-rec@10": "I-rec@10", "D#-nDCG@10": "D#-nDCG@10"}
    evaluation = irdiv.evaluate(*demo, measures, rel=2, components=True)
    assert evaluation.specs() == ["cov", "I-rec(rel=2)@10", "D#-nDCG(rel=2)@10", "D-nDCG(rel=2)@10"]
    expected = irdiv.evaluate(*demo, "Coverage(rel=2)@10")
    np.testing.assert_array_equal(evaluation["cov"], expected["Coverage(rel=2)@10"])
    assert irdiv.evaluate(*demo, {"α-nDCG@10": "alpha-nDCG@10"}).specs() == ["α-nDCG@10"]


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        ({"Coverage@10": "Coverage(rel=2)@10"}, "'Coverage@10' cannot be the name of .* spec of another measure"),
        ({"run": "P@5"}, "'run' cannot be the name of P@5: .* none of the columns"),
        ({"": "P@5"}, "'' cannot be the name of P@5"),
        ({3: "P@5"}, "3 cannot be the name of P@5"),
        ({"a": "P@5", "b": "P(rel=1)@5"}, "'a' and 'b' name the same measure, P@5"),
        ({"effort": "E@5"}, "E@5 cannot be called 'effort': smaller values are better"),
        ({}, "no measures given"),
        ({"a": "nonsense"}, "no measure is called 'nonsense'"),
        ({"a": ["P@5"]}, r"not \['P@5'\]"),
    ],
)
def test_names_that_are_not_possible(demo, measures, message):
    with pytest.raises(IrdivError, match=message):
        irdiv.evaluate(*demo, measures)


def test_parameters_must_not_make_a_name_wrong(demo):
    with pytest.raises(IrdivError, match="'α-nDCG@9' cannot be the name of alpha-nDCG"):
        irdiv.evaluate(*demo, {"α-nDCG@9": "alpha-nDCG@9"}, alpha=0.3)


def test_functions_without_columns_take_no_names(demo):
    qrels, runs = demo
    with pytest.raises(IrdivError, match="found a mapping from names; .* 'P@5'"):
        irdiv.analysis.values_by_rank(qrels, runs, {"a": "P@5"})


def test_the_command_line(capsys, tmp_path):
    write_demo(tmp_path)
    files = [str(tmp_path / name) for name in ("qrels.txt", "relevance.run", "diversified.run")]

    def first_line(*arguments: str) -> list[str]:
        assert main(["eval", *files, "-m", *arguments]) == 0
        return capsys.readouterr().out.splitlines()[0].split()

    assert first_line("strict=Coverage(rel=2)@10", "I-rec@10", "α=alpha-nDCG@5") == ["run", "strict", "I-rec@10", "α"]
    set_rel = first_line("cov=Coverage@10", "I-rec(intents='all')@10", "--set", "rel=2")
    assert set_rel == ["run", "cov", "I-rec(rel=2,intents='all')@10"]
    assert main(["eval", *files, "-m", "a=P@5", "a=P@10"]) == 2
    assert "two measures have the name 'a': P@5 and P@10" in capsys.readouterr().err
