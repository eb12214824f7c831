// What is made of the neighbours of each value: the least, the greatest, one by its rank, a mean weighed by distance.
//
//   y[i] = combined(value(p) for each point p of the window of i)
//
// An invocation has one result, or those of a word. Neighbouring invocations have windows in common, which lie in cache.
//
// Left open: WORKGROUP, the parameters, Real, value(k, z, y, x), lifted, which makes a Real of a value, place, the value that
// stands at an index, or -1, outside, what stands there, combined(k, z, y, x), what is made of the window that begins there,
// and evaluate(unit), which stores the results of a unit.

fn result_at(i: u32) -> Real {
    let row = i / params.out_x;
    let plane = row / params.out_y;
    let x = (i - row * params.out_x) * params.step_x;
    let y = (row - plane * params.out_y) * params.step_y;
    let k = plane / params.out_z;
    let z = (plane - k * params.out_z) * params.step_z;
    return combined(
        k, i32(z) + i32(params.first_z), i32(y) + i32(params.first_y), i32(x) + i32(params.first_x)
    );
}

@compute @workgroup_size(WORKGROUP)
fn neighbours(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let unit = (group.x + group.y * groups.x) * WORKGROUP + lane;
    if (unit < params.units) {
        evaluate(unit);
    }
}
