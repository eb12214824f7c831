enable f16;
// run
// 16-bit floats: operators, conversions, layouts, functions whose results are exact.
struct Pair { a: f16, b: vec3<f16>, c: mat2x2<f16>, d: array<f16, 3>, e: f32 }
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<f16>;
@group(0) @binding(2) var<storage, read_write> pairs: array<Pair>;
@group(0) @binding(3) var<storage, read_write> triples: array<vec3<f16>>;

var<private> at: u32;
var<workgroup> tile: array<vec4<f16>, 32>;

fn put(x: f16) { output[at] = x; at += 1u; }
fn put_b(x: bool) { put(select(0.0h, 1.0h, x)); }

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) i: u32) {
    at = id.x * 64u;
    let k = id.x * 2u;
    let a = f16(f32(bitcast<i32>(input[k % 509u]) >> 20u) * 0.0625);
    let b = f16(f32(bitcast<i32>(input[(k + 1u) % 509u]) >> 22u) * 0.125);
    put(a + b); put(a - b); put(a * b); put(-a); put(abs(a)); put(floor(a)); put(ceil(a)); put(trunc(a)); put(round(a));
    put(fract(a)); put(sign(a)); put(min(a, b)); put(max(a, b)); put(clamp(a, 0.0h, b)); put(saturate(a)); put(step(a, b));
    put(select(a, b, a < b)); put_b(a == b); put_b(a != b); put_b(a < b); put_b(a <= b); put_b(a > b); put_b(a >= b);
    put(f16(i32(a))); put(f16(u32(abs(a)))); put(f16(f32(a) * 0.5)); put_b(bool(a)); put(f16(a > b));
    let v = vec4<f16>(a, b, 1.0h, -2.0h);
    let w = v.wzyx + v * vec4<f16>(2.0h) - b;
    put(w.x); put(w.y); put(w.z); put(w.w); put(dot(v.xy, vec2<f16>(1.0h, 2.0h)));
    tile[i] = w;
    workgroupBarrier();
    put(tile[31u - i].z);
    pairs[id.x] = Pair(a, w.xyz, mat2x2<f16>(a, b, b, a), array<f16, 3>(1.0h, a, b), f32(b));
    pairs[id.x].c[1] = vec2<f16>(3.0h, b);
    triples[id.x] = w.zyx;
}
