"""irdiv inside PyTerrier, which is imported only when it is used."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from irdiv.errors import IrdivError

if TYPE_CHECKING:
    import pyterrier

    from irdiv.io.tables import QrelsLike
    from irdiv.measures.spec import MeasureLike


def as_module() -> ModuleType:
    """Return the package irdiv, which PyTerrier shows as ``pt.irdiv``; PyTerrier calls this once, by its entry point.

    This replaces ``pyterrier.model.to_ir_measures``, by which PyTerrier renames columns for ir_measures. The new one
    adds a column ``max_grade``, the highest grade of all topics, to qrels that have an intent column and no
    ``max_grade``, so that ERR does not depend on the size of PyTerrier's batches of topics. By then PyTerrier has
    dropped all topics that the experiment does not have, and only qrels of `irdiv.datasets.to_pyterrier` still carry
    the scale of all. Everything else, such as runs, ad hoc qrels and names of columns, is converted as before, and no
    other function of PyTerrier is changed.
    """
    model = sys.modules["pyterrier.model"]
    original = model.to_ir_measures

    def to_ir_measures(inp: object) -> object:
        import pandas as pd

        from irdiv.io.columns import ITERATION, QRELS_COLUMNS, has_intent_column
        from irdiv.io.values import max_grade_of_tops, tops_of_scale

        out = original(inp)
        if (
            not isinstance(out, pd.DataFrame)
            or "max_grade" in out.columns
            or not set(QRELS_COLUMNS) <= set(out.columns)
        ):
            return out
        if not has_intent_column(set(out.columns) - {ITERATION}):
            return out
        grade = out[QRELS_COLUMNS[2]]
        if "grades_below_max" not in out.columns:
            return out.assign(max_grade=grade.max())
        tops = tops_of_scale(grade.to_numpy(), out["grades_below_max"].to_numpy(float))
        return out.drop(columns="grades_below_max").assign(max_grade=max(max_grade_of_tops(*tops), grade.max()))

    model.to_ir_measures = to_ir_measures  # type: ignore[attr-defined]
    return sys.modules["irdiv"]


def oracle_transformer(
    qrels: QrelsLike, order: MeasureLike = "alpha-nDCG", *, depth: int | None = None, **parameters: object
) -> pyterrier.Transformer:
    """Return a PyTerrier transformer that ranks as `irdiv.oracle` does, as a system to compare with in an experiment.

    The order of α-nDCG is greedy, and so is that of other measures, but D-nDCG, in topics with more than 50,000 lists.
    A greedy order can be beaten; the column ``ideal`` of `irdiv.oracle` says where it is greedy.
    """
    from irdiv.analysis.oracles import oracle
    from irdiv.core.collection import Collection

    try:
        import pyterrier as pt
    except ImportError:
        raise IrdivError("PyTerrier is not installed: pip install 'irdiv[pyterrier]'.") from None
    run = oracle(Collection(qrels).to_pandas(), order, depth=depth, columns=None, **parameters)
    return pt.Transformer.from_df(pt.model.from_ir_measures(run))
