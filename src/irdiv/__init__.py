"""irdiv: the evaluation of diversified search, inside ir_measures and PyTerrier.

>>> import irdiv
>>> irdiv.parse("D#-nDCG@10")
D#-nDCG@10

After ``import irdiv``, ir_measures knows every spec of irdiv. What is used most is here; the rest is in
``irdiv.measures``, ``irdiv.intents``, ``irdiv.datasets``, ``irdiv.stats``, ``irdiv.analysis``, ``irdiv.plots``,
``irdiv.report``, ``irdiv.rag``, ``irdiv.properties``, ``irdiv.plugins`` and ``irdiv.demo``.
"""

import lazy_loader as _lazy

from irdiv.plugins.ir_measures import install as _install
from irdiv.version import __version__ as __version__

# pandas takes longer to import than all the rest, and the catalogue does not need it: names are imported when used.
__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)

_install()
