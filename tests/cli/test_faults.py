"""Ctrl-C, broken pipes, full disks, damaged files and odd paths: one line, an exit code, nothing half-written."""

from __future__ import annotations

import gzip
import io
import resource
import shutil
import signal
import stat
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

import irdiv
from cli_helpers import DEMO, FILES, PROGRAM, call, error, out
from irdiv.demo import demo_qrels_and_runs
from irdiv_cli import main

QRELS, RUN, OTHER = FILES


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    """An empty folder, which is the working directory."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


@pytest.fixture(scope="module")
def evaluation() -> irdiv.Evaluation:
    return irdiv.evaluate(*demo_qrels_and_runs(), ["I-rec@10", "D-nDCG@10"])


# Signals and streams


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "line"), [(signal.SIGINT, "irdiv: interrupted\n"), (signal.SIGTERM, "irdiv: terminated\n")], ids=str
)
def test_a_signal_ends_in_one_line(folder, number, line):
    # A shell makes processes in the background ignore Ctrl-C.
    with subprocess.Popen(
        [*PROGRAM, "report", QRELS, "-", "-o", "page.html"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        # More than a pipe holds: the command has started to read when this returns.
        process.stdin.write("1 Q0 a 1 1 x\n" * 20_000)
        process.stdin.flush()
        process.send_signal(number)
        assert process.communicate(timeout=20) == ("", line)
    assert process.returncode == 128 + number
    assert list(folder.iterdir()) == []


def test_main_as_a_function_restores_signal_handlers(monkeypatch, capsys):
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr("irdiv.evaluate", lambda *_, **__: signal.raise_signal(signal.SIGINT))
    assert call(capsys, "eval", *FILES) == (130, "", "irdiv: interrupted\n")
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [["measures"], ["eval", *FILES, "--per-query"], ["--help"]], ids=lambda words: words[0]
)
def test_a_closed_pipe_is_silent(words):
    with subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        lines = process.stderr.read().splitlines()
    assert process.returncode == 0
    assert [line for line in lines if not line.startswith("irdiv: note: ")] == []


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_standard_output_that_is_full():
    with open("/dev/full", "w") as full:
        done = subprocess.run([*PROGRAM, "measures"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("irdiv: error: ")
    assert done.stderr.endswith("No space left on device\n")
    assert done.stderr.count("\n") == 1


# Files that are written


@contextmanager
def largest_file(size: int, monkeypatch):
    """Let no file grow beyond a size, as if the disk were full."""
    # Python would cut off compiled modules, too, and import them later.
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


WRITERS = {
    "to_csv": lambda evaluation, path: evaluation.to_csv(path),
    "to_parquet": lambda evaluation, path: evaluation.to_parquet(path),
    "report": lambda evaluation, path: irdiv.report.write_report(evaluation, path, force=True),
    "plot": lambda evaluation, path: main_or_raise("plot", "box_plots", *FILES, "-o", path),
    "ndeval": lambda evaluation, path: irdiv.datasets.write_ndeval(demo_qrels_and_runs()[0], path),
    "ntcir": lambda evaluation, path: irdiv.datasets.write_ntcir(demo_qrels_and_runs()[0], path, "iprob.txt"),
}


def main_or_raise(*words: str) -> None:
    if main(list(map(str, words))) != 0:
        raise OSError("File too large")


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_what_was_there(folder, evaluation, monkeypatch, name):
    target = folder / "target.png"
    target.write_text("before")
    WRITERS[name](evaluation, folder / "other.png")  # what is imported or cached on first use is written now
    files = sorted(path.name for path in folder.iterdir())
    with largest_file(1000, monkeypatch), pytest.raises(OSError, match="File too large"):
        WRITERS[name](evaluation, target)
    assert sorted(path.name for path in folder.iterdir()) == files
    assert target.read_text() == "before"


def test_links_and_modes_of_files_are_kept(folder, evaluation):
    (folder / "usual").write_text("")
    (folder / "values.csv").write_text("before")
    (folder / "values.csv").chmod(0o640)
    (folder / "link.csv").symlink_to("values.csv")
    evaluation.to_csv("link.csv")
    evaluation.to_csv("new.csv")
    assert (folder / "link.csv").is_symlink()
    assert (folder / "values.csv").read_text() == (folder / "new.csv").read_text()
    modes = {name: stat.S_IMODE((folder / name).stat().st_mode) for name in ("values.csv", "new.csv", "usual")}
    assert modes == {"values.csv": 0o640, "new.csv": modes["usual"], "usual": modes["usual"]}
    evaluation.to_csv("/dev/null")


@pytest.mark.parametrize("name", [f"x.{'y' * 240}.csv", f"{'x' * 251}.csv", "ä" * 120, "x."], ids=ascii)
def test_every_name_that_the_system_allows_can_be_written(folder, evaluation, name):
    evaluation.to_csv(name)
    assert [path.name for path in folder.iterdir()] == [name]


@pytest.mark.parametrize("path", ["a\0.html", "a\udc80\ud800.html"], ids=ascii)
def test_paths_that_no_file_can_have(evaluation, path):
    with pytest.raises(irdiv.IrdivError, match="no such run file"):
        irdiv.evaluate(QRELS, path, "nDCG@10")
    for write in ("to_csv", "to_parquet", "report"):
        with pytest.raises(irdiv.IrdivError, match="no file can have the path"):
            WRITERS[write](evaluation, path)
    with pytest.raises(FileNotFoundError, match="missing/values.csv"):
        evaluation.to_csv("missing/values.csv")


def test_names_that_are_not_utf_8(folder, evaluation, monkeypatch):
    shutil.copy(QRELS, "q\udcff.txt")
    shutil.copy(RUN, "r\udcff.run")
    printed = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(printed, encoding="utf-8"))
    assert main(["report", "q\udcff.txt", "r\udcff.run", OTHER, "-o", "p\udcff.html", "--title", "t\udcff"]) == 0
    assert printed.getvalue() == b"p\xff.html\n"
    page = Path("p\udcff.html").read_text(encoding="utf-8")
    assert [name for name in ("<title>t\ufffd", "q\ufffd.txt", "r\ufffd.run", "p\ufffd.html") if name not in page] == []
    index = irdiv.report.write_site({"c\udcff": evaluation}, "site", title="t\udcff")
    assert "c\ufffd" in index.read_text(encoding="utf-8")


def test_names_of_measures_that_are_not_valid_unicode(capsys, folder):
    assert "'\\udcff' is not valid Unicode" in error(capsys, "eval", QRELS, RUN, "-m", "\udcff=nDCG@10")
    with pytest.raises(irdiv.IrdivError, match="not valid Unicode"):
        irdiv.evaluate({"1": {"d": 1}}, {"1": {"d": 1.0}}, {"a\ud800": "nDCG@10"})


# Files that would be lost


@pytest.mark.parametrize("words", [["plot", "box_plots", "-o"], ["correlate", "--plot"]], ids=["plot", "correlate"])
def test_a_file_that_is_read_is_not_overwritten(capsys, folder, words):
    Path("runs").mkdir()
    shutil.copy(QRELS, "q.svg")
    shutil.copy(RUN, "runs/a.svg")
    shutil.copy(OTHER, "runs/b.svg")
    Path("link.svg").symlink_to("runs/a.svg")
    for runs, path in (("runs", folder / "q.svg"), ("runs", "runs/a.svg"), ("runs/*.svg", "link.svg")):
        assert "is read by this command" in error(capsys, *words, path, "q.svg", runs)
    assert Path("q.svg").read_bytes() == Path(QRELS).read_bytes()
    assert Path("runs/a.svg").read_bytes() == Path(RUN).read_bytes()


def test_figures_without_a_full_name_overwrite_only_figures(capsys):
    for path in ("box_plots.png", "figure.png"):
        Path(path).write_text("mine")
    assert "'box_plots.png' exists" in error(capsys, "plot", "box_plots", *FILES)
    assert "'figure.png' exists" in error(capsys, "plot", "box_plots", *FILES, "-o", "figure")
    assert "'figure.png' exists" in error(capsys, "correlate", *FILES, "--plot", "figure")
    assert Path("figure.png").read_text() == Path("box_plots.png").read_text() == "mine"
    for words in (["-o", "figure.png"], ["-o", "figure"]):
        assert out(capsys, "plot", "box_plots", *FILES, *words) == "figure.png\n"
    assert Path("figure.png").read_bytes().startswith(b"\x89PNG")


def test_the_demo_overwrites_only_its_own_files(capsys, folder):
    for name in ("qrels.txt", "irdiv-demo.html"):
        (folder / name).write_text("mine")
    assert "not those of the demo: 'qrels.txt'" in error(capsys, "demo", "--data", ".")
    assert "No report: 'irdiv-demo.html' exists" in out(capsys, "demo")
    assert call(capsys, "demo", "--report", "irdiv-demo.html").code == 2
    assert sorted((path.name, path.read_text()) for path in folder.iterdir()) == [
        ("irdiv-demo.html", "mine"),
        ("qrels.txt", "mine"),
    ]
    for options in (["--force"], []):
        out(capsys, "demo", "--data", ".", *options)
    assert (folder / "qrels.txt").read_bytes() == (DEMO / "qrels.txt").read_bytes()
    out(capsys, "demo", "--force")
    assert (folder / "irdiv-demo.html").read_text() != "mine"


# Files that are read


GARBAGE = bytes(range(256)) * 40
DAMAGED = {
    "empty": b"",
    "empty.parquet": b"",
    "blank": b"\n\n  \n",
    "garbage": GARBAGE[128:],
    "garbage.parquet": GARBAGE,
    "garbage.gz": b"\x1f\x8b" + GARBAGE,
    "zeros": bytes(10_000),
    "cut.gz": gzip.compress((DEMO / "spammy.run").read_bytes())[:300],
    "cut.parquet": b"PAR1" + GARBAGE,
    "folder": None,
    "missing": None,
    "missing.parquet": None,
}


@pytest.mark.parametrize("name", DAMAGED)
def test_an_error_names_the_damaged_file(capsys, folder, name):
    if DAMAGED[name] is not None:
        (folder / name).write_bytes(DAMAGED[name])
    elif name == "folder":
        (folder / name).mkdir()
    for command in (
        ["eval", name, RUN, "-m", "I-rec@10"],
        ["eval", QRELS, name, "-m", "I-rec@10"],
        ["eval", *FILES, "-m", "I-rec@10", "--intent-table", name],
        ["coverage", name, RUN],
        ["coverage", QRELS, name],
        ["report", *FILES, "-o", "page.html", "--topic-texts", name],
    ):
        assert name in error(capsys, *command), command
    assert not (folder / "page.html").exists()
