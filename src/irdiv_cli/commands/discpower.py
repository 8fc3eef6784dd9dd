from __future__ import annotations

import argparse

from irdiv_cli import figures, options, output, studies

ORDER = 30
HELP = "compute the discriminative power of measures"
EPILOG = (
    "Power is the share of pairs of runs that differ significantly by a measure. "
    "Delta is the difference of means that the bootstrap test needs to find one. Pairs of several collections are "
    "added up. Example: irdiv discpower --collection en en.qrels en/*.run --collection zh zh.qrels zh/*.run"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the significance level, the test and what is shown."""
    parser.add_argument(
        "--agreement",
        action="store_true",
        help="show for pairs of measures how many significant pairs of runs they have in common",
    )
    options.add_plot(parser, "ASL curves: p of all pairs of runs, sorted")
    options.add_study(parser)
    options.add_level(options.add_test(parser))
    options.add_output(parser)


def execute(arguments: argparse.Namespace) -> None:
    """Print the power of measures or their agreement, and plot ASL curves."""
    from irdiv.stats import discriminative_power

    if arguments.test == "t" and arguments.seed != 0:
        output.print_note("--seed has no effect with --test t, which draws no random samples.")
    power = discriminative_power(
        studies.evaluate_collections(arguments),
        test=arguments.test,
        level=arguments.level,
        rng=arguments.seed,
        n_resamples=arguments.n_resamples,
    )
    show = power.agreement if arguments.agreement else power.summary
    output.print_frame(show(by_collection=arguments.by_collection), arguments)
    if arguments.plot:
        from irdiv.plots import asl_curves

        figures.save_figure(asl_curves(power), arguments.plot)
