// Rows so short that a workgroup sorts one or several of them, whole, in its own memory.
//
//   for each digit of the key, then of the row's number, the last significant first:
//     rank the tile's items by it; bring them into that order
//   store them: the rows are apart again, each sorted
//
// Items carry their key and where they came from; values are fetched from there at the end.
//
// Left open: WORKGROUP, ITEMS, TILE, TEAMS, STRIPS, POOL; Key, load_key, digit; the steps over the items of an
// invocation (unrolled); rank and scan of shared/sort_*.wgsl.

var<workgroup> pool: array<atomic<u32>, POOL>;

@compute @workgroup_size(WORKGROUP)
fn rows(at: At) {
    let index = at.group.x + at.group.y * at.groups.x;
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

// appended by the host
const WORKGROUP = 256u;
const ITEMS = 32u;
const TILE = 8192u;
const TEAMS = 8u;
const STRIPS = 1u;
const POOL = 8192u;
const PREFIX = 8194u;
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
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) place: u32,
    @builtin(subgroup_size) size: u32,
}

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
fn lanes_of(size: u32) -> u32 { return 32u; }
fn lanes_with(digit: u32) -> u32 {
    var same = 0xffffffffu;
    let set0 = bitcast<i32>(digit << 31u) < 0;
    same &= subgroupBallot(set0).x ^ select(0xffffffffu, 0u, set0);
    let set1 = bitcast<i32>(digit << 30u) < 0;
    same &= subgroupBallot(set1).x ^ select(0xffffffffu, 0u, set1);
    let set2 = bitcast<i32>(digit << 29u) < 0;
    same &= subgroupBallot(set2).x ^ select(0xffffffffu, 0u, set2);
    let set3 = bitcast<i32>(digit << 28u) < 0;
    same &= subgroupBallot(set3).x ^ select(0xffffffffu, 0u, set3);
    let set4 = bitcast<i32>(digit << 27u) < 0;
    same &= subgroupBallot(set4).x ^ select(0xffffffffu, 0u, set4);
    let set5 = bitcast<i32>(digit << 26u) < 0;
    same &= subgroupBallot(set5).x ^ select(0xffffffffu, 0u, set5);
    let set6 = bitcast<i32>(digit << 25u) < 0;
    same &= subgroupBallot(set6).x ^ select(0xffffffffu, 0u, set6);
    let set7 = bitcast<i32>(digit << 24u) < 0;
    same &= subgroupBallot(set7).x ^ select(0xffffffffu, 0u, set7);
    return same;
}
fn count_below(same: u32, place: u32) -> u32 { return countOneBits(same & ((1u << place) - 1u)); }
fn count_all(same: u32) -> u32 { return countOneBits(same); }
fn clear_pool(who: Who) {
    for (var word = who.lane; word < 2048u; word += WORKGROUP) {
        atomicStore(&pool[word], 0u);
    }
}
fn sum_teams(bin: u32, before: ptr<function, array<u32, TEAMS>>) -> u32 {
    var sum = 0u;
    (*before)[0] = sum;
    sum += atomicLoad(&pool[0u * 256u + bin]);
    (*before)[1] = sum;
    sum += atomicLoad(&pool[1u * 256u + bin]);
    (*before)[2] = sum;
    sum += atomicLoad(&pool[2u * 256u + bin]);
    (*before)[3] = sum;
    sum += atomicLoad(&pool[3u * 256u + bin]);
    (*before)[4] = sum;
    sum += atomicLoad(&pool[4u * 256u + bin]);
    (*before)[5] = sum;
    sum += atomicLoad(&pool[5u * 256u + bin]);
    (*before)[6] = sum;
    sum += atomicLoad(&pool[6u * 256u + bin]);
    (*before)[7] = sum;
    sum += atomicLoad(&pool[7u * 256u + bin]);
    return sum;
}
fn start_teams(bin: u32, start: u32, before: ptr<function, array<u32, TEAMS>>) {
    atomicStore(&pool[0u * 256u + bin], start + (*before)[0]);
    atomicStore(&pool[1u * 256u + bin], start + (*before)[1]);
    atomicStore(&pool[2u * 256u + bin], start + (*before)[2]);
    atomicStore(&pool[3u * 256u + bin], start + (*before)[3]);
    atomicStore(&pool[4u * 256u + bin], start + (*before)[4]);
    atomicStore(&pool[5u * 256u + bin], start + (*before)[5]);
    atomicStore(&pool[6u * 256u + bin], start + (*before)[6]);
    atomicStore(&pool[7u * 256u + bin], start + (*before)[7]);
}
fn load_keys(keys: ptr<function, array<Key, ITEMS>>, origins: ptr<function, array<u32, ITEMS>>, first: u32, count: u32, who: Who) {
    (*origins)[0] = who.team * who.size * ITEMS + 0u * who.size + who.place;
    if (who.team * who.size * ITEMS + 0u * who.size + who.place < count) { (*keys)[0] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 0u * who.size + who.place); }
    (*origins)[1] = who.team * who.size * ITEMS + 1u * who.size + who.place;
    if (who.team * who.size * ITEMS + 1u * who.size + who.place < count) { (*keys)[1] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 1u * who.size + who.place); }
    (*origins)[2] = who.team * who.size * ITEMS + 2u * who.size + who.place;
    if (who.team * who.size * ITEMS + 2u * who.size + who.place < count) { (*keys)[2] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 2u * who.size + who.place); }
    (*origins)[3] = who.team * who.size * ITEMS + 3u * who.size + who.place;
    if (who.team * who.size * ITEMS + 3u * who.size + who.place < count) { (*keys)[3] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 3u * who.size + who.place); }
    (*origins)[4] = who.team * who.size * ITEMS + 4u * who.size + who.place;
    if (who.team * who.size * ITEMS + 4u * who.size + who.place < count) { (*keys)[4] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 4u * who.size + who.place); }
    (*origins)[5] = who.team * who.size * ITEMS + 5u * who.size + who.place;
    if (who.team * who.size * ITEMS + 5u * who.size + who.place < count) { (*keys)[5] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 5u * who.size + who.place); }
    (*origins)[6] = who.team * who.size * ITEMS + 6u * who.size + who.place;
    if (who.team * who.size * ITEMS + 6u * who.size + who.place < count) { (*keys)[6] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 6u * who.size + who.place); }
    (*origins)[7] = who.team * who.size * ITEMS + 7u * who.size + who.place;
    if (who.team * who.size * ITEMS + 7u * who.size + who.place < count) { (*keys)[7] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 7u * who.size + who.place); }
    (*origins)[8] = who.team * who.size * ITEMS + 8u * who.size + who.place;
    if (who.team * who.size * ITEMS + 8u * who.size + who.place < count) { (*keys)[8] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 8u * who.size + who.place); }
    (*origins)[9] = who.team * who.size * ITEMS + 9u * who.size + who.place;
    if (who.team * who.size * ITEMS + 9u * who.size + who.place < count) { (*keys)[9] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 9u * who.size + who.place); }
    (*origins)[10] = who.team * who.size * ITEMS + 10u * who.size + who.place;
    if (who.team * who.size * ITEMS + 10u * who.size + who.place < count) { (*keys)[10] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 10u * who.size + who.place); }
    (*origins)[11] = who.team * who.size * ITEMS + 11u * who.size + who.place;
    if (who.team * who.size * ITEMS + 11u * who.size + who.place < count) { (*keys)[11] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 11u * who.size + who.place); }
    (*origins)[12] = who.team * who.size * ITEMS + 12u * who.size + who.place;
    if (who.team * who.size * ITEMS + 12u * who.size + who.place < count) { (*keys)[12] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 12u * who.size + who.place); }
    (*origins)[13] = who.team * who.size * ITEMS + 13u * who.size + who.place;
    if (who.team * who.size * ITEMS + 13u * who.size + who.place < count) { (*keys)[13] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 13u * who.size + who.place); }
    (*origins)[14] = who.team * who.size * ITEMS + 14u * who.size + who.place;
    if (who.team * who.size * ITEMS + 14u * who.size + who.place < count) { (*keys)[14] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 14u * who.size + who.place); }
    (*origins)[15] = who.team * who.size * ITEMS + 15u * who.size + who.place;
    if (who.team * who.size * ITEMS + 15u * who.size + who.place < count) { (*keys)[15] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 15u * who.size + who.place); }
    (*origins)[16] = who.team * who.size * ITEMS + 16u * who.size + who.place;
    if (who.team * who.size * ITEMS + 16u * who.size + who.place < count) { (*keys)[16] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 16u * who.size + who.place); }
    (*origins)[17] = who.team * who.size * ITEMS + 17u * who.size + who.place;
    if (who.team * who.size * ITEMS + 17u * who.size + who.place < count) { (*keys)[17] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 17u * who.size + who.place); }
    (*origins)[18] = who.team * who.size * ITEMS + 18u * who.size + who.place;
    if (who.team * who.size * ITEMS + 18u * who.size + who.place < count) { (*keys)[18] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 18u * who.size + who.place); }
    (*origins)[19] = who.team * who.size * ITEMS + 19u * who.size + who.place;
    if (who.team * who.size * ITEMS + 19u * who.size + who.place < count) { (*keys)[19] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 19u * who.size + who.place); }
    (*origins)[20] = who.team * who.size * ITEMS + 20u * who.size + who.place;
    if (who.team * who.size * ITEMS + 20u * who.size + who.place < count) { (*keys)[20] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 20u * who.size + who.place); }
    (*origins)[21] = who.team * who.size * ITEMS + 21u * who.size + who.place;
    if (who.team * who.size * ITEMS + 21u * who.size + who.place < count) { (*keys)[21] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 21u * who.size + who.place); }
    (*origins)[22] = who.team * who.size * ITEMS + 22u * who.size + who.place;
    if (who.team * who.size * ITEMS + 22u * who.size + who.place < count) { (*keys)[22] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 22u * who.size + who.place); }
    (*origins)[23] = who.team * who.size * ITEMS + 23u * who.size + who.place;
    if (who.team * who.size * ITEMS + 23u * who.size + who.place < count) { (*keys)[23] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 23u * who.size + who.place); }
    (*origins)[24] = who.team * who.size * ITEMS + 24u * who.size + who.place;
    if (who.team * who.size * ITEMS + 24u * who.size + who.place < count) { (*keys)[24] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 24u * who.size + who.place); }
    (*origins)[25] = who.team * who.size * ITEMS + 25u * who.size + who.place;
    if (who.team * who.size * ITEMS + 25u * who.size + who.place < count) { (*keys)[25] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 25u * who.size + who.place); }
    (*origins)[26] = who.team * who.size * ITEMS + 26u * who.size + who.place;
    if (who.team * who.size * ITEMS + 26u * who.size + who.place < count) { (*keys)[26] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 26u * who.size + who.place); }
    (*origins)[27] = who.team * who.size * ITEMS + 27u * who.size + who.place;
    if (who.team * who.size * ITEMS + 27u * who.size + who.place < count) { (*keys)[27] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 27u * who.size + who.place); }
    (*origins)[28] = who.team * who.size * ITEMS + 28u * who.size + who.place;
    if (who.team * who.size * ITEMS + 28u * who.size + who.place < count) { (*keys)[28] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 28u * who.size + who.place); }
    (*origins)[29] = who.team * who.size * ITEMS + 29u * who.size + who.place;
    if (who.team * who.size * ITEMS + 29u * who.size + who.place < count) { (*keys)[29] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 29u * who.size + who.place); }
    (*origins)[30] = who.team * who.size * ITEMS + 30u * who.size + who.place;
    if (who.team * who.size * ITEMS + 30u * who.size + who.place < count) { (*keys)[30] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 30u * who.size + who.place); }
    (*origins)[31] = who.team * who.size * ITEMS + 31u * who.size + who.place;
    if (who.team * who.size * ITEMS + 31u * who.size + who.place < count) { (*keys)[31] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 31u * who.size + who.place); }
}
fn rank_keys(keys: ptr<function, array<Key, ITEMS>>, origins: ptr<function, array<u32, ITEMS>>, places: ptr<function, array<u32, ITEMS>>, pass_: u32, count: u32, who: Who) {
    (*places)[0] = rank(digit_of((*keys)[0], (*origins)[0], pass_, count), 0u, who);
    (*places)[1] = rank(digit_of((*keys)[1], (*origins)[1], pass_, count), 1u, who);
    (*places)[2] = rank(digit_of((*keys)[2], (*origins)[2], pass_, count), 2u, who);
    (*places)[3] = rank(digit_of((*keys)[3], (*origins)[3], pass_, count), 3u, who);
    (*places)[4] = rank(digit_of((*keys)[4], (*origins)[4], pass_, count), 4u, who);
    (*places)[5] = rank(digit_of((*keys)[5], (*origins)[5], pass_, count), 5u, who);
    (*places)[6] = rank(digit_of((*keys)[6], (*origins)[6], pass_, count), 6u, who);
    (*places)[7] = rank(digit_of((*keys)[7], (*origins)[7], pass_, count), 7u, who);
    (*places)[8] = rank(digit_of((*keys)[8], (*origins)[8], pass_, count), 8u, who);
    (*places)[9] = rank(digit_of((*keys)[9], (*origins)[9], pass_, count), 9u, who);
    (*places)[10] = rank(digit_of((*keys)[10], (*origins)[10], pass_, count), 10u, who);
    (*places)[11] = rank(digit_of((*keys)[11], (*origins)[11], pass_, count), 11u, who);
    (*places)[12] = rank(digit_of((*keys)[12], (*origins)[12], pass_, count), 12u, who);
    (*places)[13] = rank(digit_of((*keys)[13], (*origins)[13], pass_, count), 13u, who);
    (*places)[14] = rank(digit_of((*keys)[14], (*origins)[14], pass_, count), 14u, who);
    (*places)[15] = rank(digit_of((*keys)[15], (*origins)[15], pass_, count), 15u, who);
    (*places)[16] = rank(digit_of((*keys)[16], (*origins)[16], pass_, count), 16u, who);
    (*places)[17] = rank(digit_of((*keys)[17], (*origins)[17], pass_, count), 17u, who);
    (*places)[18] = rank(digit_of((*keys)[18], (*origins)[18], pass_, count), 18u, who);
    (*places)[19] = rank(digit_of((*keys)[19], (*origins)[19], pass_, count), 19u, who);
    (*places)[20] = rank(digit_of((*keys)[20], (*origins)[20], pass_, count), 20u, who);
    (*places)[21] = rank(digit_of((*keys)[21], (*origins)[21], pass_, count), 21u, who);
    (*places)[22] = rank(digit_of((*keys)[22], (*origins)[22], pass_, count), 22u, who);
    (*places)[23] = rank(digit_of((*keys)[23], (*origins)[23], pass_, count), 23u, who);
    (*places)[24] = rank(digit_of((*keys)[24], (*origins)[24], pass_, count), 24u, who);
    (*places)[25] = rank(digit_of((*keys)[25], (*origins)[25], pass_, count), 25u, who);
    (*places)[26] = rank(digit_of((*keys)[26], (*origins)[26], pass_, count), 26u, who);
    (*places)[27] = rank(digit_of((*keys)[27], (*origins)[27], pass_, count), 27u, who);
    (*places)[28] = rank(digit_of((*keys)[28], (*origins)[28], pass_, count), 28u, who);
    (*places)[29] = rank(digit_of((*keys)[29], (*origins)[29], pass_, count), 29u, who);
    (*places)[30] = rank(digit_of((*keys)[30], (*origins)[30], pass_, count), 30u, who);
    (*places)[31] = rank(digit_of((*keys)[31], (*origins)[31], pass_, count), 31u, who);
}
fn place_keys(keys: ptr<function, array<Key, ITEMS>>, origins: ptr<function, array<u32, ITEMS>>, places: ptr<function, array<u32, ITEMS>>, pass_: u32, count: u32, who: Who) {
    (*places)[0] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[0], (*origins)[0], pass_, count)]);
    (*places)[1] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[1], (*origins)[1], pass_, count)]);
    (*places)[2] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[2], (*origins)[2], pass_, count)]);
    (*places)[3] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[3], (*origins)[3], pass_, count)]);
    (*places)[4] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[4], (*origins)[4], pass_, count)]);
    (*places)[5] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[5], (*origins)[5], pass_, count)]);
    (*places)[6] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[6], (*origins)[6], pass_, count)]);
    (*places)[7] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[7], (*origins)[7], pass_, count)]);
    (*places)[8] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[8], (*origins)[8], pass_, count)]);
    (*places)[9] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[9], (*origins)[9], pass_, count)]);
    (*places)[10] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[10], (*origins)[10], pass_, count)]);
    (*places)[11] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[11], (*origins)[11], pass_, count)]);
    (*places)[12] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[12], (*origins)[12], pass_, count)]);
    (*places)[13] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[13], (*origins)[13], pass_, count)]);
    (*places)[14] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[14], (*origins)[14], pass_, count)]);
    (*places)[15] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[15], (*origins)[15], pass_, count)]);
    (*places)[16] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[16], (*origins)[16], pass_, count)]);
    (*places)[17] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[17], (*origins)[17], pass_, count)]);
    (*places)[18] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[18], (*origins)[18], pass_, count)]);
    (*places)[19] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[19], (*origins)[19], pass_, count)]);
    (*places)[20] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[20], (*origins)[20], pass_, count)]);
    (*places)[21] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[21], (*origins)[21], pass_, count)]);
    (*places)[22] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[22], (*origins)[22], pass_, count)]);
    (*places)[23] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[23], (*origins)[23], pass_, count)]);
    (*places)[24] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[24], (*origins)[24], pass_, count)]);
    (*places)[25] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[25], (*origins)[25], pass_, count)]);
    (*places)[26] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[26], (*origins)[26], pass_, count)]);
    (*places)[27] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[27], (*origins)[27], pass_, count)]);
    (*places)[28] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[28], (*origins)[28], pass_, count)]);
    (*places)[29] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[29], (*origins)[29], pass_, count)]);
    (*places)[30] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[30], (*origins)[30], pass_, count)]);
    (*places)[31] += atomicLoad(&pool[who.team * 256u + digit_of((*keys)[31], (*origins)[31], pass_, count)]);
}
fn exchange(keys: ptr<function, array<Key, ITEMS>>, origins: ptr<function, array<u32, ITEMS>>, places: ptr<function, array<u32, ITEMS>>, who: Who) {
    workgroupBarrier();
    atomicStore(&pool[(*places)[0]], (*origins)[0]);
    atomicStore(&pool[(*places)[1]], (*origins)[1]);
    atomicStore(&pool[(*places)[2]], (*origins)[2]);
    atomicStore(&pool[(*places)[3]], (*origins)[3]);
    atomicStore(&pool[(*places)[4]], (*origins)[4]);
    atomicStore(&pool[(*places)[5]], (*origins)[5]);
    atomicStore(&pool[(*places)[6]], (*origins)[6]);
    atomicStore(&pool[(*places)[7]], (*origins)[7]);
    atomicStore(&pool[(*places)[8]], (*origins)[8]);
    atomicStore(&pool[(*places)[9]], (*origins)[9]);
    atomicStore(&pool[(*places)[10]], (*origins)[10]);
    atomicStore(&pool[(*places)[11]], (*origins)[11]);
    atomicStore(&pool[(*places)[12]], (*origins)[12]);
    atomicStore(&pool[(*places)[13]], (*origins)[13]);
    atomicStore(&pool[(*places)[14]], (*origins)[14]);
    atomicStore(&pool[(*places)[15]], (*origins)[15]);
    atomicStore(&pool[(*places)[16]], (*origins)[16]);
    atomicStore(&pool[(*places)[17]], (*origins)[17]);
    atomicStore(&pool[(*places)[18]], (*origins)[18]);
    atomicStore(&pool[(*places)[19]], (*origins)[19]);
    atomicStore(&pool[(*places)[20]], (*origins)[20]);
    atomicStore(&pool[(*places)[21]], (*origins)[21]);
    atomicStore(&pool[(*places)[22]], (*origins)[22]);
    atomicStore(&pool[(*places)[23]], (*origins)[23]);
    atomicStore(&pool[(*places)[24]], (*origins)[24]);
    atomicStore(&pool[(*places)[25]], (*origins)[25]);
    atomicStore(&pool[(*places)[26]], (*origins)[26]);
    atomicStore(&pool[(*places)[27]], (*origins)[27]);
    atomicStore(&pool[(*places)[28]], (*origins)[28]);
    atomicStore(&pool[(*places)[29]], (*origins)[29]);
    atomicStore(&pool[(*places)[30]], (*origins)[30]);
    atomicStore(&pool[(*places)[31]], (*origins)[31]);
    workgroupBarrier();
    (*origins)[0] = atomicLoad(&pool[who.team * who.size * ITEMS + 0u * who.size + who.place]);
    (*origins)[1] = atomicLoad(&pool[who.team * who.size * ITEMS + 1u * who.size + who.place]);
    (*origins)[2] = atomicLoad(&pool[who.team * who.size * ITEMS + 2u * who.size + who.place]);
    (*origins)[3] = atomicLoad(&pool[who.team * who.size * ITEMS + 3u * who.size + who.place]);
    (*origins)[4] = atomicLoad(&pool[who.team * who.size * ITEMS + 4u * who.size + who.place]);
    (*origins)[5] = atomicLoad(&pool[who.team * who.size * ITEMS + 5u * who.size + who.place]);
    (*origins)[6] = atomicLoad(&pool[who.team * who.size * ITEMS + 6u * who.size + who.place]);
    (*origins)[7] = atomicLoad(&pool[who.team * who.size * ITEMS + 7u * who.size + who.place]);
    (*origins)[8] = atomicLoad(&pool[who.team * who.size * ITEMS + 8u * who.size + who.place]);
    (*origins)[9] = atomicLoad(&pool[who.team * who.size * ITEMS + 9u * who.size + who.place]);
    (*origins)[10] = atomicLoad(&pool[who.team * who.size * ITEMS + 10u * who.size + who.place]);
    (*origins)[11] = atomicLoad(&pool[who.team * who.size * ITEMS + 11u * who.size + who.place]);
    (*origins)[12] = atomicLoad(&pool[who.team * who.size * ITEMS + 12u * who.size + who.place]);
    (*origins)[13] = atomicLoad(&pool[who.team * who.size * ITEMS + 13u * who.size + who.place]);
    (*origins)[14] = atomicLoad(&pool[who.team * who.size * ITEMS + 14u * who.size + who.place]);
    (*origins)[15] = atomicLoad(&pool[who.team * who.size * ITEMS + 15u * who.size + who.place]);
    (*origins)[16] = atomicLoad(&pool[who.team * who.size * ITEMS + 16u * who.size + who.place]);
    (*origins)[17] = atomicLoad(&pool[who.team * who.size * ITEMS + 17u * who.size + who.place]);
    (*origins)[18] = atomicLoad(&pool[who.team * who.size * ITEMS + 18u * who.size + who.place]);
    (*origins)[19] = atomicLoad(&pool[who.team * who.size * ITEMS + 19u * who.size + who.place]);
    (*origins)[20] = atomicLoad(&pool[who.team * who.size * ITEMS + 20u * who.size + who.place]);
    (*origins)[21] = atomicLoad(&pool[who.team * who.size * ITEMS + 21u * who.size + who.place]);
    (*origins)[22] = atomicLoad(&pool[who.team * who.size * ITEMS + 22u * who.size + who.place]);
    (*origins)[23] = atomicLoad(&pool[who.team * who.size * ITEMS + 23u * who.size + who.place]);
    (*origins)[24] = atomicLoad(&pool[who.team * who.size * ITEMS + 24u * who.size + who.place]);
    (*origins)[25] = atomicLoad(&pool[who.team * who.size * ITEMS + 25u * who.size + who.place]);
    (*origins)[26] = atomicLoad(&pool[who.team * who.size * ITEMS + 26u * who.size + who.place]);
    (*origins)[27] = atomicLoad(&pool[who.team * who.size * ITEMS + 27u * who.size + who.place]);
    (*origins)[28] = atomicLoad(&pool[who.team * who.size * ITEMS + 28u * who.size + who.place]);
    (*origins)[29] = atomicLoad(&pool[who.team * who.size * ITEMS + 29u * who.size + who.place]);
    (*origins)[30] = atomicLoad(&pool[who.team * who.size * ITEMS + 30u * who.size + who.place]);
    (*origins)[31] = atomicLoad(&pool[who.team * who.size * ITEMS + 31u * who.size + who.place]);
    workgroupBarrier();
    atomicStore(&pool[(*places)[0]], (*keys)[0]);
    atomicStore(&pool[(*places)[1]], (*keys)[1]);
    atomicStore(&pool[(*places)[2]], (*keys)[2]);
    atomicStore(&pool[(*places)[3]], (*keys)[3]);
    atomicStore(&pool[(*places)[4]], (*keys)[4]);
    atomicStore(&pool[(*places)[5]], (*keys)[5]);
    atomicStore(&pool[(*places)[6]], (*keys)[6]);
    atomicStore(&pool[(*places)[7]], (*keys)[7]);
    atomicStore(&pool[(*places)[8]], (*keys)[8]);
    atomicStore(&pool[(*places)[9]], (*keys)[9]);
    atomicStore(&pool[(*places)[10]], (*keys)[10]);
    atomicStore(&pool[(*places)[11]], (*keys)[11]);
    atomicStore(&pool[(*places)[12]], (*keys)[12]);
    atomicStore(&pool[(*places)[13]], (*keys)[13]);
    atomicStore(&pool[(*places)[14]], (*keys)[14]);
    atomicStore(&pool[(*places)[15]], (*keys)[15]);
    atomicStore(&pool[(*places)[16]], (*keys)[16]);
    atomicStore(&pool[(*places)[17]], (*keys)[17]);
    atomicStore(&pool[(*places)[18]], (*keys)[18]);
    atomicStore(&pool[(*places)[19]], (*keys)[19]);
    atomicStore(&pool[(*places)[20]], (*keys)[20]);
    atomicStore(&pool[(*places)[21]], (*keys)[21]);
    atomicStore(&pool[(*places)[22]], (*keys)[22]);
    atomicStore(&pool[(*places)[23]], (*keys)[23]);
    atomicStore(&pool[(*places)[24]], (*keys)[24]);
    atomicStore(&pool[(*places)[25]], (*keys)[25]);
    atomicStore(&pool[(*places)[26]], (*keys)[26]);
    atomicStore(&pool[(*places)[27]], (*keys)[27]);
    atomicStore(&pool[(*places)[28]], (*keys)[28]);
    atomicStore(&pool[(*places)[29]], (*keys)[29]);
    atomicStore(&pool[(*places)[30]], (*keys)[30]);
    atomicStore(&pool[(*places)[31]], (*keys)[31]);
    workgroupBarrier();
    (*keys)[0] = atomicLoad(&pool[who.team * who.size * ITEMS + 0u * who.size + who.place]);
    (*keys)[1] = atomicLoad(&pool[who.team * who.size * ITEMS + 1u * who.size + who.place]);
    (*keys)[2] = atomicLoad(&pool[who.team * who.size * ITEMS + 2u * who.size + who.place]);
    (*keys)[3] = atomicLoad(&pool[who.team * who.size * ITEMS + 3u * who.size + who.place]);
    (*keys)[4] = atomicLoad(&pool[who.team * who.size * ITEMS + 4u * who.size + who.place]);
    (*keys)[5] = atomicLoad(&pool[who.team * who.size * ITEMS + 5u * who.size + who.place]);
    (*keys)[6] = atomicLoad(&pool[who.team * who.size * ITEMS + 6u * who.size + who.place]);
    (*keys)[7] = atomicLoad(&pool[who.team * who.size * ITEMS + 7u * who.size + who.place]);
    (*keys)[8] = atomicLoad(&pool[who.team * who.size * ITEMS + 8u * who.size + who.place]);
    (*keys)[9] = atomicLoad(&pool[who.team * who.size * ITEMS + 9u * who.size + who.place]);
    (*keys)[10] = atomicLoad(&pool[who.team * who.size * ITEMS + 10u * who.size + who.place]);
    (*keys)[11] = atomicLoad(&pool[who.team * who.size * ITEMS + 11u * who.size + who.place]);
    (*keys)[12] = atomicLoad(&pool[who.team * who.size * ITEMS + 12u * who.size + who.place]);
    (*keys)[13] = atomicLoad(&pool[who.team * who.size * ITEMS + 13u * who.size + who.place]);
    (*keys)[14] = atomicLoad(&pool[who.team * who.size * ITEMS + 14u * who.size + who.place]);
    (*keys)[15] = atomicLoad(&pool[who.team * who.size * ITEMS + 15u * who.size + who.place]);
    (*keys)[16] = atomicLoad(&pool[who.team * who.size * ITEMS + 16u * who.size + who.place]);
    (*keys)[17] = atomicLoad(&pool[who.team * who.size * ITEMS + 17u * who.size + who.place]);
    (*keys)[18] = atomicLoad(&pool[who.team * who.size * ITEMS + 18u * who.size + who.place]);
    (*keys)[19] = atomicLoad(&pool[who.team * who.size * ITEMS + 19u * who.size + who.place]);
    (*keys)[20] = atomicLoad(&pool[who.team * who.size * ITEMS + 20u * who.size + who.place]);
    (*keys)[21] = atomicLoad(&pool[who.team * who.size * ITEMS + 21u * who.size + who.place]);
    (*keys)[22] = atomicLoad(&pool[who.team * who.size * ITEMS + 22u * who.size + who.place]);
    (*keys)[23] = atomicLoad(&pool[who.team * who.size * ITEMS + 23u * who.size + who.place]);
    (*keys)[24] = atomicLoad(&pool[who.team * who.size * ITEMS + 24u * who.size + who.place]);
    (*keys)[25] = atomicLoad(&pool[who.team * who.size * ITEMS + 25u * who.size + who.place]);
    (*keys)[26] = atomicLoad(&pool[who.team * who.size * ITEMS + 26u * who.size + who.place]);
    (*keys)[27] = atomicLoad(&pool[who.team * who.size * ITEMS + 27u * who.size + who.place]);
    (*keys)[28] = atomicLoad(&pool[who.team * who.size * ITEMS + 28u * who.size + who.place]);
    (*keys)[29] = atomicLoad(&pool[who.team * who.size * ITEMS + 29u * who.size + who.place]);
    (*keys)[30] = atomicLoad(&pool[who.team * who.size * ITEMS + 30u * who.size + who.place]);
    (*keys)[31] = atomicLoad(&pool[who.team * who.size * ITEMS + 31u * who.size + who.place]);
}
fn store_items(keys: ptr<function, array<Key, ITEMS>>, origins: ptr<function, array<u32, ITEMS>>, first: u32, count: u32, who: Who) {
    if (who.team * who.size * ITEMS + 0u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 0u * who.size + who.place, (*keys)[0]); }
    if (who.team * who.size * ITEMS + 1u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 1u * who.size + who.place, (*keys)[1]); }
    if (who.team * who.size * ITEMS + 2u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 2u * who.size + who.place, (*keys)[2]); }
    if (who.team * who.size * ITEMS + 3u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 3u * who.size + who.place, (*keys)[3]); }
    if (who.team * who.size * ITEMS + 4u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 4u * who.size + who.place, (*keys)[4]); }
    if (who.team * who.size * ITEMS + 5u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 5u * who.size + who.place, (*keys)[5]); }
    if (who.team * who.size * ITEMS + 6u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 6u * who.size + who.place, (*keys)[6]); }
    if (who.team * who.size * ITEMS + 7u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 7u * who.size + who.place, (*keys)[7]); }
    if (who.team * who.size * ITEMS + 8u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 8u * who.size + who.place, (*keys)[8]); }
    if (who.team * who.size * ITEMS + 9u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 9u * who.size + who.place, (*keys)[9]); }
    if (who.team * who.size * ITEMS + 10u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 10u * who.size + who.place, (*keys)[10]); }
    if (who.team * who.size * ITEMS + 11u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 11u * who.size + who.place, (*keys)[11]); }
    if (who.team * who.size * ITEMS + 12u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 12u * who.size + who.place, (*keys)[12]); }
    if (who.team * who.size * ITEMS + 13u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 13u * who.size + who.place, (*keys)[13]); }
    if (who.team * who.size * ITEMS + 14u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 14u * who.size + who.place, (*keys)[14]); }
    if (who.team * who.size * ITEMS + 15u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 15u * who.size + who.place, (*keys)[15]); }
    if (who.team * who.size * ITEMS + 16u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 16u * who.size + who.place, (*keys)[16]); }
    if (who.team * who.size * ITEMS + 17u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 17u * who.size + who.place, (*keys)[17]); }
    if (who.team * who.size * ITEMS + 18u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 18u * who.size + who.place, (*keys)[18]); }
    if (who.team * who.size * ITEMS + 19u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 19u * who.size + who.place, (*keys)[19]); }
    if (who.team * who.size * ITEMS + 20u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 20u * who.size + who.place, (*keys)[20]); }
    if (who.team * who.size * ITEMS + 21u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 21u * who.size + who.place, (*keys)[21]); }
    if (who.team * who.size * ITEMS + 22u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 22u * who.size + who.place, (*keys)[22]); }
    if (who.team * who.size * ITEMS + 23u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 23u * who.size + who.place, (*keys)[23]); }
    if (who.team * who.size * ITEMS + 24u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 24u * who.size + who.place, (*keys)[24]); }
    if (who.team * who.size * ITEMS + 25u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 25u * who.size + who.place, (*keys)[25]); }
    if (who.team * who.size * ITEMS + 26u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 26u * who.size + who.place, (*keys)[26]); }
    if (who.team * who.size * ITEMS + 27u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 27u * who.size + who.place, (*keys)[27]); }
    if (who.team * who.size * ITEMS + 28u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 28u * who.size + who.place, (*keys)[28]); }
    if (who.team * who.size * ITEMS + 29u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 29u * who.size + who.place, (*keys)[29]); }
    if (who.team * who.size * ITEMS + 30u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 30u * who.size + who.place, (*keys)[30]); }
    if (who.team * who.size * ITEMS + 31u * who.size + who.place < count) { store_key(first + who.team * who.size * ITEMS + 31u * who.size + who.place, (*keys)[31]); }
}
fn bounded_count() -> u32 { return params.count; }
