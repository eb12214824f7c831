"""Families of cases: orders, selections, indices and joins, and graphs of them."""
import numpy as np
from inputs import FLOATS, INTEGERS, NAMES, NUMBERS, SIGNED, UNSIGNED
from program import ALL
from meaning import Skip


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


def graphs(p):
    """Operations of several kernels over each other's results, which are used more than once; integers, so exact."""
    type_ = p.pick(["i32", "i32", "u32", "i64", "u64"])
    made = [p.prologue(p.input(type_, p.extents(p.rank(1), most=1500), p.pick(["small", "bits", "ties"])))]
    for _ in range(p.whole(2, 6)):
        i = p.pick(made[-2:]) if len(made) > 1 and p.chance(0.8) else p.pick(made)
        if not p.values[i].ndim:
            continue
        axis = p.axis(i)
        kind = p.pick(["sum", "max", "cumsum", "cummax", "sort", "argsort", "roll", "concatenate", "self", "pad", "diff", "view", "any",
                       "repeat_axis", "unique", "matmul", "take", "top", "compress"])
        if kind in ("sum", "max"):
            if p.values[i].size == 0:
                raise Skip
            j = p.op("sub", [i, p.op(kind, [i], [axis], True)])
        elif kind in ("cumsum", "cummax"):
            j = p.op(kind, [i], axis)
        elif kind == "sort":
            j = p.op(kind, [i], axis, p.chance(0.3))
        elif kind == "argsort":
            j = p.op("add", [i, p.op("cast", [p.op(kind, [i], axis, False)], type_)])
        elif kind == "roll":
            j = p.op(kind, [i], p.whole(-9, 9))
        elif kind == "concatenate":
            j = p.op(kind, [i, p.op("flip", [i], axis)], axis)
        elif kind == "self":
            j = p.op(p.pick(["add", "mul", "maximum"]), [i, p.op("flip", [i], axis)])
        elif kind == "pad":
            if p.values[i].size == 0:
                raise Skip
            j = p.op(kind, [i], [[p.whole(0, 3), p.whole(0, 3)]], p.pick(["edge", "wrap", "reflect", "constant"]), "1")
        elif kind == "diff":
            j = p.op(kind, [i], 1, axis)
        elif kind == "any":
            mask = p.op("less", [i, p.op("flip", [i], axis)])
            j = p.op("select", [mask, i, p.op("cast", [p.op("any", [mask], [axis], True)], type_)])
        elif kind == "repeat_axis":
            j = p.op(kind, [i], 2, axis)
        elif kind == "unique":
            j = p.op(kind, [i])
        elif kind == "matmul":
            if p.values[i].ndim < 2 or max(p.shape(i)) > 70:
                continue
            j = p.op(kind, [i, p.op("swap_axes", [i], -1, -2)])
        elif kind == "take":
            if p.values[i].size == 0:
                raise Skip
            order = p.op("argsort", [i], axis, False)
            j = p.op("take_along_axis", [p.op("flip", [i], axis), order], axis)
        elif kind == "top":
            j = p.op("top_k_values", [i], min(3, p.shape(i)[axis]), axis, p.chance(0.5))
        elif kind == "compress":
            j = p.op(kind, [i, p.op("less", [i, p.op("flip", [i], axis)])])
        else:
            j = p.view(i)
        if p.values[j].size > 6000:
            raise Skip
        made.append(j)
    if p.chance(0.3) and p.values[made[-1]].size:
        p.op(p.pick(["sum", "min", "arg_max"]), [made[-1]], None, False)


def long_orders(p):
    """Orders of many elements, past what a workgroup sorts."""
    name = p.pick(["sort", "argsort", "unique", "unique_counts", "nonzero", "cumsum", "cummax", "top_k_indices", "nth", "compress"])
    shape = p.pick([[33333], [20000], [9001], [3, 9001], [9001, 2], [5, 3000]])
    i = p.input(p.pick(["i32", "u32", "f32", "i64", "u8", "u16", "f64"]), shape, p.pick(["bits", "ties", "bits"]))
    if p.dtype(i) in FLOATS and p.chance(0.5):
        i = p.op("neg", [i])
    i = p.op("flip", [i], p.axis(i)) if p.chance(0.4) else i
    axis = p.axis(i)
    if name in ("cumsum", "cummax") and p.dtype(i) not in INTEGERS:
        raise Skip
    more = {"sort": [axis, p.chance(0.5)], "argsort": [axis, p.chance(0.5)], "cumsum": [axis], "cummax": [axis],
            "top_k_indices": [min(p.whole(1, 600), p.shape(i)[axis]), axis, p.chance(0.5)]}
    if name == "nth":
        more[name] = [p.whole(0, p.shape(i)[axis] - 1), axis]
    p.op(name, [i, p.input("bool", shape, "small")] if name == "compress" else [i], *more.get(name, []))
