// Scan of rows: y(k, r) = value(k, 0) * value(k, 1) * ... * value(k, r), where * is any associative `combine`.
//
//   for each tile of a row, by a workgroup of its own:
//     items = the tile's values; each unit of WIDTH neighbours scanned by its lane
//     totals = scan of the units' totals, through workgroup memory
//     publish the tile's total; carry = what all tiles before hold
//     y = carry * totals * items
//
// Each element is read and written once: a chained scan (Merrill and Garland, Single-pass Parallel Prefix Scan with
// Decoupled Look-back, 2016), with three changes.
//
// 1. Tiles look back through the tiles of their own group of WORKGROUP neighbours, all at once, and take one word for
//    all groups before, which the last tile of a group publishes, in several COPIES, as hundreds look at it. They look
//    there first, and at tiles once that is known: looks slow down those who publish. What is combined with what never
//    depends on time: the same input gives the same bits on a device.
// 2. A total is published as PARTS words of which each says itself that it is there: atomics are relaxed, and full 32-
//    and 64-bit values survive.
// 3. Nothing is waited for longer than SPINS looks: then the workgroup computes the total that is missing itself
//    (Smith, Levien and Owens, Decoupled Fallback, 2025). No workgroup needs another to run.
//
// Two workgroups may then publish the same entry, and a reader may take one word from each: they must agree to the last
// bit. A compiler may contract a product and a sum at one place of the text and not at another, so each value that is
// published or decides a place is computed at one place only: a tile that is missing goes through the same turn of the
// same loop as the own one, which is loaded again after that. And what is combined over groups starts from workgroup
// memory at each group, whoever combines it.
//
// Left open: the constants; State, lift, combine, identity and result; Items with load, load_part, spread, save and
// save_part; At, lane_of and workgroup_scan, which are in shared/scan_subgroup.wgsl and shared/scan_portable.wgsl; and,
// for rows of several tiles (CHAINED), look and publish.

struct Split {
    before: State,
    total: State,
}

var<workgroup> totals: array<State, TOTALS>;
var<workgroup> scratch: array<State, SCRATCH>;
var<workgroup> missing: atomic<u32>;
var<workgroup> said: u32;
var<workgroup> carried: State;
var<workgroup> held: State;

// No tile: all that was looked for is there.
const NONE = 0xffffffffu;

@compute @workgroup_size(WORKGROUP)
fn scan(at: At, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let lane = lane_of(at);
    let index = group.x + group.y * groups.x;
    if (index >= params.rows * params.tiles) {
        return;
    }
    let k = index / params.tiles;
    let own = index % params.tiles;
    var items: Items;
    var total: State;
    var next = 0u;
    var tile = own;
    var known = CHAINED == 0u;
    if (lane == 0u) {
        carried = identity();
    }
    // One turn, but where totals of other tiles are missing.
    loop {
        if (is_whole(tile)) {
            items = load(k, tile, lane);
        } else {
            items = load_part(k, tile, lane);
        }
        spread(items, lane);
        let split = scan_totals(lane);
        if (lane == 0u && !known) {
            publish(tile_entry(k, params.first_tile + tile), split.total);
        }
        settle(lane, split);
        if (known) {
            workgroupBarrier();
            break;
        }
        if (tile == own) {
            total = split.total;
            next = latest(k, (params.first_tile + own) / WORKGROUP, lane, (params.first_tile + own) % COPIES);
        }
        let patience = select(0u, SPINS, tile == own);
        let late = carry_in(k, params.first_tile + own, next, lane, total, patience);
        known = late == NONE;
        if (known && tile == own) {
            break;
        }
        next = late / WORKGROUP;
        tile = select(late - params.first_tile, own, known);
    }
    if (is_whole(own)) {
        save(items, k, own, lane);
    } else {
        save_part(items, k, own, lane);
    }
}

// What the lanes before hold of `totals`, a lane ROUNDS neighbours, and what all hold.
fn scan_totals(lane: u32) -> Split {
    workgroupBarrier();
    var sum = totals[lane * ROUNDS];
    for (var i = lane * ROUNDS + 1u; i < (lane + 1u) * ROUNDS; i++) {
        sum = combine(sum, totals[i]);
    }
    return workgroup_scan(lane, sum);
}

// What the units before each hold within the tile, in place of what it holds itself; all of them in `held`.
fn settle(lane: u32, split: Split) {
    var running = split.before;
    for (var i = lane * ROUNDS; i < (lane + 1u) * ROUNDS; i++) {
        let next = combine(running, totals[i]);
        totals[i] = running;
        running = next;
    }
    if (lane == 0u) {
        held = split.total;
    }
}

// What all tiles of the row before this one hold, whose own total is `total`, to `carried`, which has what is before the
// group `start`. The tile whose total is missing for that, or NONE.
fn carry_in(k: u32, tile: u32, start: u32, lane: u32, total: State, patience: u32) -> u32 {
    let group = tile / WORKGROUP;
    let place = tile % WORKGROUP;
    var late = NONE;
    // In general `start` is `group`, and this is done once.
    for (var next = start; next <= group; next++) {
        let carry = workgroupUniformLoad(&carried);
        let last = next == group;
        var state = identity();
        let lacks = gather(k, next, select(WORKGROUP, place, last), lane, patience, &state);
        if (lacks < WORKGROUP) {
            late = next * WORKGROUP + lacks;
            break;
        }
        if (last && lane == place) {
            state = total;
        }
        let split = workgroup_scan(lane, state);
        let through = combine(carry, split.total);
        if (lane < COPIES && (!last || place == WORKGROUP - 1u)) {
            publish(group_entry(k, next, lane), through);
        }
        if (last && lane == place) {
            carried = combine(carry, split.before);
        }
        if (!last && lane == 0u) {
            carried = through;
        }
    }
    workgroupBarrier();
    return late;
}

// The group before which all is known, in `carried`: this one if that comes in time.
fn latest(k: u32, group: u32, lane: u32, copy: u32) -> u32 {
    for (var looks = 0u; looks < SPINS; looks++) {
        if (lane == 0u) {
            said = 1u;
            carried = identity();
            if (group > 0u) {
                let found = look(group_entry(k, group - 1u, copy));
                said = select(0u, 1u, found.ready);
                carried = found.state;
            }
        }
        if (workgroupUniformLoad(&said) == 1u) {
            return group;
        }
    }
    if (lane == 0u) {
        var next = group;
        carried = identity();
        while (next > 0u) {
            let found = look(group_entry(k, next - 1u, copy));
            if (found.ready) {
                carried = found.state;
                break;
            }
            next -= 1u;
        }
        said = next;
    }
    return workgroupUniformLoad(&said);
}

// To each lane below `count` the total of that tile of a group. The first of them whose total nobody has published within
// so many more looks, or WORKGROUP.
fn gather(k: u32, group: u32, count: u32, lane: u32, patience: u32, state: ptr<function, State>) -> u32 {
    var found = Found(identity(), lane >= count);
    var lacks = 0u;
    for (var looks = 0u; ; looks++) {
        if (lane == 0u) {
            atomicStore(&missing, WORKGROUP);
        }
        if (!found.ready) {
            found = look(tile_entry(k, group * WORKGROUP + lane));
        }
        workgroupBarrier();
        if (!found.ready) {
            atomicMin(&missing, lane);
        }
        workgroupBarrier();
        if (lane == 0u) {
            said = atomicLoad(&missing);
        }
        lacks = workgroupUniformLoad(&said);
        if (lacks == WORKGROUP || looks >= patience) {
            break;
        }
    }
    *state = found.state;
    return lacks;
}

fn tile_entry(k: u32, tile: u32) -> u32 {
    return params.first_entry + k * (params.row_tiles + params.row_groups * COPIES) + tile;
}

fn group_entry(k: u32, group: u32, copy: u32) -> u32 {
    return tile_entry(k, params.row_tiles + copy * params.row_groups + group);
}

// appended by the host
const WORKGROUP = 256u;
const ROUNDS = 6u;
const TOTALS = 1536u;
const SPINS = 64u;
const COPIES = 16u;
const CHAINED = 1u;
const SCRATCH = 512u;
struct Params {
    rows: u32,
    tiles: u32,
    extent: u32,
    first_tile: u32,
    first_entry: u32,
    row_tiles: u32,
    row_groups: u32,
    whole: u32,
    identity: u32,
    offset0: u32,
    offset1: u32,
}
var<immediate> params: Params;
alias State = f32;
fn lift(v: f32, position: u32) -> State { return f32(v); }
fn combine(a: State, b: State) -> State { return a + b; }
fn result(s: State) -> f32 { return f32(s); }
fn identity() -> State { return bitcast<f32>(params.identity); }
fn lift_at(v: f32, head: bool) -> State { return lift(v, 0u); }
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> x1: array<vec4<f32>>;
fn value(k: u32, r: u32) -> vec4<f32> {
    let c0 = r;
    let a0 = params.offset0 + c0;
    let v0 = x0[a0 >> 2u];
    return v0;
}
fn store(k: u32, r: u32, v: vec4<f32>) {
    let c0 = r;
    let at = params.offset1 + c0;
    x1[at >> 2u] = v;
}
// Which lane of its workgroup an invocation is, without subgroups.

struct At {
    @builtin(local_invocation_index) lane: u32,
}

fn lane_of(at: At) -> u32 {
    return at.lane;
}

// The scan of a workgroup without subgroups.

// What the lanes before hold, in their order, and what all hold (Hillis and Steele, 1986).
fn workgroup_scan(lane: u32, own: State) -> Split {
    scratch[lane] = own;
    var half = 0u;
    for (var reach = 1u; reach < WORKGROUP; reach *= 2u) {
        workgroupBarrier();
        var state = scratch[half + lane];
        if (lane >= reach) {
            state = combine(scratch[half + lane - reach], state);
        }
        half = WORKGROUP - half;
        scratch[half + lane] = state;
    }
    workgroupBarrier();
    var before = identity();
    if (lane > 0u) {
        before = scratch[half + lane - 1u];
    }
    let total = scratch[half + WORKGROUP - 1u];
    workgroupBarrier(); // scratch is used again
    return Split(before, total);
}
struct Items {
    heads: u32,
    s0_0: State,
    s0_1: State,
    s0_2: State,
    s0_3: State,
    s1_0: State,
    s1_1: State,
    s1_2: State,
    s1_3: State,
    s2_0: State,
    s2_1: State,
    s2_2: State,
    s2_3: State,
    s3_0: State,
    s3_1: State,
    s3_2: State,
    s3_3: State,
    s4_0: State,
    s4_1: State,
    s4_2: State,
    s4_3: State,
    s5_0: State,
    s5_1: State,
    s5_2: State,
    s5_3: State,
}
fn is_whole(tile: u32) -> bool { return (tile + 1u) * 6144u <= params.extent; }
fn column_of(i: u32) -> u32 { return i; }
fn begins_row(i: u32) -> bool { return (i | params.first_tile) == 0u; }
fn row_of(k: u32, i: u32) -> u32 { return k; }
fn is_there(k: u32, i: u32) -> bool { return i < params.extent; }
fn load(row: u32, tile: u32, lane: u32) -> Items {
    var items: Items;
    let first = row;
    let i0 = tile * 6144u + 0u + lane * 4u;
    let v0 = value(row_of(first, i0), column_of(i0));
    let i1 = tile * 6144u + 1024u + lane * 4u;
    let v1 = value(row_of(first, i1), column_of(i1));
    let i2 = tile * 6144u + 2048u + lane * 4u;
    let v2 = value(row_of(first, i2), column_of(i2));
    let i3 = tile * 6144u + 3072u + lane * 4u;
    let v3 = value(row_of(first, i3), column_of(i3));
    let i4 = tile * 6144u + 4096u + lane * 4u;
    let v4 = value(row_of(first, i4), column_of(i4));
    let i5 = tile * 6144u + 5120u + lane * 4u;
    let v5 = value(row_of(first, i5), column_of(i5));
    items.s0_0 = lift_at(v0.x, false);
    items.s0_1 = combine(items.s0_0, lift_at(v0.y, false));
    items.s0_2 = combine(items.s0_1, lift_at(v0.z, false));
    items.s0_3 = combine(items.s0_2, lift_at(v0.w, false));
    items.s1_0 = lift_at(v1.x, false);
    items.s1_1 = combine(items.s1_0, lift_at(v1.y, false));
    items.s1_2 = combine(items.s1_1, lift_at(v1.z, false));
    items.s1_3 = combine(items.s1_2, lift_at(v1.w, false));
    items.s2_0 = lift_at(v2.x, false);
    items.s2_1 = combine(items.s2_0, lift_at(v2.y, false));
    items.s2_2 = combine(items.s2_1, lift_at(v2.z, false));
    items.s2_3 = combine(items.s2_2, lift_at(v2.w, false));
    items.s3_0 = lift_at(v3.x, false);
    items.s3_1 = combine(items.s3_0, lift_at(v3.y, false));
    items.s3_2 = combine(items.s3_1, lift_at(v3.z, false));
    items.s3_3 = combine(items.s3_2, lift_at(v3.w, false));
    items.s4_0 = lift_at(v4.x, false);
    items.s4_1 = combine(items.s4_0, lift_at(v4.y, false));
    items.s4_2 = combine(items.s4_1, lift_at(v4.z, false));
    items.s4_3 = combine(items.s4_2, lift_at(v4.w, false));
    items.s5_0 = lift_at(v5.x, false);
    items.s5_1 = combine(items.s5_0, lift_at(v5.y, false));
    items.s5_2 = combine(items.s5_1, lift_at(v5.z, false));
    items.s5_3 = combine(items.s5_2, lift_at(v5.w, false));
    return items;
}
fn load_part(row: u32, tile: u32, lane: u32) -> Items {
    var items: Items;
    let first = row;
    let i0 = tile * 6144u + 0u + lane * 4u;
    var v0: vec4<f32>;
    let there0 = is_there(first, i0);
    if (there0) { v0 = value(row_of(first, i0), column_of(i0)); }
    let i1 = tile * 6144u + 1024u + lane * 4u;
    var v1: vec4<f32>;
    let there1 = is_there(first, i1);
    if (there1) { v1 = value(row_of(first, i1), column_of(i1)); }
    let i2 = tile * 6144u + 2048u + lane * 4u;
    var v2: vec4<f32>;
    let there2 = is_there(first, i2);
    if (there2) { v2 = value(row_of(first, i2), column_of(i2)); }
    let i3 = tile * 6144u + 3072u + lane * 4u;
    var v3: vec4<f32>;
    let there3 = is_there(first, i3);
    if (there3) { v3 = value(row_of(first, i3), column_of(i3)); }
    let i4 = tile * 6144u + 4096u + lane * 4u;
    var v4: vec4<f32>;
    let there4 = is_there(first, i4);
    if (there4) { v4 = value(row_of(first, i4), column_of(i4)); }
    let i5 = tile * 6144u + 5120u + lane * 4u;
    var v5: vec4<f32>;
    let there5 = is_there(first, i5);
    if (there5) { v5 = value(row_of(first, i5), column_of(i5)); }
    items.s0_0 = pick(lift_at(v0.x, false), there0);
    items.s0_1 = combine(items.s0_0, pick(lift_at(v0.y, false), there0));
    items.s0_2 = combine(items.s0_1, pick(lift_at(v0.z, false), there0));
    items.s0_3 = combine(items.s0_2, pick(lift_at(v0.w, false), there0));
    items.s1_0 = pick(lift_at(v1.x, false), there1);
    items.s1_1 = combine(items.s1_0, pick(lift_at(v1.y, false), there1));
    items.s1_2 = combine(items.s1_1, pick(lift_at(v1.z, false), there1));
    items.s1_3 = combine(items.s1_2, pick(lift_at(v1.w, false), there1));
    items.s2_0 = pick(lift_at(v2.x, false), there2);
    items.s2_1 = combine(items.s2_0, pick(lift_at(v2.y, false), there2));
    items.s2_2 = combine(items.s2_1, pick(lift_at(v2.z, false), there2));
    items.s2_3 = combine(items.s2_2, pick(lift_at(v2.w, false), there2));
    items.s3_0 = pick(lift_at(v3.x, false), there3);
    items.s3_1 = combine(items.s3_0, pick(lift_at(v3.y, false), there3));
    items.s3_2 = combine(items.s3_1, pick(lift_at(v3.z, false), there3));
    items.s3_3 = combine(items.s3_2, pick(lift_at(v3.w, false), there3));
    items.s4_0 = pick(lift_at(v4.x, false), there4);
    items.s4_1 = combine(items.s4_0, pick(lift_at(v4.y, false), there4));
    items.s4_2 = combine(items.s4_1, pick(lift_at(v4.z, false), there4));
    items.s4_3 = combine(items.s4_2, pick(lift_at(v4.w, false), there4));
    items.s5_0 = pick(lift_at(v5.x, false), there5);
    items.s5_1 = combine(items.s5_0, pick(lift_at(v5.y, false), there5));
    items.s5_2 = combine(items.s5_1, pick(lift_at(v5.z, false), there5));
    items.s5_3 = combine(items.s5_2, pick(lift_at(v5.w, false), there5));
    return items;
}
fn pick(state: State, there: bool) -> State {
    if (there) { return state; }
    return identity();
}
fn spread(items: Items, lane: u32) {
    totals[0u + lane] = items.s0_3;
    totals[256u + lane] = items.s1_3;
    totals[512u + lane] = items.s2_3;
    totals[768u + lane] = items.s3_3;
    totals[1024u + lane] = items.s4_3;
    totals[1280u + lane] = items.s5_3;
}
fn save(items: Items, row: u32, tile: u32, lane: u32) {
    let first = row;
    let i0 = tile * 6144u + 0u + lane * 4u;
    let before0 = combine(carried, totals[0u + lane]);
    store(row_of(first, i0), column_of(i0), vec4<f32>(result(fresh(before0, false)), result(fresh(combine(before0, items.s0_0), false)), result(fresh(combine(before0, items.s0_1), false)), result(fresh(combine(before0, items.s0_2), false))));
    let i1 = tile * 6144u + 1024u + lane * 4u;
    let before1 = combine(carried, totals[256u + lane]);
    store(row_of(first, i1), column_of(i1), vec4<f32>(result(fresh(before1, false)), result(fresh(combine(before1, items.s1_0), false)), result(fresh(combine(before1, items.s1_1), false)), result(fresh(combine(before1, items.s1_2), false))));
    let i2 = tile * 6144u + 2048u + lane * 4u;
    let before2 = combine(carried, totals[512u + lane]);
    store(row_of(first, i2), column_of(i2), vec4<f32>(result(fresh(before2, false)), result(fresh(combine(before2, items.s2_0), false)), result(fresh(combine(before2, items.s2_1), false)), result(fresh(combine(before2, items.s2_2), false))));
    let i3 = tile * 6144u + 3072u + lane * 4u;
    let before3 = combine(carried, totals[768u + lane]);
    store(row_of(first, i3), column_of(i3), vec4<f32>(result(fresh(before3, false)), result(fresh(combine(before3, items.s3_0), false)), result(fresh(combine(before3, items.s3_1), false)), result(fresh(combine(before3, items.s3_2), false))));
    let i4 = tile * 6144u + 4096u + lane * 4u;
    let before4 = combine(carried, totals[1024u + lane]);
    store(row_of(first, i4), column_of(i4), vec4<f32>(result(fresh(before4, false)), result(fresh(combine(before4, items.s4_0), false)), result(fresh(combine(before4, items.s4_1), false)), result(fresh(combine(before4, items.s4_2), false))));
    let i5 = tile * 6144u + 5120u + lane * 4u;
    let before5 = combine(carried, totals[1280u + lane]);
    store(row_of(first, i5), column_of(i5), vec4<f32>(result(fresh(before5, false)), result(fresh(combine(before5, items.s5_0), false)), result(fresh(combine(before5, items.s5_1), false)), result(fresh(combine(before5, items.s5_2), false))));
}
fn save_part(items: Items, row: u32, tile: u32, lane: u32) {
    let first = row;
    let i0 = tile * 6144u + 0u + lane * 4u;
    let before0 = combine(carried, totals[0u + lane]);
    if (is_there(first, i0)) { store(row_of(first, i0), column_of(i0), vec4<f32>(result(fresh(before0, false)), result(fresh(combine(before0, items.s0_0), false)), result(fresh(combine(before0, items.s0_1), false)), result(fresh(combine(before0, items.s0_2), false)))); }
    let i1 = tile * 6144u + 1024u + lane * 4u;
    let before1 = combine(carried, totals[256u + lane]);
    if (is_there(first, i1)) { store(row_of(first, i1), column_of(i1), vec4<f32>(result(fresh(before1, false)), result(fresh(combine(before1, items.s1_0), false)), result(fresh(combine(before1, items.s1_1), false)), result(fresh(combine(before1, items.s1_2), false)))); }
    let i2 = tile * 6144u + 2048u + lane * 4u;
    let before2 = combine(carried, totals[512u + lane]);
    if (is_there(first, i2)) { store(row_of(first, i2), column_of(i2), vec4<f32>(result(fresh(before2, false)), result(fresh(combine(before2, items.s2_0), false)), result(fresh(combine(before2, items.s2_1), false)), result(fresh(combine(before2, items.s2_2), false)))); }
    let i3 = tile * 6144u + 3072u + lane * 4u;
    let before3 = combine(carried, totals[768u + lane]);
    if (is_there(first, i3)) { store(row_of(first, i3), column_of(i3), vec4<f32>(result(fresh(before3, false)), result(fresh(combine(before3, items.s3_0), false)), result(fresh(combine(before3, items.s3_1), false)), result(fresh(combine(before3, items.s3_2), false)))); }
    let i4 = tile * 6144u + 4096u + lane * 4u;
    let before4 = combine(carried, totals[1024u + lane]);
    if (is_there(first, i4)) { store(row_of(first, i4), column_of(i4), vec4<f32>(result(fresh(before4, false)), result(fresh(combine(before4, items.s4_0), false)), result(fresh(combine(before4, items.s4_1), false)), result(fresh(combine(before4, items.s4_2), false)))); }
    let i5 = tile * 6144u + 5120u + lane * 4u;
    let before5 = combine(carried, totals[1280u + lane]);
    if (is_there(first, i5)) { store(row_of(first, i5), column_of(i5), vec4<f32>(result(fresh(before5, false)), result(fresh(combine(before5, items.s5_0), false)), result(fresh(combine(before5, items.s5_1), false)), result(fresh(combine(before5, items.s5_2), false)))); }
}
fn fresh(state: State, head: bool) -> State {
    if (head) { return identity(); }
    return state;
}
@group(0) @binding(2) var<storage, read_write> chain: array<atomic<u32>>;
struct Found {
    state: State,
    ready: bool,
}
fn publish(entry: u32, state: State) {
    let bits: u32 = bitcast<u32>(state);
    atomicStore(&chain[entry * 2u + 0u], 0x80000000u | u32((bits >> 0u) & 0xffffu));
    atomicStore(&chain[entry * 2u + 1u], 0x80000000u | u32((bits >> 16u) & 0xffffu));
}
fn look(entry: u32) -> Found {
    let p0 = atomicLoad(&chain[entry * 2u + 0u]);
    let p1 = atomicLoad(&chain[entry * 2u + 1u]);
    let bits: u32 = ((p0 & 0xffffu) << 0u) | ((p1 & 0xffffu) << 16u);
    return Found(bitcast<f32>(bits), (p0 & p1 & 0x80000000u) != 0u);
}
