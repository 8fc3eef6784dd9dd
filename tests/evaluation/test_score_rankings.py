"""Collection.score: the values of irdiv.evaluate for lists of document ids."""

from __future__ import annotations

import ir_measures
import numpy as np
import pytest

import irdiv
from helpers import random_collection
from irdiv import Collection, IrdivError
from irdiv.evaluation import rankings as rankings_module
from irdiv.measures.catalogue import registry

TOPICS = 6
SPECS = ["D#-nDCG@3", "alpha-nDCG@5", "ERR-IA", "nDCG@3", "Judged@4", "D-nDCG(judged_only=True)@4"]
EVERYTHING = [*registry, *(irdiv.parse(name) @ 4 for name, declaration in registry.items() if declaration.takes_cutoff)]


def make_lists(seed: int = 0, topics: int = TOPICS) -> dict[str, list[str]]:
    rng = np.random.default_rng(seed)
    return {
        str(topic): [f"d{doc:02}" for doc in rng.permutation(35)[: rng.integers(1, 30)]]
        for topic in range(1, topics + 1)
    }


@pytest.fixture(scope="module")
def qrels():
    return random_collection(0, TOPICS)


@pytest.fixture
def collection(qrels) -> Collection:
    return Collection(qrels)


def expected(qrels, rankings, measures=SPECS) -> np.ndarray:
    """Return what evaluate returns for the topics of the rankings, ``[measure, topic]``."""
    evaluation = irdiv.evaluate(qrels, rankings, list(measures))
    return evaluation.values[0][:, [list(evaluation.query_ids).index(topic) for topic in rankings]]


def test_every_measure_has_the_values_of_evaluate(qrels, collection):
    lists = make_lists()
    found = collection.score(lists, EVERYTHING)
    for row, values, measure in zip(found, expected(qrels, lists, EVERYTHING), EVERYTHING, strict=True):
        np.testing.assert_array_equal(row, values, err_msg=str(measure))
    assert len(np.unique(found)) > 100


@pytest.mark.parametrize("topics", [["3"], ["5", "2"], ["6", "1", "4", "2", "3", "5"]])
def test_every_measure_of_some_topics(qrels, collection, topics):
    """Only the topics that have a ranking are scored, in the order of the rankings."""
    lists = {topic: make_lists(1)[topic] for topic in topics}
    found = collection.score(lists, EVERYTHING)
    for row, values, measure in zip(found, expected(qrels, lists, EVERYTHING), EVERYTHING, strict=True):
        np.testing.assert_array_equal(row, values, err_msg=str(measure))


def test_a_topic_may_have_several_rankings(qrels, collection):
    sampled = [make_lists(seed) for seed in range(4)]
    topics = ["2", "5", "2", "2"]
    lists = [rankings[topic] for rankings, topic in zip(sampled, topics, strict=True)]
    measures = [*EVERYTHING, ir_measures.Bpref, ir_measures.infAP]
    found = collection.score(lists, measures, topics=topics)
    for position, (topic, docs) in enumerate(zip(topics, lists, strict=True)):
        np.testing.assert_array_equal(found[:, position], expected(qrels, {topic: docs}, measures)[:, 0])


@pytest.mark.slow
def test_small_blocks_change_no_bit(qrels, collection, monkeypatch):
    from irdiv.arrays import collection as collection_module

    monkeypatch.setattr(collection_module, "BLOCK_CELLS", 50)
    lists = make_lists()
    found = collection.score(lists, EVERYTHING)
    assert len(collection.blocks) > 2
    monkeypatch.undo()
    np.testing.assert_array_equal(found, expected(qrels, lists, EVERYTHING))


def test_calls_do_not_depend_on_calls_before(qrels, collection, monkeypatch):
    monkeypatch.setattr(rankings_module, "_KEPT_SELECTIONS", 2)
    for seed in range(3):
        for topics in (["1"], ["2", "1"], ["1", "2"], ["3", "4"], [str(topic) for topic in range(1, TOPICS + 1)]):
            lists = {topic: make_lists(seed)[topic] for topic in topics}
            for measures in (SPECS, SPECS[::-1]):
                np.testing.assert_array_equal(collection.score(lists, measures), expected(qrels, lists, measures))


def test_one_measure_and_several(collection):
    lists = make_lists()
    one = collection.score(lists, "D#-nDCG@3")
    assert one.shape == (TOPICS,)
    assert one.dtype == np.float64
    measure = irdiv.parse("D#-nDCG@3")
    np.testing.assert_array_equal(collection.score(lists, measure), one)
    np.testing.assert_array_equal(collection.score(lists, [measure]), [one])
    twice = collection.score(lists, ["D#-nDCG@3", "I-rec@3", "D♯-nDCG@3"])
    assert twice.shape == (3, TOPICS)
    np.testing.assert_array_equal(twice[[0, 2]], [one, one])


def test_values_may_be_changed(collection):
    """What is returned is the caller's."""
    lists = make_lists()
    found = collection.score(lists, "I-rec@3")
    before = found.copy()
    found[:] = -1
    np.testing.assert_array_equal(collection.score(lists, "I-rec@3"), before)


def test_forms_of_rankings(collection):
    lists = make_lists()
    values = collection.score(lists, SPECS)
    in_order = [lists[topic] for topic in collection.topics]
    forms = [
        ({topic: tuple(docs) for topic, docs in lists.items()}, None),
        ({topic: np.array(docs) for topic, docs in lists.items()}, None),
        ({int(topic): np.array(docs, dtype=object) for topic, docs in lists.items()}, None),
        (in_order, None),
        ((docs for docs in in_order), None),
        (in_order, [1, 2, 3, 4, 5, 6]),
        (in_order, np.array(collection.topics)),
    ]
    for rankings, topics in forms:
        np.testing.assert_array_equal(collection.score(rankings, SPECS, topics=topics), values)


def test_ids_that_are_integers():
    collection = Collection({"1": {"7": 1, "8": 0}})
    assert collection.score({1: [8, 7]}, "RR").tolist() == [0.5]
    assert collection.score({1: ["8", 7]}, "RR").tolist() == [0.5]


def test_an_empty_list_scores_as_a_topic_that_a_run_lacks(qrels, collection):
    lists = make_lists() | {"4": []}
    without = {topic: docs for topic, docs in lists.items() if docs}
    values = irdiv.evaluate(qrels, without, EVERYTHING).values[0]
    np.testing.assert_array_equal(collection.score(lists, EVERYTHING), values)
    only = collection.score({"4": []}, [*EVERYTHING, ir_measures.Bpref])
    np.testing.assert_array_equal(only[:-1, 0], values[:, 3])


def test_loaded_collections_score(collection, tmp_path):
    collection.save(tmp_path / "c")
    lists = make_lists()
    np.testing.assert_array_equal(Collection.load(tmp_path / "c").score(lists, SPECS), collection.score(lists, SPECS))


@pytest.mark.parametrize("lists", [{"2": ["d01", "d02", "d01"]}, {"1": ["d00"], "3": ["x", "y", "x", "x"], "2": ["x"]}])
def test_documents_that_occur_twice(qrels, collection, lists):
    with pytest.raises(IrdivError) as expected_error:
        irdiv.evaluate(qrels, lists, SPECS)
    with pytest.raises(IrdivError) as found:
        collection.score(lists, SPECS)
    assert str(found.value) == str(expected_error.value)
    values = irdiv.evaluate(qrels, lists, SPECS, duplicates="first").values[0]
    columns = [int(topic) - 1 for topic in lists]
    np.testing.assert_array_equal(collection.score(lists, SPECS, duplicates="first"), values[:, columns])


@pytest.mark.parametrize(
    ("rankings", "options", "message"),
    [
        ({"1": ["d00"], "99": ["d00"]}, {}, "topic '99' is not in the qrels, so its ranking has no score; there are"),
        ({}, {}, "no rankings given"),
        ([], {"topics": []}, "no rankings given"),
        ([["d00"]], {}, "1 rankings are given for 6 topics of the collection; give one for each"),
        ([["d00"]], {"topics": ["1", "2"]}, "1 rankings are given for 2 topics; give one for each"),
        ({"1": ["d00"]}, {"topics": ["1"]}, "the keys of this mapping do"),
        ({"1": "d00"}, {}, "the ranking of topic '1' is not a list of document ids, the best first: found 'str'"),
        ({"1": {"d00": 1.0}}, {}, "the ranking of topic '1' is not a list of document ids.*found 'dict'"),
        ({"2": ["d00", None]}, {}, r"the ranking of topic '2' is not a list.*\['NoneType', 'str'\]"),
        ({"2": [1.5]}, {}, "the ranking of topic '2' is not a list"),
        ({"2": [True]}, {}, "the ranking of topic '2' is not a list"),
        ({"2": [["d00"]]}, {}, "the ranking of topic '2' is not a list"),
        ({"2": np.array([["d00"]])}, {}, "the ranking of topic '2' is not a list"),
        ({"1": ["d00"]}, {"duplicates": "last"}, "duplicates='last'"),
    ],
)
def test_rankings_that_cannot_be_scored(collection, rankings, options, message):
    with pytest.raises(IrdivError, match=message):
        collection.score(rankings, SPECS, **options)


@pytest.mark.parametrize("measures", ["D#-nDGC@3", [], {"I-rec@3": "D-nDCG@3"}, [3]])
def test_measures_that_cannot_be_computed(qrels, collection, measures):
    with pytest.raises(IrdivError):
        collection.score(make_lists(), measures)


def test_measures_that_need_intents(collection):
    adhoc = Collection({"1": {"d1": 1}})
    with pytest.raises(IrdivError, match="needs intents"):
        adhoc.score({"1": ["d1"]}, "I-rec@3")
    assert adhoc.score({"1": ["d1"]}, "nDCG@3").tolist() == [1.0]
