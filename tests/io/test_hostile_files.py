"""Names, ids, texts and files that are made to harm: every output escapes them, and none takes all memory or time."""

from __future__ import annotations

import csv
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

import irdiv
from helpers import data_of_page
from irdiv import IrdivError
from irdiv.datasets.imine_xml import read_imine_hierarchy, read_imine_judgments
from irdiv.datasets.trec_web import read_trec_topics
from irdiv_cli import main

TEXTS = {
    "script": "<script>alert(1)</script>",
    "end of script": "</script><svg/onload=alert(1)>",
    "attribute": "\"onload='alert(1)",
    "comment": "--><!--",
    "CDATA": "]]><![CDATA[",
    "entity": "&lt;b&gt;&#x27;",
    "line separator": "a\u2028b\u2029c",
    "LaTeX": r"\input{x}%&_#$~^\\[1ex]",
    "LaTeX option": "[a]*",
    "Markdown": "a|b`c`<img src=x>[a](javascript:alert(1))**",
    "formula": "=cmd|' /C calc'!A0",
    "plus": "+1",
    "at": "@SUM(1)",
    "tab": "\t=1",
    "new line": "a\nb\r\nc\rd",
    "escape": "\x1b[31mred\x1b]0;title\x07",
    "C1": "\x9b31m",
    "backspace": "a\b\b",
    "null": "a\x00b",
    "direction": "a\u202eb\u2066",
    "mathtext": "$\\frac{",
    "template": "{{ 7 * 7 }}{% raw %}",
}
"""Payloads for HTML, SVG, LaTeX, Markdown, spreadsheets, terminals and templates."""
if sys.version_info < (3, 11):  # whose writer of CSV refuses it
    del TEXTS["null"]

UNSAFE_FOR_TERMINALS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def collection(text):
    """Return qrels and runs with a text in all places: topics, intents, documents, descriptions and names of runs."""
    rows = [(topic, intent, doc, 1) for topic in ("1", text) for intent in ("1", text) for doc in (text, "d")]
    qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    intents = qrels[["query_id", "intent_id"]].drop_duplicates().assign(description=text)
    runs = {text: {"1": {text: 2.0, "d": 1.0}, text: {"x": 2.0, text: 1.0}}, "b": {"1": {"x": 1.0}, text: {"d": 1.0}}}
    return irdiv.with_intents(qrels, intents), runs


def evaluation(text):
    return irdiv.evaluate(*collection(text), {"I-rec@2": "I-rec@2", f"m {text}": "D-nDCG@2"})


class Elements(HTMLParser):
    """The tags and attributes of a page, and its text."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text += data


def assert_same_elements(page: str, harmless: str) -> None:
    found, expected = Elements(page), Elements(harmless)
    assert (found.tags, found.attributes) == (expected.tags, expected.attributes)
    assert page.count("<script") == harmless.count("<script")


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
class TestOutputs:
    def test_html_of_notebooks(self, text):
        page = evaluation(text)._repr_html_()
        assert_same_elements(page, evaluation("a")._repr_html_())
        assert text in Elements(page).text

    def test_latex(self, text):
        for table in (evaluation(text).to_latex(baseline=text), evaluation(text).to_latex(pairs="all")):
            assert len(table.splitlines()) == len(evaluation("a").to_latex(baseline="a").splitlines())
            body = "\n".join(line for line in table.splitlines() if not line.startswith("%"))
            assert r"\input" not in body
            assert UNSAFE_FOR_TERMINALS.findall(body) == []
            assert re.findall(r"(?<!\\)[%#_]", body) == []
            rows = [line for line in body.splitlines() if line.endswith(r"\\")]
            assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {2}

    def test_markdown_and_texts(self, text):
        table = evaluation(text).to_markdown(baseline=text)
        assert len(table.splitlines()) == len(evaluation("a").to_markdown(baseline="a").splitlines())
        rows = [line for line in table.splitlines() if line.startswith("|")]
        assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {4}
        assert re.findall(r"(?<!\\)[<`\[]", "\n".join(rows)) == []
        tree = irdiv.Hierarchy(collection(text)[0]).draw(text)
        for shown in (table, tree, evaluation(text).topic(text).draw()):
            assert UNSAFE_FOR_TERMINALS.findall(shown) == []

    def test_csv_and_parquet_keep_every_value(self, text, tmp_path):
        """They are for programs, which must get the names that went in."""
        evaluation(text).to_csv(tmp_path / "values.csv")
        evaluation(text).to_parquet(tmp_path / "values.parquet")
        with (tmp_path / "values.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for values in (rows, pd.read_parquet(tmp_path / "values.parquet").to_dict("records")):
            assert {(row["run"], row["query_id"]) for row in values} == {
                (a, b) for a in (text, "b") for b in (text, "1")
            }

    @pytest.mark.slow
    def test_pictures_are_xml_without_scripts(self, text, tmp_path):
        harmless = {
            "svg",
            "g",
            "path",
            "rect",
            "text",
            "title",
            "style",
            "defs",
            "use",
            "clipPath",
            "metadata",
            "tspan",
        }
        evaluation(text).plot.ranking(f"m {text}").figure.savefig(tmp_path / "plot.svg")
        elements = list(ET.fromstring((tmp_path / "plot.svg").read_text(encoding="utf-8")).iter())
        assert [name for element in elements for name in element.attrib if name.startswith("on")] == []
        assert {e.tag.split("}")[-1] for e in elements if "w3.org/2000/svg" in e.tag} - harmless == set()

    @pytest.mark.slow
    def test_the_report(self, text):
        page, harmless = (
            irdiv.report.render(*collection(name), title=name, topic_texts={name: name}, baseline=name)
            for name in (text, "a")
        )
        # What the page shows by its script is compressed data, which no text can end.
        assert {topic["text"] for topic in data_of_page(page)["topics"]} == {"", text}
        assert_same_elements(page, harmless)


@pytest.mark.parametrize("output", ["table", "latex", "markdown", "csv", "tsv", "jsonl"])
def test_a_terminal_gets_no_control_characters(output, tmp_path, monkeypatch, capsys):
    qrels, run = tmp_path / "qrels", tmp_path / "\x1b[31mrun\x9b"
    topics = [text for text in TEXTS.values() if not re.search(r"\s", text)]
    qrels.write_text("".join(f"{topic} 1 d 1\n" for topic in topics), encoding="utf-8")
    run.write_text("".join(f"{topic} Q0 d 1 1 x\n" for topic in topics), encoding="utf-8")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(["eval", str(qrels), str(run), "-m", "I-rec@1", "-q", "-o", output]) == 0
    shown = "".join(capsys.readouterr())
    assert UNSAFE_FOR_TERMINALS.findall(shown.replace("\t", "") if output == "tsv" else shown) == []
    assert main(["eval", "\x1b[31m\u202e", "x"]) == 2
    assert UNSAFE_FOR_TERMINALS.findall(capsys.readouterr().err) == []


def test_a_pipe_gets_every_value(tmp_path, capsys):
    (tmp_path / "qrels").write_text("=1+1 1 d 1\n")
    (tmp_path / "runs").mkdir()
    for name in ("=run", "a\udcff.run"):
        Path(str(tmp_path / "runs" / name)).write_text("=1+1 Q0 d 1 1 x\n")
    command = ["eval", str(tmp_path / "qrels"), str(tmp_path / "runs"), "-m", "I-rec@1", "-q", "-o"]
    expected = [("=run", "=1+1"), ("a\ufffd", "=1+1")]
    assert main([*command, "csv"]) == 0
    rows = csv.DictReader(capsys.readouterr().out.splitlines())
    assert [(row["run"], row["query_id"]) for row in rows] == expected
    assert main([*command, "jsonl"]) == 0
    rows = map(json.loads, capsys.readouterr().out.splitlines())
    assert [(row["run"], row["query_id"]) for row in rows] == expected


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE l [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]><topics><topic number="1">&b;</topic></topics>',
        '<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]><topics><topic number="1">&x;</topic></topics>',
        '<!DOCTYPE l [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]><topics/>',
        "<a>" * 5000 + "</a>" * 5000,
    ],
    ids=["billion laughs", "external", "parameter", "deep"],
)
def test_xml_bombs(text, tmp_path):
    file = tmp_path / "topics.xml"
    file.write_text(text)
    for read in (read_trec_topics, read_imine_hierarchy, read_imine_judgments):
        with pytest.raises(IrdivError, match="not allowed|nested"):
            read(file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "too many levels"),
        ('{"a":' * 100_000, "too many levels"),
        ('{"query_id": "1", "doc_id": "d", "score": ' + "9" * 5000 + "}", "too long a number"),
        ('{"query_id": "1", "doc_id": "\\ud800", "score": 1}', "surrogate"),
    ],
    ids=["list", "object", "integer", "surrogate"],
)
def test_json_bombs(text, message, tmp_path):
    file = tmp_path / "contexts.jsonl"
    file.write_text(text)
    with pytest.raises(IrdivError, match=rf"contexts\.jsonl, line 1: .*{message}"):
        irdiv.rag.read_contexts(file)


@pytest.mark.parametrize(
    "spec",
    [
        "D-" * 10_000 + "nDCG",
        "nDCG(" + "(" * 5000 + ")" * 5000 + ")@10",
        "nDCG(rel=" + "(" * 450 + "1" + ")" * 450 + ")@10",
        "I-rec(rel=" + "-" * 900 + "1)",
        "I-rec@" + "{" * 100 + "}" * 100,
        "nDCG@0x" + "f" * 900,
        f"nDCG@{2**63}",
        f"I-rec(rel={10**30})@10",
        "I-rec@1e400",
        "a\x00b",
        "\ud800",
    ],
    ids=range(11),
)
def test_specs(spec):
    with pytest.raises(IrdivError) as caught:
        irdiv.parse(spec)
    assert len(str(caught.value)) < 1500


def test_the_largest_integers():
    assert irdiv.parse(f"I-rec@{2**63 - 1}").cutoff == 2**63 - 1
    for huge in (2**63, 10**5000):
        for make in (lambda n: irdiv.measures.IRec @ n, lambda n: irdiv.parse("I-rec")(rel=n)):
            with pytest.raises(IrdivError, match="below 2\\^63"):
                make(huge)
    with pytest.raises(IrdivError, match="gamma="):
        irdiv.parse("D#-nDCG")(gamma=10**5000)


@pytest.mark.parametrize("number", [2**63, 10**30, 10**5000], ids=["2^63", "10^30", "10^5000"])
def test_huge_grades_and_scores(number, tmp_path):
    with pytest.raises(IrdivError, match="levels|must hold numbers"):
        irdiv.evaluate({"1": {"d": number}}, {"1": {"d": 1.0}}, "Hit@1")
    if number > 10**300:
        with pytest.raises(IrdivError, match="must hold"):
            irdiv.evaluate({"1": {"d": 1}}, {"1": {"d": number}}, "Hit@1")
        return
    (tmp_path / "qrels").write_text(f"1 1 d 1\n1 1 e {number}\n")
    with pytest.raises(IrdivError, match="line 2: .*18 digits") as caught:
        irdiv.read_qrels(tmp_path / "qrels")
    assert len(str(caught.value)) < 400
