// What is made of the neighbours of each value, on a processor; otherwise as neighbours.wgsl.
//
//   for the results of a part of a row, WORKGROUP at a time
//       y[i] = combined_within(window of i), if no window of these reaches past an end along x, else combined(window of i)
//
// Places along z and y are the same for all invocations, and those along x are neighbours: loads of windows that reach past no end
// are loads of vectors.
//
// Left open: WORKGROUP, WIDE (results of a workgroup), STEP_X, the parameters, of which from_x and to_x are the first and the last
// place where windows within begin, Real, combined(k, z, y, x) and combined_within(k, z, y, x), what is made of the window that begins
// there, and the array of results.

@compute @workgroup_size(WORKGROUP)
fn neighbours_rows(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.x + group.y * groups.x;
    if (index >= params.units) {
        return;
    }
    let row = index / params.across;
    let plane = row / params.out_y;
    let k = plane / params.out_z;
    let y = i32((row - plane * params.out_y) * params.step_y) + i32(params.first_y);
    let z = i32((plane - k * params.out_z) * params.step_z) + i32(params.first_z);
    let start = index % params.across * WIDE;
    let end = min(start + WIDE, params.out_x);
    for (var first = start; first < end; first += WORKGROUP) {
        let left = i32(first * STEP_X) + i32(params.first_x);
        let right = left + i32((WORKGROUP - 1) * STEP_X);
        let x = left + i32(lane * STEP_X);
        if (first + WORKGROUP <= end && left >= i32(params.from_x) && right <= i32(params.to_x)) {
            result[row * params.out_x + first + lane] = combined_within(k, z, y, x);
        } else if (first + lane < end) {
            result[row * params.out_x + first + lane] = combined(k, z, y, x);
        }
    }
}
