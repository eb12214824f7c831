// A reduction whose neighbours in memory belong to one output.
//
//   state(k) = identity
//   for r in 0..extent: state(k) = combine(state(k), lift(value(k, r)))
//
// in an order that is fixed for a device, so that the same input gives the same bits. LANES invocations share an
// output; each takes WIDTH neighbours, UNROLL times a step; a tree in workgroup memory combines the lanes. The range
// of r is cut into `chunks` of `span`: with more than one, a second launch combines the states, laid out [chunk][k].
//
// Left open: the constants, State, identity, combine, accumulate (UNROLL steps, all in range), accumulate_tail (one
// step, each value checked against `end`), leave, which puts a lane's state into workgroup memory, fold, which takes the
// states `half` lanes on into those of a row's first `half` lanes, finish, and bounded_extent() (crates/ops/src/counted.rs).

var<workgroup> states: array<State, STATES>;

@compute @workgroup_size(WORKGROUP)
fn rows(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.x + group.y * groups.x;
    let chunk = index % params.chunks;
    let k = (index / params.chunks) * (WORKGROUP / LANES) + lane / LANES;
    var state = identity();
    if (k < params.outputs) {
        var base = chunk * params.span;
        let end = min(base + params.span, bounded_extent());
        let own = (lane % LANES) * WIDTH;
        let step = LANES * WIDTH;
        while (base + UNROLL * step <= end) {
            state = accumulate(state, k, base + own);
            base += UNROLL * step;
        }
        while (base + own < end) {
            state = accumulate_tail(state, k, base + own, end);
            base += step;
        }
    }
    leave(lane, state);
    workgroupBarrier();
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        fold(lane, half);
        workgroupBarrier();
    }
    if (lane % LANES == 0u && k < params.outputs) {
        finish(k, chunk, states[lane]);
    }
}
