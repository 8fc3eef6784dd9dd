"""Scores of nuggetizer for made-up assignments; README.md says where they come from."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

import irdiv

GOLDEN = Path(__file__).parent


def test_scores_of_answers():
    golden = pd.read_csv(GOLDEN / "nuggetizer.tsv", sep="\t", dtype={"topic": str})
    evaluation = irdiv.rag.score_answers(irdiv.rag.read_assignments(GOLDEN / "assignments.jsonl"))
    found = evaluation.frame.set_index(["query_id", "measure"])["value"]
    both = golden.assign(irdiv=[found[key] for key in zip(golden["topic"], golden["measure"], strict=True)])
    differ = both[(both["value"] - both["irdiv"]).abs() > 1e-15]  # pandas 2.2 reads the last bit of some wrongly
    assert differ.empty, differ
    assert len(golden) == 6 * 4
