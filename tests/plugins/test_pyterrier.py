"""irdiv in real PyTerrier experiments, without Java."""

from __future__ import annotations

import subprocess
import sys
import warnings

import ir_measures
import pandas as pd
import pytest
from ir_measures import nDCG

import irdiv
from irdiv.demo import demo_qrels_and_runs, write_rag_demo

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pt = pytest.importorskip("pyterrier")

pytestmark = pytest.mark.filterwarnings("ignore")  # PyTerrier and its dependencies emit warnings of their own

SPECS = ["D#-nDCG@10", "ERR-IA(max_grade=3)@20", nDCG @ 10, "map"]
ONE_QRELS = pd.DataFrame({"qid": ["1"], "docno": ["d"], "subtopic_id": ["a"], "label": [1]})
ONE_RUN = pd.DataFrame({"qid": ["1"], "docno": ["d"], "score": [1.0], "rank": [0], "query": "x"})


@pytest.fixture(scope="module")
def demo():
    qrels, runs = demo_qrels_and_runs()
    qrels = qrels.rename(
        columns={"query_id": "qid", "doc_id": "docno", "relevance": "label", "iteration": "subtopic_id"}
    )
    runs = {name: pt.model.from_ir_measures(run) for name, run in runs.items()}
    topics = pd.DataFrame({"qid": sorted(qrels["qid"].unique()), "query": "a topic"})
    return topics, qrels, runs


def experiment(systems, topics, qrels, specs, **options) -> pd.DataFrame:
    """Return the table of means of named systems."""
    table = pt.Experiment(list(systems.values()), topics, qrels, specs, names=list(systems), **options)
    return table.set_index("name")


def assert_means(table, qrels, runs, specs) -> None:
    expected = irdiv.evaluate(qrels, runs, specs).summary()
    pd.testing.assert_frame_equal(
        table[list(expected.columns)].astype(float), expected, rtol=0, atol=1e-12, check_names=False
    )


@pytest.mark.parametrize("batch_size", ["frames", None, 1, 4])
def test_frames_and_transformers_in_batches(demo, batch_size):
    topics, qrels, runs = demo
    if batch_size == "frames":
        table = experiment(runs, topics, qrels, SPECS)
    else:
        systems = {name: pt.Transformer.from_df(run) for name, run in runs.items()}
        table = experiment(systems, topics, qrels, SPECS, batch_size=batch_size)
    assert set(table.columns) == {"D#-nDCG@10", "ERR-IA(max_grade=3)@20", "nDCG@10", "map"}
    assert_means(table, qrels, runs, SPECS[:2])


def test_per_query(demo):
    topics, qrels, runs = demo
    rows = pt.Experiment(list(runs.values()), topics, qrels, SPECS[:2], names=list(runs), perquery=True)
    found = {(row.name, row.qid, row.measure): row.value for row in rows.itertuples(index=False)}
    frame = irdiv.evaluate(qrels, runs, SPECS[:2]).frame
    assert found == {(row.run, row.query_id, row.measure): row.value for row in frame.itertuples(index=False)}


def test_a_baseline_is_compared_by_our_measures(demo):
    topics, qrels, runs = demo
    table = pt.Experiment(list(runs.values()), topics, qrels, ["D#-nDCG@10"], names=list(runs), baseline=0)
    assert {"D#-nDCG@10 +", "D#-nDCG@10 -", "D#-nDCG@10 p-value"} <= set(table.columns)
    assert table["D#-nDCG@10 +"][1] + table["D#-nDCG@10 -"][1] == len(topics)


def test_a_reranker_and_a_grid_search(demo):
    topics, qrels, runs = demo

    class Reverse(pt.Transformer):
        """Reverses a ranking if its parameter is -1."""

        def __init__(self) -> None:
            super().__init__()
            self.sign = 1.0

        def transform(self, results: pd.DataFrame) -> pd.DataFrame:
            return pt.model.add_ranks(results.assign(score=results["score"] * self.sign))

    reverse, signs = Reverse(), [1.0, -1.0]
    pipeline = pt.Transformer.from_df(runs["relevance"]) >> reverse
    grid = pt.GridScan(pipeline, {reverse: {"sign": signs}}, topics, qrels, ["α-nDCG@5"], verbose=False)
    reranked = {sign: runs["relevance"].assign(score=runs["relevance"]["score"] * sign) for sign in signs}
    expected = {s: irdiv.evaluate(qrels, run, "α-nDCG@5").summary().iloc[0, 0] for s, run in reranked.items()}
    assert grid.set_index("tran_0_sign")["α-nDCG@5"].to_dict() == expected


def test_qrels_read_by_pyterrier_have_lost_their_intents(demo, tmp_path):
    topics, _, runs = demo
    path = tmp_path / "qrels"
    path.write_text("1 1 jaguar-car-models-1 2\n1 4 jaguar-animal-habitat-1 1\n")
    with pytest.raises(irdiv.IrdivError, match=r"irdiv\.read_qrels keeps and PyTerrier's pt\.io\.read_qrels drops"):
        pt.Experiment([runs["relevance"]], topics, pt.io.read_qrels(str(path)), ["D#-nDCG@10"])
    kept = pt.model.from_ir_measures(irdiv.read_qrels(path))
    assert pt.Experiment([runs["relevance"]], topics, kept, ["I-rec@10"])["I-rec@10"][0] > 0


@pytest.mark.usefixtures("irds_home")
def test_the_baseline_runs_of_2012_on_qrels_as_pyterrier_has_them(real_data):
    dataset = pt.get_dataset("irds:clueweb09/en/trec-web-2012/diversity")
    paths = sorted((real_data / "trec-web" / "runs-2012").glob("*.gz"))
    runs = {path.name.removesuffix(".txt.gz"): irdiv.read_run(path) for path in paths}
    systems = {name: pt.model.from_ir_measures(run.drop(columns="rank")) for name, run in runs.items()}
    irdiv.plugins.ir_measures.set_ndeval_provider("irdiv")
    specs = ["D#-nDCG@10", "ERR-IA@20", ir_measures.ERR_IA @ 20, ir_measures.alpha_nDCG @ 20]
    table = experiment(systems, dataset.get_topics("query"), dataset.get_qrels(), specs)
    assert_means(table, real_data / "trec-web" / "2012" / "qrels.diversity.txt", runs, specs)
    for run in ("ql-catb", "rm-catb"):
        golden = pd.read_csv(real_data / "golden" / "ndeval" / f"web12.{run}.trad.csv").set_index("topic").loc["amean"]
        expected = {name: golden[name.replace("_", "-")] for name in ("ERR_IA@20", "alpha_nDCG@20")}
        assert table.loc[run, list(expected)].to_dict() == pytest.approx(expected, abs=5.1e-7), run


def test_the_highest_grade_is_that_of_all_batches():
    rows = [("1", "a", "d1", 1), ("2", "a", "d2", 4)]
    qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["x", "y"]})
    run = pd.DataFrame({"qid": ["1", "2"], "docno": ["d1", "d2"], "score": 1.0, "query": "x", "rank": 0})
    without_column = irdiv.datasets.to_pyterrier(qrels).drop(columns="grades_below_max")
    for judgments in (irdiv.datasets.to_pyterrier(qrels), without_column):
        for size in (None, 1):
            system = pt.Transformer.from_df(run)
            table = pt.Experiment([system], topics, judgments, ["ERR-IA@1"], batch_size=size)
            # (2^1 − 1)/2^4 and (2^4 − 1)/2^4
            assert table["ERR-IA@1"][0] == (1 / 16 + 15 / 16) / 2, (list(judgments), size)


def test_only_diversity_qrels_are_converted_in_another_way():
    adhoc = ["query_id", "doc_id", "relevance"]
    assert list(pt.model.to_ir_measures(ONE_QRELS.drop(columns="subtopic_id"))) == adhoc
    assert "max_grade" not in pt.model.to_ir_measures(ONE_RUN)
    assert {*adhoc, "subtopic_id", "max_grade"} == set(pt.model.to_ir_measures(ONE_QRELS))
    assert pt.model.to_ir_measures(ONE_QRELS.assign(max_grade=4))["max_grade"].tolist() == [4]
    assert pt.model.to_ir_measures("qid") == "query_id"
    assert pt.model.to_ir_measures(["qid", "docno"]) == ["query_id", "doc_id"]
    assert pt.model.to_ir_measures({"label": 1}) == {"relevance": 1}


def test_ad_hoc_measures_see_the_highest_grade_whatever_the_order_of_rows():
    rows = [("1", "a", "d1", 3), ("1", "b", "d1", 0), ("1", "a", "d2", 0), ("1", "b", "d2", 1)]
    qrels = pd.DataFrame(rows, columns=["qid", "subtopic_id", "docno", "label"])
    run = pd.DataFrame({"qid": "1", "docno": ["d2", "d1"], "score": [2.0, 1.0], "rank": [0, 1], "query": "x"})
    expected = irdiv.evaluate(qrels, run, ["nDCG@2", "AP"]).values.ravel()
    for judgments in (qrels, qrels[::-1]):
        table = pt.Experiment([run], run[["qid", "query"]], judgments, [nDCG @ 2, "map", "D#-nDCG@2"])
        assert table[["nDCG@2", "map"]].to_numpy().ravel() == pytest.approx(expected, abs=1e-9)


def test_names_of_ir_measures_as_strings():
    irdiv.plugins.ir_measures.set_ndeval_provider("irdiv")
    specs = ["nNRBP", "nDCG@10", "P(rel=1)@5", "ERR_IA@20", "StRecall@10", "alpha_nDCG@10"]
    table = pt.Experiment([ONE_RUN], ONE_RUN[["qid", "query"]], ONE_QRELS, specs)
    assert [spec for spec in specs if not table[spec][0] > 0] == []


@pytest.mark.slow
def test_specs_are_known_where_only_pyterrier_is_imported():
    code = (
        "import pandas as pd, pyterrier as pt\n"
        "qrels = pd.DataFrame({'qid': ['1'], 'docno': ['d'], 'subtopic_id': ['a'], 'label': [1]})\n"
        "run = pd.DataFrame({'qid': ['1'], 'docno': ['d'], 'score': [1.0], 'rank': [0], 'query': 'x'})\n"
        "print(pt.Experiment([run], run[['qid', 'query']], qrels, ['D#-nDCG@10'])['D#-nDCG@10'][0])\n"
        "print(pt.irdiv.plugins.pyterrier.oracle_transformer(qrels)(run[['qid', 'query']])['docno'].tolist())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["1.0", "['d']"]


def test_nuggets_by_hand():
    # vital v and w, okay o, which no document supports; partial support is 1, support 2
    support = pd.DataFrame(
        [("1", "v", "d1", 2), ("1", "v", "d2", 1), ("1", "w", "d2", 2), ("2", "v", "d3", 2)],
        columns=["qid", "subtopic_id", "docno", "label"],
    )
    nuggets = pd.DataFrame(
        [("1", "v", "vital"), ("1", "w", "vital"), ("1", "o", "okay"), ("2", "v", "vital"), ("2", "o", "okay")],
        columns=["query_id", "intent_id", "importance"],
    )
    qrels, topics = irdiv.with_intents(support, nuggets), pd.DataFrame({"qid": ["1", "2"], "query": "a question"})
    rows = [("1", "x", 3.0, 0), ("1", "d2", 2.0, 1), ("1", "d1", 1.0, 2), ("2", "d3", 1.0, 0)]
    run = pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"]).assign(query="a question")
    # topic 1: v and w of v, w, o; with full support at 2 only w, weight 1 of 2½; topic 2: v of v, o, weight 1 of 1½
    expected = {
        "Coverage@3": (2 / 3 + 1 / 2) / 2,
        "Coverage(weighted=True,rel=2)@2": (1 / 2.5 + 1 / 1.5) / 2,
        "Vital-coverage@2": 1,
        "All-covered@3": 0,
        "A-Recall@3": (2 / 2.5 + 1 / 1.5) / 2,
        "MRecall@1": 0.5,
    }
    system = pt.Transformer.from_df(run)
    table = experiment({"run": system % 3}, topics, qrels, list(expected), batch_size=1)
    assert table.loc["run"].to_dict() == pytest.approx(expected, abs=1e-12)
    found = pt.Experiment([system], topics, qrels, [irdiv.measures.VitalCoverage(rel=2) @ 3])
    assert found["Vital-coverage(rel=2)@3"].tolist() == [1]
    with pytest.raises(irdiv.IrdivError, match="Vital-coverage@2 needs the importance of intents"):
        pt.Experiment([system], topics, support, ["Vital-coverage@2"])


@pytest.mark.parametrize("batch_size", [None, 3])
def test_judged_nuggets_of_files(tmp_path, batch_size):
    judgments, *retrieved = write_rag_demo(tmp_path)
    qrels, runs = irdiv.rag.read_nuggets(judgments), irdiv.rag.read_contexts(retrieved)
    topics = pd.DataFrame({"qid": qrels["query_id"].unique(), "query": "a question"})
    systems = {
        name: pt.Transformer.from_df(pt.model.from_ir_measures(run.assign(score=-run["rank"])))
        for name, run in runs.items()
    }
    specs = ["Coverage@5", "Vital-coverage@5", "alpha-nDCG(weighted=True)@5"]
    table = experiment(systems, topics, irdiv.datasets.to_pyterrier(qrels), specs, batch_size=batch_size)
    assert_means(table, qrels, runs, specs)


def test_imine_in_pyterrier(real_data):
    irdiv.plugins.ir_datasets.register_imine(real_data)
    dataset = pt.get_dataset("irds:irdiv/ntcir11-imine/en")
    path = real_data / "ntcir11-imine" / "en" / "runs" / "udel-D-E-1A.txt.gz"
    run = pt.model.from_ir_measures(irdiv.read_run(path))
    specs = ["D#-nDCG@10", "I-rec(intents='all')@10", "LAD#-nDCG@10"]
    table = experiment({"udel": run}, dataset.get_topics("query"), dataset.get_qrels(), specs)
    assert_means(table, irdiv.load("irdiv/ntcir11-imine/en").qrels, {"udel": path}, specs)
