// Draws of 64 bits. Rules: words.wgsl.

// Two words: half a block.
fn r_pair(i: u32, key0: u32, key1: u32, low: u32, high: u32, attempt: u32) -> vec2<u32> {
    let block = r_block(i >> 1u, key0, key1, low, high, attempt);
    return select(block.xy, block.zw, (i & 1u) != 0u);
}

fn r_word_wide(i: u32, key0: u32, key1: u32, low: u32, high: u32) -> u64 {
    let pair = r_pair(i, key0, key1, low, high, 0u);
    return (u64(pair.y) << 32u) | u64(pair.x);
}

// A whole number below `range`, each as likely; of all where it is 0: the first of some attempts that is below, of as many
// bits as the range has. The chance to be refused 64 times is below 2^-64; then it is 0.
fn r_below_wide(i: u32, key0: u32, key1: u32, low: u32, high: u32, range: u64) -> u64 {
    let most = range - 1lu;
    let top = u32(most >> 32u);
    let above = 0xffffffffu >> countLeadingZeros(top | 1u);
    let below = 0xffffffffu >> countLeadingZeros(u32(most) | 1u);
    let mask = vec2<u32>(select(0xffffffffu, below, top == 0u), select(above, 0u, top == 0u));
    for (var attempt = 0u; attempt < 64u; attempt++) {
        let pair = r_pair(i, key0, key1, low, high, attempt) & mask;
        let number = (u64(pair.y) << 32u) | u64(pair.x);
        if number <= most {
            return number;
        }
    }
    return 0lu;
}

// A number of [0, 1) of 53 bits, from two words. Each step is exact.
fn r_unit_wide(i: u32, key0: u32, key1: u32, low: u32, high: u32) -> f64 {
    let pair = r_pair(i, key0, key1, low, high, 0u) >> vec2<u32>(5u, 6u);
    return (f64(pair.x) * 67108864.0lf + f64(pair.y)) * 1.1102230246251565e-16lf;
}

// A number of [offset, offset + scale), at most `last`.
fn r_uniform_wide(i: u32, key0: u32, key1: u32, low: u32, high: u32, offset: f64, scale: f64, last: f64) -> f64 {
    return min(max(r_unit_wide(i, key0, key1, low, high) * scale, -1e308lf) + offset, last);
}
