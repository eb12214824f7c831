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
