"""Text and pictures for readers: explanations of measures, tables, trees of intents, and what pictures share.

Modules here format what other rooms compute, and compute nothing themselves.
"""
