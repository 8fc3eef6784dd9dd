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
VALUES_OF_TREC_EVAL = ["bm25 301 num_ret 10", "bm25 301 map 0.5", "bm25 302 map 0.25", "bm25 302 num_ret 10"]


@pytest.fixture
def write(tmp_path):
    def write(text: str, name: str = "values.txt"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def rows(frame: pd.DataFrame) -> list[str]:
    assert frame.columns.tolist() == ["run", "query_id", "measure", "value"]
    assert frame["value"].dtype == np.float64
    return [f"{run} {topic} {measure} {value:g}" for run, topic, measure, value in frame.itertuples(index=False)]


EXPECTED = ["a 1 P@5 0.5", "a 02 P@5 0.25", "b 1 P@5 1", "b 02 P@5 0"]


@pytest.mark.parametrize("separator", [" ", "\t", ",", ";", "   "])
@pytest.mark.parametrize(
    "header", ["run query_id measure value", "name qid measure value", "runid topic measure value", None]
)
def test_a_row_for_each_value(write, separator, header):
    lines = [*([header] if header else []), *EXPECTED[:2], "", *EXPECTED[2:], "b all P@5 0.5", "a amean P@5 0.375"]
    assert rows(read_values(write("\n".join(line.replace(" ", separator) for line in lines)))) == EXPECTED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("value,note,topic,run,measure\n0.5,x,1,a,P@5\n0.25,,02,a,P@5\n1,,1,b,P@5\n0,y,02,b,P@5\n", EXPECTED),
        ("a P@5 1 0.5\na P@5 02 0.25\na P@5 all 0.375\nb P@5 1 1\nb P@5 02 0\n", EXPECTED),
        ("a P@5 1 0.5\na P@5 amean 0.375\n", EXPECTED[:1]),
        ("topic,P@5,run,AP\n1,0.5,a,0.25\n", ["a 1 P@5 0.5", "a 1 AP 0.25"]),
        ("a\t1\tnDCG(gain='exp',x=1)@5\t0.5\n", ["a 1 nDCG(gain='exp',x=1)@5 0.5"]),
        ("a 1 nDCG(gain='exp',x=1)@5 0.5\n", ["a 1 nDCG(gain='exp',x=1)@5 0.5"]),
        ("007 01 5 1\n", ["007 01 5 1"]),
        (TREC_EVAL, VALUES_OF_TREC_EVAL),
        # several outputs in one file, the last without the name of the run
        (TREC_EVAL + "map\t301\t0.75\nmap\tall\t0.75\n", [*VALUES_OF_TREC_EVAL, "values 301 map 0.75"]),
        ("1 map 0.5\n2 map 0.25\nall map 0.375\n", ["values 1 map 0.5", "values 2 map 0.25"]),
        (NDEVAL, ["uni 51 ERR-IA@5 0.1", "uni 51 nERR-IA@5 0.2", "uni 52 ERR-IA@5 0.3", "uni 52 nERR-IA@5 0.4"]),
    ],
)
def test_layouts(write, text, expected):
    assert rows(read_values(write(text))) == expected


def test_runs_without_a_name_are_named_after_their_file(write):
    assert rows(read_values(write("map 1 0.5\nmap all 0.5\n", "dense.v2.eval"))) == ["dense.v2 1 map 0.5"]


@pytest.mark.parametrize("write_csv", [lambda e, path: e.frame.to_csv(path), lambda e, path: e.pivot().to_csv(path)])
def test_evaluations_written_as_csv(tmp_path, write_csv):
    evaluation = irdiv.evaluate(
        random_collection(0), {"a": random_run(0), "b": random_run(1)}, ["alpha-nDCG(alpha=0.3,weighted=True)@5", "P@5"]
    )
    write_csv(evaluation, tmp_path / "values.csv")
    found = irdiv.stats.compare(tmp_path / "values.csv", n_resamples=50).sort_values("measure", ignore_index=True)
    expected = irdiv.stats.compare(evaluation, n_resamples=50).sort_values("measure", ignore_index=True)
    pd.testing.assert_frame_equal(found, expected)


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info >= (3, 14), reason="ir_measures alone parses no cutoff on Python 3.14")
def test_ir_measures(write):
    qrels = write("1 0 d1 1\n2 0 d2 1\n", "qrels.txt")
    run = write("1 Q0 d1 1 2 x\n1 Q0 d3 2 1 x\n2 Q0 d3 1 2 x\n2 Q0 d2 2 1 x\n", "bm25.run")
    command = [sys.executable, "-m", "ir_measures", str(qrels), str(run), "nDCG@10 P@2", "-q"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    expected = ["bm25 1 P@2 0.5", "bm25 1 nDCG@10 1", "bm25 2 P@2 0.5", "bm25 2 nDCG@10 0.6309"]
    assert sorted(rows(read_values(write(printed, "bm25.eval")))) == expected


def test_several_files(write, tmp_path):
    compressed = tmp_path / "b.txt.gz"
    compressed.write_bytes(gzip.compress(b"b 1 P@5 1\nb 02 P@5 0\n"))
    assert rows(read_values([write("a 1 P@5 0.5\na 02 P@5 0.25\n"), compressed])) == EXPECTED


def test_runs_named_by_a_mapping(write):
    paths = {7: write(NDEVAL, "ql.csv"), "rm": write(NDEVAL, "rm.csv")}
    with pytest.raises(IrdivError, match=r"rm.csv, line 2: a second value .*line 2 of .*ql.csv.*give a mapping"):
        read_values(paths.values())
    expected = rows(read_values(paths["rm"]))
    assert rows(read_values(paths)) == [row.replace("uni", name) for name in ("7", "rm") for row in expected]
    with pytest.raises(IrdivError, match="values.txt: expected one run, .*'x'; found 'a', 'b'"):
        read_values({"x": write("a 1 P@5 0.5\nb 1 P@5 0.5\n")})


def test_statistics_take_files(tmp_path):
    # to the last digit, in any order
    evaluation, gold = (
        random_evaluation(runs=5, measures=["nDCG@10"]),
        random_evaluation(1, runs=5, measures=["nDCG@10"]),
    )
    path = tmp_path / "values.txt"
    evaluation.frame.sample(frac=1, random_state=0).to_csv(path, sep=" ", header=False, index=False)
    for analyze in (
        irdiv.stats.compare,
        irdiv.stats.pilot_variance,
        lambda data: irdiv.stats.compare_leaderboards(data, gold, n_resamples=20),
    ):
        pd.testing.assert_frame_equal(analyze(path), analyze(evaluation), check_exact=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": .*empty; expected"),
        ("\n \n", ": .*empty; expected"),
        ("run topic measure value\n", ": .*no rows below its header"),
        ("\na 1 P@5 good\n", ", line 2: found 'a 1 P@5 good'; expected"),
        ("a 1 P@5\n", ", line 1: found 'a 1 P@5'; expected"),
        ("a 1 P@5 0.5\na\n", ", line 2: found 1 column; expected 4"),
        ("a 1 P@5 0.5\n\na 2 P@5 x\n", ", line 3: .*P@5 .*'a' .*'2' is 'x', not a finite number"),
        ("a 1 P@5 0.5\na 2 P@5 nan\n", ", line 2: .*P@5 .*'a' .*'2' is 'nan', not a finite number"),
        ("a 1 P@5 0.5\na 1 P@5 0.5\n", ", line 2: a second value of P@5 .*'a' .*'1'; the first is in line 1"),
        ("a\t1\t\t0.5\n", ", line 1: the measure is empty"),
        ("map 1 0.5\nmap 2 0.5\n", ": with three columns, .*'all'"),
        ("a all P@5 0.5\n", ": .*only values of all topics"),
        ("runid all ql\nmap all 0.5\n", ": .*only values of all topics"),
        ("run,topic,measure\na,1,P@5\n", ": .*lacks a column: expected 'value', found 'run', 'topic'"),
        ("run,topic\na,1\n", ": the header run, topic names no measure"),
        ("run,name,topic,measure,value\na,a,1,P@5,1\n", ": .*two columns for one thing: 'run', 'name'"),
        ('run,topic,measure,value\na,1,"P@5,1\n', ", line 2: not an evaluation file"),
    ],
)
def test_bad_files(write, text, message):
    with pytest.raises(IrdivError, match="values.txt" + message):
        read_values(write(text))


@pytest.mark.parametrize(
    ("paths", "message"), [([], "no file given"), ({}, "no file given"), ("gone", "no such .*gone")]
)
def test_bad_paths(paths, message):
    with pytest.raises(IrdivError, match=message):
        read_values(paths)
