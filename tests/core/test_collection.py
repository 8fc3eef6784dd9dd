"""What qrels become once they are compiled: topics, intents, grades and weights, seen through values and errors."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import irdiv
from irdiv import Collection, IrdivError, IrdivWarning
from irdiv.core import block as block_module
from irdiv.core.block import blocks_of
from irdiv.core.index import argsort_by_topic
from irdiv.core.memo import Memo
from irdiv.io.hashes import hash_ids
from irdiv.kernels.lists import pad

COLUMNS = ["query_id", "intent_id", "doc_id", "relevance"]
QRELS = pd.DataFrame(
    [
        ("2", "x", "d9", 1),
        ("10", "a", "d1", 2),
        ("10", "b", "d1", 1),
        ("10", "b", "d2", 3),
        ("10", "a", "d3", 0),
        ("2", "x", "d8", -1),
    ],
    columns=COLUMNS,
)
RUN = {"2": ["d8", "d9"], "10": ["d3", "d1", "u", "d2"]}


def of_intents(**columns) -> pd.DataFrame:
    """Return qrels with a value for each of x of topic 2 and a and b of topic 10, in the rows of the intent."""
    keys = QRELS["intent_id"].map({"x": 0, "a": 1, "b": 2})
    return QRELS.assign(**{name: [values[key] for key in keys] for name, values in columns.items()})


def by_topic(qrels, run, spec: str, **options) -> dict[str, float]:
    evaluation = irdiv.evaluate(qrels, run, spec, **options)
    return dict(zip(evaluation.query_ids, evaluation.values[0, 0].tolist(), strict=True))


def probabilities(qrels, spec: str = "P-IA@4") -> dict[tuple[str, str], float]:
    """Return the probability of each intent that counts, by topic and intent."""
    frame = irdiv.evaluate(qrels, RUN, spec).per_intent("P@4")
    return {(row.query_id, row.intent_id): row.probability for row in frame.itertuples()}


class TestRows:
    """Rows of qrels in any order, repeated or not, against sums in plain Python."""

    SPECS = ("I-rec@3", "P@3", "Judged@3", "NumRelRet", "I-rec(rel=2)@3")

    def qrels(self, rng: np.random.Generator, order: list[str]) -> pd.DataFrame:
        """Return random rows; topics share documents, also at their borders."""
        size = int(rng.integers(4, 60))
        frame = pd.DataFrame({name: rng.integers(1, 5, size).astype(str) for name in COLUMNS[:3]})
        frame = frame.drop_duplicates().assign(relevance=lambda rows: rng.integers(-1, 4, len(rows)))
        return frame.sort_values(order, kind="stable") if order else frame

    def expected(self, qrels: pd.DataFrame, run: dict[str, list[str]]) -> dict[tuple[str, str], float]:
        found = {}
        for topic, rows in qrels.groupby("query_id"):
            first = run[topic][:3]
            relevant = rows[rows["relevance"] > 0]
            of_docs = set(relevant["doc_id"])
            found[topic, "P@3"] = len(of_docs & set(first)) / 3
            found[topic, "NumRelRet"] = len(of_docs & set(run[topic]))
            found[topic, "Judged@3"] = len(set(rows["doc_id"]) & set(first)) / len(first)
            for spec, rel in (("I-rec@3", 1), ("I-rec(rel=2)@3", 2)):
                counted = rows[rows["relevance"] >= rel]
                covered = counted[counted["doc_id"].isin(first)]["intent_id"].nunique()
                found[topic, spec] = covered / max(counted["intent_id"].nunique(), 1)
        return found

    @pytest.mark.parametrize(
        "order",
        [["query_id", "doc_id", "intent_id"], ["query_id", "doc_id"], ["query_id", "intent_id"], ["doc_id"], []],
        ids="-".join,
    )
    def test_values_are_those_of_plain_sums(self, order):
        rng = np.random.default_rng(0)
        for _ in range(8):
            qrels = self.qrels(rng, order)
            run = {topic: rng.permutation(list("12345678")).tolist() for topic in "1234"}
            expected = self.expected(qrels, run)
            placeholders = qrels.drop_duplicates(COLUMNS[:2]).assign(doc_id="_no_document_", relevance=0)
            for more in ([], [qrels.iloc[:1]], [qrels], [placeholders], [qrels.iloc[::-1], placeholders]):
                evaluation = irdiv.evaluate(pd.concat([qrels, *more]), run, self.SPECS)
                for spec, values in zip(self.SPECS, evaluation.values[0].tolist(), strict=True):
                    wanted = [expected[topic, spec] for topic in evaluation.query_ids]
                    assert (spec, values) == (spec, pytest.approx(wanted))

    @pytest.mark.parametrize("position", [0, 1, 20, 36])
    def test_a_contradiction_is_found_wherever_it_is(self, position):
        rows = [(t, i, f"d{d}", (int(t) + d * int(i)) % 3) for t in "12" for d in range(6) for i in "123"]
        qrels = pd.DataFrame(rows, columns=COLUMNS)
        other = qrels.iloc[[1]].assign(relevance=qrels["relevance"][1] + 1)
        with pytest.raises(IrdivError, match="document 'd0' of topic '1' has the grades .* for intent '2'.*all: 1"):
            Collection(pd.concat([qrels[:position], other, qrels[position:]]))


class TestIds:
    def test_topics_and_intents_are_in_natural_order(self):
        rows = [(topic, intent, "d", 1) for topic in ("10", "9", "b", "1") for intent in ("10", "9", "a")]
        frame = irdiv.evaluate(pd.DataFrame(rows, columns=COLUMNS), {"1": ["d"], "9": ["d"]}, "P-IA@1").per_intent(
            "P@1"
        )
        assert frame["query_id"].tolist() == np.repeat(["1", "9", "10", "b"], 3).tolist()
        assert frame["intent_id"].tolist() == ["9", "10", "a"] * 4

    def test_intents_of_their_own_for_each_of_many_topics(self):
        rows = [(str(topic), f"i{topic}", "d", 1) for topic in range(40)]
        run = {str(topic): ["d"] for topic in range(0, 40, 2)}
        with pytest.warns(IrdivWarning, match="lacks 20 of 40 topics"):
            found = irdiv.evaluate(pd.DataFrame(rows, columns=COLUMNS), run, "I-rec@1")
        assert found.values[0, 0].tolist() == [1, 0] * 20

    def colliding_ids(self, count: int) -> list[str]:
        """Return ids of 16 letters that have one hash: the first 8 letters undo what the last 8 do to it."""
        bits, found, number = (1 << 64) - 1, [], 0
        while len(found) < count:
            number += 1
            last = f"{number:08}".encode()
            mixed = (int.from_bytes(last, "little") ^ (16 * 0x9E3779B97F4A7C15 & bits)) * 0xC2B2AE3D27D4EB4F & bits
            first = (mixed ^ (mixed >> 32) ^ 0x1122334455667788).to_bytes(8, "little")
            if first.isascii() and first.decode().isprintable():
                found.append((first + last).decode())
        return found

    def test_ids_with_one_hash_are_different_documents(self):
        ids = self.colliding_ids(5)
        assert len(set(hash_ids(pa.array(ids, pa.large_string())).tolist())) == 1
        qrels = pd.DataFrame(
            [("1", "i", ids[0], 1), ("1", "j", ids[1], 1), ("1", "j", ids[2], 0), ("2", "i", ids[3], 1)],
            columns=COLUMNS,
        )
        run = pd.DataFrame({"query_id": list("1111122"), "doc_id": [*ids, *ids[1:3]], "score": range(7, 0, -1)})
        specs = ["I-rec@1", "I-rec@2", "P@5", "Judged@5"]
        for runs, options in ((run, {}), (run.assign(run="r"), {"run_column": "run"}), (run, {"batch_rows": 1})):
            found = irdiv.evaluate(qrels, runs, specs, **options)
            assert found.values[0, :, 0].tolist() == [0.5, 1, 2 / 5, 3 / 5]
            assert found.values[0, :, 1].tolist() == [0, 0, 0, 0]
        twice = pd.concat([run, run[1:2].assign(score=0.0)])
        with pytest.raises(IrdivError, match="repeats documents, 1 in all"):
            irdiv.evaluate(qrels, twice, specs)
        np.testing.assert_array_equal(irdiv.evaluate(qrels, twice, specs, duplicates="first").values, found.values)


class TestIntents:
    def test_weights(self):
        uniform = {("2", "x"): 1, ("10", "a"): 0.5, ("10", "b"): 0.5}
        assert probabilities(QRELS) == uniform
        weighted = of_intents(probability=[0.5, 0.25, 0.5])
        normalized = {("2", "x"): 1, ("10", "a"): 1 / 3, ("10", "b"): 2 / 3}
        assert probabilities(weighted) == pytest.approx(normalized)
        # a has no document of grade 3, and topic 2 has none at all
        assert by_topic(QRELS, RUN, "P-IA(rel=3)@4") == {"2": 0, "10": 1 / 4}
        # Weights may be as large as 1e100.
        assert probabilities(of_intents(probability=[1, 1e100, 1e100])) == uniform
        # P is 1/4 for a and 1/2 for b
        assert by_topic(weighted, RUN, "P-IA(renormalize=False)@4") == {"2": 0.5 / 4, "10": 0.25 / 4 + 0.5 / 2}
        assert by_topic(weighted, RUN, "P-IA@4") == pytest.approx({"2": 1 / 4, "10": 1 / 3 / 4 + 2 / 3 / 2})

    def test_importance_weighs_where_a_topic_has_no_probability(self):
        qrels = of_intents(probability=[None, 0.25, 0.75], importance=["okay", "vital", None])
        assert by_topic(qrels, RUN, "P-IA(renormalize=False)@4") == {"2": 0.5 / 4, "10": 0.25 / 4 + 0.75 / 2}
        assert probabilities(of_intents(importance=["okay", "vital", "okay"])) == pytest.approx(
            {("2", "x"): 1, ("10", "a"): 2 / 3, ("10", "b"): 1 / 3}
        )

    def test_no_intent_of_a_topic_has_a_share_where_one_is_missing(self):
        qrels, run = of_intents(probability=[0.5, 0.25, None]), {"2": ["d8"], "10": ["d3"]}
        missed = irdiv.evaluate(qrels, run, "nDCG@4").missed()
        assert missed["intent_id"].tolist() == ["x", "a", "b"]
        np.testing.assert_array_equal(missed["probability"], [1, np.nan, np.nan])

    def test_types_descriptions_and_parents(self):
        columns = {
            "type": [None, "nav", None, "inf", None, "inf"],
            "description": [None, None, "one", "two", None, None],
        }
        described = irdiv.evaluate(QRELS.assign(**columns), RUN, "P-IA@4").topic("10").intents
        assert dict(zip(described["intent_id"], described["description"].fillna("none"), strict=True)) == {
            "a": "none", "b": "one",
        }  # fmt: skip
        first = QRELS.assign(description=["zero", "one", "two", None, "three", "four"])
        assert irdiv.evaluate(first, RUN, "P-IA@4").topic("2").intents["description"].tolist() == ["zero"]
        # Only the first document counts for a navigational intent: d1 at rank 2 for a, d1 and d2 for b.
        typed = irdiv.evaluate(QRELS.assign(**columns), RUN, ["DIN-nDCG@4", "D-nDCG@4"]).values[0]
        plain = irdiv.evaluate(of_intents(type=["inf", "nav", "inf"]), RUN, ["DIN-nDCG@4", "D-nDCG@4"]).values[0]
        np.testing.assert_array_equal(typed, plain)
        everything_informational = irdiv.evaluate(of_intents(type=["inf"] * 3), RUN, ["DIN-nDCG@4", "D-nDCG@4"]).values[
            0
        ]
        np.testing.assert_array_equal(everything_informational[0], everything_informational[1])

    @pytest.mark.parametrize(
        ("qrels", "expected"),
        [
            # x and a are without a relevant document, b has d2
            (QRELS, {"2": 0, "10": 1 / 2}),
            # TREC's subtopic 0 is not an intent, but one that is described is, and then others are not.
            (QRELS.replace({"intent_id": {"a": "0"}}), {"2": 0, "10": 1}),
            (of_intents(type=[None, "inf", None]).replace({"intent_id": {"a": "0"}}), {"2": 0, "10": 1 / 2}),
            (of_intents(type=[None, "inf", None]), {"2": 0, "10": 1 / 2}),
            # a is below b, which is an inner node and has a relevant document; b of another topic is not a's parent
            (of_intents(parent_id=["r", "b", "r"]), {"2": 0, "10": 1 / 2}),
            (of_intents(parent_id=["b", "r", "r"]), {"2": 0, "10": 1 / 2}),
        ],
        ids=["all", "0", "described 0", "one described", "inner node", "node of another topic"],
    )
    def test_declared_intents_count_with_all(self, qrels, expected):
        rare = qrels.assign(relevance=[0, 0, 0, 3, 0, -1])
        assert by_topic(rare, RUN, "I-rec(intents='all')@4") == expected

    def test_inner_nodes_and_described_intents_are_counted_once(self):
        rare = {"relevance": [0, 0, 3, 0, 0, -1]}
        # b, an inner node without relevant documents, is no intent of its own.
        leaves = of_intents(parent_id=["r", "b", "r"]).assign(relevance=[0, 3, 0, 0, 0, -1])
        assert by_topic(leaves, RUN, "I-rec(intents='all')@4")["10"] == 1
        other = of_intents(parent_id=["b", "r", "r"]).assign(relevance=[0, 3, 0, 0, 0, -1])
        assert by_topic(other, RUN, "I-rec(intents='all')@4")["10"] == 1 / 2
        described = of_intents(description=[None, None, "one"]).assign(**rare)
        assert by_topic(described, RUN, "I-rec(intents='all')@4")["10"] == 1

    def test_a_stated_highest_grade(self):
        for stated, used in ((4, 4), (2, 3)):
            found = by_topic(QRELS.assign(max_grade=stated), RUN, "ERR-IA@4")
            assert found == by_topic(QRELS, RUN, f"ERR-IA(max_grade={used})@4")


class TestRefused:
    @pytest.mark.parametrize(
        ("qrels", "message"),
        [
            (of_intents(type=["inf", "nav", "Nav"]), "'b' of topic '10' has the type 'Nav'"),
            (of_intents(probability=[0.0, 1.0, -0.5]), r"'b' of topic '10' has the probability -0\.5"),
            (
                of_intents(probability=[0.0, 1.0, 1e308]),
                r"'b' of topic '10' has the probability 1e\+308.*up to 1e\+100",
            ),
            (QRELS.assign(probability=[0.5, 0.25, 1, 1, 0.75, 0.5]), "'a' of topic '10' has two prob.*0.25 and 0.75"),
            *(
                (
                    QRELS.assign(**{column: ["q", "q", "q", "q", "r", None]}),
                    f"'a' of topic '10' has two {name}.*'q'.*'r'",
                )
                for column, name in (("parent_id", "parents"), ("type", "types"), ("importance", "importances"))
            ),
            (pd.concat([QRELS, QRELS.iloc[1:3].assign(relevance=[5, 6])]), "'d1' of topic '10'.* 2 and 5.*'a'.*all: 2"),
            (
                QRELS.drop(columns="intent_id"),
                r"'d1' of topic '10' has the grades 2 and 1 \(.*all: 1\).*lost their int",
            ),
            (QRELS.assign(query_id="#"), "topic '#', which is a comment"),
        ],
    )
    def test_columns(self, qrels, message):
        with pytest.raises(IrdivError, match=message):
            Collection(qrels)

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ({"probability": [0.5, 0.5, None]}, "'b' of topic '10' counts but has no probability"),
            (
                {"importance": ["vital", "okay", "low"]},
                "'b' of topic '10' counts but its importance 'low' has no weight",
            ),
            ({"importance": ["vital", "okay", None]}, "'b' of topic '10' counts but has no probability"),
            ({"probability": [0.5, 0.0, 0.0]}, "all intents that count in topic '10' have the probability 0"),
            ({"probability": [0.0, 0.5, 0.5]}, "all intents that count in topic '2' have the probability 0"),
        ],
    )
    def test_weights(self, columns, message):
        qrels = pd.concat([of_intents(**columns), QRELS.iloc[[0]].assign(query_id="11")])
        run = pd.DataFrame({"query_id": ["2", "10", "11"], "doc_id": ["d9", "d1", "d9"], "score": 1.0, "run": "r"})
        for options in ({}, {"renormalize": False}, {"run_column": "run"}):
            with pytest.raises(IrdivError, match=message):
                irdiv.evaluate(qrels, run, "D-nDCG@3", **options)

    def test_what_a_measure_needs(self):
        with pytest.raises(IrdivError, match=r"^I-rec@3 needs intents.*lost their intents"):
            irdiv.evaluate({"1": {"a": 1}}, {"1": ["a"]}, "I-rec@3")
        with pytest.raises(IrdivError, match="^Vital-coverage@3 needs the importance of intents.*'vital' or 'okay'"):
            irdiv.evaluate(QRELS, RUN, "Vital-coverage@3")
        assert by_topic({"1": {"a": 1, "b": 0}}, {"1": ["b", "a"]}, "P@2") == {"1": 0.5}


class Dataset:
    def test_what_is_printed(self):
        assert repr(Collection(QRELS)) == "Collection(2 topics, 3 intents, 5 judged documents, highest grade 3)"
        assert (
            repr(Collection({"1": {"a": 1}})) == "Collection(1 topic, no intents, 1 judged documents, highest grade 1)"
        )
        # An intent 0 counts as one only if it has a relevant document.
        zero = QRELS.replace({"intent_id": {"x": "0"}})
        assert "3 intents" in repr(Collection(zero))
        with pytest.warns(IrdivWarning, match="1 of 2 topics have no relevant document"):
            assert "2 intents" in repr(Collection(zero.assign(relevance=[0, 2, 1, 3, 0, -1])))

    def test_it_scores_as_its_qrels_each_time(self):
        collection, specs = Collection(QRELS), ["D#-nDCG@3", "α-nDCG@3", "ERR-IA"]
        expected = irdiv.evaluate(QRELS, RUN, specs).values
        for _ in range(2):
            np.testing.assert_array_equal(irdiv.evaluate(collection, RUN, specs).values, expected)

    def test_topics_without_relevant_documents_are_a_warning(self):
        shown = r"11 of 12 topics have no relevant document.*: '1', '2', .*'9', '10', …$"
        with pytest.warns(IrdivWarning, match=shown) as caught:
            collection = Collection({str(i): {"a": int(i > 11)} for i in range(1, 13)})
        assert len(caught) == 1
        assert irdiv.evaluate(collection, {"1": ["a"], "12": ["a"]}, "P@1", ties="input").values.sum() == 1

    def test_frames_are_of_the_library_of_the_qrels(self):
        collection = Collection(pl.from_pandas(QRELS))
        for given in (collection, pickle.loads(pickle.dumps(collection))):
            assert isinstance(irdiv.evaluate(given, RUN, "P@1").frame, pl.DataFrame)
        assert isinstance(irdiv.evaluate(collection.to_pandas(), RUN, "P@1").frame, pd.DataFrame)
        assert collection.backend == "polars"

    @pytest.mark.parametrize(
        ("cells", "edges"),
        [(1, [(0, 1), (1, 2), (2, 3)]), (7, [(0, 1), (1, 2), (2, 3)]), (8, [(0, 2), (2, 3)]), (12, [(0, 3)])],
    )
    def test_topics_that_fit_into_a_block(self, monkeypatch, cells, edges):
        """Topics of 1, 2 · 2 and 1 cells: two of them padded are 2 · 2 · 2, or 8, and all three are 12."""
        three = pd.concat([QRELS, pd.DataFrame([("11", "x", "d", 1)], columns=COLUMNS)])
        specs = ["I-rec@2", "D-nDCG@3", "alpha-nDCG@3", "Q@4"]
        run = RUN | {"11": ["u", "d"]}
        expected = irdiv.evaluate(three, run, specs).values
        monkeypatch.setattr(block_module, "BLOCK_CELLS", cells)
        collection = Collection(three)
        assert [(block.start, block.stop) for block in blocks_of(collection)] == edges
        np.testing.assert_array_equal(irdiv.evaluate(collection, run, specs).values, expected)

    def test_a_tree_has_a_grade_for_each_layer(self, monkeypatch):
        tree = of_intents(parent_id=["r", "r", "r"])
        for most, count in ((16, 1), (15, 2)):
            monkeypatch.setattr(block_module, "MOST_CELLS", most)
            assert (len(blocks_of(Collection(tree))), len(blocks_of(Collection(QRELS)))) == (count, 1)


class TestArrays:
    @pytest.mark.parametrize(
        ("flat", "sizes", "fill", "padded"),
        [
            ([1, 2, 3], [2, 0, 1], 9, [[1, 2], [9, 9], [3, 9]]),
            ([], [0, 0], 0.5, [[0.5], [0.5]]),
            ([], [], 0, []),
            ([True], [1, 0], False, [[True], [False]]),
        ],
    )
    def test_padding(self, flat, sizes, fill, padded):
        found = pad(np.array(flat), np.array(sizes, dtype=int), fill=fill)
        assert found.shape[1] > 0
        assert found.tolist() == padded

    @pytest.mark.parametrize("high", [1, 2**16 - 1, 2**16])
    def test_rows_by_topic(self, high):
        for topic in ([], [0, 0, high], [0, high, 1], [high, 0, high + 1, 0], [high, 0] * 50):
            expected = sorted(range(len(topic)), key=topic.__getitem__)
            assert argsort_by_topic(np.array(topic, dtype=np.int64)).tolist() == expected

    def test_results_are_kept_by_arguments_and_their_types(self):
        """1, 1.0 and True are equal, but measures differ by them."""
        memo = Memo()
        first = memo.cached(_list_of, 1)
        assert memo.cached(_list_of, 1) is first
        others = [memo.cached(_list_of, True), memo.cached(_list_of, 1.0), memo.cached(_list_of, 1, more=2)]
        assert [repr(other) for other in others] == ["[True, None]", "[1.0, None]", "[1, 2]"]
        assert memo.__getstate__() == {"_memo": {}}

    def test_a_result_that_depends_on_more_than_its_arguments_is_not_kept(self):
        more = 3
        with pytest.raises(TypeError, match="is a closure"):
            Memo().cached(lambda memo, value: value * more, 1)


def _list_of(memo: Memo, value, *, more=None):
    return [value, more]


def test_rows_without_a_document_are_no_judgments():
    intents = pd.DataFrame({"query_id": "1", "intent_id": ["i", "j"], "probability": 0.5})
    qrels = irdiv.with_intents(
        pd.DataFrame([("1", "i", "a", 1)], columns=["query_id", "intent_id", "doc_id", "relevance"]), intents
    )
    assert "_no_document_" in qrels["doc_id"].tolist()
    assert "2 intents, 1 judged documents" in repr(irdiv.Collection(qrels))
