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
const ROUNDS = 8u;
const TOTALS = 2048u;
const SPINS = 64u;
const COPIES = 16u;
const CHAINED = 1u;
const SCRATCH = 8u;
const SUBGROUP = 32u;
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
    picked_offset0: u32,
    start: u32,
    total: u32,
}
var<immediate> params: Params;
alias State = u32;
fn lift(v: bool, position: u32) -> State { return select(0u, 1u, v); }
fn combine(a: State, b: State) -> State { return a + b; }
fn result(s: State) -> u32 { return u32(s); }
fn identity() -> State { return params.identity; }
fn lift_at(v: bool, head: bool) -> State { return lift(v, 0u); }
@group(0) @binding(0) var<storage, read> x0: array<u32>;
fn value(k: u32, r: u32) -> vec4<bool> {
    let c0 = r;
    let a0 = params.offset0 + c0;
    let v0 = (((vec4<u32>(x0[a0 >> 2u]) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xffu)) != vec4<u32>(0u));
    return v0;
}
@group(0) @binding(1) var<storage, read> picked_x0: array<vec4<f32>>;
fn picked_value(k: u32, r: u32) -> vec4<f32> {
    let c0 = r;
    let a0 = params.picked_offset0 + c0;
    let v0 = picked_x0[a0 >> 2u];
    return v0;
}
@group(0) @binding(2) var<storage, read_write> picks: array<f32>;
fn put(at: u32, v: f32) {
    picks[at] = v;
}
@group(0) @binding(3) var<storage, read_write> count: array<u32>;
fn finish(all: u32) {
    count[0] = all;
    for (var at = all; at < min((all + 3u) & ~3u, params.total); at++) { put(at, f32()); }
}
// Which lane of its workgroup an invocation is, where subgroups have SUBGROUP lanes each.

struct At {
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) place: u32,
}

// The order is that of the subgroups: how local indices lie in them is nowhere promised. They are full: plans take this
// where all have one size that divides the workgroup's, and an engine that cannot promise the rest looks
// (backend/wgpu/subgroups.rs).
fn lane_of(at: At) -> u32 {
    return at.subgroup * SUBGROUP + at.place;
}

// The scan of a workgroup whose subgroups have SUBGROUP lanes each.

// All lanes together: who comes out of a loop may be apart. It orders no memory (backend/wgpu/barriers.rs).
fn crosslane_converge() {
    subgroupBarrier();
}

// What the lanes before hold, in their order, and what all hold: by steps that double within a subgroup, then the
// subgroups one after the other.
fn workgroup_scan(lane: u32, own: State) -> Split {
    let place = lane % SUBGROUP;
    var through = own;
    crosslane_converge();
    for (var reach = 1u; reach < SUBGROUP; reach *= 2u) {
        let earlier = shifted(through, reach);
        if (place >= reach) {
            through = combine(earlier, through);
        }
    }
    if (place == SUBGROUP - 1u) {
        scratch[lane / SUBGROUP] = through;
    }
    let beside = shifted(through, 1u);
    workgroupBarrier();
    var before = identity();
    var total = identity();
    for (var team = 0u; team < WORKGROUP / SUBGROUP; team++) {
        if (team == lane / SUBGROUP) {
            before = total;
        }
        total = combine(total, scratch[team]);
    }
    if (place > 0u) {
        before = combine(before, beside);
    }
    workgroupBarrier(); // scratch is used again
    return Split(before, total);
}
fn shifted(state: State, by: u32) -> State { return subgroupShuffleUp(state, by); }
struct Items {
    mask: u32,
}
fn is_whole(tile: u32) -> bool { return (tile + 1u) * 8192u <= params.extent; }
fn column_of(i: u32) -> u32 { return i; }
fn begins_row(i: u32) -> bool { return (i | params.first_tile) == 0u; }
fn row_of(k: u32, i: u32) -> u32 { return k; }
fn is_there(k: u32, i: u32) -> bool { return i < params.extent; }
fn load(row: u32, tile: u32, lane: u32) -> Items {
    var items: Items;
    let first = row;
    let i0 = tile * 8192u + 0u + lane * 4u;
    let c0 = value(row_of(first, i0), column_of(i0));
    let i1 = tile * 8192u + 1024u + lane * 4u;
    let c1 = value(row_of(first, i1), column_of(i1));
    let i2 = tile * 8192u + 2048u + lane * 4u;
    let c2 = value(row_of(first, i2), column_of(i2));
    let i3 = tile * 8192u + 3072u + lane * 4u;
    let c3 = value(row_of(first, i3), column_of(i3));
    let i4 = tile * 8192u + 4096u + lane * 4u;
    let c4 = value(row_of(first, i4), column_of(i4));
    let i5 = tile * 8192u + 5120u + lane * 4u;
    let c5 = value(row_of(first, i5), column_of(i5));
    let i6 = tile * 8192u + 6144u + lane * 4u;
    let c6 = value(row_of(first, i6), column_of(i6));
    let i7 = tile * 8192u + 7168u + lane * 4u;
    let c7 = value(row_of(first, i7), column_of(i7));
    items.mask |= select(0u, 1u, lift(c0.x, 0u) != 0u);
    items.mask |= select(0u, 2u, lift(c0.y, 0u) != 0u);
    items.mask |= select(0u, 4u, lift(c0.z, 0u) != 0u);
    items.mask |= select(0u, 8u, lift(c0.w, 0u) != 0u);
    items.mask |= select(0u, 16u, lift(c1.x, 0u) != 0u);
    items.mask |= select(0u, 32u, lift(c1.y, 0u) != 0u);
    items.mask |= select(0u, 64u, lift(c1.z, 0u) != 0u);
    items.mask |= select(0u, 128u, lift(c1.w, 0u) != 0u);
    items.mask |= select(0u, 256u, lift(c2.x, 0u) != 0u);
    items.mask |= select(0u, 512u, lift(c2.y, 0u) != 0u);
    items.mask |= select(0u, 1024u, lift(c2.z, 0u) != 0u);
    items.mask |= select(0u, 2048u, lift(c2.w, 0u) != 0u);
    items.mask |= select(0u, 4096u, lift(c3.x, 0u) != 0u);
    items.mask |= select(0u, 8192u, lift(c3.y, 0u) != 0u);
    items.mask |= select(0u, 16384u, lift(c3.z, 0u) != 0u);
    items.mask |= select(0u, 32768u, lift(c3.w, 0u) != 0u);
    items.mask |= select(0u, 65536u, lift(c4.x, 0u) != 0u);
    items.mask |= select(0u, 131072u, lift(c4.y, 0u) != 0u);
    items.mask |= select(0u, 262144u, lift(c4.z, 0u) != 0u);
    items.mask |= select(0u, 524288u, lift(c4.w, 0u) != 0u);
    items.mask |= select(0u, 1048576u, lift(c5.x, 0u) != 0u);
    items.mask |= select(0u, 2097152u, lift(c5.y, 0u) != 0u);
    items.mask |= select(0u, 4194304u, lift(c5.z, 0u) != 0u);
    items.mask |= select(0u, 8388608u, lift(c5.w, 0u) != 0u);
    items.mask |= select(0u, 16777216u, lift(c6.x, 0u) != 0u);
    items.mask |= select(0u, 33554432u, lift(c6.y, 0u) != 0u);
    items.mask |= select(0u, 67108864u, lift(c6.z, 0u) != 0u);
    items.mask |= select(0u, 134217728u, lift(c6.w, 0u) != 0u);
    items.mask |= select(0u, 268435456u, lift(c7.x, 0u) != 0u);
    items.mask |= select(0u, 536870912u, lift(c7.y, 0u) != 0u);
    items.mask |= select(0u, 1073741824u, lift(c7.z, 0u) != 0u);
    items.mask |= select(0u, 2147483648u, lift(c7.w, 0u) != 0u);
    return items;
}
fn load_part(row: u32, tile: u32, lane: u32) -> Items {
    var items: Items;
    let first = row;
    let i0 = tile * 8192u + 0u + lane * 4u;
    var c0 = vec4<bool>();
    if (is_there(first, i0)) { c0 = value(row_of(first, i0), column_of(i0)); }
    let i1 = tile * 8192u + 1024u + lane * 4u;
    var c1 = vec4<bool>();
    if (is_there(first, i1)) { c1 = value(row_of(first, i1), column_of(i1)); }
    let i2 = tile * 8192u + 2048u + lane * 4u;
    var c2 = vec4<bool>();
    if (is_there(first, i2)) { c2 = value(row_of(first, i2), column_of(i2)); }
    let i3 = tile * 8192u + 3072u + lane * 4u;
    var c3 = vec4<bool>();
    if (is_there(first, i3)) { c3 = value(row_of(first, i3), column_of(i3)); }
    let i4 = tile * 8192u + 4096u + lane * 4u;
    var c4 = vec4<bool>();
    if (is_there(first, i4)) { c4 = value(row_of(first, i4), column_of(i4)); }
    let i5 = tile * 8192u + 5120u + lane * 4u;
    var c5 = vec4<bool>();
    if (is_there(first, i5)) { c5 = value(row_of(first, i5), column_of(i5)); }
    let i6 = tile * 8192u + 6144u + lane * 4u;
    var c6 = vec4<bool>();
    if (is_there(first, i6)) { c6 = value(row_of(first, i6), column_of(i6)); }
    let i7 = tile * 8192u + 7168u + lane * 4u;
    var c7 = vec4<bool>();
    if (is_there(first, i7)) { c7 = value(row_of(first, i7), column_of(i7)); }
    items.mask |= select(0u, 1u, (i0 + 0u < params.extent) && lift(c0.x, 0u) != 0u);
    items.mask |= select(0u, 2u, (i0 + 1u < params.extent) && lift(c0.y, 0u) != 0u);
    items.mask |= select(0u, 4u, (i0 + 2u < params.extent) && lift(c0.z, 0u) != 0u);
    items.mask |= select(0u, 8u, (i0 + 3u < params.extent) && lift(c0.w, 0u) != 0u);
    items.mask |= select(0u, 16u, (i1 + 0u < params.extent) && lift(c1.x, 0u) != 0u);
    items.mask |= select(0u, 32u, (i1 + 1u < params.extent) && lift(c1.y, 0u) != 0u);
    items.mask |= select(0u, 64u, (i1 + 2u < params.extent) && lift(c1.z, 0u) != 0u);
    items.mask |= select(0u, 128u, (i1 + 3u < params.extent) && lift(c1.w, 0u) != 0u);
    items.mask |= select(0u, 256u, (i2 + 0u < params.extent) && lift(c2.x, 0u) != 0u);
    items.mask |= select(0u, 512u, (i2 + 1u < params.extent) && lift(c2.y, 0u) != 0u);
    items.mask |= select(0u, 1024u, (i2 + 2u < params.extent) && lift(c2.z, 0u) != 0u);
    items.mask |= select(0u, 2048u, (i2 + 3u < params.extent) && lift(c2.w, 0u) != 0u);
    items.mask |= select(0u, 4096u, (i3 + 0u < params.extent) && lift(c3.x, 0u) != 0u);
    items.mask |= select(0u, 8192u, (i3 + 1u < params.extent) && lift(c3.y, 0u) != 0u);
    items.mask |= select(0u, 16384u, (i3 + 2u < params.extent) && lift(c3.z, 0u) != 0u);
    items.mask |= select(0u, 32768u, (i3 + 3u < params.extent) && lift(c3.w, 0u) != 0u);
    items.mask |= select(0u, 65536u, (i4 + 0u < params.extent) && lift(c4.x, 0u) != 0u);
    items.mask |= select(0u, 131072u, (i4 + 1u < params.extent) && lift(c4.y, 0u) != 0u);
    items.mask |= select(0u, 262144u, (i4 + 2u < params.extent) && lift(c4.z, 0u) != 0u);
    items.mask |= select(0u, 524288u, (i4 + 3u < params.extent) && lift(c4.w, 0u) != 0u);
    items.mask |= select(0u, 1048576u, (i5 + 0u < params.extent) && lift(c5.x, 0u) != 0u);
    items.mask |= select(0u, 2097152u, (i5 + 1u < params.extent) && lift(c5.y, 0u) != 0u);
    items.mask |= select(0u, 4194304u, (i5 + 2u < params.extent) && lift(c5.z, 0u) != 0u);
    items.mask |= select(0u, 8388608u, (i5 + 3u < params.extent) && lift(c5.w, 0u) != 0u);
    items.mask |= select(0u, 16777216u, (i6 + 0u < params.extent) && lift(c6.x, 0u) != 0u);
    items.mask |= select(0u, 33554432u, (i6 + 1u < params.extent) && lift(c6.y, 0u) != 0u);
    items.mask |= select(0u, 67108864u, (i6 + 2u < params.extent) && lift(c6.z, 0u) != 0u);
    items.mask |= select(0u, 134217728u, (i6 + 3u < params.extent) && lift(c6.w, 0u) != 0u);
    items.mask |= select(0u, 268435456u, (i7 + 0u < params.extent) && lift(c7.x, 0u) != 0u);
    items.mask |= select(0u, 536870912u, (i7 + 1u < params.extent) && lift(c7.y, 0u) != 0u);
    items.mask |= select(0u, 1073741824u, (i7 + 2u < params.extent) && lift(c7.z, 0u) != 0u);
    items.mask |= select(0u, 2147483648u, (i7 + 3u < params.extent) && lift(c7.w, 0u) != 0u);
    return items;
}
fn spread(items: Items, lane: u32) {
    totals[0u + lane] = countOneBits(items.mask & 15u);
    totals[256u + lane] = countOneBits(items.mask & 240u);
    totals[512u + lane] = countOneBits(items.mask & 3840u);
    totals[768u + lane] = countOneBits(items.mask & 61440u);
    totals[1024u + lane] = countOneBits(items.mask & 983040u);
    totals[1280u + lane] = countOneBits(items.mask & 15728640u);
    totals[1536u + lane] = countOneBits(items.mask & 251658240u);
    totals[1792u + lane] = countOneBits(items.mask & 4026531840u);
}
fn stage(begin: u32, at: u32, v: f32) {
    if (at < TOTALS) { totals[at] = bitcast<u32>(v); } else { put(begin + at, v); }
}
fn staged(at: u32) -> f32 {
    let w = totals[at];
    return bitcast<f32>(w);
}
fn save(items: Items, row: u32, tile: u32, lane: u32) {
    let first = row;
    let begin = carried;
    let all = held;
    var at0 = totals[0u + lane];
    let i0 = tile * 8192u + 0u + lane * 4u;
    var v0: vec4<f32>;
    if ((items.mask & 15u) != 0u) { v0 = picked_value(row_of(first, i0), column_of(i0)); }
    var at1 = totals[256u + lane];
    let i1 = tile * 8192u + 1024u + lane * 4u;
    var v1: vec4<f32>;
    if ((items.mask & 240u) != 0u) { v1 = picked_value(row_of(first, i1), column_of(i1)); }
    var at2 = totals[512u + lane];
    let i2 = tile * 8192u + 2048u + lane * 4u;
    var v2: vec4<f32>;
    if ((items.mask & 3840u) != 0u) { v2 = picked_value(row_of(first, i2), column_of(i2)); }
    var at3 = totals[768u + lane];
    let i3 = tile * 8192u + 3072u + lane * 4u;
    var v3: vec4<f32>;
    if ((items.mask & 61440u) != 0u) { v3 = picked_value(row_of(first, i3), column_of(i3)); }
    var at4 = totals[1024u + lane];
    let i4 = tile * 8192u + 4096u + lane * 4u;
    var v4: vec4<f32>;
    if ((items.mask & 983040u) != 0u) { v4 = picked_value(row_of(first, i4), column_of(i4)); }
    var at5 = totals[1280u + lane];
    let i5 = tile * 8192u + 5120u + lane * 4u;
    var v5: vec4<f32>;
    if ((items.mask & 15728640u) != 0u) { v5 = picked_value(row_of(first, i5), column_of(i5)); }
    var at6 = totals[1536u + lane];
    let i6 = tile * 8192u + 6144u + lane * 4u;
    var v6: vec4<f32>;
    if ((items.mask & 251658240u) != 0u) { v6 = picked_value(row_of(first, i6), column_of(i6)); }
    var at7 = totals[1792u + lane];
    let i7 = tile * 8192u + 7168u + lane * 4u;
    var v7: vec4<f32>;
    if ((items.mask & 4026531840u) != 0u) { v7 = picked_value(row_of(first, i7), column_of(i7)); }
    workgroupBarrier();
    if ((items.mask & 1u) != 0u) { stage(begin, at0, v0.x); at0 += 1u; }
    if ((items.mask & 2u) != 0u) { stage(begin, at0, v0.y); at0 += 1u; }
    if ((items.mask & 4u) != 0u) { stage(begin, at0, v0.z); at0 += 1u; }
    if ((items.mask & 8u) != 0u) { stage(begin, at0, v0.w); at0 += 1u; }
    if ((items.mask & 16u) != 0u) { stage(begin, at1, v1.x); at1 += 1u; }
    if ((items.mask & 32u) != 0u) { stage(begin, at1, v1.y); at1 += 1u; }
    if ((items.mask & 64u) != 0u) { stage(begin, at1, v1.z); at1 += 1u; }
    if ((items.mask & 128u) != 0u) { stage(begin, at1, v1.w); at1 += 1u; }
    if ((items.mask & 256u) != 0u) { stage(begin, at2, v2.x); at2 += 1u; }
    if ((items.mask & 512u) != 0u) { stage(begin, at2, v2.y); at2 += 1u; }
    if ((items.mask & 1024u) != 0u) { stage(begin, at2, v2.z); at2 += 1u; }
    if ((items.mask & 2048u) != 0u) { stage(begin, at2, v2.w); at2 += 1u; }
    if ((items.mask & 4096u) != 0u) { stage(begin, at3, v3.x); at3 += 1u; }
    if ((items.mask & 8192u) != 0u) { stage(begin, at3, v3.y); at3 += 1u; }
    if ((items.mask & 16384u) != 0u) { stage(begin, at3, v3.z); at3 += 1u; }
    if ((items.mask & 32768u) != 0u) { stage(begin, at3, v3.w); at3 += 1u; }
    if ((items.mask & 65536u) != 0u) { stage(begin, at4, v4.x); at4 += 1u; }
    if ((items.mask & 131072u) != 0u) { stage(begin, at4, v4.y); at4 += 1u; }
    if ((items.mask & 262144u) != 0u) { stage(begin, at4, v4.z); at4 += 1u; }
    if ((items.mask & 524288u) != 0u) { stage(begin, at4, v4.w); at4 += 1u; }
    if ((items.mask & 1048576u) != 0u) { stage(begin, at5, v5.x); at5 += 1u; }
    if ((items.mask & 2097152u) != 0u) { stage(begin, at5, v5.y); at5 += 1u; }
    if ((items.mask & 4194304u) != 0u) { stage(begin, at5, v5.z); at5 += 1u; }
    if ((items.mask & 8388608u) != 0u) { stage(begin, at5, v5.w); at5 += 1u; }
    if ((items.mask & 16777216u) != 0u) { stage(begin, at6, v6.x); at6 += 1u; }
    if ((items.mask & 33554432u) != 0u) { stage(begin, at6, v6.y); at6 += 1u; }
    if ((items.mask & 67108864u) != 0u) { stage(begin, at6, v6.z); at6 += 1u; }
    if ((items.mask & 134217728u) != 0u) { stage(begin, at6, v6.w); at6 += 1u; }
    if ((items.mask & 268435456u) != 0u) { stage(begin, at7, v7.x); at7 += 1u; }
    if ((items.mask & 536870912u) != 0u) { stage(begin, at7, v7.y); at7 += 1u; }
    if ((items.mask & 1073741824u) != 0u) { stage(begin, at7, v7.z); at7 += 1u; }
    if ((items.mask & 2147483648u) != 0u) { stage(begin, at7, v7.w); at7 += 1u; }
    workgroupBarrier();
    for (var at = lane; at < min(TOTALS, all); at += WORKGROUP) { put(begin + at, staged(at)); }
    if (params.whole == 1u && tile == params.tiles - 1u && lane == 0u) { finish(begin + all); }
}
fn save_part(items: Items, row: u32, tile: u32, lane: u32) { save(items, row, tile, lane); }
@group(0) @binding(4) var<storage, read_write> chain: array<atomic<u32>>;
struct Found {
    state: State,
    ready: bool,
}
fn publish(entry: u32, state: State) {
    atomicStore(&chain[entry], 0x80000000u | state);
}
fn look(entry: u32) -> Found {
    let word = atomicLoad(&chain[entry]);
    return Found(word & 0x7fffffffu, (word & 0x80000000u) != 0u);
}
