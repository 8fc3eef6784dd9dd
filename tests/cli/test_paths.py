"""Files to read and write under names that are not UTF-8, too long, or of no file at all."""

from __future__ import annotations

import io
import shutil
from argparse import Namespace
from pathlib import Path

import pytest

import irdiv
from cli_helpers import FILES, error, out
from irdiv import IrdivError
from irdiv.errors import replace_surrogates
from irdiv.files import write_atomically
from irdiv.frames.runs import run_name
from irdiv_cli import main
from irdiv_cli.figures import figure_path

pytestmark = pytest.mark.slow

QRELS, RUN, OTHER = FILES
IMPOSSIBLE = ["a\0.html", "a\udc80\ud800.html"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, which is the working one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def evaluation() -> irdiv.Evaluation:
    return irdiv.evaluate(QRELS, {"a": RUN, "b": OTHER}, "nDCG@10")


def test_half_characters_are_replaced():
    assert replace_surrogates("") == ""
    assert replace_surrogates("ä\U0001f600") == "ä\U0001f600"
    assert replace_surrogates("\udcff") == "\ufffd"
    assert replace_surrogates("\udcc3\udca4") == "ä"  # the bytes of an ä where the system's encoding is ASCII
    assert replace_surrogates("a\udc80\ud800\udfffb") == "a\ufffd\ufffd\ufffdb"
    assert run_name("\ud800.run") == "\ufffd"


class TestNamesThatAreNotUtf8:
    def test_of_all_files_of_a_report(self, folder, monkeypatch):
        shutil.copy(QRELS, "q\udcff.txt")
        shutil.copy(RUN, "r\udcff.run")
        printed = io.BytesIO()
        monkeypatch.setattr("sys.stdout", io.TextIOWrapper(printed, encoding="utf-8"))
        options = ["-o", "p\udcff.html", "--title", "t\udcff"]
        assert main(["report", "q\udcff.txt", "r\udcff.run", OTHER, *options]) == 0
        assert printed.getvalue() == b"p\xff.html\n"
        page = Path("p\udcff.html").read_text(encoding="utf-8")
        assert "<title>t\ufffd" in page
        for name in ("q\ufffd.txt", "r\ufffd.run", "p\ufffd.html"):
            assert name in page

    def test_of_a_site(self, folder, evaluation):
        index = irdiv.report.write_site({"c\udcff": evaluation}, "site", title="t\udcff")
        assert "c\ufffd" in index.read_text(encoding="utf-8")
        assert "t\ufffd: c\ufffd" in Path("site", "c.html").read_text(encoding="utf-8")

    @pytest.mark.parametrize("command", ["eval", "report"])
    def test_of_measures(self, command, folder, capsys):
        message = error(capsys, command, QRELS, RUN, "-m", "\udcff=nDCG@10")
        assert "'\\udcff' is not valid Unicode" in message
        assert list(folder.iterdir()) == []

    def test_of_measures_of_frames(self):
        with pytest.raises(IrdivError, match="is not valid Unicode"):
            irdiv.evaluate({"1": {"d": 1}}, {"1": {"d": 1.0}}, {"a\ud800": "nDCG@10"})


@pytest.mark.parametrize("path", IMPOSSIBLE, ids=ascii)
class TestPathsOfNoFile:
    def test_runs(self, path):
        with pytest.raises(IrdivError, match="no such run file"):
            irdiv.evaluate(QRELS, path, "nDCG@10")

    def test_outputs(self, path, evaluation):
        writers = (
            lambda: irdiv.report.write_report(evaluation, path),
            lambda: irdiv.report.write_site({"c": evaluation}, path),
            lambda: evaluation.to_csv(path),
            lambda: evaluation.to_parquet(path),
            lambda: irdiv.Collection(QRELS).save(path),
        )
        for write in writers:
            with pytest.raises(IrdivError, match="no file can have the path"):
                write()


class TestFigures:
    def test_the_path_that_is_written_is_printed(self, folder, capsys):
        for _ in range(2):
            assert out(capsys, "plot", "box_plots", *FILES, "-o", "figure") == "figure.png\n"
        assert [path.name for path in folder.iterdir()] == ["figure.png"]
        assert out(capsys, "plot", "box_plots", *FILES, "-o", "figure.v2.svg") == "figure.v2.svg\n"

    @pytest.mark.parametrize("option", ["-o", "--plot"])
    def test_a_file_of_something_else_is_overwritten_only_by_its_full_name(self, option, folder, capsys):
        Path("figure.png").write_text("mine")
        command = ["plot", "box_plots"] if option == "-o" else ["compare", "-B", "100", "-m", "nDCG@10"]
        message = error(capsys, *command, *FILES, option, "figure")
        assert f"'figure.png' exists and is not a figure of irdiv; name the file to write by {option}" in message
        assert Path("figure.png").read_text() == "mine"
        out(capsys, *command, *FILES, option, "figure.png")
        assert Path("figure.png").read_bytes().startswith(b"\x89PNG")

    @pytest.mark.parametrize("path", ["..", "/dev/null", "-", "folder.png"])
    def test_folders_and_devices_are_refused(self, path, folder, capsys):
        Path("folder.png").mkdir()
        assert "expected the file of a figure" in error(capsys, "plot", "box_plots", *FILES, "-o", path)
        assert [found.name for found in folder.iterdir()] == ["folder.png"]

    @pytest.mark.parametrize(
        ("command", "option"),
        [("plot box_plots", "-o"), ("compare", "--plot"), ("correlate", "--plot"), ("discpower", "--plot")],
    )
    def test_a_file_that_is_read_is_kept(self, command, option, folder, capsys):
        shutil.copy(QRELS, "q.svg")
        message = error(capsys, *command.split(), "q.svg", RUN, OTHER, option, str(folder / "q.svg"))
        assert "q.svg' is read by this command" in message
        assert Path("q.svg").read_bytes() == Path(QRELS).read_bytes()
        assert [path.name for path in folder.iterdir()] == ["q.svg"]

    @pytest.mark.parametrize("given", ["runs", "runs/*.svg", "runs/a.svg"])
    def test_runs_of_patterns_and_folders_are_read(self, given, folder, capsys):
        Path("runs").mkdir()
        shutil.copy(RUN, "runs/a.svg")
        Path("runs/b.svg").symlink_to("missing")
        Path("link.svg").symlink_to("runs/a.svg")
        for path in ("runs/a.svg", "link.svg"):
            assert "is read by this command" in error(capsys, "plot", "box_plots", QRELS, given, "-o", path)

    def test_other_files_may_be_written(self, folder):
        Path("a.svg").write_text("")
        arguments = Namespace(qrels=QRELS, runs=[RUN, "-", "*.pdf", "missing"])
        assert figure_path("a.svg", arguments) == "a.svg"
        assert figure_path("b.", arguments) == "b.png"


class TestLongNames:
    @pytest.mark.parametrize(
        ("name", "ending"),
        [
            ("x." + "y" * 240 + ".svg", ".svg"),
            ("x." + "y" * 253, ""),
            ("x" * 251 + ".csv", ".csv"),
            ("x.v1.csv.gz", ".csv.gz"),
            ("." + ".ä" * 80, ".ä.ä"),
            ("x.", ""),
        ],
    )
    def test_all_that_the_system_allows_can_be_written(self, name, ending, tmp_path):
        with write_atomically(tmp_path / name) as file:
            file.write_text("after")
            assert file.name.endswith(ending)
            assert len(file.name.encode()) < 100
        assert [path.name for path in tmp_path.iterdir()] == [name]

    def test_a_figure(self, folder, capsys):
        name = f"x.{'y' * 240}.svg"
        assert out(capsys, "plot", "box_plots", *FILES, "-o", name) == f"{name}\n"
        assert "<svg" in Path(name).read_text(encoding="utf-8")
