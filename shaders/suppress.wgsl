// Lengths of slopes of an image, but for those that are not the greatest across the edge: y[i] is the length of the slope at i if
// neither neighbour along the slope has a longer one, which lie between two values and are interpolated; else 0. At the
// border 0.
//
// Left open: WORKGROUP, the parameters, Real, root; the bindings down and right, the slopes along columns and rows, and result.

fn length_at(i: u32) -> Real {
    return root(down[i] * down[i] + right[i] * right[i]);
}

@compute @workgroup_size(WORKGROUP)
fn suppress(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.x + group.y * groups.x) * WORKGROUP + lane;
    if (i >= params.count) {
        return;
    }
    let columns = params.columns;
    let x = i % columns;
    let y = i / columns % params.rows;
    var kept = Real(0);
    if (x > 0u && x + 1u < columns && y > 0u && y + 1u < params.rows) {
        let own = length_at(i);
        let a = down[i];
        let b = right[i];
        let steep = abs(a) >= abs(b);
        let same = (a >= Real(0) && b >= Real(0)) || (a <= Real(0) && b <= Real(0));
        // The corner to the right, and the side next to it.
        let corner = select(i + 1u - columns, i + 1u + columns, same);
        let side = select(i + 1u, corner - 1u, steep);
        let longest = max(abs(a), abs(b));
        var share = Real(0);
        if (longest > Real(0)) {
            share = min(abs(a), abs(b)) / longest;
        }
        // The opposite ones are as far before the value as these are after it.
        let ahead = length_at(corner) * share + length_at(side) * (Real(1) - share);
        let behind = length_at(2u * i - corner) * share + length_at(2u * i - side) * (Real(1) - share);
        if (ahead <= own && behind <= own) {
            kept = own;
        }
    }
    result[i] = kept;
}
