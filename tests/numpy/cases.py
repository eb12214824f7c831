"""Families of random cases: each draws a small program over the array API."""
import math

import numpy as np
from inputs import FLOATS, INTEGERS, NUMBERS, SIGNED, TYPES, UNSIGNED, below_zero, draw
from reference import BINARY, NAMES, SCANS, UNARY, Near, Skip, apply

ALL = list(TYPES)
# Most arrays are small; some lie around the sizes of workgroups, tiles and blocks.
EDGES = [31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513]


class Program:
    """Steps and their values so far."""

    def __init__(self, rng):
        self.rng, self.steps, self.values = rng, [], []

    def pick(self, some):
        return some[int(self.rng.integers(len(some)))]

    def chance(self, part):
        return self.rng.random() < part

    def whole(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def keep(self, step, value):
        self.steps.append(step)
        self.values.append(value)
        return len(self.steps) - 1

    def input(self, type_, shape, kind):
        seed = self.whole(0, 2**31)
        value = draw(type_, math.prod(shape), kind, seed).reshape(shape)
        return self.keep(["input", [], type_, list(shape), kind, seed], value)

    def op(self, name, args=(), *params):
        value = apply(name, [self.values[i] for i in args], list(params))
        if isinstance(value, np.ndarray) and value.size > 70000:
            raise Skip
        return self.keep([name, list(args), *params], value if isinstance(value, Near) else np.asarray(value))

    def shape(self, i):
        return list(self.values[i].shape)

    def dtype(self, i):
        return NAMES[self.values[i].dtype]

    def extents(self, rank, most=3000, empty=0.04):
        """A shape: small, or with one extent at an edge."""
        shape = [self.whole(1, {0: 1, 1: 40, 2: 12, 3: 6, 4: 4}[rank]) for _ in range(rank)]
        if rank and self.chance(0.3):
            shape[self.whole(0, rank - 1)] = self.pick(EDGES)
        if rank and self.chance(empty):
            shape[self.whole(0, rank - 1)] = 0
        while math.prod(shape) > most:
            shape[shape.index(max(shape))] //= 2
        return shape

    def axis(self, i):
        rank = self.values[i].ndim
        return self.whole(-rank, rank - 1)

    def axes(self, i):
        rank = self.values[i].ndim
        some = [a for a in range(rank) if self.chance(0.5)] or [self.whole(0, rank - 1)] if rank else []
        return [a - rank if self.chance(0.3) else a for a in some]

    def part(self, extent):
        """A range of an axis with a step."""
        start = self.whole(0, extent)
        end = self.whole(start, extent)
        if self.chance(0.5):
            start, end = 0, extent
        return [start, end, self.pick([1, 1, 2, 3, -1, -1, -2])]

    def view(self, i):
        """A view of a step's value."""
        shape, rank = self.shape(i), self.values[i].ndim
        kind = self.pick(["slice", "flip", "permute", "transpose", "reshape", "broadcast_to", "expand_dims", "squeeze", "copy"])
        if kind == "slice" and rank:
            # Whole axes mostly, so that something is left.
            return self.op("slice", [i], [self.part(e) if self.chance(0.7) else [0, e, 1] for e in shape])
        if kind == "flip" and rank:
            return self.op("flip", [i], self.axis(i))
        if kind == "permute":
            return self.op("permute", [i], [int(a) for a in self.rng.permutation(rank)])
        if kind == "reshape":
            return self.op("reshape", [i], self.reshaped(shape))
        if kind == "broadcast_to" and math.prod(shape) < 1000:
            wider = [self.whole(1, 4) if e == 1 else e for e in shape]
            return self.op("broadcast_to", [i], ([self.whole(1, 3)] if rank < 4 else []) + wider)
        if kind == "expand_dims" and rank < 4:
            return self.op("expand_dims", [i], self.whole(-rank - 1, rank))
        if kind in ("squeeze", "copy"):
            return self.op(kind, [i])
        return self.op("transpose", [i])

    def reshaped(self, shape):
        size = math.prod(shape)
        if size == 0 or self.chance(0.3):
            return [size]
        small = next((d for d in (2, 3, 5, 7) if size % d == 0), 1)
        return [small, size // small] if self.chance(0.5) else [size // small, small]

    def work(self, i):
        """Exact elementwise work on a value: small numbers stay small."""
        type_ = self.dtype(i)
        choices = ["max_scalar", "cast"]
        if type_ in NUMBERS:
            choices += ["abs", "add_scalar", "mul_scalar"] + (["neg", "neg"] if below_zero(type_) else [])
        kind = self.pick(choices)
        if kind == "cast" or type_ not in NUMBERS:
            to = self.pick(ALL)
            try:
                changed = apply("cast", [self.values[i]], [to])
            except Exception:
                raise Skip
            if type_ in NUMBERS or self.chance(0.5):
                return i
            return self.keep(["cast", [i], to], changed)
        if kind.endswith("_scalar"):
            if self.values[i].dtype.kind == "f" and not small(self.values[i]):
                return i
            return self.op(kind, [i], str(self.whole(1, 3)))
        return self.op(kind, [i])

    def prologue(self, i, most=3, views=True):
        """Work and views before an operation, which become part of its kernel."""
        for _ in range(self.whole(0, most)):
            i = self.view(i) if views and self.chance(0.6) else self.work(i)
        return i

    def lazy(self, type_, rank, kind, **how):
        return self.prologue(self.input(type_, self.extents(rank, **how), kind))

    def rank(self, low=1):
        return self.pick([r for r in (0, 1, 1, 2, 2, 2, 3, 3, 4) if r >= low])


def small(x):
    """Whether sums and products of a few such floats are exact in any type."""
    return bool(np.all(np.isfinite(x)) and np.all(np.abs(x) <= 40) and np.all(x == np.rint(x)))


def unary(p):
    name = p.pick(list(UNARY))
    # The documented range of a bound.
    kind = p.pick(["small", "signed", "special"] if name in ("sin", "cos", "tan", "sinc") else ["small", "signed", "wide", "special"])
    type_ = p.pick(["f32", "f32", "f16"] if name not in ("reciprocal", "sqrt") else FLOATS)
    x = p.input(type_, p.extents(p.rank(0)), kind)
    x = p.view(x) if p.chance(0.5) else x
    if name in ("sin", "cos", "tan", "sinc"):
        x = p.op("clamp", [x, p.op("full", [], type_, [], "-20000"), p.op("full", [], type_, [], "20000")])
    p.op(name, [x])


def binary(p):
    name = p.pick(list(BINARY) + ["log_add_exp", "modulo", "floor_divide", "multiply_add", "lerp", "nextafter", "copysign", "fmin", "fmax", "heaviside"])
    type_ = p.pick(["f32", "f32", "f16"] if name not in ("divide_floats", "multiply_add") else FLOATS)
    if name == "nextafter":
        type_ = "f32"
    kind = p.pick(["small", "signed"] if name in ("multiply_add", "lerp", "floor_divide", "modulo") else ["small", "signed", "special"])
    args = operands(p, type_, kind, 3 if name in ("multiply_add", "lerp") else 2)
    if name in ("modulo", "floor_divide"):
        args[1] = p.input(type_, p.shape(args[1]), "divisors")
    p.op(name, args)


def operands(p, type_, kind, count):
    """Arrays whose shapes broadcast together."""
    shape, args = p.extents(p.rank(0)), []
    for _ in range(count):
        own = [1 if p.chance(0.25) else e for e in shape]
        own = own[p.whole(0, len(own)):] if p.chance(0.2) else own
        i = p.input(type_, own, kind)
        if own and p.chance(0.3):
            i = p.op("flip", [i], p.axis(i))
        args.append(i)
    return args


def integers(p):
    """Arithmetic and bits of integers, at the edges of their range: everything wraps."""
    type_ = p.pick(INTEGERS)
    names = ["add", "sub", "mul", "divide", "remainder", "minimum", "maximum", "and", "or", "xor", "not", "shl", "shr", "equal",
             "less", "greater_equal", "neg", "abs", "sign", "square", "relu", "multiply_add", "clamp", "count_ones",
             "leading_zeros", "trailing_zeros", "reverse_bits"]
    name = p.pick([n for n in names if n != "neg" or below_zero(type_)])
    arity = {"not": 1, "neg": 1, "abs": 1, "sign": 1, "square": 1, "relu": 1, "count_ones": 1, "leading_zeros": 1,
             "trailing_zeros": 1, "reverse_bits": 1, "multiply_add": 3, "clamp": 3}.get(name, 2)
    args = operands(p, type_, p.pick(["special", "bits", "small"]), arity)
    if name in ("divide", "remainder"):
        args[1] = p.input(type_, p.shape(args[1]), "divisors")
        if p.chance(0.5) and arity == 2 and name == "divide":
            args = [args[1], args[1]]
    i = p.op(name, args)
    if p.chance(0.4):
        p.view(i)


def floats(p):
    """One operation of floats that is rounded as IEEE has it, or needs no rounding."""
    type_ = p.pick(FLOATS)
    names = ["add", "sub", "mul", "minimum", "maximum", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
             "clamp", "neg", "abs", "sign", "square", "relu", "floor", "ceil", "round", "trunc", "fract", "is_nan", "is_infinite",
             "is_finite"]
    name = p.pick(names)
    unary = ["neg", "abs", "sign", "square", "relu", "floor", "ceil", "round", "trunc", "fract", "is_nan", "is_infinite", "is_finite"]
    kind = p.pick(["special", "signed", "wide", "small"])
    if name in ("minimum", "maximum", "equal", "less", "neg", "abs", "clamp", "floor", "is_nan") and p.chance(0.3):
        kind = "bits"
    args = operands(p, type_, kind, 1 if name in unary else 3 if name == "clamp" else 2)
    i = p.op(name, args)
    if is_subnormal(p.values[i]):
        raise Skip
    if p.chance(0.4):
        p.view(i)


def is_subnormal(x):
    return x.dtype.kind == "f" and bool(np.any((x != 0) & (np.abs(x) < np.finfo(x.dtype).smallest_normal)))


def subnormals(p):
    """What needs no arithmetic keeps subnormal numbers: on devices that do."""
    type_ = p.pick(FLOATS)
    x = p.input(type_, p.extents(1), "tiny")
    name = p.pick(["neg", "abs", "equal", "less", "minimum", "maximum", "sort", "argsort", "nonzero", "cast", "unique", "max", "any", "count_nonzero", "sign"])
    if name in ("equal", "less", "minimum", "maximum"):
        return p.op(name, [x, p.input(type_, p.shape(x), "tiny")])
    if name in ("sort", "argsort"):
        return p.op(name, [x], 0, False)
    if name in ("max", "any", "count_nonzero"):
        return p.op(name, [x], None, False)
    return p.op("cast", [x], p.pick(["bool", "f64", "f32", "f16", "i32"])) if name == "cast" else p.op(name, [x])


def casts(p):
    type_, to = p.pick(ALL), p.pick(ALL)
    x = p.input(type_, p.extents(p.rank(0)), p.pick(["special", "special", "bits", "small"]))
    x = p.view(x) if p.chance(0.4) else x
    x = p.op("cast", [x], to)
    if is_subnormal(p.values[x]):
        raise Skip
    if p.chance(0.3):
        x = p.op("cast", [x], p.pick(ALL))
        if is_subnormal(p.values[x]):
            raise Skip


def chains(p):
    """Several steps of exact work on small numbers, over views and broadcasting: one kernel."""
    type_ = p.pick(NUMBERS)
    i = p.lazy(p.pick([type_, type_] + ALL), p.rank(0), "small")
    i = p.view(p.op("cast", [i], type_)) if p.dtype(i) != type_ else i
    if type_ in FLOATS and not small(p.values[i]):
        raise Skip
    for _ in range(p.whole(1, 4)):
        name = p.pick(["add", "sub", "mul", "minimum", "maximum", "select", "less", "view"])
        if name == "view":
            i = p.view(i)
            continue
        shape = p.shape(i)
        own = [1 if p.chance(0.3) else e for e in shape]
        j = p.work(p.input(p.dtype(i), own, "small"))
        if name == "less":
            mask = p.op("less", [i, j])
            i = p.op("select", [mask, i, j]) if p.chance(0.5) else mask
            if p.dtype(i) == "bool":
                i = p.op("cast", [i], type_)
        elif name == "select":
            i = p.op("select", [p.input("bool", shape, "small"), i, j])
        else:
            wide = apply(name, [p.values[k].astype(np.float64) for k in (i, j)], []) if type_ in FLOATS else None
            i = p.op(name, [i, j])
            if wide is not None and not np.array_equal(wide, p.values[i].astype(np.float64)):
                raise Skip
    if p.chance(0.3):
        p.op(p.pick(["min", "max", "arg_max", "any"]), [i], None, False)


def views(p):
    """Views of views, of what was computed too."""
    i = p.input(p.pick(ALL), p.extents(p.rank(0)), "bits")
    for _ in range(p.whole(2, 5)):
        i = p.view(i)
    if p.values[i].ndim >= 2 and p.chance(0.4):
        kind = p.pick(["diagonal", "triu", "tril"])
        p.op(kind, [i], p.whole(-3, 3), *([0, 1] if kind == "diagonal" else []))


def reductions(p):
    name = p.pick(["sum", "product", "min", "max", "arg_min", "arg_max", "any", "all", "count_nonzero", "mean", "variance", "std",
                   "norm", "mean_variance_mean", "mean_variance_variance", "sum", "max", "arg_min"])
    means = ["mean", "variance", "std", "norm", "mean_variance_mean", "mean_variance_variance"]
    types = FLOATS if name in means else ALL if name in ("any", "all", "count_nonzero") else NUMBERS
    type_ = p.pick(types)
    kinds = {"product": ["powers"], "any": ["sparse"], "all": ["sparse", "divisors"], "count_nonzero": ["sparse", "special"]}
    order = ["ties", "special", "bits", "small"]
    kind = p.pick(kinds.get(name, order if name in ("min", "max", "arg_min", "arg_max") else
                            (["small", "signed", "unit"] if type_ in FLOATS else ["bits", "special", "small"])))
    if type_ == "bool":
        kind = "bits"
    i = p.lazy(type_, p.rank(0), kind, most=60000 if p.chance(0.05) else 3000)
    axes = None if p.chance(0.3) else p.axes(i)
    if name == "product" and type_ in FLOATS:
        values = np.abs(apply(name, [p.values[i].astype(np.float64)], [axes, False]))
        if np.any(values > 1e4) or np.any(values < 1e-4):
            raise Skip
    if type_ == "f16" and name in ("variance", "std", "mean_variance_variance", "norm", "sum"):
        if kind == "small" and p.values[i].size > 500:
            raise Skip
    freedom = [p.whole(0, 1)] if name in ("variance", "std", "mean_variance_mean", "mean_variance_variance") else []
    if axes is None and name.startswith("mean_variance"):
        axes = list(range(p.values[i].ndim))
    p.op(name, [i], axes, p.chance(0.4), *freedom)


def long_reductions(p):
    """Long rows and columns."""
    name = p.pick(["sum", "max", "arg_max", "mean", "variance", "mean_variance_mean", "mean_variance_variance", "arg_min", "min"])
    shape = p.pick([[20011, 3], [3, 20011], [33000], [2, 9000, 3], [129, 257], [257, 255], [1, 30000]])
    type_ = p.pick(["f32", "f32", "f16"] if name.startswith(("mean", "var")) else ["f32", "i32", "u32", "i64", "f64"])
    kind = p.pick(["unit", "signed"] if type_ in FLOATS else ["bits", "ties"])
    i = p.input(type_, shape, kind)
    if type_ == "f32" and p.chance(0.3) and name.startswith(("mean", "var")):
        # Far from 0: what cancels.
        i = p.op("add_scalar", [i], "1000")
    i = p.view(i) if p.chance(0.3) else i
    axes = None if p.chance(0.3) else [p.axis(i)]
    if axes is None and name.startswith("mean_variance"):
        axes = list(range(p.values[i].ndim))
    p.op(name, [i], axes, False, *([0] if name.startswith(("var", "mean_var")) else []))


FORMS = ["plain", "negated", "flipped", "negated and flipped", "strided", "transposed", "repeated"]
SIDES = [255, 256, 257, 258, 513, 1025, 127, 65]


def formed(p, i, form, axis):
    """A two-dimensional array in a form whose memory is read in another order."""
    if "negated" in form:
        i = p.op("neg", [i])
    if "flipped" in form:
        i = p.op("flip", [i], axis)
    if form == "strided":
        i = p.op("slice", [i], [[0, e, s] for e, s in zip(p.shape(i), ([2, 1], [1, -2], [-2, 3])[p.whole(0, 2)])])
    if form == "transposed":
        i = p.op("transpose", [i])
    if form == "repeated":
        shape = p.shape(i)
        part = [[0, 1, 1], [0, shape[1], 1]] if p.chance(0.5) else [[0, shape[0], 1], [0, 1, 1]]
        i = p.op("broadcast_to", [p.op("slice", [i], part)], shape)
    return i


def scans_of_forms(p):
    """Scans along either axis of what lies in memory in other orders, around the extents of tiles; exact."""
    shape = [p.pick(SIDES), p.pick(SIDES)] if p.chance(0.6) else [p.pick(SIDES), p.whole(1, 9)][:: p.pick([1, -1])]
    while math.prod(shape) > 67000:
        shape[shape.index(max(shape))] //= 2
    axis, type_ = p.whole(0, 1), p.pick(["i32", "i32", "i64", "f32", "u32"])
    form = p.pick(FORMS if below_zero(type_) else [f for f in FORMS if "negated" not in f])
    name = p.pick(list(SCANS))
    kinds = ["small"] if type_ == "f32" else ["small", "small", "bits"]
    i = p.input(type_, shape, p.pick(kinds))
    if type_ == "f32" and name == "cumsum":
        name = "cummax"
    if type_ == "f32" and name == "cumprod":
        name = "cummin"
    i = formed(p, i, form, axis)
    p.op(name, [i], axis, *([True, p.chance(0.5)] if p.chance(0.2) else [False, True] if p.chance(0.2) else []))


def scans(p):
    name = p.pick(list(SCANS))
    type_ = p.pick(NUMBERS)
    order = name in ("cummin", "cummax")
    kind = p.pick(["special", "small", "bits"] if order else ["signed", "small"] if type_ in FLOATS else ["bits", "small"])
    if name == "cumprod" and type_ in FLOATS:
        kind = "powers"
    i = p.lazy(type_, p.rank(1), kind)
    if not p.values[i].ndim:
        raise Skip
    axis = p.axis(i)
    if name == "cumprod" and type_ in FLOATS:
        if not product_is_exact(p.values[i], axis):
            raise Skip
    if type_ == "f16" and name == "cumsum" and kind == "small" and p.values[i].size > 500:
        raise Skip
    p.op(name, [i], axis, *([p.chance(0.5), p.chance(0.5)] if p.chance(0.4) else []))


def product_is_exact(x, axis):
    x = np.abs(x.astype(np.float64))
    both = [np.multiply.accumulate(a, axis) for a in (np.maximum(x, 1), np.minimum(x, 1))] if x.size else [np.ones(1)] * 2
    powers = np.all(np.isin(x, [0.5, 1, 2]))
    return bool(powers and both[0].max() < 2**12 and both[1].min() > 2.0**-12)


def orders(p):
    name = p.pick(["sort", "argsort", "sort_pairs_values", "top_k_values", "top_k_indices", "nth", "sort", "argsort"])
    type_ = p.pick(ALL)
    i = p.lazy(type_, p.rank(1), p.pick(["ties", "special", "bits", "small"]) if type_ != "bool" else "bits",
               most=20000 if p.chance(0.1) else 3000)
    if not p.values[i].ndim:
        raise Skip
    axis = p.axis(i)
    length = p.shape(i)[axis]
    if name in ("sort", "argsort"):
        p.op(name, [i], axis, p.chance(0.4))
    elif name == "sort_pairs_values":
        p.op(name, [i, p.input(p.pick(ALL), p.shape(i), "bits")])
    elif name == "nth":
        if length == 0:
            raise Skip
        p.op(name, [i], p.whole(0, length - 1), axis)
    else:
        p.op(name, [i], p.whole(0, min(length, 70)), axis, p.chance(0.5))


def sets(p):
    name = p.pick(["unique", "unique_counts", "unique_firsts", "unique_inverse", "nonzero", "compress", "compress_sum", "partition",
                   "run_values", "run_lengths", "repeat"])
    type_ = p.pick(ALL if name != "compress_sum" else INTEGERS)
    kind = p.pick({"nonzero": ["sparse", "special"], "run_values": ["ties"], "run_lengths": ["ties"]}.get(name, ["ties", "special", "small"]))
    if type_ == "bool":
        kind = "bits"
    i = p.lazy(type_, p.rank(0 if name not in ("compress", "partition") else 1), kind)
    if name in ("compress", "compress_sum", "partition"):
        p.op(name, [i, p.input(p.pick(["bool", "u8", "i32"]), p.shape(i), "small")])
    elif name == "repeat":
        p.op(name, [i, p.input("u32", p.shape(i), p.pick(["ties", "sparse"]))])
    else:
        p.op(name, [i])


def quantiles(p):
    type_ = p.pick(FLOATS)
    i = p.lazy(type_, p.rank(1), p.pick(["small", "signed", "ties", "special", "bits"]), empty=0)
    if p.values[i].size == 0 or not p.values[i].ndim:
        raise Skip
    q = p.pick([0.5, 0.5, 0.0, 1.0, 0.25, 0.3, 0.7, 0.999])
    method = p.pick(["linear", "linear", "linear", "lower", "higher", "nearest", "midpoint"])
    p.op("quantile", [i], q, None if p.chance(0.3) else p.axis(i), method)


def searches(p):
    name = p.pick(["searchsorted", "digitize", "histogram", "histogram_edges", "bincount", "bincount_weights", "histogram2d"])
    if name == "searchsorted":
        type_ = p.pick(ALL)
        kind = p.pick(["ties", "special", "bits", "small"]) if type_ != "bool" else "bits"
        sorted_ = p.op("sort", [p.input(type_, [p.whole(0, 300)], kind)], 0, False)
        return p.op(name, [sorted_, p.input(type_, p.extents(p.rank(0)), kind)], p.pick(["left", "right"]))
    type_ = p.pick(["f32", "f32", "i32", "u32", "f64", "f16", "u8", "i64"])
    if name in ("bincount", "bincount_weights"):
        type_ = p.pick(["i32", "u32", "u8", "u16", "i64", "u64"])
        i = p.lazy(type_, p.rank(1), "small")
        if p.dtype(i) not in SIGNED + UNSIGNED:
            raise Skip
        if name == "bincount":
            return p.op(name, [i], p.whole(1, 12))
        return p.op(name, [i, p.input("i32", p.shape(i), "small")], p.whole(1, 12))
    kind = p.pick(["small", "ties"] + (["special", "signed"] if type_ in FLOATS else []))
    i = p.lazy(type_, p.rank(1), kind)
    if p.dtype(i) == "bool":
        raise Skip
    if name == "digitize":
        edges = sorted({p.whole(0, 9) for _ in range(p.whole(1, 8))})
        edges = edges[::-1] if p.chance(0.3) else edges
        return p.op(name, [i], [str(e) for e in edges], p.chance(0.5))
    if name == "histogram_edges":
        edges = sorted(p.whole(0, 9) for _ in range(p.whole(2, 8)))
        return p.op(name, [i], [str(e) for e in edges])
    type_ = p.dtype(i)
    low, high = p.pick([(0.0, 1.0), (-1.0, 5.0), (0.0, 10.0), (2.0, 2.0), (-0.3, 0.7)])
    if type_ in UNSIGNED:
        low, high = max(low, 0.0), max(high, 1.0)
    if name == "histogram2d":
        if type_ == "f16":
            raise Skip
        return p.op(name, [i, p.input(type_, p.shape(i), kind)], [p.whole(1, 6), p.whole(1, 6)], [[0.0, 8.0], [0.0, 4.0]])
    p.op(name, [i], p.whole(1, 30), low, high)


def gathers(p):
    name = p.pick(["take", "take_axis", "take_along_axis", "put", "put_along_axis", "scatter_add", "scatter_min", "scatter_max",
                   "scatter_ordered_add", "scatter_ordered_replace", "scatter_ordered_max", "assign_slice"])
    type_ = p.pick(ALL if not name.startswith("scatter") else ["i32", "u32"] if "ordered" not in name else INTEGERS)
    i = p.lazy(type_, p.rank(1), "bits", empty=0)
    if p.values[i].size == 0 or not p.values[i].ndim:
        raise Skip
    size, axis, type_ = p.values[i].size, p.axis(i), p.dtype(i)
    index = lambda shape, of, wild: indices(p, shape, of, wild)
    if name in ("take", "take_axis"):
        mode = p.pick(["error", "wrap", "clamp"])
        some = index(p.extents(p.pick([0, 1, 1, 2]), most=500), size if name == "take" else p.shape(i)[axis], mode != "error")
        return p.op(name, [i, some], *([axis] if name == "take_axis" else []), mode)
    if name == "take_along_axis":
        shape = p.shape(i)
        extent = shape[axis]
        shape[axis] = p.whole(1, 9)
        return p.op(name, [i, index(shape, extent, False)], axis)
    if name == "put_along_axis":
        keys = p.op("argsort", [p.input("u32", p.shape(i), "bits")], axis, False)
        return p.op(name, [i, keys, p.input(type_, p.shape(i), "bits")], axis)
    if name == "assign_slice":
        parts = [p.part(e) if p.chance(0.7) else p.whole(0, e - 1) for e in p.shape(i)]
        shape = p.values[p.op("slice", [i], parts)].shape
        p.steps.pop(), p.values.pop()
        return p.op(name, [i, p.input(type_, list(shape), "bits")], parts)
    if name == "put":
        some = p.op("slice", [p.op("argsort", [p.input("u32", [size], "bits")], 0, False)], [[0, p.whole(0, size), 1]])
        return p.op(name, [i, some, p.input(type_, p.shape(some), "bits")], "error")
    shape = p.extents(p.pick([1, 2]), most=500)
    some = index(shape, size, False)
    values = p.input(type_, shape if p.chance(0.7) else [1], "bits" if "ordered" in name else "small")
    p.op(name, [i, some, values], *(["error"] if name.endswith("replace") else []))


def indices(p, shape, extent, wild):
    """Indices that are there, negative ones too; or any."""
    i = p.input("i32" if p.chance(0.6) else "u32", shape, "bits")
    values = p.values[i].astype(np.int64)
    kind = p.values[i].dtype
    low, high = (-2 * extent, 2 * extent) if wild else (-extent, extent - 1)
    if kind == np.uint32:
        low = 0
    values = (values % (high - low + 1) + low).astype(kind)
    p.steps.pop(), p.values.pop()
    return p.keep(["input", [], NAMES[kind], list(shape), "values", " ".join(map(str, values.ravel()))], values)


def joins(p):
    name = p.pick(["concatenate", "stack", "pad", "roll", "roll_axes", "tile", "repeat_axis", "diff", "adjacent_difference",
                   "triu", "tril", "diag", "diagonal", "trace", "array_split"])
    type_ = p.pick(NUMBERS if name in ("diff", "adjacent_difference", "trace") else ALL)
    kind = "small" if type_ in FLOATS or type_ == "bool" else p.pick(["bits", "small"])
    rank = p.pick([1, 2]) if name == "diag" else p.rank(2 if name in ("triu", "tril", "diagonal", "trace") else 1)
    i = p.lazy(type_, rank, kind) if name != "diag" else p.input(type_, p.extents(rank, most=200), kind)
    rank = p.values[i].ndim
    if not rank or rank < 2 and name in ("triu", "tril", "diagonal", "trace"):
        raise Skip
    axis, type_ = p.axis(i), p.dtype(i)
    if name in ("concatenate", "stack"):
        args = [i]
        for _ in range(p.whole(1, 3)):
            shape = p.shape(i)
            if name == "concatenate":
                shape[axis] = p.whole(0, 9)
            args.append(p.work(p.input(type_, shape, kind)) if type_ in NUMBERS else p.input(type_, shape, kind))
        axis = axis if name == "concatenate" else p.whole(-rank - 1, rank)
        return p.op(name, p.rng.permutation(args).tolist() if p.chance(0.5) else args, axis)
    if name == "pad":
        mode = p.pick(["constant", "edge", "reflect", "symmetric", "wrap"])
        if mode != "constant" and p.values[i].size == 0:
            raise Skip
        widths = [[p.whole(0, 9), p.whole(0, 4)] for _ in range(rank if p.chance(0.6) else 1)]
        return p.op(name, [i], widths, mode, "1")
    if name == "roll_axes":
        axes = p.axes(i)
        return p.op(name, [i], [p.whole(-9, 9) for _ in axes], axes)
    if name == "array_split":
        parts = p.whole(1, 5)
        return p.op(name, [i], parts, axis, p.whole(0, parts - 1))
    params = {"roll": lambda: [p.whole(-300, 300)], "tile": lambda: [[p.whole(1, 3) for _ in range(p.whole(0, 3))]],
              "repeat_axis": lambda: [p.whole(0, 3), axis], "diff": lambda: [p.whole(0, 4), axis],
              "adjacent_difference": lambda: [axis], "triu": lambda: [p.whole(-4, 4)], "tril": lambda: [p.whole(-4, 4)],
              "diag": lambda: [p.whole(-4, 4)], "diagonal": lambda: [p.whole(-4, 4), *two(p, rank)],
              "trace": lambda: [p.whole(-4, 4), *two(p, rank)]}
    if p.shape(i)[axis] == 0 and name == "adjacent_difference":
        raise Skip
    p.op(name, [i], *params[name]())
    exact = p.values[-1]
    if exact.dtype.kind == "f" and not np.all(np.abs(exact) <= 1000):
        raise Skip


def two(p, rank):
    first = p.whole(0, rank - 1)
    return [first, (first + p.whole(1, rank - 1)) % rank]


def matrices(p):
    name = p.pick(["matmul", "matmul", "matmul", "dot", "inner", "vecdot", "outer", "tensordot", "einsum", "einsum"])
    type_ = p.pick(NUMBERS)
    kind = p.pick(["small", "signed"] if type_ in FLOATS else ["bits", "small"])
    side = lambda: p.pick([1, 2, 3, 5, 8, 16, 17, 31, 33, 65])
    m, k, n = side(), side(), side()
    if p.chance(0.04):
        m, k, n = [(0, k, n), (m, 0, n), (m, k, 0)][p.whole(0, 2)]
    def stored(shape):
        """An array of the shape, that lies transposed, flipped, or as the work of another type."""
        if len(shape) >= 2 and p.chance(0.4):
            order = list(range(len(shape)))
            order[-1], order[-2] = order[-2], order[-1]
            return p.op("permute", [p.input(type_, [shape[a] for a in order], kind)], order)
        i = p.input(type_, shape, kind)
        return p.op("flip", [i], p.axis(i)) if shape and p.chance(0.2) else p.op("abs", [i]) if p.chance(0.2) else i
    if name == "matmul":
        batch = p.extents(p.pick([0, 0, 1, 2]), most=6, empty=0)
        lead = lambda: [1 if p.chance(0.3) else e for e in batch]
        left, right = lead() + [m, k], lead() + [k, n]
        left, right = ([k] if p.chance(0.1) else left), ([k] if p.chance(0.1) else right)
        i = p.op(name, [stored(left), stored(right)])
        return i
    if name == "tensordot":
        return p.op(name, [stored([3, m, k]), stored([k, n, 3])], [2, 0], [0, 2])
    if name == "einsum":
        equation, shapes = p.pick([("ij,jk->ik", [[m, k], [k, n]]), ("ij->ji", [[m, n]]), ("ii->i", [[m, m]]), ("ij->j", [[m, n]]),
                                   ("bij,bkj->bik", [[3, m, k], [3, n, k]]), ("i,j->ij", [[m], [n]]), ("ij,ij->", [[m, n], [m, n]]),
                                   ("...ij,...j->...i", [[2, m, k], [2, k]]), ("ii", [[m, m]]), ("ij,j,i->", [[m, n], [n], [m]])])
        if min(map(math.prod, shapes)) == 0 and len(shapes) == 1:
            raise Skip
        return p.op(name, [stored(s) for s in shapes], equation)
    shapes = {"dot": p.pick([([k], [k]), ([m, k], [k, n]), ([m, k], [k]), ([2, m, k], [k, n])]), "inner": ([m, k], [n, k]),
              "vecdot": ([m, k], [m, k]), "outer": ([m], [n])}[name]
    p.op(name, [stored(s) for s in shapes])


def normalisations(p):
    name = p.pick(["softmax", "log_softmax", "logsumexp", "layer_norm", "rms_norm"])
    type_ = p.pick(["f32", "f32", "f16"])
    i = p.input(type_, p.extents(p.rank(1), empty=0), p.pick(["small", "signed", "wide"] if type_ == "f32" else ["small", "signed"]))
    i = p.view(i) if p.chance(0.5) else i
    if not p.values[i].ndim or p.values[i].size == 0:
        raise Skip
    if name in ("softmax", "log_softmax"):
        return p.op(name, [i], p.axis(i))
    if name == "logsumexp":
        return p.op(name, [i], p.axes(i), p.chance(0.5))
    p.op(name, [i], p.axes(i), 0.01)


def makings(p):
    name = p.pick(["arange", "linspace", "eye"])
    if name == "eye":
        return p.op(name, [], p.pick(NUMBERS), p.whole(0, 12), p.whole(0, 12), p.whole(-14, 14))
    if name == "linspace":
        return p.op(name, [], p.pick(FLOATS), str(p.whole(-9, 9)), str(p.whole(-9, 9)), p.pick([0, 1, 2, 5, 50, 257]))
    type_ = p.pick(NUMBERS)
    start = p.whole(-40, 40) if below_zero(type_) else p.whole(0, 40)
    if type_ in ("i64", "u64") and p.chance(0.5):
        start = p.pick([2**53, 2**53 + 1, 2**62 + 1, 2**62 - 3])
    step = p.pick([1, 2, 3, 7]) if not below_zero(type_) else p.pick([1, 2, 3, -1, -2])
    if type_ in FLOATS and p.chance(0.5):
        step *= 0.25
    stop = start + p.whole(-3, 300) * (1 if step > 0 else -1)
    i = p.op(name, [], type_, str(start), str(max(stop, 0) if not below_zero(type_) else stop), str(step))
    if isinstance(p.values[i], np.ndarray) and p.chance(0.5):
        p.view(i)


# Families and how often each is drawn.
FAMILIES = {
    unary: 4, binary: 4, integers: 6, floats: 6, subnormals: 2, casts: 6, chains: 6, views: 5, reductions: 10,
    long_reductions: 2, scans: 7, scans_of_forms: 6, orders: 9, sets: 7, quantiles: 4, searches: 6, gathers: 8, joins: 9,
    matrices: 8, normalisations: 4, makings: 3,
}
