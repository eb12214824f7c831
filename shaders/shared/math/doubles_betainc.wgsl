// The regularised incomplete beta function of doubles; betainc.wgsl has the method.
// doubles.wgsl has the aliases, bits.wgsl the rules of this folder.

// 1/(12 a) - .., what Stirling's formula leaves of ln gamma, for a >= 8.
fn m_wide_stirling_rest(a: D) -> D {
    let v = D(1.0) / a;
    let z = v * v;
    var p = fma(z, D(-0.0016525849983934733), D(0.0008372827864695204));
    p = fma(z, p, D(-0.0005952025847742346));
    p = fma(z, p, D(0.000793650664877517));
    p = fma(z, p, D(-0.0027777777776060446));
    p = fma(z, p, D(0.0833333333333333));
    return v * p;
}

// x^a (1-x)^b / B(a, b): both parameters are taken 8 steps up where they are below 8, for Stirling's formula. About the
// mean a/(a+b) both logarithms come from one difference, whose rounding error cancels.
fn m_wide_beta_front(a: D, b: D, x: D) -> D {
    let low_a = a < D(8.0);
    let low_b = b < D(8.0);
    let p = select(a, a + D(8), low_a);
    let q = select(b, b + D(8), low_b);
    let s = p + q;
    let t = select(a + b, a + b + D(8), low_a);
    var r = D(1.0);
    var k = D(0.0);
    for (var step = 0u; step < 8u; step++) {
        r = select(r, r * (((a + k) / p) * (s / (a + b + k))), low_a);
        r = select(r, r * (((b + k) / q) * (s / (t + k))), low_b);
        k += D(1.0);
    }
    let d = fma(x, s, -p);
    let u = d / p;
    let v = d / q;
    let mean = max(m_wide_abs(u), m_wide_abs(v)) < D(0.5);
    let far_x = m_wide_log(x) + m_wide_log1p_core(q / p);
    let far_y = m_wide_log1p_core(-x) + m_wide_log1p_core(p / q);
    let log_x = select(far_x, m_wide_log1p_core(select(D(0.0), u, mean)), mean);
    let log_y = select(far_y, m_wide_log1p_core(select(D(0.0), -v, mean)), mean);
    let rest = m_wide_stirling_rest(s) - (m_wide_stirling_rest(p) + m_wide_stirling_rest(q));
    let e = fma(a, log_x, b * log_y) + rest;
    return (r * sqrt(D(0.15915494309189535) * p * (q / s))) * m_wide_exp_core(clamp(e, D(-740.0), D(700.0)), D(0.0), L(0lu));
}

// The continued fraction, at most 400 turns of two steps.
fn m_wide_beta_fraction(p: D, q: D, x: D) -> D {
    var c = D(1.0);
    var d = D(1.0) / (D(1.0) - (p + q) * x / (p + D(1.0)));
    var h = d;
    var m = D(1.0);
    for (var turn = 0u; turn < 400u; turn++) {
        let at = p + m + m;
        let even = (m / at) * ((q - m) / (at - D(1.0))) * x;
        d = D(1.0) / fma(even, d, D(1.0));
        c = D(1.0) + even / c;
        h = h * (d * c);
        let odd = -((p + m) / at) * ((p + q + m) / (at + D(1.0))) * x;
        d = D(1.0) / fma(odd, d, D(1.0));
        c = D(1.0) + odd / c;
        let more = d * c;
        h = h * more;
        m += D(1.0);
        if (!any(m_wide_abs(more - D(1.0)) > D(1.1e-16))) {
            break;
        }
    }
    return h;
}

// The regularised incomplete beta function: by its fraction below (a + 1)/(a + b + 2), else 1 less that of 1 - x. SciPy's
// limits: 1 for a = 0, 0 for b = 0, NaN where both are 0 or infinite, or any lies outside.
fn m_wide_betainc(a: D, b: D, x: D) -> D {
    let inside = (a > D(0.0)) & (b > D(0.0)) & m_wide_is_finite(a) & m_wide_is_finite(b) & (x > D(0.0)) & (x < D(1.0));
    let sa = select(D(1.0), a, inside);
    let sb = select(D(1.0), b, inside);
    let sx = select(D(0.5), x, inside);
    let turn = sx > (sa + D(1.0)) / (sa + sb + D(2.0));
    let p = select(sa, sb, turn);
    let part = m_wide_beta_front(sa, sb, sx) / p * m_wide_beta_fraction(p, select(sb, sa, turn), select(sx, D(1.0) - sx, turn));
    var v = select(part, D(1.0) - part, turn);
    let zero_a = a == D(0.0);
    let zero_b = b == D(0.0);
    let most_a = m_wide_is_inf(a);
    let most_b = m_wide_is_inf(b);
    v = select(v, D(0.0), zero_b | most_a | (x == D(0.0)));
    v = select(v, D(1.0), ((zero_a | most_b) & (x != D(0.0))) | (x == D(1.0)));
    let bad = (zero_a & zero_b) | (most_a & most_b) | (a < D(0.0)) | (b < D(0.0)) | (x < D(0.0)) | (x > D(1.0));
    return m_wide_nan_if(v, bad | m_wide_is_nan(a) | m_wide_is_nan(b) | m_wide_is_nan(x));
}
