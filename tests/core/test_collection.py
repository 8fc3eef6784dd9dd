"""Qrels as arrays: topics, intents, grades and weights of small collections by hand, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import irdiv
from irdiv import IrdivError, IrdivWarning
from irdiv.arrays import blocks as block_module
from irdiv.arrays import collection as collection_module
from irdiv.arrays.blocks import JudgedBlock
from irdiv.arrays.collection import Collection, describe_topics_without_relevant
from irdiv.arrays.compiled import _unique_inverse
from irdiv.arrays.memo import Memo
from irdiv.arrays.padding import argsort_by_topic, pad
from irdiv.arrays.topic_selection import SelectedTopics
from irdiv.frames.checked import qrels_columns
from irdiv.frames.ids import string_array

QRELS = pd.DataFrame(
    [
        ("2", "x", "d9", 1),
        ("10", "a", "d1", 2),
        ("10", "b", "d1", 1),
        ("10", "b", "d2", 3),
        ("10", "a", "d3", 0),
        ("2", "x", "d8", -1),
    ],
    columns=["query_id", "intent_id", "doc_id", "relevance"],
)
LOST_INTENTS = (
    " If they are diversity qrels, they have lost their intents: in a frame the column is 'intent_id', 'subtopic_id', "
    "'nugget_id' or 'iteration'; in a qrels file it is the second, which irdiv.read_qrels keeps and PyTerrier's "
    "pt.io.read_qrels drops; irdiv.datasets.to_pyterrier(path) reads the file for PyTerrier."
)


def error_of(function, *arguments, **options) -> str:
    with pytest.raises(IrdivError) as caught:
        function(*arguments, **options)
    return str(caught.value)


def of_intents(**columns) -> pd.DataFrame:
    """Return qrels with a value for each of x of topic 2 and a and b of topic 10, in the rows of the intent."""
    keys = QRELS["intent_id"].map({"x": 0, "a": 1, "b": 2})
    return QRELS.assign(**{name: [values[key] for key in keys] for name, values in columns.items()})


def same_order(collection: Collection) -> None:
    assert collection.topics.tolist() == collection.topic_ids.to_pylist() == ["2", "10"]
    assert collection.intents.tolist() == ["x", "a", "b"]
    assert collection.intent_topic.tolist() == [0, 1, 1]
    assert collection.intent_start.tolist() == [0, 1, 3]
    assert collection.row_start.tolist() == [0, 1, 3]
    assert collection.grade.tolist() == [1, 2, 1, 3]
    assert collection.grade_row.tolist() == [0, 1, 1, 2]
    assert collection.grade_intent.tolist() == [0, 0, 1, 1]
    assert collection.grade_start.tolist() == [0, 1, 4]
    assert collection.intent_best_grade.tolist() == [1, 2, 3]
    assert collection.positive_grades.tolist() == [1, 2, 3]
    assert collection.relevant_doc_ids(np.arange(3)).to_pylist() == ["d9", "d1", "d2"]
    assert collection.find_relevant(np.array([0, 1, 1, 1]), string_array(["d9", "d2", "d3", "d9"])).tolist() == [
        0, 2, -1, -1,
    ]  # fmt: skip


class TestArrays:
    def test_topics_intents_and_grades(self):
        collection = Collection(QRELS)
        same_order(collection)
        assert collection.has_intents is True
        assert collection.max_grade == 3
        assert collection.topic_index == {"2": 0, "10": 1}
        assert np.isnan(collection.intent_probability).all()
        assert collection.intent_parent is collection.intent_description is collection.intent_importance is None
        assert collection.intent_navigational.tolist() == collection.intent_has_info.tolist() == [False] * 3
        assert collection.intent_declared.tolist() == [True] * 3
        assert collection.intent_navigational.dtype == collection.intent_declared.dtype == bool
        assert collection.intent_best_grade.dtype == collection.grade.dtype == np.int64
        assert collection.topics_without_relevant.tolist() == []

    def test_judged_documents(self):
        collection = Collection(QRELS)
        assert collection.judged_count == 5
        topic, docs, highest = collection.adhoc_judgments()
        assert topic.tolist() == [0, 1, 1, 1, 0]
        assert docs.to_pylist() == ["d9", "d1", "d2", "d3", "d8"]
        assert highest.tolist() == [1, 2, 3, 0, -1]
        asked = np.array([0, 0, 1]), string_array(["d8", "d1", "d3"])
        assert collection.is_judged(*asked).tolist() == [True, False, True]
        assert collection.any_is_judged(*asked) is True
        assert collection.any_is_judged(np.array([0]), string_array(["d1"])) is False
        assert collection.any_is_judged(np.array([0]), string_array(["D1"])) is False
        assert collection.judged_doc_ids(1) == ["d9"]
        assert collection.judged_doc_ids(2) == ["d9", "d1"]

    def test_a_few_judged_documents_of_many_rows(self):
        docs = ["a"] * 10 + ["b"] * 10 + ["c"]
        frame = pd.DataFrame({"query_id": "1", "intent_id": range(21), "doc_id": docs, "relevance": 1})
        assert Collection(frame).judged_doc_ids(1) == ["a"]
        # Only ten rows for each document are looked at.
        assert Collection(frame).judged_doc_ids(2) == ["a", "b"]
        assert Collection(frame.iloc[:19].assign(doc_id=["a"] * 18 + ["b"])).judged_doc_ids(2) == ["a", "b"]
        assert Collection(frame.assign(doc_id=["a"] * 20 + ["b"])).judged_doc_ids(2) == ["a"]

    def test_qrels_without_intents(self):
        collection = Collection({"1": {"a": 1, "b": 0}})
        assert collection.has_intents is False
        assert collection.intents.tolist() == [""]
        assert collection.grade_intent.tolist() == [0]

    def test_topics_are_in_natural_order(self):
        collection = Collection({"1": {"a": 1}, "10": {"a": 2}, "2": {"a": 3}})
        assert collection.topics.tolist() == ["1", "2", "10"]
        assert collection.grade.tolist() == [1, 3, 2]

    def test_no_relevant_document(self):
        collection = Collection.of({"1": {"a": 0}}, warn=False)
        assert collection.max_grade == 0
        assert collection.intent_best_grade.tolist() == [0]

    @pytest.mark.parametrize("order", [[5, 4, 3, 2, 1, 0], [3, 0, 1, 5, 2, 4], [5, 0, 1, 2, 3, 4]])
    def test_the_order_of_rows_changes_no_value(self, order):
        one, other = Collection(QRELS), Collection(QRELS.iloc[order])
        for name in ("topics", "intents", "intent_start", "row_start", "grade_start", "intent_best_grade"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))

    def test_repeated_rows_and_placeholders_are_left_out(self):
        placeholders = QRELS.drop_duplicates(["query_id", "intent_id"]).assign(doc_id="_no_document_", relevance=0)
        for more in (
            QRELS,
            QRELS.iloc[[0]],
            placeholders,
            QRELS.assign(doc_id="_no_document_", relevance=0),
            QRELS.iloc[:0],
        ):
            collection = Collection(pd.concat([QRELS, more]))
            same_order(collection)
            assert collection.judged_count == 5

    def test_a_stated_highest_grade(self):
        assert Collection(QRELS.assign(max_grade=4)).max_grade == 4
        assert Collection(QRELS.assign(max_grade=2)).max_grade == 3

    def test_columns_of_intents(self):
        collection = Collection(
            of_intents(
                probability=[None, 0.25, 0.75],
                parent_id=[None, "p", "p"],
                type=[None, "nav", "inf"],
                importance=["okay", "vital", None],
            )
        )
        # Topic 2 has no probability, so that it is weighed by importance.
        assert collection.intent_probability.tolist() == [0.5, 0.25, 0.75]
        assert collection.intent_parent.tolist() == [None, "p", "p"]
        assert collection.intent_navigational.tolist() == [False, True, False]
        assert collection.intent_importance.tolist() == ["okay", "vital", None]
        assert collection.intent_has_info.tolist() == [True] * 3

    def test_importance_that_has_no_weight(self):
        weights = Collection(of_intents(importance=["vital", "okay", "low"])).intent_probability
        np.testing.assert_array_equal(weights, [1.0, 0.5, np.nan])

    def test_some_rows_may_lack_what_others_say_of_their_intent(self):
        collection = Collection(QRELS.assign(type=[None, "nav", None, "inf", None, "inf"], parent_id=list("ppqqpp")))
        assert collection.intent_navigational.tolist() == [False, True, False]
        assert collection.intent_parent.tolist() == ["p", "p", "q"]

    def test_the_first_description_is_kept(self):
        collection = Collection(QRELS.assign(description=[None, None, "one", "two", None, None]))
        assert collection.intent_description.tolist() == [None, None, "one"]
        collection = Collection(QRELS.assign(description=["zero", "one", "two", None, "three", "four"]))
        assert collection.intent_description.tolist() == ["zero", "one", "two"]

    def test_declared_intents(self):
        zero = QRELS.assign(intent_id=QRELS["intent_id"].replace({"a": "0"}))
        # Subtopic 0 of TREC is not an intent, but one that is described is.
        assert Collection(zero).intents.tolist() == ["x", "0", "b"]
        assert Collection(zero).intent_declared.tolist() == [True, False, True]
        described = zero.assign(type=np.where(zero["intent_id"] == "0", "inf", None))
        assert Collection(described).intent_declared.tolist() == [True, True, False]
        # a is below b, which is an inner node.
        assert Collection(of_intents(parent_id=["r", "b", "r"])).intent_declared.tolist() == [True, True, False]
        # An intent of that name in another topic is not.
        assert Collection(of_intents(parent_id=["b", "r", "r"])).intent_declared.tolist() == [True, True, True]

    def test_distinct_codes(self):
        for codes, bound in (([3, 1, 3], 4), ([3, 1, 3], 1000), ([], 3)):
            distinct, inverse = _unique_inverse(np.array(codes, dtype=np.int64), bound)
            assert distinct.tolist() == sorted(set(codes))
            assert distinct[inverse].tolist() == codes


class TestRefused:
    @pytest.mark.parametrize(
        ("qrels", "message"),
        [
            (
                of_intents(type=["inf", "nav", "Nav"]),
                "intent 'b' of topic '10' has the type 'Nav'; a type is 'inf' or 'nav'.",
            ),
            (
                of_intents(probability=[0.0, 1.0, -0.5]),
                "intent 'b' of topic '10' has the probability -0.5; give 0 or more.",
            ),
            (
                of_intents(probability=[0.0, 1.0, 1e308]),
                "intent 'b' of topic '10' has the probability 1e+308; give probabilities or weights up to 1e+100.",
            ),
            (
                QRELS.assign(probability=[0.5, 0.25, 1, 1, 0.75, 0.5]),
                "intent 'a' of topic '10' has two probabilities, 0.25 and 0.75; give every row of an intent the same.",
            ),
            *(
                (
                    QRELS.assign(**{column: ["q", "q", "q", "q", "r", None]}),
                    f"intent 'a' of topic '10' has two {name}, 'q' and 'r'; give every row of an intent the same.",
                )
                for column, name in (("parent_id", "parents"), ("type", "types"), ("importance", "importances"))
            ),
            (
                pd.concat([QRELS, QRELS.iloc[1:3].assign(relevance=[5, 6])]),
                "the qrels contradict themselves: document 'd1' of topic '10' has the grades 2 and 5 for intent 'a' "
                "(contradictions in all: 2). Keep one row for each topic, intent and document.",
            ),
            (
                QRELS.drop(columns="intent_id"),
                "the qrels contradict themselves: document 'd1' of topic '10' has the grades 2 and 1 (contradictions "
                f"in all: 1).{LOST_INTENTS}",
            ),
        ],
    )
    def test_columns(self, qrels, message):
        assert error_of(Collection, qrels) == message

    def test_what_a_measure_needs(self):
        plain = Collection({"1": {"a": 1}})
        assert error_of(plain.require_intents, "I-rec") == (
            "I-rec needs intents, but the qrels have no intent column, or it is 0 throughout as in ad hoc qrels."
            + LOST_INTENTS
        )
        assert error_of(plain.require_importance, "V-rec") == (
            "V-rec needs the importance of intents, but the qrels have no column 'importance' with labels: give "
            "'vital' or 'okay' for each intent, in the qrels or by irdiv.with_intents(qrels, intent_table)."
        )
        Collection(QRELS).require_intents("I-rec")
        Collection(of_intents(importance=["vital"] * 3)).require_importance("V-rec")

    def test_more_cells_than_memory_holds(self, monkeypatch):
        assert block_module.MOST_CELLS * 8 == 4e9
        block = Collection(QRELS).topic_blocks[1]
        monkeypatch.setattr(block_module, "MOST_CELLS", 3)
        assert error_of(lambda: block.grades) == (
            "topic '10' has 2 relevant documents and 2 intents: a grade for each pair of them would take more than "
            "0 GB. Evaluate groups of its intents as topics of their own, or leave documents that no run retrieves out "
            "of the qrels."
        )
        monkeypatch.setattr(block_module, "MOST_CELLS", 4)
        assert block.grades.shape == (3, 2)
        monkeypatch.setattr(block_module, "MOST_CELLS", 10**9)
        monkeypatch.setattr(JudgedBlock, "row_count", property(lambda self: 10**9))
        assert (
            "has 1000000000 relevant documents and 2 intents: a grade for each pair of them would take more than 8 GB."
            in (error_of(lambda: Collection(QRELS).topic_blocks[1].grades))
        )

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            (
                {"probability": [0.5, 0.5, None]},
                "intent 'b' of topic '10' counts but has no probability, while other intents of the topic have one; "
                "give the probabilities of all intents, with ids spelled as in the qrels, or of none for uniform ones.",
            ),
            (
                {"importance": ["vital", "okay", "low"]},
                "intent 'b' of topic '10' counts but its importance 'low' has no weight, while other intents of the "
                "topic have one; give the probabilities of all intents, with ids spelled as in the qrels, or of none "
                "for uniform ones.",
            ),
            (
                {"importance": ["vital", "okay", None]},
                "intent 'b' of topic '10' counts but has no probability, while other intents of the topic have one; "
                "give the probabilities of all intents, with ids spelled as in the qrels, or of none for uniform ones.",
            ),
            (
                {"probability": [0.5, 0.0, 0.0]},
                "all intents that count in topic '10' have the probability 0; raise one of them, or leave the "
                "probabilities out for uniform ones.",
            ),
        ],
    )
    def test_weights(self, columns, message):
        for block in (*Collection(of_intents(**columns)).blocks, Collection(of_intents(**columns)).topic_blocks[1]):
            assert error_of(block.intent_weights, 1, "relevant", True) == message

    def test_the_first_topic_without_weights_is_named(self):
        three = pd.concat([of_intents(probability=[1.0, 0.0, 0.0]), QRELS.iloc[[0]].assign(query_id="11")])
        for qrels, topic in ((three, "10"), (of_intents(probability=[0.0, 0.5, 0.5]), "2")):
            (block,) = Collection(qrels).blocks
            assert error_of(block.intent_weights, 1, "relevant", False).startswith(
                f"all intents that count in topic '{topic}' have the probability 0;"
            )


class TestBlocks:
    @pytest.fixture
    def block(self) -> JudgedBlock:
        (block,) = Collection(QRELS).blocks
        return block

    def test_grades(self, block):
        assert len(block) == 2
        assert block.grades.tolist() == [[1, 0], [2, 1], [0, 3], [0, 0]]
        assert block.grades.dtype == np.int64
        assert block.row_count == 3
        assert block.relevant_rows.tolist() == [[0, 3], [1, 2]]
        assert block.relevant_per_topic.tolist() == block.intents_per_topic.tolist() == [1, 2]
        assert block.best_grade.tolist() == [[1, 0], [2, 3]]
        second = block.collection.topic_blocks[1]
        assert (second.row_base, len(second)) == (1, 1)
        assert second.grades.tolist() == [[2, 1], [0, 3], [0, 0]]

    def test_documents_by_id(self):
        renamed = QRELS.assign(doc_id=QRELS["doc_id"].replace({"d1": "z1", "d9": "y9"}))
        (block,) = Collection(renamed).blocks
        assert block.relevant_rows_by_id.tolist() == [[0, 3], [2, 1]]

    def test_intents_that_count(self, block):
        assert block.eligible_intents(1, "relevant").tolist() == [[True, False], [True, True]]
        assert block.eligible_intents(2, "relevant").tolist() == [[False, False], [True, True]]
        assert block.eligible_intents(3, "relevant").tolist() == [[False, False], [False, True]]
        assert block.eligible_intents(3, "all").tolist() == [[True, False], [True, True]]
        assert block.eligible_intent_count(3, "relevant").tolist() == [0, 1]

    def test_types_and_importance(self, block):
        assert block.navigational.tolist() == [[False, False], [False, False]]
        assert block.importance is None
        (other,) = Collection(of_intents(type=["nav", "inf", "nav"], importance=["okay", None, "vital"])).blocks
        assert other.navigational.tolist() == [[True, False], [False, True]]
        assert other.importance.tolist() == [["okay", None], [None, "vital"]]

    def test_uniform_weights(self, block):
        assert block.intent_weights(1, "relevant", False).tolist() == [[1, 0], [0.5, 0.5]]
        assert block.intent_weights(3, "relevant", True).tolist() == [[0, 0], [0, 1]]
        assert block.intent_shares(1, "relevant").tolist() == [[1, 0], [0.5, 0.5]]

    def test_given_weights(self):
        (block,) = Collection(of_intents(probability=[0.5, 0.25, 0.5])).blocks
        assert block.intent_weights(1, "relevant", False).tolist() == [[0.5, 0], [0.25, 0.5]]
        assert block.intent_weights(3, "relevant", False).tolist() == [[0, 0], [0, 0.5]]
        np.testing.assert_allclose(block.intent_weights(1, "relevant", True), [[1, 0], [1 / 3, 2 / 3]])
        np.testing.assert_allclose(block.intent_shares(1, "relevant"), [[1, 0], [1 / 3, 2 / 3]])

    def test_shares_where_some_weights_are_missing(self):
        (block,) = Collection(of_intents(probability=[0.5, 0.25, None])).blocks
        np.testing.assert_array_equal(block.intent_shares(1, "relevant"), [[1, 0], [np.nan, np.nan]])

    @pytest.mark.parametrize(
        ("cells", "edges"),
        [(1, [(0, 1), (1, 2), (2, 3)]), (7, [(0, 1), (1, 2), (2, 3)]), (8, [(0, 2), (2, 3)]), (12, [(0, 3)])],
    )
    def test_topics_that_fit_into_a_block(self, monkeypatch, cells, edges):
        """Topics of 1, 2 · 2 and 1 cells: two of them padded are 2 · 2 · 2, or 8, and all three are 12."""
        three = pd.concat([QRELS, pd.DataFrame([("11", "x", "d", 1)], columns=QRELS.columns)])
        monkeypatch.setattr(collection_module, "BLOCK_CELLS", cells)
        assert [(block.start, block.stop) for block in Collection(three).blocks] == edges

    def test_a_tree_has_a_grade_for_each_layer(self, monkeypatch):
        tree = of_intents(parent_id=["r", "r", "r"])
        for most, count in ((16, 1), (15, 2)):
            monkeypatch.setattr(collection_module, "MOST_CELLS", most)
            assert len(Collection(tree).blocks) == count
            assert len(Collection(QRELS).blocks) == 1

    def test_a_topic_without_relevant_documents(self):
        with pytest.warns(IrdivWarning, match="1 of 2 topics have no relevant document"):
            collection = Collection(QRELS.assign(relevance=[0, 2, 1, 3, 0, 0]))
        assert collection.topics_without_relevant.tolist() == ["2"]
        (block,) = collection.blocks
        assert block.relevant_rows.tolist() == [[2, 2], [0, 1]]
        assert block.intent_weights(1, "relevant", True).tolist() == [[0, 0], [0.5, 0.5]]


class TestCollection:
    def test_what_is_printed(self):
        assert repr(Collection(QRELS)) == "Collection(2 topics, 3 intents, 5 judged documents, highest grade 3)"
        zero = QRELS.assign(intent_id=QRELS["intent_id"].replace({"x": "0"}))
        assert "3 intents" in repr(Collection(zero))
        below = zero.assign(relevance=[0, 2, 1, 3, 0, -1])
        assert "2 intents" in repr(Collection.of(below, warn=False))

    def test_a_collection_stays_what_it_is(self):
        collection = Collection(QRELS)
        assert Collection.of(collection) is collection.to_pandas() is collection
        assert collection.backend == Collection.from_columns(qrels_columns(QRELS)).backend == "pandas"

    def test_the_library_of_the_qrels(self):
        for collection in (Collection(pl.from_pandas(QRELS)), Collection.of(pl.from_pandas(QRELS), warn=False)):
            assert collection.backend == "polars"
            assert collection.to_pandas().backend == "pandas"
            assert collection.backend == "polars"

    def test_topics_without_relevant_documents(self):
        qrels = {str(i): {"a": int(i > 11)} for i in range(1, 13)}
        message = (
            "11 of 12 topics have no relevant document and score 0 in measures of relevance: '1', '2', '3', '4', '5', "
            "'6', '7', '8', '9', '10', …"
        )
        for make in (Collection, Collection.of):
            with pytest.warns(IrdivWarning) as caught:
                make(qrels)
            assert [str(warning.message) for warning in caught] == [message]
        Collection.of(qrels, warn=False)
        Collection.from_columns(qrels_columns(qrels))
        assert describe_topics_without_relevant(["7"], 9) == (
            "1 of 9 topics have no relevant document and score 0 in measures of relevance: '7'"
        )

    def test_some_topics(self):
        whole = Collection(
            of_intents(
                probability=[1.0, 0.25, 0.75],
                parent_id=["r", "r", "r"],
                type=["inf", "nav", "inf"],
                importance=["vital", "okay", None],
                description=["one", "two", None],
            )
        )
        some = SelectedTopics(whole, np.array([1, 0, 1]))
        assert some.topics.tolist() == some.topic_ids.to_pylist() == ["10", "2", "10"]
        assert (some.backend, some.has_intents, some.max_grade) == ("pandas", True, 3)
        assert some.positive_grades.tolist() == [1, 2, 3]
        assert some.intents.tolist() == ["a", "b", "x", "a", "b"]
        assert some.intent_topic.tolist() == [0, 0, 1, 2, 2]
        assert some.intent_start.tolist() == [0, 2, 3, 5]
        assert some.intent_probability.tolist() == [0.25, 0.75, 1.0, 0.25, 0.75]
        assert some.intent_navigational.tolist() == [True, False, False, True, False]
        assert some.intent_best_grade.tolist() == [2, 3, 1, 2, 3]
        assert some.intent_has_info.tolist() == some.intent_declared.tolist() == [True] * 5
        assert some.intent_parent.tolist() == ["r"] * 5
        assert some.intent_description.tolist() == ["two", None, "one", "two", None]
        assert some.intent_importance.tolist() == ["okay", None, "vital", "okay", None]
        assert some.row_start.tolist() == [0, 2, 3, 5]
        assert some.grade_start.tolist() == [0, 3, 4, 7]
        assert some.grade.tolist() == [2, 1, 3, 1, 2, 1, 3]
        assert some.grade_intent.tolist() == [0, 1, 1, 0, 0, 1, 1]
        assert some.grade_row.tolist() == [0, 0, 1, 2, 3, 3, 4]
        docs = string_array(["d2", "d9", "d2", "d9"])
        assert some.find_relevant(np.array([0, 1, 2, 2]), docs).tolist() == [1, 2, 4, -1]
        assert some.is_judged(np.array([0, 1, 2, 2]), docs).tolist() == [True, True, True, False]
        assert some.relevant_doc_ids(np.arange(5)).to_pylist() == ["d1", "d2", "d9", "d1", "d2"]

    def test_some_topics_without_columns_of_intents(self):
        some = SelectedTopics(Collection(QRELS), np.array([1]))
        assert some.intent_parent is some.intent_description is some.intent_importance is None


class TestParts:
    def test_padding(self):
        assert pad(np.array([1, 2, 3]), np.array([2, 0, 1]), fill=9).tolist() == [[1, 2], [9, 9], [3, 9]]
        assert pad(np.array([], dtype=float), np.array([0, 0]), fill=np.nan).shape == (2, 1)
        assert pad(np.array([], dtype=int), np.array([], dtype=int), fill=0).shape == (0, 1)
        assert pad(np.array([True]), np.array([1, 0]), fill=False).tolist() == [[True], [False]]

    @pytest.mark.parametrize(
        "topic",
        [
            [],
            [0, 0, 1],
            [0, 2, 1],
            [1, 0, 1, 0],
            [1, 0] * 50,
            [2**16 - 1, 0, 1],
            [2**16, 0, 1],
            [2**16, 0, 2**16 + 1, 1],
            [2**16, 0] * 50,
        ],
    )
    def test_rows_by_topic(self, topic):
        expected = sorted(range(len(topic)), key=topic.__getitem__)
        assert argsort_by_topic(np.array(topic, dtype=np.int64)).tolist() == expected

    def test_results_are_kept_by_arguments_and_their_types(self):
        memo = Memo()
        assert memo.cached(_product, 2) == memo.cached(_product, 2) == 4
        assert type(memo.cached(_product, 2.0)) is float
        assert memo.cached(_product, 2, by=3) == 6
        first = memo.cached(_new_list, 1)
        assert memo.cached(_new_list, 1) is first
        assert memo.cached(_new_list, True) is not first
        assert memo.__getstate__() == {"_memo": {}}
        assert memo.cached(_nothing) is memo.cached(_nothing) is None
        assert NOTHING == [None]

    def test_a_result_that_depends_on_more_than_its_arguments_is_not_kept(self):
        more = 3

        def product(memo, value):
            return value * more

        with pytest.raises(TypeError, match="product is a closure, and may depend on more than its arguments$"):
            Memo().cached(product, 1)


NOTHING: list[None] = []


def _product(memo: Memo, value, *, by=2):
    return value * by


def _new_list(memo: Memo, value):
    return [value]


def _nothing(memo: Memo) -> None:
    NOTHING.append(None)


def test_a_run_of_everything_that_is_judged_has_all_intents():
    """All that was compiled, seen from outside: topic 2 has 1 intent and topic 10 has 2."""
    run = QRELS[["query_id", "doc_id"]].drop_duplicates().assign(score=1.0)
    assert irdiv.evaluate(QRELS, run, "I-rec@10").values.tolist() == [[[1.0, 1.0]]]
