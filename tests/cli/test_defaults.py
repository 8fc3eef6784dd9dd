"""The parser repeats defaults and choices of the library, which it must not import: they are the same.

A new option needs an entry in `COUNTERPARTS`, or in `WITHOUT_COUNTERPART` if the library has no such parameter.
"""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable
from typing import Any, Literal, get_args, get_origin

import pytest

import irdiv
from irdiv import evaluate, oracle, plots, with_intents
from irdiv.analysis import ideal_gaps
from irdiv.datasets import read_heval, read_trec_web
from irdiv.demo import demo_qrels_and_runs
from irdiv.evaluation import DEFAULT_MEASURES
from irdiv.evaluation.plotting import EvaluationPlots
from irdiv.evaluation.results import Evaluation
from irdiv.evaluation.topics import DEFAULT_CUTOFF
from irdiv.measures.catalogue import registry
from irdiv.properties import check
from irdiv.properties.definitions import PROPERTIES
from irdiv.rag import read_contexts
from irdiv.rag.coverage import read_judgments
from irdiv.report import DEFAULT_MEASURES as REPORT_MEASURES
from irdiv.report import render, write_site
from irdiv.show.explain import explain, list_measures
from irdiv.show.hierarchy import Hierarchy
from irdiv.stats import DiscriminativePower, compare, concordance, correlate, discriminative_power, rank_runs
from irdiv.stats.options import N_RESAMPLES, N_SIGN_FLIPS
from irdiv_cli import options, parser
from irdiv_cli.commands import coverage, plot, properties, report

Counterpart = tuple[Callable[..., Any], str]

INTENT_TABLE = {
    "intent_table": (with_intents, "intent_table"),
    "topics": (read_trec_web, "topics"),
    "heval": (read_heval, "path"),
}
EVALUATION: dict[str, Counterpart] = {
    **{name: (evaluate, name) for name in ("qrels", "runs", "measures", "ties", "duplicates")},
    **INTENT_TABLE,
}
RUN_COLUMN: dict[str, Counterpart] = {"run_column": (evaluate, "run_column")}


def significance_test(function: Callable[..., Any]) -> dict[str, Counterpart]:
    return {"test": (function, "test"), "n_resamples": (function, "n_resamples"), "seed": (function, "rng")}


def same_name(function: Callable[..., Any], *names: str) -> dict[str, Counterpart]:
    return {name: (function, name) for name in names}


COUNTERPARTS: dict[str, dict[str, Counterpart]] = {
    "eval": {**EVALUATION, **RUN_COLUMN, **same_name(evaluate, "components")},
    "compare": {
        **EVALUATION,
        **RUN_COLUMN,
        **significance_test(compare),
        **same_name(compare, "baseline", "correction"),
    },
    "rank": {**EVALUATION, **RUN_COLUMN, **significance_test(rank_runs), **same_name(rank_runs, "correction", "level")},
    "coverage": {
        **same_name(read_judgments, "nuggets", "judgments"),
        "label": (read_judgments, "labels"),
        **same_name(evaluate, "runs", "measures", "ties", "duplicates"),
        **same_name(read_contexts, "source"),
        **same_name(Evaluation.missed, "run", "cutoff", "rel"),
        "worst": (Evaluation.worst, "n"),
        "seed": (Evaluation.rank, "rng"),
    },
    "topic": {
        **EVALUATION,
        "topic": (Evaluation.topic, "query_id"),
        "run": (Evaluation.topic, "runs"),
        "cutoff": (Evaluation.topic, "cutoff"),
        "worst": (Evaluation.worst, "n"),
        "baseline": (Evaluation.worst, "baseline"),
    },
    "discpower": {
        **EVALUATION,
        **significance_test(discriminative_power),
        **same_name(discriminative_power, "level"),
        **same_name(DiscriminativePower.summary, "by_collection"),
    },
    "concordance": {**EVALUATION, **same_name(concordance, "gold", "by_collection")},
    "correlate": {**EVALUATION, **same_name(correlate, "method", "top", "by_collection")},
    "measures": same_name(list_measures, "pattern"),
    "explain": {"specs": (explain, "spec")},
    "oracle": same_name(oracle, "qrels", "order", "depth"),
    "hierarchy": {
        **INTENT_TABLE,
        **same_name(Hierarchy.__init__, "qrels", "hierarchy", "weights"),
        **same_name(Hierarchy.reports, "measures", "ties", "duplicates"),
        "runs": (Hierarchy.reports, "run"),
        "topic": (Hierarchy.reports, "query_ids"),
    },
    "ideals": same_name(ideal_gaps, "qrels", "cutoff", "alpha", "time_limit"),
    "properties": same_name(check, "measures", "properties", "aspects", "length", "grades", "probabilities"),
    "report": {
        **EVALUATION,
        **significance_test(render),
        **same_name(render, "measures", "baseline", "cutoff", "title", "ties", "duplicates", "correction", "level"),
        "topic_texts": (render, "topic_texts"),
        "site": (write_site, "folder"),
        "force": (write_site, "force"),
    },
    "plot": {
        **EVALUATION,
        **same_name(EvaluationPlots.difference_bars, "run", "other", "sort"),
        **same_name(EvaluationPlots.recall_relevance, "gamma", "intervals"),
        **same_name(EvaluationPlots.precision_recall, "highlight", "levels", "rel"),
        **same_name(EvaluationPlots.parameter_curves, "parameter", "values"),
        **same_name(EvaluationPlots.heat_map, "method", "gold"),
        **significance_test(EvaluationPlots.asl_curves),
        **same_name(EvaluationPlots.asl_curves, "level"),
        **same_name(plots.style, "theme", "size"),
    },
    "demo": {},
    "completion": {},
}
OUTPUT = {"output", "csv", "digits"}
WITHOUT_COUNTERPART: dict[str, set[str]] = {
    "eval": {"set", "names", "per_query", *OUTPUT},
    "compare": {"set", "names", "plot", "collection", *OUTPUT},
    "rank": {"set", "names", *OUTPUT},
    "coverage": {"missed", "per_query", *OUTPUT},
    "topic": {"set", "names", *OUTPUT},
    "discpower": {"set", "names", "plot", "agreement", "collection", *OUTPUT},
    "concordance": {"set", "names", "plot", "collection", *OUTPUT},
    "correlate": {"set", "names", "plot", "collection", *OUTPUT},
    "measures": set(),
    "explain": set(),
    "oracle": {"set"},
    "hierarchy": {"svg"},
    "ideals": {"per_query", *OUTPUT},
    "properties": OUTPUT,
    "report": {"set", "names", "collection", "file"},
    "plot": {"set", "names", "figure", "file", "collection"},
    "demo": {"data", "force", "report", "per_query", *OUTPUT},
    "completion": {"shell"},
}
# The command has a default where the function requires an argument, or leaves an argument out to get its default.
OTHER_DEFAULTS = {
    ("properties", "properties"): None,
    ("topic", "worst"): None,
    ("coverage", "worst"): None,
}
# Options of single figures are left out to get the defaults, since those that are given to another figure are refused.
OF_FIGURES = ("sort", "gamma", "intervals", "levels", "rel", "parameter", "values", "test", "level", "seed")
OTHER_DEFAULTS |= {("plot", name): None for name in OF_FIGURES}
# Choices that no annotation states.
OTHER_CHOICES = {
    ("hierarchy", "hierarchy"): registry["D-nDCG-LA"].by_name["hierarchy"].check.samples,
    ("hierarchy", "weights"): registry["D-nDCG-LA"].by_name["weights"].check.check.samples,
    ("properties", "properties"): tuple(PROPERTIES),
}


def commands() -> dict[str, argparse.ArgumentParser]:
    (subparsers,) = [action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)]
    return subparsers.choices


def arguments_of(command: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """Return arguments by the name of their long option, or of their position."""
    names = {
        action: action.option_strings[-1].lstrip("-").replace("-", "_") if action.option_strings else action.dest
        for action in command._actions
    }
    return {name: action for action, name in names.items() if name != "help"}


def literals(annotation: Any) -> list[str]:
    """Return the values of all Literal types in an annotation."""
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    return [value for part in get_args(annotation) for value in literals(part)]


def choices_of(function: Callable[..., Any], name: str) -> list[str]:
    plain = inspect.unwrap(function)
    annotation = inspect.signature(plain).parameters[name].annotation
    try:
        return literals(eval(annotation, plain.__globals__))
    except (NameError, TypeError):  # only type checkers can read it
        return []


def default_of(function: Callable[..., Any], name: str) -> Any:
    default = inspect.signature(function).parameters[name].default
    return None if default is inspect.Parameter.empty else default


def test_every_argument_is_listed():
    for name, command in commands().items():
        listed = [*COUNTERPARTS.get(name, ()), *WITHOUT_COUNTERPART.get(name, ())]
        assert sorted(listed) == sorted(arguments_of(command)), name


@pytest.mark.parametrize(
    ("command", "name"), [(command, name) for command, of_command in COUNTERPARTS.items() for name in of_command]
)
def test_defaults_and_choices_are_those_of_the_library(command, name):
    action = arguments_of(commands()[command])[name]
    function, parameter = COUNTERPARTS[command][name]
    default = default_of(function, parameter)
    expected = OTHER_DEFAULTS.get((command, name), default)
    assert action.default == expected
    assert type(action.default) is type(expected)
    choices = OTHER_CHOICES.get((command, name)) or choices_of(function, parameter)
    assert sorted(action.choices or ()) == sorted(choices)


def test_defaults_of_measures():
    ideals = arguments_of(commands()["ideals"])
    alpha = registry["alpha-nDCG"].by_name["alpha"]
    assert ideals["alpha"].default == alpha.default
    hierarchy = arguments_of(commands()["hierarchy"])
    for name in ("hierarchy", "weights"):
        assert hierarchy[name].default == registry["D-nDCG-LA"].by_name[name].default


def test_defaults_in_help_texts():
    assert options.DEFAULT_MEASURES == DEFAULT_MEASURES
    assert report.DEFAULT_MEASURES == REPORT_MEASURES
    assert coverage.DEFAULT_CUTOFF == DEFAULT_CUTOFF
    assert default_of(Evaluation.worst, "n") == coverage.DEFAULT_WORST
    assert tuple(prop.name for prop in default_of(check, "properties")) == properties.DEFAULT_PROPERTIES
    assert (options.N_RESAMPLES, options.N_SIGN_FLIPS) == (N_RESAMPLES, N_SIGN_FLIPS)
    qrels, runs = demo_qrels_and_runs()
    layers = next(irdiv.Hierarchy(qrels).reports(runs["relevance"])).layers
    measures = "I-rec, D-nDCG and D#-nDCG at rank 20"
    assert measures in arguments_of(commands()["hierarchy"])["measures"].help
    assert [*layers.columns[3:]] == ["I-rec@20", "D-nDCG@20", "D#-nDCG@20"]


def test_help_shows_every_default():
    for name, command in commands().items():
        for option, action in arguments_of(command).items():
            if action.default not in (None, False, "", []) and option != "csv":
                assert "%(default)s" in action.help, (name, option)


def test_figures_are_those_of_evaluations():
    names = {name for name in dir(EvaluationPlots) if not name.startswith("_")}
    assert names == set(plots.__all__) - {"style"} == set(plot.FIGURES)
    for name, figure in plot.FIGURES.items():
        parameters = inspect.signature(getattr(EvaluationPlots, name)).parameters
        assert {"rng" if option == "seed" else option for option in figure.options} <= set(parameters), name


def test_defaults_of_figures_in_help_texts():
    arguments = arguments_of(commands()["plot"])
    for name in set(OF_FIGURES) - {"intervals", "values"}:
        function, parameter = COUNTERPARTS["plot"][name]
        assert f"(default: {default_of(function, parameter)})" in arguments[name].help
    assert default_of(EvaluationPlots.parameter_curves, "values") == tuple(i / 10 for i in range(11))
    assert default_of(EvaluationPlots.parameter_curves, "measure") == plot.FIGURES["parameter_curves"].measures[0]
    defaults = [default_of(EvaluationPlots.recall_relevance, name) for name in ("recall", "relevance")]
    assert tuple(defaults) == plot.FIGURES["recall_relevance"].measures
