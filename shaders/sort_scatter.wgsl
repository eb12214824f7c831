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
