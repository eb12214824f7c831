// The product of words.wgsl where a device multiplies 64 bits.

// Both halves of a product, where a device multiplies 64 bits.
fn r_multiply(a: u32, b: u32) -> vec2<u32> {
    let product = u64(a) * u64(b);
    return vec2<u32>(u32(product >> 32u), u32(product));
}
