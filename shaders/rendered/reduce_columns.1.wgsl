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
const WIDTH = 1u;
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
alias States = array<State, WIDTH>;
fn accumulate(state: States, k: u32, r: u32) -> States {
    var s = state;
    let v0 = x[(r + 0u * (WORKGROUP / COLUMNS)) * params.outputs + k];
    let v1 = x[(r + 1u * (WORKGROUP / COLUMNS)) * params.outputs + k];
    let v2 = x[(r + 2u * (WORKGROUP / COLUMNS)) * params.outputs + k];
    let v3 = x[(r + 3u * (WORKGROUP / COLUMNS)) * params.outputs + k];
    let v4 = x[(r + 4u * (WORKGROUP / COLUMNS)) * params.outputs + k];
    let v5 = x[(r + 5u * (WORKGROUP / COLUMNS)) * params.outputs + k];
    let v6 = x[(r + 6u * (WORKGROUP / COLUMNS)) * params.outputs + k];
    let v7 = x[(r + 7u * (WORKGROUP / COLUMNS)) * params.outputs + k];
    s[0] = combine(s[0], combine(combine(combine(v0, v1), combine(v2, v3)), combine(combine(v4, v5), combine(v6, v7))));
    return s;
}
fn accumulate_tail(state: States, k: u32, r: u32) -> States {
    var s = state;
    s[0] = combine(s[0], x[r * params.outputs + k]);
    return s;
}
fn bounded_extent() -> u32 { return params.extent; }
