// run
// Layouts: nested structures, arrays and matrices of every shape in every address space, and a runtime-sized tail.
struct Small { a: u32, b: vec3<f32>, c: f32 }
struct Inner { x: vec3<i32>, y: array<vec3<f32>, 3>, z: Small, w: vec2<u32> }
struct Matrices {
    m22: mat2x2<f32>, m23: mat2x3<f32>, m24: mat2x4<f32>,
    m32: mat3x2<f32>, m33: mat3x3<f32>, m34: mat3x4<f32>,
    m42: mat4x2<f32>, m43: mat4x3<f32>, m44: mat4x4<f32>,
}
struct Outer {
    @size(32) head: u32,
    inner: array<Inner, 2>,
    @align(64) matrices: Matrices,
    flags: vec4<u32>,
}
struct Tail { count: u32, first: vec3<u32>, rest: array<Small> }
struct Setup { scale: vec4<f32>, table: array<vec4<u32>, 4>, turn: mat3x3<f32>, last: u32 }

@group(0) @binding(0) var<storage, read> input: array<Outer>;
@group(0) @binding(1) var<storage, read_write> output: array<Outer>;
@group(0) @binding(2) var<storage, read_write> tail: Tail;
@group(0) @binding(3) var<uniform> setup: Setup;
@group(0) @binding(4) var<storage, read> triples: array<vec3<u32>>;
@group(0) @binding(5) var<storage, read_write> one: Small;
@group(0) @binding(6) var<storage, read_write> numbers: array<u32, 64>;

var<workgroup> shared_outer: Outer;
var<workgroup> shared_triples: array<vec3<u32>, 8>;
var<private> kept: Inner;

fn changed(given: Outer) -> Outer {
    var o = given;
    o.head += 1u;
    o.inner[1].x = o.inner[0].x.zxy;
    o.inner[0].y[2] = vec3<f32>(1.0, 2.0, 3.0);
    o.inner[0].z.c = 0.5;
    o.matrices.m33[2] = vec3<f32>(7.0);
    o.matrices.m43[3].z = 9.0;
    o.matrices.m22[1][0] = 4.0;
    o.flags = o.flags.wzyx;
    return o;
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>) {
    if group.x > 0u { return; }
    if i == 0u {
        shared_outer = input[1];
        kept = shared_outer.inner[1];
        kept.w = vec2<u32>(arrayLength(&input), arrayLength(&tail.rest));
        output[0] = changed(input[0]);
        output[1] = shared_outer;
        output[1].inner[0] = kept;
        output[0].inner[1].w = vec2<u32>(arrayLength(&triples), arrayLength(&output));
    }
    shared_triples[i] = triples[i + 1u];
    workgroupBarrier();
    let t = shared_triples[3u - i];
    numbers[i * 4u] = t.x; numbers[i * 4u + 1u] = t.y; numbers[i * 4u + 2u] = t.z;
    numbers[16u + i] = setup.table[i].y + setup.last;
    numbers[20u + i] = bitcast<u32>(setup.turn[2].z) ^ bitcast<u32>(setup.scale.w);
    numbers[24u + i] = shared_outer.flags[i];
    if i == 1u {
        tail.count += 5u;
        tail.first.z = 77u;
        tail.rest[1].b.y = -3.0;
        tail.rest[arrayLength(&tail.rest) - 1u] = one;
        one.a = tail.rest[0].a;
    }
}
