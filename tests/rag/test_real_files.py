"""The real files of TREC RAG, nuggetizer, CRUX and ResearchRubrics: what is read, and the values of their authors."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import irdiv
from irdiv import IrdivError, IrdivWarning
from irdiv.rag import read_assignments, read_contexts, read_crux, read_nuggets, score_answers


@pytest.fixture
def rag(real_data) -> Path:
    if not (real_data / "rag").is_dir():
        pytest.skip("real nuggets not at hand: IRDIV_REAL_DATA has no folder rag")
    return real_data / "rag"


def raw_records(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.mark.parametrize(("name", "coverage"), [("bm25", 0.514667), ("lsr", 0.577333)])
def test_coverage_of_crux(rag, name, coverage):
    run, path = rag / "crux" / f"{name}.run.gz", rag / "crux" / f"ratings.{name}.json.gz"
    qrels = read_crux(path, run, subquestions=rag / "crux" / "subquestions.json", threshold=3)
    assert qrels.groupby("query_id")["intent_id"].nunique().tolist() == [15] * 50
    made = irdiv.evaluate(qrels, run, "I-rec(intents='all')@10")
    assert round(made.values.mean(), 6) == coverage
    # by the definition, without irdiv
    with gzip.open(path, "rt") as file:
        ratings = {topic: np.array(rows) for topic, rows in json.load(file).items()}
    by_hand = [(ratings[topic][:10] >= 3).any(axis=0).mean() for topic in made.query_ids]
    np.testing.assert_allclose(made.values.ravel(), by_hand)


def test_nuggets_of_trec_rag_2024(rag):
    path = rag / "nuggetizer" / "nuggets.jsonl.gz"
    raw = [(record["qid"], nugget) for record in raw_records(path) for nugget in record["nuggets"]]
    with pytest.raises(IrdivError, match="'CI in market research' of topic '2024-79113' occurs twice"):
        read_nuggets(path)
    with pytest.warns(IrdivWarning) as caught:
        table = read_nuggets(path, duplicates="first")
    repeated, unknown_labels = (str(warning.message) for warning in caught)
    assert repeated.startswith("7 nuggets repeat")
    assert re.match(r"40 importance labels .*: 'failed' \(10\), 'not_relevant' \(2\)", unknown_labels)
    assert len(table) == len(raw) - 7 == len({(topic, nugget["text"]) for topic, nugget in raw})
    assert table[table.duplicated(["query_id", "intent_id"])].values.tolist() == []
    unknown = Counter(nugget["importance"] for _, nugget in raw if nugget["importance"] not in ("vital", "okay"))
    assert table.loc[table["probability"] == 0, "importance"].value_counts().to_dict() == unknown


def test_assignments_of_trec_rag_2024_and_nuggetizers_own_values(rag):
    """Every value of nuggetizer's files, and the mean in their last line, to the last bit."""
    folder, systems = rag / "nuggetizer", ("command-r-plus", "l31_70b_instruct")
    paths = [folder / f"assignments.{system}.jsonl.gz" for system in systems]
    with pytest.warns(IrdivWarning) as caught:
        made = read_assignments(paths)
    labels, repeated = (str(warning.message) for warning in caught)
    assert "80 importance labels are unknown" in labels
    assert "44 support labels are unknown and scored 0" in labels
    assert repeated.startswith("14 nuggets repeat")
    raw = [
        (record["run_id"], record["qid"], " ".join(nugget["text"].split()), nugget["importance"], nugget["assignment"])
        for path in paths
        for record in raw_records(path)
        for nugget in record["nuggets"]
    ]
    columns = ["run", "query_id", "description", "importance", "assignment"]
    assert list(made[columns].itertuples(index=False, name=None)) == raw
    assert made[made.duplicated(["run", "query_id", "intent_id"])].values.tolist() == []
    # nuggets have the ids that read_nuggets gives them
    with pytest.warns(IrdivWarning):
        nuggets = read_nuggets(folder / "nuggets.jsonl.gz", duplicates="first")
    ids = made["intent_id"].str.replace(r"^(n-[0-9a-f]{8})-\d+$", r"\1", regex=True)
    known = set(zip(nuggets["query_id"], nuggets["intent_id"], strict=True))
    assert set(zip(made["query_id"], ids, strict=True)) - known == set()

    evaluation = score_answers(made)
    for system, run in zip(systems, evaluation.runs, strict=True):
        *topics, mean = raw_records(folder / f"metrics.{system}.jsonl.gz")
        assert (len(topics), mean["qid"]) == (301, "all")
        ours = evaluation.pivot().loc[run]
        expected = pd.DataFrame(topics).set_index("qid").loc[ours.index]
        for spec in evaluation.specs():
            np.testing.assert_array_equal(ours[spec], expected[spec], err_msg=f"{spec} of {system}")
            assert evaluation.summary().loc[run, spec] == mean[spec], f"mean {spec} of {system}"
    notes = "\n".join(evaluation.notes)
    topics = "'2024-19025', '2024-42556', '2024-67021'"
    for part in ("44 of 12285 assignments", f"3 of 301 topics ({topics})", "'failed' 20×"):
        assert part in notes


def test_answers_of_trec_rag_2024(rag):
    path = rag / "nuggetizer" / "answers.command-r-plus.jsonl.gz"
    raw = {record["topic_id"]: record["references"] for record in raw_records(path)}
    expected = {topic: documents for topic, documents in raw.items() if documents}
    assert len(raw) - len(expected) == 3
    (run,) = read_contexts(path).values()
    assert run.groupby("query_id")["doc_id"].agg(list).to_dict() == expected
    (cited,) = read_contexts({"c": path}, source="citations").values()
    assert cited.groupby("query_id")["doc_id"].agg(set).to_dict() == {q: set(docs) for q, docs in expected.items()}


def test_sub_narratives_of_trec_rag_2025(rag):
    path = rag / "rag25-dev-nuggets.jsonl.gz"
    table = read_nuggets(path)
    is_leaf = table["parent_id"].notna()
    assert is_leaf.sum() == sum(len(record["nuggets"]) for record in raw_records(path)) == 1255
    # "New: How was …" and "New: how was …" are two: case is not guessed
    assert (table["query_id"][~is_leaf] == "477").sum() == 10
    leaves = table[is_leaf]
    docs = [f"d{index}" for index in range(len(leaves))]
    qrels = irdiv.with_intents(leaves[["query_id", "intent_id"]].assign(doc_id=docs, relevance=1), table)
    run = dict(zip(leaves["query_id"], ([doc] for doc in docs), strict=True))
    made = irdiv.evaluate(qrels, run, "I-rec-LA@1")
    narratives, nuggets = table[~is_leaf].groupby("query_id").size(), leaves.groupby("query_id").size()
    expected = [(1 / narratives[topic] + 1 / nuggets[topic]) / 2 for topic in made.query_ids]
    np.testing.assert_allclose(made.values[0, 0], expected)


def test_penalties_of_research_rubrics(rag):
    """An answer that satisfies all but the penalties scores 1, one that satisfies everything less."""
    with pytest.warns(IrdivWarning, match="1 nugget repeats one of the same topic"):
        criteria = read_nuggets(rag / "research-rubrics.jsonl.gz")
    assert (len(criteria), (criteria["weight"] < 0).sum(), criteria["weight"].min()) == (754, 97, -5)
    assert criteria["axis"].nunique() == 7
    satisfied = {"best": criteria["weight"] > 0, "everything": True, "nothing": False}
    answers = pd.concat([criteria.assign(run=run, assignment=is_so) for run, is_so in satisfied.items()])
    best, everything, nothing = score_answers(answers).values[:, 0]
    positive = criteria["weight"].clip(lower=0).groupby(criteria["query_id"]).sum()
    expected = (criteria.groupby("query_id")["weight"].sum() / positive).sort_index()
    np.testing.assert_array_equal(best, 1)
    np.testing.assert_array_equal(nothing, 0)
    np.testing.assert_allclose(everything, expected, rtol=0, atol=1e-15)
    assert (everything < 1).sum() > 3
