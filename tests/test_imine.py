"""NTCIR-11 IMine: XML files of intents and judgments, and the dataset for ir_datasets and PyTerrier."""

from __future__ import annotations

import pandas as pd
import pytest

import irdiv
from irdiv import IrdivError
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
    with pytest.raises(IrdivError, match="expected one file IMine.Qrel.SME.xml .* found none"):
        irdiv.plugins.ir_datasets.register_imine(tmp_path)
    with pytest.raises(IrdivError, match="is not a folder"):
        irdiv.datasets.read_imine(tmp_path / "none")
    with pytest.raises(IrdivError, match="choose 'en', 'zh'"):
        irdiv.datasets.read_imine(tmp_path, "ja")


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
