// run
// Workgroup memory of every type, and every barrier.
struct Cell { value: vec3<u32>, list: array<u32, 3>, weight: f32 }

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

var<workgroup> cells: array<Cell, 64>;
var<workgroup> scalar: u32;
var<workgroup> counters: array<atomic<u32>, 4>;
var<workgroup> turn: mat3x3<f32>;
var<workgroup> flags: array<vec2<bool>, 64>;
var<workgroup> never_written: array<vec4<i32>, 7>;

@compute @workgroup_size(8, 4, 2)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>) {
    let x = input[(group.x * 64u + i) % 509u];
    cells[i].value = vec3<u32>(x, local.y, local.z);
    cells[i].list[local.x % 3u] = i;
    flags[i] = vec2<bool>(x % 2u == 0u, i % 2u == 0u);
    if i == 9u { turn[1] = vec3<f32>(1.0, 2.0, 3.0); }
    workgroupBarrier();
    let other = cells[63u - i];
    atomicAdd(&counters[i % 4u], other.value.x % 16u);
    if i == 17u { scalar = 40u + group.x; }
    let all = workgroupUniformLoad(&scalar);
    storageBarrier();
    workgroupBarrier();
    let at = (group.x * 64u + i) * 8u;
    output[at] = other.value.y * 100u + other.value.z * 10u + other.list[0] + other.list[1] + other.list[2];
    output[at + 1u] = all;
    output[at + 2u] = atomicLoad(&counters[i % 4u]);
    output[at + 3u] = u32(turn[1].z + turn[0].x);
    output[at + 4u] = u32(flags[(i + 1u) % 64u].x) + 2u * u32(flags[(i + 3u) % 64u].y);
    output[at + 5u] = u32(never_written[i % 7u].w);
}
