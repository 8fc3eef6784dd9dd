"""Intent hierarchies: trees, layers, weights, and how to look at them."""
