from __future__ import annotations

import argparse

from irdiv_cli import inputs, options, output

ORDER = 15
HELP = "rank runs, with intervals and groups that do not differ"
EPILOG = (
    "Runs that share a letter do not differ significantly. "
    "Example: irdiv rank qrels.txt runs/ -m D#-nDCG@10 --test t --correction holm"
)

DEFAULT_MEASURE = "D#-nDCG@10"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the runs, the measure and the test of all pairs."""
    options.add_run_column(parser)
    options.add_evaluation(parser, DEFAULT_MEASURE)
    group = options.add_test(parser, default="tukey")
    options.add_correction(group)
    options.add_level(group)
    options.add_output(parser)


def execute(arguments: argparse.Namespace) -> None:
    """Print the runs in order, by each measure."""
    import pandas as pd

    from irdiv.progress import progress_bar

    arguments.measures = arguments.measures or [DEFAULT_MEASURE]
    evaluation = inputs.evaluate_arguments(arguments)
    parts = [
        evaluation.rank(
            spec,
            test=arguments.test,
            correction=arguments.correction,
            level=arguments.level,
            rng=arguments.seed,
            n_resamples=arguments.n_resamples,
        )
        for spec in progress_bar(evaluation.specs(), "measure")
    ]
    output.print_frame(pd.concat(parts, ignore_index=True), arguments)
    test = "the randomized Tukey HSD test" if arguments.test == "tukey" else f"paired tests ({arguments.test})"
    if arguments.test != "tukey":
        test += f", correction {arguments.correction}" if arguments.correction else ", not corrected for many pairs"
    output.print_note(f"runs that share a letter do not differ by {test} at level {arguments.level:g}.")
