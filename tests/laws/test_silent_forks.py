"""Data that could be read in two ways: the documented one is taken and said, or it is refused."""

from __future__ import annotations

import gzip
import json
import random
import warnings

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pytest
from ir_measures import AP, NRBP, Bpref, alpha_nDCG

import irdiv
from cli_helpers import out
from irdiv.demo import demo_collection, demo_qrels_and_runs
from irdiv.rag import read_contexts, read_nuggets

QRELS = ["query_id", "intent_id", "doc_id", "relevance"]
NO_WARNINGS = pytest.mark.filterwarnings("error::irdiv.IrdivWarning")


@pytest.fixture(scope="module")
def demo():
    return demo_qrels_and_runs()


@pytest.fixture(scope="module")
def flat(demo):
    """The qrels of the demo, without anything about their intents."""
    qrels = demo[0][QRELS]
    return qrels[qrels["doc_id"] != "_no_document_"]


def score(qrels, run, spec, **options):
    return irdiv.evaluate(qrels, run, spec, **options).values[0, 0].mean()


# ndeval's names


@pytest.mark.parametrize("column", ["subtopic_id", "intent_id", "nugget_id"])
@pytest.mark.parametrize("form", ["frame", "namedtuples", "iterator", "iterable"])
def test_names_of_ndeval_see_intents_in_any_column(flat, demo, column, form):
    run = demo[1]["relevance"]
    expected = ir_measures.calc_aggregate([alpha_nDCG @ 10, NRBP], flat.rename(columns={"intent_id": "iteration"}), run)
    frame = flat.rename(columns={"intent_id": column})
    tuples = list(frame.itertuples(index=False))
    rows = {
        "frame": frame,
        "namedtuples": tuples,
        "iterator": iter(tuples),
        "iterable": dict(enumerate(tuples)).values(),
    }
    found = ir_measures.calc_aggregate([alpha_nDCG @ 10, NRBP, AP], rows[form], run)
    assert found[AP] == pytest.approx(score(flat, run, AP), abs=1e-12)
    assert found[alpha_nDCG @ 10] == pytest.approx(expected[alpha_nDCG @ 10], abs=1e-12)
    assert found[NRBP] == pytest.approx(expected[NRBP], abs=1e-12)
    assert found[alpha_nDCG @ 10] == pytest.approx(0.7612, abs=5e-5)


def test_names_of_ndeval_see_intents_in_pyterrier(demo):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pt = pytest.importorskip("pyterrier")
        qrels, run = irdiv.datasets.to_pyterrier(demo[0]), pt.model.from_ir_measures(demo[1]["relevance"])
        topics = pd.DataFrame({"qid": qrels["qid"].unique(), "query": "a topic"})
        table = pt.Experiment([run], topics, qrels, [alpha_nDCG @ 10, NRBP], names=["relevance"])
    assert table["alpha_nDCG@10"][0] == pytest.approx(0.7612, abs=5e-5)
    assert table["NRBP"][0] == pytest.approx(0.3053, abs=5e-5)


# The greedy ideal


def random_topic(seed, weighted):
    rng = random.Random(seed)
    intents, docs = range(rng.randint(3, 7)), [f"d{i}" for i in range(rng.randint(6, 20))]
    rows = [(i, doc) for i in intents for doc in docs if rng.random() < 0.5]
    weights = {i: rng.choice((0.1, 0.2, 0.3, 0.15)) for i in intents} if weighted else {}
    return rows, weights, {"1": rng.sample(docs, len(docs))}


def renamed_value(topic, spec, names):
    rows, weights, run = topic
    qrels = pd.DataFrame([("1", f"i{names[i]}", doc, 1) for i, doc in rows], columns=QRELS)
    if weights:
        judged = {i for i, _ in rows}
        table = [("1", f"i{names[i]}", weight) for i, weight in weights.items() if i in judged]
        qrels = irdiv.with_intents(qrels, pd.DataFrame(table, columns=["query_id", "intent_id", "probability"]))
    return score(qrels, run, spec)


@pytest.mark.parametrize(
    ("spec", "weighted", "seeds"),
    [
        ("alpha-nDCG(alpha=0.2)@10", False, (145, 205)),
        ("alpha-nDCG(weighted=True)@10", True, (6, 11, 34)),
        ("alpha-nDCG(alpha=0.3,weighted=True)", True, (147, 223)),
        ("alpha-nDCG(alpha=0.1,model='exact')@10", False, (75, 130)),
        ("nNRBP(alpha=0.2)", False, (93, 145)),
    ],
)
def test_names_of_intents_do_not_change_the_greedy_ideal(spec, weighted, seeds):
    # In these topics equal gains differ by the rounding of their sums.
    for seed in (*seeds, *range(5)):
        topic = random_topic(seed, weighted)
        orders = [list(range(7)), list(range(7))[::-1], [3, 0, 6, 2, 5, 1, 4]]
        values = [renamed_value(topic, spec, names) for names in orders]
        assert max(values) - min(values) < 1e-12, (spec, seed, values)


# Comments in files


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("separator", [" ", "\t", "  "])
def test_lines_that_start_with_a_number_sign_are_comments(tmp_path, separator, compress):
    rows = ["# pool depth 20", "1 1 a 1", "#1 2 a 1", "1 2 b 2", " #pool a depth 20", "# done"]
    lines = "\n".join(row if row.startswith(" ") else separator.join(row.split()) for row in rows)
    path = tmp_path / ("qrels.gz" if compress else "qrels")
    path.write_bytes(gzip.compress(lines.encode()) if compress else lines.encode())
    assert irdiv.read_qrels(path).to_numpy().tolist() == [["1", "1", "a", 1], ["1", "2", "b", 2]]
    run = tmp_path / "run"
    run.write_text("# a b c d e\n1 Q0 a 1 2.0 x\n")
    assert score(path, run, "ERR-IA@10") == score({"1": {"a": 1, "b": 2}}, {"1": ["a"]}, "ERR@10") / 2


def test_comments_in_dqrels_and_line_numbers_of_errors(tmp_path):
    path = tmp_path / "Dqrels"
    path.write_text("# NTCIR\n1 1 a L1\n")
    assert irdiv.datasets.read_ntcir_qrels(path)["relevance"].tolist() == [1]
    path.write_text("# one\n1 1 a 1\n# three\n1 1 b x\n")
    with pytest.raises(irdiv.IrdivError, match="line 4: relevance is 'x'"):
        irdiv.read_qrels(path)
    path.write_text("# nothing\n#\n")
    with pytest.raises(irdiv.IrdivError, match="is empty"):
        irdiv.read_qrels(path)


def test_a_topic_that_is_a_comment_is_refused(tmp_path):
    with pytest.raises(irdiv.IrdivError, match=r"topic '#', which is a comment.*irdiv\.read_qrels"):
        irdiv.evaluate({"#": {"depth": 20}, "1": {"a": 1}}, {"1": ["a"]}, "RR")
    qrels = pd.DataFrame([("#1", "a", "d", 1)], columns=QRELS)
    with pytest.raises(irdiv.IrdivError, match="starts with '#' is a comment; rename the query_id '#1'"):
        irdiv.datasets.write_ntcir(qrels, tmp_path / "out")


# The scale of grades


def test_a_frame_of_pyterrier_carries_its_scale(demo):
    qrels, run = irdiv.datasets.to_pyterrier(demo[0]), demo[1]["relevance"]
    whole = irdiv.evaluate(qrels, run, "ERR-IA@10")["ERR-IA@10"]["run"]
    for topic, value in whole.items():
        part = qrels[qrels["qid"] == topic]
        assert score(part, run, "ERR-IA@10") == value
        assert score(pl.from_pandas(part), run, "ERR-IA@10", batch_rows=5) == value


def forms_of(frame, folder):
    """Yield qrels in memory, in batches, and in forms that are not frames."""
    frame.to_parquet(folder / "qrels.parquet")
    yield from (frame, pl.from_pandas(frame), pl.from_pandas(frame).lazy(), folder / "qrels.parquet")
    yield list(frame.itertuples(index=False))


@pytest.mark.parametrize("batch_rows", [None, 50])
def test_a_stale_scale_is_not_used_and_said(demo, flat, tmp_path, batch_rows):
    run = demo[1]["relevance"]
    qrels = irdiv.datasets.to_pyterrier(flat)
    binary = qrels.assign(label=(qrels["label"] > 0).astype(int))
    expected = score(flat.assign(relevance=(flat["relevance"] > 0).astype(int)), run, "ERR-IA@10")
    for form in forms_of(binary, tmp_path):
        with pytest.warns(irdiv.IrdivWarning, match="grades were changed.*'grades_below_max'.*max_grade"):
            assert score(form, run, "ERR-IA@10", batch_rows=batch_rows) == expected


@NO_WARNINGS
def test_a_scale_survives_where_it_should(demo, flat, tmp_path):
    run = demo[1]["relevance"]
    spam = flat.assign(relevance=flat["relevance"].where(flat["relevance"] > 0, -2))
    qrels = irdiv.datasets.to_pyterrier(spam)
    low = qrels[qrels["label"] <= 1]
    expected = score(low.drop(columns="grades_below_max").assign(max_grade=3), run, "ERR-IA@10")
    for form in forms_of(low, tmp_path):
        assert score(form, run, "ERR-IA@10") == expected
    # many programs make 0 of grades below
    assert score(low.assign(label=low["label"].clip(lower=0)), run, "ERR-IA@10") == expected
    table = flat[["query_id", "intent_id"]].drop_duplicates().assign(probability=0.25)
    assert "grades_below_max" in irdiv.with_intents(qrels, table)


def test_a_stated_scale_beyond_the_grades_is_noted(flat, demo):
    binary = flat.assign(relevance=(flat["relevance"] > 0).astype(int), max_grade=4)
    for options in ({}, {"batch_rows": 50}):
        notes = irdiv.evaluate(binary, demo[1]["relevance"], ["ERR-IA@10", "RBU@10"], **options).notes
        assert any("scale up to 4, which counts in ERR-IA@10, but their highest grade is 1" in n for n in notes)


def test_pyterrier_scores_some_topics_on_the_scale_of_all(demo):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pt = pytest.importorskip("pyterrier")
        qrels, run = irdiv.datasets.to_pyterrier(demo[0]), pt.model.from_ir_measures(demo[1]["relevance"])
        whole = irdiv.evaluate(qrels, run, "ERR-IA@10")["ERR-IA@10"]["run"]
        for topic in whole.index:
            topics = pd.DataFrame({"qid": [topic], "query": "a topic"})
            table = pt.Experiment([run], topics, qrels, ["ERR-IA@10"], names=["run"])
            assert table["ERR-IA@10"][0] == whole[topic], topic


def test_explain_says_that_pyterrier_sees_only_the_topics_of_an_experiment():
    assert "to_pyterrier" in irdiv.explain("ERR-IA@10")


# Hierarchies and types that are missing


@pytest.mark.parametrize("batch_rows", [None, 50])
def test_measures_of_hierarchies_say_that_there_is_none(flat, demo, batch_rows):
    run = demo[1]["relevance"]
    for spec in ("LAD#-nDCG@10", "HD-nDCG@10", "LD#-Q@10", "N-rec@10", "D-nDCG-LA@10"):
        notes = irdiv.evaluate(flat, run, spec, batch_rows=batch_rows).notes
        assert any(f"no intent has a parent, so there is one layer in {spec}," in note for note in notes), spec
        assert not any("parent" in note for note in irdiv.evaluate(demo[0], run, spec, batch_rows=batch_rows).notes)


def test_options_of_layers_are_refused_without_a_hierarchy(flat, demo):
    for spec in ("LAD#-nDCG(layer_weights=(0.3,0.7))@10", "N-rec(hierarchy='OIH')@10"):
        with pytest.raises(irdiv.IrdivError, match="no column 'parent_id'.*with_intents"):
            irdiv.evaluate(flat, demo[1], spec)
        irdiv.evaluate(demo[0], demo[1], spec)


@pytest.mark.parametrize("spec", ["DIN#-nDCG@10", "DIN-Q@10", "P+Q@10", "P+Q#@10"])
def test_measures_of_types_say_that_there_are_none(flat, demo, spec):
    notes = irdiv.evaluate(flat, demo[1]["relevance"], spec).notes
    assert any(f"no intent is navigational, so all count as informational in {spec}" in note for note in notes)
    assert not any("navigational" in note for note in irdiv.evaluate(demo[0], demo[1]["relevance"], spec).notes)


# Which measure


def test_what_was_asked_for_comes_before_its_components(demo):
    evaluation = irdiv.evaluate(*demo, ["D#-nDCG@10", "ERR-IA@10"], components=True)
    assert evaluation.specs() == ["D#-nDCG@10", "I-rec@10", "D-nDCG@10", "ERR-IA@10"]
    assert set(evaluation.rank()["measure"]) == set(evaluation.worst()["measure"]) == {"D#-nDCG@10"}
    assert "D#-nDCG@10" in str(evaluation.plot.ranking().get_figure().axes[0].get_xlabel())


def test_defaults_of_commands_are_the_same_measure(tmp_path, capsys):
    out(capsys, "demo", "--data", str(tmp_path))
    arguments = [str(tmp_path / "qrels.txt"), str(tmp_path / "relevance.run"), str(tmp_path / "spammy.run")]
    for command in (["rank"], ["topic", "--worst", "1"]):
        assert "D#-nDCG@10" in out(capsys, *command, *arguments, "-o", "csv"), command


# Several runs in one frame


@pytest.mark.parametrize("column", ["experiment", "model", "run", "tag", "lambda"])
@pytest.mark.filterwarnings("ignore:the column 'run'")
def test_repeated_documents_are_explained_by_a_column_of_runs(demo, column):
    values = np.arange(4) / 10 if column == "lambda" else list(demo[1])
    parts = [
        run.assign(toks=[{"a": 1}] * len(run), **{column: v}) for v, run in zip(values, demo[1].values(), strict=True)
    ]
    frame = pd.concat(parts).assign(row=range(960))
    for together in (frame, pl.from_pandas(frame), pd.concat([frame, frame[:1]])):
        with pytest.raises(irdiv.IrdivError) as error:
            irdiv.evaluate(demo[0], together, "D#-nDCG@10")
        assert f"run_column={column!r}" in str(error.value)
        assert str(error.value).index("run_column") < str(error.value).index("duplicates='first'")
    with pytest.raises(irdiv.IrdivError) as error:
        irdiv.evaluate(demo[0], frame.drop(columns=column), "D#-nDCG@10")
    assert "run_column" not in str(error.value)
    with pytest.raises(irdiv.IrdivError, match="If these are several runs, .*run_column=.*duplicates='first'"):
        irdiv.evaluate(demo[0], frame, "D#-nDCG@10", batch_rows=50)


# Ids that match in part


@pytest.mark.parametrize("batch_rows", [None, 50])
def test_topics_that_match_in_part_are_a_warning(demo, batch_rows):
    qrels, runs = demo
    run = runs["relevance"]
    for count, warns in ((1, False), (4, True)):
        topics = [str(number) for number in range(1, count + 1)]
        other = run.assign(query_id=run["query_id"].where(~run["query_id"].isin(topics), "0" + run["query_id"]))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            irdiv.evaluate(qrels, {"a": run, "b": other}, "D#-nDCG@10", batch_rows=batch_rows)
        messages = [str(warning.message) for warning in caught]
        if not warns:
            assert messages == []
            continue
        assert "run 'b' lacks 4 of 12 topics" in messages[0]
        assert "'01', '02', '03'" in messages[0]
        assert "leading zeros" in messages[0]


def test_other_ids_are_a_warning_in_other_programs(demo):
    qrels, run = demo[0], demo[1]["relevance"]
    other = run.assign(query_id=run["query_id"].where(~run["query_id"].isin(["1", "2"]), "0" + run["query_id"]))
    for compute in (
        lambda run: ir_measures.calc_aggregate([irdiv.parse("I-rec@10")], qrels, run),
        lambda run: irdiv.analysis.layer_scores(qrels, run),
        lambda run: irdiv.analysis.node_coverage(qrels, run),
    ):
        with pytest.warns(irdiv.IrdivWarning, match="lacks 2 of 12 topics.*The qrels lack '01', '02'.*leading zeros"):
            compute(other)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            compute(run[~run["query_id"].isin(["1", "2"])])


@pytest.mark.parametrize("batch_rows", [None, 1])
def test_intents_without_documents_are_a_warning_where_they_count(batch_rows):
    qrels = pd.DataFrame([("1", f"n{i}", "d", 1) for i in range(6)], columns=QRELS)
    for missing, warns in ((0, False), (3, True)):
        table = [("1", f"n{i}", "vital") for i in range(6 + missing)]
        nuggets = irdiv.with_intents(qrels, pd.DataFrame(table, columns=["query_id", "intent_id", "importance"]))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            irdiv.evaluate(nuggets, {"1": ["d"]}, "Coverage@5", batch_rows=batch_rows)
            irdiv.evaluate(nuggets, {"1": ["d"]}, "I-rec@5", batch_rows=batch_rows)
        found = [str(warning.message) for warning in caught]
        assert len(found) == warns
        assert not warns or "3 of 9 intents have no judged document" in found[0]


def test_intents_that_match_in_part_are_a_warning():
    qrels = pd.DataFrame([("1", str(i), f"d{i}", 1) for i in range(1, 7)], columns=QRELS)
    table = pd.DataFrame(
        [("1", "0" * (i < 3) + str(i), 0.1) for i in range(1, 7)], columns=["query_id", "intent_id", "probability"]
    )
    with pytest.warns(irdiv.IrdivWarning, match="2 of 6 judged intents.*'1 1', '1 2'.*leading zeros"):
        irdiv.with_intents(qrels, table)


# Intents and ids that contradict each other


CONTRADICTING = pd.DataFrame(
    {"query_id": "1", "intent_id": ["a", "a"], "subtopic_id": ["x", "y"], "doc_id": ["d", "e"], "relevance": 1}
)


@pytest.mark.parametrize("batch_rows", [None, 1])
def test_two_columns_of_intents_that_contradict_each_other_are_refused(tmp_path, batch_rows):
    for qrels in forms_of(CONTRADICTING, tmp_path):
        with pytest.raises(irdiv.IrdivError, match="intent_id 'a' has the subtopic_id 'x' and 'y'"):
            irdiv.evaluate(qrels, {"1": ["d"]}, "I-rec@1", batch_rows=batch_rows)
    for function in (irdiv.datasets.to_pyterrier, irdiv.datasets.to_ir_measures):
        with pytest.raises(irdiv.IrdivError, match="contradict each other"):
            function(CONTRADICTING)


@NO_WARNINGS
@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"intent_id": [1, 2]},
        {"iteration": "0"},
        {"iteration": 1},
        {"iteration": None},
        {"subtopic_id": None},
        {"subtopic_id": ["x", None]},
    ],
)
def test_columns_of_intents_that_say_the_same_are_one(tmp_path, columns):
    for qrels in forms_of(CONTRADICTING.assign(**{"intent_id": ["a", "b"], **columns}), tmp_path):
        assert score(qrels, {"1": ["d"]}, "I-rec@1") == 0.5


def test_rows_without_documents_contradict_nothing():
    qrels = CONTRADICTING.assign(intent_id=["a", "b"], subtopic_id=["a", "b"])
    table = pd.DataFrame([("1", intent, 0.25) for intent in "abcd"], columns=["query_id", "intent_id", "probability"])
    assert score(irdiv.with_intents(qrels, table), {"1": ["d"]}, "I-rec@1") == 0.5


@pytest.mark.parametrize("place", [0, 1, 2])
def test_ids_with_spaces_around_them_are_a_warning(place):
    rows = [["1", "a", "d", 1], ["1", "b", "e", 1]]
    rows[1][place] = f"{rows[0][place]} "
    with pytest.warns(
        irdiv.IrdivWarning, match=f"{QRELS[place]!r} of the qrels has some ids with spaces.*'{rows[1][place]}'"
    ):
        irdiv.Collection(pd.DataFrame(rows, columns=QRELS))


# Names one character apart


@pytest.mark.parametrize(
    ("spec", "other"), [("ERR-IA@10", "ERR_IA"), ("nERR-IA@5", "nERR_IA"), ("alpha-DCG@10", "alpha_DCG")]
)
def test_measures_with_nearly_the_same_name_say_which_they_are(flat, demo, spec, other):
    name, _, cutoff = spec.partition("@")
    for computed, named in ((spec, other), (f"{other}@{cutoff}", name)):
        notes = irdiv.evaluate(flat, demo[1]["relevance"], computed).notes
        assert any(computed.split("@")[0] in note and named in note and "ndeval" in note for note in notes), computed


# Rows without documents


def test_summaries_count_judgments_only():
    collection = demo_collection()
    rows = (collection.qrels["doc_id"] != "_no_document_").sum()
    assert rows < len(collection.qrels)
    assert f"{rows} judgments" in repr(collection)


def test_other_programs_do_not_see_rows_without_documents():
    qrels = pd.DataFrame([("1", "a", "d", 1), ("1", "a", "f", 1), ("1", "a", "e", 0)], columns=QRELS)
    table = pd.DataFrame([("1", "a", 0.5), ("1", "b", 0.5)], columns=["query_id", "intent_id", "probability"])
    exported = irdiv.datasets.to_ir_measures(irdiv.with_intents(qrels, table))
    assert "_no_document_" in set(exported["doc_id"])
    run = {"1": {"e": 3.0, "d": 2.0, "f": 1.0}}
    expected = ir_measures.calc_aggregate([Bpref], qrels.drop(columns="intent_id"), run)
    assert ir_measures.calc_aggregate([Bpref], exported, run) == expected


# Order of documents


def test_functions_of_runs_order_documents_as_evaluate_does(demo):
    qrels, runs = demo
    run = runs["relevance"].drop(columns="rank", errors="ignore")
    ranked = run.assign(rank=run.groupby("query_id")["score"].rank(method="first"))
    expected = irdiv.evaluate(qrels, ranked, ["D-nDCG-LA@20"], ties="rank").values[0, 0]
    layers = irdiv.analysis.layer_scores(qrels, ranked, "D-nDCG@20", ties="rank")
    np.testing.assert_allclose(layers.groupby("query_id", sort=False)["D-nDCG@20"].mean(), expected, atol=1e-12)
    nodes = irdiv.analysis.node_coverage(qrels, ranked, ties="rank")
    recall = irdiv.evaluate(qrels, ranked, "N-rec@20", ties="rank").values[0, 0]
    covered = nodes["rank"].notna().groupby(nodes["query_id"], sort=False).mean()
    np.testing.assert_allclose(covered, recall, atol=1e-12)
    vectors = irdiv.analysis.gain_vectors(qrels, ranked, cutoff=10, ties="rank")
    reversed_run = {topic: docs[::-1] for topic, docs in run.groupby("query_id")["doc_id"].apply(list).items()}
    pd.testing.assert_frame_equal(vectors.means, irdiv.analysis.gain_vectors(qrels, reversed_run, cutoff=10).means)


def test_functions_of_runs_take_repeated_documents(demo):
    qrels, runs = demo
    run = runs["relevance"]
    twice = pd.concat([run, run.assign(score=run["score"] - 100)])
    analysis, known = irdiv.analysis, {"1": ["jaguar-car-models-1"]}
    for function, arguments in (
        (analysis.layer_scores, ()),
        (analysis.node_coverage, ()),
        (analysis.retrieval_counts, ()),
        (analysis.user_oriented_measures, (known,)),
    ):
        with pytest.raises(irdiv.IrdivError, match="repeats documents"):
            function(qrels, twice, *arguments)
        pd.testing.assert_frame_equal(
            function(qrels, twice, *arguments, duplicates="first"), function(qrels, run, *arguments)
        )
    hierarchy = irdiv.Hierarchy(qrels)
    assert str(hierarchy.report(twice, "1", duplicates="first")) == str(hierarchy.report(run, "1"))


def test_layer_scores_take_several_runs(demo):
    qrels, runs = demo
    together = irdiv.analysis.layer_scores(qrels, runs)
    assert together["run"].unique().tolist() == list(runs)
    alone = irdiv.analysis.layer_scores(qrels, runs["spammy"])
    of_run = together[together["run"] == "spammy"].reset_index(drop=True)
    pd.testing.assert_frame_equal(of_run.drop(columns="run"), alone.drop(columns="run"))


def test_the_command_for_hierarchies_orders_by_rank(tmp_path, capsys):
    out(capsys, "demo", "--data", str(tmp_path))
    files = [str(tmp_path / name) for name in ("qrels.txt", "relevance.run")]
    command = ["hierarchy", *files, "--intent-table", str(tmp_path / "intents.csv"), "--topic", "1"]
    by_score = out(capsys, *command)
    lines = [line.split() for line in (tmp_path / "relevance.run").read_text().splitlines()]
    reversed_ranks = [" ".join([*line[:3], str(1000 - int(line[3])), *line[4:]]) for line in lines]
    (tmp_path / "relevance.run").write_text("\n".join(reversed_ranks))
    assert out(capsys, *command, "--ties", "rank") != by_score


# Properties


def test_the_table_of_properties_says_how_long_the_rankings_were():
    table = irdiv.properties.check("ACT", ["relevance", "induction"], length=8).set_index("property")
    assert table["length"].to_dict() == {"relevance": 8, "induction": 7}


# References that are no ranking


def answers(orders, *, cite=True):
    records = []
    for number, docs in enumerate(orders):
        record = {"topic_id": str(number), "run_id": "r", "references": docs}
        if cite:
            record["answer"] = [{"text": "…", "citations": [len(docs) - 1]}, {"text": "…", "citations": [0]}]
        records.append(record)
    return records


def test_references_in_the_order_of_ids_are_not_a_ranking(tmp_path):
    in_order = [[f"d{i}{j}" for j in range(6)] for i in range(4)]
    with pytest.warns(
        irdiv.IrdivWarning, match=r"run 'r' are in the order of their ids.*citations.*source='references'"
    ):
        run = read_contexts(answers(in_order))["r"]
    assert run["doc_id"].tolist()[:2] == ["d05", "d00"]
    assert read_contexts(answers(in_order), source="references")["r"]["doc_id"].tolist()[:2] == ["d00", "d01"]
    with pytest.raises(irdiv.IrdivError, match="cite no documents.*source='references'"):
        read_contexts(answers(in_order, cite=False))
    path = tmp_path / "r.jsonl"
    path.write_text("\n".join(map(json.dumps, answers(in_order))))
    with pytest.warns(irdiv.IrdivWarning, match="no ranking"):
        assert read_contexts(path)["r"]["doc_id"].tolist()[:2] == ["d05", "d00"]


def test_answers_without_citations_beside_sorted_references_are_named():
    records = answers([[f"d{i}{j}" for j in range(6)] for i in range(4)])
    records[2]["answer"] = []
    with pytest.warns(irdiv.IrdivWarning, match="1 answers cite none and have no documents: '2'"):
        read_contexts(records)
    for record in records:
        record["answer"] = "a text"
    with pytest.raises(irdiv.IrdivError, match="in the order of their ids.*cite no documents"):
        read_contexts(records)


def test_numbers_that_are_sorted_as_texts_are_in_order():
    with pytest.warns(irdiv.IrdivWarning, match="no ranking"):
        read_contexts(answers([["1245", "1559", "174", "2361", "89"]] * 4))


@NO_WARNINGS
@pytest.mark.parametrize("order", ["score", "rank"])
def test_references_that_state_their_order_are_a_ranking(order):
    docs = [{"docid": f"d{i}", order: i + 1} for i in range(8)]
    assert len(read_contexts(answers([docs] * 3))["r"]) == 24


@NO_WARNINGS
def test_references_in_another_order_or_few_of_them_are_a_ranking():
    shuffled = [["d3", "d1", "d2", "d5", "d4"]] * 6
    assert read_contexts(answers(shuffled))["r"]["doc_id"].tolist()[:2] == ["d3", "d1"]
    assert read_contexts(answers([["d1", "d2", "d3"]]))["r"]["doc_id"].tolist() == ["d1", "d2", "d3"]


def test_a_real_submission_with_sorted_references(real_data):
    folder = real_data / "rag2026" / "ragtime2026"
    if not folder.exists():
        pytest.skip("the submission of RAGTIME 2026 is not at hand")
    with pytest.warns(irdiv.IrdivWarning, match="no ranking"):
        runs = read_contexts(folder / "T1_run_1.jsonl.gz")
    nuggets = read_nuggets(folder / "T3_run_1.jsonl.gz")
    with pytest.warns(irdiv.IrdivWarning, match="235 of 1725 intents have no judged document"):
        evaluation = irdiv.evaluate(nuggets, runs, "Coverage@5")
    assert evaluation.values[0, 0].mean() == pytest.approx(0.501, abs=5e-4)
