from __future__ import annotations

import json
import os
import subprocess
import sys
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import pandas as pd
import pytest

import irdiv
from cli_helpers import DEMO, FILES, out
from irdiv.demo import SYSTEMS
from irdiv.measures.answers import ANSWER_MEASURES
from irdiv.measures.catalogue import registry
from irdiv_cli import local_files, main, output, parser
from irdiv_cli.commands import load_commands


def test_demo_shows_what_it_claims(capsys, tmp_path):
    text = out(capsys, "demo", "-o", "tsv")
    table = pd.read_csv(StringIO(text), sep="\t").pivot_table(index="run", columns="measure", values="value")
    better = table.loc["relevance"] > table.loc["diversified"]
    assert better.to_dict() == {
        "I-rec@10": False,
        "D-nDCG@10": True,
        "D#-nDCG@10": False,
        "ERR-IA@10": False,
        "alpha-nDCG@10": False,
    }
    assert "12 ambiguous topics" in out(capsys, "demo", "--report", str(tmp_path / "demo.html"))


@pytest.mark.parametrize("options", [["--per-query"], ["-o", "csv"]])
def test_demo_writes_a_report_with_every_output(capsys, tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    plain = out(capsys, "demo", *options)
    assert not list(tmp_path.iterdir())
    assert out(capsys, "demo", *options, "--report", "page.html") == plain
    assert "irdiv demo" in Path("page.html").read_text()


def test_demo_data_takes_no_report(capsys, tmp_path):
    assert main(["demo", "--data", str(tmp_path / "data"), "--report", str(tmp_path / "page.html")]) == 2
    assert "leave out --report" in capsys.readouterr().err


def test_eval_prints_a_table(capsys):
    lines = out(capsys, "eval", *FILES, "-m", "D#-nDCG@10", "nDCG@10", "-m", "I-rec@5").splitlines()
    assert lines[0].split() == ["run", "D#-nDCG@10", "nDCG@10", "I-rec@5"]
    assert [line.split()[0] for line in lines[1:]] == ["relevance", "diversified"]


@pytest.mark.parametrize("output", ["tsv", "csv", "jsonl"])
@pytest.mark.parametrize("per_query", [False, True])
def test_eval_in_formats_for_machines(capsys, output, per_query):
    arguments = ["eval", *FILES, "-m", "D#-nDCG@10", "I-rec@10", "-o", output] + ["-q"] * per_query
    text = out(capsys, *arguments)
    if output == "jsonl":
        rows = pd.DataFrame([json.loads(line) for line in text.splitlines()])
    else:
        rows = pd.read_csv(StringIO(text), sep="\t" if output == "tsv" else ",", dtype={"value": str}).astype(
            {"value": float}
        )
    evaluation = irdiv.evaluate(FILES[0], {Path(f).stem: f for f in FILES[1:]}, ["D#-nDCG@10", "I-rec@10"])
    expected = evaluation.frame if per_query else evaluation.summary().stack()
    assert list(rows.columns) == ["run", *["query_id"] * per_query, "measure", "value"]
    assert rows["value"].tolist() == (expected["value"] if per_query else expected).tolist()


def test_eval_with_digits_and_per_query_table(capsys):
    text = out(capsys, "eval", *FILES, "-m", "I-rec@2", "-q", "--digits", "1")
    assert text.splitlines()[0].split() == ["run", "query_id", "I-rec@2"]
    assert len(text.splitlines()) == 1 + 2 * 12
    assert "0.333" in out(capsys, "eval", *FILES, "-m", "I-rec@1", "-q", "-o", "csv", "--digits", "3")
    assert "0.333}" in out(capsys, "eval", *FILES, "-m", "I-rec@1", "-q", "-o", "jsonl", "--digits", "3")


def test_eval_with_probabilities_is_the_demo(capsys):
    runs = [str(DEMO / f"{name}.run") for name in SYSTEMS]
    text = out(capsys, "eval", FILES[0], *runs, "--intent-table", str(DEMO / "intents.csv"), "-o", "csv")
    assert text == out(capsys, "demo", "-o", "csv")


def test_an_intent_table_with_other_names_on_the_command_line(capsys, tmp_path):
    def evaluate_with(name: str) -> tuple[str, str]:
        path = tmp_path / "intents.csv"
        pd.read_csv(DEMO / "intents.csv").rename(columns={"probability": name}).to_csv(path, index=False)
        assert main(["eval", *FILES, "-m", "D-nDCG@10", "--intent-table", str(path)]) == 0
        captured = capsys.readouterr()
        return captured.out, captured.err

    expected, nothing = evaluate_with("probability")
    assert nothing == ""
    assert evaluate_with("weight") == (expected, "")
    table, warning = evaluate_with("share")
    assert table != expected
    assert "the intent table has columns that are not used: 'share'" in warning


def test_eval_sets_parameters(capsys):
    text = out(capsys, "eval", *FILES, "-m", "D-nDCG@5", "--set", "gain=linear", "judged_only=True", "--ties", "rank")
    assert "D-nDCG(gain='linear',judged_only=True)@5" in text
    assert "I-rec@5" in out(capsys, "eval", *FILES, "-m", "D#-Q@5", "--components")


def test_runs_of_the_same_name_are_distinguished(capsys, tmp_path):
    copy = tmp_path / "relevance.run"
    copy.write_bytes(Path(FILES[1]).read_bytes())
    assert str(tmp_path) in out(capsys, "eval", FILES[0], FILES[1], str(copy), "-m", "I-rec")


def test_measures_lists_the_catalogue(capsys):
    listed = [line.split()[0] for line in out(capsys, "measures").splitlines() if line.startswith("  ")]
    assert set(registry) <= set(listed)
    some = [line.split()[0] for line in out(capsys, "measures", "α").splitlines() if line.startswith("  ")]
    flat = ["alpha-DCG", "alpha-nDCG", "alpha_DCG", "alpha_nDCG"]
    assert some == [*flat, *(f"{name}-LA" for name in flat)]
    assert "nDCG" in out(capsys, "measures", "ndcg").splitlines()[-3]


COVERAGE = {"Coverage", "All-covered", "Vital-coverage", "A-Recall", "MRecall", "I-rec", "alpha-nDCG"}


@pytest.mark.parametrize("word", ["coverage", "nugget", "nuggets", "Rubric", "aspect", "sub-question", "RAG"])
def test_measures_are_found_by_what_they_measure(capsys, word):
    text = out(capsys, "measures", word)
    assert text == irdiv.list_measures(word) + "\n"
    listed = [line.split()[0] for line in text.splitlines() if line.startswith("  ")]
    assert COVERAGE - ({"I-rec", "alpha-nDCG"} if word == "sub-question" else set()) <= set(listed)
    assert "ERR-IA" not in listed
    # those whose names or summaries have the word come before those that have it as a keyword
    assert "I-rec" not in listed or listed.index("Coverage") < listed.index("I-rec")


@pytest.mark.parametrize("word", ["coverage", "nugget", "rubric", "answer", "nuggetizer", "vital_score"])
def test_scores_of_answers_are_listed_apart(capsys, word):
    *_, scores, _ = out(capsys, "measures", word).split("\n\n")
    heading, *lines = scores.splitlines()
    assert heading == "scores of answers, not of runs: irdiv.rag.score_answers computes them"
    listed = [line.split()[0] for line in lines]
    assert listed == (["strict_vital_score", "vital_score"] if word == "vital_score" else list(ANSWER_MEASURES))
    assert "score_answers" not in out(capsys, "measures", "D#-nDCG")


def test_names_come_first_in_a_search(capsys):
    def found(pattern: str) -> list[str]:
        text = out(capsys, "measures", pattern)
        return [line.split()[0].strip(",") for line in text.splitlines() if line.startswith("  ")]

    assert found("coverage")[:3] == ["Coverage", "Vital-coverage", "All-covered"]
    assert found("I_rec")[0] == "I-rec"
    assert {"I-rec", "S-recall@min"} <= set(found("subtopic recall"))
    assert "NumRet" in out(capsys, "measures", "documents result set")
    # a word of a description is found by its beginning only
    assert main(["measures", "uggets"]) == 2
    assert "no measure is called 'uggets'" in capsys.readouterr().err


@pytest.mark.parametrize("name", [*registry, "nDCG", "Success"])
def test_explain_every_measure(capsys, name):
    text = out(capsys, "explain", name)
    assert text.startswith(f"{name}\n")
    if name in registry:
        assert "formula" in text
        for parameter in registry[name].parameters:
            assert f"  {parameter.name}=" in text
        assert all(reference in text for reference in registry[name].references)


def test_explain_of_ad_hoc_err_and_ndcg(capsys):
    text = " ".join(out(capsys, "explain", "ERR").split())
    assert "Pr(r) = (2^x−1)/2^H" in text
    assert "gdeval, which computes ERR inside ir_measures, fixes H = 4" in text
    assert "parameters with which irdiv computes nDCG gain='linear'" in " ".join(out(capsys, "explain", "nDCG").split())
    assert "gain='exp'" in out(capsys, "explain", "nDCG(gain='exp')@10")


def test_explain_gives_symbols_the_meaning_they_have_in_the_formula(capsys):
    meaning = "R_i: the number of all documents relevant to intent i"
    assert meaning in out(capsys, "explain", "AP_IA")
    utility = " ".join(out(capsys, "explain", "RBU").split())
    assert "R_i(r) = (2^x−1)/2^{H_i}" in utility
    assert "H_i the highest grade of intent i in the topic" in utility
    assert meaning not in utility
    assert "the highest grade of the scale" not in utility


def test_explain_says_how_err_ia_and_err_underscore_ia_differ(capsys):
    assert "here ERR_IA, is binary" in out(capsys, "explain", "ERR-IA").replace("\n", " ").replace("    ", " ")
    assert "ERR-IA is the graded" in " ".join(out(capsys, "explain", "ERR_IA").split())


@pytest.mark.parametrize(
    "arguments",
    [
        ["eval", "nowhere", FILES[1]],
        ["eval", FILES[0], "nowhere"],
        ["eval", FILES[0], FILES[0]],
        ["eval", *FILES, "-m", "D#-nDGC@10"],
        ["eval", *FILES, "--set", "gain"],
        ["eval", *FILES, "--set", "gamma=7"],
        ["eval", *FILES, "--set", "gian=linear"],
        ["eval", *FILES, "--set", "gain=linear", "gain=exp"],
        ["eval", *FILES, "--set", "ties=input"],
        ["eval", *FILES, "--set", "gamma=" + "-" * 900 + "1"],
        ["eval", *FILES, FILES[1]],
        ["eval", *FILES, "--intent-table", FILES[1]],
        ["eval", *FILES, "--intent-table", str(DEMO)],
        ["explain", "NERR8@3"],
        ["explain", "IPrec@x"],
        ["eval", *FILES, "--intent-table", "nowhere"],
        ["explain", "D#-nDGC"],
        ["measures", "zzz"],
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(capsys, arguments):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("irdiv: error: ")
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments", [[], ["eval"], ["eval", *FILES, "-o", "xml"], ["demo", "--digits", "-1"], ["nonsense"]]
)
def test_a_wrong_call_exits_with_2(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("irdiv: error: ")
    assert error.count("\n") == 1


def test_an_unknown_option_refers_to_the_help_of_its_command(capsys):
    with pytest.raises(SystemExit):
        main(["eval", *FILES, "--nonsense", "1"])
    assert capsys.readouterr().err == ("irdiv: error: unrecognized arguments: --nonsense 1 (see 'irdiv eval --help')\n")


def test_a_note_goes_to_stderr_as_one_line(capsys, tmp_path):
    path = tmp_path / "qrels"
    path.write_text(Path(FILES[0]).read_text() + "13 1 d 0\n")
    assert main(["eval", str(path), FILES[1], "-m", "I-rec"]) == 0
    assert capsys.readouterr().err.startswith("irdiv: note: 1 of 13 topics have no relevant document")


def test_explain_takes_several(capsys):
    text = out(capsys, "explain", "I-rec", "nDCG@10")
    assert text.startswith("I-rec\n")
    assert "\n\nnDCG@10\n" in text


def test_a_terminal_without_greek_letters():
    command = [sys.executable, "-m", "irdiv", "explain", "D#-nDCG"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert "\\u03b3 \\xb7 I-rec" in done.stdout


def test_as_a_program():
    done = subprocess.run([sys.executable, "-m", "irdiv", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"irdiv {irdiv.__version__}\n"


def test_a_closed_pipe_is_no_error():
    command = f"{sys.executable} -m irdiv measures | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.startswith("M-IA")


@pytest.fixture
def three_runs(tmp_path):
    from helpers import random_collection, random_run

    irdiv.datasets.write_ndeval(random_collection(0, weighted=False), tmp_path / "qrels")
    for seed in range(3):
        rows = random_run(seed).sort_values(["query_id", "score"], ascending=[True, False])
        lines = [f"{q} Q0 {d} 1 {s} x\n" for q, d, s in rows.itertuples(index=False)]
        (tmp_path / f"run{seed}").write_text("".join(lines))
    return [str(tmp_path / "qrels"), *(str(tmp_path / f"run{seed}") for seed in range(3))]


def test_compare(capsys, three_runs, tmp_path):
    text = out(capsys, "compare", *three_runs, "-m", "I-rec@5", "--baseline", "run0", "--correction", "holm", "--csv")
    lines = text.splitlines()
    assert lines[0].startswith("measure,run,other,mean,other_mean,difference,low,high,statistic,p,p_adjusted")
    assert [line.split(",")[:3] for line in lines[1:]] == [["I-rec@5", "run1", "run0"], ["I-rec@5", "run2", "run0"]]
    again = out(capsys, "compare", *three_runs, "-m", "I-rec@5", "--seed", "0")
    assert again == out(capsys, "compare", *three_runs, "-m", "I-rec@5")
    assert "p_adjusted" not in again
    out(capsys, "compare", *three_runs[:3], "-m", "I-rec@5", "--plot", str(tmp_path / "bars.png"))
    assert (tmp_path / "bars.png").read_bytes().startswith(b"\x89PNG")
    assert main(["compare", *three_runs, "--plot", str(tmp_path / "x.png")]) == 2
    assert main(["compare", *three_runs[:2]]) == 2
    assert "at least two runs" in capsys.readouterr().err


def test_discpower(capsys, three_runs, tmp_path):
    plot = tmp_path / "asl.svg"
    text = out(capsys, "discpower", *three_runs, "-m", "I-rec@5", "D-nDCG@5", "-B", "100", "--plot", str(plot))
    assert text.split()[:5] == ["measure", "pairs", "significant", "power", "delta"]
    assert "<svg" in plot.read_text()
    assert "only_first" in out(capsys, "discpower", *three_runs, "--agreement", "-B", "100")
    assert main(["discpower", *three_runs, "--plot", str(tmp_path / "x.doc"), "-B", "10"]) == 2
    assert "cannot write the plot" in capsys.readouterr().err


def test_discpower_by_the_t_test_has_no_samples(capsys, three_runs):
    command = ["discpower", *three_runs, "-m", "I-rec@5", "--test", "t"]
    assert main(command) == 0
    plain = capsys.readouterr()
    assert "--seed" not in plain.err
    assert main([*command, "--seed", "3"]) == 0
    seeded = capsys.readouterr()
    assert seeded.out == plain.out
    assert "irdiv: note: --seed has no effect with --test t" in seeded.err
    assert main([*command, "-B", "500"]) == 2
    assert "n_resamples=500 has no effect" in capsys.readouterr().err


def test_concordance_and_correlate(capsys, three_runs, tmp_path):
    specs = ["-m", "D-nDCG@5", "ERR-IA@5"]
    text = out(capsys, "concordance", *three_runs, *specs, "--gold", "I-rec@5", "--plot", str(tmp_path / "c.png"))
    assert text.split()[:2] == ["measure", "other"]
    out(capsys, "concordance", *three_runs, *specs, "--gold", "P-IA@5", "--set", "judged_only=True")
    assert "I-rec@10" not in out(capsys, "concordance", *three_runs, "--gold", "I-rec@10")
    text = out(
        capsys, "correlate", *three_runs, *specs, "--method", "tau_ap", "--csv", "--plot", str(tmp_path / "t.png")
    )
    assert text.splitlines()[0] == "measure,D-nDCG@5,ERR-IA@5"
    assert (tmp_path / "c.png").exists()
    assert (tmp_path / "t.png").exists()


def test_patterns_standard_input_and_tags(capsys, tmp_path, monkeypatch):
    text = out(capsys, "eval", FILES[0], str(DEMO / "*.run"), "-m", "I-rec@5", "-o", "csv")
    assert {line.split(",")[0] for line in text.splitlines()[1:]} == set(SYSTEMS)
    assert main(["eval", FILES[0], str(tmp_path / "*.run")]) == 2
    assert "no file matches" in capsys.readouterr().err
    copy = tmp_path / "elsewhere.txt"
    copy.write_bytes(Path(FILES[1]).read_bytes())
    assert "\nrelevance," in out(capsys, "eval", FILES[0], str(copy), "--names", "tag", "-m", "I-rec@5", "--csv")
    for place, name in ((1, "stdin"), (0, "relevance")):
        local_files._saved_standard_input.cache_clear()
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(Path(FILES[place]).read_bytes())))
        given = [FILES[0], FILES[1]]
        given[place] = "-"
        assert f"\n{name}," in out(capsys, "eval", *given, "-m", "I-rec@5", "--csv")
    local_files._saved_standard_input.cache_clear()


def test_the_best_is_bold_on_a_terminal_only(capsys, monkeypatch):
    runs = [str(DEMO / "relevance.run"), str(DEMO / "spammy.run")]
    specs = ["-m", "F@10", "E@10"]  # E is 1 - F, so that less is better
    plain = out(capsys, "eval", FILES[0], *runs, *specs)
    assert "\x1b" not in plain
    monkeypatch.setattr("irdiv_cli.output.supports_bold", lambda stream: True)
    bold = out(capsys, "eval", FILES[0], *runs, *specs)
    assert bold.replace("\x1b[1m", "").replace("\x1b[0m", "") == plain
    assert [line.count("\x1b[1m") for line in bold.splitlines()] == [0, 2, 0]
    assert "\x1b" not in out(capsys, "eval", *FILES[:2], *specs)


def test_no_color_is_respected(monkeypatch):
    class Terminal:
        def isatty(self):
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert output.supports_bold(Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not output.supports_bold(Terminal())
    assert not output.supports_bold(StringIO())


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion(capsys, shell):
    script = out(capsys, "completion", shell)
    assert "discpower" in script
    assert "n-resamples" in script  # options of all commands, not only of this one


def test_help_of_every_command(capsys):
    for name in load_commands():
        with pytest.raises(SystemExit) as caught:
            main([name, "--help"])
        assert caught.value.code == 0
        assert "usage: irdiv" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command", ["eval", "compare", "discpower", "concordance", "correlate", "report", "ideals", "hierarchy", "oracle"]
)
def test_bad_input_in_every_command_is_one_line(capsys, tmp_path, command):
    (tmp_path / "bad").write_text("1 2\n")
    more = {"concordance": ["--gold", "I-rec"], "oracle": [], "ideals": [], "hierarchy": []}.get(command, [])
    runs = [] if command in ("oracle", "ideals") else [FILES[1]]
    assert main([command, str(tmp_path / "bad"), *runs, *more]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("irdiv: error: ")
    assert captured.err.count("\n") == 1


def test_formats_are_the_same_everywhere(capsys, three_runs):
    for command, more in (("compare", []), ("discpower", []), ("correlate", []), ("concordance", ["--gold", "P-IA@5"])):
        lines = out(
            capsys, command, *three_runs, "-m", "I-rec@5", "D-nDCG@5", *more, "-o", "jsonl", "--digits", "2"
        ).splitlines()
        assert all(isinstance(json.loads(line), dict) for line in lines)
        assert "\t" in out(capsys, command, *three_runs, "-m", "I-rec@5", "D-nDCG@5", *more, "-o", "tsv")


def test_what_is_no_parameter_of_a_measure(capsys):
    assert main(["eval", *FILES, "--set", "progress=1"]) == 2
    assert "'progress' is not a parameter of measures" in capsys.readouterr().err


def test_runs_are_never_dropped_for_their_names(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    content = Path(FILES[1]).read_bytes()
    (tmp_path / "folder").mkdir()
    paths = ["a.txt", "folder/a.txt", "a.txt.run"]
    for path in paths:
        (tmp_path / path).write_bytes(content)
    text = out(capsys, "eval", FILES[0], *paths, "-m", "I-rec@5", "--csv")
    assert [line.split(",")[0] for line in text.splitlines()[1:]] == paths


def test_settings_that_gold_measures_do_not_have(capsys, three_runs):
    specs = ["-m", "alpha-nDCG@5", "D-nDCG@5", "--gold", "I-rec@5", "--set", "alpha=0.2"]
    assert "alpha-nDCG(alpha=0.2)@5" in out(capsys, "concordance", *three_runs, *specs)


def test_every_module_is_a_command(capsys):
    commands = load_commands()
    order = [command.ORDER for command in commands.values()]
    assert order == sorted(set(order))
    for command in commands.values():
        assert command.HELP[0].islower()
        assert not command.HELP.endswith(".")
        assert len(command.HELP) <= 60  # one line of the help in 80 columns
    assert all(f"    {name}  " in parser().format_help() for name in commands)


def test_help_in_front_of_a_command_is_that_of_all(capsys):
    with pytest.raises(SystemExit):
        main(["--help", "eval"])
    assert "discpower" in capsys.readouterr().out


def test_help_and_parser_import_neither_irdiv_nor_numpy():
    code = "import sys, irdiv_cli; irdiv_cli.parser().format_help(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"irdiv", "numpy", "pandas", "ir_measures"} & set(done.stdout.split())
