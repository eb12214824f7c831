// run
// 64-bit integers and floats: operators, conversions, vectors, functions whose results are exact.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u64>;
@group(0) @binding(2) var<storage, read_write> floats: array<vec3<f64>>;

var<private> at: u32;

fn put(x: u64) { output[at] = x; at += 1u; }
fn put_i(x: i64) { put(bitcast<u64>(x)); }
fn put_f(x: f64) { put(bitcast<u64>(x)); }
fn put_b(x: bool) { put(select(0lu, 1lu, x)); }

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    at = id.x * 96u;
    let k = id.x * 4u;
    let a = u64(input[k % 509u]) << 32u | u64(input[(k + 1u) % 509u]);
    let b = u64(input[(k + 2u) % 509u]) << 32u | u64(input[(k + 3u) % 509u]);
    let i = bitcast<i64>(a);
    let j = bitcast<i64>(b) >> 7u;
    put(a + b); put(a - b); put(a * b); put(a / b); put(a % b); put(~a); put(a & b); put(a | b); put(a ^ b);
    put(a << 13u); put(a >> 13u); put(min(a, b)); put(max(a, b)); put(clamp(a, b, a ^ b)); put(select(a, b, a < b));
    put_i(i + j); put_i(i - j); put_i(i * j); put_i(i / j); put_i(i % j); put_i(-i); put_i(~i); put_i(i & j); put_i(i | j);
    put_i(i << 9u); put_i(i >> 9u); put_i(min(i, j)); put_i(max(i, j)); put_i(abs(i)); put_i(sign(i)); put_i(clamp(i, j, i ^ j));
    put_b(a == b); put_b(a != b); put_b(a < b); put_b(a <= b); put_b(i > j); put_b(i >= j);
    put(u64(u32(a))); put_i(i64(i32(i))); put(u64(f32(a >> 40u))); put_f(f64(i >> 12u)); put_f(f64(f32(i >> 40u)));
    put_b(bool(a)); put(u64(input[0])); put_i(i64(bitcast<i32>(input[1])));
    let v = vec3<u64>(a, b, a ^ b) * vec3<u64>(3lu) + vec3<u64>(b);
    put(v.x); put(v.y); put(v.zyx.x); put(dot(v, v)); put(v[at % 3u]);
    let w = vec2<i64>(i, j) / vec2<i64>(j, i);
    put_i(w.x); put_i(w.y);
    let f = f64(i >> 20u) * 0.0009765625lf;
    let g = f64(j >> 20u) * 0.5lf;
    put_f(f + g); put_f(f - g); put_f(f * g); put_f(f / g); put_f(-f); put_f(floor(f)); put_f(ceil(f)); put_f(trunc(f)); put_f(round(f));
    put_f(abs(f)); put_f(sqrt(abs(f))); put_f(min(f, g)); put_f(max(f, g)); put_f(sign(f)); put_f(fract(f)); put_f(clamp(f, 0.0lf, 1.0lf));
    put_f(select(f, g, f < g)); put_b(f == g); put_i(i64(f)); put(u64(abs(f))); put_i(i64(i32(g * 0.001lf)));
    let m = mat2x3<f64>(vec3<f64>(f), vec3<f64>(g));
    floats[id.x] = m * vec2<f64>(2.0lf, 0.5lf) + vec3<f64>(f, g, 1.0lf);
}
