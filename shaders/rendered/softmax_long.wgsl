// What the values of a row have in common, and with it the values again, or a result, or a state to be merged with others.
//
//   own = what my values of chunk `chunk` of row k have in common
//   whole = own merged over the LANES invocations of the row
//   finish(..): reads the values again and writes them by whole; or writes what they have in common
//
// For rows that no workgroup holds: read twice, the second time from near memory if that is as large as the rows at work
// (Milakov and Gimelshein, Online normalizer calculation for softmax, 2018). The range of r is cut into `chunks` of `span`:
// with more than one, each leaves a state, a second launch merges them, and a third one writes the values.
//
// Left open: the constants, State, gather, merge, finish; row_of, place_of and pivot, as in normalise_held.wgsl.

@compute @workgroup_size(WORKGROUP)
fn normalise(at: At, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let lane = lane_of(at);
    let index = group.x + group.y * groups.x;
    let chunk = index % params.chunks;
    let k = ((index / params.chunks) * (WORKGROUP / LANES) + row_of(lane)) * ROW_WIDTH;
    let row = min(k, params.outputs - ROW_WIDTH);
    let place = place_of(lane);
    let begin = chunk * params.span + place * WIDTH;
    let end = min((chunk + 1u) * params.span, params.extent);
    let zero = pivot(row);
    let whole = merge(gather(row, begin, end, zero), lane);
    if (k < params.outputs) {
        finish(Here(k, begin, end, chunk, place), zero, whole);
    }
}

struct Here {
    k: u32,
    begin: u32,
    end: u32,
    chunk: u32,
    place: u32,
}

// appended by the host
const WORKGROUP = 1024u;
const LANES = 1024u;
const WIDTH = 4u;
const STEP = 4096u;
const ITEMS = 4u;
const ROW_WIDTH = 1u;
const APART = 1u;
const SUBGROUP = 32u;
struct Params {
    outputs: u32,
    extent: u32,
    chunks: u32,
    span: u32,
    first_chunk: u32,
    first_output: u32,
    offset0: u32,
    stride0_0: u32,
    offset1: u32,
    stride1_0: u32,
}
var<immediate> params: Params;
alias Number = f32;
alias Stat = f32;
alias Wide = vec4<f32>;
fn fold(v: Wide) -> Stat { return (v.x + v.y) + (v.z + v.w); }
fn peak(v: Wide) -> Stat { return max(max(v.x, v.y), max(v.z, v.w)); }
fn row_of(lane: u32) -> u32 { return lane / LANES; }
fn place_of(lane: u32) -> u32 { return lane % LANES; }
struct State { top: Stat, total: Stat }
fn identity() -> State { return State(Stat(LOWEST), Stat(0.0)); }
fn combine(a: State, b: State) -> State {
    let top = max(a.top, b.top);
    return State(top, a.total * falling(a.top - top) + b.total * falling(b.top - top));
}
const LOWEST = -3.4028234663852886e38;
fn falling(x: Stat) -> Stat { return m_exp_falling(F(x)).x; }
fn logarithm(x: Stat) -> Stat { return m_log(F(x)).x; }
fn crossed(state: State, reach: u32) -> State { return State(subgroupShuffleXor(state.top, reach), subgroupShuffleXor(state.total, reach)); }
fn merge_subgroup(s: State) -> State {
    let top = subgroupMax(s.top);
    return State(top, subgroupAdd(s.total * falling(s.top - top)));
}
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> x1: array<vec4<f32>>;
fn value(k: u32, r: u32) -> vec4<f32> {
    let c0 = k;
    let c1 = r;
    let a0 = params.offset0 + c0 * params.stride0_0 + c1;
    let v0 = x0[a0 >> 2u];
    return v0;
}
fn store(k: u32, r: u32, v: vec4<f32>) {
    let c0 = k;
    let c1 = r;
    let at = params.offset1 + c0 * params.stride1_0 + c1;
    x1[at >> 2u] = v;
}
fn pivot(k: u32) -> Stat { return Stat(0.0); }
fn taken(k: u32, r: u32, zero: Stat) -> Wide { return Wide(value(k, r)); }
fn within(v: Wide, r: u32, end: u32, missing: Number) -> Wide { return select(Wide(missing), v, vec4<u32>(r) + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(end)); }
fn taken_within(k: u32, r: u32, end: u32, zero: Stat) -> Wide {
    var v = Wide(LOWEST);
    if (r < end) {
        v = taken(k, r, zero);
    }
    return within(v, r, end, LOWEST);
}
struct Values { v0: Wide, v1: Wide, v2: Wide, v3: Wide }
struct Lifted { state: State, values: Values }
fn lift(k: u32, r: u32, end: u32, zero: Stat) -> Lifted {
    let v0 = taken(k, r + 0u * STEP, zero);
    let v1 = taken(k, r + 1u * STEP, zero);
    let v2 = taken(k, r + 2u * STEP, zero);
    let v3 = taken(k, r + 3u * STEP, zero);
    let top = max(peak(max(max(v0, v1), max(v2, v3))), Stat(LOWEST));
    let e0 = m_exp_falling(v0 - Wide(top));
    let e1 = m_exp_falling(v1 - Wide(top));
    let e2 = m_exp_falling(v2 - Wide(top));
    let e3 = m_exp_falling(v3 - Wide(top));
    let state = State(top, fold(((e0 + e1) + (e2 + e3))));
    return Lifted(state, Values(e0, e1, e2, e3));
}
struct Tail { v0: Wide }
struct LiftedTail { state: State, values: Tail }
fn lift_tail(k: u32, r: u32, end: u32, zero: Stat) -> LiftedTail {
    let v0 = taken_within(k, r + 0u * STEP, end, zero);
    let top = max(peak(v0), Stat(LOWEST));
    let e0 = within(m_exp_falling(v0 - Wide(top)), r + 0u * STEP, end, 0.0);
    let state = State(top, fold(e0));
    return LiftedTail(state, Tail(e0));
}
fn gather(k: u32, begin: u32, end: u32, zero: Stat) -> State {
    var state = identity();
    var r = begin;
    while (r + (ITEMS - 1u) * STEP + WIDTH <= end) {
        state = combine(state, lift(k, r, end, zero).state);
        r += ITEMS * STEP;
    }
    while (r < end) {
        state = combine(state, lift_tail(k, r, end, zero).state);
        r += STEP;
    }
    return state;
}
struct Row { shift: Stat, scale: Stat }
fn settle(own: State, whole: State) -> Row { return Row(Stat(0.0), falling(own.top - whole.top) / whole.total); }
fn kept(v: Wide, whole: State) -> Wide { return m_exp_falling(v - Wide(whole.top)); }
fn close(v: Wide, row: Row) -> Wide { return v * Wide(row.scale); }
fn shaped(k: u32, r: u32, v: Wide) -> vec4<f32> { return vec4<f32>(v); }
fn finish(here: Here, zero: Stat, whole: State) {
    let row = settle(whole, whole);
    var r = here.begin;
    while (r + (ITEMS - 1u) * STEP + WIDTH <= here.end) {
        let o0 = shaped(here.k, r + 0u * STEP, close(kept(taken(here.k, r + 0u * STEP, zero), whole), row));
        let o1 = shaped(here.k, r + 1u * STEP, close(kept(taken(here.k, r + 1u * STEP, zero), whole), row));
        let o2 = shaped(here.k, r + 2u * STEP, close(kept(taken(here.k, r + 2u * STEP, zero), whole), row));
        let o3 = shaped(here.k, r + 3u * STEP, close(kept(taken(here.k, r + 3u * STEP, zero), whole), row));
        store(here.k, r + 0u * STEP, o0);
        store(here.k, r + 1u * STEP, o1);
        store(here.k, r + 2u * STEP, o2);
        store(here.k, r + 3u * STEP, o3);
        r += ITEMS * STEP;
    }
    while (r < here.end) {
        store(here.k, r, shaped(here.k, r, close(kept(taken(here.k, r, zero), whole), row)));
        r += STEP;
    }
}
// Which lane of its workgroup an invocation is, where subgroups have SUBGROUP lanes each.

struct At {
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) place: u32,
}

// The order is that of the subgroups: how local indices lie in them is nowhere promised. They are full: plans take this
// where all have one size that divides the workgroup's, and an engine that cannot promise the rest looks
// (backend/wgpu/subgroups.rs).
fn lane_of(at: At) -> u32 {
    return at.subgroup * SUBGROUP + at.place;
}

// The states of a row's LANES invocations merged, where subgroups have SUBGROUP lanes each: within them first, then one
// state of each through workgroup memory, which every subgroup of the row merges for itself: one barrier.

// All lanes together: who comes out of a loop may be apart. It orders no memory (backend/wgpu/barriers.rs).
fn crosslane_converge() {
    subgroupBarrier();
}

var<workgroup> states: array<State, WORKGROUP / SUBGROUP>;

fn merge(own: State, lane: u32) -> State {
    crosslane_converge();
    if (LANES < SUBGROUP) {
        var state = own;
        for (var reach = 1u; reach < LANES; reach *= 2u) {
            state = combine(state, crossed(state, reach));
        }
        return state;
    }
    let near = merge_subgroup(own);
    if (LANES == SUBGROUP) {
        return near;
    }
    let place = lane % SUBGROUP;
    if (place == 0u) {
        states[lane / SUBGROUP] = near;
    }
    workgroupBarrier();
    let first = row_of(lane) * (LANES / SUBGROUP);
    var state = identity();
    for (var team = place; team < LANES / SUBGROUP; team += SUBGROUP) {
        state = combine(state, states[first + team]);
    }
    crosslane_converge();
    return merge_subgroup(state);
}
alias F = vec4<f32>;
alias I = vec4<i32>;
alias U = vec4<u32>;
alias T = vec4<bool>;
fn m_exp_falling(x: F) -> F {
    let h = max(x, F(-87.0));
    let k = m_exp_k(h);
    let n = F(k);
    let r = fma(n, F(-1.42860677e-06), m_pin(fma(n, F(-0.693145752), h)));
    let e = fma(r * r, m_exp_poly(r), r) + F(1.0);
    let y = bitcast<F>(bitcast<I>(e) + (k << U(23u)));
    return m_keep_nan(select(y, F(0.0), x < F(-87.0)), x);
}
fn m_exp_k(x: F) -> I {
    return bitcast<I>(fma(x, F(1.44269504), F(12582912.0))) - I(0x4b400000);
}
fn m_exp_poly(r: F) -> F {
    var p = fma(r, F(0.00139406603), F(0.00836659037));
    p = fma(r, p, F(0.0416664034));
    p = fma(r, p, F(0.166665435));
    return fma(r, p, F(0.5));
}
fn m_is_zero(x: F) -> T {
    return (bitcast<U>(x) & U(0x7fffffffu)) == U(0u);
}
fn m_keep_nan(r: F, x: F) -> F {
    return bitcast<F>(select(bitcast<U>(r), bitcast<U>(x), (bitcast<U>(x) & U(0x7fffffffu)) > U(0x7f800000u)));
}
fn m_log(x: F) -> F {
    let xs = m_log_scaled(x);
    let b = bitcast<U>(xs);
    let e = m_log_e(b);
    let n = m_log_n(e, x);
    let f = bitcast<F>(b - e) - F(1.0);
    let z = fma(n, F(1.42860677e-06), m_log_tail(f));
    return m_log_special(fma(n, F(0.693145752), f + z), x, xs);
}
fn m_log_e(b: U) -> U {
    return (b - U(0x3f2aaaabu)) & U(0xff800000u);
}
fn m_log_n(e: U, x: F) -> F {
    return fma(F(bitcast<I>(e)), F(1.1920929e-07), select(F(0.0), F(-23.0), x < F(1.17549435e-38)));
}
fn m_log_scaled(x: F) -> F {
    return select(x, x * F(8388608.0), x < F(1.17549435e-38));
}
fn m_log_special(r: F, x: F, xs: F) -> F {
    let b = bitcast<U>(x);
    var u = select(bitcast<U>(r), U(0x7fc00000u), b > U(0x7f800000u));
    u = select(u, U(0x7f800000u), b == U(0x7f800000u));
    return bitcast<F>(select(u, U(0xff800000u), m_is_zero(xs)));
}
fn m_log_tail(f: F) -> F {
    var q = fma(f, F(-0.131926924), F(0.139627561));
    q = fma(f, q, F(-0.121149138));
    q = fma(f, q, F(0.140109167));
    q = fma(f, q, F(-0.166854784));
    q = fma(f, q, F(0.200100392));
    q = fma(f, q, F(-0.249996886));
    q = fma(f, q, F(0.333332241));
    return (f * f) * fma(f, q, F(-0.5));
}
fn m_pin(x: F) -> F {
    return max(x, F(-3e38));
}
