"""The report: what it says, and that names are only text."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser

import pandas as pd
import pyarrow as pa
import pytest

import irdiv
from irdiv import IrdivError
from irdiv.demo import demo_collection, demo_qrels_and_runs
from irdiv.report import descriptions_by_intent, render, write_report
from irdiv_cli import main


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    qrels, runs = demo_qrels_and_runs()
    collection = demo_collection()
    texts = dict(zip(collection.topics["query_id"], collection.topics["query"], strict=True))
    path = tmp_path_factory.mktemp("report") / "report.html"
    return write_report(
        qrels,
        runs,
        path,
        topic_texts=texts,
        intent_descriptions=descriptions_by_intent(collection.intents),
        title="A demo",
    )


def test_the_page_needs_nothing_else(page):
    text = page.read_text(encoding="utf-8")
    loaded = [a for tag, a in Tags(text).tags if tag in ("img", "link", "iframe") or (tag == "script" and "src" in a)]
    assert loaded == []
    assert "http://" not in text.replace("http://www.w3.org", "")
    assert "https://" not in text


def test_the_leaderboard_has_the_values_of_evaluate(page):
    text = page.read_text(encoding="utf-8")
    means = irdiv.evaluate(*demo_qrels_and_runs(), "D#-nDCG@10").summary()["D#-nDCG@10"]
    for value in means:
        assert f"{value:.4f}" in text
    assert "jaguar the car: models" in text
    assert "├─ animal" in text


def test_names_are_only_text():
    evil = "<script>alert(1)</script>"
    qrels = pd.DataFrame([(evil, evil, evil, 1)], columns=["query_id", "intent_id", "doc_id", "relevance"])
    text = render(
        qrels,
        {evil: {evil: {evil: 1.0}}},
        topic_texts={evil: evil},
        intent_descriptions={(evil, evil): evil},
        title=evil,
    )
    assert evil not in text
    assert [a for tag, a in Tags(text).tags if tag == "script"] == [{}]


def test_one_run_and_one_topic():
    text = render(demo_qrels_and_runs()[0], demo_qrels_and_runs()[1]["relevance"])
    assert "1 run, 12 topics" in text
    one = demo_qrels_and_runs()[0].query("query_id == '1'")
    assert "1 topic." in render(one, demo_qrels_and_runs()[1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"baseline": "none"}, "no run is called 'none'"), ({"measures": ["nonsense"]}, "no measure is called")],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(IrdivError, match=message):
        render(*demo_qrels_and_runs(), **arguments)
    with pytest.raises(IrdivError, match="needs intents"):
        render({"1": {"d": 1}}, {"1": {"d": 1.0}})


def test_options_of_evaluate_reach_the_page():
    qrels, runs = demo_qrels_and_runs()
    plain = render(qrels, runs)
    assert render(qrels, runs, gain="linear") != plain
    twice = {"twice": pd.concat([runs["relevance"], runs["relevance"]])}
    with pytest.raises(IrdivError, match="duplicates='first'"):
        render(qrels, twice)
    assert "twice" in render(qrels, twice, duplicates="first")


def test_marks_and_order_honor_that_less_is_better():
    text = render(*demo_qrels_and_runs(), measures=["E@20"], baseline="relevance")
    rows = re.findall(
        r"<tr><td>([\w-]+).*?</tr>", text[text.index("<tbody>") : text.index("</tbody>")], flags=re.DOTALL
    )
    assert rows == ["relevance", "diversified", "one-intent", "spammy"]
    assert "▼</span>" in text
    assert "▲</span>" not in text
    more = render(*demo_qrels_and_runs(), measures=["F@20"], baseline="spammy")
    assert "▲</span>" in more
    assert "▼</span>" not in more


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_descriptions_of_intent_tables_of_every_library(library):
    table = demo_collection().intents
    other = pa.Table.from_pandas(table) if library == "pyarrow" else pytest.importorskip("polars").from_pandas(table)
    assert descriptions_by_intent(other) == descriptions_by_intent(table)
    assert descriptions_by_intent(table)["1", "car"] == "jaguar the car"
    assert descriptions_by_intent(table.drop(columns="description")) == {}


@pytest.mark.parametrize("name", [r"$\\frac$", "日本語の名前", "a" * 60])
def test_odd_names_of_runs(name):
    qrels, runs = demo_qrels_and_runs()
    assert name in render(qrels, {name: runs["relevance"], "b$c^$": runs["spammy"]})


def test_without_jinja(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(IrdivError, match=r"pip install 'irdiv\[report\]'"):
        render(*demo_qrels_and_runs())
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    assert "No report: reports need jinja2" in capsys.readouterr().out
    assert main(["demo", "--report", "page.html"]) == 2
    assert "irdiv: error: reports need jinja2" in capsys.readouterr().err


def test_the_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    assert (tmp_path / "irdiv-demo.html").exists()
    assert main(["demo", "--data", "data"]) == 0
    files = [f"data/{system}.run" for system in ("relevance", "diversified")]
    extra = ["--intent-table", "data/intents.csv", "--topic-texts", "data/topics.tsv", "--baseline", "relevance"]
    assert main(["report", "data/qrels.txt", *files, *extra, "-o", "mine.html", "--title", "Mine", "-k", "5"]) == 0
    assert "D#-nDCG@5" in (tmp_path / "mine.html").read_text(encoding="utf-8")
    (tmp_path / "bad.txt").write_text("no text\n")
    capsys.readouterr()
    assert main(["report", "data/qrels.txt", *files, "--topic-texts", "bad.txt"]) == 2
    assert "line 1: expected a topic" in capsys.readouterr().err
