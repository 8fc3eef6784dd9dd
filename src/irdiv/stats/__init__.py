"""Significance of differences between systems, and how measures compare as measures."""

from __future__ import annotations

from irdiv.stats.agreement import concordance, correlate, tau, tau_ap
from irdiv.stats.comparison import compare
from irdiv.stats.curves import mean_curves
from irdiv.stats.leaderboards import leaderboard
from irdiv.stats.paired import PairedTestResult, bootstrap_test, randomization_test, t_test
from irdiv.stats.power import DiscriminativePower, discriminative_power
from irdiv.stats.topic_subsets import power_by_topics, swap_rates

__all__ = [
    "DiscriminativePower",
    "PairedTestResult",
    "bootstrap_test",
    "compare",
    "concordance",
    "correlate",
    "discriminative_power",
    "leaderboard",
    "mean_curves",
    "power_by_topics",
    "randomization_test",
    "swap_rates",
    "t_test",
    "tau",
    "tau_ap",
]
