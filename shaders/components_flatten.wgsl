// Connected components, last pass: each value's parent becomes its root.
//
// Left open: WORKGROUP, the parameters, the binding parent.

const NONE = 0xffffffffu;

@compute @workgroup_size(WORKGROUP)
fn components_flatten(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.x + group.y * groups.x) * WORKGROUP + lane;
    if (i >= params.count) {
        return;
    }
    var at = i;
    var next = atomicLoad(&parent[at]);
    if (next != NONE) {
        while (next < at) {
            at = next;
            next = atomicLoad(&parent[at]);
        }
        // Others that read it meanwhile find the same root by either way.
        atomicStore(&parent[i], at);
    }
}
