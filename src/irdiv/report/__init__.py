"""Self-contained HTML pages about runs, one for each collection (``pip install 'irdiv[report]'``).

A page shows which runs are best, whether the differences are significant, and which intents each run covers in each
topic.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
