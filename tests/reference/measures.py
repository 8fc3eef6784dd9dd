"""All measures of the reference by spec."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import NamedTuple

from . import flat, lists, novelty, trees, utility
from .flat import Base
from .topic import Topic

CUTOFFS = (None, 1, 3, 10)


class Measure(NamedTuple):
    """How a measure is computed, and what it needs: "nothing", "intents", or their "weights" or "importance"."""

    score: Callable[[Topic], float]
    needs: str = "intents"


BASES: dict[tuple[str, str], Base] = {
    ("nDCG", ""): lists.ndcg,
    ("nDCG", "discount='jk'"): lists.ndcg_jk,
    ("Q", ""): lists.q_measure,
    ("P+", ""): lists.p_plus,
    ("ERR", ""): lists.err,
    ("nERR", ""): lists.nerr,
    ("AP", ""): lists.ap,
    ("P", ""): lists.precision,
    ("Recall", ""): lists.recall,
    ("RR", ""): lists.rr,
    ("Hit", ""): lists.hit,
    ("Rprec", ""): lists.rprec,
    ("EBR", ""): lists.ebr,
    ("nEBR", ""): lists.nebr,
    ("iRBU", ""): lists.irbu,
    ("niRBU", ""): lists.nirbu,
}
"""By name and parameters: those that exist on grades and on global gains, with the same formula."""

ON_GRADES: dict[tuple[str, str], Base] = {
    **BASES,
    ("AP", "norm='cutoff'"): lists.ap_cutoff,
    ("GAP", ""): lists.gap,
    ("GAP", "thresholds='uniform'"): lists.gap_uniform,
    ("nGAP", ""): lists.ngap,
    ("RBP", ""): lists.rbp,
    ("RBP", "graded=True"): lists.rbp_graded,
    ("CG", ""): lists.cg,
    ("DCG", ""): lists.dcg_measure,
}

ON_GAINS: dict[tuple[str, str], Base] = {**BASES, ("RBP", ""): lists.rbp_graded}

OF_TREC_EVAL: dict[str, Base] = {
    "nDCG": lists.ndcg, "AP": lists.ap, "P": lists.precision, "R": lists.recall, "RR": lists.rr,
    "Rprec": lists.rprec, "Success": lists.hit,
}  # fmt: skip
"""Ad hoc measures with the names and values of trec_eval."""
WITHOUT_CUTOFF = ("Rprec", "NRBP", "nNRBP", "AP_IA")
OF_IR_MEASURES = (*OF_TREC_EVAL, "ERR", "RBP")
"""Ad hoc names that have another meaning, or another program, inside ir_measures."""


HIERARCHIES: list[dict[str, object]] = [
    {},
    {"hierarchy": "OIH"},
    *({"weights": weights} for weights in ("UT", "UB", "NT", "NB")),
    {"hierarchy": "OIH", "weights": "NT"},
]
LAYER_WEIGHTS: list[dict[str, object]] = [{"layer_weights": (0.2, 0.3, 0.1, 0.4)}]


def spec(name: str, parameters: str, cutoff: int | None) -> str:
    return f"{name}{f'({parameters})' if parameters else ''}{'' if cutoff is None else f'@{cutoff}'}"


def cutoffs(name: str) -> tuple[int | None, ...]:
    base = name.removesuffix("-IA").removesuffix("-LA").split("-", 1)[-1] if name != "AP_IA" else name
    return (None,) if base in WITHOUT_CUTOFF else CUTOFFS


def _adhoc() -> Iterator[tuple[str, Measure]]:
    own = ("Q", "P+", "ERR", "nERR", "GAP", "nGAP", "RBP", "Hit", "EBR", "nEBR", "iRBU", "niRBU", "CG", "DCG")
    for (name, parameters), base in ON_GRADES.items():
        if name in own:
            for k in cutoffs(name):
                yield spec(name, parameters, k), Measure(partial(flat.adhoc, base, cutoff=k), "nothing")
    for name, base in OF_TREC_EVAL.items():
        for k in cutoffs(name):
            if k is not None or name not in ("P", "R", "Success"):
                yield spec(name, "", k), Measure(partial(flat.adhoc, base, cutoff=k, gain=flat.linear), "nothing")


def _operators() -> Iterator[tuple[str, Measure]]:
    for (name, parameters), base in ON_GRADES.items():
        for k in cutoffs(name):
            yield spec(f"{name}-IA", parameters, k), Measure(partial(flat.intent_aware, base, cutoff=k))
    for (name, parameters), base in ON_GAINS.items():
        for k in cutoffs(name):
            yield spec(f"D-{name}", parameters, k), Measure(partial(flat.d_measure, base, cutoff=k))
            yield spec(f"D#-{name}", parameters, k), Measure(partial(flat.d_sharp, base, cutoff=k))
            yield spec(f"HD-{name}", parameters, k), Measure(partial(trees.hd_measure, base, cutoff=k))
    for name in ("nDCG", "Q", "ERR"):
        base = ON_GAINS[name, ""]
        for k in CUTOFFS:
            yield spec(f"DIN-{name}", "", k), Measure(partial(flat.din, base, cutoff=k))
            yield spec(f"DIN#-{name}", "", k), Measure(partial(flat.din_sharp, base, cutoff=k))
    for k in CUTOFFS:
        of_linear = partial(flat.d_measure, lists.ndcg, cutoff=k, gain=flat.linear)
        yield spec("D-nDCG", "gain='linear'", k), Measure(of_linear)
        yield spec("D#-nDCG", "gamma=0.3", k), Measure(partial(flat.d_sharp, lists.ndcg, cutoff=k, gamma=0.3))
        of_linear = partial(flat.intent_aware, lists.q_measure, cutoff=k, gain=flat.linear)
        yield spec("Q-IA", "gain='linear'", k), Measure(of_linear)


def _of_topic() -> Iterator[tuple[str, Measure]]:
    alpha = Fraction(3, 10)
    plain: dict[tuple[str, str], Callable[[Topic, int | None], float]] = {
        ("I-rec", ""): flat.i_rec,
        ("P+Q", ""): flat.p_plus_q,
        ("P+Q#", ""): flat.p_plus_q_sharp,
        ("alpha-DCG", ""): novelty.alpha_dcg,
        ("alpha-nDCG", ""): novelty.alpha_ndcg,
        ("alpha-DCG", "alpha=0.3"): partial(novelty.alpha_dcg, alpha=alpha),
        ("alpha-nDCG", "alpha=0.3"): partial(novelty.alpha_ndcg, alpha=alpha),
        ("alpha-DCG", "weighted=True"): partial(novelty.alpha_dcg, weighted=True),
        ("alpha-nDCG", "weighted=True"): partial(novelty.alpha_ndcg, weighted=True),
        ("NRBP", ""): novelty.nrbp,
        ("nNRBP", ""): novelty.nnrbp,
        ("NRBP", "weighted=True"): partial(novelty.nrbp, weighted=True),
        ("nNRBP", "weighted=True"): partial(novelty.nnrbp, weighted=True),
        ("ERR_IA", ""): novelty.ndeval_err_ia,
        ("nERR_IA", ""): novelty.ndeval_nerr_ia,
        ("alpha_DCG", ""): novelty.ndeval_alpha_dcg,
        ("alpha_nDCG", ""): novelty.alpha_ndcg,
        ("AP_IA", ""): novelty.ndeval_ap_ia,
        ("P_IA", ""): novelty.ndeval_p_ia,
        ("StRecall", ""): flat.i_rec,
        ("Coverage", ""): utility.coverage,
        ("Coverage", "weighted=True"): utility.a_recall,
        ("A-Recall", ""): utility.a_recall,
        ("All-covered", ""): utility.all_covered,
        ("MRecall", ""): utility.m_recall,
        ("CT", ""): utility.cube_test,
        ("ACT", ""): utility.average_cube_test,
        ("nCT", ""): utility.normalized_cube_test,
        ("RBU", ""): utility.rbu,
        ("N-rec", ""): trees.n_rec,
        ("N-rec", "hierarchy='OIH'"): partial(trees.n_rec, hierarchy="OIH"),
    }
    for (name, parameters), measure in plain.items():
        for k in cutoffs(name):
            if k is not None or name not in ("P_IA", "MRecall", "ERR_IA", "alpha_DCG"):
                yield spec(name, parameters, k), Measure(partial(measure, cutoff=k))
    for k in CUTOFFS:
        yield spec("Vital-coverage", "", k), Measure(partial(utility.vital_coverage, cutoff=k), "importance")


def _layer_averages() -> Iterator[tuple[str, Measure]]:
    flat_measures: dict[str, Callable[[Topic, int | None], float]] = {
        "I-rec": flat.i_rec,
        "alpha-nDCG": novelty.alpha_ndcg,
        "D-nDCG": partial(flat.d_measure, lists.ndcg),
        "D#-nDCG": partial(flat.d_sharp, lists.ndcg),
        "D#-Q": partial(flat.d_sharp, lists.q_measure),
        "ERR-IA": partial(flat.intent_aware, lists.err),
        "nDCG-IA": partial(flat.intent_aware, lists.ndcg),
        "ERR_IA": novelty.ndeval_err_ia,
    }
    for name, measure in flat_measures.items():
        for values in (*HIERARCHIES, *LAYER_WEIGHTS):
            if "weights" in values and name in ("I-rec", "alpha-nDCG", "ERR_IA"):
                continue
            for k in CUTOFFS[1:]:
                averaged = partial(trees.layer_average, partial(_in_order, measure), cutoff=k, **values)
                yield spec(f"{name}-LA", _written(values), k), Measure(averaged, _needs(values))


def _in_order(measure: Callable[..., float], topic: Topic, cutoff: int | None) -> float:
    return measure(topic=topic, cutoff=cutoff)


def _on_hierarchies() -> Iterator[tuple[str, Measure]]:
    sharp = {"LAD#": trees.lad_sharp, "HD#": trees.hd_sharp, "LD#": trees.ld_sharp}
    for k in CUTOFFS:
        for values in (*HIERARCHIES, *LAYER_WEIGHTS):
            averaged = partial(trees.hd_measure, lists.ndcg, cutoff=k, **values)
            yield spec("HD-nDCG", _written(values), k), Measure(averaged, _needs(values))
        for operator, measure in sharp.items():
            for name, values in [*product(("nDCG", "Q", "ERR"), HIERARCHIES[:1]), *product(("nDCG",), HIERARCHIES[1:])]:
                sharpened = partial(measure, ON_GAINS[name, ""], cutoff=k, **values)
                yield spec(f"{operator}-{name}", _written(values), k), Measure(sharpened, _needs(values))


def _written(values: dict[str, object]) -> str:
    return ",".join(f"{name}={value!r}" for name, value in values.items()).replace(", ", ",")


def _needs(values: dict[str, object]) -> str:
    return "weights" if values.get("weights") in ("NT", "NB") else "intents"


def _judged_only(measures: dict[str, Measure]) -> Iterator[tuple[str, Measure]]:
    """Yield irdiv's measures at two cutoffs for rankings without unjudged documents."""
    for written, measure in measures.items():
        name, at, cutoff = written.partition("@")
        if cutoff in ("", "3") and name not in OF_TREC_EVAL:
            condensed = f"{name[:-1]},judged_only=True)" if name.endswith(")") else f"{name}(judged_only=True)"
            yield f"{condensed}{at}{cutoff}", measure._replace(score=partial(_without_unjudged, measure.score))


def _without_unjudged(score: Callable[[Topic], float], topic: Topic) -> float:
    return score(replace(topic, ranking=[doc for doc in topic.ranking if doc in topic.documents]))


_ALL = dict([*_adhoc(), *_operators(), *_of_topic(), *_layer_averages(), *_on_hierarchies()])
MEASURES: dict[str, Measure] = _ALL | dict(_judged_only(_ALL))
