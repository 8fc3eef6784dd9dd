"""Progress bars: they change no value, and nothing of them remains on a terminal or in a file."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import termios
import threading
from pathlib import Path

import pandas as pd
import pytest

import irdiv
from irdiv import stats
from irdiv.demo import demo_qrels_and_runs

DEMO = Path(irdiv.demo.__file__).parent
QRELS, RUNS = demo_qrels_and_runs()

WITH_PROGRESS = {
    "evaluate": lambda ev, **options: irdiv.evaluate(QRELS, RUNS, "I-rec@10", **options).frame,
    "evaluate in batches": lambda ev, **options: (
        irdiv.evaluate(QRELS, RUNS, "I-rec@10", batch_rows=50, **options).frame
    ),
    "exact ideals": lambda ev, **options: irdiv.evaluate(QRELS, RUNS, "alpha-nDCG(ideal='exact')@3", **options).frame,
    "compare": lambda ev, **options: stats.compare(ev, n_resamples=50, **options),
    "tukey": lambda ev, **options: stats.compare(ev, test="tukey", n_resamples=50, **options),
    "discriminative_power": lambda ev, **options: stats.discriminative_power(ev, n_resamples=50, **options).summary(),
    "power_by_topics": lambda ev, **options: stats.power_by_topics(ev, sizes=[5], trials=2, **options),
    "ideal_gaps": lambda ev, **options: irdiv.analysis.ideal_gaps(QRELS, cutoff=2, **options).drop(columns="seconds"),
}


@pytest.mark.parametrize("is_terminal", [False, True])
@pytest.mark.parametrize("name", WITH_PROGRESS)
def test_bars_change_no_value_and_leave_nothing_behind(name, is_terminal, monkeypatch, capsys):
    evaluation = irdiv.evaluate(QRELS, RUNS, ["D#-nDCG@10", "I-rec@10"])
    work = WITH_PROGRESS[name]
    without = work(evaluation, progress=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    pd.testing.assert_frame_equal(work(evaluation, progress=True), without)
    written = capsys.readouterr()
    assert written.out == ""
    if not is_terminal:
        assert written.err == ""
    assert written.err.split("\r")[-1].strip() == ""


@pytest.mark.slow
def test_a_terminal_shows_bars_that_are_not_in_the_output():
    """Standard error is a terminal, and standard output is a pipe."""
    runs = sorted(map(str, DEMO.glob("*.run")))
    options = ["-B", "1000000", "-m", "I-rec@5", "AP", "P@5", "nDCG@5"]
    command = [sys.executable, "-m", "irdiv", "compare", str(DEMO / "qrels.txt"), *runs, *options]
    screen, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 100))
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal, env={**os.environ, "TERM": "xterm"})
    os.close(terminal)
    written = bytearray()

    def read():
        try:
            while part := os.read(screen, 1 << 16):
                written.extend(part)
        except OSError:  # how Linux reports that all processes have closed the terminal
            pass

    reader = threading.Thread(target=read)
    reader.start()
    output = process.communicate(timeout=120)[0].decode()
    reader.join()
    os.close(screen)
    assert process.returncode == 0
    assert re.search(r"\d+%\|.*\| [\d.kM]+/[\d.kM]+ \[\d\d:\d\d<", written.decode())
    piped = subprocess.run(command, capture_output=True, text=True, check=True)
    assert output == piped.stdout
    assert "\r" not in piped.stderr
