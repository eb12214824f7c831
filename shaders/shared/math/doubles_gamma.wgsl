// The gamma function of doubles, the logarithm of its size, and that logarithm's derivative digamma. gamma.wgsl has the methods.
// doubles.wgsl has the aliases, bits.wgsl the rules of this folder.

// 1/gamma(a) - 1 for 1/2 <= a <= 3; below 1/2 of 1 + a.
fn m_wide_gamma_rest(a: D) -> D {
    let s = select(a - D(1.0), a, a < D(0.5));
    let t = s - D(0.75);
    var p = fma(t, D(7.153574686729959e-14), D(2.8975388929270433e-13));
    p = fma(t, p, D(-7.061212084453224e-12));
    p = fma(t, p, D(4.236505624682784e-11));
    p = fma(t, p, D(-3.84140627053749e-11));
    p = fma(t, p, D(-1.451056726349922e-09));
    p = fma(t, p, D(1.2647779514629314e-08));
    p = fma(t, p, D(-4.0624824507261044e-08));
    p = fma(t, p, D(-1.2917608262847372e-07));
    p = fma(t, p, D(2.008195907500893e-06));
    p = fma(t, p, D(-8.594453422354653e-06));
    p = fma(t, p, D(6.655548228073807e-07));
    p = fma(t, p, D(0.00017345080256095925));
    p = fma(t, p, D(-0.0008148591978203817));
    p = fma(t, p, D(0.0007133292887254739));
    p = fma(t, p, D(0.008085936594939818));
    p = fma(t, p, D(-0.03425370509095857));
    p = fma(t, p, D(0.02399129914946904));
    p = fma(t, p, D(0.18360269447769317));
    p = fma(t, p, D(-0.469681344698759));
    return (s * (s - D(1.0))) * p;
}

// gamma(c) / gamma(y), where y in [1, 2) lies whole steps below 3 <= c <= 8; 1 for smaller c.
fn m_wide_gamma_steps(c: D) -> D {
    var v = D(1.0);
    var factor = select(D(0.0), c - D(1.0), c >= D(3.0));
    for (var step = 0u; step < 6u; step++) {
        v = select(v, v * factor, factor >= D(1.0));
        factor -= D(1.0);
    }
    return v;
}

// log2 of e^((a - 1/2)(ln a - 1)) for a >= 8, times `unit`; `low` is what the result was rounded by. The first product is of
// 26 bits by 26.
fn m_wide_stirling_log2(a: D, unit: D, low: ptr<function, D>) -> D {
    var t = D(0.0);
    let d = m_wide_log2_parts(a, &t) - D(1.4426950216293335);
    let y = (a - D(0.5)) * unit;
    let yh = m_wide_hi(y);
    let h = yh * d;
    let l = fma(y - yh, d, y * (t - D(1.9259629911266175e-08)));
    let s = m_wide_pin(h + l);
    *low = m_wide_pin(h - s) + l;
    return s;
}

// The other factor of gamma, v = 1/a: sqrt(2 pi/e) e^(1/(12 a) - ..).
fn m_wide_stirling_factor(v: D) -> D {
    var p = fma(v, D(0.0007569775411410872), D(0.00011311789628030554));
    p = fma(v, p, D(-0.000933541803606211));
    p = fma(v, p, D(0.00010938312656249939));
    p = fma(v, p, D(0.0011917986298455225));
    p = fma(v, p, D(-0.0003488687403588727));
    p = fma(v, p, D(-0.004076547644050562));
    p = fma(v, p, D(0.005278982298218655));
    p = fma(v, p, D(0.1266955750888367));
    p = fma(v, p, D(1.520346901066281));
    return p;
}

// Half of the whole number nearest to a >= 0; `rest` is a less that number: 0 from 2^51 on, where all may count as even.
fn m_wide_half_whole(a: D, rest: ptr<function, D>) -> D {
    let whole = a >= D(2251799813685248.0);
    let n = m_wide_nearest(select(a, D(0.0), whole));
    *rest = select(a - n, D(0.0), whole);
    return D(0.5) * n;
}

// gamma.
// Max error 5.0 ULP.
fn m_wide_gamma(x: D) -> D {
    let a = m_wide_abs(x);
    let negative = bitcast<L>(x) >= L(0x8000000000000000lu);
    let tiny = a < D(0.5);
    let big = a >= D(8.0);
    // |x| < 8: top over bottom.
    let c = min(a, D(8.0));
    let one = D(1.0) + m_wide_gamma_rest(select(c, c - floor(c) + D(1.0), c >= D(3.0)));
    let more = m_wide_gamma_steps(c);
    var r = D(0.0);
    let half = m_wide_half_whole(a, &r);
    let sine = r * m_wide_sinc(r);
    var top = select(more, one, negative);
    var bottom = select(one * select(D(1.0), c, tiny), more * sine * select(c, D(1.0), tiny), negative);
    // From 8 on; 2^256 too large where x is negative, since 1/gamma may be too small for a number.
    if (any(big)) {
        var low = D(0.0);
        let b = clamp(a, D(8.0), D(250.0));
        let h = m_wide_stirling_log2(b, D(1.0), &low);
        let down = m_wide_pin(D(256.0) - h);
        let rest = m_wide_pin(m_wide_pin(D(256.0) - down) - h) - low;
        let e = m_wide_exp2_core(clamp(select(h, down, negative), D(-1080.0), D(1030.0)), select(low, rest, negative));
        let factor = m_wide_stirling_factor(D(1.0) / b);
        top = select(top, select(e * factor, e, negative), big);
        bottom = select(bottom, select(D(1.0), factor * (b * sine), negative), big);
    }
    var v = (top / bottom) * select(D(1.0), D(8.636168555094445e-78), negative & big);
    v = select(v, -v, negative & (half == floor(half)));
    let u = bitcast<L>(x);
    let pole = (a == D(0.0));
    v = bitcast<D>(select(bitcast<L>(v), u | L(0x7ff0000000000000lu), pole));
    v = m_wide_nan_if(v, (negative & (r == D(0.0)) & !pole) | (u == L(0xfff0000000000000lu)));
    return m_wide_keep_nan(bitcast<D>(select(bitcast<L>(v), u, u == L(0x7ff0000000000000lu))), x);
}

// ln|gamma|.
// Max error 5.0 ULP for x >= 0; below, of max(|result|, 1).
fn m_wide_lgamma(x: D) -> D {
    let a = m_wide_abs(x);
    let negative = bitcast<L>(x) >= L(0x8000000000000000lu);
    let tiny = a < D(0.5);
    let big = a >= D(8.0);
    let c = min(a, D(8.0));
    let rest = m_wide_gamma_rest(select(c, c - floor(c) + D(1.0), c >= D(3.0)));
    let one = D(1.0) + rest;
    var r = D(0.0);
    let half = m_wide_half_whole(a, &r);
    let sine = m_wide_abs(r) * m_wide_sinc(r);
    let more = m_wide_gamma_steps(c);
    // The reciprocal of what it is the logarithm of, but of Stirling's part.
    var q = select(one * select(D(1.0), c, tiny) / more, select(c * sine * more, sine, tiny) / one, negative);
    q = select(q, select(D(1.0), a * sine, negative), big);
    let near = !(negative | tiny | (c >= D(3.0)));
    var w = -select(m_wide_log(q), m_wide_log1p_core(select(D(0.0), rest, near)), near);
    if (any(big)) {
        var low = D(0.0);
        let b = clamp(a, D(8.0), D(3e305));
        let h = m_wide_stirling_log2(b, D(0.25), &low);
        let hh = m_wide_hi(h);
        let v = D(1.0) / b;
        let z = v * v;
        var p = fma(z, D(-0.0016525849983934733), D(0.0008372827864695204));
        p = fma(z, p, D(-0.0005952025847742346));
        p = fma(z, p, D(0.000793650664877517));
        p = fma(z, p, D(-0.0027777777776060446));
        p = fma(z, p, D(0.0833333333333333));
        let tail = fma(D(0.25), fma(v, p, D(0.4189385332046727)), fma(h - hh, D(0.6931471675634384), fma(h, D(1.2996506893889889e-08), low * D(0.6931471805599453))));
        let stirling = D(4.0) * fma(hh, D(0.6931471675634384), tail);
        w += select(D(0.0), select(stirling, -stirling, negative), big);
    }
    let end = (negative & (r == D(0.0))) | m_wide_is_inf(x);
    return m_wide_keep_nan(bitcast<D>(select(bitcast<L>(w), L(0x7ff0000000000000lu), end)), x);
}

// digamma of a >= 0, plus `add`; below 1 of 1 + a.
fn m_wide_digamma_core(a: D, add: D) -> D {
    let c = min(a, D(8.0));
    let y = c - floor(c) + D(1.0);
    let t = y - D(1.5);
    var p = fma(t, D(-0.00017312261802727394), D(0.00025968482126430747));
    p = fma(t, p, D(-0.00015148586836773365));
    p = fma(t, p, D(0.0002272331660987376));
    p = fma(t, p, D(-0.0004821990530566789));
    p = fma(t, p, D(0.0007233266279287554));
    p = fma(t, p, D(-0.0010376374098418604));
    p = fma(t, p, D(0.0015566317474486838));
    p = fma(t, p, D(-0.002345267632540769));
    p = fma(t, p, D(0.003519006401502276));
    p = fma(t, p, D(-0.005279964873257405));
    p = fma(t, p, D(0.007926944646403797));
    p = fma(t, p, D(-0.011908218001568644));
    p = fma(t, p, D(0.0179072524394512));
    p = fma(t, p, D(-0.02697579675613825));
    p = fma(t, p, D(0.04076083381242074));
    p = fma(t, p, D(-0.061922133273064534));
    p = fma(t, p, D(0.09498872445494122));
    p = fma(t, p, D(-0.14840492305390884));
    p = fma(t, p, D(0.2405424842407742));
    p = fma(t, p, D(-0.4236274212814605));
    p = fma(t, p, D(0.951055876031833));
    var near = (m_wide_pin(y - D(1.4616321449683622)) - D(9.549995429965697e-17)) * p;
    var at = y;
    var steps = D(0.0);
    for (var step = 0u; step < 6u; step++) {
        steps += select(D(0.0), D(1.0) / at, at < c);
        at += D(1.0);
    }
    let b = max(a, D(8.0));
    let v = D(1.0) / b;
    let z = v * v;
    var q = fma(z, D(0.06362043296372914), D(-0.020697932789646125));
    q = fma(z, q, D(0.0075716885518819456));
    q = fma(z, q, D(-0.004166644813006459));
    q = fma(z, q, D(0.003968253911907783));
    q = fma(z, q, D(-0.008333333333278545));
    q = fma(z, q, D(0.08333333333333333));
    let far = m_wide_log(b) - fma(z, q, D(0.5) * v);
    return select(near + steps + add, far + add, a >= D(8.0));
}

// digamma: at -a that of 1 + a plus pi cot(pi a).
// Max error 5.0 ULP for x > 0; below, of max(|result|, 1, pi |cot(pi x)|).
fn m_wide_digamma(x: D) -> D {
    let a = m_wide_abs(x);
    let negative = bitcast<L>(x) >= L(0x8000000000000000lu);
    var r = D(0.0);
    let n = m_wide_half_whole(a, &r);
    let s = m_wide_abs(r);
    let half = D(0.5) - s;
    let cot = m_wide_xorsign((half * m_wide_sinc(half)) / select(s * m_wide_sinc(s), D(1.0), s == D(0.0)), r) * D(3.141592653589793);
    let step = D(1.0) / select(a, D(1.0), a == D(0.0));
    let add = select(select(D(0.0), -step, a < D(1.0)), select(step, D(0.0), a < D(1.0)) + cot, negative);
    let v = m_wide_digamma_core(a, add);
    let u = bitcast<L>(x);
    var w = select(bitcast<L>(v), (u ^ L(0x8000000000000000lu)) | L(0x7ff0000000000000lu), a == D(0.0));
    w = select(w, L(0x7ff8000000000000lu), (negative & (r == D(0.0)) & (a != D(0.0))) | (u == L(0xfff0000000000000lu)));
    return m_wide_keep_nan(bitcast<D>(select(w, u, u == L(0x7ff0000000000000lu))), x);
}
