"""Captions of tables: what the numbers are, what is marked, and how that was tested."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, islice, product
from string import ascii_lowercase

from irdiv.show.markup import Markup
from irdiv.stats.significance import Significance

TEST_NAMES = {
    "bootstrap": "paired bootstrap test",
    "randomization": "paired randomization test",
    "t": "paired t-test",
    "tukey": "randomized Tukey HSD test",
}
_CORRECTIONS = {
    "holm": "Holm's correction",
    "bonferroni": "Bonferroni's correction",
    "sidak": "Šidák's correction",
    "holm-sidak": "the Holm–Šidák correction",
    "simes-hochberg": "Hochberg's correction",
    "hommel": "Hommel's correction",
    "fdr_bh": "the Benjamini–Hochberg correction",
    "fdr_by": "the Benjamini–Yekutieli correction",
}


def run_letters(n_runs: int) -> list[str]:
    """Return a letter for each run: a, b, …, z, aa, ab, …."""
    words = ("".join(letters) for length in count(1) for letters in product(ascii_lowercase, repeat=length))
    return list(islice(words, n_runs))


def caption(
    n_runs: int,
    n_topics: int,
    sums: Sequence[str],
    baseline: str | None,
    significance: Significance | None,
    markup: Markup,
) -> str:
    """Return the caption of a table of means; ``sums`` are measures that are added up over topics instead."""
    over = f"over {n_topics:,} topic{'' if n_topics == 1 else 's'}"
    added = f" (sums for {', '.join(map(markup.measure, sums))})" if sums else ""
    best = "; the best of each measure is in bold" if n_runs > 1 else ""
    sentences = [f"Means {over}{added}{best}."]
    if significance is not None:
        what = (
            "Superscript letters mark means that are significantly better than those of the runs with these letters"
            if baseline is None
            else f"{markup.star} marks significant differences from {markup.text(baseline)}"
        )
        sentences.append(f"{what} ({describe(significance, markup)}).")
    return " ".join(sentences)


def describe(significance: Significance, markup: Markup) -> str:
    """Return how differences were tested: the test and its samples, the correction and the level."""
    parts = [f"{TEST_NAMES[significance.test]}{_samples(significance)}"]
    if significance.correction is not None:
        name = _CORRECTIONS.get(significance.correction) or f"correction {markup.text(significance.correction)}"
        parts.append(f"{name} over the {significance.n_comparisons:,} comparisons of each measure")
    elif significance.n_comparisons > 1 and significance.test != "tukey":
        parts.append(f"not corrected for the {significance.n_comparisons:,} comparisons of each measure")
    p = f"p < {significance.level:g}"
    return f"{', '.join(parts)}, {markup.formula(p)}"


def _samples(significance: Significance) -> str:
    if significance.n_resamples is None:
        return ", exact" if significance.test == "randomization" else ""
    seed = "" if significance.seed is None else f" and seed {significance.seed}"
    return f" with {significance.n_resamples:,} resamples{seed}"
