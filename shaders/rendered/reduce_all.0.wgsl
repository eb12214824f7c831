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
const WIDTH = 4u;
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
    offset0: u32,
}
var<immediate> params: Params;
alias State = f32;
fn lift(v: f32, position: u32) -> State { return f32(v); }
fn combine(a: State, b: State) -> State { return a + b; }
fn result(s: State) -> f32 { return f32(s); }
fn identity() -> State { return bitcast<f32>(params.identity); }
@group(0) @binding(1) var<storage, read_write> y: array<State>;
fn finish(k: u32, chunk: u32, state: State) {
    y[(params.first_chunk + chunk) * params.all_outputs + k] = state;
}
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
fn value(k: u32, r: u32) -> vec4<f32> {
    let c0 = r;
    let a0 = params.offset0 + c0;
    let v0 = x0[a0 >> 2u];
    return v0;
}
fn position(k: u32, r: u32) -> u32 { return r; }
fn accumulate(state: State, k: u32, r: u32) -> State {
    let r0 = r + 0u * (LANES * WIDTH);
    let v0 = value(k, r0);
    let r1 = r + 1u * (LANES * WIDTH);
    let v1 = value(k, r1);
    let r2 = r + 2u * (LANES * WIDTH);
    let v2 = value(k, r2);
    let r3 = r + 3u * (LANES * WIDTH);
    let v3 = value(k, r3);
    let r4 = r + 4u * (LANES * WIDTH);
    let v4 = value(k, r4);
    let r5 = r + 5u * (LANES * WIDTH);
    let v5 = value(k, r5);
    let r6 = r + 6u * (LANES * WIDTH);
    let v6 = value(k, r6);
    let r7 = r + 7u * (LANES * WIDTH);
    let v7 = value(k, r7);
    var s0 = lift(v0.x, position(k, r0) + 0u);
    s0 = combine(s0, lift(v1.x, position(k, r1) + 0u));
    s0 = combine(s0, lift(v2.x, position(k, r2) + 0u));
    s0 = combine(s0, lift(v3.x, position(k, r3) + 0u));
    s0 = combine(s0, lift(v4.x, position(k, r4) + 0u));
    s0 = combine(s0, lift(v5.x, position(k, r5) + 0u));
    s0 = combine(s0, lift(v6.x, position(k, r6) + 0u));
    s0 = combine(s0, lift(v7.x, position(k, r7) + 0u));
    var s1 = lift(v0.y, position(k, r0) + 1u);
    s1 = combine(s1, lift(v1.y, position(k, r1) + 1u));
    s1 = combine(s1, lift(v2.y, position(k, r2) + 1u));
    s1 = combine(s1, lift(v3.y, position(k, r3) + 1u));
    s1 = combine(s1, lift(v4.y, position(k, r4) + 1u));
    s1 = combine(s1, lift(v5.y, position(k, r5) + 1u));
    s1 = combine(s1, lift(v6.y, position(k, r6) + 1u));
    s1 = combine(s1, lift(v7.y, position(k, r7) + 1u));
    var s2 = lift(v0.z, position(k, r0) + 2u);
    s2 = combine(s2, lift(v1.z, position(k, r1) + 2u));
    s2 = combine(s2, lift(v2.z, position(k, r2) + 2u));
    s2 = combine(s2, lift(v3.z, position(k, r3) + 2u));
    s2 = combine(s2, lift(v4.z, position(k, r4) + 2u));
    s2 = combine(s2, lift(v5.z, position(k, r5) + 2u));
    s2 = combine(s2, lift(v6.z, position(k, r6) + 2u));
    s2 = combine(s2, lift(v7.z, position(k, r7) + 2u));
    var s3 = lift(v0.w, position(k, r0) + 3u);
    s3 = combine(s3, lift(v1.w, position(k, r1) + 3u));
    s3 = combine(s3, lift(v2.w, position(k, r2) + 3u));
    s3 = combine(s3, lift(v3.w, position(k, r3) + 3u));
    s3 = combine(s3, lift(v4.w, position(k, r4) + 3u));
    s3 = combine(s3, lift(v5.w, position(k, r5) + 3u));
    s3 = combine(s3, lift(v6.w, position(k, r6) + 3u));
    s3 = combine(s3, lift(v7.w, position(k, r7) + 3u));
    return combine(state, combine(combine(s0, s1), combine(s2, s3)));
}
fn accumulate_tail(state: State, k: u32, r: u32, end: u32) -> State {
    var s = state;
    let v = value(k, r);
    if (r + 0u < end) { s = combine(s, lift(v.x, position(k, r) + 0u)); }
    if (r + 1u < end) { s = combine(s, lift(v.y, position(k, r) + 1u)); }
    if (r + 2u < end) { s = combine(s, lift(v.z, position(k, r) + 2u)); }
    if (r + 3u < end) { s = combine(s, lift(v.w, position(k, r) + 3u)); }
    return s;
}
fn leave(lane: u32, state: State) { states[lane] = state; }
fn fold(lane: u32, half: u32) {
    if (lane % LANES < half) { states[lane] = combine(states[lane], states[lane + half]); }
}
fn bounded_extent() -> u32 { return params.extent; }
