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
