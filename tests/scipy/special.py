"""Functions of scipy.special, within their documented bounds; and the mode of scipy.stats."""
import numpy as np
from draw import TYPES, UNITS, row
from scipy import special, stats

# SciPy's name, the documented bound in ULP, where arguments lie, and what the bound counts in beside the value.
FUNCTIONS = {
    "erf": ("erf", 2, -7, 7, None), "erfc": ("erfc", 5, -6, 9, "tail"), "erfinv": ("erfinv", 4, -1, 1, None),
    "erfcinv": ("erfcinv", 4, 0, 2, None), "gamma": ("gamma", 6, -20, 34, None), "lgamma": ("gammaln", 6, -30, 300, "lgamma"),
    "digamma": ("digamma", 6, -30, 300, "digamma"), "i0": ("i0", 6, -80, 80, None), "i1": ("i1", 6, -80, 80, None),
    "j0": ("j0", 6, -300, 300, "wave"), "j1": ("j1", 6, -300, 300, "wave"), "sigmoid": ("expit", 3, -80, 80, None),
    "exp_m1": ("expm1", 2, -20, 80, None), "ln_1p": ("log1p", 2, -1, 100, None), "cbrt": ("cbrt", 2, -100, 100, None),
    "sinc": (None, 3, -30, 30, None), "softplus": ("softplus", 3, -80, 80, None),
}
ENDS = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -0.5, -2.0, -3.0, np.inf, -np.inf, np.nan]


def scale(kind, value, x):
    """The size that an error of so many ULP is of: with what SciPy's exponent is rounded by."""
    size = np.abs(value)
    if kind == "tail":
        return size * (1 + np.minimum(np.maximum(x, 0) ** 2, 100))
    if kind == "wave":
        return np.maximum(size, np.where(np.abs(x) > 1, np.sqrt(2 / (np.pi * np.maximum(np.abs(x), 1e-300))), 0))
    if kind == "lgamma":
        return np.where(x < 0, np.maximum.reduce([size, np.ones_like(size), np.abs(special.gammaln(np.abs(x)))]), size)
    if kind == "digamma":
        return np.where(x < 0, np.maximum.reduce([size, np.ones_like(size), np.abs(np.pi / np.tan(np.pi * x))]), size)
    return size


def sinc(x):
    """NumPy's rounds the angle, which near whole numbers is all of the value."""
    turns = np.rint(x)
    return np.where(x == 0, 1, np.where(turns % 2 == 0, 1, -1) * np.sin(np.pi * (x - turns)) / (np.pi * x))


def function(d):
    what, type_ = d.pick(list(FUNCTIONS)), d.floating()
    name, ulps, low, high, kind = FUNCTIONS[what]
    x = np.concatenate([d.rng.uniform(low, high, d.whole(1, 40)), ENDS, 10.0 ** d.rng.uniform(-30, 0, 4), np.rint(d.rng.uniform(low, high, 4))])
    # At infinities SciPy gives NaN, for lgamma minus infinity; we give limits, which the pages name.
    if name in ("i0", "i1", "j0", "j1", "gammaln"):
        x = x[~np.isinf(x)]
    x = x.astype(TYPES[type_]).astype(float)
    with np.errstate(all="ignore"):
        value = sinc(x) if name is None else getattr(special, name)(x)
        # SciPy's own error in f64 may be ten times ours, where angles are large a hundred times.
        units = 2 * UNITS[type_] * (ulps if type_ == "f32" else 300 if kind == "wave" else 24)
        bounds = units * scale(kind, value, x) + (2.0**-125 if type_ == "f32" else 2.0**-1020)
        value = value.astype(TYPES[type_]).astype(float)
    bounds = np.where(np.isfinite(bounds), bounds, 0)
    return {**row(what, type_, x, [value], 0), "bounds": bounds}


def beta(d):
    type_, count = d.floating(), d.whole(1, 30)
    a, b, x = 10.0 ** d.rng.uniform(-2, 2, count), 10.0 ** d.rng.uniform(-2, 2, count), d.rng.uniform(0, 1, count)
    x[: count // 4] = np.resize([0.0, 1.0, 0.5], count // 4)
    a, b, x = (given.astype(TYPES[type_]).astype(float) for given in (a, b, x))
    value = special.betainc(a, b, x)
    with np.errstate(all="ignore"):
        size = np.where(x > (a + 1) / (a + b + 2), 1, value) * (60 + a + b + 2 * np.abs(np.log(np.maximum(value, 1e-300))))
    bounds = 2 * UNITS[type_] * size * (1 if type_ == "f32" else 8) + (2.0**-125 if type_ == "f32" else 2.0**-1000)
    return {**row("betainc", type_, x, [value], 0, a=a, b=b), "bounds": bounds}


def mode(d):
    type_ = d.pick(["f32", "f64", "i32", "u8"])
    x = d.values(type_, d.shape(d.pick([1, 2, 3])))
    found = stats.mode(x, axis=None)
    return row("mode", type_, x, [found.mode, found.count], 0, view=d.view())


FAMILIES = [function, function, beta, mode]
