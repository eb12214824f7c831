"""How the references say what an operation means: exactly, or in higher precision with a bound for each element."""
import math
import warnings

import numpy as np
from inputs import FORMATS, NAMES

warnings.filterwarnings("ignore")
OPERATIONS = {}


class Skip(Exception):
    """A case that means nothing: it is drawn anew."""


class Near:
    """Values in double precision, how far from each a result may lie, and why."""

    def __init__(self, type_, values, bound, why):
        self.type, self.why = np.dtype(type_), why
        self.values = np.asarray(values, np.float64)
        self.bound = np.broadcast_to(np.asarray(bound, np.float64), self.values.shape)


def operation(*names):
    def keep(function):
        for name in names:
            OPERATIONS[name] = function
        return function
    return keep


def wide(x):
    return np.asarray(x).astype(np.float64)


def ulp(type_, values):
    """The distance of neighbouring numbers of a type at these values."""
    bits, high = FORMATS[NAMES[np.dtype(type_)]]
    least = float(np.finfo(type_).smallest_normal)
    size = np.clip(np.nan_to_num(np.abs(values), posinf=0.0), least, float(np.finfo(type_).max))
    return 2.0 ** (np.floor(np.log2(size)) - bits)


def near_ulp(type_, values, n):
    """Within n ULP of f32; halves are computed in f32 and rounded once."""
    bound = n * ulp(type_, values)
    if np.dtype(type_) == np.float64:
        # The reference is a double too.
        bound = (n + 1) * ulp(type_, values)
    if np.dtype(type_) == np.float16:
        bound = n * ulp(np.float32, values) + 0.5 * ulp(type_, values)
    return Near(type_, values, bound, f"{n} ULP, as documented")


def eps(x):
    """Half a unit in the last place of what sums are added up in: f32 for halves."""
    return {"f16": 2.0**-24, "f32": 2.0**-24, "f64": 2.0**-53}[NAMES[x.dtype]]


def rounded(near):
    """A bound with one more rounding, to halves."""
    if near.type == np.float16:
        near.bound = near.bound + 0.5 * ulp(np.float16, near.values)
    return near


def exactly(name, function):
    OPERATIONS[name] = function


def is_float(x):
    return x.dtype.kind == "f"


def extent(x, axes):
    return math.prod(x.shape[a] for a in (range(x.ndim) if axes is None else axes))


def parse(text, type_):
    """A scalar as Rust parses it."""
    kind = np.dtype(type_).kind
    if kind == "b":
        return np.bool_(text == "1")
    return np.dtype(type_).type(float(text) if kind == "f" else int(text))
