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
