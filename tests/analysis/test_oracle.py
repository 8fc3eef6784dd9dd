"""Runs made of the judgments: best and worst orders of relevant documents."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import irdiv
from helpers import TOPIC_85, by_intents, random_collection
from irdiv_cli import main


def test_clarkes_topic_85_in_its_printed_ideal_order():
    # a-e-g-b-f-c-h in the paper, where ties go the other way: b and f, c and h are worth the same
    order = irdiv.oracle(by_intents(TOPIC_85))["doc_id"].tolist()
    assert set(order[:2]) == {"a", "e"}
    assert order[2] == "g"
    assert set(order[3:]) == set("bfch")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("order", "specs"),
    [
        ("alpha-nDCG", ["alpha-nDCG", "alpha-nDCG@5", "nNRBP", "nERR_IA@10"]),
        ("D-nDCG", ["D-nDCG", "D-nDCG@5", "D-Q", "D-nERR@3"]),
    ],
)
def test_an_oracle_scores_one_by_its_measure(seed, order, specs):
    qrels = random_collection(seed)
    values = irdiv.evaluate(qrels, irdiv.oracle(qrels, order), specs).values
    np.testing.assert_allclose(values, 1, rtol=0, atol=1e-12)


def test_parameters_reach_the_measure():
    # a, then b adds 2(1−α) and c 1: b comes first for α < ½, c for α > ½
    qrels = by_intents({"a": "123", "b": "12", "c": "4"})
    orders = [irdiv.oracle(qrels, alpha=alpha)["doc_id"].tolist() for alpha in (0.2, 0.8)]
    assert orders == [["a", "b", "c"], ["a", "c", "b"]]
    assert irdiv.oracle(qrels.assign(relevance=[1] * 5 + [2]), rel=2)["doc_id"].tolist() == ["c"]


def test_the_reversed_ideal_is_the_worst_greedy_order():
    # every document has one or two of three intents; at each rank the least is added
    documents = {"a": "12", "b": "1", "c": "2", "d": "23"}
    order = irdiv.oracle(by_intents(documents), "reversed")["doc_id"].tolist()
    # c and b add 1: c first; then b adds 1, a 1.5, d 1.5; then d adds 1.5, a ½ + ½ = 1; then d
    assert order == ["c", "b", "a", "d"]


def test_depth_and_form():
    run = irdiv.oracle(by_intents(TOPIC_85), depth=2)
    assert run["rank"].tolist() == [1, 2]
    assert list(run.columns) == ["query_id", "doc_id", "rank", "score", "ideal"]
    assert len(irdiv.oracle(by_intents(TOPIC_85))) == len(TOPIC_85)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"order": "best"}, "no measure is called 'best'"),
        ({"order": "nDCG"}, "a measure with intents, .*not of nDCG"),
        ({"order": "D#-nDCG@5", "depth": 3}, "D#-nDCG@5 has 5 documents .*depth=3"),
        ({"order": "alpha-nDCG(alpha=0.2)", "alpha": 0.8}, "alpha is given twice, .*0.2.*0.8"),
        ({"qrels": {"1": {"d": 1}}}, "needs intents"),
        ({"depth": 0}, "depth=0 is not an integer of 1 or more"),
        ({"depth": 2.5}, "depth=2.5 is not an integer of 1 or more"),
        ({"cutoff": 2}, "an oracle has no cutoff"),
        ({"discount": "jk"}, "alpha-nDCG has no parameter 'discount'"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(irdiv.IrdivError, match=message):
        irdiv.oracle(**{"qrels": by_intents(TOPIC_85), **arguments})


def test_an_oracle_beside_systems_in_pyterrier():
    pt = pytest.importorskip("pyterrier")
    qrels = random_collection(0)
    systems = [
        irdiv.plugins.pyterrier.oracle_transformer(qrels),
        irdiv.plugins.pyterrier.oracle_transformer(pl.from_pandas(qrels), "reversed"),
    ]
    topics = irdiv.datasets.to_pyterrier(qrels)[["qid"]].drop_duplicates().assign(query="a topic")
    table = pt.Experiment(
        systems, topics, irdiv.datasets.to_pyterrier(qrels), ["alpha-nDCG@5"], names=["best", "worst"]
    )
    best, worst = table["alpha-nDCG@5"]
    assert best == pytest.approx(1)
    assert worst < best


SEARCHED = ["D#-nDCG", "D#-Q(gamma=0.3)", "ERR-IA", "nDCG-IA", "D-nERR", "alpha-nDCG(ideal='exact')", "ERR_IA", "I-rec"]


@pytest.mark.parametrize("seed", range(3))
def test_no_list_is_better_than_an_exact_oracle(seed):
    qrels = random_collection(seed)
    qrels = qrels[qrels["doc_id"].isin(sorted(qrels["doc_id"].unique())[:6])]
    measures = [irdiv.parse(spec) @ 3 for spec in SEARCHED]
    docs = sorted(qrels["doc_id"].unique())
    topics = sorted(qrels["query_id"].unique())
    lists = {
        "".join(order): {topic: {doc: -rank for rank, doc in enumerate(order)} for topic in topics}
        for order in itertools.permutations(docs, 3)
    }
    highest = irdiv.evaluate(qrels, lists, measures).values.max(axis=0)
    for measure, of_measure in zip(measures, highest, strict=True):
        best = irdiv.oracle(qrels, measure)
        assert set(best["ideal"]) == {"exact"}
        values = irdiv.evaluate(qrels, best, measure).values[0, 0]
        np.testing.assert_allclose(values, of_measure, rtol=0, atol=1e-12, err_msg=str(measure))


@pytest.mark.parametrize("spec", ["D#-nDCG@5", "ERR-IA@5"])
def test_a_greedy_oracle_adds_the_most_at_each_rank(spec, monkeypatch):
    monkeypatch.setattr("irdiv.analysis.best_lists.MAX_LISTS", 0)
    qrels = random_collection(1)
    found = irdiv.oracle(qrels, spec)
    assert set(found["ideal"]) == {"greedy"}
    measure = irdiv.parse(spec)
    for topic, docs in found.groupby("query_id")["doc_id"]:
        judged, chosen = qrels[qrels["query_id"] == topic], []
        relevant = judged[judged["relevance"] > 0]["doc_id"].unique()
        for doc in docs:
            lists = {d: {topic: {c: -r for r, c in enumerate([*chosen, d])}} for d in relevant if d not in chosen}
            found_values = irdiv.evaluate(qrels, lists, measure)
            column = found_values.query_ids.tolist().index(topic)
            values = dict(zip(lists, found_values.values[:, 0, column], strict=True))
            assert values[doc] >= max(values.values()) - 1e-12
            chosen.append(doc)


def test_an_oracle_does_not_depend_on_the_order_of_rows():
    qrels = random_collection(2)
    for spec in ("D#-nDCG@4", "ERR-IA"):
        assert irdiv.oracle(qrels.sample(frac=1, random_state=1), spec).equals(irdiv.oracle(qrels, spec))


@pytest.mark.parametrize("cells", [1, None])
def test_a_topic_without_relevant_documents_has_no_oracle(monkeypatch, cells):
    if cells is not None:
        monkeypatch.setattr("irdiv.core.block.BLOCK_CELLS", cells)
    qrels = pd.DataFrame(
        [("1", "a", "z", 0), ("2", "a", "d1", 1), ("2", "b", "d2", 1), ("3", "a", "y", 0)],
        columns=["query_id", "intent_id", "doc_id", "relevance"],
    )
    with pytest.warns(irdiv.IrdivWarning, match="2 of 3 topics have no relevant document"):
        found = irdiv.oracle(qrels, "D#-nDCG@2")
    assert found["query_id"].tolist() == ["2", "2"]
    assert sorted(found["doc_id"]) == ["d1", "d2"]


def test_the_command_writes_a_run_that_is_read_again(capsys, tmp_path):
    path = tmp_path / "qrels"
    qrels = random_collection(0, weighted=False)
    # white space of Unicode is part of an id
    irdiv.datasets.write_ndeval(qrels.replace({"doc_id": {"d00": "d\u00a000"}}), path)
    for order, options in (("D-nDCG", ["--depth", "3"]), ("D#-nDCG(gamma=0.3, rel=2)@2", [])):
        assert main(["oracle", str(path), "--order", order, *options]) == 0
        printed = capsys.readouterr()
        (tmp_path / "run").write_text(printed.out, encoding="utf-8")
        expected = irdiv.oracle(path, order, depth=3 if options else None)
        again = irdiv.read_run(tmp_path / "run")
        columns = ["query_id", "doc_id", "rank"]
        pd.testing.assert_frame_equal(again[columns], expected[columns], check_dtype=False)
    # the tag has no space
    assert {line.split(" ", 5)[-1] for line in printed.out.splitlines()} == {"D#-nDCG(gamma=0.3,rel=2)@2"}
    assert f"the best of all in {expected['query_id'].nunique()} topics, and greedy in 0" in printed.err
    for wrong in ("alpha=3", "depth=3"):
        assert main(["oracle", str(path), "--set", wrong]) == 2


@pytest.mark.parametrize(
    ("query", "doc", "message"),
    [
        ("1", "x 9 0.1 t\n1 Q0 evil 1 99", r"doc_id has 'x 9 0.1 t\\n1 Q0 evil 1 99'"),
        ("1", "a\tb", r"the column doc_id has 'a\\tb'"),
        ("a b", "d", "the column query_id has 'a b'"),
        ("", "d", "the column query_id has ''"),
    ],
)
def test_ids_that_would_break_the_lines_of_a_run(capsys, tmp_path, query, doc, message):
    path = tmp_path / "qrels.parquet"
    rows = [("0", "i", "good", 1), (query, "i", doc, 1)]
    pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"]).to_parquet(path)
    assert main(["oracle", str(path)]) != 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert re.search(message, printed.err)
