// A step of a stencil: each element from its neighbours, read from memory.
//
// A workgroup has a tile of TILE_X x TILE_Y elements, CELLS for each invocation.
//
// Left open: the constants; along(lane) and across(lane), an invocation's place in the first of its rows; update(k, z, y, x, inner), which stores the next values of an element.

@compute @workgroup_size(WORKGROUP)
fn stencil(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.x + group.y * groups.x;
    if (index >= params.count) {
        return;
    }
    let rest = index / params.tiles_x;
    let plane = rest / params.tiles_y;
    let z = plane % params.size_z;
    let k = plane / params.size_z;
    let first_x = index % params.tiles_x * TILE_X;
    let first_y = rest % params.tiles_y * TILE_Y;
    let inner = (first_x >= REACH_X) & (first_x + TILE_X + REACH_X <= params.size_x)
        & (first_y >= REACH_Y) & (first_y + TILE_Y + REACH_Y <= params.size_y)
        & (z >= REACH_Z) & (z + 1u + REACH_Z <= params.size_z);
    for (var cell = 0u; cell < CELLS; cell++) {
        let x = first_x + along(lane);
        let y = first_y + across(lane) + cell * (WORKGROUP / TILE_X);
        if ((x < params.size_x) & (y < params.size_y)) {
            update(k, z, y, x, inner);
        }
    }
}
