// Rows so short that a workgroup sorts one or several of them, whole, in its own memory.
//
//   for each digit of the key, then of the row's number, the last significant first:
//     rank the tile's items by it; bring them into that order
//   store them: the rows are apart again, each sorted
//
// Items carry their key and where they came from; values are fetched from there at the end.
//
// Left open: WORKGROUP, ITEMS, TILE, TEAMS, STRIPS, POOL; Key, KEY_WORDS, KEYS_OUT, load_key, store_key, digit, the words
// of a key; VALUES_OUT, store_value, value_of; shared/sort_*.wgsl.

var<workgroup> pool: array<atomic<u32>, POOL>;

@compute @workgroup_size(WORKGROUP)
fn rows(at: At, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = group.x + group.y * groups.x;
    if (index >= params.groups) {
        return;
    }
    let who = who_is(at);
    let first = index * params.group_rows * params.length;
    let count = min(params.group_rows * params.length, bounded_count() - first);
    var keys: array<Key, ITEMS>;
    var origins: array<u32, ITEMS>;
    var places: array<u32, ITEMS>;
    load_keys(&keys, &origins, first, count, who);
    for (var pass_ = 0u; pass_ < params.places + params.row_places; pass_++) {
        workgroupBarrier();
        clear_pool(who);
        workgroupBarrier();
        rank_keys(&keys, &origins, &places, pass_, count, who);
        workgroupBarrier();
        var carry = 0u;
        for (var strip = 0u; strip < STRIPS; strip++) {
            let bin = strip * WORKGROUP + who.lane;
            var before: array<u32, TEAMS>;
            var total = 0u;
            if (bin < 256u) {
                total = sum_teams(bin, &before);
            }
            let sums = scan(total, who);
            if (bin < 256u) {
                start_teams(bin, carry + sums.x, &before);
            }
            carry += sums.y;
        }
        workgroupBarrier();
        place_keys(&keys, &origins, &places, pass_, count, who);
        exchange(&keys, &origins, &places, who);
    }
    store_items(&keys, &origins, first, count, who);
}

// The digit that a pass looks at: of the key, or of the row's number. What is past the end goes last.
fn digit_of(key: Key, origin: u32, pass_: u32, count: u32) -> u32 {
    if (origin >= count) {
        return 255u;
    }
    if (pass_ >= params.places) {
        return ((origin / params.length) >> (8u * (pass_ - params.places))) & 255u;
    }
    let mask = select(255u, params.last_mask, pass_ == params.places - 1u);
    return digit(key, params.begin + 8u * pass_, mask);
}

fn load_keys(
    keys: ptr<function, array<Key, ITEMS>>,
    origins: ptr<function, array<u32, ITEMS>>,
    first: u32,
    count: u32,
    who: Who,
) {
    let own = first_item(who);
    for (var i = 0u; i < ITEMS; i++) {
        unroll();
        let item = own + i * who.size;
        (*origins)[i] = item;
        if (item < count) {
            (*keys)[i] = load_key(params.keys_first + first + item);
        }
    }
}

// The rank of each item among its team's items of the same digit.
fn rank_keys(
    keys: ptr<function, array<Key, ITEMS>>,
    origins: ptr<function, array<u32, ITEMS>>,
    places: ptr<function, array<u32, ITEMS>>,
    pass_: u32,
    count: u32,
    who: Who,
) {
    for (var i = 0u; i < ITEMS; i++) {
        unroll();
        (*places)[i] = rank(digit_of((*keys)[i], (*origins)[i], pass_, count), i, who);
    }
}

// The place of each item in the tile's order.
fn place_keys(
    keys: ptr<function, array<Key, ITEMS>>,
    origins: ptr<function, array<u32, ITEMS>>,
    places: ptr<function, array<u32, ITEMS>>,
    pass_: u32,
    count: u32,
    who: Who,
) {
    for (var i = 0u; i < ITEMS; i++) {
        unroll();
        (*places)[i] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[i], (*origins)[i], pass_, count)]);
    }
}

// Brings the items to their places, a word at a time. The next pass takes them in the order of the teams.
fn exchange(
    keys: ptr<function, array<Key, ITEMS>>,
    origins: ptr<function, array<u32, ITEMS>>,
    places: ptr<function, array<u32, ITEMS>>,
    who: Who,
) {
    let own = first_item(who);
    workgroupBarrier();
    for (var i = 0u; i < ITEMS; i++) {
        unroll();
        atomicStore(&pool[(*places)[i]], (*origins)[i]);
    }
    workgroupBarrier();
    for (var i = 0u; i < ITEMS; i++) {
        unroll();
        (*origins)[i] = atomicLoad(&pool[own + i * who.size]);
    }
    for (var word = 0u; word < KEY_WORDS; word++) {
        unroll();
        workgroupBarrier();
        for (var i = 0u; i < ITEMS; i++) {
            unroll();
            atomicStore(&pool[(*places)[i]], key_word((*keys)[i], word));
        }
        workgroupBarrier();
        for (var i = 0u; i < ITEMS; i++) {
            unroll();
            (*keys)[i] = with_key_word((*keys)[i], word, atomicLoad(&pool[own + i * who.size]));
        }
    }
}

fn store_items(
    keys: ptr<function, array<Key, ITEMS>>,
    origins: ptr<function, array<u32, ITEMS>>,
    first: u32,
    count: u32,
    who: Who,
) {
    let own = first_item(who);
    if (KEYS_OUT > 0u) {
        for (var i = 0u; i < ITEMS; i++) {
            unroll();
            if (own + i * who.size < count) {
                store_key(first + own + i * who.size, (*keys)[i]);
            }
        }
    }
    if (VALUES_OUT > 0u) {
        for (var i = 0u; i < ITEMS; i++) {
            unroll();
            if (own + i * who.size < count) {
                store_value(first + own + i * who.size, value_of(first, (*origins)[i]));
            }
        }
    }
}

// appended by the host
const WORKGROUP = 256u;
const ITEMS = 32u;
const TILE = 8192u;
const TEAMS = 8u;
const STRIPS = 1u;
const POOL = 8192u;
const PREFIX = 8194u;
const KEY_WORDS = 1u;
const KEYS_OUT = 1u;
const VALUE_WORDS = 1u;
const VALUES_OUT = 0u;
struct Params {
    groups: u32,
    group_rows: u32,
    length: u32,
    count: u32,
    begin: u32,
    places: u32,
    last_mask: u32,
    row_places: u32,
    keys_first: u32,
    values_first: u32,
    keys_out_first: u32,
    values_out_first: u32,
}
var<immediate> params: Params;
@group(0) @binding(0) var<storage, read> keys_in: array<u32>;
fn load_key(i: u32) -> Key { return keys_in[i]; }
@group(0) @binding(1) var<storage, read_write> keys_out0: array<u32>;
fn store_key(at: u32, v: u32) {
    keys_out0[params.keys_out_first + at] = v;
}
fn store_value(at: u32, v: u32) { }
alias Key = u32;
const LAST = 0xffffffffu;
fn digit(key: Key, shift: u32, mask: u32) -> u32 {
    let n = key;
    return (n >> shift) & mask;
}
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
// The counters of a workgroup's teams, one for each digit: at the beginning of the pool, SETS times as many words.

fn clear_pool(who: Who) {
    for (var word = who.lane; word < SETS * TEAMS * 256u; word += WORKGROUP) {
        atomicStore(&pool[word], 0u);
    }
}

// How many items have a digit, in all teams; and in those before each.
fn sum_teams(bin: u32, before: ptr<function, array<u32, TEAMS>>) -> u32 {
    var sum = 0u;
    for (var team = 0u; team < TEAMS; team++) {
        unroll();
        (*before)[team] = sum;
        sum += atomicLoad(&pool[team * 256u + bin]);
    }
    return sum;
}

// Makes counters where each team's items of a digit begin.
fn start_teams(bin: u32, start: u32, before: ptr<function, array<u32, TEAMS>>) {
    for (var team = 0u; team < TEAMS; team++) {
        unroll();
        atomicStore(&pool[team * 256u + bin], start + (*before)[team]);
    }
}

// The first item of an invocation. Its others follow who.size apart: a team's items are side by side.
fn first_item(who: Who) -> u32 {
    return who.team * who.size * ITEMS + who.place;
}
fn key_word(v: u32, nth: u32) -> u32 { return v; }
fn with_key_word(v: u32, nth: u32, word: u32) -> u32 { return word; }
fn value_of(first: u32, origin: u32) -> u32 { return origin % params.length; }
fn bounded_count() -> u32 { return params.count; }
fn unroll() {
}
