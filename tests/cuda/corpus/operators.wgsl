// run
// Every operator over every 32-bit scalar and vector, conversions and bitcasts.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

var<private> at: u32;

fn put(x: u32) { output[at] = x; at += 1u; }
fn put_i(x: i32) { put(bitcast<u32>(x)); }
fn put_b(x: bool) { put(u32(x)); }
fn put_f(x: f32) { put(bitcast<u32>(x)); }
fn put2(x: vec2<u32>) { put(x.x); put(x.y); }
fn put3(x: vec3<u32>) { put(x.x); put(x.y); put(x.z); }
fn put4(x: vec4<u32>) { put2(x.xy); put2(x.zw); }

fn signed(a: i32, b: i32) {
    put_i(a + b); put_i(a - b); put_i(a * b); put_i(a / b); put_i(a % b); put_i(-a); put_i(~a);
    put_i(a & b); put_i(a | b); put_i(a ^ b); put_i(a << (bitcast<u32>(b) & 31u)); put_i(a >> (bitcast<u32>(b) & 31u));
    put_b(a == b); put_b(a != b); put_b(a < b); put_b(a <= b); put_b(a > b); put_b(a >= b);
    put_f(f32(a)); put(u32(a)); put_b(bool(a)); put_i(select(a, b, a < b));
}

fn unsigned(a: u32, b: u32) {
    put(a + b); put(a - b); put(a * b); put(a / b); put(a % b); put(~a);
    put(a & b); put(a | b); put(a ^ b); put(a << (b & 31u)); put(a >> (b & 31u));
    put_b(a == b); put_b(a != b); put_b(a < b); put_b(a <= b); put_b(a > b); put_b(a >= b);
    put_f(f32(a)); put_i(i32(a)); put_b(bool(a)); put(select(a, b, a < b));
}

fn floats(a: f32, b: f32) {
    put_f(a + b); put_f(a - b); put_f(a * b); put_f(-a); put_f(trunc(a) % 8.0);
    put_b(a == b); put_b(a != b); put_b(a < b); put_b(a <= b); put_b(a > b); put_b(a >= b);
    put_i(i32(a)); put(u32(a)); put_b(bool(a)); put_f(select(a, b, a < b));
}

fn bools(a: bool, b: bool) {
    put_b(!a); put_b(a & b); put_b(a | b); put_b(a && b); put_b(a || b); put_b(a == b); put_b(a != b);
    put_i(i32(a)); put_f(f32(a)); put_b(select(a, b, a));
}

fn vectors(x: vec4<u32>, y: vec4<u32>) {
    let i = bitcast<vec4<i32>>(x);
    let j = bitcast<vec4<i32>>(y);
    put4(x + y); put4(x - y); put4(x * y); put4(x / y); put4(x % y); put4(~x); put4(x & y); put4(x | y); put4(x ^ y);
    put4(x << (y & vec4<u32>(31u))); put4(x >> (y & vec4<u32>(31u)));
    put4(bitcast<vec4<u32>>(i + j)); put4(bitcast<vec4<u32>>(i - j)); put4(bitcast<vec4<u32>>(i * j));
    put4(bitcast<vec4<u32>>(i / j)); put4(bitcast<vec4<u32>>(i % j)); put4(bitcast<vec4<u32>>(-i));
    put3(bitcast<vec3<u32>>(i.zyx >> (y.xyz & vec3<u32>(31u))));
    put4(x + y.x); put4(y.y - x); put4(x * 3u); put4(x / y.z); put4(x.x % y);
    put4(vec4<u32>(x == y)); put4(vec4<u32>(x != y)); put4(vec4<u32>(x < y)); put4(vec4<u32>(x <= y));
    put4(vec4<u32>(i > j)); put4(vec4<u32>(i >= j)); put4(vec4<u32>(!(x < y)));
    put3(vec3<u32>((x.xyz < y.xyz) & (i.xyz < j.xyz))); put2(vec2<u32>((x.xy < y.xy) | (i.xy < j.xy)));
    put4(select(x, y, x < y)); put4(select(x, y, x.x < y.x));
    put_b(all(x < y)); put_b(any(x < y)); put_b(all(x.xy == x.xy)); put_b(any(x.xyz != x.xyz));
    put4(bitcast<vec4<u32>>(vec4<f32>(x))); put4(bitcast<vec4<u32>>(vec4<f32>(i))); put4(vec4<u32>(vec4<f32>(x & vec4<u32>(0xffu))));
    let f = vec3<f32>(i.xyz % vec3<i32>(64));
    let g = vec3<f32>(j.xyz % vec3<i32>(64));
    put3(bitcast<vec3<u32>>(f + g)); put3(bitcast<vec3<u32>>(f - g)); put3(bitcast<vec3<u32>>(f * g));
    put3(bitcast<vec3<u32>>(-f)); put3(bitcast<vec3<u32>>(2.0 * f)); put3(bitcast<vec3<u32>>(f * 0.5)); put3(vec3<u32>(f < g));
    put3(bitcast<vec3<u32>>(vec3<i32>(f)));
    var v = x;
    v += y; v -= x.yxwz; v *= y; v /= x; v %= y; v &= x; v |= y; v ^= x; v <<= vec4<u32>(3u); v >>= vec4<u32>(1u);
    v.x++; v.y--; v[at & 3u] = 7u; v.w = v.z;
    put4(v); put4(v.wzyx); put4(v.xxyy); put3(v.bgr); put2(v.ra);
}

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    at = id.x * 512u;
    let k = id.x * 8u;
    let a = input[k % 509u];
    let b = input[(k + 1u) % 509u];
    signed(bitcast<i32>(a), bitcast<i32>(b));
    unsigned(a, b);
    floats(f32(bitcast<i32>(a)) * 0.25, f32(b) * 4.0);
    bools(a % 2u == 0u, b % 3u == 0u);
    vectors(vec4<u32>(a, b, input[(k + 2u) % 509u], input[(k + 3u) % 509u]),
        vec4<u32>(input[(k + 4u) % 509u], input[(k + 5u) % 509u], input[(k + 6u) % 509u], input[(k + 7u) % 509u]));
}
