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
// Left open: WORKGROUP, ITEMS, TILE; Key, PAST, less; Items, and the steps over the items of an invocation (unrolled).

// The number of the tile's item i lies at i + 1: both ends may be looked past by one.
var<workgroup> pool: array<Key, TILE + 2u>;

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
