// Fills `words` words with zeros, for kernels that count or publish in them.

@compute @workgroup_size(WORKGROUP)
fn clear(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.x + group.y * groups.x) * WORKGROUP + lane;
    if (at < params.words) {
        cleared[at] = 0u;
    }
}

// appended by the host
const WORKGROUP = 256u;
struct Params {
    words: u32,
}
var<immediate> params: Params;
@group(0) @binding(0) var<storage, read_write> cleared: array<u32>;
