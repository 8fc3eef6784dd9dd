"""The report in a real browser: widths, light and dark, keyboard, links, downloads, accessibility."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np
import pandas as pd
import pytest

import irdiv
from helpers import CHROMIUM
from irdiv.demo import demo_collection, demo_qrels_and_runs
from irdiv.report import descriptions_by_intent, write_report, write_site

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here to open the report in")]

MEASURES = ("D#-nDCG@10", "I-rec@10", "E@10")
"""Of the last, less is better."""
HOSTILE = (
    "<img src=x onerror=\"document.title='hacked'\">",
    "=1+1|'x'!A1",
    'a, "quoted" & <b>bold</b> name',
    "50% of 日本語の走行",
    "a_very_long_name_of_a_run_that_nobody_should_have_given_but_somebody_did_final_v3",
    "constructor",
    "filter",
)
BASELINE = HOSTILE[2]
WIDTHS = (390, 820, 1400)
Open = Callable[..., Any]


@pytest.fixture(scope="module")
def campaign() -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """The qrels of the demo and 20 runs, some with names that try to be markup, formulas, properties or ids."""
    qrels, runs = demo_qrels_and_runs()
    rng = np.random.default_rng(0)
    many = {}
    for index in range(20):
        run = runs[list(runs)[index % 4]].drop(columns="rank")
        name = HOSTILE[index] if index < len(HOSTILE) else f"uogTr{index}xi"
        many[name] = run.assign(score=run["score"] + rng.normal(0, 0.8 * index, len(run)))
    return qrels, many


@pytest.fixture(scope="module")
def evaluation(campaign):
    return irdiv.evaluate(*campaign, list(MEASURES))


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def page(campaign, folder) -> Path:
    collection = demo_collection()
    texts = dict(zip(collection.topics["query_id"], collection.topics["query"], strict=True))
    return write_report(
        *campaign,
        folder / "report.html",
        measures=MEASURES,
        baseline=BASELINE,
        test="t",
        topic_texts={**texts, "2": HOSTILE[0]},
        intent_descriptions=descriptions_by_intent(collection.intents),
        title="A campaign",
    )


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=options)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser) -> Iterator[Open]:
    """Return a function that opens a page and waits for its data; nothing may be written to the console."""
    errors: list[str] = []
    contexts = []

    def open_page(path: Path, *, width: int = 1400, scheme: str = "light", fragment: str = "", **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **options)
        contexts.append(context)
        view = context.new_page()
        view.set_default_timeout(10_000)
        view.on("console", lambda message: errors.append(message.text))
        view.on("pageerror", lambda error: errors.append(str(error)))
        view.goto(path.as_uri() + fragment)
        if options.get("java_script_enabled", True) and view.locator("#data").count():
            view.wait_for_selector("html[data-ready]")
        return view

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []


def names_of_runs(view: Any) -> list[str]:
    return view.locator("#board > tbody > tr:visible").evaluate_all("rows => rows.map(row => row.dataset.run)")


def texts_of_rows(rows: Any) -> list[list[str]]:
    texts = rows.evaluate_all("rows => rows.map(row => [...row.cells].map(cell => cell.innerText))")
    return [[" ".join(text.split()) for text in row] for row in texts]


def wide(evaluation: Any, measure: str) -> pd.DataFrame:
    """Return the values of a measure by topic and run."""
    rows = evaluation.frame[evaluation.frame["measure"] == measure]
    return rows.pivot(index="query_id", columns="run", values="value")


def shown_p(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def show(view: Any, section: str, cells: str) -> None:
    view.locator(section).scroll_into_view_if_needed()
    view.wait_for_selector(cells)


def serious_findings(view: Any) -> list[tuple[str, str]]:
    """Return the rules of axe-core that the page breaks, each with its first element."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed").Axe()
    found = axe.run(view, options={"resultTypes": ["violations"]}).response["violations"]
    return [(rule["id"], rule["nodes"][0]["html"]) for rule in found if rule["impact"] in ("serious", "critical")]


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (820, "light"), (1400, "light")])
def test_every_width_and_scheme(open_page, page, width, scheme):
    view = open_page(page, width=width, scheme=scheme)
    first = view.locator("#board thead th").first
    before = first.bounding_box()
    view.locator("#leaderboard .scroll").evaluate("node => { node.scrollTop = 300; node.scrollLeft = 80; }")
    assert first.bounding_box() == before  # headers and names stay in view
    assert view.locator("#board tbody th").nth(10).bounding_box()["x"] == before["x"]
    view.evaluate("dispatchEvent(new Event('beforeprint'))")
    view.locator("#board a.name").nth(4).click()
    view.wait_for_selector("#board tr.detail")
    view.locator("details.topic summary").nth(1).click()
    view.wait_for_selector(".topic-body .documents")
    # only tables scroll sideways
    assert view.evaluate("document.documentElement.scrollWidth") <= width
    widths = [section.bounding_box()["width"] for section in view.locator("main section, header, footer").all()]
    assert max(widths) <= width
    shade = view.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (shade == "rgb(255, 255, 255)") is (scheme == "light")
    assert serious_findings(view) == []


def test_names_are_only_text_and_ids_are_unique(open_page, page):
    view = open_page(page)
    view.evaluate("dispatchEvent(new Event('beforeprint'))")
    for item in view.locator("details.topic summary").all()[:3]:
        item.click()
    for link in view.locator("#board a.name").all()[:8]:
        link.click()
    assert view.title() == "A campaign"
    assert view.locator("img, main b b, #board td b, th b b").count() == 0
    for names in ("#board a.name", "#heat tbody th", "#compare-a option"):
        assert set(HOSTILE) - set(view.locator(names).all_inner_texts()) == set(), names
    ids = view.locator("[id]").evaluate_all("nodes => nodes.map(node => node.id)")
    assert sorted(ids) == sorted(set(ids))


def test_the_leaderboard_is_sorted_and_filtered(open_page, page, evaluation):
    view = open_page(page, width=390)
    heads = view.locator("#board thead th")
    means = evaluation.summary()
    assert names_of_runs(view) == means[MEASURES[0]].sort_values(ascending=False, kind="stable").index.tolist()
    for measure, first in zip(MEASURES[1:], ("descending", "ascending"), strict=True):
        head = heads.filter(has_text=measure)
        for direction in (first, "ascending" if first == "descending" else "descending"):
            head.locator("button").click()
            assert head.get_attribute("aria-sort") == direction
            assert view.locator("#board [aria-sort]").count() == 1
            ordered = means[measure][names_of_runs(view)]
            assert ordered.tolist() == sorted(ordered, reverse=direction == "descending")
        ranks = means[measure].rank(method="min", ascending=first == "ascending")
        shown = view.locator("#board .rank").all_inner_texts()
        assert [float(rank) for rank in shown] == ranks[names_of_runs(view)].tolist()
    heads.first.locator("button").click()
    assert names_of_runs(view)[0].startswith(("50", "<", "="))
    filters = [("run", "UOGTR1", 10), ("run", "<none>", 0), ("topic", "python", 1), ("topic", "zzz", 0)]
    for where, text, count in filters:
        view.fill(f"#filter-{where}s", text)
        items = view.locator("#board > tbody > tr:visible" if where == "run" else "details.topic:visible")
        assert items.count() == count, text
        assert view.locator(f"#no-{where}").is_visible() == (count == 0), text
    assert view.locator("#no-run").inner_text() == "Nothing found: no run matches “<none>”."
    view.fill("#filter-runs", "")
    assert len(names_of_runs(view)) == 20


def test_a_run_shows_its_intervals_and_p(open_page, page):
    view = open_page(page, width=390)
    view.locator("#board a.name").first.click()
    view.wait_for_selector("#board tr.detail")
    view.go_back()
    view.wait_for_selector("#board tr.detail", state="detached")
    view.goto(f"{page.as_uri()}#run-{quote(HOSTILE[3], safe='')}")
    detail = view.locator("#board tr.detail")
    assert detail.locator("h3").inner_text() == HOSTILE[3]
    assert f"from the baseline {BASELINE}" in detail.inner_text()
    is_small = set()
    for column, measure in enumerate(MEASURES):
        cell = view.locator("#board tr.is-open td").nth(column)
        p, low, mean = (float(cell.get_attribute(f"data-{name}")) for name in ("p", "low", "value"))
        is_small.add(p < 0.0001)
        text = detail.locator("tbody tr").nth(column).inner_text()
        for part in (f"{mean:.4f}", f"{low:.4f} –", f"\t{shown_p(p)}\t"):
            assert part in text, measure
        view.goto(f"{page.as_uri()}#compare?{urlencode({'a': HOSTILE[3], 'b': BASELINE, 'm': measure})}")
        view.locator("#compare-summary", has_text=f"{shown_p(p)} after correction").wait_for()
    assert is_small == {False, True}
    view.select_option("#compare-a", label=BASELINE)
    assert "the same run" in view.locator("#compare-summary").inner_text()
    assert view.locator("#board tr.is-open a.name").get_attribute("aria-expanded") == "true"
    detail.get_by_role("button", name="Close").click()
    assert view.locator("#board tr.detail, #board a.name[aria-expanded=true]").count() == 0


def test_the_heat_map(open_page, page, evaluation):
    view = open_page(page)
    show(view, "#heatmap", "#heat td")
    runs, topics = names_of_runs(view), list(map(str, evaluation.query_ids))
    heads, rows = view.locator("#heat thead th:not(:first-child)"), view.locator("#heat tbody tr")
    assert heads.all_inner_texts() == topics
    assert view.locator("#heat td").count() == 20 * 12
    values = wide(evaluation, MEASURES[0])
    for row in (0, 12, 19):
        own = values[runs[row]][topics]
        assert rows.nth(row).locator("td").all_inner_texts() == [f"{value:.2f}" for value in own]
        classes = rows.nth(row).locator("td").evaluate_all("cells => cells.map(cell => cell.className)")
        assert classes == [f"v{round(15 * value)}" for value in own]
    # a move by the keyboard, and the row and column that it leads to
    view.locator("#heat [tabindex='0']").focus()
    moves = {"ArrowDown": (1, 0), "ArrowRight": (1, 1), "End": (1, 11), "ArrowUp": (0, 11), "ArrowLeft": (0, 10)}
    moves |= {"Home": (0, 0), "PageDown": (10, 0), "Control+End": (19, 11), "PageUp": (9, 11), "Control+Home": (0, 0)}
    for key, (row, column) in moves.items():
        view.keyboard.press(key)
        text = view.locator("#heat-status").inner_text()
        assert text.startswith(f"{runs[row]}, topic {topics[column]}"), key
        assert f"{values[runs[row]][topics[column]]:.4f}" in text, key
        assert view.locator("#heat [tabindex='0']").count() == 1
    view.select_option("#heat-measure", label="E@10")
    assert "less is better" in view.locator("#heat-legend").inner_text()
    values = wide(evaluation, "E@10")
    # The easiest topics have the lowest means of E.
    for order, statistic in (("mean", -values.mean(axis=1)), ("variance", values.var(axis=1, ddof=0))):
        view.select_option("#heat-order", value=order)
        assert statistic[heads.all_inner_texts()].round(12).is_monotonic_decreasing, order
    view.uncheck("#heat-values")
    assert set(view.locator("#heat td").all_inner_texts()) == {""}
    shown = view.locator("#heat td").first.get_attribute("aria-label")
    assert shown == f"{values[runs[0]][heads.first.inner_text()]:.4f}"


def test_the_heat_map_opens_topics(open_page, page):
    view = open_page(page, width=390, has_touch=True)
    show(view, "#heatmap", "#heat td")
    cell = view.locator("#heat tbody tr").nth(2).locator("td")
    cell.nth(1).tap()  # which shows the value
    assert view.locator("details.topic[open]").count() == 0
    view.locator("#heat-status a").tap()
    assert view.locator("details.topic[open] summary b").all_inner_texts() == ["2"]
    view = open_page(page)
    show(view, "#heatmap", "#heat td")
    cell = view.locator("#heat tbody tr").nth(2).locator("td")
    cell.nth(1).click()
    cell.nth(2).focus()
    view.keyboard.press("Enter")
    topics = view.locator("details.topic[open]")
    assert topics.locator("summary b").all_inner_texts() == ["2", "3"]
    assert names_of_runs(view)[2] in topics.last.locator(".run-name").all_inner_texts()
    assert view.evaluate("location.hash") == "#topic-3"


@pytest.mark.parametrize(("measure", "sign"), [("D#-nDCG@10", 1), ("E@10", -1)])
def test_two_runs_topic_by_topic(open_page, page, evaluation, measure, sign):
    a, b = HOSTILE[0], "uogTr18xi"
    view = open_page(page, width=390)
    show(view, "#compare", "#comparison td")
    for name, label in (("a", a), ("b", b), ("measure", measure)):
        view.select_option(f"#compare-{name}", label=label)
    values = wide(evaluation, measure)
    difference = values[a] - values[b]
    text = view.locator("#compare-summary").inner_text().replace("−", "-")
    for stated in (
        f"topics where A is better: {(sign * difference > 0).sum()}\n",
        f"equal: {(difference == 0).sum()}\n",
        f"B is better: {(sign * difference < 0).sum()}\n",
        f"mean of A - B: {difference.mean():+.4f}",
        "not a significance test",
    ):
        assert stated in text
    rows = texts_of_rows(view.locator("#comparison tbody tr"))
    topics = [row[0].split()[0] for row in rows]
    assert (sign * difference[topics]).is_monotonic_decreasing
    for (_, one, two, between, _), topic in zip(rows, topics, strict=True):
        assert [one, two] == [f"{values[a][topic]:.4f}", f"{values[b][topic]:.4f}"], topic
        assert between.replace("−", "-") == f"{difference[topic]:+.4f}".replace("+0.0000", "0.0000"), topic
    fill = view.locator("#comparison tbody tr").first.locator(".track > span").get_attribute("class")
    assert fill == ("fill-better" if (sign * difference).max() > 0 else "fill-worse")
    assert view.evaluate("location.hash") == "#compare?" + urlencode({"a": a, "b": b, "m": measure}).replace("~", "%7E")


def test_a_link_to_a_topic_shows_the_documents_of_runs(open_page, page, campaign):
    qrels, runs = campaign
    view = open_page(page, fragment="#topic-7")
    assert view.locator(".strip").count() == 12
    assert view.locator(".topic-body").count() == 1  # other topics are rendered when they are opened
    topic = view.locator("details.topic[open]")
    assert topic.locator("summary b").inner_text() == "7"
    best = names_of_runs(view)[0]
    assert topic.locator(".run-name").all_inner_texts() == [best, BASELINE]
    topic.locator("select").nth(2).select_option(label="uogTr19xi")
    judgments = qrels[qrels["query_id"] == "7"]
    for index, name in enumerate([best, BASELINE, "uogTr19xi"]):
        run = runs[name][runs[name]["query_id"] == "7"].sort_values("score", ascending=False).head(10)
        expected = []
        for rank, doc_id in enumerate(run["doc_id"], 1):
            own = judgments[judgments["doc_id"] == doc_id]
            relevant = own[own["relevance"] > 0].sort_values("intent_id")
            grades = [f"{row.intent_id}: {row.relevance}" for row in relevant.itertuples()]
            expected.append([str(rank), doc_id, " ".join(grades) or ("not judged" if own.empty else "not relevant")])
        assert texts_of_rows(topic.locator(".documents").nth(index).locator("tbody tr")) == expected, name
    probabilities = topic.locator(".intents tbody tr td:nth-child(2)").all_inner_texts()
    assert sum(map(float, probabilities)) == pytest.approx(1, abs=0.01)
    assert topic.locator("pre").inner_text().count("─") > 3
    before = view.locator(".strip path").first.get_attribute("d")
    view.select_option("#measure-of-topics", label="E@10")
    assert view.locator(".strip path").first.get_attribute("d") != before


def test_downloads(open_page, page, evaluation):
    view = open_page(page)
    frames = {}
    for name in ("values", "board"):
        with view.expect_download() as download:
            view.click(f"#download-{name}")
        frames[name] = pd.read_csv(download.value.path(), dtype={"query_id": str, "value": str})
        # a spreadsheet must not compute the name of a run
        assert f"'{HOSTILE[1]}" in set(frames[name]["run"])
        frames[name]["run"] = frames[name]["run"].str.removeprefix("'")
    frames["values"]["value"] = frames["values"]["value"].astype(float)  # which rounds as it should
    keys = ["run", "query_id", "measure"]
    ours, expected = (frame.sort_values(keys, ignore_index=True) for frame in (frames["values"], evaluation.frame))
    pd.testing.assert_frame_equal(ours, expected, rtol=0, atol=0)
    board = frames["board"].pivot(index="run", columns="measure", values="mean")
    means = evaluation.summary().loc[board.index, list(board.columns)]
    np.testing.assert_allclose(board.to_numpy(), means.to_numpy(), rtol=1e-15)
    assert set(frames["board"][frames["board"]["p"].isna()]["run"]) == {BASELINE}


def test_figures_name_runs_and_lead_to_them(open_page, page, evaluation):
    view = open_page(page, width=390)
    runs = names_of_runs(view)
    recall = evaluation.summary()["I-rec@10"]
    centers = (
        "nodes => nodes.map(node => [node.ariaLabel, node.getBBox().x + node.getBBox().width / 2, node.getBBox().y])"
    )
    for name, axis in (("#recall-figure", 0), ("#ranking-figure", 1)):
        figure = view.locator(name)
        places = {run: at for run, *at in figure.locator("g.run[tabindex]").evaluate_all(centers)}
        ordered = sorted(places, key=lambda run: places[run][axis])
        assert sorted(ordered) == sorted(runs)
        if axis == 0:
            assert recall[ordered].round(2).is_monotonic_increasing
        else:
            assert ordered == runs
        label = figure.locator(".pointed-name")
        assert not label.is_visible()
        figure.locator("g.run[tabindex='0']").focus()
        view.keyboard.press("End")
        assert label.inner_text() == figure.locator("[aria-live]").inner_text() == runs[-1]
        assert figure.locator("g.is-pointed").count() == 1
    figure.locator(f"g.run[aria-label='{runs[-2]}']").hover(force=True)
    assert label.inner_text() == runs[-2]
    figure.locator(f"g.run[aria-label='{runs[-2]}']").focus()
    view.keyboard.press("Enter")
    view.wait_for_selector("#board tr.detail")
    assert view.locator("#board tr.detail h3").inner_text() == runs[-2]


def test_groups_without_a_baseline_and_values_without_documents(open_page, folder, evaluation):
    path = write_report(replace(evaluation, sources=None), folder / "groups.html")
    view = open_page(path, fragment="#topic-3")
    topic, best = view.locator("details.topic[open]"), names_of_runs(view)[0]
    assert topic.locator(".documents, .intents").count() == 0
    shown = topic.locator("tbody tr").first.locator("td").first.inner_text()
    assert shown == f"{wide(evaluation, MEASURES[0])[best]['3']:.4f}"
    assert view.locator("#board .mark").count() == 0
    for is_reversed in (False, True):
        view.locator("#board thead button", has_text="Group").click()
        groups = view.locator("#board td.group").all_inner_texts()
        assert len(set(groups)) > 2
        assert groups == sorted(groups, reverse=is_reversed)
    view.locator("#board a.name").first.click()
    assert f"Group {groups[0]} by" in view.locator("#board tr.detail").inner_text()


def test_one_run_and_qrels_without_intents(open_page, folder):
    path = folder / "one.html"
    write_report({"t 1": {"a": 2, "b": 0}}, {"t 1": {"a": 1.0, "b": 3.0, "c": 2.0}}, path, measures="nDCG@5")
    view = open_page(path, fragment="#topic-t%201")
    assert view.locator("#compare, .intents").count() == 0
    rows = texts_of_rows(view.locator("details.topic[open] .documents tbody tr"))
    assert rows == [["1", "b", "not relevant"], ["2", "c", "not judged"], ["3", "a", "2"]]
    show(view, "#heatmap", "#heat td")
    assert view.locator("#heat td").count() == 1


def test_without_javascript_and_with_broken_data_the_leaderboard_can_be_read(open_page, browser, page, folder):
    view = open_page(page, java_script_enabled=False)
    assert view.locator("#board > tbody > tr").count() == 20
    for selector in ("#board .interval >> nth=0", "#figures svg >> nth=0", "#method", "#provenance", "noscript"):
        assert view.locator(selector).is_visible(), selector
    for selector in ("#filter-runs", "#heatmap", "#topics", "#download-values"):
        assert not view.locator(selector).is_visible(), selector
    text = page.read_text(encoding="utf-8")
    start = text.index('id="data">') + len('id="data">')
    (folder / "broken.html").write_text(text[:start] + "AAAA" + text[start + 400 :], encoding="utf-8")
    view = browser.new_page()  # which may write to the console
    view.goto((folder / "broken.html").as_uri())
    view.wait_for_selector("#broken:not([hidden])")
    assert "cannot be shown" in view.locator("#broken").inner_text()
    view.locator("#board thead button", has_text="I-rec@10").click()
    assert view.locator("#board th[aria-sort]").inner_text().startswith("I-rec@10")
    view.close()


def test_the_index_of_a_site(open_page, folder):
    qrels, runs = demo_qrels_and_runs()
    some = {name: runs[name] for name in list(runs)[:2]}
    collections = {
        "TREC <2012>": irdiv.evaluate(qrels, runs, MEASURES),
        "TREC 2013": irdiv.evaluate(qrels, some, MEASURES),
    }
    view = open_page(write_site(collections, folder / "site"), scheme="dark")
    for width in WIDTHS:
        view.set_viewport_size({"width": width, "height": 900})
        assert view.evaluate("document.documentElement.scrollWidth") <= width
    assert serious_findings(view) == []
    view.fill("#filter-runs", "spammy")
    assert names_of_runs(view) == ["spammy"]
    view.fill("#filter-runs", "")
    view.locator("#run-relevance td").nth(1).locator("a").click()
    view.wait_for_selector("#board tr.detail")
    assert view.locator("#board tr.detail h3").inner_text() == "relevance"
    view.get_by_role("link", name="All collections").click()
    view.locator(".card a").first.click()
    assert view.locator("h1").inner_text().endswith("TREC <2012>")
