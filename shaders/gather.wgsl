// Elements of a source by their numbers along an axis.
//
//   y[i] = source[base(i) + index(i) * stride], index(i) below the axis' extent
//
// Left open: WORKGROUP, params.units, and evaluate(unit), which stores the element, or the elements of a word, of a unit.

@compute @workgroup_size(WORKGROUP)
fn gather(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let unit = (group.x + group.y * groups.x) * WORKGROUP + lane;
    if (unit < params.units) {
        evaluate(unit);
    }
}
