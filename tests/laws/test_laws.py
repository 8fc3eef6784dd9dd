"""Laws that hold for every measure of the catalogue, on random collections."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import irdiv
from helpers import random_collection, random_run, values
from irdiv.core import block as block_module
from irdiv.core.block import blocks_of
from laws.catalogue import BASE_MEASURES, NAMES, SHARPENED, TAKEN_BY, at, everything, with_other_parameters

SEEDS = range(3)


@cache
def all_values(seed: int) -> np.ndarray:
    """Return the values of everything on a random collection, which most laws compare others with."""
    table = values(random_collection(seed), random_run(seed), everything())
    table.flags.writeable = False
    return table


def assert_same(
    found: np.ndarray, expected: np.ndarray, measures: Iterable[irdiv.measures.Measure | str], label=""
) -> None:
    """Assert that values ``[measure, topic]`` have the same bits; say which measures and topics differ, and how."""
    differing = [
        f"{measure}, topic {topic + 1}: {one!r}, not {other!r}"
        for measure, of_one, of_other in zip(measures, found.tolist(), expected.tolist(), strict=True)
        for topic, (one, other) in enumerate(zip(of_one, of_other, strict=True))
        if one != other
    ]
    assert differing == [], label


def where(
    table: np.ndarray, is_bad: np.ndarray, measures: Iterable[irdiv.measures.Measure | str]
) -> dict[str, list[float]]:
    """Return the values ``[measure, topic]`` that are bad, by measure."""
    return {
        str(measure): of_measure[bad].tolist()
        for measure, of_measure, bad in zip(measures, table, is_bad, strict=True)
        if bad.any()
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_values_lie_between_0_and_1(seed):
    measures = everything((None, 3, 10))
    table = values(random_collection(seed), random_run(seed), measures)
    may_be_negative = np.array([[measure.declaration.may_be_negative] for measure in measures])
    bounded = np.array([[measure.declaration.bounded] for measure in measures])
    assert where(table, ~may_be_negative & (table < 0), measures) == {}
    assert where(table, bounded & (table > 1 + 1e-12), measures) == {}


def test_what_is_declared_unbounded_or_negative_is():
    """A declaration that says more than is true would make the law above weaker."""
    qrels = random_collection(0)
    lists = {"best": irdiv.oracle(qrels), "long": random_run(0, length=35).assign(score=lambda f: -f.index)}
    table = irdiv.evaluate(qrels, lists, NAMES).values
    for name, lowest, highest in zip(NAMES, table.min(axis=(0, 2)), table.max(axis=(0, 2)), strict=True):
        declaration = irdiv.parse(name).declaration
        assert declaration.bounded or highest > 1, name
        assert not declaration.may_be_negative or lowest < 0, name


def test_some_list_scores_more_than_nothing():
    qrels = random_collection(0)
    table = values(qrels, irdiv.oracle(qrels), everything((40,)))
    assert [name for name, of_measure in zip(NAMES, table, strict=True) if not of_measure.max() > 0] == []


@pytest.mark.parametrize("seed", SEEDS)
def test_order_of_rows_changes_no_bit(seed):
    qrels, run = random_collection(seed), random_run(seed)
    shuffled = values(qrels.sample(frac=1, random_state=1), run.sample(frac=1, random_state=2), everything())
    assert_same(shuffled, all_values(seed), everything())


def alone(qrels: pd.DataFrame, run: pd.DataFrame, measures: Iterable[irdiv.measures.Measure]) -> np.ndarray:
    """Return the values of measures, each on a collection for which nothing was computed before."""
    return np.array([values(qrels, run, measure)[0] for measure in measures])


@pytest.mark.parametrize("seed", [1])
def test_together_is_alone(seed):
    measures = everything()
    assert_same(all_values(seed), alone(random_collection(seed), random_run(seed), measures), measures)


@pytest.mark.parametrize("seed", [0])
def test_together_is_alone_for_every_value_of_every_parameter(seed):
    """What is kept for one measure never serves another: a key that forgot a parameter would show here."""
    qrels, run = random_collection(seed, topics=2), random_run(seed, topics=2)
    measures = with_other_parameters(int(qrels["relevance"].max()))
    assert len(measures) > 3 * len(NAMES)
    assert_same(values(qrels, run, measures), alone(qrels, run, measures), measures)


def test_every_parameter_of_every_measure_can_be_tried():
    parameters = [(name, parameter) for name in NAMES for parameter in irdiv.parse(name).declaration.parameters]
    assert [(name, parameter.name) for name, parameter in parameters if len(set(parameter.samples)) < 2] == []


@pytest.mark.parametrize("seed", SEEDS)
def test_one_topic_is_many(seed):
    qrels, run = random_collection(seed), random_run(seed)
    highest = int(qrels["relevance"].max())
    measures = [m(max_grade=highest) if "max_grade" in m.declaration.by_name else m for m in everything()]
    together = irdiv.evaluate(qrels, run, measures)
    for number, topic in enumerate(together.query_ids):
        by_itself = values(qrels[qrels["query_id"] == topic], run[run["query_id"] == topic], measures)
        assert_same(by_itself, together.values[0, :, [number]].T, measures, f"topic {topic}")


def test_blocks_change_no_bit(monkeypatch):
    monkeypatch.setattr(block_module, "BLOCK_CELLS", 1)
    assert len(blocks_of(irdiv.Collection(random_collection(0)))) == 6
    assert_same(values(random_collection(0), random_run(0), everything()), all_values(0), everything())


@pytest.mark.parametrize("seed", SEEDS)
def test_names_of_documents_and_intents_do_not_matter(seed):
    qrels, run = random_collection(seed), random_run(seed)
    # Names that keep the order of doc ids, which breaks ties, and of intents, which orders sums.
    renamed = values(
        qrels.assign(
            doc_id=qrels["doc_id"].where(qrels["doc_id"] == "_no_document_", "é" + qrels["doc_id"]),
            intent_id="i" + qrels["intent_id"],
            query_id="t" + qrels["query_id"],
            parent_id=qrels["parent_id"].where(qrels["parent_id"] == "_root_", "i" + qrels["parent_id"]),
        ),
        run.assign(doc_id="é" + run["doc_id"], query_id="t" + run["query_id"]),
        everything(),
    )
    assert_same(renamed, all_values(seed), everything())


@pytest.mark.parametrize("seed", SEEDS)
def test_only_the_prefix_counts(seed):
    qrels, run = random_collection(seed), random_run(seed)
    ranked = run.sort_values(["query_id", "score", "doc_id"], ascending=[True, False, False])
    measures = [measure for name in NAMES if (measure := at(name, 4)).declaration.takes_cutoff]
    of_prefix = values(qrels, ranked.groupby("query_id").head(4), measures)
    assert_same(values(qrels, run, measures), of_prefix, measures)
    # Beside a measure of the whole list, which makes hits below the prefix known to all.
    below = values(qrels, run, [*measures, *everything((None,))])[: len(measures)]
    assert_same(below, of_prefix, measures)


@pytest.mark.parametrize("seed", SEEDS)
def test_unjudged_is_irrelevant(seed):
    qrels, run = random_collection(seed), random_run(seed)
    strange = run.assign(doc_id=run["doc_id"].where(run["doc_id"].isin(qrels["doc_id"]), "zz" + run["doc_id"]))
    unjudged = strange[~strange["doc_id"].isin(qrels["doc_id"])].drop(columns="score")
    judged = pd.concat([qrels, unjudged.assign(relevance=0, intent_id="9")])
    measures = [
        m for m in everything() if not (m.declaration.judged_documents_only or m.declaration.separates_unjudged)
    ]
    assert_same(values(judged, strange, measures), values(qrels, strange, measures), measures)


@pytest.mark.parametrize("seed", SEEDS)
def test_frames_of_all_kinds_agree(seed):
    qrels, run = random_collection(seed), random_run(seed)
    measures = everything((None, 5))
    expected = values(qrels, run, measures)
    as_dict = {query: dict(zip(g["doc_id"], g["score"], strict=True)) for query, g in run.groupby("query_id")}
    kinds = {
        "polars": (pl.from_pandas(qrels), pl.from_pandas(run)),
        "lazy polars": (pl.from_pandas(qrels).lazy(), pl.from_pandas(run).lazy()),
        "Arrow": (pa.Table.from_pandas(qrels), pa.Table.from_pandas(run)),
        "namedtuples": (qrels.itertuples(index=False), run.itertuples(index=False)),
        "dict": (qrels, as_dict),
        "objects": (qrels.convert_dtypes(), run.astype(object)),
        "other types": (
            qrels.astype({"doc_id": "category", "query_id": "int64"}),
            run.astype({"query_id": "float64"}),
        ),
    }
    for kind, frames in kinds.items():
        assert_same(values(*frames, measures), expected, measures, kind)


def single_intent(seed: int, levels: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = [("1", f"d{doc:02}", int(rng.integers(1, levels + 1)), "1") for doc in range(8)]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "intent_id"])


@pytest.mark.parametrize("cutoff", [None, 5])
def test_one_intent_is_the_classic_measure(cutoff):
    qrels, run = single_intent(0, 3), random_run(0)
    plain = {"1": dict(zip(qrels["doc_id"], qrels["relevance"].tolist(), strict=True))}
    names = [name for name, base in BASE_MEASURES.items() if base.standalone]
    by_intent = values(qrels, run, [at(f"{name}-IA", cutoff) for name in names])
    assert_same(by_intent, values(plain, run, [at(name, cutoff) for name in names]), names)


def by_trec_eval(qrels: pd.DataFrame, run: pd.DataFrame, specs: list[str]) -> np.ndarray:
    """Return values of trec_eval on the highest grade of each document, ``[measure, topic]``."""
    highest = qrels.groupby(["query_id", "doc_id"], as_index=False)["relevance"].max()
    measures = [irdiv.parse(spec) for spec in specs]
    found = {(m.measure, m.query_id): m.value for m in ir_measures.pytrec_eval.iter_calc(measures, highest, run)}
    topics = sorted(highest["query_id"].unique(), key=int)
    return np.array([[found.get((measure, topic), 0.0) for topic in topics] for measure in measures])


OF_ONE_INTENT = {
    "nDCG-IA(gain='linear')@5": "nDCG@5", "AP-IA": "AP", "AP-IA@5": "AP@5", "P-IA@5": "P@5", "Recall-IA@5": "R@5",
    "RR-IA": "RR", "Rprec-IA": "Rprec", "Hit-IA@5": "Success@5",
}  # fmt: skip
OF_TREC_EVAL = [
    "nDCG", "nDCG@3", "nDCG(dcg='log2')@20", "AP", "AP@5", "P@5", "R@5", "RR", "Rprec", "Success@1", "AP(rel=2)",
    "P(rel=2)@3", "R(rel=2)@7", "RR(rel=2)", "Rprec(rel=2)", "Success(rel=2)@2", "nDCG(judged_only=False)@5",
]  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_trec_evals_measures_are_trec_evals(seed):
    one_intent, qrels, run = single_intent(seed, 3), random_collection(seed), random_run(seed)
    for judged, ours, theirs in [
        (one_intent, list(OF_ONE_INTENT), list(OF_ONE_INTENT.values())),
        (qrels, OF_TREC_EVAL, OF_TREC_EVAL),
    ]:
        expected = by_trec_eval(judged, run, theirs)
        for spec, of_spec, row in zip(ours, values(judged, run, ours), expected, strict=True):
            np.testing.assert_allclose(of_spec, row, rtol=0, atol=1e-12, err_msg=spec)


def test_the_ideal_list_scores_one():
    qrels = single_intent(1, 3)
    best = {"1": dict(zip(qrels["doc_id"], qrels["relevance"].astype(float), strict=True))}
    operators = ("{}-IA", "D-{}", "D#-{}")
    names = [o.format(b) for o in operators for b in TAKEN_BY[o] if BASE_MEASURES[b].reaches_one]
    found = dict(zip(names, values(qrels, best, names)[:, 0].tolist(), strict=True))
    assert found == pytest.approx(dict.fromkeys(names, 1), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_d_sharp_is_the_mean_of_its_components(seed):
    qrels, run = random_collection(seed), random_run(seed)
    for base in SHARPENED:
        measure = at(f"D#-{base}", 10)(gamma=0.3)
        whole, i_rec, d = values(qrels, run, [measure, *measure.components()])
        np.testing.assert_array_equal(whole, 0.3 * i_rec + 0.7 * d, err_msg=str(measure))


@pytest.mark.parametrize("seed", SEEDS)
def test_ndevals_measures_are_ours_on_binary_grades(seed):
    qrels, run = random_collection(seed, weighted=False), random_run(seed)
    qrels["relevance"] = qrels["relevance"].clip(0, 1)
    pairs = {"AP_IA": "AP-IA", "P_IA@5": "P-IA@5", "StRecall@5": "I-rec@5", "alpha_nDCG@5": "alpha-nDCG@5"}
    for ndeval, ours in pairs.items():
        one, two = values(qrels, run, [ndeval, ours])
        np.testing.assert_allclose(one, two, rtol=0, atol=1e-12, err_msg=ours)


@pytest.mark.parametrize("probability", [None, 0.1, 1 / 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_equal_probabilities_weigh_as_none(seed, probability):
    qrels, run = random_collection(seed, weighted=False).assign(probability=probability), random_run(seed)
    specs = ["alpha-DCG@5", "alpha-nDCG@5", "alpha-nDCG(alpha=0.3)", "NRBP", "nNRBP(alpha=0.3)"]
    weighted = values(qrels, run, [irdiv.parse(spec)(weighted=True) for spec in specs])
    assert_same(weighted, values(qrels, run, specs), specs)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_missing_topic_scores_0_and_the_others_as_before(seed):
    qrels, run = random_collection(seed), random_run(seed)
    after = irdiv.evaluate(qrels, run[run["query_id"] != "3"], everything())
    expected = all_values(seed).copy()
    expected[:, after.query_ids == "3"] = [[float(measure.declaration.less_is_better)] for measure in everything()]
    assert_same(after.values[0], expected, everything())


@pytest.mark.parametrize("seed", SEEDS)
def test_judged_only_is_the_list_without_unjudged_documents(seed):
    qrels, run = random_collection(seed), random_run(seed)
    judged = run.merge(qrels[["query_id", "doc_id"]].drop_duplicates())
    measures = [m for m in everything() if not m.declaration.separates_unjudged]
    assert_same(values(qrels, run, measures, judged_only=True), values(qrels, judged, measures), measures)


def test_every_measure_prints_as_its_own_spec():
    measures = everything((None, 10))
    again = {str(measure): irdiv.parse(str(measure)) for measure in measures}
    assert [name for name, measure in zip(again, measures, strict=True) if again[name] != measure] == []
    assert [name for name, measure in zip(again, measures, strict=True) if hash(again[name]) != hash(measure)] == []
