// run
// Immediates and overrides.
struct Given { scale: vec3<f32>, count: u32, more: array<vec4<u32>, 2>, turn: mat2x2<f32> }
override WIDTH: u32 = 32u;
override FACTOR: f32 = 0.5;
override TWICE = WIDTH * 2u;
override ON: bool = true;
var<immediate> given: Given;
var<workgroup> tile: array<u32, TWICE>;

@group(0) @binding(0) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(WIDTH)
fn main(@builtin(local_invocation_index) i: u32, @builtin(global_invocation_id) id: vec3<u32>) {
    tile[i * 2u] = given.more[i % 2u].y + i;
    workgroupBarrier();
    output[id.x * 4u] = tile[TWICE - 2u - i * 2u] + given.count;
    output[id.x * 4u + 1u] = bitcast<u32>(given.scale.z);
    output[id.x * 4u + 2u] = bitcast<u32>(given.turn[1].x);
    if ON { output[id.x * 4u + 3u] = bitcast<u32>(FACTOR); }
}
