// Inverses of functions of angles, of doubles. After FreeBSD's e_asin.c, e_acos.c and s_atan.c.
// doubles.wgsl has the aliases, bits.wgsl the rules of this folder.

// asin(s)/s - 1 for z = s^2 <= 1/4.
fn m_wide_asin_poly(z: D) -> D {
    var p = fma(z, D(0.02877844261259304), D(-0.014881409392818066));
    p = fma(z, p, D(0.017419357964884856));
    p = fma(z, p, D(0.00545087818772055));
    p = fma(z, p, D(0.010324318288744113));
    p = fma(z, p, D(0.011478952690257387));
    p = fma(z, p, D(0.013971235301124539));
    p = fma(z, p, D(0.017352391265909227));
    p = fma(z, p, D(0.022372173002005596));
    p = fma(z, p, D(0.030381944137085216));
    p = fma(z, p, D(0.04464285714637338));
    p = fma(z, p, D(0.07499999999998425));
    p = fma(z, p, D(0.16666666666666669));
    return z * p;
}

// The square root s of z, and what it was rounded by once it is cut to its high part h.
fn m_wide_root_rest(z: D, s: D, h: D) -> D {
    let sum = s + h;
    return select((z - h * h) / sum, D(0.0), z == D(0.0));
}

// asin: pi/2 - 2*asin(sqrt((1-a)/2)) above 1/2.
// Max error 1.0 ULP.
fn m_wide_asin(x: D) -> D {
    let a = m_wide_abs(x);
    let big = a > D(0.5);
    let z = select(a * a, max(fma(a, D(-0.5), D(0.5)), D(0.0)), big);
    let r = m_wide_asin_poly(z);
    let s = sqrt(z);
    let h = m_wide_hi(s);
    let c = m_wide_root_rest(z, s, h);
    let q = m_wide_pin(D(2.0) * s * r - (D(6.123233995736766e-17) - D(2.0) * c)) - m_wide_pin(D(0.7853981633974483) - D(2.0) * h);
    let v = m_wide_xorsign(select(fma(a, r, a), D(0.7853981633974483) - m_wide_pin(q), big), x);
    return m_wide_nan_if(v, !(a <= D(1.0)));
}

// acos: as asin; near x = 1 no subtraction.
// Max error 1.0 ULP.
fn m_wide_acos(x: D) -> D {
    let a = m_wide_abs(x);
    let big = a > D(0.5);
    let z = select(a * a, max(fma(a, D(-0.5), D(0.5)), D(0.0)), big);
    let r = m_wide_asin_poly(z);
    let s = sqrt(z);
    let h = m_wide_hi(s);
    let c = m_wide_root_rest(z, s, h);
    let near = D(1.5707963267948966) - m_wide_pin(x - m_wide_pin(D(6.123233995736766e-17) - x * r));
    let low = D(2.0) * (h + fma(r, s, c));
    let high = D(2.0) * (D(1.5707963267948966) - m_wide_pin(s + m_wide_pin(r * s - D(6.123233995736766e-17))));
    return m_wide_nan_if(select(near, select(low, high, x < D(0.0)), big), !(a <= D(1.0)));
}

// atan of a >= 0: the angle of one of 0, 1/2, 1, 3/2, inf is taken off, by the formula for a difference.
fn m_wide_atan_core(a: D) -> D {
    let second = a >= D(0.4375);
    let third = a >= D(0.6875);
    let fourth = a >= D(1.1875);
    let fifth = a >= D(2.4375);
    var above = select(a, fma(a, D(2.0), D(-1.0)), second);
    above = select(above, a - D(1.0), third);
    above = select(above, a - D(1.5), fourth);
    above = select(above, D(-1.0), fifth);
    var below = select(D(1.0), a + D(2.0), second);
    below = select(below, a + D(1.0), third);
    below = select(below, fma(a, D(1.5), D(1.0)), fourth);
    below = select(below, a, fifth);
    var h = select(D(0.0), D(0.4636476090008061), second);
    h = select(h, D(0.7853981633974483), third);
    h = select(h, D(0.982793723247329), fourth);
    h = select(h, D(1.5707963267948966), fifth);
    var l = select(D(0.0), D(2.2698777452961687e-17), second);
    l = select(l, D(3.061616997868383e-17), third);
    l = select(l, D(1.3903311031230998e-17), fourth);
    l = select(l, D(6.123233995736766e-17), fifth);
    let t = above / below;
    let z = t * t;
    var p = fma(z, D(0.01476642155379467), D(-0.033121323310643644));
    p = fma(z, p, D(0.044919637149159995));
    p = fma(z, p, D(-0.05216607416783708));
    p = fma(z, p, D(0.0587693549653035));
    p = fma(z, p, D(-0.06666240859375808));
    p = fma(z, p, D(0.0769228548876496));
    p = fma(z, p, D(-0.09090908353049669));
    p = fma(z, p, D(0.11111111096587765));
    p = fma(z, p, D(-0.1428571428556615));
    p = fma(z, p, D(0.19999999999999407));
    p = fma(z, p, D(-0.3333333333333333));
    return h + (t + m_wide_pin(fma(t * z, p, l)));
}

// atan.
// Max error 1.0 ULP.
fn m_wide_atan(x: D) -> D {
    return m_wide_keep_tiny(m_wide_xorsign(m_wide_atan_core(m_wide_abs(x)), x), x);
}

// atan2: of the quotient, both rescaled at the ends of the range; where x < 0 from pi.
// Max error 1.5 ULP.
fn m_wide_atan2(y: D, x: D) -> D {
    let ax = m_wide_abs(x);
    let ay = m_wide_abs(y);
    let most = max(ax, ay);
    let s = select(select(D(1.0), D(1.157920892373162e77), most < D(1e-200)), D(8.636168555094445e-78), most > D(1e200));
    let sx = ax * s;
    let sy = ay * s;
    var r = m_wide_atan_core(sy / select(sx, D(1.0), sx == D(0.0)));
    r = select(r, D(1.5707963267948966), (sx == D(0.0)) & (sy > D(0.0)));
    r = select(r, D(0.7853981633974483), m_wide_is_inf(x) & m_wide_is_inf(y));
    r = select(r, D(3.141592653589793) - m_wide_pin(r - D(1.2246467991473532e-16)), bitcast<L>(x) >= L(0x8000000000000000lu));
    return m_wide_nan_if(m_wide_xorsign(r, y), m_wide_is_nan(x) | m_wide_is_nan(y));
}
