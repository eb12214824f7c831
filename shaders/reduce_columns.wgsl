// A reduction whose neighbours in memory belong to neighbouring outputs; what it computes stands in reduce_rows.wgsl.
//
// An invocation takes WIDTH outputs, COLUMNS invocations lie side by side, and WORKGROUP / COLUMNS rows of them share
// the range of r, which is cut into `chunks` of `span`; a tree in workgroup memory combines the rows.
//
// Left open: the constants, State, States (WIDTH of them: by its name, since naga's SPIR-V takes types of two names for two),
// identity, combine, accumulate (UNROLL rows), accumulate_tail (one row), finish,
// bounded_extent().

var<workgroup> states: array<State, WORKGROUP * WIDTH>;

@compute @workgroup_size(WORKGROUP)
fn columns(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.x + group.y * groups.x;
    let chunk = index % params.chunks;
    let column = lane % COLUMNS;
    let k = ((index / params.chunks) * COLUMNS + column) * WIDTH;
    let rows = WORKGROUP / COLUMNS;
    var state: States;
    for (var i = 0u; i < WIDTH; i++) {
        state[i] = identity();
    }
    if (k < params.outputs) {
        var r = chunk * params.span;
        let end = min(r + params.span, bounded_extent());
        let own = lane / COLUMNS;
        while (r + UNROLL * rows <= end) {
            state = accumulate(state, k, r + own);
            r += UNROLL * rows;
        }
        while (r + own < end) {
            state = accumulate_tail(state, k, r + own);
            r += rows;
        }
    }
    for (var i = 0u; i < WIDTH; i++) {
        states[lane * WIDTH + i] = state[i];
    }
    workgroupBarrier();
    for (var half = rows / 2u; half > 0u; half /= 2u) {
        if (lane < half * COLUMNS) {
            for (var i = 0u; i < WIDTH; i++) {
                let at = lane * WIDTH + i;
                states[at] = combine(states[at], states[at + half * COLUMNS * WIDTH]);
            }
        }
        workgroupBarrier();
    }
    if (lane < COLUMNS && k < params.outputs) {
        for (var i = 0u; i < WIDTH; i++) {
            finish(k + i, chunk, states[lane * WIDTH + i]);
        }
    }
}
