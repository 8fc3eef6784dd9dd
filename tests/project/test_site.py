"""The documentation site: it builds without warnings, links hold, public names have a place, browsers show it."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any

import pytest

import irdiv
from helpers import CHROMIUM
from pages import ROOT
from site_files import Site

EXTENSIONS = ("sphinx", "pydata_sphinx_theme", "numpydoc", "myst_nb", "sphinx_copybutton", "sphinx_design")
MISSING = [name for name in (*EXTENSIONS, "sphinx_gallery", "sphinx-mathjax-offline") if find_spec(name) is None]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"the site needs the extra docs; missing here: {', '.join(MISSING)}"),
]

in_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here to open the site in")
KINDS = {
    "front page": "index.html",
    "tutorial": "start/trec.html",
    "how to": "howto/studies.html",
    "explanation": "explain/d-measures.html",
    "measures": "measures/index.html",
    "gallery": "plots/index.html",
    "figure": "plots/plot_ranking.html",
    "notebook": "notebooks/01_first_table.html",
    "room": "api/stats.html",
    "function": "api/generated/irdiv.evaluate.html",
    "class": "api/generated/irdiv.Evaluation.html",
    "changes": "project/changelog.html",
}
Open = Callable[..., Any]


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> tuple[Path, str]:
    """Return the site and what Sphinx wrote to standard error, built of a copy, so that the checkout stays clean."""
    work = tmp_path_factory.mktemp("site")
    made = shutil.ignore_patterns("generated", "plots", "*.ipynb", "__pycache__")
    shutil.copytree(ROOT / "docs", work / "docs", ignore=made)
    for name in ("benchmarks", "notebooks"):
        shutil.copytree(ROOT / name, work / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("CHANGELOG.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, work / name)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-n", "docs", "site"]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return work / "site", done.stderr


@pytest.fixture(scope="module")
def folder(built) -> Path:
    return built[0]


@pytest.fixture(scope="module")
def site(folder) -> Site:
    return Site(folder)


def test_nothing_is_warned_of(built):
    assert "WARNING" not in built[1]


def test_links_within_the_site_hold(site):
    assert len(site) > 100
    assert list(site.broken_links()) == []


def test_nothing_is_loaded_from_other_hosts(site):
    assert list(site.loaded_from_outside()) == []


def test_broken_links_and_outside_resources_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<h1 id="top">A</h1><a href="#top"></a><a href="#none"></a><a href="b.html#x"></a><a href="c.html"></a>'
        '<a href="https://example.org"></a><script src="https://example.org/x.js"></script>'
    )
    (tmp_path / "b.html").write_text('<p id="y"></p>')
    small = Site(tmp_path)
    assert list(small.broken_links()) == ["a.html: #none", "a.html: b.html#x", "a.html: c.html"]
    assert list(small.loaded_from_outside()) == ["a.html: https://example.org/x.js"]


def places_of_names(folder: Path) -> set[str]:
    """Return the names of Python objects in the inventory of the site: four lines, then compressed ``name kind …``."""
    lines = zlib.decompress((folder / "objects.inv").read_bytes().split(b"\n", 4)[4]).decode().splitlines()
    return {line.split()[0] for line in lines if line.split()[1].startswith("py:")}


def test_every_public_name_has_one_place(folder):
    places = places_of_names(folder)
    names: dict[int, set[str]] = defaultdict(set)
    alive = []
    rooms = [name for name in irdiv.__all__ if isinstance(getattr(irdiv, name), ModuleType)]
    for room in ("irdiv", *(f"irdiv.{room}" for room in rooms)):
        module = importlib.import_module(room)
        for name in module.__all__:
            value = getattr(module, name)
            alive.append(value)
            names[id(value)].add(f"{room}.{name}")
    described = {tuple(sorted(same)): sorted(same & places) for same in names.values()}
    assert {same: found for same, found in described.items() if len(found) != 1} == {}


@pytest.fixture(scope="module")
def address(folder) -> Iterator[str]:
    """Serve the site on this machine."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=options)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, address) -> Iterator[Open]:
    """Return a function that opens a page; nothing may be asked of another host, and nothing may fail."""
    faults: list[str] = []
    contexts = []

    def open_page(name: str, *, width: int = 1400, scheme: str = "light", base: str = address) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        view = context.new_page()
        view.set_default_timeout(60_000)
        # a page on disk may not fetch others, so that results of its search have no excerpts
        allowed = "Failed to fetch" if base.startswith("file:") else None
        view.on("pageerror", lambda error: str(error) == allowed or faults.append(str(error)))
        view.on("response", lambda response: response.status < 400 or faults.append(response.url))
        view.on("request", lambda request: request.url.startswith((base, "data:")) or faults.append(request.url))
        view.goto(f"{base}/{name}", wait_until="load")
        return view

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


@in_browser
@pytest.mark.parametrize("kind", KINDS)
def test_a_phone_shows_a_page_without_scrolling_sideways(open_page, kind):
    view = open_page(KINDS[kind], width=390)
    assert view.evaluate("document.documentElement.scrollWidth") <= 390


@in_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing_serious(open_page, kind, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed").Axe()
    view = open_page(KINDS[kind], scheme=scheme, width=390 if scheme == "dark" else 1400)
    # Preloading, axe asks for style sheets that others import in the folder of the page.
    # To describe what passes would take as long again.
    found = axe.run(view, options={"preload": False, "resultTypes": ["violations"]}).response["violations"]
    serious = [(rule["id"], rule["nodes"][0]["html"]) for rule in found if rule["impact"] in ("serious", "critical")]
    assert serious == []


@in_browser
def test_mathematics_is_shown_and_can_be_read_aloud(open_page):
    view = open_page(KINDS["explanation"])
    view.wait_for_selector("mjx-container mjx-assistive-mml math, math")
    assert view.locator("mjx-merror, merror").count() == 0


@in_browser
@pytest.mark.parametrize("source", ["server", "file"])
def test_the_search_finds_a_function(open_page, folder, address, source):
    base = address if source == "server" else folder.as_uri()
    view = open_page("search.html?q=discriminative_power", base=base)
    view.wait_for_selector("#search-results li a")
    links = view.locator("#search-results li a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert any("irdiv.stats.discriminative_power.html" in link for link in links)
