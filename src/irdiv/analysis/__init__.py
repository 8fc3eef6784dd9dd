"""Analyses beyond measures: ideal runs, textbook curves and counts, and what runs cover of intents and hierarchies."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
