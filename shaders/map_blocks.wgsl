// A map on a processor that is walked along two axes or more, so that places are not found by division for each element.
//
//   for a block of params.high rows by params.wide columns, along which the output's neighbours lie
//       row after row: read, compute and store WORKGROUP neighbours of the output at a time
//
// Where an input's neighbours lie along the columns, as in a transposition, blocks are whole cache lines of both: they are done with
// them before others push them out. Otherwise they are as long as rows are.
//
// Left open: WORKGROUP, params.blocks, params.across (blocks side by side) and params.plane (blocks of a plane);
// evaluate(k, row, column), which computes and stores one element.

@compute @workgroup_size(WORKGROUP)
fn map_blocks(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.x + group.y * groups.x;
    if (index >= params.blocks) {
        return;
    }
    let k = index / params.plane;
    let row = index % params.plane / params.across * params.high;
    let column = index % params.across * params.wide;
    let end_row = min(row + params.high, params.rows);
    let end = min(column + params.wide, params.columns);
    for (var r = row; r < end_row; r++) {
        for (var first = column; first < end; first += WORKGROUP) {
            if (first + lane < end) {
                evaluate(k, r, first + lane);
            }
        }
    }
}
