"""Intent tables and files: what is said about those that are none, in full, and what they may lack."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

import irdiv
from irdiv import IrdivError
from irdiv.datasets import descending_weights

QRELS = pd.DataFrame(
    [("1", "a", "d", 1), ("1", "b", "e", 1), ("2", "a", "d", 1), ("2", "0", "f", 1)],
    columns=["query_id", "intent_id", "doc_id", "relevance"],
)
TABLE = pd.DataFrame(
    [("1", "a", 0.5), ("1", "b", 0.5), ("2", "a", 1.0)], columns=["query_id", "intent_id", "probability"]
)
COLUMNS = "'probability', 'type', 'parent_id', 'description', 'importance'"
SAME_IDS = "Check that both use the same ids."


def message(function, *arguments, **named) -> str:
    with pytest.raises(IrdivError) as caught:
        function(*arguments, **named)
    return str(caught.value)


def test_columns_of_an_intent_table():
    ids = TABLE[["query_id", "intent_id"]]
    assert message(irdiv.with_intents, QRELS, ids) == (
        f"the intent table has only ids: expected one or more of the columns {COLUMNS}, found 'query_id', 'intent_id'."
    )
    many = ids.assign(**{f"x{n:02}": 0 for n in range(11)})
    shown = ", ".join(["'query_id', 'intent_id'", *(f"'x{n:02}'" for n in range(10))])
    assert message(irdiv.with_intents, QRELS, many).endswith(f"found {shown}, ….")
    with pytest.warns(irdiv.IrdivWarning) as caught:
        irdiv.with_intents(QRELS, TABLE.assign(**{f"x{n:02}": 0 for n in range(10)}))
    shown = ", ".join(f"'x{n:02}'" for n in range(9))
    assert [str(warning.message) for warning in caught] == [
        f"the intent table has columns that are not used: {shown}, …. Rename those that are meant as one of {COLUMNS}, "
        "and drop the others."
    ]


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas])
def test_tables_that_do_not_fit(convert):
    changes = {
        "the intent table contradicts itself: intent 'b' of topic '1' has two rows that differ. Keep one row for each "
        "intent.": pd.concat([TABLE, TABLE.iloc[1:].assign(probability=0.9)]),
        "an intent has the id '_root_', which is that of the root above all intents; rename it.": TABLE.replace(
            {"intent_id": {"b": "_root_"}}
        ),
        "intent 'b' of topic '1' has the type 'x'; a type is 'inf' or 'nav'.": TABLE.assign(type=["inf", "x", "y"]),
        "the importance of an intent is 'vital' or 'okay', but the intent table has 'x', 'y'; map these labels, or "
        "rename the column 'probability' if it has weights.": TABLE.assign(importance=["x", None, "y"]),
        "no intent in common (topic and intent): the qrels have '1 a', '1 b', '2 a', …, and the intent table has '1 "
        f"x', '2 x'. {SAME_IDS}": TABLE.assign(intent_id="x").drop_duplicates(["query_id", "intent_id"]),
        "no intent in common in topic '2': the qrels have 'a', and the intent table has 'x'. " + SAME_IDS: TABLE.assign(
            intent_id=["a", "b", "x"]
        ),
    }
    for text, table in changes.items():
        assert message(irdiv.with_intents, convert(QRELS), convert(table)) == text


def test_what_a_table_may_lack():
    # missing types and labels, rows that repeat others, and topics that the qrels do not have
    table = pd.concat([TABLE, TABLE.iloc[:1], TABLE.iloc[:1].assign(query_id="9")])
    table = table.assign(type=[None, "nav", "inf", None, None], importance=["vital", None, "?", "vital", None])
    folded = irdiv.with_intents(QRELS, table)
    assert folded["query_id"].tolist() == QRELS["query_id"].tolist()
    assert folded["probability"].tolist()[:3] == [0.5, 0.5, 1.0]
    assert folded["type"].tolist()[1:3] == ["nav", "inf"]
    assert list(folded.columns) == [*QRELS.columns, "probability", "type", "importance"]
    # subtopic 0 of TREC is no intent: it need not be in the table
    assert irdiv.with_intents(QRELS, TABLE[TABLE["query_id"] == "1"])["probability"].notna().sum() == 2


def test_a_second_tree_drops_nodes_of_the_first():
    first = irdiv.nested_intents({"1": {"m": ["a", "b"]}, "2": {"n": ["a"]}})
    second = irdiv.nested_intents({"1": {"o": ["a", "b"]}})
    folded = irdiv.with_intents(irdiv.with_intents(QRELS, first), second)
    without = folded[folded["doc_id"] == "_no_document_"]
    # that of a topic which the second table does not have is kept
    assert sorted(zip(without["query_id"], without["intent_id"], strict=True)) == [("1", "o"), ("2", "n")]
    assert without["relevance"].tolist() == [0, 0]


HEADER = (
    "expected 'topic intent probability [inf|nav]', or a header with the columns query_id, intent_id and probability"
)
FILES = {
    "\n \n": "the intents file is empty; expected 'topic intent probability', or a header.",
    "\n1 a x\n": f"line 2: {HEADER}; found '1 a x'.",
    "1 a 0.5 x\n": f"line 1: {HEADER}; found '1 a 0.5 x'.",
    "1 a\n": f"line 1: {HEADER}; found '1 a'.",
    "1 a 0.5 inf 7\n": f"line 1: {HEADER}; found '1 a 0.5 inf 7'.",
    "y" * 90: f"line 1: {HEADER}; found '{'y' * 80}'.",
    "1 a 0.5\n1 b\n": "line 2: found 2 columns; expected 3 columns, query_id, intent_id, probability.",
    "1 a 0.5 inf\n1\n": "line 2: found 1 column; expected 4 columns, query_id, intent_id, probability, type.",
    "1 a 0.5 inf\n1 b 0.5 no\n": "line 2: type is 'no', not inf or nav.",
    "1 a 0.5\n1 b much\n": "line 2: probability is 'much', not a finite number.",
    "query_id,intent_id,weight\n1,a,much\n": "line 2: weight is 'much', not a finite number.",
    "query_id;intent_id;type\n1;a;no\n": "line 2: type is 'no', not inf or nav.",
}


def test_files_that_are_none(tmp_path):
    path = tmp_path / "intents"
    for text, expected in FILES.items():
        path.write_text(text)
        found = message(irdiv.read_intents, path).removeprefix(str(path)).lstrip(":, ")
        assert found == expected, text


@pytest.mark.parametrize("separator", [" ", ";", "\t", ","])
def test_files_without_a_header(tmp_path, separator):
    path = tmp_path / "intents"
    path.write_text("\n1 a 0.5\n1 b 0.5\n".replace(" ", separator))
    frame = irdiv.read_intents(path)
    assert frame.to_dict("list") == {"query_id": ["1", "1"], "intent_id": ["a", "b"], "probability": [0.5, 0.5]}
    path.write_text("1 a 0.5 inf\n1 b 0.5 nav\n".replace(" ", separator))
    assert irdiv.read_intents(path)["type"].tolist() == ["inf", "nav"]


@pytest.mark.parametrize("separator", [";", "\t", ","])
def test_files_with_a_header(tmp_path, separator):
    path = tmp_path / "intents"
    lines = ["qid intent_id weight type description", "1 a 0.5 nav x", "1 b   y", "01 a   "]
    path.write_text("\n".join(line.replace(" ", separator) for line in lines))
    frame = irdiv.read_intents(path).astype(object)
    assert frame.where(frame.notna(), None).to_dict("list") == {
        "qid": ["1", "1", "01"],
        "intent_id": ["a", "b", "a"],
        "weight": [0.5, None, None],
        "type": ["nav", None, None],
        "description": ["x", "y", None],
    }
    assert irdiv.read_intents(path)["weight"].dtype == float


def test_descending_weights():
    # 40 rows in no order: the natural order of topics, then of intents
    rows = [
        (str(q), str(n))
        for n in (3, 10, 1, 2, 20, 7, 11, 5, 9, 4, 6, 8, 12, 13, 19, 14, 18, 15, 17, 16)
        for q in (10, 9)
    ]
    table = descending_weights(pd.DataFrame(rows, columns=["query_id", "intent_id"]))
    assert table.index.tolist() == list(range(40))
    assert table["query_id"].tolist() == ["9"] * 20 + ["10"] * 20
    assert table["intent_id"].tolist() == [str(n) for n in range(1, 21)] * 2
    assert table["probability"].tolist() == pytest.approx([2 ** (19 - j) / (2**20 - 1) for j in range(20)] * 2)
    # of qrels, intents with a relevant document count, each once
    graded = pd.concat([QRELS, QRELS.iloc[:1].assign(doc_id="z"), QRELS.iloc[:1].assign(intent_id="c", relevance=0)])
    counted = descending_weights(graded[graded["intent_id"] != "0"])
    assert counted.to_numpy().tolist() == [["1", "a", 2 / 3], ["1", "b", 1 / 3], ["2", "a", 1.0]]
    tree = irdiv.nested_intents({"1": {"m": ["a"]}})
    assert message(descending_weights, tree) == (
        "the intents are a hierarchy (some have a parent_id), of which all nodes together have no distribution; give "
        "the qrels, or only the leaves without the column parent_id."
    )
    assert message(descending_weights, pd.concat([TABLE, TABLE.iloc[1:]])) == (
        "the intent table has two rows for intent 'b' of topic '1'; keep one."
    )


@pytest.mark.parametrize("missing", [{"intent_id": ["a", None]}, {"doc_id": pd.Categorical(["x", None])}])
def test_missing_ids_are_those_of_the_qrels(missing):
    qrels = pd.DataFrame({"query_id": "1", "intent_id": ["a", "b"], "doc_id": ["x", "y"], "relevance": 1})
    intents = pd.DataFrame({"query_id": "1", "intent_id": ["a", "b", "c"], "probability": [0.5, 0.3, 0.2]})
    with pytest.raises(
        irdiv.IrdivError, match=f"column '{next(iter(missing))}' of the qrels has a missing id: .* in row 1"
    ):
        irdiv.with_intents(qrels.assign(**missing), intents)
