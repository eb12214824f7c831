// Bessel functions of the orders 0 and 1: I, which grow, by polynomials in x^2 and in 1/x; J, which oscillate, by modulus and phase
// (after Harrison, 2009) past the first zeros.
// bits.wgsl has the rules of this folder. Coefficients: interpolation at Chebyshev's nodes, fitted for these files.

// I0(x) for z = x^2/4 <= 15.1.
fn m_i0_near(z: F) -> F {
    var p = fma(z, F(1.48765061e-13), F(4.72342608e-12));
    p = fma(z, p, F(6.75846379e-10));
    p = fma(z, p, F(3.85858243e-08));
    p = fma(z, p, F(1.935412e-06));
    p = fma(z, p, F(6.94109985e-05));
    p = fma(z, p, F(0.00173621962));
    p = fma(z, p, F(0.0277775731));
    p = fma(z, p, F(0.250000209));
    p = fma(z, p, F(0.99999994));
    p = fma(z, p, F(1.0));
    return p;
}

// e^-x sqrt(x) I0(x) for v = 1/x <= 1/7.75.
fn m_i0_far(v: F) -> F {
    var p = fma(v, F(2.23690391), F(-0.472915232));
    p = fma(v, p, F(0.111708738));
    p = fma(v, p, F(0.0251846462));
    p = fma(v, p, F(0.0281757172));
    p = fma(v, p, F(0.0498659573));
    p = fma(v, p, F(0.398942292));
    return p;
}

// I1(x)/(x/2) for z = x^2/4 <= 15.1.
fn m_i1_near(z: F) -> F {
    var p = fma(z, F(1.28121645e-14), F(5.28130599e-13));
    p = fma(z, p, F(7.3222782e-11));
    p = fma(z, p, F(4.85829821e-09));
    p = fma(z, p, F(2.76085416e-07));
    p = fma(z, p, F(1.15713992e-05));
    p = fma(z, p, F(0.000347230904));
    p = fma(z, p, F(0.0069444282));
    p = fma(z, p, F(0.0833333507));
    p = fma(z, p, F(0.5));
    p = fma(z, p, F(1.0));
    return p;
}

// e^-x sqrt(x) I1(x) for v = 1/x <= 1/7.75.
fn m_i1_far(v: F) -> F {
    var p = fma(v, F(-2.52610159), F(0.521844983));
    p = fma(v, p, F(-0.132739574));
    p = fma(v, p, F(-0.0363722965));
    p = fma(v, p, F(-0.0468917266));
    p = fma(v, p, F(-0.149601296));
    p = fma(v, p, F(0.398942262));
    return p;
}

// What x^2/4 was rounded by, z = fl(x^2/4), as the share by which a function that grows as e^x grows through it.
fn m_bessel_share(s: F, z: F) -> F {
    let h = m_hi(s);
    return fma(s - h, s + h, h * h - z) / max(s, F(1.0)) * F(0.93);
}

// e^a / sqrt(a), 2^-8 too small, since it overflows before I0 does.
fn m_bessel_growth(a: F) -> F {
    return m_exp_core(min(a, F(96.0)), F(0.0), I(-8)) / sqrt(a);
}

// The modified Bessel function I0.
// Max error 3.5 ULP, and what the device is off by in sqrt.
fn m_i0(x: F) -> F {
    let a = abs(x);
    let s = F(0.5) * min(a, F(7.75));
    let z = s * s;
    let p = m_i0_near(z);
    let near = fma(p, m_bessel_share(s, z), p);
    let b = clamp(a, F(7.75), F(96.0));
    let far = m_i0_far(F(1.0) / b) * m_bessel_growth(b) * F(256.0);
    let v = select(near, far, a >= F(7.75));
    return m_keep_nan(v, x);
}

// The modified Bessel function I1.
// Max error 3.5 ULP, and what the device is off by in sqrt.
fn m_i1(x: F) -> F {
    let a = abs(x);
    let s = F(0.5) * min(a, F(7.75));
    let z = s * s;
    let p = m_i1_near(z) * s;
    let near = fma(p, m_bessel_share(s, z), p);
    let b = clamp(a, F(7.75), F(96.0));
    let far = m_i1_far(F(1.0) / b) * m_bessel_growth(b) * F(256.0);
    let v = select(near, far, a >= F(7.75));
    return m_keep_nan(m_xorsign(v, x), x);
}

// J0(x) for z = x^2 <= 16.
fn m_j0_near(z: F) -> F {
    let t = fma(z, F(0.125), F(-1.0));
    var p = fma(t, F(-3.91669982e-06), F(9.25334607e-05));
    p = fma(t, p, F(-0.00157895021));
    p = fma(t, p, F(0.0183525439));
    p = fma(t, p, F(-0.131032065));
    p = fma(t, p, F(0.479528099));
    p = fma(t, p, F(-0.56595999));
    p = fma(t, p, F(-0.196548089));
    return p;
}

// J0 for x >= 4 over sqrt(2/(pi x)): modulus times the cosine of x - pi/4 + phase, v = 1/x.
fn m_j0_far(b: F, v: F) -> F {
    let z = v * v;
    var p = fma(z, F(1.24317849), F(-0.390745312));
    p = fma(z, p, F(0.100788854));
    p = fma(z, p, F(-0.0624806471));
    p = fma(z, p, F(1.0));
    var q = fma(z, F(0.564374983), F(-0.180241078));
    q = fma(z, q, F(0.0647853464));
    q = fma(z, q, F(-0.124999397));
    return p * m_bessel_cos(b, v * q, I(1));
}

// J1(x)/x for z = x^2 <= 16.
fn m_j1_near(z: F) -> F {
    let t = fma(z, F(0.125), F(-1.0));
    var p = fma(t, F(-2.51869466e-07), F(6.85740497e-06));
    p = fma(t, p, F(-0.000138422402));
    p = fma(t, p, F(0.00197368371));
    p = fma(t, p, F(-0.0183527004));
    p = fma(t, p, F(0.0982740521));
    p = fma(t, p, F(-0.239764035));
    p = fma(t, p, F(0.141489998));
    return p;
}

// J1 for x >= 4 over sqrt(2/(pi x)): modulus times the cosine of x - 3 pi/4 + phase, v = 1/x.
fn m_j1_far(b: F, v: F) -> F {
    let z = v * v;
    var p = fma(z, F(-1.799052), F(0.604855776));
    p = fma(z, p, F(-0.18972905));
    p = fma(z, p, F(0.187474117));
    p = fma(z, p, F(1.0));
    var q = fma(z, F(-0.901838064), F(0.329908133));
    q = fma(z, q, F(-0.163612723));
    q = fma(z, q, F(0.374999136));
    return p * m_bessel_cos(b, v * q, I(0));
}

// cos(b - pi/4 + phase), or a quarter of a turn less of it where `quarter` is 0.
fn m_bessel_cos(b: F, phase: F, quarter: I) -> F {
    var k = I(0);
    let r = m_trig_reduce(b, &k);
    let back = r < F(0.0);
    let u = (r + select(F(-0.785398163), F(0.785398163), back)) + phase;
    return m_trig_poly(u, k + quarter - select(I(0), I(1), back));
}

// The Bessel function J0; 0 at the infinities.
// Max error 5.0 ULP of max(|result|, sqrt(2/(pi |x|))), |x| <= 1e37.
fn m_j0(x: F) -> F {
    let a = abs(x);
    let c = min(a, F(4.0));
    let near = m_j0_near(c * c);
    let b = clamp(a, F(4.0), F(3e38));
    let v = F(1.0) / b;
    let far = sqrt(F(0.636619747) * v) * m_j0_far(b, v);
    let w = select(select(near, far, a > F(4.0)), F(0.0), m_is_inf(x));
    return m_keep_nan(w, x);
}

// The Bessel function J1; 0 at the infinities.
// Max error 5.0 ULP of max(|result|, sqrt(2/(pi |x|))), |x| <= 1e37; up to 1 of the result.
fn m_j1(x: F) -> F {
    let a = abs(x);
    let c = min(a, F(4.0));
    let near = m_j1_near(c * c) * a;
    let b = clamp(a, F(4.0), F(3e38));
    let v = F(1.0) / b;
    let far = sqrt(F(0.636619747) * v) * m_j1_far(b, v);
    let w = select(select(near, far, a > F(4.0)), F(0.0), m_is_inf(x));
    return m_keep_nan(m_xorsign(w, x), x);
}
