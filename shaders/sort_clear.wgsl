// Zeros for a radix sort: no tile has published anything, and no digit has been counted.
//
// Left open: WORKGROUP, and the bindings `state` and `counts`, whose lengths are params.state_words and .count_words.

@compute @workgroup_size(WORKGROUP)
fn clear(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let word = (group.x + group.y * groups.x) * WORKGROUP + lane;
    if (word < params.state_words) {
        state[word] = 0u;
    }
    if (word < params.count_words) {
        counts[word] = 0u;
    }
}
