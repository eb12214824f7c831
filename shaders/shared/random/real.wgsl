// Uniform numbers, and the functions of numbers that draws are made with. Rules: words.wgsl. Bounds are relative, measured
// over all or over 2^24 arguments. Coefficients: minimax (Lawson-weighted least squares), each rounded to f32 in turn.

// x, rounded: no compiler adds to a product through a maximum with a bound that is never reached.
fn x_pin(x: f32) -> f32 {
    return max(x, -3e38);
}

// The number of [0, 1) that the first 24 bits of a word are.
fn r_real(word: u32) -> f32 {
    return f32(word >> 8u) * 5.9604645e-8;
}

fn r_unit(i: u32, key0: u32, key1: u32, low: u32, high: u32) -> f32 {
    return r_real(r_word(i, key0, key1, low, high));
}

fn r_unit4(i: vec4<u32>, key0: vec4<u32>, key1: vec4<u32>, low: vec4<u32>, high: vec4<u32>) -> vec4<f32> {
    return vec4<f32>(r_word4(i, key0, key1, low, high) >> vec4<u32>(8u)) * 5.9604645e-8;
}

// A number of [0, 1) of 11 bits: one that f16 has.
fn r_unit_half(i: u32, key0: u32, key1: u32, low: u32, high: u32) -> f32 {
    return f32(r_word(i, key0, key1, low, high) >> 21u) * 4.8828125e-4;
}

fn r_unit_half4(i: vec4<u32>, key0: vec4<u32>, key1: vec4<u32>, low: vec4<u32>, high: vec4<u32>) -> vec4<f32> {
    return vec4<f32>(r_word4(i, key0, key1, low, high) >> vec4<u32>(21u)) * 4.8828125e-4;
}

// A number of [offset, offset + scale), at most `last`.
fn r_uniform(i: u32, key0: u32, key1: u32, low: u32, high: u32, offset: f32, scale: f32, last: f32) -> f32 {
    return min(x_pin(r_unit(i, key0, key1, low, high) * scale) + offset, last);
}

fn r_uniform4(
    i: vec4<u32>, key0: vec4<u32>, key1: vec4<u32>, low: vec4<u32>, high: vec4<u32>,
    offset: vec4<f32>, scale: vec4<f32>, last: vec4<f32>
) -> vec4<f32> {
    return min(max(r_unit4(i, key0, key1, low, high) * scale, vec4<f32>(-3e38)) + offset, last);
}

fn r_bernoulli(i: u32, key0: u32, key1: u32, low: u32, high: u32, chance: f32) -> bool {
    return r_unit(i, key0, key1, low, high) < chance;
}

fn r_bernoulli4(
    i: vec4<u32>, key0: vec4<u32>, key1: vec4<u32>, low: vec4<u32>, high: vec4<u32>, chance: vec4<f32>
) -> vec4<bool> {
    return r_unit4(i, key0, key1, low, high) < chance;
}

// ln(1 + y) - y for y of [-0.293, 0.415]. 3e-7.
fn x_log_rest(y: f32) -> f32 {
    var p = x_pin(-0.07727895 * y) + 0.12720646;
    p = x_pin(p * y) - 0.13124096;
    p = x_pin(p * y) + 0.14209016;
    p = x_pin(p * y) - 0.16625799;
    p = x_pin(p * y) + 0.20000803;
    p = x_pin(p * y) - 0.25000867;
    p = x_pin(p * y) + 0.33333334;
    p = x_pin(p * y) - 0.49999997;
    return x_pin((p * y) * y);
}

// Of a number's mantissa m of [1, 2): how far the nearer of m and m / 2 is from 1, and whether that is m / 2.
fn x_near_one(m: f32) -> vec2<f32> {
    let half = m > 1.4142135;
    return vec2<f32>(select(m, 0.5 * m, half) - 1.0, select(0.0, 1.0, half));
}

// e ln 2 + ln(1 + y): the high part of ln 2 has few bits, so that its product is exact.
fn x_log_of(e: f32, y: f32) -> f32 {
    let small = x_pin(e * 1.4286068e-6) + x_log_rest(y);
    return e * 0.69314575 + (small + y);
}

// ln x of a positive number, not denormal. 3e-7, near 1 absolute.
fn x_log(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    let near = x_near_one(bitcast<f32>((bits & 0x7fffffu) | 0x3f800000u));
    return x_log_of(f32(i32(bits >> 23u) - 127) + near.y, near.x);
}

// ln(1 + y) - y for y > -1. 1e-6.
fn x_log_beyond(y: f32) -> f32 {
    if y > -0.29 && y < 0.41 {
        return x_log_rest(y);
    }
    return x_log(max(1.0 + y, 1.2e-38)) - y;
}

// -ln u of the number u of (0, 1) that a word is: never 0, at most 22.2. 3e-7.
fn r_minus_log(word: u32) -> f32 {
    let n = countLeadingZeros(word | 1u);
    let mantissa = (word | 1u) << n;
    let near = x_near_one(bitcast<f32>(((mantissa >> 8u) & 0x7fffffu) | 0x3f800000u));
    return -x_log_of(near.y - f32(n + 1u), near.x);
}

// exp x: 0 below -87, infinite above 88.72. 3e-7.
fn x_exp(x: f32) -> f32 {
    let inside = clamp(x, -87.0, 88.72);
    let k = floor(x_pin(inside * 1.442695) + 0.5);
    let r = (inside - k * 0.69314575) - x_pin(k * 1.4286068e-6);
    var p = x_pin(0.00019949247 * r) + 0.0013929451;
    p = x_pin(p * r) + 0.008333202;
    p = x_pin(p * r) + 0.041666523;
    p = x_pin(p * r) + 0.16666667;
    p = x_pin(p * r) + 0.5;
    let value = x_pin(x_pin((p * r) * r) + r) + 1.0;
    // In two steps: 2^128 is no number.
    let half = i32(k) / 2;
    let scaled = value * x_two_to(half) * x_two_to(i32(k) - half);
    let low = select(bitcast<u32>(scaled), 0u, x < -87.0);
    return bitcast<f32>(select(low, 0x7f800000u, x > 88.72));
}

fn x_two_to(n: i32) -> f32 {
    return bitcast<f32>(u32(n + 127) << 23u);
}

// 1 / sqrt x of a positive number, not denormal. 3e-7.
fn x_reciprocal_root(x: f32) -> f32 {
    let half = 0.5 * x;
    var y = bitcast<f32>(0x5f375a86u - (bitcast<u32>(x) >> 1u));
    y = y * (1.5 - x_pin((half * y) * y));
    y = y * (1.5 - x_pin((half * y) * y));
    return x_pin(y * (1.5 - x_pin((half * y) * y)));
}

// sqrt x, 0 for 0. 3e-7.
fn x_root(x: f32) -> f32 {
    return x_pin(x * x_reciprocal_root(max(x, 1.2e-38)));
}

// 1 / x for x of [2e-38, 4e37]. 2e-7.
fn x_reciprocal(x: f32) -> f32 {
    var y = bitcast<f32>(0x7ef311c7u - bitcast<u32>(x));
    y = y * (2.0 - x_pin(x * y));
    y = y * (2.0 - x_pin(x * y));
    y = y * (2.0 - x_pin(x * y));
    return x_pin(y * (2.0 - x_pin(x * y)));
}

// NaN, made of bits that a compiler does not know.
fn x_nan(x: f32) -> f32 {
    return bitcast<f32>(0x7fc00000u | (bitcast<u32>(x) & 0u));
}
