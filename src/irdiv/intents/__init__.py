"""Intents: intent tables read from files and folded into qrels, intent hierarchies, their layers and node weights."""
