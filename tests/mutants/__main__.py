"""Changes the code at random places, one at a time, and runs the tests of each: all changes are to fail one.

``python -m tests.mutants record -n 2``, once, in a checkout with ``pip install pytest-cov`` and Python 3.11 or newer;
then ``python -m tests.mutants run --sample 500 --seed 1``. Survivors are printed, and tried again by ``run --again``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import traceback
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import tomllib

from .changes import Mutant, mutants_of
from .covering import CoveringTests, record
from .trials import Note, Trial, by_import, in_place

PACKAGE = Path("src/irdiv")
PACKAGES = ["kernels", "arrays", "measures", "stats", "frames", "intents"]
_OTHERS = (
    "hypothesis", "ir_datasets", "ir_measures", "narwhals", "pandas", "pyarrow.compute", "pyarrow.dataset",
    "scipy.optimize", "scipy.stats", "tqdm",
)  # fmt: skip
FOLDER = Path("build/mutants")
EQUIVALENT = Path(__file__).with_name("equivalent.toml")


def main() -> int:
    """Return 1 if a mutant survives."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True, dest="command")
    commands.add_parser("record", help="run the tests and record which lines each runs; takes options of pytest")
    run = commands.add_parser("run", help="try mutants")
    run.add_argument("--sample", type=int, help="how many; all by default")
    run.add_argument("--seed", type=int, default=0)
    run.add_argument("--files", nargs="+", default=PACKAGES, help="packages or modules, such as kernels/novelty.py")
    run.add_argument("--again", type=Path, metavar="RESULTS", help="those that survived in a file of results")
    run.add_argument("--jobs", type=int, default=os.cpu_count())
    run.add_argument("--seconds", type=float, default=40, help="of tests for each mutant")
    run.add_argument("--each", type=int, default=4, help="of a test with many parameters, so many of them")
    run.add_argument(
        "--tests", nargs="+", default=[], help="run these first, such as tests that are newer than the record"
    )
    run.add_argument("--results", type=Path, default=FOLDER / "results.jsonl")
    arguments, rest = parser.parse_known_args()
    if arguments.command == "record":
        return record(FOLDER, PACKAGE, rest)
    if rest:
        parser.error(f"unknown: {rest}")
    return try_all(choose(arguments), arguments)


def choose(arguments: argparse.Namespace) -> list[Mutant]:
    """Return the mutants to try, in random order."""
    if arguments.again:
        wanted = {(r["path"], r["before"], r["after"]) for r in _read(arguments.again) if r["outcome"] == "survived"}
        files = sorted({path for path, *_ in wanted})
        found = [mutant for path in files for mutant in mutants_of(PACKAGE, path)]
        return [mutant for mutant in found if (mutant.path, mutant.before, mutant.after) in wanted]
    files = []
    for name in arguments.files:
        path = PACKAGE / name
        files += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    found = [mutant for file in files for mutant in mutants_of(PACKAGE, str(file.relative_to(PACKAGE)))]
    print(f"{len(found)} mutants of {len(files)} files")
    return Random(arguments.seed).sample(found, min(arguments.sample or len(found), len(found)))


def try_all(mutants: list[Mutant], arguments: argparse.Namespace) -> int:
    """Try mutants, write what became of each, and print those that survived.

    Those of functions are tried in place, and by import if they survive that.
    """
    with EQUIVALENT.open("rb") as file:
        equivalent = {(m["path"], m["before"], m["after"]) for m in tomllib.load(file)["mutant"]}
    covering = CoveringTests(FOLDER, PACKAGE)
    _import_others()
    arguments.results.parent.mkdir(parents=True, exist_ok=True)
    arguments.results.unlink(missing_ok=True)

    def note(mutant: Mutant, outcome: str, last: str) -> None:
        row: dict[str, Any] = {"outcome": outcome, **mutant._asdict(), "last": last}
        with arguments.results.open("a") as results:
            print(json.dumps(row, ensure_ascii=False), file=results)

    trials: list[Trial] = []
    for number, mutant in enumerate(mutants):
        tests, seconds = covering.of(mutant, arguments.seconds, arguments.each, Random(number))
        if (mutant.path, mutant.before, mutant.after) in equivalent:
            note(mutant, "equivalent", "")
        elif tests := arguments.tests + tests:
            trials.append(Trial(mutant, tests, seconds + 60 * len(arguments.tests)))
        else:
            note(mutant, "survived", "no test runs it")
    _in_place_elsewhere([trial for trial in trials if trial.mutant.in_function], arguments.jobs, note)
    tried = {(row["path"], row["index"]) for row in _read(arguments.results)}
    rest = [trial for trial in trials if (trial.mutant.path, trial.mutant.index) not in tried]
    print(f"{len(rest)} of {len(mutants)} are left to try by import", flush=True)
    by_import(PACKAGE.resolve(), rest, arguments.jobs, note)
    rows = _read(arguments.results)
    for row in rows:
        if row["outcome"] in ("survived", "not run"):
            print("\n{path}:{first_line}\n- {before}\n+ {after}\n  {last}".format(**row))
    counts = Counter(row["outcome"] for row in rows)
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()))
    return int(counts["survived"] > 0)


def _in_place_elsewhere(trials: list[Trial], jobs: int, note: Note) -> None:
    """Note the mutants that are killed in place, in a process that imports irdiv, as this one is not to."""

    def note_killed(mutant: Mutant, outcome: str, last: str) -> None:
        if outcome in ("killed", "timed out"):
            note(mutant, outcome, last)

    process = os.fork()
    if process:
        _, status = os.waitpid(process, 0)
        if status:
            raise RuntimeError("mutants could not be tried in place")
        return
    try:
        in_place(PACKAGE.resolve(), trials, jobs, note_killed)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def _read(results: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []


def _import_others() -> None:
    """Import what irdiv and its tests import, once for all trials; not polars, whose threads do not survive a fork."""
    for name in _OTHERS:
        importlib.import_module(name)
    assert "irdiv" not in sys.modules


if __name__ == "__main__":
    sys.exit(main())
