"""`irdiv.load`: datasets of ir_datasets and what looks like one, wrong ids, and the collection that it returns."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd
import pytest

import irdiv
from irdiv import IrdivError


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str


class Query(NamedTuple):
    query_id: str


class Small:
    """A dataset as `irdiv.load` needs it: qrels with subtopics."""

    def __init__(self, rows: list[tuple[str, str, int, str]]) -> None:
        self.rows = rows

    def dataset_id(self) -> str:
        return "small"

    def qrels_cls(self) -> type:
        return Qrel

    def qrels_iter(self) -> Iterator[Qrel]:
        return (Qrel(*row) for row in self.rows)


class WithTopics(Small):
    def queries_iter(self) -> Iterator[Query]:
        return (Query(query) for query in dict.fromkeys(row[0] for row in self.rows))


ROWS = [("1", "a", 1, "10"), ("1", "b", 2, "9"), ("1", "c", 0, "3"), ("1", "d", 1, "11"), ("2", "a", 1, "0")]


def test_descending_probabilities_by_intent_id_over_intents_with_relevant_documents():
    qrels = irdiv.load(Small(ROWS), probabilities="descending").qrels
    probability = qrels.set_index(["query_id", "intent_id"])["probability"]
    # n = 3: 8/14, 4/14, 2/14 for intents 9, 10, 11; intent 3 has no relevant document; subtopic 0 has one
    expected = {("1", "9"): 8 / 14, ("1", "10"): 4 / 14, ("1", "11"): 2 / 14, ("2", "0"): 1}
    assert probability.dropna().to_dict() == pytest.approx(expected)


def test_probabilities_from_a_frame():
    table = pd.DataFrame({"query_id": "1", "intent_id": ["9", "10", "11"], "probability": [0.2, 0.3, 0.5]})
    qrels = irdiv.load(Small(ROWS), probabilities=table).qrels
    assert irdiv.evaluate(qrels, {"1": {"d": 1.0}}, "Hit-IA").values[0, 0, 0] == pytest.approx(0.5)
    with pytest.raises(IrdivError, match="no column 'probability'"):
        irdiv.load(Small(ROWS), probabilities=table.drop(columns="probability").assign(type="inf"))
    with pytest.raises(IrdivError, match="min_grade=True"):
        irdiv.load(Small(ROWS), min_grade=True)


def test_a_collection_without_topics_prints():
    assert repr(irdiv.load(Small(ROWS))).splitlines() == [
        "small",
        "  2 judged topics, 2 of them without a text",
        "  0 intents, 4 with a relevant document",
        "  5 judgments, 4 of them relevant",
    ]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RuntimeError("All download sources failed", ["x" * 1000]), r"download the qrels of small .*read_trec_web\.$"),
        (ConnectionError(), "download the qrels of small"),
        (ValueError("odd"), "read the qrels of small: .*odd"),
        (IrdivError("line 3: odd"), "^line 3: odd$"),
    ],
    ids=["download", "network", "no file", "an error of irdiv"],
)
def test_errors_of_ir_datasets_name_the_dataset(error, message):
    class Broken(Small):
        def qrels_iter(self) -> Iterator[Qrel]:
            raise error

    with pytest.raises(IrdivError, match=message) as caught:
        irdiv.load(Broken(ROWS))
    assert len(str(caught.value)) < 300


@pytest.mark.usefixtures("irds_home")
def test_datasets_that_are_not_diversity_collections():
    with pytest.raises(IrdivError, match="no dataset 'clueweb99'"):
        irdiv.load("clueweb99")
    with pytest.raises(IrdivError, match="'clueweb09/en/trec-web-2012' has no judgments by subtopic"):
        irdiv.load("clueweb09/en/trec-web-2012")
    with pytest.raises(IrdivError, match="'int' has no judgments by subtopic"):
        irdiv.load(3)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("clueweb12", "clueweb12/trec-web-2014/diversity"),
        ("clueweb12/catb/trec-web-2013/diversity", "clueweb12/trec-web-2013/diversity"),
        ("clueweb12/trec-web-2013/diverse", "clueweb12/trec-web-2013/diversity"),
        ("clueweb09/trec-web-2013/diversity", "clueweb12/trec-web-2013/diversity"),
        ("trec-web-2014", "clueweb12/trec-web-2014/diversity"),
        ("clueweb12/trec-web-2012/diversity", "clueweb09/en/trec-web-2012/diversity"),
        ("clueweb09/en/trec-web-2012", "clueweb09/en/trec-web-2012/diversity"),
        ("irds:clueweb09/catb/trec-web-2010/diversity", "clueweb09/catb/trec-web-2010/diversity"),
    ],
)
def test_wrong_ids_get_the_right_suggestion(wrong, right):
    with pytest.raises(IrdivError, match=f"did you mean '{right}'") as caught:
        irdiv.load(wrong)
    assert "Dataset(" not in str(caught.value)


@pytest.mark.slow
def test_ir_datasets_is_imported_only_when_used():
    code = "import sys, irdiv; irdiv.load; print('ir_datasets' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


# What is loaded


@pytest.fixture
def collection():
    rows = [("1", "d1", 1, "a"), ("1", "d2", 1, "b"), ("1", "_no_document_", 0, "b"), ("2", "d1", 1, "a")]
    return irdiv.load(WithTopics([*rows, ("3", "d9", 1, "a")]))


def test_a_subset_of_topics(collection):
    part = collection.subset([1, "3"])
    for frame in (part.qrels, part.topics):
        assert frame["query_id"].unique().tolist() == ["1", "3"]
    assert part.subset("3").topics["query_id"].tolist() == part.subset(3).topics["query_id"].tolist() == ["3"]
    with pytest.raises(IrdivError, match="no topic '7'.*'1', '3'"):
        part.subset(["7"])


def test_judgments_restricted_to_a_pool(collection):
    runs = {"A": {"1": {"d2": 2.0, "d1": 1.0}, "2": {"d1": 1.0}}, "B": {"1": {"x": 3.0, "d1": 1.0}}}
    first = collection.subset(runs=runs, depth=1).qrels
    # intent a of topic 1 and topic 3 have no judged document left
    assert first[["query_id", "intent_id", "doc_id", "relevance"]].values.tolist() == [
        ["1", "b", "d2", 1],
        ["1", "b", "_no_document_", 0],
        ["2", "a", "d1", 1],
        ["1", "a", "_no_document_", 0],
        ["3", "a", "_no_document_", 0],
    ]
    assert collection.subset(runs=runs).qrels["relevance"].tolist() == [1, 1, 0, 1, 0]
    with pytest.raises(IrdivError, match="give also the runs"):
        collection.subset(depth=3)
    with pytest.raises(IrdivError, match="depth=0"):
        collection.subset(runs=runs, depth=0)


def test_a_collection_is_taken_in_place_of_its_qrels():
    collection = irdiv.demo.demo_collection()
    runs = irdiv.demo.demo_qrels_and_runs()[1]
    table = pd.DataFrame({"query_id": ["1"], "intent_id": ["1"], "probability": [1.0]})
    specs = ["D#-nDCG@10", "D#-nDCG-LA@10"]
    for function in (
        lambda qrels: irdiv.evaluate(qrels, runs, specs).frame,
        lambda qrels: irdiv.with_intents(qrels, table),
        irdiv.oracle,
        irdiv.datasets.to_adhoc,
        irdiv.datasets.to_ir_measures,
        irdiv.datasets.to_pyterrier,
    ):
        pd.testing.assert_frame_equal(function(collection), function(collection.qrels))
    assert repr(irdiv.Collection(collection)) == repr(irdiv.Collection(collection.qrels))
