"""Test collections: load and read them, and convert or write their qrels for other programs.

`load` takes collections of ir_datasets, ``read_*`` reads files of other forms, ``to_*`` converts qrels, and ``write_*``
writes files.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
