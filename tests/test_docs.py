"""Pages that are made from the package stay as it would make them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import irdiv
from irdiv.cli import main
from irdiv.demo import demo_collection, make
from irdiv.explain import reference

ROOT = Path(__file__).resolve().parents[1]


def test_the_reference_is_current():
    # python -m irdiv.explain > docs/measures.md
    assert (ROOT / "docs" / "measures.md").read_text(encoding="utf-8") == reference()


def test_the_demo_is_what_its_script_makes(tmp_path):
    make.make(tmp_path)
    folder = Path(make.__file__).parent
    for path in sorted(tmp_path.iterdir()):
        assert (folder / path.name).read_text(encoding="utf-8") == path.read_text(encoding="utf-8"), path.name


def test_measures_disagree_on_the_demo_as_in_the_papers():
    means = irdiv.evaluate(
        *demo_collection(), ["I-rec@10", "D-nDCG@10", "D#-nDCG@10", "α-nDCG@10", "nDCG@10"]
    ).summary()
    better = means.loc["diversified"] > means.loc["relevance"]
    assert better.tolist() == [True, False, True, True, False]
    assert (means.loc["spammy"] < means.loc["one-intent"]).all()


@pytest.mark.parametrize("form", ["latex", "markdown"])
def test_tables_for_papers(form):
    evaluation = irdiv.evaluate(*demo_collection(), ["D#-nDCG@10", "I-rec@10"])
    table = getattr(evaluation.summary(), f"to_{form}")(baseline="relevance")
    bold = {"latex": r"\textbf{0.9146}", "markdown": "**0.9146**"}[form]
    star = {"latex": r"0.5833$^{*}$", "markdown": r"0.5833\*"}[form]
    assert bold in table
    assert star in table
    assert "0.9060" in table
    plain = getattr(evaluation.summary(), f"to_{form}")()
    assert star not in plain


def test_names_in_tables_for_papers():
    runs = {"a_b & c|<d>": {"1": {"d1": 1.0}}}
    evaluation = irdiv.evaluate({"1": {"d1": 1}}, runs, "Q")
    assert r"a\_b \& c|<d> &" in evaluation.summary().to_latex()
    assert r"| a\_b & c\|\<d\> |" in evaluation.summary().to_markdown()
    assert "a_b &amp; c|&lt;d&gt;" in evaluation._repr_html_()
    odd = irdiv.evaluate({"1": {"d1": 1}}, {"[a]\nb": {"1": {"d1": 1.0}}}, "Q")
    assert "{[}a] b &" in odd.to_latex()
    assert r"| \[a\] b |" in odd.to_markdown(digits=2)
    assert "**1.00**" in odd.to_markdown(digits=2)
    assert "<b>1.0000</b>" in evaluation._repr_html_()


def commands_of_the_readme() -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL)
    lines = [re.sub(r"\s+# .*", "", line) for block in blocks for line in block.split("\n")]
    return [line.strip() for line in lines if line.startswith("irdiv ")]


@pytest.mark.parametrize("command", commands_of_the_readme())
def test_commands_of_the_readme(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--data", "."]) == 0
    assert main(shlex.split(command)[1:]) == 0
