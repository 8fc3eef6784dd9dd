"""Scores many random collections by all entry points, and prints what differs.

``PYTHONPATH=tests python -m fuzz --collections 1000 --seed 1``, in a checkout.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections import Counter
from random import Random

from .generate import random_case
from .points import CHEAP, POINTS, differences


def main() -> int:
    """Return 1 if anything differs."""
    parser = argparse.ArgumentParser(prog="PYTHONPATH=tests python -m fuzz", description=__doc__)
    parser.add_argument("--collections", type=int, default=1000, metavar="N")
    parser.add_argument("--seed", type=int, default=0, help="collection n has the seed SEED:n")
    parser.add_argument("--start", type=int, default=0, metavar="N", help="the number of the first collection")
    parser.add_argument("--points", nargs="+", choices=[*POINTS][1:], default=CHEAP, help="entry points beside pandas")
    parser.add_argument("--each", type=int, default=3, help="how many of the points score each collection")
    parser.add_argument("--topics", type=int, default=4, help="at most how many topics a collection has")
    arguments = parser.parse_args()
    scored, failed = Counter[str](), 0
    for number in range(arguments.start, arguments.start + arguments.collections):
        rng = Random(f"{arguments.seed}:{number}")
        case = random_case(rng, arguments.topics)
        able = [name for name in arguments.points if POINTS[name].carries(case)]
        chosen = rng.sample(able, min(arguments.each, len(able)))
        try:
            lines = differences(case, chosen)
        except Exception:
            lines = [traceback.format_exc()]
        scored.update(["pandas", *chosen])
        if lines:
            failed += 1
            print(f"seed {arguments.seed}:{number}, points {chosen}", *lines[:5], f"{case!r}\n", sep="\n", flush=True)
    print(f"{failed} of {scored['pandas']} collections have differences; collections by entry point:")
    print(*(f"{count:8} {name}" for name, count in scored.most_common()), sep="\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
