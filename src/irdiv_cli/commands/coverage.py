from __future__ import annotations

import argparse
import re
import sys
from typing import TYPE_CHECKING

from irdiv_cli import inputs, options, output
from irdiv_cli.local_files import local_file, optional_file

if TYPE_CHECKING:
    import pandas as pd

    from irdiv.evaluation.results import Evaluation

ORDER = 12
HELP = "show which nuggets retrieved documents cover and miss"
EPILOG = (
    "Prints the means, the ranking of runs, and the nuggets that the best run misses on its worst questions. "
    "Example: irdiv coverage judgments.jsonl bm25.jsonl dense.jsonl; "
    "irdiv coverage nuggets.jsonl runs/ --judgments qrels.txt -k 20 --missed -o csv"
)

DEFAULT_CUTOFF = 10
DEFAULT_WORST = 5
_MOST_NUGGETS = 8
"""How many missed nuggets of a question are shown."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nuggets, runs, measures and what is printed."""
    parser.add_argument(
        "nuggets",
        metavar="NUGGETS",
        help="file of nuggets and the documents that support them: JSON Lines, JSON or Parquet as "
        "irdiv.rag.read_nuggets takes, nuggetizer's assignments to documents, or diversity qrels; plain or gzipped; "
        "'-' for standard input",
    )
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs="+",
        help="retrieved documents, or answers with references or citations: JSON Lines, JSON or Parquet, or TREC run "
        "files; folders of them; '-' for standard input",
    )
    group = parser.add_argument_group("evaluation")
    group.add_argument(
        "--judgments", metavar="FILE", help="judgments of documents, if NUGGETS names no documents: the same formats"
    )
    group.add_argument(
        "-k",
        "--cutoff",
        type=int,
        metavar="K",
        help=f"how many documents are in the context (default: {DEFAULT_CUTOFF}); measures of -m have their own",
    )
    group.add_argument(
        "-m",
        "--measures",
        metavar="SPEC",
        nargs="+",
        action="extend",
        help="measures to compute, or NAME=SPEC to name the column; 'irdiv measures' lists them (default: Coverage, "
        "All-covered and alpha-nDCG at K, and Vital-coverage if nuggets have an importance or A-Recall if they have "
        "weights)",
    )
    group.add_argument(
        "--rel",
        type=int,
        metavar="GRADE",
        help="smallest grade that covers a nugget, such as 2 for full support (default: 1, or that of -m)",
    )
    group.add_argument(
        "--label",
        metavar="LABEL=MEANING",
        action="append",
        help="meaning of an unknown label: vital, okay, support, partial_support, not_support or a grade; once for "
        "each label",
    )
    group.add_argument(
        "--source",
        choices=("references", "citations"),
        help="which documents of answers count (default: references if there are any)",
    )
    options.add_ties(group)
    group.add_argument(
        "--duplicates",
        choices=("error", "first"),
        default="error",
        help="what to do if a run lists a document twice for a question, or if nuggets contradict themselves: stop, or "
        "keep the first (default: %(default)s)",
    )
    options.add_seed(group)
    group = parser.add_argument_group("missed nuggets")
    group.add_argument(
        "--worst", type=int, metavar="N", help=f"show the N worst questions of a run (default: {DEFAULT_WORST})"
    )
    group.add_argument("--run", metavar="RUN", help="name of that run (default: the best by the first measure)")
    group.add_argument(
        "--missed", action="store_true", help="print only the table of missed nuggets, of all runs or that of --run"
    )
    options.add_output(parser, per_query="only values of each question")


def execute(arguments: argparse.Namespace) -> None:
    """Print the means, the ranking and missed nuggets; in other formats than tables to read, one of them."""
    from irdiv.stats.names import find_run

    _raise_if_options_conflict(arguments)
    evaluation = _evaluate(arguments)
    if arguments.run is not None:
        find_run(evaluation.runs, arguments.run)
    if arguments.missed:
        _print_missed(evaluation, arguments)
    elif arguments.per_query or arguments.output != "table":
        output.print_evaluation(evaluation, arguments)
    else:
        _print_report(evaluation, arguments)


def _raise_if_options_conflict(arguments: argparse.Namespace) -> None:
    from irdiv.errors import IrdivError

    if arguments.cutoff is not None and arguments.measures is not None:
        raise IrdivError("-k is the cutoff of the default measures; give those of -m their own, as in Coverage@5.")
    if arguments.missed and arguments.per_query:
        raise IrdivError("--missed and --per-query print different tables; leave one out.")
    if arguments.worst is not None and arguments.worst < 0:
        raise IrdivError(f"--worst {arguments.worst} is not a count; give 1 or more, or 0 for none.")
    prints_report = arguments.output == "table" and not arguments.per_query and not arguments.missed
    if arguments.worst is not None and not prints_report:
        raise IrdivError("--worst is for the report as text; leave it out, or leave out --missed, -q and -o.")
    if arguments.run is not None and not prints_report and not arguments.missed:
        raise IrdivError("--run is for missed nuggets; add --missed, or leave it out.")


def _evaluate(arguments: argparse.Namespace) -> Evaluation[pd.DataFrame]:
    """Evaluate the runs and print notes."""
    import irdiv
    from irdiv.rag.coverage import coverage_measures, read_judgments, read_runs

    judgments = optional_file(arguments.judgments)
    qrels = read_judgments(
        local_file(arguments.nuggets), judgments, labels=_labels(arguments), duplicates=arguments.duplicates
    )
    paths = {"stdin" if path == "-" else path: local_file(path) for path in inputs.run_paths(arguments)}
    runs = read_runs(paths, source=arguments.source, duplicates=arguments.duplicates)
    collection = irdiv.Collection.of(qrels, warn=False)
    cutoff = DEFAULT_CUTOFF if arguments.cutoff is None else arguments.cutoff
    evaluation = irdiv.evaluate(
        collection,
        runs,
        inputs.named_measures(arguments.measures or coverage_measures(collection, cutoff)),
        ties=arguments.ties,
        duplicates=arguments.duplicates,
        **({} if arguments.rel is None else {"rel": arguments.rel}),
    )
    output.print_notes(evaluation)
    return evaluation


def _labels(arguments: argparse.Namespace) -> dict[str, str | int]:
    from irdiv.errors import IrdivError

    labels: dict[str, str | int] = {}
    for text in arguments.label or ():
        label, equals, meaning = text.rpartition("=")
        if not equals:
            raise IrdivError(f"--label takes LABEL=MEANING, such as supporter=support; found {text!r}.")
        if label in labels:
            raise IrdivError(f"--label {text}: {label!r} has a meaning already.")
        labels[label] = int(meaning) if re.fullmatch("-?[0-9]{1,99}", meaning) else meaning
    return labels


def _print_missed(evaluation: Evaluation[pd.DataFrame], arguments: argparse.Namespace) -> None:
    missed = _missed(evaluation, arguments.run)
    if missed.empty:
        output.print_note("no nugget is missed.")
    output.print_frame(output.fit_to_terminal(missed, "description", arguments), arguments)


def _missed(evaluation: Evaluation[pd.DataFrame], run: str | None) -> pd.DataFrame:
    """Return the nuggets that are missed by the cutoff and the grade of the first measure, which ranks the runs."""
    params = evaluation.measures[0].params
    return evaluation.missed(run=run, cutoff=params.get("cutoff", sys.maxsize), rel=params.get("rel"))


def _print_report(evaluation: Evaluation[pd.DataFrame], arguments: argparse.Namespace) -> None:
    from irdiv.analysis.coverage import intent_counts

    assert evaluation.sources is not None
    counts = intent_counts(evaluation.sources.collection)
    questions, nuggets = _counted(len(evaluation.query_ids), "question"), _counted(sum(counts.values()), "nugget")
    covered, names = "", {}
    if arguments.rel is not None and arguments.measures is None:
        # The grade in each column would make the table too wide.
        covered = f", which grade {arguments.rel} or more covers"
        names = {spec: spec.replace(f"(rel={arguments.rel})", "") for spec in evaluation.specs()}
    output.print_heading(f"Means over {questions} with {nuggets}{covered}")
    output.print_means(evaluation, arguments, names)
    best = evaluation.runs[int(evaluation.best()[:, 0].argmax())]
    if len(evaluation.runs) > 1:
        _print_ranking(evaluation, arguments)
    worst = DEFAULT_WORST if arguments.worst is None else arguments.worst
    if worst:
        _print_worst(evaluation, arguments, best if arguments.run is None else arguments.run, worst, counts)


def _print_ranking(evaluation: Evaluation[pd.DataFrame], arguments: argparse.Namespace) -> None:
    if len(evaluation.query_ids) < 2:
        output.print_note("runs are ranked, with intervals, from two questions on.")
        return
    print()
    output.print_heading(f"Ranking by {evaluation.specs()[0]}")
    output.print_frame(evaluation.rank(rng=arguments.seed).drop(columns="measure"), arguments)
    print("Runs that share a letter do not differ (randomized Tukey HSD test, level 0.05);")
    print("low and high are 95% confidence intervals of the mean.")


def _print_worst(
    evaluation: Evaluation[pd.DataFrame], arguments: argparse.Namespace, run: str, count: int, counts: dict[str, int]
) -> None:
    """Print the questions with missed nuggets on which a run is worst, and these nuggets."""
    from irdiv.errors import printable

    missed = _missed(evaluation, run)
    cutoff = evaluation.measures[0].params.get("cutoff")
    documents = "documents" if cutoff is None else "first document" if cutoff == 1 else f"first {cutoff} documents"
    worst = evaluation.worst(len(evaluation.query_ids), run=run)
    worst = worst[worst["query_id"].isin(missed["query_id"])].head(count)
    print()
    output.print_heading(f"Worst questions of {run} by {evaluation.specs()[0]}")
    if worst.empty:
        print(f"All nuggets are covered by its {documents}.")
        return
    print(f"Nuggets missed by its {documents}, and how many documents support them:")
    shown = missed[missed["query_id"].isin(worst["query_id"])]
    described = shown.assign(line=_describe_nuggets(shown), is_supported=shown["n_relevant"] > 0)
    described = described.sort_values(["probability", "is_supported"], ascending=False, kind="stable")
    digits = 4 if arguments.digits is None else arguments.digits
    for query_id, value in zip(worst["query_id"], worst["value"], strict=True):
        lines = described.loc[described["query_id"] == query_id, "line"].tolist()
        print(f"{printable(query_id)}: {value:.{digits}f}, {len(lines)} of {counts[query_id]} nuggets missed")
        for line in lines[:_MOST_NUGGETS]:
            print(output.cut_to_terminal(f"  {line}"))
        if len(lines) > _MOST_NUGGETS:
            print(f"  … and {len(lines) - _MOST_NUGGETS} more; --missed prints all")


def _describe_nuggets(nuggets: pd.DataFrame) -> list[str]:
    """Return a line for each nugget: importance or probability, number of documents and text."""
    columns = []
    if "importance" in nuggets:
        columns.append([label if isinstance(label, str) else "-" for label in nuggets["importance"]])
    elif nuggets.groupby("query_id")["probability"].nunique().max() > 1:
        columns.append([f"{probability:.2f}" for probability in nuggets["probability"]])
    columns.append([_counted(count, "document") if count else "no document" for count in nuggets["n_relevant"]])
    columns = [[cell.ljust(max(map(len, column))) for cell in column] for column in columns]
    ids = nuggets["intent_id"]
    described = zip(ids, nuggets.get("description", ids), strict=True)
    texts = [" ".join(text.split()) if isinstance(text, str) else intent_id for intent_id, text in described]
    return ["  ".join(cells) for cells in zip(*columns, texts, strict=True)]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
