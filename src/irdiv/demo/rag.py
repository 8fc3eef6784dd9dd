"""Questions with judged nuggets and the results of three retrievers, for the tutorial on retrieval for generation.

Each passage of a question has a digit for each nugget: 2 is support, 1 partial support and 0 no support.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

from irdiv.demo.writing import write_files
from irdiv.types import PathLike

Row: TypeAlias = dict[str, object]
"""A line of a JSON Lines file."""

LABELS = {"0": "not_support", "1": "partial_support", "2": "support"}


class Question(NamedTuple):
    """A question with its nuggets, its judged passages and the first of them by three retrievers."""

    text: str
    vital: tuple[str, ...]
    okay: tuple[str, ...]
    support: str
    """The digits of passages 1, 2, …"""
    bm25: str
    """The passages in the order of their ranks, a digit each."""
    dense: str
    hybrid: str


QUESTIONS = (
    Question(
        "What should I check before I buy a used electric car?",
        ("the health of the battery", "which charging connector it has", "open recalls"),
        ("how long the battery warranty lasts", "wear of the tires"),
        "20000 20010 02000 10000 20000 01000 00200 00000 00000",
        bm25="15829637",
        dense="23156478",
        hybrid="27135648",
    ),
    Question(
        "How do I replace an API key that has leaked?",
        ("revoke the old key", "deploy a new key", "look for misuse in the logs"),
        ("remove the key from the git history", "give keys an expiry date"),
        "22000 20000 01000 00200 00020 20100 00002 00000 00000",
        bm25="21836594",
        dense="61243578",
        hybrid="14257368",
    ),
    Question(
        "Why did the Western Roman Empire fall?",
        ("invasions and migrations", "civil wars and weak emperors", "loss of tax revenue"),
        ("dependence on Germanic troops", "the division into East and West", "plagues"),
        "200000 200100 020000 002000 210000 000200 000020 000001 000000",
        bm25="12596738",
        dense="53214679",
        hybrid="52417638",
    ),
    Question(
        "How do I prepare for an earthquake?",
        ("secure heavy furniture", "drop, cover and hold on", "store water and food"),
        ("know how to turn off the gas", "agree on a meeting place"),
        "02000 02000 20000 00200 01000 00120 00002 00000 00000",
        bm25="12589346",
        dense="23146578",
        hybrid="23157468",
    ),
    Question(
        "Why is my sourdough bread dense?",
        ("the starter is not active", "fermentation was too short"),
        ("flour with little gluten", "cut before it had cooled"),
        "2000 2100 0200 0020 0000 0002 1000 0000 0000",
        bm25="12857349",
        dense="23174658",
        hybrid="24156378",
    ),
    Question(
        "Can I put meat on the compost?",
        ("it attracts pests", "a home pile is not hot enough to kill germs"),
        ("bokashi bins and industrial plants can take it",),
        "200 210 020 001 000 200 002 000 000",
        bm25="16258347",
        dense="23164578",
        hybrid="23716458",
    ),
    Question(
        "How do noise-canceling headphones work?",
        ("microphones pick up the noise", "the opposite sound wave is added"),
        ("low frequencies are canceled best", "padding blocks high frequencies"),
        "2200 0200 0020 2000 0001 0000 0002 0000 0000",
        bm25="61892347",
        dense="14236578",
        hybrid="12637458",
    ),
    Question(
        "What does a city gain and lose by a tram line?",
        ("it carries more people than buses", "construction is slow and expensive", "less noise and exhaust"),
        ("property nearby gains value", "rails are a danger for cyclists", "trams cannot drive around obstacles"),
        "200000 020000 210000 002000 000200 020100 000020 000000 000000",
        bm25="26819345",
        dense="31264578",
        hybrid="36721458",
    ),
)


def write_rag_demo(folder: PathLike, *, force: bool = False) -> list[Path]:
    """Write judgments of passages by nuggets and the results of three retrievers to a folder, and return their paths.

    A file that is there with other content is an error, and then none is written, unless ``force``.

    >>> import tempfile
    >>> [path.name for path in write_rag_demo(tempfile.mkdtemp())]
    ['judgments.jsonl', 'bm25.jsonl', 'dense.jsonl', 'hybrid.jsonl']
    """
    return write_files(Path(folder), rag_demo_files(), force=force)


def rag_demo_files() -> dict[str, bytes]:
    """Return the contents of the files by name."""
    files: dict[str, Iterator[Row]] = {"judgments": _judgments()}
    files |= {retriever: _results(retriever) for retriever in ("bm25", "dense", "hybrid")}
    return {f"{name}.jsonl": "".join(f"{json.dumps(row)}\n" for row in rows).encode() for name, rows in files.items()}


def _judgments() -> Iterator[Row]:
    """Yield one row for each nugget and judged passage."""
    for index, question in enumerate(QUESTIONS, 1):
        nuggets = [(text, "vital") for text in question.vital] + [(text, "okay") for text in question.okay]
        for position, (text, importance) in enumerate(nuggets):
            for passage, digits in enumerate(question.support.split(), 1):
                yield {
                    "question_id": f"q{index}",
                    "question": question.text,
                    "nugget_id": f"q{index}-n{position + 1}",
                    "nugget": text,
                    "importance": importance,
                    "passage_id": f"p{index}0{passage}",
                    "label": LABELS[digits[position]],
                }


def _results(retriever: str) -> Iterator[Row]:
    """Yield one row for each question and passage that a retriever found."""
    for index, question in enumerate(QUESTIONS, 1):
        for rank, passage in enumerate(getattr(question, retriever), 1):
            yield {"question_id": f"q{index}", "passage_id": f"p{index}0{passage}", "rank": rank}
