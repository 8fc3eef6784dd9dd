from __future__ import annotations

import argparse

from irdiv_cli import inputs, options, output

ORDER = 30
HELP = "compute the discriminative power of measures"
EPILOG = (
    "Power is the share of pairs of runs that differ significantly by a measure. "
    "Delta is the difference of means that the bootstrap test needs to find one."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the significance level, the test and what is shown."""
    parser.add_argument(
        "--agreement",
        action="store_true",
        help="show for pairs of measures how many significant pairs of runs they have in common",
    )
    options.add_plot(parser, "ASL curves: p of all pairs of runs, sorted")
    options.add_evaluation(parser)
    options.add_level(options.add_test(parser))
    options.add_output(parser)


def execute(arguments: argparse.Namespace) -> None:
    """Print the power of measures or their agreement, and plot ASL curves."""
    from irdiv.stats import discriminative_power

    power = discriminative_power(
        inputs.evaluate_arguments(arguments),
        test=arguments.test,
        level=arguments.level,
        rng=arguments.seed,
        n_resamples=arguments.n_resamples,
        progress=True,
    )
    output.print_frame(power.agreement() if arguments.agreement else power.summary(), arguments)
    if arguments.plot:
        from irdiv.plots import asl_curves

        output.save_plot(asl_curves(power), arguments.plot)
