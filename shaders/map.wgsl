// One value of a fused expression for each element of the output.
//
// Left open: WORKGROUP, ITEMS (units of an invocation), bounded_units() (crates/ops/src/counted.rs), and evaluate(unit), which computes and
// stores the one or four elements of a unit. A grid too long for one dimension is folded into two.

@compute @workgroup_size(WORKGROUP)
fn map(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = (group.x + group.y * groups.x) * WORKGROUP * ITEMS + lane;
    let units = bounded_units();
    for (var item = 0u; item < ITEMS; item++) {
        let unit = first + item * WORKGROUP;
        if (unit < units) {
            evaluate(unit);
        }
    }
}
