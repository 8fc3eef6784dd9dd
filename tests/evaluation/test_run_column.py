"""One frame with many runs: the values, notes, warnings and errors of a mapping from name to run."""

from __future__ import annotations

from collections import namedtuple

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import irdiv
from helpers import random_collection, random_run
from irdiv import IrdivError, IrdivWarning
from irdiv.evaluation import evaluate as evaluate_module
from irdiv.measures.catalogue import registry

TOPICS, RUNS = 5, 12
SPECS = ["D#-nDCG@3", "alpha-nDCG@5", "ERR-IA", "nDCG@3", "Judged@3", "D-nDCG(judged_only=True)@4", "Bpref"]
EVERYTHING = [
    *registry,
    *(irdiv.parse(name) @ 4 for name, declaration in registry.items() if declaration.takes_cutoff),
]


def make_runs(count: int = RUNS) -> dict[str, pd.DataFrame]:
    """Return runs of different lengths, the last topics missing from some, with equal scores."""
    runs = {f"r{count - seed}": random_run(seed, TOPICS - seed % 3) for seed in range(count)}
    runs[f"r{count}"].loc[len(runs[f"r{count}"])] = ("not judged", "d00", 1.0)
    return runs


def joined(runs: dict[str, pd.DataFrame]) -> pd.DataFrame:
    return pd.concat([run.assign(run=name) for name, run in runs.items()], ignore_index=True)


@pytest.fixture(scope="module")
def qrels() -> pd.DataFrame:
    return random_collection(0, TOPICS)


def assert_same(frame, runs, qrels, measures=SPECS, run_column="run", **options) -> irdiv.Evaluation:
    """The frame gives what the mapping gives, bit for bit."""
    expected = irdiv.evaluate(qrels, runs, measures, **options)
    found = irdiv.evaluate(qrels, frame, measures, run_column=run_column, **options)
    assert found.runs == expected.runs
    for index, measure in enumerate(expected.specs()):
        np.testing.assert_array_equal(found.values[:, index], expected.values[:, index], err_msg=measure)
    assert found.notes == expected.notes
    return found


@pytest.mark.parametrize("count", [RUNS, 3])
def test_every_measure_has_the_values_of_a_mapping(qrels, count):
    """With more runs than topics, the runs of each topic are scored at once, else the topics of each run."""
    runs = make_runs(count)
    found = assert_same(joined(runs), runs, qrels, EVERYTHING)
    assert len(np.unique(found.values)) > 100


@pytest.mark.parametrize("options", [{}, {"ties": "docid_asc"}, {"ties": "input"}, {"components": True}])
@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("rows_at_once", [1, 100, 10**6])
def test_options_and_the_order_of_rows(qrels, monkeypatch, options, shuffled, rows_at_once):
    monkeypatch.setattr(evaluate_module, "GROUP_ROWS", rows_at_once)
    frame = joined(make_runs())
    if shuffled:
        frame = frame.sample(frac=1, random_state=0)
    # in the order of first occurrence
    runs = {name: frame[frame["run"] == name] for name in dict.fromkeys(frame["run"])}
    assert (tuple(runs) != tuple(make_runs())) == shuffled
    measures = SPECS[:5] if "components" in options else SPECS
    assert_same(frame, runs, qrels, measures, **options)


def test_every_kind_of_frame(qrels, tmp_path):
    runs = make_runs()
    frame = joined(runs)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    path, trec = tmp_path / "all.parquet", tmp_path / "all.txt"
    pq.write_table(table.append_column("text", pa.array(["…"] * len(table))), path, row_group_size=50)
    lines = frame[frame["query_id"] != "not judged"].assign(q0="Q0", rank=1)
    lines[["query_id", "q0", "doc_id", "rank", "score", "run"]].to_csv(trec, sep=" ", header=False, index=False)
    row = namedtuple("row", frame.columns)
    connection = duckdb.connect()
    connection.sql("set preserve_insertion_order = true")
    forms = {
        "object": (frame.astype(object), "pandas"),
        "category": (frame.astype({"run": "category"}), "pandas"),
        "polars": (pl.from_pandas(frame), "polars"),
        "lazy polars": (pl.from_pandas(frame).lazy(), "polars"),
        "polars categories": (pl.from_pandas(frame).with_columns(pl.col("run").cast(pl.Categorical)), "polars"),
        "Arrow": (table, "pyarrow"),
        "Parquet": (path, "pandas"),
        "tags of a TREC file": (trec, "pandas"),
        "dataset": (ds.dataset(path), "pyarrow"),
        "reader": (table.to_reader(max_chunksize=7), "pyarrow"),
        "DuckDB": (connection.sql(f"select * from '{path}' order by file_row_number"), "pyarrow"),
        "namedtuples": ([row(*values) for values in frame.itertuples(index=False)], "pandas"),
    }
    expected = irdiv.evaluate(qrels, runs, SPECS)
    for name, (form, backend) in forms.items():
        found = irdiv.evaluate(irdiv.Collection(qrels), form, SPECS, run_column="run")
        assert (name, found.runs, found.backend) == (name, expected.runs, backend)
        np.testing.assert_array_equal(found.values, expected.values, err_msg=name)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([1, 10, 9], ("1", "10", "9")),
        ([0.1, 0.5, 1.0], ("0.1", "0.5", "1.0")),
        ([True, False], ("True", "False")),
        (["b", "", "a b"], ("b", "", "a b")),
        (["mine"], ("mine",)),
    ],
)
def test_names_become_text(qrels, names, expected):
    runs = {str(name): random_run(seed, TOPICS) for seed, name in enumerate(names)}
    frame = pd.concat([run.assign(system=name) for name, run in zip(names, runs.values(), strict=True)])
    for form in (frame, pl.from_pandas(frame)):
        found = irdiv.evaluate(qrels, form, SPECS, run_column="system")
        assert found.runs == expected
        np.testing.assert_array_equal(found.values, irdiv.evaluate(qrels, runs, SPECS).values)


def test_the_documents_that_are_kept_are_those_of_a_mapping(qrels):
    long = {"1": [f"d{number:02}" for number in range(200)]}
    lists = {"long": long, "short": {"1": ["d03", "d01"], "2": ["d00"]}, "other": {"1": long["1"][::-1]}}
    rows = [
        (name, topic, doc, -rank) for name, run in lists.items() for topic in run for rank, doc in enumerate(run[topic])
    ]
    frame = pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "score"])
    runs = {name: run.drop(columns="run") for name, run in frame.groupby("run", sort=False)}
    with pytest.warns(IrdivWarning, match="lacks"):
        one = irdiv.evaluate(qrels, runs, SPECS[:2])
    with pytest.warns(IrdivWarning, match="lacks"):
        other = irdiv.evaluate(qrels, frame, SPECS[:2], run_column="run")
    assert one.notes == other.notes
    for name in runs:
        assert str(one.topic("1", runs=name, cutoff=100)) == str(other.topic("1", runs=name, cutoff=100))
    for evaluation in (one, other):
        with pytest.raises(IrdivError, match="needs the first 101 documents of a topic, but the evaluation kept 100"):
            evaluation.topic("1", cutoff=101)
    pd.testing.assert_frame_equal(one.missed(run="short"), other.missed(run="short"))
    pd.testing.assert_frame_equal(one.per_intent("nDCG@3"), other.per_intent("nDCG@3"))


def test_errors_are_those_of_the_first_run_that_has_one(qrels):
    runs = make_runs()
    no_topics = runs | {"r5": runs["r5"].assign(query_id="none")}
    twice = {name: pd.concat([run, run[:2]]) if name in ("r7", "r2") else run for name, run in no_topics.items()}
    last = {name: pd.concat([run, run[-1:]]) if name == "r1" else run for name, run in runs.items()}
    one_topic = {name: run[run["query_id"] == "1"] for name, run in last.items()}
    one_topic["r3"] = pd.concat([one_topic["r3"], one_topic["r3"][:1]])
    cases = [
        (qrels, no_topics, "run 'r5': no topic in common"),
        (qrels, twice, "run 'r7': the run repeats documents, 2 in all"),
        (qrels, {"r7": twice["r7"]}, "the run repeats documents"),
        (qrels, {"r5": no_topics["r5"]}, "no topic in common"),
        (qrels, last, "run 'r1': the run repeats documents, 1 in all"),
        (qrels[qrels["query_id"] == "1"], one_topic, "run 'r3': the run repeats documents, 1 in all"),
    ]
    for judged, given, start in cases:
        with pytest.raises(IrdivError, match=f"^{start}") as expected:
            irdiv.evaluate(judged, given, SPECS)
        with pytest.raises(IrdivError) as found:
            irdiv.evaluate(judged, joined(given), SPECS, run_column="run")
        assert str(found.value) == str(expected.value)
    kept = {name: run for name, run in twice.items() if name != "r5"}
    assert_same(joined(kept), kept, qrels, duplicates="first")


def test_warnings_are_those_of_a_mapping(qrels):
    runs = {name: run.assign(rank=run["score"].rank(ascending=name == "r6")) for name, run in make_runs().items()}
    runs["r4"] = runs["r4"].assign(doc_id="x" + runs["r4"]["doc_id"])
    messages = []
    for data, options in ((runs, {}), (joined(runs), {"run_column": "run"})):
        with pytest.warns(IrdivWarning) as caught:
            irdiv.evaluate(qrels, data, SPECS, **options)
        messages.append([str(warning.message) for warning in caught])
    assert messages[0] == messages[1]
    assert [" ".join(message.split(" ")[1:3]) for message in messages[0]] == ["'r6' has", "'r4' has", "'r11' lacks"]


def with_missing_name(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(run=frame["run"].where(frame.index != 3, None))


@pytest.mark.parametrize(
    ("change", "run_column", "message"),
    [
        (lambda frame: frame, "system", "lack a column 'system'.* found 'query_id', 'doc_id', 'score', 'run'"),
        (lambda frame: frame, 3, "run_column=3 is not the name of a column"),
        (lambda frame: frame, "doc_id", "run_column='doc_id' is the column of topics, .* one of 'run'"),
        (lambda frame: frame.assign(rank=1), "rank", "run_column='rank' is the column of topics"),
        (lambda frame: frame.assign(run=[1, "1"] * 30), "run", "names of several types, 'int', 'str'"),
        (lambda frame: frame.assign(query_id=[1.0, 2.5] * 30), "run", r"fractions as ids, such as 2\.5"),
        (lambda frame: frame.assign(score=[1.0, np.nan] * 30), "run", "finite numbers, found nan in row 1"),
        (with_missing_name, "run", "missing id: it is null in row 3"),
        (lambda frame: pl.from_pandas(with_missing_name(frame)), "run", "missing id: it is null in row 3"),
        (lambda frame: pa.Table.from_pandas(with_missing_name(frame)), "run", "missing id: it is null in row 3"),
        (lambda frame: pl.from_pandas(frame).with_columns(pl.col("run").str.split("r")), "run", "found the type List"),
        (lambda frame: {"a": frame}, "run", "is for one frame .* the runs are a mapping"),
        (lambda frame: {"1": {"d00": 1.0}}, "run", "is for one frame .* the runs are a mapping"),
        (lambda frame: {"1": ["d00"]}, "run", "is for one frame .* the runs are a mapping"),
        (lambda frame: frame[:0], "run", "the runs are empty"),
        (lambda frame: pa.Table.from_pandas(frame[:0]).to_reader(), "run", "the runs are empty"),
    ],
)
def test_what_is_refused(qrels, change, run_column, message):
    frame = joined({"a": random_run(0, TOPICS), "b": random_run(1, TOPICS)}).iloc[:60]
    with pytest.raises(IrdivError, match=message):
        irdiv.evaluate(qrels, change(frame), SPECS, run_column=run_column)


def test_what_else_is_refused(qrels, tmp_path):
    frame = joined(make_runs())
    with pytest.raises(IrdivError, match="is a folder of runs, which are named after their files"):
        irdiv.evaluate(qrels, tmp_path, SPECS, run_column="run")
    with pytest.raises(IrdivError, match="run_column and batch_rows cannot be combined"):
        irdiv.evaluate(qrels, frame, SPECS, run_column="run", batch_rows=10)
    with pytest.raises(IrdivError, match="the arguments are swapped"):
        irdiv.evaluate(frame, qrels, SPECS, run_column="run")


@pytest.mark.parametrize("order", ["query_id", "doc_id"])
@pytest.mark.parametrize("batch_rows", [None, 7])
def test_several_runs_that_are_scored_as_one_are_pointed_out(qrels, tmp_path, order, batch_rows):
    """A frame of many runs whose documents are all different would pass for one run."""
    frame = random_run(0, TOPICS).sort_values(order, kind="stable", ignore_index=True)
    judged = tmp_path / "qrels.parquet"
    pq.write_table(pa.Table.from_pandas(qrels.sort_values("query_id"), preserve_index=False), judged)
    alone = irdiv.evaluate(qrels, frame, SPECS).values

    def forms(run):
        table = pa.Table.from_pandas(run, preserve_index=False)
        pq.write_table(table, tmp_path / "run.parquet", row_group_size=9)
        in_memory = [run, pl.from_pandas(run), run.astype({"run": "category"})]
        return [*in_memory, tmp_path / "run.parquet", duckdb.from_arrow(table), table.to_reader()]

    # The second name is only in the last row group.
    for form in forms(frame.assign(run=np.where(np.arange(len(frame)) < len(frame) - 1, "a", "b"))):
        with pytest.warns(IrdivWarning, match="several names, such as 'a', 'b'.* run_column='run'") as warned:
            values = irdiv.evaluate(judged, form, SPECS, batch_rows=batch_rows).values
        assert len(warned) == 1
        np.testing.assert_array_equal(values, alone, err_msg=str(type(form)))
    for names in ("a", None, 0.5):
        for form in forms(frame.assign(run=names)):
            irdiv.evaluate(judged, form, SPECS, batch_rows=batch_rows)
    for names in ([[1]] * len(frame), np.arange(len(frame)) / 2):
        irdiv.evaluate(qrels, frame.assign(run=names), SPECS)
