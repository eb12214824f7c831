// Elements smaller than a word, which a sort moves one a word, as arrays hold them: 2 or 4 in a word.
//
// Left open: WORKGROUP, PER_WORD, and the bindings `loose` and `packed`.

@compute @workgroup_size(WORKGROUP)
fn pack(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.x + group.y * groups.x) * WORKGROUP + lane;
    let first = at * PER_WORD;
    if (first >= bounded_count()) {
        return;
    }
    var word = 0u;
    for (var part = 0u; part < PER_WORD; part++) {
        if (first + part < bounded_count()) {
            word |= loose[first + part] << (part * (32u / PER_WORD));
        }
    }
    packed[at] = word;
}
