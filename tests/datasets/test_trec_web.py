"""The official files of the TREC Web track: small ones made here, and the real ones, also through ir_datasets."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import irdiv
from helpers import TREC_WEB
from irdiv import IrdivError, IrdivWarning
from irdiv.datasets import read_trec_web
from irdiv.intents import descending_weights

DOCUMENT_TYPE = """<?xml version="1.0"?>
<!DOCTYPE webtrack2013 [
  <!ELEMENT webtrack2013 (topic)*>
  <!ATTLIST subtopic number CDATA #REQUIRED type (nav|inf) "inf">
]>
"""
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
ALL_INTENTS = "I-rec(intents='all')@2"


@pytest.fixture(params=["", DOCUMENT_TYPE], ids=["plain", "with a document type"])
def files(tmp_path, request) -> tuple[Path, Path]:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "topics.xml").write_text(request.param + XML)
    return tmp_path / "qrels.txt", tmp_path / "topics.xml"


def test_types_descriptions_and_texts(files):
    collection = read_trec_web(*files)
    assert collection.topics.values.tolist() == [
        ["201", "raspberry pi", "faceted", "What is a <raspberry> pi?"],
        ["202", "uss carl vinson", "single", "Where is it?"],
    ]
    assert collection.intents.values.tolist() == [
        ["201", "1", "inf", "What is a raspberry pi?"],
        ["201", "2", "nav", "Find its home page"],
        ["201", "3", "inf", "Nobody judged this"],
        ["202", "0", "inf", "Where is it?"],
    ]
    assert collection.notes == ()
    assert collection.name == str(files[0])
    assert "4 intents, 3 with a relevant document" in repr(collection)


def test_subtopic_0_is_an_intent_only_where_it_has_relevant_documents(files):
    run = {"201": ["d", "b"], "202": ["c", "a"]}
    values = irdiv.evaluate(read_trec_web(*files), run, [ALL_INTENTS, "I-rec@1", "I-rec@2"]).values[0]
    # b has one of the three intents 1, 2 and 3 of topic 201, of which two have relevant documents
    assert values.tolist() == [[1 / 3, 1], [0, 0], [1 / 2, 1]]


def test_options(files):
    collection = read_trec_web(*files, drop_spam=True, min_grade=2, probabilities="descending")
    qrels = collection.qrels.set_index(["query_id", "intent_id", "doc_id"])
    assert ("201", "1", "c") not in qrels.index
    assert qrels["relevance"]["201", "1", "a"] == 0
    # Of topic 201, only intent 2 has a relevant document now.
    assert qrels["probability"]["201", "2", "b"] == 1
    assert np.isnan(qrels["probability"]["201", "1", "a"])
    for name, value in {"min_grade": "2", "probabilities": "random"}.items():
        with pytest.raises(IrdivError, match=f"{name}='{value}'"):
            read_trec_web(*files, **{name: value})


def test_gzip_and_parquet(files, tmp_path):
    expected = read_trec_web(*files)
    for path in files:
        Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes()))
    rows = [line.split() for line in QRELS.splitlines()]
    frame = pd.DataFrame(rows, columns=["qid", "subtopic", "docno", "label"]).astype({"label": int})
    frame.to_parquet(tmp_path / "qrels.parquet")
    for qrels in (f"{files[0]}.gz", tmp_path / "qrels.parquet"):
        collection = read_trec_web(qrels, f"{files[1]}.gz")
        pd.testing.assert_frame_equal(collection.qrels, expected.qrels, check_dtype=False)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('<topic number="202"', "<topic", "line 16: <topic> has no number"),
        ('"202"', '"201"', "line 16: topic 201 .*twice"),
        ('<subtopic number="2"', '<subtopic number="1"', "line 13: subtopic 1 of topic 201 .*twice"),
        ('<subtopic number="2"', "<subtopic", "line 13: <subtopic> has no number"),
        ('number="2"', 'number=" "', "line 13: the number .*empty"),
        ('type="nav"', 'type="navi"', "line 13: type is 'navi'"),
        ("<query>uss carl vinson</query>", "", "line 16: topic 202 has no <query>"),
        ("&lt;", "<", "line 7: not well-formed"),
        ("</webtrack2013>", "", "line 22: .*truncated"),
        ("topic ", "thema ", "mismatched tag"),
        ("topic", "thema", "no topics; expected XML"),
        ("<webtrack2013>", '<!DOCTYPE x [<!ENTITY a "aa">]><webtrack2013>&a;', "line 1: .*entities .*not allowed"),
    ],
)
def test_errors_of_topic_files_name_the_line(tmp_path, old, new, message):
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "topics.xml").write_text(XML.replace(old, new))
    with pytest.raises(IrdivError, match=f"topics.xml.*{message}"):
        read_trec_web(tmp_path / "qrels.txt", tmp_path / "topics.xml")
    with pytest.raises(IrdivError, match="no such .*none.xml"):
        read_trec_web(tmp_path / "qrels.txt", tmp_path / "none.xml")


def test_topics_of_another_year(files):
    files[1].write_text(XML.replace("201", "301").replace("202", "302"))
    with pytest.raises(IrdivError, match=r"no topic in common: .*qrels.txt has '201', '202', and .* has '301', '302'"):
        read_trec_web(*files)
    files[1].write_text(XML.replace("202", "302"))
    with pytest.warns(IrdivWarning, match="1 of 2 topics of .*qrels.txt are not in .*topics.xml: '202'"):
        collection = read_trec_web(*files)
    assert "2 judged topics, 1 of them without a text" in repr(collection)


def test_subtopics_that_are_not_in_the_topics_are_intents_if_they_have_relevant_documents(files):
    files[0].write_text(QRELS + "201 7 a 1\n201 0 a 1\n201 8 a 0\n")
    with pytest.warns(IrdivWarning, match=r"2 subtopics .* not in the topics: '7' of topic '201', '0' of topic '201'"):
        collection = read_trec_web(*files)
    assert collection.intents[["query_id", "intent_id", "type", "description"]].values.tolist()[4:] == [
        ["201", "7", "inf", None],
        ["201", "0", "inf", None],
    ]
    # b has one of the intents 0, 1, 2, 3 and 7
    assert irdiv.evaluate(collection, {"201": ["b"]}, ALL_INTENTS).values[0, 0, 0] == 1 / 5


def test_a_topic_without_a_subtopic_in_common(files):
    files[0].write_text("201 8 a 1\n201 9 b 0\n202 0 a 2\n")
    with pytest.raises(IrdivError, match=r"no subtopic of topic '201' in common: .* has '8', '9', and .* '1', '2'"):
        read_trec_web(*files)


# Through ir_datasets


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
def test_the_official_files_equal_what_ir_datasets_has(real_data, year, topics, intents, covered, relevant):
    folder, name = real_data / "trec-web" / year, f"clueweb09/en/trec-web-{year}/diversity"
    paths = [folder / TREC_WEB[year][index] for index in (0, 2)]
    for options in ({"probabilities": "descending", "drop_spam": True}, {}):
        ours, theirs = read_trec_web(*paths, **options), irdiv.load(name, **options)
        for frame in ("qrels", "intents", "topics"):
            pd.testing.assert_frame_equal(getattr(ours, frame), getattr(theirs, frame), check_dtype=False)
        assert ours.notes == theirs.notes
    texts = pd.concat([ours.topics["description"], ours.topics["query"], ours.intents["description"]])
    assert texts[texts.str.contains(r"^\s|\s$|\s\s|\n", regex=True)].tolist() == []
    assert (len(ours.topics), len(ours.intents)) == (50, intents)
    assert f"{topics} judged topics of 50\n" in repr(ours)
    assert f"{intents} intents, {covered} with a relevant document\n" in repr(ours)
    assert f", {relevant:,} of them relevant" in repr(ours)
    assert set(ours.intents["type"]) == {"inf", "nav"}
    assert set(ours.topics["type"]) == {"ambiguous", "faceted"}
    # 2011 has two misspelled types
    notes = " ".join(ours.notes)
    assert ("'inv'" in notes and "'inf'" in notes and "'inav'" in notes and "'nav'" in notes) == (year == "2011"), notes


@pytest.mark.usefixtures("irds_home")
def test_values_equal_those_of_the_files(real_data):
    path = real_data / "trec-web" / "runs-2012" / "ql-catb.txt.gz"
    specs = ["D#-nDCG@10", "ERR_IA@20", "alpha-nDCG@20", "NRBP"]
    loaded = irdiv.evaluate(irdiv.load("clueweb09/en/trec-web-2012/diversity").qrels, path, specs)
    from_file = irdiv.evaluate(real_data / "trec-web" / "2012" / "qrels.diversity.txt", path, specs)
    np.testing.assert_array_equal(loaded.values, from_file.values)


def test_small_and_unreadable_files_in_the_cache_of_ir_datasets():
    home = Path(os.environ["IR_DATASETS_HOME"]) / "clueweb12" / "trec-web-2014"
    home.mkdir(parents=True)
    qrels, topics = home / "qrels.all", home / "queries.xml"

    def load(of_topics: str, of_qrels: str = QRELS):
        topics.write_text(of_topics)
        qrels.write_text(of_qrels)
        return irdiv.load("clueweb12/trec-web-2014/diversity")

    loaded, ours = load(DOCUMENT_TYPE + XML), read_trec_web(qrels, topics)
    for frame in ("qrels", "intents", "topics"):
        pd.testing.assert_frame_equal(getattr(loaded, frame), getattr(ours, frame), check_dtype=False)
    with pytest.raises(IrdivError, match="queries.xml, line 13: <subtopic> has no number"):
        load(XML.replace('number="2"', "", 1))
    with pytest.raises(IrdivError, match="queries.xml, line 15: mismatched tag"):
        load(XML.replace("</query>", ""))
    with pytest.raises(IrdivError, match="ir_datasets .* topics of clueweb12.*queries.xml: .*'type'"):
        load(XML)
    with pytest.raises(IrdivError, match="qrels.all, line 8: found 3 columns"):
        load(DOCUMENT_TYPE + XML, QRELS + "202 0 d\n")


# Descending weights


def test_descending_weights_of_qrels_are_those_of_the_option(files):
    plain = read_trec_web(*files)
    expected = read_trec_web(*files, probabilities="descending").qrels
    pd.testing.assert_frame_equal(irdiv.with_intents(plain, descending_weights(plain)), expected)
    pd.testing.assert_frame_equal(descending_weights(plain), descending_weights(plain.qrels))
    # Intent 3 has no relevant document; as rows of a table, all intents count.
    assert descending_weights(plain)["probability"].tolist() == pytest.approx([2 / 3, 1 / 3, 1])
    assert descending_weights(plain.intents)["probability"].tolist() == pytest.approx([4 / 7, 2 / 7, 1 / 7, 1])


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.DataFrame, pa.table])
def test_descending_weights_of_many_intents_in_the_callers_library(convert):
    table = convert({"query_id": ["1"] * 2000, "intent_id": [str(i) for i in range(2000)]})
    found = descending_weights(table)
    assert type(found) is type(table)
    probability = [float(value) for value in found["probability"].__array__()]
    assert sum(probability) == pytest.approx(1)
    assert probability[:3] == [0.5, 0.25, 0.125]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"query_id": [], "intent_id": []}, "empty"),
        ({"query_id": ["1"], "topic": ["a"]}, "intents lack a column: .*'intent_id'"),
        ({"query_id": ["1"], "intent_id": ["a"], "doc_id": ["d"]}, "qrels lack a column: .*'relevance'"),
        ({"query_id": ["1"], "intent_id": [None]}, "missing id"),
    ],
)
def test_bad_tables_for_descending_weights(table, message):
    with pytest.raises(IrdivError, match=message):
        descending_weights(pd.DataFrame(table))
