// Complex numbers of f32 for Fourier transforms.

alias Pair = vec2<f32>;

fn f_multiply(a: Pair, b: Pair) -> Pair {
    return Pair(fma(a.x, b.x, -(a.y * b.y)), fma(a.x, b.y, a.y * b.x));
}

// exp(-2 pi i of a part of a turn): `part` of as many as 2^32 / (unit + rest). Absolute error 1e-7.
fn f_factor(part: u32, unit: u32, rest: f32) -> Pair {
    let word = part * unit + u32(f32(part) * rest);
    // An eighth of a turn to either side of the nearest quarter.
    let quarter = (word + 0x20000000u) >> 30u;
    let f = f32(bitcast<i32>(word - (quarter << 30u))) * 9.313226e-10;
    let t = f * f;
    let s = f * fma(t, fma(t, fma(t, -0.004689316, 0.079713546), -0.6459667), 1.5707964);
    let c = fma(t, fma(t, fma(t, fma(t, 0.0008333838, -0.020834092), 0.25366685), -1.2337005), 1.0);
    let turned = select(Pair(c, -s), Pair(-s, -c), (quarter & 1u) != 0u);
    return select(turned, -turned, (quarter & 2u) != 0u);
}
