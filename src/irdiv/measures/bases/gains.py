"""Base measures that add up gains."""

from __future__ import annotations

from irdiv.checks import Number, choice
from irdiv.kernels import base as kernels
from irdiv.kernels.lists import HitLists, jarvelin_kekalainen_discount, log_discount
from irdiv.measures.base import BaseMeasure, one, value_of_ideal
from irdiv.measures.parameters import GAIN, Parameter, ParameterValues
from irdiv.types import Floats


def _dcg(lists: HitLists, ideal: HitLists, params: ParameterValues) -> Floats:
    if params["discount"] == "jk":
        discount = jarvelin_kekalainen_discount(lists.max_rank, params["b"])
    else:
        discount = log_discount(lists.max_rank)
    return kernels.dcg_curve(lists, discount)


_DISCOUNT = Parameter(
    "discount", "log2", "'log2' for 1/log2(r + 1), 'jk' for 1/log_b r from rank b on", choice("log2", "jk")
)
_B = Parameter(
    "b",
    2.0,
    "base of the logarithm of discount='jk'",
    Number(1, 1e6, open_low=True),
    only_with=(("discount", "jk"),),
)

BASES = (
    BaseMeasure(
        "nDCG",
        "Normalized discounted cumulative gain.",
        "Σ_{r≤l} g(r)/log2(r+1), over the same of the ideal list",
        ("Järvelin and Kekäläinen, TOIS 20(4), 2002", "Burges et al., ICML 2005 (discount log2(r+1))"),
        curve=_dcg,
        norm=value_of_ideal(_dcg),
        parameters=(GAIN, _DISCOUNT, _B),
        parameters_on_gains=(_DISCOUNT, _B),
        adhoc_defaults={"gain": "linear"},
        other_programs="NTCIREVAL calls the default MSnDCG and discount='jk' nDCG, both with gain='linear'. trec_eval "
        "has gain='linear' and the default discount. ranx has both gains as ndcg and ndcg_burges.",
    ),
    BaseMeasure(
        "CG",
        "Cumulative gain.",
        "Σ_{r≤l} g(r)",
        ("Järvelin and Kekäläinen, TOIS 20(4), 2002",),
        curve=lambda lists, ideal, params: kernels.cumulative_gain_curve(lists),
        reaches_one=False,
        norm=one,
        parameters=(GAIN,),
        bounded=False,
        standalone=True,
    ),
    BaseMeasure(
        "DCG",
        "Discounted cumulative gain.",
        "Σ_{r≤l} g(r)/log2(r+1)",
        ("Järvelin and Kekäläinen, TOIS 20(4), 2002", "Burges et al., ICML 2005 (discount log2(r+1))"),
        curve=_dcg,
        reaches_one=False,
        norm=one,
        parameters=(GAIN, _DISCOUNT, _B),
        parameters_on_gains=(_DISCOUNT, _B),
        bounded=False,
        standalone=True,
    ),
)
