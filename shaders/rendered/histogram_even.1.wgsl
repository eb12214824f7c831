// A histogram: how many values lie in each bin, or what they weigh together.
//
//   for each workgroup, with counters of its own:
//     counters = 0
//     for each value of its chunk: counters[bin(value)] += weight
//     y += counters
//
// Counting where only a workgroup looks keeps additions off the memory that all share (Podlozhnyuk, Histogram
// calculation in CUDA, 2007). There are `copies` of each counter, next to each other: neighbours in a workgroup add to
// different copies, so a hot bin is not one address, and random bins meet in fewer memory banks. Bins that do not fit
// are cut into `parts` of `part_bins`, each counted by workgroups of its own that read the same values; where that is
// too often (PRIVATE is 0) values are added to y directly.
//
// Left open: the constants, y, begin (before the first value), tally (UNROLL steps, all in range), tally_tail (one
// step, each value checked against `end`), add_counter, add_output, plus; bin is theirs. y is zero before.

// Counters of values in no bin, enough that neighbours do not meet.
const NOWHERE = 32u;
var<workgroup> counters: array<atomic<u32>, COUNTERS + NOWHERE>;

// One value in bin `b` of all; at or past `params.bins` it is in none.
fn count(b: u32, first_bin: u32, lane: u32, weight: u32) {
    if (PRIVATE == 0u) {
        if (b < params.bins) {
            add_output(b, weight);
        }
        return;
    }
    let at = b - first_bin; // wraps, and is past the part, for bins before it
    // What is in none, or in another part, goes where nobody looks: a branch for each value would keep compilers from
    // loading several at once.
    let counter = at * params.copies + (lane & (params.copies - 1u));
    add_counter(select(COUNTERS + lane % NOWHERE, counter, at < params.part_bins), weight);
}

@compute @workgroup_size(WORKGROUP)
fn histogram(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.x + group.y * groups.x;
    let first_bin = (index % params.parts) * params.part_bins;
    if (PRIVATE == 1u) {
        for (var c = lane; c < params.part_bins * params.copies; c += WORKGROUP) {
            atomicStore(&counters[c], 0u);
        }
        for (var c = lane; c < NOWHERE; c += WORKGROUP) {
            atomicStore(&counters[COUNTERS + c], 0u);
        }
    }
    begin(lane);
    workgroupBarrier();
    var i = (index / params.parts) * params.span;
    let end = min(i + params.span, params.extent);
    i += lane * WIDTH;
    let step = WORKGROUP * WIDTH;
    while (i + (UNROLL - 1u) * step + WIDTH <= end) {
        tally(i, first_bin, lane);
        i += UNROLL * step;
    }
    while (i < end) {
        tally_tail(i, end, first_bin, lane);
        i += step;
    }
    workgroupBarrier();
    if (PRIVATE == 1u) {
        for (var b = lane; b < params.part_bins; b += WORKGROUP) {
            var sum = 0u;
            for (var c = 0u; c < params.copies; c++) {
                // Each lane begins with another copy: with the same they would meet in one bank.
                sum = plus(sum, atomicLoad(&counters[b * params.copies + ((c + lane) & (params.copies - 1u))]));
            }
            if (sum != 0u && first_bin + b < params.bins) {
                add_output(first_bin + b, sum);
            }
        }
    }
}

// appended by the host
const WORKGROUP = 256u;
const WIDTH = 4u;
const UNROLL = 2u;
const PRIVATE = 1u;
const COUNTERS = 1024u;
struct Params {
    bins: u32,
    extent: u32,
    parts: u32,
    part_bins: u32,
    copies: u32,
    span: u32,
    x_bins: u32,
    x_first: u32,
    x_least: u32,
    x_most: u32,
    x_scale: u32,
    x_shift: u32,
    x_inner: u32,
    x_offset0: u32,
}
var<immediate> params: Params;
@group(0) @binding(0) var<storage, read> x_x0: array<vec4<f32>>;
fn x_value(i: u32) -> vec4<f32> {
    let c0 = i;
    let a0 = params.x_offset0 + c0;
    let v0 = x_x0[a0 >> 2u];
    return v0;
}
@group(0) @binding(1) var<storage, read> edges: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<atomic<u32>>;
fn begin(lane: u32) {
}
fn plus(a: u32, b: u32) -> u32 { return a + b; }
fn add_counter(at: u32, w: u32) {
    atomicAdd(&counters[at], w);
}
fn add_output(at: u32, w: u32) {
    atomicAdd(&y[at], w);
}
fn x_guess(v: f32) -> u32 {
    let place = (v - bitcast<f32>(params.x_least)) * bitcast<f32>(params.x_scale);
    return bitcast<u32>(i32(place));
}
fn x_near(v: f32) -> bool {
    let place = (v - bitcast<f32>(params.x_least)) * bitcast<f32>(params.x_scale);
    return !(abs(f32(place - f32(i32(place))) - 0.5) <= bitcast<f32>(params.x_inner));
}
fn x_bin(v: f32) -> u32 {
    if (!((v >= bitcast<f32>(params.x_least)) & (v <= bitcast<f32>(params.x_most)))) {
        return 0xffffffffu;
    }
    let place = (v - bitcast<f32>(params.x_least)) * bitcast<f32>(params.x_scale);
    let b = min(u32(place), params.x_bins - 1u);
    if (b > 0u && v < edges[params.x_first + b]) {
        return b - 1u;
    }
    if (b + 1u < params.x_bins && v >= edges[params.x_first + b + 1u]) {
        return b + 1u;
    }
    return b;
}
fn tally(i: u32, first_bin: u32, lane: u32) {
    let x_v0 = x_value(i + 0u * (WORKGROUP * WIDTH));
    let x_v1 = x_value(i + 1u * (WORKGROUP * WIDTH));
    var b0_0 = x_guess(x_v0.x);
    var b0_1 = x_guess(x_v0.y);
    var b0_2 = x_guess(x_v0.z);
    var b0_3 = x_guess(x_v0.w);
    var b1_0 = x_guess(x_v1.x);
    var b1_1 = x_guess(x_v1.y);
    var b1_2 = x_guess(x_v1.z);
    var b1_3 = x_guess(x_v1.w);
    if (x_near(x_v0.x) | x_near(x_v0.y) | x_near(x_v0.z) | x_near(x_v0.w) | x_near(x_v1.x) | x_near(x_v1.y) | x_near(x_v1.z) | x_near(x_v1.w)) {
        if (x_near(x_v0.x)) { b0_0 = x_bin(x_v0.x); }
        if (x_near(x_v0.y)) { b0_1 = x_bin(x_v0.y); }
        if (x_near(x_v0.z)) { b0_2 = x_bin(x_v0.z); }
        if (x_near(x_v0.w)) { b0_3 = x_bin(x_v0.w); }
        if (x_near(x_v1.x)) { b1_0 = x_bin(x_v1.x); }
        if (x_near(x_v1.y)) { b1_1 = x_bin(x_v1.y); }
        if (x_near(x_v1.z)) { b1_2 = x_bin(x_v1.z); }
        if (x_near(x_v1.w)) { b1_3 = x_bin(x_v1.w); }
    }
    count(b0_0, first_bin, lane, 1u);
    count(b0_1, first_bin, lane, 1u);
    count(b0_2, first_bin, lane, 1u);
    count(b0_3, first_bin, lane, 1u);
    count(b1_0, first_bin, lane, 1u);
    count(b1_1, first_bin, lane, 1u);
    count(b1_2, first_bin, lane, 1u);
    count(b1_3, first_bin, lane, 1u);
}
fn tally_tail(i: u32, end: u32, first_bin: u32, lane: u32) {
    let x_v0 = x_value(i);
    for (var l = 0u; l < WIDTH && i + l < end; l++) {
        count(x_bin(x_v0[l]), first_bin, lane, 1u);
    }
}
