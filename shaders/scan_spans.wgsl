// Scan on a processor: an invocation takes SPAN elements of one row, one after the other.
//
//   totals: states[chunk][k] = value(k, chunk * span) * ... * value(k, chunk * span + span - 1)
//   spans:  carry = states[0][k] * ... * states[chunk - 1][k], then y(k, r) = carry * value(k, r), going on with that
//
// With one chunk the first launch is left out. Elements are combined in blocks of BLOCK, and what is before a block with each of
// these: sums of floats round as often as a block is long, not as often as a span is. The order is fixed: the same input gives
// the same bits.
//
// Left open: WORKGROUP, BLOCK, WIDTH; State, combine and identity; total, which combines WIDTH elements, those before `end`;
// advance, which stores their results, and gives what the block holds after them; leave, for what an invocation does after its
// last element; kept and keep.

fn place(group: vec3<u32>, groups: vec3<u32>, lane: u32) -> u32 {
    return (group.x + group.y * groups.x) * WORKGROUP + lane;
}

@compute @workgroup_size(WORKGROUP)
fn span_totals(
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
    while (r < end) {
        let until = min(r + BLOCK, end);
        var block = identity();
        for (; r < until; r += WIDTH) {
            block = combine(block, total(k, r, end));
        }
        state = combine(state, block);
    }
    keep((params.first_chunk + chunk) * params.columns + k, state);
}

@compute @workgroup_size(WORKGROUP)
fn spans(
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
    let begin = state;
    var r = chunk * params.span;
    let end = min(r + params.span, params.extent);
    while (r < end) {
        let until = min(r + BLOCK, end);
        var block = identity();
        for (; r < until; r += WIDTH) {
            block = advance(k, r, end, state, block);
        }
        state = combine(state, block);
    }
    leave(chunk, begin, state);
}
