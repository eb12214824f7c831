// The regularised incomplete beta function: its continued fraction (DLMF 8.17.22) by Lentz's method.
// bits.wgsl has the rules of this folder.

// 1/(12 a) - .., what Stirling's formula leaves of ln gamma, for a >= 4.
fn m_stirling_rest(a: F) -> F {
    let v = F(1.0) / a;
    let z = v * v;
    var p = fma(z, F(0.000742720673), F(-0.00277661486));
    p = fma(z, p, F(0.0833333284));
    return v * p;
}

// x^a (1-x)^b / B(a, b): both parameters are taken 4 steps up where they are below 4, for Stirling's formula. About the
// mean a/(a+b) both logarithms come from one difference, whose rounding error cancels.
fn m_beta_front(a: F, b: F, x: F) -> F {
    let low_a = a < F(4.0);
    let low_b = b < F(4.0);
    let p = select(a, a + F(4), low_a);
    let q = select(b, b + F(4), low_b);
    let s = p + q;
    let t = select(a + b, a + b + F(4), low_a);
    var r = F(1.0);
    var k = F(0.0);
    for (var step = 0u; step < 4u; step++) {
        r = select(r, r * (((a + k) / p) * (s / (a + b + k))), low_a);
        r = select(r, r * (((b + k) / q) * (s / (t + k))), low_b);
        k += F(1.0);
    }
    let d = fma(x, s, -p);
    let u = d / p;
    let v = d / q;
    let mean = max(abs(u), abs(v)) < F(0.5);
    let far_x = m_log(x) + m_log1p_core(q / p);
    let far_y = m_log1p_core(-x) + m_log1p_core(p / q);
    let log_x = select(far_x, m_log1p_core(select(F(0.0), u, mean)), mean);
    let log_y = select(far_y, m_log1p_core(select(F(0.0), -v, mean)), mean);
    let rest = m_stirling_rest(s) - (m_stirling_rest(p) + m_stirling_rest(q));
    let e = fma(a, log_x, b * log_y) + rest;
    return (r * sqrt(F(0.159154943) * p * (q / s))) * m_exp_core(clamp(e, F(-104.0), F(80.0)), F(0.0), I(0));
}

// The continued fraction, at most 200 turns of two steps.
fn m_beta_fraction(p: F, q: F, x: F) -> F {
    var c = F(1.0);
    var d = F(1.0) / (F(1.0) - (p + q) * x / (p + F(1.0)));
    var h = d;
    var m = F(1.0);
    for (var turn = 0u; turn < 200u; turn++) {
        let at = p + m + m;
        let even = (m / at) * ((q - m) / (at - F(1.0))) * x;
        d = F(1.0) / fma(even, d, F(1.0));
        c = F(1.0) + even / c;
        h = h * (d * c);
        let odd = -((p + m) / at) * ((p + q + m) / (at + F(1.0))) * x;
        d = F(1.0) / fma(odd, d, F(1.0));
        c = F(1.0) + odd / c;
        let more = d * c;
        h = h * more;
        m += F(1.0);
        if (!any(abs(more - F(1.0)) > F(6e-8))) {
            break;
        }
    }
    return h;
}

// The regularised incomplete beta function: by its fraction below (a + 1)/(a + b + 2), else 1 less that of 1 - x. SciPy's
// limits: 1 for a = 0, 0 for b = 0, NaN where both are 0 or infinite, or any lies outside.
fn m_betainc(a: F, b: F, x: F) -> F {
    let inside = (a > F(0.0)) & (b > F(0.0)) & m_is_finite(a) & m_is_finite(b) & (x > F(0.0)) & (x < F(1.0));
    let sa = select(F(1.0), a, inside);
    let sb = select(F(1.0), b, inside);
    let sx = select(F(0.5), x, inside);
    let turn = sx > (sa + F(1.0)) / (sa + sb + F(2.0));
    let p = select(sa, sb, turn);
    let part = m_beta_front(sa, sb, sx) / p * m_beta_fraction(p, select(sb, sa, turn), select(sx, F(1.0) - sx, turn));
    var v = select(part, F(1.0) - part, turn);
    let zero_a = a == F(0.0);
    let zero_b = b == F(0.0);
    let most_a = m_is_inf(a);
    let most_b = m_is_inf(b);
    v = select(v, F(0.0), zero_b | most_a | (x == F(0.0)));
    v = select(v, F(1.0), ((zero_a | most_b) & (x != F(0.0))) | (x == F(1.0)));
    let bad = (zero_a & zero_b) | (most_a & most_b) | (a < F(0.0)) | (b < F(0.0)) | (x < F(0.0)) | (x > F(1.0));
    return m_nan_if(v, bad | m_is_nan(a) | m_is_nan(b) | m_is_nan(x));
}
