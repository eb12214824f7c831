"""Families of cases: elementwise work, casts and views."""
import numpy as np
from inputs import FLOATS, INTEGERS, NUMBERS
from program import ALL, small
from meaning import Skip
from reference import apply
from reference_elements import BINARY, UNARY


def unary(p):
    name = p.pick(list(UNARY))
    kind = p.pick(["small", "signed", "wide", "special"])
    type_ = p.pick(["f32", "f32", "f16"] if name not in ("reciprocal", "sqrt", "rsqrt", "to_degrees", "to_radians") else FLOATS)
    x = p.input(type_, p.extents(p.rank(0)), kind)
    x = p.view(x) if p.chance(0.5) else x
    p.op(name, [x])


def binary(p):
    name = p.pick(list(BINARY) + ["log_add_exp", "remainder", "modulo", "floor_divide", "multiply_add", "lerp", "nextafter", "copysign", "fmin", "fmax", "heaviside"])
    type_ = p.pick(["f32", "f32", "f16"] if name in ("pow", "atan2", "log_add_exp") else ["f32", *FLOATS])
    kind = p.pick(["small", "signed"] if name in ("multiply_add", "lerp", "floor_divide") else ["small", "signed", "special"])
    args = operands(p, type_, kind, 3 if name in ("multiply_add", "lerp") else 2)
    if name == "floor_divide":
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
    name = p.pick(names)
    arity = {"not": 1, "neg": 1, "abs": 1, "sign": 1, "square": 1, "relu": 1, "count_ones": 1, "leading_zeros": 1,
             "trailing_zeros": 1, "reverse_bits": 1, "multiply_add": 3, "clamp": 3}.get(name, 2)
    args = operands(p, type_, p.pick(["special", "bits", "small"]), arity)
    if name in ("divide", "remainder"):
        args[1] = p.input(type_, p.shape(args[1]), "divisors")
        if p.chance(0.5) and arity == 2 and name == "divide":
            args = [args[1], args[1]]
    if p.chance(0.06):
        # What needs no arithmetic there is of every type.
        type_ = p.pick(["u8", "u16", "bool"])
        name, args = p.pick(["equal", "not_equal", "select"]), operands(p, type_, "small", 2)
        args = [p.input("bool", p.shape(args[0]), "small"), *args] if name == "select" else args
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
