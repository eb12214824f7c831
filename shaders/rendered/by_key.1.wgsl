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
    units: u32,
    identity: u32,
    offset0: u32,
}
var<immediate> params: Params;
alias Plain = f32;
fn lift(v: f32, position: u32) -> Plain { return f32(v); }
fn combine_plain(a: Plain, b: Plain) -> Plain { return a + b; }
fn result_plain(s: Plain) -> f32 { return f32(s); }
fn identity_plain() -> Plain { return bitcast<f32>(params.identity); }
struct State {
    value: Plain,
    head: u32,
}
fn lift_at(v: f32, head: bool) -> State { return State(lift(v, 0u), select(0u, 1u, head)); }
fn combine(a: State, b: State) -> State {
    if (b.head != 0u) { return State(b.value, a.head + b.head); }
    return State(combine_plain(a.value, b.value), a.head + b.head);
}
fn identity() -> State { return State(identity_plain(), 0u); }
fn result(s: State) -> f32 { return result_plain(s.value); }
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
fn value(k: u32, r: u32) -> vec4<f32> {
    let c0 = r;
    let a0 = params.offset0 + c0;
    let v0 = x0[a0 >> 2u];
    return v0;
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
fn shifted(state: State, by: u32) -> State { return State(subgroupShuffleUp(state.value, by), subgroupShuffleUp(state.head, by)); }
struct Four {
    low: vec4<u32>,
    high: vec4<u32>,
}
@group(0) @binding(1) var<storage, read> x: array<vec4<u32>>;
fn four(word: u32) -> Four {
    return Four(x[word], vec4<u32>(0u));
}
fn differ(a: Four, b: Four) -> vec4<bool> {
    return a.low != b.low;
}
fn begins(unit: u32, own: Four) -> vec4<bool> {
    let word = max(unit, 1u) - 1u;
    let last = vec2<u32>(x[word].w, 0u);
    let before = Four(vec4<u32>(last.x, own.low.xyz), vec4<u32>(last.y, own.high.xyz));
    return differ(before, own) | vec4<bool>(unit == 0u, false, false, false);
}
@group(0) @binding(2) var<storage, read_write> firsts: array<u32>;
fn put_bits(at: u32, v: u32) {
    firsts[at] = v;
}
fn put_key(at: u32, low: u32, high: u32) {
    put_bits(at, low);
}
@group(0) @binding(3) var<storage, read_write> combined: array<f32>;
fn put_value(at: u32, v: f32) {
    combined[at] = v;
}
@group(0) @binding(4) var<storage, read_write> count: array<u32>;
fn finish(all: u32) {
    count[0] = all;
    for (var at = all; at < min((all + 3u) & ~3u, params.extent); at++) {
        put_key(at, 0u, 0u);
        put_value(at, f32());
    }
}
fn ended(before: State, low: u32, high: u32) {
    put_key(before.head, low, high);
    if (before.head > 0u) { put_value(before.head - 1u, result(before)); }
}
fn is_whole(tile: u32) -> bool { return (tile + 1u) * 6144u <= params.extent; }
fn column_of(i: u32) -> u32 { return i; }
fn begins_row(i: u32) -> bool { return (i | params.first_tile) == 0u; }
fn row_of(k: u32, i: u32) -> u32 { return k; }
fn is_there(k: u32, i: u32) -> bool { return i < params.extent; }
struct Items {
    mask: u32,
    v0: vec4<f32>,
    v1: vec4<f32>,
    v2: vec4<f32>,
    v3: vec4<f32>,
    v4: vec4<f32>,
    v5: vec4<f32>,
}
fn load(row: u32, tile: u32, lane: u32) -> Items {
    var items: Items;
    let u0 = tile * 1536u + 0u + lane;
    var k0: Four;
    var d0: vec4<bool>;
    items.v0 = value(0u, u0 * 4u);
    k0 = four(u0);
    d0 = begins(u0, k0);
    let u1 = tile * 1536u + 256u + lane;
    var k1: Four;
    var d1: vec4<bool>;
    items.v1 = value(0u, u1 * 4u);
    k1 = four(u1);
    d1 = begins(u1, k1);
    let u2 = tile * 1536u + 512u + lane;
    var k2: Four;
    var d2: vec4<bool>;
    items.v2 = value(0u, u2 * 4u);
    k2 = four(u2);
    d2 = begins(u2, k2);
    let u3 = tile * 1536u + 768u + lane;
    var k3: Four;
    var d3: vec4<bool>;
    items.v3 = value(0u, u3 * 4u);
    k3 = four(u3);
    d3 = begins(u3, k3);
    let u4 = tile * 1536u + 1024u + lane;
    var k4: Four;
    var d4: vec4<bool>;
    items.v4 = value(0u, u4 * 4u);
    k4 = four(u4);
    d4 = begins(u4, k4);
    let u5 = tile * 1536u + 1280u + lane;
    var k5: Four;
    var d5: vec4<bool>;
    items.v5 = value(0u, u5 * 4u);
    k5 = four(u5);
    d5 = begins(u5, k5);
    items.mask |= select(0u, 1u, d0.x);
    items.mask |= select(0u, 2u, d0.y);
    items.mask |= select(0u, 4u, d0.z);
    items.mask |= select(0u, 8u, d0.w);
    items.mask |= select(0u, 16u, d1.x);
    items.mask |= select(0u, 32u, d1.y);
    items.mask |= select(0u, 64u, d1.z);
    items.mask |= select(0u, 128u, d1.w);
    items.mask |= select(0u, 256u, d2.x);
    items.mask |= select(0u, 512u, d2.y);
    items.mask |= select(0u, 1024u, d2.z);
    items.mask |= select(0u, 2048u, d2.w);
    items.mask |= select(0u, 4096u, d3.x);
    items.mask |= select(0u, 8192u, d3.y);
    items.mask |= select(0u, 16384u, d3.z);
    items.mask |= select(0u, 32768u, d3.w);
    items.mask |= select(0u, 65536u, d4.x);
    items.mask |= select(0u, 131072u, d4.y);
    items.mask |= select(0u, 262144u, d4.z);
    items.mask |= select(0u, 524288u, d4.w);
    items.mask |= select(0u, 1048576u, d5.x);
    items.mask |= select(0u, 2097152u, d5.y);
    items.mask |= select(0u, 4194304u, d5.z);
    items.mask |= select(0u, 8388608u, d5.w);
    return items;
}
fn load_part(row: u32, tile: u32, lane: u32) -> Items {
    var items: Items;
    let u0 = tile * 1536u + 0u + lane;
    var k0: Four;
    var d0: vec4<bool>;
    if (u0 < params.units) {
    items.v0 = value(0u, u0 * 4u);
    k0 = four(u0);
    d0 = begins(u0, k0);
    }
    let u1 = tile * 1536u + 256u + lane;
    var k1: Four;
    var d1: vec4<bool>;
    if (u1 < params.units) {
    items.v1 = value(0u, u1 * 4u);
    k1 = four(u1);
    d1 = begins(u1, k1);
    }
    let u2 = tile * 1536u + 512u + lane;
    var k2: Four;
    var d2: vec4<bool>;
    if (u2 < params.units) {
    items.v2 = value(0u, u2 * 4u);
    k2 = four(u2);
    d2 = begins(u2, k2);
    }
    let u3 = tile * 1536u + 768u + lane;
    var k3: Four;
    var d3: vec4<bool>;
    if (u3 < params.units) {
    items.v3 = value(0u, u3 * 4u);
    k3 = four(u3);
    d3 = begins(u3, k3);
    }
    let u4 = tile * 1536u + 1024u + lane;
    var k4: Four;
    var d4: vec4<bool>;
    if (u4 < params.units) {
    items.v4 = value(0u, u4 * 4u);
    k4 = four(u4);
    d4 = begins(u4, k4);
    }
    let u5 = tile * 1536u + 1280u + lane;
    var k5: Four;
    var d5: vec4<bool>;
    if (u5 < params.units) {
    items.v5 = value(0u, u5 * 4u);
    k5 = four(u5);
    d5 = begins(u5, k5);
    }
    items.mask |= select(0u, 1u, u0 * 4u + 0u < params.extent && d0.x);
    items.mask |= select(0u, 2u, u0 * 4u + 1u < params.extent && d0.y);
    items.mask |= select(0u, 4u, u0 * 4u + 2u < params.extent && d0.z);
    items.mask |= select(0u, 8u, u0 * 4u + 3u < params.extent && d0.w);
    items.mask |= select(0u, 16u, u1 * 4u + 0u < params.extent && d1.x);
    items.mask |= select(0u, 32u, u1 * 4u + 1u < params.extent && d1.y);
    items.mask |= select(0u, 64u, u1 * 4u + 2u < params.extent && d1.z);
    items.mask |= select(0u, 128u, u1 * 4u + 3u < params.extent && d1.w);
    items.mask |= select(0u, 256u, u2 * 4u + 0u < params.extent && d2.x);
    items.mask |= select(0u, 512u, u2 * 4u + 1u < params.extent && d2.y);
    items.mask |= select(0u, 1024u, u2 * 4u + 2u < params.extent && d2.z);
    items.mask |= select(0u, 2048u, u2 * 4u + 3u < params.extent && d2.w);
    items.mask |= select(0u, 4096u, u3 * 4u + 0u < params.extent && d3.x);
    items.mask |= select(0u, 8192u, u3 * 4u + 1u < params.extent && d3.y);
    items.mask |= select(0u, 16384u, u3 * 4u + 2u < params.extent && d3.z);
    items.mask |= select(0u, 32768u, u3 * 4u + 3u < params.extent && d3.w);
    items.mask |= select(0u, 65536u, u4 * 4u + 0u < params.extent && d4.x);
    items.mask |= select(0u, 131072u, u4 * 4u + 1u < params.extent && d4.y);
    items.mask |= select(0u, 262144u, u4 * 4u + 2u < params.extent && d4.z);
    items.mask |= select(0u, 524288u, u4 * 4u + 3u < params.extent && d4.w);
    items.mask |= select(0u, 1048576u, u5 * 4u + 0u < params.extent && d5.x);
    items.mask |= select(0u, 2097152u, u5 * 4u + 1u < params.extent && d5.y);
    items.mask |= select(0u, 4194304u, u5 * 4u + 2u < params.extent && d5.z);
    items.mask |= select(0u, 8388608u, u5 * 4u + 3u < params.extent && d5.w);
    return items;
}
fn spread(items: Items, lane: u32) {
    totals[0u + lane] = combine(combine(combine(lift_at(items.v0.x, (items.mask & 1u) != 0u), lift_at(items.v0.y, (items.mask & 2u) != 0u)), lift_at(items.v0.z, (items.mask & 4u) != 0u)), lift_at(items.v0.w, (items.mask & 8u) != 0u));
    totals[256u + lane] = combine(combine(combine(lift_at(items.v1.x, (items.mask & 16u) != 0u), lift_at(items.v1.y, (items.mask & 32u) != 0u)), lift_at(items.v1.z, (items.mask & 64u) != 0u)), lift_at(items.v1.w, (items.mask & 128u) != 0u));
    totals[512u + lane] = combine(combine(combine(lift_at(items.v2.x, (items.mask & 256u) != 0u), lift_at(items.v2.y, (items.mask & 512u) != 0u)), lift_at(items.v2.z, (items.mask & 1024u) != 0u)), lift_at(items.v2.w, (items.mask & 2048u) != 0u));
    totals[768u + lane] = combine(combine(combine(lift_at(items.v3.x, (items.mask & 4096u) != 0u), lift_at(items.v3.y, (items.mask & 8192u) != 0u)), lift_at(items.v3.z, (items.mask & 16384u) != 0u)), lift_at(items.v3.w, (items.mask & 32768u) != 0u));
    totals[1024u + lane] = combine(combine(combine(lift_at(items.v4.x, (items.mask & 65536u) != 0u), lift_at(items.v4.y, (items.mask & 131072u) != 0u)), lift_at(items.v4.z, (items.mask & 262144u) != 0u)), lift_at(items.v4.w, (items.mask & 524288u) != 0u));
    totals[1280u + lane] = combine(combine(combine(lift_at(items.v5.x, (items.mask & 1048576u) != 0u), lift_at(items.v5.y, (items.mask & 2097152u) != 0u)), lift_at(items.v5.z, (items.mask & 4194304u) != 0u)), lift_at(items.v5.w, (items.mask & 8388608u) != 0u));
}
fn save(items: Items, row: u32, tile: u32, lane: u32) {
    let carry = carried;
    let b0 = combine(carry, totals[0u + lane]);
    var k0: Four;
    if ((items.mask & 15u) != 0u) { k0 = four(tile * 1536u + 0u + lane); }
    let b1 = combine(carry, totals[256u + lane]);
    var k1: Four;
    if ((items.mask & 240u) != 0u) { k1 = four(tile * 1536u + 256u + lane); }
    let b2 = combine(carry, totals[512u + lane]);
    var k2: Four;
    if ((items.mask & 3840u) != 0u) { k2 = four(tile * 1536u + 512u + lane); }
    let b3 = combine(carry, totals[768u + lane]);
    var k3: Four;
    if ((items.mask & 61440u) != 0u) { k3 = four(tile * 1536u + 768u + lane); }
    let b4 = combine(carry, totals[1024u + lane]);
    var k4: Four;
    if ((items.mask & 983040u) != 0u) { k4 = four(tile * 1536u + 1024u + lane); }
    let b5 = combine(carry, totals[1280u + lane]);
    var k5: Four;
    if ((items.mask & 15728640u) != 0u) { k5 = four(tile * 1536u + 1280u + lane); }
    if ((items.mask & 15u) != 0u) {
        var s = b0;
        if ((items.mask & 1u) != 0u) { ended(s, k0.low.x, k0.high.x); }
        s = combine(s, lift_at(items.v0.x, (items.mask & 1u) != 0u));
        if ((items.mask & 2u) != 0u) { ended(s, k0.low.y, k0.high.y); }
        s = combine(s, lift_at(items.v0.y, (items.mask & 2u) != 0u));
        if ((items.mask & 4u) != 0u) { ended(s, k0.low.z, k0.high.z); }
        s = combine(s, lift_at(items.v0.z, (items.mask & 4u) != 0u));
        if ((items.mask & 8u) != 0u) { ended(s, k0.low.w, k0.high.w); }
    }
    if ((items.mask & 240u) != 0u) {
        var s = b1;
        if ((items.mask & 16u) != 0u) { ended(s, k1.low.x, k1.high.x); }
        s = combine(s, lift_at(items.v1.x, (items.mask & 16u) != 0u));
        if ((items.mask & 32u) != 0u) { ended(s, k1.low.y, k1.high.y); }
        s = combine(s, lift_at(items.v1.y, (items.mask & 32u) != 0u));
        if ((items.mask & 64u) != 0u) { ended(s, k1.low.z, k1.high.z); }
        s = combine(s, lift_at(items.v1.z, (items.mask & 64u) != 0u));
        if ((items.mask & 128u) != 0u) { ended(s, k1.low.w, k1.high.w); }
    }
    if ((items.mask & 3840u) != 0u) {
        var s = b2;
        if ((items.mask & 256u) != 0u) { ended(s, k2.low.x, k2.high.x); }
        s = combine(s, lift_at(items.v2.x, (items.mask & 256u) != 0u));
        if ((items.mask & 512u) != 0u) { ended(s, k2.low.y, k2.high.y); }
        s = combine(s, lift_at(items.v2.y, (items.mask & 512u) != 0u));
        if ((items.mask & 1024u) != 0u) { ended(s, k2.low.z, k2.high.z); }
        s = combine(s, lift_at(items.v2.z, (items.mask & 1024u) != 0u));
        if ((items.mask & 2048u) != 0u) { ended(s, k2.low.w, k2.high.w); }
    }
    if ((items.mask & 61440u) != 0u) {
        var s = b3;
        if ((items.mask & 4096u) != 0u) { ended(s, k3.low.x, k3.high.x); }
        s = combine(s, lift_at(items.v3.x, (items.mask & 4096u) != 0u));
        if ((items.mask & 8192u) != 0u) { ended(s, k3.low.y, k3.high.y); }
        s = combine(s, lift_at(items.v3.y, (items.mask & 8192u) != 0u));
        if ((items.mask & 16384u) != 0u) { ended(s, k3.low.z, k3.high.z); }
        s = combine(s, lift_at(items.v3.z, (items.mask & 16384u) != 0u));
        if ((items.mask & 32768u) != 0u) { ended(s, k3.low.w, k3.high.w); }
    }
    if ((items.mask & 983040u) != 0u) {
        var s = b4;
        if ((items.mask & 65536u) != 0u) { ended(s, k4.low.x, k4.high.x); }
        s = combine(s, lift_at(items.v4.x, (items.mask & 65536u) != 0u));
        if ((items.mask & 131072u) != 0u) { ended(s, k4.low.y, k4.high.y); }
        s = combine(s, lift_at(items.v4.y, (items.mask & 131072u) != 0u));
        if ((items.mask & 262144u) != 0u) { ended(s, k4.low.z, k4.high.z); }
        s = combine(s, lift_at(items.v4.z, (items.mask & 262144u) != 0u));
        if ((items.mask & 524288u) != 0u) { ended(s, k4.low.w, k4.high.w); }
    }
    if ((items.mask & 15728640u) != 0u) {
        var s = b5;
        if ((items.mask & 1048576u) != 0u) { ended(s, k5.low.x, k5.high.x); }
        s = combine(s, lift_at(items.v5.x, (items.mask & 1048576u) != 0u));
        if ((items.mask & 2097152u) != 0u) { ended(s, k5.low.y, k5.high.y); }
        s = combine(s, lift_at(items.v5.y, (items.mask & 2097152u) != 0u));
        if ((items.mask & 4194304u) != 0u) { ended(s, k5.low.z, k5.high.z); }
        s = combine(s, lift_at(items.v5.z, (items.mask & 4194304u) != 0u));
        if ((items.mask & 8388608u) != 0u) { ended(s, k5.low.w, k5.high.w); }
    }
    if (tile == params.tiles - 1u) {
        var s = carry;
        s = b0;
        s = combine(s, lift_at(items.v0.x, (items.mask & 1u) != 0u));
        if ((tile * 1536u + 0u + lane) * 4u + 0u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = combine(s, lift_at(items.v0.y, (items.mask & 2u) != 0u));
        if ((tile * 1536u + 0u + lane) * 4u + 1u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = combine(s, lift_at(items.v0.z, (items.mask & 4u) != 0u));
        if ((tile * 1536u + 0u + lane) * 4u + 2u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = combine(s, lift_at(items.v0.w, (items.mask & 8u) != 0u));
        if ((tile * 1536u + 0u + lane) * 4u + 3u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = b1;
        s = combine(s, lift_at(items.v1.x, (items.mask & 16u) != 0u));
        if ((tile * 1536u + 256u + lane) * 4u + 0u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = combine(s, lift_at(items.v1.y, (items.mask & 32u) != 0u));
        if ((tile * 1536u + 256u + lane) * 4u + 1u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = combine(s, lift_at(items.v1.z, (items.mask & 64u) != 0u));
        if ((tile * 1536u + 256u + lane) * 4u + 2u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = combine(s, lift_at(items.v1.w, (items.mask & 128u) != 0u));
        if ((tile * 1536u + 256u + lane) * 4u + 3u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = b2;
        s = combine(s, lift_at(items.v2.x, (items.mask & 256u) != 0u));
        if ((tile * 1536u + 512u + lane) * 4u + 0u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = combine(s, lift_at(items.v2.y, (items.mask & 512u) != 0u));
        if ((tile * 1536u + 512u + lane) * 4u + 1u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = combine(s, lift_at(items.v2.z, (items.mask & 1024u) != 0u));
        if ((tile * 1536u + 512u + lane) * 4u + 2u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = combine(s, lift_at(items.v2.w, (items.mask & 2048u) != 0u));
        if ((tile * 1536u + 512u + lane) * 4u + 3u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = b3;
        s = combine(s, lift_at(items.v3.x, (items.mask & 4096u) != 0u));
        if ((tile * 1536u + 768u + lane) * 4u + 0u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = combine(s, lift_at(items.v3.y, (items.mask & 8192u) != 0u));
        if ((tile * 1536u + 768u + lane) * 4u + 1u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = combine(s, lift_at(items.v3.z, (items.mask & 16384u) != 0u));
        if ((tile * 1536u + 768u + lane) * 4u + 2u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = combine(s, lift_at(items.v3.w, (items.mask & 32768u) != 0u));
        if ((tile * 1536u + 768u + lane) * 4u + 3u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = b4;
        s = combine(s, lift_at(items.v4.x, (items.mask & 65536u) != 0u));
        if ((tile * 1536u + 1024u + lane) * 4u + 0u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = combine(s, lift_at(items.v4.y, (items.mask & 131072u) != 0u));
        if ((tile * 1536u + 1024u + lane) * 4u + 1u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = combine(s, lift_at(items.v4.z, (items.mask & 262144u) != 0u));
        if ((tile * 1536u + 1024u + lane) * 4u + 2u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = combine(s, lift_at(items.v4.w, (items.mask & 524288u) != 0u));
        if ((tile * 1536u + 1024u + lane) * 4u + 3u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = b5;
        s = combine(s, lift_at(items.v5.x, (items.mask & 1048576u) != 0u));
        if ((tile * 1536u + 1280u + lane) * 4u + 0u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = combine(s, lift_at(items.v5.y, (items.mask & 2097152u) != 0u));
        if ((tile * 1536u + 1280u + lane) * 4u + 1u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = combine(s, lift_at(items.v5.z, (items.mask & 4194304u) != 0u));
        if ((tile * 1536u + 1280u + lane) * 4u + 2u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
        s = combine(s, lift_at(items.v5.w, (items.mask & 8388608u) != 0u));
        if ((tile * 1536u + 1280u + lane) * 4u + 3u == params.extent - 1u) {
            put_value(s.head - 1u, result(s));
            finish(s.head);
        }
    }
}
fn save_part(items: Items, row: u32, tile: u32, lane: u32) { save(items, row, tile, lane); }
@group(0) @binding(5) var<storage, read_write> chain: array<atomic<u32>>;
struct Found {
    state: State,
    ready: bool,
}
fn publish(entry: u32, state: State) {
    let bits: u32 = bitcast<u32>(state.value);
    atomicStore(&chain[entry * 3u + 0u], 0x80000000u | u32((bits >> 0u) & 0xffffu));
    atomicStore(&chain[entry * 3u + 1u], 0x80000000u | u32((bits >> 16u) & 0xffffu));
    atomicStore(&chain[entry * 3u + 2u], 0x80000000u | state.head);
}
fn look(entry: u32) -> Found {
    let p0 = atomicLoad(&chain[entry * 3u + 0u]);
    let p1 = atomicLoad(&chain[entry * 3u + 1u]);
    let p2 = atomicLoad(&chain[entry * 3u + 2u]);
    let bits: u32 = ((p0 & 0xffffu) << 0u) | ((p1 & 0xffffu) << 16u);
    return Found(State(bitcast<f32>(bits), p2 & 0x7fffffffu), (p0 & p1 & p2 & 0x80000000u) != 0u);
}
