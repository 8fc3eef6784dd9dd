"""irdiv inside other programs: ir_measures, ir_datasets, PyTerrier and Spark, each imported only when it is used."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
