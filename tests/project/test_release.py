"""What a release needs, and what other services read from the repository."""

from __future__ import annotations

import re
import sys
import warnings
from pathlib import Path

import pytest

import irdiv

pytestmark = pytest.mark.slow

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PT_DOCS = ROOT / "src" / "irdiv" / "pt_docs"


def test_the_citation_is_of_this_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.*)$", citation, re.MULTILINE)[1] == irdiv.__version__
    assert PROJECT["urls"]["Source"] in citation


def test_workflows_run_all_declared_versions_of_python():
    declared = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d+$", c)]
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    assert re.findall(r'"(3\.\d+)"', re.search(r"^ +python: \[(.*)\]$", workflow, re.MULTILINE)[1]) == declared


def test_links_of_the_readme_work_on_pypi():
    links = re.findall(r"\]\(([^)]*)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert [link for link in links if not link.startswith(("https://", "#"))] == []


def test_pages_for_pyterrier_are_all_in_its_index():
    index = (PT_DOCS / "index.rst").read_text(encoding="utf-8")
    pages = {path.stem for path in PT_DOCS.glob("*.rst")} - {"index"}
    assert set(re.findall(r"^   (\w+)$", index, re.MULTILINE)) == pages


@pytest.mark.filterwarnings("ignore")  # PyTerrier and its dependencies emit warnings of their own
@pytest.mark.parametrize("path", sorted(PT_DOCS.glob("*.rst")), ids=lambda path: path.stem)
def test_code_of_pages_for_pyterrier(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("pyterrier")
    blocks = re.findall(
        r"\.\. code-block:: python\n   :caption:.*\n\n((?:   .*\n|\n)+)", path.read_text(encoding="utf-8")
    )
    assert blocks or path.stem == "index"
    exec("\n".join(re.sub(r"^   ", "", block, flags=re.MULTILINE) for block in blocks), {})
