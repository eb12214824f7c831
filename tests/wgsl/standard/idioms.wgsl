//// short names of types
//= 10 3 6
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() {
    let a = vec4f(1.0, 2.0, 3.0, 4.0); let b = vec3u(1u, 2u, 3u); var m: mat3x2f; let c = vec2i(-1, 4);
    m[2] = vec2f(6.0, 0.0);
    out[0] = u32(a.x + a.y + a.z + a.w); out[1] = b.zyx.x + u32(c.x + 1); out[2] = u32(m[2].x);
}
//// constants, aliases and assertions
//= 4 2 3 9
alias Word = u32; const N = max(3, 4); const F = sqrt(4.0); const V = vec3(1, 2, 3).zyx;
const_assert N == 4; const_assert(F > 1);
const table = array<Word, 3>(7, 8, 9);
@group(0) @binding(0) var<storage, read_write> out: array<Word>;
@compute @workgroup_size(N) fn main(@builtin(local_invocation_index) i: u32) {
    const_assert N < 5;
    if i == 0 { out[0] = Word(N); out[1] = Word(F); out[2] = Word(V.x); out[3] = table[i + 2]; }
}
//// numbers in all spellings
//= 255 3 1 16 12 4294967295 5
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() {
    out[0] = 0xFFu; out[1] = u32(0x1.8p1f); out[2] = u32(1e0 + 0.5f); out[3] = u32(.16e2); out[4] = u32(12.f);
    out[5] = bitcast<u32>(-1i); out[6] = u32(5);
}
//// switch
//= 1 2 2 4 4
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(5) fn main(@builtin(local_invocation_index) i: u32) {
    switch i { case 0u: { out[i] = 1u; } case 1, 2, { out[i] = 2u; } case default, 7 { out[i] = 4u; } }
}
//// loops
//= 6 10 5 3
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() {
    var i = 0u; var sum = 0u;
    loop { sum += i; continuing { i++; break if i == 4u; } }
    out[0] = sum;
    for (var k = 0u; ; k++) { if k == 5u { break; } if k == 0u { continue; } sum += k; }
    out[1] = sum - 6u;
    var w = 0u; while w < 5u { w += 1u; }
    out[2] = w;
    for (; w > 3u; w--) { }
    out[3] = w;
}
//// pointers
//= 5 9 2
struct Box { x: u32, y: array<u32, 3> }
var<private> kept: Box;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
fn add(p: ptr<function, u32>, by: u32) { *p += by; }
fn total(box: ptr<private, Box>) -> u32 { return (*box).x + (*box).y[2]; }
@compute @workgroup_size(1) fn main() {
    var a = 2u; add(&a, 3u); out[0] = a;
    kept.x = 4u; kept.y[2] = 5u; out[1] = total(&kept);
    let third = &out[2]; *third = 2u;
}
//// phony assignment, must_use, early return
//= 7
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@must_use fn seven(x: u32) -> u32 { if x > 100u { return 0u; } return 7u; }
@compute @workgroup_size(1) fn main() { _ = seven(3u); _ = &out; out[0] = seven(1u); if out[0] == 7u { return; } out[0] = 0u; }
//// layout by @align and @size
//= 1 2 3
//# 1 0 0 0 2 0 0 0 3 0 0 0
struct Wide { @size(16) a: u32, @align(16) b: u32, @align(16) c: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> wide: array<Wide>;
@compute @workgroup_size(1) fn main() { out[0] = wide[0].a; out[1] = wide[0].b; out[2] = wide[0].c; }
//// overrides with defaults
//= 12 1 24
@id(3) override size: u32 = 4; override twice = 2u * size; override on: bool = true; override third = size * 3u;
var<workgroup> near: array<u32, twice>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(size) fn main(@builtin(local_invocation_index) i: u32) {
    near[i] = third; near[i + size] = third;
    workgroupBarrier();
    if i == 0u { out[0] = near[2u * size - 1u]; out[1] = u32(on); out[2] = near[0] + near[7]; }
}
//// integers that wrap, shift and divide
//= 0 4294967295 2 4294967294 1
//# 4294967295 1 5
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@compute @workgroup_size(1) fn main() {
    out[0] = x[0] + x[1]; out[1] = x[1] - 2u; out[2] = x[2] / 2u; out[3] = bitcast<u32>(-i32(x[2]) / 2); out[4] = x[2] % 2u;
}
//// matrices of a tile in workgroup memory
//= 19 22 43 50
//# 1 2 3 4 5 6 7 8
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<u32>;
var<workgroup> a: array<array<u32, 2>, 2>;
@compute @workgroup_size(2, 2) fn main(@builtin(local_invocation_id) id: vec3<u32>) {
    a[id.y][id.x] = x[id.y * 2u + id.x];
    workgroupBarrier();
    var sum = 0u;
    for (var k = 0u; k < 2u; k++) { sum += a[id.y][k] * x[4u + k * 2u + id.x]; }
    out[id.y * 2u + id.x] = sum;
}
