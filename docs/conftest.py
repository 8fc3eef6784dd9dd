from __future__ import annotations

from pathlib import Path

import pytest

from irdiv.demo import write_demo
from pages import write_files

collect_ignore_glob = ["*.py", "api/generated/*", "plots/*"]
"""Code of the site is run when the site is built."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all pages as slow; the list has the tests of the whole suite."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def _folder_of_the_reader(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each page in a folder of its own with the files of ``irdiv demo --data .`` and those that the page makes."""
    write_demo(tmp_path)
    write_files(request.path, tmp_path)
    monkeypatch.chdir(tmp_path)
