#!/usr/bin/env python3
"""Cases with NumPy's answers: seeded programs over the array API, for `cargo test --test numpy`.

    python3 -m venv venv && venv/bin/pip install numpy==2.4.6
    venv/bin/python tests/numpy/sweep.py --count 400 --seed 1 > tests/numpy/kept.json      # the kept ones
    venv/bin/python tests/numpy/sweep.py --count 3000 --seed 2 --full > /tmp/cases.json
    CROSSLANE_NUMPY_CASES=/tmp/cases.json cargo test --all-features -p crosslane-tests --test numpy

A case is a list of steps, each `[operation, [steps that are its arguments], parameters..]`; inputs are drawn from a seed
here (inputs.py) and in the test (inputs.rs) alike. The last step's value is compared: exactly, or each element within a
bound of the reference in double precision. Of long results a sample is kept, and for exact ones a hash of each part;
`--full` keeps all values.
"""
import argparse
import json
import math
import sys

import numpy as np
from cases import FAMILIES
from cases_sums import formed
from inputs import FORMATS, NAMES, TABLES, TYPES, hashes, mix
from program import Program
from meaning import Near, Skip

# Values of a result that are kept as they are, of longer ones so many, and parts of those that are hashed.
WHOLE, SAMPLE, PARTS = 40, 12, 16


def text(x):
    """The shortest text that reads back as the value."""
    if isinstance(x, (bool, np.bool_)):
        return str(int(x))
    if isinstance(x, np.floating):
        if np.isnan(x):
            return "nan"
        short = np.format_float_scientific(x, unique=True, trim="-", exp_digits=1) if x != 0 and np.isfinite(x) else str(x)
        plain = str(x)
        return min(short, plain, key=len).removesuffix(".0")
    return str(x)


def bound_text(x):
    """A bound, rounded up."""
    return text(np.float64(f"{x * 1.005:.2e}")) if x else "0"


def hashed(values):
    """A hash of values, signs of zeros and NaN's payloads aside."""
    flat = values.ravel()
    if flat.dtype.kind == "f":
        flat = np.where(flat == 0, flat.dtype.type(0), np.where(np.isnan(flat), flat.dtype.type(np.nan), flat))
    raw = flat.view(f"u{flat.dtype.itemsize}").astype(np.uint64)
    with np.errstate(over="ignore"):
        words = mix(raw + np.arange(1, flat.size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
        return f"{int(np.sum(words, dtype=np.uint64)) & 0xFFFFFFFF:08x}"


def wanted(value, full):
    near = isinstance(value, Near)
    values = np.asarray(value.values if near else value)
    type_ = value.type if near else values.dtype
    out = {"dtype": NAMES[np.dtype(type_)], "shape": list(values.shape)}
    flat, count = values.ravel(), values.size
    if full or count <= WHOLE:
        places = np.arange(count)
    else:
        # The first few and some others: always the same.
        others = hashes(count, SAMPLE) % np.uint64(count)
        places = np.unique(np.concatenate([[0, 1, 2, count - 1], others.astype(np.int64)]))
        out["at"] = " ".join(map(str, places))
    out["values"] = " ".join(text(flat[i] if not near or type_ == np.float64 else np.float64(f"{flat[i]:.11g}")) for i in places)
    if near:
        bounds = value.bound.ravel()[places]
        bounds = [bound_text(b) if math.isfinite(b) else "0" for b in bounds]
        out["bounds"] = bounds[0] if len(set(bounds)) == 1 else " ".join(bounds)
        out["why"] = value.why
    elif not full and count > WHOLE:
        part = -(-count // PARTS)
        out["hashes"] = " ".join(hashed(flat[i:i + part]) for i in range(0, count, part))
    return out


def case(seed, number, family):
    """The case of a number; drawn until it means something."""
    for attempt in range(200):
        program = Program(np.random.default_rng([seed, number, attempt]))
        try:
            family(program)
            value, steps = program.values[-1], program.steps
            used = {len(steps) - 1}
            for i in reversed(range(len(steps))):
                if i in used:
                    used.update(steps[i][1])
            if any(isinstance(program.values[i], Near) for i in used - {len(steps) - 1}):
                continue
        except Skip:
            continue
        except (ValueError, IndexError):
            # What NumPy refuses is no case here: tests/errors.rs has those.
            continue
        number_of = {old: new for new, old in enumerate(sorted(used))}
        steps = [[s[0], [number_of[i] for i in s[1]], *s[2:]] for i, s in enumerate(steps) if i in used]
        return steps, value
    raise RuntimeError(f"{family.__name__} draws nothing")


def record(id_, steps, value, full, **more):
    return {"id": id_, "steps": steps, **more, "want": wanted(value, full)}


def first_found(full):
    """What the sweep was written for: on an H100 this had neighbours swapped, as CUDA's text alone."""
    for shape in ([257, 257], [256, 257], [257, 256]):
        for name in ("cummax", "cummin", "cumsum"):
            p = Program(np.random.default_rng(19))
            i = formed(p, p.input("i32", shape, "small"), "negated and flipped", 0)
            value = p.values[p.op(name, [i], 0)]
            yield record(f"{name}-of-flipped-{shape[0]}x{shape[1]}", p.steps, value, full)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--count", type=int, default=400)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--family", help="only this one")
    options.add_argument("--full", action="store_true", help="keep all values of each result")
    given = options.parse_args()
    names = {f.__name__: f for f in FAMILIES}
    order = [f for f, often in FAMILIES.items() for _ in range(often)]
    order = [order[i] for i in np.random.default_rng(7).permutation(len(order))]
    print("{")
    tables = {f"{n} {kind}": " ".join(text(TYPES[n](v)) for v in table(n))
              for kind, table in TABLES.items() for n in TYPES if kind == "special" or n in FORMATS}
    print(f'"seed": {given.seed}, "numpy": "{np.__version__}",\n"tables": {json.dumps(tables)},\n"cases": [')
    lines = [] if given.family else list(first_found(given.full))
    for number in range(given.count - len(lines)):
        family = names[given.family] if given.family else order[number % len(order)]
        steps, value = case(given.seed, number, family)
        lines.append(record(f"{family.__name__}-{number}", steps, value, given.full))
        if family.__name__ == "subnormals":
            lines[-1]["subnormal"] = True
    print(",\n".join(json.dumps(line, separators=(",", ":")) for line in lines))
    print("]}")


if __name__ == "__main__":
    sys.path.insert(0, ".")
    main()
