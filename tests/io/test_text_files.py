"""Text files: rows that are read as written, lines that are refused by their number, and files of other formats."""

from __future__ import annotations

import gzip
import os
import warnings
from pathlib import Path

import pandas as pd
import pytest

import irdiv
from irdiv import IrdivError
from irdiv.io import text, trec
from irdiv_cli import main


@pytest.fixture
def write(tmp_path):
    def write(content: str | bytes, name: str = "file") -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def refused(function, *arguments, **options) -> str:
    with pytest.raises(IrdivError) as caught:
        function(*arguments, **options)
    return str(caught.value)


def missing_from(message: str, *texts: str) -> list[str]:
    """Return the texts that a message lacks."""
    return [text for text in texts if text not in message]


QRELS, RUN, DQRELS = "expected 4 columns as in '151 1 ", "expected 6 columns as in '151 Q0 ", "as in '0001 2 "


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ("1 0 d 1\n1 0 d\n", ["line 2: found 3 columns", QRELS]),
        ("1 0 d 1\n 0 d 1\n", ["line 2: found 3 columns"]),
        ("1 0 d 1\n1 0 e 1 x y\n", ["line 2: found 6 columns, as a run has"]),
        ("1  0 d 1 x\n", ["line 1: found 5 columns"]),
        ("1\n", ["line 1: found 1 column;"]),
        ("1 Q0 d 1 2.5 tag\n", ["line 1: found 6 columns, as a run has", QRELS]),
        ("a,b,c\n", ["line 1: found 1 column", "commas", "pandas.read_csv"]),
        ("1 0 d l1\n", ["line 1: relevance is 'l1'", "integer", QRELS]),
        ("1 0 d 1.5\n", ["line 1: relevance is '1.5'", "integer"]),
        ("1 0 d NA\n", ["line 1: relevance is 'NA'"]),
        ("1  0 d inf\n", ["line 1: relevance is 'inf'"]),
        ("1 0 d 0x1\n", ["line 1: relevance is '0x1'"]),
        (f"1 0 d {'1' * 20}\n", [f"line 1: relevance is '{'1' * 20}'", "18 digits"]),
        (f"1 0 d {'x' * 60}\n", [f"'{'x' * 60}',"]),
        (f"1 0 d {'x' * 61}\n", [f"'{'x' * 60}'…"]),
        ("1;0;d;1\n1;0; ;1\n", ["line 2: the doc_id is empty", QRELS]),
        ("1 0 d 1\n\n{}\n", ["line 3: JSON", "irdiv.rag.read_nuggets", "irdiv coverage"]),
        ("[\n", ["line 1: JSON", "irdiv.rag.read_nuggets"]),
        ("", ["the qrels file is empty", QRELS]),
        ("# only a comment\n", ["the qrels file is empty"]),
    ],
)
def test_lines_that_are_not_of_qrels(write, content, texts):
    path = write(content)
    for read in (irdiv.read_qrels, irdiv.Collection):
        assert missing_from(refused(read, path), str(path), *texts) == []
    with warnings.catch_warnings():  # what the parser warns of is an error even then
        warnings.simplefilter("ignore")
        assert missing_from(refused(irdiv.read_qrels, path), str(path), *texts) == []


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ("1 0 d 1\n", ["line 1: found 4 columns, as qrels have", RUN]),
        ("1 0 d L2\n", ["line 1: found 4 columns, as qrels have", RUN]),
        ("1 Q0 d 1 2.5 tag\n1 Q0 e 2 1.5\n", ["line 2: found 5 columns", RUN]),
        ("1;Q0;d;1;x;tag\n", ["line 1: found 1 column;"]),
        ("1 Q0 d L1 2.5 tag\n", ["line 1: rank is 'L1'", "integer", RUN]),
        ("1 Q0 d 1 inf tag\n", ["line 1: score is 'inf'", "finite", RUN]),
        ("1 Q0 d 1 1 tag\n1 Q0 e 2 nan tag\n", ["line 2: score is 'nan'", "finite"]),
        ("1  Q0 d 1 2 tag\n1 Q0 d 1 -1e999 tag\n", ["line 2: score is '-1e999'", "finite"]),
        ("1 Q0 d 1 1_0 tag\n", ["line 1: score is '1_0'", "finite"]),
        (b"1 Q0 d 1 1 tag\n1 Q0 \xe9 1 1 tag\n", ["line 2: byte 0xe9 is not UTF-8"]),
        ("<SYSDESC>a\nb</SYSDESC>\n1 Q0 d 1 x tag\n", ["line 3: score is 'x'"]),
        ("<SYSDESC>\n1 Q0 d 1 1 tag\n", ["truncated or damaged", "<SYSDESC> without </SYSDESC>"]),
        ("<SYSDESC>a</SYSDESC></SYSDESC>\n1 Q0 d 1 1 tag\n", ["found b'</SYSDESC>' after </SYSDESC>"]),
        (f"<SYSDESC>a</SYSDESC> {'x' * 41} \n1 Q0 d 1 1 tag\n", [f"found b'{'x' * 40}' after </SYSDESC>"]),
        (' {"a": 1}\n', ["line 1: JSON", "irdiv.rag.read_contexts"]),
        ("\n \n", ["the run file is empty", RUN]),
    ],
)
def test_lines_that_are_not_of_runs(write, content, texts):
    path = write(content)
    for read in (irdiv.read_run, lambda path: irdiv.evaluate({"1": {"d": 1}}, path, "P@1")):
        assert missing_from(refused(read, path), str(path), *texts) == []


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ("1 0 d 1\n", ["line 1: relevance is '1'", "L2", DQRELS]),
        ("1 0 d L1\n1 0 e 1\n", ["line 2: relevance is '1'", "L2", DQRELS]),
        ("1 0 d L123456\n", ["line 1: relevance is 'L123456'"]),
        ("1 0 d XL1\n", ["line 1: relevance is 'XL1'"]),
        ("1 0 d L1a\n", ["line 1: relevance is 'L1a'"]),
        ("1 Q0 d 1 2.5 tag\n", ["line 1: found 6 columns, as a run has"]),
        ("{}\n", ["line 1: JSON", "irdiv.rag.read_nuggets"]),
    ],
)
def test_lines_that_are_not_of_dqrels(write, content, texts):
    path = write(content)
    assert missing_from(refused(irdiv.datasets.read_ntcir_qrels, path), str(path), *texts) == []


@pytest.mark.parametrize(
    ("content", "is_dqrels"),
    [
        ("1 1 d L2\n", True),
        ("\n 1 1 d L2\n", True),
        ("# L2\n1 1 d L12345\n", True),
        ("\ufeff1;1;d;L2\n", True),
        (gzip.compress(b"1 1 d L2\n", mtime=0), True),
        ("1 1 d 2\n1 1 e L2\n", False),
        ("1 1 d d L2\n", False),
        ("1 d L2\n", False),
        (gzip.compress(b"1 1 d L2\n" * 99, mtime=0)[:-20], False),
    ],
)
def test_dqrels_are_recognized_by_their_first_line(write, content, is_dqrels):
    path = write(content)
    if is_dqrels:
        assert irdiv.evaluate(path, {"1": ["d"]}, "I-rec@1").values.item() == 1
        found = irdiv.datasets.read_ntcir_qrels(path)[["query_id", "intent_id", "doc_id", "relevance"]].values.tolist()
        assert found in ([["1", "1", "d", 2]], [["1", "1", "d", 12345]])
    else:
        assert DQRELS not in refused(irdiv.Collection, path)


def test_dqrels_as_trec_qrels(write):
    message = refused(irdiv.read_qrels, write("1 1 d L2\n"))
    assert missing_from(message, "line 1: relevance is 'L2'", "irdiv.datasets.read_ntcir_qrels") == []


@pytest.mark.parametrize("space", [" ", "\t", "  ", " \t"], ids=["space", "tab", "two spaces", "both"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("compress", [False, True], ids=["plain", "gzip"])
def test_rows_stay_as_written(write, space, end, compress):
    docs = ["NA", "null", '"a', "'", "nan", "#", "01", "1.0", "0x1", "é", "\u2028", "a,b", "a;b"]
    grades = ["0", "+1", "-12", "9" * 18, *"123456789"]
    scores = ["0", "-.5", "1e-3", "+2.", "0.1", "1e300", "5e-324", *"123456"]
    lines = [space.join(("1", "0", doc, grade)) for doc, grade in zip(docs, grades, strict=True)]
    content = ("\ufeff# comment" + end + end.join(lines)).encode()
    found = irdiv.read_qrels(write(gzip.compress(content) if compress else content))
    assert found.to_dict("list") == {
        "query_id": ["1"] * 13, "iteration": ["0"] * 13, "doc_id": docs, "relevance": list(map(int, grades))
    }  # fmt: skip
    lines = [space.join(("1", "Q0", doc, "7", score, "tag")) for doc, score in zip(docs, scores, strict=True)]
    content = ("<SYSDESC>a\nb</SYSDESC>\n" + end.join(lines) + end).encode()
    found = irdiv.read_run(write(gzip.compress(content) if compress else content))
    expected = {"query_id": ["1"] * 13, "doc_id": docs, "rank": [7] * 13, "score": list(map(float, scores))}
    assert found.to_dict("list") == expected


def test_semicolons_separate_ids_with_spaces(write):
    path = write("1;0; a b ;1\n1;0;c;2\n")
    assert irdiv.read_qrels(path)[["doc_id", "relevance"]].values.tolist() == [["a b", 1], ["c", 2]]


@pytest.mark.parametrize("size", [1, 7, 100])
def test_blocks_of_a_file_change_nothing(write, monkeypatch, size):
    path = write("".join(f"{i} 0 d{i} {i % 3}\n" for i in range(50)) + "50 0 d50 1")
    whole = irdiv.read_qrels(path)
    assert whole["query_id"].tolist() == [str(i) for i in range(51)]
    monkeypatch.setattr(trec, "_BLOCK_BYTES", size)
    pd.testing.assert_frame_equal(irdiv.read_qrels(path), whole)


def test_damaged_files(write):
    lines = "".join(f"1 Q0 d{i} {i} {-i}.{i * 7919 % 1000} tag\n" for i in range(1, 5000))
    path = write(gzip.compress(lines.encode())[:-2000])
    message = refused(irdiv.read_run, path)
    assert missing_from(message, str(path), "truncated or damaged") == []
    assert int(message.split("after line ")[1].split(":")[0]) > 1000
    path = write(gzip.compress(b"query_id,intent_id,probability\n" * 99, mtime=0)[:-9], "intents.csv.gz")
    assert missing_from(refused(irdiv.read_intents, path), str(path), "truncated or damaged") == []


def test_an_intents_file_in_another_encoding_or_with_bad_quotes(write):
    header = b"query_id,intent_id,description\n"
    path = write(header + b"1,1,\xff\n", "intents.csv")
    assert missing_from(refused(irdiv.read_intents, path), str(path), "line 2", "0xff", "UTF-8") == []
    path = write(header + b'1,1,"c"d\n', "intents.csv")
    assert missing_from(refused(irdiv.read_intents, path), str(path), "line 2", "not an intents file") == []
    path = write(header + '1, 1, "a,é\nb"\n\n2,1,c\n'.encode(), "intents.csv")
    assert irdiv.read_intents(path).values.tolist() == [["1", "1", "a,é\nb"], ["2", "1", "c"]]
    qrels = pd.DataFrame({"query_id": ["1", "2"], "intent_id": "1", "doc_id": "d", "relevance": 1})
    assert irdiv.with_intents(qrels, path)["description"].tolist() == ["a,é\nb", "c"]


@pytest.mark.parametrize("space", [" ", "  "])
def test_lines_of_any_length(write, space):
    longest = "d" * (1 << 22)
    content = f"1{space}0{space}{longest}{space}1\n1 0 e 1\n"
    assert irdiv.read_qrels(write(content))["doc_id"].tolist() == [longest, "e"]
    message = refused(irdiv.read_qrels, write(f"1 0 e 1\n1 0 {longest}\n"))
    assert missing_from(message, "line 2: found 3 columns") == []


def test_what_is_not_a_file(tmp_path, monkeypatch):
    qrels = {"1": {"d": 1}}
    assert missing_from(refused(irdiv.read_run, tmp_path), str(tmp_path), "folder", "Parquet") == []
    for path in (tmp_path / "missing", tmp_path / "missing.parquet", tmp_path / ("x" * 5000)):
        message = refused(irdiv.evaluate, qrels, path, "P@1")
        assert missing_from(message, "run", str(path)) == [], path.name[:20]
    os.mkfifo(tmp_path / "pipe")
    message = refused(irdiv.evaluate, qrels, tmp_path / "pipe", "P@1")
    assert missing_from(message, "run", str(tmp_path / "pipe"), "pipe or a device") == []
    file = tmp_path / "file"
    file.write_text("1 Q0 d 1 1 t\n")

    def refuse(*arguments, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert missing_from(refused(irdiv.read_run, file), "run", str(file), "Permission denied") == []


@pytest.mark.parametrize("name", ["a.parquet", "A.PQ", "b.Parquet", "magic", "folder/a.parquet"])
def test_parquet_by_any_name(write, tmp_path, name):
    frame = pd.DataFrame({"query_id": ["1"], "doc_id": ["d"], "score": [1.0]})
    path = write(frame.to_parquet(), name)
    path = path.parent if "/" in name else path
    for other in ("folder/_a.parquet", "folder/.a.parquet", "folder/README.txt"):
        write("no Parquet", other)
    assert irdiv.evaluate({"1": {"d": 1}}, path, "P@1").values.item() == 1
    if "/" not in name:
        for read in (irdiv.read_qrels, irdiv.read_run):
            assert missing_from(refused(read, path), str(path), "Parquet", "irdiv.evaluate") == []


def test_runs_named_by_tag(write, capsys):
    qrels, run = write("1 1 d 1\n", "qrels"), write("1 Q0 d 1 1 bm25\n", "a.txt")
    arguments = ["eval", str(qrels), str(run), "-m", "I-rec@1", "-o", "csv", "--names", "tag"]
    assert main(arguments) == 0
    assert "bm25" in capsys.readouterr().out
    pd.DataFrame({"query_id": ["1"], "doc_id": ["d"], "score": [1.0]}).to_parquet(run.with_suffix(".parquet"))
    assert main([*arguments[:2], str(run.with_suffix(".parquet")), *arguments[3:]]) == 2
    assert missing_from(capsys.readouterr().err, "a.parquet", "tag") == []


class TestGzipBombs:
    @pytest.fixture(autouse=True)
    def small_limits(self, monkeypatch):
        monkeypatch.setattr(text, "ALWAYS_ALLOWED", 1 << 16)

    @pytest.mark.parametrize("content", [b"\0", b"\n", b"1 1 d 1\n"], ids=["null", "lines", "rows"])
    @pytest.mark.parametrize(
        "read", [irdiv.read_run, irdiv.read_qrels, irdiv.stats.read_values, irdiv.rag.read_nuggets, irdiv.read_intents]
    )
    def test_refused(self, write, read, content):
        path = write(gzip.compress(content * (1 << 19)), "bomb.gz")
        assert missing_from(refused(read, path), "bomb.gz", "expands to more than 100 times", "gunzip") == []

    def test_the_largest_expansion(self, write):
        description = "<SYSDESC>" + " " * ((1 << 16) - len("<SYSDESC></SYSDESC>\n1 Q0 d 1 1 t")) + "</SYSDESC>\n"
        assert len(irdiv.read_run(write(gzip.compress(f"{description}1 Q0 d 1 1 t".encode())))) == 1
        assert "expands" in refused(irdiv.read_run, write(gzip.compress(f"{description} 1 Q0 d 1 1 t".encode())))

    def test_files_that_compress_well(self, write):
        lines = "".join(f"{i // 1000} Q0 document-{i} {i % 1000} {-i} tag\n" for i in range(9000))
        assert len(irdiv.read_run(write(gzip.compress(lines.encode())))) == 9000
