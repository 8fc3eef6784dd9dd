"""Ctrl-C, SIGTERM, SIGKILL, broken pipes, full disks and damaged files: one line, the right exit code, nothing left."""

import gzip
import json
import os
import resource
import shlex
import signal
import stat
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

import irdiv
from irdiv.demo import demo_qrels_and_runs
from irdiv.files import _HOST, TemporaryFile, write_atomically
from irdiv.frames.text import LONGEST_LINE, require_short_lines
from irdiv_cli import main

pytestmark = pytest.mark.slow

DEMO = Path(irdiv.demo.__file__).parent
FILES = [str(DEMO / "qrels.txt"), *map(str, sorted(DEMO.glob("*.run")))]
QRELS, RUNS = demo_qrels_and_runs()
EVALUATION = irdiv.evaluate(QRELS, RUNS, "I-rec@10")
MAIN = "import sys; from irdiv_cli import main; sys.exit(main())"
IRDIV = [sys.executable, "-c", MAIN]

SLOW_WORKER = f"""
import time
from irdiv.frames.sources import RowSource
converted = RowSource.to_table
def to_table(self, chunk, **options):
    if self.role == "run":
        print("ready", flush=True)
        time.sleep(60)
    return converted(self, chunk, **options)
RowSource.to_table = to_table
{MAIN}
"""
LONG_CALL = """
import hashlib, sys
from irdiv_cli.signals import run_until_signal
def command():
    print("ready", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)  # as a solver, it does not return to Python for long
    return 0
sys.exit(run_until_signal(command, is_process=True))
"""
SWALLOWED = """
import time, sys
from irdiv_cli.signals import run_until_signal
class Object:
    def __del__(self):
        print("ready", flush=True)
        time.sleep(60)  # an exception here is only printed
def command():
    Object()
    time.sleep(60)
    return 0
sys.exit(run_until_signal(command, is_process=True))
"""
HALF_WRITTEN = """
import time, sys
from irdiv.files import write_atomically
from irdiv_cli.signals import run_until_signal
def command():
    with write_atomically(sys.argv[1]) as file:
        file.write_text("half")
        print("ready", flush=True)
        time.sleep(60)
    return 0
sys.exit(run_until_signal(command, is_process=True))
"""


def default_signals():
    """Undo what a shell does to processes in the background, which ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def process_when_ready(code, *arguments, folder):
    """Start a process whose temporary folder is given, and wait until it prints "ready"."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder)},
        preexec_fn=default_signals,
    )
    try:
        if code != MAIN:
            assert process.stdout.readline() == "ready\n", process.stderr.read()
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def empty(tmp_path):
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


@pytest.fixture
def parquet(tmp_path):
    QRELS.to_parquet(tmp_path / "qrels.parquet")
    RUNS["spammy"].to_parquet(tmp_path / "run.parquet")
    return tmp_path / "qrels.parquet", tmp_path / "run.parquet"


class TestSignals:
    @pytest.mark.parametrize(
        ("number", "line"), [(signal.SIGINT, "irdiv: interrupted\n"), (signal.SIGTERM, "irdiv: terminated\n")]
    )
    def test_while_threads_read_ahead(self, number, line, parquet, empty):
        with process_when_ready(SLOW_WORKER, "eval", *parquet, folder=empty) as process:
            process.send_signal(number)
            assert process.communicate(timeout=20) == ("", line)
        assert process.returncode == 128 + number
        assert list(empty.iterdir()) == []

    @pytest.mark.parametrize("code", [LONG_CALL, SWALLOWED], ids=["long call", "swallowed"])
    def test_where_no_exception_arrives(self, code, empty):
        with process_when_ready(code, folder=empty) as process:
            process.send_signal(signal.SIGINT)
            assert process.communicate(timeout=20) == ("", "irdiv: interrupted\n")
        assert process.returncode == 130

    def test_half_written_output_is_removed_and_the_file_before_stays(self, tmp_path, empty):
        target = tmp_path / "out" / "report.html"
        target.parent.mkdir()
        target.write_text("before")
        with process_when_ready(HALF_WRITTEN, target, folder=empty) as process:
            process.send_signal(signal.SIGINT)
            assert process.communicate(timeout=20) == ("", "irdiv: interrupted\n")
        assert [path.name for path in target.parent.iterdir()] == ["report.html"]
        assert target.read_text() == "before"

    def test_a_killed_process_leaves_nothing_that_the_next_does_not_remove(self, tmp_path, empty):
        target = tmp_path / "out" / "report.html"
        target.parent.mkdir()
        with process_when_ready(HALF_WRITTEN, target, folder=empty) as process:
            process.kill()
            process.wait()
        assert len(list(target.parent.iterdir())) == 1
        with write_atomically(target) as file:
            file.write_text("whole")
        assert [path.name for path in target.parent.iterdir()] == ["report.html"]

    @pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks up open files in /proc")
    def test_a_killed_process_leaves_no_standard_input(self, empty):
        with process_when_ready(MAIN, "eval", DEMO / "qrels.txt", "-", folder=empty) as process:
            process.stdin.write("1 Q0 a 1 1 x\n" * 200_000)
            process.stdin.flush()
            # The process has read some of it, or the pipe would be full.
            descriptors = list(Path(f"/proc/{process.pid}/fd").iterdir())
            (saved,) = [path for path in descriptors if os.readlink(path).startswith(str(empty))]
            assert stat.S_IMODE(saved.stat().st_mode) == 0o600
            assert list(empty.iterdir()) == []
            process.kill()
            process.wait()
        assert list(empty.iterdir()) == []

    def test_main_as_a_function_returns_and_restores_handlers(self, monkeypatch, capsys):
        before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM), sys.unraisablehook

        def interrupted(*_, **__):
            signal.raise_signal(signal.SIGTERM)

        monkeypatch.setattr("irdiv.evaluate", interrupted)
        assert main(["eval", str(DEMO / "qrels.txt"), str(DEMO / "spammy.run")]) == 143
        assert capsys.readouterr() == ("", "irdiv: terminated\n")
        assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM), sys.unraisablehook) == before

    def test_handlers_of_other_packages_come_back(self, monkeypatch, capsys):
        def theirs(number, frame):
            raise AssertionError

        before = signal.signal(signal.SIGINT, theirs)
        try:
            self.test_main_as_a_function_returns_and_restores_handlers(monkeypatch, capsys)
        finally:
            signal.signal(signal.SIGINT, before)

    def test_ignored_signals_stay_ignored(self, monkeypatch):
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            monkeypatch.setattr("irdiv.evaluate", lambda *_, **__: signal.raise_signal(signal.SIGINT))
            with pytest.raises(AttributeError):  # the evaluation that is None
                main(["eval", str(DEMO / "qrels.txt"), str(DEMO / "spammy.run")])
        finally:
            signal.signal(signal.SIGINT, before)


class TestOutput:
    @pytest.mark.parametrize(
        "arguments", [["eval", *FILES, "--per-query"], ["measures"], ["oracle", FILES[0]], ["--help"]]
    )
    def test_a_closed_pipe_is_silent(self, arguments):
        process = subprocess.Popen([*IRDIV, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.close()
        errors = process.stderr.read().decode()
        process.stderr.close()
        assert process.wait() == 0
        assert [line for line in errors.splitlines() if not line.startswith("irdiv: note: ")] == []

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
    def test_a_full_disk_behind_standard_output_is_one_line(self):
        command = f"{shlex.join([*IRDIV, 'measures'])} > /dev/full"
        done = subprocess.run(command, shell=True, stderr=subprocess.PIPE, text=True)
        assert (done.returncode, done.stderr) == (2, "irdiv: error: [Errno 28] No space left on device\n")


@contextmanager
def largest_file(size, monkeypatch):
    """Let no file grow beyond a size, as if the disk were full."""
    # Python would cut off compiled modules, too, and import them later.
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class TestFullDisk:
    def test_temporary_files(self, parquet, empty, monkeypatch, capfd):
        monkeypatch.setattr("tempfile.tempdir", str(empty))
        with largest_file(1000, monkeypatch):
            code = main(["eval", *map(str, parquet)])
        assert code == 2
        assert capfd.readouterr() == (
            "",
            f"irdiv: error: no space is left for temporary files in {str(empty)!r} (File too large): free some, or set "
            "the environment variable TMPDIR to another folder.\n",
        )
        assert list(empty.iterdir()) == []
        assert main(["eval", *map(str, parquet)]) == 0

    def test_output(self, tmp_path, monkeypatch):
        target = tmp_path / "values.csv"
        target.write_text("before")
        with largest_file(1000, monkeypatch), pytest.raises(OSError, match=r"File too large: '.*values\.csv'$"):
            irdiv.evaluate(QRELS, RUNS, "I-rec@10").to_csv(target)
        assert [path.name for path in tmp_path.iterdir()] == ["values.csv"]
        assert target.read_text() == "before"


class TestWriteAtomically:
    def test_an_error_leaves_what_was_there(self, tmp_path):
        def write_half():
            with write_atomically(tmp_path / "new") as file:
                file.write_text("half")
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            write_half()
        assert list(tmp_path.iterdir()) == []

    def test_suffixes_mode_and_links_are_kept(self, tmp_path):
        (tmp_path / "file.csv.gz").write_text("before")
        (tmp_path / "file.csv.gz").chmod(0o640)
        link = tmp_path / "link.csv"
        link.symlink_to("file.csv.gz")
        with write_atomically(link) as file:
            assert file.name.endswith(".csv.gz")
            file.write_text("after")
        assert link.is_symlink()
        assert (tmp_path / "file.csv.gz").read_text() == "after"
        assert stat.S_IMODE((tmp_path / "file.csv.gz").stat().st_mode) == 0o640

    def test_a_new_file_has_the_usual_mode(self, tmp_path):
        (tmp_path / "usual").write_text("")
        with write_atomically(tmp_path / "new") as file:
            file.write_text("")
        assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode

    def test_devices_are_written_themselves(self):
        with write_atomically(os.devnull) as file:
            assert str(file) == os.devnull

    def test_a_missing_folder_is_named(self, tmp_path):
        writing = write_atomically(tmp_path / "missing" / "report.html")
        with pytest.raises(FileNotFoundError, match="No such file or directory: '.*missing/report.html'"):
            writing.__enter__()

    def test_an_error_without_a_number_keeps_its_reason(self, tmp_path):
        with pytest.raises(OSError, match="cannot encode") as raised, write_atomically(tmp_path / "new.png") as file:
            raise OSError(f"cannot encode {file}")
        assert str(raised.value) == f"cannot encode {tmp_path / 'new.png'}"

    def test_files_of_living_processes_stay(self, tmp_path):
        other = tmp_path / f".irdiv-{_HOST}-{os.getppid()}-0123abcd.html"
        other.write_text("")
        with write_atomically(tmp_path / "new") as file:
            file.write_text("")
        assert other.exists()

    def test_files_of_other_machines_stay(self, tmp_path):
        other = tmp_path / ".irdiv-00000000-999999999-0123abcd.html"
        other.write_text("")
        with write_atomically(tmp_path / "new") as file:
            file.write_text("")
        assert other.exists()

    @pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder in which root cannot make files")
    def test_a_folder_that_cannot_be_written_to_names_the_file(self):
        for write in ("to_csv", "to_parquet"):
            with pytest.raises(OSError, match=r"'/proc/values\.csv'$"):
                getattr(EVALUATION, write)("/proc/values.csv")

    def test_all_outputs_use_it(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        written = []

        @contextmanager
        def recorded(path):
            written.append(Path(path).name)
            with write_atomically(path) as file:
                yield file

        for module in (
            "files",
            "evaluation.results",
            "report.rendering",
            "datasets.export",
            "datasets.heval_writer",
            "demo.writing",
        ):
            monkeypatch.setattr(f"irdiv.{module}.write_atomically", recorded)
        evaluation = irdiv.evaluate(QRELS, RUNS, ["I-rec@10", "D-nDCG@10"])
        evaluation.to_csv("values.csv")
        evaluation.to_parquet("values.parquet")
        assert main(["report", *FILES, "-o", "report.html"]) == 0
        assert main(["compare", *FILES[:3], "-m", "I-rec@10", "--plot", "plot.svg"]) == 0
        irdiv.datasets.write_ntcir(QRELS, "dqrels.txt", "iprob.txt")
        irdiv.demo.write_demo(tmp_path)
        made = sorted(path.name for path in tmp_path.iterdir())
        assert sorted(written) == made


class TestTemporaryFile:
    def test_parts(self):
        with TemporaryFile() as file:
            assert [file.append(part) for part in (b"ab", b"", b"cde")] == [slice(0, 2), slice(2, 2), slice(2, 5)]
            target = bytearray(3)
            file.read_into(2, memoryview(target))
            assert target == b"cde"
            with pytest.raises(EOFError):
                file.read_into(3, memoryview(target))

    def test_parts_where_the_system_cannot_read_at_an_offset(self, monkeypatch):
        monkeypatch.delattr(os, "preadv", raising=False)
        self.test_parts()

    def test_where_open_files_have_no_paths(self, empty, monkeypatch):
        monkeypatch.setattr("tempfile.tempdir", str(empty))
        is_dir = Path.is_dir
        monkeypatch.setattr(Path, "is_dir", lambda path: False if str(path) == "/proc/self/fd" else is_dir(path))
        removed = []
        monkeypatch.setattr("irdiv.files.atexit.register", removed.append)
        (empty / f".irdiv-{_HOST}-999999999-0").write_text("of a process that was killed")
        with TemporaryFile(has_path=True) as file:
            file.append(b"content")
            (path,) = empty.iterdir()
            assert (file.path, path.read_bytes()) == (path, b"content")
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
        removed[0]()
        assert list(empty.iterdir()) == []

    def test_errors_name_standard_input(self):
        done = subprocess.run(
            [*IRDIV, "eval", DEMO / "qrels.txt", "-"], input="1 Q0 a\n", capture_output=True, text=True
        )
        assert done.returncode == 2
        assert done.stderr.startswith("irdiv: error: standard input, line 1: "), done.stderr


def damaged_files(folder):
    """Return files that are none of those that irdiv reads, by what is wrong with them."""
    garbage = bytes(range(256)) * 40
    contents = {
        "empty": b"",
        "empty.parquet": b"",
        "blank": b"\n\n  \n",
        "garbage": garbage[128:],
        "garbage.parquet": garbage,
        "garbage.gz": b"\x1f\x8b" + garbage,
        "zeros": bytes(10_000),
        "cut.gz": gzip.compress((DEMO / "spammy.run").read_bytes())[:300],
        "cut.parquet": b"PAR1" + garbage,
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (folder / "folder").mkdir()
    return [*contents, "folder", "missing", "missing.parquet"]


class TestDamagedFiles:
    def test_each_is_one_line_with_its_name(self, tmp_path, monkeypatch, capfd):
        names = damaged_files(tmp_path)
        monkeypatch.chdir(tmp_path)
        for name in names:
            for command in (
                ["eval", name, FILES[1], "-m", "I-rec@10"],
                ["eval", FILES[0], name, "-m", "I-rec@10"],
                ["eval", *FILES[:2], "-m", "I-rec@10", "--intent-table", name],
                ["coverage", name, FILES[1]],
                ["coverage", FILES[0], name],
                ["report", *FILES, "-o", "page.html", "--topic-texts", name],
            ):
                assert main(command) == 2, command
                out, errors = capfd.readouterr()
                assert out == "", command
                (line,) = [line for line in errors.splitlines() if not line.startswith("irdiv: note: ")]
                assert line.startswith("irdiv: error: "), command
                assert name in line, line
        assert not (tmp_path / "page.html").exists()

    @pytest.mark.parametrize("kept", [0, 100, -100])
    def test_parquet_that_is_cut_while_it_is_read(self, kept, parquet, monkeypatch):
        qrels, run = parquet
        evaluated = irdiv.frames.streams.stream_batches

        def cut(data, *arguments):
            if data == run:
                run.write_bytes(run.read_bytes()[:kept])
            return evaluated(data, *arguments)

        monkeypatch.setattr("irdiv.frames.sources.stream_batches", cut)
        with pytest.raises(irdiv.IrdivError, match=r"cannot read the run from .*run\.parquet"):
            irdiv.evaluate(qrels, run, "I-rec@10")

    def test_a_line_beyond_the_limit(self, tmp_path, capsys):
        file = tmp_path / "long"
        file.write_bytes(b"1 1 d 1\n1 1 " + b"d" * (1 << 20) + b" 1\n")
        for command in (["eval", str(file), FILES[1]], ["eval", FILES[0], str(file)]):
            assert main(command) == 2
            assert "long, line 2: the line has more than 1,048,576 bytes" in capsys.readouterr().err

    def test_json_may_be_one_line_of_any_length(self, tmp_path):
        text = "a" * (2 * LONGEST_LINE)
        (tmp_path / "nuggets.json").write_text(json.dumps([{"qid": "1", "nuggets": [{"text": text}]}]))
        assert irdiv.rag.read_nuggets(tmp_path / "nuggets.json")["description"].tolist() == [text]

    def test_lines_up_to_the_limit(self):
        require_short_lines("file", b"abc\n" * 5 + b"abc", 3)
        with pytest.raises(irdiv.IrdivError, match="line 6: the line has more than 3 bytes"):
            require_short_lines("file", b"abc\n" * 5 + b"abcd", 3)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
class TestPipes:
    @pytest.mark.parametrize("place", [0, 1])
    def test_a_pipe_is_read_on_the_command_line(self, place, tmp_path, capsys):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        files = FILES[:2]
        content = Path(files[place]).read_bytes()
        assert main(["eval", *files, "-m", "I-rec@10", "-o", "csv"]) == 0
        expected = capsys.readouterr().out.split(",")[-1]
        writer = Thread(target=pipe.write_bytes, args=(content,))
        writer.start()
        files[place] = str(pipe)
        assert main(["eval", *files, "-m", "I-rec@10", "-o", "csv"]) == 0
        writer.join()
        assert capsys.readouterr().out.split(",")[-1] == expected

    @pytest.mark.parametrize(
        "read", [irdiv.read_run, irdiv.read_qrels, irdiv.stats.read_values, irdiv.rag.read_nuggets]
    )
    def test_the_library_refuses_what_has_no_end(self, read, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        for path in (tmp_path / "pipe", Path("/dev/zero")):
            with pytest.raises(irdiv.IrdivError, match="which is a pipe or a device"):
                read(path)


class TestOverwriting:
    def test_demo_data(self, tmp_path, capsys):
        (tmp_path / "qrels.txt").write_text("mine")
        assert main(["demo", "--data", str(tmp_path)]) == 2
        assert "not those of the demo: 'qrels.txt'" in capsys.readouterr().err
        assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("qrels.txt", "mine")]
        for options in (["--force"], []):
            assert main(["demo", "--data", str(tmp_path), *options]) == 0
        assert (tmp_path / "qrels.txt").read_bytes() == (DEMO / "qrels.txt").read_bytes()

    def test_demo_report(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "irdiv-demo.html").write_text("mine")
        assert main(["demo"]) == 0
        assert "No report: 'irdiv-demo.html' exists and is not a page of irdiv" in capsys.readouterr().out
        assert main(["demo", "--report", "irdiv-demo.html"]) == 2
        assert (tmp_path / "irdiv-demo.html").read_text() == "mine"
        assert main(["demo", "--force"]) == 0
        assert (tmp_path / "irdiv-demo.html").read_text() != "mine"

    def test_a_plot_without_a_name(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        file = tmp_path / "box_plots.png"
        file.write_text("mine")
        assert main(["plot", "box_plots", *FILES]) == 2
        assert "'box_plots.png' exists and is not a figure of irdiv" in capsys.readouterr().err
        assert file.read_text() == "mine"
        assert main(["plot", "box_plots", *FILES, "-o", "box_plots.png"]) == 0
        assert main(["plot", "box_plots", *FILES]) == 0
