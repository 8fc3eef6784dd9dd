"""Measure irdiv and what users would pick instead, side by side: ``python -m benchmarks``."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterable

from benchmarks import report
from benchmarks.campaign import campaigns
from benchmarks.growth import growths
from benchmarks.logs import logs
from benchmarks.pages import pages
from benchmarks.spark import spark
from benchmarks.timing import Comparison, Growth
from benchmarks.workloads import ALL

WORKLOADS = {
    **{name: (workload.__doc__ or "").removeprefix(f"({name}) ") for name, workload in ALL.items()},
    "f": "How time and memory grow with topics, depth, intents, documents, runs, measures and layers of trees.",
    "h": "What a topic costs on Spark.",
    "i": "Parquet files of many topics, by queries in DuckDB and polars too.",
    "l": "Statistics of a campaign: time and memory of tests of all pairs of up to 150 runs.",
    "m": "irdiv report beside irdiv eval, 40 run files by ten measures.",
}


def main() -> None:
    """Measure what is asked for, print it, and keep it under a name if one is given."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure irdiv and what users would pick instead, side by side.",
        epilog="workloads:\n" + "\n".join(f"  {name:5} {summary}" for name, summary in WORKLOADS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("workloads", nargs="*", metavar="workload", help="some of those below; all by default")
    parser.add_argument("--quick", action="store_true", help="leave out the largest sizes of growth, and Spark")
    parser.add_argument("--save", metavar="NAME", help="keep JSON and a plot as benchmarks/results/NAME.*")
    arguments = parser.parse_args()
    unknown = set(arguments.workloads) - set(WORKLOADS)
    if unknown:
        parser.error(f"no workload is called {sorted(unknown)[0]!r}; there are {', '.join(WORKLOADS)}")
    if arguments.save and not arguments.save.replace("-", "").isalnum():
        parser.error(f"--save takes a plain name, of letters, digits and hyphens; found {arguments.save!r}")
    wanted = arguments.workloads or [name for name in WORKLOADS if not (arguments.quick and name == "h")]
    warnings.simplefilter("ignore")

    report.print_machine()
    comparisons: list[Comparison] = []
    grown: list[Growth] = []
    for name in wanted:
        if name in ("f", "l"):
            for growth in (growths if name == "f" else campaigns)(arguments.quick):
                grown.append(growth)
                report.print_growth(growth)
            continue
        others: dict[str, Callable[[], Iterable[Comparison]]] = {
            "h": spark,
            "i": lambda: logs(arguments.quick),
            "m": pages,
        }
        for found in (others.get(name) or ALL[name])():
            comparisons.append(found)
            report.print_comparison(found)
    if arguments.save:
        for path in report.save(arguments.save, comparisons, grown):
            print(f"wrote {path}")


if __name__ == "__main__":
    main()
