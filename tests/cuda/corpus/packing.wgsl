// run
// Floats packed into words and back.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let a = input[id.x % 509u];
    let at = id.x * 32u;
    let f = vec4<f32>(bitcast<vec4<i32>>(vec4<u32>(a, a * 3u, a * 5u, a * 7u)) >> vec4<u32>(16u)) / 32768.0;
    output[at] = pack4x8snorm(f);
    output[at + 1u] = pack4x8unorm(f);
    output[at + 2u] = pack2x16snorm(f.xy);
    output[at + 3u] = pack2x16unorm(f.xy);
    output[at + 4u] = pack2x16float(f.xy * 70000.0);
    let s = unpack4x8snorm(a);
    let u = unpack4x8unorm(a);
    let s2 = unpack2x16snorm(a);
    let u2 = unpack2x16unorm(a);
    let h = unpack2x16float(a & 0xfbfffbffu);
    for (var n = 0u; n < 4u; n++) {
        output[at + 5u + n] = bitcast<u32>(s[n]);
        output[at + 9u + n] = bitcast<u32>(u[n]);
    }
    for (var n = 0u; n < 2u; n++) {
        output[at + 13u + n] = bitcast<u32>(s2[n]);
        output[at + 15u + n] = bitcast<u32>(u2[n]);
        output[at + 17u + n] = bitcast<u32>(h[n]);
    }
    let q = quantizeToF16(f.xyz * 9.0);
    output[at + 19u] = bitcast<u32>(q.x);
    output[at + 20u] = bitcast<u32>(q.z);
    output[at + 21u] = bitcast<u32>(quantizeToF16(f.w));
}
