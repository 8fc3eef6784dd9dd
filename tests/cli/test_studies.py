"""Several collections on the command line."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

import irdiv
from cli_helpers import FILES, out
from helpers import random_collection, random_run
from irdiv import plots
from irdiv.stats import concordance, correlate, discriminative_power
from irdiv_cli import main

COMMANDS = (("compare", []), ("discpower", []), ("correlate", []), ("concordance", ["--gold", "P-IA@5"]))
SPECS = ("-m", "I-rec@5", "D-nDCG@5", "ERR-IA@5")


@pytest.fixture
def collections(tmp_path):
    """Arguments of two collections with other topics and runs."""
    arguments = []
    for collection, (name, n_runs) in enumerate({"en": 3, "zh": 4}.items()):
        folder = tmp_path / name
        folder.mkdir()
        qrels = random_collection(collection, weighted=False)
        qrels["query_id"] = f"{collection + 1}0" + qrels["query_id"]
        irdiv.datasets.write_ndeval(qrels, tmp_path / f"{name}.qrels")
        for seed in range(n_runs):
            rows = random_run(10 * collection + seed).sort_values(["query_id", "score"], ascending=[True, False])
            lines = [f"{collection + 1}0{q} Q0 {d} 1 {s} x\n" for q, d, s in rows.itertuples(index=False)]
            (folder / f"run{seed}").write_text("".join(lines))
        arguments += ["--collection", name, str(tmp_path / f"{name}.qrels"), str(folder / "run*")]
    return arguments


def evaluations(collections):
    specs = ["I-rec@5", "D-nDCG@5", "ERR-IA@5", "P-IA@5"]
    paths = {
        name: (qrels, sorted(Path(runs).parent.iterdir()))
        for _, name, qrels, runs in [collections[:4], collections[4:]]
    }
    return {
        name: irdiv.evaluate(qrels, {run.name: run for run in runs}, specs) for name, (qrels, runs) in paths.items()
    }


def test_they_are_pooled(capsys, collections):
    study = evaluations(collections)
    measures = ["I-rec@5", "D-nDCG@5", "ERR-IA@5"]
    power = irdiv.stats.discriminative_power(study, measures=measures, rng=3)
    expected = {
        "compare": irdiv.stats.compare(study, measures=measures),
        "discpower": power.summary(),
        "correlate": irdiv.stats.correlate(study, measures=measures).rename_axis(columns=None).reset_index(),
        "concordance": irdiv.stats.concordance(study, "P-IA@5", measures=measures),
    }
    for command, more in COMMANDS:
        seed = ["--seed", "3"] if command == "discpower" else []
        text = out(capsys, command, *collections, *SPECS, *more, *seed, "--csv")
        assert text == expected[command].to_csv(index=False)
    assert power.summary()["pairs"].tolist() == [9, 9, 9]
    text = out(capsys, "discpower", *collections, *SPECS, "--seed", "3", "--agreement", "--csv")
    assert text == power.agreement().to_csv(index=False)


def test_results_of_each(capsys, collections):
    for command, more in [*COMMANDS[1:], ("discpower", ["--agreement"])]:
        text = out(capsys, command, *collections, *SPECS, *more, "--by-collection", "--csv")
        rows = pd.read_csv(StringIO(text))
        for start, name in ((0, "en"), (4, "zh")):
            qrels, pattern = collections[start + 2 : start + 4]
            alone = pd.read_csv(StringIO(out(capsys, command, qrels, pattern, *SPECS, *more, "--csv")))
            found = rows[rows["collection"] == name].drop(columns="collection").reset_index(drop=True)
            pd.testing.assert_frame_equal(found, alone)


@pytest.mark.parametrize(
    ("words", "analyze", "draw"),
    [
        (["asl_curves", "--test", "t"], lambda s: discriminative_power(s, test="t"), plots.asl_curves),
        (["power_curves", "-B", "20"], lambda s: irdiv.stats.power_by_topics(s, n_resamples=20), plots.power_curves),
        (["heat_map", "--method", "tau_ap"], lambda s: correlate(s, "tau_ap"), plots.heat_map),
        (["heat_map", "--gold", "P-IA@5"], lambda s: concordance(s, "P-IA@5"), plots.heat_map),
    ],
)
def test_figures_of_studies(capsys, collections, tmp_path, monkeypatch, words, analyze, draw):
    drawn = []
    monkeypatch.setattr("irdiv_cli.figures.save_figure", lambda axes, path: drawn.append(axes))
    specs = [*SPECS, *([] if "--gold" in words else ["P-IA@5"])]
    assert out(capsys, "plot", *words, *specs, *collections, "-o", "x.svg") == "x.svg\n"
    expected = draw(analyze(evaluations(collections)))
    for found, line in zip(drawn[0].get_lines(), expected.get_lines(), strict=True):
        assert found.get_ydata() == pytest.approx(line.get_ydata())
    assert [text.get_text() for text in drawn[0].texts] == [text.get_text() for text in expected.texts]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["ranking"], "ranking shows one collection; --collection is for asl_curves, power_curves, heat_map"),
        (["rank_curves"], "rank_curves shows one collection"),
        (["heat_map", "--gold", "P-IA@5", "--method", "tau"], "give one of them"),
    ],
)
def test_figures_of_one_collection(capsys, collections, words, message):
    assert main(["plot", *words, *collections]) == 2
    assert message in capsys.readouterr().err
    assert main(["plot", words[0], collections[2]]) == 2
    assert "expected qrels and one or more runs, or --collection" in capsys.readouterr().err


def test_plots_show_all_together(capsys, collections, tmp_path):
    for command, more in COMMANDS[1:]:
        path = tmp_path / f"{command}.png"
        out(capsys, command, *collections, *SPECS, *more, "--plot", str(path))
        assert path.read_bytes().startswith(b"\x89PNG")
    for command, more in COMMANDS[2:]:
        arguments = [
            command,
            *collections,
            *SPECS,
            *more,
            "--by-collection",
            "--plot",
            str(tmp_path / "x.png"),
        ]
        assert main(arguments) == 2
        assert "--plot shows all collections together" in capsys.readouterr().err
    assert main(["compare", *collections, "-m", "I-rec@5", "--plot", str(tmp_path / "x.png")]) == 2
    assert "one measure, and no --collection" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected qrels and one or more runs, or --collection NAME QRELS RUN …; none given."),
        (FILES[:1], f"or --collection NAME QRELS RUN …; found only {FILES[0]!r}."),
        ([*FILES, "--collection", "demo", *FILES], f"found both: {' '.join(FILES)} belongs to no collection"),
        ([FILES[0], "--collection", "demo", *FILES], f"found both: {FILES[0]} belongs to no collection"),
        (["--collection", "demo", FILES[0], "nowhere"], "collection 'demo': "),
        (["--collection", "demo", FILES[0], "nowhere/*.run"], "collection 'demo': no file matches 'nowhere/*.run'"),
        (["--collection", "demo", *FILES, "--intent-table", "demo=nowhere.csv"], "collection 'demo': "),
        (["--collection", "demo", *FILES, "--heval", "a", "--heval", "b"], "--heval is given twice for the coll"),
        ([*FILES, "--intent-table", "a", "--intent-table", "b"], "--intent-table is given twice."),
    ],
)
def test_mistakes(capsys, arguments, message):
    for command, more in COMMANDS:
        assert main([command, *arguments, *more]) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith("irdiv: error: ")
        assert captured.err.count("\n") == 1
        assert message in captured.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--collection"], "argument --collection: expected at least one argument"),
        (["--collection", "demo", FILES[0]], f"expected a name, qrels and one or more runs, found demo {FILES[0]}"),
        (["--collection", "a", *FILES, "--collection", "a", *FILES], "two collections have the name 'a'"),
    ],
)
def test_wrong_calls(capsys, arguments, message):
    for command, more in COMMANDS:
        with pytest.raises(SystemExit) as caught:
            main([command, *arguments, *more])
        assert caught.value.code == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1


def test_by_collection_without_collections(capsys):
    for command, more in COMMANDS[1:]:
        assert main([command, *FILES, *more, "--by-collection"]) == 2
        assert "--by-collection shows the results of each --collection" in capsys.readouterr().err


def test_intent_tables_of_each_collection(capsys, collections, tmp_path):
    specs, study = ["-m", "D-nDCG@5", "-o", "csv"], {}
    tables = {}
    for name, start in (("en", 0), ("zh", 4)):
        qrels = irdiv.read_qrels(collections[start + 2])
        intents = qrels[["query_id", "iteration"]].drop_duplicates()
        intents["probability"] = [(1 + row) % 7 + 1 for row in range(len(intents))]
        intents.to_csv(tmp_path / f"{name}.csv", index=False)
        tables[name] = intents
        runs = {path.name: path for path in sorted((tmp_path / name).iterdir())}
        study[name] = irdiv.evaluate(irdiv.with_intents(qrels, intents), runs, "D-nDCG@5")
    expected = irdiv.stats.discriminative_power(study).summary().to_csv(index=False)
    own = [f"--intent-table={name}={tmp_path / name}.csv" for name in study]
    assert out(capsys, "discpower", *collections, *specs, *own) == expected
    assert out(capsys, "discpower", *collections, *specs) != expected
    # one file for both, whose topics differ
    pd.concat(tables.values()).to_csv(tmp_path / "both.csv", index=False)
    both = ["--intent-table", str(tmp_path / "both.csv")]
    assert out(capsys, "discpower", *collections, *specs, *both) == expected
    # one file for collections with the same topics
    same = [*collections[:4], "--collection", "copy", collections[2], str(tmp_path / "en" / "run[01]")]
    assert main(["discpower", *same, *specs, *both]) == 2
    error = capsys.readouterr().err
    assert "--intent-table is given for all collections, but 'en' and 'copy' both have a topic '101'" in error
    assert "give --intent-table en=FILE and --intent-table copy=FILE" in error


def test_notes_and_warnings_name_the_collection(capsys, collections, tmp_path):
    with (tmp_path / "zh.qrels").open("a") as file:
        file.write("209 1 d 0\n")
    rows = (tmp_path / "en" / "run0").read_text().splitlines()
    ranked = [" ".join([*row.split()[:3], str(rank), str(rank), "x"]) for rank, row in enumerate(rows)]
    (tmp_path / "en" / "run0").write_text("\n".join(ranked))
    assert main(["discpower", *collections, "-m", "I-rec@5"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert any(line.startswith("irdiv: note: collection 'zh': 1 of 7 topics have no relevant") for line in lines)
    assert any(line.startswith("irdiv: warning: collection 'en': ") for line in lines)
