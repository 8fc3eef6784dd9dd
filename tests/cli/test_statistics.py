"""The commands that compare runs and measures, for one collection and for several."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

import irdiv
from cli_helpers import call, error, out, rows
from helpers import random_collection, random_run
from irdiv import plots
from irdiv.stats import compare, concordance, correlate, discriminative_power, power_by_topics

MEASURES = ["I-rec@5", "D-nDCG@5", "ERR-IA@5"]
GOLD = "P-IA@5"
STUDIES = (["compare"], ["discpower"], ["correlate"], ["concordance", "--gold", GOLD])


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Two collections, en and zh, with other topics and runs."""
    folder = tmp_path_factory.mktemp("collections")
    for seed, (name, n_runs) in enumerate({"en": 3, "zh": 4}.items()):
        (folder / name).mkdir()
        qrels = random_collection(seed, weighted=False)
        qrels["query_id"] = f"{seed + 1}0" + qrels["query_id"]
        irdiv.datasets.write_ndeval(qrels, folder / f"{name}.qrels")
        for run in range(n_runs):
            ranked = random_run(10 * seed + run).sort_values(["query_id", "score"], ascending=[True, False])
            lines = [
                f"{seed + 1}0{query} Q0 {doc} 1 {score} x\n" for query, doc, score in ranked.itertuples(index=False)
            ]
            (folder / name / f"run{run}").write_text("".join(lines))
    return folder


@pytest.fixture(scope="module")
def evaluations(folder) -> dict[str, irdiv.Evaluation]:
    return {
        name: irdiv.evaluate(str(folder / f"{name}.qrels"), folder / name, [*MEASURES, GOLD]) for name in ("en", "zh")
    }


@pytest.fixture
def one(folder, monkeypatch) -> list[str]:
    """Arguments of one collection."""
    monkeypatch.chdir(folder)
    return ["en.qrels", "en"]


@pytest.fixture
def several(folder, monkeypatch) -> list[str]:
    """Arguments of two collections."""
    monkeypatch.chdir(folder)
    return ["--collection", "en", "en.qrels", "en/run*", "--collection", "zh", "zh.qrels", "zh"]


def matrix(*arguments, **options) -> pd.DataFrame:
    return correlate(*arguments, **options, measures=MEASURES).rename_axis(columns=None).reset_index()


def power(study, **options):
    return discriminative_power(study, measures=MEASURES, **options)


TABLES = {
    "compare": lambda study: compare(study, measures=MEASURES),
    "compare --baseline run0 --correction holm --test t": lambda study: compare(
        study, measures=MEASURES, baseline="run0", correction="holm", test="t"
    ),
    "compare -B 50 --seed 3": lambda study: compare(study, measures=MEASURES, n_resamples=50, rng=3),
    "discpower": lambda study: power(study).summary(),
    "discpower --test randomization --level .3 -B 90 --seed 3": lambda study: power(
        study, test="randomization", level=0.3, n_resamples=90, rng=3
    ).summary(),
    "discpower --agreement": lambda study: power(study).agreement(),
    "correlate": matrix,
    "correlate --method tau_ap --top 2": lambda study: matrix(study, "tau_ap", top=2),
    f"concordance --gold {GOLD}": lambda study: concordance(study, GOLD, measures=MEASURES),
}
TABLES_OF_ONE = {
    "rank": lambda evaluation: pd.concat([evaluation.rank(spec) for spec in MEASURES]),
    "rank --test t --correction holm --level .5 --seed 3": lambda evaluation: pd.concat(
        [evaluation.rank(spec, test="t", correction="holm", level=0.5, rng=3) for spec in MEASURES]
    ),
    "rank -B 50": lambda evaluation: pd.concat([evaluation.rank(spec, n_resamples=50) for spec in MEASURES]),
}
TABLES_OF_SEVERAL = {
    "discpower --by-collection": lambda study: power(study).summary(by_collection=True),
    "discpower --agreement --by-collection": lambda study: power(study).agreement(by_collection=True),
    "correlate --by-collection": lambda study: matrix(study, by_collection=True),
    f"concordance --gold {GOLD} --by-collection": lambda study: concordance(
        study, GOLD, measures=MEASURES, by_collection=True
    ),
}


@pytest.mark.parametrize("words", [*TABLES, *TABLES_OF_ONE])
def test_tables_of_one_collection(capsys, one, evaluations, words):
    found = out(capsys, *words.split(), *one, "-m", *MEASURES, "--csv")
    assert found == {**TABLES, **TABLES_OF_ONE}[words](evaluations["en"]).to_csv(index=False)


@pytest.mark.parametrize("words", [*TABLES, *TABLES_OF_SEVERAL])
def test_tables_of_several_collections(capsys, several, evaluations, words):
    found = out(capsys, *words.split(), *several, "-m", *MEASURES, "--csv")
    assert found == {**TABLES, **TABLES_OF_SEVERAL}[words](evaluations).to_csv(index=False)


def test_tables_to_read(capsys, one):
    # p that is not corrected is shown once.
    assert "p_adjusted" not in out(capsys, "compare", *one)
    assert "p_adjusted" in out(capsys, "compare", *one, "--correction", "holm")
    # Gold measures are not compared with themselves.
    assert "I-rec@10" not in out(capsys, "concordance", *one, "--gold", "I-rec@10")
    assert out(capsys, "rank", *one).split()[:7] == ["measure", "rank", "run", "mean", "low", "high", "group"]


def test_parameters_that_gold_measures_do_not_have(capsys, one):
    measures = ["-m", "alpha-nDCG@5", "D-nDCG@5", "--set", "alpha=0.2"]
    found = rows(capsys, "concordance", *one, *measures, "--gold", "I-rec@5")
    assert set(found["measure"]) | set(found["other"]) == {"alpha-nDCG(alpha=0.2)@5", "D-nDCG@5"}
    assert len(rows(capsys, "concordance", *one, *measures[:3], "--gold", GOLD, "--set", "judged_only=True")) == 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "by the randomized Tukey HSD test at level 0.05."),
        (["--test", "t"], "by paired tests (t), not corrected for many pairs at level 0.05."),
        (["--test", "t", "--correction", "holm", "--level", "0.1"], "(t), correction holm at level 0.1."),
    ],
)
def test_rank_says_how_groups_are_found(capsys, one, options, says):
    assert call(capsys, "rank", *one, *options).err.rstrip().endswith(says)


def test_a_test_without_random_samples(capsys, one):
    command = ["discpower", *one, "-m", "I-rec@5", "--test", "t"]
    plain, seeded = call(capsys, *command), call(capsys, *command, "--seed", "3")
    assert seeded.out == plain.out
    assert "--seed" not in plain.err
    assert rows(capsys, *command)["delta"].tolist() == [None]  # JSON has no NaN
    assert "note: --seed has no effect" in seeded.err
    assert "n_resamples=500 has no effect" in error(capsys, *command, "-B", "500")


# Figures


@pytest.mark.parametrize(
    ("words", "analyze", "draw"),
    [
        ("plot asl_curves --test t", lambda s: discriminative_power(s, test="t"), plots.asl_curves),
        ("plot power_curves -B 20", lambda s: power_by_topics(s, n_resamples=20), plots.power_curves),
        ("plot heat_map --method tau_ap", lambda s: correlate(s, "tau_ap"), plots.heat_map),
        (f"plot heat_map --gold {GOLD}", lambda s: concordance(s, GOLD), plots.heat_map),
        ("discpower", discriminative_power, plots.asl_curves),
        ("correlate", correlate, plots.heat_map),
        (f"concordance --gold {GOLD}", lambda s: concordance(s, GOLD), plots.heat_map),
    ],
)
def test_figures_of_several_collections(capsys, several, evaluations, tmp_path, monkeypatch, words, analyze, draw):
    drawn, save = [], Figure.savefig
    monkeypatch.setattr(
        Figure, "savefig", lambda figure, *args, **kw: drawn.append(figure) or save(figure, *args, **kw)
    )
    path = tmp_path / "figure.png"
    specs = MEASURES if GOLD in words else [*MEASURES, GOLD]
    out(capsys, *words.split(), "-m", *specs, *several, "-o" if words.startswith("plot") else "--plot", path)
    assert path.read_bytes().startswith(b"\x89PNG")
    found, expected = drawn[0].axes[0], draw(analyze(evaluations))
    assert [text.get_text() for text in found.texts] == [text.get_text() for text in expected.texts]
    for line, other in zip(found.get_lines(), expected.get_lines(), strict=True):
        assert line.get_ydata() == pytest.approx(other.get_ydata())


def test_the_figure_of_compare(capsys, one, tmp_path):
    two = [one[0], "en/run0", "en/run1", "-m", "I-rec@5"]
    out(capsys, "compare", *two, "--plot", tmp_path / "bars.svg")
    assert "<svg" in (tmp_path / "bars.svg").read_text()
    result = call(capsys, "compare", *two, "--plot", tmp_path / "bars.doc")  # the error comes after the table
    assert (result.code, "cannot write the plot" in result.err) == (2, True)


# Mistakes


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "expected qrels and one or more runs, or --collection.*none given"),
        ("en.qrels", "or --collection.*found only 'en.qrels'"),
        ("en.qrels en --collection demo en.qrels en", "found both: en.qrels en belongs to no collection"),
        ("--collection demo en.qrels nowhere", "collection 'demo': .*nowhere"),
        ("--collection demo en.qrels no/*.run", r"collection 'demo': no file matches 'no/\*.run'"),
        ("--collection demo en.qrels en --intent-table demo=nowhere", "collection 'demo': .*nowhere"),
        ("--collection demo en.qrels en --heval a --heval b", "--heval is given twice.*'demo'"),
        ("en.qrels en --intent-table a --intent-table b", "--intent-table is given twice"),
        ("--collection", "--collection"),
        ("--collection demo en.qrels", "a name, qrels and one or more runs, found demo en.qrels"),
        ("--collection a en.qrels en --collection a en.qrels en", "two collections have the name 'a'"),
    ],
)
def test_mistakes_in_collections(capsys, one, words, message):
    for command in STUDIES:
        assert re.search(message, error(capsys, command[0], *words.split(), *command[1:])), command


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("compare {one} --plot x.png", "two runs and one measure"),
        ("compare {several} -m I-rec@5 --plot x.png", "no --collection"),
        ("compare en.qrels en/run0", "at least two runs"),
        ("rank {one} --correction holm", "leave the correction out"),
        ("discpower {one} --by-collection", "--by-collection.*--collection"),
        ("correlate {one} --by-collection", "--by-collection.*--collection"),
        ("correlate {several} --by-collection --plot x.png", "--plot shows all collections together"),
        ("concordance --gold P-IA@5 {several} --by-collection --plot x.png", "--plot shows all collections together"),
        ("plot ranking {several}", "ranking shows one collection"),
        ("plot rank_curves {several}", "rank_curves shows one collection"),
        ("plot heat_map --gold P-IA@5 --method tau {several}", "give one of them"),
        ("plot heat_map en.qrels", "expected qrels and one or more runs, or --collection"),
    ],
)
def test_options_that_do_not_go_together(capsys, one, several, words, message):
    command = words.format(one=" ".join(one), several=" ".join(several))
    assert re.search(message, error(capsys, *command.split()))
    assert not Path("x.png").exists()


# Files of each collection


def test_intent_tables_of_each_collection(capsys, several, tmp_path):
    study, tables = {}, {}
    for name in ("en", "zh"):
        qrels = irdiv.read_qrels(f"{name}.qrels")
        intents = qrels[["query_id", "iteration"]].drop_duplicates()
        intents["probability"] = [(1 + row) % 7 + 1 for row in range(len(intents))]
        intents.to_csv(tmp_path / f"{name}.csv", index=False)
        tables[name] = intents
        study[name] = irdiv.evaluate(irdiv.with_intents(qrels, intents), Path(name), "D-nDCG@5")
    expected = discriminative_power(study).summary().to_csv(index=False)
    command = ["discpower", "-m", "D-nDCG@5", "--csv", *several]
    assert out(capsys, *command, *(f"--intent-table={name}={tmp_path / name}.csv" for name in study)) == expected
    assert out(capsys, *command) != expected
    # one file for both, whose topics differ
    pd.concat(tables.values()).to_csv(tmp_path / "both.csv", index=False)
    both = ["--intent-table", tmp_path / "both.csv"]
    assert out(capsys, *command, *both) == expected
    # one file for collections with the same topics
    message = error(capsys, "discpower", *several[:4], "--collection", "copy", "en.qrels", "en/run[01]", *both)
    assert re.search("--intent-table.*'en' and 'copy' both have a topic '101'.*copy=FILE", message)


def test_notes_and_warnings_name_the_collection(capsys, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("zh.qrels").write_text((folder / "zh.qrels").read_text() + "209 1 d 0\n")
    cells = [line.split() for line in (folder / "en" / "run0").read_text().splitlines()]
    Path("run0").write_text("".join(f"{' '.join(row[:3])} {rank} {rank} x\n" for rank, row in enumerate(cells)))
    collections = ["--collection", "en", folder / "en.qrels", "run0", folder / "en" / "run1"]
    collections += ["--collection", "zh", "zh.qrels", folder / "zh"]
    result = call(capsys, "discpower", *collections, "-m", "I-rec@5")
    assert result.code == 0
    assert "irdiv: note: collection 'zh': 1 of 7 topics have no relevant" in result.err
    assert "irdiv: warning: collection 'en': " in result.err
