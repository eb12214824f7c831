@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {
    let a = x[i];
    let b = i32(x[i + 16u]) - 3i;
    let f = bitcast<f32>(x[i + 1u]);
    var v = vec4<f32>(f, f32(a), f * 0.5, -1.5);
    for (var k = 0u; k < a % 5u; k++) { v = v.yzwx * 1.25 + vec4(f32(k)); }
    if b > 2i { v.x = floor(v.y) - fract(v.z); } else { v.w = sqrt(abs(v.x)) + exp2(clamp(v.y, -4.0, 4.0)); }
    y[i] = a / max(u32(b), 1u) + countOneBits(a) + firstLeadingBit(a) + extractBits(a, 3u, 7u);
    y[i + 16u] = bitcast<u32>(dot(v, v.wzyx)) ^ pack4x8snorm(v) ^ u32(v.x) ^ bitcast<u32>(i32(v.y));
    y[i + 32u] = u32(b / 3i) + u32(b % 5i) + (a << (i % 32u)) + (a >> 3u) + u32(i32(a) >> 2u);
}
