"""Pages that are made from the package stay as it would make them, and all code on pages runs.

Doctests are run by pytest itself; ``docs/conftest.py`` gives them the files of the reader.
"""

from __future__ import annotations

import ast
import doctest
import re
import shlex
from pathlib import Path

import pytest

import irdiv
from irdiv.demo import demo_qrels_and_runs, make, write_demo, write_rag_demo
from irdiv.measures.catalogue import registry
from irdiv_cli import main
from pages import ROOT, blocks, commands, pages, write_files

pytestmark = pytest.mark.slow

_RUN_OR_SKIPPED = ("irdiv ", "pip install ", "mkdir try && cd try", "#")
NAMES = {path.relative_to(ROOT).as_posix(): path for path in pages()}


def test_every_family_of_measures_has_a_page():
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "measures").glob("*.md"))
    shown = [start.strip() for listed in re.findall(r"```{measures} (.*)", text) for start in listed.split(";")]
    families = {declaration.family for declaration in registry.values()}
    assert len(shown) == len(families)
    assert {next(family for family in families if family.startswith(start)) for start in shown} == families


def test_every_figure_is_in_the_gallery():
    shown = {path.stem.removeprefix("plot_") for path in (ROOT / "docs" / "gallery").glob("plot_*.py")}
    assert shown == set(irdiv.plots.__all__)


def test_the_demo_is_what_its_script_makes(tmp_path):
    make.make(tmp_path)
    folder = Path(make.__file__).parent
    for path in sorted(tmp_path.iterdir()):
        assert (folder / path.name).read_text(encoding="utf-8") == path.read_text(encoding="utf-8"), path.name


def test_measures_disagree_on_the_demo_as_in_the_papers():
    means = irdiv.evaluate(
        *demo_qrels_and_runs(), ["I-rec@10", "D-nDCG@10", "D#-nDCG@10", "α-nDCG@10", "nDCG@10"]
    ).summary()
    better = means.loc["diversified"] > means.loc["relevance"]
    assert better.tolist() == [True, False, True, True, False]
    assert (means.loc["spammy"] < means.loc["one-intent"]).all()


def test_the_demo_of_retrieval_for_generation(tmp_path):
    names = {path.stem: path for path in write_rag_demo(tmp_path)}
    qrels = irdiv.rag.read_nuggets(names["judgments"])
    runs = irdiv.rag.read_contexts([names[retriever] for retriever in ("bm25", "dense", "hybrid")])
    best = qrels.groupby(["query_id", "intent_id"])["relevance"].max()
    assert len(best) == 38
    # two nuggets are supported by no passage, and Coverage counts them
    assert best[best == 0].index.tolist() == [("q1", "q1-n5"), ("q8", "q8-n6")]
    for run in runs.values():
        assert (run.groupby("query_id").size() == 8).all()
        assert not run.duplicated(["query_id", "doc_id"]).any()
        assert set(run["doc_id"]) <= set(qrels["doc_id"])
    # the retriever that covers most is not the one that is best if order and importance count
    means = irdiv.evaluate(qrels, runs, ["Coverage@5", "Vital-coverage@5", "alpha-nDCG(weighted=True)@5"]).summary()
    assert means.idxmax().tolist() == ["hybrid", "dense", "dense"]


def pages_with(language: str) -> list[str]:
    return [name for name, path in NAMES.items() if any(block.language == language for block in blocks(path))]


@pytest.fixture
def reader(tmp_path, monkeypatch):
    """Go to a folder with the files of ``irdiv demo --data .``."""
    write_demo(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", pages_with("sh"))
def test_commands_print_what_pages_show(name, reader, capsys):
    write_files(NAMES[name], reader)
    for block in blocks(NAMES[name]):
        if block.language == "sh":
            for command in commands(block):
                assert main(shlex.split(command)) == 0, command
            printed = capsys.readouterr().out
            if block.printed is not None:
                assert printed == block.printed


# PyTerrier has deprecated calls of its own.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", pages_with("py"))
def test_python_without_prompts_prints_what_pages_show(name, reader, capsys, request):
    names: dict[str, object] = {}
    for block in blocks(NAMES[name]):
        if block.language == "py":
            code = block.code
            if "pyspark" in code:
                request.getfixturevalue("spark")
                # The session of all tests looks for files in the folder in which it was started.
                code = code.replace('"logs-', f'"{reader.as_posix()}/logs-')
            execute(code, names)
            printed = capsys.readouterr().out
            if block.printed is not None:
                flags = doctest.NORMALIZE_WHITESPACE
                assert doctest.OutputChecker().check_output(block.printed, printed, flags), printed


def execute(code: str, names: dict[str, object]) -> None:
    """Run code and print the value of its last expression, as a notebook does."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "page", "exec"), names)
    if last is not None:
        exec(compile(ast.Interactive([last]), "page", "single"), names)


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("docs/")])
def test_every_block_is_run(name):
    shown = NAMES[name].read_text(encoding="utf-8")
    assert not re.search(r"^ *```\n(?=.)", re.sub(r"^```[\w{].*?^```$", "", shown, flags=re.DOTALL | re.MULTILINE))
    for block in blocks(NAMES[name]):
        assert block.language in ("python", "py", "sh", "text"), block
        assert block.language != "python" or block.code.startswith(">>> "), block.code
        if block.language == "sh":
            others = re.sub(r"^cat > .*?^END$", "", block.code.replace("\\\n", " "), flags=re.DOTALL | re.MULTILINE)
            assert all(line.startswith(_RUN_OR_SKIPPED) for line in others.split("\n") if line), others


def test_pages_have_blocks_of_each_kind():
    kinds = {block.language for path in NAMES.values() for block in blocks(path)}
    assert kinds >= {"python", "py", "sh", "text"}
