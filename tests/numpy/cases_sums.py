"""Families of cases: reductions, scans, products, what normalises, and what is made of nothing."""
import math

import numpy as np
from inputs import FLOATS, NUMBERS, below_zero
from program import ALL
from meaning import Skip
from reference import apply
from reference_sums import SCANS


def reductions(p):
    name = p.pick(["sum", "product", "min", "max", "arg_min", "arg_max", "any", "all", "count_nonzero", "mean", "variance", "std",
                   "norm", "mean_variance_mean", "mean_variance_variance", "sum", "max", "arg_min"])
    means = ["mean", "variance", "std", "norm", "mean_variance_mean", "mean_variance_variance"]
    types = FLOATS if name in means else ALL if name in ("any", "all", "count_nonzero") else NUMBERS
    type_ = p.pick(types)
    kinds = {"product": ["powers"] if type_ in FLOATS else ["bits", "small"], "any": ["sparse"], "all": ["sparse", "divisors"], "count_nonzero": ["sparse", "special"]}
    order = ["ties", "special", "bits", "small"]
    kind = p.pick(kinds.get(name, order if name in ("min", "max", "arg_min", "arg_max") else
                            (["small", "signed", "unit", "rare"] if type_ in FLOATS else ["bits", "special", "small"])))
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
    kind = p.pick(["special", "small", "bits"] if order else ["signed", "small", "rare"] if type_ in FLOATS else ["bits", "small"])
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


def matrices(p):
    name = p.pick(["matmul", "matmul", "matmul", "dot", "inner", "vecdot", "outer", "tensordot", "einsum", "einsum"])
    type_ = p.pick(NUMBERS)
    kind = p.pick(["small", "signed", "small", "signed", "rare"] if type_ in FLOATS else ["bits", "small"])
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
    i = p.input(type_, p.extents(p.rank(1), empty=0), p.pick(["small", "signed", "wide", "rare"] if type_ == "f32" else ["small", "signed"]))
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
