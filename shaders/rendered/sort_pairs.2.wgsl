// Where the keys of each digit begin in the sorted row: what the look-back of a row's first tile finds.
//
//   state[place][row][0][digit] = PREFIX + (keys of the row with a smaller digit at this place)
//
// Left open: WORKGROUP, STRIPS, PLACES, PREFIX, At, who_is and scan of shared/sort_*.wgsl.

@compute @workgroup_size(WORKGROUP)
fn seed(at: At, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = group.x + group.y * groups.x;
    if (index >= params.groups) {
        return;
    }
    let who = who_is(at);
    let row = index % params.rows;
    let place = index / params.rows;
    var carry = 0u;
    for (var strip = 0u; strip < STRIPS; strip++) {
        let digit = strip * WORKGROUP + who.lane;
        var count = 0u;
        if (digit < 256u) {
            count = counts[(row * PLACES + params.first_place + place) * 256u + digit];
        }
        let sums = scan(count, who);
        if (digit < 256u) {
            state[(place * params.rows + row) * params.chain + place * 256u + digit] = PREFIX + carry + sums.x;
        }
        carry += sums.y;
    }
}

// appended by the host
const WORKGROUP = 256u;
const ITEMS = 24u;
const TILE = 6144u;
const TEAMS = 8u;
const STRIPS = 1u;
const POOL = 3072u;
const PREFIX = 6146u;
const PLACES = 4u;
struct Params {
    groups: u32,
    rows: u32,
    first_place: u32,
    chain: u32,
}
var<immediate> params: Params;
@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> state: array<u32>;
// An invocation: its number in the workgroup, its team, its place in that, and the team's size.
struct Who { lane: u32, team: u32, place: u32, size: u32 }
// Ranks and sums of a workgroup whose subgroups can ballot, of any size from 4 to 128.

struct At {
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) place: u32,
    @builtin(subgroup_size) size: u32,
}

// Sets of a team's words in the pool: its counters.
const SETS: u32 = 1u;

var<workgroup> partials: array<u32, TEAMS>;

// The order is that of the subgroups: how local indices lie in them is nowhere promised. They are full: an engine that
// cannot promise it looks (backend/wgpu/subgroups.rs).
fn who_is(at: At) -> Who {
    let size = lanes_of(at.size);
    return Who(at.subgroup * size + at.place, at.subgroup, at.place, size);
}

// All lanes together; it orders no memory (backend/wgpu/barriers.rs).
fn crosslane_converge() {
    subgroupBarrier();
}

// How many of the subgroup's items with this digit come before: its lanes before this one, and its items before.
//
// A counter is one team's, and atomics alone have no order. First all lanes have come past their loads before any stores:
// a store cannot be seen by a load that is done. Then what is stored is there before any lane loads it at the next item:
// that barrier must order workgroup memory within the subgroup, which CUDA's and Metal's do; for Vulkan
// backend/wgpu/barriers.rs sees to it.
fn rank(digit: u32, nth: u32, who: Who) -> u32 {
    let same = lanes_with(digit);
    let before = count_below(same, who.place);
    let counter = who.team * 256u + digit;
    let earlier = atomicLoad(&pool[counter]);
    crosslane_converge();
    // Equals store the same: no lane parts from the others.
    atomicStore(&pool[counter], earlier + count_all(same));
    subgroupBarrier();
    return earlier + before;
}

// The sum of the values of the lanes before, and of all.
fn scan(value: u32, who: Who) -> vec2<u32> {
    let through = subgroupInclusiveAdd(value);
    if (who.place == who.size - 1u) {
        partials[who.team] = through;
    }
    workgroupBarrier();
    var sums = vec2<u32>(through - value, 0u);
    for (var team = 0u; team < WORKGROUP / who.size; team++) {
        let partial = partials[team];
        sums += vec2<u32>(select(0u, partial, team < who.team), partial);
    }
    workgroupBarrier();
    return sums;
}

// Which lanes have this digit, as bits.
fn lanes_with(digit: u32) -> Lanes {
    var same = all_lanes();
    for (var bit = 0u; bit < 8u; bit++) {
        unroll();
        // As a sign: `digit & bit != 0` becomes seven instructions by NVRTC 13.0, which makes the condition twice.
        let is_set = bitcast<i32>(digit << (31u - bit)) < 0;
        same &= ballot(is_set) ^ select(Lanes(0xffffffffu), Lanes(0u), is_set);
    }
    return same;
}
alias Lanes = u32;
fn lanes_of(size: u32) -> u32 { return 32u; }
fn all_lanes() -> Lanes { return Lanes(0xffffffffu); }
fn ballot(is_set: bool) -> Lanes { return subgroupBallot(is_set).x; }
fn count_below(same: Lanes, place: u32) -> u32 { return countOneBits(same & ((1u << place) - 1u)); }
fn count_all(same: Lanes) -> u32 { return countOneBits(same); }
var<workgroup> pool: array<atomic<u32>, POOL>;
fn unroll() {
}
