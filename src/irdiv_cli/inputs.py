"""From arguments to what the library takes: qrels, runs, parameters and texts."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from irdiv_cli import output
from irdiv_cli.local_files import local_file, optional_file

if TYPE_CHECKING:
    import ir_measures
    import pandas as pd

    from irdiv.datasets.collection import Dataset
    from irdiv.evaluation.results import Evaluation
    from irdiv.io.tables import QrelsLike
    from irdiv.measures.spec import NamedMeasures
    from irdiv.report import Input

_NAMED_MEASURE = re.compile(r"(?P<name>[^(=]+)=(?P<spec>.+)")
"""NAME=SPEC; an = in parentheses is that of a parameter."""


def evaluate_arguments(
    arguments: argparse.Namespace, *, more_measures: Sequence[str] = (), components: bool = False
) -> Evaluation[pd.DataFrame]:
    """Evaluate the runs of the arguments by their measures or the default ones, and by more measures; print notes."""
    import irdiv
    from irdiv.evaluation import DEFAULT_MEASURES

    measures = named_measures([*(arguments.measures or DEFAULT_MEASURES), *more_measures])
    run_column = getattr(arguments, "run_column", None)
    evaluation = irdiv.evaluate(
        load_qrels(arguments),
        run_paths_by_name(arguments) if run_column is None else _file_of_many_runs(arguments),
        measures,
        run_column=run_column,
        columns=_columns(arguments),
        ties=arguments.ties,
        duplicates=arguments.duplicates,
        components=components,
        **settings(arguments, irdiv.evaluate),
    )
    output.print_notes(evaluation)
    return evaluation


def named_measures(texts: Sequence[str]) -> NamedMeasures:
    """Return the measures of texts SPEC and NAME=SPEC; those without a name are named by their specs."""
    import irdiv
    from irdiv.errors import IrdivError

    named: dict[str, ir_measures.Measure] = {}
    for text in texts:
        match = _NAMED_MEASURE.fullmatch(text)
        measure = irdiv.parse(match["spec"] if match else text)
        name = match["name"] if match else str(measure)
        if named.setdefault(name, measure) != measure:
            raise IrdivError(f"two measures have the name {name!r}: {named[name]} and {measure}.")
    return named


def load_qrels(arguments: argparse.Namespace) -> QrelsLike:
    """Return the qrels, with the properties and hierarchies of intents if they are given."""
    return fold_intents(qrels_or_collection(arguments.qrels, arguments.topics), arguments)


def qrels_or_collection(qrels: str, topics: str | None = None) -> str | Dataset:
    """Return the path of the qrels, or the collection of ir_datasets with this id if there is no such file.

    With ``topics``, TREC topics in XML, it is the collection of both files.
    """
    import irdiv
    from irdiv.errors import IrdivError

    if qrels != "-" and not os.path.exists(qrels):
        from irdiv.datasets.loading import is_dataset_id

        if is_dataset_id(qrels):
            if topics is not None:
                raise IrdivError(f"--topics is for qrels files; the dataset {qrels!r} has topics of its own.")
            return irdiv.load(qrels)
        if qrels.startswith(("clueweb", "irdiv/", "irds:")):
            try:
                return irdiv.load(qrels)
            except IrdivError as error:
                raise IrdivError(f"no such qrels file: {qrels!r}; and {error}") from None
    path = local_file(qrels)
    topics = optional_file(topics)
    return path if topics is None else irdiv.datasets.read_trec_web(path, topics)


def fold_intents(qrels: str | Dataset, arguments: argparse.Namespace) -> QrelsLike:
    """Return the qrels with what ``--heval`` and ``--intent-table`` give."""
    import irdiv
    from irdiv.io.trec import is_dqrels

    heval, intent_table = optional_file(arguments.heval), optional_file(arguments.intent_table)
    if intent_table is None and isinstance(qrels, str) and is_dqrels(qrels):
        output.print_note(
            "Dqrels have no probabilities of intents, which are taken as equally likely; --intent-table takes the "
            "Iprob or DINprob file."
        )
    folded: QrelsLike = qrels
    if heval is not None:
        folded = irdiv.with_intents(folded, irdiv.datasets.read_heval(heval))
    if intent_table is not None:
        folded = irdiv.with_intents(folded, intent_table)
    return folded


def run_paths_by_name(arguments: argparse.Namespace) -> dict[str, str]:
    """Return run files by name; runs that would have the same name are named by their paths."""
    paths = run_paths(arguments)
    names = [_run_name(path, arguments.names) for path in paths]
    named = {path if names.count(name) > 1 else name: local_file(path) for name, path in zip(names, paths, strict=True)}
    # A path may be the name of another run.
    return named if len(named) == len(paths) else {path: local_file(path) for path in paths}


def run_paths(arguments: argparse.Namespace) -> list[str]:
    """Return the paths of run files, ``-`` for standard input."""
    from irdiv.errors import IrdivError

    paths = [path for pattern in arguments.runs for path in _matching_paths(pattern)]
    repeated = next((path for path in paths if paths.count(path) > 1), None)
    if repeated is not None:
        raise IrdivError(f"the run file {repeated!r} is given twice.")
    return paths


def _file_of_many_runs(arguments: argparse.Namespace) -> str:
    """Return the path of the one file whose runs ``--run-column`` names."""
    from irdiv.errors import IrdivError

    if arguments.names == "tag":
        raise IrdivError("--run-column and --names tag both name runs; leave out --names.")
    paths = run_paths(arguments)
    if len(paths) > 1:
        raise IrdivError(
            f"--run-column names the runs of one file, found {len(paths)}: {' '.join(paths[:3])}"
            f"{' …' if len(paths) > 3 else ''}; leave it out, as each file is a run."
        )
    return local_file(paths[0])


def files_of_arguments(arguments: argparse.Namespace) -> Iterator[Input]:
    """Yield all files of the arguments, by their names as given, with hashes."""
    from irdiv.report.provenance import Input, inputs_of, shorten

    runs = {path: name for name, path in run_paths_by_name(arguments).items()}
    given: list[tuple[str, str | None]] = [
        ("qrels", arguments.qrels),
        *(("run", path) for pattern in arguments.runs for path in _matching_paths(pattern)),
        ("intent table", arguments.intent_table),
        ("topics", arguments.topics),
        ("hierarchies", arguments.heval),
        ("topic texts", arguments.topic_texts),
    ]
    for role, path in given:
        if path is None:
            continue
        file = local_file(path)
        if not os.path.exists(file):
            yield Input(role, f"dataset {path}")
            continue
        yield from inputs_of(role, file, name="standard input" if path == "-" else shorten(path), run=runs.get(file))


def _matching_paths(pattern: str) -> list[str]:
    """Return the files of a folder, or the paths that match a pattern, as not every shell expands patterns."""
    from glob import glob

    from irdiv.errors import IrdivError
    from irdiv.io.runs import is_folder_of_runs, run_files

    if is_folder_of_runs(pattern):
        return list(map(str, run_files(pattern)))
    if pattern == "-" or os.path.exists(pattern) or not any(wildcard in pattern for wildcard in "*?["):
        return [pattern]
    paths = sorted(glob(pattern))
    if not paths:
        raise IrdivError(f"no file matches {pattern!r}.")
    return paths


def _run_name(path: str, source: str) -> str:
    from irdiv.io.runs import run_name, run_tag

    if source == "tag":
        return run_tag(local_file(path))
    return "stdin" if path == "-" else run_name(path)


def _columns(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the names of columns that ``--columns`` gives."""
    from irdiv.errors import IrdivError

    pairs = [text.partition("=") for text in getattr(arguments, "columns", None) or []]
    for theirs, equals, ours in pairs:
        if not theirs or not equals or not ours:
            raise IrdivError(f"--columns takes THEIRS=OURS, such as facet=intent_id; found {theirs + equals + ours!r}.")
    return {theirs: ours for theirs, _, ours in pairs}


def settings(arguments: argparse.Namespace, function: Callable[..., object]) -> dict[str, Any]:
    """Return the parameters of measures that ``--set`` gives, as keyword arguments of a function.

    A key that the function itself has as a parameter is an error, as it is not a parameter of measures.
    """
    import inspect

    from irdiv.errors import IrdivError
    from irdiv.measures.spec import literal

    reserved = inspect.signature(function).parameters
    values: dict[str, Any] = {}
    for text in arguments.set:
        key, equals, value = text.partition("=")
        if not equals:
            raise IrdivError(f"--set takes KEY=VALUE, such as gain=linear; found {text!r}.")
        if key in reserved:
            raise IrdivError(f"--set {key}: {key!r} is not a parameter of measures; --help lists the options.")
        if key in values:
            raise IrdivError(f"--set {key}: {key!r} is set twice.")
        values[key] = literal({"true": "True", "false": "False"}.get(value, value))
    return values


def measures_with_settings(specs: Sequence[str], arguments: argparse.Namespace) -> list[ir_measures.Measure]:
    """Return measures with those parameters of ``--set`` that they have."""
    import irdiv
    from irdiv.evaluation.selection import requested_measures

    given = settings(arguments, irdiv.evaluate)
    known = {name for spec in specs for name in irdiv.parse(spec).SUPPORTED_PARAMS}
    return requested_measures(specs, {name: value for name, value in given.items() if name in known})


def topic_texts(qrels: str | Dataset, arguments: argparse.Namespace) -> dict[str, str]:
    """Return the texts of topics, from ``--topic-texts`` or else from the collection."""
    path = optional_file(arguments.topic_texts)
    if path is not None:
        return _read_topic_texts(path)
    return {} if isinstance(qrels, str) else _query_texts(qrels.topics)


def intent_descriptions(qrels: str | Dataset, arguments: argparse.Namespace) -> dict[tuple[str, str], str]:
    """Return the descriptions of intents, from ``--intent-table`` and else from the collection."""
    import irdiv
    from irdiv.report import descriptions_by_intent

    tables = [] if isinstance(qrels, str) else [qrels.intents]
    intent_table = optional_file(arguments.intent_table)
    if intent_table is not None:
        tables.append(irdiv.read_intents(intent_table))
    return {intent: text for table in tables for intent, text in descriptions_by_intent(table).items()}


def _query_texts(topics: pd.DataFrame) -> dict[str, str]:
    rows = zip(topics["query_id"], topics["query"], strict=True)
    return {query_id: text for query_id, text in rows if isinstance(text, str)}


def _read_topic_texts(path: str) -> dict[str, str]:
    """Read the texts of topics from lines ``topic<TAB>text``, ``topic:text`` as TREC has them, or TREC's XML."""
    from irdiv.datasets.trec_web import read_trec_topics
    from irdiv.errors import IrdivError
    from irdiv.io.text import text_lines

    lines = text_lines(path, "topics")
    if next((line for line in lines if line.strip()), "").lstrip().startswith("<"):
        return _query_texts(read_trec_topics(path).topics)
    texts: dict[str, str] = {}
    for line_number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        topic, separator, text = line.partition("\t" if "\t" in line else ":")
        if not separator:
            raise IrdivError(f"{path}, line {line_number}: expected a topic, a tab and its text; found {line[:60]!r}.")
        if topic.strip() in texts:
            raise IrdivError(f"{path}, line {line_number}: topic {topic.strip()!r} is there twice.")
        texts[topic.strip()] = text.strip()
    if not texts:
        raise IrdivError(f"{path}: the topics file is empty; expected 'topic<TAB>text' in each line, or TREC's XML.")
    return texts
