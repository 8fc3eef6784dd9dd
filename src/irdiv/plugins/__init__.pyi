from . import ir_datasets as ir_datasets
from . import ir_measures as ir_measures
from . import pyterrier as pyterrier
from . import spark as spark
