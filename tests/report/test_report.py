"""The report: its data, what it states about tests and where it comes from, files and sites."""

from __future__ import annotations

import hashlib
import re
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import irdiv
from helpers import data_of_page, random_collection, random_run
from irdiv import IrdivError
from irdiv.demo import demo_collection, demo_qrels_and_runs, write_demo
from irdiv.report import Provenance, descriptions_by_intent, render, write_report, write_site
from irdiv.report.assembly import make_page
from irdiv.report.files import page_files
from irdiv.report.page import Page, PageOptions
from irdiv.report.provenance import command_line
from irdiv_cli import main

MEASURES = ["D#-nDCG@10", "I-rec@10", "E@20"]
"""Of the last, less is better."""


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


def page_of(evaluation, **options) -> Page:
    """Return what the template receives."""
    return make_page(evaluation, list(evaluation.measures), PageOptions(**options), Provenance.now("a test", []))


@pytest.fixture(scope="module")
def evaluation():
    return irdiv.evaluate(*demo_qrels_and_runs(), MEASURES)


@pytest.fixture(scope="module")
def text() -> str:
    collection = demo_collection()
    topics = dict(zip(collection.topics["query_id"], collection.topics["query"], strict=True))
    descriptions = descriptions_by_intent(collection.intents)
    return render(*demo_qrels_and_runs(), topic_texts=topics, intent_descriptions=descriptions, title="A demo")


def test_the_page_needs_nothing_else(text):
    loaded = [a for tag, a in Tags(text).tags if tag in ("img", "link", "iframe") or (tag == "script" and "src" in a)]
    assert loaded == []
    assert "http://" not in text.replace("http://www.w3.org", "")
    assert "https://" not in text


def test_the_leaderboard_has_the_values_of_evaluate(text):
    for value in irdiv.evaluate(*demo_qrels_and_runs(), "D#-nDCG@10").summary()["D#-nDCG@10"]:
        assert f"{value:.4f}" in text


class TestData:
    def test_values_are_those_of_evaluate_to_the_last_bit(self, evaluation):
        data = data_of_page(render(evaluation, baseline="relevance"))
        assert [measure["name"] for measure in data["measures"]] == MEASURES
        assert [measure["less_is_better"] for measure in data["measures"]] == [False, False, True]
        assert data["runs"] == list(irdiv.stats.leaderboard(evaluation, measures=MEASURES[0])["run"])
        assert data["runs"][data["baseline"]] == "relevance"
        for measure, of_runs in zip(MEASURES, data["values"], strict=True):
            assert np.array_equal(np.array(of_runs).T, evaluation[measure][data["runs"]].to_numpy())

    @pytest.mark.parametrize("seed", range(3))
    def test_documents_are_those_of_topic(self, seed):
        qrels = random_collection(seed)
        runs = {name: random_run(10 * seed + index) for index, name in enumerate(("many", "few", "other"))}
        runs["few"] = runs["few"][runs["few"]["query_id"] != runs["few"]["query_id"].iloc[0]]
        evaluation = irdiv.evaluate(qrels, runs, ["D#-nDCG@5", "I-rec@5"])
        data = data_of_page(render(evaluation, cutoff=4))
        assert data["cutoff"] == 4
        for topic, query_id in enumerate(evaluation.query_ids):
            assert data["topics"][topic]["id"] == query_id
            expected = evaluation.topic(query_id, cutoff=4)
            intents, ids = data["intents"][topic], data["documents"][topic]
            judged = {document: dict(grades) for document, grades in data["judged"][topic]}
            used = {document for ranked in data["rankings"] for document in ranked[topic]}
            assert used == set(range(len(ids)))
            assert len(set(ids)) == len(ids)
            for run, ranked in zip(data["runs"], data["rankings"], strict=True):
                grades = expected.grades(run)
                assert [intent["id"] for intent in intents] == list(grades.index)
                shown = [
                    [judged[document].get(intent, 0) if document in judged else None for document in ranked[topic]]
                    for intent in range(len(intents))
                ]
                known = grades.astype(object).where(grades.notna(), None).to_numpy().tolist()
                assert shown == known
                frame = expected.intents
                rows = frame[frame["run"] == run]
                by_rank = dict(zip(rows["rank"], rows["doc_id"], strict=True))
                assert {rank: ids[ranked[topic][rank - 1]] for rank in by_rank} == by_rank
            probabilities = dict(zip(expected.intents["intent_id"], expected.intents["probability"], strict=True))
            of_page = {intent["id"]: intent["probability"] for intent in intents}
            assert probabilities == {intent: of_page[intent] for intent in probabilities}

    def test_ties_are_ordered_as_in_the_evaluation(self):
        qrels = pd.DataFrame([("1", "1", "a", 1)], columns=["query_id", "intent_id", "doc_id", "relevance"])
        tied = {"1": {"a": 1.0, "b": 1.0}}
        for ties, ids in (("docid_desc", ["b", "a"]), ("docid_asc", ["a", "b"])):
            data = data_of_page(render(qrels, tied, ties=ties))
            assert [data["documents"][0][document] for document in data["rankings"][0][0]] == ids
            assert data["judged"] == [[[ids.index("a"), [[0, 1]]]]]

    def test_judged_documents_without_relevance_are_not_unjudged(self):
        rows = [("1", "1", "a", 1), ("1", "1", "b", 0)]
        qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
        data = data_of_page(render(qrels, {"1": ["c", "b", "a"]}))
        judged = {data["documents"][0][document]: grades for document, grades in data["judged"][0]}
        assert judged == {"a": [[0, 1]], "b": []}

    def test_texts_and_trees(self, text):
        data = data_of_page(text)
        assert data["topics"][0] == {"id": "1", "text": "jaguar"}
        assert data["intents"][0][0]["text"] == "jaguar the car: models"
        assert "├─ animal" in data["trees"][0]
        qrels, runs = demo_qrels_and_runs()
        assert "trees" not in data_of_page(render(qrels.drop(columns="parent_id"), runs))

    def test_importance(self):
        rows = [("1", "1", "a", 1, "vital"), ("1", "2", "a", 1, "okay"), ("1", "3", "a", 1, "failed")]
        columns = ["query_id", "intent_id", "doc_id", "relevance", "importance"]
        data = data_of_page(render(pd.DataFrame(rows, columns=columns), {"1": ["a"]}, measures="nDCG@10"))
        assert [intent["importance"] for intent in data["intents"][0]] == ["vital", "okay", "failed"]
        # no weight is known of "failed", which is no reason to refuse a page of measures without weights
        assert [intent["probability"] for intent in data["intents"][0]] == [None] * 3

    def test_the_range_of_colors(self):
        qrels, runs = demo_qrels_and_runs()
        data = data_of_page(render(qrels, runs, measures=["D#-nDCG@10", "alpha-DCG@10"]))
        values = np.array(data["values"][1])
        assert (data["measures"][0]["low"], data["measures"][0]["high"]) == (0, 1)
        assert (data["measures"][1]["low"], data["measures"][1]["high"]) == (values.min(), values.max())
        assert values.max() > 1

    def test_qrels_without_intents(self):
        data = data_of_page(render({"1": {"d": 2, "e": 0}}, {"1": ["e", "x", "d"]}, measures="nDCG@10"))
        assert not data["has_intents"]
        assert data["intents"] == [[{"id": "", "text": "", "probability": 1.0}]]
        assert data["documents"] == [["e", "x", "d"]]
        assert data["judged"] == [[[0, []], [2, [[0, 2]]]]]
        with pytest.raises(IrdivError, match="needs intents"):
            render({"1": {"d": 1}}, {"1": {"d": 1.0}})


class TestSignificance:
    def test_p_is_corrected_by_holm_within_each_measure(self, evaluation):
        page = page_of(evaluation, baseline="relevance")
        expected = irdiv.stats.compare(evaluation, baseline="relevance", correction="holm", interval="t")
        p = {(row.measure, row.run): row.p_adjusted for row in expected.itertuples()}
        plain = irdiv.stats.compare(evaluation, baseline="relevance", interval="t")
        assert (expected["p_adjusted"] > plain["p"]).any()
        found = {
            (column.name, row.run): cell.p
            for row in page.rows
            for column, cell in zip(page.columns, row.cells, strict=True)
            if cell.p is not None
        }
        assert found == p
        difference = {(row.measure, row.run): row.difference for row in expected.itertuples()}
        marks = set()
        for row in page.rows:
            for column, cell in zip(page.columns, row.cells, strict=True):
                key = (column.name, row.run)
                is_better = difference.get(key, 0) < 0 if column.less_is_better else difference.get(key, 0) > 0
                mark = "" if p.get(key, 1) >= 0.05 else "▲" if is_better else "▼"
                assert cell.mark == mark
                marks.add(mark)
        assert "▼" in marks

    def test_marks_and_order_honor_that_less_is_better(self):
        qrels, runs = demo_qrels_and_runs()
        page = page_of(irdiv.evaluate(qrels, runs, "E@20"), baseline="relevance")
        assert [row.run for row in page.rows] == ["relevance", "diversified", "one-intent", "spammy"]
        assert {row.cells[0].mark for row in page.rows} == {"", "▼"}
        assert [row.cells[0].is_best for row in page.rows] == [True, False, False, False]
        more = page_of(irdiv.evaluate(qrels, runs, "F@20"), baseline="spammy")
        assert {row.cells[0].mark for row in more.rows} == {"", "▲"}

    def test_the_page_states_how_it_was_tested(self, evaluation):
        stated = " ".join(page_of(evaluation, baseline="relevance").method)
        assert (
            "baseline relevance (paired bootstrap test with 1,000 resamples and seed 0, Holm's correction over the"
            in stated
        )
        assert "3 comparisons of each measure, p < 0.05)" in stated
        assert "12 topics" in stated
        assert "95% confidence intervals of the mean by the bootstrap over topics (BCa" in stated
        other = page_of(
            evaluation,
            baseline="spammy",
            test="randomization",
            correction=None,
            level=0.01,
            n_resamples=500,
            rng=np.random.default_rng(3),
        )
        stated = " ".join(other.method)
        assert "baseline spammy (paired randomization test with 500 resamples, not corrected for the 3" in stated
        assert "p < 0.01" in stated
        assert "500 resamples, without a seed" in stated
        stated = " ".join(page_of(evaluation, baseline="spammy", rng=np.int64(3)).method)
        assert "1,000 resamples, seed 3)" in stated
        assert "1,000 resamples and seed 3, Holm" in stated

    def test_without_a_baseline_no_run_is_one_by_accident(self, evaluation):
        page = page_of(evaluation)
        assert page.baseline is None
        assert not any(row.is_baseline or cell.mark or cell.p for row in page.rows for cell in row.cells)
        ranked = evaluation.rank(MEASURES[0])
        assert [(row.run, row.group) for row in page.rows] == list(zip(ranked["run"], ranked["group"], strict=True))
        stated = " ".join(page.method)
        assert "randomized Tukey HSD test with 1,000 resamples and seed 0" in stated
        assert "No run was chosen as the baseline" in stated
        assert "--baseline NAME" in stated

    def test_the_t_test_and_its_intervals(self, evaluation):
        page = page_of(evaluation, baseline="relevance", test="t", n_resamples=200)
        stated = " ".join(page.method)
        assert "paired t-test, Holm's correction" in stated
        assert "200 resamples" in stated  # of the intervals
        assert page.power_method.endswith("(paired t-test; p is not corrected, as discriminative power is defined).")
        assert all(row.delta is None for row in page.power)

    def test_intervals_and_power_are_those_of_the_functions(self, evaluation):
        page = page_of(evaluation, baseline="relevance")
        board = irdiv.stats.leaderboard(evaluation)
        cells = [(row.run, cell.mean, cell.low, cell.high) for row in page.rows for cell in row.cells[:1]]
        expected = board[board["measure"] == MEASURES[0]][["run", "mean", "low", "high"]]
        assert cells == list(expected.itertuples(index=False, name=None))
        power = irdiv.stats.discriminative_power(evaluation).summary()
        assert [(row.measure, row.significant, row.delta) for row in page.power] == list(
            power[["measure", "significant", "delta"]].itertuples(index=False, name=None)
        )
        assert "6 pairs of runs with p < 0.05 (paired bootstrap test, 1,000 resamples, seed 0; p is not corrected" in (
            page.power_method
        )

    def test_one_run_and_one_topic(self):
        qrels, runs = demo_qrels_and_runs()
        one_run = page_of(irdiv.evaluate(qrels, runs["relevance"], MEASURES))
        assert (one_run.run_count, one_run.topic_count, one_run.power) == (1, 12, ())
        assert not one_run.rows[0].cells[0].is_best
        one_topic = page_of(irdiv.evaluate(qrels.query("query_id == '1'"), runs, MEASURES), baseline="spammy")
        assert one_topic.power == ()
        assert "One topic allows neither confidence intervals nor tests." in one_topic.method
        assert "1 run, 12 topics" in render(qrels, runs["relevance"])


class TestProvenance:
    @pytest.fixture
    def folder(self, tmp_path, monkeypatch) -> Path:
        write_demo(tmp_path / "data")
        monkeypatch.chdir(tmp_path)
        return tmp_path

    def test_files_by_name_size_and_hash(self, folder, monkeypatch, capsys):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
        words = ["report", "data/qrels.txt", str(folder / "data" / "relevance.run"), "data/spammy.run"]
        words += ["-m", "D#-nDCG@10", "--intent-table", "data/intents.csv", "--topic-texts", "data/topics.tsv"]
        assert main(words) == 0
        assert capsys.readouterr().out == "report.html\n"
        page = unescape((folder / "report.html").read_text(encoding="utf-8"))
        for name in ("qrels.txt", "relevance.run", "spammy.run", "intents.csv", "topics.tsv"):
            assert hashlib.sha256((folder / "data" / name).read_bytes()).hexdigest() in page
        assert "1970-01-01T00:00:00Z" in page
        assert f"irdiv {irdiv.__version__}" in page
        assert "irdiv report data/qrels.txt '…/relevance.run' data/spammy.run -m 'D#-nDCG@10'" in page
        assert str(folder) not in page
        assert "D#-nDCG(" in page  # with all parameters
        first = (folder / "report.html").read_bytes()
        assert main(words) == 0
        assert (folder / "report.html").read_bytes() == first

    def test_standard_input_has_no_path(self, folder, monkeypatch, capsys):
        with open("data/relevance.run", encoding="utf-8") as file:
            monkeypatch.setattr(sys, "stdin", file)
            assert main(["report", "data/qrels.txt", "-", "-m", "nDCG@10"]) == 0
        page = (folder / "report.html").read_text(encoding="utf-8")
        assert "standard input" in page
        assert hashlib.sha256(Path("data/relevance.run").read_bytes()).hexdigest() in page
        assert "tmp" not in page

    def test_files_and_frames_of_python(self, folder):
        runs = {"file": "data/relevance.run", "frame": irdiv.read_run("data/spammy.run")}
        page = render("data/qrels.txt", runs, measures="nDCG@10", baseline="file", topic_texts={"1": "one"})
        found = Provenance.now("", [])
        assert unescape(page).count("irdiv.report.render(…, baseline='file', measures='nDCG@10')") == 1
        assert found.version in page
        assert hashlib.sha256(Path("data/qrels.txt").read_bytes()).hexdigest() in page
        assert f"{len(runs['frame'])} rows" in page

    def test_date(self, monkeypatch):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
        assert Provenance.now("", []).date == "2023-11-14T22:13:20Z"
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
        with pytest.raises(IrdivError, match="'yesterday' is not a count of seconds"):
            Provenance.now("", [])

    def test_command_lines_have_no_folders_of_the_machine(self):
        words = ["irdiv", "report", "a b.txt", "/home/me/q.txt", "--topics=/x/t.xml", "web=/x/i.csv", r"C:\data\r.run"]
        assert command_line(words) == ("irdiv report 'a b.txt' '…/q.txt' '--topics=…/t.xml' 'web=…/i.csv' '…/r.run'")
        assert command_line(["irdiv", "-o/home/me/a.html", "-k5", "-"]) == "irdiv '-o…/a.html' -k5 -"

    def test_pages_are_the_same_bytes_again(self, monkeypatch, evaluation):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
        assert render(evaluation) == render(evaluation)
        assert render(evaluation, rng=1) != render(evaluation)


class TestEvaluations:
    def test_an_evaluation_gives_the_page_of_its_qrels_and_runs(self, evaluation):
        provenance = Provenance.now("a test", [])
        qrels, runs = demo_qrels_and_runs()
        components = irdiv.evaluate(qrels, runs, [*MEASURES, "D-nDCG@10"])
        page = render(components, measures=MEASURES, baseline="relevance", provenance=provenance)
        assert page == render(qrels, runs, measures=MEASURES, baseline="relevance", provenance=provenance)
        assert "recall-figure" in page
        assert "recall-figure" not in render(evaluation)  # which has no D-nDCG

    def test_answers(self):
        rows = [
            (run, str(topic), f"n{nugget}", "vital" if nugget else "okay", label)
            for run, label in (("good", "support"), ("bad", "partial_support"))
            for topic in range(5)
            for nugget in range(3)
        ]
        frame = pd.DataFrame(rows, columns=["run", "query_id", "intent_id", "importance", "assignment"])
        answers = irdiv.rag.score_answers(frame)
        page = render(answers, measures=["vital_score", "all_score"], baseline="bad")
        data = data_of_page(page)
        assert [measure["name"] for measure in data["measures"]] == ["vital_score", "all_score"]
        assert data["runs"] == ["good", "bad"]
        assert not {"documents", "rankings", "intents"} & set(data)
        assert not page_of(answers).has_documents

    def test_streams(self, tmp_path):
        qrels, runs = demo_qrels_and_runs()
        qrels.to_parquet(tmp_path / "qrels.parquet")
        streamed = irdiv.evaluate(tmp_path / "qrels.parquet", runs, MEASURES)
        assert streamed.sources is None
        data = data_of_page(render(streamed))
        assert "documents" not in data
        assert np.array_equal(data["values"], data_of_page(render(qrels, runs, measures=MEASURES))["values"])

    def test_frames_of_every_library(self):
        polars = pytest.importorskip("polars")
        qrels, runs = demo_qrels_and_runs()
        other = irdiv.evaluate(qrels, {name: polars.from_pandas(run) for name, run in runs.items()}, MEASURES)
        provenance = Provenance.now("a test", [])
        expected = render(irdiv.evaluate(qrels, runs, MEASURES), provenance=provenance)
        assert render(other, provenance=provenance) == expected

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"runs": {"1": ["a"]}}, "runs cannot be given with an evaluation"),
            ({"ties": "input"}, "ties cannot be given with an evaluation"),
            ({"gain": "linear"}, "gain cannot be given with an evaluation"),
            ({"measures": {"name": "I-rec@10"}}, "the evaluation has its own names"),
            ({"measures": "AP"}, "AP was not evaluated"),
            ({"baseline": "none"}, "no run is called 'none'"),
            ({"cutoff": 1000}, "cutoff=1000 needs the first 1000 documents"),
            ({"level": 2}, "level=2"),
            ({"test": "tukey", "correction": "holm"}, "leave the correction out"),
        ],
    )
    def test_bad_options(self, options, message):
        qrels, runs = demo_qrels_and_runs()
        long = {name: pd.concat([run, _padding(run, 150)]) for name, run in runs.items()}
        evaluation = irdiv.evaluate(qrels, long, MEASURES)
        with pytest.raises(IrdivError, match=message):
            render(evaluation, **options)

    def test_what_is_no_evaluation(self):
        with pytest.raises(IrdivError, match="expected an evaluation, or qrels and runs"):
            render({"1": {"a": 1}})
        with pytest.raises(IrdivError, match=r"write_report\(evaluation, path\)"):
            write_report({"1": {"a": 1}})


def _padding(run: pd.DataFrame, count: int) -> pd.DataFrame:
    """Return rows below those of a run."""
    rows = [(topic, f"extra{i}", -1000.0 - i) for topic in run["query_id"].unique() for i in range(count)]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])


class TestFiles:
    def test_a_file_of_something_else_is_kept(self, tmp_path, evaluation):
        path = tmp_path / "page.html"
        path.write_text("<html>mine</html>", encoding="utf-8")
        with pytest.raises(IrdivError, match="exists and is not a page of irdiv"):
            write_report(evaluation, path)
        assert path.read_text(encoding="utf-8") == "<html>mine</html>"
        assert write_report(evaluation, path, force=True) == path
        written = path.read_text(encoding="utf-8")
        write_report(evaluation, path, title="Again")  # over a page of irdiv
        assert path.read_text(encoding="utf-8") != written
        (tmp_path / "empty.html").touch()
        write_report(evaluation, tmp_path / "empty.html")

    def test_bad_paths(self, tmp_path, evaluation):
        with pytest.raises(IrdivError, match="is a folder"):
            write_report(evaluation, tmp_path)
        with pytest.raises(IrdivError, match="there is no folder"):
            write_report(evaluation, tmp_path / "none" / "page.html")

    def test_names_of_files(self):
        assert page_files(["Web 2009", "../etc/passwd", "日本"]) == {
            "Web 2009": "Web-2009.html",
            "../etc/passwd": "etc-passwd.html",
            "日本": "日本.html",
        }
        for names, message in [
            (["a b", "A-B"], "'A-B' and the collection 'a b' would have the same file, 'A-B.html'"),
            (["Index"], "'Index' and the index would have the same file"),
            (["//"], "give it a name with letters or digits"),
        ]:
            with pytest.raises(IrdivError, match=message):
                page_files(names)


class TestSites:
    @pytest.fixture
    def collections(self):
        qrels, runs = demo_qrels_and_runs()
        early = qrels["query_id"].astype(int) <= 6
        others = {name: run for name, run in runs.items() if name != "spammy"} | {"<late>": runs["spammy"]}
        return {
            "early": irdiv.evaluate(qrels[early], runs, MEASURES),
            "late & new": irdiv.evaluate(qrels[~early], others, MEASURES),
        }

    def test_files_and_links(self, tmp_path, collections):
        folder = tmp_path / "new" / "site"
        assert write_site(collections, folder, title="Two") == folder / "index.html"
        assert sorted(path.name for path in folder.iterdir()) == ["early.html", "index.html", "late-new.html"]
        for path in folder.iterdir():
            links = {a["href"] for tag, a in Tags(path.read_text(encoding="utf-8")).tags if tag == "a"}
            files = {link.partition("#")[0] for link in links if link is not None} - {""}
            assert files
            assert all((folder / file).is_file() and "/" not in file for file in files)

    def test_the_index_has_every_run_and_holes(self, tmp_path, collections):
        text = unescape(write_site(collections, tmp_path / "site").read_text(encoding="utf-8"))
        for name, evaluation in collections.items():
            assert name in text
            means = evaluation.summary()
            for run, mean in means[MEASURES[0]].items():
                assert run in text
                assert f"{mean:.4f}" in text
            assert means["E@20"].idxmin() in text
        assert "2 of 5 runs are not in all collections" in text

    def test_means_by_collection(self, collections):
        from irdiv.stats.leaderboards import means_by_collection

        table = means_by_collection(collections)
        assert table.runs == ["diversified", "relevance", "one-intent", "<late>", "spammy"]
        assert np.isnan(table.means[..., 0]).tolist() == [[False] * 2] * 3 + [[True, False], [False, True]]
        for index, evaluation in enumerate(collections.values()):
            rows = [table.runs.index(run) for run in evaluation.runs]
            assert np.allclose(table.means[rows, index], evaluation.means(), rtol=0, atol=1e-15)
            assert np.array_equal(table.best[rows, index], evaluation.best())

    def test_a_page_is_that_of_the_collection_alone(self, tmp_path, collections):
        write_site(collections, tmp_path, baseline="relevance", rng=np.random.default_rng(7))
        for name, file in (("early", "early.html"), ("late & new", "late-new.html")):
            alone = render(collections[name], baseline="relevance", rng=np.random.default_rng(7))
            page = (tmp_path / file).read_text(encoding="utf-8")
            assert data_of_page(page) == data_of_page(alone)
            board = re.compile(r'<table id="board".*?</table>', re.DOTALL)
            assert board.findall(page) == board.findall(alone) != []

    def test_a_baseline_that_a_collection_lacks(self, tmp_path, collections):
        write_site(collections, tmp_path, baseline="spammy")
        assert "The baseline spammy is not a run of this collection" in (tmp_path / "late-new.html").read_text()
        assert data_of_page((tmp_path / "late-new.html").read_text())["baseline"] is None
        assert "than the baseline spammy (" in (tmp_path / "early.html").read_text()
        with pytest.raises(IrdivError, match="no run is called 'none' in any collection"):
            write_site(collections, tmp_path, baseline="none")

    def test_a_folder_with_other_files(self, tmp_path, collections):
        one = {"early": collections["early"]}
        write_site(one, tmp_path)
        write_site(one, tmp_path)  # over pages of irdiv
        (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
        with pytest.raises(IrdivError, match="not pages of irdiv: 'notes.txt'"):
            write_site(one, tmp_path)
        write_site(one, tmp_path, force=True)
        assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "mine"
        with pytest.raises(IrdivError, match="is a file; expected a folder"):
            write_site(one, tmp_path / "notes.txt")

    def test_what_is_no_study(self, tmp_path, collections, evaluation):
        for wrong in (evaluation, {"a": 1}):
            with pytest.raises(IrdivError, match="expected a mapping from the name of a collection"):
                write_site(wrong, tmp_path / "site")
        with pytest.raises(IrdivError, match="no collections given"):
            write_site({}, tmp_path / "site")
        other = irdiv.evaluate(*demo_qrels_and_runs(), "AP")
        with pytest.raises(IrdivError, match="different measures"):
            write_site({**collections, "other": other}, tmp_path / "site")
        assert not (tmp_path / "site").exists()


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
    types = [a.get("type") for tag, a in Tags(text).tags if tag == "script"]
    assert types.count("text/plain") == 1
    assert len(types) == 2


def test_options_of_evaluate_reach_the_page():
    qrels, runs = demo_qrels_and_runs()
    plain = data_of_page(render(qrels, runs))
    assert data_of_page(render(qrels, runs, gain="linear"))["values"] != plain["values"]
    with pytest.raises(IrdivError, match="no measure is called"):
        render(qrels, runs, measures=["nonsense"])
    twice = {"twice": pd.concat([runs["relevance"], runs["relevance"]])}
    with pytest.raises(IrdivError, match="duplicates='first'"):
        render(qrels, twice)
    assert "twice" in render(qrels, twice, duplicates="first")


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


class TestCommand:
    @pytest.fixture(autouse=True)
    def files(self, tmp_path, monkeypatch):
        write_demo(tmp_path / "data")
        monkeypatch.chdir(tmp_path)

    def test_a_page(self, tmp_path, capsys):
        files = [f"data/{system}.run" for system in ("relevance", "diversified", "spammy")]
        extra = ["--intent-table", "data/intents.csv", "--topic-texts", "data/topics.tsv", "--baseline", "relevance"]
        test = ["--test", "randomization", "--level", "0.1", "-B", "300", "--seed", "5"]
        words = ["report", "data/qrels.txt", *files, *extra, *test, "-o", "mine.html", "--title", "Mine", "-k", "5"]
        assert main(words) == 0
        text = unescape((tmp_path / "mine.html").read_text(encoding="utf-8"))
        assert "D#-nDCG@5" in text
        assert "paired randomization test with 300 resamples and seed 5, Holm's correction over the 2" in text
        assert "p < 0.1" in text
        assert data_of_page(text)["topics"][0]["text"] == "jaguar"
        assert main([*words, "--correction", "none"]) == 0
        assert "not corrected for the 2 comparisons" in (tmp_path / "mine.html").read_text(encoding="utf-8")

    def test_the_demo(self, tmp_path):
        assert main(["demo"]) == 0
        text = (tmp_path / "irdiv-demo.html").read_text(encoding="utf-8")
        assert "baseline relevance" in text

    def test_a_site(self, tmp_path, capsys):
        lines = Path("data/topics.tsv").read_text(encoding="utf-8").splitlines()
        Path("other.tsv").write_text("".join(f"{line} again\n" for line in lines), encoding="utf-8")
        one = ["--collection", "one", "data/qrels.txt", "data/relevance.run", "data/spammy.run"]
        two = ["--collection", "two", "data/qrels.txt", "data/relevance.run", "data/diversified.run"]
        texts = ["--topic-texts", "one=data/topics.tsv", "--topic-texts", "two=other.tsv"]
        assert main(["report", "--site", "pages", *one, *two, *texts, "-m", "nDCG@10", "ndcg5=nDCG@5"]) == 0
        assert capsys.readouterr().out == f"{Path('pages/index.html')}\n"
        pages = {name: Path(f"pages/{name}.html").read_text(encoding="utf-8") for name in ("one", "two")}
        assert data_of_page(pages["one"])["topics"][0]["text"] == "jaguar"
        assert data_of_page(pages["two"])["topics"][0]["text"] == "jaguar again"
        assert [measure["name"] for measure in data_of_page(pages["two"])["measures"]] == ["nDCG@10", "ndcg5"]
        assert hashlib.sha256(Path("other.tsv").read_bytes()).hexdigest() in pages["two"]
        assert hashlib.sha256(Path("other.tsv").read_bytes()).hexdigest() not in pages["one"]
        assert main(["report", "--site", "alone", "data/qrels.txt", "data/relevance.run"]) == 0
        assert sorted(path.name for path in Path("alone").iterdir()) == ["index.html", "qrels.html"]

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (
                ["--collection", "a", "q", "r", "--collection", "b", "q", "r"],
                "a page shows one collection, found 2; --site",
            ),
            (["data/qrels.txt", "data/spammy.run", "--site", "x", "-o", "y.html"], "give one of them"),
            (["data/qrels.txt", "data/spammy.run", "-o", "data/qrels.txt"], "is not a page of irdiv"),
            (["data/qrels.txt", "data/spammy.run", "--site", "data"], "has files that are not pages of irdiv"),
            (["data/qrels.txt", "data/spammy.run", "--baseline", "x"], "no run is called 'x'"),
            (["data/qrels.txt"], "expected qrels and one or more runs, or --collection"),
            (["data/qrels.txt", "data/spammy.run", "--topic-texts", "bad.txt"], "line 1: expected a topic"),
            (["data/qrels.txt", "data/spammy.run", *["--topic-texts", "bad.txt"] * 2], "--topic-texts is given twice"),
        ],
    )
    def test_errors(self, words, message, capsys):
        Path("bad.txt").write_text("no text\n", encoding="utf-8")
        assert main(["report", *words]) == 2
        assert message in capsys.readouterr().err
        assert not Path("report.html").exists()


def test_places_that_cannot_be_written_are_refused_before_the_evaluation(tmp_path, monkeypatch):
    qrels, runs = demo_qrels_and_runs()
    evaluation = irdiv.evaluate(qrels, runs, "I-rec@10")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(IrdivError, match="not written to standard output"):
        write_report(evaluation, "-")
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(IrdivError, match=r"'\.' cannot be written to; choose another place"):
        write_report(evaluation, "report.html")
    with pytest.raises(IrdivError, match="cannot be written to; choose another place"):
        write_site({"demo": evaluation}, "site")
    assert list(tmp_path.iterdir()) == []


def test_a_generator_is_named_without_its_address():
    qrels, runs = demo_qrels_and_runs()
    page = render(irdiv.evaluate(qrels, runs, "I-rec@10"), rng=np.random.default_rng(1))
    assert "rng=Generator(PCG64))" in page
