// Exponentials of doubles: exp, exp2, expm1; and what all double functions share.
// doubles.wgsl has the aliases, bits.wgsl the rules of this folder. fma() may be fused or not: both give the bounds stated.
// Coefficients: interpolation at Chebyshev's nodes in 70 digits, rounded to f64, where their error is below 2^-56.

// x. A maximum with a bound that is never reached: no compiler reassociates through it (m_pin).
fn m_wide_pin(x: D) -> D {
    return max(x, D(-1.7e308));
}

// The top 26 bits of x: products of two such numbers are exact.
fn m_wide_hi(x: D) -> D {
    return bitcast<D>(bitcast<L>(x) & L(0xfffffffff8000000lu));
}

// r, but x itself where x is NaN.
fn m_wide_keep_nan(r: D, x: D) -> D {
    return bitcast<D>(select(bitcast<L>(r), bitcast<L>(x), m_wide_is_nan(x)));
}

// r, but x itself where |x| < 2^-54 (keeps -0 and tiny values exact) or x is NaN.
fn m_wide_keep_tiny(r: D, x: D) -> D {
    let a = bitcast<L>(x) & L(0x7ffffffffffffffflu);
    return bitcast<D>(select(bitcast<L>(r), bitcast<L>(x), (a < L(0x3c90000000000000lu)) | m_wide_is_nan(x)));
}

// What the sum s of a and b was rounded by (Knuth, 1969).
fn m_wide_lost(a: D, b: D, s: D) -> D {
    let c = m_wide_pin(s - a);
    return (a - m_wide_pin(s - c)) + (b - c);
}

// The nearest whole number of |x| < 2^51, ties to even: llvmpipe has no right round().
fn m_wide_nearest(x: D) -> D {
    return m_wide_pin(x + D(6755399441055744.0)) - D(6755399441055744.0);
}

// A whole number |n| < 2^51 as an integer, in two's complement.
fn m_wide_count(n: D) -> L {
    return bitcast<L>(n + D(6755399441055744.0)) - L(0x4338000000000000lu);
}

// e * 2^k for e in [1/2, 2], k in two's complement from -1100 to 1100: half goes through the exponent field and half
// through one product, so that overflow gives inf and underflow a denormal or 0.
fn m_wide_scale(e: D, k: L) -> D {
    let a = ((k + L(4096lu)) >> U(1u)) - L(2048lu);
    let b = (k - a) + L(1023lu);
    return bitcast<D>(bitcast<L>(e) + (a << U(52u))) * bitcast<D>(b << U(52u));
}

// (e^r - 1 - r - r^2/2) / r^3 for |r| <= 0.3475.
fn m_wide_exp_poly(r: D) -> D {
    var p = fma(r, D(2.0911414421956654e-09), D(2.5100634461878497e-08));
    p = fma(r, p, D(2.755728259480407e-07));
    p = fma(r, p, D(2.7557267935231926e-06));
    p = fma(r, p, D(2.48015873173863e-05));
    p = fma(r, p, D(0.00019841269863392214));
    p = fma(r, p, D(0.0013888888888886504));
    p = fma(r, p, D(0.008333333333329994));
    p = fma(r, p, D(0.041666666666666664));
    p = fma(r, p, D(0.16666666666666669));
    return p;
}

// e^(h+l) - 1 for |h| <= 0.3475 and l far smaller.
fn m_wide_exp_part(h: D, l: D) -> D {
    let r = h + l;
    return h + fma(r * r, fma(r, m_wide_exp_poly(r), D(0.5)), l);
}

// e^(h+l) * 2^j for -760 <= h <= 720, |l| < 0.01. n*ln2_hi is exact: 32 and 11 bits.
fn m_wide_exp_core(h: D, l: D, j: L) -> D {
    let n = m_wide_nearest(h * D(1.4426950408889634));
    let r = m_wide_pin(fma(n, D(-0.6931471803691238), h));
    let e = D(1.0) + m_wide_exp_part(r, fma(n, D(-1.9082149292705877e-10), l));
    return m_wide_scale(e, m_wide_count(n) + j);
}

// exp.
// Max error 1.0 ULP.
fn m_wide_exp(x: D) -> D {
    return m_wide_keep_nan(m_wide_exp_core(clamp(x, D(-750.0), D(720.0)), D(0.0), L(0lu)), x);
}

// 2^(h+l) for -1080 <= h <= 1030, |l| < 0.001: the fraction times ln2 in two parts.
fn m_wide_exp2_core(h: D, l: D) -> D {
    let n = m_wide_nearest(h);
    let f = m_wide_pin(h - n);
    let fh = m_wide_hi(f);
    let low = fma(fh, D(1.2996506893889889e-08), ((f - fh) + l) * D(0.6931471805599453));
    let e = D(1.0) + m_wide_exp_part(fh * D(0.6931471675634384), low);
    return m_wide_scale(e, m_wide_count(n));
}

// exp2: exact for integers.
// Max error 1.5 ULP.
fn m_wide_exp2(x: D) -> D {
    return m_wide_keep_nan(m_wide_exp2_core(clamp(x, D(-1080.0), D(1030.0)), D(0.0)), x);
}

// expm1: 2*(s*q + (s - 1/2)) with s = 2^(k-1), q = e^r - 1 in two parts; half scale because 2^1024 does not exist.
// Max error 1.2 ULP.
fn m_wide_expm1(x: D) -> D {
    let c = clamp(x, D(-40.0), D(710.0));
    let n = m_wide_nearest(c * D(1.4426950408889634));
    let h = m_wide_pin(fma(n, D(-0.6931471803691238), c));
    let l = n * D(-1.9082149292705877e-10);
    let r = h + l;
    let rest = fma(r * r, fma(r, m_wide_exp_poly(r), D(0.5)), l);
    let q = m_wide_pin(h + rest);
    let s = bitcast<D>((m_wide_count(n) + L(1022lu)) << U(52u));
    let main = fma(s, q, m_wide_pin(s - D(0.5)));
    return m_wide_keep_tiny(D(2.0) * fma(s, (h - q) + rest, main), x);
}
