"""What a page states about runs: values, documents, tests, figures, and where it comes from."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import irdiv
from helpers import data_of_page, random_collection, random_evaluation, random_run
from irdiv import IrdivError
from irdiv.demo import demo_collection, demo_qrels_and_runs
from irdiv.report import Provenance, descriptions_by_intent, render
from report.html_pages import SVG, Elements, board_of, figures_of, texts_of

MEASURES = ["D#-nDCG@10", "I-rec@10", "E@20"]
"""Of the last, less is better."""
TRICKY = 'd="1.2345" <b>&#000000'


@pytest.fixture(scope="module")
def demo():
    return demo_qrels_and_runs()


@pytest.fixture(scope="module")
def evaluation(demo):
    return irdiv.evaluate(*demo, MEASURES)


@pytest.fixture(scope="module")
def tested_page(evaluation) -> str:
    return render(evaluation, baseline="relevance")


class TestData:
    def test_values_are_those_of_evaluate_to_the_last_bit(self, tested_page, evaluation):
        data = data_of_page(tested_page)
        assert {measure["name"]: measure["less_is_better"] for measure in data["measures"]} == {
            "D#-nDCG@10": False,
            "I-rec@10": False,
            "E@20": True,
        }
        assert data["runs"] == list(irdiv.stats.leaderboard(evaluation, measures=MEASURES[0])["run"])
        assert data["runs"][data["baseline"]] == "relevance"
        for measure, of_runs in zip(MEASURES, data["values"], strict=True):
            expected = evaluation[measure][data["runs"]].to_numpy()
            np.testing.assert_array_equal(np.array(of_runs).T, expected, err_msg=measure)

    @pytest.mark.parametrize("seed", range(3))
    def test_documents_are_those_of_topic(self, seed):
        qrels = random_collection(seed)
        runs = {name: random_run(10 * seed + index) for index, name in enumerate(("many", "few", "other"))}
        runs["few"] = runs["few"][runs["few"]["query_id"] != runs["few"]["query_id"].iloc[0]]
        evaluation = irdiv.evaluate(qrels, runs, ["D#-nDCG@5", "I-rec@5"])
        data = data_of_page(render(evaluation, cutoff=4))
        assert data["cutoff"] == 4
        assert [topic["id"] for topic in data["topics"]] == list(evaluation.query_ids)
        for topic, query_id in enumerate(evaluation.query_ids):
            expected = evaluation.topic(query_id, cutoff=4)
            intents, ids = data["intents"][topic], data["documents"][topic]
            judged = {document: dict(grades) for document, grades in data["judged"][topic]}
            assert sorted({document for ranked in data["rankings"] for document in ranked[topic]}) == [*range(len(ids))]
            assert len(set(ids)) == len(ids)
            for run, ranked in zip(data["runs"], data["rankings"], strict=True):
                grades = expected.grades(run)
                assert [intent["id"] for intent in intents] == list(grades.index)
                shown = [
                    [judged[document].get(intent, 0) if document in judged else None for document in ranked[topic]]
                    for intent in range(len(intents))
                ]
                assert shown == grades.astype(object).where(grades.notna(), None).to_numpy().tolist(), (query_id, run)
                rows = expected.intents[expected.intents["run"] == run]
                by_rank = dict(zip(rows["rank"], rows["doc_id"], strict=True))
                assert {rank: ids[ranked[topic][rank - 1]] for rank in by_rank} == by_rank
            probabilities = dict(zip(expected.intents["intent_id"], expected.intents["probability"], strict=True))
            of_page = {intent["id"]: intent["probability"] for intent in intents}
            assert probabilities == {intent: of_page[intent] for intent in probabilities}

    @pytest.mark.parametrize(("ties", "order"), [("docid_desc", ["c", "b", "a"]), ("docid_asc", ["a", "b", "c"])])
    def test_ties_are_broken_as_in_evaluate_and_grade_0_is_judged(self, ties, order):
        columns = ["query_id", "intent_id", "doc_id", "relevance"]
        qrels = pd.DataFrame([("1", "1", "a", 1), ("1", "1", "b", 0)], columns=columns)
        data = data_of_page(render(qrels, {"1": {"a": 1.0, "b": 1.0, "c": 1.0}}, ties=ties))
        assert [data["documents"][0][document] for document in data["rankings"][0][0]] == order
        assert {data["documents"][0][document]: grades for document, grades in data["judged"][0]} == {
            "a": [[0, 1]],
            "b": [],
        }

    def test_texts_and_trees(self, demo):
        collection = demo_collection()
        topics = dict(zip(collection.topics["query_id"], collection.topics["query"], strict=True))
        table = collection.intents
        descriptions = descriptions_by_intent(table)
        data = data_of_page(render(*demo, measures="nDCG@10", topic_texts=topics, intent_descriptions=descriptions))
        assert data["topics"][0] == {"id": "1", "text": "jaguar"}
        assert data["intents"][0][0]["text"] == "jaguar the car: models"
        assert "├─ animal" in data["trees"][0]
        assert "trees" not in data_of_page(render(demo[0].drop(columns="parent_id"), demo[1]))
        assert descriptions_by_intent(table.drop(columns="description")) == {}
        for other in (pa.Table.from_pandas(table), pytest.importorskip("polars").from_pandas(table)):
            assert descriptions_by_intent(other) == descriptions

    def test_importance_of_which_no_weight_is_known(self):
        rows = [("1", str(n), "a", 1, importance) for n, importance in enumerate(("vital", "okay", "failed"))]
        qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance", "importance"])
        data = data_of_page(render(qrels, {"1": ["a"]}, measures="nDCG@10"))
        shown = [(intent["importance"], intent["probability"]) for intent in data["intents"][0]]
        assert shown == [("vital", None), ("okay", None), ("failed", None)]

    def test_colors_range_from_0_to_1_unless_values_are_higher(self, demo):
        data = data_of_page(render(*demo, measures=["D#-nDCG@10", "alpha-DCG@10"]))
        values = np.array(data["values"][1])
        ranges = [(measure["low"], measure["high"]) for measure in data["measures"]]
        assert ranges == [(0, 1), (values.min(), values.max())]
        assert values.max() > 1

    def test_qrels_without_intents(self):
        data = data_of_page(render({"1": {"d": 2, "e": 0}}, {"1": ["e", "x", "d"]}, measures="nDCG@10"))
        assert not data["has_intents"]
        assert data["intents"] == [[{"id": "", "text": "", "probability": 1.0}]]
        assert data["documents"] == [["e", "x", "d"]]
        assert data["judged"] == [[[0, []], [2, [[0, 2]]]]]
        with pytest.raises(IrdivError, match="needs intents"):
            render({"1": {"d": 1}}, {"1": {"d": 1.0}})

    def test_options_of_evaluate_reach_the_page(self, demo):
        qrels, runs = demo
        values = [
            data_of_page(render(qrels, runs, measures="D#-nDCG@10", **options))["values"]
            for options in ({}, {"gain": "linear"})
        ]
        assert values[0] != values[1]
        twice = {"twice": pd.concat([runs["relevance"], runs["relevance"]])}
        with pytest.raises(IrdivError, match="duplicates='first'"):
            render(qrels, twice)
        assert list(board_of(render(qrels, twice, duplicates="first"))) == ["twice"]


class TestSignificance:
    def test_p_marks_intervals_and_power_are_those_of_the_functions(self, tested_page, evaluation):
        expected = irdiv.stats.compare(evaluation, baseline="relevance", correction="holm", interval="t")
        assert (expected["p_adjusted"] > expected["p"]).any()
        tests = {(row.run, row.measure): row for row in expected.itertuples()}
        rows = irdiv.stats.leaderboard(evaluation)
        best = rows.set_index(["run", "measure"])["best"]
        marks = set()
        board = board_of(tested_page)
        for row in rows.itertuples():
            cell = board[row.run][MEASURES.index(row.measure)]
            key = (row.run, row.measure)
            assert [cell[f"data-{name}"] for name in ("value", "low", "high")] == [row.mean, row.low, row.high], key
            assert ("best" in (cell.get("class") or "")) == best[key], key
            test = tests.get(key)
            assert cell.get("data-p") == (None if test is None else test.p_adjusted), key
            is_significant = test is not None and test.p_adjusted < 0.05
            mark = ""
            if is_significant:
                mark = "better" if (test.difference < 0) == (row.measure == "E@20") else "worse"
            assert cell["mark"] == mark, key
            marks.add(mark)
        assert "worse" in marks
        table = tested_page[tested_page.index('<table id="power-table"') :]
        cells = r'<tr><th scope="row">([^<]*)</th><td data-value="(\d+)">.*?<td data-value="([\d.]+)">[\d.]+<'
        shown = re.findall(cells, table)
        power = irdiv.stats.discriminative_power(evaluation).summary()
        found = [(measure, int(significant), float(delta)) for measure, significant, delta in shown]
        assert found == list(power[["measure", "significant", "delta"]].itertuples(index=False, name=None))

    @pytest.mark.parametrize(
        ("measure", "baseline", "mark"), [("E@20", "relevance", "worse"), ("F@20", "spammy", "better")]
    )
    def test_marks_and_order_honor_that_less_is_better(self, demo, measure, baseline, mark):
        board = board_of(render(*demo, measures=measure, baseline=baseline))
        assert [*board][:: len(board) - 1] == ["relevance", "spammy"]
        assert {cell["mark"] for (cell,) in board.values()} == {"", mark}
        assert ["best" in cell["class"] for (cell,) in board.values()] == [True, False, False, False]

    @pytest.mark.parametrize(
        ("options", "stated"),
        [
            (
                {"baseline": "relevance"},
                "baseline relevance .paired bootstrap .*1,000 resamples and seed 0, Holm.*3 comparisons.*p < 0.05.*"
                "6 pairs of runs.*bootstrap.*1,000 resamples, seed 0; p is not corrected",
            ),
            (
                {
                    "baseline": "spammy",
                    "test": "randomization",
                    "correction": None,
                    "level": 0.01,
                    "n_resamples": 500,
                    "rng": np.random.default_rng(3),
                },
                "12 topics.*500 resamples, without a seed.*randomization .*500 resamples, not corrected.*p < 0.01",
            ),
            ({"baseline": "spammy", "rng": np.int64(3)}, "resamples, seed 3.*resamples and seed 3, Holm"),
            (
                {"baseline": "spammy", "test": "t", "n_resamples": 200},
                "BCa.*200 resamples.*paired t-test, Holm.*paired t-test; p is not corrected",
            ),
            ({}, "randomized Tukey HSD .*1,000 resamples and seed 0.*No run .*--baseline NAME"),
        ],
    )
    def test_the_page_states_how_it_was_tested(self, evaluation, options, stated):
        page = unescape(render(evaluation, **options))
        method = page[page.index('<section id="method"') : page.index('<section id="provenance"')]
        power = page[page.index('<section id="power"') : page.index('<section id="method"')]
        assert re.search(stated, method + power, flags=re.DOTALL)

    def test_without_a_baseline_runs_have_groups_and_no_marks(self, evaluation):
        page = render(evaluation)
        assert data_of_page(page)["baseline"] is None
        assert "is-baseline" not in "".join(str(attributes) for _, attributes in Elements(page).found)
        ranked = evaluation.rank(MEASURES[0])
        groups = {run: cells[0]["title"] for run, cells in board_of(page).items()}
        assert groups == dict(zip(ranked["run"], ranked["group"], strict=True))
        assert {cell["mark"] for cells in board_of(page).values() for cell in cells} == {""}

    def test_one_run_and_one_topic(self, demo):
        qrels, runs = demo
        one_run = render(qrels, runs["relevance"], measures=MEASURES)
        assert "1 run, 12 topics, 3 measures" in one_run
        assert ["best" in (cell.get("class") or "") for cell in board_of(one_run)["run"]] == [False] * 3
        one_topic = render(qrels.query("query_id == '1'"), runs, measures=MEASURES, baseline="spammy")
        assert "One topic allows neither" in one_topic
        assert "power-table" not in one_run + one_topic


class TestProvenance:
    def test_files_and_frames_of_python(self, tmp_path, monkeypatch):
        irdiv.demo.write_demo(tmp_path / "data")
        monkeypatch.chdir(tmp_path)
        runs = {"file": "data/relevance.run", "frame": irdiv.read_run("data/spammy.run")}
        page = unescape(render("data/qrels.txt", runs, measures="nDCG@10", baseline="file", topic_texts={"1": "one"}))
        assert page.count("irdiv.report.render(…, baseline='file', measures='nDCG@10')") == 1
        for shown in (f"irdiv {irdiv.__version__}", "data/qrels.txt", f"{len(runs['frame'])} rows"):
            assert shown in page

    def test_date(self, monkeypatch, evaluation):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
        assert "2023-11-14T22:13:20Z" in render(evaluation)
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
        with pytest.raises(IrdivError, match="'yesterday'.*seconds"):
            render(evaluation)

    def test_pages_are_the_same_bytes_again(self, monkeypatch, evaluation):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
        assert render(evaluation, rng=1) == render(evaluation, rng=1) != render(evaluation)
        # a generator is named without its address, which differs each time
        assert "rng=Generator(PCG64))" in render(evaluation, rng=np.random.default_rng(1))


class TestEvaluations:
    def test_an_evaluation_gives_the_page_of_its_qrels_and_runs(self, demo, tested_page):
        qrels, runs = demo
        options = {"measures": MEASURES, "baseline": "relevance", "provenance": Provenance.now("a test", [])}
        page = render(qrels, runs, **options)
        polars = pytest.importorskip("polars")
        others = {name: polars.from_pandas(run) for name, run in runs.items()}
        for components in (runs, others):
            assert render(irdiv.evaluate(qrels, components, [*MEASURES, "D-nDCG@10"]), **options) == page
        assert "recall-figure" in figures_of(page)
        assert "recall-figure" not in figures_of(tested_page)  # which has no D-nDCG

    def test_answers_and_large_inputs_have_values_and_no_documents(self, demo, evaluation):
        rows = [
            (run, str(topic), f"n{nugget}", "vital" if nugget else "okay", label)
            for run, label in (("good", "support"), ("bad", "partial_support"))
            for topic in range(5)
            for nugget in range(3)
        ]
        frame = pd.DataFrame(rows, columns=["run", "query_id", "intent_id", "importance", "assignment"])
        answers = data_of_page(render(irdiv.rag.score_answers(frame), measures=["vital_score", "all_score"]))
        assert [measure["name"] for measure in answers["measures"]] == ["vital_score", "all_score"]
        assert answers["runs"] == ["good", "bad"]
        in_parts = data_of_page(render(irdiv.evaluate(*demo, MEASURES, batch_rows=100)))
        assert in_parts["values"] == data_of_page(render(evaluation))["values"]
        for data in (answers, in_parts):
            assert {"documents", "rankings", "intents"} & set(data) == set()

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"runs": {"1": ["a"]}}, "runs cannot be given with an evaluation"),
            ({"ties": "input"}, "ties cannot be given with an evaluation"),
            ({"gain": "linear"}, "gain cannot be given with an evaluation"),
            ({"measures": {"name": "I-rec@10"}}, "its own names"),
            ({"measures": "AP"}, "AP was not evaluated"),
            ({"measures": "nonsense"}, "nonsense"),
            ({"baseline": "none"}, "no run is called 'none'"),
            ({"cutoff": 1000}, "cutoff=1000 needs the first 1000 documents"),
            ({"level": 2}, "level=2"),
            ({"test": "tukey", "correction": "holm"}, "leave the correction out"),
        ],
    )
    def test_bad_options(self, options, message, demo):
        run = demo[1]["relevance"]
        below = [(topic, f"extra{i}", -1000.0 - i) for topic in run["query_id"].unique() for i in range(150)]
        long = pd.concat([run, pd.DataFrame(below, columns=["query_id", "doc_id", "score"])])
        with pytest.raises(IrdivError, match=message):
            render(irdiv.evaluate(demo[0], {"long": long, "spammy": demo[1]["spammy"]}, MEASURES), **options)
        with pytest.raises(IrdivError, match="expected an evaluation, or qrels and runs"):
            render({"1": {"a": 1}})


@pytest.fixture(scope="module", params=[4, 40])
def named(request):
    """An evaluation of few and of many runs, one with a name like markup, and its page."""
    evaluation = random_evaluation(runs=request.param)
    names = (TRICKY, *(f"group-{run}-with-a-name-of-usual-length" for run in range(1, request.param)))
    evaluation = replace(evaluation, runs=names)
    page = render(evaluation, measures=["D#-nDCG@10", "I-rec@10"], n_resamples=50)
    return evaluation, page, figures_of(page)


class TestFigures:
    def test_ids_are_unique_on_the_page_and_mark_runs(self, named):
        evaluation, page, figures = named
        ids = [attributes["id"] for _, attributes in Elements(page).found if "id" in attributes]
        assert sorted(ids) == sorted(set(ids))
        for name in ("scatter", "ranking"):
            marked = {identifier for identifier in ids if re.fullmatch(rf"{name}-run-\d+", identifier)}
            assert marked == {f"{name}-run-{run}" for run in range(len(evaluation.runs))}
        assert set(re.findall(r"url\(#([^)]+)\)", page)) <= set(ids)
        assert list(figures) == ["ranking-figure", "recall-figure", "asl-figure"]

    def test_rows_of_the_ranking_are_those_of_the_leaderboard(self, named):
        evaluation, page, figures = named
        board = irdiv.stats.leaderboard(evaluation, measures="D#-nDCG@10", n_resamples=50)
        assert list(board_of(page)) == board["run"].tolist()
        assert [text for text in texts_of(figures["ranking-figure"]) if text in evaluation.runs] == list(board["run"])
        left, right = [], []
        for row in range(len(board)):
            (element,) = figures["ranking-figure"].findall(f".//*[@id='ranking-run-{row}']")
            path = next(part.get("d") for part in element.iter(f"{SVG}path") if part.get("clip-path"))
            numbers = [float(number) for number in re.findall(r"[\d.]+", path)]
            left.append(numbers[0])
            right.append(numbers[-2])
        # positions are proportional to the ends of intervals
        slope, intercept = np.polyfit(board["low"], left, 1)
        np.testing.assert_allclose(left, slope * board["low"] + intercept, atol=0.1)
        np.testing.assert_allclose(right, slope * board["high"] + intercept, atol=0.1)

    def test_names_are_text_and_colors_those_of_the_page(self, named):
        evaluation, page, figures = named
        assert TRICKY in texts_of(figures["ranking-figure"])
        assert (TRICKY in texts_of(figures["recall-figure"])) or len(evaluation.runs) > 4
        assert TRICKY not in page
        for name, figure in figures.items():
            assert figure.get("fill") == "currentColor", name
            styles = " ".join(element.get("style") or "" for element in figure.iter())
            assert "var(--figure-0, " in styles, name
            # other colors would not change in the dark
            assert re.findall(r"(?<!, )#[0-9a-f]{6}", styles) == [], name
            assert list(figure.iter(f"{SVG}text")), name  # letters are not paths


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", r"$\\frac$", "日本語の名前", "a" * 60])
def test_names_are_only_text_and_the_page_needs_nothing_else(name):
    qrels = pd.DataFrame([(name, name, name, 1)], columns=["query_id", "intent_id", "doc_id", "relevance"])
    texts = {"topic_texts": {name: name}, "intent_descriptions": {(name, name): name}, "title": name}
    page = render(qrels, {name: {name: {name: 1.0}}, "b$c^$": {name: ["x"]}}, **texts)
    assert list(board_of(page)) == [name, "b$c^$"]
    assert ("<" in name) == (name not in page)
    elements = Elements(page).found
    assert [attributes.get("type") for tag, attributes in elements if tag == "script"] == ["text/plain", "module"]
    loaded = [tag for tag, attributes in elements if tag in ("img", "link", "iframe") or "src" in attributes]
    assert loaded == []
    assert re.findall(r"https?://(?!www\.w3\.org)", page) == []
