"""What commands take as qrels, topics and runs: TREC's XML, NTCIREVAL's Dqrels, ids of ir_datasets, pipes."""

from __future__ import annotations

import os
import re

import pytest

import irdiv
from cli_helpers import call, error, means, out, rows
from helpers import data_of_page

XML = """<webtrack>
<topic number="1" type="faceted"><query>big
  cat</query><description>Cats.</description>
<subtopic number="1" type="nav">Find the cat</subtopic><subtopic number="2" type="inf">Read about cats</subtopic>
<subtopic number="3" type="inf">Unjudged cats</subtopic></topic>
</webtrack>
"""
TREC_RUN = "1 Q0 d3 1 3.0 me\n1 Q0 d2 2 2.0 me\n1 Q0 d1 3 1.0 me\n"
NTCIR_RUN = "0001 Q0 d2 1 3.0 me\n0001 Q0 d1 2 2.0 me\n0002 Q0 x 1 2.0 me\n0002 Q0 d3 2 1.0 me\n"
TEXTS = {
    "x.Dqrels": "0001 1 d1 L2\n0001 2 d2 L1\n0001 2 d1 L0\n0002 1 d3 L1\n",
    "x.Iprob": "0001 1 0.7\n0001 2 0.3\n0002 1 1.0\n",
    "x.run": NTCIR_RUN,
    "y.run": NTCIR_RUN.replace("d2", "x"),
    "topics.xml": XML,
    "qrels.txt": "1 1 d1 1\n1 2 d2 1\n1 2 d3 1\n",
    "trec.run": TREC_RUN,
    "other.run": TREC_RUN.replace("d3", "x"),
    "intents": "1 1 0.25\n1 2 0.75\n",
    "heval": "1\t1\t.25\n1\t2\t.75\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


# NTCIREVAL's files


def test_dqrels_with_and_without_probabilities(capsys):
    command = ["eval", "x.Dqrels", "x.run", "-m", "ERR-IA@1", "D#-nDCG@10", "I-rec@1"]
    weighted, uniform = (means(capsys, *command, *more)["x"] for more in (["--intent-table", "x.Iprob"], []))
    qrels = irdiv.datasets.read_ntcir_qrels("x.Dqrels", "x.Iprob")
    assert weighted == irdiv.evaluate(qrels, "x.run", list(weighted)).summary().loc["x"].to_dict()
    # In topic 0001, rank 1 has one of two intents, with grade 1 of 2; in topic 0002, it has none.
    assert weighted["I-rec@1"] == uniform["I-rec@1"] == pytest.approx(1 / 2 / 2)
    assert weighted["ERR-IA@1"] == pytest.approx(0.3 * 1 / 4 / 2)
    assert uniform["ERR-IA@1"] == pytest.approx(1 / 2 * 1 / 4 / 2)
    assert "note: Dqrels have no probabilities" in call(capsys, *command).err
    assert "no probabilities" not in call(capsys, *command, "--intent-table", "x.Iprob").err


def test_dqrels_that_need_probabilities(capsys, folder):
    (folder / "tree.csv").write_text("query_id,intent_id,parent_id\n0001,1,a\n0001,2,a\n0001,a,\n0002,1,\n")
    command = ["eval", "x.Dqrels", "x.run", "-m"]
    message = error(capsys, *command, "D-nDCG-LA(weights=NB)@10", "--intent-table", "tree.csv")
    assert "weights='NB' needs the probabilities" in message
    (folder / "x.Iprob").write_text("0001 1 0.7\n0002 1 1.0\n")
    assert "intent '2' of topic '0001'" in error(capsys, *command, "D-nDCG@10", "--intent-table", "x.Iprob")


@pytest.mark.parametrize(
    "words",
    [
        "compare x.Dqrels x.run y.run",
        "discpower x.Dqrels x.run y.run",
        "correlate x.Dqrels x.run y.run",
        "concordance x.Dqrels x.run y.run --gold I-rec@10",
        "oracle x.Dqrels",
        "hierarchy x.Dqrels x.run",
        "report x.Dqrels x.run y.run",
    ],
    ids=lambda words: words.split()[0],
)
def test_every_command_takes_dqrels(capsys, words):
    assert out(capsys, *words.split(), *([] if words.startswith("oracle") else ["--intent-table", "x.Iprob"]))


# TREC's topics


def test_topics_in_xml(capsys, folder):
    spec = "I-rec(intents='all')@1"
    command = ["eval", "qrels.txt", "trec.run", "-m", spec, "--topics", "topics.xml"]
    # Intent 3 is declared without a judged document.
    warns = ("1 of 3 intents have no judged document",)
    assert means(capsys, *command, warns=warns) == {"trec": {spec: pytest.approx(1 / 3)}}
    assert means(capsys, *command[:-2]) == {"trec": {spec: pytest.approx(1 / 2)}}
    types = means(capsys, *command[:3], *command[-2:], "-m", "DIN-nDCG@3")["trec"]
    collection = irdiv.datasets.read_trec_web("qrels.txt", "topics.xml")
    assert types == irdiv.evaluate(collection, "trec.run", "DIN-nDCG@3").summary().loc["trec"].to_dict()
    (folder / "topics.xml").write_text(XML.replace("</query>", ""))
    assert "topics.xml, line 5: mismatched tag" in error(capsys, *command)


@pytest.mark.parametrize(
    ("option", "file"), [("--topics", "topics.xml"), ("--topic-texts", "topics.xml"), ("--topic-texts", "topics.txt")]
)
def test_texts_of_topics_in_the_report(capsys, folder, option, file):
    (folder / "topics.txt").write_text("\n1:big cat\n")
    out(capsys, "report", "qrels.txt", "trec.run", "other.run", option, file)
    data = data_of_page((folder / "report.html").read_text(encoding="utf-8"))
    assert [topic["text"] for topic in data["topics"]] == ["big cat"]
    texts = [intent["text"] for intents in data["intents"] for intent in intents]
    assert any("Find the cat" in text for text in texts) is (option == "--topics")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 big cat\n", "topics.txt, line 1: expected a topic, a tab and its text"),
        ("1\tbig cat\n\n1\tcar\n", "topics.txt, line 3: topic '1' is there twice"),
        ("\n", "topics.txt: the topics file is empty"),
        ("<webtrack><topic/></webtrack>", "topics.txt, line 1: <topic> has no number"),
        ("<html></html>", "topics.txt: no topics"),
    ],
)
def test_bad_texts_of_topics(capsys, folder, text, message):
    (folder / "topics.txt").write_text(text)
    assert message in error(capsys, "report", "qrels.txt", "trec.run", "--topic-texts", "topics.txt")


# Standard input and pipes


def test_standard_input(capsys):
    expected = rows(capsys, "eval", "qrels.txt", "trec.run", "-m", "nDCG@2")
    for words, stdin, name in (
        (["-", "trec.run"], "qrels.txt", "trec"),
        (["qrels.txt", "-"], "trec.run", "stdin"),
    ):
        found = rows(capsys, "eval", *words, "-m", "nDCG@2", stdin=TEXTS[stdin].encode())
        assert found.to_dict("list") == {**expected.to_dict("list"), "run": [name]}
    # '-' is not the ID of a topic.
    command = ["trec.run", "other.run", "--worst", "1", "-m", "I-rec@2"]
    expected = rows(capsys, "topic", "qrels.txt", *command)
    assert rows(capsys, "topic", "-", *command, stdin=TEXTS["qrels.txt"].encode()).equals(expected)
    result = call(capsys, "eval", "qrels.txt", "-", stdin=b"1 Q0 a\n")
    assert result.err.startswith("irdiv: error: standard input, line 1: ")


@pytest.mark.parametrize(
    "words",
    [
        "eval - -",
        "eval - /dev/stdin",
        "eval qrels.txt - -",
        "eval qrels.txt - --intent-table /dev/fd/0",
        "hierarchy - -",
        "coverage - trec.run -",
        "topic - trec.run - --worst 1",
        "compare --collection one - trec.run --collection two qrels.txt -",
        "compare --collection one - trec.run --topics one=-",
    ],
)
def test_standard_input_is_given_once(capsys, words):
    assert "standard input ('-') can be read only once" in error(capsys, *words.split())


@pytest.fixture
def pipe():
    """A function that returns the path of a pipe with some content, as ``<(cat FILE)`` of a shell."""
    if not os.path.exists("/dev/fd"):
        pytest.skip("needs /dev/fd")
    ends = []

    def with_content(content: str) -> str:
        reading, writing = os.pipe()
        ends.append(reading)
        with open(writing, "w") as file:
            file.write(content)
        return f"/dev/fd/{reading}"

    yield with_content
    for end in ends:
        os.close(end)


PIPES = [
    "eval {qrels.txt} trec.run -m D-nDCG@3",
    "eval qrels.txt {trec.run} --names tag -m D-nDCG@3",
    "eval qrels.txt trec.run -m D-nDCG@3 --intent-table {intents}",
    "eval qrels.txt trec.run -m DIN-nDCG@3 --topics {topics.xml}",
    "eval qrels.txt trec.run -m D-nDCG@3 --heval {heval}",
]


@pytest.mark.parametrize("words", PIPES, ids=lambda words: re.findall(r"{(.*)}", words)[0])
def test_a_pipe_is_read_as_a_file(capsys, pipe, words):
    expected = rows(capsys, *re.sub("[{}]", "", words).split(), "-q")
    found = rows(capsys, *re.sub("{(.*)}", lambda match: pipe(TEXTS[match[1]]), words).split(), "-q")
    if "{trec.run}" in words:
        found["run"] = expected["run"]
    assert found.to_dict("records") == expected.to_dict("records")


def test_mistakes_in_pipes(capsys, pipe):
    path = pipe("1 1 0.25\n1 2 x\n")
    assert f"{path}, line 2: " in error(capsys, "eval", "qrels.txt", "trec.run", "--intent-table", path)
    assert f"the pipe '{path}' can be read only once" in error(capsys, "eval", path, path)


# Datasets


@pytest.mark.usefixtures("irds_home")
def test_ids_of_ir_datasets(capsys, real_data, folder):
    name = "clueweb09/en/trec-web-2012/diversity"
    command = [real_data / "trec-web" / "runs-2012" / "ql-catb.txt.gz", "-m", "D#-nDCG@10"]
    by_id = means(capsys, "eval", name, *command)
    assert by_id == means(capsys, "eval", real_data / "trec-web/2012/qrels.diversity.txt", *command)
    # A file with this name comes first.
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_text(TEXTS["qrels.txt"])
    assert means(capsys, "eval", name, "trec.run", "-m", "I-rec@3") == {"trec": {"I-rec@3": 1}}


def test_imine_as_files_and_as_a_dataset(capsys, real_data):
    from irdiv.plugins.ir_datasets import register_imine

    files = real_data / "ntcir11-imine" / "en"
    run = min((files / "runs").glob("*.gz"))
    (name,) = [name for name in register_imine(real_data / "ntcir11-imine") if name.endswith("/en")]
    specs = ["D#-nDCG@10", "N-rec@10"]
    expected = irdiv.evaluate(irdiv.datasets.read_imine(files, "en"), run, specs).means()[0].tolist()
    (found,) = means(capsys, "eval", name, run, "-m", *specs).values()
    assert list(found.values()) == expected
    command = ["eval", files / "fls.Dqrels", run, "--intent-table", files / "fls.Iprob", "-m", specs[0]]
    (found,) = means(capsys, *command).values()
    qrels = irdiv.datasets.read_ntcir_qrels(files / "fls.Dqrels", files / "fls.Iprob")
    assert list(found.values()) == irdiv.evaluate(qrels, run, specs[:1]).means()[0].tolist()


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ("clueweb12/trec-web-2013", "did you mean 'clueweb12/trec-web-2013/diversity'"),
        ("clueweb12/catb/trec-web-2013/diversity", "no such qrels file.*did you mean 'clueweb12/trec-web-2013/div"),
        ("irdiv/ntcir11-imine/fr", "'irdiv/ntcir11-imine/fr' is not registered"),
        ("none.txt", "no such qrels file: 'none.txt'"),
        ("data/none.txt", "no such qrels file: 'data/none.txt'"),
        ("cranfield", "has no judgments by subtopic(?!.*did you mean)"),
        ("clueweb12/trec-web-2013/diversity --topics topics.xml", "--topics is for qrels files"),
    ],
)
def test_wrong_ids_and_missing_files(capsys, qrels, message):
    path, *options = qrels.split()
    assert re.search(message, error(capsys, "eval", path, "trec.run", *options))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("trec.run other.run --run-column run", "--run-column names the runs of one file, found 2"),
        ("trec.run --run-column run --names tag", "leave out --names"),
        ("trec.run --run-column system", "lack a column 'system'"),
    ],
)
def test_mistakes_in_files_with_many_runs(capsys, words, message):
    assert message in error(capsys, "eval", "qrels.txt", *words.split())
