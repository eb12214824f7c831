// A reduction by columns for processors; what it computes stands in reduce_rows.wgsl.
//
// A workgroup has columns side by side, as many as its invocations times WIDTH, and takes UNROLL rows of them at a time:
// the barrier makes all invocations go on to the next rows together, so that memory is read in long lines, which caches
// fetch ahead. States stay in the first cache. The range of r is cut into `chunks` of `span`.
//
// Left open: the constants, State, identity, combine, accumulate (UNROLL rows), accumulate_tail (one row), finish,
// bounded_extent().

@compute @workgroup_size(WORKGROUP)
fn lines(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.x + group.y * groups.x;
    let chunk = index % params.chunks;
    let k = ((index / params.chunks) * COLUMNS + lane) * WIDTH;
    var state: array<State, WIDTH>;
    for (var i = 0u; i < WIDTH; i++) {
        state[i] = identity();
    }
    var r = chunk * params.span;
    let end = min(r + params.span, bounded_extent());
    while (r + UNROLL <= end) {
        if (k < params.outputs) {
            state = accumulate(state, k, r);
        }
        r += UNROLL;
        workgroupBarrier();
    }
    if (k < params.outputs) {
        for (var own = r; own < end; own++) {
            state = accumulate_tail(state, k, own);
        }
        for (var i = 0u; i < WIDTH; i++) {
            finish(k + i, chunk, state[i]);
        }
    }
}
