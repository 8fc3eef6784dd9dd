"""Significance of differences between systems, and how measures compare as measures."""

from __future__ import annotations

from irdiv.stats.agreement import concordance, correlate
from irdiv.stats.assessors import assessor_agreement, fleiss_kappa, grades_from_votes
from irdiv.stats.cases import disagreements, worst_topics
from irdiv.stats.comparison import compare
from irdiv.stats.correlation_intervals import compare_leaderboards, correlation_intervals
from irdiv.stats.curves import mean_curves
from irdiv.stats.leaderboards import leaderboard
from irdiv.stats.paired import PairedTestResult, bootstrap_test, randomization_test, t_test
from irdiv.stats.power import DiscriminativePower, discriminative_power
from irdiv.stats.rank_correlation import tau, tau_ap, tau_ap_b
from irdiv.stats.ranking import rank_runs
from irdiv.stats.topic_set_size import (
    pilot_variance,
    topic_set_size,
    topics_for_anova,
    topics_for_interval,
    topics_for_t_test,
)
from irdiv.stats.topic_subsets import power_by_topics, swap_rates
from irdiv.stats.value_files import read_values

__all__ = [
    "DiscriminativePower",
    "PairedTestResult",
    "assessor_agreement",
    "bootstrap_test",
    "compare",
    "compare_leaderboards",
    "concordance",
    "correlate",
    "correlation_intervals",
    "disagreements",
    "discriminative_power",
    "fleiss_kappa",
    "grades_from_votes",
    "leaderboard",
    "mean_curves",
    "pilot_variance",
    "power_by_topics",
    "randomization_test",
    "rank_runs",
    "read_values",
    "swap_rates",
    "t_test",
    "tau",
    "tau_ap",
    "tau_ap_b",
    "topic_set_size",
    "topics_for_anova",
    "topics_for_interval",
    "topics_for_t_test",
    "worst_topics",
]
