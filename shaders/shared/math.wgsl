// Accurate elementwise math over the aliases F (f32 or vec4<f32>), I, U, T (truths), which the caller appends.
// House rules of this file:
//  * Nothing branches on values: select() only, so one text serves scalars and 4-vectors.
//  * NaN and inf are seen and made in the bits (select over U): WGSL lets a compiler assume finite math.
//  * fma() may be fused or not; every exact product below fits 24 bits, so both give the bounds stated.
//  * Compilers reassociate (Mesa turns x - n*c1 - n*c2 into x - n*(c1+c2), Metal fast math more): high parts are cut
//    with a bit mask (m_hi), never with (a + b) - b, and partial sums whose order matters go through m_pin.
//  * Results that are denormal may come out as 0 (WGSL allows a flush); no normal result depends on a denormal.
// Coefficients: minimax (Lawson-weighted least squares, each coefficient rounded to f32 in turn), fitted for this file.

// The top 12 significant bits of x: products of two such numbers are exact in f32.
fn m_hi(x: F) -> F {
    return bitcast<F>(bitcast<U>(x) & U(0xfffff000u));
}

// x. A maximum with a bound that is never reached: no compiler reassociates through it, so what is inside is rounded
// before what is outside is added.
fn m_pin(x: F) -> F {
    return max(x, F(-3e38));
}

// +-0: bit test (a compiler that assumes finite math may let NaN == 0 through).
fn m_is_zero(x: F) -> T {
    return (bitcast<U>(x) & U(0x7fffffffu)) == U(0u);
}

// r with the sign bit of s xored in.
fn m_xorsign(r: F, s: F) -> F {
    return bitcast<F>(bitcast<U>(r) ^ (bitcast<U>(s) & U(0x80000000u)));
}

// r, but x itself where x is NaN.
fn m_keep_nan(r: F, x: F) -> F {
    return bitcast<F>(select(bitcast<U>(r), bitcast<U>(x), (bitcast<U>(x) & U(0x7fffffffu)) > U(0x7f800000u)));
}

// r, but x itself where |x| < 2^-25 (keeps -0 and tiny values exact) or x is NaN; one compare does both.
fn m_keep_tiny(r: F, x: F) -> F {
    return bitcast<F>(select(bitcast<U>(r), bitcast<U>(x), ((bitcast<U>(x) & U(0x7fffffffu)) - U(0x33000000u)) > U(0x4c800000u)));
}

// r, but NaN where c.
fn m_nan_if(r: F, c: T) -> F {
    return bitcast<F>(select(bitcast<U>(r), U(0x7fc00000u), c));
}

// +inf made at run time (naga rejects a constant inf); x is any run-time value.
fn m_inf(x: F) -> F {
    return bitcast<F>(U(0x7f800000u) | (bitcast<U>(x) & U(0u)));
}

// |x|: in the bits, where no number is too small.
fn m_abs(x: F) -> F {
    return bitcast<F>(bitcast<U>(x) & U(0x7fffffffu));
}

// -x: in the bits.
fn m_negate(x: F) -> F {
    return bitcast<F>(bitcast<U>(x) ^ U(0x80000000u));
}

// An integer that is ordered as numbers are, -0 just below +0; NaN of either sign beyond the infinities.
fn m_order(x: F) -> I {
    let k = bitcast<I>(x);
    return k ^ ((k >> U(31u)) & I(0x7fffffff));
}

// x == y, by the bits: false for NaN, true for both zeros.
fn m_equal(x: F, y: F) -> T {
    let a = bitcast<U>(x);
    let b = bitcast<U>(y);
    return ((a == b) & !m_is_nan(x)) | (((a | b) & U(0x7fffffffu)) == U(0u));
}

// An integer that is ordered as numbers are, the same for both zeros.
fn m_number(x: F) -> I {
    let a = bitcast<I>(m_abs(x));
    return select(a, -a, bitcast<I>(x) < I(0));
}

// x < y, by the bits: false for NaN.
fn m_less(x: F, y: F) -> T {
    return (m_number(x) < m_number(y)) & !(m_is_nan(x) | m_is_nan(y));
}

// x <= y, by the bits: false for NaN.
fn m_less_equal(x: F, y: F) -> T {
    return (m_number(x) <= m_number(y)) & !(m_is_nan(x) | m_is_nan(y));
}

// NaN: bit test.
fn m_is_nan(x: F) -> T {
    return (bitcast<U>(x) & U(0x7fffffffu)) > U(0x7f800000u);
}

// +-inf: bit test.
fn m_is_inf(x: F) -> T {
    return (bitcast<U>(x) & U(0x7fffffffu)) == U(0x7f800000u);
}

// Neither NaN nor inf: bit test.
fn m_is_finite(x: F) -> T {
    return (bitcast<U>(x) & U(0x7fffffffu)) < U(0x7f800000u);
}

// e^r - 1 - r over r^2 for |r| <= 0.3475; degree 4, 2^-26 relative to r.
fn m_exp_poly(r: F) -> F {
    var p = fma(r, F(0.00139406603), F(0.00836659037));
    p = fma(r, p, F(0.0416664034));
    p = fma(r, p, F(0.166665435));
    return fma(r, p, F(0.5));
}

// k as integer with k*ln2 nearest to x, |x| < 2^21: only the bits of x*log2(e) + 1.5*2^23 are used, so that
// fast-math cannot cancel the magic number (it could in (t + M) - M), and no saturating conversion is paid.
fn m_exp_k(x: F) -> I {
    return bitcast<I>(fma(x, F(1.44269504), F(12582912.0))) - I(0x4b400000);
}

// e^(h+l) * 2^j for -105 <= h <= 90, |l| < 0.01, j in {-1, 0}. k*ln2_hi is exact (15 + 8 bits). The scaling goes half
// through the exponent field and half through one product, so that overflow gives inf and underflow denormals or 0.
fn m_exp_core(h: F, l: F, j: I) -> F {
    let k = m_exp_k(h);
    let n = F(k);
    let r = fma(n, F(-1.42860677e-06), m_pin(fma(n, F(-0.693145752), h))) + l;
    let e = fma(r * r, m_exp_poly(r), r) + F(1.0);
    let a = k >> U(1u);
    let b = k - a + j;
    return bitcast<F>(bitcast<I>(e) + (a << U(23u))) * bitcast<F>((b + I(127)) << U(23u));
}

// exp: Cody-Waite by ln2 in two parts, degree 6.
// Max error 1.8 ULP, all x.
fn m_exp(x: F) -> F {
    return m_keep_nan(m_exp_core(clamp(x, F(-105.0), F(89.0)), F(0.0), I(0)), x);
}

// exp for x <= 0: what is below 2^-125 comes out as 0, so that one step in the exponent field scales.
// Max error 1.8 ULP, x >= -87.
fn m_exp_falling(x: F) -> F {
    let h = max(x, F(-87.0));
    let k = m_exp_k(h);
    let n = F(k);
    let r = fma(n, F(-1.42860677e-06), m_pin(fma(n, F(-0.693145752), h)));
    let e = fma(r * r, m_exp_poly(r), r) + F(1.0);
    let y = bitcast<F>(bitcast<I>(e) + (k << U(23u)));
    return m_keep_nan(select(y, F(0.0), x < F(-87.0)), x);
}

// 2^(h+l) for -151 <= h <= 130, |l| < 1: k = nearest integer of h, degree 6.
fn m_exp2_core(h: F, l: F) -> F {
    let k = bitcast<I>(h + F(12582912.0)) - I(0x4b400000);
    let r = m_pin(h - F(k)) + l;
    var p = fma(r, F(0.000154633031), F(0.00133912021));
    p = fma(r, p, F(0.00961806159));
    p = fma(r, p, F(0.0555035919));
    p = fma(r, p, F(0.240226507));
    p = fma(r, p, F(0.693147182));
    let e = fma(r, p, F(1.0));
    let a = k >> U(1u);
    let b = k - a;
    return bitcast<F>(bitcast<I>(e) + (a << U(23u))) * bitcast<F>((b + I(127)) << U(23u));
}

// exp2: exact for integers.
// Max error 1.1 ULP.
fn m_exp2(x: F) -> F {
    return m_keep_nan(m_exp2_core(clamp(x, F(-151.0), F(129.0)), F(0.0)), x);
}

// expm1: 2*(s*q + (s - 1/2)) with s = 2^(k-1), q = e^r - 1; half scale because 2^128 does not exist.
// Max error 1.7 ULP.
fn m_expm1(x: F) -> F {
    let xc = clamp(x, F(-20.0), F(89.0));
    let k = m_exp_k(xc);
    let n = F(k);
    let r = fma(n, F(-1.42860677e-06), m_pin(fma(n, F(-0.693145752), xc)));
    let q = fma(r * r, m_exp_poly(r), r);
    let s = bitcast<F>((k + I(126)) << U(23u));
    return m_keep_tiny(F(2.0) * fma(s, q, m_pin(s - F(0.5))), x);
}

// log(1+f) - f for |f| <= 1/3; degree 10, 2^-27 relative to f.
fn m_log_tail(f: F) -> F {
    var q = fma(f, F(-0.131926924), F(0.139627561));
    q = fma(f, q, F(-0.121149138));
    q = fma(f, q, F(0.140109167));
    q = fma(f, q, F(-0.166854784));
    q = fma(f, q, F(0.200100392));
    q = fma(f, q, F(-0.249996886));
    q = fma(f, q, F(0.333332241));
    return (f * f) * fma(f, q, F(-0.5));
}

// The exponent field to take from bits b so that the rest lies in [2/3, 4/3) (Juffa's split).
fn m_log_e(b: U) -> U {
    return (b - U(0x3f2aaaabu)) & U(0xff800000u);
}

// x, or x * 2^23 where x is denormal (or negative), so that the exponent field is meaningful.
fn m_log_scaled(x: F) -> F {
    return select(x, x * F(8388608.0), x < F(1.17549435e-38));
}

// The exponent taken by m_log_e as a number, for the x that m_log_scaled got.
fn m_log_n(e: U, x: F) -> F {
    return fma(F(bitcast<I>(e)), F(1.1920929e-07), select(F(0.0), F(-23.0), x < F(1.17549435e-38)));
}

// Special cases of the logarithms: NaN for NaN and x < 0, -inf for +-0 (xs is the scaled x), inf for inf.
fn m_log_special(r: F, x: F, xs: F) -> F {
    let b = bitcast<U>(x);
    var u = select(bitcast<U>(r), U(0x7fc00000u), b > U(0x7f800000u));
    u = select(u, U(0x7f800000u), b == U(0x7f800000u));
    return bitcast<F>(select(u, U(0xff800000u), m_is_zero(xs)));
}

// log: x = 2^n (1+f), n*ln2 in two parts.
// Max error 0.9 ULP.
fn m_log(x: F) -> F {
    let xs = m_log_scaled(x);
    let b = bitcast<U>(xs);
    let e = m_log_e(b);
    let n = m_log_n(e, x);
    let f = bitcast<F>(b - e) - F(1.0);
    let z = fma(n, F(1.42860677e-06), m_log_tail(f));
    return m_log_special(fma(n, F(0.693145752), f + z), x, xs);
}

// log2: as log, log(1+f) cut in two before the product with log2(e); exact for powers of two.
// Max error 1.5 ULP.
fn m_log2(x: F) -> F {
    let xs = m_log_scaled(x);
    let b = bitcast<U>(xs);
    let e = m_log_e(b);
    let f = bitcast<F>(b - e) - F(1.0);
    let z = m_log_tail(f);
    let h = m_hi(f + z);
    let l = m_pin(f - h) + z;
    let t = fma(l, F(1.44269502), h * F(0.000312228396));
    return m_log_special(m_log_n(e, x) + fma(h, F(1.44238281), t), x, xs);
}

// log10: as log2.
// Max error 1.3 ULP.
fn m_log10(x: F) -> F {
    let xs = m_log_scaled(x);
    let b = bitcast<U>(xs);
    let e = m_log_e(b);
    let n = m_log_n(e, x);
    let f = bitcast<F>(b - e) - F(1.0);
    let z = m_log_tail(f);
    let h = m_hi(f + z);
    let l = m_pin(f - h) + z;
    let t = fma(n, F(4.60503907e-06), fma(l, F(0.434294492), h * F(9.03803375e-05)));
    return m_log_special(fma(n, F(0.301025391), fma(h, F(0.434204102), t)), x, xs);
}

// log1p for finite x > -1: the scale 2^-n comes from 1+x, but f = x*2^-n + (2^-n - 1) from x itself (Juffa), so no
// correction term is needed that reassociation could remove.
fn m_log1p_core(x: F) -> F {
    let e = m_log_e(bitcast<U>(F(1.0) + x));
    let s = bitcast<F>(U(0x40800000u) - e);
    let f = bitcast<F>(bitcast<U>(x) - e) + m_pin(fma(s, F(0.25), F(-1.0)));
    let n = F(bitcast<I>(e)) * F(1.1920929e-07);
    let z = fma(n, F(1.42860677e-06), m_log_tail(f));
    return fma(n, F(0.693145752), f + z);
}

// log1p.
// Max error 1.7 ULP.
fn m_log1p(x: F) -> F {
    var u = select(bitcast<U>(m_log1p_core(x)), U(0x7f800000u), bitcast<U>(x) == U(0x7f800000u));
    u = select(u, U(0xff800000u), bitcast<U>(x) == U(0xbf800000u));
    u = select(u, U(0x7fc00000u), bitcast<U>(x) > U(0xbf800000u));
    return m_keep_tiny(bitcast<F>(u), x);
}

// Quadrant count k = nearest integer of x*2/pi (|x| < 6e6), by the bits of a magic-number sum as in m_exp_k.
fn m_trig_k(x: F) -> I {
    return bitcast<I>(fma(x, F(0.636619747), F(12582912.0))) - I(0x4b400000);
}

// x - k*pi/2 by Cody-Waite in four parts (3 x 10 bits + 24): k*part is exact for k <= 2^14 in the first three, fused
// or not, so the rest is good to 2^-44 absolute up to |x| = 8192*pi. l is the rounding error of r.
// Clamped, so that larger |x| still give values in [-1, 1].
fn m_trig_r(x: F, k: I) -> F {
    let n = F(k);
    let q = m_pin(fma(n, F(-0.000483512878), m_pin(fma(n, F(-1.5703125), x))));
    let r = m_pin(fma(n, F(-3.13855708e-07), q));
    let l = m_pin(fma(n, F(-3.13855708e-07), q - r));
    return clamp(r + fma(n, F(-6.07710063e-11), l), F(-0.8), F(0.8));
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
// Max error 1.6 ULP, |x| <= 8192*pi (13 to 1e5); beyond, the absolute error is |x|*2^-24 unfused, and
// from 6e6 on the value is only bounded by 1.
fn m_sin(x: F) -> F {
    let a = abs(x);
    let k = m_trig_k(a);
    let v = m_xorsign(m_trig_poly(m_trig_r(a, k), k), x);
    return m_nan_if(v, bitcast<U>(a) >= U(0x7f800000u));
}

// cos.
// Max error 1.6 ULP, |x| <= 8192*pi.
fn m_cos(x: F) -> F {
    let a = abs(x);
    let k = m_trig_k(a);
    let v = m_trig_poly(m_trig_r(a, k), k + I(1));
    return m_nan_if(v, bitcast<U>(a) >= U(0x7f800000u));
}

// tan: degree 13 on [-pi/4, pi/4], -1/t in odd quadrants.
// Max error 2.6 ULP, |x| <= 8192*pi.
fn m_tan(x: F) -> F {
    let a = abs(x);
    let k = m_trig_k(a);
    let r = m_trig_r(a, k);
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

// sinh: degree 9 below 1, else e^a/2 - 1/(4*(e^a/2)); e^a/2 does not overflow before sinh does.
// Max error 2.0 ULP.
fn m_sinh(x: F) -> F {
    let a = abs(x);
    let z = a * a;
    var p = fma(z, F(2.78392531e-06), F(0.000198426351));
    p = fma(z, p, F(0.00833331142));
    p = fma(z, p, F(0.166666672));
    let e = m_exp_core(min(a, F(90.0)), F(0.0), I(-1));
    let r = select(fma(a * z, p, a), e - F(0.25) / e, a > F(1.0));
    return m_keep_nan(m_xorsign(r, x), x);
}

// cosh.
// Max error 2.0 ULP.
fn m_cosh(x: F) -> F {
    let e = m_exp_core(min(abs(x), F(90.0)), F(0.0), I(-1));
    return m_keep_nan(e + F(0.25) / e, x);
}

// tanh: degree 9 below 0.55, else 1 - 2/(e^2a + 1).
// Max error 1.5 ULP.
fn m_tanh(x: F) -> F {
    let a = min(abs(x), F(10.0));
    let z = a * a;
    var p = fma(z, F(0.0164603591), F(-0.0526851825));
    p = fma(z, p, F(0.133209631));
    p = fma(z, p, F(-0.333329588));
    let e = m_exp_core(a + a, F(0.0), I(0));
    let r = select(fma(a * z, p, a), F(1.0) - F(2.0) / (e + F(1.0)), a > F(0.55));
    return m_keep_nan(m_xorsign(r, x), x);
}

// asinh: log1p(a + a^2/(1 + sqrt(a^2 + 1))), from 2^26 on log(a) + ln2.
// Max error 1.9 ULP.
fn m_asinh(x: F) -> F {
    let a = abs(x);
    let big = a > F(67108864.0);
    let z = a * a;
    let t = select(a + z / (F(1.0) + sqrt(z + F(1.0))), a, big);
    let r = m_log1p_core(t) + select(F(0.0), F(0.693147182), big);
    let u = select(bitcast<U>(r), U(0x7f800000u), m_is_inf(x));
    return m_keep_tiny(m_xorsign(bitcast<F>(u), x), x);
}

// acosh: log1p(t + sqrt(2t + t^2)), t = x - 1; from 2^26 on log(x) + ln2.
// Max error 2.2 ULP.
fn m_acosh(x: F) -> F {
    let big = x > F(67108864.0);
    let t = max(x - F(1.0), F(0.0));
    let w = select(t + sqrt(fma(t, t, t + t)), x, big);
    let r = m_log1p_core(w) + select(F(0.0), F(0.693147182), big);
    let u = select(bitcast<U>(r), U(0x7f800000u), m_is_inf(x));
    let below = (bitcast<I>(x) < I(0)) | (x < F(1.0));
    return m_keep_nan(m_nan_if(bitcast<F>(u), below), x);
}

// atanh: log1p(2a/(1-a))/2.
// Max error 2.3 ULP.
fn m_atanh(x: F) -> F {
    let a = abs(x);
    let b = bitcast<U>(a);
    let r = F(0.5) * m_log1p_core((a + a) / (F(1.0) - min(a, F(0.99999994))));
    var u = select(bitcast<U>(r), U(0x7f800000u), b == U(0x3f800000u));
    u = select(u, U(0x7fc00000u), b > U(0x3f800000u));
    return m_keep_tiny(m_xorsign(bitcast<F>(u), x), x);
}

// pow, C99 special cases. |x| = 2^n m, m in [sqrt(3)/2, sqrt(3)), c = 1 or 1.5, s = (m-c)/(m+c), |s| <= 0.102;
// log2|x| = n + log2(c) + log2((1+s)/(1-s)) = t1 + t2 with t1 of 12 bits. The division error is taken back by the exact
// rest (after FreeBSD e_powf.c), so y*log2|x| keeps about 31 bits and the exponential sees both parts.
// Max error 2.0 ULP, all x, y.
fn m_pow(x: F, y: F) -> F {
    let a = abs(x);
    let small = a < F(1.17549435e-38);
    let b = bitcast<U>(select(a, a * F(16777216.0), small));
    let e = (b - U(0x3f5db3d7u)) & U(0xff800000u);
    let m = bitcast<F>(b - e);
    let n = fma(F(bitcast<I>(e)), F(1.1920929e-07), select(F(0.0), F(-24.0), small));
    let up = m > F(1.22474487);
    let c = select(F(1.0), F(1.5), up);
    let u = m - c;
    let th = m_hi(m + c);
    let tl = m - m_pin(th - c);
    let v = F(1.0) / (m + c);
    let s = u * v;
    let sh = m_hi(s);
    let sl = v * (m_pin(u - sh * th) - sh * tl);
    let z = s * s;
    let p = fma(z, fma(z, F(0.418679953), F(0.577038884)), F(0.961796761));
    // the exact parts: h = 12-bit sh * 12-bit constant, g = log2(c) cut to 12 bits
    let h = sh * F(2.88476562);
    let g = select(F(0.0), F(0.584960938), up);
    let lo = fma(s * z, p, fma(sl, F(2.88539008), fma(sh, F(0.000624456792), select(F(0.0), F(1.56322116e-06), up))));
    let t1 = m_hi(((lo + h) + g) + n);
    let t2 = lo + m_pin(h - m_pin((t1 - n) - g));
    // y*(t1 + t2); beyond +-200 the result is 0 or inf whatever the low part
    let yh = m_hi(y);
    let ph = clamp(yh * t1, F(-200.0), F(200.0));
    let pl = fma(y - yh, t1, y * t2);
    let edge = abs(ph) > F(155.0);
    let w = m_exp2_core(select(ph, clamp(ph, F(-155.0), F(130.0)), edge), select(pl, F(0.0), edge));
    // special values
    let zero = b == U(0u);
    let end = select(U(0u), U(0x7f800000u), (a < F(1.0)) != (y > F(0.0)));
    var r = select(bitcast<U>(w), end, zero | m_is_inf(a) | m_is_inf(y));
    r = select(r, U(0x3f800000u), bitcast<U>(a) == U(0x3f800000u));
    let neg = bitcast<I>(x) < I(0);
    let hy = y * F(0.5);
    let y_int = y == trunc(y);
    r = select(r, r | U(0x80000000u), neg & y_int & (hy != trunc(hy)));
    r = select(r, U(0x7fc00000u), neg & !y_int & !zero & !m_is_inf(a));
    r = select(r, U(0x7fc00000u), m_is_nan(x) | m_is_nan(y));
    return bitcast<F>(select(r, U(0x3f800000u), m_is_zero(y) | (bitcast<U>(x) == U(0x3f800000u))));
}

// cbrt: x^(-1/3) from the exponent (bits/3), two third-order steps without division, one Newton step on x*r^2.
// Max error 2.0 ULP.
fn m_cbrt(x: F) -> F {
    let a = abs(x);
    let small = a < F(1e-18);
    let c = select(a, a * F(4.72236648e+21), small);
    var r = bitcast<F>(U(0x54a21d2au) - U(F(bitcast<U>(c)) * F(0.333333333)));
    var h = fma(-(c * r), r * r, F(1.0));
    r = fma(r * h, fma(h, F(0.222222222), F(0.333333333)), r);
    h = fma(-(c * r), r * r, F(1.0));
    r = fma(r * h, fma(h, F(0.222222222), F(0.333333333)), r);
    let w = r * r;
    var t = c * w;
    // (c - t^3)*r^2/3 with t in two parts, so that the rest is good unfused too
    let th = m_hi(t);
    let d = fma(-(th * th), th, c) - (t - th) * (F(3.0) * th * t);
    t = fma(d * w, F(0.333333333), t);
    t = select(t, t * F(5.96046448e-08), small);
    let u = select(bitcast<U>(m_xorsign(t, x)), bitcast<U>(x), (c == F(0.0)) | !m_is_finite(x));
    return bitcast<F>(u);
}

// hypot: both scaled by the power of two of the larger; inf wins over NaN (C99).
// Max error 1.2 ULP.
fn m_hypot(x: F, y: F) -> F {
    let ax = abs(x);
    let ay = abs(y);
    let e = clamp(bitcast<U>(max(ax, ay)) & U(0x7f800000u), U(0x00800000u), U(0x7e800000u));
    let s = bitcast<F>(U(0x7f000000u) - e);
    let p = ax * s;
    let q = ay * s;
    let r = sqrt(fma(p, p, q * q)) * bitcast<F>(e);
    var u = select(bitcast<U>(r), U(0x7fc00000u), m_is_nan(x) | m_is_nan(y));
    u = select(u, U(0x7f800000u), m_is_inf(x) | m_is_inf(y));
    return bitcast<F>(u);
}

// erf: degree 11 below 0.92, else 1 - exp(-L(a)), L = -log(erfc) of degree 7 (after Juffa).
// Max error 1.4 ULP.
fn m_erf(x: F) -> F {
    let a = min(abs(x), F(4.0));
    let z = a * a;
    var p = fma(z, F(-0.00059595838), F(0.00498735253));
    p = fma(z, p, F(-0.0267629661));
    p = fma(z, p, F(0.11281731));
    p = fma(z, p, F(-0.376124889));
    p = fma(z, p, F(0.128379151));
    var q = fma(a, F(1.1230034e-05), F(-0.000322794047));
    q = fma(a, q, F(0.0036424296));
    q = fma(a, q, F(-0.0237620194));
    q = fma(a, q, F(0.106236845));
    q = fma(a, q, F(0.635151327));
    q = fma(a, q, F(0.12864849));
    let big = F(1.0) - m_exp_core(-fma(a, q, a), F(0.0), I(0));
    // below 1e-30 a*p could be denormal and flushed
    let near = select(fma(a, p, a), a * F(1.12837917), a < F(1e-30));
    let r = select(near, big, a > F(0.92));
    return m_keep_nan(m_xorsign(r, x), x);
}

// exp(a^2)*erfc(a) for 0 <= a <= 10.1: polynomial of degree 9 in (a-2)/(a+2) over 1+2a (form after
// Shepherd & Laframboise, 1981).
fn m_erfcx_core(a: F) -> F {
    let t = (a - F(2.0)) / (a + F(2.0));
    var p = fma(t, F(-0.000404746854), F(-0.00123831176));
    p = fma(t, p, F(0.00131405087));
    p = fma(t, p, F(0.00864046067));
    p = fma(t, p, F(-0.0080579035));
    p = fma(t, p, F(-0.0542075075));
    p = fma(t, p, F(0.164054587));
    p = fma(t, p, F(-0.166030958));
    p = fma(t, p, F(-0.0927639157));
    p = fma(t, p, F(1.27697837));
    return p / fma(a, F(2.0), F(1.0));
}

// erfc: 1 - erf below 1/2 (degree 9); above, a^2 in two exact parts, so the tail keeps its relative accuracy.
// Max error 4.3 ULP, all x.
fn m_erfc(x: F) -> F {
    let a = min(abs(x), F(10.1));
    let h = m_hi(a);
    let r = m_erfcx_core(a) * m_exp_core(-(h * h), (h - a) * (a + h), I(0));
    let z = a * a;
    var p = fma(z, F(0.00461393362), F(-0.0266991984));
    p = fma(z, p, F(0.112817429));
    p = fma(z, p, F(-0.376125336));
    p = fma(z, p, F(0.128379151));
    let near = F(1.0) - fma(x, p, x);
    return m_keep_nan(select(select(r, F(2.0) - r, x < F(0.0)), near, a < F(0.5)), x);
}

// Logistic function 1/(1+e^-x), from e^-|x| so that nothing overflows.
// Max error 2.8 ULP, all x.
fn m_sigmoid(x: F) -> F {
    let e = m_exp_core(-min(abs(x), F(104.0)), F(0.0), I(0));
    return m_keep_nan(select(F(1.0), e, x < F(0.0)) / (F(1.0) + e), x);
}

// Tanh form of GELU: 0.5x(1 + tanh u) = x/(1 + e^-2u), which does not cancel for negative x.
// Max error 2.5 ULP for x >= -1, 35 for x >= -5, 240 down to -10 (2u ULP, from the rounding of u).
// Below -10.05 (|result| < 3e-38): 0.
fn m_gelu(x: F) -> F {
    let c = max(x, F(-20.0));
    let w = fma(c * c, F(0.0713548163), F(1.59576912));
    let e = m_exp_core(clamp(-(c * w), F(-105.0), F(90.0)), F(0.0), I(0));
    return m_keep_nan(c / (F(1.0) + e), x);
}

// Exact GELU x*erfc(-x/sqrt2)/2; x^2/2 in two exact parts as in erfc.
// Max error 5.3 ULP, all x.
fn m_gelu_erf(x: F) -> F {
    let c = clamp(x, F(-14.45), F(14.45));
    let a = abs(c);
    let h = m_hi(a);
    let e = m_exp_core(F(-0.5) * (h * h), F(0.5) * (h - a) * (a + h), I(0));
    let g = (F(0.5) * c * m_erfcx_core(a * F(0.707106769))) * e;
    return m_keep_nan(select(x - g, g, bitcast<I>(x) < I(0)), x);
}

// log(1 + e^x) = max(x, 0) + log1p(e^-|x|).
// Max error 2.2 ULP.
fn m_softplus(x: F) -> F {
    let e = m_exp_core(-min(abs(x), F(104.0)), F(0.0), I(0));
    return m_keep_nan(max(x, F(0.0)) + m_log1p_core(e), x);
}

// log(e^x + e^y); equal infinities give that infinity.
// Max error 9.5 ULP, of max(|result|, |max(x, y)|); the rounding of x - y dominates.
fn m_logaddexp(x: F, y: F) -> F {
    let d = select(abs(x - y), F(0.0), bitcast<U>(x) == bitcast<U>(y));
    let e = m_exp_core(-min(d, F(104.0)), F(0.0), I(0));
    return m_nan_if(max(x, y) + m_log1p_core(e), m_is_nan(x) | m_is_nan(y));
}

// NumPy minimum: NaN if either is.
fn m_min(x: F, y: F) -> F {
    return m_keep_nan(m_keep_nan(select(y, x, m_order(x) < m_order(y)), y), x);
}

// NumPy maximum: NaN if either is.
fn m_max(x: F, y: F) -> F {
    return m_keep_nan(m_keep_nan(select(y, x, m_order(x) > m_order(y)), y), x);
}

// x, or 0 where the sign is negative; NaN stays NaN.
fn m_relu(x: F) -> F {
    let u = bitcast<U>(x);
    return bitcast<F>(select(u, U(0u), (u - U(0x80000000u)) <= U(0x7f800000u)));
}

// NumPy fmin: the other one if one is NaN.
fn m_fmin(x: F, y: F) -> F {
    return select(y, x, ((m_order(x) < m_order(y)) & !m_is_nan(x)) | m_is_nan(y));
}

// NumPy fmax: the other one if one is NaN.
fn m_fmax(x: F, y: F) -> F {
    return select(y, x, ((m_order(x) > m_order(y)) & !m_is_nan(x)) | m_is_nan(y));
}

// |x| with the sign bit of y; in the bits, so NaN and -0 work.
fn m_copysign(x: F, y: F) -> F {
    return bitcast<F>((bitcast<U>(x) & U(0x7fffffffu)) | (bitcast<U>(y) & U(0x80000000u)));
}

// Next float from x towards y: all in integers, denormals included.
fn m_nextafter(x: F, y: F) -> F {
    let bx = bitcast<U>(x);
    let by = bitcast<U>(y);
    let ax = bx & U(0x7fffffffu);
    let ay = by & U(0x7fffffffu);
    // keys ordered as the numbers are, -0 and +0 equal
    let kx = select(bitcast<I>(ax), -bitcast<I>(ax), bitcast<I>(x) < I(0));
    let ky = select(bitcast<I>(ay), -bitcast<I>(ay), bitcast<I>(y) < I(0));
    let near = select(bx - U(1u), bx + U(1u), (ky > kx) == (kx > I(0)));
    var r = select(near, (by & U(0x80000000u)) | U(1u), ax == U(0u));
    r = select(r, by, kx == ky);
    return bitcast<F>(select(r, U(0x7fc00000u), m_is_nan(x) | m_is_nan(y)));
}

// The next half: the last bit of a half is the 14th of a single, and of denormal halves 2^-24, which singles add exactly.
fn m_nextafter_half(x: F, y: F) -> F {
    let bx = bitcast<U>(x);
    let ax = bx & U(0x7fffffffu);
    let kx = m_number(x);
    let ky = m_number(y);
    let out = (ky > kx) == (kx > I(0));
    let one = m_xorsign(select(F(-5.9604645e-8), F(5.9604645e-8), out), x);
    var r = select(bx - U(0x2000u), bx + U(0x2000u), out);
    // Below 2^-14, and there from above.
    r = select(r, bitcast<U>(x + one), ax < (U(0x38800000u) + select(U(1u), U(0u), out)));
    r = select(r, (bx & U(0x80000000u)) | select(U(0x477fe000u), U(0x7f800000u), out), ax >= U(0x477fe000u) + select(U(1u), U(0u), out));
    r = select(r, (bitcast<U>(y) & U(0x80000000u)) | U(0x33800000u), ax == U(0u));
    r = select(r, bitcast<U>(y), kx == ky);
    return bitcast<F>(select(r, U(0x7fc00000u), m_is_nan(x) | m_is_nan(y)));
}

// x + (y - x) * t, in parts where y - x is no number.
fn m_lerp(x: F, y: F, t: F) -> F {
    let way = y - x;
    let parts = x * (F(1.0) - t) + y * t;
    return select(x + way * t, parts, !m_is_finite(way) & m_is_finite(parts));
}

// One step of the remainder: r - m*trunc(r/m) for 0 <= r < 2^11*m, exact: the quotient has 12 bits and m is cut in
// two; a quotient one off is put right by one addition.
fn m_fmod_step(r: F, m: F) -> F {
    let q = trunc(r / m);
    let h = m_hi(m);
    let d = fma(-q, m - h, m_pin(fma(-q, h, r)));
    let d1 = select(d, d + m, d < F(0.0));
    return select(d1, d1 - m, d1 >= m);
}

// C fmod: exact where |x/y| < 2^33 (three steps of 11 bits) and |y| >= 2^-100; 0 for larger quotients.
// Max error 0.
fn m_fmod(x: F, y: F) -> F {
    let a = abs(x);
    let m = abs(y);
    let m2 = m * F(4194304.0);
    let m1 = m * F(2048.0);
    var r = a;
    r = select(r, m_fmod_step(r, m2), (r >= m2) & m_is_finite(m2));
    r = select(r, m_fmod_step(r, m1), (r >= m1) & m_is_finite(m1));
    r = select(r, m_fmod_step(r, m), r >= m);
    r = select(F(0.0), r, (r >= F(0.0)) & (r < m));
    r = m_xorsign(select(r, a, a < m), x);
    return m_nan_if(r, !m_is_finite(x) | m_is_zero(y) | m_is_nan(y));
}

// Python and NumPy %: the remainder takes the sign of the divisor. Range as m_fmod.
// Max error 0.5 ULP.
fn m_rem(x: F, y: F) -> F {
    let r = m_fmod(x, y);
    let s = select(r, r + y, (bitcast<I>(r) ^ bitcast<I>(y)) < I(0));
    return m_keep_nan(select(s, m_copysign(r, y), r == F(0.0)), r);
}

// NumPy floor_divide: (x - fmod(x, y))/y, less 1 where the signs differ and a rest is left; x/y where y = 0.
// Max error 2.0 ULP, exact below 2^22; above, x - fmod(x, y) rounds.
fn m_floor_divide(x: F, y: F) -> F {
    let r = m_fmod(x, y);
    let neg = (bitcast<I>(x) ^ bitcast<I>(y)) < I(0);
    let q = round((x - r) / y) - select(F(0.0), F(1.0), neg & (r != F(0.0)));
    let v = m_keep_nan(m_xorsign(m_xorsign(abs(q), x), y), r);
    let by_0 = m_nan_if(m_xorsign(m_xorsign(m_inf(x), x), y), m_is_zero(x) | m_is_nan(x));
    return select(v, by_0, m_is_zero(y));
}

// x * 2^n; n is cut at +-252, done in two products.
fn m_ldexp(x: F, n: I) -> F {
    let k = clamp(n, I(-252), I(252));
    let a = k >> U(1u);
    let b = k - a;
    return (x * bitcast<F>((a + I(127)) << U(23u))) * bitcast<F>((b + I(127)) << U(23u));
}

// sqrt: the builtin.
// Max error 0.5 ULP.
fn m_sqrt(x: F) -> F {
    return sqrt(x);
}

// 1/sqrt(x): the builtin.
// Max error 1.5 ULP.
fn m_rsqrt(x: F) -> F {
    return inverseSqrt(x);
}

// 1/x: the divide operator.
// Max error 0.5 ULP.
fn m_reciprocal(x: F) -> F {
    return F(1.0) / x;
}

// NumPy sign: -1, 0, 1; NaN stays NaN.
fn m_sign(x: F) -> F {
    let u = bitcast<U>(x);
    return bitcast<F>(select((u & U(0x80000000u)) | U(0x3f800000u), u, m_is_zero(x) | m_is_nan(x)));
}

// NumPy heaviside: 0, h at 0, 1; NaN stays NaN.
fn m_heaviside(x: F, h: F) -> F {
    return m_keep_nan(select(select(F(0.0), F(1.0), bitcast<I>(x) > I(0)), h, m_is_zero(x)), x);
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

// x*x.
// Max error 0.5 ULP.
fn m_square(x: F) -> F {
    return x * x;
}

// Nearest integer, ties to even (WGSL round).
fn m_round(x: F) -> F {
    return round(x);
}

// Integer part towards 0.
fn m_trunc(x: F) -> F {
    return trunc(x);
}

// x - trunc(x), sign of x (C modf, not WGSL fract); +-0 for inf.
fn m_fract(x: F) -> F {
    return m_keep_nan(m_copysign(select(x - trunc(x), F(0.0), m_is_inf(x)), x), x);
}

// x / y, also where 1 / y is denormal: WGSL promises nothing for |y| > 2^126, and NVIDIA gives 0 there.
// The builtin's error, 2.5 ULP by WGSL.
fn m_divide(x: F, y: F) -> F {
    let s = select(F(1.0), F(0.25), (bitcast<U>(y) & U(0x7fffffffu)) > U(0x7e000000u));
    return (x * s) / (y * s);
}
