// Division and its remainders, scaling, rounding.
// bits.wgsl has the rules of this folder.

// x + (y - x) * t, in parts where y - x is no number.
fn m_lerp(x: F, y: F, t: F) -> F {
    let way = y - x;
    let parts = x * (F(1.0) - t) + y * t;
    return select(x + way * t, parts, !m_is_finite(way) & m_is_finite(parts));
}

// The digits of |x| as an integer, its leading 1 included; m is |x| in the bits.
fn m_digits(m: U) -> U {
    return (m & U(0x007fffffu)) | select(U(0u), U(0x00800000u), m >= U(0x00800000u));
}

// The power of two that the last digit counts, 1 for the smallest numbers; m is |x| in the bits.
fn m_place(m: U) -> U {
    return max(m >> U(23u), U(1u));
}

// C fmod, exact: a division of integers by hand, 8 bits of the quotient a turn, at most 35 turns. Nothing denormal is
// computed with.
// Max error 0.
fn m_fmod(x: F, y: F) -> F {
    let a = bitcast<U>(x) & U(0x7fffffffu);
    let b = bitcast<U>(y) & U(0x7fffffffu);
    let bad = (a >= U(0x7f800000u)) | (b == U(0u)) | (b > U(0x7f800000u));
    let m = select(b, U(1u), bad);
    let less = (a < m) | bad;
    let digits = m_digits(m);
    let place = m_place(m);
    var left = select(m_place(a) - place, U(0u), less);
    var r = m_digits(a);
    loop {
        let k = min(left, U(8u));
        r = (r << k) % digits;
        left = left - k;
        if (!any(left != U(0u))) {
            break;
        }
    }
    // The first digit to its place, as far as there are smaller numbers.
    let up = min(max(countLeadingZeros(r), U(8u)) - U(8u), place - U(1u));
    let rest = select((r << up) + ((place - up - U(1u)) << U(23u)), U(0u), r == U(0u));
    return m_nan_if(m_xorsign(bitcast<F>(select(rest, a, less)), x), bad);
}

// |x| * 2^149 for |x| < 2^-59, where the smallest number becomes 1; m is |x| in the bits.
fn m_raise(m: U) -> F {
    return F(m_digits(m)) * bitcast<F>((min(m_place(m), U(68u)) + U(126u)) << U(23u));
}

// Python and NumPy %: the remainder takes the sign of the divisor.
// Max error 0.5 ULP. Of divisors below 2^-60 both are scaled up, so that denormal numbers count.
fn m_rem(x: F, y: F) -> F {
    let r = m_fmod(x, y);
    let b = bitcast<U>(y) & U(0x7fffffffu);
    let high = m_raise(b) - m_raise(bitcast<U>(r) & U(0x7fffffffu));
    let low = select(bitcast<U>(high) - U(0x4a800000u), U(min(high, F(16777216.0))), high < F(16777216.0));
    let sum = select(bitcast<U>(r + y), low | (bitcast<U>(y) & U(0x80000000u)), b < U(0x21800000u));
    let s = select(r, bitcast<F>(sum), (bitcast<I>(r) ^ bitcast<I>(y)) < I(0));
    return m_keep_nan(select(s, m_copysign(r, y), m_is_zero(r)), r);
}

// An integer below 2^31 as the nearest number, of two the even one: how a conversion rounds is the device's affair.
fn m_nearest_of(n: U) -> F {
    let drop = U(8u) - min(countLeadingZeros(n), U(8u));
    let half = (U(1u) << drop) >> U(1u);
    let up = select(half - U(1u) + ((n >> drop) & U(1u)), U(0u), drop == U(0u));
    return F(((n + up) >> drop) << drop);
}

// NumPy floor_divide: the quotient rounded down; x/y where y = 0; NaN where x is infinite. A division of integers by hand,
// 6 bits a turn: of larger quotients 25 bits or more, and whether anything follows.
// Max error 0.5 ULP, exact where f32 has the quotient.
fn m_floor_divide(x: F, y: F) -> F {
    let a = bitcast<U>(x) & U(0x7fffffffu);
    let b = bitcast<U>(y) & U(0x7fffffffu);
    let bad = (a >= U(0x7f800000u)) | (b == U(0u)) | (b > U(0x7f800000u));
    let m = select(b, U(1u), bad);
    let less = (a < m) | bad;
    let digits = m_digits(m);
    var left = select(m_place(a) - m_place(m), U(0u), less);
    let start = select(m_digits(a), U(0u), less);
    var q = start / digits;
    var r = start - q * digits;
    var cut = U(0u);
    var more = U(0u);
    while (any(left != U(0u))) {
        let k = min(left, U(6u));
        let n = r << k;
        let part = n / digits;
        let fits = q < U(16777216u);
        more = more | select(part, U(0u), fits);
        cut = cut + select(k, U(0u), fits);
        q = select(q, (q << k) | part, fits);
        r = n - part * digits;
        left = left - k;
    }
    // Of a negative quotient with a rest the size is rounded up.
    let down = ((bitcast<I>(x) ^ bitcast<I>(y)) < I(0)) & (select(r, a, less) != U(0u));
    let whole = q + select(U(0u), U(1u), down & (cut == U(0u)));
    let sticky = select(U(0u), U(1u), (more != U(0u)) | (down & (cut != U(0u))));
    let size = m_ldexp(m_nearest_of((whole << U(1u)) | sticky), bitcast<I>(cut) - I(1));
    let v = m_nan_if(m_xorsign(m_xorsign(size, x), y), bad);
    let by_0 = m_nan_if(m_xorsign(m_xorsign(m_inf(x), x), y), m_is_zero(x) | m_is_nan(x));
    return select(v, by_0, m_is_zero(y));
}

// x * 2^n; n is cut at +-252, done in two products.
fn m_ldexp(x: F, n: I) -> F {
    let k = clamp(n, I(-252), I(252));
    let a = k >> U(1u);
    let b = k - a;
    return (x * bitcast<F>((a + I(127)) << U(23u))) * bitcast<F>((b + I(127)) << U(23u));
}

// Nearest integer, ties to even (WGSL round).
fn m_round(x: F) -> F {
    return round(x);
}

// Integer part towards 0.
fn m_trunc(x: F) -> F {
    return trunc(x);
}

// x - trunc(x), sign of x (C modf, not WGSL fract); +-0 for inf.
fn m_fract(x: F) -> F {
    return m_keep_nan(m_copysign(select(x - trunc(x), F(0.0), m_is_inf(x)), x), x);
}

// x / y, also where 1 / y is denormal: WGSL promises nothing for |y| > 2^126, and NVIDIA gives 0 there.
// The builtin's error, 2.5 ULP by WGSL.
fn m_divide(x: F, y: F) -> F {
    let s = select(F(1.0), F(0.25), (bitcast<U>(y) & U(0x7fffffffu)) > U(0x7e000000u));
    return (x * s) / (y * s);
}
