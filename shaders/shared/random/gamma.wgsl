// Gamma and beta (Marsaglia and Tsang, "A simple method for generating gamma variables", TOMS 2000). Rules: words.wgsl.
// An element takes whole blocks, one for each attempt: 64 fail with a chance below 2^-200.

// The value of a gamma number, and what its logarithm is less by: a shape below 1 is one more, times u^(1 / shape).
fn r_gamma_parts(i: u32, key0: u32, key1: u32, low: u32, high: u32, shape: f32) -> vec2<f32> {
    if !(shape > 0.0 && shape <= 1e30) {
        return vec2<f32>(x_nan(shape), 0.0);
    }
    let boosted = shape < 1.0;
    let d = x_pin(select(shape, shape + 1.0, boosted)) - 0.33333334;
    let c = 0.33333334 * x_reciprocal_root(d);
    for (var attempt = 0u; attempt < 64u; attempt++) {
        let block = r_block(i, key0, key1, low, high, attempt);
        let x = r_two_normals(block.xy).x;
        let y = x_pin(c * x);
        if y > -1.0 {
            // d (1 - v + ln v) for v = (1 + y)^3: what cancels is left out.
            let rest = (x_pin(3.0 * x_log_beyond(y)) - x_pin(3.0 * x_pin(y * y))) - x_pin(y * y * y);
            if -r_minus_log(block.z) < x_pin(0.5 * x * x) + x_pin(d * rest) {
                let less = r_minus_log(block.w) * x_reciprocal(max(shape, 1e-37));
                return vec2<f32>(d * ((1.0 + y) * (1.0 + y) * (1.0 + y)), select(0.0, less, boosted));
            }
        }
    }
    return vec2<f32>(d, 0.0);
}

fn r_gamma(i: u32, key0: u32, key1: u32, low: u32, high: u32, shape: f32) -> f32 {
    let parts = r_gamma_parts(i, key0, key1, low, high, shape);
    return parts.x * x_exp(-parts.y);
}

fn r_log_gamma(i: u32, key0: u32, key1: u32, low: u32, high: u32, shape: f32) -> f32 {
    let parts = r_gamma_parts(i, key0, key1, low, high, shape);
    return select(x_log(max(parts.x, 1.2e-38)) - x_pin(parts.y), parts.x, !(shape > 0.0 && shape <= 1e30));
}

// X / (X + Y) for gammas X and Y, of blocks 2 i and 2 i + 1, by their logarithms: small shapes' gammas are too small
// themselves. A loop, so that a compiler makes the code once.
fn r_beta(i: u32, key0: u32, key1: u32, low: u32, high: u32, a: f32, b: f32) -> f32 {
    var odds = 0.0;
    for (var nth = 0u; nth < 2u; nth++) {
        let shape = select(a, b, nth == 1u);
        let one = r_log_gamma(2u * i + nth, key0, key1, low, high, shape);
        odds = select(-one, odds + one, nth == 1u);
    }
    let value = x_reciprocal(1.0 + x_exp(clamp(odds, -86.0, 80.0)));
    return select(value, x_nan(a), !(a > 0.0 && a <= 1e30 && b > 0.0 && b <= 1e30));
}
