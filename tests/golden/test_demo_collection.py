"""Values of ndeval, NTCIREVAL and trec_eval for the demo collection; README.md says where they come from."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import irdiv
from irdiv.demo import demo_qrels_and_runs
from irdiv.measures.spec import parse_base

GOLDEN = Path(__file__).parent


def read(name: str) -> pd.DataFrame:
    frame = pd.read_csv(GOLDEN / name, sep="\t", dtype=str)
    return frame.assign(value=frame["value"].astype(float))


@pytest.fixture(scope="module")
def demo():
    return demo_qrels_and_runs()


def assert_values(found: pd.DataFrame, golden: pd.DataFrame, tolerance: float | pd.Series) -> None:
    """Compare values by run, topic and measure; an error shows the rows that differ."""
    keys = ["run", "topic", "measure"]
    both = golden.merge(found, on=keys, suffixes=("", "_of_irdiv"), how="left")
    assert both["value_of_irdiv"].notna().all(), both[both["value_of_irdiv"].isna()].head()
    differ = both[(both["value"] - both["value_of_irdiv"]).abs() > tolerance]
    assert differ.empty, f"{len(differ)} of {len(both)} values differ:\n{differ.head(20)}"


def values_by(evaluation: irdiv.Evaluation, names: dict[str, str]) -> pd.DataFrame:
    """Return the values of an evaluation under the names that another program gives to the specs."""
    frame = evaluation.frame.rename(columns={"query_id": "topic"})
    theirs = {spec: name for name, spec in names.items()}
    means = frame.groupby(["run", "measure"], as_index=False, sort=False)["value"].mean().assign(topic="amean")
    return pd.concat([frame, means]).assign(measure=lambda f: f["measure"].map(theirs))


NDEVAL = {
    "ERR-IA": "ERR_IA",
    "nERR-IA": "nERR_IA",
    "alpha-DCG": "alpha_DCG",
    "alpha-nDCG": "alpha_nDCG",
    "MAP-IA": "AP_IA",
    "P-IA": "P_IA",
    "strec": "StRecall",
}


@pytest.mark.parametrize(
    ("options", "ties", "parameters"),
    [
        ("-c", "rank", {}),
        ("-c -alpha 0.2 -beta 0.8 -traditional", "docid_desc", {"alpha": 0.2, "beta": 0.8}),
    ],
)
def test_ndeval(demo, options, ties, parameters):
    qrels, runs = demo
    golden = read("ndeval.tsv")
    golden = golden[golden["options"] == options]
    assert len(golden) == 4 * 13 * 21
    ranked = {name: run.assign(rank=run.groupby("query_id").cumcount() + 1) for name, run in runs.items()}
    names = {
        name: NDEVAL.get(stem := name.partition("@")[0], stem) + name.removeprefix(stem)
        for name in golden["measure"].unique()
    }
    evaluation = irdiv.evaluate(qrels, ranked, list(names.values()), ties=ties, **parameters)
    specs = dict(zip(names, evaluation.specs(), strict=True))
    assert_values(values_by(evaluation, specs), golden, 1e-13)


TREC_EVAL = {"map": "AP", "recip_rank": "RR", "Rprec": "Rprec", "ndcg": "nDCG"}


def test_trec_eval(demo):
    qrels, runs = demo
    golden = read("trec_eval.tsv")
    cut = {"P": "P", "recall": "R", "ndcg_cut": "nDCG", "success": "Success"}
    names = dict(TREC_EVAL)
    for name in set(golden["measure"]) - set(TREC_EVAL):
        stem, _, cutoff = name.rpartition("_")
        names[name] = f"{cut[stem]}@{cutoff}"
    assert len(golden) == 4 * 12 * len(names)
    assert_values(values_by(irdiv.evaluate(qrels, runs, list(names.values())), names), golden, 1e-12)


NTCIREVAL = {
    "RR": "RR",
    "P-plus": "P+",
    "AP@10": "AP(norm='cutoff')@10",
    "Q@10": "Q@10",
    "nDCG@10": "nDCG(discount='jk')@10",
    "MSnDCG@10": "nDCG@10",
    "Prec@10": "P@10",
    "Hit@10": "Hit@10",
    "RBP@10": "RBP(graded=True,p=0.95)@10",
    "ERR@10": "ERR(stop='linear')@10",
    "nERR@10": "nERR(stop='linear')@10",
    "EBR@10": "EBR(stop='linear')@10",
    "nEBR@10": "nEBR(stop='linear')@10",
    "iRBU@10": "iRBU(stop='linear')@10",
    "niRBU@10": "niRBU(stop='linear')@10",
}
"""NTCIREVAL's names of base measures; nRBP is its own."""


def under(operator: str, base: str) -> str:
    """Return a base measure under an operator, without the parameters that it does not have there."""
    measure = irdiv.parse(operator.format(base.partition("(")[0].partition("@")[0]))
    given = parse_base(base).params | {"renormalize": False}
    return str(measure(**{name: value for name, value in given.items() if name in measure.SUPPORTED_PARAMS}))


@pytest.mark.parametrize(("family", "operator"), [("Dnev", "D-{}"), ("DINnev", "DIN-{}")])
def test_ntcireval_of_global_gains(demo, family, operator):
    golden = read("ntcireval.tsv")
    golden = golden[(golden["family"] == family) & golden["measure"].isin([*NTCIREVAL, "I-rec@10"])]
    names = {name: under(operator, base) for name, base in NTCIREVAL.items()} | {"I-rec@10": "I-rec@10"}
    assert len(golden) == 4 * 12 * len(names)
    first = {name: run.groupby("query_id").head(10) for name, run in demo[1].items()}
    assert_values(values_by(irdiv.evaluate(demo[0], first, list(names.values())), names), golden, 1e-11)


def test_ntcireval_of_intents(demo):
    golden = read("ntcireval.tsv")
    golden = golden[(golden["family"] == "nevIA") & golden["intent"].notna() & golden["measure"].isin(NTCIREVAL)]
    golden = golden.assign(topic=golden["topic"] + "/" + golden["intent"])
    first = {name: run.groupby("query_id").head(10) for name, run in demo[1].items()}
    evaluation = irdiv.evaluate(demo[0], first, "I-rec@10")
    parts = []
    for name, base in NTCIREVAL.items():
        frame = evaluation.per_intent(base)
        parts.append(frame.assign(topic=frame["query_id"] + "/" + frame["intent_id"], measure=name))
    assert_values(pd.concat(parts)[["run", "topic", "measure", "value"]], golden, 1e-11)


ROUNDED = {
    "D#-MSnDCG@10": ("Dnev", "D#-nDCG(renormalize=False)@10"),
    "D#-Q@10": ("Dnev", "D#-Q(renormalize=False)@10"),
    "DIN#-MSnDCG@10": ("DINnev", "DIN#-nDCG(renormalize=False)@10"),
    "DIN#-Q@10": ("DINnev", "DIN#-Q(renormalize=False)@10"),
    "IA-MSnDCG@10": ("nevIA", "nDCG-IA(renormalize=False)@10"),
    "IA-Q@10": ("nevIA", "Q-IA(renormalize=False)@10"),
    "IA-iRBU@10": ("nevIA", "iRBU-IA(stop='linear',renormalize=False)@10"),
    "PplusQ@10": ("PQsharp", "P+Q(renormalize=False)@10"),
    "PplusQ#@10": ("PQsharp", "P+Q#(renormalize=False)@10"),
}
"""What NTCIREVAL's scripts print with four digits."""


def test_ntcireval_of_averages(demo):
    golden = read("ntcireval.tsv")
    families = golden["measure"].map({name: family for name, (family, _) in ROUNDED.items()})
    golden = golden[golden["family"] == families]
    assert len(golden) == 4 * 12 * len(ROUNDED)
    evaluation = irdiv.evaluate(*demo, [spec for _, spec in ROUNDED.values()])
    specs = dict(zip(ROUNDED, evaluation.specs(), strict=True))
    assert_values(values_by(evaluation, specs), golden, 2e-4)
