// A map on a processor whose inputs' neighbours in memory are not the output's: a transposition, say.
//
//   for a block of ROWS by WORKGROUP elements: the output's neighbours lie along a row, an input's along a column
//       row after row: read, compute and store WORKGROUP neighbours of the output
//
// A block reads and writes whole cache lines, and is done with them before others push them out.
//
// Left open: WORKGROUP, ROWS, params.blocks, params.across (blocks side by side) and params.plane (blocks of a plane);
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
    let row = index % params.plane / params.across * ROWS;
    let column = index % params.across * WORKGROUP + lane;
    if (column < params.columns) {
        let end = min(row + ROWS, params.rows);
        for (var r = row; r < end; r++) {
            evaluate(k, r, column);
        }
    }
}
