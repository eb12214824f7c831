"""What each operation of the array API means, in NumPy: exactly, or in higher precision with a bound for each element."""
import math
import warnings

import numpy as np
from inputs import FORMATS, INTEGERS, NAMES, TYPES

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


# Elementwise functions of one argument: reference, and ULP as documented; None is exact.
def sinc(x):
    whole = np.rint(x)
    sine = np.sin(np.pi * (x - whole)) * np.where(whole % 2 == 0, 1, -1)
    return np.where(x == 0, 1.0, sine / (np.pi * np.where(x == 0, 1, x)))


each = lambda f: np.vectorize(f, otypes=[np.float64])
erfc = each(math.erfc)
UNARY = {
    "reciprocal": (lambda x: 1 / x, 2.5), "sqrt": (np.sqrt, 3), "rsqrt": (lambda x: 1 / np.sqrt(x), 2),
    "cbrt": (np.cbrt, 2), "exp": (np.exp, 2), "exp2": (np.exp2, 2), "exp_m1": (np.expm1, 2), "ln": (np.log, 1),
    "log2": (np.log2, 2), "log10": (np.log10, 2), "ln_1p": (np.log1p, 2), "sin": (np.sin, 2), "cos": (np.cos, 2),
    "tan": (np.tan, 3), "asin": (np.arcsin, 3), "acos": (np.arccos, 2), "atan": (np.arctan, 3), "sinc": (sinc, 3),
    "to_degrees": (np.degrees, 1), "to_radians": (np.radians, 1), "sinh": (np.sinh, 2), "cosh": (np.cosh, 2),
    "tanh": (np.tanh, 2), "asinh": (np.arcsinh, 3), "acosh": (np.arccosh, 3), "atanh": (np.arctanh, 3),
    "erf": (each(math.erf), 2), "erfc": (erfc, 5), "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), 3),
    "gelu": (lambda x: np.where(x == -np.inf, -0.0, 0.5 * x * erfc(-x / math.sqrt(2))), 6),
    "softplus": (lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))), 3),
}
# The next below 1 is past any element; sines of infinities are NaN.
for name, (meaning, bound) in UNARY.items():
    def unary(x, meaning=meaning, bound=bound, name=name):
        # Doubles are divided and rooted as IEEE has it, within Vulkan's 2.5 and 3 ULP.
        return near_ulp(x.dtype, meaning(wide(x)), bound)
    OPERATIONS[name] = unary

def power(x, y):
    """C99's: NumPy takes the square root for 0.5, which is NaN of -inf."""
    return np.where((x == -np.inf) & (y == 0.5), np.inf, np.power(x, y))


BINARY = {
    "pow": (power, 2), "atan2": (np.arctan2, 2), "hypot": (np.hypot, 2), "divide_floats": (np.divide, 2.5),
}
for name, (meaning, bound) in BINARY.items():
    OPERATIONS[name] = lambda x, y, meaning=meaning, bound=bound: near_ulp(x.dtype, meaning(wide(x), wide(y)), bound)


@operation("log_add_exp")
def log_add_exp(x, y):
    values = np.logaddexp(wide(x), wide(y))
    near = near_ulp(x.dtype, values, 10)
    near.bound = 10 * ulp(np.float32, np.maximum(np.abs(wide(x)), np.abs(wide(y)))) + near.bound
    return near


def exactly(name, function):
    OPERATIONS[name] = function


exactly("floor", np.floor), exactly("ceil", np.ceil), exactly("round", np.rint), exactly("trunc", np.trunc)
exactly("fract", lambda x: (x - np.trunc(x)).astype(x.dtype))
exactly("is_nan", np.isnan), exactly("is_infinite", np.isinf), exactly("is_finite", np.isfinite)
exactly("neg", lambda x: (-x).astype(x.dtype)), exactly("abs", np.abs), exactly("sign", np.sign)
exactly("square", lambda x: x * x), exactly("relu", lambda x: np.where(x < 0, x.dtype.type(0), x))
exactly("add", np.add), exactly("sub", np.subtract), exactly("mul", np.multiply)
exactly("minimum", np.minimum), exactly("maximum", np.maximum), exactly("fmin", np.fmin), exactly("fmax", np.fmax)
exactly("equal", np.equal), exactly("not_equal", np.not_equal), exactly("less", np.less)
exactly("less_equal", np.less_equal), exactly("greater", np.greater), exactly("greater_equal", np.greater_equal)
exactly("and", np.bitwise_and), exactly("or", np.bitwise_or), exactly("xor", np.bitwise_xor)
exactly("not", np.invert), exactly("copysign", np.copysign)
exactly("select", lambda m, a, b: np.where(m, a, b))
exactly("clamp", lambda x, a, b: np.minimum(np.maximum(x, a), b))
exactly("nextafter", np.nextafter)
exactly("heaviside", np.heaviside)
# Shifts take the count modulo the width, as WGSL and Rust's wrapping_shl do.
count = lambda x, y: (y.astype(np.int64) & (8 * x.dtype.itemsize - 1)).astype(x.dtype)
exactly("shl", lambda x, y: np.left_shift(x, count(x, y))), exactly("shr", lambda x, y: np.right_shift(x, count(x, y)))


@operation("add_scalar", "sub_scalar", "mul_scalar", "max_scalar")
def with_scalar(*_):
    raise NotImplementedError("needs the name: see apply()")


@operation("divide")
def divide(x, y):
    """Of integers: towards zero, as WGSL and Rust have it."""
    q = np.floor_divide(x, y)
    return (q + ((x % y != 0) & ((x < 0) != (y < 0)))).astype(x.dtype)


@operation("remainder")
def remainder(x, y):
    return np.fmod(x, y)


@operation("modulo")
def modulo(x, y):
    return near_ulp(x.dtype, np.mod(wide(x), wide(y)), 0.5)


@operation("floor_divide")
def floor_divide(x, y):
    values = np.floor_divide(wide(x), wide(y))
    if np.any(np.abs(values[np.isfinite(values)]) >= 2**22):
        raise Skip
    return values.astype(x.dtype)


@operation("multiply_add")
def multiply_add(x, y, z):
    if x.dtype.name in ("int32", "int64", "uint32", "uint64"):
        return x * y + z
    a, b, c = wide(x), wide(y), wide(z)
    size = np.maximum(np.abs(a * b), np.abs(a * b + c))
    return Near(x.dtype, a * b + c, ulp(x.dtype, size), "two roundings or one")


@operation("lerp")
def lerp(x, y, t):
    a, b, c = wide(x), wide(y), wide(t)
    size = np.maximum(np.maximum(np.abs(a), np.abs(a + (b - a) * c)), np.abs((b - a) * c))
    return Near(x.dtype, a + (b - a) * c, 2 * ulp(x.dtype, size), "three roundings")


def bits_of(x):
    return x.view(f"u{x.dtype.itemsize}")


exactly("count_ones", lambda x: np.bitwise_count(bits_of(x)).astype(np.uint32))
exactly("leading_zeros", lambda x: each(lambda v: 8 * x.itemsize - int(v).bit_length())(bits_of(x)).astype(np.uint32)
        if x.size else x.astype(np.uint32))
exactly("trailing_zeros", lambda x: each(lambda v: (int(v) & -int(v)).bit_length() - 1 if v else 8 * x.itemsize)(bits_of(x))
        .astype(np.uint32) if x.size else x.astype(np.uint32))


@operation("reverse_bits")
def reverse_bits(x):
    width, raw, out = 8 * x.itemsize, bits_of(x), np.zeros_like(bits_of(x))
    for bit in range(width):
        out |= (raw >> raw.dtype.type(bit) & raw.dtype.type(1)) << raw.dtype.type(width - 1 - bit)
    return out.view(x.dtype)


@operation("cast")
def cast(x, to):
    """As Rust's `as`: floats to integers saturate and NaN becomes 0, integers wrap, anything but zero is true."""
    type_ = TYPES[to]
    if type_ is np.bool_ or x.dtype.kind != "f" or type_ in (np.float16, np.float32, np.float64):
        return x.astype(type_)
    info = np.iinfo(type_)
    inside = (wide(x) >= float(info.min)) & (wide(x) < float(info.max) + (info.bits < 64)) & ~np.isnan(x)
    ends = np.where(wide(x) > 0, info.max, np.where(np.isnan(x), 0, info.min)).astype(type_) if x.size else x.astype(type_)
    return np.where(inside, np.where(inside, x, 0).astype(np.float64).astype(type_), ends)


# Views.
exactly("permute", lambda x, axes: x.transpose(axes)), exactly("transpose", lambda x: x.T)
exactly("swap_axes", np.swapaxes), exactly("flip", lambda x, axis: np.flip(x, axis))
exactly("reshape", lambda x, shape: x.reshape(shape)), exactly("broadcast_to", np.broadcast_to)
exactly("expand_dims", np.expand_dims), exactly("squeeze", np.squeeze), exactly("copy", np.copy)
exactly("diagonal", np.diagonal), exactly("diag", np.diag), exactly("triu", np.triu), exactly("tril", np.tril)


@operation("slice")
def slice_(x, parts):
    for axis, part in reversed(list(enumerate(parts))):
        if isinstance(part, int):
            x = np.take(x, part, axis)
        else:
            start, end, step = part
            whole = [slice(None)] * x.ndim
            x = x[tuple(whole[:axis] + [slice(start, end)])][tuple(whole[:axis] + [slice(None, None, step)])]
    return x


# Joining and moving.
exactly("concatenate", lambda *a: np.concatenate(a[:-1], a[-1])), exactly("stack", lambda *a: np.stack(a[:-1], a[-1]))
exactly("array_split", lambda x, parts, axis, which: np.array_split(x, parts, axis)[which])
exactly("roll", np.roll), exactly("roll_axes", lambda x, shifts, axes: np.roll(x, shifts, axes))
exactly("tile", np.tile), exactly("repeat_axis", np.repeat), exactly("repeat", lambda x, c: np.repeat(x.ravel(), c.ravel()))
exactly("diff", lambda x, n, axis: np.diff(x, n, axis))
exactly("trace", lambda x, offset, a, b: np.trace(x, offset, a, b, dtype=x.dtype))


@operation("adjacent_difference")
def adjacent_difference(x, axis):
    first = np.take(x, [0] if x.shape[axis] else [], axis)
    return np.concatenate([first, np.diff(x, 1, axis)], axis)


@operation("pad")
def pad(x, widths, mode, value):
    more = {"constant_values": parse(value, x.dtype)} if mode == "constant" else {}
    return np.pad(x, widths if len(widths) > 1 else widths * x.ndim, mode, **more)


@operation("assign_slice")
def assign_slice(x, value, parts):
    out, view = x.copy(), None
    index = []
    for part, extent in zip(parts, x.shape):
        index.append(part if isinstance(part, int) else np.arange(extent)[part[0]:part[1]][::part[2]])
    keep = [i for i in index]
    grid = np.ix_(*[np.atleast_1d(i) for i in keep])
    shape = [len(i) for i in keep if not isinstance(i, (int, np.integer))]
    full = np.broadcast_to(value, shape).reshape([len(np.atleast_1d(i)) for i in keep])
    out[grid] = full
    return out


def modes(outside):
    return {"wrap": "wrap", "clamp": "clip", "error": "raise"}[outside]


exactly("take", lambda x, i, mode: np.take(x, i, mode=modes(mode)))
exactly("take_axis", lambda x, i, axis, mode: np.take(x, i, axis, mode=modes(mode)))
exactly("take_along_axis", lambda x, i, axis: np.take_along_axis(x, i.astype(np.int64), axis))


@operation("put", "scatter_ordered_replace")
def put(x, i, values, mode):
    out = x.copy()
    np.put(out, i, np.broadcast_to(values, i.shape), modes(mode))
    return out


@operation("put_along_axis")
def put_along_axis(x, i, values, axis):
    out = x.copy()
    np.put_along_axis(out, i.astype(np.int64), np.broadcast_to(values, i.shape), axis)
    return out


def scattering(name, function):
    def scattered(x, i, values):
        out = x.ravel().copy()
        function.at(out, i.astype(np.int64), np.broadcast_to(values, i.shape))
        return out.reshape(x.shape)
    exactly(name, scattered)


for start in ("scatter_", "scatter_ordered_"):
    scattering(start + "add", np.add), scattering(start + "min", np.minimum), scattering(start + "max", np.maximum)


# Reductions and scans.
def axes_of(axes):
    return None if axes is None else tuple(axes)


def reducing(name, function):
    exactly(name, lambda x, axes, keep: np.asarray(function(x, axis=axes_of(axes), keepdims=keep)))


reducing("min", np.min), reducing("max", np.max), reducing("any", np.any), reducing("all", np.all)


@operation("count_nonzero")
def count_nonzero(x, axes, keep):
    return np.asarray(np.count_nonzero(x, axes_of(axes), keepdims=keep)).astype(np.uint32)


@operation("arg_min", "arg_max")
def _(*_):
    raise NotImplementedError("needs the name: see apply()")


def position(name, x, axes, keep):
    reduced = sorted(a % x.ndim for a in axes) if axes is not None else list(range(x.ndim))
    kept = [a for a in range(x.ndim) if a not in reduced]
    rows = x.transpose(kept + reduced).reshape([x.shape[a] for a in kept] + [-1] if x.size else
                                               [x.shape[a] for a in kept] + [math.prod(x.shape[a] for a in reduced)])
    found = np.asarray({"arg_min": np.argmin, "arg_max": np.argmax}[name](rows, -1)).astype(np.uint32)
    return found.reshape([1 if a in reduced else x.shape[a] for a in range(x.ndim)]) if keep else found


def is_float(x):
    return x.dtype.kind == "f"


def extent(x, axes):
    return math.prod(x.shape[a] for a in (range(x.ndim) if axes is None else axes))


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


def parse(text, type_):
    """A scalar as Rust parses it."""
    kind = np.dtype(type_).kind
    if kind == "b":
        return np.bool_(text == "1")
    return np.dtype(type_).type(float(text) if kind == "f" else int(text))


def apply(name, args, params):
    """A result as an array, or Near; ValueError where NumPy has none either."""
    if name.endswith("_scalar"):
        other = parse(params[0], args[0].dtype)
        function = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum}[name[:-7]]
        return function(args[0], other)
    if name in SCANS:
        return scan(name, args[0], *params)
    if name in ("arg_min", "arg_max"):
        return position(name, args[0], *params)
    return OPERATIONS[name](*args, *params)
