from .nested import nested_intents as nested_intents
from .nested import with_paths as with_paths
from .probabilities import descending_weights as descending_weights
