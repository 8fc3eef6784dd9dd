"""irdiv inside PyTerrier, which is imported only when something of it is asked for."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from irdiv.errors import IrdivError

if TYPE_CHECKING:
    from irdiv.frames.columns import QrelsLike
    from irdiv.oracles import Order


def as_module() -> ModuleType:
    """Return irdiv, for PyTerrier to show as ``pt.irdiv``; its entry point calls this.

    From then on diversity qrels carry the highest grade of all of them into each batch of topics, so that the size of
    a batch does not change ERR.
    """
    model = sys.modules["pyterrier.model"]
    to_ir_measures = model.to_ir_measures

    def with_max_grade(frame: Any) -> Any:
        out = to_ir_measures(frame)
        from irdiv.frames.columns import ALIASES

        names = set(out.columns)
        if {"query_id", "doc_id", "relevance"} <= names and names & set(ALIASES["intent_id"]) - {"iteration"}:
            return out if "max_grade" in names else out.assign(max_grade=out["relevance"].max())
        return out

    model.to_ir_measures = with_max_grade  # type: ignore[attr-defined]
    return sys.modules["irdiv"]


def oracle_transformer(qrels: QrelsLike, order: Order = "alpha-nDCG", **parameters: Any) -> Any:
    """Return a PyTerrier transformer that ranks as `irdiv.oracle` does, to stand beside systems in an experiment."""
    from irdiv.arrays.collection import Collection
    from irdiv.oracles import oracle

    try:
        import pyterrier as pt
    except ImportError:
        raise IrdivError("PyTerrier is not installed: pip install 'irdiv[pyterrier]'.") from None
    return pt.Transformer.from_df(pt.model.from_ir_measures(oracle(Collection(qrels), order, **parameters)))
