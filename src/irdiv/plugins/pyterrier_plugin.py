"""Transformers for PyTerrier, which is imported only when one is made."""

from __future__ import annotations

from typing import Any

from irdiv.errors import IrdivError
from irdiv.frames.columns import QrelsLike
from irdiv.oracles import Order, oracle


def oracle_transformer(qrels: QrelsLike, order: Order = "alpha-nDCG", **parameters: Any) -> Any:
    """Return a PyTerrier transformer that ranks as `irdiv.oracle` does, to stand beside systems in an experiment."""
    try:
        import pyterrier as pt
    except ImportError:
        raise IrdivError("PyTerrier is not installed: pip install 'irdiv[pyterrier]'.") from None
    return pt.Transformer.from_df(pt.model.from_ir_measures(oracle(qrels, order, **parameters)))
