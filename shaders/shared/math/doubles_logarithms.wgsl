// Logarithms of doubles: log, log2, log10, log1p. After FreeBSD's e_log.c and k_log.h.
// doubles.wgsl has the aliases, bits.wgsl the rules of this folder.

// log((1+s)/(1-s)) - 2s over s, z = s^2 <= 0.02945.
fn m_wide_log_poly(z: D) -> D {
    var p = fma(z, D(0.1461703754879165), D(0.1533167403016786));
    p = fma(z, p, D(0.18182890556695602));
    p = fma(z, p, D(0.2222221111514416));
    p = fma(z, p, D(0.2857142862609589));
    p = fma(z, p, D(0.3999999999989924));
    p = fma(z, p, D(0.666666666666667));
    return z * p;
}

// log(1+f) = f - (f^2/2 - g): this is g + add, for f in [-0.293, 0.4143].
fn m_wide_log_tail(f: D, add: D) -> D {
    let s = f / (D(2.0) + f);
    return fma(s, D(0.5) * f * f + m_wide_log_poly(s * s), add);
}

// The exponent field to take from bits b so that the rest lies in [sqrt(1/2), sqrt(2)).
fn m_wide_log_e(b: L) -> L {
    return (b - L(0x3fe6a09e667f3bcdlu)) & L(0xfff0000000000000lu);
}

// The exponent taken by m_wide_log_e as a number.
fn m_wide_log_n(e: L) -> D {
    return bitcast<D>(((e >> U(52u)) ^ L(0x800lu)) | L(0x4330000000000000lu)) - D(4503599627372544.0);
}

// Whether x is denormal (or 0, or negative): it is scaled by 2^54 first.
fn m_wide_log_small(x: D) -> T {
    return x < D(2.2250738585072014e-308);
}

fn m_wide_log_scaled(x: D) -> D {
    return select(x, x * D(18014398509481984.0), m_wide_log_small(x));
}

// Special cases of the logarithms: NaN for NaN and x < 0, -inf for +-0, inf for inf.
fn m_wide_log_special(r: D, x: D) -> D {
    let b = bitcast<L>(x);
    var u = select(bitcast<L>(r), L(0x7ff8000000000000lu), b > L(0x7ff0000000000000lu));
    u = select(u, L(0x7ff0000000000000lu), b == L(0x7ff0000000000000lu));
    return bitcast<D>(select(u, L(0xfff0000000000000lu), (b & L(0x7ffffffffffffffflu)) == L(0lu)));
}

// log: x = 2^n (1+f), n*ln2 in two parts.
// Max error 1.0 ULP.
fn m_wide_log(x: D) -> D {
    let b = bitcast<L>(m_wide_log_scaled(x));
    let e = m_wide_log_e(b);
    let n = m_wide_log_n(e) - select(D(0.0), D(54.0), m_wide_log_small(x));
    let f = bitcast<D>(b - e) - D(1.0);
    let g = m_wide_log_tail(f, n * D(1.9082149292705877e-10));
    return m_wide_log_special(fma(n, D(0.6931471803691238), f - m_wide_pin(D(0.5) * f * f - g)), x);
}

// log2: as log, log(1+f) cut in two before the product with log2(e); exact for powers of two.
// Max error 1.0 ULP.
fn m_wide_log2(x: D) -> D {
    let b = bitcast<L>(m_wide_log_scaled(x));
    let e = m_wide_log_e(b);
    let n = m_wide_log_n(e) - select(D(0.0), D(54.0), m_wide_log_small(x));
    let f = bitcast<D>(b - e) - D(1.0);
    let half = m_wide_pin(D(0.5) * f * f);
    let h = m_wide_hi(f - half);
    let l = (m_wide_pin(f - h) - half) + m_wide_log_tail(f, D(0.0));
    let vh = h * D(1.4426950216293335);
    let vl = fma(l + h, D(1.9259629911266175e-08), l * D(1.4426950216293335));
    let w = m_wide_pin(n + vh);
    return m_wide_log_special(w + (vl + (m_wide_pin(n - w) + vh)), x);
}

// log10: as log2.
// Max error 1.0 ULP.
fn m_wide_log10(x: D) -> D {
    let b = bitcast<L>(m_wide_log_scaled(x));
    let e = m_wide_log_e(b);
    let n = m_wide_log_n(e) - select(D(0.0), D(54.0), m_wide_log_small(x));
    let f = bitcast<D>(b - e) - D(1.0);
    let half = m_wide_pin(D(0.5) * f * f);
    let h = m_wide_hi(f - half);
    let l = (m_wide_pin(f - h) - half) + m_wide_log_tail(f, D(0.0));
    let vh = h * D(0.4342944771051407);
    let vl = fma(n, D(5.371644767466998e-12), fma(l + h, D(4.798111141615973e-09), l * D(0.4342944771051407)));
    let y = n * D(0.30102999565860955);
    let w = m_wide_pin(y + vh);
    return m_wide_log_special(w + (vl + (m_wide_pin(y - w) + vh)), x);
}

// log1p for finite x > -1: the scale 2^-n comes from 1+x, but f = x*2^-n + (2^-n - 1) from x itself (Juffa).
fn m_wide_log1p_core(x: D) -> D {
    let e = m_wide_log_e(bitcast<L>(D(1.0) + x));
    let s = bitcast<D>(L(0x4010000000000000lu) - e);
    let f = bitcast<D>(bitcast<L>(x) - e) + m_wide_pin(fma(s, D(0.25), D(-1.0)));
    let n = m_wide_log_n(e);
    let g = m_wide_log_tail(f, n * D(1.9082149292705877e-10));
    return fma(n, D(0.6931471803691238), f - m_wide_pin(D(0.5) * f * f - g));
}

// log1p.
// Max error 1.5 ULP.
fn m_wide_log1p(x: D) -> D {
    let b = bitcast<L>(x);
    var u = select(bitcast<L>(m_wide_log1p_core(x)), L(0x7ff0000000000000lu), b == L(0x7ff0000000000000lu));
    u = select(u, L(0xfff0000000000000lu), b == L(0xbff0000000000000lu));
    u = select(u, L(0x7ff8000000000000lu), b > L(0xbff0000000000000lu));
    return m_wide_keep_tiny(bitcast<D>(u), x);
}
