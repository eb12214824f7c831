// Elementwise functions of doubles, over the aliases F, U, T of math.wgsl and D (f64 or vec4<f64>), L (u64 or vec4<u64>),
// which the caller appends. House rules as there; what has exponentials or angles in it is not here.

// NaN: bit test.
fn m_wide_is_nan(x: D) -> T {
    return (bitcast<L>(x) & L(0x7ffffffffffffffflu)) > L(0x7ff0000000000000lu);
}

// +-inf: bit test.
fn m_wide_is_inf(x: D) -> T {
    return (bitcast<L>(x) & L(0x7ffffffffffffffflu)) == L(0x7ff0000000000000lu);
}

// Neither NaN nor inf: bit test.
fn m_wide_is_finite(x: D) -> T {
    return (bitcast<L>(x) & L(0x7ffffffffffffffflu)) < L(0x7ff0000000000000lu);
}

// r, but NaN where c.
fn m_wide_nan_if(r: D, c: T) -> D {
    return bitcast<D>(select(bitcast<L>(r), L(0x7ff8000000000000lu), c));
}

// |x|: in the bits.
fn m_wide_abs(x: D) -> D {
    return bitcast<D>(bitcast<L>(x) & L(0x7ffffffffffffffflu));
}

// |x| with the sign bit of y: in the bits.
fn m_wide_copysign(x: D, y: D) -> D {
    return bitcast<D>((bitcast<L>(x) & L(0x7ffffffffffffffflu)) | (bitcast<L>(y) & L(0x8000000000000000lu)));
}

// r with the sign bit of s xored in.
fn m_wide_xorsign(r: D, s: D) -> D {
    return bitcast<D>(bitcast<L>(r) ^ (bitcast<L>(s) & L(0x8000000000000000lu)));
}

// A single as a double: of a denormal one its digits, since a conversion may take it for 0.
fn m_wide_of(x: F) -> D {
    let digits = bitcast<U>(x) & U(0x007fffffu);
    let tiny = m_wide_copysign(D(digits) * D(1.401298464324817e-45), D(x));
    return select(D(x), tiny, ((bitcast<U>(x) & U(0x7f800000u)) == U(0u)) & (digits != U(0u)));
}

// A double as a single whose last bit says that something was lost: rounded once more, it is rounded once in all.
fn m_wide_to_odd(x: D) -> F {
    let bits = bitcast<L>(x);
    let sticky = select(L(0lu), L(0x20000000lu), (bits & L(0x1ffffffflu)) != L(0lu));
    return F(bitcast<D>((bits & L(0xffffffffe0000000lu)) | sticky));
}

// NumPy heaviside: 0, h at 0, 1; NaN stays NaN.
fn m_wide_heaviside(x: D, h: D) -> D {
    return select(select(select(D(0.0), D(1.0), x > D(0.0)), h, x == D(0.0)), x, m_wide_is_nan(x));
}

// x + (y - x) * t, in parts where y - x is no number.
fn m_wide_lerp(x: D, y: D, t: D) -> D {
    let way = y - x;
    let parts = x * (D(1.0) - t) + y * t;
    return select(x + way * t, parts, !m_wide_is_finite(way) & m_wide_is_finite(parts));
}

// hypot: both scaled by the power of two of the larger; inf wins over NaN (C99).
fn m_wide_hypot(x: D, y: D) -> D {
    let ax = bitcast<L>(m_wide_abs(x));
    let ay = bitcast<L>(m_wide_abs(y));
    let e = clamp(max(ax, ay) & L(0x7ff0000000000000lu), L(0x0010000000000000lu), L(0x7fd0000000000000lu));
    let s = bitcast<D>(L(0x7fe0000000000000lu) - e);
    let p = bitcast<D>(ax) * s;
    let q = bitcast<D>(ay) * s;
    let r = m_wide_nan_if(sqrt(p * p + q * q) * bitcast<D>(e), m_wide_is_nan(x) | m_wide_is_nan(y));
    return bitcast<D>(select(bitcast<L>(r), L(0x7ff0000000000000lu), m_wide_is_inf(x) | m_wide_is_inf(y)));
}

// Next double from x towards y: all in integers.
fn m_wide_nextafter(x: D, y: D) -> D {
    let bx = bitcast<L>(x);
    let by = bitcast<L>(y);
    let ax = bx & L(0x7ffffffffffffffflu);
    let ay = by & L(0x7ffffffffffffffflu);
    let equal = (bx == by) | ((ax | ay) == L(0lu));
    // Away from 0 where y lies on the same side and further out.
    let away = (ay > ax) & ((bx ^ by) < L(0x8000000000000000lu));
    let near = select(bx - L(1lu), bx + L(1lu), away);
    var r = select(near, (by & L(0x8000000000000000lu)) | L(1lu), ax == L(0lu));
    r = select(r, by, equal);
    return bitcast<D>(select(r, L(0x7ff8000000000000lu), m_wide_is_nan(x) | m_wide_is_nan(y)));
}

// The power of two of x > 0, where the exponent of 1 is 1023.
fn m_wide_exponent(x: D) -> U {
    let tiny = bitcast<L>(x) < L(0x0010000000000000lu);
    let e = U(bitcast<L>(select(x, x * D(18014398509481984.0), tiny)) >> U(52u));
    return select(e + U(54u), e, tiny);
}

// 2^up as a double, for up <= 1023.
fn m_wide_power(up: U) -> D {
    return bitcast<D>(L(up + U(1023u)) << U(52u));
}

// x * 2^up for up <= 3069: by three factors, since there is no such double past 2^1023.
fn m_wide_times(x: D, up: U) -> D {
    let first = min(up, U(1023u));
    let second = min(up - first, U(1023u));
    return ((x * m_wide_power(first)) * m_wide_power(second)) * m_wide_power(up - first - second);
}

// A turn of a division: r less 20 bits of the quotient times m, and the quotient with them; r and m > 0 as they are where r < m.
// Cut in two, the divisor has exact products with these bits. Near the largest double all is scaled down, since products reach
// past r.
fn m_wide_divide_step(r: D, m: D, quotient: ptr<function, D>) -> D {
    let most = m_wide_exponent(m) + U(20u);
    let e = m_wide_exponent(r);
    let up = max(e, most) - most;
    let large = r > D(1e300);
    let s = select(D(1.0), D(5.421010862427522e-20), large);
    let n = m_wide_times(m, up) * s;
    let p = r * s;
    let q = floor(p / n + D(0.5));
    let h = bitcast<D>(bitcast<L>(n) & L(0xfffffffffc000000lu));
    let d = max(p - q * h, D(-1e308)) - q * (n - h);
    let over = d < D(0.0);
    let rest = select(d, d + n, over) * select(D(1.0), D(18446744073709551616.0), large);
    let part = m_wide_times(q - select(D(0.0), D(1.0), over), up);
    *quotient = *quotient + select(D(0.0), part, r >= m);
    return select(r, rest, r >= m);
}

// C fmod, exact: at most 105 turns.
fn m_wide_fmod(x: D, y: D) -> D {
    let bad = !m_wide_is_finite(x) | (y == D(0.0)) | m_wide_is_nan(y);
    let m = select(m_wide_abs(y), D(1.0), bad);
    var r = select(m_wide_abs(x), D(0.0), bad);
    var quotient = D(0.0);
    while (any(r >= m)) {
        r = m_wide_divide_step(r, m, &quotient);
    }
    return m_wide_nan_if(m_wide_xorsign(r, x), bad);
}

// Python and NumPy %: the remainder takes the sign of the divisor.
fn m_wide_rem(x: D, y: D) -> D {
    let r = m_wide_fmod(x, y);
    let other = select(r, r + y, (bitcast<L>(r) ^ bitcast<L>(y)) >= L(0x8000000000000000lu));
    return m_wide_nan_if(select(other, m_wide_copysign(r, y), r == D(0.0)), m_wide_is_nan(r));
}

// NumPy floor_divide: the quotient rounded down; x/y where y = 0; NaN where x is infinite. Exact below 2^53; past that the parts
// of the quotient are added, each rounded, and all but the first two are far below its last bit.
fn m_wide_floor_divide(x: D, y: D) -> D {
    let bad = !m_wide_is_finite(x) | (y == D(0.0)) | m_wide_is_nan(y);
    let m = select(m_wide_abs(y), D(1.0), bad);
    var r = select(m_wide_abs(x), D(0.0), bad);
    var q = D(0.0);
    while (any(r >= m)) {
        r = m_wide_divide_step(r, m, &q);
    }
    let negative = (bitcast<L>(x) ^ bitcast<L>(y)) >= L(0x8000000000000000lu);
    let size = q + select(D(0.0), D(1.0), negative & (r != D(0.0)));
    let v = m_wide_nan_if(m_wide_xorsign(m_wide_xorsign(size, x), y), bad);
    return select(v, x / y, y == D(0.0));
}
