"""Results of special functions to a thousandth of an ULP, by mpmath in 50 digits, for special.rs. Needs mpmath.

Each line: the function, the type, its arguments as the bits of f64, the f64 nearest to the result, how far the result lies
above that in ULPs, and the exponent of the ULP. The ULP is that of the result, or of what the documentation of the function
says instead where it has zeros.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install mpmath
    /tmp/venv/bin/python tests/conformance/special.py > tests/conformance/special.txt
"""

import random
import struct

import mpmath as mp

mp.mp.dps = 50
FORMATS = {"f32": (24, -126, -37, 38, "<f"), "f64": (53, -1022, -306, 308, "<d")}


def bits(value):
    return struct.pack(">d", value).hex()


def erfcinv(w):
    """Newton's method on ln erfc; mpmath has erfinv alone, which loses small w."""
    if abs(1 - w) < 0.5:
        return mp.erfinv(1 - w)
    if w > 1:
        return -erfcinv(2 - w)
    y, goal = mp.mpf("0.4"), mp.log(w)
    for _ in range(100):
        tail = mp.erfc(y)
        step = (mp.log(tail) - goal) * tail / (2 / mp.sqrt(mp.pi) * mp.exp(-y * y))
        y += step
        if abs(step) < mp.mpf(10) ** -45:
            return y
    raise ValueError(w)


def erfinv(x):
    return mp.erfinv(x) if abs(x) < 0.5 else mp.sign(x) * erfcinv(1 - abs(x))


def lgamma(x):
    return mp.log(abs(mp.gamma(x))) if x < 0 else mp.loggamma(x)


def size(value, *_):
    return abs(value)


def lgamma_scale(value, x):
    return max(abs(value), 1, mp.loggamma(-x)) if x < 0 else abs(value)


def digamma_scale(value, x):
    return max(abs(value), 1, mp.pi * abs(mp.cot(mp.pi * x))) if x < 0 else abs(value)


def wave_scale(value, x):
    return max(abs(value), mp.sqrt(2 / (mp.pi * abs(x)))) if abs(x) > 1 else abs(value)


def betainc(a, b, x):
    return mp.betainc(a, b, 0, x, regularized=True)


def beta_scale(value, a, b, x):
    size = 1 if x > (a + 1) / (a + b + 2) else abs(value)
    return size * (60 + a + b + 2 * abs(mp.log(value)))


def between(low, high):
    return lambda draw: draw.uniform(low, high)


def powers(low, high, sign=1):
    return lambda draw: sign * 10 ** draw.uniform(low, high)


def near(points, least, sign=1):
    """Numbers at distances down to 10^least times a point."""
    return lambda draw: sign * draw.choice(points) * (1 + draw.choice([1, -1]) * 10 ** draw.uniform(least, -1))


def functions(least, most, digits):
    """Name, function, scale, and the ways to draw each of its arguments."""
    whole = [n for n in range(1, 30)]
    growth = 90 if digits == 24 else 710
    # The phase of f32 is that of its sin.
    far = [] if digits == 24 else [powers(4, 9)]
    factorial = 36 if digits == 24 else 172
    positive = [between(0, 4), between(2, 3), between(3, factorial), powers(least, 0)]
    negative = [between(-8, 0), between(-factorial, 0), near(whole, -digits / 4, -1), powers(least, 0, -1)]
    return [
        ("erfinv", erfinv, size, [[between(-1, 1), between(0.5, 0.7), powers(least, 0), lambda d: 1 - 10 ** d.uniform(-digits * 0.3, 0)]]),
        ("erfcinv", erfcinv, size, [[between(0, 2), between(0.3, 0.7), powers(least, 0), lambda d: 2 - 10 ** d.uniform(-digits * 0.28, 0)]]),
        ("gamma", mp.gamma, size, [positive + negative]),
        ("lgamma", lgamma, lgamma_scale, [positive + negative + [near([1, 2], -digits / 4), powers(1, most - 3)]]),
        *((f"i{n}", lambda x, n=n: mp.besseli(n, x), size, [[between(-15, 15), between(5, growth), between(-growth, -5), powers(least, 0)]]) for n in (0, 1)),
        *((f"j{n}", lambda x, n=n: mp.besselj(n, x), wave_scale, [[between(-10, 10), between(3, 30), powers(least, 0), powers(1, 4.4), *far]]) for n in (0, 1)),
        ("betainc", betainc, beta_scale, [[powers(-2, 1), powers(-2, 3.5)], [powers(-2, 1), powers(-2, 3.5)], [between(0, 1), powers(-8, 0)]]),
        ("digamma", mp.digamma, digamma_scale, [positive + negative + [near([mp.findroot(mp.digamma, 1.46)], -digits / 4), powers(1, most)]]),
    ]


def rounded(value, code):
    return struct.unpack(code, struct.pack(code, float(value)))[0]


def rows(kind, count):
    digits, smallest, least, most, code = FORMATS[kind]
    draw = random.Random(51)
    for name, function, scale, arguments in functions(least, most, digits):
        made = 0
        while made < count:
            x = [rounded(draw.choice(ways)(draw), code) for ways in arguments]
            try:
                value = mp.mpf(function(*map(mp.mpf, x)))
            except (ValueError, ZeroDivisionError):
                continue
            # What overflows, what is denormal, and poles are special.rs's own.
            if not mp.isfinite(value) or not mp.mpf(2) ** smallest <= abs(value) < mp.mpf(2) ** (1 - smallest):
                continue
            exponent = int(mp.floor(mp.log(scale(value, *map(mp.mpf, x)), 2))) - digits + 1
            above = (value - mp.mpf(float(value))) / mp.mpf(2) ** exponent
            print(name, kind, *map(bits, x), bits(float(value)), f"{float(above):.4f}", exponent)
            made += 1


rows("f32", 240)
rows("f64", 240)
