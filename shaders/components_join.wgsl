// Connected components, second pass: the trees of neighbours become one.
//
//   for each value, for each neighbour before it in row-major order: join(value, neighbour)
//
// A parent is never after its child, so that finding a root ends, and each round of a join goes on with smaller numbers, so that
// it ends too: no invocation waits for another (Playne and Hawick, 2018). The root of a component is its first value in the end,
// in whatever order invocations run.
//
// Left open: WORKGROUP, SEGMENT, CONNECTIVITY, the parameters, the binding parent.

const NONE = 0xffffffffu;

fn root(start: u32) -> u32 {
    var at = start;
    var next = atomicLoad(&parent[at]);
    while (next < at) {
        at = next;
        next = atomicLoad(&parent[at]);
    }
    return at;
}

fn join(a: u32, b: u32) {
    var one = root(a);
    var other = root(b);
    while (one != other) {
        let low = min(one, other);
        let high = max(one, other);
        let before = atomicMin(&parent[high], low);
        if (before == high) {
            break;
        }
        // It was no root any more: what it pointed to is to be joined as well.
        one = before;
        other = low;
    }
}

fn is_own(i: u32) -> bool {
    return atomicLoad(&parent[i]) != NONE;
}

@compute @workgroup_size(WORKGROUP)
fn components_join(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.x + group.y * groups.x) * WORKGROUP + lane;
    if (i >= params.count) {
        return;
    }
    if (!is_own(i)) {
        return;
    }
    let row = i / params.size_x;
    let x = i % params.size_x;
    let y = row % params.size_y;
    let z = row / params.size_y;
    var beside = false;
    if (x > 0u) {
        beside = is_own(i - 1u);
    }
    if (beside && i % SEGMENT == 0u) {
        join(i, i - 1u);
    }
    // The neighbours before in other rows: of 3 x 3 x 3 those up to number 11, whose row is not the value's own.
    for (var n = 0u; n < 12u; n++) {
        let back_z = 1u - n / 9u;
        let down_y = n / 3u % 3u;
        let right_x = n % 3u;
        let apart = back_z + select(0u, 1u, down_y != 1u) + select(0u, 1u, right_x != 1u);
        let fits = z >= back_z && y + down_y >= 1u && y + down_y <= params.size_y
            && x + right_x >= 1u && x + right_x <= params.size_x;
        if (apart <= CONNECTIVITY && fits) {
            let there = ((z - back_z) * params.size_y + y + down_y - 1u) * params.size_x + x + right_x - 1u;
            if (is_own(there)) {
                // The value beside is joined with the neighbour beside, which is of one run with this one.
                var joined = false;
                if (beside && x + right_x >= 2u) {
                    joined = is_own(there - 1u);
                }
                if (!joined) {
                    join(i, there);
                }
            }
        }
    }
}
