// Linear recurrences along rows: y[n] = sum b[k] x[n - k] - sum a[k] y[n - k], one or several in a cascade.
//
//   for each tile of my span: own = the state that my block leaves if it begins with zeros
//                             start = the state that my block begins with: a scan over own, by powers of the step's matrix
//                             my block again, from start on
//
// The recurrence is linear: a state moves on by a matrix, and what input adds to it does not depend on the state (Blelloch,
// Prefix sums and their applications, 1990). A row has LANES invocations, each with a block of PER values, and a workgroup has
// ROWS rows. Values go through workgroup memory, so that neighbours in memory are read and written together, of one row or, with
// COLUMNS, of neighbouring rows. With LANES = 1 there is no scan, and a block is run over once.
//
// A row may have several spans, one for a workgroup. Then a launch without STORES keeps the states that they leave, a second one
// (recurrence_carry.wgsl) makes of them the states that they begin with, and a third one begins with these.
//
// Left open: the constants; Real; State and its functions; value(k, t) and store(k, t, v); begin, keep and keep_final.

struct Spot {
    row: u32,
    t: u32,
    at: u32,
}

// Value i of a workgroup's tile: its row, its place there, and where it is held.
fn spot(i: u32) -> Spot {
    var row = i / TILE;
    var t = i % TILE;
    if COLUMNS {
        row = i % ROWS;
        t = i / ROWS;
    }
    var lane = row * LANES + t / PER;
    if COLUMNS {
        lane = t / PER * ROWS + row;
    }
    return Spot(row, t, lane * (PER + 1u) + t % PER);
}

// Past the ends other values stand in, which nothing that is kept depends on.
fn load(first_row: u32, first: u32, lane: u32) {
    var loaded: array<Real, PER>;
    for (var n = 0u; n < PER; n++) {
        unroll_if(UNROLL);
        let here = spot(n * WORKGROUP + lane);
        loaded[n] = value(min(first_row + here.row, params.rows - 1u), min(first + here.t, params.length - 1u));
    }
    for (var n = 0u; n < PER; n++) {
        unroll_if(UNROLL);
        held[spot(n * WORKGROUP + lane).at] = loaded[n];
    }
}

fn store_tile(first_row: u32, first: u32, lane: u32) {
    for (var n = 0u; n < PER; n++) {
        unroll_if(UNROLL);
        let here = spot(n * WORKGROUP + lane);
        if first_row + here.row < params.rows && first + here.t < params.length {
            store(first_row + here.row, first + here.t, held[here.at]);
        }
    }
}

@compute @workgroup_size(WORKGROUP)
fn recurrence(
    @builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>
) {
    let nth = group.x + group.y * groups.x;
    let span = nth % params.spans;
    let first_row = nth / params.spans * ROWS;
    var own_row = lane / LANES;
    var place = lane % LANES;
    if COLUMNS {
        own_row = lane % ROWS;
        place = lane / ROWS;
    }
    let last = lane + (LANES - 1u - place) * NEXT;
    let k = first_row + own_row;
    let there = k < params.rows;
    let c = coefficients();
    var carry = begin(min(k, params.rows - 1u) * params.spans + span);
    for (var tile = 0u; tile < params.tiles; tile++) {
        let first = (span * params.tiles + tile) * TILE;
        if first >= params.length {
            break;
        }
        load(first_row, first, lane);
        workgroupBarrier();
        var x: array<Real, PER>;
        for (var p = 0u; p < PER; p++) {
            unroll_if(UNROLL);
            x[p] = held[lane * (PER + 1u) + p];
        }
        var state = carry;
        if LANES > 1u {
            var own = State();
            for (var p = 0u; p < PER; p++) {
                unroll_if(UNROLL);
                own = step(x[p], own, c).state;
            }
            if place == 0u {
                own = plus(times(POWER, carry), own);
            }
            workgroupBarrier();
            scan_states(own, lane, place, POWER, STEPS);
            if place > 0u {
                state = held_state(scanned_at(STEPS) + lane - NEXT);
            }
            carry = held_state(scanned_at(STEPS) + last);
        }
        if STORES || LANES == 1u {
            let begun = first + place * PER;
            for (var p = 0u; p < PER; p++) {
                unroll_if(UNROLL);
                let next = step(x[p], state, c);
                x[p] = next.y;
                state = next.state;
                if FINALS && begun + p + 1u == params.length && there {
                    keep_final(k, state);
                }
            }
        }
        if LANES == 1u {
            carry = state;
        }
        workgroupBarrier();
        if STORES {
            for (var p = 0u; p < PER; p++) {
                unroll_if(UNROLL);
                held[lane * (PER + 1u) + p] = x[p];
            }
            workgroupBarrier();
            store_tile(first_row, first, lane);
            workgroupBarrier();
        }
    }
    if place == 0u && there {
        keep(k * params.spans + span, carry);
    }
}
