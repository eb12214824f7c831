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

// appended by the host
const WORKGROUP = 256u;
const LANES = 256u;
const WIDTH = 1u;
const UNROLL = 8u;
const STATES = 256u;
struct Params {
    outputs: u32,
    extent: u32,
    chunks: u32,
    span: u32,
    first_chunk: u32,
    first_output: u32,
    all_outputs: u32,
    identity: u32,
}
var<immediate> params: Params;
alias State = f32;
fn lift(v: f32, position: u32) -> State { return f32(v); }
fn combine(a: State, b: State) -> State { return a + b; }
fn result(s: State) -> f32 { return f32(s); }
fn identity() -> State { return bitcast<f32>(params.identity); }
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
fn finish(k: u32, chunk: u32, state: State) {
    let at = params.first_output + k;
    let v = result(state);
    y[at] = v;
}
@group(0) @binding(0) var<storage, read> x: array<State>;
fn accumulate(state: State, k: u32, r: u32) -> State {
    var s = state;
    let v0 = x[(r + 0u * LANES) * params.outputs + k];
    let v1 = x[(r + 1u * LANES) * params.outputs + k];
    let v2 = x[(r + 2u * LANES) * params.outputs + k];
    let v3 = x[(r + 3u * LANES) * params.outputs + k];
    let v4 = x[(r + 4u * LANES) * params.outputs + k];
    let v5 = x[(r + 5u * LANES) * params.outputs + k];
    let v6 = x[(r + 6u * LANES) * params.outputs + k];
    let v7 = x[(r + 7u * LANES) * params.outputs + k];
    s = combine(s, combine(combine(combine(v0, v1), combine(v2, v3)), combine(combine(v4, v5), combine(v6, v7))));
    return s;
}
fn accumulate_tail(state: State, k: u32, r: u32, end: u32) -> State {
    return combine(state, x[r * params.outputs + k]);
}
fn leave(lane: u32, state: State) { states[lane] = state; }
fn fold(lane: u32, half: u32) {
    if (lane % LANES < half) { states[lane] = combine(states[lane], states[lane + half]); }
}
fn bounded_extent() -> u32 { return params.extent; }
