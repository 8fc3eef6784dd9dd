"""Results as a table, as JSON and as a plot."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from textwrap import fill
from typing import Any

from benchmarks.timing import Comparison, Growth

RESULTS = Path(__file__).parent / "results"
PACKAGES = ["irdiv", "numpy", "pandas", "pyarrow", "scipy", "polars", "ir_measures", "pyndeval", "pytrec_eval-terrier"]
PACKAGES += ["ranx", "pyNTCIREVAL", "pyspark"]


def machine() -> dict[str, Any]:
    """Return what the figures depend on."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def print_machine() -> None:
    """Print what the figures depend on, and headings."""
    found = machine()
    packages = ", ".join(f"{name} {number}" for name, number in found["packages"].items())
    print(f"{found['system']}, {found['cores']} cores, Python {found['python']}\n{packages}\n")
    print(f"{'':62}{'median':>11}{'memory':>10}{'ratio':>9}{'target':>8}")


def print_comparison(found: Comparison) -> None:
    """Print a workload, a line for each side; a ratio is how many times as long as irdiv it takes."""
    print(f"({found.workload}) {found.name}" if len(found.workload) == 1 else found.name)
    for place, side in enumerate(found.sides):
        ratio = f"{side.median / found.ours.median:8.2f}x" if place else ""
        target = f"{found.target:g}x" if found.target and place == 1 else ""
        memory = "" if side.megabytes is None else f"{side.megabytes:7.0f} MB"
        print(f"    {side.name:58}{1e3 * side.median:8.1f} ms{memory:>10}{ratio:>9}{target:>8}")


def print_growth(found: Growth) -> None:
    """Print how time and memory grow."""
    print(f"({found.workload}) {found.name}")
    for point in found.points:
        parts = {name: point[name] for name in ("compile", "first", "score", "seconds") if name in point}
        shown = "".join(f"  {name} {1e3 * value:9.1f} ms" for name, value in parts.items())
        topics = point.get("topics", 0) / (parts.get("seconds") or parts["score"])
        speed = f"  {topics:9,.0f} topics/s" if topics else ""
        print(f"    {point['size']:>9,}{shown}{speed}  {point['gigabytes']:5.2f} GB")


def save(name: str, comparisons: Sequence[Comparison], growths: Sequence[Growth]) -> list[Path]:
    """Write JSON and a plot; return their paths."""
    RESULTS.mkdir(exist_ok=True)
    content = {
        "machine": machine(),
        "comparisons": [found.as_json() for found in comparisons],
        "growth": [found.as_json() for found in growths],
    }
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(content, indent=1) + "\n")
    picture = RESULTS / f"{name}.svg"
    draw(comparisons, growths, picture)
    return [path, picture]


def draw(comparisons: Sequence[Comparison], growths: Sequence[Growth], path: Path) -> None:
    """Draw ratios as bars, and growth as curves."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "irdiv", "svg.fonttype": "none", "font.size": 9})
    matplotlib.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})
    from matplotlib import pyplot

    bars = [
        (f"{found.name}: {side.name}", side.median / found.ours.median, found.target if place == 0 else None)
        for found in comparisons
        for place, side in enumerate(found.sides[1:])
    ]
    rows = len(growths) and -(-len(growths) // 3)
    height = 0.26 * len(bars) + 1
    figure = pyplot.figure(figsize=(11, height + 3 * rows), layout="constrained")
    upper, *lower = figure.subfigures(
        2 if rows else 1, 1, height_ratios=[height, 3 * rows] if rows else None, squeeze=False
    )[:, 0]
    axes = upper.subplots()
    places = range(len(bars))[::-1]
    colors = ["#2a6f97" if ratio >= 1 else "#b56576" for _, ratio, _ in bars]
    axes.barh(places, [ratio - 1 for _, ratio, _ in bars], left=1, color=colors)
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(places, [name for name, _, _ in bars], fontsize=8)
    axes.margins(x=0.1, y=0.01)
    for place, (_, ratio, target) in zip(places, bars, strict=True):
        side = "left" if ratio >= 1 else "right"
        axes.annotate(f" {ratio:.3g} ", (ratio, place), va="center", ha=side, fontsize=8)
        if target:
            axes.plot([target, target], [place - 0.45, place + 0.45], color="#f4a259", linewidth=2)
    axes.set_xlabel("times as long as irdiv takes (median); orange: the target")
    if lower:
        grid = lower[0].subplots(rows, 3, squeeze=False).ravel()
        for axes, growth in zip(grid, growths, strict=False):
            for name, style in (("seconds", "o-"), ("compile", "s--"), ("score", "o-")):
                points = [(point["size"], point[name]) for point in growth.points if name in point]
                if points:
                    axes.loglog(*zip(*points, strict=True), style, label=name, markersize=4)
            axes.set_title(fill(growth.name, 42), fontsize=8)
            axes.set_ylabel("seconds")
            axes.legend(fontsize=7, frameon=False)
        for axes in grid[len(growths) :]:
            axes.remove()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
