// The error function of doubles and what learning takes from it: erf, erfc, gelu; sigmoid, softplus, log-sum-exp of two.
// doubles.wgsl has the aliases, bits.wgsl the rules of this folder.

// erf(x)/x - 1 for z = x^2 <= 0.713.
fn m_wide_erf_poly(z: D) -> D {
    var p = fma(z, D(6.788903855364072e-11), D(-1.1781159978867153e-09));
    p = fma(z, p, D(1.4748136007487283e-08));
    p = fma(z, p, D(-1.6361376244569781e-07));
    p = fma(z, p, D(1.6461884814321078e-06));
    p = fma(z, p, D(-1.4925642237483168e-05));
    p = fma(z, p, D(0.00012055332784785884));
    p = fma(z, p, D(-0.0008548327020244671));
    p = fma(z, p, D(0.005223977625408667));
    p = fma(z, p, D(-0.026866170645129164));
    p = fma(z, p, D(0.11283791670955119));
    p = fma(z, p, D(-0.37612638903183754));
    p = fma(z, p, D(0.1283791670955126));
    return p;
}

// exp(a^2)*erfc(a) for 0 <= a <= 27.7: degree 24 in (a-4)/(a+4) over 1+2a (form after Shepherd and Laframboise, 1981).
fn m_wide_erfcx_core(a: D) -> D {
    let t = (a - D(4.0)) / (a + D(4.0));
    var p = fma(t, D(2.9690399215460684e-10), D(2.1233244819793305e-09));
    p = fma(t, p, D(1.6946377735599668e-09));
    p = fma(t, p, D(-1.665629284001838e-08));
    p = fma(t, p, D(-1.9155930674649362e-08));
    p = fma(t, p, D(1.1332148898936885e-07));
    p = fma(t, p, D(7.710713487468051e-08));
    p = fma(t, p, D(-8.277707268890298e-07));
    p = fma(t, p, D(2.915908965575957e-07));
    p = fma(t, p, D(5.7107641126991985e-06));
    p = fma(t, p, D(-1.1220878697428463e-05));
    p = fma(t, p, D(-2.4399499855007176e-05));
    p = fma(t, p, D(0.0001506213055460021));
    p = fma(t, p, D(-0.00019925664499226167));
    p = fma(t, p, D(-0.0007577732136308472));
    p = fma(t, p, D(0.005031969972642906));
    p = fma(t, p, D(-0.01619773406716612));
    p = fma(t, p, D(0.03716751553783201));
    p = fma(t, p, D(-0.0663303658115363));
    p = fma(t, p, D(0.09373283499833611));
    p = fma(t, p, D(-0.1010390660363298));
    p = fma(t, p, D(0.06809705425469297));
    p = fma(t, p, D(0.015379652102620114));
    p = fma(t, p, D(-0.13962111684056253));
    p = fma(t, p, D(1.2329951186255526));
    return p / fma(a, D(2.0), D(1.0));
}

// erfc of a >= 0: a^2 in two parts, the first exact, so that the tail keeps its relative accuracy.
fn m_wide_erfc_core(a: D) -> D {
    let c = min(a, D(27.5));
    let h = m_wide_hi(c);
    return m_wide_erfcx_core(c) * m_wide_exp_core(-(h * h), (h - c) * (c + h), L(0lu));
}

// erf: degree 25 up to 0.84375, else 1 - erfc.
// Max error 1.0 ULP.
fn m_wide_erf(x: D) -> D {
    let a = m_wide_abs(x);
    let p = m_wide_erf_poly(min(a * a, D(0.713)));
    let near = select(fma(a, p, a), a * D(1.1283791670955126), a < D(1e-290));
    let r = select(near, D(1.0) - m_wide_erfc_core(a), a >= D(0.84375));
    return m_wide_keep_nan(m_wide_xorsign(r, x), x);
}

// erfc: 1 - erf up to 0.84375, about 1/2 where that cancels less.
// Max error 3.0 ULP.
fn m_wide_erfc(x: D) -> D {
    let a = m_wide_abs(x);
    let far = m_wide_erfc_core(a);
    let part = x * m_wide_erf_poly(min(a * a, D(0.713)));
    let half = D(0.5) - m_wide_pin(part + m_wide_pin(x - D(0.5)));
    let near = select(D(1.0) - (x + part), half, x >= D(0.25));
    return m_wide_keep_nan(select(select(far, D(2.0) - far, x < D(0.0)), near, a < D(0.84375)), x);
}

// Logistic function 1/(1+e^-x), from e^-|x| so that nothing overflows.
// Max error 2.5 ULP.
fn m_wide_sigmoid(x: D) -> D {
    let e = m_wide_exp_core(-min(m_wide_abs(x), D(750.0)), D(0.0), L(0lu));
    return m_wide_keep_nan(select(D(1.0), e, x < D(0.0)) / (D(1.0) + e), x);
}

// Tanh form of GELU: x/(1 + e^-2u), which does not cancel for negative x; 2u = x (k0 + k1 x^2) in two parts.
// Max error 3.0 ULP.
fn m_wide_gelu(x: D) -> D {
    let c = clamp(x, D(-22.5), D(22.5));
    let a = m_wide_abs(c);
    let h = m_wide_hi(a);
    let z = m_wide_hi(h * h);
    let zl = fma(a - h, a + h, h * h - z);
    let main = z * D(0.071354815736413);
    let s = m_wide_pin(D(1.5957691216057308) + main);
    let sl = m_wide_lost(D(1.5957691216057308), main, s) + fma(zl, D(0.07135481627260025), fma(z, D(5.361872467621785e-10), D(-9.96930880911092e-17)));
    let sh = m_wide_hi(s);
    let low = fma(a - h, s + sl, h * ((s - sh) + sl));
    let e = m_wide_exp_core(-(h * sh), -low, L(0lu));
    let r = x * (select(D(1.0), e, c < D(0.0)) / (D(1.0) + e));
    return m_wide_keep_nan(select(r, D(-0.0), x < D(-22.5)), x);
}

// Exact GELU x*erfc(-x/sqrt2)/2; x^2/2 in two parts as in erfc. Near 0 by erf.
// Max error 4.0 ULP.
fn m_wide_gelu_erf(x: D) -> D {
    let c = clamp(x, D(-39.0), D(39.0));
    let a = m_wide_abs(c);
    let h = m_wide_hi(a);
    let e = m_wide_exp_core(D(-0.5) * (h * h), D(0.5) * (h - a) * (a + h), L(0lu));
    let g = (D(0.5) * c * m_wide_erfcx_core(a * D(0.7071067811865476))) * e;
    let half = D(0.5) * c;
    let s = c * D(0.7071067811865476);
    let near = fma(half, fma(s, m_wide_erf_poly(min(s * s, D(0.713))), s), half);
    let far = select(x - g, g, bitcast<L>(x) >= L(0x8000000000000000lu));
    return m_wide_keep_nan(select(far, near, (c > D(-0.5)) & (c < D(1.1))), x);
}

// log(1 + e^x) = max(x, 0) + log1p(e^-|x|).
// Max error 2.0 ULP.
fn m_wide_softplus(x: D) -> D {
    let e = m_wide_exp_core(-min(m_wide_abs(x), D(750.0)), D(0.0), L(0lu));
    return m_wide_keep_nan(max(x, D(0.0)) + m_wide_log1p_core(e), x);
}

// log(e^x + e^y); equal infinities give that infinity.
// Max error 2.0 ULP, of max(|result|, |max(x, y)|).
fn m_wide_logaddexp(x: D, y: D) -> D {
    let d = select(x - y, D(0.0), bitcast<L>(x) == bitcast<L>(y));
    let l = m_wide_xorsign(m_wide_lost(x, -y, d), d);
    let near = m_wide_abs(d) < D(750.0);
    let e = m_wide_exp_core(-min(m_wide_abs(d), D(750.0)), select(D(0.0), -l, near), L(0lu));
    return m_wide_nan_if(max(x, y) + m_wide_log1p_core(e), m_wide_is_nan(x) | m_wide_is_nan(y));
}
