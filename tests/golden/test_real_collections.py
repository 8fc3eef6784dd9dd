"""Numbers of programs we did not write, on real collections."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import irdiv

NDEVAL = {
    "ERR-IA": "ERR_IA",
    "nERR-IA": "nERR_IA",
    "alpha-DCG": "alpha_DCG",
    "alpha-nDCG": "alpha_nDCG",
    "MAP-IA": "AP_IA",
    "P-IA": "P_IA",
    "strec": "StRecall",
}


@pytest.mark.parametrize("run", ["ql", "rm"])
@pytest.mark.parametrize(
    ("kind", "ties", "parameters", "tolerance"),
    [
        ("c.hp", "rank", {}, 1e-9),
        ("a.2.b.8.hp", "rank", {"alpha": 0.2, "beta": 0.8}, 1e-9),
        ("trad", "docid_desc", {}, 5.1e-7),
    ],
)
def test_ndeval(real_data, run, kind, ties, parameters, tolerance):
    golden = pd.read_csv(
        real_data / "golden" / "ndeval" / f"web12.{run}-catb.{kind}.csv", dtype={"topic": str}
    ).set_index("topic")
    columns = list(golden.columns[1:])
    names = [column.partition("@") for column in columns]
    specs = [NDEVAL.get(name, name) + at + cutoff for name, at, cutoff in names]
    evaluation = irdiv.evaluate(
        real_data / "trec-web" / "2012" / "qrels-for-ndeval.txt",
        real_data / "trec-web" / "runs-2012" / f"{run}-catb.txt.gz",
        specs,
        ties=ties,
        **parameters,
    )
    ours = evaluation.pivot().droplevel("run").set_axis(columns, axis=1)
    expected = golden.loc[ours.index, columns]
    assert len(ours) == 50
    np.testing.assert_allclose(ours, expected, rtol=0, atol=tolerance)
    means = golden.loc["amean", columns].astype(float)
    np.testing.assert_allclose(evaluation.summary().iloc[0], means, rtol=0, atol=tolerance)


# NTCIREVAL's name → ours; rows without @ are of the list cut at the cutoff, not of a measure at a cutoff.
NTCIREVAL = {
    "RR": "RR",
    "P-plus": "P+",
    "AP": "AP",
    "Q-measure": "Q",
    "RBP": "RBP",
    "ERR": "ERR",
    "EBR": "EBR",
    "Q": "Q",
    "nDCG": "nDCG",
    "MSnDCG": "nDCG",
    "P": "P",
    "nERR": "nERR",
    "Hit": "Hit",
}
NOT_OURS = {"O-measure", "P-measure", "NCUrb,P", "NCUrb,BR"}


def as_spec(name: str, cutoff: int, operator: str, persistence: float, intents: int) -> irdiv.measures.Measure | None:
    """Return our measure for a row of expected.tsv; None for one that section 4 does not define."""
    stem, at, where = name.partition("@")
    if stem in NOT_OURS or stem.startswith("SUMp:"):
        return None
    if stem == "I-rec":
        return irdiv.parse(f"I-rec@{intents if where == 'n' else cutoff}")
    if stem in ("PplusQ", "PplusQ#"):
        return irdiv.parse(stem.replace("plus", "+"))(gain="linear", renormalize=False) @ cutoff
    if stem.startswith("DIN#-"):
        operator, stem = "DIN#-{}", {"nDCG": "MSnDCG"}.get(stem[5:], stem[5:])
    elif stem.startswith("IA-"):
        operator, stem = "{}-IA", stem.removeprefix("IA-")
    elif stem.startswith("D#-"):
        operator, stem = "D#-{}", {"nDCG": "MSnDCG"}.get(stem[3:], stem[3:])
    parameters: dict[str, object] = {"gain": "linear", "renormalize": False, "stop": "linear", "graded": True}
    if stem == "nDCG":
        parameters["discount"] = "jk"
    if stem == "AP" and at:
        parameters["norm"] = "cutoff"
    if stem == "RBP":
        parameters["p"] = persistence
    measure = irdiv.parse(operator.format(NTCIREVAL[stem]))
    measure = measure(**{k: v for k, v in parameters.items() if k in measure.declaration.by_name})
    return measure @ cutoff if at else measure


@pytest.mark.parametrize("run", ["TRECRUN", "TRECRUN2"])
@pytest.mark.parametrize(
    ("family", "rows", "defined"),
    [
        ("Dnev", 430, 370),
        ("Dnev-rbp.99", 420, 360),
        ("nevIA", 930, 725),
        ("nevIA2", 990, 755),
        ("DINnev", 395, 335),
        ("nevPQ", 870, 695),
        ("PQsharp", 30, 30),
    ],
)
def test_ntcireval(real_data, run, family, rows, defined):
    folder = real_data / "golden" / "ntcireval"
    expected = pd.read_csv(folder / "expected.tsv", sep="\t", dtype={"topic": str})
    expected = expected[(expected["run"] == run) & (expected["family"] == family)]
    assert len(expected) == rows
    judged = irdiv.datasets.read_ntcir_qrels(folder / "Dtest.Dqrels")
    typed = family in ("DINnev", "nevPQ", "PQsharp")
    intents_file = folder / ("Dtest.DINprob" if typed else "Dtest.Iprob")
    weighted = irdiv.Collection(irdiv.datasets.read_ntcir_qrels(folder / "Dtest.Dqrels", intents_file))
    intents = {"0001": 3, "0002": 4, "0003": 3}
    ranking = irdiv.read_run(folder / run)
    compared = 0
    for (topic, cutoff), group in expected.groupby(["topic", "cutoff"]):
        query, _, intent = topic.partition("/")
        if intent:
            mine = judged[(judged["query_id"] == query) & judged["intent_id"].isin([intent, "0"])]
            collection, operator = irdiv.Collection(mine), "{}-IA"
        else:
            collection, operator = weighted, "DIN-{}" if family == "DINnev" else "D-{}"
        persistence = 0.99 if family.endswith("rbp.99") else 0.95
        number = int(intents.get(query, 3))
        measures = [as_spec(name, cutoff, operator, persistence, number) for name in group["measure"]]
        ours = group[[m is not None for m in measures]].assign(spec=[str(m) for m in measures if m is not None])
        # Rows of means repeat a name, so values are looked up by spec.
        cut = ranking[ranking["rank"] <= cutoff]
        table = irdiv.evaluate(collection, cut, list(ours["spec"]), ties="input").pivot().droplevel("run")
        values = table.mean() if query == "MEAN" else table.loc[query]
        np.testing.assert_allclose(values[ours["spec"]], ours["value"], rtol=0, atol=1e-9)
        compared += len(ours)
    assert compared == defined


@pytest.mark.parametrize("run", ["TRECRUN", "TRECRUN2"])
def test_ntcireval_irbu(real_data, run):
    folder = real_data / "golden" / "ntcireval"
    expected = pd.read_csv(folder / "irbu.tsv", sep="\t", dtype={"topic": str, "intent": str})
    expected = expected[expected["run"] == run]
    judged = irdiv.datasets.read_ntcir_qrels(folder / "Dtest.Dqrels")
    weighted = irdiv.Collection(irdiv.datasets.read_ntcir_qrels(folder / "Dtest.Dqrels", folder / "Dtest.Iprob"))
    ranking = irdiv.read_run(folder / run)
    compared = 0
    for (topic, intent), group in expected.groupby(["topic", "intent"]):
        if intent == "D":
            collection, operator, parameters = weighted, "D-{}", {"renormalize": False}
        else:
            mine = judged[(judged["query_id"] == topic) & judged["intent_id"].isin([intent, "0"])]
            collection, operator, parameters = irdiv.Collection(mine), "{}-IA", {"stop": "linear"}
        parts = [measure.partition("@") for measure in group["measure"]]
        measures = [irdiv.parse(operator.format(name) + at + cutoff.lstrip("0")) for name, at, cutoff in parts]
        table = irdiv.evaluate(collection, ranking, measures, ties="input", gain="linear", **parameters)
        values = table.values[0][:, list(table.query_ids).index(topic)]
        np.testing.assert_allclose(values, group["value"], rtol=0, atol=1e-12)
        compared += len(group)
    assert compared == 242


@pytest.mark.parametrize(("level", "results"), [("fls", "coarse"), ("sls", "fine")])
def test_organizers_of_imine(real_data, level, results):
    folder = real_data / "ntcir11-imine" / "en"
    qrels = irdiv.datasets.read_ntcir_qrels(folder / f"{level}.Dqrels", folder / f"{level}.Iprob")
    runs = {path.name.removesuffix(".txt.gz"): irdiv.read_run(path) for path in sorted(folder.glob("runs/*.gz"))}
    assert len(runs) == 15
    # The organizers scored documents in the order of the file.
    runs = {name: run.assign(score=-np.arange(len(run), dtype=float)) for name, run in runs.items()}
    specs = ["D-nDCG(discount=jk)@10", "D#-nDCG@10", "I-rec@10"]
    evaluation = irdiv.evaluate(qrels, runs, specs, duplicates="first", gain="linear", renormalize=False)
    expected = pd.read_csv(folder / f"en.{results}.pertopic.csv", dtype={"id": str})
    expected = expected.set_index(["runname", "id"])
    ours = evaluation.pivot().loc[expected.index]
    assert len(ours) == 15 * 33
    np.testing.assert_allclose(ours, expected, rtol=0, atol=2e-4)
