"""Tables of means: what is bold, what is marked and how that is stated, and how names are escaped."""

from __future__ import annotations

import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import irdiv
from helpers import evaluation_of, random_evaluation
from irdiv import IrdivError
from irdiv.demo import demo_qrels_and_runs, write_demo
from irdiv.report import render
from irdiv_cli import main, output

FORMATS = ["latex", "markdown"]


@pytest.mark.parametrize("form", FORMATS)
def test_best_means_are_bold_and_significant_differences_starred(form):
    evaluation = irdiv.evaluate(*demo_qrels_and_runs(), ["D#-nDCG@10", "I-rec@10"])
    table = getattr(evaluation, f"to_{form}")(baseline="relevance")
    bold = {"latex": r"\textbf{0.9146}", "markdown": "**0.9146**"}[form]
    star = {"latex": r"0.5833$^{*}$", "markdown": r"0.5833\*"}[form]
    assert bold in table
    assert star in table
    assert "0.9060" in table
    assert "p < 0.05" in table
    without_baseline = getattr(evaluation, f"to_{form}")()
    assert star not in without_baseline
    assert "p <" not in without_baseline


@pytest.mark.parametrize("form", FORMATS)
def test_frames_of_every_library_give_the_same_table(form):
    qrels, runs = demo_qrels_and_runs()
    polars = pytest.importorskip("polars")
    expected = getattr(irdiv.evaluate(qrels, runs, "I-rec@10"), f"to_{form}")(baseline="relevance")
    evaluation = irdiv.evaluate(qrels, {name: polars.from_pandas(run) for name, run in runs.items()}, "I-rec@10")
    assert evaluation.backend == "polars"
    assert getattr(evaluation, f"to_{form}")(baseline="relevance") == expected


def test_names_are_escaped():
    runs = {"a_b & c|<d>": {"1": {"d1": 1.0}}}
    evaluation = irdiv.evaluate({"1": {"d1": 1}}, runs, "Q")
    assert r"a\_b \& c\textbar{}\textless{}d\textgreater{} &" in evaluation.to_latex()
    assert r"| a\_b \& c\|\<d\> |" in evaluation.to_markdown()
    assert "a_b &amp; c|&lt;d&gt;" in evaluation._repr_html_()
    odd = irdiv.evaluate({"1": {"d1": 1}}, {"[a]\nb": {"1": {"d1": 1.0}}}, "Q")
    assert "{[}a] b &" in odd.to_latex()
    starred = irdiv.evaluate({"1": {"d1": 1}}, {"*a": {"1": {"d1": 1.0}}}, "Q")
    assert "\n{*}a &" in starred.to_latex()
    assert r"| \[a\] b |" in odd.to_markdown(digits=2)
    assert "| 1.00 |" in odd.to_markdown(digits=2)
    assert "<td>1.0000</td>" in evaluation._repr_html_()


# 1 − F: the best run has the smallest value.
LESS_IS_BETTER = "E@20"


def bold_in_terminal(tmp_path, monkeypatch, capsys) -> str:
    write_demo(tmp_path)
    monkeypatch.setattr(output, "supports_bold", lambda stream: True)
    files = [str(tmp_path / f"{run}.run") for run in demo_qrels_and_runs()[1]]
    assert main(["eval", str(tmp_path / "qrels.txt"), *files, "-m", LESS_IS_BETTER]) == 0
    return capsys.readouterr().out


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
    qrels, runs = demo_qrels_and_runs()
    evaluation = irdiv.evaluate(qrels, runs, LESS_IS_BETTER)
    text = {
        "latex": evaluation.to_latex,
        "markdown": evaluation.to_markdown,
        "html": evaluation._repr_html_,
        "terminal": lambda: bold_in_terminal(tmp_path, monkeypatch, capsys),
        "report": lambda: render(qrels, runs, measures=[LESS_IS_BETTER]),
    }[form]()
    means = evaluation.summary()[LESS_IS_BETTER]
    assert means.nunique() == len(means)
    assert re.findall(bold, text) == [f"{means.min():.4f}"]


def test_the_direction_of_a_measure_outside_the_catalogue_counts():
    declaration = replace(irdiv.measures.registry["E"], name="Miss", less_is_better=True)
    measure = irdiv.Measure(declaration) @ 10
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
            "paired bootstrap test with 1,000 resamples and seed 0, Holm's correction over the 3 comp",
        ),
        ({"baseline": "r0", "rng": 5, "n_resamples": 200}, "bootstrap test with 200 resamples and seed 5, Holm"),
        ({"baseline": "r0", "rng": None}, "paired bootstrap test with 1,000 resamples, Holm"),
        ({"baseline": "r0", "rng": np.random.default_rng(1)}, "bootstrap test with 1,000 resamples, Holm"),
        ({"baseline": "r0", "test": "t"}, "(paired t-test, Holm's correction over the 3 comparisons of each measure"),
        ({"baseline": "r0", "test": "t", "correction": None}, "t-test, not corrected for the 3 comparisons of each"),
        ({"baseline": "r0", "test": "randomization"}, "randomization test with 10,000 resamples and seed 0, Holm"),
        ({"pairs": "all", "test": "tukey"}, "(randomized Tukey HSD test with 1,000 resamples and seed 0, p < 0.05)"),
        ({"pairs": "all", "correction": "fdr_bh"}, "the Benjamini–Hochberg correction over the 6 comparisons"),
        ({"pairs": "all", "correction": "fdr_tsbh"}, r"correction fdr\_tsbh over the 6 comparisons"),
        ({"pairs": "all", "level": 0.01}, "p < 0.01)"),
    ],
)
def test_the_caption_states_how_differences_were_tested(options, stated):
    evaluation = random_evaluation(runs=4)
    assert stated in evaluation.to_markdown(**options).splitlines()[0]
    assert "Means over 30 topics" in evaluation.to_markdown(**options)
    assert stated.replace("p < 0.05", "$p < 0.05$").replace("p < 0.01", "$p < 0.01$") in evaluation.to_latex(**options)


def test_captions_of_special_cases():
    pair = random_evaluation(runs=2)
    assert "(paired t-test, p < 0.05)" in pair.to_markdown(baseline="r0", test="t")
    few = random_evaluation(runs=3, topics=10)
    assert "(paired randomization test, exact, Holm's" in few.to_markdown(pairs="all", test="randomization")
    one = evaluation_of(np.full((1, 1, 1), 0.5))
    assert one.to_markdown().startswith("Table: Means over 1 topic.")
    counts = irdiv.evaluate(*demo_qrels_and_runs(), ["NumRet", "P@5"])
    assert "Means over 12 topics (sums for NumRet);" in counts.to_markdown()


def test_resamples_suffice_for_the_correction():
    evaluation = random_evaluation(runs=12)
    # 66 comparisons at .05 need p below .05/66, which 1,000 samples cannot tell from 0
    assert "with 2,000 resamples" in evaluation.to_markdown(pairs="all")
    assert "with 7,000 resamples" in evaluation.to_markdown(pairs="all", level=0.01)
    assert "with 1,000 resamples" in evaluation.to_markdown(pairs="all", correction=None)
    with pytest.warns(irdiv.IrdivWarning, match="n_resamples=1000 is too few for a correction over 66 comparisons"):
        assert "with 1,000 resamples" in evaluation.to_markdown(pairs="all", n_resamples=1000)


def test_numbers_are_aligned_before_marks():
    values = np.array([[[9.0, 9.1, 9.0]], [[10.2, 10.3, 10.1]]])
    first, second = rows_of(evaluation_of(values).to_latex(pairs="all", test="t", digits=1))
    assert first[1] == r"\phantom{0}9.0"
    assert second[1] == r"\textbf{10.2}\textsuperscript{a}"


@pytest.mark.parametrize("form", FORMATS)
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
        ({"digits": -1}, "digits=-1 is not"),
    ],
    ids=str,
)
def test_bad_options(form, options, message):
    with pytest.raises(IrdivError, match=message):
        getattr(random_evaluation(), f"to_{form}")(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"environment": False, "label": "tab:x"}, "need the table environment"),
        ({"environment": False, "caption": "x"}, "need the table environment"),
        ({"label": "a}b"}, "is not a label of LaTeX"),
    ],
    ids=str,
)
def test_bad_options_of_latex(options, message):
    with pytest.raises(IrdivError, match=message):
        random_evaluation().to_latex(**options)


def test_one_run_cannot_be_compared():
    with pytest.raises(IrdivError, match="at least two runs"):
        evaluation_of(np.zeros((1, 1, 3))).to_latex(pairs="all")


def test_holm_needs_no_statsmodels_and_equals_it(monkeypatch):
    evaluation = random_evaluation(runs=8)
    frame = irdiv.stats.compare(evaluation, test="t", correction="holm")
    for _, of_measure in frame.groupby("measure"):
        np.testing.assert_array_equal(of_measure["p_adjusted"], multipletests(of_measure["p"], method="holm")[1])
    monkeypatch.setitem(sys.modules, "statsmodels.stats.multitest", None)
    again = irdiv.stats.compare(evaluation, test="t", correction="holm")
    np.testing.assert_array_equal(again["p_adjusted"], frame["p_adjusted"])
    with pytest.raises(IrdivError, match="corrections need statsmodels"):
        irdiv.stats.compare(evaluation, test="t", correction="fdr_bh")


def test_one_run_is_not_the_best_of_several():
    one = irdiv.evaluate(demo_qrels_and_runs()[0], demo_qrels_and_runs()[1]["relevance"], "I-rec@10")
    assert "**" not in one.to_markdown()
    assert "<b>" not in one._repr_html_()
    with pytest.raises(IrdivError, match="is not the name of one run"):
        irdiv.evaluate(*demo_qrels_and_runs(), "I-rec@10").to_latex(baseline=["relevance", "spammy"])
