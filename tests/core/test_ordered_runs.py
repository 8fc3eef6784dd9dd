"""Runs in order: by score, by rule for ties, one alone or many at once, and what may be a mistake in them."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from helpers import random_collection, random_run
from irdiv import IrdivError, IrdivWarning
from irdiv.arrays import run_groups
from irdiv.arrays.collection import Collection
from irdiv.arrays.compiled_arrays import _narrowed
from irdiv.arrays.document_groups import DocumentGroups
from irdiv.arrays.ranking import RankedBlock, order_run
from irdiv.arrays.run_checks import (
    RankContradiction,
    RunFindings,
    check_run,
    order_checked_run,
    order_checked_runs,
    warn_about_runs,
)
from irdiv.arrays.run_groups import check_runs, order_runs
from irdiv.frames.ids import string_array
from irdiv.frames.run_column import RunsFrame

QRELS = {"1": {"a": 1, "c": 2, "u": 0}, "2": {"c": 1}}
COLUMNS = ["query_id", "doc_id", "score"]
RUN = pd.DataFrame(
    [("2", "c", 1.0), ("1", "b", 1.0), ("1", "a", 1.0), ("1", "c", 2.0), ("9", "x", 5.0), ("1", "ab", 1.0)],
    columns=COLUMNS,
)


@pytest.fixture(scope="module")
def collection() -> Collection:
    return Collection(QRELS)


def error_of(function, *arguments, **options) -> str:
    with pytest.raises(IrdivError) as caught:
        function(*arguments, **options)
    return str(caught.value)


def docs_of(run) -> list[str]:
    return run.columns.doc.take(run.row).to_pylist()


class TestOneRun:
    @pytest.mark.parametrize(
        ("ties", "docs"),
        [
            ("docid_desc", ["c", "b", "ab", "a", "c"]),
            ("docid_asc", ["c", "a", "ab", "b", "c"]),
            ("input", ["c", "b", "a", "ab", "c"]),
        ],
    )
    @pytest.mark.parametrize("is_sorted", [False, True])
    def test_ties(self, collection, ties, docs, is_sorted):
        given = RUN.sort_values(["query_id", "score"], ascending=[True, False], kind="stable") if is_sorted else RUN
        run = order_run(collection, given, ties=ties)
        assert docs_of(run) == docs
        assert run.topic.tolist() == [0, 0, 0, 0, 1]
        assert run.ranks().tolist() == [1, 2, 3, 4, 1]

    @pytest.mark.parametrize(
        ("rows", "docs"),
        [
            ([("1", "a", 3.0), ("2", "c", 2.0), ("1", "b", 1.0)], ["a", "b", "c"]),
            ([("1", "a", 3.0), ("1", "b", 1.0), ("1", "c", 2.0)], ["a", "c", "b"]),
            ([("2", "a", 3.0), ("1", "b", 3.0), ("1", "c", 3.0)], ["c", "b", "a"]),
        ],
    )
    def test_rows_out_of_order(self, collection, rows, docs):
        assert docs_of(order_run(collection, pd.DataFrame(rows, columns=COLUMNS))) == docs

    def test_the_default_is_that_of_trec_eval(self, collection):
        assert docs_of(order_run(collection, RUN)) == ["c", "b", "ab", "a", "c"]

    def test_ranks_in_place_of_scores(self, collection):
        ranked = RUN.assign(rank=[1, 3, 1, 2, 1, 4])
        assert docs_of(order_run(collection, ranked, ties="rank")) == ["a", "c", "b", "ab", "c"]
        tied = RUN.assign(rank=1)
        assert docs_of(order_run(collection, tied, ties="rank")) == ["c", "b", "ab", "a", "c"]

    def test_the_first_documents(self, collection):
        run = order_run(collection, RUN)
        assert docs_of(run.first(2)) == ["c", "b", "c"]
        assert run.first(2).topic.tolist() == [0, 0, 1]
        assert run.first(2).hashes.tolist() == run.hashes[[0, 1, 4]].tolist()
        assert run.first(4) is run
        assert docs_of(run.first(3)) == ["c", "b", "ab", "c"]

    def test_judged_documents(self, collection):
        run = order_run(collection, RUN)
        assert run.judged_counts(0, 2, None).tolist() == [2, 1]
        assert run.judged_counts(0, 2, 3).tolist() == [1, 1]
        assert run.judged_counts(0, 2, 4).tolist() == [2, 1]
        assert run.judged_counts(1, 2, None).tolist() == [1]
        assert run.judged_counts(0, 1, None).tolist() == [2]
        assert order_run(collection, {"1": ["a"], "2": ["x"]}).judged_counts(0, 2, None).tolist() == [1, 0]

    @pytest.mark.parametrize(
        ("options", "rank", "row", "start", "length"),
        [
            ({}, [1, 4, 1], [1, 0, 2], [0, 2, 3], [4, 1]),
            ({"depth": 4}, [1, 4, 1], [1, 0, 2], [0, 2, 3], [4, 1]),
            ({"depth": 3}, [1, 1], [1, 2], [0, 1, 2], [4, 1]),
            ({"judged_only": True}, [1, 2, 1], [1, 0, 2], [0, 2, 3], [2, 1]),
            ({"judged_only": True, "depth": 1}, [1, 1], [1, 2], [0, 1, 2], [2, 1]),
        ],
    )
    def test_relevant_documents(self, collection, options, rank, row, start, length):
        run = order_run(collection, RUN)
        hits = run.hits(**options)
        assert hits.rank.tolist() == rank
        assert hits.row.tolist() == row
        assert hits.start.tolist() == start
        assert hits.length.tolist() == length
        assert hits.run is run

    def test_blocks(self, collection):
        (block,) = collection.blocks
        hits = order_run(collection, RUN).hits()
        ranked = RankedBlock.from_hits(block, hits)
        assert ranked.rank.tolist() == [[1, 4], [1, 5]]
        assert ranked.max_rank == 4
        assert ranked.rows.tolist() == [[1, 0], [2, 3]]
        assert ranked.length.tolist() == [4, 1]
        assert ranked.grades.tolist() == [[[2, 1]], [[1, 0]]]
        assert ranked.relevant(2).tolist() == [[[True, False]], [[False, False]]]
        assert ranked.run is hits.run
        again = ranked.with_intents_of(block)
        assert again is ranked.with_intents_of(block)
        assert (again.max_rank, again.run, again.rank is ranked.rank) == (4, hits.run, True)
        second = RankedBlock.from_hits(collection.topic_blocks[1], hits)
        assert (second.rank.tolist(), second.rows.tolist(), second.max_rank) == ([[1]], [[0]], 1)
        assert second.length.tolist() == [1]

    def test_no_hits(self, collection):
        (block,) = collection.blocks
        ranked = RankedBlock.from_hits(block, order_run(collection, {"1": ["x"]}).hits())
        assert (ranked.max_rank, ranked.rank.tolist(), ranked.rows.tolist()) == (0, [[1], [1]], [[3], [3]])

    def test_repeated_documents(self, collection):
        twice = pd.concat([RUN, RUN.iloc[[3, 0]].assign(score=[0.5, 0.25]), RUN.iloc[[4, 4]]])
        assert error_of(order_run, collection, twice) == (
            "the run repeats documents, 2 in all (topic and document): '1 c', '2 c'. Remove them, or keep the "
            "best-ranked of each with duplicates='first' (on the command line, --duplicates first)."
        )
        assert docs_of(order_run(collection, twice, duplicates="first")) == ["c", "b", "ab", "a", "c"]
        four = pd.DataFrame([("1", doc, 1.0) for doc in "dcbadcba"], columns=COLUMNS)
        assert "4 in all (topic and document): '1 d', '1 c', '1 b', …. Remove" in error_of(
            order_run, collection, four, ties="input"
        )

    def test_other_topics(self, collection):
        other = RUN.assign(query_id="T" + RUN["query_id"])
        assert error_of(order_run, collection, other) == (
            "no topic in common: the qrels have '1', '2' and the run has 'T2', 'T1', 'T9'. Check that both use the "
            "same topic ids. Some are the same but for letters at the start."
        )
        assert len(order_run(collection, other, is_part=True).topic) == 0

    def test_no_rows(self, collection):
        with pytest.raises(IrdivError, match="the run is empty"):
            order_run(collection, RUN.iloc[:0])
        for options in ({"may_be_empty": True}, {"is_part": True}):
            assert len(order_run(collection, RUN.iloc[:0], **options).topic) == 0

    def test_unknown_rules(self, collection):
        assert error_of(order_run, collection, RUN, ties="x") == (
            "ties='x' is not one of 'docid_desc', 'docid_asc', 'input', 'rank'."
        )
        assert error_of(order_run, collection, RUN, duplicates="x") == "duplicates='x' is not one of 'error', 'first'."


RUNS = {name: random_run(seed, topics=5, length=seed) for name, seed in (("x", 7), ("y", 2), ("z", 20))}


@pytest.fixture(scope="module")
def judged() -> Collection:
    return Collection(random_collection(2))


@pytest.fixture(scope="module")
def many(judged):
    frame = pd.concat([run.assign(name=name) for name, run in RUNS.items()])
    (group,) = RunsFrame(frame, "name", "docid_desc").groups(10**6)
    return order_runs(judged, group, "docid_desc", "error", is_one=False)


@pytest.fixture(scope="module")
def alone(judged):
    return [order_run(judged, run) for run in RUNS.values()]


class TestManyRuns:
    def test_each_run_is_as_alone(self, many, alone):
        assert len(many) == 3
        for index in (-1, 3):
            with pytest.raises(IndexError, match=str(index)):
                many[index]
        for run, expected in zip(many, alone, strict=True):
            assert docs_of(run) == docs_of(expected)
            assert run.topic.tolist() == expected.topic.tolist()
            assert run.hashes.tolist() == expected.hashes.tolist()
        assert many.ranks().tolist() == [rank for run in alone for rank in run.ranks()]
        assert many.lengths().tolist() == [run.hits().length.tolist() for run in alone]

    @pytest.mark.parametrize("depth", [1, 3, 7, 100])
    def test_the_first_documents(self, many, alone, depth):
        for run, expected in zip(many.first(depth), alone, strict=True):
            assert docs_of(run) == docs_of(expected.first(depth))
        assert (many.first(depth) is many) == (depth >= many.lengths().max())

    @pytest.mark.parametrize("depth", [None, 1, 3])
    @pytest.mark.parametrize("judged_only", [False, True])
    @pytest.mark.parametrize("cells", [1, 8, 10**6])
    def test_hits(self, judged, many, alone, depth, judged_only, cells, monkeypatch):
        monkeypatch.setattr(run_groups, "BLOCK_CELLS", cells)
        topics = len(judged.topics)
        counts = many.judged_counts(depth)
        assert counts.tolist() == [run.judged_counts(0, topics, depth).tolist() for run in alone]
        hits = many.hits(judged_only, depth)
        expected = [run.hits(judged_only=judged_only, depth=depth) for run in alone]
        assert hits.length.T.tolist() == [one.length.tolist() for one in expected]
        assert hits.counts.T.tolist() == [np.diff(one.start).tolist() for one in expected]
        for topic in range(topics):
            parts = list(hits.blocks(topic))
            assert np.concatenate([np.arange(3)[part] for part, _ in parts]).tolist() == [0, 1, 2]
            for part, ranked in parts:
                width = ranked.rank.shape[1]
                assert width == max(int(hits.counts[topic, part].max()), 1)
                assert (ranked.rank == ranked.max_rank + 1).sum() == len(ranked.rank) * width - hits.counts[
                    topic, part
                ].sum()
                assert ranked.run.judged_counts(topic, topic + 1, depth).tolist() == counts[part, topic].tolist()
                assert ranked.length.tolist() == hits.length[topic, part].tolist()
                own_ranks = [one.rank[one.start[topic] : one.start[topic + 1]] for one in expected[part]]
                assert ranked.max_rank == max((int(ranks.max(initial=0)) for ranks in own_ranks), default=0)
                is_padding = ranked.rank == ranked.max_rank + 1
                assert (ranked.rows[is_padding] == len(judged.topic_blocks[topic].grades) - 1).all()
                for row, one in enumerate(expected[part]):
                    own = slice(one.start[topic], one.start[topic + 1])
                    found = int(own.stop - own.start)
                    assert ranked.rank[row, :found].tolist() == one.rank[own].tolist()
                    assert (ranked.rows[row, :found] + judged.topic_blocks[topic].row_base).tolist() == one.row[
                        own
                    ].tolist()
            if cells == 1:
                assert len(parts) == 3
            if cells == 10**6:
                assert len(parts) == 1

    def test_errors_are_those_of_the_first_faulty_run(self, collection):
        def order(**changed):
            frames = [(changed.get(name, RUN)).assign(name=name) for name in "xyz"]
            (group,) = RunsFrame(pd.concat(frames), "name", "input").groups(10**6)
            return order_runs(collection, group, "input", "error", is_one=False)

        other, twice = RUN.assign(query_id="7"), pd.concat([RUN, RUN.iloc[[0]]])
        lacks, repeats = "no topic in common", "the run repeats documents, 1 in all"
        assert error_of(order, y=other).startswith(f"run 'y': {lacks}: the qrels have '1', '2' and the run has '7'.")
        assert error_of(order, z=twice).startswith(f"run 'z': {repeats}")
        assert error_of(order, x=twice, y=other).startswith(f"run 'x': {repeats}")
        assert error_of(order, x=other, y=twice).startswith(f"run 'x': {lacks}")
        assert error_of(order, z=other).startswith(f"run 'z': {lacks}")
        assert error_of(order, y=twice, z=twice).startswith(f"run 'y': {repeats}")
        assert len(order()) == 3

    def test_the_faulty_run_of_a_single_topic(self):
        frames = [RUN.iloc[[1, 2]].assign(name="x"), RUN.iloc[[1, 1]].assign(name="y")]
        (group,) = RunsFrame(pd.concat(frames), "name", "input").groups(10**6)
        one_topic = Collection({"1": {"a": 1}})
        message = error_of(order_runs, one_topic, group, "input", "error", is_one=False)
        assert message.startswith("run 'y': the run repeats documents, 1 in all")

    def test_one_run_is_not_named(self, collection):
        (group,) = RunsFrame(RUN.assign(name="x", query_id="7"), "name", "input").groups(10**6)
        assert error_of(order_runs, collection, group, "input", "error", is_one=True).startswith("no topic in common")

    def test_repeated_documents_of_one_run_only(self, collection):
        frame = pd.concat([RUN.assign(name="x"), RUN.assign(name="y"), RUN.iloc[[3]].assign(name="y", score=0.0)])
        (group,) = RunsFrame(frame, "name", "docid_desc").groups(10**6)
        runs = order_runs(collection, group, "docid_desc", "first", is_one=False)
        assert [docs_of(run) for run in runs] == [["c", "b", "ab", "a", "c"]] * 2

    def test_mistakes_are_those_of_each_run(self, collection):
        changes = {
            "good": RUN.assign(rank=[1, 2, 3, 1, 1, 4]),
            "ranks": RUN.assign(rank=[1, 1, 2, 4, 1, 3]),
            "unjudged": RUN.assign(doc_id="D" + RUN["doc_id"], rank=[1, 2, 3, 1, 1, 4]),
            "grade 0": RUN.assign(doc_id=RUN["doc_id"].replace({"c": "e", "a": "u"}), rank=[1, 2, 3, 1, 1, 4]),
        }
        late = RUN.assign(score=[1, 5, 1, 2, 5, 1], rank=[1, 1, 3, 2, 1, 4])
        changes["late"] = late.assign(doc_id=["y", *late["doc_id"][1:]])
        frame = pd.concat([run.assign(name=name) for name, run in changes.items()])
        (group,) = RunsFrame(frame, "name", "docid_desc").groups(10**6)
        runs = order_runs(collection, group, "docid_desc", "error", is_one=False)
        for depth in (None, 1, 4):
            expected = [check_run(order_run(collection, run), depth) for run in changes.values()]
            assert check_runs(runs, depth) == expected
        assert [found.contradiction is not None for found in expected] == [False, True, False, False, False]
        assert [found.unjudged is not None for found in expected] == [False, False, True, False, False]
        assert [found.unjudged is not None for found in check_runs(runs, 1)] == [False, False, True, True, True]
        (group,) = RunsFrame(frame.drop(columns="rank"), "name", "docid_desc").groups(10**6)
        runs = order_runs(collection, group, "docid_desc", "error", is_one=False)
        assert all(found.contradiction is None for found in check_runs(runs, None))


class TestMistakes:
    RANKED = RUN.assign(rank=[1, 2, 3, 5, 1, 4])
    BOTH = "document 'c' has rank 5 and score 2, document 'b' has rank 2 and score 1"
    IDS = (
        "the qrels have 'a', 'c', 'u', the run has 'D-c', 'D-b', 'D-ab', …. Check that both use the same document ids "
        "(in PyTerrier the docno, not the docid). Some are the same but for the part up to the first '-'."
    )

    def test_what_is_found(self, collection):
        found = check_run(order_run(collection, self.RANKED), None)
        assert found == RunFindings(RankContradiction(1, "1", self.BOTH), None)
        other = check_run(order_run(collection, RUN.assign(doc_id="D-" + RUN["doc_id"])), None)
        assert other == RunFindings(None, self.IDS)

    def test_the_extremes_of_ties_contradict(self, collection):
        rows = [("1", "a", 2.0, 1), ("1", "b", 2.0, 4), ("1", "c", 1.0, 5), ("1", "d", 1.0, 3), ("2", "a", 1.0, 9)]
        run = pd.DataFrame([*rows, ("2", "b", 0.5, 2)], columns=[*COLUMNS, "rank"])
        found = check_run(order_run(collection, run), None).contradiction
        assert found == (
            2, "1", "document 'b' has rank 4 and score 2, document 'd' has rank 3 and score 1",
        )  # fmt: skip

    def test_equal_ranks_contradict_nothing(self, collection):
        rows = [("1", "a", 2.0, 2), ("1", "c", 1.0, 3), ("1", "b", 1.0, 2)]
        run = order_run(collection, pd.DataFrame(rows, columns=[*COLUMNS, "rank"]))
        assert docs_of(run) == ["a", "c", "b"]
        assert check_run(run, None).contradiction is None

    def test_missing_ranks_contradict_nothing(self, collection):
        run = RUN.assign(rank=[1, None, 3, 1, 1, 2])
        assert check_run(order_run(collection, run), None).contradiction is None

    def test_one_run(self, collection):
        with pytest.warns(IrdivWarning) as caught:
            order_checked_run(collection, self.RANKED)
        assert [str(warning.message) for warning in caught] == [
            "the run has ranks that contradict its scores in 1 topic, and is ordered by score: in topic '1', "
            f"{self.BOTH}. To order by rank, give ties='rank' (on the command line, --ties rank)."
        ]
        assert len(order_checked_run(collection, RUN.iloc[:0], may_be_empty=True).topic) == 0
        with pytest.raises(IrdivError, match="the run is empty"):
            order_checked_run(collection, RUN.iloc[:0])

    def test_several_runs(self, collection):
        runs = {"w": RUN, "x": self.RANKED, "y": self.RANKED}
        with pytest.warns(IrdivWarning) as caught:
            ordered = dict(order_checked_runs(collection, runs))
        assert [str(warning.message) for warning in caught] == [
            "run 'x' has ranks that contradict its scores in 1 topic, and is ordered by score: in topic '1', "
            f"{self.BOTH}. To order by rank, give ties='rank' (on the command line, --ties rank). 1 more run has the "
            "same problem: 'y'."
        ]
        assert list(ordered) == ["w", "x", "y"]
        # Those that are in order are not checked again.
        assert list(order_checked_runs(collection, ordered)) == list(ordered.items())
        other = Collection(QRELS)
        assert error_of(list, order_checked_runs(other, ordered)) == (
            "run 'w' was ordered for other qrels; give the run itself."
        )

    def test_options_of_several_runs(self, collection):
        twice = pd.concat([RUN, RUN.iloc[[0]]])
        assert error_of(list, order_checked_runs(collection, {"a": RUN, "b": twice})).startswith("run 'b': the run rep")
        assert error_of(list, order_checked_runs(collection, {"b": twice})).startswith("the run repeats")
        ((_, run),) = order_checked_runs(collection, twice, ties="input", duplicates="first")
        assert docs_of(run) == ["c", "b", "a", "ab", "c"]
        late = {"1": ["x", "a"]}
        list(order_checked_runs(collection, late))
        list(order_checked_runs(collection, late, depth=2))
        with pytest.warns(IrdivWarning, match="^the run has no judged document among the first 1 of any topic: the qr"):
            list(order_checked_runs(collection, late, depth=1))

    def test_a_grade_of_0_is_a_judgment(self, collection):
        assert check_run(order_run(collection, {"1": ["x", "u"]}), None).unjudged is None
        assert check_run(order_run(collection, {"1": ["x", "u"]}), 2).unjudged is None
        assert check_run(order_run(collection, {"1": ["x", "u"]}), 1).unjudged is not None

    def test_parts_of_runs(self):
        one, two = RankContradiction(2, "10", "A"), RankContradiction(1, "9", "B")
        parts = [RunFindings(one, "ids"), RunFindings(two, None), RunFindings(None, "more")]
        with pytest.warns(IrdivWarning) as caught:
            warn_about_runs({"x": parts}, 5)
        assert [str(warning.message) for warning in caught] == [
            "the run has ranks that contradict its scores in 3 topics, and is ordered by score: in topic '9', B. To "
            "order by rank, give ties='rank' (on the command line, --ties rank)."
        ]
        unjudged = [RunFindings(None, "ids"), RunFindings(None, "more")]
        runs = dict.fromkeys("abcdef", unjudged)
        with pytest.warns(IrdivWarning) as caught:
            warn_about_runs({"none": [], "part": parts[1:], **runs}, 5, "x")
        messages = [str(warning.message) for warning in caught]
        assert messages[1:] == [
            "run 'a' has no judged document among the first 5 of any topic: ids 5 more runs have the same problem: "
            "'b', 'c', 'd', …."
        ]
        with pytest.warns(IrdivWarning, match="^the run has no judged document: ids$"):
            warn_about_runs({"a": unjudged}, None)


class TestSavedFiles:
    """The format cannot change without another number: files that users have saved are read by it."""

    NAMES = (
        "intent_probability", "intent_navigational", "intent_has_info", "intent_judged", "intent_declared",
        "positive_grades", "intent_topic", "intent_start", "intent_best_grade", "row_start", "grade", "grade_row",
        "grade_intent",
        "grade_start", "_judged_topic", "_judged_grade", "intents", "intent_parent", "intent_description",
        "intent_importance", "topic_ids", "_judged_doc", "relevant_doc",
    )  # fmt: skip

    def test_the_content_and_its_hash(self, tmp_path):
        qrels = pd.DataFrame(
            {"query_id": ["1", "1"], "intent_id": ["x", "y"], "doc_id": ["é", "b"], "relevance": [200, 1]}
        )
        Collection(qrels.assign(importance=["vital", None])).save(tmp_path / "c")
        table = pa.ipc.open_file(tmp_path / "c").read_all()
        assert tuple(table.column_names) == self.NAMES
        metadata = table.schema.metadata
        assert set(metadata) == {b"irdiv.collection", b"irdiv.sha256"}
        header = metadata[b"irdiv.collection"].decode()
        assert header == '{"backend": "pandas", "format": 2, "has_intents": true, "max_grade": 200}'
        digest = hashlib.sha256(header.encode())
        for name in self.NAMES:
            (value,) = table[name].to_pylist()
            kind = table.schema.field(name).type.value_type
            digest.update(json.dumps([name, None if value is None else [str(kind), len(value)]]).encode())
            if value is not None and kind == pa.large_string():
                lengths = [-1 if text is None else len(text.encode()) for text in value]
                digest.update(np.array(lengths, dtype="<i8").tobytes())
                digest.update("".join(text or "" for text in value).encode())
            elif value is not None:
                digest.update(np.array(value, dtype=kind.to_pandas_dtype()).tobytes())
        assert metadata[b"irdiv.sha256"] == digest.hexdigest().encode()
        assert {str(table.schema.field(name).type.value_type) for name in ("intent_topic", "grade_row")} == {"int8"}
        assert str(table.schema.field("grade").type.value_type) == "int16"

    @pytest.mark.parametrize(
        ("integers", "kind"),
        [
            ([], "int8"),
            ([-128, 127], "int8"),
            ([128], "int16"),
            ([-129], "int16"),
            ([32767], "int16"),
            ([32768], "int32"),
            ([2**31], "int64"),
        ],
    )
    def test_the_smallest_type(self, integers, kind):
        made = _narrowed(np.array(integers, dtype=np.int64))
        assert (made.dtype.name, made.tolist()) == (kind, integers)

    def test_errors(self, tmp_path):
        def load_error(path) -> str:
            return error_of(Collection.load, path)

        path = tmp_path / "c"
        name = repr(str(path))
        assert load_error(str(path)) == f"cannot read a collection from {name}: No such file or directory."
        path.write_text("x")
        assert load_error(path) == f"{name} is not a collection: expected an Arrow file that Collection.save wrote."
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, pa.schema({"a": pa.int8()})):
            pass
        assert load_error(path) == (
            f"{name} is an Arrow file, but not a collection: expected one that Collection.save wrote; qrels in Arrow "
            "or Feather files are compiled by irdiv.Collection(pyarrow.feather.read_table(path))."
        )
        Collection(QRELS).save(path)
        content = path.read_bytes()
        path.write_bytes(content.replace(b'"format": 2', b'"format": 7'))
        assert load_error(path) == (
            f"{name} has the format 7 of saved collections, but this version of irdiv reads the format 2; save the "
            "collection again by this version."
        )
        path.write_bytes(content.replace(b'"max_grade": 2', b'"max_grade": 3'))
        assert load_error(path) == f"{name} was cut off or changed after it was saved; save the collection again."


class TestGroupsOfRows:
    def test_rows_of_one_document_are_a_group(self):
        docs = string_array(["a", "a", "a", "b", "b", "b", "b", "b"])
        groups = DocumentGroups.find(np.array([0, 0, 0, 0, 0, 0, 1, 1]), docs)
        assert groups.group.tolist() == [0, 0, 0, 1, 1, 1, 2, 2]
        assert groups.is_first.tolist() == [True, False, False, True, False, False, True, False]
        assert groups.docs.to_pylist() == ["a", "b", "b"]
        assert len(groups.hashes) == 3

    def test_each_row_is_a_group_where_few_are_equal(self):
        groups = DocumentGroups.find(np.array([0, 0, 0]), string_array(["a", "b", "b"]))
        assert groups.group.tolist() == [0, 1, 2]
        assert groups.is_first.tolist() == [True] * 3
        assert groups.docs.to_pylist() == ["a", "b", "b"]

    @pytest.mark.parametrize(
        ("topic", "intent", "docs", "repeated"),
        [
            ([0] * 6, [0, 1, 2, 0, 1, 2], "aaabbb", []),
            ([0] * 6, [0, 1, 1, 0, 1, 2], "aaabbb", [2]),
            ([0] * 6, [1, 0, 1, 0, 1, 2], "aaabbb", [2]),
            ([0] * 8, [0, 1, 2, 3, 0, 1, 0, 4], "aaaabbaa", [6]),
            ([0] * 8, [0, 1, 2, 3, 0, 1, 4, 5], "aaaabbaa", []),
            ([0, 0, 0, 0, 1, 1, 1, 1], [0, 1, 2, 3, 4, 5, 6, 7], "aaaaaaaa", []),
            ([0] * 3, [0, 0, 0], "aba", [2]),
            ([0] * 8, [0, 1, 2, 1, 0, 1, 2, 3], "aaaabbbb", [3]),
        ],
    )
    def test_repeated_rows(self, topic, intent, docs, repeated):
        topic, intent, docs = np.array(topic), np.array(intent), string_array(list(docs))
        assert DocumentGroups.find(topic, docs).repeated_rows(topic, intent, docs).tolist() == repeated
