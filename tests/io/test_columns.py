"""The names that columns may have, and the errors about columns that are missing, double or of no use."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import irdiv
from irdiv import IrdivError
from irdiv_cli import main

SPECS = ["D#-nDCG@3", "alpha-nDCG@3", "I-rec(intents='all')@2", "nDCG@3", "Judged@3"]
TABLE = pd.DataFrame({"query_id": "1", "intent_id": ["1", "2"], "probability": [0.75, 0.25]})
NUGGETS = pd.DataFrame(
    {
        "query_id": ["1", "1"],
        "intent_id": ["n", "m"],
        "doc_id": ["a", "b"],
        "relevance": [1, 0],
        "description": ["x", "y"],
        "probability": [0.5, 0.25],
    }
)


def values(qrels, run, **options) -> np.ndarray:
    return irdiv.evaluate(qrels, run, SPECS, **options).values


INTENT_NAMES = ["intent_id", "intent", "subtopic_id", "subtopic", "nugget_id", "aspect_id", "rubric_id", "iteration"]


@pytest.mark.parametrize(
    ("name", "other"),
    [
        *(("query_id", other) for other in ("qid", "question_id")),
        *(("doc_id", other) for other in ("docno", "passage_id")),
        ("relevance", "label"),
        *(("iteration", other) for other in INTENT_NAMES),
    ],
)
def test_names_in_qrels_and_runs(qrels, run, name, other):
    renamed = (frame.rename(columns={name: other}) for frame in (qrels, run))
    np.testing.assert_array_equal(values(*renamed), values(qrels, run), err_msg=other)


@pytest.mark.parametrize("name", ["probability", "weight", "weights"])
def test_names_of_probabilities_in_a_table_of_intents(qrels, name):
    folded = irdiv.with_intents(qrels, TABLE.rename(columns={"probability": name}))
    assert folded["probability"].tolist()[:3] == [0.75, 0.25, 0.75]


def test_a_weight_in_qrels_may_be_that_of_a_document(qrels, run):
    np.testing.assert_array_equal(values(qrels.assign(weight=range(8)), run), values(qrels, run))


MORE_DOCUMENTS = "docid document_id pid chunk_id segment_id context_id"


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("query_id", "topic_id"),
        ("doc_id", MORE_DOCUMENTS),
        ("description", "text nugget nugget_text criterion content"),
        ("relevance", "assignment grade rating judgment"),
        ("probability", "weight weights"),
    ],
)
def test_more_names_in_nuggets(name, others):
    expected = irdiv.rag.read_nuggets(NUGGETS)
    for other in others.split():
        found = irdiv.rag.read_nuggets(NUGGETS.rename(columns={name: other}))
        pd.testing.assert_frame_equal(found, expected, obj=other)


@pytest.mark.parametrize(
    ("name", "others"),
    [("query_id", "topic_id"), ("doc_id", MORE_DOCUMENTS), ("run", "run_id runid system retriever")],
)
def test_more_names_in_contexts(name, others):
    contexts = pd.DataFrame({"run": "s", "query_id": "1", "doc_id": ["a", "b"], "rank": [1, 2]})
    for other in others.split():
        found = irdiv.rag.read_contexts(contexts.rename(columns={name: other}))
        assert list(found) == ["s"], other
        assert found["s"][["query_id", "doc_id", "rank"]].values.tolist() == [["1", "a", 1], ["1", "b", 2]], other


@pytest.mark.parametrize("used", ["subtopic_id", "intent_id", "nugget_id"])
def test_iterations_are_intents_only_if_there_are_no_others(qrels, run, used):
    both = qrels.rename(columns={"iteration": used}).assign(iteration="0")
    np.testing.assert_array_equal(values(both, run), values(qrels, run))


@pytest.mark.parametrize(
    ("iterations", "are_intents"),
    [(["0"] * 5, False), (["Q0", "0", "0", "0", "0"], False), (["0", "0", "1", "0", "0"], True), (["q0"] * 5, True)],
)
@pytest.mark.parametrize("options", [{}, {"batch_rows": 2}])
def test_iterations_of_ad_hoc_qrels_are_no_intents(run, iterations, are_intents, options):
    qrels = pd.DataFrame({"query_id": list("11122"), "iteration": iterations, "doc_id": list("abcde"), "relevance": 1})
    ranked = pd.DataFrame({"query_id": ["1", "2"], "doc_id": ["a", "d"], "score": 1.0})
    if are_intents:
        assert irdiv.evaluate(qrels, ranked, "I-rec@1", **options).values.max() > 0
    else:
        with pytest.raises(IrdivError, match="I-rec@1 needs intents"):
            irdiv.evaluate(qrels, ranked, "I-rec@1", **options)
    # Under another name 0 is an intent.
    renamed = qrels.rename(columns={"iteration": "intent_id"})
    assert irdiv.evaluate(renamed, ranked, "I-rec@1", **options).values.max() > 0


@pytest.mark.parametrize(
    "present", [["nugget_id", "aspect_id"], ["intent_id", "rubric_id"], ["aspect_id", "subtopic", "iteration"]]
)
def test_an_aspect_and_a_nugget_are_two_things(qrels, run, present):
    both = qrels.drop(columns="iteration").assign(**dict.fromkeys(present, qrels["iteration"]))
    with pytest.raises(IrdivError, match="qrels") as caught:
        values(both, run)
    assert [name for name in present if repr(name) not in str(caught.value)] == []


@pytest.mark.parametrize(
    ("column", "other"), [("query_id", "qid"), ("doc_id", "passage_id"), ("relevance", "label"), ("doc_id", "docno")]
)
def test_two_columns_for_one_thing(qrels, run, column, other):
    role, frames = ("qrels", (qrels.assign(**{other: 1}), run))
    if column in run:
        role, frames = "run", (qrels, run.assign(**{other: "x"}))
    with pytest.raises(IrdivError, match=f"{role}.*two columns.*'{column}', '{other}'"):
        values(*frames)


def test_two_columns_of_one_name(qrels, run):
    with pytest.raises(IrdivError, match="columns of the run.*same name.*score") as caught:
        values(qrels, pd.concat([run, run[["score"]]], axis=1))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("convert", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas])
@pytest.mark.parametrize(
    ("role", "columns", "names"),
    [
        ("qrels", "query_id", "'query_id' 'qid' 'question_id'"),
        ("qrels", "doc_id", "'doc_id' 'docno' 'passage_id'"),
        ("qrels", "relevance", "'relevance' 'label'"),
        ("qrels", "doc_id relevance", "'doc_id' 'docno' 'relevance' 'label' found 'query_id' 'iteration'"),
        ("run", "query_id", "'query_id' 'qid' 'question_id'"),
        ("run", "doc_id", "'doc_id' 'docno' 'passage_id'"),
        ("run", "score", "'score' 'rank' found 'query_id' 'doc_id'"),
        ("run", "doc_id score", "'doc_id' 'docno' 'score' 'rank' found 'query_id'"),
    ],
)
def test_a_missing_column(qrels, run, role, columns, names, convert):
    frames = {"qrels": qrels, "run": run}
    frames[role] = convert(frames[role].drop(columns=columns.split()))
    with pytest.raises(IrdivError, match=f"the {role} lacks? a column") as caught:
        values(**frames)
    assert [name for name in names.split() if name not in str(caught.value)] == []


def test_errors_list_the_first_columns_of_a_wide_frame(qrels, run):
    wide = run.drop(columns="score").assign(**dict.fromkeys("abcdefghijklm", 1))
    with pytest.raises(IrdivError, match="'query_id', 'doc_id', 'a', .*, …") as caught:
        values(qrels, wide)
    assert "'m'" not in str(caught.value)


def columns(names: str) -> pd.DataFrame:
    return pd.DataFrame({key: ["1"] for key in names.split()})


RUN = columns("query_id doc_id").assign(score=1.0)


@pytest.mark.parametrize(
    ("call", "remedy", "has_remedy"),
    [
        (lambda: values(columns("qid system assignment nugget_id"), RUN), "irdiv.rag.score_answers", True),
        (lambda: values(columns("qid run assignment relevance"), RUN), "irdiv.rag.score_answers", False),
        (lambda: values(columns("qid intent"), RUN), r"irdiv.with_intents\(.*irdiv.rag.read_nuggets", True),
        (lambda: values(columns("qid intent doc_id"), RUN), "irdiv.with_intents", False),
        (lambda: irdiv.rag.read_contexts(columns("qid doc_id nugget_id")), "irdiv.rag.read_nuggets", True),
        (lambda: irdiv.rag.read_contexts(columns("qid nugget_id score")), "irdiv.rag.read_nuggets", False),
        (lambda: values(NUGGETS, columns("qid docno nugget_id")), "irdiv.rag.read_nuggets", False),
        (lambda: values(NUGGETS, columns("qid docno distance")), "smallest distance.*ranks", True),
        (lambda: values(NUGGETS, columns("qid score distance")), "smallest distance", False),
    ],
    ids=range(9),
)
def test_a_remedy_where_other_columns_show_what_a_frame_is(call, remedy, has_remedy):
    match = f"lacks? a column.*{remedy}" if has_remedy else f"^(?!.*{remedy}).*lacks? a column"
    with pytest.raises(IrdivError, match=match):
        call()


def test_rank_order_without_a_rank_column(qrels, run):
    with pytest.raises(IrdivError, match="lacks a column: expected 'rank'"):
        values(qrels, run, ties="rank")


EMPTY = columns("query_id intent_id doc_id relevance").iloc[:0]


@pytest.mark.parametrize("options", [{}, {"batch_rows": 2}])
@pytest.mark.parametrize("convert", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas])
def test_frames_without_rows(qrels, run, options, convert):
    with pytest.raises(IrdivError, match="the qrels are empty: .*'query_id', 'intent_id', 'doc_id', 'relevance'"):
        values(convert(EMPTY), run, **options)
    with pytest.raises(IrdivError, match="the run is empty: .*'query_id', 'doc_id', 'score'"):
        values(qrels, convert(RUN.iloc[:0]), **options)


@pytest.mark.parametrize("form", [{"1": [], "2": []}, {"1": {}, "2": {}}, []], ids=["lists", "dicts", "namedtuples"])
def test_other_forms_without_rows(qrels, form):
    with pytest.raises(IrdivError, match="the run is empty"):
        values(qrels, form)


def test_columns_of_an_intent_table_that_mean_nothing(qrels):
    known = TABLE.assign(type="inf", parent_id=None, description="x", importance="vital", level=1, axis="a")
    irdiv.with_intents(qrels, known)  # warnings are errors in tests
    with pytest.warns(irdiv.IrdivWarning, match="'prob', 'doc_id'") as caught:
        irdiv.with_intents(qrels, known.assign(prob=1, doc_id="d"))
    assert "axis" not in str(caught[0].message)


def test_importance_is_folded_in_and_survives(qrels, run):
    table = pd.DataFrame(
        {"query_id": "1", "intent_id": ["1", "9"], "importance": ["vital", "okay"], "axis": ["x", "y"]}
    )
    folded = irdiv.with_intents(qrels, table)
    assert folded.loc[folded["query_id"] == "1", "importance"].tolist()[-1] == "okay"
    assert "axis" not in folded
    # a declared nugget without documents counts, in batches too
    for options in ({}, {"batch_rows": 3}):
        recall = irdiv.evaluate(folded, run, "I-rec(intents='all')@3", **options)
        assert recall.values[0, 0, 0] == pytest.approx(1 / 2)


@pytest.mark.parametrize("options", [{}, {"batch_rows": 1}])
def test_importance_may_be_that_of_documents(qrels, run, options):
    """As a number, and in qrels without intents, it is not that of intents."""
    np.testing.assert_array_equal(values(qrels.assign(importance=1.5), run, **options), values(qrels, run))
    flat = qrels[qrels["iteration"] == "1"].drop(columns="iteration")
    expected = irdiv.evaluate(flat, run, "nDCG@3").values
    found = irdiv.evaluate(flat.assign(importance="high"), run, "nDCG@3", **options).values
    np.testing.assert_array_equal(found, expected)


THEIRS = pd.DataFrame({"question": ["1", "1"], "facet": ["x", "y"], "chunk": ["a", "b"], "grade": [1, 1]})
NAMES = {"question": "query_id", "facet": "intent_id", "chunk": "doc_id", "grade": "relevance"}
RANKED = pd.DataFrame({"question": "1", "chunk": ["b", "c"], "similarity": [2.0, 1.0]})


def test_one_error_about_all_columns_with_guesses():
    with pytest.raises(IrdivError) as caught:
        irdiv.evaluate(THEIRS, RUN, "I-rec@1")
    message = str(caught.value)
    expected = ("'query_id'", "'doc_id'", "'relevance'", *(f"{theirs!r} is {ours!r}" for theirs, ours in NAMES.items()))
    assert [text for text in expected if text not in message] == []
    assert repr(NAMES) in message
    with pytest.raises(IrdivError, match="two columns.*'qid'.*lack a column.*'document_id' is 'doc_id'"):
        irdiv.Collection(columns("query_id qid document_id relevance"))
    with pytest.raises(IrdivError, match=r"needs intents.*columns=\{'facet': 'intent_id'\}.*--columns facet=intent_id"):
        irdiv.evaluate(columns("query_id facet doc_id").assign(relevance=1), RUN, "I-rec@1")
    with pytest.raises(IrdivError, match="lacks a column: expected 'score' or 'rank'") as caught:
        irdiv.evaluate(NUGGETS, columns("query_id doc_id size"), "I-rec@1")
    assert "Maybe" not in str(caught.value)


@pytest.mark.parametrize("convert", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas, "parquet", "reader"])
def test_columns_are_renamed_before_anything_else(convert, tmp_path):
    if convert == "parquet":

        def convert(frame):
            path = tmp_path / f"{frame.columns[-1]}.parquet"
            frame.to_parquet(path)
            return path

    elif convert == "reader":
        convert = lambda frame: pa.Table.from_pandas(frame).to_reader()  # noqa: E731
    names = {**NAMES, "similarity": "score"}
    found = irdiv.evaluate(convert(THEIRS), convert(RANKED), ["I-rec@1", "P@2"], columns=names)
    assert found.values.tolist() == [[[0.5], [0.5]]]
    many = pd.concat([RANKED.assign(system="s"), RANKED.assign(system="t")])
    found = irdiv.evaluate(convert(THEIRS), convert(many), "P@2", columns={**names, "system": "run"}, run_column="run")
    assert (found.runs, found.values.tolist()) == (("s", "t"), [[[0.5]], [[0.5]]])


def test_columns_of_other_functions():
    assert irdiv.Collection(THEIRS, columns=NAMES).topics.tolist() == ["1"]
    assert irdiv.oracle(THEIRS, columns=NAMES)["doc_id"].tolist() == ["b", "a"]
    intents = pd.DataFrame({"question": "1", "facet": ["x", "y"], "probability": [0.75, 0.25]})
    folded = irdiv.with_intents(THEIRS, intents, columns=NAMES)
    assert list(folded) == ["query_id", "intent_id", "doc_id", "relevance", "probability"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"facets": "intent_id"}, "'facets', which no frame has; found 'question', 'facet'"),
        ({"facet": "intents"}, "no column 'intents'; did you mean 'intent_id'"),
        ({"facet": "intent_id", "chunk": "intent_id"}, "two columns 'intent_id'"),
    ],
)
def test_wrong_names_of_columns(names, message):
    with pytest.raises(IrdivError, match=message):
        irdiv.evaluate(THEIRS, RANKED, "I-rec@1", columns=names)
    with pytest.raises(IrdivError, match=message):
        irdiv.Collection(THEIRS, columns=names)


def test_columns_on_the_command_line(tmp_path, capsys):
    THEIRS.to_parquet(tmp_path / "qrels.parquet")
    RANKED.to_parquet(tmp_path / "run.parquet")
    command = ["eval", str(tmp_path / "qrels.parquet"), str(tmp_path / "run.parquet"), "-m", "I-rec@1", "-o", "csv"]
    names = [f"{theirs}={ours}" for theirs, ours in {**NAMES, "similarity": "score"}.items()]
    assert main([*command, "--columns", *names]) == 0
    assert "0.5" in capsys.readouterr().out
    assert main([*command, "--columns", "facet"]) == 2
    assert "THEIRS=OURS" in capsys.readouterr().err
