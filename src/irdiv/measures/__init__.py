"""Measures: the catalogue, operators and base measures as Python objects, and what is needed to declare a measure.

>>> from irdiv.measures import DSharp, IA, nDCG, ERR
>>> DSharp(nDCG, gamma=0.3) @ 10, IA(ERR) @ 20
(D#-nDCG(gamma=0.3)@10, ERR-IA@20)

``nDCG``, ``AP``, ``ERR``, ``P``, ``RBP``, ``RR``, ``Recall`` and ``Rprec`` are the objects of ir_measures; under an
operator they name the base measure of irdiv.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
