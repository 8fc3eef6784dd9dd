"""NTCIR-11 IMine: XML files of intents and judgments, and the dataset for ir_datasets and PyTerrier."""

from __future__ import annotations

import shutil

import numpy as np
import pandas as pd
import pytest

import irdiv
from irdiv import IrdivError, IrdivWarning
from irdiv.datasets.imine_xml import read_imine_hierarchy, read_imine_judgments

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


@pytest.fixture
def folder(tmp_path):
    """Files of all languages in one folder or below it, as NII distributes them."""
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "IMine.Qrel.SMC.xml").write_text(HIERARCHY, encoding="utf-8")
    (tmp_path / "qrels" / "IMine.Qrel.DRC.xml").write_text(JUDGMENTS, encoding="utf-8")
    return tmp_path


def test_both_levels_probabilities_and_labels_without_a_parent(folder):
    collection = irdiv.datasets.read_imine(folder, "zh")
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
    assert grades["jaguar_cat_food", "d1"] == 2
    assert grades["jaguar_car_价格", "d1"] == 1
    assert grades["jaguar_guitar", "d5"] == 0
    assert grades["0", "d2"] == grades["0", "d3"] == 0
    assert ("0", "d1") not in grades
    notes = "\n".join(collection.notes)
    assert "'jaguar_car_news' of topic 0001 is not in the hierarchy, and was put under 'jaguar_car'" in notes
    assert "'jaguar_guitar' of topic 0001 is not in the hierarchy, and was kept on the first level" in notes
    assert "1 relevant documents belong to no intent" in notes


def test_its_intents_are_an_intent_table(folder):
    # The column level, which they have beside the columns of other intent tables, does not warn.
    collection = irdiv.datasets.read_imine(folder, "zh")
    again = irdiv.with_intents(collection.qrels, collection.intents)
    pd.testing.assert_frame_equal(again[collection.qrels.columns], collection.qrels)


def test_a_dataset_of_ir_datasets(folder):
    ids = irdiv.plugins.ir_datasets.register_imine(folder)
    assert ids == ["irdiv/ntcir11-imine/zh"]
    import ir_datasets

    dataset = ir_datasets.load(ids[0])
    assert dataset.queries_lang() == "zh"
    assert dataset.queries_count() == 1
    # six judgments, and a row for each of the two first-level intents
    assert dataset.qrels_count() == len(list(dataset.qrels_iter())) == 8
    assert next(dataset.queries_iter()).default_text() == "jaguar"
    ours, loaded = irdiv.datasets.read_imine(folder, "zh"), irdiv.load(ids[0])
    assert loaded.notes == ours.notes
    columns = ["query_id", "intent_id", "doc_id", "relevance", "probability", "parent_id"]
    pd.testing.assert_frame_equal(loaded.qrels[columns], ours.qrels[columns], check_dtype=False)
    assert "probability" not in irdiv.load(ids[0], probabilities="uniform").qrels.columns


def test_registering_again_changes_the_folder(folder, tmp_path_factory):
    irdiv.plugins.ir_datasets.register_imine(folder)
    other = tmp_path_factory.mktemp("other")
    (other / "imine.qrel.smc.xml").write_text(HIERARCHY.replace("jaguar", "puma"), encoding="utf-8")
    (other / "imine.qrel.drc.xml").write_text(JUDGMENTS.replace("jaguar", "puma"), encoding="utf-8")
    irdiv.plugins.ir_datasets.register_imine(other)
    assert irdiv.load("irdiv/ntcir11-imine/zh").topics["query"].tolist() == ["puma"]


def test_a_folder_without_the_files(tmp_path):
    expected = "lack IMine.Qrel.SME.xml and IMine.Qrel.DRE.xml.* lack IMine.Qrel.SMC.xml and IMine.Qrel.DRC.xml"
    with pytest.raises(IrdivError, match=expected):
        irdiv.plugins.ir_datasets.register_imine(tmp_path)
    with pytest.raises(IrdivError, match="is not a folder"):
        irdiv.datasets.read_imine(tmp_path / "none")
    with pytest.raises(IrdivError, match="choose 'en', 'zh'"):
        irdiv.datasets.read_imine(tmp_path, "ja")


def test_a_folder_of_one_language_states_which_of_its_files_are_missing(folder):
    (folder / "qrels" / "IMine.Qrel.DRC.xml").unlink()
    message = r"lack IMine.Qrel.DRC.xml; expected IMine.Qrel.SMC.xml and IMine.Qrel.DRC.xml for language='zh'\.$"
    with pytest.raises(IrdivError, match=message):
        irdiv.plugins.ir_datasets.register_imine(folder)
    with pytest.raises(IrdivError, match=message):
        irdiv.datasets.read_imine(folder, "zh")
    with pytest.raises(IrdivError, match="lack IMine.Qrel.SME.xml and .* It has files for language='zh'"):
        irdiv.datasets.read_imine(folder)


def test_a_second_language_with_a_missing_file_is_a_warning(folder):
    (folder / "IMine.Qrel.SME.xml").write_text(HIERARCHY, encoding="utf-8")
    with pytest.warns(IrdivWarning, match="lack IMine.Qrel.DRE.xml"):
        assert irdiv.plugins.ir_datasets.register_imine(folder) == ["irdiv/ntcir11-imine/zh"]


def test_two_files_of_one_name(folder):
    (folder / "IMine.Qrel.SMC.xml").write_text(HIERARCHY, encoding="utf-8")
    with pytest.raises(IrdivError, match="expected one file IMine.Qrel.SMC.xml in .*; found '.*', '.*'"):
        irdiv.datasets.read_imine(folder, "zh")


def test_an_id_that_is_not_registered(monkeypatch):
    import ir_datasets

    def load(name):
        raise KeyError(name)

    monkeypatch.setattr(ir_datasets, "load", load)
    with pytest.raises(
        IrdivError, match=r"'irdiv/ntcir11-imine/zh' is not registered; call .*register_imine\(folder\)"
    ):
        irdiv.load("irdiv/ntcir11-imine/zh")
    with pytest.raises(IrdivError, match="ir_datasets has no dataset 'clueweb09/diversity'"):
        irdiv.load("clueweb09/diversity")


def test_a_label_with_two_parents_is_under_the_one_it_starts_with(folder):
    path = folder / "qrels" / "IMine.Qrel.SMC.xml"
    twice = '<sls content="jaguar_cat_food" poss="0.3"/>\n'
    path.write_text(HIERARCHY.replace('<sls content="jaguar_car_', twice + '<sls content="jaguar_car_'), "utf-8")
    with pytest.warns(IrdivWarning, match="'jaguar_cat_food' of topic 0001 under 'jaguar_cat'") as caught:
        intents = irdiv.datasets.read_imine(folder, "zh").intents
    assert len(caught) == 1
    assert intents.loc[intents["intent_id"] == "jaguar_cat_food", "parent_id"].tolist() == ["jaguar_cat"]


def test_judgments_of_a_topic_without_intents_may_contradict_each_other(folder):
    path = folder / "qrels" / "IMine.Qrel.DRC.xml"
    clear = "".join(f'<doc docid="d1" queryid="0035" relevance="{level}" />' for level in (3, 1))
    path.write_text(JUDGMENTS.replace("</data>", f"{clear}</data>"), "utf-8")
    with pytest.warns(IrdivWarning, match="'d1' has two judgments .* topic 0035, which has no intents") as caught:
        collection = irdiv.datasets.read_imine(folder, "zh")
    assert len(caught) == 1
    assert collection.qrels["query_id"].unique().tolist() == ["0001"]


IPROB = "0001 1 0.5\n0001 2 0.3\n0001 3 0.1\n0001 4 0.1\n"
DQRELS = "0001 1 d1 L1\n0001 2 d1 L2\n0001 3 d4 L1\n0001 4 d5 L0\n"


def test_relevant_documents_and_topics_that_dqrels_and_iprob_lack(folder):
    (folder / "qrels" / "sls.Iprob").write_text(IPROB)
    (folder / "qrels" / "sls.Dqrels").write_text(DQRELS)
    assert "d1" in irdiv.datasets.read_imine(folder, "zh").qrels["doc_id"].tolist()
    more = '<doc docid="d9" queryid="0001" relevance="3" sls="jaguar_cat_food" /></relevance></data>'
    path = folder / "qrels" / "IMine.Qrel.DRC.xml"
    path.write_text(JUDGMENTS.replace("</relevance></data>", more), "utf-8")
    other = HIERARCHY.split("<root>")[1].replace("0001", "0033").replace("</root>", "")
    path = folder / "qrels" / "IMine.Qrel.SMC.xml"
    path.write_text(HIERARCHY.replace("</root>", f"{other}</root>"), "utf-8")
    with pytest.warns(IrdivWarning) as caught:
        collection = irdiv.datasets.read_imine(folder, "zh")
    (message,) = (str(warning.message) for warning in caught)
    assert "documents that sls.Dqrels lacks were left out: 'd9' of 'jaguar_cat_food' of topic 0001" in message
    assert "topic 0033 has no relevant document and is not in sls.Iprob, and was left out" in message
    assert "d9" not in collection.qrels["doc_id"].tolist()
    assert collection.intents["query_id"].unique().tolist() == ["0001"]
    assert collection.topics["query_id"].tolist() == ["0001", "0033"]


def test_a_relevant_document_with_another_grade_in_dqrels_is_an_error(folder):
    (folder / "qrels" / "sls.Iprob").write_text(IPROB)
    (folder / "qrels" / "sls.Dqrels").write_text(DQRELS.replace("d1 L2", "d1 L1"))
    with pytest.raises(IrdivError, match="no intent of topic 0001 matches 'jaguar_cat_food' with the probability 0.3"):
        irdiv.datasets.read_imine(folder, "zh")


def test_iprob_and_dqrels_of_another_language_are_not_used(folder):
    alone = irdiv.datasets.read_imine(folder, "zh")
    (folder / "qrels" / "sls.Iprob").write_text(IPROB.replace("0001", "0051"))
    (folder / "qrels" / "sls.Dqrels").write_text(DQRELS.replace("0001", "0051"))
    beside = irdiv.datasets.read_imine(folder, "zh")
    pd.testing.assert_frame_equal(beside.intents, alone.intents)
    pd.testing.assert_frame_equal(beside.qrels, alone.qrels)
    assert "sls.Iprob and sls.Dqrels have other topics, and were not used" in beside.notes


BOMB = """<?xml version="1.0"?>
<!DOCTYPE root [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>
<root><topic content="&b;" id="1"/></root>"""
EXTERNAL = """<?xml version="1.0"?>
<!DOCTYPE root SYSTEM "file:///etc/passwd">
<root/>"""


@pytest.mark.parametrize("text", [BOMB, EXTERNAL], ids=["expansion", "external file"])
@pytest.mark.parametrize("read", [read_imine_hierarchy, read_imine_judgments])
def test_entities_are_not_allowed(tmp_path, text, read):
    (tmp_path / "x.xml").write_text(text)
    with pytest.raises(IrdivError, match="x.xml, line 2: document types and entities in XML are not allowed"):
        read(tmp_path / "x.xml")


def encoded(text: str, encoding: str = "utf-8") -> bytes:
    return text.encode(encoding)


@pytest.mark.parametrize(
    ("read", "content", "message"),
    [
        (read_imine_hierarchy, b"", "line 1: the file is empty or truncated"),
        (read_imine_hierarchy, encoded(HIERARCHY.split("what it")[0]), "line 5: "),
        (read_imine_hierarchy, encoded(HIERARCHY.replace("价格", "é"), "latin-1"), "line 8: not well-formed"),
        (read_imine_hierarchy, encoded(HIERARCHY.replace('"0.5"', '"half"')), "line 8: poss is 'half'"),
        (read_imine_hierarchy, encoded(HIERARCHY.replace(' poss="0.5"', "")), "line 8: <sls> has no poss"),
        (read_imine_hierarchy, b"<root><sls content='a' poss='1'/></root>", "line 1: an fls must be inside a topic"),
        (read_imine_hierarchy, b"<root/>", "no intents; expected <topic"),
        (read_imine_hierarchy, encoded(HIERARCHY.replace("car_价格", "car")), "two intents 'jaguar_car'"),
        (read_imine_judgments, b"", "line 1: the file is empty or truncated"),
        (read_imine_judgments, encoded(JUDGMENTS.split('docid="d3"')[0]), "line 5: "),
        (read_imine_judgments, encoded(JUDGMENTS.replace('"0"', '"no"')), "line 4: relevance is 'no'"),
        (read_imine_judgments, encoded(JUDGMENTS.replace('"0"', '"1.5"')), "line 4: relevance is '1.5'"),
        (read_imine_judgments, encoded(JUDGMENTS.replace('docid="d2" ', "")), "line 4: <doc> has no docid"),
        (read_imine_judgments, encoded(JUDGMENTS.replace("价格", "é"), "latin-1"), "line 8: not well-formed"),
        (read_imine_judgments, encoded(JUDGMENTS.replace('"d3"', '"d2"')), "line 5: document 'd2' of topic 0001 has"),
        (read_imine_judgments, b"<data/>", "no judgments; expected <doc"),
    ],
)
def test_bad_xml(tmp_path, read, content, message):
    (tmp_path / "bad.xml").write_bytes(content)
    with pytest.raises(IrdivError) as caught:
        read(tmp_path / "bad.xml")
    assert str(caught.value).startswith(str(tmp_path / "bad.xml"))
    assert message in str(caught.value)


def test_an_intent_of_a_topic_that_the_hierarchy_lacks(folder):
    path = folder / "qrels" / "IMine.Qrel.DRC.xml"
    path.write_text(JUDGMENTS.replace('"0001" relevance="1"', '"0002" relevance="1"'), encoding="utf-8")
    with pytest.raises(IrdivError, match="line 10: topic '0002' of intent 'jaguar_guitar' is not in the hierarchy"):
        irdiv.datasets.read_imine(folder, "zh")


def test_english_imine_has_33_topics_130_and_408_intents(real_data):
    collection = irdiv.datasets.read_imine(real_data / "ntcir11-imine", "en")
    assert collection.intents["level"].value_counts().to_dict() == {1: 130, 2: 408}
    assert len(collection.topics) == collection.qrels["query_id"].nunique() == 33
    assert collection.intents["probability"].notna().all()
    second = collection.intents[collection.intents["level"] == 2]
    assert second.groupby("query_id")["probability"].sum().tolist() == pytest.approx([1] * 33)
    unplaced = [note for note in collection.notes if "kept on the first level" in note]
    assert len(unplaced) == 4


@pytest.mark.parametrize("level", ["sls", "fls"])
def test_the_xml_scores_as_the_organizers_dqrels(real_data, level):
    folder = real_data / "ntcir11-imine" / "en"
    theirs = irdiv.datasets.read_ntcir_qrels(folder / f"{level}.Dqrels", folder / f"{level}.Iprob")
    collection = irdiv.datasets.read_imine(folder)
    ours = collection.qrels
    if level == "fls":
        # A first-level intent has the highest grade of the intents below it.
        left_out = {"0072", "0076"}  # labels that start with no first-level label
        weight = collection.intents.set_index(["query_id", "intent_id"])["probability"]
        has_parent = ours["parent_id"].notna() & (ours["parent_id"] != "_root_")
        ours = ours[has_parent & ~ours["query_id"].isin(left_out)]
        ours = ours.groupby(["query_id", "parent_id", "doc_id"], as_index=False)["relevance"].max()
        ours = ours.rename(columns={"parent_id": "intent_id"})
        ours["probability"] = weight.loc[list(zip(ours["query_id"], ours["intent_id"], strict=True))].to_numpy()
        theirs = theirs[~theirs["query_id"].isin(left_out)]
    run = folder / "runs" / "udel-D-E-1A.txt.gz"
    specs = ["I-rec@10", "D#-nDCG@10", "ERR-IA@20", "alpha-nDCG@20"]
    expected, found = (irdiv.evaluate(qrels, run, specs) for qrels in (theirs, ours))
    assert found.values == pytest.approx(expected.values, abs=1e-9)


@pytest.fixture(scope="module")
def chinese(real_data):
    with pytest.warns(IrdivWarning) as caught:
        collection = irdiv.datasets.read_imine(real_data / "ntcir11-imine", "zh")
    return collection, [str(warning.message) for warning in caught]


def test_chinese_imine_has_32_topics_115_and_625_intents_and_one_warning(chinese):
    collection, messages = chinese
    assert collection.intents["level"].value_counts().to_dict() == {1: 115, 2: 625}
    relevant = collection.qrels[collection.qrels["relevance"] > 0]
    assert collection.qrels["query_id"].nunique() == relevant["query_id"].nunique() == 32
    for _, level in collection.intents.groupby("level"):
        assert level.groupby("query_id")["probability"].sum().tolist() == pytest.approx([1] * 32)
    (message,) = messages
    for topic in ("0008", "0011", "0012", "0014", "0024", "0026", "0033", "0035"):
        assert f"topic {topic}" in message


def first_level(collection: irdiv.TestCollection) -> pd.DataFrame:
    """Qrels of the first-level intents, which have the highest grade of the intents below them."""
    weight = collection.intents.set_index(["query_id", "intent_id"])["probability"]
    rows = collection.qrels[collection.qrels["parent_id"].notna() & (collection.qrels["parent_id"] != "_root_")]
    rows = rows.groupby(["query_id", "parent_id", "doc_id"], as_index=False)["relevance"].max()
    rows = rows.rename(columns={"parent_id": "intent_id"})
    rows["probability"] = weight.loc[list(zip(rows["query_id"], rows["intent_id"], strict=True))].to_numpy()
    return rows


@pytest.mark.parametrize("level", ["sls", "fls"])
def test_chinese_xml_scores_as_the_organizers_dqrels(real_data, chinese, level):
    folder = real_data / "ntcir11-imine" / "zh"
    theirs = irdiv.datasets.read_ntcir_qrels(folder / f"{level}.Dqrels", folder / f"{level}.Iprob")
    ours = chinese[0].qrels if level == "sls" else first_level(chinese[0])
    rng = np.random.default_rng(11)
    judged = theirs[["query_id", "doc_id"]].drop_duplicates()
    runs = {"oracle": irdiv.oracle(theirs, depth=100)}
    for name, share in (("all", 1.0), ("half", 0.5)):
        sample = judged.sample(frac=share, random_state=rng)
        runs[name] = sample.assign(score=rng.permutation(len(sample)) / len(sample))
    relevant = theirs.loc[theirs["relevance"] > 0, ["query_id", "doc_id"]].drop_duplicates()
    runs["relevant"] = relevant.assign(score=rng.permutation(len(relevant)) / len(relevant))
    measures = ("D#-nDCG", "I-rec", "ERR-IA", "alpha-nDCG")
    specs = [f"{measure}@{cutoff}" for measure in measures for cutoff in (1, 5, 10, 20, 100)]
    expected, found = (irdiv.evaluate(qrels, runs, specs) for qrels in (theirs, ours))
    assert list(found.query_ids) == list(expected.query_ids)
    assert np.abs(expected.values).max(axis=(0, 2)).min() > 0.4
    np.testing.assert_allclose(found.values, expected.values, rtol=0, atol=1e-12)


def test_chinese_files_of_nii_alone(real_data, chinese, tmp_path):
    source = real_data / "ntcir11-imine"
    for path in (source / "zh").glob("*.xml"):
        shutil.copy(path, tmp_path)
    with pytest.warns(IrdivWarning, match="0035"):
        alone = irdiv.datasets.read_imine(tmp_path, "zh")
    assert len(alone.intents) == 757
    assert alone.qrels["query_id"].nunique() == 32
    relevant = alone.qrels[alone.qrels["relevance"] > 0]
    # the two documents that sls.Dqrels lacks are relevant here
    assert len(relevant) == (chinese[0].qrels["relevance"] > 0).sum() + 2
    for path in (source / "en").glob("*.*"):
        shutil.copy(path, tmp_path)
    with pytest.warns(IrdivWarning, match="0035"):
        beside = irdiv.datasets.read_imine(tmp_path, "zh")
    pd.testing.assert_frame_equal(beside.qrels, alone.qrels)
    english, expected = irdiv.datasets.read_imine(tmp_path), irdiv.datasets.read_imine(source)
    pd.testing.assert_frame_equal(english.qrels, expected.qrels)


def test_chinese_imine_in_ir_datasets(real_data, chinese):
    irdiv.plugins.ir_datasets.register_imine(real_data / "ntcir11-imine" / "zh")
    with pytest.warns(IrdivWarning, match="0033"):
        loaded = irdiv.load("irdiv/ntcir11-imine/zh")
    columns = ["query_id", "intent_id", "doc_id", "relevance", "probability", "parent_id"]
    pd.testing.assert_frame_equal(loaded.qrels[columns], chinese[0].qrels[columns], check_dtype=False)
