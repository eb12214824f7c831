//// local_invocation_id and local_invocation_index
//= 0 1 10 11 100 101 110 111
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(2, 2, 2)
fn main(@builtin(local_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) i: u32) {
    out[i] = id.x + 10u * id.y + 100u * id.z;
}
//// global_invocation_id
//= 0 1 2 3 10 11 12 13
//@ 2 2 1
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(2) fn main(@builtin(global_invocation_id) id: vec3u) { out[id.x + 4u * id.y] = id.x + 10u * id.y; }
//// workgroup_id and num_workgroups
//= 203 213 223
//@ 3 1 2
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    if id.z == 1u { out[id.x] = 10u * id.x + groups.x + 100u * groups.z; }
}
//// subgroup_size and subgroup_invocation_id
//= 0
enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> wrong: atomic<u32>;
@compute @workgroup_size(64)
fn main(@builtin(subgroup_size) size: u32, @builtin(subgroup_invocation_id) lane: u32, @builtin(local_invocation_index) i: u32) {
    if lane >= size || lane != subgroupExclusiveAdd(1u) || size != subgroupAdd(1u) { atomicAdd(&wrong, 1u); }
    workgroupBarrier();
    if i == 0u { out[0] = atomicLoad(&wrong); }
}
//// built-in values in a structure
//= 3 13
struct In { @builtin(local_invocation_index) i: u32, @builtin(num_workgroups) groups: vec3<u32> }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(2) fn main(in: In) { out[in.i] = in.i * 10u + in.groups.x + in.groups.y + in.groups.z; }
