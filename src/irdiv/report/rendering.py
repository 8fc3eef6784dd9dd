"""Pages as HTML, and the files they are written to."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import ir_measures
import narwhals as nw

from irdiv.analysis.first_documents import counted_intents
from irdiv.analysis.topics import IntentOptions
from irdiv.core.collection import Collection
from irdiv.core.runs import DEFAULT_DUPLICATES, DEFAULT_TIES, Duplicates, Ties
from irdiv.errors import IrdivError, examples, replace_surrogates
from irdiv.evaluation.evaluate import evaluate
from irdiv.evaluation.results import Evaluation
from irdiv.evaluation.selection import requested_measures, requested_names
from irdiv.files import write_atomically
from irdiv.io.columns import find_columns
from irdiv.io.guards import explain_swapped_arguments
from irdiv.io.runs import named_runs
from irdiv.io.tables import QrelsLike, RunLike
from irdiv.measures.spec import NamedMeasures, as_measure_list, parse
from irdiv.progress import shows_progress
from irdiv.report.assembly import make_page
from irdiv.report.drawing import COMPONENTS
from irdiv.report.files import require_page_path
from irdiv.report.page import PageOptions
from irdiv.report.provenance import Provenance, call, inputs_of, inputs_of_evaluation
from irdiv.stats.names import find_measure
from irdiv.stats.options import LEVEL, Rng, TestName
from irdiv.stats.significance import Correction
from irdiv.types import PathLike

if TYPE_CHECKING:
    import jinja2
    from narwhals.typing import IntoDataFrame

DEFAULT_MEASURES = ("D#-nDCG", "I-rec", "D-nDCG", "ERR-IA", "alpha-nDCG", "nDCG")
"""Measures of the leaderboard if no others are given, all at the cutoff of the page."""


@overload
def write_report(
    evaluation: Evaluation[IntoDataFrame], path: PathLike, /, *, force: bool = ..., **options: object
) -> Path: ...
@overload
def write_report(
    qrels: QrelsLike | Collection,
    runs: RunLike | Mapping[str, RunLike],
    path: PathLike,
    /,
    *,
    force: bool = ...,
    **options: object,
) -> Path: ...
def write_report(*source_and_path: Any, force: bool = False, **options: Any) -> Path:
    """Write the page about an evaluation, or about qrels and runs, and return its path.

    ``write_report(evaluation, path)`` or ``write_report(qrels, runs, path)``.

    Parameters
    ----------
    evaluation, qrels, runs, **options
        As for `render`.
    path
        Where to write the page.
    force
        Also overwrite a file that is not a page of irdiv.
    """
    if len(source_and_path) not in (2, 3):
        raise IrdivError(
            "expected write_report(evaluation, path) or write_report(qrels, runs, path), found "
            f"{len(source_and_path)} arguments without a name."
        )
    *source, path = source_and_path
    target = require_page_path(path, force=force)
    page = render(*source, **options)
    with write_atomically(target) as file:
        file.write_text(page, encoding="utf-8")
    return target


@shows_progress
def render(
    source: Evaluation[IntoDataFrame] | QrelsLike | Collection,
    runs: RunLike | Mapping[str, RunLike] | None = None,
    *,
    measures: NamedMeasures | None = None,
    baseline: str | None = None,
    cutoff: int = 10,
    topic_texts: Mapping[str, str] | None = None,
    intent_descriptions: Mapping[tuple[str, str], str] | None = None,
    title: str = "Diversity evaluation",
    test: TestName | None = None,
    correction: Correction = "auto",
    level: float = LEVEL,
    n_resamples: int | None = None,
    rng: Rng = 0,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
    provenance: Provenance | None = None,
    progress: bool = False,
    **parameters: object,
) -> str:
    """Return an HTML page that compares runs.

    Parameters
    ----------
    source
        An `irdiv.Evaluation`, also one of answers; or qrels as for `irdiv.evaluate`, with runs.
    runs
        As for `irdiv.evaluate`; none for an evaluation.
    measures
        Measures of the leaderboard, which is sorted by the first; by default all of the evaluation. With qrels and
        runs, by default D#-nDCG, its components, ERR-IA, α-nDCG and nDCG, all at the cutoff; a mapping from names to
        measures names the columns.
    baseline
        The run that the others are tested against by each measure. Without one, all pairs of runs are tested by the
        first measure, and runs have letters: those that share one do not differ significantly.
    cutoff
        The last rank of which documents are shown, and the cutoff of the default measures.
    topic_texts
        Texts of topics by topic id.
    intent_descriptions
        Descriptions of intents by topic id and intent id, in place of those in the qrels; `descriptions_by_intent`
        makes them from an intent table.
    title
        The heading of the page.
    test
        As in `irdiv.stats.compare`; by default the bootstrap test against a baseline, and the randomized Tukey HSD test
        of all pairs.
    correction
        As in `irdiv.stats.compare`, over the comparisons of each measure. ``"auto"``, the default, is Holm's if there
        are several; the randomized Tukey HSD test needs none.
    level
        The significance level, which the corrected p must be below.
    n_resamples
        By default those of the test, or as many as the correction needs, and 1000 for intervals.
    rng
        The seed of random samples, or a generator.
    ties, duplicates, **parameters
        As for `irdiv.evaluate`; only with qrels and runs.
    provenance
        The command and files that the page names; by default this call and its files.
    progress
        Show progress bars on standard error if that is a terminal.
    """
    environment = make_environment()
    options = PageOptions(
        baseline=baseline,
        cutoff=cutoff,
        topic_texts=topic_texts,
        intent_descriptions=intent_descriptions,
        title=title,
        test=test,
        correction=correction,
        level=level,
        n_resamples=n_resamples,
        rng=rng,
    )
    if isinstance(source, Evaluation):
        evaluation = _without_runs(source, runs, ties=ties, duplicates=duplicates, **parameters)
        shown = chosen_measures(evaluation, measures)
        inputs = inputs_of_evaluation(evaluation)
    else:
        named = _required_runs(runs)
        evaluation, shown = evaluate_for_page(
            source,
            named,
            measures,
            cutoff=cutoff,
            ties=ties,
            duplicates=duplicates,
            parameters=parameters,
        )
        run_inputs = (found for name, run in named.items() for found in inputs_of("run", run, run=name))
        inputs = chain(inputs_of("qrels", source), run_inputs)
    if provenance is None:
        given = {**vars(options), "measures": measures, "ties": ties, "duplicates": duplicates, **parameters}
        provenance = Provenance.now(call("irdiv.report.render", given, default_options()), inputs)
    page = make_page(evaluation, shown, options, provenance)
    return fill_template(environment, "report.html", page=page)


def evaluate_for_page(
    qrels: QrelsLike | Collection,
    runs: Mapping[str, RunLike],
    measures: NamedMeasures | None,
    *,
    cutoff: int,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
    parameters: Mapping[str, object],
) -> tuple[Evaluation[IntoDataFrame], list[ir_measures.Measure]]:
    """Return an evaluation by measures and those of the figures, all at once, and the measures of the leaderboard."""
    with explain_swapped_arguments(qrels, runs.values()):
        collection = Collection.of(qrels, warn=False)
    requested = measures or [f"{name}@{cutoff}" for name in DEFAULT_MEASURES]
    shown = requested_measures(requested, parameters)
    components: list[ir_measures.Measure] = []
    # A figure is no reason to refuse qrels without the probabilities that its measures need.
    if collection.has_intents and counted_intents(collection, IntentOptions()).probability is not None:
        specs = [f"{name}@{cutoff}" for name in COMPONENTS]
        known = {name for spec in specs for name in parse(spec).SUPPORTED_PARAMS}
        components = requested_measures(specs, {name: parameters[name] for name in parameters if name in known})
    evaluation = evaluate(collection, runs, [*shown, *components], ties=ties, duplicates=duplicates)
    return replace(evaluation, names=requested_names(requested, parameters)), shown


def chosen_measures(evaluation: Evaluation[IntoDataFrame], measures: NamedMeasures | None) -> list[ir_measures.Measure]:
    """Return the measures of an evaluation that are given by name or spec; all by default."""
    if isinstance(measures, Mapping):
        raise IrdivError(
            "measures={…} names the columns of measures that are evaluated; the evaluation has its own names: give a "
            f"list of some of {examples(evaluation.specs(), 9)}."
        )
    if measures is None:
        return list(evaluation.measures)
    found = (find_measure(evaluation.specs(), measure, evaluation.names) for measure in as_measure_list(measures))
    return [evaluation.measures[index] for index in dict.fromkeys(found)]


def _without_runs(evaluation: Evaluation[IntoDataFrame], runs: object, **options: object) -> Evaluation[IntoDataFrame]:
    """Return an evaluation; it is an error to give runs, or how they are scored, with it."""
    defaults = {"ties": DEFAULT_TIES, "duplicates": DEFAULT_DUPLICATES}
    given = [name for name, value in options.items() if value != defaults.get(name)]
    if runs is not None or given:
        found = "runs" if runs is not None else given[0]
        raise IrdivError(
            f"{found} cannot be given with an evaluation, whose runs are scored; give qrels and runs instead of it, or "
            f"leave {found} out."
        )
    return evaluation


def _required_runs(runs: RunLike | Mapping[str, RunLike] | None) -> dict[str, RunLike]:
    if runs is None:
        raise IrdivError("expected an evaluation, or qrels and runs; found one argument that is no evaluation.")
    return named_runs(runs)


def default_options() -> dict[str, object]:
    """Return the defaults of the options of `render`."""
    return {name: parameter.default for name, parameter in inspect.signature(render).parameters.items()}


def make_environment() -> jinja2.Environment:
    """Return the environment of templates; it is an error if what reports need is not installed."""
    # The absence of matplotlib is an error before anything is computed; importing it takes long.
    if find_spec("jinja2") is None or find_spec("matplotlib") is None:
        raise IrdivError("reports need jinja2 and matplotlib: pip install 'irdiv[report]'.")
    import jinja2

    return jinja2.Environment(
        loader=jinja2.PackageLoader("irdiv.report", "templates"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )


def fill_template(environment: jinja2.Environment, name: str, **values: object) -> str:
    """Return a page as HTML that can be written as UTF-8, whatever the names of files."""
    return replace_surrogates(environment.get_template(name).render(**values))


def descriptions_by_intent(intent_table: IntoDataFrame) -> dict[tuple[str, str], str]:
    """Return the descriptions of an intent table by topic id and intent id; none if it has no such column."""
    frame = nw.from_native(intent_table, eager_only=True)
    names = find_columns(frame.columns, "intents", ("query_id", "intent_id"), ("description",))
    if "description" not in names:
        return {}
    rows = frame.select(names["query_id"], names["intent_id"], names["description"]).iter_rows()
    return {(str(query_id), str(intent_id)): text for query_id, intent_id, text in rows if isinstance(text, str)}
