// Rows so short that a workgroup sorts one or several of them, whole, by merging in its own memory.
//
//   each invocation sorts ITEMS neighbours of a row in its registers: runs
//   while a run is shorter than the row:
//     all put their items into workgroup memory
//     of each pair of neighbouring runs, merged, an invocation makes ITEMS elements: a binary search says how many of those
//     before them are of the first run (the merge path), then it takes the lesser of two, ITEMS times
//
// Equal items stay in order: of the two runs the first goes first. Rows are filled up to whole invocations with what comes
// after all else.
//
// Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path", 2012.
//
// Items carry their key's number and where they came from, or, where BARE, the number alone, from which the key can be told.
//
// Left open: WORKGROUP, ITEMS, TILE, BARE, ORIGINS; Key, PAST, number, masked, less; KEYS_OUT, load_key, store_key, key_of;
// VALUES_OUT, store_value, value_of.

// The number of the tile's item i lies at i + 1: both ends may be looked past by one.
var<workgroup> pool: array<Key, TILE + 2u>;
// Where the items in the pool come from: TILE + 1 of them, if they are wanted.
var<workgroup> pool_origins: array<u32, ORIGINS>;

// The items of an invocation.
struct Items {
    numbers: array<Key, ITEMS>,
    origins: array<u32, ITEMS>,
}

@compute @workgroup_size(WORKGROUP)
fn merge(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.x + group.y * groups.x;
    if (index >= params.groups) {
        return;
    }
    let row_items = params.row_lanes * ITEMS;
    let nth = lane / params.row_lanes;
    let row = index * params.group_rows + nth;
    let in_row = (lane - nth * params.row_lanes) * ITEMS;
    let own = 1u + lane * ITEMS;
    let row_end = 1u + min((nth + 1u) * row_items, TILE);
    let first = row * params.length;
    let count = select(0u, bounded_count(), (nth < params.group_rows) & (row < params.rows));
    var items: Items;
    load_items(&items, first, in_row, count);
    sort_items(&items);
    if (lane == 0u) {
        pool[0] = PAST;
        pool[TILE + 1u] = PAST;
    }
    for (var run = ITEMS; run < row_items; run *= 2u) {
        workgroupBarrier();
        put_items(&items, own);
        workgroupBarrier();
        let before = in_row & (2u * run - 1u);
        let a_first = own - before;
        let a_end = min(a_first + run, row_end);
        let b_end = min(a_end + run, row_end);
        let taken = path(a_first, a_end, b_end, before, run);
        merge_items(&items, a_first + taken, a_end, a_end + before - taken, b_end);
    }
    store_items(&items, first, in_row, count);
}

// How many of the first so many elements of a pair of runs, merged, are of its first run.
fn path(a_first: u32, a_end: u32, b_end: u32, before: u32, run: u32) -> u32 {
    let most = min(before, a_end - a_first);
    let b_count = b_end - a_end;
    let b_last = a_end + before;
    var taken = max(before, b_count) - b_count;
    for (var step = run; step > 0u; step >>= 1u) {
        let more = min(taken + step, most);
        // The last of them against the first of the other run that is not among them.
        taken = select(more, taken, less(pool[b_last - more], pool[a_first + more - 1u]));
    }
    return taken;
}

fn load_items(items: ptr<function, Items>, first: u32, in_row: u32, count: u32) {
    for (var i = 0u; i < ITEMS; i++) {
        unroll();
        (*items).numbers[i] = PAST;
        if (BARE == 0u) {
            (*items).origins[i] = in_row + i;
        }
    }
    let at = params.keys_first + first + in_row;
    if (in_row + ITEMS <= count) {
        for (var i = 0u; i < ITEMS; i++) {
            unroll();
            (*items).numbers[i] = masked(number(load_key(at + i)));
        }
    } else {
        for (var i = 0u; i < ITEMS; i++) {
            unroll();
            if (in_row + i < count) {
                (*items).numbers[i] = masked(number(load_key(at + i)));
            }
        }
    }
}

// Sorts an invocation's items, neighbours only being exchanged, and no equals: equal ones stay in order.
fn sort_items(items: ptr<function, Items>) {
    var numbers: array<Key, ITEMS>;
    var origins: array<u32, ITEMS>;
    for (var i = 0u; i < ITEMS; i++) {
        unroll();
        numbers[i] = (*items).numbers[i];
        if (BARE == 0u) {
            origins[i] = (*items).origins[i];
        }
    }
    for (var round = 0u; round < ITEMS; round++) {
        unroll();
        for (var i = round % 2u; i + 1u < ITEMS; i += 2u) {
            unroll();
            let a = numbers[i];
            let b = numbers[i + 1u];
            let swap = less(b, a);
            numbers[i] = select(a, b, swap);
            numbers[i + 1u] = select(b, a, swap);
            if (BARE == 0u) {
                let from_a = origins[i];
                let from_b = origins[i + 1u];
                origins[i] = select(from_a, from_b, swap);
                origins[i + 1u] = select(from_b, from_a, swap);
            }
        }
    }
    for (var i = 0u; i < ITEMS; i++) {
        unroll();
        (*items).numbers[i] = numbers[i];
        if (BARE == 0u) {
            (*items).origins[i] = origins[i];
        }
    }
}

fn put_items(items: ptr<function, Items>, own: u32) {
    for (var i = 0u; i < ITEMS; i++) {
        unroll();
        pool[own + i] = (*items).numbers[i];
        if (BARE == 0u) {
            pool_origins[own + i] = (*items).origins[i];
        }
    }
}

// Takes the lesser of the next of two runs, the first run's of equals, as often as an invocation has items.
fn merge_items(items: ptr<function, Items>, a_first: u32, a_end: u32, b_first: u32, b_end: u32) {
    var a = a_first;
    var b = b_first;
    var of_a = pool[a];
    var of_b = pool[b];
    for (var i = 0u; i < ITEMS; i++) {
        unroll();
        let by_b = (b < b_end) & ((a >= a_end) | less(of_b, of_a));
        let at = select(a, b, by_b);
        (*items).numbers[i] = select(of_a, of_b, by_b);
        if (BARE == 0u) {
            (*items).origins[i] = pool_origins[at];
        }
        if (i + 1u < ITEMS) {
            let next = pool[at + 1u];
            a = select(at + 1u, a, by_b);
            b = select(b, at + 1u, by_b);
            of_a = select(next, of_a, by_b);
            of_b = select(of_b, next, by_b);
        }
    }
}

fn store_items(items: ptr<function, Items>, first: u32, in_row: u32, count: u32) {
    if (in_row + ITEMS <= count) {
        for (var i = 0u; i < ITEMS; i++) {
            unroll();
            store_item((*items).numbers[i], (*items).origins[i], first, in_row + i);
        }
    } else {
        for (var i = 0u; i < ITEMS; i++) {
            unroll();
            if (in_row + i < count) {
                store_item((*items).numbers[i], (*items).origins[i], first, in_row + i);
            }
        }
    }
}

fn store_item(number: Key, origin: u32, first: u32, in_row: u32) {
    if (KEYS_OUT > 0u) {
        store_key(first + in_row, key_of(number, first, origin));
    }
    if (VALUES_OUT > 0u) {
        store_value(first + in_row, value_of(first, origin));
    }
}
