"""Significance of differences between systems, and how measures compare as measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irdiv.lazy import names_of_modules

if TYPE_CHECKING:
    from irdiv.stats.agreement import concordance, correlate
    from irdiv.stats.assessors import assessor_agreement, fleiss_kappa, grades_from_votes
    from irdiv.stats.cases import disagreements, worst_topics
    from irdiv.stats.comparison import compare
    from irdiv.stats.curves import mean_curves
    from irdiv.stats.leaderboard_correlation import compare_leaderboards, correlation_intervals
    from irdiv.stats.leaderboards import leaderboard
    from irdiv.stats.paired import PairedTestResult, bootstrap_test, randomization_test, t_test
    from irdiv.stats.power import DiscriminativePower, discriminative_power
    from irdiv.stats.rank_correlation import tau, tau_ap, tau_ap_b
    from irdiv.stats.ranking import rank_runs
    from irdiv.stats.topic_set_sizes import (
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

_MODULE_OF = {
    "DiscriminativePower": "irdiv.stats.power",
    "PairedTestResult": "irdiv.stats.paired",
    "assessor_agreement": "irdiv.stats.assessors",
    "bootstrap_test": "irdiv.stats.paired",
    "compare": "irdiv.stats.comparison",
    "compare_leaderboards": "irdiv.stats.leaderboard_correlation",
    "concordance": "irdiv.stats.agreement",
    "correlate": "irdiv.stats.agreement",
    "correlation_intervals": "irdiv.stats.leaderboard_correlation",
    "disagreements": "irdiv.stats.cases",
    "discriminative_power": "irdiv.stats.power",
    "fleiss_kappa": "irdiv.stats.assessors",
    "grades_from_votes": "irdiv.stats.assessors",
    "leaderboard": "irdiv.stats.leaderboards",
    "mean_curves": "irdiv.stats.curves",
    "pilot_variance": "irdiv.stats.topic_set_sizes",
    "power_by_topics": "irdiv.stats.topic_subsets",
    "randomization_test": "irdiv.stats.paired",
    "rank_runs": "irdiv.stats.ranking",
    "read_values": "irdiv.stats.value_files",
    "swap_rates": "irdiv.stats.topic_subsets",
    "t_test": "irdiv.stats.paired",
    "tau": "irdiv.stats.rank_correlation",
    "tau_ap": "irdiv.stats.rank_correlation",
    "tau_ap_b": "irdiv.stats.rank_correlation",
    "topic_set_size": "irdiv.stats.topic_set_sizes",
    "topics_for_anova": "irdiv.stats.topic_set_sizes",
    "topics_for_interval": "irdiv.stats.topic_set_sizes",
    "topics_for_t_test": "irdiv.stats.topic_set_sizes",
    "worst_topics": "irdiv.stats.cases",
}
# Type checkers read the imports above instead, so that a name that does not exist is an error to them.
if not TYPE_CHECKING:
    __getattr__, __dir__ = names_of_modules(__name__, _MODULE_OF)
