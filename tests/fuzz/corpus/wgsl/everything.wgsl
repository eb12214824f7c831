struct Pair { a: vec3<f32>, @align(16) b: array<i32, 5>, m: mat3x2<f32> }
struct Uniforms { pair: Pair, count: u32 }
override size: u32 = 8;
const LIMIT = 3i;
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read_write> x: array<Pair>;
@group(1) @binding(0) var<storage, read_write> counter: array<atomic<u32>, 4>;
var<workgroup> shared_words: array<u32, 64>;
var<private> mine: vec4<f32>;
var<immediate> scale: f32;
fn twice(p: ptr<function, f32>) -> f32 { *p *= 2.0; return *p; }
@compute @workgroup_size(8, 2) fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) w: vec3<u32>) {
    shared_words[i] = i * size;
    workgroupBarrier();
    var total = 0.0;
    for (var k = 0i; k < LIMIT; k++) {
        if k == 1i { continue; }
        switch u.pair.b[k] { case 0, 1: { total += 1.0; } case 7: { break; } default: { total -= scale; } }
    }
    loop { total = twice(&total); if total > 100.0 || total <= 0.0 { break; } continuing { total += 0.5; } }
    mine = vec4(total, f32(shared_words[15u - i]), select(1.0, 2.0, i > 3u), bitcast<f32>(w.x));
    atomicAdd(&counter[i % 4u], 1u);
    if i == 0u { x[w.x].a = mine.xyz; x[w.x].m = transpose(mat2x3(mine.xyz, u.pair.a)); }
}
