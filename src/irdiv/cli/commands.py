"""What each command does; imported when one is run, so that ``--help`` answers at once."""

from __future__ import annotations

import argparse
import ast
import atexit
import inspect
import sys
import tempfile
import textwrap
from collections.abc import Callable, Sequence
from functools import lru_cache
from glob import glob
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

import irdiv
from irdiv.cli import DEFAULT_MEASURES, output
from irdiv.errors import IrdivError
from irdiv.evaluation import evaluate, resolve, run_name
from irdiv.explain import explain, list_measures
from irdiv.frames.intent_files import text_lines
from irdiv.frames.trec import run_tag

if TYPE_CHECKING:
    import pandas as pd

    from irdiv.results import Evaluation


def _eval(arguments: argparse.Namespace) -> None:
    output.print_evaluation(_evaluation(arguments, components=arguments.components), arguments)


def _evaluation(arguments: argparse.Namespace, *, also: Sequence[str] = (), components: bool = False) -> Evaluation:
    measures = [irdiv.parse(spec) for spec in [*(arguments.measures or DEFAULT_MEASURES), *also]]
    return evaluate(
        _qrels(arguments),
        _named(arguments),
        measures,
        ties=arguments.ties,
        duplicates=arguments.duplicates,
        components=components,
        progress=True,
        **_settings(arguments.set),
    )


def _compare(arguments: argparse.Namespace) -> None:
    if arguments.plot and (len(arguments.runs) != 2 or len(arguments.measures or ()) != 1):
        raise IrdivError("--plot draws the differences of two runs by one measure, topic by topic; give these.")
    evaluation = _evaluation(arguments)
    frame = irdiv.compare(
        evaluation,
        test=arguments.test,
        baseline=arguments.baseline,
        correction=arguments.correction,
        rng=arguments.seed,
        B=arguments.samples,
        progress=True,
    )
    output.print_frame(
        frame if arguments.correction or arguments.output != "table" else frame.drop(columns="p_adjusted"), arguments
    )
    if arguments.plot:
        from irdiv.plots import difference_bars

        output.save(difference_bars(evaluation, *frame[["run", "other"]].iloc[0]), arguments.plot)


def _discpower(arguments: argparse.Namespace) -> None:
    power = irdiv.discriminative_power(
        _evaluation(arguments),
        test=arguments.test,
        alpha=arguments.alpha,
        rng=arguments.seed,
        B=arguments.samples,
        progress=True,
    )
    output.print_frame(power.agreement() if arguments.agreement else power.summary, arguments)
    if arguments.plot:
        from irdiv.plots import asl_curves

        output.save(asl_curves(power), arguments.plot)


def _concordance(arguments: argparse.Namespace) -> None:
    evaluation = _evaluation(arguments, also=arguments.gold)
    # Settings for all measures change what gold measures are called.
    changed = resolve(arguments.gold, False, _settings(arguments.set))
    frame = irdiv.concordance(evaluation, changed)
    _print_matrix(frame, frame, arguments)


def _correlate(arguments: argparse.Namespace) -> None:
    matrix = irdiv.correlate(_evaluation(arguments), arguments.method)
    _print_matrix(matrix.rename_axis(columns=None).reset_index(), matrix, arguments)


def _print_matrix(frame: pd.DataFrame, matrix: pd.DataFrame, arguments: argparse.Namespace) -> None:
    output.print_frame(frame, arguments)
    if arguments.plot:
        from irdiv.plots import heat_map

        output.save(heat_map(matrix), arguments.plot)


def _qrels(arguments: argparse.Namespace) -> Any:
    qrels = _file(arguments.qrels)
    if arguments.heval is not None:
        qrels = irdiv.with_intents(qrels, irdiv.read_heval(arguments.heval))
    return qrels if arguments.intents is None else irdiv.with_intents(qrels, arguments.intents)


def _settings(texts: Sequence[str]) -> dict[str, Any]:
    settings = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise IrdivError(f"--set takes KEY=VALUE, as in gain=linear; found {text!r}.")
        if key in _NO_PARAMETERS:
            raise IrdivError(f"{key!r} is no parameter to set; --help shows how to give it.")
        settings[key] = _value(value)
    return settings


# What functions of commands take beside parameters of measures.
_NO_PARAMETERS = {
    *inspect.signature(evaluate).parameters,
    *("order", "depth", "cutoff", "baseline", "topics", "title", "rng", "path"),
} - {"parameters"}


def _value(text: str) -> Any:
    try:
        return ast.literal_eval({"true": "True", "false": "False"}.get(text, text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


def _named(arguments: argparse.Namespace) -> dict[str, str]:
    """Return run files by name: that of the file, or its whole path where two are the same, or the run's tag."""
    paths = [path for given in arguments.runs for path in _expanded(given)]
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise IrdivError(f"the run file {twice!r} is given twice.")
    files = [_file(path) for path in paths]
    names = [
        run_tag(file) if arguments.names == "tag" else run_name(path) for path, file in zip(paths, files, strict=True)
    ]
    named = {}
    for name, path, file in zip(names, paths, files, strict=True):
        named[path if names.count(name) > 1 else ("stdin" if path == "-" and arguments.names == "file" else name)] = (
            file
        )
    return named


def _expanded(path: str) -> list[str]:
    """Return the files that a pattern names, which not every shell expands."""
    if path == "-" or Path(path).exists() or not any(mark in path for mark in "*?["):
        return [path]
    found = sorted(glob(path))
    if not found:
        raise IrdivError(f"no file is named as {path!r}.")
    return found


@lru_cache(maxsize=1)
def _standard_input() -> str:
    """Return a file with what comes from standard input, which can be read only once."""
    folder = tempfile.mkdtemp(prefix="irdiv-")
    atexit.register(rmtree, folder, ignore_errors=True)
    path = Path(folder) / "stdin"
    path.write_bytes(sys.stdin.buffer.read())
    return str(path)


def _file(path: str) -> str:
    return _standard_input() if path == "-" else path


def _oracle(arguments: argparse.Namespace) -> None:
    from irdiv.oracles import lines, oracle

    run = oracle(_file(arguments.qrels), arguments.order, depth=arguments.depth, **_settings(arguments.set))
    for line in lines(run, arguments.order):
        print(line)


def _hierarchy(arguments: argparse.Namespace) -> None:
    trees = irdiv.Hierarchy(_qrels(arguments), hierarchy=arguments.hierarchy, weights=arguments.weights)
    topics = arguments.topic or list(trees.collection.topics)
    if arguments.svg and len(topics) != 1:
        raise IrdivError("an SVG picture shows one topic; name it with --topic.")
    if arguments.run is None:
        if arguments.measures:
            raise IrdivError("-m scores what a run covers of each layer; give a run too.")
        shown = (trees.svg(topic) if arguments.svg else trees.draw(topic) for topic in topics)
    else:
        reports = trees.reports(_file(arguments.run), topics, arguments.measures)
        shown = (report.svg() if arguments.svg else str(report) for report in reports)
    for number, text in enumerate(shown):
        print(("\n" if number else "") + text)


def _ideals(arguments: argparse.Namespace) -> None:
    frame = irdiv.ideal_gaps(
        _file(arguments.qrels),
        cutoff=arguments.cutoff,
        alpha=arguments.alpha,
        time_limit=arguments.time_limit,
        progress=True,
    )
    if arguments.per_query or arguments.output != "table":
        output.print_frame(frame, arguments)
        return
    short = frame[frame["gap"] > 0]
    print(f"greedy falls short of the best list of {arguments.cutoff} documents in {len(short)} of {len(frame)} topics")
    if len(short):
        print(f"by {100 * short['gap'].mean():.3f}% in the mean of these, at most {100 * short['gap'].max():.3f}%")
    open_ = int((~frame["proven"]).sum())
    print(f"all lists proven best in {frame['seconds'].sum():.1f} s" if not open_ else f"not proven: {open_} topics")


def _properties(arguments: argparse.Namespace) -> None:
    from irdiv import properties

    chosen = {"properties": arguments.properties} if arguments.properties else {}
    frame = properties.check(
        arguments.measures,
        **chosen,
        aspects=arguments.aspects,
        depth=arguments.depth,
        grades=arguments.grades,
        weights=arguments.weights,
    )
    output.print_frame(frame, arguments)


def _demo(arguments: argparse.Namespace) -> None:
    from irdiv.demo import demo, demo_collection, write_demo

    if arguments.data is not None:
        for path in write_demo(Path(arguments.data)):
            print(path)
        return
    qrels, runs = demo_collection()
    evaluation = evaluate(qrels, runs, DEFAULT_MEASURES)
    talk = arguments.output == "table" and not arguments.per_query
    if talk:
        print(f"{len(runs)} systems, {len(evaluation.query_ids)} ambiguous topics, means over topics:\n")
    output.print_evaluation(evaluation, arguments)
    if not talk:
        return
    text = (
        "'relevance' finds the best documents (D-nDCG); 'diversified' covers all intents (I-rec, alpha-nDCG) and wins "
        "where both count (D#-nDCG). 'one-intent' serves the likeliest intent alone, 'spammy' makes users wade. 'irdiv "
        "explain D#-nDCG' says how it is computed, 'irdiv demo --data FOLDER' writes the files."
    )
    print("\n" + textwrap.fill(text, width=100))
    try:
        collection = demo()
        texts = dict(zip(collection.topics["query_id"], collection.topics["query"], strict=True))
        from irdiv.report import descriptions, write_report

        told = descriptions(collection.intents)
        path = write_report(qrels, runs, arguments.report, topics=texts, intents=told, title="irdiv demo")
        print(f"\nThe report, with all of it topic by topic: {path}")
    except IrdivError as error:
        print(f"\nNo report: {error}")


def _report(arguments: argparse.Namespace) -> None:
    from irdiv.report import descriptions, write_report

    intents = {} if arguments.intents is None else descriptions(irdiv.read_intents(arguments.intents))
    path = write_report(
        _qrels(arguments),
        _named(arguments),
        arguments.file,
        measures=arguments.measures,
        baseline=arguments.baseline,
        cutoff=arguments.cutoff,
        topics=_texts(arguments.topics) if arguments.topics else {},
        intents=intents,
        title=arguments.title,
        rng=arguments.seed,
        ties=arguments.ties,
        duplicates=arguments.duplicates,
        **_settings(arguments.set),
    )
    print(path)


def _texts(path: str) -> dict[str, str]:
    """Return texts of topics from lines ``topic<TAB>text``, or ``topic:text`` as TREC has them."""
    texts = {}
    for number, line in enumerate(text_lines(Path(path), "topics"), 1):
        query, mark, text = line.partition("\t" if "\t" in line else ":")
        if line.strip() and not mark:
            raise IrdivError(f"{path}, line {number}: expected a topic, a tab and its text; found {line[:60]!r}.")
        texts[query.strip()] = text.strip()
    return texts


def _completion(arguments: argparse.Namespace) -> None:
    from irdiv.cli import parser

    try:
        import shtab
    except ImportError:
        raise IrdivError("completion needs shtab: pip install 'irdiv[completion]'.") from None
    print(shtab.complete(parser(), shell=arguments.shell))


def _measures(arguments: argparse.Namespace) -> None:
    print(list_measures(arguments.pattern))


def _explain(arguments: argparse.Namespace) -> None:
    print("\n\n".join(explain(spec) for spec in arguments.specs))


COMMANDS: dict[str, Callable[[argparse.Namespace], None]] = {
    "eval": _eval,
    "compare": _compare,
    "discpower": _discpower,
    "concordance": _concordance,
    "correlate": _correlate,
    "oracle": _oracle,
    "hierarchy": _hierarchy,
    "ideals": _ideals,
    "properties": _properties,
    "demo": _demo,
    "report": _report,
    "completion": _completion,
    "measures": _measures,
    "explain": _explain,
}
