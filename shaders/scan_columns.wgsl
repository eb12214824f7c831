// Scan along an axis whose neighbours lie apart in memory: an invocation takes SPAN elements of one column.
//
//   totals:  states[chunk][k] = value(k, chunk * span) * ... * value(k, chunk * span + span - 1)
//   columns: carry = states[0][k] * ... * states[chunk - 1][k], then y(k, r) = carry * value(k, r), going on with that
//
// With one chunk the first launch is left out. Neighbouring invocations take neighbouring columns, which lie side by
// side. The order is fixed: the same input gives the same bits.
//
// Left open: WORKGROUP; State, lift_at, combine, identity and result; value, head and put; kept and keep.

fn place(group: vec3<u32>, groups: vec3<u32>, lane: u32) -> u32 {
    return (group.x + group.y * groups.x) * WORKGROUP + lane;
}

@compute @workgroup_size(WORKGROUP)
fn column_totals(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = place(group, groups, lane);
    if (index >= params.columns * params.chunks) {
        return;
    }
    let k = index % params.columns;
    let chunk = index / params.columns;
    var r = chunk * params.span;
    let end = min(r + params.span, params.extent);
    var state = identity();
    for (; r + 4u <= end; r += 4u) {
        let a = lifted(k, r);
        let b = lifted(k, r + 1u);
        let c = lifted(k, r + 2u);
        let d = lifted(k, r + 3u);
        state = combine(combine(combine(combine(state, a), b), c), d);
    }
    for (; r < end; r++) {
        state = combine(state, lifted(k, r));
    }
    keep((params.first_chunk + chunk) * params.columns + k, state);
}

@compute @workgroup_size(WORKGROUP)
fn columns(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = place(group, groups, lane);
    if (index >= params.columns * params.chunks) {
        return;
    }
    let k = index % params.columns;
    let chunk = index / params.columns;
    var state = identity();
    for (var before = 0u; before < params.first_chunk + chunk; before++) {
        state = combine(state, kept(before * params.columns + k));
    }
    var r = chunk * params.span;
    let end = min(r + params.span, params.extent);
    for (; r + 4u <= end; r += 4u) {
        let a = lifted(k, r);
        let b = lifted(k, r + 1u);
        let c = lifted(k, r + 2u);
        let d = lifted(k, r + 3u);
        state = put(k, r, state, a);
        state = put(k, r + 1u, state, b);
        state = put(k, r + 2u, state, c);
        state = put(k, r + 3u, state, d);
    }
    for (; r < end; r++) {
        state = put(k, r, state, lifted(k, r));
    }
}

fn lifted(k: u32, r: u32) -> State {
    return lift_at(value(k, r), head(k, r));
}
