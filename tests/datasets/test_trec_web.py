"""The official files of the TREC Web track, small ones made here, and the real ones against ir_datasets."""

from __future__ import annotations

import gzip
import os
from collections import namedtuple
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import irdiv
from helpers import TREC_WEB
from irdiv import IrdivError
from irdiv.datasets import descending_weights, read_trec_web

DOCUMENT_TYPE = """<?xml version="1.0"?>
<!DOCTYPE webtrack2013 [
  <!ELEMENT webtrack2013 (topic)*>
  <!ATTLIST subtopic number CDATA #REQUIRED type (nav|inf) "inf">
]>
"""
Qrel = namedtuple("Qrel", ["query_id", "doc_id", "relevance", "subtopic_id"])
XML = """<webtrack2013>
<!-- a comment -->
<topic number="201" type="faceted">
  <query>raspberry
    pi</query>
  <description>
    What is a &lt;raspberry&gt; pi?
  </description>
  <subtopic number="1" type="inf">
    What is   a raspberry
    pi?
  </subtopic>
  <subtopic number="2" type="nav">Find its home page</subtopic>
  <subtopic number="3">Nobody judged this</subtopic>
</topic>
<topic number="202" type="single">
  <query>uss carl vinson</query>
  <description>Where is   it?
  </description>
</topic>
</webtrack2013>
"""
QRELS = "201 1 a 1\n201 2 b 2\n201 1 c -2\n201 0 d 0\n202 0 a 2\n202 0 b 1\n202 0 c 0\n"


@pytest.fixture(params=["", DOCUMENT_TYPE], ids=["plain", "with a document type"])
def files(tmp_path, request) -> tuple[Path, Path]:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "topics.xml").write_text(request.param + XML)
    return tmp_path / "qrels.txt", tmp_path / "topics.xml"


def test_types_descriptions_and_texts(files):
    collection = read_trec_web(*files)
    assert collection.topics.to_dict("records") == [
        {
            "query_id": "201",
            "query": "raspberry pi",
            "type": "faceted",
            "description": "What is a <raspberry> pi?",
        },
        {"query_id": "202", "query": "uss carl vinson", "type": "single", "description": "Where is it?"},
    ]
    assert collection.intents.values.tolist() == [
        ["201", "1", "inf", "What is a raspberry pi?"],
        ["201", "2", "nav", "Find its home page"],
        ["201", "3", "inf", "Nobody judged this"],
        ["202", "0", "inf", "Where is it?"],
    ]
    assert collection.notes == ()
    assert collection.name == str(files[0])


def test_subtopic_0_is_an_intent_only_where_it_has_relevant_documents(files):
    compiled = irdiv.Collection(read_trec_web(*files))
    declared = [compiled.describe_intent(intent) for intent in np.flatnonzero(compiled.intent_declared)]
    assert declared == [
        "intent '1' of topic '201'",
        "intent '2' of topic '201'",
        "intent '3' of topic '201'",
        "intent '0' of topic '202'",
    ]


def test_options_are_those_of_load(files):
    collection = read_trec_web(*files, drop_spam=True, min_grade=2, probabilities="descending")
    qrels = collection.qrels.set_index(["query_id", "intent_id", "doc_id"])
    assert ("201", "1", "c") not in qrels.index
    assert qrels["relevance"]["201", "1", "a"] == 0
    # Of topic 201, only intent 2 has a relevant document now.
    assert qrels["probability"]["201", "2", "b"] == 1
    assert np.isnan(qrels["probability"]["201", "1", "a"])
    with pytest.raises(IrdivError, match="min_grade='2' is not an integer"):
        read_trec_web(*files, min_grade="2")
    with pytest.raises(IrdivError, match="probabilities='random' is not one of"):
        read_trec_web(*files, probabilities="random")


def test_gzip_and_parquet(files, tmp_path):
    expected = read_trec_web(*files)
    for path in files:
        Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes()))
    pd.read_csv(files[0], sep=" ", names=["qid", "subtopic", "docno", "label"], dtype=str).astype(
        {"label": int}
    ).to_parquet(tmp_path / "qrels.parquet")
    for qrels in (f"{files[0]}.gz", tmp_path / "qrels.parquet"):
        collection = read_trec_web(qrels, f"{files[1]}.gz")
        pd.testing.assert_frame_equal(collection.qrels, expected.qrels, check_dtype=False)


@pytest.mark.parametrize("year", TREC_WEB)
@pytest.mark.usefixtures("irds_home")
def test_the_official_files_equal_what_ir_datasets_has(real_data, year):
    qrels, _, topics = TREC_WEB[year]
    folder = real_data / "trec-web" / year
    for options in ({}, {"probabilities": "descending", "drop_spam": True}):
        ours = read_trec_web(folder / qrels, folder / topics, **options)
        theirs = irdiv.load(f"clueweb09/en/trec-web-{year}/diversity", **options)
        for frame in ("qrels", "intents", "topics"):
            pd.testing.assert_frame_equal(getattr(ours, frame), getattr(theirs, frame), check_dtype=False)
        assert ours.notes == theirs.notes
    texts = pd.concat([ours.topics["description"], ours.topics["query"], ours.intents["description"]])
    assert not texts.str.contains(r"^\s|\s$|\s\s|\n", regex=True).any()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('<topic number="202"', "<topic", "line 16: <topic> has no number"),
        ('"202"', '"201"', "line 16: topic 201 is there twice"),
        ('<subtopic number="2"', '<subtopic number="1"', "line 13: subtopic 1 of topic 201 is there twice"),
        ('<subtopic number="2"', "<subtopic", "line 13: <subtopic> has no number"),
        ('number="2"', 'number=" "', "line 13: the number of this subtopic is empty"),
        ('type="nav"', 'type="navi"', "line 13: type is 'navi', not inf or nav"),
        ("<query>uss carl vinson</query>", "", "line 16: topic 202 has no <query>"),
        ("&lt;", "<", "line 7: not well-formed (invalid token)"),
        ("&lt;", "&amp", "line 7: not well-formed"),
        ("</webtrack2013>", "", "line 22: the file is empty or truncated"),
        ("topic ", "thema ", "mismatched tag"),
    ],
)
def test_errors_of_topic_files_name_the_line(tmp_path, old, new, message):
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "topics.xml").write_text(XML.replace(old, new))
    with pytest.raises(IrdivError) as caught:
        read_trec_web(tmp_path / "qrels.txt", tmp_path / "topics.xml")
    assert str(caught.value).startswith(str(tmp_path / "topics.xml"))
    assert message in str(caught.value)


def test_files_that_are_not_topics(files):
    files[1].write_text("<html><body>moved</body></html>")
    with pytest.raises(IrdivError, match="topics.xml: no topics; expected XML such as"):
        read_trec_web(*files)
    files[1].write_text('<!DOCTYPE x [<!ENTITY a "aaaa">]><x><topic number="1"><query>&a;</query></topic></x>')
    with pytest.raises(IrdivError, match="line 1: document types and entities in XML are not allowed"):
        read_trec_web(*files)
    with pytest.raises(IrdivError, match="no such XML file"):
        read_trec_web(files[0], files[1].parent / "none.xml")


def test_topics_of_another_year(files):
    files[1].write_text(XML.replace("201", "301").replace("202", "302"))
    with pytest.raises(IrdivError, match=r"no topic in common: .*qrels.txt has '201', '202', and .* has '301', '302'"):
        read_trec_web(*files)
    files[1].write_text(XML.replace("202", "302"))
    with pytest.warns(irdiv.IrdivWarning, match="1 of 2 topics of .*qrels.txt are not in .*topics.xml: '202'"):
        collection = read_trec_web(*files)
    assert "\n  2 judged topics, 1 of them without a text\n" in repr(collection)


def test_subtopics_that_are_not_in_the_topics(files):
    files[0].write_text(QRELS + "201 7 a 1\n201 0 a 1\n201 8 a 0\n")
    message = (
        r"2 subtopics with relevant documents are not in the topics: '7' of topic '201', '0' of topic '201'\. "
        "Each counts as an intent, without a description"
    )
    with pytest.warns(irdiv.IrdivWarning, match=message):
        collection = read_trec_web(*files)
    assert collection.intents[["query_id", "intent_id", "type", "description"]].values.tolist()[3:] == [
        ["202", "0", "inf", "Where is it?"],
        ["201", "7", "inf", None],
        ["201", "0", "inf", None],
    ]
    compiled = irdiv.Collection(collection)
    assert "intent '7' of topic '201'" in map(compiled.describe_intent, np.flatnonzero(compiled.intent_declared))


def test_a_topic_without_a_subtopic_in_common(files):
    files[0].write_text("201 8 a 1\n201 9 b 0\n202 0 a 2\n")
    with pytest.raises(IrdivError, match=r"no subtopic of topic '201' in common: .* has '8', '9', and .* '1', '2'"):
        read_trec_web(*files)


def test_an_unreadable_topic_file_of_ir_datasets():
    home = Path(os.environ["IR_DATASETS_HOME"]) / "clueweb12" / "trec-web-2014"
    home.mkdir(parents=True)
    (home / "qrels.all").write_text(QRELS)
    (home / "queries.xml").write_text(XML.replace('number="2"', "", 1))
    with pytest.raises(IrdivError, match=r"queries.xml, line 13: <subtopic> has no number"):
        irdiv.load("clueweb12/trec-web-2014/diversity")
    (home / "queries.xml").write_text(XML.replace("</query>", ""))
    with pytest.raises(IrdivError, match=r"queries.xml, line 15: mismatched tag"):
        irdiv.load("clueweb12/trec-web-2014/diversity")
    (home / "queries.xml").write_text(DOCUMENT_TYPE + XML)
    assert irdiv.load("clueweb12/trec-web-2014/diversity").intents["description"][0] == "What is a raspberry pi?"
    (home / "qrels.all").write_text(QRELS + "202 0 d\n")
    with pytest.raises(IrdivError, match="qrels.all, line 8: found 3 columns"):
        irdiv.load("clueweb12/trec-web-2014/diversity")


def test_a_download_that_fails():
    class Offline:
        def dataset_id(self):
            return "offline"

        def qrels_cls(self):
            return Qrel

        def qrels_iter(self):
            raise RuntimeError("All download sources failed", ["x" * 1000])

    with pytest.raises(IrdivError) as caught:
        irdiv.load(Offline())
    assert str(caught.value) == (
        "ir_datasets cannot download the qrels of offline (All download sources failed); check the network, or read "
        "the official files with irdiv.datasets.read_trec_web."
    )


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("clueweb12", "clueweb12/trec-web-2014/diversity"),
        ("clueweb12/trec-web-2013", "clueweb12/trec-web-2013/diversity"),
        ("clueweb12/trec-web-2014", "clueweb12/trec-web-2014/diversity"),
        ("clueweb12/catb/trec-web-2013/diversity", "clueweb12/trec-web-2013/diversity"),
        ("clueweb12/en/trec-web-2014/diversity", "clueweb12/trec-web-2014/diversity"),
        ("clueweb12/b13/trec-web-2014", "clueweb12/trec-web-2014/diversity"),
        ("clueweb12/trec-web-2013/diverse", "clueweb12/trec-web-2013/diversity"),
        ("clueweb09/trec-web-2013/diversity", "clueweb12/trec-web-2013/diversity"),
        ("trec-web-2014", "clueweb12/trec-web-2014/diversity"),
        ("clueweb12/trec-web-2012/diversity", "clueweb09/en/trec-web-2012/diversity"),
        ("clueweb09/en/trec-web-2012", "clueweb09/en/trec-web-2012/diversity"),
        ("irds:clueweb09/catb/trec-web-2010/diversity", "clueweb09/catb/trec-web-2010/diversity"),
    ],
)
def test_wrong_ids_get_the_right_suggestion(wrong, right):
    with pytest.raises(IrdivError) as caught:
        irdiv.load(wrong)
    assert f"did you mean {right!r}" in str(caught.value)
    assert "Dataset(" not in str(caught.value)


def test_descending_weights_of_an_intent_table():
    table = pd.DataFrame({"qid": [2, 1, 1, 10, 1], "subtopic": [5, 10, 9, 1, 3], "type": "inf"})
    frame = descending_weights(table)
    assert frame["query_id"].tolist() == ["1", "1", "1", "2", "10"]
    assert frame["intent_id"].tolist() == ["3", "9", "10", "5", "1"]
    # 2^3, 2^2, 2^1 of 14
    assert frame["probability"].tolist() == [8 / 14, 4 / 14, 2 / 14, 1, 1]


def test_descending_weights_of_qrels_are_those_of_load(files):
    plain = read_trec_web(*files)
    expected = read_trec_web(*files, probabilities="descending").qrels
    pd.testing.assert_frame_equal(irdiv.with_intents(plain, descending_weights(plain)), expected)
    pd.testing.assert_frame_equal(descending_weights(plain), descending_weights(plain.qrels))
    # Intent 3 has no relevant document; as rows of a table, all intents count.
    assert descending_weights(plain)["probability"].round(4).tolist() == [0.6667, 0.3333, 1]
    assert descending_weights(plain.intents)["probability"].round(4).tolist() == [0.5714, 0.2857, 0.1429, 1]


def test_descending_weights_of_many_intents():
    table = pd.DataFrame({"query_id": "1", "intent_id": [str(i) for i in range(2000)]})
    probability = descending_weights(table)["probability"]
    assert probability.sum() == pytest.approx(1)
    assert probability[0] == 0.5


def test_descending_weights_in_the_callers_library():
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    table = pd.DataFrame({"query_id": ["1", "1"], "intent_id": ["a", "b"]})
    assert descending_weights(polars.from_pandas(table))["probability"].to_list() == [2 / 3, 1 / 3]
    assert descending_weights(pyarrow.Table.from_pandas(table))["probability"].to_pylist() == [2 / 3, 1 / 3]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"query_id": [], "intent_id": []}, "the intents are empty"),
        ({"query_id": ["1"], "topic": ["a"]}, "the intents lack a column: expected 'intent_id'"),
        ({"query_id": ["1", "1"], "intent_id": ["a", "a"]}, "two rows for intent 'a' of topic '1'"),
        ({"query_id": ["1"], "intent_id": ["a"], "parent_id": ["b"]}, "the intents are a hierarchy"),
        ({"query_id": ["1"], "intent_id": ["a"], "doc_id": ["d"]}, "the qrels lack a column: expected 'relevance'"),
        ({"query_id": ["1"], "intent_id": [None]}, "has a missing id"),
    ],
)
def test_bad_tables_for_descending_weights(table, message):
    with pytest.raises(IrdivError, match=message):
        descending_weights(pd.DataFrame(table))
