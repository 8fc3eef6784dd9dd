from .provenance import Input as Input
from .provenance import Provenance as Provenance
from .rendering import DEFAULT_MEASURES as DEFAULT_MEASURES
from .rendering import descriptions_by_intent as descriptions_by_intent
from .rendering import render as render
from .rendering import write_report as write_report
from .site import write_site as write_site
