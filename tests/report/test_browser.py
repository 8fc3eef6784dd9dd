"""The report in a real browser: widths, light and dark, keyboard, links, downloads, accessibility."""

from __future__ import annotations

import io
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
)
BASELINE = HOSTILE[2]
WIDTHS = (390, 820, 1400)
SCHEMES = ("light", "dark")
Open = Callable[..., Any]


def campaign() -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Return the qrels of the demo and 20 runs, some with names that try to be markup, formulas or properties."""
    qrels, runs = demo_qrels_and_runs()
    rng = np.random.default_rng(0)
    many = {}
    for index in range(20):
        run = runs[list(runs)[index % 4]].drop(columns="rank")
        name = HOSTILE[index] if index < len(HOSTILE) else f"uogTr{index}xi"
        many[name] = run.assign(score=run["score"] + rng.normal(0, 0.8 * index, len(run)))
    return qrels, many


@pytest.fixture(scope="module")
def evaluation():
    return irdiv.evaluate(*campaign(), list(MEASURES))


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def page(folder) -> Path:
    """Return the page of a campaign."""
    collection = demo_collection()
    texts = dict(zip(collection.topics["query_id"], collection.topics["query"], strict=True))
    return write_report(
        *campaign(),
        folder / "report.html",
        measures=MEASURES,
        baseline=BASELINE,
        topic_texts={**texts, "2": HOSTILE[0]},
        intent_descriptions=descriptions_by_intent(collection.intents),
        title="A campaign",
    )


@pytest.fixture(scope="module")
def demo_page(folder) -> Path:
    """Return the page of four runs without a baseline."""
    return write_report(*demo_qrels_and_runs(), folder / "demo.html")


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


def value(evaluation: Any, run: str, topic: str, measure: str) -> float:
    frame = evaluation.frame
    is_wanted = (frame["run"] == run) & (frame["query_id"] == topic) & (frame["measure"] == measure)
    return float(frame.loc[is_wanted, "value"].item())


def shown_p(p: float) -> str:
    """Return p as the page shows it; with 1,000 resamples it is 0 or not that small."""
    return "0" if p == 0 else f"{p:.4f}"


def show_heat_map(view: Any) -> None:
    view.locator("#heatmap").scroll_into_view_if_needed()
    view.wait_for_selector("#heat td")


def show_comparison(view: Any) -> None:
    view.locator("#compare").scroll_into_view_if_needed()
    view.wait_for_selector("#comparison td")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_only_tables_scroll_sideways(open_page, page, width, scheme):
    view = open_page(page, width=width, scheme=scheme)
    rows = view.locator("#board > tbody > tr")
    heights = rows.evaluate_all("rows => rows.map(row => row.getBoundingClientRect().height)")
    assert max(heights) <= 48
    closed = view.locator("details.topic").evaluate_all("items => items.map(item => item.offsetHeight)")
    assert max(closed) <= 48
    show_heat_map(view)
    show_comparison(view)
    view.locator("details.topic summary").nth(1).click()
    view.wait_for_selector(".topic-body .documents")
    view.locator("#board a.name").nth(4).click()
    view.wait_for_selector("#board tr.detail")
    assert view.evaluate("document.documentElement.scrollWidth") <= width
    for section in view.locator("main section, header, footer").all():
        assert section.bounding_box()["width"] <= width
    shade = view.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (shade == "rgb(255, 255, 255)") is (scheme == "light")


@pytest.mark.parametrize("width", WIDTHS)
def test_headers_and_first_column_stay_in_view(open_page, page, width):
    view = open_page(page, width=width)
    scroll = view.locator("#leaderboard .scroll")
    before = view.locator("#board thead th").first.bounding_box()
    scroll.evaluate("node => { node.scrollTop = 300; node.scrollLeft = 80; }")
    assert view.locator("#board thead th").first.bounding_box() == before
    assert view.locator("#board tbody th").nth(10).bounding_box()["x"] == before["x"]


def test_columns_are_sorted_by_means(open_page, page, evaluation):
    view = open_page(page)
    means = {measure: evaluation.summary()[measure] for measure in MEASURES}
    heads = view.locator("#board thead th")
    assert [mark[-1] for mark in heads.all_inner_texts()] == ["↕", "↓", "↕", "↕"]
    assert names_of_runs(view) == means[MEASURES[0]].sort_values(ascending=False, kind="stable").index.tolist()
    for measure, first in zip(MEASURES[1:], ("descending", "ascending"), strict=True):
        head = heads.filter(has_text=measure)
        for direction in (first, "ascending" if first == "descending" else "descending"):
            head.locator("button").click()
            assert head.get_attribute("aria-sort") == direction
            assert view.locator("#board [aria-sort]").count() == 1
            ordered = means[measure][names_of_runs(view)]
            assert ordered.is_monotonic_increasing if direction == "ascending" else ordered.is_monotonic_decreasing
        ranks = means[measure].rank(method="min", ascending=first == "ascending")
        shown = view.locator("#board .rank").all_inner_texts()
        assert [float(rank) for rank in shown] == ranks[names_of_runs(view)].tolist()
    heads.first.locator("button").click()
    assert names_of_runs(view)[0].startswith(("50", "<", "="))


def test_filters(open_page, page):
    view = open_page(page, width=390)
    view.fill("#filter-runs", "UOGTR1")
    assert names_of_runs(view) == [name for name in names_of_runs(view) if "uogTr1" in name]
    assert view.locator("#count-of-runs").inner_text() == "10 of 20 runs"
    assert not view.locator("#no-run").is_visible()
    view.fill("#filter-runs", "<none>")
    assert names_of_runs(view) == []
    assert view.locator("#no-run").is_visible()
    assert view.locator("#no-run").inner_text() == "Nothing found: no run matches “<none>”."
    view.fill("#filter-runs", "")
    assert len(names_of_runs(view)) == 20
    view.fill("#filter-topics", "python")
    assert view.locator("details.topic:visible").count() == 1
    view.fill("#filter-topics", "no such topic")
    assert view.locator("details.topic:visible").count() == 0
    assert view.locator("#no-topic").is_visible()
    assert view.locator("#no-topic").inner_text() == "Nothing found: no topic matches “no such topic”."


def test_a_run_shows_its_intervals_and_p(open_page, page):
    view = open_page(page, width=390, fragment=f"#run-{quote(HOSTILE[3], safe='')}")
    detail = view.locator("#board tr.detail")
    assert detail.is_visible()
    assert detail.locator("h3").inner_text() == HOSTILE[3]
    cell = view.locator("#board tr.is-open td").first
    p, low, mean = (float(cell.get_attribute(f"data-{name}")) for name in ("p", "low", "value"))
    text = detail.locator("tbody tr").first.inner_text()
    assert f"{mean:.4f}" in text
    assert f"{low:.4f} –" in text
    assert f"\t{shown_p(p)}\t" in text
    assert f"from the baseline {BASELINE}" in detail.inner_text()
    link = view.locator("#board tr.is-open a.name")
    assert link.get_attribute("aria-expanded") == "true"
    detail.get_by_role("button", name="Close").click()
    assert view.locator("#board tr.detail").count() == 0
    assert view.locator("#board a.name[aria-expanded=true]").count() == 0
    assert view.evaluate("document.activeElement.className") == "name"


def test_the_heat_map_follows_its_controls(open_page, page, evaluation):
    view = open_page(page)
    show_heat_map(view)
    topics = list(map(str, evaluation.query_ids))
    runs = names_of_runs(view)
    heads = view.locator("#heat thead th:not(:first-child)")
    assert heads.all_inner_texts() == topics
    assert view.locator("#heat td").count() == 20 * 12
    shown = view.locator("#heat tbody tr").nth(3).locator("td").all_inner_texts()
    assert shown == [f"{value(evaluation, runs[3], topic, MEASURES[0]):.2f}" for topic in topics]
    view.select_option("#heat-measure", label="E@10")
    assert "less is better" in view.locator("#heat-legend").inner_text()
    shown = view.locator("#heat tbody tr").nth(3).locator("td").all_inner_texts()
    assert shown == [f"{value(evaluation, runs[3], topic, 'E@10'):.2f}" for topic in topics]
    by_topic = evaluation.frame.query("measure == 'E@10'").groupby("query_id")["value"]
    # The easiest topics have the lowest means of E.
    for order, statistic in (("mean", -by_topic.mean()), ("variance", by_topic.var(ddof=0))):
        view.select_option("#heat-order", value=order)
        assert statistic[heads.all_inner_texts()].round(12).is_monotonic_decreasing
    view.uncheck("#heat-values")
    assert set(view.locator("#heat td").all_inner_texts()) == {""}
    first = heads.first.inner_text()
    assert (
        view.locator("#heat td").first.get_attribute("aria-label") == f"{value(evaluation, runs[0], first, 'E@10'):.4f}"
    )


def test_the_colors_of_the_heat_map_are_those_of_the_values(open_page, page, evaluation):
    view = open_page(page)
    show_heat_map(view)
    runs = names_of_runs(view)
    for row, column in ((0, 0), (12, 5), (19, 11)):
        own = value(evaluation, runs[row], str(evaluation.query_ids[column]), MEASURES[0])
        cell = view.locator("#heat tbody tr").nth(row).locator("td").nth(column)
        assert cell.get_attribute("class") == f"v{round(15 * own)}"


def test_the_heat_map_by_keyboard(open_page, page, evaluation):
    view = open_page(page)
    show_heat_map(view)
    assert view.locator("#heat [tabindex='0']").count() == 1
    view.locator("#heat [tabindex='0']").focus()
    status = view.locator("#heat-status")

    def focused() -> list[int]:
        return view.evaluate(
            "[document.activeElement.parentNode.sectionRowIndex, document.activeElement.cellIndex - 1]"
        )

    expected = {"ArrowDown": [1, 0], "ArrowRight": [1, 1], "End": [1, 11], "ArrowUp": [0, 11], "ArrowLeft": [0, 10]}
    expected |= {
        "Home": [0, 0],
        "PageDown": [10, 0],
        "Control+End": [19, 11],
        "PageUp": [9, 11],
        "Control+Home": [0, 0],
    }
    for key, position in expected.items():
        view.keyboard.press(key)
        assert focused() == position
        assert view.locator("#heat [tabindex='0']").count() == 1
        run, topic = names_of_runs(view)[position[0]], str(evaluation.query_ids[position[1]])
        text = status.inner_text()
        assert text.startswith(f"{run}, topic {topic}")
        assert f"{value(evaluation, run, topic, MEASURES[0]):.4f}" in text
    view.keyboard.press("ArrowLeft")
    assert focused() == [0, 0]
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
        view.keyboard.press(key)
    topic = view.locator("details.topic[open]")
    assert topic.locator("summary b").inner_text() == str(evaluation.query_ids[1])
    assert names_of_runs(view)[2] in topic.locator(".run-name").all_inner_texts()
    assert view.evaluate("location.hash") == f"#topic-{evaluation.query_ids[1]}"


def test_a_click_in_the_heat_map_opens_the_topic_and_a_tap_shows_the_value(open_page, page):
    view = open_page(page, width=390, has_touch=True)
    show_heat_map(view)
    cell = view.locator("#heat tbody tr").nth(1).locator("td").nth(0)
    cell.tap()
    assert view.locator("details.topic[open]").count() == 0
    view.locator("#heat-status a").tap()
    assert view.locator("details.topic[open] summary b").inner_text() == "1"
    view = open_page(page)
    show_heat_map(view)
    view.locator("#heat tbody tr").nth(1).locator("td").nth(2).click()
    assert view.locator("details.topic[open] summary b").inner_text() == "3"


@pytest.mark.parametrize(("measure", "sign"), [("D#-nDCG@10", 1), ("E@10", -1)])
def test_two_runs_topic_by_topic(open_page, page, evaluation, measure, sign):
    a, b = HOSTILE[0], "uogTr18xi"
    view = open_page(page, width=390)
    show_comparison(view)
    view.select_option("#compare-a", label=a)
    view.select_option("#compare-b", label=b)
    view.select_option("#compare-measure", label=measure)
    wide = evaluation.frame.query("measure == @measure").pivot(index="query_id", columns="run", values="value")
    difference = wide[a] - wide[b]
    text = view.locator("#compare-summary").inner_text()
    assert f"topics where A is better: {(sign * difference > 0).sum()}\n" in text
    assert f"equal: {(difference == 0).sum()}\n" in text
    assert f"B is better: {(sign * difference < 0).sum()}\n" in text
    assert f"mean of A − B: {difference.mean():+.4f}".replace("-", "−") in text
    assert "not a significance test" in text
    rows = view.locator("#comparison tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(c => c.innerText))"
    )
    topics = [row[0].split()[0] for row in rows]
    assert (sign * difference[topics]).is_monotonic_decreasing
    for (_, one, two, between, _), topic in zip(rows, topics, strict=True):
        expected = [f"{wide[a][topic]:.4f}", f"{wide[b][topic]:.4f}"]
        assert [one, two] == expected
        assert between.replace("−", "-") == f"{difference[topic]:+.4f}".replace("+0.0000", "0.0000")
    fills = view.locator("#comparison tbody tr").first.locator(".track > span")
    assert fills.get_attribute("class") == ("fill-better" if sign * difference.max() > 0 or sign < 0 else "fill-worse")
    assert view.evaluate("location.hash") == "#compare?" + urlencode({"a": a, "b": b, "m": measure}).replace("~", "%7E")


def test_a_comparison_with_the_baseline_states_its_test_and_has_a_link(open_page, page):
    fragment = "#compare?" + urlencode({"a": HOSTILE[3], "b": BASELINE, "m": "I-rec@10"})
    view = open_page(page, fragment=fragment)
    assert view.locator("#compare-a option:checked").inner_text() == HOSTILE[3]
    assert view.locator("#compare-measure option:checked").inner_text() == "I-rec@10"
    rows = view.locator("#board > tbody > tr")
    p = float(rows.nth(names_of_runs(view).index(HOSTILE[3])).locator("td").nth(1).get_attribute("data-p"))
    assert (
        f"Test against the baseline {BASELINE}: p = {shown_p(p)} after correction"
        in view.locator("#compare-summary").inner_text()
    )
    assert view.locator("#comparison").is_visible()
    view.select_option("#compare-a", label=BASELINE)
    assert "the same run" in view.locator("#compare-summary").inner_text()


def test_a_link_to_a_topic_shows_the_documents_of_runs(open_page, page):
    qrels, runs = campaign()
    view = open_page(page, fragment="#topic-7")
    topic = view.locator("details.topic[open]")
    assert topic.locator("summary b").inner_text() == "7"
    assert topic.evaluate("node => node.getBoundingClientRect().top >= 0 && node.getBoundingClientRect().top < 200")
    best = names_of_runs(view)[0]
    assert topic.locator(".run-name").all_inner_texts() == [best, BASELINE]
    topic.locator("select").nth(2).select_option(label="uogTr19xi")
    judgments = qrels[qrels["query_id"] == "7"]
    for index, name in enumerate([best, BASELINE, "uogTr19xi"]):
        run = runs[name][runs[name]["query_id"] == "7"].sort_values("score", ascending=False).head(10)
        rows = topic.locator(".documents").nth(index).locator("tbody tr")
        shown = rows.evaluate_all("rows => rows.map(row => [...row.cells].map(c => c.innerText))")
        assert [row[:2] for row in shown] == [[str(rank), doc_id] for rank, doc_id in enumerate(run["doc_id"], 1)]
        for _, doc_id, text in shown:
            own = judgments[judgments["doc_id"] == doc_id]
            relevant = own[own["relevance"] > 0]
            grades = zip(relevant["intent_id"], relevant["relevance"], strict=True)
            expected = " ".join(f"{intent}: {grade}" for intent, grade in sorted(grades))
            assert " ".join(text.split()) == (expected or ("not judged" if own.empty else "not relevant"))
    probabilities = topic.locator(".intents tbody tr td:nth-child(2)").all_inner_texts()
    assert sum(map(float, probabilities)) == pytest.approx(1, abs=0.01)
    assert topic.locator("pre").inner_text().count("─") > 3
    assert topic.locator(".topic-body a").get_attribute("href") == "#topic-7"


def test_topics_are_rendered_when_opened(open_page, page):
    view = open_page(page)
    assert view.locator(".topic-body").count() == 0
    assert view.locator(".strip").count() == 12
    view.evaluate("location.hash = '#topic-3'")
    view.wait_for_selector(".topic-body")
    assert view.locator(".topic-body").count() == 1
    before = view.locator(".strip path").first.get_attribute("d")
    view.select_option("#measure-of-topics", label="E@10")
    assert view.locator(".strip path").first.get_attribute("d") != before


def test_downloads(open_page, page, evaluation):
    view = open_page(page)
    with view.expect_download() as download:
        view.click("#download-values")
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert "\n'=1+1|'x'!A1,1," in text  # a spreadsheet must not compute it
    frame = pd.read_csv(io.StringIO(text), dtype={"query_id": str, "value": str}).astype({"value": float})
    frame["run"] = frame["run"].str.removeprefix("'")
    keys = ["run", "query_id", "measure"]
    pd.testing.assert_frame_equal(
        frame.sort_values(keys, ignore_index=True),
        evaluation.frame.sort_values(keys, ignore_index=True),
        rtol=0,
        atol=0,
    )
    with view.expect_download() as download:
        view.click("#download-board")
    board = pd.read_csv(download.value.path())
    means = evaluation.summary()
    assert len(board) == 20 * 3
    for run, measure, mean in zip(board["run"].str.removeprefix("'"), board["measure"], board["mean"], strict=True):
        assert mean == pytest.approx(means.loc[run, measure], rel=1e-15)
    assert board["p"].isna().sum() == 3  # the baseline itself


def test_names_are_only_text(open_page, page):
    view = open_page(page)
    show_heat_map(view)
    view.evaluate("dispatchEvent(new Event('beforeprint'))")
    for item in view.locator("details.topic summary").all()[:3]:
        item.click()
    for link in view.locator("#board a.name").all()[:8]:
        link.click()
    assert view.title() == "A campaign"
    assert view.locator("img, main b b, #board td b, th b b").count() == 0
    assert set(HOSTILE) < set(view.locator("#board a.name").all_inner_texts())
    assert set(HOSTILE) < set(view.locator("#heat tbody th").all_inner_texts())
    assert set(HOSTILE) < set(view.locator("#compare-a option").all_inner_texts())


def test_figures_mark_every_run(open_page, page, evaluation):
    view = open_page(page, width=390)
    runs = names_of_runs(view)
    recall = evaluation.summary()["I-rec@10"]
    boxes = (
        "nodes => nodes.map(node => [node.ariaLabel, node.getBBox().x + node.getBBox().width / 2, node.getBBox().y])"
    )
    for figure in ("#ranking-figure", "#recall-figure"):
        stops = view.locator(f"{figure} g.run[tabindex]")
        places = {name: (x, y) for name, x, y in stops.evaluate_all(boxes)}
        assert sorted(places) == sorted(runs)
        if figure == "#ranking-figure":
            assert sorted(places, key=lambda name: places[name][1]) == runs
        else:
            left_to_right = sorted(places, key=lambda name: places[name][0])
            assert recall[left_to_right].round(2).is_monotonic_increasing
        view.locator(f"{figure} g.run[tabindex='0']").focus()
        view.keyboard.press("End")
        assert view.locator(f"{figure} .pointed-name").inner_text() == runs[-1]


def test_figures_name_the_run_that_is_pointed_at(open_page, demo_page, folder):
    text = demo_page.read_text(encoding="utf-8")
    circles = [("dots-run-2", 90), ("dots-run-1", 150), ("lines-run-2", 210)]
    groups = "".join(f'<g id="{name}"><circle cx="{x}" cy="60" r="9"/></g>' for name, x in circles)
    start, end = text.index("<svg", text.index('id="figures"')), text.index("</svg>")
    path = folder / "figure.html"
    path.write_text(f'{text[:start]}<svg viewBox="0 0 400 300">{groups}{text[end:]}', encoding="utf-8")
    view = open_page(path)
    runs = names_of_runs(view)
    figure = view.locator("#figures figure").first
    figure.scroll_into_view_if_needed()
    label = figure.locator(".pointed-name")
    assert not label.is_visible()
    assert figure.locator("[tabindex='0'] [tabindex='0']").count() == 1
    for index, run in enumerate((2, 1, 2)):
        figure.locator("circle").nth(index).hover()
        assert label.inner_text() == runs[run]
        assert figure.locator("[aria-live]").inner_text() == runs[run]
        assert figure.locator("g.is-pointed").count() == run  # run 2 is drawn twice
    figure.locator("[tabindex='0'] [tabindex='0']").focus()
    assert label.inner_text() == runs[1]
    view.keyboard.press("ArrowRight")
    assert label.inner_text() == runs[2]
    view.keyboard.press("Enter")
    view.wait_for_selector("#board tr.detail")
    assert view.locator("#board tr.detail h3").inner_text() == runs[2]


def test_without_a_baseline_runs_have_groups(open_page, demo_page):
    view = open_page(demo_page)
    assert view.locator("#board thead th").nth(1).inner_text().startswith("Group")
    assert view.locator("#board .mark").count() == 0
    view.locator("#board a.name").first.click()
    group = view.locator("#board td.group").first.inner_text()
    assert f"Group {group} by" in view.locator("#board tr.detail").inner_text()
    show_comparison(view)
    assert "not a significance test" in view.locator("#compare-summary").inner_text()


def test_runs_are_sorted_by_group(open_page, folder, evaluation):
    view = open_page(write_report(evaluation, folder / "groups.html"))
    button = view.locator("#board thead button").nth(1)
    for is_reversed in (False, True):
        button.click()
        groups = view.locator("#board td.group").all_inner_texts()
        assert len(set(groups)) > 2
        assert groups == sorted(groups, reverse=is_reversed)


def test_small_p_that_is_not_corrected(open_page, folder, evaluation):
    path = write_report(evaluation, folder / "uncorrected.html", baseline=BASELINE, test="t", correction=None)
    cell = '[data-p*="e-"]'
    view = open_page(path)
    tested = view.locator(f"#board tr:has({cell})").last
    assert tested.locator(cell).first.get_attribute("title") == "p < 0.0001"
    run = tested.get_attribute("data-run")
    tested.locator("a.name").click()
    assert "\t< 0.0001\t" in view.locator("#board tr.detail").inner_text()
    view = open_page(path, fragment="#compare?" + urlencode({"a": run, "b": BASELINE}))
    assert "after correction" not in view.locator("#compare-summary").inner_text()


def test_back_closes_the_run_that_was_opened(open_page, demo_page):
    view = open_page(demo_page)
    view.locator("#board a.name").first.click()
    view.wait_for_selector("#board tr.detail")
    view.go_back()
    view.wait_for_selector("#board tr.detail", state="detached")


def test_ids_are_unique_whatever_runs_and_topics_are_called(open_page, folder):
    names = ("filter", "count", "list", "measure", "legend", "runs", "topics")
    qrels = {topic: {"a": 1} for topic in names}
    runs = {name: {topic: {"a": 1.0} for topic in names} for name in names}
    view = open_page(write_report(qrels, runs, folder / "ids.html", measures=["nDCG@10"]))
    ids = view.locator("[id]").evaluate_all("nodes => nodes.map(node => node.id)")
    assert sorted(ids) == sorted(set(ids))


def test_one_run_and_qrels_without_intents(open_page, folder):
    path = write_report(
        {"t 1": {"a": 2, "b": 0}}, {"t 1": {"a": 1.0, "b": 3.0, "c": 2.0}}, folder / "one.html", measures="nDCG@5"
    )
    view = open_page(path, fragment="#topic-t%201")
    assert view.locator("#compare").count() == 0
    topic = view.locator("details.topic[open]")
    assert topic.locator(".intents").count() == 0
    rows = topic.locator(".documents tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(c => c.innerText))"
    )
    assert [[text.strip() for text in row] for row in rows] == [
        ["1", "b", "not relevant"],
        ["2", "c", "not judged"],
        ["3", "a", "2"],
    ]
    show_heat_map(view)
    assert view.locator("#heat td").count() == 1
    view.locator("#board a.name").click()
    view.locator("#board tr.detail").wait_for(state="visible")


def test_an_evaluation_without_documents_shows_values(open_page, folder, evaluation):
    view = open_page(write_report(replace(evaluation, sources=None), folder / "values.html"), fragment="#topic-3")
    topic = view.locator("details.topic[open]")
    assert topic.locator(".documents, .intents").count() == 0
    best = names_of_runs(view)[0]
    row = topic.locator("tbody tr").first.locator("td").first
    assert row.inner_text() == f"{value(evaluation, best, '3', MEASURES[0]):.4f}"


def test_without_javascript_the_leaderboard_and_the_method_can_be_read(open_page, page):
    view = open_page(page, java_script_enabled=False)
    assert len(view.locator("#board > tbody > tr").all()) == 20
    for selector in ("#board .interval >> nth=0", "#figures svg >> nth=0", "#method", "#provenance", "noscript"):
        assert view.locator(selector).is_visible()
    for selector in ("#filter-runs", "#heatmap", "#topics", "#download-values"):
        assert not view.locator(selector).is_visible()


def test_data_that_cannot_be_read_is_an_error_on_the_page(browser, page, folder):
    path = folder / "broken.html"
    text = page.read_text(encoding="utf-8")
    start = text.index('id="data">') + len('id="data">')
    path.write_text(text[:start] + "AAAA" + text[start + 400 :], encoding="utf-8")
    view = browser.new_page()
    view.goto(path.as_uri())
    view.wait_for_selector("#broken:not([hidden])")
    assert "cannot be shown" in view.locator("#broken").inner_text()
    view.locator("#board thead button", has_text="I-rec@10").click()
    assert view.locator("#board th[aria-sort]").inner_text().startswith("I-rec@10")
    view.close()


def serious_findings(view: Any) -> list[tuple[str, str]]:
    """Return the rules of axe-core that the page breaks, each with its first element."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed").Axe()
    found = axe.run(view, options={"resultTypes": ["violations"]}).response["violations"]
    return [(rule["id"], rule["nodes"][0]["html"]) for rule in found if rule["impact"] in ("serious", "critical")]


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1400, "light")])
def test_axe_finds_nothing_serious(open_page, page, width, scheme):
    view = open_page(page, width=width, scheme=scheme)
    view.evaluate("dispatchEvent(new Event('beforeprint'))")
    view.locator("#board a.name").nth(1).click()
    view.locator("details.topic summary").nth(1).click()
    view.wait_for_selector(".topic-body .documents")
    assert serious_findings(view) == []


@pytest.fixture(scope="module")
def collections():
    qrels, runs = demo_qrels_and_runs()
    some = {name: runs[name] for name in list(runs)[:2]}
    measures = ["D#-nDCG@10", "I-rec@10"]
    return {"TREC <2012>": irdiv.evaluate(qrels, runs, measures), "TREC 2013": irdiv.evaluate(qrels, some, measures)}


@pytest.fixture(scope="module")
def index(collections, folder) -> Path:
    return write_site(collections, folder / "site")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_index_of_a_site(open_page, index, collections, scheme):
    view = open_page(index, scheme=scheme)
    for width in WIDTHS:
        view.set_viewport_size({"width": width, "height": 900})
        assert view.evaluate("document.documentElement.scrollWidth") <= width
    assert serious_findings(view) == []
    view.fill("#filter-runs", "spammy")
    assert names_of_runs(view) == ["spammy"]
    view.fill("#filter-runs", "")
    mean = collections["TREC 2013"].summary().loc["relevance", "D#-nDCG@10"]
    cell = view.locator("#run-relevance td").nth(1)
    assert cell.inner_text() == f"{mean:.4f}"
    cell.locator("a").click()
    view.wait_for_selector("#board tr.detail")
    assert view.locator("#board tr.detail h3").inner_text() == "relevance"
    view.get_by_role("link", name="All collections").click()
    view.locator(".card a").first.click()
    assert view.locator("h1").inner_text().endswith("TREC <2012>")
