// run
// Every built-in value of a compute entry point.
struct Where {
    @builtin(global_invocation_id) global: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
    @builtin(workgroup_id) group: vec3<u32>,
}

@group(0) @binding(0) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(4, 2, 3)
fn main(place: Where, @builtin(num_workgroups) groups: vec3<u32>) {
    let flat = place.group.x + place.group.y * groups.x + place.group.z * groups.x * groups.y;
    let at = (flat * 24u + place.index) * 8u;
    output[at] = place.global.x;
    output[at + 1u] = place.global.y;
    output[at + 2u] = place.global.z;
    output[at + 3u] = place.local.x + place.local.y * 10u + place.local.z * 100u;
    output[at + 4u] = place.index;
    output[at + 5u] = groups.x + groups.y * 10u + groups.z * 100u;
}
