from __future__ import annotations

import argparse

from irdiv_cli import figures, options, output, studies

ORDER = 20
HELP = "test differences between runs for significance"
EPILOG = "Example: irdiv compare qrels.txt *.run --baseline bm25 --correction holm"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the pairs of runs, the correction and the test."""
    parser.add_argument(
        "--baseline",
        metavar="RUN",
        nargs="+",
        action="extend",
        help="names of the runs that the others are compared with (default: compare all pairs)",
    )
    options.add_correction(parser)
    options.add_plot(parser, "the differences of two runs by one measure, topic by topic")
    options.add_run_column(parser)
    options.add_study(parser, by_collection=False)
    options.add_test(parser)
    options.add_output(parser)


def execute(arguments: argparse.Namespace) -> None:
    """Print the tests, and plot the differences of topics."""
    from irdiv.errors import IrdivError
    from irdiv.stats import compare

    evaluation = studies.evaluate_collections(arguments)
    one = None if isinstance(evaluation, dict) else evaluation
    if arguments.plot and (one is None or one.values.shape[:2] != (2, 1)):
        raise IrdivError(
            "--plot shows the differences of two runs by one measure; give two runs and one measure, and no "
            "--collection."
        )
    frame = compare(
        evaluation,
        test=arguments.test,
        baseline=arguments.baseline,
        correction=arguments.correction,
        rng=arguments.seed,
        n_resamples=arguments.n_resamples,
    )
    is_repetition = arguments.output in ("table", "latex", "markdown") and arguments.correction is None
    output.print_frame(frame.drop(columns="p_adjusted") if is_repetition else frame, arguments)
    if arguments.plot and one is not None:
        from irdiv.plots import difference_bars

        first, second = frame[["run", "other"]].iloc[0]
        figures.save_figure(difference_bars(one, first, second), arguments.plot)
