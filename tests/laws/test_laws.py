"""Laws that hold for every measure of the catalogue, on random collections."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from functools import cache

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import irdiv
from helpers import random_collection, random_run, values
from irdiv.arrays import collection as collection_module
from irdiv.arrays.ranking import order_run
from irdiv.measures.bases import BASES
from irdiv.measures.catalogue import registry
from irdiv.measures.declaration import Declaration
from irdiv.measures.scoring import score
from irdiv.measures.trec_eval import irdiv_equivalent

ALL = list(registry)
WITH_CUTOFF = [name for name, declaration in registry.items() if declaration.takes_cutoff]
REACH_ONE = [base.name for base in BASES if base.reaches_one]
SEEDS = range(3)


def at(name: str, cutoff: int | None) -> irdiv.Measure:
    measure = irdiv.parse(name)
    return measure @ cutoff if cutoff and measure.declaration.takes_cutoff else measure


@cache
def everything(cutoffs=(None, 1, 5, 10)) -> tuple[irdiv.Measure, ...]:
    return tuple(dict.fromkeys(at(name, cutoff) for name in ALL for cutoff in cutoffs))


@cache
def all_values(seed: int) -> np.ndarray:
    """Return the values of everything on a random collection, which most laws compare others with."""
    table = values(random_collection(seed), random_run(seed), everything())
    table.flags.writeable = False
    return table


def alone(qrels: pd.DataFrame, run: pd.DataFrame, measures: Iterable[irdiv.Measure]) -> np.ndarray:
    """Return the values of measures, each on a collection for which nothing was computed before."""
    collection = irdiv.Collection(qrels)
    ordered = order_run(collection, run)
    assert "blocks" not in vars(collection)  # they hold what is kept for measures
    return np.array([score(ordered._replace(collection=copy(collection)), [measure])[0] for measure in measures])


@pytest.mark.parametrize("seed", SEEDS)
def test_values_lie_between_0_and_1(seed):
    measures = everything((None, 3, 10))
    table = values(random_collection(seed), random_run(seed), measures)
    declared = [measure.declaration for measure in measures]
    assert table[[not d.may_be_negative for d in declared]].min() >= 0
    assert table[[d.bounded for d in declared]].max() <= 1 + 1e-12


def test_what_is_declared_unbounded_or_negative_is():
    """A declaration that says more than is true would make the law above weaker."""
    qrels = random_collection(0)
    lists = {"best": irdiv.oracle(qrels), "long": random_run(0, length=35).assign(score=lambda f: -f.index)}
    table = irdiv.evaluate(qrels, lists, ALL).values
    for name, of_measure in zip(ALL, np.moveaxis(table, 1, 0), strict=True):
        declaration = registry[name]
        assert declaration.bounded or of_measure.max() > 1, name
        assert not declaration.may_be_negative or of_measure.min() < 0, name


def test_some_list_scores_more_than_nothing():
    qrels = random_collection(0)
    table = values(qrels, irdiv.oracle(qrels), everything((40,)))
    assert not [name for name, of_measure in zip(ALL, table, strict=True) if not of_measure.max() > 0]


@pytest.mark.parametrize("seed", SEEDS)
def test_order_of_rows_changes_no_bit(seed):
    qrels, run = random_collection(seed), random_run(seed)
    shuffled = values(qrels.sample(frac=1, random_state=1), run.sample(frac=1, random_state=2), everything())
    np.testing.assert_array_equal(shuffled, all_values(seed))


@pytest.mark.parametrize("seed", [1])
def test_together_is_alone(seed):
    by_itself = alone(random_collection(seed), random_run(seed), everything())
    for together, row, measure in zip(all_values(seed), by_itself, everything(), strict=True):
        np.testing.assert_array_equal(together, row, err_msg=str(measure))


def other_values(declaration: Declaration, highest_grade: int) -> list[irdiv.Measure]:
    """Return a measure with each parameter set to each value that its check offers, one parameter at a time."""
    measure = at(declaration.name, 5)
    found = []
    for parameter in declaration.parameters:
        samples = [s for s in parameter.samples if parameter.name != "max_grade" or s is None or s >= highest_grade]
        # One that counts only beside another parameter's value is tried beside it.
        beside = dict(parameter.only_with)
        found += [measure(**beside, **{parameter.name: sample}) for sample in samples]
    return found


@pytest.mark.parametrize("seed", [0])
def test_together_is_alone_for_every_value_of_every_parameter(seed):
    """What is kept for one measure never serves another: a key that forgot a parameter would show here."""
    qrels, run = random_collection(seed, topics=3), random_run(seed, topics=3)
    highest = irdiv.Collection(qrels).max_grade
    measures = list(dict.fromkeys(m for d in registry.values() for m in other_values(d, highest)))
    assert len(measures) > 3 * len(registry)
    together = values(qrels, run, measures)
    backwards = values(qrels, run, measures[::-1])[::-1]
    np.testing.assert_array_equal(together, backwards)
    for row, by_itself, measure in zip(together, alone(qrels, run, measures), measures, strict=True):
        np.testing.assert_array_equal(row, by_itself, err_msg=str(measure))


def test_every_parameter_of_every_measure_can_be_tried():
    without = [(d.name, p.name) for d in registry.values() for p in d.parameters if len(set(p.samples)) < 2]
    assert not without


@pytest.mark.parametrize("seed", SEEDS)
def test_one_topic_is_many(seed):
    qrels, run = random_collection(seed), random_run(seed)
    highest = int(qrels["relevance"].max())
    measures = [m(max_grade=highest) if "max_grade" in m.declaration.by_name else m for m in everything()]
    together = irdiv.evaluate(qrels, run, measures)
    for number, topic in enumerate(together.query_ids):
        alone = values(qrels[qrels["query_id"] == topic], run[run["query_id"] == topic], measures)
        np.testing.assert_array_equal(together.values[0, :, number], alone[:, 0])


def test_blocks_change_no_bit(monkeypatch):
    qrels, run = random_collection(1), random_run(1)
    whole = all_values(1)
    monkeypatch.setattr(collection_module, "BLOCK_CELLS", 1)
    assert len(irdiv.Collection(qrels).blocks) == 6
    np.testing.assert_array_equal(values(qrels, run, everything()), whole)


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
    np.testing.assert_array_equal(renamed, all_values(seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_only_the_prefix_counts(seed):
    qrels, run = random_collection(seed), random_run(seed)
    ranked = run.sort_values(["query_id", "score", "doc_id"], ascending=[True, False, False])
    prefix = ranked.groupby("query_id").head(4)
    measures = [at(name, 4) for name in WITH_CUTOFF]
    # Beside a measure of the whole list, which makes hits below the prefix known to all.
    below = values(qrels, run, [*measures, *everything((None,))])
    for of_prefix, of_run, of_all, measure in zip(
        values(qrels, prefix, measures), values(qrels, run, measures), below, measures, strict=False
    ):
        np.testing.assert_array_equal(of_prefix, of_run, err_msg=str(measure))
        np.testing.assert_array_equal(of_prefix, of_all, err_msg=str(measure))


@pytest.mark.parametrize("seed", SEEDS)
def test_unjudged_is_irrelevant(seed):
    qrels, run = random_collection(seed), random_run(seed)
    strange = run.assign(doc_id=run["doc_id"].where(run["doc_id"].isin(qrels["doc_id"]), "zz" + run["doc_id"]))
    judged = pd.concat(
        [
            qrels,
            strange[~strange["doc_id"].isin(qrels["doc_id"])].assign(relevance=0, intent_id="9").drop(columns="score"),
        ]
    )
    measures = [
        m for m in everything() if not (m.declaration.judged_documents_only or m.declaration.separates_unjudged)
    ]
    np.testing.assert_array_equal(values(judged, strange, measures), values(qrels, strange, measures))


@pytest.mark.parametrize("seed", SEEDS)
def test_frames_of_all_kinds_agree(seed):
    qrels, run = random_collection(seed), random_run(seed)
    measures = everything((None, 5))
    expected = values(qrels, run, measures)
    as_dict = {query: dict(zip(g["doc_id"], g["score"], strict=True)) for query, g in run.groupby("query_id")}
    for kind in (
        values(pl.from_pandas(qrels), pl.from_pandas(run), measures),
        values(pl.from_pandas(qrels).lazy(), pl.from_pandas(run).lazy(), measures),
        values(pa.Table.from_pandas(qrels), pa.Table.from_pandas(run), measures),
        values(qrels.itertuples(index=False), run.itertuples(index=False), measures),
        values(qrels, as_dict, measures),
        values(qrels.convert_dtypes(), run.astype(object), measures),
        values(
            qrels.astype({"doc_id": "category", "query_id": "int64"}),
            run.astype({"query_id": "float64"}),
            measures,
        ),
    ):
        np.testing.assert_array_equal(kind, expected)


def single_intent(seed: int, levels: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = [("1", f"d{doc:02}", int(rng.integers(1, levels + 1)), "1") for doc in range(8)]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "intent_id"])


@pytest.mark.parametrize("base", [base for base in BASES if base.standalone], ids=lambda base: base.name)
@pytest.mark.parametrize("cutoff", [None, 5])
def test_one_intent_is_the_classic_measure(base, cutoff):
    qrels, run = single_intent(0, 3), random_run(0)
    plain = {"1": dict(zip(qrels["doc_id"], qrels["relevance"].tolist(), strict=True))}
    classic = values(plain, run, at(base.name, cutoff))
    np.testing.assert_array_equal(values(qrels, run, at(f"{base.name}-IA", cutoff)), classic)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("nDCG-IA(gain='linear')@5", "nDCG@5"),
        ("AP-IA", "AP"),
        ("AP-IA@5", "AP@5"),
        ("P-IA@5", "P@5"),
        ("Recall-IA@5", "R@5"),
        ("RR-IA", "RR"),
        ("Rprec-IA", "Rprec"),
        ("Hit-IA@5", "Success@5"),
    ],
)
@pytest.mark.parametrize("seed", SEEDS)
def test_one_intent_is_trec_evals_measure(ours, theirs, seed):
    qrels, run = single_intent(seed, 3), random_run(seed)
    np.testing.assert_allclose(values(qrels, run, ours), by_trec_eval(qrels, run, [theirs]), rtol=0, atol=1e-12)


def by_trec_eval(qrels: pd.DataFrame, run: pd.DataFrame, specs: list[str]) -> np.ndarray:
    """Return values of trec_eval on the highest grade of each document, ``[measure, topic]``."""
    highest = qrels.groupby(["query_id", "doc_id"], as_index=False)["relevance"].max()
    measures = [irdiv.parse(spec) for spec in specs]
    found = {(m.measure, m.query_id): m.value for m in ir_measures.pytrec_eval.iter_calc(measures, highest, run)}
    topics = sorted(highest["query_id"].unique(), key=int)
    return np.array([[found.get((measure, topic), 0.0) for topic in topics] for measure in measures])


@pytest.mark.parametrize("seed", SEEDS)
def test_trec_evals_measures_are_trec_evals(seed):
    qrels, run = random_collection(seed), random_run(seed)
    specs = ["nDCG", "nDCG@3", "nDCG(dcg='log2')@20", "AP", "AP@5", "P@5", "R@5", "RR", "Rprec", "Success@1"]
    specs += ["AP(rel=2)", "P(rel=2)@3", "R(rel=2)@7", "RR(rel=2)", "Rprec(rel=2)", "Success(rel=2)@2"]
    specs += ["nDCG(judged_only=False)@5"]
    assert all(irdiv_equivalent(irdiv.parse(spec)) for spec in specs)
    np.testing.assert_allclose(values(qrels, run, specs), by_trec_eval(qrels, run, specs), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "spec", ["RR@10", "nDCG(dcg='exp-log2')@5", "nDCG(gains={1:5})@5", "SetP", "AP(judged_only=True)"]
)
def test_what_ir_measures_computes_in_other_ways_is_left_to_it(spec):
    assert irdiv_equivalent(irdiv.parse(spec)) is None


@pytest.mark.parametrize(
    "name",
    [o.format(b) for o in ("{}-IA", "D-{}", "D#-{}") for b in REACH_ONE if o.format(b) in registry],
)
def test_the_ideal_list_scores_one(name):
    qrels = single_intent(1, 3)
    best = {"1": dict(zip(qrels["doc_id"], qrels["relevance"].astype(float), strict=True))}
    assert values(qrels, best, name)[0, 0] == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_d_sharp_is_the_mean_of_its_components(seed):
    qrels, run = random_collection(seed), random_run(seed)
    for base in (b.name for b in BASES if b.parameters_on_gains is not None and b.bounded):
        measure = at(f"D#-{base}", 10)(gamma=0.3)
        whole, i_rec, d = values(qrels, run, [measure, *measure.components()])
        np.testing.assert_array_equal(whole, 0.3 * i_rec + 0.7 * d)


@pytest.mark.parametrize("seed", SEEDS)
def test_ndevals_measures_are_ours_on_binary_grades(seed):
    qrels, run = random_collection(seed, weighted=False), random_run(seed)
    qrels["relevance"] = qrels["relevance"].clip(0, 1)
    pairs = [
        ("AP_IA", "AP-IA"),
        ("P_IA@5", "P-IA@5"),
        ("StRecall@5", "I-rec@5"),
        ("alpha_nDCG@5", "alpha-nDCG@5"),
    ]
    for ndeval, ours in pairs:
        one, two = values(qrels, run, [ndeval, ours])
        np.testing.assert_allclose(one, two, rtol=0, atol=1e-12)


@pytest.mark.parametrize("probability", [None, 0.1, 1 / 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_equal_probabilities_weigh_as_none(seed, probability):
    qrels, run = random_collection(seed, weighted=False).assign(probability=probability), random_run(seed)
    for spec in ("alpha-DCG@5", "alpha-nDCG@5", "alpha-nDCG(alpha=0.3)", "NRBP", "nNRBP(alpha=0.3)"):
        measure = irdiv.parse(spec)
        plain, weighted = values(qrels, run, [measure, measure(weighted=True)])
        np.testing.assert_array_equal(weighted, plain)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_missing_topic_scores_0_and_the_others_as_before(seed):
    qrels, run = random_collection(seed), random_run(seed)
    before, after = all_values(seed), irdiv.evaluate(qrels, run[run["query_id"] != "3"], everything())
    missing = after.query_ids == "3"
    worst = [float(measure.declaration.less_is_better) for measure in everything()]
    assert after.values[0][:, missing][:, 0].tolist() == worst
    np.testing.assert_array_equal(after.values[0][:, ~missing], before[:, ~missing])


@pytest.mark.parametrize("seed", SEEDS)
def test_judged_only_is_the_list_without_unjudged_documents(seed):
    qrels, run = random_collection(seed), random_run(seed)
    judged = run.merge(qrels[["query_id", "doc_id"]].drop_duplicates())
    measures = [m for m in everything() if not m.declaration.separates_unjudged]
    condensed = values(qrels, run, measures, judged_only=True)
    np.testing.assert_array_equal(condensed, values(qrels, judged, measures))


@pytest.mark.parametrize("measure", everything((None, 10)), ids=str)
def test_every_measure_prints_as_its_own_spec(measure):
    assert irdiv.parse(str(measure)) == measure
    assert hash(irdiv.parse(str(measure))) == hash(measure)


@pytest.mark.parametrize("declaration", registry.values(), ids=lambda d: d.name)
def test_every_declaration_is_complete(declaration):
    assert declaration.summary.endswith(".")
    assert declaration.formula
    assert declaration.references
    assert declaration.family
    spelled = {p.name: p.default for p in declaration.parameters}
    assert irdiv.Measure(declaration, **spelled) == irdiv.Measure(declaration)
