"""What elementwise functions, casts, views and joins mean in NumPy."""
import math

import numpy as np
from inputs import TYPES
from meaning import OPERATIONS, Near, Skip, exactly, near_ulp, operation, parse, ulp, wide

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
    if np.any(np.abs(values[np.isfinite(values)]) >= (2**51 if x.dtype == np.float64 else 2**24)):
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
    out = x.copy()
    index = [part if isinstance(part, int) else np.arange(length)[part[0]:part[1]][::part[2]] for part, length in zip(parts, x.shape)]
    shape = [len(i) for i in index if not isinstance(i, int)]
    whole = [np.atleast_1d(i) for i in index]
    out[np.ix_(*whole)] = np.broadcast_to(value, shape).reshape([len(i) for i in whole])
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
