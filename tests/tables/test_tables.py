"""Tables of means: what is bold, what is marked and how that is stated, and how names are escaped."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import irdiv
from cli_helpers import out
from helpers import evaluation_of, random_evaluation
from irdiv import IrdivError
from irdiv.demo import demo_qrels_and_runs, write_demo
from irdiv.report import render


def test_best_means_are_bold_and_significant_differences_starred():
    evaluation = irdiv.evaluate(*demo_qrels_and_runs(), "D#-nDCG@10")
    frame = irdiv.stats.compare(evaluation, baseline="relevance", correction="holm").set_index("run")
    table = evaluation.to_markdown(baseline="relevance")
    means = evaluation.summary()["D#-nDCG@10"]
    expected = []
    for run, mean in means.items():
        star = r"\*" if run != "relevance" and frame["p_adjusted"][run] < 0.05 else ""
        expected.append([run, (f"**{mean:.4f}**" if mean == means.max() else f"{mean:.4f}") + star])
    assert rows_of_markdown(table) == expected
    assert sum(r"\*" in cell for _, cell in expected) == 2
    assert "p <" not in evaluation.to_markdown()
    assert r"\*" not in evaluation.to_markdown()


@pytest.mark.parametrize(
    ("name", "latex", "markdown", "html"),
    [
        ("a_b & c|<d>", r"a\_b \& c\textbar{}\textless{}d\textgreater{}", r"a\_b \& c\|\<d\>", "a_b &amp; c|&lt;d&gt;"),
        ("[a]\nb", "{[}a] b", r"\[a\] b", "[a]"),
        ("*a", "{*}a", r"\*a", "*a"),
    ],
)
def test_names_are_escaped(name, latex, markdown, html):
    evaluation = irdiv.evaluate({"1": {"d1": 1}}, {name: {"1": {"d1": 1.0}}}, "Q")
    assert f"\n{latex} & " in evaluation.to_latex()
    assert f"| {markdown} | 1.00 |" in evaluation.to_markdown(digits=2)
    assert html in evaluation._repr_html_()
    assert "<td>1.0000</td>" in evaluation._repr_html_()


# 1 − F: the best run has the smallest value.
LESS_IS_BETTER = "E@20"


def demo_files(folder: Path) -> list[str]:
    write_demo(folder)
    return [str(folder / name) for name in ("qrels.txt", *(f"{run}.run" for run in demo_qrels_and_runs()[1]))]


@pytest.mark.parametrize(
    ("form", "bold"),
    [
        ("latex", r"\\textbf{(.*?)}"),
        ("markdown", r"\*\*(.*?)\*\*"),
        ("html", r"<b>(.*?)</b>"),
        ("terminal", r"\x1b\[1m\s*(.*?)\x1b\[0m"),
        ("report", r'class="[^"]*\bbest".*?>(\d.*?)[ <]'),
    ],
)
def test_the_smallest_mean_is_bold_where_less_is_better(form, bold, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    qrels, runs = demo_qrels_and_runs()
    evaluation = irdiv.evaluate(qrels, runs, LESS_IS_BETTER)
    text = {
        "latex": evaluation.to_latex,
        "markdown": evaluation.to_markdown,
        "html": evaluation._repr_html_,
        "terminal": lambda: out(capsys, "eval", *demo_files(tmp_path), "-m", LESS_IS_BETTER),
        "report": lambda: render(qrels, runs, measures=[LESS_IS_BETTER]),
    }[form]()
    means = evaluation.summary()[LESS_IS_BETTER]
    assert means.nunique() == len(means)
    assert re.findall(bold, text) == [f"{means.min():.4f}"]


def test_the_direction_of_a_measure_outside_the_catalogue_counts():
    declaration = replace(irdiv.measures.registry["E"], name="Miss", less_is_better=True)
    measure = irdiv.measures.Measure(declaration) @ 10
    evaluation = irdiv.evaluate(*demo_qrels_and_runs(), measure)
    means = dict(zip(evaluation.runs, evaluation.means()[:, 0].tolist(), strict=True))
    board = irdiv.stats.leaderboard(evaluation)
    assert means[board["run"].iloc[0]] == min(means.values()) < max(means.values())
    assert set(board.loc[board["best"], "run"]) == {run for run, mean in means.items() if mean == min(means.values())}


def rows_of(latex: str) -> list[list[str]]:
    """Return the cells of the body of a LaTeX table."""
    body = latex.split(r"\midrule")[1].split(r"\bottomrule")[0]
    return [line.removesuffix(r" \\").split(" & ") for line in body.strip().splitlines()]


def rows_of_markdown(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [line.strip("| ").split(" | ") for line in lines[2:]]


def require_sound_latex(text: str) -> None:
    """Check what LaTeX would refuse: braces, environments, dollars, columns of rows, unescaped signs."""
    source = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert "%" not in source.replace(r"\%", "")
    plain = re.sub(r"\\[#$%&_{}]", "", source)
    depth = 0
    for sign in plain:
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
    assert depth == 0
    opened: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", plain):
        if kind == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert not opened
    outside = re.sub(r"\$[^$]*\$|\\label\{.*\}", "", plain)
    assert "$" not in outside
    assert not set("#_^~<>|") & set(outside)
    columns = len(re.search(r"\\begin\{tabular\}\{([lr]+)\}", plain).group(1))
    rows = [line for line in plain.splitlines() if line.endswith(r"\\")]
    assert rows
    assert {row.count("&") + 1 for row in rows} == {columns}
    assert source.count("&") - source.count(r"\&") == len(rows) * (columns - 1)


MEASURES = ["alpha-nDCG@10", "D#-nDCG@10", "E@20", "alpha_nDCG(alpha=0.2)@5", "P+Q#@10", "ERR_IA@20"]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"baseline": "r0_%&#"},
        {"pairs": "all", "label": "tab:all_runs"},
        {"pairs": "all", "test": "tukey", "environment": False},
        {"baseline": "r0_%&#", "caption": r"Our runs \cite{us}.", "label": "x"},
        {"measures": "E@20", "baseline": "r0_%&#", "correction": "bonferroni"},
    ],
    ids=str,
)
@pytest.mark.parametrize("runs", [2, 5, 40])
def test_latex_is_sound(options, runs):
    evaluation = random_evaluation(runs=runs, measures=MEASURES)
    evaluation = replace(evaluation, runs=tuple(f"{run}_%&#" for run in evaluation.runs))
    require_sound_latex(evaluation.to_latex(**{"test": "t", **options} if options else {}))


def test_the_table_environment():
    evaluation = irdiv.evaluate(*demo_qrels_and_runs(), ["alpha-nDCG@10", "D#-nDCG@10"])
    stated = (
        "Means over 12 topics; the best of each measure is in bold. $^{*}$ marks significant differences from "
        "relevance (paired bootstrap test with 1,000 resamples and seed 0, Holm's correction over the 3 comparisons "
        "of each measure, $p < 0.05$)."
    )
    table = evaluation.to_latex(measures="D#-nDCG@10", baseline="relevance", label="tab:x", digits=2)
    assert table.splitlines() == [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}[t]",
        r"\centering",
        rf"\caption{{{stated}}}",
        r"\label{tab:x}",
        r"\begin{tabular}{ll}",
        r"\toprule",
        r"run & D$\sharp$-nDCG@10 \\",
        r"\midrule",
        r"relevance & 0.91 \\",
        r"diversified & \textbf{0.91} \\",
        r"one-intent & 0.70$^{*}$ \\",
        r"spammy & 0.58$^{*}$ \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    only = evaluation.to_latex(environment=False)
    assert only.startswith(r"\begin{tabular}{lrr}")
    assert only.endswith("\\end{tabular}\n% Means over 12 topics; the best of each measure is in bold.\n")


def test_a_caption_of_ones_own_keeps_the_test_in_a_comment():
    evaluation = irdiv.evaluate(*demo_qrels_and_runs(), "D#-nDCG@10")
    latex = evaluation.to_latex(baseline="relevance", caption=r"Ours, as \cite{us}.")
    assert r"\caption{Ours, as \cite{us}.}" in latex
    assert re.search("^% Means over 12 topics.*bootstrap", latex, re.MULTILINE)
    markdown = evaluation.to_markdown(baseline="relevance", caption="Ours.")
    assert "\nTable: Ours.\n\n| run |" in markdown
    assert re.match("<!-- Means over 12 topics.*bootstrap.* -->", markdown)


def test_names_of_measures_are_typeset():
    evaluation = random_evaluation(measures=MEASURES)
    assert evaluation.to_latex().splitlines()[6] == (
        r"run & $\alpha$-nDCG@10 & D$\sharp$-nDCG@10 & E@20 & $\alpha$\_nDCG($\alpha$=0.2)@5 & P+Q$\sharp$@10 "
        r"& ERR\_IA@20 \\"
    )
    assert evaluation.to_markdown().splitlines()[2] == (
        r"| run | α-nDCG@10 | D♯-nDCG@10 | E@20 | α\_nDCG(α=0.2)@5 | P+Q♯@10 | ERR\_IA@20 |"
    )


@pytest.mark.parametrize("correction", ["auto", None, "holm", "bonferroni", "fdr_bh"])
@pytest.mark.parametrize("measure", ["D#-nDCG@10", LESS_IS_BETTER])
def test_letters_against_scipy_and_statsmodels(correction, measure):
    evaluation = random_evaluation(seed=3, runs=7, measures=[measure])
    values = evaluation.values[:, 0]
    pairs = [(i, j) for i in range(7) for j in range(i + 1, 7)]
    p = np.array([stats.ttest_rel(values[i], values[j]).pvalue for i, j in pairs])
    if correction is not None:
        p = multipletests(p, method="holm" if correction == "auto" else correction)[1]
    sign = -1 if measure == LESS_IS_BETTER else 1
    expected = [""] * 7
    for (i, j), adjusted in zip(pairs, p, strict=True):
        if adjusted < 0.05:
            better, worse = (i, j) if sign * (values[i].mean() - values[j].mean()) > 0 else (j, i)
            expected[better] += "abcdefg"[worse]
    expected = ["".join(sorted(letters)) for letters in expected]
    assert any(expected)
    latex = evaluation.to_latex(pairs="all", test="t", correction=correction)
    markdown = evaluation.to_markdown(pairs="all", test="t", correction=correction)
    found = [re.findall(r"\\textsuperscript\{(.*)\}", row[1]) for row in rows_of(latex)]
    assert [letters[0] if letters else "" for letters in found] == expected
    found = [re.findall("<sup>(.*)</sup>", row[1]) for row in rows_of_markdown(markdown)]
    assert [letters[0] if letters else "" for letters in found] == expected
    assert [row[0] for row in rows_of(latex)] == [f"({letter}) r{i}" for i, letter in enumerate("abcdefg")]


@pytest.mark.slow
def test_more_runs_than_letters():
    values = np.arange(30)[:, None, None] + np.random.default_rng(0).normal(0, 0.01, (30, 1, 20))
    rows = rows_of(evaluation_of(values / 30).to_latex(pairs="all", test="t"))
    assert rows[29][0] == "(ad) r29"
    assert rows[29][1].endswith(r"\textsuperscript{a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,aa,ab,ac}")


@pytest.mark.parametrize("correction", ["holm", "auto"])
@pytest.mark.parametrize("seed", range(3))
def test_stars_are_those_of_compare(seed, correction):
    evaluation = random_evaluation(seed=seed, runs=5)
    for test in ("bootstrap", "randomization"):
        frame = irdiv.stats.compare(evaluation, baseline="r0", test=test, correction="holm", rng=7)
        expected = {(row.run, row.measure) for row in frame[frame["p_adjusted"] < 0.05].itertuples()}
        rows = rows_of(evaluation.to_latex(baseline="r0", test=test, correction=correction, rng=7))
        found = {
            (run, spec)
            for run, *cells in rows
            for spec, cell in zip(evaluation.specs(), cells, strict=True)
            if cell.endswith("$^{*}$")
        }
        assert found == expected


@pytest.mark.parametrize(
    ("options", "stated"),
    [
        (
            {"baseline": "r0"},
            "bootstrap test with 1,000 resamples and seed 0, Holm's correction over the 3",
        ),
        ({"baseline": "r0", "rng": 5, "n_resamples": 200}, "bootstrap test with 200 resamples and seed 5, Holm"),
        ({"baseline": "r0", "rng": np.random.default_rng(1)}, "bootstrap test with 1,000 resamples, Holm"),
        ({"baseline": "r0", "rng": None}, "paired bootstrap test with 1,000 resamples, Holm"),
        ({"baseline": "r0", "test": "t"}, "(paired t-test, Holm's correction over the 3 comparisons of each measure"),
        ({"baseline": "r0", "test": "t", "correction": None}, "t-test, not corrected for the 3 comparisons of each"),
        ({"baseline": "r0", "test": "randomization"}, "randomization test with 10,000 resamples and seed 0, Holm"),
        ({"pairs": "all", "test": "tukey"}, "(randomized Tukey HSD test with 1,000 resamples and seed 0, p < 0.05)"),
        ({"pairs": "all", "correction": "fdr_bh"}, "the Benjamini–Hochberg correction over the 6 comparisons"),
        ({"pairs": "all", "correction": "fdr_tsbh"}, r"correction fdr\_tsbh over the 6 comparisons"),
        ({"pairs": "all", "level": 0.01}, "p < 0.01)"),
    ],
    ids=range(11),
)
def test_the_caption_states_how_differences_were_tested(options, stated):
    evaluation = random_evaluation(runs=4)
    caption = evaluation.to_markdown(**options).splitlines()[0]
    assert "Means over 30 topics" in caption
    assert stated in caption
    assert re.sub(r"(p < [\d.]+)", r"$\1$", stated) in evaluation.to_latex(**options)


PAIR, FEW, TWELVE = random_evaluation(runs=2), random_evaluation(runs=3, topics=10), random_evaluation(runs=12)


@pytest.mark.parametrize(
    ("evaluation", "options", "stated"),
    [
        (PAIR, {"baseline": "r0", "test": "t"}, "(paired t-test, p < 0.05)"),
        (FEW, {"pairs": "all", "test": "randomization"}, "(paired randomization test, exact, Holm's"),
        (evaluation_of(np.full((1, 1, 1), 0.5)), {}, "Means over 1 topic."),
        # 66 comparisons at .05 need p below .05/66, which 1,000 samples cannot tell from 0.
        (TWELVE, {"pairs": "all"}, "with 2,000 resamples"),
        (TWELVE, {"pairs": "all", "level": 0.01}, "with 7,000 resamples"),
        (TWELVE, {"pairs": "all", "correction": None}, "with 1,000 resamples"),
    ],
    ids=["pair", "exact", "one topic", "many pairs", "level", "no correction"],
)
def test_captions_of_few_and_of_many_tests(evaluation, options, stated):
    assert stated in evaluation.to_markdown(**options)


def test_resamples_that_are_too_few_and_sums():
    with pytest.warns(irdiv.IrdivWarning, match="n_resamples=1000 is too few for a correction over 66 comparisons"):
        assert "with 1,000 resamples" in TWELVE.to_markdown(pairs="all", n_resamples=1000)
    counts = irdiv.evaluate(*demo_qrels_and_runs(), ["NumRet", "P@5"])
    assert "Means over 12 topics (sums for NumRet);" in counts.to_markdown()


def test_numbers_are_aligned_before_marks():
    values = np.array([[[9.0, 9.1, 9.0]], [[10.2, 10.3, 10.1]]])
    first, second = rows_of(evaluation_of(values).to_latex(pairs="all", test="t", digits=1))
    assert first[1] == r"\phantom{0}9.0"
    assert second[1] == r"\textbf{10.2}\textsuperscript{a}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "r0", "pairs": "all"}, "give one of them"),
        ({"pairs": "some"}, "pairs='some' is not"),
        ({"test": "t"}, "test: nothing is compared; give a baseline too, or pairs='all'"),
        ({"correction": None, "level": 0.01}, "correction, level: nothing is compared"),
        ({"baseline": "x"}, "no run is called 'x'"),
        ({"baseline": "r0", "test": "x"}, "test='x' is not"),
        ({"baseline": "r0", "level": 2}, "level=2 is not"),
        ({"baseline": "r0", "correction": "x"}, "correction='x' is not known"),
        ({"baseline": "r0", "correction": "holm", "test": "tukey"}, "takes all pairs into account by itself"),
        ({"measures": "Q@3"}, "Q@3 was not evaluated"),
        ({"measures": []}, "no measures given"),
        ({"baseline": ["r0", "r1"]}, "is not the name of one run"),
        ({"digits": -1}, "digits=-1 is not"),
        ({"environment": False, "label": "tab:x"}, "need the table environment"),
        ({"environment": False, "caption": "x"}, "need the table environment"),
        ({"label": "a}b"}, "is not a label of LaTeX"),
    ],
    ids=str,
)
def test_bad_options(options, message):
    evaluation = random_evaluation()
    with pytest.raises(IrdivError, match=message):
        evaluation.to_latex(**options)
    if not {"environment", "label"} & set(options):
        with pytest.raises(IrdivError, match=message):
            evaluation.to_markdown(**options)


def test_one_run_is_not_the_best_of_several():
    one = irdiv.evaluate(demo_qrels_and_runs()[0], demo_qrels_and_runs()[1]["relevance"], "I-rec@10")
    assert "**" not in one.to_markdown()
    assert "<b>" not in one._repr_html_()
    with pytest.raises(IrdivError, match="at least two runs"):
        one.to_latex(pairs="all")
