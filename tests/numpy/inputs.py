"""Numbers that Python and Rust draw alike (`inputs.rs`), so that cases need not store them.

Element i of an input is a function of mix(seed + (i + 1) * GOLDEN), splitmix64's output.
"""
import numpy as np

GOLDEN = 0x9E3779B97F4A7C15
TYPES = {
    "f16": np.float16, "f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "bool": np.bool_,
}
NAMES = {np.dtype(t): name for name, t in TYPES.items()}
FLOATS, SIGNED, UNSIGNED = ["f16", "f32", "f64"], ["i32", "i64"], ["u8", "u16", "u32", "u64"]
INTEGERS = ["i32", "i64", "u32", "u64"]
NUMBERS = FLOATS + INTEGERS
# Of (bits of the significand, exponent bits).
FORMATS = {"f16": (10, 5), "f32": (23, 8), "f64": (52, 11)}


def mix(x):
    with np.errstate(over="ignore"):
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def hashes(seed, count):
    with np.errstate(over="ignore"):
        return mix(np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(GOLDEN))


def specials(name):
    """Values at the edges of a type, NaN and infinities included; no subnormal numbers."""
    if name == "bool":
        return [0, 1]
    if name in FORMATS:
        info = np.finfo(TYPES[name])
        some = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, info.max, -info.max, info.smallest_normal,
                -info.smallest_normal, 0.5, -0.5, 1.5, 2.5, -2.5, 1 + info.eps, 300.7, -3.7, 255.0, 256.0, 2049.0]
        if name != "f16":
            some += [65504.0, 65520.0, 65535.0, 65536.0, 2147483520.0, 2147483648.0, -2147483648.0, 4294967040.0,
                     4294967296.0, 9.223371487098962e18, 9.223372036854775808e18, -9.223372036854775808e18,
                     1.8446744073709551616e19, 8388609.0, 16777217.0]
        if name == "f64":
            some += [1.00048828125091, 1.0000000596046448, 2147483647.0, -2147483649.0, 4294967295.0, 1e300, 3.5e38,
                     9007199254740993.0, 1e-40, 1e-300, 6e-8, 65519.999]
        return some
    info = np.iinfo(TYPES[name])
    some = [0, 1, 2, 3, info.max, info.max - 1, info.min, info.min + 1, info.max // 2, info.max // 2 + 1, 127, 128, 255]
    if info.bits > 8:
        some += [256, 32767, 32768, 65535]
    if info.bits > 16:
        some += [65536, 16777215, 16777217, 16777219, 33554435]
    if info.bits > 32:
        some += [2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53 + 1, 2**53 - 1, 2**54 + 3]
    return some + ([-1, -2, -128, -16777217] if info.min < 0 else [])


def tiny(name):
    info = np.finfo(TYPES[name])
    least, most = float(info.smallest_subnormal), float(info.smallest_normal)
    return [least, -least, 3 * least, most - least, least - most, most, -most, 0.0, -0.0, 1.0, -1.0, np.nan]


def rare(name):
    """Mostly numbers, so that a few of many elements are infinite or NaN."""
    return [np.inf, np.nan, 0.0, -0.0, 1.0, 2.0, 3.0, 4.0, -1.0, -2.0, 0.5, -0.5]


TABLES = {"special": specials, "tiny": tiny, "rare": rare}


def below_zero(name):
    return name in FLOATS or name in SIGNED


def draw(name, count, kind, seed):
    """`count` elements of a type; `kind` says of which numbers."""
    h, type_ = hashes(seed, count), TYPES[name]
    whole = lambda x: x.astype(np.int64)
    small = lambda: whole(h % np.uint64(11)) - (5 if below_zero(name) else 0)
    if kind == "small":
        return (h & np.uint64(1)).astype(bool) if name == "bool" else small().astype(type_)
    if kind == "ties":
        return (whole(h % np.uint64(3)) - (1 if below_zero(name) else 0)).astype(type_)
    if kind == "divisors":
        sign = 1 - 2 * whole(h >> np.uint64(32) & np.uint64(1)) if below_zero(name) else 1
        return ((whole(h % np.uint64(5)) + 1) * sign).astype(type_)
    if kind == "sparse":
        return np.where(h % np.uint64(4) == 0, whole(h >> np.uint64(40)) % 5, 0).astype(type_)
    if kind == "powers":
        return np.array([1.0, -1.0, 2.0, 0.5] if below_zero(name) else [1, 3, 5, 7]).astype(type_)[whole(h % np.uint64(4))]
    if kind in ("unit", "signed", "wide"):
        bits = FORMATS[name][0] + 1
        raw = whole(h >> np.uint64(64 - bits))
        if kind == "unit":
            return (raw * 2.0**-bits).astype(type_)
        signed = (raw - 2 ** (bits - 1)) * 2.0 ** (1 - bits)
        power = whole(h & np.uint64(7)) - 4 if name == "f16" else whole(h & np.uint64(31)) - 16
        return (signed * (2.0**power if kind == "wide" else 1.0)).astype(type_)
    if kind == "bits":
        if name == "bool":
            return (h & np.uint64(1)).astype(bool)
        size = 8 * np.dtype(type_).itemsize
        raw = h >> np.uint64(64 - size)
        if name in FORMATS:
            # Without subnormal numbers, which devices may flush.
            low, high = FORMATS[name]
            none = (raw >> np.uint64(low)) & np.uint64(2**high - 1) == 0
            raw = np.where(none, raw & np.uint64(1 << (size - 1)), raw)
        return raw.astype(f"u{size // 8}").view(type_)
    if kind in TABLES:
        table = np.array(TABLES[kind](name), dtype=type_)
        odd = (h >> np.uint64(32)) % np.uint64(3) == 0
        plain = (h & np.uint64(1)).astype(bool) if name == "bool" else small().astype(type_)
        return np.where(odd, table[whole(h % np.uint64(len(table)))], plain)
    raise ValueError(kind)
