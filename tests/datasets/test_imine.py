"""NTCIR-11 IMine: XML files of intents and judgments, their repairs, and the dataset for ir_datasets."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import ir_datasets
import numpy as np
import pandas as pd
import pytest

import irdiv
from irdiv import IrdivError, IrdivWarning
from irdiv.datasets import read_imine, read_ntcir_qrels
from irdiv.plugins.ir_datasets import register_imine

HIERARCHY = """<?xml version='1.0' encoding='utf8'?>
<root>
<topic content="jaguar" id="0001">
<fls content="jaguar_cat" poss="0.4"><examples><example>big cat</example></examples>
<sls content="jaguar_cat_food" poss="0.3"><example>what it eats</example></sls>
</fls>
<fls content="jaguar_car" poss="0.6">
<sls content="jaguar_car_价格" poss="0.5"/>
</fls>
</topic>
</root>"""
JUDGMENTS = """<?xml version='1.0' encoding='utf8'?>
<data><relevance>
<doc docid="d1" queryid="0001" relevance="3" />
<doc docid="d2" queryid="0001" relevance="0" />
<doc docid="d3" queryid="0001" relevance="2" />
</relevance><relevance>
<doc docid="d1" queryid="0001" relevance="3" sls="jaguar_cat_food" />
<doc docid="d1" queryid="0001" relevance="2" sls="jaguar_car_价格" />
<doc docid="d4" queryid="0001" relevance="2" sls="jaguar_car_news" />
<doc docid="d5" queryid="0001" relevance="1" sls="jaguar_guitar" />
</relevance></data>"""
IPROB = "0001 1 0.5\n0001 2 0.3\n0001 3 0.1\n0001 4 0.1\n"
DQRELS = "0001 1 d1 L1\n0001 2 d1 L2\n0001 3 d4 L1\n0001 4 d5 L0\n"
FILES = {"IMine.Qrel.SMC.xml": HIERARCHY, "IMine.Qrel.DRC.xml": JUDGMENTS, "sls.Iprob": IPROB, "sls.Dqrels": DQRELS}
HIERARCHY_FILE, JUDGMENTS_FILE, IPROB_FILE, DQRELS_FILE = FILES


@pytest.fixture
def folder(tmp_path) -> Path:
    """Chinese files in a folder below, as NII distributes them."""
    (tmp_path / "qrels").mkdir()
    for name in (HIERARCHY_FILE, JUDGMENTS_FILE):
        (tmp_path / "qrels" / name).write_text(FILES[name], encoding="utf-8")
    return tmp_path


@pytest.fixture
def change(folder) -> Callable[..., None]:
    """Replace a text in one of the files."""

    def write(name: str, old: str = "", new: str = "") -> None:
        (folder / "qrels" / name).write_text(FILES[name].replace(old, new), encoding="utf-8")

    return write


def test_both_levels_probabilities_and_labels_without_a_parent(folder):
    collection = read_imine(folder, "zh")
    intents = collection.intents.set_index("intent_id")
    assert intents.index[intents["level"] == 1].tolist() == ["jaguar_cat", "jaguar_car"]
    assert intents.loc["jaguar_car_news", "parent_id"] == "jaguar_car"
    assert pd.isna(intents.loc["jaguar_guitar", "parent_id"])
    # 1 − 0.3 − 0.5 is left for two labels
    assert intents["probability"].to_dict() == pytest.approx(
        {
            "jaguar_cat": 0.4, "jaguar_cat_food": 0.3, "jaguar_car": 0.6, "jaguar_car_价格": 0.5,
            "jaguar_car_news": 0.1, "jaguar_guitar": 0.1,
        }
    )  # fmt: skip
    grades = collection.qrels.set_index(["intent_id", "doc_id"])["relevance"].to_dict()
    expected = {("jaguar_cat_food", "d1"): 2, ("jaguar_car_价格", "d1"): 1, ("jaguar_guitar", "d5"): 0}
    expected |= {("0", "d2"): 0, ("0", "d3"): 0, ("jaguar_car_news", "d4"): 1}
    assert {key: grade for key, grade in grades.items() if key[1] != "_no_document_"} == expected
    notes = "\n".join(collection.notes)
    assert "'jaguar_car_news' of topic 0001 is not in the hierarchy, and was put under 'jaguar_car'" in notes
    assert "'jaguar_guitar' of topic 0001 is not in the hierarchy, and was kept on the first level" in notes
    assert "1 relevant documents belong to no intent" in notes
    # The column level, which these intents have beside the columns of other intent tables, does not warn.
    again = irdiv.with_intents(collection.qrels, collection.intents)
    pd.testing.assert_frame_equal(again[collection.qrels.columns], collection.qrels)


def test_a_dataset_of_ir_datasets(folder, change):
    (name,) = register_imine(folder)
    dataset = ir_datasets.load(name)
    assert dataset.queries_lang() == "zh"
    assert dataset.queries_count() == 1
    # six judgments, and a row for each of the two first-level intents
    assert dataset.qrels_count() == len(list(dataset.qrels_iter())) == 8
    assert next(dataset.queries_iter()).default_text() == "jaguar"
    ours, loaded = read_imine(folder, "zh"), irdiv.load(name)
    assert loaded.notes == ours.notes
    columns = ["query_id", "intent_id", "doc_id", "relevance", "probability", "parent_id"]
    pd.testing.assert_frame_equal(loaded.qrels[columns], ours.qrels[columns], check_dtype=False)
    assert "probability" not in irdiv.load(name, probabilities="uniform").qrels.columns
    # registering again reads the folder again, and the case of names does not matter
    for file in (HIERARCHY_FILE, JUDGMENTS_FILE):
        change(file, "jaguar", "puma")
        (folder / "qrels" / file).rename(folder / file.lower())
    assert register_imine(folder) == [name]
    assert irdiv.load(name).topics["query"].tolist() == ["puma"]


def test_an_id_that_is_not_registered():
    with pytest.raises(IrdivError, match=r"'irdiv/ntcir11-imine/fr' is not registered; .*register_imine\(folder\)"):
        irdiv.load("irdiv/ntcir11-imine/fr")


def test_files_that_are_missing(folder, tmp_path_factory):
    empty = tmp_path_factory.mktemp("empty")
    with pytest.raises(IrdivError, match="SME.xml and IMine.Qrel.DRE.xml.* lack IMine.Qrel.SMC.xml and IMine.Qrel.DRC"):
        register_imine(empty)
    with pytest.raises(IrdivError, match="none' is not a folder"):
        read_imine(empty / "none")
    with pytest.raises(IrdivError, match="language='ja'.*'en', 'zh'"):
        read_imine(empty, "ja")
    with pytest.raises(IrdivError, match="lack IMine.Qrel.SME.xml and .* It has files for language='zh'"):
        read_imine(folder)
    # a second language with a missing file is a warning
    (folder / "IMine.Qrel.SME.xml").write_text(HIERARCHY, encoding="utf-8")
    with pytest.warns(IrdivWarning, match="lack IMine.Qrel.DRE.xml"):
        assert register_imine(folder) == ["irdiv/ntcir11-imine/zh"]
    (folder / "IMine.Qrel.SME.xml").unlink()
    (folder / "qrels" / JUDGMENTS_FILE).unlink()
    for read in (register_imine, lambda path: read_imine(path, "zh")):
        with pytest.raises(IrdivError, match=r"lack IMine.Qrel.DRC.xml; expected .*SMC.xml .* for language='zh'\.$"):
            read(folder)


def test_two_files_of_one_name(folder):
    (folder / HIERARCHY_FILE).write_text(HIERARCHY, encoding="utf-8")
    with pytest.raises(IrdivError, match="expected one file IMine.Qrel.SMC.xml in .*; found '.*', '.*'"):
        read_imine(folder, "zh")


# Files that contradict each other


def test_a_label_with_two_parents_is_under_the_one_it_starts_with(folder, change):
    second = '<sls content="jaguar_car_'
    change(HIERARCHY_FILE, second, f'<sls content="jaguar_cat_food" poss="0.3"/>\n{second}')
    with pytest.warns(IrdivWarning, match="'jaguar_cat_food' of topic 0001 under 'jaguar_cat'") as caught:
        intents = read_imine(folder, "zh").intents
    assert len(caught) == 1
    assert intents.loc[intents["intent_id"] == "jaguar_cat_food", "parent_id"].tolist() == ["jaguar_cat"]


def test_judgments_of_a_topic_without_intents_may_contradict_each_other(folder, change):
    clear = "".join(f'<doc docid="d1" queryid="0035" relevance="{level}" />' for level in (3, 1))
    change(JUDGMENTS_FILE, "</data>", f"{clear}</data>")
    with pytest.warns(IrdivWarning, match="'d1' has two judgments .* topic 0035, which has no intents") as caught:
        collection = read_imine(folder, "zh")
    assert len(caught) == 1
    assert collection.qrels["query_id"].unique().tolist() == ["0001"]


def test_relevant_documents_and_topics_that_dqrels_and_iprob_lack(folder, change):
    change(IPROB_FILE)
    alone = read_imine(folder, "zh")
    assert "sls.Iprob is there without the other" in alone.notes[-2]
    change(DQRELS_FILE)
    assert "d1" in read_imine(folder, "zh").qrels["doc_id"].tolist()
    more = '<doc docid="d9" queryid="0001" relevance="3" sls="jaguar_cat_food" /></relevance></data>'
    change(JUDGMENTS_FILE, "</relevance></data>", more)
    other = HIERARCHY.split("<root>")[1].replace("0001", "0033")
    change(HIERARCHY_FILE, "</root>", other)
    with pytest.warns(IrdivWarning) as caught:
        collection = read_imine(folder, "zh")
    (message,) = (str(warning.message) for warning in caught)
    assert "documents that sls.Dqrels lacks were left out: 'd9' of 'jaguar_cat_food' of topic 0001" in message
    assert "topic 0033 has no relevant document and is not in sls.Iprob, and was left out" in message
    assert "d9" not in collection.qrels["doc_id"].tolist()
    assert collection.intents["query_id"].unique().tolist() == ["0001"]
    assert collection.topics["query_id"].tolist() == ["0001", "0033"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("d1 L2", "d1 L1", "no intent of topic 0001 matches 'jaguar_cat_food' with the probability 0.3"),
        ("d4 L1", "d4 L2", "no intent of topic 0001 has the documents of 'jaguar_car_news'"),
    ],
)
def test_a_relevant_document_with_another_grade_in_dqrels_is_an_error(folder, change, old, new, message):
    change(IPROB_FILE)
    change(DQRELS_FILE, old, new)
    with pytest.raises(IrdivError, match=message):
        read_imine(folder, "zh")


def test_iprob_and_dqrels_of_another_language_are_not_used(folder, change):
    alone = read_imine(folder, "zh")
    for name in (IPROB_FILE, DQRELS_FILE):
        change(name, "0001", "0051")
    beside = read_imine(folder, "zh")
    pd.testing.assert_frame_equal(beside.intents, alone.intents)
    pd.testing.assert_frame_equal(beside.qrels, alone.qrels)
    assert "sls.Iprob and sls.Dqrels have other topics, and were not used" in beside.notes


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        (HIERARCHY_FILE, HIERARCHY, "", "line 1: .*empty or truncated"),
        (HIERARCHY_FILE, HIERARCHY.partition("what it")[2], "", "line 5: "),
        (HIERARCHY_FILE, '"0.5"', '"half"', "line 8: poss is 'half'"),
        (HIERARCHY_FILE, '"0.5"', '"-1"', "line 8: poss is '-1'"),
        (HIERARCHY_FILE, ' poss="0.5"', "", "line 8: <sls> has no poss"),
        (HIERARCHY_FILE, "</fls>", "</fls><sls/>", "line 6: an fls must be inside a topic"),
        (HIERARCHY_FILE, HIERARCHY, "<root/>", "no intents; expected <topic"),
        (HIERARCHY_FILE, "car_价格", "car", "topic 0001 has two intents 'jaguar_car'"),
        (HIERARCHY_FILE, "<root>", '<!DOCTYPE a [<!ENTITY b "c">]><root>', "line 2: .*not allowed"),
        (JUDGMENTS_FILE, JUDGMENTS, "", "line 1: .*empty or truncated"),
        (JUDGMENTS_FILE, '"0"', '"no"', "line 4: relevance is 'no'"),
        (JUDGMENTS_FILE, '"0"', '"1.5"', "line 4: relevance is '1.5'"),
        (JUDGMENTS_FILE, '"0"', '"4"', "line 4: relevance is '4'"),
        (JUDGMENTS_FILE, 'docid="d2" ', "", "line 4: <doc> has no docid"),
        (JUDGMENTS_FILE, '"d3"', '"d2"', "line 5: document 'd2' of topic 0001"),
        (JUDGMENTS_FILE, '"0001" relevance="1"', '"0002" relevance="1"', "line 10: topic '0002' .*'jaguar_guitar'"),
        (JUDGMENTS_FILE, "<data>", '<!DOCTYPE a SYSTEM "file:///b"><data>', "line 2: .*not allowed"),
        (JUDGMENTS_FILE, JUDGMENTS, "<data/>", "no judgments; expected <doc"),
    ],
)
def test_errors_in_xml_name_the_file_and_the_line(folder, change, name, old, new, message):
    change(name, old, new)
    with pytest.raises(IrdivError, match=f"{name}.*{message}"):
        read_imine(folder, "zh")


def test_xml_that_is_not_utf_8(folder):
    (folder / "qrels" / HIERARCHY_FILE).write_bytes(HIERARCHY.replace("价格", "é").encode("latin-1"))
    with pytest.raises(IrdivError, match="SMC.xml, line 8: not well-formed"):
        read_imine(folder, "zh")


# The real files


@pytest.fixture(scope="module")
def collections(real_data):
    """Both languages; the files for Chinese contradict each other, of which one warning tells."""
    with pytest.warns(IrdivWarning) as caught:
        found = {language: read_imine(real_data / "ntcir11-imine", language) for language in ("en", "zh")}
    (message,) = (str(warning.message) for warning in caught)
    expected = {"0008", "0011", "0012", "0014", "0024", "0026", "0033", "0035"}
    assert {topic for topic in expected if f"topic {topic}" in message} == expected
    return found


@pytest.mark.parametrize(("language", "topics", "first", "second"), [("en", 33, 130, 408), ("zh", 32, 115, 625)])
def test_counts_of_topics_and_intents(collections, language, topics, first, second):
    qrels, intents = collections[language].qrels, collections[language].intents
    assert intents["level"].value_counts().to_dict() == {1: first, 2: second}
    assert qrels["query_id"].nunique() == qrels.loc[qrels["relevance"] > 0, "query_id"].nunique() == topics
    sums = intents[intents["level"] == 2].groupby("query_id")["probability"].sum()
    assert sums.tolist() == pytest.approx([1] * topics)
    assert intents["probability"].notna().all()


def first_level(collection) -> pd.DataFrame:
    """Return qrels of the first-level intents, which have the highest grade of the intents below them."""
    weight = collection.intents.set_index(["query_id", "intent_id"])["probability"]
    rows = collection.qrels[collection.qrels["parent_id"].notna() & (collection.qrels["parent_id"] != "_root_")]
    rows = rows.groupby(["query_id", "parent_id", "doc_id"], as_index=False)["relevance"].max()
    rows = rows.rename(columns={"parent_id": "intent_id"})
    rows["probability"] = weight.loc[list(zip(rows["query_id"], rows["intent_id"], strict=True))].to_numpy()
    return rows


@pytest.mark.parametrize("level", ["sls", "fls"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_xml_scores_as_the_organizers_dqrels(real_data, collections, language, level):
    folder = real_data / "ntcir11-imine" / language
    theirs = read_ntcir_qrels(folder / f"{level}.Dqrels", folder / f"{level}.Iprob")
    ours = collections[language].qrels if level == "sls" else first_level(collections[language])
    if (language, level) == ("en", "fls"):
        # of two topics, labels start with no first-level label
        theirs, ours = (frame[~frame["query_id"].isin(["0072", "0076"])] for frame in (theirs, ours))
    rng = np.random.default_rng(11)
    judged = theirs[["query_id", "doc_id"]].drop_duplicates()
    relevant = theirs.loc[theirs["relevance"] > 0, ["query_id", "doc_id"]].drop_duplicates()
    samples = {"all": judged, "half": judged.sample(frac=0.5, random_state=rng), "relevant": relevant}
    runs = {name: rows.assign(score=rng.permutation(len(rows)) / len(rows)) for name, rows in samples.items()}
    runs["oracle"] = irdiv.oracle(theirs, depth=100)
    measures = ("D#-nDCG", "I-rec", "ERR-IA", "alpha-nDCG")
    specs = [f"{measure}@{cutoff}" for measure in measures for cutoff in (1, 10, 100)]
    expected, found = (irdiv.evaluate(qrels, runs, specs) for qrels in (theirs, ours))
    assert list(found.query_ids) == list(expected.query_ids)
    for index, spec in enumerate(specs):
        assert expected.values[:, index].max() > 0.4, spec
        np.testing.assert_allclose(found.values[:, index], expected.values[:, index], rtol=0, atol=1e-9, err_msg=spec)


def test_chinese_files_of_nii_alone(real_data, collections, tmp_path):
    source = real_data / "ntcir11-imine"
    for path in (source / "zh").glob("*.xml"):
        shutil.copy(path, tmp_path)
    with pytest.warns(IrdivWarning, match="0035"):
        alone = read_imine(tmp_path, "zh")
    assert len(alone.intents) == 757
    # the two documents that sls.Dqrels lacks are relevant here
    assert (alone.qrels["relevance"] > 0).sum() == (collections["zh"].qrels["relevance"] > 0).sum() + 2
    for path in (source / "en").glob("*.*"):
        shutil.copy(path, tmp_path)
    with pytest.warns(IrdivWarning, match="0035"):
        pd.testing.assert_frame_equal(read_imine(tmp_path, "zh").qrels, alone.qrels)
    pd.testing.assert_frame_equal(read_imine(tmp_path).qrels, collections["en"].qrels)
