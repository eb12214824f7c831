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
