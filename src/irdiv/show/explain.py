"""Descriptions of measures: the texts of ``irdiv measures`` and ``irdiv explain``."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import ir_measures

from irdiv.measures.answers import ANSWER_MEASURES, AnswerMeasure
from irdiv.measures.catalogue import registry
from irdiv.measures.declaration import Declaration
from irdiv.measures.measure import Measure
from irdiv.measures.nuggets import NUGGET_KEYWORDS
from irdiv.measures.parameters import Parameter
from irdiv.measures.spec import (
    MeasureLike,
    has_words,
    ir_measures_names,
    normalize_name,
    parse,
    unknown_name_error,
)

_SYMBOLS = (
    ("l", r"\bl\b", "the cutoff"),
    ("x", r"\bx\b", "the grade of a document"),
    ("H", r"2\^H", "the highest grade of the scale"),
    ("J(r)", r"J\(r\)", "1 if the document at rank r is relevant, else 0"),
    ("J_i(r)", r"J_i\(r\)", "1 if the document at rank r is relevant to intent i, else 0"),
    ("C(r)", r"C\(", "the number of relevant documents down to rank r"),
    ("C_i(r)", r"C_i\(", "the number of documents relevant to intent i down to rank r"),
    ("R", r"\bR\b", "the number of all relevant documents"),
    ("R_i", r"\bR_i\b(?!\()", "the number of all documents relevant to intent i"),
    ("N", r"\bN\b(?!\(r|-rec)", "the number of intents"),
    ("g(r)", r"\bg\(r\)", "the gain at rank r"),
    ("cg(r)", r"cg\(r\)", "the sum of gains down to rank r"),
    ("cg*(r)", r"cg\*", "the sum of gains of the ideal list down to rank r"),
    ("g*", r"\bg\*", "the highest gain in the ideal list"),
    ("g_i(r)", r"g_i\(r\)", "the gain at rank r for intent i"),
    ("Pr(r)", r"Pr\(r\)", "the probability that a user who sees the document at rank r stops there"),
    ("Pr(i|q)", r"Pr\(i", "the probability of intent i"),
    ("v", r"\bv\b", "a layer of the intent hierarchy; the first is below the root"),
    ("w_v", r"w_v", "the weight of layer v"),
    ("n", r"\bn\b", "a node of the intent hierarchy"),
    ("W(n)", r"W\(n\)", "the weight of node n; the weights in each layer sum to 1"),
    ("g_n(r)", r"g_n\(r\)", "the gain at rank r for node n, from the highest grade over its leaves"),
    (
        "NG(r)",
        r"NG\(r\)",
        "Σ_i J_i(r)·(1−α)^{C_i(r−1)}, the gain at rank r, in which each repetition of an intent counts less",
    ),
)
_ANSWER_KEYWORDS = ("scores of answers", "coverage", "nugget recall", "nuggetizer", *NUGGET_KEYWORDS)
_NO_DEFAULT = ir_measures.measures.ParamInfo().default


def list_measures(pattern: str = "") -> str:
    r"""Return the list of measures by family: all, or those that a search finds.

    Parameters
    ----------
    pattern
        A part of a name, or words of summaries and keywords, such as "nugget" or "subtopic recall". Measures with the
        pattern in their names are first.

    Examples
    --------
    >>> print(list_measures("multi-answer").partition("\n\n")[0])
    coverage of nuggets, rubrics and aspects
      MRecall  Whether the first l documents cover all nuggets, or l of them where there are more.
    """
    found = _search(
        pattern,
        {d.name: (f"{d.summary} {d.family}", " ".join([d.summary, *d.keywords])) for d in registry.values()},
    )
    answers = _search(
        pattern, {name: (" ".join([m.summary, *_ANSWER_KEYWORDS]),) for name, m in ANSWER_MEASURES.items()}
    )
    theirs = {name: ir_measures.measures.registry[name] for name in sorted(ir_measures_names(), key=str.lower)}
    others = _search(pattern, {name: (f"{m.PRETTY_NAME} {m.SHORT_DESC}",) for name, m in theirs.items()})
    if not found and not answers and not others:
        raise unknown_name_error(pattern)
    by_family: dict[str, dict[str, str]] = {}
    for name in found:
        by_family.setdefault(registry[name].family, {})[name] = registry[name].summary
    if answers:
        heading = "scores of answers, not of runs: irdiv.rag.score_answers computes them"
        by_family[heading] = {name: ANSWER_MEASURES[name].summary for name in answers}
    width = max((len(name) for summaries in by_family.values() for name in summaries), default=0)
    sections = []
    for family, summaries in by_family.items():
        lines = [f"  {name:{width}}  {summary}" for name, summary in summaries.items()]
        sections.append("\n".join([family, *lines]))
    if others:
        sections.append(
            "measures of ir_measures, on the highest grade of a document over intents\n"
            + _wrapped(", ".join(others), "  ")
        )
    return "\n\n".join([*sections, "'irdiv explain NAME' shows the formula, parameters and references of a measure."])


def _search(text: str, descriptions: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the name that is a text, then names that contain it, then those with all its words in a description.

    Names with the words in their first description come before names with the words in another.
    """

    def normalized(name: str) -> str:
        return normalize_name(name.strip()).casefold()

    wanted = normalized(text)
    found: dict[str, int] = {}
    for name, described in descriptions.items():
        matches = [normalized(name) == wanted, wanted in normalized(name), *(has_words(d, text) for d in described)]
        if any(matches):
            found[name] = matches.index(True)
    return sorted(found, key=found.__getitem__)


def explain(spec: MeasureLike) -> str:
    r"""Return a description of a measure: its formula, parameters, references and how other programs differ.

    Parameters
    ----------
    spec
        The name of a measure, a spec or a measure; parameters are shown with their values in it.

    Examples
    --------
    >>> import irdiv
    >>> name, summary, *sections = irdiv.explain("I-rec@10").split("\n\n")
    >>> print(name, summary, sections[0], sep="\n")
    I-rec@10
    Intent recall: the share of the intents that ...
    formula
      intents covered in the first l / intents
    """
    answer_measure = ANSWER_MEASURES.get(str(spec))
    if answer_measure is not None:
        return "\n\n".join([str(answer_measure), *_describe_answer_measure(answer_measure)])
    measure = parse(ir_measures.measures.registry.get(spec, spec))
    sections = _describe(measure) if isinstance(measure, Measure) else _describe_ir_measures(measure)
    return "\n\n".join([str(measure), *sections])


def _describe(measure: Measure) -> Iterator[str]:
    declaration, values = measure.declaration, measure.parameter_values()
    yield _wrapped(declaration.summary)
    yield _section("formula", [declaration.formula])
    found = [(symbol, meaning) for symbol, pattern, meaning in _SYMBOLS if re.search(pattern, declaration.formula)]
    if found:
        yield _section("where", [f"{symbol}: {meaning}" for symbol, meaning in found])
    yield _section(
        "parameters", [f"{p.name}={values[p.name]!r}: {p.meaning}{_condition(p)}" for p in declaration.parameters]
    )
    yield _section("cutoff", [_describe_cutoff(declaration)])
    yield _section("references", declaration.references)
    if declaration.keywords:
        yield _section("keywords", [", ".join(declaration.keywords)])
    if declaration.other_programs:
        yield _section("other programs", [declaration.other_programs])


def _describe_answer_measure(measure: AnswerMeasure) -> Iterator[str]:
    yield _wrapped(measure.summary)
    yield _section("formula", [measure.formula])
    yield _section("where", ["c_i: 1 if the answer supports nugget or criterion i, less if only in part, else 0"])
    yield "irdiv.rag.score_answers computes it: it is a measure of answers, and not of rankings."


def _describe_cutoff(declaration: Declaration) -> str:
    if declaration.takes_cutoff:
        return "any; without one, the whole list"
    return "the one in its name" if declaration.fixed_cutoff else "none: always the whole list"


def _condition(parameter: Parameter) -> str:
    return f"; only with {parameter.condition}" if parameter.only_with else ""


def _describe_ir_measures(measure: Any) -> Iterator[str]:
    yield _wrapped(f"{measure.PRETTY_NAME}, a measure of ir_measures. {measure.SHORT_DESC}")
    yield _section("parameters", [_describe_parameter(name, info) for name, info in measure.SUPPORTED_PARAMS.items()])
    yield _wrapped(
        "irdiv.evaluate and 'irdiv eval' pass ir_measures the highest grade of each document over intents; "
        "ir_measures itself uses the last row of a document."
    )
    extension = registry.find(measure.NAME, load=False)
    if extension is not None:
        own = [p for p in extension.parameters if p.name not in measure.SUPPORTED_PARAMS]
        if own:
            yield _section(
                f"parameters with which irdiv computes {measure.NAME}",
                [f"{p.name}={p.default!r}: {p.meaning}{_condition(p)}" for p in own],
            )
    if f"{measure.NAME}-IA" in registry:
        yield f"In {measure.NAME}-IA, D-{measure.NAME} and D#-{measure.NAME} the base measure is irdiv's."


def _describe_parameter(name: str, info: ir_measures.ParamInfo) -> str:
    default = "" if info.default is _NO_DEFAULT else f"={info.default!r}"
    choices = "" if info.choices is _NO_DEFAULT else f" ({', '.join(map(repr, info.choices))})"
    return f"{name}{default}: {info.desc}{choices}"


def _section(title: str, entries: Iterable[str]) -> str:
    return "\n".join([title, *(_wrapped(entry, "  ") for entry in entries)])


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(text, width=100, initial_indent=indent, subsequent_indent=indent + "  " * bool(indent))
