"""Pages that are made from the package stay as it would make them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import irdiv
from irdiv.demo import demo_qrels_and_runs, make, write_rag_demo
from irdiv.measures.catalogue import registry
from irdiv_cli import main

ROOT = Path(__file__).resolve().parents[1]


def test_every_family_of_measures_has_a_page():
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "measures").glob("*.md"))
    shown = [start.strip() for listed in re.findall(r"```{measures} (.*)", pages) for start in listed.split(";")]
    families = {declaration.family for declaration in registry.values()}
    assert len(shown) == len(families)
    assert {next(family for family in families if family.startswith(start)) for start in shown} == families


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


def commands_of(page: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL)
    lines = [re.sub(r"\s+# .*", "", line) for block in blocks for line in block.split("\n")]
    return [line.strip() for line in lines if line.startswith("irdiv ")]


@pytest.mark.parametrize("command", [*commands_of("README.md"), *commands_of("docs/start/rag.md")])
def test_commands_of_pages(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--data", "."]) == 0
    assert main(shlex.split(command)[1:]) == 0


def test_the_output_of_commands_in_the_tutorial(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_rag_demo(tmp_path)
    text = (ROOT / "docs" / "start" / "rag.md").read_text(encoding="utf-8")
    printed = re.findall(r"```sh\nirdiv (.*)\n```\n\n```text\n([^`]*)```", text)
    assert printed
    for command, output in printed:
        assert main(shlex.split(command)) == 0
        assert capsys.readouterr().out == output


def test_every_figure_is_in_the_gallery():
    shown = {path.stem.removeprefix("plot_") for path in (ROOT / "docs" / "gallery").glob("plot_*.py")}
    assert shown == set(irdiv.plots.__all__)
