"""What orders, selections, counts and quantiles mean in NumPy."""
import math

import numpy as np
from meaning import Near, Skip, exactly, is_float, operation, parse, rounded, ulp, wide

# Order.
def single(x):
    """Halves as singles: NumPy 2.4.6 leaves some arrays of halves unsorted where it sorts by AVX-512."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def ranks(x):
    """Equal ranks for equal elements, NaN past all."""
    x = single(x)
    odd = np.isnan(x) if is_float(x) else np.zeros(x.shape, bool)
    distinct = np.unique(x[~odd])
    return np.searchsorted(distinct, np.where(odd, x.dtype.type(0), x)), odd


def order(x, axis, descending):
    rank, odd = ranks(x)
    key = np.where(odd, x.size + 1, -rank if descending else rank)
    return np.argsort(key, axis, kind="stable")


exactly("sort", lambda x, axis, down: np.take_along_axis(x, order(x, axis, down), axis))
exactly("argsort", lambda x, axis, down: order(x, axis, down).astype(np.uint32))
exactly("sort_pairs_values", lambda k, v: np.take_along_axis(v, order(k, -1, False), -1))


def top(x, k, axis, smallest):
    rank, odd = ranks(x)
    key = np.where(odd, x.size + 1, rank) if smallest else np.where(odd, -x.size - 1, -rank)
    return np.take(np.argsort(key, axis, kind="stable"), range(k), axis)


exactly("top_k_values", lambda x, k, axis, s: np.take_along_axis(x, top(x, k, axis, s), axis))
exactly("top_k_indices", lambda x, k, axis, s: top(x, k, axis, s).astype(np.uint32))
exactly("nth", lambda x, n, axis: np.take(np.sort(single(x), axis), n, axis).astype(x.dtype))
exactly("unique", lambda x: np.unique(single(x)).astype(x.dtype))
exactly("unique_counts", lambda x: np.unique(single(x), return_counts=True)[1].astype(np.uint32))
exactly("unique_firsts", lambda x: np.unique(single(x), return_index=True)[1].astype(np.uint32))
exactly("unique_inverse", lambda x: np.unique(single(x), return_inverse=True)[1].reshape(x.shape).astype(np.uint32))
exactly("nonzero", lambda x: np.flatnonzero(x).astype(np.uint32))
exactly("compress", lambda x, m: x[m != 0])
exactly("compress_sum", lambda x, m: np.asarray(np.sum(x[m != 0], dtype=x.dtype)))
exactly("partition", lambda x, m: np.concatenate([x[m != 0], x[m == 0]]))
exactly("searchsorted", lambda x, v, side: np.searchsorted(single(x), single(v), side).astype(np.uint32))


@operation("digitize")
def digitize(x, edges, right):
    return np.digitize(x, [parse(e, x.dtype) for e in edges], right).astype(np.uint32)


@operation("histogram")
def histogram(x, bins, low, high):
    return np.histogram(x, bins, (low, high))[0].astype(np.uint32)


@operation("histogram_edges")
def histogram_edges(x, edges):
    return np.histogram(x, np.array([parse(e, x.dtype) for e in edges], x.dtype))[0].astype(np.uint32)


@operation("histogram2d")
def histogram2d(x, y, bins, ends):
    # NumPy's own counts in the type of the samples; its histogram2d searches edges in double precision.
    edges = [np.linspace(a, b, n + 1).astype(x.dtype if is_float(x) else np.float64) for n, (a, b) in zip(bins, ends)]
    return np.histogramdd((wide(x).ravel(), wide(y).ravel()), [wide(e) for e in edges])[0].astype(np.uint32)


@operation("bincount")
def bincount(x, bins):
    inside = x[(x >= 0) & (x < bins)].astype(np.int64)
    return np.bincount(inside, minlength=bins)[:bins].astype(np.uint32)


@operation("bincount_weights")
def bincount_weights(x, w, bins):
    out = np.zeros(bins, w.dtype)
    inside = (x >= 0) & (x < bins)
    np.add.at(out, x[inside].astype(np.int64), w[inside])
    return out


@operation("run_values")
def run_values(x):
    flat = x.ravel()
    return flat[np.concatenate([[True], flat[1:] != flat[:-1]])] if x.size else flat


@operation("run_lengths")
def run_lengths(x):
    flat = x.ravel()
    starts = np.flatnonzero(np.concatenate([[True], flat[1:] != flat[:-1]])) if x.size else np.array([], np.int64)
    return np.diff(np.append(starts, flat.size)).astype(np.uint32)


@operation("quantile")
def quantile(x, q, axis, method):
    if np.isnan(x).any() and method != "linear":
        raise Skip
    data, axis = (x.ravel(), 0) if axis is None else (x, axis)
    values = np.sort(single(data), axis)
    place = q * (data.shape[axis] - 1)
    low, way = math.floor(place), place - math.floor(place)
    if method == "midpoint" and way:
        way = 0.5
    elif method in ("lower", "higher", "nearest"):
        low, way = {"lower": low, "higher": math.ceil(place), "nearest": round(place)}[method], 0
    a, b = (wide(np.take(values, i, axis)) for i in (low, min(low + 1, data.shape[axis] - 1)))
    odd = np.isnan(data).any(axis)
    if way == 0:
        return np.where(odd, np.nan, a).astype(x.dtype)
    # Between two equal infinities it is the infinity, as documented; NumPy has NaN.
    line = np.where(a == b, a, a * (1 - way) + b * way)
    if np.any(np.isinf(a) != np.isinf(b)):
        line = np.where(a == b, a, np.where(way < 0.5, a + (b - a) * way, b - (b - a) * (1 - way)))
    size = np.maximum(np.maximum(np.abs(a), np.abs(b)), np.abs(b - a))
    size = np.where(np.isfinite(size), size, 0)
    near = Near(x.dtype, np.where(odd, np.nan, line), 2 * ulp(np.float32 if x.dtype == np.float16 else x.dtype, size),
                "2 ULP of the larger neighbour and their distance, as documented")
    return rounded(near)
