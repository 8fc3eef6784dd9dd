"""Self-contained HTML pages about runs, one for each collection (``pip install 'irdiv[report]'``).

A page shows which runs are best, whether the differences are significant, and which intents each run covers in each
topic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from irdiv.lazy import names_of_modules

if TYPE_CHECKING:
    from irdiv.report.provenance import Input, Provenance
    from irdiv.report.rendering import DEFAULT_MEASURES, descriptions_by_intent, render, write_report
    from irdiv.report.site import write_site

__all__ = [
    "DEFAULT_MEASURES",
    "Input",
    "Provenance",
    "descriptions_by_intent",
    "render",
    "write_report",
    "write_site",
]

_MODULE_OF = {
    "DEFAULT_MEASURES": "irdiv.report.rendering",
    "Input": "irdiv.report.provenance",
    "Provenance": "irdiv.report.provenance",
    "descriptions_by_intent": "irdiv.report.rendering",
    "render": "irdiv.report.rendering",
    "write_report": "irdiv.report.rendering",
    "write_site": "irdiv.report.site",
}
# Type checkers read the imports above instead, so that a name that does not exist is an error to them.
if not TYPE_CHECKING:
    __getattr__, __dir__ = names_of_modules(__name__, _MODULE_OF)
