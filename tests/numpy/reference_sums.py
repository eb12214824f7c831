"""What reductions, scans, products and normalisations mean in NumPy."""
import math

import numpy as np
from inputs import TYPES
from meaning import OPERATIONS, Near, Skip, eps, exactly, extent, is_float, operation, parse, rounded, ulp, wide

# Reductions and scans.
def axes_of(axes):
    return None if axes is None else tuple(axes)


def reducing(name, function):
    exactly(name, lambda x, axes, keep: np.asarray(function(x, axis=axes_of(axes), keepdims=keep)))


reducing("min", np.min), reducing("max", np.max), reducing("any", np.any), reducing("all", np.all)


@operation("count_nonzero")
def count_nonzero(x, axes, keep):
    return np.asarray(np.count_nonzero(x, axes_of(axes), keepdims=keep)).astype(np.uint32)


def position(name, x, axes, keep):
    reduced = sorted(a % x.ndim for a in axes) if axes is not None else list(range(x.ndim))
    kept = [a for a in range(x.ndim) if a not in reduced]
    rows = x.transpose(kept + reduced).reshape([x.shape[a] for a in kept] + [-1] if x.size else
                                               [x.shape[a] for a in kept] + [math.prod(x.shape[a] for a in reduced)])
    found = np.asarray({"arg_min": np.argmin, "arg_max": np.argmax}[name](rows, -1)).astype(np.uint32)
    return found.reshape([1 if a in reduced else x.shape[a] for a in range(x.ndim)]) if keep else found


def depth(n):
    """Roundings on the way of an element into a sum of n: a tree over what one invocation adds up."""
    return 32 + math.ceil(math.log2(n + 1))


@operation("sum")
def sum_(x, axes, keep):
    if not is_float(x):
        return np.asarray(np.sum(x, axis=axes_of(axes), keepdims=keep, dtype=x.dtype))
    how = dict(axis=axes_of(axes), keepdims=keep)
    bound = depth(extent(x, axes)) * eps(x) * np.sum(np.abs(wide(x)), **how)
    return rounded(Near(x.dtype, np.sum(x.astype(np.longdouble), **how), bound, "roundings of the sum of magnitudes"))


@operation("product")
def product(x, axes, keep):
    return np.asarray(np.prod(x, axis=axes_of(axes), keepdims=keep, dtype=x.dtype))


@operation("mean")
def mean(x, axes, keep):
    near = sum_(x, axes, keep)
    n = extent(x, axes)
    values = near.values / n if n else near.values * np.nan
    plain = depth(n) * eps(x) * np.mean(np.abs(wide(x)), axis=axes_of(axes), keepdims=keep) if n else 0
    return rounded(Near(x.dtype, values, plain + 3 * ulp(np.float64 if x.dtype == np.float64 else np.float32, values), "a sum and a division"))


def spread(x, axes, keep, freedom):
    """Mean and variance and a bound of the variance."""
    how, n, long = dict(axis=axes_of(axes), keepdims=keep), extent(x, axes), x.astype(np.longdouble)
    value = np.var(long, ddof=freedom, **how) if n > freedom else np.full_like(np.sum(long, **how), np.nan)
    scale = n / max(n - freedom, 1)
    middle = np.mean(np.abs(wide(x)), **how) if n else value * 0
    # The mean may be off by its own bound: that squared is added. Distances from it are rounded, summed and divided.
    bound = (depth(n) + 8) * eps(x) * np.abs(value) + scale * (depth(n) * eps(x) * middle) ** 2
    return wide(value), np.asarray(wide(bound))


@operation("variance")
def variance(x, axes, keep, freedom):
    values, bound = spread(x, axes, keep, freedom)
    if extent(x, axes) <= freedom:
        raise Skip
    return rounded(Near(x.dtype, values, bound, "roundings, and the square of the mean's"))


@operation("std")
def std(x, axes, keep, freedom):
    values, bound = spread(x, axes, keep, freedom)
    if extent(x, axes) <= freedom:
        raise Skip
    root = np.sqrt(values)
    off = np.maximum(np.sqrt(values + bound) - root, root - np.sqrt(np.maximum(values - bound, 0)))
    return rounded(Near(x.dtype, root, off + 3 * ulp(np.float64 if x.dtype == np.float64 else np.float32, root), "of the variance, and a root"))


@operation("mean_variance_mean")
def mean_variance_mean(x, axes, keep, freedom):
    return mean(x, axes, keep)


OPERATIONS["mean_variance_variance"] = variance


@operation("norm")
def norm(x, axes, keep):
    values = np.sqrt(np.sum(np.square(x.astype(np.longdouble)), axis=axes_of(axes), keepdims=keep))
    bound = (depth(extent(x, axes)) + 8) * eps(x) * wide(values)
    return rounded(Near(x.dtype, values, bound, "half of the sum's roundings, and a root"))


# Per scan: what a NumPy ufunc accumulates, from the end or without the element itself.
SCANS = {"cumsum": np.add, "cumprod": np.multiply, "cummin": np.minimum, "cummax": np.maximum}


def identity(name, type_):
    info = np.finfo(type_) if np.dtype(type_).kind == "f" else np.iinfo(type_)
    infinite = np.dtype(type_).kind == "f"
    return {"cumsum": 0, "cumprod": 1, "cummin": np.inf if infinite else info.max,
            "cummax": -np.inf if infinite else info.min}[name]


def scan(name, x, axis, exclusive=False, reverse=False):
    if reverse:
        x = np.flip(x, axis)
    sums, accumulate = name == "cumsum" and is_float(x), SCANS[name].accumulate
    data = x.astype(np.longdouble) if sums else x
    out = accumulate(data, axis, **({} if sums else {"dtype": x.dtype}))
    size = np.add.accumulate(np.abs(wide(x)), axis) if sums else None
    def turned(values, first):
        if exclusive and values.shape[axis]:
            values = np.concatenate([np.full_like(np.take(values, [0], axis), first),
                                     np.take(values, range(values.shape[axis] - 1), axis)], axis)
        return np.flip(values, axis) if reverse else values
    first = identity(name, x.dtype)
    if not sums:
        return turned(out, first)
    n = x.shape[axis]
    return rounded(Near(x.dtype, turned(out, 0), depth(n) * eps(x) * turned(size, 0), "some tens of roundings of the sum of magnitudes"))


# Products.
def products(x, multiply, k):
    if x[0].dtype.kind != "f":
        return np.asarray(multiply(*x))
    values = np.asarray(multiply(*[wide(a) for a in x]))
    size = np.asarray(multiply(*[np.abs(wide(a)) for a in x]))
    return rounded(Near(x[0].dtype, values, max(k, 1) * 2 * eps(x[0]) * size, "k eps of the sum of magnitudes, as documented"))


exactly("matmul", lambda a, b: products([a, b], np.matmul, a.shape[-1]))
exactly("dot", lambda a, b: products([a, b], np.dot, a.shape[-1] if a.ndim else 1))
exactly("inner", lambda a, b: products([a, b], np.inner, a.shape[-1] if a.ndim else 1))
exactly("vecdot", lambda a, b: products([a, b], lambda a, b: (a * b).sum(-1, dtype=a.dtype), a.shape[-1]))
exactly("outer", lambda a, b: products([a, b], np.outer, 1))
exactly("tensordot", lambda a, b, u, v: products([a, b], lambda a, b: np.tensordot(a, b, (u, v)), math.prod(a.shape[i] for i in u)))


@operation("einsum")
def einsum(*given):
    *x, equation = given
    k = max(math.prod(a.shape) for a in x) + 2
    if x[0].dtype == np.float16 and len(x) > 2:
        raise Skip
    return products(x, lambda *a: np.einsum(equation, *a, dtype=a[0].dtype), k)


# Normalisation: in double precision, with the bounds that the documentation gives.
def shifted(x, axis):
    a = wide(x)
    most = np.max(a, axis, keepdims=True)
    return a, most, a - most


@operation("softmax")
def softmax(x, axis):
    a, most, below = shifted(x, axis)
    share = np.exp(below)
    values = share / share.sum(axis, keepdims=True)
    bound = values * (6e-7 + 1.2e-7 * np.nan_to_num(np.abs(below), posinf=0)) + 2.0**-125
    return rounded(Near(x.dtype, values, np.nan_to_num(bound), "6e-7 of the share and 1.2e-7 for each unit below the largest"))


@operation("log_softmax")
def log_softmax(x, axis):
    a, most, below = shifted(x, axis)
    values = below - np.log(np.exp(below).sum(axis, keepdims=True))
    size = np.abs(values) + np.nan_to_num(np.abs(most), posinf=0) + 1
    return rounded(Near(x.dtype, values, np.nan_to_num(1e-6 * size, posinf=0), "some roundings of the parts"))


@operation("logsumexp")
def logsumexp(x, axes, keep):
    a, axes = wide(x), tuple(axes)
    if extent(x, axes) == 0:
        return np.full(np.sum(a, axes, keepdims=keep).shape, -np.inf).astype(x.dtype)
    most = np.max(a, axes, keepdims=True)
    most = np.where(np.isfinite(most), most, 0)
    values = np.log(np.sum(np.exp(a - most), axes, keepdims=keep)) + (most if keep else np.squeeze(most, axes))
    return rounded(Near(x.dtype, values, 1e-6 * (np.nan_to_num(np.abs(values), posinf=0) + 1), "some roundings of the parts"))


@operation("layer_norm")
def layer_norm(x, axes, epsilon):
    a, axes = wide(x), tuple(axes)
    middle, spread_ = a.mean(axes, keepdims=True), a.var(axes, keepdims=True)
    values = (a - middle) / np.sqrt(spread_ + epsilon)
    far = np.max(np.abs(a - middle), axes, keepdims=True) / np.sqrt(spread_ + epsilon) if extent(x, axes) else 0
    return rounded(Near(x.dtype, values, 4e-6 * (1 + far + 0 * values), "some roundings of the furthest"))


@operation("rms_norm")
def rms_norm(x, axes, epsilon):
    a, axes = wide(x), tuple(axes)
    values = a / np.sqrt(np.mean(a * a, axes, keepdims=True) + epsilon)
    return rounded(Near(x.dtype, values, 4e-6 * np.abs(values) + 1e-30, "some roundings"))


# Making arrays.
@operation("arange")
def arange(type_, start, stop, step):
    t = TYPES[type_]
    a, b, c = (parse(v, t) for v in (start, stop, step))
    if np.dtype(t).kind != "f":
        return np.array(range(int(a), int(b), int(c)), dtype=t)
    count = max(0, math.ceil((float(b) - float(a)) / float(c)))
    values = float(a) + np.arange(count) * float(c)
    # i in the type, a product and a sum; halves count exactly up to 2048 only.
    if t is np.float16 and count > 2048:
        raise Skip
    return Near(t, values, ulp(t, np.maximum(np.abs(values), np.abs(np.arange(count) * float(c)))), "two roundings")


@operation("linspace")
def linspace(type_, start, stop, count):
    t = TYPES[type_]
    a, b = float(parse(start, t)), float(parse(stop, t))
    values = np.linspace(a, b, count)
    # The step is rounded too, and taken up to count times.
    size = np.maximum(np.maximum(abs(a), abs(b)), abs(b - a)) + 0 * values
    return Near(t, values, 2.5 * ulp(t, size), "three roundings of the ends' size")


exactly("eye", lambda type_, n, m, k: np.eye(n, m, k, TYPES[type_]))
exactly("full", lambda type_, shape, v: np.full(shape, parse(v, TYPES[type_])))
