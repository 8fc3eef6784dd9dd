"""Intent tables folded into qrels: what is kept, what it changes, and tables that do not fit."""

from __future__ import annotations

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import irdiv
from irdiv import IrdivError
from irdiv.intents import descending_weights

SPECS = ["D#-nDCG@3", "ERR-IA@3", "α-nDCG@3", "I-rec(intents='all')@3"]
LIBRARIES = [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas]


def values(qrels, run, specs=SPECS) -> np.ndarray:
    return irdiv.evaluate(qrels, run, specs).values


@pytest.fixture
def intents() -> pd.DataFrame:
    rows = [("1", "1", 0.5, "inf"), ("1", "2", 0.3, "nav"), ("1", "3", 0.2, "inf"), ("1", "4", 0.1, "inf")]
    rows += [("2", "1", 0.25, "inf"), ("2", "2", 0.75, "inf")]
    return pd.DataFrame(rows, columns=["query_id", "intent_id", "probability", "type"])


class TestFolding:
    def test_folded_intents_survive_operations_on_frames(self, qrels, run, intents, tmp_path):
        folded = irdiv.with_intents(qrels, intents)
        expected = values(folded, run)
        assert not np.array_equal(expected, values(qrels, run))
        path = tmp_path / "qrels.parquet"
        folded.to_parquet(path)
        names = {"query_id": "qid", "doc_id": "docno", "relevance": "label", "iteration": "intent"}
        one, two = (folded[folded["query_id"] == q] for q in "12")
        again = {
            "pandas": pd.read_parquet(path),
            "pyarrow": pq.read_table(path),
            "polars": pl.read_parquet(path),
            "renamed": folded.rename(columns=names),
            "concat": pd.concat([two, one]),
            "merge": folded.merge(pd.DataFrame({"query_id": ["1", "2"], "query": ["a", "b"]}), on="query_id"),
            "folded again": irdiv.with_intents(folded, intents),
            "integers": irdiv.with_intents(qrels.astype({"query_id": int, "iteration": int}), intents),
        }
        for name, frame in again.items():
            np.testing.assert_array_equal(values(frame, run), expected, err_msg=name)
        assert again["integers"]["query_id"].dtype == int

    @pytest.mark.parametrize("convert", LIBRARIES)
    @pytest.mark.parametrize("convert_intents", LIBRARIES)
    def test_the_result_is_a_frame_of_the_callers_library(self, qrels, run, intents, convert, convert_intents):
        given = convert(qrels.assign(note=["seen"] + [None] * 7))
        table = intents.assign(description=[None, "d", None, None, "d", "d"])
        folded = irdiv.with_intents(given, convert_intents(table))
        assert type(folded) is type(given)
        np.testing.assert_array_equal(values(folded, run), values(irdiv.with_intents(qrels, intents), run))
        in_narwhals = nw.from_native(folded, eager_only=True)
        missing = {name: in_narwhals[name].is_null().to_list() for name in ("note", "description")}
        # the last row is that of intent 4, which has no judged document
        intent = qrels["query_id"] + qrels["iteration"]
        assert missing["note"] == [False] + [True] * 8
        assert missing["description"] == [*intent.isin(["11", "13"]), True]

    def test_an_intent_without_judged_document_is_kept(self, qrels, run, intents):
        folded = irdiv.with_intents(qrels, intents)
        assert folded[folded["iteration"] == "4"]["doc_id"].tolist() == ["_no_document_"]
        # the placeholder is not a judged document of the ad hoc qrels
        assert values(folded, run, "NumRel").sum() == 5
        # and stays when another table is folded in
        texts = pd.DataFrame({"query_id": ["1"], "intent_id": ["1"], "description": ["the first"]})
        np.testing.assert_array_equal(values(irdiv.with_intents(folded, texts), run), values(folded, run))

    @pytest.mark.parametrize("convert", LIBRARIES)
    def test_an_intent_without_judged_document_beside_integer_ids(self, convert):
        qrels = pd.DataFrame({"query_id": [1], "intent_id": [1], "doc_id": [7], "relevance": [1]})
        intents = pd.DataFrame({"query_id": [1, 1], "intent_id": ["1", "x"], "probability": [0.5, 0.5]})
        folded = irdiv.with_intents(convert(qrels), intents)
        assert values(folded, {1: {7: 1.0}}, "I-rec(intents=all)").item() == 0.5

    def test_inner_nodes_are_rows_but_not_intents(self, qrels, run):
        tree = {"1": {"n": ["1", "2"], "3": None}, "2": ["1", "2"]}
        folded = irdiv.with_intents(qrels, irdiv.intents.nested_intents(tree))
        assert "n" in folded["iteration"].tolist()
        np.testing.assert_array_equal(values(folded, run), values(qrels, run))

    def test_topics_of_the_table_only_are_left_out(self, qrels, run, intents):
        more = pd.concat([intents, intents[:1], intents[:1].assign(query_id="77")])
        pd.testing.assert_frame_equal(irdiv.with_intents(qrels, more), irdiv.with_intents(qrels, intents))

    def test_a_topic_without_probabilities_among_others_is_uniform(self, qrels, run, intents):
        partly = irdiv.with_intents(qrels, intents[intents["query_id"] == "1"])
        found, whole, plain = (
            values(frame, run, "D-nDCG@3")[0, 0].tolist()
            for frame in (partly, irdiv.with_intents(qrels, intents), qrels)
        )
        assert found == [whole[0], plain[1]]
        assert whole[0] != plain[0]
        assert whole[1] != plain[1]

    def test_intent_0_is_an_intent_if_the_table_has_it(self, run):
        qrels = pd.DataFrame({"query_id": "1", "intent_id": ["0", "1"], "doc_id": ["d9", "d1"], "relevance": [0, 1]})
        assert values(qrels, run, "I-rec(intents=all)").item() == 1
        types = pd.DataFrame({"query_id": "1", "intent_id": ["0", "1"], "type": ["inf", "nav"]})
        assert values(irdiv.with_intents(qrels, types), run, "I-rec(intents=all)").item() == 0.5
        # but the table may lack it
        assert irdiv.with_intents(qrels, types[1:])["type"].fillna("").tolist() == ["", "nav"]

    def test_types_and_labels_may_be_missing(self, qrels, intents):
        for missing in (None, "", np.nan):
            table = intents.assign(type=["nav", *[missing] * 5], importance=["vital", "?", *[missing] * 4])
            folded = irdiv.with_intents(qrels, table)
            assert list(folded.columns) == [*qrels.columns, "probability", "type", "importance"]
            first = folded["query_id"].eq("1") & folded["iteration"].eq("1")
            assert folded.loc[first, ["type", "importance"]].drop_duplicates().values.tolist() == [["nav", "vital"]]

    @pytest.mark.parametrize("name", ["weight", "weights"])
    def test_a_column_of_weights_is_the_probability(self, qrels, run, intents, name):
        expected = irdiv.with_intents(qrels, intents)
        for convert in LIBRARIES:
            folded = irdiv.with_intents(qrels, convert(intents.rename(columns={"probability": name})))
            pd.testing.assert_frame_equal(folded, expected)

    def test_weights_in_qrels_are_not_probabilities(self, qrels, run):
        np.testing.assert_array_equal(values(qrels.assign(weight=np.arange(8)), run), values(qrels, run))

    @pytest.mark.parametrize("name", ["prob", "p", "salience"])
    def test_columns_that_are_not_used_are_named_in_a_warning(self, qrels, intents, name):
        unknown = intents.rename(columns={"probability": name}).assign(note="x")
        with pytest.warns(irdiv.IrdivWarning, match=f"not used: '{name}', 'note'.*'probability'") as caught:
            folded = irdiv.with_intents(qrels, unknown)
        assert [warning.filename for warning in caught] == [__file__]
        assert list(folded.columns) == [*qrels.columns, "type"]

    def test_judged_intents_that_the_table_lacks_are_named_in_a_warning(self, qrels, intents):
        with pytest.warns(irdiv.IrdivWarning, match="1 of 5 judged intents .*'1 3'.*same ids"):
            irdiv.with_intents(qrels, intents[intents["intent_id"] != "3"])


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda i: i.drop(columns=["probability", "type"]), "only ids: expected .*'importance', found 'query_id'"),
        (lambda i: i.drop(columns="intent_id"), "the intents lack a column"),
        (lambda i: pd.concat([i, i[1:].assign(probability=0.9)]), "'2' of topic '1' has two rows that differ"),
        (lambda i: i.assign(intent_id=None), "missing id"),
        (lambda i: i[:0], "the intents are empty"),
        (lambda i: i.assign(type=["inf", "Nav", *["x"] * 4]), "'2' of topic '1' has the type 'Nav'; .*'inf' or 'nav'"),
        (lambda i: i.assign(importance=["x", None, "y", *["x"] * 3]), "'vital' or 'okay', but .* 'x', 'y'; map"),
        (lambda i: i.assign(weight=1.0), "two columns for one thing: 'probability', 'weight'"),
        (lambda i: i.replace({"intent_id": {"4": "_root_"}}), "the id '_root_', .*rename"),
        (lambda i: i.assign(intent_id="x" + i["intent_id"]), "no intent in common .*qrels have '1 1', .*has '1 x1', "),
        (lambda i: i.assign(query_id="T" + i["query_id"]), "no intent in common .*the intent table has 'T1 1', "),
        (lambda i: i.replace({"intent_id": {"1": "x", "2": "y"}}), "in common in topic '2': .*'1', '2', .*'x', 'y'"),
        (lambda i: i.drop(columns="probability").assign(weight=-1.0), "column 'weight' of the intents holds -1.0"),
        (lambda i: i.assign(probability="much"), "must hold numbers"),
        (lambda i: i.assign(probability=np.inf), "must hold finite numbers"),
    ],
)
def test_tables_that_do_not_fit(qrels, intents, convert, change, message):
    with pytest.raises(IrdivError, match=message):
        irdiv.with_intents(convert(qrels), convert(change(intents)))


def test_probabilities_that_measures_cannot_use(qrels, run, intents):
    partly = intents.assign(probability=[np.nan, *intents["probability"][1:]])
    for frame, message in [
        (irdiv.with_intents(qrels, partly), "'1' of topic '1' counts but has no probability"),
        (irdiv.with_intents(qrels, intents.assign(probability=0.0)), "topic '1' have the probability 0"),
        (qrels.assign(probability=np.arange(8) / 10), "'1' of topic '1' has two probabilities"),
    ]:
        with pytest.raises(IrdivError, match=message):
            values(frame, run)


@pytest.mark.parametrize("missing", [{"iteration": None}, {"doc_id": pd.Categorical([None] * 8)}])
def test_missing_ids_are_those_of_the_qrels(qrels, intents, missing):
    (name,) = missing
    with pytest.raises(IrdivError, match=f"column '{name}' of the qrels has a missing id: .* in row 0"):
        irdiv.with_intents(qrels.assign(**missing), intents)


class TestDescendingWeights:
    def test_by_the_formula(self):
        # in no order: the natural order of topics, then of intents
        numbers = [3, 10, 1, 2, 7, 11, 5, 9, 4, 6, 8]
        rows = [(str(q), str(n)) for n in numbers for q in (10, 9)]
        table = descending_weights(pd.DataFrame(rows, columns=["query_id", "intent_id"]))
        intents = [str(n) for n in range(1, 12)]
        probabilities = [2 ** (11 - j) / (2**11 - 1) for j in range(1, 12)]
        expected = {"query_id": ["9"] * 11 + ["10"] * 11, "intent_id": intents * 2, "probability": probabilities * 2}
        pd.testing.assert_frame_equal(table, pd.DataFrame(expected), check_dtype=False)

    def test_of_qrels_each_intent_with_a_relevant_document_counts_once(self, qrels):
        more = qrels.iloc[:1].assign(doc_id="d8", relevance=0, iteration="0")
        found = descending_weights(pd.concat([more, qrels]))
        ids, shares = found[["query_id", "intent_id"]].values.tolist(), found["probability"].tolist()
        assert ids == [["1", "1"], ["1", "2"], ["1", "3"], ["2", "1"], ["2", "2"]]
        assert shares == pytest.approx([4 / 7, 2 / 7, 1 / 7, 2 / 3, 1 / 3])

    def test_refused(self, intents):
        with pytest.raises(IrdivError, match="hierarchy .*parent_id.*leaves"):
            descending_weights(irdiv.intents.nested_intents({"1": {"m": ["a"]}}))
        with pytest.raises(IrdivError, match="two rows for intent '2' of topic '1'"):
            descending_weights(pd.concat([intents, intents[1:]]))
