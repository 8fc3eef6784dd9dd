"""Text files: their layouts, the limits of lines and of compressed files, and the errors that name a line."""

from __future__ import annotations

import gzip
import os
import warnings
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import irdiv
from irdiv import IrdivError
from irdiv.frames import compressed, layouts, parsing, readers, text
from irdiv.frames.diagnosis import find_line, layout_error
from irdiv.frames.ntcir import is_dqrels, read_dqrels
from irdiv.frames.parquet import is_parquet
from irdiv.frames.trec import read_trec

QRELS = "expected 4 columns as in '151 1 clueweb09-en0000-00-03430 2'."
RUN = "expected 6 columns as in '151 Q0 clueweb09-en0000-00-03430 1 -2.28 mysystem'."
DQRELS = "expected 4 columns as in '0001 2 clueweb09-en0000-00-03430 L1'."


@pytest.fixture
def write(tmp_path):
    def write(content: str | bytes) -> Path:
        path = tmp_path / "file"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def error_of(function, *arguments, **options) -> str:
    with pytest.raises(IrdivError) as caught:
        function(*arguments, **options)
    return str(caught.value)


COMMAS = " with commas (give a CSV file as a frame, as pandas.read_csv(path) reads it)"
NTCIR = " (irdiv.datasets.read_ntcir_qrels reads Dqrels)"
JSON = "JSON, and not a TREC {} file; read it by irdiv.rag.{} first (on the command line, by irdiv coverage)."


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1 0 d 1\n1 0 d\n", f"line 2: found 3 columns; {QRELS}"),
        ("1\n", f"line 1: found 1 column; {QRELS}"),
        ("1 Q0 d 1 2.5 tag\n", f"line 1: found 6 columns, as a run has; {QRELS}"),
        ("a,b\n", f"line 1: found 1 column; {QRELS}"),
        ("a,b,c\n", f"line 1: found 1 column{COMMAS}; {QRELS}"),
        ("a,b,c d\n", f"line 1: found 2 columns; {QRELS}"),
        ("1 0 d L1\n", f"line 1: relevance is 'L1', not an integer of up to 18 digits{NTCIR}; {QRELS}"),
        ("1 0 d l1\n", f"line 1: relevance is 'l1', not an integer of up to 18 digits; {QRELS}"),
        (
            f"1 0 d {'x' * 60}\n",
            f"line 1: relevance is '{'x' * 60}', not an integer of up to 18 digits; {QRELS}",
        ),
        (
            f"1 0 d {'x' * 61}\n",
            f"line 1: relevance is '{'x' * 60}'…, not an integer of up to 18 digits; {QRELS}",
        ),
        (f"1 0 d {'1' * 20}\n", f"line 1: relevance is '{'1' * 20}', not an integer of up to 18 digits; {QRELS}"),
        ("1;0;d;1\n1;0; ;1\n", f"line 2: the doc_id is empty; {QRELS}"),
        ("1 0 d 1\n\n{}\n", f"line 3: {JSON.format('qrels', 'read_nuggets')}"),
        ("[\n", f"line 1: {JSON.format('qrels', 'read_nuggets')}"),
        ("1 0 d NA\n", f"line 1: relevance is 'NA', not an integer of up to 18 digits; {QRELS}"),
        ("1 0 d 1\n 0 d 1\n", f"line 2: found 3 columns; {QRELS}"),
    ],
)
def test_lines_that_are_not_of_qrels(write, content, message):
    path = write(content)
    assert error_of(irdiv.read_qrels, path) == f"{path}, {message}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1 0 d 1\n", f"line 1: found 4 columns, as qrels have; {RUN}"),
        ("1 Q0 d 1 2.5\n", f"line 1: found 5 columns; {RUN}"),
        ("1 Q0 d 1 2.5 tag\n1 Q0 e 2 1.5\n", f"line 2: found 5 columns; {RUN}"),
        ("1;Q0;d;1;x;tag\n", f"line 1: found 1 column; {RUN}"),
        ("1 Q0 d L1 2.5 tag\n", f"line 1: rank is 'L1', not an integer of up to 18 digits; {RUN}"),
        ("1 Q0 d 1 inf tag\n", f"line 1: score is 'inf', not a finite number; {RUN}"),
        ("1  Q0 d 1 2 tag\n1 Q0 d 1 -1e999 tag\n", f"line 2: score is '-1e999', not a finite number; {RUN}"),
        ("1 Q0 d 1 1_0 tag\n", f"line 1: score is '1_0', not a finite number; {RUN}"),
        (b"1 Q0 d 1 1 tag\n1 Q0 \xe9 1 1 tag\n", f"line 2: byte 0xe9 is not UTF-8; {RUN}"),
        ("<SYSDESC>a\nb</SYSDESC>\n1 Q0 d 1 x tag\n", f"line 3: score is 'x', not a finite number; {RUN}"),
        (' {"a": 1}\n', f"line 1: {JSON.format('run', 'read_contexts')}"),
    ],
)
def test_lines_that_are_not_of_runs(write, content, message):
    path = write(content)
    assert error_of(irdiv.read_run, path) == f"{path}, {message}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1 0 d 1\n", f"line 1: relevance is '1', not a level such as L2; {DQRELS}"),
        ("1 0 d L1\n1 0 e 1\n", f"line 2: relevance is '1', not a level such as L2; {DQRELS}"),
        ("1 0 d L123456\n", f"line 1: relevance is 'L123456', not a level such as L2; {DQRELS}"),
        ("1 Q0 d 1 2.5 tag\n", f"line 1: found 6 columns, as a run has; {DQRELS}"),
        ("{}\n", f"line 1: {JSON.format('Dqrels', 'read_nuggets')}"),
    ],
)
def test_lines_that_are_not_of_dqrels(write, content, message):
    path = write(content)
    assert error_of(read_dqrels, path) == f"{path}, {message}"


def test_files_without_rows_or_with_faults_that_no_line_shows(write):
    for content in ("", "\n \n"):
        path = write(content)
        assert error_of(irdiv.read_run, path) == f"{path}: the run file is empty; {RUN}"
    path = write("1 0 d 1\n")
    empty = f"{path}: the qrels file is empty; {QRELS}"
    assert str(layout_error(path, layouts.TREC_QRELS, None)) == empty
    assert str(layout_error(path, layouts.TREC_QRELS, pd.errors.EmptyDataError("no columns"))) == empty
    assert str(layout_error(path, layouts.TREC_QRELS, ValueError("odd"))) == f"{path}: not a qrels file (odd); {QRELS}"


def test_damaged_files(write):
    lines = "".join(f"1 Q0 d{i} {i} {-i}.{i * 7919 % 1000} tag\n" for i in range(1, 5000))
    path = write(gzip.compress(lines.encode())[:-2000])
    message = error_of(irdiv.read_run, path)
    assert message.startswith(f"{path}, after line ")
    assert message.endswith(
        ": the file is truncated or damaged (Compressed file ended before the end-of-stream marker was reached)."
    )
    assert int(message.removeprefix(f"{path}, after line ").split(":")[0]) > 1000
    path = write("<SYSDESC>\n1 Q0 d 1 1 tag\n")
    assert error_of(irdiv.read_run, path) == (
        f"{path}, after line 0: the file is truncated or damaged (<SYSDESC> without </SYSDESC>)."
    )
    path = write("<SYSDESC>a</SYSDESC></SYSDESC>\n1 Q0 d 1 1 tag\n")
    assert "(found b'</SYSDESC>' after </SYSDESC>;" in error_of(irdiv.read_run, path)
    path = write(f"<SYSDESC>a</SYSDESC> {'x' * 41} \n1 Q0 d 1 1 tag\n")
    assert error_of(irdiv.read_run, path) == (
        f"{path}, after line 0: the file is truncated or damaged (found b'{'x' * 40}' after </SYSDESC>; put it on a "
        "line of its own)."
    )


def test_the_line_that_starts_with_some_cells(write):
    path = write("\ufeff<SYSDESC>a</SYSDESC>\n1 Q0 d 1 1 tag\n\n1 Q0 e 2 1 tag\n")
    assert find_line(path, layouts.TREC_RUN, ["1", "Q0"]) == 2
    assert find_line(path, layouts.TREC_RUN, ["1", "Q0", "e"]) == 4
    with pytest.raises(LookupError):
        find_line(path, layouts.TREC_RUN, ["Q0"])


@pytest.mark.parametrize(
    ("kind", "accepted", "refused"),
    [
        (layouts.INTEGER, ["0", "+1", "-12", "9" * 18], ["", "+", "1.0", "9" * 19, "1e3", "a1", "1a"]),
        (layouts.FLOAT, ["0", "-.5", "1e-3", "+2."], ["", "nan", "inf", "1_0", "1e999", "x"]),
        (layouts.LEVEL, ["L0", "L2", "L12345"], ["L", "2", "L123456", "l1", "XL1", "L1a", "L-1"]),
    ],
)
def test_cells_of_each_type(kind, accepted, refused):
    assert [kind.accepts(cell) for cell in accepted] == [True] * len(accepted)
    assert [kind.accepts(cell) for cell in refused] == [False] * len(refused)


def test_columns_of_each_layout():
    assert layouts.TREC_QRELS.columns == ("query_id", "iteration", "doc_id", "relevance")
    assert layouts.DQRELS.columns == ("query_id", "intent_id", "doc_id", "relevance")
    assert layouts.TREC_RUN.columns == ("query_id", "q0", "doc_id", "rank", "score", "run")
    assert [layouts.TREC_RUN.dtype(column) for column in layouts.TREC_RUN.columns] == [str, str, str, int, float, str]


def test_the_longest_lines(write):
    limit = 1 << 20
    row = "1 0 {} 1"
    longest = row.format("d" * (limit - len(row) + 2))
    assert len(longest) == limit == text.LONGEST_LINE
    ids_are_shorter = f"\n{longest}\n1 0 e 1\n"
    text.require_short_lines("file", ids_are_shorter.encode())
    message = error_of(text.require_short_lines, "file", ids_are_shorter.replace("ddd", "dddd", 1).encode())
    assert message == (
        "file, line 2: the line has more than 1,048,576 bytes, which is the limit. Is it another format?"
    )
    path = write(f"<SYSDESC>a</SYSDESC>\n1 0 d 1\n{longest}d\n")
    assert error_of(irdiv.read_run, path).startswith(f"{path}, line 3: the line has more than 1,048,576 bytes")
    assert error_of(text.text_lines, path, "qrels").startswith(f"{path}, line 3: the line has more than")
    assert len(text.text_lines(path, "qrels", None)[2]) == limit + 1


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"12345", None),
        (b"12345\n", None),
        (b"12345\n12345\n12345", None),
        (b"123456", 7),
        (b"123456\n", 7),
        (b"12345\n\n123456\n", 9),
        (b"1\n2\n3\n4\n5\n\n123456", 13),
        (b"12345\n1\n123456", 9),
        (b"\n12345", None),
        (b"\n123456", 8),
    ],
)
def test_lines_of_more_bytes_than_a_limit(content, line):
    if line is None:
        text.require_short_lines("f", content, limit=5)
    else:
        message = error_of(text.require_short_lines, "f", content, limit=5, first_line=7)
        assert message == f"f, line {line}: the line has more than 5 bytes, which is the limit. Is it another format?"


@pytest.mark.parametrize(("content", "is_json"), [(b" " * 99 + b"{", True), (b" " * 100 + b"{", False), (b"[1", True)])
def test_a_long_line_of_json(content, is_json):
    message = error_of(text.require_short_lines, "f", content, limit=1)
    remedy = "JSON is read by irdiv.rag (on the command line, by irdiv coverage), with an object in each line."
    assert message.endswith(f"which is the limit. {remedy if is_json else 'Is it another format?'}")


def test_text_is_utf_8(write):
    assert text.text_lines(write("\ufeffa\r\n\u2028é\n\n"), "intents") == ["a", "\u2028é", ""]
    assert text.text_lines(write(gzip.compress(b"a\nb", mtime=0)), "intents") == ["a", "b"]
    path = write(b"a\nb \xff\n")
    assert error_of(text.text_lines, path, "intents") == (
        f"{path}, line 2: byte 0xff is not UTF-8; save the file in UTF-8."
    )
    path = write(gzip.compress(b"a\n" * 99, mtime=0)[:-9])
    assert error_of(text.text_lines, path, "intents") == (
        f"{path}: the file is truncated or damaged (Compressed file ended before the end-of-stream marker was reached)."
    )


def test_rows_of_cells():
    assert list(text.rows_with_line_numbers(["a  b\t c", " ", "d"], None)) == [(1, ["a", "b", "c"]), (3, ["d"])]
    assert list(text.rows_with_line_numbers(["a ; b c;", ""], ";")) == [(1, ["a", "b c", ""])]
    lines = ['a, "b,c"', "", " , ", '"d', 'e",f']
    assert list(text.csv_rows("f", lines, ",", "intents")) == [(1, ["a", "b,c"]), (5, ["d\ne", "f"])]
    assert error_of(list, text.csv_rows("f", ["a", 'b,"c"d'], ",", "intents")) == (
        "f, line 2: not an intents file (',' expected after '\"')."
    )


def test_what_is_not_a_file(tmp_path, monkeypatch):
    assert error_of(text.open_maybe_gzip, tmp_path, "run") == (
        f"{str(tmp_path)!r} is a folder without Parquet; expected a run file, or a folder of Parquet files."
    )
    missing = tmp_path / "missing"
    assert error_of(text.open_maybe_gzip, missing, "run") == f"no such run file: {str(missing)!r}"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    message = f"cannot read the run from {str(pipe)!r}, which is a pipe or a device; expected a file that can be read "
    for function in (text.open_maybe_gzip, text.require_regular_file):
        assert error_of(function, pipe, "run") == f"{message}more than once."
    for path in (tmp_path, missing):
        text.require_regular_file(path, "run")
    file = tmp_path / "file"
    file.write_text("a")
    text.require_regular_file(file, "run")

    def refuse(*arguments, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert error_of(text.open_maybe_gzip, file, "run") == (f"cannot read the run file {str(file)!r}: Permission denied")


class TestCompressedFiles:
    def test_limits(self, write, monkeypatch):
        assert (compressed.LARGEST_EXPANSION, compressed.ALWAYS_ALLOWED) == (100, 256 << 20)
        monkeypatch.setattr(compressed, "ALWAYS_ALLOWED", 1 << 20)
        with compressed.open_gzip(write(gzip.compress(bytes(1 << 20)))) as file:
            assert len(file.read()) == 1 << 20
        path = write(gzip.compress(bytes((1 << 20) + 1)))
        with compressed.open_gzip(path) as file:
            assert error_of(file.read) == (
                f"{path}: the file expands to more than 100 times its size, and more than 1 MB, which qrels and runs "
                "do not; if this is right, expand it by gunzip first."
            )

    def test_bytes_are_counted_over_all_reads(self, write, monkeypatch):
        monkeypatch.setattr(compressed, "ALWAYS_ALLOWED", 1 << 20)
        with compressed.open_gzip(write(gzip.compress(bytes(3 << 20)))) as file:
            parts = [file.read(1 << 16) for _ in range(16)]
            assert [len(part) for part in parts] == [1 << 16] * 16
            with pytest.raises(IrdivError, match="expands to more than 100 times its size"):
                file.read(1 << 16)

    def test_a_closed_file_is_closed_for_good(self, write):
        file = compressed.open_gzip(write(gzip.compress(b"abc", mtime=0)))
        raw = file.raw
        assert file.readable()
        assert not raw.closed
        file.close()
        assert raw.closed
        assert raw._compressed.closed
        assert raw._gzip.closed


class TestParsers:
    def test_pieces_of_a_file_change_nothing(self, write, monkeypatch):
        path = write("".join(f"{i} 0 d{i} {i % 3}\n" for i in range(50)) + "50 0 d50 1")
        whole = irdiv.read_qrels(path)
        assert whole["query_id"].tolist() == [str(i) for i in range(51)]
        for size in (1, 7, 100):
            monkeypatch.setattr(parsing, "_PIECE_BYTES", size)
            pieces = list(parsing._pieces(path.read_bytes(), "qrels"))
            assert b"".join(piece.to_pybytes() for piece in pieces) == path.read_bytes()
            assert all(piece.to_pybytes().endswith(b"\n") for piece in pieces[:-1])
            pd.testing.assert_frame_equal(irdiv.read_qrels(path), whole)

    def test_files_that_arrow_parses(self, write):
        plain = parsing.read_plain_table(write("1 0 d 1\n"), layouts.TREC_QRELS)
        assert isinstance(plain, pa.Table)
        assert plain.to_pylist() == [{"query_id": "1", "iteration": "0", "doc_id": "d", "relevance": 1}]
        assert plain.schema.types == [pa.large_string()] * 3 + [pa.int64()]

    @pytest.mark.parametrize(
        "content",
        [
            "1 0  d 1\n",
            "1 0\td 1\n",
            "1 0 d 1\r\n",
            "1;0;d;1\n",
            "1 0 d 0x1\n",
            "1 0 0x1 1\n",
            "1 0 d x\n",
            "",
            "\n",
            gzip.compress(b"1 0 d 1\n" * 99, mtime=0)[:-9],
            "<SYSDESC>",
            "1 0 d 1\n1 0 d " + "1" * (1 << 20),
        ],
        ids=range(12),
    )
    def test_files_that_arrow_does_not_parse(self, write, content):
        assert parsing.read_plain_table(write(content), layouts.TREC_QRELS) is None

    def test_a_score_that_is_not_finite_is_not_parsed_by_arrow(self, write):
        assert parsing.read_plain_table(write("1 Q0 d 1 2.5 t\n"), layouts.TREC_RUN) is not None
        assert parsing.read_plain_table(write("1 Q0 d 1 inf t\n"), layouts.TREC_RUN) is None
        assert parsing.read_plain_table(write("1 Q0 d 1 inf t\n1 Q0 e 2 1 t\n"), layouts.TREC_RUN) is None

    @pytest.mark.parametrize("space", [" ", "  "], ids=["by Arrow", "by pandas"])
    def test_ids_stay_as_written(self, write, space):
        docs = ["NA", "null", '"a', "'", "nan", "#", "01", "1.0"]
        frame = irdiv.read_qrels(write("".join(f"1 0{space}{doc} 1\n" for doc in docs)))
        assert frame["doc_id"].tolist() == docs
        assert frame["relevance"].dtype == int

    @pytest.mark.parametrize("content", ["1  0 d 1 x\n", "1  0 d inf\n", "1  0 d 1\n1 0 e 1 x y\n"])
    def test_warnings_that_the_user_ignores_are_errors_of_the_file(self, write, content):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises(IrdivError, match=", line [12]: (found [56] columns|relevance is 'inf')"):
                irdiv.read_qrels(write(content))

    def test_progress(self, write, monkeypatch):
        counted, labels = [], []

        @contextmanager
        def count(*label):
            labels.append(label)
            yield counted.append

        monkeypatch.setattr(parsing, "progress_counter", count)
        monkeypatch.setattr(parsing, "_PIECE_BYTES", 8)
        irdiv.read_qrels(write("1 0 d 1\n1 0 e 1\n1 0 f 1\n"))
        assert labels == [(24, "B", "reading the qrels")]
        assert counted == [16, 8]


class TestFormats:
    def test_names_and_endings(self):
        assert [reader.name for reader in readers.READERS] == ["Parquet", "NTCIREVAL", "TREC"]
        assert readers.TREC.suffixes == (".txt", ".run", ".res", ".trec")
        assert readers.PARQUET.suffixes == (".parquet", ".pq")
        for name in ("a.txt", "a.run", "a.res", "a.trec", "a.txt.gz", "a.parquet", "a.pq", "a.gz", "a"):
            assert readers.without_suffixes(name) == "a"
        assert readers.without_suffixes("a.csv") == "a.csv"

    def test_what_each_file_is_read_by(self, tmp_path):
        (tmp_path / "dqrels").write_text("1 0 d L2\n")
        (tmp_path / "qrels").write_text("1 0 d 2\n")
        (tmp_path / "run").write_text("1 Q0 d 1 2.5 tag\n")
        pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "table")
        names = {path.name: readers.reader_of(path).name for path in tmp_path.iterdir()}
        assert names == {"dqrels": "NTCIREVAL", "qrels": "TREC", "run": "TREC", "table": "Parquet"}
        assert readers.reader_of("missing").name == "TREC"
        assert readers.reader_of("missing.parquet").name == "Parquet"
        assert readers.NTCIREVAL.read(tmp_path / "dqrels", "qrels")["relevance"].tolist() == [2]
        assert error_of(readers.NTCIREVAL.read, tmp_path / "dqrels", "run").endswith(f"as qrels have; {RUN}")
        assert readers.TREC.read_tag(tmp_path / "run") == "tag"
        assert readers.TREC.read_run_in_thread(tmp_path / "run")["score"].to_pylist() == [2.5]
        assert len(read_trec(tmp_path / "qrels", "other role")) == 1

    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            ("1 0 d L2\n", True),
            ("\n 1 0 d L2\n1 0 d 2\n", True),
            ("\ufeff1;0;d d;L2\n", True),
            (gzip.compress(b"1 0 d L2\n", mtime=0), True),
            ("1 0 d 2\n1 0 d L2\n", False),
            ("1 0 d d L2\n", False),
            ("0 d L2\n", False),
            ("", False),
            (gzip.compress(b"1 0 d L2\n" * 99, mtime=0)[:-20], False),
            (b"\xff 0 d L2\n", True),
        ],
    )
    def test_dqrels(self, write, content, expected):
        assert is_dqrels(write(content)) is expected

    def test_paths_that_are_not_dqrels(self, tmp_path):
        assert is_dqrels(tmp_path) is is_dqrels(tmp_path / "missing") is is_dqrels(Path("x" * 5000)) is False

    def test_parquet(self, tmp_path):
        def touch(name: str, content: bytes = b"") -> Path:
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
            return path

        for name in ("a.parquet", "a.PQ"):
            assert is_parquet(tmp_path / name)
        assert is_parquet(touch("magic", b"PAR1 and more"))
        assert not is_parquet(touch("other", b"PAR2 and more"))
        assert not is_parquet(tmp_path / "missing")
        assert not is_parquet(Path("x" * 5000))
        touch("hidden/.a.parquet")
        touch("hidden/_a.parquet")
        touch("hidden/magic", b"PAR1")
        assert not is_parquet(tmp_path / "hidden")
        touch("hidden/b.Parquet")
        assert is_parquet(tmp_path / "hidden")

    def test_parquet_is_not_trec(self, tmp_path):
        path = tmp_path / "a.parquet"
        message = f"{str(path)!r} is Parquet, not a TREC file; give it to irdiv.evaluate, or to pandas.read_parquet."
        for read in (irdiv.read_qrels, irdiv.read_run):
            assert error_of(read, path) == message
