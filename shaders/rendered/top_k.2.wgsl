// The first k items of each row: by their number, then by their index.
//
//   list = {}; bound = what the launch is told, or nothing
//   for each item of this workgroup's part of the row:
//     if it is not after the bound: append it to the list
//     if the list is full: bound = the k-th of the list; drop what is after it
//   hand on the first k of the list: to the next launch, as a bound, or sorted
//
// A list in workgroup memory and a bound that falls (Johnson, Douze and Jegou, Billion-scale similarity search with GPUs,
// 2017; GridSelect of Zhang et al., Parallel Top-K Algorithms on GPU, 2023): most items are read, compared once and
// forgotten. The bound holds an index too, so no two items are equal, and rows of equal items fill no list either. The
// k-th of a list is found by digits of 8 bits, from the first on, which stops as soon as a whole bin belongs to the first k.
//
// An item is its words from the most significant on: one or two of the number, then the index. Appending is in no fixed
// order; what is appended, and so the result, is.
//
// Left open: WORKGROUP, ITEMS, LIST, FIRST_PLACE, PLACES, ABOVE (bits that no number has), SINK, LIST_SINK, BOUND_SINK; Item, LAST (no item is after it),
// not_after, at_word; item_at and put (the list); load_item, count_of and first_bound (the
// source); reserve, store_item, store_bound and store_index (the sinks).

var<workgroup> tally: array<atomic<u32>, 256>;
var<workgroup> sums: array<u32, 16>;
var<workgroup> fill: atomic<u32>;
var<workgroup> said: u32;

@compute @workgroup_size(WORKGROUP)
fn top_k(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group.x + group.y * groups.x;
    if (at >= params.groups) {
        return;
    }
    let row = at / params.parts;
    let count = count_of(row);
    let begin = min((at % params.parts) * params.span, count);
    let end = begin + min(params.span, count - begin);
    if (lane == 0u) {
        atomicStore(&fill, 0u);
    }
    workgroupBarrier();
    var bound = first_bound(row);
    var total = 0u;
    for (var i = begin; i < end; i += ITEMS * params.step) {
        var pending = tested(row, i + lane, end, bound);
        loop {
            append(&pending, row, i + lane);
            total = filled(lane);
            if (total <= LIST) {
                break;
            }
            bound = shrink(LIST, lane);
            pending &= tested(row, i + lane, end, bound);
        }
    }
    if (SINK == BOUND_SINK) {
        store_bound(row, kth(total, lane), lane);
        return;
    }
    if (total > params.k) {
        bound = shrink(total, lane);
    }
    total = min(total, params.k);
    if (SINK == LIST_SINK) {
        if (lane == 0u) {
            said = reserve(row, total);
        }
        let first = workgroupUniformLoad(&said);
        for (var j = lane; j < total; j += WORKGROUP) {
            store_item(first + j, item_at(j));
        }
        return;
    }
    sort_list(lane);
    for (var j = lane; j < params.k; j += WORKGROUP) {
        store_index(row * params.k + j, item_at(j));
    }
}

// A bit for each of an invocation's items that is there and not after the bound. Loads first.
fn tested(row: u32, at: u32, end: u32, bound: Item) -> u32 {
    var bits = 0u;
    if (at + (ITEMS - 1u) * params.step < end) {
        var items: array<Item, ITEMS>;
        for (var i = 0u; i < ITEMS; i++) {
            unroll();
            items[i] = load_item(row, at + i * params.step);
        }
        for (var i = 0u; i < ITEMS; i++) {
            unroll();
            bits |= select(0u, 1u << i, not_after(items[i], bound));
        }
        return bits;
    }
    for (var j = 0u; j < ITEMS && at + j * params.step < end; j++) {
        bits |= select(0u, 1u << j, not_after(load_item(row, at + j * params.step), bound));
    }
    return bits;
}

// Puts items of a tile into the list while there is room: those of the bits, which are cleared.
fn append(pending: ptr<function, u32>, row: u32, at: u32) {
    var left = *pending;
    let mine = countOneBits(left);
    var slot = LIST;
    if (mine > 0u) {
        slot = atomicAdd(&fill, mine);
    }
    while (left != 0u && slot < LIST) {
        put(slot, load_item(row, at + firstTrailingBit(left) * params.step));
        slot += 1u;
        left &= left - 1u;
    }
    *pending = left;
}

// How many items have been appended, more than LIST if not all found room.
fn filled(lane: u32) -> u32 {
    workgroupBarrier();
    if (lane == 0u) {
        said = atomicLoad(&fill);
    }
    return workgroupUniformLoad(&said);
}

// Drops all but the first k of the list, and says what none of them is after.
fn shrink(total: u32, lane: u32) -> Item {
    let bound = kth(total, lane);
    if (lane == 0u) {
        atomicStore(&fill, 0u);
    }
    // Items move down: what is written has been read by all.
    for (var first = 0u; first < total; first += WORKGROUP) {
        var item = LAST;
        if (first + lane < total) {
            item = item_at(first + lane);
        }
        workgroupBarrier();
        if (first + lane < total && not_after(item, bound)) {
            put(atomicAdd(&fill, 1u), item);
        }
    }
    workgroupBarrier();
    return bound;
}

// The k-th of the list, or an item between it and the next.
fn kth(total: u32, lane: u32) -> Item {
    var found = Item();
    var known = at_word(0u, ABOVE);
    var left = params.k;
    for (var place = FIRST_PLACE; place < PLACES; place++) {
        for (var bin = lane; bin < 256u; bin += WORKGROUP) {
            atomicStore(&tally[bin], 0u);
        }
        workgroupBarrier();
        let shift = 24u - 8u * (place & 3u);
        for (var j = lane; j < total; j += WORKGROUP) {
            let item = item_at(j);
            if (all(((item ^ found) & known) == Item())) {
                atomicAdd(&tally[(item[place >> 2u] >> shift) & 255u], 1u);
            }
        }
        workgroupBarrier();
        if (lane < 16u) {
            var sum = 0u;
            for (var bin = 16u * lane; bin < 16u * lane + 16u; bin++) {
                sum += atomicLoad(&tally[bin]);
            }
            sums[lane] = sum;
        }
        workgroupBarrier();
        for (var bin = lane; bin < 256u; bin += WORKGROUP) {
            choose(bin, left);
        }
        let chosen = workgroupUniformLoad(&said);
        found |= at_word(place >> 2u, (chosen & 255u) << shift);
        known |= at_word(place >> 2u, 255u << shift);
        left = chosen >> 9u;
        if ((chosen & 256u) != 0u) {
            break;
        }
    }
    return found | ~known;
}

// Says a bin if the item at place `left`, counted from 1, is in it: the bin, whether it ends there, and the place in it.
fn choose(bin: u32, left: u32) {
    let count = atomicLoad(&tally[bin]);
    var before = 0u;
    for (var block = 0u; block < 16u; block++) {
        before += select(0u, sums[block], block < bin / 16u);
    }
    for (var other = 0u; other < 16u; other++) {
        before += select(0u, atomicLoad(&tally[(bin & 0xf0u) + other]), other < (bin & 15u));
    }
    if (before < left && left <= before + count) {
        said = bin | select(0u, 256u, left == before + count) | ((left - before) << 9u);
    }
}

// Sorts the first k of the list (Batcher, 1968).
//
// The first loop counts the same in all invocations: FXC does not see that barriers after another one are reached by all (X3663).
fn sort_list(lane: u32) {
    for (var first = params.k; first < params.padded; first += WORKGROUP) {
        if (first + lane < params.padded) {
            put(first + lane, LAST);
        }
    }
    for (var size = 2u; size <= params.padded; size *= 2u) {
        for (var stride = size / 2u; stride > 0u; stride /= 2u) {
            workgroupBarrier();
            for (var pair = lane; pair < params.padded / 2u; pair += WORKGROUP) {
                let low = 2u * pair - (pair & (stride - 1u));
                let a = item_at(low);
                let b = item_at(low + stride);
                if (not_after(a, b) != ((low & size) == 0u)) {
                    put(low, b);
                    put(low + stride, a);
                }
            }
        }
    }
    workgroupBarrier();
}

// appended by the host
const WORKGROUP = 1024u;
const ITEMS = 4u;
const LIST = 4096u;
const FIRST_PLACE = 0u;
const PLACES = 8u;
const ABOVE = 0u;
const SINK = 1u;
const LIST_SINK = 0u;
const BOUND_SINK = 1u;
struct Params {
    groups: u32,
    parts: u32,
    span: u32,
    step: u32,
    count: u32,
    k: u32,
    padded: u32,
    keys_first: u32,
    length: u32,
    first: u32,
    capacity: u32,
    indices_first: u32,
}
var<immediate> params: Params;
alias Item = vec2<u32>;
const LAST = Item(0xffffffffu);
var<workgroup> list_x: array<u32, LIST>;
var<workgroup> list_y: array<u32, LIST>;
fn item_at(j: u32) -> Item { return Item(list_x[j], list_y[j]); }
fn put(j: u32, item: Item) {
    list_x[j] = item.x;
    list_y[j] = item.y;
}
fn at_word(word: u32, v: u32) -> Item { return Item(select(0u, v, word == 0u), select(0u, v, word == 1u)); }
fn not_after(a: Item, b: Item) -> bool { return (a.x < b.x) | ((a.x == b.x) & (a.y <= b.y)); }
@group(0) @binding(0) var<storage, read> lists: array<u32>;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
fn load_item(row: u32, p: u32) -> Item { return Item(lists[(row * params.capacity + p) * 2u + 0u], lists[(row * params.capacity + p) * 2u + 1u]); }
fn count_of(row: u32) -> u32 { return counts[row]; }
fn first_bound(row: u32) -> Item { return LAST; }
@group(0) @binding(2) var<storage, read_write> bounds_out: array<u32>;
fn reserve(row: u32, count: u32) -> u32 { return 0u; }
fn store_item(at: u32, item: Item) {
}
fn store_bound(row: u32, item: Item, lane: u32) {
    if (lane == 0u) {
    bounds_out[row * 2u + 0u] = item.x;
    bounds_out[row * 2u + 1u] = item.y;
    }
}
fn store_index(at: u32, item: Item) {
}
fn unroll() {
}
