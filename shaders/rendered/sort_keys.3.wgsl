// One pass of a radix sort: each key goes to its place by one digit, equal digits in the order they come in.
//
//   for each tile of a row, in any order and side by side:
//     rank its keys among those of the tile with the same digit
//     publish how many of each digit there are                                  state = 1 + count
//     bring keys of one digit side by side, in workgroup memory
//     for each digit: add up what the tiles before have published, backwards to a known prefix
//       after SPINS looks in vain: count the digits of the tile that has published nothing, and publish for it
//     publish the prefix                                                        state = PREFIX + prefix + count
//     store each key at prefix(digit) + its rank
//
// Onesweep (Adinets and Merrill, 2022) with decoupled fallback (Smith, Levien and Owens, SPAA 2025): no tile waits for
// another for ever, so nothing is assumed of the order or the progress of workgroups. Flag and value are one word, since
// atomics are relaxed: 0 is nothing yet, up to TILE + 1 a count, from PREFIX = TILE + 2 on a prefix. atomicMax never
// takes a prefix back. The tile before the first is there always: the row's seed, or the last tile of the window before.
// The last tile is filled up with the key LAST, which ends up behind all others.
//
// Left open: WORKGROUP, ITEMS, TILE, TEAMS, STRIPS, POOL, PREFIX, SPINS; Key, LAST, load_key, digit; the steps over the
// items of an invocation (unrolled); rank and scan of shared/sort_*.wgsl.

// The counters of each team, then the tile's keys in order, as many at a time as go through in a turn.
var<workgroup> pool: array<atomic<u32>, POOL>;
// Where the keys of each digit go, less where they lie in the tile.
var<workgroup> offsets: array<u32, 256>;
var<workgroup> tally: array<atomic<u32>, 256>;
var<workgroup> furthest: atomic<u32>;
var<workgroup> stalled: u32;

@compute @workgroup_size(WORKGROUP)
fn scatter(at: At) {
    let who = who_is(at);
    let index = tile_index(at, who);
    if (index >= params.groups) {
        return;
    }
    let row = index / params.row_tiles;
    let tile = index % params.row_tiles;
    if (tile * TILE >= bounded_length()) {
        return;
    }
    let first = row * params.stride + tile * TILE;
    let count = min(TILE, bounded_length() - tile * TILE);
    let chain = row * (params.row_tiles + 1u) * 256u;
    var keys: array<Key, ITEMS>;
    var places: array<u32, ITEMS>;
    load_keys(&keys, first, count, who);
    clear_pool(who);
    workgroupBarrier();
    rank_keys(&keys, &places, who);
    workgroupBarrier();
    var totals: array<u32, STRIPS>;
    var carry = 0u;
    for (var strip = 0u; strip < STRIPS; strip++) {
        let bin = strip * WORKGROUP + who.lane;
        var before: array<u32, TEAMS>;
        var total = 0u;
        if (bin < 256u) {
            total = sum_teams(bin, &before);
            atomicMax(&state[chain + (tile + 1u) * 256u + bin], total + 1u);
        }
        let sums = scan(total, who);
        if (bin < 256u) {
            start_teams(bin, carry + sums.x, &before);
            offsets[bin] = carry + sums.x;
        }
        totals[strip] = total;
        carry += sums.y;
    }
    workgroupBarrier();
    place_keys(&keys, &places, who);
    workgroupBarrier();
    put_keys(&keys, &places);
    for (var strip = 0u; strip < STRIPS; strip++) {
        let bin = strip * WORKGROUP + who.lane;
        let prefix = look_back(bin, row, tile, chain, who);
        if (bin < 256u) {
            atomicMax(&state[chain + (tile + 1u) * 256u + bin], PREFIX + prefix + totals[strip]);
            offsets[bin] = params.out_base + row * params.stride + prefix - offsets[bin];
        }
    }
    workgroupBarrier();
    var targets: array<u32, ITEMS>;
    store_keys(&keys, &places, &targets, count, who);
    store_values(&places, &targets, first, tile * TILE, count, who);
}

// Which tile this workgroup orders: its number, or, where params.ticket names a counter, the next that nobody has begun.
fn tile_index(at: At, who: Who) -> u32 {
    if (params.ticket == 0xffffffffu) {
        return at.group.x + at.group.y * at.groups.x;
    }
    if (who.lane == 0u) {
        stalled = atomicAdd(&state[params.ticket], 1u);
    }
    return workgroupUniformLoad(&stalled);
}

// The walk backwards over the tiles, for one digit.
struct Walk {
    slot: u32,
    sum: u32,
    found: bool,
    waits: bool,
}

// The number of keys with this digit in all tiles of the row before this one, and of smaller digits.
fn look_back(bin: u32, row: u32, tile: u32, chain: u32, who: Who) -> u32 {
    var walk = Walk(tile, 0u, bin >= 256u, false);
    // Patience is for the whole walk: where the tiles before have not begun, waiting for each would take too long, and
    // llvmpipe ends loops, with those in them, after 65,535 turns.
    var spins = 0u;
    loop {
        walk.waits = false;
        while (!walk.found && (spins < SPINS || !walk.waits)) {
            // Four looks at once: one alone would wait for memory at every step. Past the row's seed none counts.
            let slots = vec4<u32>(walk.slot) - min(vec4<u32>(walk.slot), vec4<u32>(0u, 1u, 2u, 3u));
            let at = vec4<u32>(chain + bin) + slots * 256u;
            let x = atomicLoad(&state[at.x]);
            let y = atomicLoad(&state[at.y]);
            let z = atomicLoad(&state[at.z]);
            let w = atomicLoad(&state[at.w]);
            walk.waits = false;
            step_back(&walk, x);
            step_back(&walk, y);
            step_back(&walk, z);
            step_back(&walk, w);
            spins += select(0u, 1u, walk.waits);
        }
        if (who.lane == 0u) {
            atomicStore(&furthest, 0u);
        }
        workgroupBarrier();
        if (!walk.found) {
            atomicMax(&furthest, walk.slot);
        }
        workgroupBarrier();
        if (who.lane == 0u) {
            stalled = atomicLoad(&furthest);
        }
        let late = workgroupUniformLoad(&stalled);
        if (late == 0u) {
            break;
        }
        publish_for(late - 1u, row, chain, who);
    }
    return walk.sum;
}

fn step_back(walk: ptr<function, Walk>, word: u32) {
    if ((*walk).found || (*walk).waits) {
        return;
    }
    if (word >= PREFIX) {
        (*walk).sum += word - PREFIX;
        (*walk).found = true;
    } else if (word > 0u) {
        (*walk).sum += word - 1u;
        (*walk).slot -= 1u;
    } else {
        (*walk).waits = true;
    }
}

// Counts the digits of another tile, which is a full one, as it would itself.
fn publish_for(tile: u32, row: u32, chain: u32, who: Who) {
    for (var bin = who.lane; bin < 256u; bin += WORKGROUP) {
        atomicStore(&tally[bin], 0u);
    }
    workgroupBarrier();
    let first = params.keys_first + row * params.stride + tile * TILE;
    for (var item = who.lane; item < TILE; item += WORKGROUP) {
        atomicAdd(&tally[digit(load_key(first + item), params.shift, params.mask)], 1u);
    }
    workgroupBarrier();
    for (var bin = who.lane; bin < 256u; bin += WORKGROUP) {
        atomicMax(&state[chain + (tile + 1u) * 256u + bin], atomicLoad(&tally[bin]) + 1u);
    }
    workgroupBarrier();
}

// appended by the host
const WORKGROUP = 256u;
const ITEMS = 32u;
const TILE = 8192u;
const TEAMS = 8u;
const STRIPS = 1u;
const POOL = 4096u;
const PREFIX = 8194u;
const SPINS = 64u;
struct Params {
    groups: u32,
    row_tiles: u32,
    length: u32,
    stride: u32,
    shift: u32,
    mask: u32,
    keys_first: u32,
    values_first: u32,
    index_first: u32,
    keys_out_first: u32,
    values_out_first: u32,
    out_base: u32,
    out_limit: u32,
    window: u32,
    ticket: u32,
}
var<immediate> params: Params;
@group(0) @binding(0) var<storage, read> keys_in: array<u32>;
fn load_key(i: u32) -> Key { return keys_in[i]; }
@group(0) @binding(1) var<storage, read_write> state: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> keys_out0: array<u32>;
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
fn load_keys(keys: ptr<function, array<Key, ITEMS>>, first: u32, count: u32, who: Who) {
    if (count == TILE) {
    (*keys)[0] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 0u * who.size + who.place);
    (*keys)[1] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 1u * who.size + who.place);
    (*keys)[2] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 2u * who.size + who.place);
    (*keys)[3] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 3u * who.size + who.place);
    (*keys)[4] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 4u * who.size + who.place);
    (*keys)[5] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 5u * who.size + who.place);
    (*keys)[6] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 6u * who.size + who.place);
    (*keys)[7] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 7u * who.size + who.place);
    (*keys)[8] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 8u * who.size + who.place);
    (*keys)[9] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 9u * who.size + who.place);
    (*keys)[10] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 10u * who.size + who.place);
    (*keys)[11] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 11u * who.size + who.place);
    (*keys)[12] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 12u * who.size + who.place);
    (*keys)[13] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 13u * who.size + who.place);
    (*keys)[14] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 14u * who.size + who.place);
    (*keys)[15] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 15u * who.size + who.place);
    (*keys)[16] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 16u * who.size + who.place);
    (*keys)[17] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 17u * who.size + who.place);
    (*keys)[18] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 18u * who.size + who.place);
    (*keys)[19] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 19u * who.size + who.place);
    (*keys)[20] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 20u * who.size + who.place);
    (*keys)[21] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 21u * who.size + who.place);
    (*keys)[22] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 22u * who.size + who.place);
    (*keys)[23] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 23u * who.size + who.place);
    (*keys)[24] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 24u * who.size + who.place);
    (*keys)[25] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 25u * who.size + who.place);
    (*keys)[26] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 26u * who.size + who.place);
    (*keys)[27] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 27u * who.size + who.place);
    (*keys)[28] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 28u * who.size + who.place);
    (*keys)[29] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 29u * who.size + who.place);
    (*keys)[30] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 30u * who.size + who.place);
    (*keys)[31] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 31u * who.size + who.place);
    } else {
    (*keys)[0] = LAST;
    if (who.team * who.size * ITEMS + 0u * who.size + who.place < count) { (*keys)[0] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 0u * who.size + who.place); }
    (*keys)[1] = LAST;
    if (who.team * who.size * ITEMS + 1u * who.size + who.place < count) { (*keys)[1] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 1u * who.size + who.place); }
    (*keys)[2] = LAST;
    if (who.team * who.size * ITEMS + 2u * who.size + who.place < count) { (*keys)[2] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 2u * who.size + who.place); }
    (*keys)[3] = LAST;
    if (who.team * who.size * ITEMS + 3u * who.size + who.place < count) { (*keys)[3] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 3u * who.size + who.place); }
    (*keys)[4] = LAST;
    if (who.team * who.size * ITEMS + 4u * who.size + who.place < count) { (*keys)[4] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 4u * who.size + who.place); }
    (*keys)[5] = LAST;
    if (who.team * who.size * ITEMS + 5u * who.size + who.place < count) { (*keys)[5] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 5u * who.size + who.place); }
    (*keys)[6] = LAST;
    if (who.team * who.size * ITEMS + 6u * who.size + who.place < count) { (*keys)[6] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 6u * who.size + who.place); }
    (*keys)[7] = LAST;
    if (who.team * who.size * ITEMS + 7u * who.size + who.place < count) { (*keys)[7] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 7u * who.size + who.place); }
    (*keys)[8] = LAST;
    if (who.team * who.size * ITEMS + 8u * who.size + who.place < count) { (*keys)[8] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 8u * who.size + who.place); }
    (*keys)[9] = LAST;
    if (who.team * who.size * ITEMS + 9u * who.size + who.place < count) { (*keys)[9] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 9u * who.size + who.place); }
    (*keys)[10] = LAST;
    if (who.team * who.size * ITEMS + 10u * who.size + who.place < count) { (*keys)[10] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 10u * who.size + who.place); }
    (*keys)[11] = LAST;
    if (who.team * who.size * ITEMS + 11u * who.size + who.place < count) { (*keys)[11] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 11u * who.size + who.place); }
    (*keys)[12] = LAST;
    if (who.team * who.size * ITEMS + 12u * who.size + who.place < count) { (*keys)[12] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 12u * who.size + who.place); }
    (*keys)[13] = LAST;
    if (who.team * who.size * ITEMS + 13u * who.size + who.place < count) { (*keys)[13] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 13u * who.size + who.place); }
    (*keys)[14] = LAST;
    if (who.team * who.size * ITEMS + 14u * who.size + who.place < count) { (*keys)[14] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 14u * who.size + who.place); }
    (*keys)[15] = LAST;
    if (who.team * who.size * ITEMS + 15u * who.size + who.place < count) { (*keys)[15] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 15u * who.size + who.place); }
    (*keys)[16] = LAST;
    if (who.team * who.size * ITEMS + 16u * who.size + who.place < count) { (*keys)[16] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 16u * who.size + who.place); }
    (*keys)[17] = LAST;
    if (who.team * who.size * ITEMS + 17u * who.size + who.place < count) { (*keys)[17] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 17u * who.size + who.place); }
    (*keys)[18] = LAST;
    if (who.team * who.size * ITEMS + 18u * who.size + who.place < count) { (*keys)[18] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 18u * who.size + who.place); }
    (*keys)[19] = LAST;
    if (who.team * who.size * ITEMS + 19u * who.size + who.place < count) { (*keys)[19] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 19u * who.size + who.place); }
    (*keys)[20] = LAST;
    if (who.team * who.size * ITEMS + 20u * who.size + who.place < count) { (*keys)[20] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 20u * who.size + who.place); }
    (*keys)[21] = LAST;
    if (who.team * who.size * ITEMS + 21u * who.size + who.place < count) { (*keys)[21] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 21u * who.size + who.place); }
    (*keys)[22] = LAST;
    if (who.team * who.size * ITEMS + 22u * who.size + who.place < count) { (*keys)[22] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 22u * who.size + who.place); }
    (*keys)[23] = LAST;
    if (who.team * who.size * ITEMS + 23u * who.size + who.place < count) { (*keys)[23] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 23u * who.size + who.place); }
    (*keys)[24] = LAST;
    if (who.team * who.size * ITEMS + 24u * who.size + who.place < count) { (*keys)[24] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 24u * who.size + who.place); }
    (*keys)[25] = LAST;
    if (who.team * who.size * ITEMS + 25u * who.size + who.place < count) { (*keys)[25] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 25u * who.size + who.place); }
    (*keys)[26] = LAST;
    if (who.team * who.size * ITEMS + 26u * who.size + who.place < count) { (*keys)[26] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 26u * who.size + who.place); }
    (*keys)[27] = LAST;
    if (who.team * who.size * ITEMS + 27u * who.size + who.place < count) { (*keys)[27] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 27u * who.size + who.place); }
    (*keys)[28] = LAST;
    if (who.team * who.size * ITEMS + 28u * who.size + who.place < count) { (*keys)[28] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 28u * who.size + who.place); }
    (*keys)[29] = LAST;
    if (who.team * who.size * ITEMS + 29u * who.size + who.place < count) { (*keys)[29] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 29u * who.size + who.place); }
    (*keys)[30] = LAST;
    if (who.team * who.size * ITEMS + 30u * who.size + who.place < count) { (*keys)[30] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 30u * who.size + who.place); }
    (*keys)[31] = LAST;
    if (who.team * who.size * ITEMS + 31u * who.size + who.place < count) { (*keys)[31] = load_key(params.keys_first + first + who.team * who.size * ITEMS + 31u * who.size + who.place); }
    }
}
fn rank_keys(keys: ptr<function, array<Key, ITEMS>>, places: ptr<function, array<u32, ITEMS>>, who: Who) {
    (*places)[0] = rank(digit((*keys)[0], params.shift, params.mask), 0u, who);
    (*places)[1] = rank(digit((*keys)[1], params.shift, params.mask), 1u, who);
    (*places)[2] = rank(digit((*keys)[2], params.shift, params.mask), 2u, who);
    (*places)[3] = rank(digit((*keys)[3], params.shift, params.mask), 3u, who);
    (*places)[4] = rank(digit((*keys)[4], params.shift, params.mask), 4u, who);
    (*places)[5] = rank(digit((*keys)[5], params.shift, params.mask), 5u, who);
    (*places)[6] = rank(digit((*keys)[6], params.shift, params.mask), 6u, who);
    (*places)[7] = rank(digit((*keys)[7], params.shift, params.mask), 7u, who);
    (*places)[8] = rank(digit((*keys)[8], params.shift, params.mask), 8u, who);
    (*places)[9] = rank(digit((*keys)[9], params.shift, params.mask), 9u, who);
    (*places)[10] = rank(digit((*keys)[10], params.shift, params.mask), 10u, who);
    (*places)[11] = rank(digit((*keys)[11], params.shift, params.mask), 11u, who);
    (*places)[12] = rank(digit((*keys)[12], params.shift, params.mask), 12u, who);
    (*places)[13] = rank(digit((*keys)[13], params.shift, params.mask), 13u, who);
    (*places)[14] = rank(digit((*keys)[14], params.shift, params.mask), 14u, who);
    (*places)[15] = rank(digit((*keys)[15], params.shift, params.mask), 15u, who);
    (*places)[16] = rank(digit((*keys)[16], params.shift, params.mask), 16u, who);
    (*places)[17] = rank(digit((*keys)[17], params.shift, params.mask), 17u, who);
    (*places)[18] = rank(digit((*keys)[18], params.shift, params.mask), 18u, who);
    (*places)[19] = rank(digit((*keys)[19], params.shift, params.mask), 19u, who);
    (*places)[20] = rank(digit((*keys)[20], params.shift, params.mask), 20u, who);
    (*places)[21] = rank(digit((*keys)[21], params.shift, params.mask), 21u, who);
    (*places)[22] = rank(digit((*keys)[22], params.shift, params.mask), 22u, who);
    (*places)[23] = rank(digit((*keys)[23], params.shift, params.mask), 23u, who);
    (*places)[24] = rank(digit((*keys)[24], params.shift, params.mask), 24u, who);
    (*places)[25] = rank(digit((*keys)[25], params.shift, params.mask), 25u, who);
    (*places)[26] = rank(digit((*keys)[26], params.shift, params.mask), 26u, who);
    (*places)[27] = rank(digit((*keys)[27], params.shift, params.mask), 27u, who);
    (*places)[28] = rank(digit((*keys)[28], params.shift, params.mask), 28u, who);
    (*places)[29] = rank(digit((*keys)[29], params.shift, params.mask), 29u, who);
    (*places)[30] = rank(digit((*keys)[30], params.shift, params.mask), 30u, who);
    (*places)[31] = rank(digit((*keys)[31], params.shift, params.mask), 31u, who);
}
fn place_keys(keys: ptr<function, array<Key, ITEMS>>, places: ptr<function, array<u32, ITEMS>>, who: Who) {
    (*places)[0] += atomicLoad(&pool[who.team * 256u + digit((*keys)[0], params.shift, params.mask)]);
    (*places)[1] += atomicLoad(&pool[who.team * 256u + digit((*keys)[1], params.shift, params.mask)]);
    (*places)[2] += atomicLoad(&pool[who.team * 256u + digit((*keys)[2], params.shift, params.mask)]);
    (*places)[3] += atomicLoad(&pool[who.team * 256u + digit((*keys)[3], params.shift, params.mask)]);
    (*places)[4] += atomicLoad(&pool[who.team * 256u + digit((*keys)[4], params.shift, params.mask)]);
    (*places)[5] += atomicLoad(&pool[who.team * 256u + digit((*keys)[5], params.shift, params.mask)]);
    (*places)[6] += atomicLoad(&pool[who.team * 256u + digit((*keys)[6], params.shift, params.mask)]);
    (*places)[7] += atomicLoad(&pool[who.team * 256u + digit((*keys)[7], params.shift, params.mask)]);
    (*places)[8] += atomicLoad(&pool[who.team * 256u + digit((*keys)[8], params.shift, params.mask)]);
    (*places)[9] += atomicLoad(&pool[who.team * 256u + digit((*keys)[9], params.shift, params.mask)]);
    (*places)[10] += atomicLoad(&pool[who.team * 256u + digit((*keys)[10], params.shift, params.mask)]);
    (*places)[11] += atomicLoad(&pool[who.team * 256u + digit((*keys)[11], params.shift, params.mask)]);
    (*places)[12] += atomicLoad(&pool[who.team * 256u + digit((*keys)[12], params.shift, params.mask)]);
    (*places)[13] += atomicLoad(&pool[who.team * 256u + digit((*keys)[13], params.shift, params.mask)]);
    (*places)[14] += atomicLoad(&pool[who.team * 256u + digit((*keys)[14], params.shift, params.mask)]);
    (*places)[15] += atomicLoad(&pool[who.team * 256u + digit((*keys)[15], params.shift, params.mask)]);
    (*places)[16] += atomicLoad(&pool[who.team * 256u + digit((*keys)[16], params.shift, params.mask)]);
    (*places)[17] += atomicLoad(&pool[who.team * 256u + digit((*keys)[17], params.shift, params.mask)]);
    (*places)[18] += atomicLoad(&pool[who.team * 256u + digit((*keys)[18], params.shift, params.mask)]);
    (*places)[19] += atomicLoad(&pool[who.team * 256u + digit((*keys)[19], params.shift, params.mask)]);
    (*places)[20] += atomicLoad(&pool[who.team * 256u + digit((*keys)[20], params.shift, params.mask)]);
    (*places)[21] += atomicLoad(&pool[who.team * 256u + digit((*keys)[21], params.shift, params.mask)]);
    (*places)[22] += atomicLoad(&pool[who.team * 256u + digit((*keys)[22], params.shift, params.mask)]);
    (*places)[23] += atomicLoad(&pool[who.team * 256u + digit((*keys)[23], params.shift, params.mask)]);
    (*places)[24] += atomicLoad(&pool[who.team * 256u + digit((*keys)[24], params.shift, params.mask)]);
    (*places)[25] += atomicLoad(&pool[who.team * 256u + digit((*keys)[25], params.shift, params.mask)]);
    (*places)[26] += atomicLoad(&pool[who.team * 256u + digit((*keys)[26], params.shift, params.mask)]);
    (*places)[27] += atomicLoad(&pool[who.team * 256u + digit((*keys)[27], params.shift, params.mask)]);
    (*places)[28] += atomicLoad(&pool[who.team * 256u + digit((*keys)[28], params.shift, params.mask)]);
    (*places)[29] += atomicLoad(&pool[who.team * 256u + digit((*keys)[29], params.shift, params.mask)]);
    (*places)[30] += atomicLoad(&pool[who.team * 256u + digit((*keys)[30], params.shift, params.mask)]);
    (*places)[31] += atomicLoad(&pool[who.team * 256u + digit((*keys)[31], params.shift, params.mask)]);
}
fn put_keys(keys: ptr<function, array<Key, ITEMS>>, places: ptr<function, array<u32, ITEMS>>) {
    if ((*places)[0] - 0u < 4096u) { atomicStore(&pool[(*places)[0] - 0u], (*keys)[0]); }
    if ((*places)[1] - 0u < 4096u) { atomicStore(&pool[(*places)[1] - 0u], (*keys)[1]); }
    if ((*places)[2] - 0u < 4096u) { atomicStore(&pool[(*places)[2] - 0u], (*keys)[2]); }
    if ((*places)[3] - 0u < 4096u) { atomicStore(&pool[(*places)[3] - 0u], (*keys)[3]); }
    if ((*places)[4] - 0u < 4096u) { atomicStore(&pool[(*places)[4] - 0u], (*keys)[4]); }
    if ((*places)[5] - 0u < 4096u) { atomicStore(&pool[(*places)[5] - 0u], (*keys)[5]); }
    if ((*places)[6] - 0u < 4096u) { atomicStore(&pool[(*places)[6] - 0u], (*keys)[6]); }
    if ((*places)[7] - 0u < 4096u) { atomicStore(&pool[(*places)[7] - 0u], (*keys)[7]); }
    if ((*places)[8] - 0u < 4096u) { atomicStore(&pool[(*places)[8] - 0u], (*keys)[8]); }
    if ((*places)[9] - 0u < 4096u) { atomicStore(&pool[(*places)[9] - 0u], (*keys)[9]); }
    if ((*places)[10] - 0u < 4096u) { atomicStore(&pool[(*places)[10] - 0u], (*keys)[10]); }
    if ((*places)[11] - 0u < 4096u) { atomicStore(&pool[(*places)[11] - 0u], (*keys)[11]); }
    if ((*places)[12] - 0u < 4096u) { atomicStore(&pool[(*places)[12] - 0u], (*keys)[12]); }
    if ((*places)[13] - 0u < 4096u) { atomicStore(&pool[(*places)[13] - 0u], (*keys)[13]); }
    if ((*places)[14] - 0u < 4096u) { atomicStore(&pool[(*places)[14] - 0u], (*keys)[14]); }
    if ((*places)[15] - 0u < 4096u) { atomicStore(&pool[(*places)[15] - 0u], (*keys)[15]); }
    if ((*places)[16] - 0u < 4096u) { atomicStore(&pool[(*places)[16] - 0u], (*keys)[16]); }
    if ((*places)[17] - 0u < 4096u) { atomicStore(&pool[(*places)[17] - 0u], (*keys)[17]); }
    if ((*places)[18] - 0u < 4096u) { atomicStore(&pool[(*places)[18] - 0u], (*keys)[18]); }
    if ((*places)[19] - 0u < 4096u) { atomicStore(&pool[(*places)[19] - 0u], (*keys)[19]); }
    if ((*places)[20] - 0u < 4096u) { atomicStore(&pool[(*places)[20] - 0u], (*keys)[20]); }
    if ((*places)[21] - 0u < 4096u) { atomicStore(&pool[(*places)[21] - 0u], (*keys)[21]); }
    if ((*places)[22] - 0u < 4096u) { atomicStore(&pool[(*places)[22] - 0u], (*keys)[22]); }
    if ((*places)[23] - 0u < 4096u) { atomicStore(&pool[(*places)[23] - 0u], (*keys)[23]); }
    if ((*places)[24] - 0u < 4096u) { atomicStore(&pool[(*places)[24] - 0u], (*keys)[24]); }
    if ((*places)[25] - 0u < 4096u) { atomicStore(&pool[(*places)[25] - 0u], (*keys)[25]); }
    if ((*places)[26] - 0u < 4096u) { atomicStore(&pool[(*places)[26] - 0u], (*keys)[26]); }
    if ((*places)[27] - 0u < 4096u) { atomicStore(&pool[(*places)[27] - 0u], (*keys)[27]); }
    if ((*places)[28] - 0u < 4096u) { atomicStore(&pool[(*places)[28] - 0u], (*keys)[28]); }
    if ((*places)[29] - 0u < 4096u) { atomicStore(&pool[(*places)[29] - 0u], (*keys)[29]); }
    if ((*places)[30] - 0u < 4096u) { atomicStore(&pool[(*places)[30] - 0u], (*keys)[30]); }
    if ((*places)[31] - 0u < 4096u) { atomicStore(&pool[(*places)[31] - 0u], (*keys)[31]); }
}
fn store_keys(keys: ptr<function, array<Key, ITEMS>>, places: ptr<function, array<u32, ITEMS>>, targets: ptr<function, array<u32, ITEMS>>, count: u32, who: Who) {
    let key0 = atomicLoad(&pool[(0u - 0u) * WORKGROUP + who.lane]);
    let key1 = atomicLoad(&pool[(1u - 0u) * WORKGROUP + who.lane]);
    let key2 = atomicLoad(&pool[(2u - 0u) * WORKGROUP + who.lane]);
    let key3 = atomicLoad(&pool[(3u - 0u) * WORKGROUP + who.lane]);
    let key4 = atomicLoad(&pool[(4u - 0u) * WORKGROUP + who.lane]);
    let key5 = atomicLoad(&pool[(5u - 0u) * WORKGROUP + who.lane]);
    let key6 = atomicLoad(&pool[(6u - 0u) * WORKGROUP + who.lane]);
    let key7 = atomicLoad(&pool[(7u - 0u) * WORKGROUP + who.lane]);
    let key8 = atomicLoad(&pool[(8u - 0u) * WORKGROUP + who.lane]);
    let key9 = atomicLoad(&pool[(9u - 0u) * WORKGROUP + who.lane]);
    let key10 = atomicLoad(&pool[(10u - 0u) * WORKGROUP + who.lane]);
    let key11 = atomicLoad(&pool[(11u - 0u) * WORKGROUP + who.lane]);
    let key12 = atomicLoad(&pool[(12u - 0u) * WORKGROUP + who.lane]);
    let key13 = atomicLoad(&pool[(13u - 0u) * WORKGROUP + who.lane]);
    let key14 = atomicLoad(&pool[(14u - 0u) * WORKGROUP + who.lane]);
    let key15 = atomicLoad(&pool[(15u - 0u) * WORKGROUP + who.lane]);
    (*targets)[0] = offsets[digit(key0, params.shift, params.mask)] + 0u * WORKGROUP + who.lane;
    (*targets)[1] = offsets[digit(key1, params.shift, params.mask)] + 1u * WORKGROUP + who.lane;
    (*targets)[2] = offsets[digit(key2, params.shift, params.mask)] + 2u * WORKGROUP + who.lane;
    (*targets)[3] = offsets[digit(key3, params.shift, params.mask)] + 3u * WORKGROUP + who.lane;
    (*targets)[4] = offsets[digit(key4, params.shift, params.mask)] + 4u * WORKGROUP + who.lane;
    (*targets)[5] = offsets[digit(key5, params.shift, params.mask)] + 5u * WORKGROUP + who.lane;
    (*targets)[6] = offsets[digit(key6, params.shift, params.mask)] + 6u * WORKGROUP + who.lane;
    (*targets)[7] = offsets[digit(key7, params.shift, params.mask)] + 7u * WORKGROUP + who.lane;
    (*targets)[8] = offsets[digit(key8, params.shift, params.mask)] + 8u * WORKGROUP + who.lane;
    (*targets)[9] = offsets[digit(key9, params.shift, params.mask)] + 9u * WORKGROUP + who.lane;
    (*targets)[10] = offsets[digit(key10, params.shift, params.mask)] + 10u * WORKGROUP + who.lane;
    (*targets)[11] = offsets[digit(key11, params.shift, params.mask)] + 11u * WORKGROUP + who.lane;
    (*targets)[12] = offsets[digit(key12, params.shift, params.mask)] + 12u * WORKGROUP + who.lane;
    (*targets)[13] = offsets[digit(key13, params.shift, params.mask)] + 13u * WORKGROUP + who.lane;
    (*targets)[14] = offsets[digit(key14, params.shift, params.mask)] + 14u * WORKGROUP + who.lane;
    (*targets)[15] = offsets[digit(key15, params.shift, params.mask)] + 15u * WORKGROUP + who.lane;
    if (count == TILE) {
    store_key((*targets)[0], key0);
    store_key((*targets)[1], key1);
    store_key((*targets)[2], key2);
    store_key((*targets)[3], key3);
    store_key((*targets)[4], key4);
    store_key((*targets)[5], key5);
    store_key((*targets)[6], key6);
    store_key((*targets)[7], key7);
    store_key((*targets)[8], key8);
    store_key((*targets)[9], key9);
    store_key((*targets)[10], key10);
    store_key((*targets)[11], key11);
    store_key((*targets)[12], key12);
    store_key((*targets)[13], key13);
    store_key((*targets)[14], key14);
    store_key((*targets)[15], key15);
    } else {
    if (0u * WORKGROUP + who.lane < count) { store_key((*targets)[0], key0); }
    if (1u * WORKGROUP + who.lane < count) { store_key((*targets)[1], key1); }
    if (2u * WORKGROUP + who.lane < count) { store_key((*targets)[2], key2); }
    if (3u * WORKGROUP + who.lane < count) { store_key((*targets)[3], key3); }
    if (4u * WORKGROUP + who.lane < count) { store_key((*targets)[4], key4); }
    if (5u * WORKGROUP + who.lane < count) { store_key((*targets)[5], key5); }
    if (6u * WORKGROUP + who.lane < count) { store_key((*targets)[6], key6); }
    if (7u * WORKGROUP + who.lane < count) { store_key((*targets)[7], key7); }
    if (8u * WORKGROUP + who.lane < count) { store_key((*targets)[8], key8); }
    if (9u * WORKGROUP + who.lane < count) { store_key((*targets)[9], key9); }
    if (10u * WORKGROUP + who.lane < count) { store_key((*targets)[10], key10); }
    if (11u * WORKGROUP + who.lane < count) { store_key((*targets)[11], key11); }
    if (12u * WORKGROUP + who.lane < count) { store_key((*targets)[12], key12); }
    if (13u * WORKGROUP + who.lane < count) { store_key((*targets)[13], key13); }
    if (14u * WORKGROUP + who.lane < count) { store_key((*targets)[14], key14); }
    if (15u * WORKGROUP + who.lane < count) { store_key((*targets)[15], key15); }
    }
    workgroupBarrier();
    if ((*places)[0] - 4096u < 4096u) { atomicStore(&pool[(*places)[0] - 4096u], (*keys)[0]); }
    if ((*places)[1] - 4096u < 4096u) { atomicStore(&pool[(*places)[1] - 4096u], (*keys)[1]); }
    if ((*places)[2] - 4096u < 4096u) { atomicStore(&pool[(*places)[2] - 4096u], (*keys)[2]); }
    if ((*places)[3] - 4096u < 4096u) { atomicStore(&pool[(*places)[3] - 4096u], (*keys)[3]); }
    if ((*places)[4] - 4096u < 4096u) { atomicStore(&pool[(*places)[4] - 4096u], (*keys)[4]); }
    if ((*places)[5] - 4096u < 4096u) { atomicStore(&pool[(*places)[5] - 4096u], (*keys)[5]); }
    if ((*places)[6] - 4096u < 4096u) { atomicStore(&pool[(*places)[6] - 4096u], (*keys)[6]); }
    if ((*places)[7] - 4096u < 4096u) { atomicStore(&pool[(*places)[7] - 4096u], (*keys)[7]); }
    if ((*places)[8] - 4096u < 4096u) { atomicStore(&pool[(*places)[8] - 4096u], (*keys)[8]); }
    if ((*places)[9] - 4096u < 4096u) { atomicStore(&pool[(*places)[9] - 4096u], (*keys)[9]); }
    if ((*places)[10] - 4096u < 4096u) { atomicStore(&pool[(*places)[10] - 4096u], (*keys)[10]); }
    if ((*places)[11] - 4096u < 4096u) { atomicStore(&pool[(*places)[11] - 4096u], (*keys)[11]); }
    if ((*places)[12] - 4096u < 4096u) { atomicStore(&pool[(*places)[12] - 4096u], (*keys)[12]); }
    if ((*places)[13] - 4096u < 4096u) { atomicStore(&pool[(*places)[13] - 4096u], (*keys)[13]); }
    if ((*places)[14] - 4096u < 4096u) { atomicStore(&pool[(*places)[14] - 4096u], (*keys)[14]); }
    if ((*places)[15] - 4096u < 4096u) { atomicStore(&pool[(*places)[15] - 4096u], (*keys)[15]); }
    if ((*places)[16] - 4096u < 4096u) { atomicStore(&pool[(*places)[16] - 4096u], (*keys)[16]); }
    if ((*places)[17] - 4096u < 4096u) { atomicStore(&pool[(*places)[17] - 4096u], (*keys)[17]); }
    if ((*places)[18] - 4096u < 4096u) { atomicStore(&pool[(*places)[18] - 4096u], (*keys)[18]); }
    if ((*places)[19] - 4096u < 4096u) { atomicStore(&pool[(*places)[19] - 4096u], (*keys)[19]); }
    if ((*places)[20] - 4096u < 4096u) { atomicStore(&pool[(*places)[20] - 4096u], (*keys)[20]); }
    if ((*places)[21] - 4096u < 4096u) { atomicStore(&pool[(*places)[21] - 4096u], (*keys)[21]); }
    if ((*places)[22] - 4096u < 4096u) { atomicStore(&pool[(*places)[22] - 4096u], (*keys)[22]); }
    if ((*places)[23] - 4096u < 4096u) { atomicStore(&pool[(*places)[23] - 4096u], (*keys)[23]); }
    if ((*places)[24] - 4096u < 4096u) { atomicStore(&pool[(*places)[24] - 4096u], (*keys)[24]); }
    if ((*places)[25] - 4096u < 4096u) { atomicStore(&pool[(*places)[25] - 4096u], (*keys)[25]); }
    if ((*places)[26] - 4096u < 4096u) { atomicStore(&pool[(*places)[26] - 4096u], (*keys)[26]); }
    if ((*places)[27] - 4096u < 4096u) { atomicStore(&pool[(*places)[27] - 4096u], (*keys)[27]); }
    if ((*places)[28] - 4096u < 4096u) { atomicStore(&pool[(*places)[28] - 4096u], (*keys)[28]); }
    if ((*places)[29] - 4096u < 4096u) { atomicStore(&pool[(*places)[29] - 4096u], (*keys)[29]); }
    if ((*places)[30] - 4096u < 4096u) { atomicStore(&pool[(*places)[30] - 4096u], (*keys)[30]); }
    if ((*places)[31] - 4096u < 4096u) { atomicStore(&pool[(*places)[31] - 4096u], (*keys)[31]); }
    workgroupBarrier();
    let key16 = atomicLoad(&pool[(16u - 16u) * WORKGROUP + who.lane]);
    let key17 = atomicLoad(&pool[(17u - 16u) * WORKGROUP + who.lane]);
    let key18 = atomicLoad(&pool[(18u - 16u) * WORKGROUP + who.lane]);
    let key19 = atomicLoad(&pool[(19u - 16u) * WORKGROUP + who.lane]);
    let key20 = atomicLoad(&pool[(20u - 16u) * WORKGROUP + who.lane]);
    let key21 = atomicLoad(&pool[(21u - 16u) * WORKGROUP + who.lane]);
    let key22 = atomicLoad(&pool[(22u - 16u) * WORKGROUP + who.lane]);
    let key23 = atomicLoad(&pool[(23u - 16u) * WORKGROUP + who.lane]);
    let key24 = atomicLoad(&pool[(24u - 16u) * WORKGROUP + who.lane]);
    let key25 = atomicLoad(&pool[(25u - 16u) * WORKGROUP + who.lane]);
    let key26 = atomicLoad(&pool[(26u - 16u) * WORKGROUP + who.lane]);
    let key27 = atomicLoad(&pool[(27u - 16u) * WORKGROUP + who.lane]);
    let key28 = atomicLoad(&pool[(28u - 16u) * WORKGROUP + who.lane]);
    let key29 = atomicLoad(&pool[(29u - 16u) * WORKGROUP + who.lane]);
    let key30 = atomicLoad(&pool[(30u - 16u) * WORKGROUP + who.lane]);
    let key31 = atomicLoad(&pool[(31u - 16u) * WORKGROUP + who.lane]);
    (*targets)[16] = offsets[digit(key16, params.shift, params.mask)] + 16u * WORKGROUP + who.lane;
    (*targets)[17] = offsets[digit(key17, params.shift, params.mask)] + 17u * WORKGROUP + who.lane;
    (*targets)[18] = offsets[digit(key18, params.shift, params.mask)] + 18u * WORKGROUP + who.lane;
    (*targets)[19] = offsets[digit(key19, params.shift, params.mask)] + 19u * WORKGROUP + who.lane;
    (*targets)[20] = offsets[digit(key20, params.shift, params.mask)] + 20u * WORKGROUP + who.lane;
    (*targets)[21] = offsets[digit(key21, params.shift, params.mask)] + 21u * WORKGROUP + who.lane;
    (*targets)[22] = offsets[digit(key22, params.shift, params.mask)] + 22u * WORKGROUP + who.lane;
    (*targets)[23] = offsets[digit(key23, params.shift, params.mask)] + 23u * WORKGROUP + who.lane;
    (*targets)[24] = offsets[digit(key24, params.shift, params.mask)] + 24u * WORKGROUP + who.lane;
    (*targets)[25] = offsets[digit(key25, params.shift, params.mask)] + 25u * WORKGROUP + who.lane;
    (*targets)[26] = offsets[digit(key26, params.shift, params.mask)] + 26u * WORKGROUP + who.lane;
    (*targets)[27] = offsets[digit(key27, params.shift, params.mask)] + 27u * WORKGROUP + who.lane;
    (*targets)[28] = offsets[digit(key28, params.shift, params.mask)] + 28u * WORKGROUP + who.lane;
    (*targets)[29] = offsets[digit(key29, params.shift, params.mask)] + 29u * WORKGROUP + who.lane;
    (*targets)[30] = offsets[digit(key30, params.shift, params.mask)] + 30u * WORKGROUP + who.lane;
    (*targets)[31] = offsets[digit(key31, params.shift, params.mask)] + 31u * WORKGROUP + who.lane;
    if (count == TILE) {
    store_key((*targets)[16], key16);
    store_key((*targets)[17], key17);
    store_key((*targets)[18], key18);
    store_key((*targets)[19], key19);
    store_key((*targets)[20], key20);
    store_key((*targets)[21], key21);
    store_key((*targets)[22], key22);
    store_key((*targets)[23], key23);
    store_key((*targets)[24], key24);
    store_key((*targets)[25], key25);
    store_key((*targets)[26], key26);
    store_key((*targets)[27], key27);
    store_key((*targets)[28], key28);
    store_key((*targets)[29], key29);
    store_key((*targets)[30], key30);
    store_key((*targets)[31], key31);
    } else {
    if (16u * WORKGROUP + who.lane < count) { store_key((*targets)[16], key16); }
    if (17u * WORKGROUP + who.lane < count) { store_key((*targets)[17], key17); }
    if (18u * WORKGROUP + who.lane < count) { store_key((*targets)[18], key18); }
    if (19u * WORKGROUP + who.lane < count) { store_key((*targets)[19], key19); }
    if (20u * WORKGROUP + who.lane < count) { store_key((*targets)[20], key20); }
    if (21u * WORKGROUP + who.lane < count) { store_key((*targets)[21], key21); }
    if (22u * WORKGROUP + who.lane < count) { store_key((*targets)[22], key22); }
    if (23u * WORKGROUP + who.lane < count) { store_key((*targets)[23], key23); }
    if (24u * WORKGROUP + who.lane < count) { store_key((*targets)[24], key24); }
    if (25u * WORKGROUP + who.lane < count) { store_key((*targets)[25], key25); }
    if (26u * WORKGROUP + who.lane < count) { store_key((*targets)[26], key26); }
    if (27u * WORKGROUP + who.lane < count) { store_key((*targets)[27], key27); }
    if (28u * WORKGROUP + who.lane < count) { store_key((*targets)[28], key28); }
    if (29u * WORKGROUP + who.lane < count) { store_key((*targets)[29], key29); }
    if (30u * WORKGROUP + who.lane < count) { store_key((*targets)[30], key30); }
    if (31u * WORKGROUP + who.lane < count) { store_key((*targets)[31], key31); }
    }
}
fn store_values(places: ptr<function, array<u32, ITEMS>>, targets: ptr<function, array<u32, ITEMS>>, first: u32, at: u32, count: u32, who: Who) {
}
fn bounded_length() -> u32 { return params.length; }
