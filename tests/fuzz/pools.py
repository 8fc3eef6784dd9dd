"""Ids, grades and scores of random collections: ordinary ones, and those that are easily read wrongly."""

from __future__ import annotations

NUMBERS = ("1", "2", "3", "4", "5", "9", "10", "11", "12", "100", "101", "2147483648")
PREFIXES = ("d", "d0", "d00", "d1", "d10", "d01", "D1", "d1.", "d-1", "d1-1", "dd", "d_1")
ODD = (
    "01", "1", "001", "1.0", "1e0", "-1", "+1", "0x1F", "1_0", "nan", "NaN", "NA", "null", "None", "True", "inf",
    "é", "e\u0301", "ß", "ﬀ", "日本", "日本語", "😀", "\u00a0x", "x\u2003", "\u200bz", "a,b", 'a"b', "'", "a;b", "#",
    "\\", "//", "%s", "{}", "<b>", "Q0", "_", "~",
)  # fmt: skip
"""Ids without ASCII white space, which all forms can hold."""
BLANKS = ("a b", " a", "a ", "a\tb", " ", "")
"""Ids that files of columns cannot hold."""

FAMILIES = (NUMBERS, PREFIXES, ODD, ODD + BLANKS)

GRADES = ((1,), (0, 1), (-2, 0, 1, 2), (0, 1, 2, 3, 4), (-1, 1, 7), (0, 3), (-2, 0), (1, 30))

WEIGHTS = ((1.0, 1.0), (0.125, 0.25, 0.5, 1.0), (0.1, 0.2, 0.3, 0.7), (0.0, 0.5, 1.0), (1e-9, 1.0), (3.0, 40.0))

BATCH_ROWS = (1, 5, 20, 1000)
"""For one topic in a batch, some, or all."""

TIES = ("docid_desc", "docid_asc", "input", "rank")
DUPLICATES = ("error", "first")

SCORES = (
    (1.0,),
    (0.0, -0.0, 1.0),
    (1.0, 2.0, 3.0, 4.0),
    (-1.5, -0.5, 0.5, 12.25),
    (0.1, 0.2, 0.30000000000000004, 0.3),
    (1e300, -1e300, 5e-324, 1e-300, 0.0),
    (16777216.0, 16777217.0, 9007199254740992.0, 9007199254740991.0),
)
