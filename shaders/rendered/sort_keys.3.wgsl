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
// Where there is less memory than the tile takes, it goes through in TURNS, and keys of two words a word at a time.
//
// Left open: WORKGROUP, ITEMS, TILE, TEAMS, STRIPS, POOL, PREFIX, SPINS, TURNS; Key, LAST, KEY_WORDS, KEYS_OUT, load_key,
// store_key, digit, the words of a key; Value and the same of it, value_of; shared/sort_*.wgsl.

// Items that an invocation takes in a turn.
const TAKEN: u32 = ITEMS / TURNS;

// The counters of each team, then the tile's keys in order, as many at a time as go through in a turn.
var<workgroup> pool: array<atomic<u32>, POOL>;
// Where the keys of each digit go, less where they lie in the tile.
var<workgroup> offsets: array<u32, 256>;
var<workgroup> tally: array<atomic<u32>, 256>;
var<workgroup> furthest: atomic<u32>;
var<workgroup> stalled: u32;

@compute @workgroup_size(WORKGROUP)
fn scatter(at: At, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let who = who_is(at);
    let index = tile_index(group.x + group.y * groups.x, who);
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

// Which tile this workgroup orders: its own number, or, where params.ticket names a counter, the next that nobody has begun.
//
// One return: FXC takes the result of a function with several for uninitialised, and refuses barriers that depend on it (X4026).
fn tile_index(number: u32, who: Who) -> u32 {
    var index = number;
    if (params.ticket != 0xffffffffu) {
        if (who.lane == 0u) {
            stalled = atomicAdd(&state[params.ticket], 1u);
        }
        index = workgroupUniformLoad(&stalled);
    }
    return index;
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

// What is past the end of a tile that is not full is LAST.
fn load_keys(keys: ptr<function, array<Key, ITEMS>>, first: u32, count: u32, who: Who) {
    let own = first_item(who);
    let at = params.keys_first + first + own;
    if (count == TILE) {
        for (var i = 0u; i < ITEMS; i++) {
            unroll();
            (*keys)[i] = load_key(at + i * who.size);
        }
    } else {
        for (var i = 0u; i < ITEMS; i++) {
            unroll();
            (*keys)[i] = LAST;
            if (own + i * who.size < count) {
                (*keys)[i] = load_key(at + i * who.size);
            }
        }
    }
}

// The rank of each key among its team's keys of the same digit.
fn rank_keys(keys: ptr<function, array<Key, ITEMS>>, places: ptr<function, array<u32, ITEMS>>, who: Who) {
    for (var i = 0u; i < ITEMS; i++) {
        unroll();
        (*places)[i] = rank(digit((*keys)[i], params.shift, params.mask), i, who);
    }
}

// The place of each key in the tile's order.
fn place_keys(keys: ptr<function, array<Key, ITEMS>>, places: ptr<function, array<u32, ITEMS>>, who: Who) {
    for (var i = 0u; i < ITEMS; i++) {
        unroll();
        (*places)[i] += atomicLoad(&pool[who.team * 256u + digit((*keys)[i], params.shift, params.mask)]);
    }
}

// Puts a word to its place in the tile's order, if that is one of this turn's.
fn put(word: u32, place: u32, turn: u32) {
    if (TURNS == 1u) {
        atomicStore(&pool[place], word);
    } else if (place - turn * (TILE / TURNS) < TILE / TURNS) {
        atomicStore(&pool[place - turn * (TILE / TURNS)], word);
    }
}

// Puts the first word of each key of the first turn.
fn put_keys(keys: ptr<function, array<Key, ITEMS>>, places: ptr<function, array<u32, ITEMS>>) {
    for (var i = 0u; i < ITEMS; i++) {
        unroll();
        put(key_word((*keys)[i], 0u), (*places)[i], 0u);
    }
}

// Takes the keys in the tile's order and stores them where they go, which the values follow.
fn store_keys(
    keys: ptr<function, array<Key, ITEMS>>,
    places: ptr<function, array<u32, ITEMS>>,
    targets: ptr<function, array<u32, ITEMS>>,
    count: u32,
    who: Who,
) {
    for (var turn = 0u; turn < TURNS; turn++) {
        unroll();
        var sorted: array<Key, TAKEN>;
        for (var word = 0u; word < KEY_WORDS; word++) {
            unroll();
            if (turn + word > 0u) {
                workgroupBarrier();
                for (var i = 0u; i < ITEMS; i++) {
                    unroll();
                    put(key_word((*keys)[i], word), (*places)[i], turn);
                }
                workgroupBarrier();
            }
            for (var i = 0u; i < TAKEN; i++) {
                unroll();
                sorted[i] = with_key_word(sorted[i], word, atomicLoad(&pool[i * WORKGROUP + who.lane]));
            }
        }
        let first = turn * TAKEN;
        for (var i = 0u; i < TAKEN; i++) {
            unroll();
            let offset = offsets[digit(sorted[i], params.shift, params.mask)];
            (*targets)[first + i] = offset + (first + i) * WORKGROUP + who.lane;
        }
        if (KEYS_OUT > 0u) {
            if (count == TILE) {
                for (var i = 0u; i < TAKEN; i++) {
                    unroll();
                    store_key((*targets)[first + i], sorted[i]);
                }
            } else {
                for (var i = 0u; i < TAKEN; i++) {
                    unroll();
                    if ((first + i) * WORKGROUP + who.lane < count) {
                        store_key((*targets)[first + i], sorted[i]);
                    }
                }
            }
        }
    }
}

// Brings the values into the order of the keys, and stores them beside.
fn store_values(
    places: ptr<function, array<u32, ITEMS>>,
    targets: ptr<function, array<u32, ITEMS>>,
    first: u32,
    at: u32,
    count: u32,
    who: Who,
) {
    if (VALUES_OUT == 0u) {
        return;
    }
    let own = first_item(who);
    var values: array<Value, ITEMS>;
    if (count == TILE) {
        for (var i = 0u; i < ITEMS; i++) {
            unroll();
            values[i] = value_of(first, at, own + i * who.size);
        }
    } else {
        for (var i = 0u; i < ITEMS; i++) {
            unroll();
            if (own + i * who.size < count) {
                values[i] = value_of(first, at, own + i * who.size);
            }
        }
    }
    for (var turn = 0u; turn < TURNS; turn++) {
        unroll();
        var sorted: array<Value, TAKEN>;
        for (var word = 0u; word < VALUE_WORDS; word++) {
            unroll();
            workgroupBarrier();
            for (var i = 0u; i < ITEMS; i++) {
                unroll();
                put(value_word(values[i], word), (*places)[i], turn);
            }
            workgroupBarrier();
            for (var i = 0u; i < TAKEN; i++) {
                unroll();
                sorted[i] = with_value_word(sorted[i], word, atomicLoad(&pool[i * WORKGROUP + who.lane]));
            }
        }
        let first_taken = turn * TAKEN;
        if (count == TILE) {
            for (var i = 0u; i < TAKEN; i++) {
                unroll();
                store_value((*targets)[first_taken + i], sorted[i]);
            }
        } else {
            for (var i = 0u; i < TAKEN; i++) {
                unroll();
                if ((first_taken + i) * WORKGROUP + who.lane < count) {
                    store_value((*targets)[first_taken + i], sorted[i]);
                }
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
const POOL = 4096u;
const PREFIX = 8194u;
const SPINS = 64u;
const TURNS = 2u;
const KEY_WORDS = 1u;
const KEYS_OUT = 1u;
const VALUE_WORDS = 1u;
const VALUES_OUT = 0u;
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
alias Value = u32;
fn value_word(v: u32, nth: u32) -> u32 { return v; }
fn with_value_word(v: u32, nth: u32, word: u32) -> u32 { return word; }
fn value_of(first: u32, at: u32, item: u32) -> Value { return params.index_first + at + item; }
fn bounded_length() -> u32 { return params.length; }
fn unroll() {
}
