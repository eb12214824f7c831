// Functions of angles, and their inverses.
// bits.wgsl has the rules of this folder.

// Quadrant count k = nearest integer of x*2/pi (|x| < 6e6), by the bits of a magic-number sum as in m_exp_k.
fn m_trig_k(x: F) -> I {
    return bitcast<I>(fma(x, F(0.636619747), F(12582912.0))) - I(0x4b400000);
}

// x - k*pi/2 by Cody-Waite in four parts (3 x 10 bits + 24): k*part is exact for k <= 2^14 in the first three, fused
// or not, so the rest is good to 2^-44 absolute up to |x| = 8192*pi. l is the rounding error of r.
fn m_trig_r(x: F, k: I) -> F {
    let n = F(k);
    let q = m_pin(fma(n, F(-0.000483512878), m_pin(fma(n, F(-1.5703125), x))));
    let r = m_pin(fma(n, F(-3.13855708e-07), q));
    let l = m_pin(fma(n, F(-3.13855708e-07), q - r));
    return r + fma(n, F(-6.07710063e-11), l);
}

// 2/pi after a word of zeros, by 32 bits.
fn m_trig_word(at: U) -> U {
    var word = select(U(0u), U(0xa2f9836eu), at == U(1u));
    word = select(word, U(0x4e441529u), at == U(2u));
    word = select(word, U(0xfc2757d1u), at == U(3u));
    word = select(word, U(0xf534ddc0u), at == U(4u));
    word = select(word, U(0xdb629599u), at == U(5u));
    word = select(word, U(0x3c439041u), at == U(6u));
    return select(word, U(0xfe5163abu), at == U(7u));
}

// The high word of a product of 32 bits, of m below 2^24.
fn m_trig_high(m: U, w: U) -> U {
    let low = (m & U(0xffffu)) * (w & U(0xffffu));
    let left = (m >> U(16u)) * (w & U(0xffffu));
    let right = (m & U(0xffffu)) * (w >> U(16u));
    let middle = (low >> U(16u)) + (left & U(0xffffu)) + (right & U(0xffffu));
    return (m >> U(16u)) * (w >> U(16u)) + (left >> U(16u)) + (right >> U(16u)) + (middle >> U(16u));
}

// a >= 2^14 less the nearest multiple k of pi/2. a = m * 2^e, m of 24 bits: of m * 2/pi only the bits from 2^1 to 2^-94 count
// (Payne and Hanek, 1983), so that the rest is good to 2^-64 absolute.
fn m_trig_large(a: F, k: ptr<function, I>) -> F {
    let b = bitcast<U>(a);
    let skip = (b >> U(23u)) - U(120u);
    let first = skip >> U(5u);
    let shift = skip & U(31u);
    let m = m_digits(b);
    let u1 = m_trig_word(first + U(1u));
    let u2 = m_trig_word(first + U(2u));
    let w0 = (m_trig_word(first) << shift) | ((u1 >> U(1u)) >> (U(31u) - shift));
    let w1 = (u1 << shift) | ((u2 >> U(1u)) >> (U(31u) - shift));
    let w2 = (u2 << shift) | ((m_trig_word(first + U(3u)) >> U(1u)) >> (U(31u) - shift));
    let p2 = m * w2;
    let h2 = m_trig_high(m, w2);
    let p1 = m * w1 + h2;
    let p0 = m * w0 + m_trig_high(m, w1) + select(U(0u), U(1u), p1 < h2);
    // Two bits of k; what follows is a fraction, taken from the next k where it is a half or more.
    let up = (p0 & U(0x20000000u)) != U(0u);
    *k = bitcast<I>((p0 >> U(30u)) + select(U(0u), U(1u), up));
    let turn = select(U(0u), U(0xffffffffu), up);
    let f0 = ((p0 << U(2u)) | (p1 >> U(30u))) ^ turn;
    let f1 = ((p1 << U(2u)) | (p2 >> U(30u))) ^ turn;
    // Times pi/2, which is cut in two as the fraction is.
    let h = F(f0 >> U(8u)) * F(5.9604645e-08);
    let l = F((f0 << U(24u)) | (f1 >> U(8u))) * F(1.3877788e-17);
    let hh = m_hi(h);
    let rest = fma(h - hh, F(1.5703125), fma(h, F(0.0004838268), l * F(1.5707964)));
    let r = m_pin(m_pin(hh * F(1.5703125)) + rest);
    return select(r, -r, up);
}

// a >= 0 less the nearest multiple k of pi/2.
fn m_trig_reduce(a: F, k: ptr<function, I>) -> F {
    *k = m_trig_k(a);
    var r = m_trig_r(a, *k);
    let large = a > F(25735.0);
    if (any(large)) {
        var other_k = I(0);
        let other = m_trig_large(select(F(25735.0), a, large), &other_k);
        r = select(r, other, large);
        *k = select(*k, other_k, large);
    }
    return r;
}

// sin or cos of r + k*pi/2, |r| <= pi/4, for odd k cos(r): degrees 7 and 8; sign from bit 1 of k.
fn m_trig_poly(r: F, k: I) -> F {
    let z = r * r;
    let s = fma(r * z, fma(z, fma(z, F(-0.000195184068), F(0.0083321901)), F(-0.166666552)), r);
    let c = fma(z * z, fma(z, fma(z, F(2.44306684e-05), F(-0.00138873013)), F(0.0416666456)), fma(z, F(-0.5), F(1.0)));
    let v = select(s, c, (k & I(1)) != I(0));
    return bitcast<F>(bitcast<U>(v) ^ (bitcast<U>(k & I(2)) << U(30u)));
}

// sin.
// Max error 1.6 ULP.
fn m_sin(x: F) -> F {
    let a = abs(x);
    var k = I(0);
    let r = m_trig_reduce(a, &k);
    let v = m_xorsign(m_trig_poly(r, k), x);
    return m_nan_if(v, bitcast<U>(a) >= U(0x7f800000u));
}

// cos.
// Max error 1.6 ULP.
fn m_cos(x: F) -> F {
    let a = abs(x);
    var k = I(0);
    let r = m_trig_reduce(a, &k);
    let v = m_trig_poly(r, k + I(1));
    return m_nan_if(v, bitcast<U>(a) >= U(0x7f800000u));
}

// tan: degree 13 on [-pi/4, pi/4], -1/t in odd quadrants.
// Max error 2.6 ULP.
fn m_tan(x: F) -> F {
    let a = abs(x);
    var k = I(0);
    let r = m_trig_reduce(a, &k);
    let z = r * r;
    var p = fma(z, F(0.00948098395), F(0.00294875354));
    p = fma(z, p, F(0.024544064));
    p = fma(z, p, F(0.0533769019));
    p = fma(z, p, F(0.133392513));
    p = fma(z, p, F(0.333331376));
    let t = fma(r * z, p, r);
    let v = select(t, F(-1.0) / t, (k & I(1)) != I(0));
    return m_nan_if(m_xorsign(v, x), bitcast<U>(a) >= U(0x7f800000u));
}

// asin(s) for 0 <= s <= 1/2, z = s^2; degree 11.
fn m_asin_poly(s: F, z: F) -> F {
    var p = fma(z, F(0.0422196984), F(0.024148168));
    p = fma(z, p, F(0.0454766564));
    p = fma(z, p, F(0.0749524906));
    p = fma(z, p, F(0.166667536));
    return fma(s * z, p, s);
}

// asin: pi/2 - 2*asin(sqrt((1-a)/2)) above 1/2.
// Max error 2.4 ULP.
fn m_asin(x: F) -> F {
    let a = abs(x);
    let big = a > F(0.5);
    let z = select(a * a, fma(a, F(-0.5), F(0.5)), big);
    let p = m_asin_poly(select(a, sqrt(max(z, F(0.0))), big), z);
    let r = m_xorsign(select(p, fma(p, F(-2.0), F(1.57079637)) - F(4.37113883e-08), big), x);
    return m_nan_if(r, bitcast<U>(a) > U(0x3f800000u));
}

// acos: as asin; near x = 1 no subtraction.
// Max error 1.3 ULP.
fn m_acos(x: F) -> F {
    let a = abs(x);
    let big = a > F(0.5);
    let z = select(a * a, fma(a, F(-0.5), F(0.5)), big);
    let p = m_asin_poly(select(a, sqrt(max(z, F(0.0))), big), z);
    let far = select(F(2.0) * p, fma(p, F(-2.0), F(3.14159274)) - F(8.74227766e-08), x < F(0.0));
    let near = F(1.57079637) - (m_xorsign(p, x) + F(4.37113883e-08));
    return m_nan_if(select(near, far, big), bitcast<U>(a) > U(0x3f800000u));
}

// atan(t) for 0 <= t <= 1; degree 17.
fn m_atan_poly(t: F) -> F {
    let z = t * t;
    var p = fma(z, F(0.00291976007), F(-0.0163642447));
    p = fma(z, p, F(0.0432059765));
    p = fma(z, p, F(-0.0755172893));
    p = fma(z, p, F(0.106657863));
    p = fma(z, p, F(-0.142110035));
    p = fma(z, p, F(0.199937671));
    p = fma(z, p, F(-0.333331525));
    return fma(t * z, p, t);
}

// atan: pi/2 - atan(1/a) above 1.
// Max error 2.1 ULP.
fn m_atan(x: F) -> F {
    let a = abs(x);
    let big = a > F(1.0);
    let p = m_atan_poly(select(a, F(1.0) / a, big));
    let r = select(p, F(1.57079637) - (p + F(4.37113883e-08)), big);
    return m_keep_nan(m_xorsign(r, x), x);
}

// atan2: quotient of the smaller by the larger, both rescaled at the ends of the range (the divide operator is only
// specified for divisors in 2^+-126).
// Max error 2.0 ULP.
fn m_atan2(y: F, x: F) -> F {
    let ax = abs(x);
    let ay = abs(y);
    let hi = max(ax, ay);
    let lo = min(ax, ay);
    let s = select(select(F(1.0), F(4294967296.0), hi < F(1e-20)), F(2.3283064e-10), hi > F(1e20));
    var t = (lo * s) / (hi * s);
    t = select(t, F(1.0), bitcast<U>(lo) == bitcast<U>(hi));
    t = select(t, F(0.0), (hi == F(0.0)) | (m_is_inf(hi) & m_is_finite(lo)));
    let p = m_atan_poly(t);
    var r = select(p, F(1.57079637) - (p + F(4.37113883e-08)), ay > ax);
    r = select(r, F(3.14159274) - (r + F(8.74227766e-08)), bitcast<I>(x) < I(0));
    return m_nan_if(m_xorsign(r, y), m_is_nan(x) | m_is_nan(y));
}

// sin(pi x)/(pi x): r = x - round(x) exact, S(r) = sin(pi r)/(pi r) of degree 10, result +-S(r)*r/x.
// Max error 2.5 ULP.
fn m_sinc(x: F) -> F {
    let a = min(abs(x), F(3e38));
    let n = round(a);
    let r = a - n;
    let z = r * r;
    var p = fma(z, F(-0.00221547997), F(0.0261047427));
    p = fma(z, p, F(-0.190745384));
    p = fma(z, p, F(0.811742008));
    p = fma(z, p, F(-1.64493406));
    let s = fma(z, p, F(1.0));
    let h = n * F(0.5);
    let v = select(s, (r / a) * s, a > F(0.5));
    let w = select(v, -v, h != trunc(h));
    return m_nan_if(w, !m_is_finite(x));
}

// Degrees to radians: one product.
// Max error 0.7 ULP.
fn m_deg2rad(x: F) -> F {
    return x * F(0.0174532924);
}

// Radians to degrees: one product.
// Max error 0.7 ULP.
fn m_rad2deg(x: F) -> F {
    return x * F(57.2957802);
}
