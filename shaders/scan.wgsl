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
var<workgroup> spoilt: u32;

@compute @workgroup_size(WORKGROUP)
fn scan(at: At) {
    let lane = lane_of(at);
    let index = at.group.x + at.group.y * at.groups.x;
    if (index >= params.rows * params.tiles) {
        return;
    }
    let k = index / params.tiles;
    let tile = index % params.tiles;
    var items: Items;
    let whole = is_whole(tile);
    if (whole) {
        items = load(k, tile, lane);
    } else {
        items = load_part(k, tile, lane);
    }
    spread(items, lane);
    if (lane == 0u) {
        spoilt = 0u;
        carried = identity();
    }
    let split = scan_totals(lane);
    if (lane == 0u) {
        publish(tile_entry(k, params.first_tile + tile), split.total);
    }
    settle(lane, split);
    if (CHAINED == 0u) {
        workgroupBarrier();
    } else if (!carry_in(k, params.first_tile + tile, lane, split.total)) {
        // A total that was missing has been computed where this tile's were.
        spread(items, lane);
        settle(lane, scan_totals(lane));
        workgroupBarrier();
    }
    if (whole) {
        save(items, k, tile, lane);
    } else {
        save_part(items, k, tile, lane);
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

// What all tiles of the row before this one hold, whose own total is `total`, to `carried`. Whether `totals` is as before.
fn carry_in(k: u32, tile: u32, lane: u32, total: State) -> bool {
    let group = tile / WORKGROUP;
    let place = tile % WORKGROUP;
    // In general `next` is `group` at once, and this is done once.
    var next = latest(k, group, lane, tile % COPIES);
    var carry = workgroupUniformLoad(&carried);
    loop {
        let last = next == group;
        var state = gather(k, next, select(WORKGROUP, place, last), lane);
        if (last && lane == place) {
            state = total;
        }
        let split = workgroup_scan(lane, state);
        let through = combine(carry, split.total);
        if (lane < COPIES && (!last || place == WORKGROUP - 1u)) {
            publish(group_entry(k, next, lane), through);
        }
        if (last) {
            if (lane == place) {
                carried = combine(carry, split.before);
            }
            break;
        }
        carry = through;
        next += 1u;
    }
    return workgroupUniformLoad(&spoilt) == 0u;
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
        var next = group - 1u;
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

// To each lane below `count` the total of that tile of a group, computed if nobody else does it in time.
fn gather(k: u32, group: u32, count: u32, lane: u32) -> State {
    let first = group * WORKGROUP;
    var found = Found(identity(), lane >= count);
    for (var looks = 0u; ; looks++) {
        if (lane == 0u) {
            atomicStore(&missing, WORKGROUP);
        }
        if (!found.ready) {
            found = look(tile_entry(k, first + lane));
        }
        workgroupBarrier();
        if (!found.ready) {
            atomicMin(&missing, lane);
        }
        workgroupBarrier();
        if (lane == 0u) {
            said = atomicLoad(&missing);
        }
        let lacks = workgroupUniformLoad(&said);
        if (lacks == WORKGROUP) {
            break;
        }
        if (looks >= SPINS) {
            let total = total_of(k, first + lacks - params.first_tile, lane);
            if (lane == lacks) {
                publish(tile_entry(k, first + lacks), total);
                found = Found(total, true);
            }
        }
    }
    return found.state;
}

// The total of a tile of this launch, as its own workgroup computes it.
fn total_of(k: u32, tile: u32, lane: u32) -> State {
    if (lane == 0u) {
        spoilt = 1u;
    }
    workgroupBarrier(); // totals may still be read
    spread(load_part(k, tile, lane), lane);
    return scan_totals(lane).total;
}

fn tile_entry(k: u32, tile: u32) -> u32 {
    return params.first_entry + k * (params.row_tiles + params.row_groups * COPIES) + tile;
}

fn group_entry(k: u32, group: u32, copy: u32) -> u32 {
    return tile_entry(k, params.row_tiles + copy * params.row_groups + group);
}
