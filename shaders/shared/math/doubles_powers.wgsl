// Powers and roots of doubles. After FreeBSD's e_pow.c and s_cbrt.c.
// doubles.wgsl has the aliases, bits.wgsl the rules of this folder.

// The result of pow where |x|, y or the power itself is 0, 1, infinite, NaN, or of an odd power of a negative number.
fn m_wide_pow_special(r: D, x: D, y: D) -> D {
    let a = m_wide_abs(x);
    let negative = bitcast<L>(x) >= L(0x8000000000000000lu);
    let end = select(L(0lu), L(0x7ff0000000000000lu), (a < D(1.0)) != (y > D(0.0)));
    var u = select(bitcast<L>(r), end, (a == D(0.0)) | m_wide_is_inf(x) | m_wide_is_inf(y));
    u = select(u, L(0x3ff0000000000000lu), a == D(1.0));
    let half = y * D(0.5);
    let whole = y == floor(y);
    u = select(u, u | L(0x8000000000000000lu), negative & whole & (half != floor(half)));
    u = select(u, L(0x7ff8000000000000lu), negative & !whole & (a != D(0.0)) & !m_wide_is_inf(x));
    u = select(u, L(0x7ff8000000000000lu), m_wide_is_nan(x) | m_wide_is_nan(y));
    return bitcast<D>(select(u, L(0x3ff0000000000000lu), (y == D(0.0)) | (x == D(1.0))));
}

// log2(a) of a > 0 as the sum of the result, of 26 bits, and `low`, in all about 64 bits. a = 2^n m, m in [sqrt(3)/2, sqrt(3)),
// c = 1 or 1.5, s = (m-c)/(m+c), |s| <= 0.102; it is n + log2(c) + 2/(3 ln2) s (3 + s^2 + ..).
fn m_wide_log2_parts(a: D, low: ptr<function, D>) -> D {
    let small = a < D(2.2250738585072014e-308);
    let b = bitcast<L>(select(a, a * D(18014398509481984.0), small));
    let e = (b - L(0x3febb67ae8584caalu)) & L(0xfff0000000000000lu);
    let m = bitcast<D>(b - e);
    let n = m_wide_log_n(e) - select(D(0.0), D(54.0), small);
    let up = m > D(1.224744871391589);
    let c = select(D(1.0), D(1.5), up);
    // s in two parts: the rest of the division is exact.
    let above = m - c;
    let inverse = D(1.0) / (m + c);
    let s = above * inverse;
    let sh = m_wide_hi(s);
    let th = m_wide_hi(m + c);
    let tl = m - m_wide_pin(th - c);
    let sl = inverse * (m_wide_pin(above - sh * th) - sh * tl);
    // 3 + s^2 + .. in two parts.
    let z = s * s;
    var p = fma(z, D(0.20560332895159178), D(0.2307033005004061));
    p = fma(z, p, D(0.2727276292040714));
    p = fma(z, p, D(0.33333333246321756));
    p = fma(z, p, D(0.42857142857220476));
    p = fma(z, p, D(0.5999999999999999));
    let square = sh * sh;
    let rest = fma(z * z, p, sl * (sh + s));
    let qh = m_wide_hi(D(3.0) + square + rest);
    let ql = rest - m_wide_pin(m_wide_pin(qh - D(3.0)) - square);
    // Their product in two parts, then times 2/(3 ln2).
    let u = sh * qh;
    let v = fma(sl, qh, ql * s);
    let ph = m_wide_hi(u + v);
    let pl = v - m_wide_pin(ph - u);
    let wh = ph * D(0.9617966860532761);
    let wl = fma(ph, D(7.872699542894897e-09), fma(pl, D(0.9617966939259756), select(D(0.0), D(1.350039202129749e-08), up)));
    let g = select(D(0.0), D(0.5849624872207642), up);
    let t1 = m_wide_hi(((wh + wl) + g) + n);
    *low = wl - m_wide_pin(m_wide_pin(m_wide_pin(t1 - n) - g) - wh);
    return t1;
}

// pow, C99 special cases.
// Max error 2.0 ULP.
fn m_wide_pow(x: D, y: D) -> D {
    var t2 = D(0.0);
    let t1 = m_wide_log2_parts(m_wide_abs(x), &t2);
    // y*(t1 + t2); beyond the range the result is 0 or inf whatever the low part.
    let yh = m_wide_hi(y);
    let h = clamp(yh * t1, D(-2000.0), D(2000.0));
    let l = fma(y - yh, t1, y * t2);
    let edge = m_wide_abs(h) > D(1080.0);
    let w = m_wide_exp2_core(clamp(h, D(-1080.0), D(1030.0)), select(l, D(0.0), edge));
    return m_wide_pow_special(w, x, y);
}

// cbrt: x^(1/3) from the exponent (bits/3) to 5 bits, a polynomial to 23 bits, one Newton step.
// Max error 1.0 ULP.
fn m_wide_cbrt(x: D) -> D {
    let a = m_wide_abs(x);
    let small = a < D(2.2250738585072014e-308);
    let c = select(a, a * D(18014398509481984.0), small);
    let guess = U(bitcast<L>(c) >> U(32u)) / U(3u) + select(U(715094163u), U(696219795u), small);
    var t = bitcast<D>(L(guess) << U(32u));
    let r = (t * t) * (t / select(a, D(1.0), a == D(0.0)));
    var p = fma(r, D(0.14605431285816217), D(-0.7593299942384666));
    p = fma(r, p, D(1.6238790289749632));
    p = fma(r, p, D(-1.8873104525670041));
    p = fma(r, p, D(1.8767071049723452));
    t = t * p;
    // 23 bits, rounded up: t^2 is exact.
    t = bitcast<D>((bitcast<L>(t) + L(0x80000000lu)) & L(0xffffffffc0000000lu));
    let q = a / (t * t);
    t = fma(t, (q - t) / (t + t + q), t);
    let other = (a == D(0.0)) | !m_wide_is_finite(x);
    return bitcast<D>(select(bitcast<L>(m_wide_xorsign(t, x)), bitcast<L>(x), other));
}
