"""Standard streams that are closed, full or not in UTF-8, paths that are empty, a working directory that is gone."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from cli_helpers import DEMO, FILES
from irdiv_cli import main

pytestmark = pytest.mark.slow

pty = pytest.importorskip("pty", reason="needs shells and terminals of Unix")
IRDIV = shlex.join([sys.executable, "-c", "import sys; from irdiv_cli import main; sys.exit(main())"])
SPAMMY = str(DEMO / "spammy.run")
EVAL = shlex.join(["eval", *FILES, SPAMMY, "-m", "nDCG@10"])  # it prints a note
ASCII = {"PYTHONIOENCODING": "ascii"}
C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
full_device = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command of irdiv, with redirections, by a shell."""
    variables = {**os.environ, **environment}
    return subprocess.run(["/bin/sh", "-c", f"{IRDIV} {command}"], capture_output=True, check=False, env=variables)


@pytest.fixture
def named_runs(tmp_path, monkeypatch) -> str:
    """Runs whose names ASCII cannot hold."""
    for name, source in (("ä.run", FILES[1]), ("ö.run", SPAMMY)):
        (tmp_path / name).write_bytes(Path(source).read_bytes())
    monkeypatch.chdir(tmp_path)
    return f"{shlex.quote(FILES[0])} ä.run ö.run -m nDCG@10"


@pytest.mark.parametrize("environment", [ASCII, C_LOCALE, {"PYTHONIOENCODING": "latin-1"}])
def test_data_is_in_utf_8_whatever_the_encoding_of_standard_output(named_runs, environment):
    done = shell(f"eval {named_runs} --csv", **environment)
    assert done.returncode == 0
    assert [line.split(",")[0] for line in done.stdout.decode().splitlines()] == ["run", "ä", "ö"]


@pytest.mark.parametrize("output", ["jsonl", "latex"])
def test_every_format_for_programs_is_in_utf_8(named_runs, output):
    text = shell(f"eval {named_runs} -o {output}", **ASCII).stdout.decode()
    if output == "jsonl":
        assert [json.loads(line)["run"] for line in text.splitlines()] == ["ä", "ö"]
    assert all(name in text for name in "äö")


def test_a_run_of_an_oracle_is_in_utf_8(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text("1 1 ä 1\n1 2 ö 1\n", encoding="utf-8")
    assert {line.split()[2] for line in shell(f"oracle {path}", **ASCII).stdout.decode().splitlines()} == {"ä", "ö"}


def test_data_stays_in_another_unicode_that_is_asked_for(named_runs):
    for encoding in ("utf-8-sig", "utf-16"):
        text = shell(f"eval {named_runs} -o tsv", PYTHONIOENCODING=encoding).stdout.decode(encoding)
        assert [line.split("\t")[0] for line in text.splitlines()] == ["run", "ä", "ö"]


@pytest.mark.parametrize("environment", [{}, C_LOCALE])
def test_paths_are_printed_with_the_bytes_of_the_file_system(tmp_path, monkeypatch, environment):
    monkeypatch.chdir(tmp_path)
    data = shell("demo --data \"$(printf 'ä\\377')\"", **environment).stdout
    assert all(os.path.exists(path) for path in data.splitlines())
    assert data.startswith(os.fsencode("ä") + b"\xff/")


def test_tables_keep_different_names_apart(named_runs):
    done = shell(f"eval {named_runs}", **ASCII)
    assert [line.split()[0] for line in done.stdout.decode("ascii").splitlines()] == ["run", "\\xe4", "\\xf6"]
    assert b"(\\xe4) to" in done.stderr


def test_data_on_a_terminal_that_lacks_characters_has_escapes(named_runs):
    terminal, end = pty.openpty()
    command = f"{IRDIV} eval {named_runs} --csv"
    subprocess.run(command, shell=True, check=True, stdout=end, stderr=subprocess.DEVNULL, env={**os.environ, **ASCII})
    os.close(end)
    text = os.read(terminal, 10_000).decode("ascii")
    os.close(terminal)
    assert [line.split(",")[0] for line in text.splitlines()] == ["run", "\\xe4", "\\xf6"]


@pytest.mark.parametrize("command", ["eval", "plot"])
def test_help_where_standard_output_is_ascii(command):
    done = shell(f"{command} --help", **ASCII)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u2026" in done.stdout  # an ellipsis


@pytest.mark.parametrize("command", ["--help", "--version", "measures", EVAL, f"oracle {FILES[0]}"])
def test_standard_output_that_is_closed(command):
    done = shell(f"{command} >&-")
    assert done.returncode == 0
    assert all(line.startswith(b"irdiv: note: ") for line in done.stderr.splitlines())


def test_messages_go_nowhere_if_standard_error_is_closed():
    assert shell(EVAL).stderr.startswith(b"irdiv: note: ")
    done = shell(f"{EVAL} --csv 2>&-")
    assert (done.returncode, done.stdout[:4]) == (0, b"run,")
    for command, code in (("--help", 0), ("eval --nonsense", 2), (f"eval {FILES[0]} missing.run", 2)):
        done = shell(f"{command} 2>&-")
        assert (done.returncode, done.stdout == b"") == (code, code == 2)


def test_standard_input_that_is_closed():
    done = shell(f"eval - {FILES[1]} <&-")
    assert done.returncode == 2
    assert done.stderr.startswith(b"irdiv: error: '-' is standard input, which is closed;")
    assert shell(f"{EVAL} <&-").returncode == 0


def test_a_report_with_all_streams_closed(tmp_path):
    page = tmp_path / "page.html"
    assert shell(f"report {shlex.join(FILES)} -o {page} <&- >&- 2>&-").returncode == 0
    assert page.read_text(encoding="utf-8").rstrip().endswith("</html>")


def test_what_other_programs_print_goes_into_no_file_if_streams_are_closed(tmp_path):
    script = (
        "import os; from irdiv_cli.streams import open_closed_streams; open_closed_streams()\n"
        f"file = open({str(tmp_path / 'file')!r}, 'w'); assert file.fileno() > 2\n"
        "assert os.system('echo printed; echo printed >&2') == 0  # an error if the shell has no such descriptor"
    )
    command = f"{shlex.join([sys.executable, '-c', script])} <&- >&- 2>&-"
    assert subprocess.run(command, shell=True, check=False).returncode == 0
    assert (tmp_path / "file").read_bytes() == b""


@full_device
def test_messages_that_cannot_be_written_change_neither_data_nor_exit_code():
    assert shell(f"{EVAL} --csv 2>/dev/full").stdout == shell(f"{EVAL} --csv").stdout != b""
    commands = {f"{EVAL} --csv": 0, f"eval {FILES[0]} missing.run": 2, "eval --nonsense": 2}
    assert {command: shell(f"{command} 2>/dev/full").returncode for command in commands} == commands


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["eval", "", FILES[1]], "QRELS"),
        (["eval", FILES[0], FILES[1], ""], "RUN"),
        (["hierarchy", FILES[0], ""], "RUN"),
        (["coverage", "", "bm25.jsonl"], "NUGGETS"),
        (["eval", *FILES, "--intent-table="], "--intent-table"),
        (["compare", *FILES, "--plot", ""], "--plot"),
        (["compare", "--collection", "web", "", FILES[1]], "--collection"),
        (["report", *FILES, "-o", ""], "-o/--file"),
        (["report", *FILES, "--site", ""], "--site"),
        (["demo", "--data", ""], "--data"),
        (["demo", "--report", ""], "--report"),
    ],
)
def test_an_empty_path_is_refused(capsys, tmp_path, monkeypatch, arguments, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert capsys.readouterr().err.startswith(f"irdiv: error: argument {name}: the path is empty;")
    assert not list(tmp_path.iterdir())


def test_a_working_directory_that_is_gone(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    try:
        assert main(["plot", "ranking", *FILES, "-o", "figure.svg"]) == 2
        assert main(["eval", *FILES]) == 0
    finally:
        os.chdir(DEMO)
    assert "irdiv: error: the working directory no longer exists;" in capsys.readouterr().err
