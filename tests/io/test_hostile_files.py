"""Names, ids, texts and files that are made to harm: every output escapes them, and none takes all memory or time."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import stat
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

import irdiv
from helpers import data_of_page
from irdiv import IrdivError
from irdiv.datasets.imine_xml import read_imine_hierarchy, read_imine_judgments
from irdiv.datasets.trec_web import read_trec_topics
from irdiv.errors import printable
from irdiv.files import TemporaryFile
from irdiv.frames import compressed
from irdiv.frames.hashes import hash_ids
from irdiv.frames.ids import LONGEST_ID, natural_argsort, string_array
from irdiv_cli import main

pytestmark = pytest.mark.slow

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
CSV_HAS_NULLS = sys.version_info >= (3, 11)
"""Whether Python writes the null character as CSV."""

UNSAFE_FOR_TERMINALS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture(params=TEXTS.values(), ids=TEXTS.keys())
def text(request):
    return request.param


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


class TestOutputs:
    def test_html_of_notebooks(self, text):
        elements = Elements(evaluation(text)._repr_html_())
        harmless = Elements(evaluation("a")._repr_html_())
        assert (elements.tags, elements.attributes) == (harmless.tags, harmless.attributes)
        assert text in elements.text

    def test_latex(self, text):
        for table in (evaluation(text).to_latex(baseline=text), evaluation(text).to_latex(pairs="all")):
            assert len(table.splitlines()) == len(evaluation("a").to_latex(baseline="a").splitlines())
            body = "\n".join(line for line in table.splitlines() if not line.startswith("%"))
            assert r"\input" not in body
            assert not UNSAFE_FOR_TERMINALS.search(body)
            for sign in "%#&_":
                assert sign == "&" or not re.search(rf"(?<!\\){sign}", body), sign
            rows = [line for line in body.splitlines() if line.endswith(r"\\")]
            assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {2}

    def test_markdown(self, text):
        table = evaluation(text).to_markdown(baseline=text)
        assert len(table.splitlines()) == len(evaluation("a").to_markdown(baseline="a").splitlines())
        rows = [line for line in table.splitlines() if line.startswith("|")]
        assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {4}
        assert not re.search(r"(?<!\\)[<`\[]", "\n".join(rows))
        assert not UNSAFE_FOR_TERMINALS.search(table)

    def test_csv_keeps_every_value(self, text, tmp_path):
        """CSV is for programs, which must get the names that went in; spreadsheets have those of the report."""
        if text == TEXTS["null"] and not CSV_HAS_NULLS:
            with pytest.raises(IrdivError, match="cannot write a null character"):
                evaluation(text).to_csv(tmp_path / "values.csv")
            return
        evaluation(text).to_csv(tmp_path / "values.csv")
        with (tmp_path / "values.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert {row["run"] for row in rows} == {text, "b"}
        assert {row["query_id"] for row in rows} == {text, "1"}

    def test_json_lines_and_parquet_keep_every_value(self, text, tmp_path):
        evaluation(text).to_parquet(tmp_path / "values.parquet")
        assert set(pd.read_parquet(tmp_path / "values.parquet")["run"]) == {text, "b"}

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
        pictures = [(tmp_path / "plot.svg").read_text(encoding="utf-8")]
        pictures.append(irdiv.Hierarchy(collection(text)[0]).svg(text))
        for picture in pictures:
            elements = list(ET.fromstring(picture).iter())
            assert not any(name.startswith("on") for element in elements for name in element.attrib)
            drawn = {element.tag.split("}")[-1] for element in elements if "w3.org/2000/svg" in element.tag}
            assert drawn <= harmless

    def test_texts_to_read(self, text):
        qrels, _ = collection(text)
        texts = [irdiv.Hierarchy(qrels).draw(text), evaluation(text).topic(text).draw()]
        assert not any(UNSAFE_FOR_TERMINALS.search(shown) for shown in texts)

    @pytest.mark.parametrize("output", ["table", "latex", "markdown", "csv", "tsv", "jsonl"])
    def test_a_terminal_gets_no_control_characters(self, output, tmp_path, monkeypatch, capsys):
        qrels, run = tmp_path / "qrels", tmp_path / "\x1b[31mrun\x9b"
        texts = {name: text for name, text in TEXTS.items() if name != "null" or CSV_HAS_NULLS}
        topics = [text for text in texts.values() if not re.search(r"\s", text)]
        qrels.write_text("".join(f"{topic} 1 d 1\n" for topic in topics), encoding="utf-8")
        run.write_text("".join(f"{topic} Q0 d 1 1 x\n" for topic in topics), encoding="utf-8")
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
        monkeypatch.setenv("NO_COLOR", "1")
        assert main(["eval", str(qrels), str(run), "-m", "I-rec@1", "-q", "-o", output]) == 0
        shown = "".join(capsys.readouterr())
        assert not UNSAFE_FOR_TERMINALS.search(shown.replace("\t", "") if output == "tsv" else shown)

    def test_csv_of_a_python_that_writes_no_null_character(self, monkeypatch, tmp_path, capsys):
        """As Python 3.10 does not."""
        (qrels, _), written = collection("2"), evaluation("2")
        (tmp_path / "qrels").write_text("1 1 d 1\n")
        (tmp_path / "run").write_text("1 Q0 d 1 1 x\n")

        def refuse(*_, **__):
            raise csv.Error("need to escape, but no escapechar set")

        monkeypatch.setattr(pd.DataFrame, "to_csv", refuse)
        message = (
            "cannot write a null character to a text file of columns (need to escape, but no escapechar set); use "
            "Python 3.11 or newer, or remove it from the ids and names."
        )
        for write in (written.to_csv, lambda path: irdiv.datasets.write_ndeval(qrels, path)):
            with pytest.raises(IrdivError) as caught:
                write(tmp_path / "file")
            assert str(caught.value) == message
            assert not (tmp_path / "file").exists()
        assert main(["eval", str(tmp_path / "qrels"), str(tmp_path / "run"), "-m", "I-rec@1", "-o", "csv"]) == 2
        assert capsys.readouterr().err.endswith(f"{message}\n")

    def test_messages(self, capsys):
        assert main(["eval", "\x1b[31m\u202e", "x"]) == 2
        assert not UNSAFE_FOR_TERMINALS.search(capsys.readouterr().err)


@pytest.mark.parametrize("name", ["script", "end of script", "attribute", "LaTeX", "template", "null", "direction"])
def test_the_report(name):
    text = TEXTS[name]
    page, harmless = (
        irdiv.report.render(*collection(name), title=name, topic_texts={name: name}, baseline=name)
        for name in (text, "a")
    )
    # What the page shows by its script is compressed data, which no text can end.
    assert {topic["text"] for topic in data_of_page(page)["topics"]} == {"", text}
    elements, expected = Elements(page), Elements(harmless)
    assert (elements.tags, elements.attributes) == (expected.tags, expected.attributes)
    assert page.count("<script") == harmless.count("<script")


def test_printable():
    assert printable("a\x1b\n\u202e\ud800é😀") == "a\\x1b\\n\\u202e\\ud800é😀"


class TestFiles:
    @pytest.fixture
    def small_limits(self, monkeypatch):
        monkeypatch.setattr(compressed, "ALWAYS_ALLOWED", 1 << 16)

    @pytest.mark.parametrize("content", [b"\0", b"\n", b"1 1 d 1\n"])
    @pytest.mark.parametrize(
        "read", [irdiv.read_run, irdiv.read_qrels, irdiv.stats.read_values, irdiv.rag.read_nuggets, irdiv.read_intents]
    )
    def test_gzip_bombs(self, read, content, tmp_path, small_limits):
        (tmp_path / "bomb.gz").write_bytes(gzip.compress(content * (1 << 22)))
        with pytest.raises(IrdivError, match=r"bomb\.gz: the file expands to more than 100 times its size"):
            read(tmp_path / "bomb.gz")

    def test_gzip_that_compresses_well(self, tmp_path, small_limits):
        lines = "".join(f"{i // 1000} Q0 document-{i} {i % 1000} {-i} tag\n" for i in range(9000))
        (tmp_path / "run.gz").write_bytes(gzip.compress(lines.encode()))
        assert len(irdiv.read_run(tmp_path / "run.gz")) == 9000

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
    def test_xml_bombs(self, text, tmp_path):
        file = tmp_path / "topics.xml"
        file.write_text(text)
        for read in (read_trec_topics, read_imine_hierarchy, read_imine_judgments):
            with pytest.raises(IrdivError, match="not allowed|nested in more than 50 levels"):
                read(file)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("[" * 100_000, "too many levels"),
            ('{"a":' * 100_000, "too many levels"),
            ('{"query_id": "1", "doc_id": "d", "score": ' + "9" * 5000 + "}", "too long a number"),
            ('{"query_id": "1", "doc_id": "\\ud800", "score": 1}', "half of a surrogate pair"),
        ],
        ids=["list", "object", "integer", "surrogate"],
    )
    def test_json(self, text, message, tmp_path):
        file = tmp_path / "contexts.jsonl"
        file.write_text(text)
        with pytest.raises(IrdivError, match=rf"contexts\.jsonl, line 1: .*{message}"):
            irdiv.rag.read_contexts(file)

    def test_names_of_files_that_are_not_utf8(self, tmp_path, capsys):
        (tmp_path / "qrels").write_text("1 1 d 1\n")
        (tmp_path / "runs").mkdir()
        Path(str(tmp_path / "runs" / "a\udcff.run")).write_text("1 Q0 d 1 1 x\n")
        assert main(["eval", str(tmp_path / "qrels"), str(tmp_path / "runs"), "-m", "I-rec@1", "-o", "jsonl"]) == 0
        assert json.loads(capsys.readouterr().out)["run"] == "a\ufffd"

    def test_temporary_files_are_private(self):
        with TemporaryFile(has_path=True) as file:
            assert stat.S_IMODE(file.path.stat().st_mode) == 0o600


class TestSpecs:
    @pytest.mark.parametrize(
        "spec",
        [
            "D-" * 10_000 + "nDCG",
            "nDCG(" + "(" * 5000 + ")" * 5000 + ")@10",
            "nDCG(rel=" + "(" * 450 + "1" + ")" * 450 + ")@10",
            "I-rec(rel=" + "-" * 900 + "1)",
            "I-rec@" + "-" * 900 + "1",
            "I-rec(rel=" + "{" * 100 + "}" * 100 + ")",
            "I-rec@" + "{" * 100 + "}" * 100,
            "nDCG@" + "9" * 900,
            "nDCG@0x" + "f" * 900,
            f"I-rec@{10**30}",
            f"nDCG@{2**63}",
            f"I-rec(rel={10**30})@10",
            "I-rec@1e400",
            "a\x00b",
            "\ud800",
        ],
    )
    def test_refused(self, spec):
        with pytest.raises(IrdivError) as caught:
            irdiv.parse(spec)
        assert len(str(caught.value)) < 1500

    def test_the_largest_integer(self):
        assert irdiv.parse(f"I-rec@{2**63 - 1}").cutoff == 2**63 - 1
        for huge in (2**63, 10**5000):
            with pytest.raises(IrdivError, match="below 2\\^63"):
                irdiv.measures.IRec @ huge
            with pytest.raises(IrdivError, match="below 2\\^63"):
                irdiv.parse("I-rec")(rel=huge)
        with pytest.raises(IrdivError, match="gamma="):
            irdiv.parse("D#-nDCG")(gamma=10**5000)

    def test_options(self, qrels, run):
        evaluation = irdiv.evaluate(qrels, {"a": run, "b": run}, "I-rec@3")
        for n_resamples in (10**7 + 1, 10**30, 10**5000):
            with pytest.raises(IrdivError, match="is not an integer from 1 to 10000000"):
                irdiv.stats.compare(evaluation, n_resamples=n_resamples)


class TestIds:
    @pytest.mark.parametrize("grade", ["1000000000000000000", str(2**63), str(2**70), "9" * 5000, "1e400", "0x10"])
    def test_grades_in_files(self, grade, tmp_path):
        (tmp_path / "qrels").write_text(f"1 1 d 1\n1 1 e {grade}\n")
        with pytest.raises(IrdivError, match="levels up to 100000|not an integer of up to 18 digits") as caught:
            irdiv.evaluate(tmp_path / "qrels", {"1": {"d": 1.0}}, "I-rec@1")
        assert len(str(caught.value)) < 400

    @pytest.mark.parametrize("number", [2**63, 10**30, 10**5000], ids=["2^63", "10^30", "10^5000"])
    def test_numbers_in_dicts(self, number):
        with pytest.raises(IrdivError, match="grades are levels|must hold numbers"):
            irdiv.evaluate({"1": {"d": number}}, {"1": {"d": 1.0}}, "Hit@1")
        if number > 10**300:
            with pytest.raises(IrdivError, match="must hold"):
                irdiv.evaluate({"1": {"d": 1}}, {"1": {"d": number}}, "Hit@1")

    @pytest.mark.parametrize("place", ["topic", "document", "run"])
    def test_half_a_surrogate_pair(self, place):
        topic, document, run = ("\ud800" if place == name else name for name in ("topic", "document", "run"))
        with pytest.raises(IrdivError, match="is not valid Unicode"):
            irdiv.evaluate({topic: {document: 1}}, {run: {topic: {document: 1.0}}}, "Hit@1")

    def test_ids_beyond_the_limit(self):
        longest = "9" * LONGEST_ID
        assert irdiv.evaluate({longest: {longest: 1}}, {longest: {longest: 1.0}}, "Hit@1").values.item() == 1
        for topic, document in ((longest + "9", "d"), ("1", longest + "9")):
            with pytest.raises(IrdivError, match="has an id of 65,537 bytes; ids have up to 65,536"):
                irdiv.evaluate({topic: {document: 1}}, {topic: {document: 1.0}}, "Hit@1")

    def test_descriptions_may_be_longer(self):
        text = "a" * (LONGEST_ID + 1)
        qrels = pd.DataFrame({"query_id": ["1"], "intent_id": "i", "doc_id": "d", "relevance": 1, "description": text})
        assert irdiv.evaluate(qrels, {"1": {"d": 1.0}}, "I-rec@1").values.item() == 1

    def test_long_digits_are_sorted(self):
        ids = ["9" * 10**6, "10", "9", "9" * 99]
        assert natural_argsort(ids).tolist() == [2, 1, 3, 0]

    def test_a_hash_does_not_depend_on_longer_ids_beside_it(self):
        ids = string_array(["a", "b" * 300, "c" * 255, "d" * 5000, "", "e" * 300])
        together = hash_ids(ids, salt=3)
        alone = np.concatenate([hash_ids(ids[index : index + 1], salt=3) for index in range(len(ids))])
        np.testing.assert_array_equal(together, alone)


def test_csv_of_the_command_line_keeps_every_value(tmp_path, capsys):
    (tmp_path / "qrels").write_text("=1+1 1 d 1\n")
    (tmp_path / "=run").write_text("=1+1 Q0 d 1 1 x\n")
    assert main(["eval", str(tmp_path / "qrels"), str(tmp_path / "=run"), "-m", "I-rec@1", "-q", "-o", "csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["run"], row["query_id"]) == ("=run", "=1+1")
