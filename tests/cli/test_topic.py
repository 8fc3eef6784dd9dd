"""The command `irdiv topic`: one topic, or the topics on which a run is worst."""

from __future__ import annotations

import pandas as pd
import pytest

import irdiv
from cli_helpers import DEMO, FILES, error, out, rows
from irdiv.demo import SYSTEMS

QRELS, ONE, TWO = FILES
PATHS = {name: str(DEMO / f"{name}.run") for name in SYSTEMS}


@pytest.fixture(scope="module")
def evaluation() -> irdiv.Evaluation:
    return irdiv.evaluate(QRELS, PATHS, "D-nDCG@5")


@pytest.mark.parametrize(
    ("words", "options", "digits"),
    [([], {}, 4), (["-k", "3", "--run", "spammy", "--digits", "2"], {"runs": "spammy", "cutoff": 3}, 2)],
    ids=["default", "options"],
)
def test_a_topic(capsys, evaluation, words, options, digits):
    command = ["topic", "3", QRELS, *PATHS.values(), "-m", "D-nDCG@5", *words]
    expected = evaluation.topic("3", **options)
    assert out(capsys, *command) == expected.draw(digits=digits) + "\n"
    found = rows(capsys, *command[: len(command) - 2 * ("--digits" in words)])
    assert set(found.pop("query_id")) == {"3"}
    pd.testing.assert_frame_equal(found, expected.intents, check_dtype=False)


def test_the_worst_topics(capsys, evaluation):
    command = ["topic", "--worst", "2", "-m", "D-nDCG@5", QRELS, *PATHS.values()]
    text = out(capsys, *command, "--baseline", "relevance", "-k", "4")
    worst = evaluation.worst(2, baseline="relevance")
    assert text.startswith("query_id  run")
    for query_id, name in zip(worst["query_id"], worst["run"], strict=True):
        assert evaluation.topic(query_id, runs=[name, "relevance"], cutoff=4).draw() in text
    pd.testing.assert_frame_equal(rows(capsys, *command), evaluation.worst(2), check_dtype=False)
    assert len(rows(capsys, "topic", QRELS, ONE, "--worst", "1", "-m", "D-nDCG@5")) == 1
    found = rows(capsys, *command, "--run", "spammy")
    pd.testing.assert_frame_equal(found, evaluation.worst(2, run="spammy"), check_dtype=False)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([QRELS, ONE], "expected the ID of a topic"),
        (["33", QRELS, ONE], "no topic is called '33'; did you mean '3'"),
        (["3", QRELS, ONE, "--worst", "2"], "leave out the ID '3'"),
        (["3", QRELS, ONE, "--baseline", "relevance"], "--baseline is for --worst"),
        ([QRELS, ONE, TWO, "--worst", "2", "--run", "relevance", "diversified"], "--run names 2"),
        ([QRELS, ONE, TWO, "--worst", "0"], "--worst 0"),
        (["3", QRELS, ONE, "--run", "relevanc"], "did you mean 'relevance'"),
        (["3", QRELS, ONE, "-k", "0"], "cutoff=0"),
    ],
    ids=lambda value: None if isinstance(value, str) else " ".join(value[-2:]),
)
def test_mistakes(capsys, words, message):
    assert message in error(capsys, "topic", *words)
