//// enable subgroups
//= 64
enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> sum: atomic<u32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
    let part = subgroupAdd(1u);
    if subgroupElect() { atomicAdd(&sum, part); }
    workgroupBarrier();
    if i == 0u { out[0] = atomicLoad(&sum); }
}
//// enable f16 and subgroups in one list
//= 3 1
enable f16, subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() {
    let x = f16(out[0] * 0u) + 1.5h;
    out[0] = u32(x * 2.0h);
    out[1] = subgroupAdd(1u);
}
//// the other order, and a comma at the end
//= 3 1
enable subgroups, f16,;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() {
    out[0] = u32(1.5h * 2.0h);
    out[1] = subgroupMax(1u);
}
//// an extension twice
//= 3
enable f16; enable f16; enable subgroups; enable subgroups, subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() { out[0] = u32(1.5h * 2.0h); }
//// comments inside directives
//= 3
/* head /* within */ enable */
enable // f16;
    /* , */ f16 /* /* ; */ */ , subgroups // the last
    ; // enable nothing;
requires/**/subgroup_id/**/;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() { out[0] = u32(1.5h * 2.0h); }
//// names in other alphabets
//= 12
enable subgroups; // größer
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
const größe = 3u; const 幅 = 4u;
fn площадь(δ: u32) -> u32 { return δ * 幅; }
@compute @workgroup_size(1) fn main() { out[0] = площадь(größe); }
//// a filter of diagnostics
//= 1
diagnostic(off, derivative_uniformity);
diagnostic(warning, subgroup_uniformity,);
diagnostic(info, chromium.unreachable_code);
enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() { out[0] = 1u; }
//// filters on functions and statements
//= 10 5
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@diagnostic(off, derivative_uniformity) fn f(x: u32) -> u32 { return x + 1u; }
@diagnostic(off, subgroup_uniformity) @compute @workgroup_size(1) fn main() @diagnostic(off, derivative_uniformity) {
    var sum = 0u;
    @diagnostic(off, derivative_uniformity) if sum == 0u { sum = f(sum); }
    @diagnostic(info, chromium.x) for (var i = 0u; i < 4u; i++) @diagnostic(error, derivative_uniformity) { sum += 2u; }
    @diagnostic(warning, derivative_uniformity) while sum < 10u { sum++; }
    @diagnostic(off, derivative_uniformity) loop { break; }
    @diagnostic(off, derivative_uniformity) switch sum { default @diagnostic(off, derivative_uniformity) { } }
    @diagnostic(off, derivative_uniformity) { out[1] = 5u; }
    out[0] = sum;
}
//// requires unrestricted_pointer_parameters
//= 6
requires unrestricted_pointer_parameters;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
fn twice(p: ptr<function, u32>) { *p *= 2u; }
@compute @workgroup_size(1) fn main() { var x = 3u; twice(&x); out[0] = x; }
//// requires uniform_buffer_standard_layout
//= 31 2
//# 10 20 30 1
requires uniform_buffer_standard_layout;
struct Inner { a: u32 }
struct Settings { inner: Inner, b: u32, c: array<u32, 2> }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> settings: Settings;
@compute @workgroup_size(1) fn main() {
    out[0] = settings.c[0] + settings.c[1];
    out[1] = settings.b / settings.inner.a;
}
//// an array of scalars in var<uniform>
//= 60
//# 10 20 30 1
requires uniform_buffer_standard_layout;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var < /* where */ uniform > steps: array<u32, 4>;
@compute @workgroup_size(1) fn main() { out[0] = steps[0] + steps[1] + steps[2]; }
//// requires subgroup_id
//= 1 1
enable subgroups; requires subgroup_id;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(subgroup_id) subgroup: u32, @builtin(num_subgroups) count: u32, @builtin(subgroup_size) size: u32,
    @builtin(local_invocation_index) i: u32) {
    let right = subgroup < count && count * size == 64u;
    if i == 0u { out[0] = u32(right); }
    if i == 63u { out[1] = u32(right); }
}
//// requires subgroup_uniformity
//= 64
enable subgroups;
requires subgroup_uniformity;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> sum: atomic<u32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
    if subgroupAny(true) { atomicAdd(&sum, subgroupBroadcastFirst(1u)); }
    workgroupBarrier();
    if i == 0u { out[0] = atomicLoad(&sum); }
}
//// requires packed_4x8_integer_dot_product
//= 70 4294967282
//# 16909060 84281096 4294967294
requires packed_4x8_integer_dot_product;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@compute @workgroup_size(1) fn main() {
    out[0] = dot4U8Packed(x[0], x[1]);
    out[1] = bitcast<u32>(dot4I8Packed(x[0], x[2]));
}
//// requires pointer_composite_access
//= 7 8
requires pointer_composite_access;
struct Pair { a: u32, b: array<u32, 2> }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() {
    var pair: Pair;
    let p = &pair;
    p.a = 7u; p.b[1] = 8u;
    let q = &out;
    q[0] = p.a; q[1] = (*p).b[1];
}
//// requires linear_indexing
//= 0 11 22 33 44 55 66 77 88 99 110 121
//@ 3 2 2
requires linear_indexing;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main(@builtin(workgroup_index) group: u32) { out[group] = 11u * group; }
//// the index of an invocation in a grid of three dimensions
//= 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47
//@ 2 2 1
requires linear_indexing;
override width = 3u;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(width, 2, 2)
fn main(@builtin(global_invocation_index) index: u32, @builtin(global_invocation_id) id: vec3<u32>) {
    // A grid of 6 x 4 x 2.
    out[id.x + 6u * id.y + 24u * id.z] = index;
}
//// the indices as members of a structure
//= 0 1 1024 1025 2048 2049
//@ 3 1 1
requires linear_indexing;
struct Place { @builtin(workgroup_index) group: u32, @builtin(local_invocation_index) local: u32,
    @builtin(global_invocation_index) all: u32 }
fn linear_index(place: Place) -> u32 { return place.group * 1024u + place.local; }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(2) fn main(place: Place, @builtin(num_workgroups) groups: vec3<u32>) {
    if groups.x == 3u { out[place.all] = linear_index(place); }
}
//// a variable that is called workgroup_index
//= 5
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) {
    let workgroup_index = id.x; let global_invocation_index = 5u;
    out[workgroup_index] = global_invocation_index;
}
//// requires all of a kernel's extensions at once
//= 2
requires readonly_and_readwrite_storage_textures, packed_4x8_integer_dot_product,
    unrestricted_pointer_parameters, pointer_composite_access, uniform_buffer_standard_layout,
    subgroup_id, subgroup_uniformity, linear_indexing, immediate_address_space,;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() { out[0] = 2u; }
//// requires extensions of textures and of rendering
//= 2
requires texture_and_sampler_let, texture_formats_tier1; requires fragment_depth;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() { out[0] = 2u; }
//// a kernel beside a pipeline of rendering
//= 9
enable dual_source_blending, clip_distances, primitive_index;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(1) @binding(0) var image: texture_2d<f32>;
@group(1) @binding(1) var sampled: sampler;
struct Clipped { @builtin(position) at: vec4f, @builtin(clip_distances) distances: array<f32, 2> }
struct Colours { @location(0) @blend_src(0) one: vec4f, @location(0) @blend_src(1) two: vec4f }
fn squared(x: u32) -> u32 { return x * x; }
@vertex fn corner(@builtin(vertex_index) i: u32) -> Clipped { return Clipped(vec4f(f32(squared(i))), array(0.0, 1.0)); }
@fragment fn colour(@builtin(position) at: vec4f, @builtin(primitive_index) i: u32) -> Colours {
    if i == 7u { discard; }
    let texel = textureSample(image, sampled, at.xy);
    return Colours(texel, vec4f(dpdx(at.x) + fwidth(at.y)));
}
@compute @workgroup_size(1) fn main() { out[0] = squared(3u); }
//// no directive
//= 1
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() { out[0] = 1u; };
