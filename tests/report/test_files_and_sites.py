"""Files of pages, sites of several collections, and the command `irdiv report`."""

from __future__ import annotations

import sys
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import irdiv
from helpers import data_of_page
from irdiv import IrdivError
from irdiv.demo import demo_qrels_and_runs, write_demo
from irdiv.report import render, write_report, write_site
from irdiv_cli import main
from report.html_pages import Elements, board_of

MEASURES = ["D#-nDCG@10", "E@20"]
"""Of the last, less is better."""


@pytest.fixture(scope="module")
def collections():
    qrels, runs = demo_qrels_and_runs()
    early = qrels["query_id"].astype(int) <= 6
    others = {name: run for name, run in runs.items() if name != "spammy"} | {"<late>": runs["spammy"]}
    return {
        "early": irdiv.evaluate(qrels[early], runs, MEASURES),
        "late & new": irdiv.evaluate(qrels[~early], others, MEASURES),
    }


@pytest.fixture(scope="module")
def evaluation(collections):
    return collections["early"]


class TestFiles:
    def test_only_pages_of_irdiv_are_overwritten(self, tmp_path, evaluation):
        path = tmp_path / "page.html"
        path.write_text("<html>mine</html>", encoding="utf-8")
        with pytest.raises(IrdivError, match="'.*page.html'.*not a page of irdiv"):
            write_report(evaluation, path)
        assert path.read_text(encoding="utf-8") == "<html>mine</html>"
        assert write_report(evaluation, path, force=True) == path
        write_report(evaluation, path, title="Again")
        assert "<h1>Again</h1>" in path.read_text(encoding="utf-8")
        (tmp_path / "empty.html").touch()
        write_report(evaluation, tmp_path / "empty.html")

    def test_files_that_cannot_be_written_are_refused_before_the_evaluation(self, tmp_path, monkeypatch, evaluation):
        monkeypatch.chdir(tmp_path)
        for path, message in [
            ("-", "not written to standard output"),
            (".", "'.' is a folder"),
            ("none/page.html", "there is no folder 'none'"),
        ]:
            with pytest.raises(IrdivError, match=message):
                write_report({}, {}, path)
        with pytest.raises(IrdivError, match=r"write_report\(evaluation, path\)"):
            write_report(evaluation)
        monkeypatch.setattr("os.access", lambda *_: False)
        for write, source in ((write_report, evaluation), (write_site, {"demo": evaluation})):
            with pytest.raises(IrdivError, match="cannot be written to"):
                write(source, "new")
        assert list(tmp_path.iterdir()) == []


class TestSites:
    def test_files_links_and_means(self, tmp_path, collections):
        folder = tmp_path / "new" / "site"
        generator = np.random.default_rng(7)
        index = write_site(collections, folder, title="Two", baseline="relevance", rng=generator)
        assert index == folder / "index.html"
        pages = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
        assert sorted(pages) == ["early.html", "index.html", "late-new.html"]
        for name, page in pages.items():
            links = {attributes["href"].partition("#")[0] for tag, attributes in Elements(page).found if tag == "a"}
            assert links - {""} == ({"early.html", "late-new.html"} if name == "index.html" else {"index.html"})
        # each page is that of its collection alone
        for evaluation, file in zip(collections.values(), ("early.html", "late-new.html"), strict=True):
            alone = render(evaluation, baseline="relevance", rng=np.random.default_rng(7))
            assert data_of_page(pages[file]) == data_of_page(alone)
            assert board_of(pages[file]) == board_of(alone)
        board = board_of(pages["index.html"])
        assert list(board) == ["diversified", "relevance", "one-intent", "<late>", "spammy"]
        for run, (*cells, of_means) in board.items():
            means = []
            for cell, (name, evaluation) in zip(cells, collections.items(), strict=True):
                of_collection = evaluation.summary()[MEASURES[0]]
                means.append(of_collection.get(run, np.nan))
                assert cell["data-value"] == pytest.approx(means[-1], abs=1e-15, nan_ok=True), (run, name)
                assert (cell.get("class") == "best") == (run == of_collection.idxmax()), (run, name)
            assert of_means["data-value"] == pytest.approx(np.mean(means), nan_ok=True), run
        text = unescape(pages["index.html"])
        assert "2 of 5 runs are not in all collections" in text
        for evaluation in collections.values():
            assert f"<dd>{evaluation.summary()['E@20'].idxmin()}</dd>" in text

    def test_a_baseline_that_a_collection_lacks(self, tmp_path, collections):
        write_site(collections, tmp_path, baseline="spammy")
        with_it, without = ((tmp_path / file).read_text(encoding="utf-8") for file in ("early.html", "late-new.html"))
        assert "baseline spammy is not a run of this collection" in without
        assert data_of_page(without)["baseline"] is None
        assert data_of_page(with_it)["baseline"] is not None
        with pytest.raises(IrdivError, match="no run is called 'none' in any collection"):
            write_site(collections, tmp_path, baseline="none")

    def test_names_of_files(self, tmp_path, evaluation):
        names = ["Web 2009", "../etc/passwd", "日本"]
        site = {name: replace(evaluation, values=evaluation.values / n) for n, name in enumerate(names, 1)}
        write_site(site, tmp_path / "site")
        files = sorted(path.name for path in (tmp_path / "site").iterdir())
        assert files == ["Web-2009.html", "etc-passwd.html", "index.html", "日本.html"]
        for names, message in [
            (["a b", "A-B"], "'A-B'.*'a b'.*same file"),
            (["Index"], "'Index' and the index.*same file"),
            (["//"], "'//'.*letters or digits"),
        ]:
            with pytest.raises(IrdivError, match=message):
                write_site(dict.fromkeys(names, evaluation), tmp_path / "none")
        assert not (tmp_path / "none").exists()

    def test_a_folder_with_other_files(self, tmp_path, evaluation):
        one = {"early": evaluation}
        write_site(one, tmp_path)
        write_site(one, tmp_path)  # over pages of irdiv
        (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
        with pytest.raises(IrdivError, match="not pages of irdiv: 'notes.txt'"):
            write_site(one, tmp_path)
        write_site(one, tmp_path, force=True)
        assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "mine"
        with pytest.raises(IrdivError, match="is a file; expected a folder"):
            write_site(one, tmp_path / "notes.txt")

    def test_collections_that_cannot_be_compared(self, tmp_path, evaluation):
        other = irdiv.evaluate(*demo_qrels_and_runs(), "AP")
        for wrong, message in [
            (evaluation, "expected a mapping from the name"),
            ({"a": 1}, "expected a mapping from the name"),
            ({}, "no collections given"),
            ({"one": evaluation, "other": other}, "different measures"),
        ]:
            with pytest.raises(IrdivError, match=message):
                write_site(wrong, tmp_path / "site")
        assert not (tmp_path / "site").exists()


class TestCommand:
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path, monkeypatch) -> Path:
        write_demo(tmp_path / "data")
        monkeypatch.chdir(tmp_path)
        return tmp_path

    def test_a_page(self, folder, monkeypatch, capsys):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
        words = ["report", "data/qrels.txt", str(folder / "data" / "relevance.run"), "data/spammy.run"]
        words += ["data/diversified.run", "-k5"]
        words += ["--intent-table", "data/intents.csv", "--topic-texts=data/topics.tsv", "--baseline", "relevance"]
        words += ["--test", "randomization", "--level", "0.1", "-B", "300", "--seed", "5", "-m", "D#-nDCG@10"]
        assert main(words) == 0
        assert capsys.readouterr().out == "report.html\n"
        page = unescape(Path("report.html").read_text(encoding="utf-8"))
        assert data_of_page(page)["topics"][0]["text"] == "jaguar"
        assert data_of_page(page)["cutoff"] == 5
        # the command, without folders of this machine, and parameters of measures that have their default
        stated = ["irdiv report data/qrels.txt '…/relevance.run' data/spammy.run data/", "D#-nDCG(", "1970-01-01T00:00"]
        stated += ["data/intents.csv", "data/topics.tsv", "randomization test with 300 resamples and seed 5", "p < 0.1"]
        assert [words for words in stated if words not in page] == []
        assert str(folder) not in page
        words += ["--correction", "none", f"-o{folder / 'other.html'}", "--title", r"C:\data\Mine", "-m", "nDCG@5"]
        assert main(words) == 0
        other = unescape(Path("other.html").read_text(encoding="utf-8"))
        assert r"<h1>C:\data\Mine</h1>" in other
        assert "'-o…/other.html' --title '…/Mine'" in other
        assert "not corrected for the" in other

    def test_standard_input_has_no_path(self, monkeypatch):
        with open("data/relevance.run", encoding="utf-8") as file:
            monkeypatch.setattr(sys, "stdin", file)
            assert main(["report", "data/qrels.txt", "-", "-m", "nDCG@10", "-o./page.html"]) == 0
        page = Path("page.html").read_text(encoding="utf-8")
        assert "standard input" in page
        assert "tmp" not in page

    def test_a_site(self, capsys):
        lines = Path("data/topics.tsv").read_text(encoding="utf-8").splitlines()
        Path("other.tsv").write_text("".join(f"{line} again\n" for line in lines), encoding="utf-8")
        one = ["--collection", "one", "data/qrels.txt", "data/relevance.run", "data/spammy.run"]
        two = ["--collection", "two", "data/qrels.txt", "data/relevance.run", "data/diversified.run"]
        texts = ["--topic-texts", "one=data/topics.tsv", "--topic-texts", f"two={Path('other.tsv').absolute()}"]
        assert main(["report", "--site", "pages", *one, *two, *texts, "-m", "nDCG@10", "ndcg5=nDCG@5"]) == 0
        assert capsys.readouterr().out == f"{Path('pages/index.html')}\n"
        pages = {name: Path(f"pages/{name}.html").read_text(encoding="utf-8") for name in ("one", "two")}
        texts = {name: data_of_page(page)["topics"][0]["text"] for name, page in pages.items()}
        assert texts == {"one": "jaguar", "two": "jaguar again"}
        assert [measure["name"] for measure in data_of_page(pages["two"])["measures"]] == ["nDCG@10", "ndcg5"]
        assert [">…/other.tsv<" in page for page in pages.values()] == [False, True]
        assert "two=…/other.tsv" in Path("pages/index.html").read_text(encoding="utf-8")
        assert main(["report", "--site", "alone", "data/qrels.txt", "data/relevance.run"]) == 0
        assert sorted(path.name for path in Path("alone").iterdir()) == ["index.html", "qrels.html"]

    def test_the_demo_needs_jinja_only_for_its_page(self, monkeypatch, capsys):
        assert main(["demo"]) == 0
        assert data_of_page(Path("irdiv-demo.html").read_text(encoding="utf-8"))["baseline"] is not None
        monkeypatch.setitem(sys.modules, "jinja2", None)
        with pytest.raises(IrdivError, match=r"pip install 'irdiv\[report\]'"):
            render(*demo_qrels_and_runs())
        capsys.readouterr()
        assert main(["demo"]) == 0
        assert "No report: reports need jinja2" in capsys.readouterr().out
        assert main(["demo", "--report", "page.html"]) == 2
        assert "reports need jinja2" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["--site", "x", "-o", "y.html"], "give one of them"),
            (["-o", "data/qrels.txt"], "is not a page of irdiv"),
            (["--site", "data"], "not pages of irdiv"),
            (["--baseline", "x"], "no run is called 'x'"),
            (["--topic-texts", "bad.txt"], "line 1: expected a topic"),
            (["--topic-texts", "bad.txt", "--topic-texts", "bad.txt"], "--topic-texts is given twice"),
        ],
    )
    def test_errors(self, words, message, capsys):
        Path("bad.txt").write_text("no text\n", encoding="utf-8")
        assert main(["report", "data/qrels.txt", "data/spammy.run", *words]) == 2
        assert message in capsys.readouterr().err
        assert not Path("report.html").exists()

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["data/qrels.txt"], "expected qrels and one or more runs"),
            (["--collection", "a", "q", "r", "--collection", "b", "q", "r"], "one collection, found 2; --site"),
        ],
    )
    def test_inputs_of_no_page(self, words, message, capsys):
        assert main(["report", *words]) == 2
        assert message in capsys.readouterr().err
