// Ranks and sums of a workgroup without subgroups: teams of 32 invocations find their equals by bits in workgroup
// memory (the "fake" ballot of Raph Levien's sort), with barriers where a subgroup needs none.

struct At {
    @builtin(local_invocation_index) lane: u32,
}

// Sets of a team's words in the pool: its counters, and two of bits.
const SETS: u32 = 3u;

var<workgroup> sums: array<u32, WORKGROUP>;

fn who_is(at: At) -> Who {
    return Who(at.lane, at.lane / 32u, at.lane % 32u, 32u);
}

// How many of the team's items with this digit come before: its lanes before this one, and its items before.
//
// Items take turns with two sets of bits: one is cleared while the other fills.
fn rank(digit: u32, nth: u32, who: Who) -> u32 {
    let counter = who.team * 256u + digit;
    let bits = ((1u + (nth & 1u)) * TEAMS + who.team) * 256u + digit;
    atomicOr(&pool[bits], 1u << who.place);
    workgroupBarrier();
    let same = atomicLoad(&pool[bits]);
    let earlier = atomicLoad(&pool[counter]);
    workgroupBarrier();
    let before = countOneBits(same & ((1u << who.place) - 1u));
    if (before == 0u) {
        atomicStore(&pool[counter], earlier + countOneBits(same));
        atomicStore(&pool[bits], 0u);
    }
    return earlier + before;
}

// The sum of the values of the lanes before, and of all.
fn scan(value: u32, who: Who) -> vec2<u32> {
    var through = value;
    for (var step = 1u; step < WORKGROUP; step *= 2u) {
        sums[who.lane] = through;
        workgroupBarrier();
        if (who.lane >= step) {
            through += sums[who.lane - step];
        }
        workgroupBarrier();
    }
    sums[who.lane] = through;
    workgroupBarrier();
    let all = sums[WORKGROUP - 1u];
    workgroupBarrier();
    return vec2<u32>(through - value, all);
}
