"""Every value of ir_measures on plain qrels, computed after each of some statements: ``values_of_ir_measures.py JSON``.

The statements run one after the other in one namespace; the values come from the functions of that namespace, or from
ir_measures where it has none. Prints a JSON list with a mapping from what was computed to the bits of the values.
"""

from __future__ import annotations

import contextlib
import io
import json
import pickle
import random
import sys
import warnings
from typing import Any

PROVIDERS = ("accuracy", "compat", "cwl_eval", "gdeval", "judged", "msmarco", "pyndeval", "pytrec_eval", "ranx")
"""Those that compute measures of ir_measures; trectools is not in its pipeline, and is said to be wrong."""
WITH_PARAMETERS = [
    "AP(judged_only=True)@5", "ERR_IA(judged_only=True)@5", "nDCG(dcg='exp-log2')@5", "IPrec@0.2", "RBP(p=0.9,rel=1)@5",
    "Compat(p=0.9,normalize=False)", "SetP(relative=True)", "SetF(beta=0.5)", "BPM(T=2,min_rel=1,max_rel=3)@5",
    "INST(T=2,min_rel=1,max_rel=3)", "SDCG(dcg='log2',min_rel=1,max_rel=3)@5", "alpha_nDCG(alpha=0.2)@10",
    "NRBP(alpha=0.3,beta=0.7)",
]  # fmt: skip


def plain_qrels_and_run(ir_measures: Any) -> tuple[dict[str, Any], Any]:
    """Return qrels with one intent in several forms, the last of which grades a document twice, and a run with ties."""
    import pandas as pd

    rng = random.Random(0)
    rows = [(str(t), f"d{d}", rng.randint(-1, 3), "0") for t in range(1, 5) for d in rng.sample(range(30), 15)]
    qrels = pd.DataFrame(rows, columns=list(ir_measures.Qrel._fields))
    ranked = [(str(t), f"d{d}", float(rng.randint(0, 12))) for t in range(1, 6) for d in rng.sample(range(40), 20)]
    run = pd.DataFrame(ranked, columns=list(ir_measures.ScoredDoc._fields))
    contradicting = [("1", doc, 0 if grade else 2, "0") for query, doc, grade, _ in rows[:9] if query == "1"]
    forms = {
        "frame": qrels,
        "frame without iteration": qrels.drop(columns="iteration"),
        "dict": {q: dict(zip(f["doc_id"], f["relevance"].tolist(), strict=True)) for q, f in qrels.groupby("query_id")},
        "namedtuples": [ir_measures.Qrel(*row) for row in rows],
        "graded twice": pd.concat([qrels, pd.DataFrame(contradicting, columns=qrels.columns)], ignore_index=True),
    }
    return forms, run


def every_value(namespace: dict[str, Any]) -> dict[str, object]:
    """Return the bits of all values, or the error, by how they were computed."""
    import ir_measures

    parse = namespace.get("parse_measure", ir_measures.parse_measure)
    forms, run = plain_qrels_and_run(ir_measures)
    names = sorted(ir_measures.measures.registry)
    specs = [name + end for name in names for end in ("", "@5", "(rel=2)@5")] + WITH_PARAMETERS
    measures = [measure for spec in specs if (measure := _valid(parse, spec)) is not None]
    computed = [measure for measure in measures if ir_measures.DefaultPipeline.supports(measure)]
    found: dict[str, object] = {"parsed": [str(measure) for measure in measures]}
    found["pickled"] = {name: pickle.dumps(ir_measures.measures.registry[name]).hex() for name in names}
    found["supported"] = [str(measure) for measure in computed]
    iter_calc = namespace.get("iter_calc", ir_measures.iter_calc)
    calc_aggregate = namespace.get("calc_aggregate", ir_measures.calc_aggregate)
    for form, qrels in forms.items():
        # ranx compiles for each form, which takes longer than all the rest.
        for name in PROVIDERS if form == "frame" else PROVIDERS[:-1]:
            provider = ir_measures.providers.registry[name]
            if provider.is_available():
                supported = [measure for measure in measures if provider.supports(measure)]
                found.update(_values(f"{name}, {form}", provider.iter_calc, supported, qrels, run))
        values = _values(f"pipeline, {form}", iter_calc, computed, qrels, run)
        found.update(values)
        without_error = [measure for measure in computed if isinstance(values[f"pipeline, {form}, {measure}"], list)]
        means = calc_aggregate(without_error, qrels, run)
        found[f"means, {form}"] = sorted((str(measure), float(value).hex()) for measure, value in means.items())
    return found


def _valid(parse: Any, spec: str) -> Any:
    try:
        measure = parse(spec)
        measure.validate_params()
    except (AssertionError, ValueError):
        return None
    return measure


def _values(label: str, iter_calc: Any, measures: list[Any], qrels: Any, run: Any) -> dict[str, object]:
    """Return the values by provider, form of the qrels and measure; one by one where not all work together."""
    try:
        metrics = list(iter_calc(measures, qrels, run))
    except Exception as error:
        if len(measures) == 1:
            return {f"{label}, {measures[0]}": type(error).__name__}
        found: dict[str, object] = {}
        for measure in measures:
            found.update(_values(label, iter_calc, [measure], qrels, run))
        return found
    by_measure: dict[str, list[tuple[str, str]]] = {f"{label}, {measure}": [] for measure in measures}
    for metric in metrics:
        by_measure[f"{label}, {metric.measure}"].append((metric.query_id, float(metric.value).hex()))
    return {name: sorted(values) for name, values in by_measure.items()}


def diversity_means(measures: list[Any]) -> dict[str, float]:
    """Return means on two topics with intents, of a run with ties that pyndeval and irdiv order differently."""
    import ir_measures

    rows = [("1", "a", 1, "x"), ("1", "b", 1, "y"), ("1", "b", 2, "x"), ("2", "a", 1, "x"), ("2", "c", 1, "y")]
    run = [("1", "n", 1.0), ("1", "b", 1.0), ("1", "a", 1.0), ("2", "c", 2.0), ("2", "a", 1.0)]
    qrels = [ir_measures.Qrel(*row) for row in rows]
    ranked = [ir_measures.ScoredDoc(*row) for row in run]
    return {str(measure): float(v) for measure, v in ir_measures.calc_aggregate(measures, qrels, ranked).items()}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    namespace: dict[str, Any] = {}
    results = []
    for statement in json.loads(sys.argv[1]):
        exec(statement, namespace)
        # pyndeval warns of qrels with one intent on standard error.
        with contextlib.redirect_stderr(io.StringIO()):
            results.append(every_value(namespace))
    print(json.dumps(results))
