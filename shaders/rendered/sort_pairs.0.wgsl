// Zeros for a radix sort: no tile has published anything, and no digit has been counted.
//
// Left open: WORKGROUP, and the bindings `state` and `counts` of params.state_units and .count_units four words.

@compute @workgroup_size(WORKGROUP)
fn clear(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let unit = (group.x + group.y * groups.x) * WORKGROUP + lane;
    if (unit < params.state_units) {
        state[unit] = vec4<u32>(0u);
    }
    if (unit < params.count_units) {
        counts[unit] = vec4<u32>(0u);
    }
}

// appended by the host
const WORKGROUP = 256u;
struct Params {
    state_units: u32,
    count_units: u32,
}
var<immediate> params: Params;
@group(0) @binding(0) var<storage, read_write> state: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> counts: array<vec4<u32>>;
