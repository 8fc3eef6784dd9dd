"""The order of a run's documents, alone or beside other runs, and what may be a mistake in a run."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import irdiv
from irdiv import IrdivError, IrdivWarning

COLUMNS = ["query_id", "doc_id", "score"]
RUN = pd.DataFrame(
    [("2", "c", 1.0), ("1", "b", 1.0), ("1", "a", 1.0), ("1", "c", 2.0), ("9", "x", 5.0), ("1", "ab", 1.0)],
    columns=COLUMNS,
)
ALL_RULES = ["docid_desc", "docid_asc", "input", "rank"]
# Runs here lack topics, and their ranks contradict their scores, on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:.* lacks", "ignore:.* contradict")


def qrels_of(run: pd.DataFrame, topics=("1", "2")) -> pd.DataFrame:
    """Return qrels in which every document of a run is relevant, and one that the run lacks."""
    docs = [*dict.fromkeys(run["doc_id"]), "another"]
    rows = [(topic, doc, 1 + index % 3) for topic in topics for index, doc in enumerate(docs)]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])


def order(run: pd.DataFrame, qrels=None, **options) -> dict[str, list[str]]:
    """Return the documents of each topic in order, which has to be the same for a run alone and for one of several."""
    qrels = qrels_of(run) if qrels is None else qrels
    other = run.iloc[::-1].drop_duplicates(["query_id", "doc_id"])
    together = pd.concat([other.assign(run="other"), run.assign(run="run")])
    evaluations = [
        irdiv.evaluate(qrels, run, "AP", **options),
        irdiv.evaluate(qrels, together, "AP", run_column="run", **options),
    ]
    alone, beside = (
        {topic: e.topic(topic, runs="run", cutoff=99).intents["doc_id"].tolist() for topic in e.query_ids}
        for e in evaluations
    )
    assert alone == beside
    assert evaluations[0].values[0].tolist() == evaluations[1].values[1].tolist()
    return alone


class TestOrder:
    @pytest.mark.parametrize(
        ("ties", "docs"),
        [
            ({}, ["c", "b", "ab", "a"]),
            ({"ties": "docid_desc"}, ["c", "b", "ab", "a"]),
            ({"ties": "docid_asc"}, ["c", "a", "ab", "b"]),
            ({"ties": "input"}, ["c", "b", "a", "ab"]),
            ({"ties": "rank"}, ["a", "c", "b", "ab"]),
        ],
    )
    def test_ties_by_hand(self, ties, docs):
        ranked = RUN.assign(rank=[1, 3, 1, 2, 1, 4])
        in_order = ranked.sort_values(["query_id", "score"], ascending=[True, False], kind="stable")
        for run in (ranked, in_order):
            assert order(run, **ties) == {"1": docs, "2": ["c"]}

    def test_equal_ranks_are_ordered_by_id(self):
        assert order(RUN.assign(rank=1), ties="rank") == {"1": ["c", "b", "ab", "a"], "2": ["c"]}

    @pytest.mark.parametrize("ties", ALL_RULES)
    @pytest.mark.parametrize("rows", ["sorted", "shuffled"])
    def test_every_rule_against_sorted(self, ties, rows):
        rng = np.random.default_rng(0)
        names = ["", "a", "B", "é", "ab", "😀", "d10", "d9", "~", "x" * 30]
        for _ in range(5):
            pairs = [(topic, doc) for topic in ("1", "2", "not judged") for doc in rng.permutation(names)[:7]]
            run = pd.DataFrame(pairs, columns=COLUMNS[:2]).assign(
                score=rng.integers(0, 3, len(pairs)) / 4, rank=rng.integers(1, 5, len(pairs))
            )
            run = (
                run.sample(frac=1, random_state=1) if rows == "shuffled" else run.sort_values("score", ascending=False)
            )
            expected = {}
            for topic in ("1", "2"):
                documents = run[run["query_id"] == topic].to_dict("records")
                # Sorting is stable: by the rule for ties first, then by what is tied.
                if ties != "input":
                    documents.sort(key=lambda row: row["doc_id"].encode(), reverse=ties != "docid_asc")
                documents.sort(key=lambda row: row["rank"] if ties == "rank" else -row["score"])
                expected[topic] = [row["doc_id"] for row in documents]
            assert order(run, ties=ties) == expected

    def test_repeated_documents(self):
        twice = pd.concat([RUN, RUN.iloc[[3, 0]].assign(score=[0.5, 0.25]), RUN.iloc[[4, 4]]])
        with pytest.raises(IrdivError, match=r"repeats documents, 2 in all .*: '1 c', '2 c'\. .*duplicates='first'"):
            order(twice)
        assert order(twice, duplicates="first") == {"1": ["c", "b", "ab", "a"], "2": ["c"]}
        # The best rank counts, wherever its row is.
        better = pd.concat([RUN, RUN.iloc[[2]].assign(score=9.0)])
        assert order(better, duplicates="first")["1"] == ["a", "c", "b", "ab"]
        four = pd.DataFrame([("1", doc, 1.0) for doc in "dcbadcba"], columns=COLUMNS)
        with pytest.raises(IrdivError, match="4 in all .*: '1 d', '1 c', '1 b', …"):
            order(four, ties="input")

    @pytest.mark.parametrize(
        ("run", "options", "message"),
        [
            (
                RUN.assign(query_id="T" + RUN["query_id"]),
                {},
                "qrels have '1', '2' and the run has 'T2', 'T1', 'T9'.*letters",
            ),
            (RUN.iloc[:0], {}, "the run is empty"),
            (RUN, {"ties": "x"}, "ties='x' is not one of 'docid_desc', 'docid_asc', 'input', 'rank'"),
            (RUN, {"duplicates": "x"}, "duplicates='x' is not one of 'error', 'first'"),
        ],
    )
    def test_refused(self, run, options, message):
        with pytest.raises(IrdivError, match=message):
            irdiv.evaluate(qrels_of(RUN), run, "AP", **options)


class TestMatches:
    QRELS = pd.DataFrame(
        [("1", "a", 1), ("1", "c", 2), ("1", "u", 0), ("2", "c", 1)], columns=["query_id", "doc_id", "relevance"]
    )

    @pytest.mark.parametrize(
        ("spec", "expected"),
        [
            # Topic 1 is c, b, ab, a, of which c and a are judged and relevant; topic 2 is c.
            ("P@3", [1 / 3, 1 / 3]),
            ("P@4", [2 / 4, 1 / 4]),
            ("P(judged_only=True)@2", [1, 1 / 2]),
            ("RR(rel=2)@4", [1, 0]),
            ("Judged@3", [1 / 3, 1]),
            ("Judged@4", [2 / 4, 1]),
            ("Judged", [2 / 4, 1]),
            ("NumRet", [4, 1]),
            ("nDCG@4", [(2 + 1 / np.log2(5)) / (2 + 1 / np.log2(3)), 1]),
            ("nDCG@3", [2 / (2 + 1 / np.log2(3)), 1]),
            # Condensed, a has rank 2.
            ("nDCG(judged_only=True)@2", [1, 1]),
            ("Q(judged_only=True)@2", [1, 1]),
            ("Q(judged_only=True)@1", [1, 1]),
        ],
    )
    def test_by_hand(self, spec, expected):
        nothing = pd.DataFrame({"query_id": ["1"], "doc_id": ["u"], "score": 1.0})
        # Runs of each topic are scored at once if there are more runs than topics.
        together = pd.concat([RUN.assign(run="run"), *(nothing.assign(run=name) for name in ("none", "nothing"))])
        for runs, options in ((RUN, {}), (together, {"run_column": "run"}), (RUN, {"batch_rows": 1})):
            found = irdiv.evaluate(self.QRELS, runs, spec, **options)
            np.testing.assert_allclose(found.values[0, 0], expected, rtol=1e-12, err_msg=f"{spec} {options}")

    @pytest.mark.parametrize("cells", [1, 8])
    def test_small_blocks_of_runs_change_no_bit(self, monkeypatch, cells):
        rng = np.random.default_rng(0)
        runs = pd.concat(
            pd.DataFrame({"query_id": topic, "doc_id": rng.permutation(list("abcux"))[:size], "run": name})
            for name, size in (("r1", 5), ("r2", 1), ("r3", 3), ("r4", 4))
            for topic in ("1", "2")
        ).assign(score=lambda rows: -np.arange(len(rows), dtype=float))
        specs = ["nDCG@4", "AP", "Judged@2", "P(judged_only=True)@2"]
        expected = irdiv.evaluate(self.QRELS, runs, specs, run_column="run").values
        monkeypatch.setattr("irdiv.core.runs.BLOCK_CELLS", cells)
        found = irdiv.evaluate(self.QRELS, runs, specs, run_column="run")
        np.testing.assert_array_equal(found.values, expected)
        alone = {name: run.drop(columns="run") for name, run in runs.groupby("run")}
        np.testing.assert_array_equal(irdiv.evaluate(self.QRELS, alone, specs).values, expected)


class TestMistakes:
    """What is found in one run is found in it beside others too, and in functions other than evaluate."""

    QRELS = TestMatches.QRELS
    RANKED = RUN.assign(rank=[1, 2, 3, 5, 1, 4])

    def warnings_of(self, run: pd.DataFrame, spec: str = "AP") -> list[str]:
        found = []
        other = RUN.assign(rank=[1, 2, 3, 1, 1, 4])[run.columns]
        together = pd.concat([other.assign(run="other"), run.assign(run="run")])
        for runs, options in ((run, {}), (together, {"run_column": "run"}), (run, {"batch_rows": 10})):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                irdiv.evaluate(self.QRELS, runs, spec, **options)
            messages = [str(warning.message).replace("run 'run'", "the run") for warning in caught]
            found.append([message for message in messages if "lacks" not in message])
        assert found[0] == found[1] == found[2]
        return found[0]

    def test_ranks_that_contradict_scores(self):
        (message,) = self.warnings_of(self.RANKED)
        assert "in 1 topic," in message
        assert "in topic '1', document 'c' has rank 5 and score 2, document 'b' has rank 2 and score 1" in message

    def test_the_extremes_of_ties_contradict(self):
        rows = [("1", "a", 2.0, 1), ("1", "b", 2.0, 4), ("1", "c", 1.0, 5), ("1", "d", 1.0, 3), ("2", "c", 1.0, 9)]
        (message,) = self.warnings_of(pd.DataFrame([*rows, ("2", "b", 0.5, 2)], columns=[*COLUMNS, "rank"]))
        assert "in 2 topics," in message
        assert "document 'b' has rank 4 and score 2, document 'd' has rank 3 and score 1" in message

    @pytest.mark.parametrize("rank", [[1, 2, 2, 1, 1, 2], [1, None, 3, 1, 1, 2], [1, 4, 3, 1, 1, 2]])
    def test_ranks_that_contradict_nothing(self, rank):
        assert self.warnings_of(RUN.assign(rank=rank)) == []

    def test_no_judged_document(self):
        (message,) = self.warnings_of(RUN.assign(doc_id="D-" + RUN["doc_id"]))
        assert "the qrels have 'a', 'c', 'u', the run has 'D-c', 'D-b', 'D-ab', …" in message
        assert "the part up to the first '-'" in message
        # A grade of 0 is a judgment; u is second.
        late = pd.DataFrame([("1", "x", 2.0), ("1", "u", 1.0)], columns=COLUMNS)
        assert [len(self.warnings_of(late, spec)) for spec in ("P@1", "P@2", "AP")] == [1, 0, 0]
        # Documents are judged for another topic only.
        assert len(self.warnings_of(pd.DataFrame([("2", "a", 1.0), ("2", "u", 2.0)], columns=COLUMNS))) == 1

    def test_functions_of_runs_warn_as_evaluate_does(self):
        runs = {"w": RUN, "x": self.RANKED, "y": self.RANKED}
        with pytest.warns(IrdivWarning, match="run 'x' has ranks that contradict.* 1 more run has .*: 'y'") as caught:
            irdiv.analysis.retrieval_counts(self.QRELS, runs)
        assert len(caught) == 1
        twice = pd.concat([RUN, RUN.iloc[[0]]])
        for named, prefix in (({"a": RUN, "b": twice}, "run 'b': "), ({"b": twice}, "")):
            with pytest.raises(IrdivError, match=f"^{prefix}the run repeats"):
                irdiv.analysis.retrieval_counts(self.QRELS, named)
        counts = irdiv.analysis.retrieval_counts(self.QRELS, twice, duplicates="first")
        pd.testing.assert_frame_equal(counts, irdiv.analysis.retrieval_counts(self.QRELS, RUN))
