// Functions of angles of doubles. After FreeBSD's k_sin.c and k_cos.c.
// doubles.wgsl has the aliases, bits.wgsl the rules of this folder.

// 2/pi after two words of zeros, by 32 bits.
fn m_wide_two_over_pi(at: u32) -> u32 {
    switch (at) {
        case 2u: { return 0xa2f9836eu; }
        case 3u: { return 0x4e441529u; }
        case 4u: { return 0xfc2757d1u; }
        case 5u: { return 0xf534ddc0u; }
        case 6u: { return 0xdb629599u; }
        case 7u: { return 0x3c439041u; }
        case 8u: { return 0xfe5163abu; }
        case 9u: { return 0xdebbc561u; }
        case 10u: { return 0xb7246e3au; }
        case 11u: { return 0x424dd2e0u; }
        case 12u: { return 0x06492eeau; }
        case 13u: { return 0x09d1921cu; }
        case 14u: { return 0xfe1deb1cu; }
        case 15u: { return 0xb129a73eu; }
        case 16u: { return 0xe88235f5u; }
        case 17u: { return 0x2ebb4484u; }
        case 18u: { return 0xe99c7026u; }
        case 19u: { return 0xb45f7e41u; }
        case 20u: { return 0x3991d639u; }
        case 21u: { return 0x835339f4u; }
        case 22u: { return 0x9c845f8bu; }
        case 23u: { return 0xbdf9283bu; }
        case 24u: { return 0x1ff897ffu; }
        case 25u: { return 0xde05980fu; }
        case 26u: { return 0xef2f118bu; }
        case 27u: { return 0x5a0a6d1fu; }
        case 28u: { return 0x6d367ecfu; }
        case 29u: { return 0x27cb09b7u; }
        case 30u: { return 0x4f463f66u; }
        case 31u: { return 0x9e5fea2du; }
        case 32u: { return 0x7527bac7u; }
        case 33u: { return 0xebe5f17bu; }
        case 34u: { return 0x3d0739f7u; }
        case 35u: { return 0x8a5292eau; }
        case 36u: { return 0x6bfb5fb1u; }
        case 37u: { return 0x1f8d5d08u; }
        case 38u: { return 0x56033046u; }
        default: { return 0u; }
    }
}

// The seven words from `first` on: they pass by, until those are there.
fn m_wide_window(first: U, words: ptr<function, array<U, 7>>) {
    for (var at = 0u; at < 39u; at++) {
        let more = U(at) < first + U(7u);
        let next = U(m_wide_two_over_pi(at));
        for (var word = 0u; word < 6u; word++) {
            (*words)[word] = select((*words)[word], (*words)[word + 1u], more);
        }
        (*words)[6] = select((*words)[6], next, more);
    }
}

// a >= 2^10 less the nearest multiple of pi/2, as the sum of the result and `low`; `turns` is that multiple modulo 4.
// a = m * 2^e, m of 53 bits: of m * 2/pi only the bits from 2^1 to 2^-137 or so count (Payne and Hanek, 1983).
fn m_wide_reduce_large(a: D, turns: ptr<function, L>, low: ptr<function, D>) -> D {
    let b = bitcast<L>(a);
    // The exponent of m's last bit, and of the window's first: 2^(1 - e), 64 places later.
    let skip = U(b >> U(52u)) - U(1013u);
    var words = array<U, 7>();
    m_wide_window(skip >> U(5u), &words);
    let shift = skip & U(31u);
    let m = (b & L(0x000ffffffffffffflu)) | L(0x0010000000000000lu);
    // The product, from the last word on: by the mantissa's low word, then by its high word, one place further.
    var product = array<U, 6>();
    var carry = L(0lu);
    for (var at = 6u; at > 0u; at--) {
        let pair = (L(words[at - 1u]) << U(32u)) | L(words[at]);
        words[at] = U(pair >> (U(32u) - shift));
        carry += (m & L(0xfffffffflu)) * L(words[at]);
        product[at - 1u] = U(carry & L(0xfffffffflu));
        carry = carry >> U(32u);
    }
    carry = L(0lu);
    for (var at = 5u; at > 0u; at--) {
        carry += (m >> U(32u)) * L(words[at + 1u]) + L(product[at - 1u]);
        product[at - 1u] = U(carry & L(0xfffffffflu));
        carry = carry >> U(32u);
    }
    // Two bits of turns; what follows is a fraction, taken from the next turn where it is a half or more.
    let up = (product[0] & U(0x20000000u)) != U(0u);
    *turns = L((product[0] >> U(30u)) + select(U(0u), U(1u), up));
    var h = D(0.0);
    var l = D(0.0);
    var unit = D(2.3283064365386963e-10);
    for (var at = 0u; at < 4u; at++) {
        let word = (product[at] << U(2u)) | (product[at + 1u] >> U(30u));
        let part = D(select(word, ~word, up)) * unit;
        let s = m_wide_pin(h + part);
        l += part - m_wide_pin(s - h);
        h = s;
        unit = unit * D(2.3283064365386963e-10);
    }
    // Times pi/2.
    let hh = m_wide_hi(h);
    let main = hh * D(1.5707963109016418);
    let rest = fma(h - hh, D(1.5707963267948966), fma(hh, D(1.5893254773528196e-08), l * D(1.5707963267948966)));
    let r = m_wide_pin(main + rest);
    *low = select((main - r) + rest, -((main - r) + rest), up);
    return select(r, -r, up);
}

// The same for 0 <= a < 2^20: pi/2 in three parts of 33 bits and a rest, so that the first three products are exact.
fn m_wide_reduce_small(a: D, turns: ptr<function, L>, low: ptr<function, D>) -> D {
    let n = m_wide_nearest(a * D(0.6366197723675814));
    *turns = m_wide_count(n);
    let t = m_wide_pin(fma(n, D(-1.5707963267341256), a));
    let w = n * D(-6.077100506303966e-11);
    let s = m_wide_pin(t + w);
    let v = n * D(-2.0222662487111665e-21);
    let q = m_wide_pin(s + v);
    let l = fma(n, D(-8.4784276603689e-32), m_wide_lost(t, w, s) + m_wide_lost(s, v, q));
    let r = m_wide_pin(q + l);
    *low = (q - r) + l;
    return r;
}

fn m_wide_reduce(a: D, turns: ptr<function, L>, low: ptr<function, D>) -> D {
    let large = a > D(1000000.0);
    var r = m_wide_reduce_small(select(a, D(0.0), large), turns, low);
    if (any(large)) {
        var other_turns = L(0lu);
        var other_low = D(0.0);
        let other = m_wide_reduce_large(select(D(1000000.0), a, large), &other_turns, &other_low);
        r = select(r, other, large);
        *turns = select(*turns, other_turns, large);
        *low = select(*low, other_low, large);
    }
    return r;
}

// sin(r + l), |r| <= pi/4.
fn m_wide_sin_poly(r: D, l: D) -> D {
    let z = r * r;
    var p = fma(z, D(-7.59470452324255e-13), D(1.6058675921836695e-10));
    p = fma(z, p, D(-2.5052107195459297e-08));
    p = fma(z, p, D(2.7557319222245735e-06));
    p = fma(z, p, D(-0.00019841269841268912));
    p = fma(z, p, D(0.008333333333333333));
    let v = z * r;
    return r - (m_wide_pin(z * (D(0.5) * l - v * p) - l) + v * D(0.16666666666666666));
}

// cos(r + l), |r| <= pi/4.
fn m_wide_cos_poly(r: D, l: D) -> D {
    let z = r * r;
    var p = fma(z, D(4.745478320723899e-14), D(-1.1470454171656988e-11));
    p = fma(z, p, D(2.087675574846016e-09));
    p = fma(z, p, D(-2.7557319221279406e-07));
    p = fma(z, p, D(2.4801587301584486e-05));
    p = fma(z, p, D(-0.0013888888888888887));
    p = fma(z, p, D(0.041666666666666664));
    let half = m_wide_pin(D(0.5) * z);
    let w = m_wide_pin(D(1.0) - half);
    return w + (m_wide_pin(m_wide_pin(D(1.0) - w) - half) + (z * z * p - r * l));
}

// sin(r + l + turns*pi/2).
fn m_wide_sin_of(r: D, l: D, turns: L) -> D {
    let odd = (turns & L(1lu)) != L(0lu);
    let v = select(m_wide_sin_poly(r, l), m_wide_cos_poly(r, l), odd);
    return bitcast<D>(bitcast<L>(v) ^ ((turns & L(2lu)) << U(62u)));
}

// sin.
// Max error 1.0 ULP.
fn m_wide_sin(x: D) -> D {
    var turns = L(0lu);
    var l = D(0.0);
    let r = m_wide_reduce(m_wide_abs(x), &turns, &l);
    let v = m_wide_xorsign(m_wide_sin_of(r, l, turns), x);
    return m_wide_nan_if(m_wide_keep_tiny(v, x), !m_wide_is_finite(x));
}

// cos.
// Max error 1.0 ULP.
fn m_wide_cos(x: D) -> D {
    var turns = L(0lu);
    var l = D(0.0);
    let r = m_wide_reduce(m_wide_abs(x), &turns, &l);
    return m_wide_nan_if(m_wide_sin_of(r, l, turns + L(1lu)), !m_wide_is_finite(x));
}

// tan: the quotient of sine and cosine.
// Max error 2.0 ULP.
fn m_wide_tan(x: D) -> D {
    var turns = L(0lu);
    var l = D(0.0);
    let r = m_wide_reduce(m_wide_abs(x), &turns, &l);
    let odd = (turns & L(1lu)) != L(0lu);
    let s = m_wide_sin_poly(r, l);
    let c = m_wide_cos_poly(r, l);
    let v = select(s, -c, odd) / select(c, s, odd);
    return m_wide_nan_if(m_wide_keep_tiny(m_wide_xorsign(v, x), x), !m_wide_is_finite(x));
}

// sin(pi x)/(pi x): r = x less the nearest whole number is exact, S(r) = sin(pi r)/(pi r), the result +-S(r)*r/x.
// Max error 2.0 ULP.
fn m_wide_sinc(x: D) -> D {
    let a = m_wide_abs(x);
    let whole = a >= D(2251799813685248.0);
    let n = m_wide_nearest(select(a, D(0.0), whole));
    let r = select(a - n, D(0.0), whole);
    let z = r * r;
    var p = fma(z, D(1.675177856666065e-10), D(-7.302523113707062e-09));
    p = fma(z, p, D(2.531210979108843e-07));
    p = fma(z, p, D(-6.975873547589108e-06));
    p = fma(z, p, D(0.00014842879301853252));
    p = fma(z, p, D(-0.0023460810354549843));
    p = fma(z, p, D(0.02614784781765477));
    p = fma(z, p, D(-0.19075182412208422));
    p = fma(z, p, D(0.8117424252833536));
    p = fma(z, p, D(-1.6449340668482264));
    let s = fma(z, p, D(1.0));
    let v = select(s, (r / a) * s, a > D(0.5));
    let odd = (m_wide_count(n) & L(1lu)) != L(0lu);
    return m_wide_nan_if(select(v, -v, odd), !m_wide_is_finite(x));
}
