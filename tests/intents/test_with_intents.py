from __future__ import annotations

import gzip
from typing import NamedTuple
from uuid import UUID

import hypothesis
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import strategies as st
from ir_measures import Qrel, ScoredDoc

import irdiv
from irdiv import IrdivError
from irdiv.frames import parsing, readers
from irdiv.frames.runs import run_tag
from irdiv.intents.files import read_intents

SPECS = ["D#-nDCG@3", "ERR-IA@3", "α-nDCG@3", "I-rec(intents='all')@3"]


class TrecSubQrel(NamedTuple):
    """As ir_datasets has it."""

    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str


def values(qrels, run) -> np.ndarray:
    return irdiv.evaluate(qrels, run, SPECS).values


@pytest.mark.parametrize(
    "intent",
    ["iteration", "subtopic_id", "subtopic", "intent_id", "intent", "nugget_id", "aspect_id", "rubric_id"],
)
def test_every_name_of_the_intent_column(qrels, run, intent):
    renamed = qrels.rename(columns={"iteration": intent})
    np.testing.assert_array_equal(values(renamed, run), values(qrels, run))


def test_any_other_intent_column_is_preferred_to_iteration(qrels, run):
    both = qrels.rename(columns={"iteration": "subtopic_id"}).assign(iteration="0")
    np.testing.assert_array_equal(values(both, run), values(qrels, run))


def test_pyterriers_names(qrels, run):
    pt_qrels = qrels.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})
    pt_run = run.rename(columns={"query_id": "qid", "doc_id": "docno"}).assign(rank=0, query="jaguar")
    np.testing.assert_array_equal(values(pt_qrels, pt_run), values(qrels, run))


def test_ids_are_compared_as_strings(qrels, run):
    integers = qrels.astype({"query_id": int, "iteration": int})
    np.testing.assert_array_equal(values(integers, run), values(qrels, run))
    np.testing.assert_array_equal(values(qrels, run.astype({"query_id": float})), values(qrels, run))


@pytest.mark.parametrize("batch_rows", [None, 100])
def test_a_test_collection_in_place_of_its_qrels(batch_rows):
    collection, (qrels, runs) = irdiv.demo.demo_collection(), irdiv.demo.demo_qrels_and_runs()
    made = irdiv.evaluate(collection, runs, "D#-nDCG@10", batch_rows=batch_rows)
    np.testing.assert_array_equal(made.values, irdiv.evaluate(qrels, runs, "D#-nDCG@10").values)
    assert repr(irdiv.Collection(collection)) == repr(irdiv.Collection(qrels))
    pd.testing.assert_frame_equal(irdiv.oracle(collection), irdiv.oracle(qrels))


def test_a_collection_is_not_compiled_again(qrels):
    collection = irdiv.Collection.of(qrels)
    assert irdiv.Collection.of(collection) is collection


def test_a_reader_added_to_the_table(qrels, run, tmp_path, monkeypatch):
    paths = tmp_path / "qrels.csv", tmp_path / "system.csv"
    for path, frame in zip(paths, (qrels, run), strict=True):
        frame.to_csv(path, index=False)
    csv = readers.Reader(
        "CSV",
        (".csv",),
        recognizes=lambda path: path.suffix == ".csv",
        read=lambda path, role: pd.read_csv(path, dtype={"query_id": str}),
    )
    monkeypatch.setattr(readers, "READERS", (csv, *readers.READERS))
    for options in ({}, {"batch_rows": 3}):
        made = irdiv.evaluate(*paths, SPECS, **options)
        np.testing.assert_array_equal(made.values, values(qrels, run))
        assert made.runs == ("system",)
    with pytest.raises(IrdivError, match=r"system.csv' is a CSV file, and only TREC files have a tag; name runs by"):
        run_tag(paths[1])


def test_namedtuples(qrels, run):
    rows = [Qrel(*row) for row in qrels.itertuples(index=False)]
    sub = [TrecSubQrel(*row) for row in qrels.itertuples(index=False)]
    docs = (ScoredDoc(*row) for row in run.itertuples(index=False))
    np.testing.assert_array_equal(values(rows, docs), values(qrels, run))
    np.testing.assert_array_equal(values(iter(sub), run), values(qrels, run))


@pytest.mark.parametrize("compressed", [False, True])
def test_files(qrels, run, tmp_path, compressed):
    qrels_text = qrels[["query_id", "iteration", "doc_id", "relevance"]].to_csv(sep=" ", header=False, index=False)
    run_text = run.assign(q0="Q0", rank=1, tag="t")[["query_id", "q0", "doc_id", "rank", "score", "tag"]].to_csv(
        sep="\t", header=False, index=False
    )
    paths = []
    for name, text in (("qrels", qrels_text), ("run", run_text)):
        path = tmp_path / (name + ".gz" * compressed)
        path.write_bytes(gzip.compress(text.encode()) if compressed else text.encode())
        paths.append(path)
    np.testing.assert_array_equal(values(paths[0], str(paths[1])), values(qrels, run))


def test_document_ids_that_look_like_missing_values(tmp_path):
    path = tmp_path / "qrels"
    path.write_text('1 1 NA 1\n1 2 "quoted 1\n1 2 null 0\n')
    assert irdiv.read_qrels(path)["doc_id"].tolist() == ["NA", '"quoted', "null"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1 d 1\n1 1 d\n", "line 2: found 3 columns; expected 4 columns"),
        ("1 1 d 1\n1 1 d 1 x\n", "line 2: found 5 columns"),
        ("1 1 d 1 x\n", "line 1: found 5 columns"),
        ("1 1 d L1\n", "line 1: relevance is 'L1', not an integer"),
        ("1 1 d 1.5\n", "line 1: relevance is '1.5', not an integer"),
        ("", "the qrels file is empty"),
        ("\n\n", "the qrels file is empty"),
    ],
)
def test_errors_name_the_line_of_a_qrels_file(tmp_path, text, message):
    path = tmp_path / "bad.qrels"
    path.write_text(text)
    with pytest.raises(IrdivError) as caught:
        irdiv.read_qrels(path)
    assert message in str(caught.value)
    assert "bad.qrels" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1 Q0 d\xe9 1 2.0 t\n", "line 1: byte 0xe9 is not UTF-8"),
        (b"1 Q0 d 1 high t\n", "line 1: score is 'high', not a finite number"),
        (b"1 Q0 d 1 2.0\n", "line 1: found 5 columns"),
        (b"1 Q0 d 1 2.0 t\n1 Q0 e 1 nan t\n", "line 2: score is 'nan', not a finite number"),
        (b"1 Q0 d 99999999999999999999 2.0 t\n", "line 1: rank is '99999999999999999999', not an integer"),
        (b"1 1 d 1\n", "line 1: found 4 columns, as qrels have"),
        (gzip.compress(b"1 Q0 d 1 2.0 t\n" * 5000, mtime=0)[:-20], "truncated or damaged"),
    ],
)
def test_errors_name_the_line_of_a_run_file(tmp_path, content, message):
    path = tmp_path / "bad.run"
    path.write_bytes(content)
    with pytest.raises(IrdivError) as caught:
        irdiv.read_run(path)
    assert message in str(caught.value)
    assert "bad.run" in str(caught.value)


def test_no_such_file(qrels):
    with pytest.raises(IrdivError, match="no such run file: 'nowhere'"):
        irdiv.evaluate(qrels, "nowhere", "I-rec")


@pytest.fixture
def intents() -> pd.DataFrame:
    rows = [("1", "1", 0.5, "inf"), ("1", "2", 0.3, "nav"), ("1", "3", 0.2, "inf"), ("1", "4", 0.1, "inf")]
    rows += [("2", "1", 0.25, "inf"), ("2", "2", 0.75, "inf")]
    return pd.DataFrame(rows, columns=["query_id", "intent_id", "probability", "type"])


def test_folded_intents_survive_operations_on_frames(qrels, run, intents, tmp_path):
    folded = irdiv.with_intents(qrels, intents)
    expected = values(folded, run)
    assert not np.array_equal(expected, values(qrels, run))
    folded.to_parquet(tmp_path / "qrels.parquet")
    renamed = folded.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label", "iteration": "intent"})
    one, two = (folded[folded["query_id"] == q] for q in "12")
    for again in (
        pd.read_parquet(tmp_path / "qrels.parquet"),
        pq.read_table(tmp_path / "qrels.parquet"),
        pl.read_parquet(tmp_path / "qrels.parquet"),
        renamed,
        pd.concat([two, one]),
        folded.merge(pd.DataFrame({"query_id": ["1", "2"], "query": ["a", "b"]}), on="query_id"),
        irdiv.with_intents(folded, intents),
    ):
        np.testing.assert_array_equal(values(again, run), expected)


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
@pytest.mark.parametrize("convert_intents", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_with_intents_returns_a_frame_of_the_callers_library(qrels, run, intents, convert, convert_intents):
    folded = irdiv.with_intents(convert(qrels), convert_intents(intents))
    assert type(folded) is type(convert(qrels))
    np.testing.assert_array_equal(values(folded, run), values(irdiv.with_intents(qrels, intents), run))


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
@pytest.mark.parametrize("convert_intents", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_with_intents_keeps_missing_values(convert, convert_intents):
    qrels = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "intent_id": ["x", "y"], "relevance": 1})
    qrels["note"] = ["seen", None]
    intents = pd.DataFrame(
        {"query_id": "1", "intent_id": ["x", "y"], "type": ["nav", None], "description": [None, "d"]}
    )
    folded = nw.from_native(irdiv.with_intents(convert(qrels), convert_intents(intents)), eager_only=True)
    missing = {name: folded[name].is_null().to_list() for name in ("note", "type", "description")}
    assert missing == {"note": [False, True], "type": [False, True], "description": [True, False]}


def test_with_intents_on_a_file_and_on_integers(qrels, run, intents, tmp_path):
    path = tmp_path / "qrels"
    qrels[["query_id", "iteration", "doc_id", "relevance"]].to_csv(path, sep=" ", header=False, index=False)
    expected = values(irdiv.with_intents(qrels, intents), run)
    np.testing.assert_array_equal(values(irdiv.with_intents(path, intents), run), expected)
    integers = irdiv.with_intents(qrels.astype({"query_id": int, "iteration": int}), intents)
    assert integers["query_id"].dtype == int
    np.testing.assert_array_equal(values(integers, run), expected)


def test_an_intent_without_judged_document_is_kept(qrels, run, intents):
    folded = irdiv.with_intents(qrels, intents)
    assert folded[folded["iteration"] == "4"]["doc_id"].tolist() == ["_no_document_"]
    # the placeholder is not a judged document of the ad hoc qrels
    table = irdiv.evaluate(folded, run, "NumRel").values
    assert table.sum() == 5


def test_inner_nodes_are_rows_but_not_intents(qrels, run):
    rows = [
        ("1", "1", "n"),
        ("1", "2", "n"),
        ("1", "3", None),
        ("1", "n", None),
        ("2", "1", None),
        ("2", "2", None),
    ]
    tree = pd.DataFrame(rows, columns=["query_id", "intent_id", "parent_id"])
    folded = irdiv.with_intents(qrels, tree)
    assert "n" in folded["iteration"].tolist()
    np.testing.assert_array_equal(values(folded, run), values(qrels, run))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda i: i.drop(columns=["probability", "type"]), "the intent table has only ids"),
        (lambda i: i.drop(columns="intent_id"), "the intents lack a column"),
        (lambda i: pd.concat([i, i.assign(probability=0.9)]), "has two rows that differ"),
        (lambda i: i.assign(intent_id=None), "missing id"),
        (lambda i: i.iloc[:0], "the intents are empty"),
        (lambda i: i.assign(type="Nav"), "intent '1' of topic '1' has the type 'Nav'; a type is 'inf' or 'nav'"),
        (lambda i: i.assign(weight=1.0), "the intents have two columns for one thing: 'probability', 'weight'"),
        (
            lambda i: i.assign(intent_id=i["query_id"] + "." + i["intent_id"]),
            r"no intent in common \(topic and intent\): the qrels have '1 1', .*the intent table has '1 1.1', ",
        ),
        (lambda i: i.assign(query_id="T" + i["query_id"]), "no intent in common .*the intent table has 'T1 1', "),
    ],
)
def test_bad_intents(qrels, intents, change, message):
    with pytest.raises(IrdivError, match=message):
        irdiv.with_intents(qrels, change(intents))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda i: i.iloc[1:], "intent '1' of topic '1' counts but has no probability"),
        (lambda i: i.assign(probability=-1.0), "holds -1.0; give 0 or more"),
        (lambda i: i.assign(probability=0.0), "all intents that count in topic '1' have the probability 0"),
        (lambda i: i.assign(probability="much"), "must hold numbers"),
        (lambda i: i.assign(probability=np.inf), "must hold finite numbers"),
    ],
)
def test_bad_probabilities(qrels, run, intents, change, message):
    with pytest.raises(IrdivError, match=message):
        values(irdiv.with_intents(qrels, change(intents)), run)


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
@pytest.mark.parametrize("name", ["weight", "weights"])
def test_a_column_of_weights_is_the_probability(qrels, run, intents, convert, name):
    folded = irdiv.with_intents(qrels, convert(intents.rename(columns={"probability": name})))
    pd.testing.assert_frame_equal(folded, irdiv.with_intents(qrels, intents))


def test_weights_in_qrels_are_not_probabilities(qrels, run):
    np.testing.assert_array_equal(values(qrels.assign(weight=np.arange(len(qrels))), run), values(qrels, run))


def test_a_bad_weight_is_named_by_its_own_column(qrels, intents):
    bad = intents.rename(columns={"probability": "weight"}).assign(weight=-1.0)
    with pytest.raises(IrdivError, match="column 'weight' of the intents holds -1.0"):
        irdiv.with_intents(qrels, bad)


@pytest.mark.parametrize("name", ["prob", "p", "salience"])
def test_unknown_columns_of_an_intent_table_are_named_in_a_warning(qrels, intents, name):
    unknown = intents.rename(columns={"probability": name}).assign(note="x")
    with pytest.warns(irdiv.IrdivWarning, match=f"not used: '{name}', 'note'.*'probability'") as caught:
        folded = irdiv.with_intents(qrels, unknown)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert list(folded.columns) == [*qrels.columns, "type"]


def test_missing_types_are_allowed(qrels, intents):
    for missing in (None, "", np.nan):
        irdiv.with_intents(qrels, intents.assign(type=intents["type"].where(intents["type"] == "nav", missing)))


@pytest.mark.parametrize("header", ["query_id,intent_id,probability,type", "query_id,intent_id,weight,type"])
def test_missing_types_are_allowed_in_files(tmp_path, qrels, header):
    path = tmp_path / "intents.csv"
    path.write_text(f"{header}\n1,1,0.5,nav\n1,2,0.5,\n")
    assert irdiv.with_intents(qrels, path)["type"].dropna().unique().tolist() == ["nav"]
    path.write_text(f"{header}\n1,1,0.5,nav\n1,2,0.5,navi\n")
    with pytest.raises(IrdivError, match="line 3: type is 'navi', not inf or nav"):
        irdiv.with_intents(qrels, path)


def test_two_probabilities_for_one_intent(qrels, run):
    with pytest.raises(IrdivError, match="intent '1' of topic '1' has two probabilities"):
        values(qrels.assign(probability=np.arange(len(qrels)) / 10), run)


def test_a_topic_without_probabilities_among_others_is_uniform(qrels, run, intents):
    partly = irdiv.with_intents(qrels, intents[intents["query_id"] == "1"])
    evaluation = irdiv.evaluate(partly, run, "D-nDCG@3").values
    assert evaluation[0, 0, 1] == irdiv.evaluate(qrels, run, "D-nDCG@3").values[0, 0, 1]
    assert evaluation[0, 0, 0] != irdiv.evaluate(qrels, run, "D-nDCG@3").values[0, 0, 0]


@pytest.mark.parametrize(
    "text",
    [
        "1 1 0.5\n1 2 0.5\n",
        "query_id\tintent_id\tprobability\n1\t1\t0.5\n1\t2\t0.5\n",
        "qid,intent,probability\n1,1,0.5\n1,2,0.5\n",
        "qid,intent,weight\n1,1,0.5\n1,2,0.5\n",
        "qid;intent;weights\n1;1;0.5\n1;2;0.5\n",
    ],
)
def test_intents_files(tmp_path, text):
    path = tmp_path / "intents"
    path.write_text(text)
    frame = read_intents(path)
    assert frame.iloc[:, 2].tolist() == [0.5, 0.5]
    qrels = pd.DataFrame({"qid": ["1"], "docno": ["d"], "intent": ["1"], "label": [1]})
    for given in (frame, path):
        assert irdiv.with_intents(qrels, given)["probability"].tolist() == [0.5, 0.5]


def test_a_bad_intents_file(tmp_path):
    path = tmp_path / "intents"
    path.write_text("1 1\n")
    with pytest.raises(IrdivError, match="line 1: expected 'topic intent probability "):
        read_intents(path)
    path.write_text("qid,intent,weight\n1,1,much\n")
    with pytest.raises(IrdivError, match="line 2: weight is 'much', not a finite number"):
        read_intents(path)
    path.write_text("qid,intent,weight,probability\n1,1,1,1\n")
    with pytest.raises(IrdivError, match="two columns for one thing: 'probability', 'weight'"):
        read_intents(path)
    with pytest.raises(IrdivError, match="no such intents file"):
        read_intents(tmp_path / "none")


@pytest.mark.parametrize("separator", [" ", "  ", "\t", ";", "; "])
def test_white_space_of_unicode_belongs_to_ids_with_any_separator(tmp_path, separator):
    rows = [["\u00a01", "x\u2003", "a\u00a0b", "1"], ["1", "0", "\u3000c\u00a0", "0"]]
    path = tmp_path / "qrels"
    path.write_text("".join(f"{separator.join(row)}\n" for row in rows), encoding="utf-8")
    assert irdiv.read_qrels(path).drop(columns="relevance").to_numpy().tolist() == [row[:3] for row in rows]
    path.write_text("".join(f"{separator.join(row)}\n" for row in [*rows, ["1", "0", "d", "x"]]), encoding="utf-8")
    with pytest.raises(IrdivError, match="line 3: relevance is 'x'"):
        irdiv.read_qrels(path)


def test_the_line_of_an_unknown_intent_with_white_space_of_unicode(tmp_path):
    (tmp_path / "Dqrels").write_text("1 0 a\u00a0b L1\n1 1\u00a0 c L1\n", encoding="utf-8")
    (tmp_path / "Iprob").write_text("1 0 1\n")
    with pytest.raises(IrdivError, match=r"line 2: intent '1\\xa0' of topic '1' is not in"):
        irdiv.datasets.read_ntcir_qrels(tmp_path / "Dqrels", tmp_path / "Iprob")


@pytest.mark.parametrize("score", ["\u00a01.5", "1.5\u2003", "\u0661"])
def test_numbers_in_unicode(tmp_path, score):
    (tmp_path / "run").write_text(f"1 Q0 a 1 2.5 x\n1 Q0 b 2 {score} x\n", encoding="utf-8")
    with pytest.raises(IrdivError, match="line 2: score is .*, not a finite number"):
        irdiv.read_run(tmp_path / "run")


def test_ids_in_an_intents_file_stay_as_written(tmp_path):
    path = tmp_path / "intents.csv"
    path.write_text("qid, intent, probability, description\n01, NA, 0.5, None\n01, 2, 0.5, x\n")
    frame = read_intents(path)
    assert frame["qid"].tolist() == ["01", "01"]
    assert frame["intent"].tolist() == ["NA", "2"]
    assert frame["description"].tolist() == ["None", "x"]


@pytest.mark.parametrize(
    "text", ["qid,intent,probability\n1,x\u2003,0.5\n1,\u00a0y,0.5\n", "1 x\u2003 0.5\n1 \u00a0y 0.5\n"]
)
def test_white_space_of_unicode_belongs_to_ids_as_in_trec_files(tmp_path, text):
    intents, qrels = tmp_path / "intents", tmp_path / "qrels"
    intents.write_text(text, encoding="utf-8")
    qrels.write_text("1 x\u2003 a 1\n1 \u00a0y b 1\n", encoding="utf-8")
    folded = irdiv.with_intents(qrels, intents)
    assert folded["iteration"].tolist() == ["x\u2003", "\u00a0y"]
    assert folded["probability"].tolist() == [0.5, 0.5]


def test_topics_of_the_intent_table_only_are_left_out(qrels, run, intents):
    more = pd.concat([intents, intents[intents["query_id"] == "1"].assign(query_id="77")])
    np.testing.assert_array_equal(
        values(irdiv.with_intents(qrels, more), run), values(irdiv.with_intents(qrels, intents), run)
    )


def test_a_second_fold_keeps_intents_without_judged_document(qrels, run, intents):
    types = pd.DataFrame({"query_id": ["1"], "intent_id": ["1"], "description": ["the first"]})
    twice = irdiv.with_intents(irdiv.with_intents(qrels, intents), types)
    np.testing.assert_array_equal(values(twice, run), values(irdiv.with_intents(qrels, intents), run))


def test_intent_0_is_an_intent_if_the_intent_table_has_it(run):
    qrels = pd.DataFrame({"query_id": "1", "intent_id": ["0", "1"], "doc_id": ["d9", "d1"], "relevance": [0, 1]})
    assert irdiv.evaluate(qrels, run, "I-rec(intents=all)").values[0, 0, 0] == 1
    types = pd.DataFrame({"query_id": "1", "intent_id": ["0", "1"], "type": ["inf", "nav"]})
    assert irdiv.evaluate(irdiv.with_intents(qrels, types), run, "I-rec(intents=all)").values[0, 0, 0] == 0.5


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_an_intent_without_judged_document_beside_integer_ids(convert):
    qrels = pd.DataFrame({"query_id": [1], "intent_id": [1], "doc_id": [7], "relevance": [1]})
    intents = pd.DataFrame({"query_id": [1, 1], "intent_id": ["1", "x"], "probability": [0.5, 0.5]})
    folded = irdiv.with_intents(convert(qrels), intents)
    assert irdiv.evaluate(folded, {1: {7: 1.0}}, "I-rec(intents=all)").values[0, 0, 0] == 0.5


def test_float_ids_too_large_for_exact_integers():
    qrels = pd.DataFrame({"query_id": [1e19, 2e19], "intent_id": 1, "doc_id": "d", "relevance": 1})
    assert irdiv.Collection(qrels).topics.tolist() == ["1e+19", "2e+19"]


CELLS = st.sampled_from(
    [
        "1",
        "2",
        "Q0",
        "d1",
        "é",
        "7",
        "+3",
        "-4",
        "1.5",
        "-2e-3",
        ".5",
        "nan",
        "inf",
        "1e400",
        "1_0",
        "0x1",
        '"a',
        "'",
        "",
        "x;y",
    ]
)
SPACES = st.sampled_from([" ", " ", " ", "\t", "  ", " \t", "\x0b", "\u00a0"])
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\n\n", " \n", "\r", "\n \n"])


@st.composite
def run_files(draw):
    plain = draw(st.booleans())
    blank = st.just(draw(SPACES)) if plain else SPACES
    end = st.just("\n") if plain else ENDS
    line = st.tuples(
        *[
            st.sampled_from(["1", "é", "a"]),
            blank,
            st.just("Q0"),
            blank,
            CELLS,
            blank,
            st.sampled_from(["1", "2", "+3", "x"]),
        ],
        *[blank, CELLS, blank, st.sampled_from(["tag", "", "a b"]), end],
    )
    return "".join("".join(cells) for cells in draw(st.lists(line, max_size=4)))


@hypothesis.given(run_files())
def test_arrow_and_pandas_parse_files_alike(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("runs") / "run.txt"
    path.write_bytes(text.encode())

    def outcome():
        try:
            return irdiv.read_run(path).to_dict("list")
        except irdiv.IrdivError as error:
            return str(error)

    fast = outcome()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parsing, "_parse_by_arrow", lambda content, layout: None)
        assert fast == outcome()


def test_plain_files_are_parsed_by_arrow(tmp_path, monkeypatch):
    monkeypatch.setattr(parsing, "_parse_by_pandas", None)
    for sep in " \t":
        path = tmp_path / "run.txt"
        path.write_text("".join(sep.join(["1", "Q0", doc, "1", "2.5", "tag"]) + "\n" for doc in ("d1", '"d2"', "é")))
        assert irdiv.read_run(path)["doc_id"].tolist() == ["d1", '"d2"', "é"]


@pytest.mark.parametrize("line", ["1 0 d1 0x1F\n", "1 0 d1 0XF\n"])
def test_hexadecimal_grades(tmp_path, line):
    path = tmp_path / "qrels"
    path.write_text(line)
    with pytest.raises(IrdivError, match="line 1: relevance is '0[xX].*', not an integer"):
        irdiv.read_qrels(path)


def test_two_byte_order_marks(tmp_path):
    path = tmp_path / "qrels"
    path.write_bytes("\ufeff\ufeff1 0 d1 1\n".encode())
    assert irdiv.read_qrels(path)["query_id"].tolist() == ["1"]


def test_unusual_keys_and_values_of_dicts():
    assert irdiv.evaluate({1.0: {"a": 1}}, {1: {"a": 1.0}}, "P@1").values.tolist() == [[[1.0]]]
    assert irdiv.evaluate({"1": {"a": 1}}, {"1": {"a": 2**70, "c": 1}}, "P@1").values.tolist() == [[[1.0]]]
    with pytest.raises(IrdivError, match="grades are levels of a scale"):
        irdiv.Collection({"1": {"a": 2**70}})
    with pytest.raises(IrdivError, match=f"holds -{2**63}; map"):
        irdiv.Collection({"1": {"a": -(2**63), "b": 1}})


def test_ids_of_unusual_types():
    doc = UUID(int=7)
    qrels = pd.DataFrame({"query_id": pd.to_datetime(["2020-01-01"]), "doc_id": [doc], "relevance": [1]})
    assert irdiv.evaluate(qrels, {"2020-01-01": {str(doc): 1.0}}, "P@1").values.tolist() == [[[1.0]]]


def test_a_path_that_is_too_long():
    with pytest.raises(IrdivError):
        irdiv.Collection("x" * 5000)


@pytest.mark.parametrize("size", [1, 2, 3, 1 << 16])
def test_hexadecimal_numbers_are_found_wherever_a_scan_starts_anew(size, monkeypatch):
    monkeypatch.setattr(parsing, "_CACHED_BYTES", size)
    found = {
        content: parsing._may_be_hexadecimal(content) for content in (b"1 0x1 2\n", b"1 x 0X1", b"1 ax 1", b"1 a 0\n")
    }
    assert list(found.values()) == [True, True, False, False]
