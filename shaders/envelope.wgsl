// Distances along an axis: y[i] is the least of reached(x[j], |i - j|) over j, where that is the distance to what x[j] is the distance
// to, or its square.
//
// Each invocation looks at places farther and farther away, until no closer value can be there: up to BLOCK places off each, then
// at the least values of blocks, and into the blocks that may have a closer one.
//
// Left open: WORKGROUP, the parameters, BLOCK, value(k, i, m),
// b_value(k, b, m), the least of a block, reached(x, d), at least far(d), and far, which is what a place d away adds
// at least; the binding result.

const NONE = 0xffffffffu;

// The least of what was found and of a block.
fn within(k: u32, i: u32, m: u32, block: u32, found: u32) -> u32 {
    var best = found;
    let end = min(block * BLOCK + BLOCK, params.extent);
    for (var j = block * BLOCK; j < end; j++) {
        best = min(best, reached(value(k, j, m), max(i, j) - min(i, j)));
    }
    return best;
}

fn beyond(k: u32, i: u32, m: u32, found: u32) -> u32 {
    var best = found;
    let own = i / BLOCK;
    let count = (params.extent + BLOCK - 1u) / BLOCK;
    for (var b = 1u; b < count; b++) {
        // How far the nearest places of both blocks are.
        let before = i % BLOCK + 1u + (b - 1u) * BLOCK;
        let after = b * BLOCK - i % BLOCK;
        let looks_before = b <= own && far(before) < best;
        let looks_after = own + b < count && far(after) < best;
        if (!looks_before && !looks_after) {
            break;
        }
        if (looks_before) {
            if (reached(b_value(k, own - b, m), before) < best) {
                best = within(k, i, m, own - b, best);
            }
        }
        if (looks_after) {
            if (reached(b_value(k, own + b, m), after) < best) {
                best = within(k, i, m, own + b, best);
            }
        }
    }
    return best;
}

@compute @workgroup_size(WORKGROUP)
fn envelope(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.x + group.y * groups.x) * WORKGROUP + lane;
    if (at >= params.count) {
        return;
    }
    let line = at / params.behind;
    let m = at % params.behind;
    let i = line % params.extent;
    let k = line / params.extent;
    var best = value(k, i, m);
    let last = max(i, params.extent - 1u - i);
    for (var d = 1u; d <= min(last, BLOCK) && far(d) < best; d++) {
        if (d <= i) {
            best = min(best, reached(value(k, i - d, m), d));
        }
        if (i + d < params.extent) {
            best = min(best, reached(value(k, i + d, m), d));
        }
    }
    if (last > BLOCK && far(BLOCK + 1u) < best) {
        best = beyond(k, i, m, best);
    }
    result[at] = best;
}
