"""What commands take as qrels and topics: TREC's XML, NTCIREVAL's Dqrels and ids of ir_datasets."""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import os

import numpy as np
import pandas as pd
import pytest

import irdiv
from helpers import data_of_page
from irdiv_cli import local_files, main, output, parser

DQRELS = "0001 1 d1 L2\n0001 2 d2 L1\n0001 3 d1 L0\n0002 1 d3 L1\n"
IPROB = "0001 1 0.7\n0001 2 0.3\n0002 1 1.0\n"
RUN = "0001 Q0 d2 1 3.0 me\n0001 Q0 d1 2 2.0 me\n0002 Q0 x 1 2.0 me\n0002 Q0 d3 2 1.0 me\n"
XML = """<webtrack>
<topic number="1" type="faceted"><query>big
  cat</query><description>Cats.</description>
<subtopic number="1" type="nav">Find the cat</subtopic><subtopic number="2" type="inf">Read about cats</subtopic>
<subtopic number="3" type="inf">Unjudged cats</subtopic></topic>
</webtrack>
"""
TREC_QRELS = "1 1 d1 1\n1 2 d2 1\n1 2 d3 1\n"
TREC_RUN = "1 Q0 d3 1 3.0 me\n1 Q0 d2 2 2.0 me\n1 Q0 d1 3 1.0 me\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {
        "x.Dqrels": DQRELS,
        "x.Iprob": IPROB,
        "x.run": RUN,
        "topics.xml": XML,
        "qrels.txt": TREC_QRELS,
        "trec.run": TREC_RUN,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def means(capsys, *arguments: str) -> dict[str, float]:
    assert main([*arguments, "-o", "jsonl"]) == 0
    return {row["measure"]: row["value"] for row in map(json.loads, capsys.readouterr().out.splitlines())}


def error(capsys, *arguments: str) -> str:
    assert main(list(arguments)) == 2
    return capsys.readouterr().err


def test_dqrels_with_probabilities(folder, capsys):
    specs = ["D#-nDCG@10", "I-rec@1", "ERR-IA@10"]
    found = means(capsys, "eval", "x.Dqrels", "x.run", "--intent-table", "x.Iprob", "-m", *specs)
    qrels = irdiv.datasets.read_ntcir_qrels("x.Dqrels", "x.Iprob")
    expected = irdiv.evaluate(qrels, "x.run", specs).summary().loc["x"]
    assert found == expected.to_dict()
    # topic 0001: one of two intents at rank 1; topic 0002: none
    assert found["I-rec@1"] == 0.25


def test_dqrels_alone_have_uniform_probabilities_and_a_note(folder, capsys):
    assert main(["eval", "x.Dqrels", "x.run", "-m", "ERR-IA@1"]) == 0
    captured = capsys.readouterr()
    assert "irdiv: note: Dqrels have no probabilities of intents" in captured.err
    assert main(["eval", "x.Dqrels", "x.run", "-m", "ERR-IA@1", "--intent-table", "x.Iprob"]) == 0
    weighted = capsys.readouterr()
    assert "probabilities" not in weighted.err
    # uniform: 1/2 · 1/4 in topic 0001, and 0 in topic 0002; weighted: .3 · 1/4
    assert "0.0625" in captured.out
    assert "0.0375" in weighted.out


def test_dqrels_that_need_probabilities(folder, capsys):
    (folder / "tree.csv").write_text("query_id,intent_id,parent_id\n0001,1,a\n0001,2,a\n0001,a,\n0002,1,\n")
    arguments = ["eval", "x.Dqrels", "x.run", "-m", "D-nDCG-LA(weights=NB)@10", "--intent-table", "tree.csv"]
    assert "weights='NB' needs the probabilities of intents" in error(capsys, *arguments)
    (folder / "x.Iprob").write_text("0001 1 0.7\n0002 1 1.0\n")
    arguments = ["eval", "x.Dqrels", "x.run", "-m", "D-nDCG@10", "--intent-table", "x.Iprob"]
    assert "intent '2' of topic '0001'" in error(capsys, *arguments)


@pytest.mark.parametrize(
    "command", ["compare", "discpower", "correlate", "concordance", "oracle", "hierarchy", "report"]
)
def test_every_command_takes_dqrels(folder, capsys, command):
    (folder / "y.run").write_text(RUN.replace("d2 1 3.0", "d2 1 1.5"))
    runs = {"oracle": [], "hierarchy": ["x.run"]}.get(command, ["x.run", "y.run"])
    options = {"concordance": ["--gold", "I-rec@10"], "oracle": []}.get(command, ["--intent-table", "x.Iprob"])
    assert main([command, "x.Dqrels", *runs, *options]) == 0


def test_dqrels_are_recognized_in_the_library(folder):
    expected = irdiv.datasets.read_ntcir_qrels("x.Dqrels")
    (folder / "y.gz").write_bytes(gzip.compress(("\ufeff\n" + DQRELS).encode()))
    (folder / "z").write_text(DQRELS.replace(" ", ";"))
    for path in ("x.Dqrels", "y.gz", "z"):
        evaluation = irdiv.evaluate(path, "x.run", "D#-nDCG@10")
        np.testing.assert_array_equal(evaluation.values, irdiv.evaluate(expected, "x.run", "D#-nDCG@10").values)
    (folder / "bad").write_text(DQRELS + "0002 1 d4 2\n")
    with pytest.raises(irdiv.IrdivError, match="bad, line 5: relevance is '2', not a level such as L2"):
        irdiv.evaluate("bad", "x.run", "D#-nDCG@10")
    with pytest.raises(
        irdiv.IrdivError, match=r"relevance is 'L2', not an integer .*\(irdiv.datasets.read_ntcir_qrels"
    ):
        irdiv.read_qrels("x.Dqrels")
    with pytest.raises(irdiv.IrdivError, match="found 4 columns, as qrels have"):
        irdiv.evaluate("x.Dqrels", "x.Dqrels", "D#-nDCG@10")


def test_the_files_of_imine(real_data, capsys):
    folder = real_data / "ntcir11-imine" / "en"
    run = sorted((folder / "runs").glob("*.gz"))[0]
    arguments = ["eval", str(folder / "fls.Dqrels"), str(run), "--intent-table", str(folder / "fls.Iprob")]
    found = means(capsys, *arguments, "-m", "D#-nDCG@10", "I-rec@10")
    qrels = irdiv.datasets.read_ntcir_qrels(folder / "fls.Dqrels", folder / "fls.Iprob")
    assert list(found.values()) == irdiv.evaluate(qrels, run, ["D#-nDCG@10", "I-rec@10"]).means()[0].tolist()


def test_topics_in_xml(folder, capsys):
    specs = ["I-rec(intents='all')@1", "DIN-nDCG@3"]
    arguments = ["eval", "qrels.txt", "trec.run", "-m", *specs]
    found = means(capsys, *arguments, "--topics", "topics.xml")
    collection = irdiv.datasets.read_trec_web("qrels.txt", "topics.xml")
    assert found == irdiv.evaluate(collection, "trec.run", specs).summary().loc["trec"].to_dict()
    # Intent 3 is declared without a judged document.
    assert found[specs[0]] == pytest.approx(1 / 3)
    assert means(capsys, *arguments[:5])[specs[0]] == 0.5
    (folder / "topics.xml").write_text(XML.replace("</query>", ""))
    assert "topics.xml, line 5: mismatched tag" in error(capsys, *arguments, "--topics", "topics.xml")


@pytest.mark.parametrize("option", ["--topics", "--topic-texts"])
def test_texts_of_topics_in_the_report(folder, capsys, option):
    pytest.importorskip("jinja2")
    (folder / "other.run").write_text(TREC_RUN.replace("3.0", "0.5"))
    assert main(["report", "qrels.txt", "trec.run", "other.run", option, "topics.xml"]) == 0
    data = data_of_page((folder / "report.html").read_text(encoding="utf-8"))
    assert "big cat" in [topic["text"] for topic in data["topics"]]
    described = any("Find the cat" in intent["text"] for intents in data["intents"] for intent in intents)
    assert described is (option == "--topics")


@pytest.fixture
def pipe():
    """A function that returns a path such as that of ``<(cat FILE)`` in a shell, with some content."""
    ends = []

    def with_content(content: bytes) -> str:
        reading, writing = os.pipe()
        ends.append(reading)
        with open(writing, "wb") as file:
            file.write(content)
        return f"/dev/fd/{reading}"

    yield with_content
    local_files._saved_pipe.cache_clear()
    for end in ends:
        os.close(end)


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="needs /dev/fd")
@pytest.mark.parametrize(
    ("place", "content"),
    [
        ("QRELS", TREC_QRELS),
        ("--intent-table", "1 1 0.25\n1 2 0.75\n"),
        ("--topics", XML),
        ("--heval", "1\t1\t.25\n1\t2\t.75\n"),
        ("--topic-texts", "1\tbig cat\n"),
    ],
)
def test_a_pipe_for_any_file_of_the_report(folder, capsys, pipe, place, content):
    pytest.importorskip("jinja2")
    (folder / "other.run").write_text(TREC_RUN.replace("3.0", "0.5"))
    (folder / "file").write_text(content)

    def page(path: str) -> str:
        files = [path, "trec.run", "other.run"] if place == "QRELS" else ["qrels.txt", "trec.run", "other.run"]
        assert main(["report", *files, *([] if place == "QRELS" else [place, path])]) == 0
        return (folder / "report.html").read_text(encoding="utf-8")

    path = pipe(content.encode())
    expected, found = page("file"), page(path)
    assert data_of_page(found) == data_of_page(expected)
    assert hashlib.sha256(content.encode()).hexdigest() in found
    assert found.count(path) == 2  # in the command line and in the list of files
    assert "/tmp" not in found


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="needs /dev/fd")
def test_errors_name_pipes_as_given(folder, capsys, pipe):
    path = pipe(b"1 1 0.25\n1 2 x\n")
    assert f"{path}, line 2: " in error(capsys, "eval", "qrels.txt", "trec.run", "--intent-table", path)


@pytest.mark.parametrize(
    "arguments",
    [
        ["eval", "-", "-"],
        ["eval", "/dev/stdin", "/dev/stdin"],
        ["eval", "-", "/dev/stdin"],
        ["eval", "qrels.txt", "-", "-"],
        ["eval", "qrels.txt", "-", "--intent-table", "/dev/fd/0"],
        ["hierarchy", "-", "-"],
        ["topic", "-", "trec.run", "-", "--worst", "1"],
        ["compare", "--collection", "one", "-", "trec.run", "--collection", "two", "qrels.txt", "-"],
        ["compare", "--collection", "one", "-", "trec.run", "--topics", "one=-"],
    ],
)
def test_standard_input_is_given_once(folder, capsys, monkeypatch, arguments):
    monkeypatch.setattr("sys.stdin", None)  # the error comes before anything is read
    message = error(capsys, *arguments)
    expected = "irdiv: error: standard input ('-') can be read only once; give the other files by their paths.\n"
    assert " ".join(message.split()) + "\n" == expected


def test_qrels_in_standard_input_are_not_the_id_of_a_topic(folder, capsys, monkeypatch):
    (folder / "other.run").write_text(TREC_RUN.replace("d3", "x"))
    arguments = ["trec.run", "other.run", "--worst", "1", "-m", "I-rec@1", "-o", "csv"]
    assert main(["topic", "qrels.txt", *arguments]) == 0
    expected = capsys.readouterr().out
    local_files._saved_standard_input.cache_clear()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TREC_QRELS.encode())))
    assert main(["topic", "-", *arguments]) == 0
    assert capsys.readouterr().out == expected
    local_files._saved_standard_input.cache_clear()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_given_once(folder, capsys):
    os.mkfifo("pipe")
    assert "the pipe 'pipe' can be read only once" in error(capsys, "eval", "pipe", "pipe")


def test_all_files_of_commands_are_checked_for_standard_input():
    (subparsers,) = [action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)]
    actions = [action for command in subparsers.choices.values() for action in command._actions]
    positional = {a.dest for a in actions if not a.option_strings and a.metavar in ("QRELS", "RUN", "NUGGETS")}
    written = {"file", "plot", "output", "report"}
    options = {a.dest for a in actions if a.option_strings and a.metavar == "FILE"}
    assert positional | options - written == set(local_files.FILE_ARGUMENTS)


def test_messages_name_files_whose_paths_start_alike(capsys, monkeypatch):
    monkeypatch.setattr(output, "_names_of_files", {})
    output.name_file_in_messages("saved/1", "first")
    output.name_file_in_messages("saved/12", "second")
    output.print_note("saved/12 and saved/1")
    assert capsys.readouterr().err == "irdiv: note: second and first\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 big cat\n", "topics.txt, line 1: expected a topic, a tab and its text"),
        ("1\tbig cat\n\n1\tcar\n", "topics.txt, line 3: topic '1' is there twice"),
        ("\n", "topics.txt: the topics file is empty"),
        ("<webtrack><topic>", "topics.txt, line 1: <topic> has no number"),
        ("<html></html>", "topics.txt: no topics; expected XML"),
    ],
)
def test_bad_texts_of_topics(folder, capsys, text, message):
    (folder / "topics.txt").write_text(text.replace("<topic>", "<topic/></webtrack>"))
    arguments = ["report", "qrels.txt", "trec.run", "--topic-texts", "topics.txt"]
    assert message in error(capsys, *arguments)


@pytest.mark.usefixtures("irds_home")
def test_ids_of_ir_datasets(real_data, capsys, tmp_path, monkeypatch):
    run = str(real_data / "trec-web" / "runs-2012" / "ql-catb.txt.gz")
    by_id = means(capsys, "eval", "clueweb09/en/trec-web-2012/diversity", run, "-m", "D#-nDCG@10")
    by_file = means(capsys, "eval", str(real_data / "trec-web/2012/qrels.diversity.txt"), run, "-m", "D#-nDCG@10")
    assert by_id == by_file
    assert main(["oracle", "clueweb09/en/trec-web-2012/diversity", "--depth", "1"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 50
    # A file with this name comes first.
    monkeypatch.chdir(tmp_path)
    os.makedirs("clueweb09/en/trec-web-2012")
    (tmp_path / "clueweb09/en/trec-web-2012/diversity").write_text(TREC_QRELS)
    (tmp_path / "trec.run").write_text(TREC_RUN)
    assert means(capsys, "eval", "clueweb09/en/trec-web-2012/diversity", "trec.run", "-m", "I-rec@3") == {"I-rec@3": 1}


def test_a_registered_folder_of_imine(real_data, capsys):
    from irdiv.plugins.ir_datasets import register_imine

    folder = real_data / "ntcir11-imine" / "en"
    run = str(sorted((folder / "runs").glob("*.gz"))[0])
    (name,) = [name for name in register_imine(real_data / "ntcir11-imine") if name.endswith("/en")]
    found = means(capsys, "eval", name, run, "-m", "D#-nDCG@10", "N-rec@10")
    collection = irdiv.datasets.read_imine(folder, "en")
    assert list(found.values()) == irdiv.evaluate(collection, run, ["D#-nDCG@10", "N-rec@10"]).means()[0].tolist()


def test_wrong_ids_and_missing_files(folder, capsys):
    for wrong in ("clueweb12/trec-web-2013", "clueweb12/catb/trec-web-2013/diversity"):
        message = error(capsys, "eval", wrong, "trec.run")
        assert "did you mean 'clueweb12/trec-web-2013/diversity'?" in message
    assert "no such qrels file: 'clueweb12/catb/trec-web-2013/diversity'" in message
    assert "'irdiv/ntcir11-imine/fr' is not registered" in error(capsys, "eval", "irdiv/ntcir11-imine/fr", "trec.run")
    assert "no such qrels file: 'none.txt'" in error(capsys, "eval", "none.txt", "trec.run")
    assert "no such qrels file: 'data/none.txt'" in error(capsys, "eval", "data/none.txt", "trec.run")
    assert "has no judgments by subtopic" in error(capsys, "eval", "cranfield", "trec.run")
    assert "did you mean" not in error(capsys, "eval", "cranfield", "trec.run")
    arguments = ["eval", "clueweb12/trec-web-2013/diversity", "trec.run", "--topics", "topics.xml"]
    assert "--topics is for qrels files" in error(capsys, *arguments)


def test_one_file_with_many_runs(folder, capsys):
    """By a column of Parquet, or by the tags of a TREC file."""
    one = TREC_RUN + "2 Q0 d1 1 2.0 me\n2 Q0 d2 2 1.0 me\n"
    other = one.replace("me", "you").replace("d3", "x")
    lines = one + other
    (folder / "qrels.txt").write_text(TREC_QRELS + "2 1 d1 1\n2 1 d9 1\n")
    (folder / "one.run").write_text(one)
    (folder / "other.run").write_text(other)
    frames = {"up": irdiv.read_run("one.run"), "down": irdiv.read_run("other.run")}
    pd.concat([frame.assign(system=name) for name, frame in frames.items()]).to_parquet("all.parquet")
    (folder / "all.run").write_text(lines)
    for file, column, runs in (("all.parquet", "system", ["up", "down"]), ("all.run", "run", ["me", "you"])):
        assert main(["eval", "qrels.txt", file, "--run-column", column, "-m", "nDCG@2", "-o", "jsonl"]) == 0
        rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [row["run"] for row in rows] == runs
        expected = irdiv.evaluate("qrels.txt", file, "nDCG@2", run_column=column).means()
        assert [row["value"] for row in rows] == expected[:, 0].tolist()
        assert rows[0]["value"] != rows[1]["value"]
    for command in (["rank"], ["compare", "--baseline", "up"]):
        assert main([*command, "qrels.txt", "all.parquet", "--run-column", "system", "-m", "nDCG@2"]) == 0
        assert "down" in capsys.readouterr().out


def test_many_runs_in_one_file_are_not_taken_for_one(folder, capsys):
    (folder / "all.run").write_text(TREC_RUN + "1 Q0 d4 1 3.0 you\n")
    assert main(["eval", "qrels.txt", "all.run"]) == 0
    assert "several names, such as 'me', 'you'" in " ".join(capsys.readouterr().err.split())
    for arguments, message in (
        (["all.run", "trec.run", "--run-column", "run"], "--run-column names the runs of one file, found 2"),
        (["all.run", "--run-column", "run", "--names", "tag"], "leave out --names"),
        (["all.run", "--run-column", "system"], "the runs lack a column 'system'"),
    ):
        assert message in " ".join(error(capsys, "eval", "qrels.txt", *arguments).split())
