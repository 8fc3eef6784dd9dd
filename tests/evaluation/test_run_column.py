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
from irdiv.evaluation import in_memory
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


def assert_same(frame, runs, qrels, measures=SPECS, run_column="run", **options):
    """The frame gives what the mapping gives, bit for bit."""
    expected = irdiv.evaluate(qrels, runs, measures, **options)
    found = irdiv.evaluate(qrels, frame, measures, run_column=run_column, **options)
    assert found.runs == expected.runs
    np.testing.assert_array_equal(found.values, expected.values)
    assert found.notes == expected.notes
    return found


@pytest.mark.parametrize("count", [RUNS, 3])
def test_every_measure_has_the_values_of_a_mapping(qrels, count):
    """With more runs than topics, the runs of each topic are scored at once, else the topics of each run."""
    runs = make_runs(count)
    expected = irdiv.evaluate(qrels, runs, EVERYTHING)
    found = irdiv.evaluate(qrels, joined(runs), EVERYTHING, run_column="run")
    for index, measure in enumerate(expected.specs()):
        np.testing.assert_array_equal(found.values[:, index], expected.values[:, index], err_msg=measure)
    assert len(np.unique(expected.values)) > 100


@pytest.mark.parametrize("options", [{}, {"ties": "docid_asc"}, {"ties": "input"}, {"components": True}])
def test_options_are_those_of_a_mapping(qrels, options):
    runs = make_runs()
    measures = SPECS[:5] if "components" in options else SPECS
    assert_same(joined(runs), runs, qrels, measures, **options)


def test_rows_of_runs_may_be_mixed(qrels):
    frame = joined(make_runs()).sample(frac=1, random_state=0)
    runs = {name: frame[frame["run"] == name] for name in dict.fromkeys(frame["run"])}
    found = assert_same(frame, runs, qrels, ties="input")
    assert found.runs != tuple(make_runs())  # the order of first occurrence


@pytest.mark.parametrize("rows", [1, 100])
@pytest.mark.parametrize("shuffled", [False, True])
def test_groups_of_runs_change_no_bit(qrels, monkeypatch, rows, shuffled):
    runs = make_runs()
    frame = joined(runs)
    if shuffled:
        frame = frame.sample(frac=1, random_state=1)
        frame = pd.concat([frame[frame["run"] == name].iloc[:1] for name in runs] + [frame]).drop_duplicates()
        runs = {name: frame[frame["run"] == name] for name in runs}
    monkeypatch.setattr(in_memory, "GROUP_ROWS", rows)
    assert_same(frame, runs, qrels)


@pytest.mark.slow
def test_small_blocks_change_no_bit(qrels, monkeypatch):
    from irdiv.arrays import run_groups

    runs = make_runs()
    monkeypatch.setattr(run_groups, "BLOCK_CELLS", 50)
    assert_same(joined(runs), runs, qrels, EVERYTHING)


def test_every_kind_of_frame(qrels, tmp_path):
    runs = make_runs()
    frame = joined(runs)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    path = tmp_path / "all.parquet"
    pq.write_table(table.append_column("text", pa.array(["…"] * len(table))), path, row_group_size=50)
    row = namedtuple("row", frame.columns)
    connection = duckdb.connect()
    connection.sql("set preserve_insertion_order = true")
    forms = {
        "pandas": (frame, "pandas"),
        "object": (frame.astype(object), "pandas"),
        "category": (frame.astype({"run": "category"}), "pandas"),
        "polars": (pl.from_pandas(frame), "polars"),
        "lazy polars": (pl.from_pandas(frame).lazy(), "polars"),
        "polars categories": (pl.from_pandas(frame).with_columns(pl.col("run").cast(pl.Categorical)), "polars"),
        "Arrow": (table, "pyarrow"),
        "Parquet": (path, "pandas"),
        "dataset": (ds.dataset(path), "pyarrow"),
        "reader": (table.to_reader(max_chunksize=7), "pyarrow"),
        "DuckDB": (connection.sql(f"select * from '{path}' order by file_row_number"), "pyarrow"),
        "namedtuples": ([row(*values) for values in frame.itertuples(index=False)], "pandas"),
    }
    expected = irdiv.evaluate(qrels, runs, SPECS)
    for name, (form, backend) in forms.items():
        found = irdiv.evaluate(irdiv.Collection(qrels), form, SPECS, run_column="run")
        assert found.runs == expected.runs, name
        np.testing.assert_array_equal(found.values, expected.values, err_msg=name)
        assert found.backend == backend, name


def test_a_trec_file_with_several_tags(qrels, tmp_path):
    runs = make_runs()
    frame = joined(runs).assign(q0="Q0", rank=1)
    path = tmp_path / "all.txt"
    frame = frame[frame["query_id"] != "not judged"]
    frame[["query_id", "q0", "doc_id", "rank", "score", "run"]].to_csv(path, sep=" ", header=False, index=False)
    found = irdiv.evaluate(qrels, path, SPECS, run_column="run")
    np.testing.assert_array_equal(found.values, irdiv.evaluate(qrels, runs, SPECS).values)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([1, 10, 9], ("1", "10", "9")),
        ([0.1, 0.5, 1.0], ("0.1", "0.5", "1.0")),
        ([True, False, True], ("True", "False")),
        (["b", "", "a b"], ("b", "", "a b")),
    ],
)
def test_names_of_other_types_become_text(qrels, names, expected):
    runs = [random_run(seed, TOPICS) for seed in range(3)]
    if len(expected) == 2:
        names, runs = names[:2], runs[:2]
    frame = pd.concat([run.assign(system=name) for name, run in zip(names, runs, strict=True)])
    for form in (frame, pl.from_pandas(frame)):
        found = irdiv.evaluate(qrels, form, SPECS, run_column="system")
        assert found.runs == expected
        named = dict(zip(map(str, names), runs, strict=True))
        np.testing.assert_array_equal(found.values, irdiv.evaluate(qrels, named, SPECS).values)


def test_one_run_is_named_too(qrels):
    run = random_run(0, TOPICS)
    found = irdiv.evaluate(qrels, run.assign(tag="mine"), SPECS, run_column="tag")
    assert found.runs == ("mine",)
    np.testing.assert_array_equal(found.values, irdiv.evaluate(qrels, run, SPECS).values)


def test_what_is_kept_of_runs_is_that_of_a_mapping(qrels, monkeypatch):
    from irdiv.evaluation import sources

    monkeypatch.setattr(sources, "KEPT_DEPTH", 4)
    runs = make_runs()
    one, other = (
        irdiv.evaluate(qrels, runs, SPECS[:2]),
        irdiv.evaluate(qrels, joined(runs), SPECS[:2], run_column="run"),
    )
    assert one.sources.cut_at == other.sources.cut_at == 6
    assert one.notes == other.notes
    for name in runs:
        assert str(one.topic("2", runs=name, cutoff=5)) == str(other.topic("2", runs=name, cutoff=5))
    pd.testing.assert_frame_equal(one.missed(run="r3"), other.missed(run="r3"))
    pd.testing.assert_frame_equal(one.per_intent("nDCG@3"), other.per_intent("nDCG@3"))


def same_error(qrels, frame, runs, **options) -> str:
    with pytest.raises(IrdivError) as expected:
        irdiv.evaluate(qrels, runs, SPECS, **options)
    with pytest.raises(IrdivError) as found:
        irdiv.evaluate(qrels, frame, SPECS, run_column="run", **options)
    assert str(found.value) == str(expected.value)
    return str(found.value)


def test_errors_are_those_of_the_first_run_that_has_one(qrels):
    runs = make_runs()
    without_topics = runs | {"r5": runs["r5"].assign(query_id="none")}
    assert same_error(qrels, joined(without_topics), without_topics).startswith("run 'r5': no topic in common")
    twice = {name: pd.concat([run, run[:2]]) if name in ("r7", "r2") else run for name, run in without_topics.items()}
    assert same_error(qrels, joined(twice), twice).startswith("run 'r7': the run repeats documents, 2 in all")
    alone = {"r7": twice["r7"]}
    assert same_error(qrels, joined(alone), alone).startswith("the run repeats documents")
    kept = {name: run for name, run in twice.items() if name != "r5"}
    assert_same(joined(kept), kept, qrels, duplicates="first")


def test_warnings_are_those_of_a_mapping(qrels):
    runs = {name: run.assign(rank=run.groupby("query_id")["score"].rank()) for name, run in make_runs().items()}
    runs["r4"] = runs["r4"].assign(doc_id="x" + runs["r4"]["doc_id"])
    ranks = {name: run["score"].rank(ascending=False) for name, run in runs.items() if name != "r6"}
    runs |= {name: runs[name].assign(rank=rank) for name, rank in ranks.items()}
    messages = []
    for data, options in ((runs, {}), (joined(runs), {"run_column": "run"})):
        with pytest.warns(IrdivWarning) as caught:
            irdiv.evaluate(qrels, data, SPECS, **options)
        messages.append([str(warning.message) for warning in caught])
    assert messages[0] == messages[1]
    assert [message.split(" ")[1:3] for message in messages[0]] == [
        ["'r6'", "has"],
        ["'r4'", "has"],
        ["'r11'", "lacks"],
    ]


@pytest.mark.parametrize("form", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas])
def test_rows_without_a_name_are_an_error(qrels, form):
    frame = joined(make_runs())
    frame.loc[3, "run"] = None
    with pytest.raises(IrdivError, match="column 'run' of the runs has a missing id: it is null in row 3"):
        irdiv.evaluate(qrels, form(frame), SPECS, run_column="run")


@pytest.mark.parametrize(
    ("change", "run_column", "message"),
    [
        ({}, "system", "the runs lack a column 'system'.* found 'query_id', 'doc_id', 'score', 'run'"),
        ({}, 3, "run_column=3 is not the name of a column"),
        ({}, "doc_id", "run_column='doc_id' is the column of topics, documents, scores or ranks; .* one of 'run'"),
        ({"rank": 1}, "rank", "run_column='rank' is the column of topics"),
        ({"run": [1, "1"] * 30}, "run", "names of several types, 'int', 'str'; make them strings"),
        ({"query_id": [1.0, 2.5] * 30}, "run", "numbers with fractions as ids, such as 2.5"),
        ({"score": [1.0, np.nan] * 30}, "run", "must hold finite numbers, found nan in row 1"),
    ],
)
def test_columns_that_cannot_be_used(qrels, change, run_column, message):
    frame = joined({"a": random_run(0, TOPICS), "b": random_run(1, TOPICS)}).iloc[:60]
    with pytest.raises(IrdivError, match=message):
        irdiv.evaluate(qrels, frame.assign(**change), SPECS, run_column=run_column)


def test_what_else_is_refused(qrels, tmp_path):
    runs = make_runs()
    lists = pl.from_pandas(joined(runs)).with_columns(pl.col("run").str.split("r"))
    with pytest.raises(IrdivError, match="column 'run' of the runs must hold strings or numbers, found the type List"):
        irdiv.evaluate(qrels, lists, SPECS, run_column="run")
    for mapping in (runs, {"1": {"d00": 1.0}}, {"1": ["d00"]}):
        with pytest.raises(IrdivError, match="run_column='run' is for one frame .* the runs are a mapping"):
            irdiv.evaluate(qrels, mapping, SPECS, run_column="run")
    with pytest.raises(IrdivError, match="is a folder of runs, which are named after their files"):
        irdiv.evaluate(qrels, tmp_path, SPECS, run_column="run")
    with pytest.raises(IrdivError, match="run_column and batch_rows cannot be combined"):
        irdiv.evaluate(qrels, joined(runs), SPECS, run_column="run", batch_rows=10)
    with pytest.raises(IrdivError, match="the runs are empty"):
        irdiv.evaluate(qrels, joined(runs).iloc[:0], SPECS, run_column="run")
    pq.write_table(pa.Table.from_pandas(joined(runs).iloc[:0]), tmp_path / "empty.parquet")
    with pytest.raises(IrdivError, match="the runs are empty"):
        irdiv.evaluate(qrels, tmp_path / "empty.parquet", SPECS, run_column="run")
    with pytest.raises(IrdivError, match="the arguments are swapped"):
        irdiv.evaluate(joined(runs), qrels, SPECS, run_column="run")


def test_several_runs_that_are_scored_as_one_are_pointed_out(qrels):
    """A frame of many runs whose documents are all different would pass for one run."""
    frame = random_run(0, TOPICS)
    frame = frame.assign(run=np.where(np.arange(len(frame)) % 2, "a", "b"))
    for form in (frame, pl.from_pandas(frame), frame.astype({"run": "category"})):
        with pytest.warns(IrdivWarning, match="several names, such as 'b', 'a'.* run_column='run'"):
            irdiv.evaluate(qrels, form, SPECS)
    for names in ("a", None, [[1]] * len(frame), np.arange(len(frame)) / 2):
        irdiv.evaluate(qrels, frame.assign(run=names), SPECS)


@pytest.mark.parametrize("order", [["query_id"], ["doc_id"]])
@pytest.mark.parametrize("batch_rows", [None, 7])
def test_several_runs_in_a_stream_that_are_scored_as_one_are_pointed_out(qrels, tmp_path, order, batch_rows):
    frame = random_run(0, TOPICS).sort_values(order, kind="stable", ignore_index=True)
    # The second name is only in the last row group.
    named = frame.assign(run=np.where(np.arange(len(frame)) < len(frame) - 1, "a", "b"))

    def streams(name, run):
        table = pa.Table.from_pandas(run, preserve_index=False)
        pq.write_table(table, tmp_path / name, row_group_size=9)
        return tmp_path / name, duckdb.from_arrow(table), table.to_reader()

    judged = tmp_path / "qrels.parquet"
    pq.write_table(pa.Table.from_pandas(qrels.sort_values("query_id"), preserve_index=False), judged)
    alone = irdiv.evaluate(qrels, frame, SPECS).values
    for form in streams("named.parquet", named):
        with pytest.warns(IrdivWarning, match="several names, such as 'a', 'b'.* run_column='run'") as warned:
            values = irdiv.evaluate(judged, form, SPECS, batch_rows=batch_rows).values
        assert len(warned) == 1
        np.testing.assert_array_equal(values, alone)
    for names in ("a", None, 0.5):
        for form in streams("one.parquet", frame.assign(run=names)):
            irdiv.evaluate(judged, form, SPECS, batch_rows=batch_rows)
