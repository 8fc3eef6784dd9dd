"""Self-contained HTML pages about runs, one for each collection (``pip install 'irdiv[report]'``).

A page shows which runs are best, whether the differences are significant, and which intents each run covers in each
topic.
"""

from __future__ import annotations

from irdiv.report.provenance import Input, Provenance
from irdiv.report.rendering import DEFAULT_MEASURES, descriptions_by_intent, render, write_report
from irdiv.report.site import write_site

__all__ = ["DEFAULT_MEASURES", "Input", "Provenance", "descriptions_by_intent", "render", "write_report", "write_site"]
