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

// appended by the host
const WORKGROUP = 256u;
const COLUMNS = 64u;
const WIDTH = 4u;
const UNROLL = 8u;
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
    stride0_1: u32,
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
    let c0 = k;
    let c1 = r;
    let a0 = params.offset0 + c0 + c1 * params.stride0_1;
    let v0 = x0[a0 >> 2u];
    return v0;
}
fn position(k: u32, r: u32) -> u32 { return r; }
alias States = array<State, WIDTH>;
fn accumulate(state: States, k: u32, r: u32) -> States {
    var s = state;
    let r0 = r + 0u * (WORKGROUP / COLUMNS);
    let v0 = value(k, r0);
    let r1 = r + 1u * (WORKGROUP / COLUMNS);
    let v1 = value(k, r1);
    let r2 = r + 2u * (WORKGROUP / COLUMNS);
    let v2 = value(k, r2);
    let r3 = r + 3u * (WORKGROUP / COLUMNS);
    let v3 = value(k, r3);
    let r4 = r + 4u * (WORKGROUP / COLUMNS);
    let v4 = value(k, r4);
    let r5 = r + 5u * (WORKGROUP / COLUMNS);
    let v5 = value(k, r5);
    let r6 = r + 6u * (WORKGROUP / COLUMNS);
    let v6 = value(k, r6);
    let r7 = r + 7u * (WORKGROUP / COLUMNS);
    let v7 = value(k, r7);
    s[0] = combine(s[0], combine(combine(combine(lift(v0.x, position(k, r0)), lift(v1.x, position(k, r1))), combine(lift(v2.x, position(k, r2)), lift(v3.x, position(k, r3)))), combine(combine(lift(v4.x, position(k, r4)), lift(v5.x, position(k, r5))), combine(lift(v6.x, position(k, r6)), lift(v7.x, position(k, r7))))));
    s[1] = combine(s[1], combine(combine(combine(lift(v0.y, position(k, r0)), lift(v1.y, position(k, r1))), combine(lift(v2.y, position(k, r2)), lift(v3.y, position(k, r3)))), combine(combine(lift(v4.y, position(k, r4)), lift(v5.y, position(k, r5))), combine(lift(v6.y, position(k, r6)), lift(v7.y, position(k, r7))))));
    s[2] = combine(s[2], combine(combine(combine(lift(v0.z, position(k, r0)), lift(v1.z, position(k, r1))), combine(lift(v2.z, position(k, r2)), lift(v3.z, position(k, r3)))), combine(combine(lift(v4.z, position(k, r4)), lift(v5.z, position(k, r5))), combine(lift(v6.z, position(k, r6)), lift(v7.z, position(k, r7))))));
    s[3] = combine(s[3], combine(combine(combine(lift(v0.w, position(k, r0)), lift(v1.w, position(k, r1))), combine(lift(v2.w, position(k, r2)), lift(v3.w, position(k, r3)))), combine(combine(lift(v4.w, position(k, r4)), lift(v5.w, position(k, r5))), combine(lift(v6.w, position(k, r6)), lift(v7.w, position(k, r7))))));
    return s;
}
fn accumulate_tail(state: States, k: u32, r: u32) -> States {
    var s = state;
    let v = value(k, r);
    s[0] = combine(s[0], lift(v.x, position(k, r)));
    s[1] = combine(s[1], lift(v.y, position(k, r)));
    s[2] = combine(s[2], lift(v.z, position(k, r)));
    s[3] = combine(s[3], lift(v.w, position(k, r)));
    return s;
}
fn bounded_extent() -> u32 { return params.extent; }
