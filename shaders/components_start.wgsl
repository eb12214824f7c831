// Connected components, first pass: each value of the mask begins with a parent, the first value of its run within SEGMENT
// neighbours of a row; others have none.
//
// Left open: WORKGROUP, SEGMENT, which divides it, the parameters, value(i), the binding parent.

const NONE = 0xffffffffu;

var<workgroup> own: array<u32, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn components_start(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.x + group.y * groups.x) * WORKGROUP + lane;
    var is_own = false;
    if (i < params.count) {
        is_own = value(i);
    }
    own[lane] = select(0u, 1u, is_own);
    workgroupBarrier();
    if (i < params.count) {
        // Neither past the segment nor into the row before.
        let most = min(lane % SEGMENT, i % params.size_x);
        var back = 0u;
        while (back < most) {
            if (own[lane - back - 1u] == 0u) {
                break;
            }
            back++;
        }
        parent[i] = select(NONE, i - back, is_own);
    }
}
