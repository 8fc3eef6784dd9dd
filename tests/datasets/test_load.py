"""Diversity collections through the real dataset objects of ir_datasets, over its cache filled from real files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import irdiv
from irdiv import IrdivError


@pytest.mark.parametrize(
    ("year", "topics", "intents", "covered", "relevant"),
    [
        ("2009", 50, 243, 199, 6499),
        ("2010", 48, 218, 200, 9006),
        ("2011", 50, 168, 164, 8378),
        ("2012", 50, 195, 187, 9368),
    ],
)
@pytest.mark.usefixtures("irds_home")
def test_counts_of_trec_years(year, topics, intents, covered, relevant):
    collection = irdiv.load(f"clueweb09/en/trec-web-{year}/diversity")
    rows = collection.qrels[collection.qrels["relevance"] > 0]
    assert collection.qrels["query_id"].nunique() == topics
    assert len(collection.topics) == 50
    assert len(collection.intents) == intents
    assert len(rows[["query_id", "intent_id"]].drop_duplicates()) == covered
    assert len(rows) == relevant
    assert set(collection.intents["type"]) == {"inf", "nav"}
    assert set(collection.topics["type"]) == {"ambiguous", "faceted"}
    assert f"{topics} judged topics of 50" in repr(collection)


@pytest.mark.usefixtures("irds_home")
def test_misspelled_types_of_2011_are_corrected_and_reported():
    notes = irdiv.load("clueweb09/en/trec-web-2011/diversity").notes
    assert len(notes) == 2
    assert any("'inv'" in note and "read as 'inf'" in note for note in notes)
    assert any("'inav'" in note and "read as 'nav'" in note for note in notes)


@pytest.mark.usefixtures("irds_home")
def test_subtopic_0_of_2009_is_not_an_intent():
    collection = irdiv.load("clueweb09/en/trec-web-2009/diversity")
    assert "0" in set(collection.qrels["intent_id"])
    compiled = irdiv.Collection(collection.qrels)
    assert compiled.intent_declared.sum() == 243


@pytest.mark.parametrize("run", ["ql", "rm"])
@pytest.mark.usefixtures("irds_home")
def test_values_equal_those_of_the_files(real_data, run):
    path = real_data / "trec-web" / "runs-2012" / f"{run}-catb.txt.gz"
    specs = ["D#-nDCG@10", "ERR_IA@20", "alpha-nDCG@20", "NRBP"]
    loaded = irdiv.evaluate(irdiv.load("clueweb09/en/trec-web-2012/diversity").qrels, path, specs)
    from_file = irdiv.evaluate(real_data / "trec-web" / "2012" / "qrels.diversity.txt", path, specs)
    np.testing.assert_array_equal(loaded.values, from_file.values)


@pytest.mark.usefixtures("irds_home")
def test_options_on_a_real_year():
    plain = irdiv.load("clueweb09/en/trec-web-2012/diversity")
    assert (plain.qrels["relevance"] == -2).any()
    assert not (irdiv.load(plain.name, drop_spam=True).qrels["relevance"] == -2).any()
    strict = irdiv.load(plain.name, min_grade=2).qrels["relevance"]
    assert set(strict[strict > 0]) == set(plain.qrels["relevance"][plain.qrels["relevance"] > 1])


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str


class Small:
    """A dataset as `irdiv.load` needs it: qrels with subtopics."""

    def __init__(self, rows: list[tuple[str, str, int, str]]) -> None:
        self.rows = rows

    def dataset_id(self) -> str:
        return "small"

    def qrels_cls(self) -> type:
        return Qrel

    def qrels_iter(self) -> Any:
        return (Qrel(*row) for row in self.rows)


ROWS = [("1", "a", 1, "10"), ("1", "b", 2, "9"), ("1", "c", 0, "3"), ("1", "d", 1, "11"), ("2", "a", 1, "0")]


def test_descending_probabilities_by_intent_id_over_intents_with_relevant_documents():
    qrels = irdiv.load(Small(ROWS), probabilities="descending").qrels
    probability = qrels.set_index(["query_id", "intent_id"])["probability"]
    # n = 3: 8/14, 4/14, 2/14 for intents 9, 10, 11; intent 3 has no relevant document
    assert probability["1", "9"] == pytest.approx(8 / 14)
    assert probability["1", "10"] == pytest.approx(4 / 14)
    assert probability["1", "11"] == pytest.approx(2 / 14)
    assert np.isnan(probability["1", "3"])
    # a subtopic 0 with relevant documents is an intent
    assert probability["2", "0"] == 1


def test_probabilities_from_a_frame():
    table = pd.DataFrame({"query_id": "1", "intent_id": ["9", "10", "11"], "probability": [0.2, 0.3, 0.5]})
    qrels = irdiv.load(Small(ROWS), probabilities=table).qrels
    value = irdiv.evaluate(qrels, {"1": {"d": 1.0}}, "Hit-IA").values[0, 0, 0]
    assert value == pytest.approx(0.5)


def test_a_collection_without_topics_prints():
    assert repr(irdiv.load(Small(ROWS))).splitlines() == [
        "small",
        "  2 judged topics, 2 of them without a text",
        "  0 intents, 4 with a relevant document",
        "  5 judgments, 4 of them relevant",
    ]


@pytest.mark.usefixtures("irds_home")
def test_datasets_that_are_not_diversity_collections():
    with pytest.raises(irdiv.IrdivError, match="ir_datasets has no dataset 'clueweb99'"):
        irdiv.load("clueweb99")
    with pytest.raises(irdiv.IrdivError, match="has no judgments by subtopic"):
        irdiv.load("clueweb09/en/trec-web-2012")
    with pytest.raises(irdiv.IrdivError, match="has no judgments by subtopic"):
        irdiv.load(3)


def test_ir_datasets_is_imported_only_when_used():
    code = "import sys, irdiv; irdiv.load; print('ir_datasets' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_topic_with_a_single_intent_has_it_under_subtopic_0_since_2013():
    home = Path(os.environ["IR_DATASETS_HOME"]) / "clueweb12" / "trec-web-2013"
    home.mkdir(parents=True)
    (home / "queries.xml").write_text(
        """<webtrack2013>
        <topic number="201" type="faceted"><query>raspberry pi</query><description>What is it?</description>
        <subtopic number="1" type="inf">What is it?</subtopic><subtopic number="2" type="nav">Find it</subtopic></topic>
        <topic number="202" type="single"><query>uss vinson</query><description>Where is it?</description></topic>
        </webtrack2013>"""
    )
    (home / "qrels.all").write_text("201 1 a 1\n201 2 b 2\n201 1 c -2\n202 0 a 2\n202 0 b 1\n202 0 c 0\n")
    collection = irdiv.load("clueweb12/trec-web-2013/diversity", probabilities="descending")
    assert "3 intents, 3 with a relevant document" in repr(collection)
    single = collection.intents.set_index("query_id").loc["202"]
    assert single.to_dict() == {"intent_id": "0", "type": "inf", "description": "Where is it?", "probability": 1.0}
    values = irdiv.evaluate(collection.qrels, {"202": {"c": 2.0, "a": 1.0}}, ["I-rec@1", "I-rec@2"]).values[0]
    assert values.tolist() == [[0, 0], [0, 1]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"min_grade": "2"}, "min_grade='2' is not an integer of 0 or more"),
        ({"min_grade": True}, "min_grade=True is not an integer"),
        ({"probabilities": "random"}, "probabilities='random' is not one of 'uniform', 'descending'"),
        (
            {"probabilities": pd.DataFrame({"query_id": ["1"], "intent_id": ["9"], "type": ["inf"]})},
            "has no column 'probability'",
        ),
    ],
)
def test_bad_options(arguments, message):
    with pytest.raises(IrdivError, match=message):
        irdiv.load(Small(ROWS), **arguments)


def collection_of(rows):
    qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    topics = pd.DataFrame({"query_id": qrels["query_id"].unique()})
    return irdiv.TestCollection("made up", qrels, qrels[["query_id", "intent_id"]].drop_duplicates(), topics)


JUDGED = [
    ("1", "a", "d1", 1),
    ("1", "b", "d2", 1),
    ("1", "b", "_no_document_", 0),
    ("2", "a", "d1", 1),
    ("3", "a", "d9", 1),
]


def test_a_subset_of_topics():
    part = collection_of(JUDGED).subset([1, "3"])
    for frame in (part.qrels, part.intents, part.topics):
        assert frame["query_id"].unique().tolist() == ["1", "3"]
    with pytest.raises(IrdivError, match="no topic '7'; its topics are '1', '3'"):
        part.subset(["7"])


def test_judgments_restricted_to_a_pool():
    runs = {"A": {"1": {"d2": 2.0, "d1": 1.0}, "2": {"d1": 1.0}}, "B": {"1": {"x": 3.0, "d1": 1.0}}}
    collection = collection_of(JUDGED)
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
    with pytest.raises(IrdivError, match="depth=0 is not an integer of 1 or more"):
        collection.subset(runs=runs, depth=0)


def test_a_collection_is_taken_in_place_of_its_qrels():
    collection = irdiv.demo.demo_collection()
    runs = irdiv.demo.demo_qrels_and_runs()[1]
    assert repr(irdiv.Collection(collection)) == repr(irdiv.Collection(collection.qrels))
    pd.testing.assert_frame_equal(irdiv.oracle(collection), irdiv.oracle(collection.qrels))
    specs = ["D#-nDCG@10", "D#-nDCG-LA@10"]
    np.testing.assert_array_equal(
        irdiv.evaluate(collection, runs, specs).values, irdiv.evaluate(collection.qrels, runs, specs).values
    )
    for convert in (irdiv.datasets.to_adhoc, irdiv.datasets.to_ir_measures, irdiv.datasets.to_pyterrier):
        pd.testing.assert_frame_equal(convert(collection), convert(collection.qrels))
    table = pd.DataFrame({"query_id": ["1"], "intent_id": ["1"], "probability": [1.0]})
    pd.testing.assert_frame_equal(irdiv.with_intents(collection, table), irdiv.with_intents(collection.qrels, table))
