"""Words in descriptions of measures."""

from __future__ import annotations

import re


def has_words(description: str, text: str) -> bool:
    """Return whether each word of a text begins a word of a description.

    >>> has_words("Share of nuggets, subtopic recall", "nugget recall")
    True
    """
    words = text.casefold().split()
    return bool(words) and all(re.search(rf"(?<!\w){re.escape(word)}", description.casefold()) for word in words)
