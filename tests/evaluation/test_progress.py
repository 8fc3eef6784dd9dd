"""Progress bars: what is counted, and what a real terminal shows."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import irdiv
from irdiv import progress, stats
from irdiv.demo import demo_qrels_and_runs
from irdiv.errors import IrdivError
from irdiv.progress import hidden_bars, progress_bar, progress_counter, progress_slices, show_progress
from irdiv.stats import resampling
from irdiv.stats.resampling import bootstrap_counts
from irdiv.stats.sample_correlation import correlations_over_topics

pytestmark = pytest.mark.slow

DEMO = Path(irdiv.demo.__file__).parent
QRELS, RUNS = demo_qrels_and_runs()
PAIRS = 6  # of four runs
TOPICS = 12


class Recorder:
    """A display that keeps what bars counted, of how many and what."""

    def __init__(self):
        self.bars, self.descriptions, self._open = [], [], []

    def __len__(self):
        return len(self._open)

    def open(self, total, unit, description):
        bar = [0, total, unit]
        self.bars.append(bar)
        self.descriptions.append(description)
        self._open.append(bar)

        def advance(count):
            bar[0] += count

        return advance

    def close(self, keep=0):
        del self._open[keep:]

    def end(self):
        self.close()


@pytest.fixture
def recorder(monkeypatch):
    display = Recorder()
    monkeypatch.setattr(progress, "_new_display", lambda: display)
    return display


@pytest.fixture(scope="module")
def evaluation():
    return irdiv.evaluate(QRELS, RUNS, ["D#-nDCG@10", "I-rec@10"])


def evaluate_by_exact_ideals(_):
    irdiv.evaluate(QRELS, RUNS["spammy"], "alpha-nDCG(ideal='exact')@3")


COUNTED = {
    "evaluate": (lambda _: irdiv.evaluate(QRELS, RUNS, "I-rec@10"), [(4, "run")]),
    "evaluate in batches": (
        lambda _: irdiv.evaluate(QRELS, RUNS, "I-rec@10", batch_rows=50),
        [(412, "row"), (4, "run"), *[(len(run), "row") for run in RUNS.values()], (TOPICS, "topic")],
    ),
    "exact ideals": (evaluate_by_exact_ideals, [(TOPICS, "topic")]),
    "ideal_gaps": (lambda _: irdiv.analysis.ideal_gaps(QRELS, cutoff=3), [(TOPICS, "topic")]),
    "oracle": (lambda _: irdiv.oracle(QRELS, "D#-nDCG@2"), [(TOPICS, "topic")]),
    "compare": (
        lambda ev: stats.compare(ev, n_resamples=50),
        [(2, "measure"), *[(50, "sample"), (PAIRS, "test"), (PAIRS, "interval")] * 2],
    ),
    "compare, randomization": (
        lambda ev: stats.compare(ev, test="randomization", n_resamples=50, interval="t"),
        [(2, "measure"), *[(50, "sample"), (50, "sample")] * 2],
    ),
    "compare, tukey": (
        lambda ev: stats.compare(ev, test="tukey", n_resamples=50, interval="t"),
        [(2, "measure"), (50, "sample")],
    ),
    "rank": (
        lambda ev: ev.rank("I-rec@10", n_resamples=50),
        [(50, "sample"), (4, "interval"), (50, "sample")],
    ),
    "discriminative_power": (
        lambda ev: stats.discriminative_power(ev, n_resamples=50),
        [(50, "sample"), (2, "measure"), (PAIRS, "test"), (PAIRS, "test")],
    ),
    "discriminative_power without delta": (
        lambda ev: stats.discriminative_power(ev, n_resamples=50, delta=False),
        [(50, "sample"), (2, "measure"), (PAIRS, "test"), (PAIRS, "test")],
    ),
    "discriminative_power, t": (lambda ev: stats.discriminative_power(ev, test="t"), [(2, "measure")]),
    "discriminative_power, tukey": (
        lambda ev: stats.discriminative_power(ev, test="tukey", n_resamples=50),
        [(2, "measure"), (50, "sample")],
    ),
    "power_by_topics": (
        lambda ev: stats.power_by_topics(ev, sizes=[5], trials=2, n_resamples=50),
        [(2, "subset"), *[(50, "sample"), (PAIRS, "test"), (PAIRS, "test")] * 2],
    ),
    "correlation_intervals": (
        lambda ev: stats.correlation_intervals(ev, n_resamples=50),
        [(50, "sample"), (50, "sample")],
    ),
    "correlation_intervals in both directions": (
        lambda ev: stats.correlation_intervals(ev, "tau_ap", n_resamples=50),
        [(50, "sample"), (2, "pair"), (50, "sample"), (50, "sample")],
    ),
    "compare_leaderboards": (
        lambda ev: stats.compare_leaderboards(ev, ev, n_resamples=50),
        [(50, "sample"), (2, "measure"), (50, "sample"), (50, "sample")],
    ),
    "correlations over topics": (
        lambda ev: correlations_over_topics(ev.values[0], ev.values[1], bootstrap_counts(TOPICS, 50, 0), "pearson"),
        [(50, "sample"), (50, "sample")],
    ),
    "properties": (
        lambda _: irdiv.properties.check(["I-rec@3", "D-nDCG@3"], length=3),
        [(40, "ranking"), (2, "measure")],
    ),
}


@pytest.mark.parametrize("name", COUNTED)
def test_what_is_counted(name, evaluation, recorder):
    work, expected = COUNTED[name]
    work(evaluation)
    assert recorder.bars == []
    with show_progress():
        work(evaluation)
    assert [(total, unit) for _, total, unit in recorder.bars] == expected
    assert all(count == total for count, total, _ in recorder.bars)
    assert len(recorder) == 0


def test_topics_in_many_blocks(recorder, monkeypatch):
    monkeypatch.setattr(irdiv.arrays.collection, "BLOCK_CELLS", 1)
    with show_progress():
        irdiv.evaluate(QRELS, RUNS["spammy"], "I-rec@10")
    assert recorder.bars == [[TOPICS, TOPICS, "topic"]]


def test_samples_that_do_not_fit_into_memory(recorder, monkeypatch):
    monkeypatch.setattr(resampling, "MAX_CELLS", 50)
    counts = resampling.bootstrap_counts(7, 40, 0)
    with show_progress():
        resampling.sample_means(np.ones((3, 7)), counts)
    assert recorder.bars == [[40, 40, "sample"]]


def test_descriptions(evaluation, recorder):
    with show_progress():
        stats.correlation_intervals(evaluation, "tau_ap", n_resamples=5)
        stats.power_by_topics(evaluation, sizes=[5], trials=2, n_resamples=5)
    described = [text for text in recorder.descriptions if text is not None]
    assert described == ["pairs of measures", "subsets of topics"]


WITH_PARAMETER = {
    "evaluate": lambda ev, **options: irdiv.evaluate(QRELS, RUNS, "I-rec@10", **options).frame,
    "compare": lambda ev, **options: stats.compare(ev, **options),
    "discriminative_power": lambda ev, **options: stats.discriminative_power(ev, **options).summary(),
    "power_by_topics": lambda ev, **options: stats.power_by_topics(ev, sizes=[5], trials=2, **options),
    "ideal_gaps": lambda ev, **options: irdiv.analysis.ideal_gaps(QRELS, cutoff=2, **options).drop(columns="seconds"),
}


@pytest.mark.parametrize("name", WITH_PARAMETER)
def test_parameter_progress_shows_bars_and_changes_no_value(name, evaluation, recorder):
    without = WITH_PARAMETER[name](evaluation, progress=False)
    assert recorder.bars == []
    assert WITH_PARAMETER[name](evaluation, progress=True).equals(without)
    assert recorder.bars


def test_bars_are_closed_after_an_error(recorder):
    with pytest.raises(IrdivError), show_progress():
        irdiv.evaluate(QRELS, {**RUNS, "none": RUNS["spammy"][:0]}, "I-rec@10")
    assert recorder.bars[0][:2] == [4, 5]
    assert len(recorder) == 0
    assert list(progress_bar([1, 2], "item")) == [1, 2]
    assert len(recorder.bars) == 1


def test_no_bars_of_one_item_or_of_other_threads(recorder):
    with show_progress():
        list(progress_bar([1], "item"))
        thread = threading.Thread(target=lambda: list(progress_bar([1, 2], "item")))
        thread.start()
        thread.join()
    assert recorder.bars == []


def test_slices_cover_all_items(recorder):
    with show_progress():
        assert list(progress_slices(5, 2, "item")) == [slice(0, 2), slice(2, 4), slice(4, 5)]
    assert recorder.bars == [[5, 5, "item"]]
    assert list(progress_slices(0, 2, "item")) == []


def test_notebooks_have_the_bars_of_tqdm_auto(monkeypatch):
    made = []

    class Bar:
        def __init__(self, **options):
            self.options, self.count = options, 0
            made.append(self)

        def update(self, count):
            self.count += count

        def close(self):
            self.is_closed = True

    kernel = ModuleType("IPython")
    kernel.get_ipython = lambda: SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    monkeypatch.setattr("tqdm.auto.tqdm", Bar)
    irdiv.evaluate(QRELS, RUNS, "I-rec@10", progress=True)
    (bar,) = made
    assert bar.count == bar.options["total"] == 4
    assert bar.is_closed
    assert bar.options["desc"] == "runs"


# A real terminal. Bars appear at once, as the work is short.
SOON = "import irdiv.progress as p; p._DELAY, p._INTERVAL = 0, .002"
COMMAND = "import sys; {}; from irdiv_cli import main; sys.exit(main())"


def open_terminal(columns=100):
    """Return the descriptors of a terminal: its screen, and what a process writes to."""
    screen, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    return screen, terminal


def run_in_terminal(*arguments, setup="pass", columns=100, **environment):
    """Return what a command prints to standard output, a pipe, and to standard error, a terminal."""
    screen, terminal = open_terminal(columns)
    command = [sys.executable, "-c", COMMAND.format(setup), *map(str, arguments)]
    env = {**os.environ, "TERM": "xterm", "PYTHONIOENCODING": "utf-8", **environment}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal, env=env)
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
    output = process.communicate(timeout=60)[0].decode()
    reader.join()
    os.close(screen)
    assert process.returncode == 0
    return output, written.decode()


def visible(written):
    """Return the lines of a terminal after all was written to it."""
    lines, row, column = [""], 0, 0
    for token in re.findall(r"\x1b\[[0-9;]*[A-Za-z]|.|\n", written, re.DOTALL):
        if token == "\r":
            column = 0
        elif token == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif token == "\x1b[A":
            row -= 1
        elif token == "\x1b[K":
            lines[row] = lines[row][:column]
        else:
            assert token[0] != "\x1b", token
            lines[row] = lines[row].ljust(column)[:column] + token + lines[row][column + 1 :]
            column += 1
    return [line.rstrip() for line in lines if line.strip()]


@pytest.mark.parametrize("columns", [0, 100])
def test_a_terminal_shows_bars_with_rate_and_estimate_and_nothing_remains(columns):
    arguments = ("compare", DEMO / "qrels.txt", *sorted(DEMO.glob("*.run")), "-B", "30000", "-m", "I-rec@5", "AP@10")
    output, written = run_in_terminal(*arguments, setup=SOON, columns=columns)
    assert re.search(r"measures: +\d+%\|.*\| \d/2 \[\d\d:\d\d<[\d:?]+, +[\d.?]+(s/measure|measure/s)", written)
    assert re.search(r"samples: ", written)
    assert len(output.splitlines()) == 1 + 2 * PAIRS
    assert "\r" not in output
    assert [line for line in visible(written) if not line.startswith("irdiv: note: ")] == []
    piped = subprocess.run(
        [sys.executable, "-m", "irdiv", *map(str, arguments)], capture_output=True, text=True, check=True
    )
    assert output == piped.stdout
    assert "\r" not in piped.stderr


def test_bars_of_several_threads_are_removed_together(monkeypatch):
    terminals = [progress._Terminal() for _ in range(3)]
    monkeypatch.setattr(progress, "_terminals", list(terminals))
    progress.remove_bars()
    assert all(terminal._ended.is_set() for terminal in terminals)
    assert progress._terminals == []


def test_short_work_and_dumb_terminals_show_no_bars():
    late = SOON.replace("= 0,", "= 60,")
    for setup, environment in ((late, {}), (SOON, {"TERM": "dumb"})):
        _, written = run_in_terminal("ideals", DEMO / "qrels.txt", "-k", 3, setup=setup, **environment)
        assert written == ""


def test_messages_are_above_bars(monkeypatch):
    screen, terminal = open_terminal()
    with os.fdopen(terminal, "w") as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(progress, "_DELAY", 0)
        monkeypatch.setattr(progress, "_INTERVAL", 0.01)
        with show_progress(), progress_counter(5, "item") as advance:
            advance(1)
            shown = b""
            while b"1/5" not in shown:
                shown += os.read(screen, 1 << 16)
            with hidden_bars():
                print("irdiv: note: a message", file=stderr, flush=True)
            advance(1)
            while b"2/5" not in shown:
                shown += os.read(screen, 1 << 16)
        shown += os.read(screen, 1 << 16)
    os.close(screen)
    assert visible(shown.decode()) == ["irdiv: note: a message"]
