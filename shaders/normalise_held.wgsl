// Values of a row by what all of them have in common, where invocations hold the row: read once, written once.
//
//   for each of my values of row k: values = value(k, r);  own = what they have in common
//   whole = own merged over the LANES invocations of the row
//   for each of my values: finish(k, r, value by whole)
//
// LANES invocations hold a row, each ITEMS units of it, STEP apart: neighbours in memory go to neighbours. A workgroup
// has several rows if they are short. Rows past the last are the last again, and are not stored.
//
// Left open: the constants, State, Row, Lifted, lift, merge, settle, finish; row_of and place_of, which row of the
// workgroup and which place in it a lane has; pivot, which is near the values where that helps.

@compute @workgroup_size(WORKGROUP)
fn normalise_held(at: At, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let lane = lane_of(at);
    let k = ((group.x + group.y * groups.x) * (WORKGROUP / LANES) + row_of(lane)) * ROW_WIDTH;
    let row = min(k, params.outputs - ROW_WIDTH);
    let r = place_of(lane) * WIDTH;
    let lifted = lift(row, r, params.extent, pivot(row));
    let whole = merge(lifted.state, lane);
    if (k < params.outputs) {
        finish(k, r, settle(lifted.state, whole), lifted.values);
    }
}
