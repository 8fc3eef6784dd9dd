"""From arguments to the evaluations of a study of one or several collections."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from irdiv_cli import figures, inputs, output

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoDataFrame

    from irdiv.evaluation.results import Evaluation

T = TypeVar("T")


def evaluate_collections(
    arguments: argparse.Namespace, *, more_measures: Sequence[str] = ()
) -> Evaluation[pd.DataFrame] | dict[str, Evaluation[pd.DataFrame]]:
    """Evaluate the runs of the arguments, or those of each ``--collection``, by its name."""
    from irdiv.errors import IrdivError

    if getattr(arguments, "plot", None):
        # Before the evaluation, which takes its time.
        arguments.plot = figures.figure_path(arguments.plot, arguments)
    if arguments.collection is None:
        if getattr(arguments, "by_collection", False):
            raise IrdivError("--by-collection shows the results of each --collection; give some, or leave it out.")
        return inputs.evaluate_arguments(only_collection(arguments), more_measures=more_measures)
    evaluations = for_each_collection(
        arguments, lambda one: inputs.evaluate_arguments(one, more_measures=more_measures)
    )
    require_files_of_own(arguments, evaluations)
    return evaluations


def for_each_collection(arguments: argparse.Namespace, function: Callable[[argparse.Namespace], T]) -> dict[str, T]:
    """Return what a function returns for the arguments of each ``--collection``, by its name."""
    from irdiv.errors import prefix_errors_with_collection

    results = {}
    for name, own in arguments_by_collection(arguments).items():
        with prefix_errors_with_collection(name), output.prefix_messages(f"collection {name!r}: "):
            results[name] = function(own)
    return results


def arguments_by_collection(arguments: argparse.Namespace) -> dict[str, argparse.Namespace]:
    """Return the arguments of each ``--collection`` as if it was the only one, by its name."""
    from irdiv.errors import IrdivError

    positional = [*([] if arguments.qrels is None else [arguments.qrels]), *(arguments.runs or [])]
    if positional:
        raise IrdivError(
            f"expected qrels and runs or --collection, found both: {' '.join(positional)} belongs to no collection; "
            "write --collection NAME in front of it."
        )
    return {
        name: argparse.Namespace(**{**vars(_of_collection(arguments, name)), "qrels": qrels, "runs": runs})
        for name, qrels, runs in arguments.collection
    }


def only_collection(arguments: argparse.Namespace) -> argparse.Namespace:
    """Return the arguments of the only collection, which has no name; it is an error if qrels or runs are missing."""
    from irdiv.errors import IrdivError

    if arguments.runs is None:
        found = "none given" if arguments.qrels is None else f"found only {arguments.qrels!r}"
        raise IrdivError(f"expected qrels and one or more runs, or --collection NAME QRELS RUN …; {found}.")
    return _of_collection(arguments, None)


def require_one_plot(arguments: argparse.Namespace) -> None:
    """Raise an error if a plot is to show the results of each collection, which is one plot for each."""
    from irdiv.errors import IrdivError

    if arguments.plot and arguments.by_collection:
        raise IrdivError("--plot shows all collections together; leave out --plot or --by-collection.")


_COLLECTION_FILES = {
    "intent_table": "--intent-table",
    "topics": "--topics",
    "heval": "--heval",
    "topic_texts": "--topic-texts",
}
"""Arguments that are a list of ``FILE`` or ``NAME=FILE``; not every command has all of them."""


def _of_collection(arguments: argparse.Namespace, name: str | None) -> argparse.Namespace:
    """Return the arguments with the files of one collection, or of the only one if it has no name."""
    from irdiv.errors import IrdivError

    files: dict[str, str | None] = {}
    for key, option in _COLLECTION_FILES.items():
        own, shared = _own_and_shared(arguments, key, name)
        if len(own) + len(shared) > 1:
            raise IrdivError(f"{option} is given twice{'' if name is None else f' for the collection {name!r}'}.")
        files[key] = next(iter([*own, *shared]), None)
    return argparse.Namespace(**{**vars(arguments), **files})


def _own_and_shared(arguments: argparse.Namespace, key: str, name: str | None) -> tuple[list[str], list[str]]:
    """Return the files ``NAME=FILE`` of a collection, and those that are for all."""
    names = [collection for collection, _, _ in arguments.collection or ()]
    own, shared = [], []
    for value in getattr(arguments, key, None) or ():
        owner, _, path = value.partition("=")
        if owner not in names:
            shared.append(value)
        elif owner == name:
            own.append(path)
    return own, shared


def require_files_of_own(arguments: argparse.Namespace, evaluations: Mapping[str, Evaluation[IntoDataFrame]]) -> None:
    """Raise an error if a file is for all collections, but two of them have topics of the same id."""
    from itertools import combinations

    from irdiv.errors import IrdivError

    for key, option in _COLLECTION_FILES.items():
        if not _own_and_shared(arguments, key, None)[1]:
            continue
        for (one, first), (two, second) in combinations(evaluations.items(), 2):
            common = next((topic for topic in first.query_ids if topic in set(second.query_ids)), None)
            if common is not None:
                raise IrdivError(
                    f"{option} is given for all collections, but {one!r} and {two!r} both have a topic {common!r}; "
                    f"give {option} {one}=FILE and {option} {two}=FILE."
                )
