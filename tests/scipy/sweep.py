#!/usr/bin/env python3
"""Cases with SciPy's answers: seeded calls of filters, transforms and special functions, for `cargo test --test scipy`.

    python3 -m venv venv && venv/bin/pip install numpy==2.4.6 scipy==1.17.1
    venv/bin/python tests/scipy/sweep.py --count 100 --seed 1 > tests/scipy/kept.json      # the kept ones
    venv/bin/python tests/scipy/sweep.py --count 2500 --seed 2 > /tmp/cases.json
    CROSSLANE_SCIPY_CASES=/tmp/cases.json cargo test --all-features -p crosslane-tests --test scipy

A case is a call with its arguments, the element type, and one or more results in double precision; each value must lie
within the case's bound, 0 where results are exact. What the documentation says to be different from SciPy is not drawn.
"""
import argparse
import json
import sys

import filters
import images
import numpy as np
import scipy
import signals
import special
import spectra
from draw import Draw, kept

FAMILIES = filters.FAMILIES + images.FAMILIES + signals.FAMILIES + spectra.FAMILIES + special.FAMILIES


def case(seed, number, family):
    """The case of a number: drawn again where SciPy refuses what was drawn."""
    for attempt in range(200):
        try:
            row = family(Draw(np.random.default_rng([seed, number, attempt])))
        except ValueError as refused:
            print(f"{family.__name__}: {refused}", file=sys.stderr)
            continue
        if row is None:
            continue
        given = {name: kept(value) if isinstance(value, np.ndarray) else value for name, value in row.items()}
        # Of f32 no more digits than matter; bounds are rounded.
        exact = row["type"] == "f64" or row["bound"] == 0 and "bounds" not in row
        given["results"] = [kept(result, 17 if exact else 10) for result in row["results"]]
        if "bounds" in row:
            given["bounds"] = kept(row["bounds"], 3)
        return {"id": f"{family.__name__}-{number}", **given}
    raise RuntimeError(f"{family.__name__} draws nothing")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--count", type=int, default=100)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--family", help="only this one")
    given = options.parse_args()
    families = [family for family in FAMILIES if given.family in (None, family.__name__)]
    rows = [case(given.seed, number, families[number % len(families)]) for number in range(given.count)]
    print(f'{{"seed": {given.seed}, "scipy": "{scipy.__version__}", "cases": [')
    print(",\n".join(json.dumps(row, separators=(",", ":")) for row in rows))
    print("]}")


if __name__ == "__main__":
    main()
