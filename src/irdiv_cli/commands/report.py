from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NamedTuple

from irdiv_cli import inputs, options, output, studies

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

    from irdiv.evaluation.results import Evaluation

ORDER = 120
HELP = "write HTML pages that compare runs topic by topic"
EPILOG = (
    "Example: irdiv report qrels.txt *.run --baseline bm25 -o report.html; for several collections: irdiv report "
    "--site pages --collection web09 qrels09.txt runs09 --collection web10 qrels10.txt runs10"
)

DEFAULT_MEASURES = ("D#-nDCG", "I-rec", "D-nDCG", "ERR-IA", "alpha-nDCG", "nDCG")
_DEFAULT_FILE = "report.html"
BACKGROUND_MODULES = (
    "matplotlib.figure",
    "matplotlib.backends.backend_svg",
    "irdiv.report.figures",
    "irdiv.stats.intervals",
    "scipy.special",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what is evaluated and what the page shows."""
    parser.add_argument("-o", "--file", metavar="FILE", help=f"where to write the page (default: {_DEFAULT_FILE})")
    parser.add_argument(
        "--site", metavar="FOLDER", help="write a page for each collection to this folder, and an index of them"
    )
    parser.add_argument(
        "--force", action="store_true", help="also overwrite a file, or write to a folder, that is not irdiv's"
    )
    parser.add_argument(
        "--baseline",
        metavar="RUN",
        help="name of the run that the others are tested against by each measure (default: none; all pairs of runs are "
        "tested by the first measure)",
    )
    parser.add_argument(
        "-k",
        "--cutoff",
        type=int,
        default=10,
        metavar="K",
        help="cutoff of the default measures and of the documents shown for each topic (default: %(default)s)",
    )
    parser.add_argument(
        "--topic-texts",
        metavar="FILE",
        action="append",
        help="texts of topics, in lines 'topic<TAB>text', or TREC's XML (default: those of --topics or of the dataset)",
    )
    parser.add_argument("--title", default="Diversity evaluation", help="title of the page (default: %(default)s)")
    options.add_study(parser, f"{' '.join(DEFAULT_MEASURES)}, all at the cutoff", by_collection=False)
    test = options.add_test(parser, None, "bootstrap with --baseline, else tukey")
    options.add_correction(test, automatic=True)
    options.add_level(test)


def execute(arguments: argparse.Namespace) -> None:
    """Write the page or the site, and print its path."""
    from irdiv.background import calls_through

    _require_one_target(arguments)
    with calls_through(arguments.background):
        _write(arguments)


def _write(arguments: argparse.Namespace) -> None:
    from irdiv.report import write_report, write_site
    from irdiv.report.files import page_files, require_page_path, require_site_folder

    shared: dict[str, Any] = {
        **{name: getattr(arguments, name) for name in ("baseline", "cutoff", "title", "test", "level", "n_resamples")},
        "correction": None if arguments.correction == "none" else arguments.correction,
        "rng": arguments.seed,
        "force": arguments.force,
    }
    # Before the evaluation, which takes its time.
    if arguments.site is None:
        require_page_path(arguments.file or _DEFAULT_FILE, force=arguments.force)
        (part,) = _evaluate_collections(arguments).values()
        page = write_report(part.evaluation, arguments.file or _DEFAULT_FILE, **part.options, **shared)
        output.print_data(f"{page}\n")
        return
    page_files([name for name, _, _ in arguments.collection or ()])
    require_site_folder(arguments.site, force=arguments.force)
    parts = _evaluate_collections(arguments)
    by_collection: dict[str, Any] = {
        option: {name: part.options[option] for name, part in parts.items()}
        for option in ("topic_texts", "intent_descriptions", "provenance")
    }
    measures = next(iter(parts.values())).options["measures"]
    evaluations = {name: part.evaluation for name, part in parts.items()}
    index = write_site(evaluations, arguments.site, measures=measures, **by_collection, **shared)
    output.print_data(f"{index}\n")


class _Part(NamedTuple):
    """A collection: its evaluation, and the options of its page."""

    evaluation: Evaluation[IntoDataFrame]
    options: dict[str, Any]


def _require_one_target(arguments: argparse.Namespace) -> None:
    from irdiv.errors import IrdivError

    if arguments.site is not None and arguments.file is not None:
        raise IrdivError("-o names the file of one page, and --site the folder of several; give one of them.")
    if arguments.site is None and len(arguments.collection or ()) > 1:
        raise IrdivError(
            f"a page shows one collection, found {len(arguments.collection)}; --site FOLDER writes a page for each and "
            "an index of them."
        )


def _evaluate_collections(arguments: argparse.Namespace) -> dict[str, _Part]:
    """Evaluate the collections; the only one is named after its qrels."""
    from irdiv.io.runs import run_name

    if arguments.collection is not None:
        parts = studies.for_each_collection(arguments, _evaluate)
        studies.require_files_of_own(arguments, {name: part.evaluation for name, part in parts.items()})
        return parts
    own = studies.only_collection(arguments)
    return {run_name(own.qrels).strip("-") or "collection": _evaluate(own)}


def _evaluate(arguments: argparse.Namespace) -> _Part:
    """Evaluate the runs of one collection."""
    from irdiv.report import Provenance, render
    from irdiv.report.provenance import command_line
    from irdiv.report.rendering import evaluate_for_page

    source = inputs.qrels_or_collection(arguments.qrels, arguments.topics)
    evaluation, measures = evaluate_for_page(
        inputs.fold_intents(source, arguments),
        inputs.run_paths_by_name(arguments),
        arguments.measures and inputs.named_measures(arguments.measures),
        cutoff=arguments.cutoff,
        ties=arguments.ties,
        duplicates=arguments.duplicates,
        parameters=inputs.settings(arguments, render),
    )
    return _Part(
        evaluation,
        {
            "measures": measures,
            "topic_texts": inputs.topic_texts(source, arguments),
            "intent_descriptions": inputs.intent_descriptions(source, arguments),
            "provenance": Provenance.now(command_line(arguments.command_line), inputs.files_of_arguments(arguments)),
        },
    )
