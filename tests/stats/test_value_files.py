"""Files of values, as irdiv, trec_eval, ir_measures, ndeval and gdeval write them."""

from __future__ import annotations

import gzip
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import irdiv
from helpers import random_collection, random_evaluation, random_run
from irdiv import IrdivError
from irdiv.stats import read_values

TREC_EVAL = """\
num_ret               \t301\t10
map                   \t301\t0.5
map                   \t302\t0.25
num_ret               \t302\t10
runid                 \tall\tbm25
num_q                 \tall\t2
map                   \tall\t0.375
"""
NDEVAL = """\
runid,topic,ERR-IA@5,nERR-IA@5
uni,51,0.1,0.2
uni,52,0.3,0.4
uni,amean,0.2,0.3
"""


@pytest.fixture
def write(tmp_path):
    def write(text: str, name: str = "values.txt"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def rows(frame: pd.DataFrame) -> list[tuple]:
    assert frame.columns.tolist() == ["run", "query_id", "measure", "value"]
    return list(frame.itertuples(index=False, name=None))


EXPECTED = [("a", "1", "P@5", 0.5), ("a", "02", "P@5", 0.25), ("b", "1", "P@5", 1.0), ("b", "02", "P@5", 0.0)]


@pytest.mark.parametrize("separator", [" ", "\t", ",", ";", "   "])
@pytest.mark.parametrize("columns", ["run query_id", "name qid", "runid topic", None])
def test_a_row_for_each_value(write, separator, columns):
    lines = ["a 1 P@5 0.5", "a 02 P@5 0.25", "", "b 1 P@5 1", "b 02 P@5 0"]
    text = "\n".join(line.replace(" ", separator) for line in ([f"{columns} measure value"] if columns else []) + lines)
    assert rows(read_values(write(text))) == EXPECTED


def test_columns_in_any_order_and_others(write):
    text = "value,note,topic,run,measure\n0.5,x,1,a,P@5\n0.25,,02,a,P@5\n1,,1,b,P@5\n0,y,02,b,P@5\n"
    assert rows(read_values(write(text))) == EXPECTED


def test_measures_between_runs_and_topics(write):
    text = "a P@5 1 0.5\na P@5 02 0.25\na P@5 all 0.375\nb P@5 1 1\nb P@5 02 0\n"
    assert rows(read_values(write(text))) == EXPECTED


@pytest.mark.parametrize("write_csv", [lambda e, path: e.frame.to_csv(path), lambda e, path: e.pivot().to_csv(path)])
def test_evaluations_written_as_csv(tmp_path, write_csv):
    evaluation = irdiv.evaluate(
        random_collection(0), {"a": random_run(0), "b": random_run(1)}, ["alpha-nDCG(alpha=0.3,weighted=True)@5", "P@5"]
    )
    write_csv(evaluation, tmp_path / "values.csv")
    found = irdiv.stats.compare(tmp_path / "values.csv").sort_values("measure", ignore_index=True)
    expected = irdiv.stats.compare(evaluation).sort_values("measure", ignore_index=True)
    pd.testing.assert_frame_equal(found, expected)


def test_trec_eval(write):
    expected = [
        ("bm25", "301", "num_ret", 10),
        ("bm25", "301", "map", 0.5),
        ("bm25", "302", "map", 0.25),
        ("bm25", "302", "num_ret", 10),
    ]
    assert rows(read_values(write(TREC_EVAL))) == expected
    # several outputs in one file, and without the name of the run
    both = read_values(write(TREC_EVAL + TREC_EVAL.replace("bm25", "lm")))
    assert rows(both) == expected + [("lm", *row[1:]) for row in expected]
    unnamed = "\n".join(line for line in TREC_EVAL.splitlines() if "runid" not in line)
    assert set(read_values(write(unnamed, "dense.v2.eval"))["run"]) == {"dense.v2"}


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="ir_measures alone parses no cutoff on Python 3.14")
def test_ir_measures(write):
    qrels = write("1 0 d1 1\n2 0 d2 1\n", "qrels.txt")
    run = write("1 Q0 d1 1 2 x\n1 Q0 d3 2 1 x\n2 Q0 d3 1 2 x\n2 Q0 d2 2 1 x\n", "bm25.run")
    command = [sys.executable, "-m", "ir_measures", str(qrels), str(run), "nDCG@10 P@2", "-q"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = read_values(write(printed, "bm25.eval"))
    assert rows(found.sort_values(["measure", "query_id"])) == [
        ("bm25", "1", "P@2", 0.5),
        ("bm25", "2", "P@2", 0.5),
        ("bm25", "1", "nDCG@10", 1.0),
        ("bm25", "2", "nDCG@10", 0.6309),
    ]


def test_ndeval_and_gdeval(write):
    expected = [
        ("uni", "51", "ERR-IA@5", 0.1),
        ("uni", "51", "nERR-IA@5", 0.2),
        ("uni", "52", "ERR-IA@5", 0.3),
        ("uni", "52", "nERR-IA@5", 0.4),
    ]
    assert rows(read_values(write(NDEVAL))) == expected


def test_several_files(write, tmp_path):
    compressed = tmp_path / "b.txt.gz"
    compressed.write_bytes(gzip.compress(b"b 1 P@5 1\nb 02 P@5 0\n"))
    assert rows(read_values([write("a 1 P@5 0.5\na 02 P@5 0.25\n"), compressed])) == EXPECTED


def test_runs_named_by_a_mapping(write):
    paths = {"ql": write(NDEVAL, "ql.csv"), "rm": write(NDEVAL, "rm.csv")}
    with pytest.raises(
        IrdivError, match=r"rm.csv, line 2: a second value .* If these are different runs, give a mapping"
    ):
        read_values(paths.values())
    expected = read_values(paths["ql"])
    found = read_values(paths)
    assert rows(found) == rows(pd.concat([expected.assign(run="ql"), expected.assign(run="rm")]))
    two_runs = write("a 1 P@5 0.5\nb 1 P@5 0.5\n")
    with pytest.raises(
        IrdivError, match="values.txt: expected one run, to be named 'x'; found 'a', 'b'. Read the file"
    ):
        read_values({"x": two_runs})


def test_all_statistics_take_such_files(tmp_path):
    evaluation = random_evaluation(runs=5)
    path = tmp_path / "values.txt"
    evaluation.frame.sample(frac=1, random_state=0).to_csv(path, sep=" ", header=False, index=False)
    for analyze in (irdiv.stats.compare, irdiv.stats.correlation_intervals, irdiv.stats.pilot_variance):
        found, expected = analyze(path), analyze(evaluation)
        keys = [name for name in ("measure", "run", "other") if name in expected]
        if "other" in expected and "run" not in expected:  # pairs of measures, whose order is another
            assert sorted(found["correlation"]) == pytest.approx(sorted(expected["correlation"]))
            continue
        pd.testing.assert_frame_equal(
            found.sort_values(keys, ignore_index=True), expected.sort_values(keys, ignore_index=True)
        )


def test_judges_are_compared_by_files(tmp_path):
    human, machine = (random_evaluation(seed, runs=6, measures=["nDCG@10"]) for seed in (0, 1))
    for name, evaluation in (("human", human), ("machine", machine)):
        evaluation.frame.to_csv(tmp_path / f"{name}.tsv", sep="\t", index=False)
    found = irdiv.stats.compare_leaderboards(tmp_path / "machine.tsv", tmp_path / "human.tsv", n_resamples=20)
    x, y = (evaluation.values[:, 0].mean(axis=1) for evaluation in (machine, human))
    assert found["correlation"][0] == irdiv.stats.tau(x, y)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "values.txt: the evaluation file is empty; expected lines 'run topic measure value'"),
        ("\n \n", "values.txt: the evaluation file is empty"),
        ("run topic measure value\n", "values.txt: the evaluation file has no rows below its header"),
        ("a 1 P@5 good\n", "values.txt, line 1: found 'a 1 P@5 good'; expected"),
        ("a 1 P@5\n", "values.txt, line 1: found 'a 1 P@5'; expected"),
        ("a 1 P@5 0.5\na 2 P@5\n", "values.txt, line 2: found 3 columns; expected 4, as in the first line"),
        (
            "a 1 P@5 0.5\n\na 2 P@5 x\n",
            "line 3: the value of P@5 for run 'a' and topic '2' is 'x', not a finite number",
        ),
        ("a 1 P@5 0.5\na 2 P@5 nan\n", "line 2: the value of P@5 for run 'a' and topic '2' is 'nan', not a finite"),
        (
            "a 1 P@5 0.5\na 1 P@5 0.5\n",
            "line 2: a second value of P@5 for run 'a' and topic '1'; the first is in line 1.",
        ),
        ("a\t1\t\t0.5\n", "line 1: the measure is empty"),
        ("map 1 0.5\nmap 2 0.5\n", "with three columns, the one of topics is that with the word 'all', which none has"),
        ("a all P@5 0.5\n", "only values of all topics together; expected a value for each topic"),
        ("run,topic,measure\na,1,P@5\n", "the evaluation lacks a column: expected 'value', found 'run', 'topic'"),
        ("run,topic\na,1\n", "the header run, topic names no measure"),
        ("run,name,topic,measure,value\na,a,1,P@5,1\n", "two columns for one thing: 'run', 'name'"),
        ('run,topic,measure,value\na,1,"P@5,1\n', "line 2: not an evaluation file (unexpected end of data)"),
    ],
)
def test_bad_files(write, text, message):
    with pytest.raises(IrdivError) as error:
        read_values(write(text))
    assert message in str(error.value)
    assert "values.txt" in str(error.value)


def test_bad_paths(write, tmp_path):
    one, two = write("a 1 P@5 0.5\n", "one.txt"), write("\na 1 P@5 0.5\n", "two.txt")
    for paths, message in [
        ([], "no file given; expected"),
        ({}, "no file given; expected"),
        (tmp_path / "missing.txt", "no such evaluation file: "),
        ([one, two], r"two.txt, line 2: a second value of P@5 .*; the first is in line 1 of .*one.txt"),
    ]:
        with pytest.raises(IrdivError, match=message):
            read_values(paths)


def test_many_values_are_as_written(tmp_path):
    values = np.random.default_rng(0).random(1000)
    path = tmp_path / "values.txt"
    path.write_text("".join(f"a {i} P@5 {value!r}\n" for i, value in enumerate(values.tolist())))
    assert read_values(path)["value"].tolist() == values.tolist()


class TestLayouts:
    def read(self, tmp_path, text: str, name: str = "values.txt"):
        (tmp_path / name).write_text(text)
        return read_values(tmp_path / name).values.tolist()

    def test_topics_before_or_after_measures(self, tmp_path):
        expected = [["values.txt", "1", "map", 0.5], ["values.txt", "2", "map", 0.25]]
        for text in ("map 1 0.5\nmap 2 0.25\nmap all 0.375\n", "1 map 0.5\n2 map 0.25\nall map 0.375\n"):
            found = self.read(tmp_path, text)
            assert [row[1:] for row in found] == [row[1:] for row in expected]
            assert {row[0] for row in found} == {"values"}

    def test_names_of_runs(self, tmp_path):
        text = "map 1 0.5\nmap all 0.5\n"
        assert self.read(tmp_path, text, "bm25.eval")[0][0] == "bm25"
        assert self.read(tmp_path, "map 1 0.5\nrunid all ql\nmap 1 0.25\nmap all 0.2\n", "rest.eval") == [
            ["ql", "1", "map", 0.5],
            ["rest", "1", "map", 0.25],
        ]
        with pytest.raises(irdiv.IrdivError, match="only values of all topics together"):
            self.read(tmp_path, "runid all ql\nmap all 0.5\n")

    @pytest.mark.parametrize("mean", ["all", "amean"])
    def test_values_of_all_topics_are_left_out(self, mean, tmp_path):
        assert self.read(tmp_path, f"a 1 P@5 0.5\na {mean} P@5 0.5\n") == [["a", "1", "P@5", 0.5]]
        assert self.read(tmp_path, f"a P@5 1 0.5\na P@5 {mean} 0.5\n") == [["a", "1", "P@5", 0.5]]
        header = f"run,topic,measure,value\na,1,P@5,0.5\na,{mean},P@5,0.5\n"
        assert self.read(tmp_path, header) == [["a", "1", "P@5", 0.5]]

    def test_commas_in_names_of_measures(self, tmp_path):
        text = "a\t1\tnDCG(gain='exp',x=1)@5\t0.5\n"
        assert self.read(tmp_path, text)[0][2] == "nDCG(gain='exp',x=1)@5"
        assert self.read(tmp_path, text.replace("\t", " "))[0][2] == "nDCG(gain='exp',x=1)@5"

    @pytest.mark.parametrize("separator", [",", ";", "\t", " "])
    def test_a_column_for_each_measure(self, separator, tmp_path):
        text = "topic,P@5,run,AP\n1,0.5,a,0.25\n".replace(",", separator)
        assert self.read(tmp_path, text) == [["a", "1", "P@5", 0.5], ["a", "1", "AP", 0.25]]

    def test_types(self, tmp_path):
        (tmp_path / "values").write_text("007 01 5 1\n")
        found = read_values(str(tmp_path / "values"))
        assert found.values.tolist() == [["007", "01", "5", 1.0]]
        assert found["value"].dtype == np.float64
        named = read_values({7: tmp_path / "values"})
        assert named["run"].tolist() == ["7"]
