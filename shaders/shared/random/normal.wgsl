// Normal numbers, two of two words (Box and Muller, "A note on the generation of random normal deviates", 1958), and what
// exponentials and normals are turned into. Rules: words.wgsl.

// The cosine and the sine of an angle: of as many turns as the word is a part of 2^32.
fn r_circle(word: u32) -> vec2<f32> {
    // An eighth of a turn to either side of a quarter's middle.
    let f = f32(i32(word << 2u) >> 8u) * 5.9604645e-8;
    let t = x_pin(f * f);
    var s = x_pin(-0.004689316 * t) + 0.079713546;
    s = x_pin(s * t) - 0.6459667;
    s = (x_pin(s * t) + 1.5707964) * f;
    var c = x_pin(0.0008333838 * t) - 0.020834092;
    c = x_pin(c * t) + 0.25366685;
    c = x_pin(c * t) - 1.2337005;
    c = x_pin(c * t) + 1.0;
    let turned = select(vec2<f32>(c, s), vec2<f32>(-s, c), (word & 0x40000000u) != 0u);
    return select(turned, -turned, (word & 0x80000000u) != 0u);
}

fn r_two_normals(words: vec2<u32>) -> vec2<f32> {
    return x_root(2.0 * r_minus_log(words.x)) * r_circle(words.y);
}

fn r_normal(i: u32, key0: u32, key1: u32, low: u32, high: u32) -> f32 {
    let block = r_block(i >> 2u, key0, key1, low, high, 0u);
    let two = r_two_normals(select(block.xy, block.zw, (i & 2u) != 0u));
    return select(two.x, two.y, (i & 1u) != 0u);
}

fn r_normal4(i: vec4<u32>, key0: vec4<u32>, key1: vec4<u32>, low: vec4<u32>, high: vec4<u32>) -> vec4<f32> {
    var normals = vec4<f32>(0.0);
    for (var n = 0u; n < 4u; n++) {
        let at = r_lane(i, n);
        let block = r_block(at >> 2u, key0.x, key1.x, low.x, high.x, 0u);
        let four = vec4<f32>(r_two_normals(block.xy), r_two_normals(block.zw));
        if r_together(i) {
            return four;
        }
        let pair = select(four.xy, four.zw, (at & 2u) != 0u);
        normals = vec4<f32>(normals.yzw, select(pair.x, pair.y, (at & 1u) != 0u));
    }
    return normals;
}

fn r_lognormal(i: u32, key0: u32, key1: u32, low: u32, high: u32, mean: f32, deviation: f32) -> f32 {
    return x_exp(x_pin(r_normal(i, key0, key1, low, high) * deviation) + mean);
}

fn r_exponential(i: u32, key0: u32, key1: u32, low: u32, high: u32) -> f32 {
    return r_minus_log(r_word(i, key0, key1, low, high));
}

fn r_exponential4(i: vec4<u32>, key0: vec4<u32>, key1: vec4<u32>, low: vec4<u32>, high: vec4<u32>) -> vec4<f32> {
    let word = r_word4(i, key0, key1, low, high);
    return vec4<f32>(r_minus_log(word.x), r_minus_log(word.y), r_minus_log(word.z), r_minus_log(word.w));
}
