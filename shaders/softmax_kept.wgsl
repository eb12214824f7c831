// Softmax of rows that no workgroup holds, for processors, which wait for exponentials: one of each value, which the output
// keeps until the sum of all is known.
//
//   top = the largest of my values of row k
//   for each of my values: output = exp(value - top);  total = their sum
//   whole = (top, total) merged over the LANES invocations of the row
//   for each of my values: output = output * exp(top - whole.top) / whole.total
//
// Sums of ITEMS are added to the total: a long row is rounded less often.
//
// Left open: the constants, State, Row, taken, taken_within, within, stored, store, merge, settle, finish; row_of and
// place_of, as in normalise_held.wgsl.

@compute @workgroup_size(WORKGROUP)
fn softmax_kept(at: At, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let lane = lane_of(at);
    let k = ((group.x + group.y * groups.x) * (WORKGROUP / LANES) + row_of(lane)) * ROW_WIDTH;
    let row = min(k, params.outputs - ROW_WIDTH);
    let begin = place_of(lane) * WIDTH;
    // Nothing of rows past the last is kept.
    let end = select(0u, params.extent, k < params.outputs);
    let zero = pivot(row);
    let own = keep(row, begin, end, zero);
    let whole = merge(own, lane);
    finish(row, begin, end, settle(own, whole));
}

// The state of a row's units from `begin` on, STEP apart, whose exponentials go to the output.
fn keep(k: u32, begin: u32, end: u32, zero: Stat) -> State {
    let last = (ITEMS - 1u) * STEP + WIDTH;
    var tops = Wide(LOWEST);
    var r = begin;
    while (r + last <= end) {
        for (var item = 0u; item < ITEMS; item++) {
            tops = max(tops, taken(k, r + item * STEP, zero));
        }
        r += ITEMS * STEP;
    }
    while (r < end) {
        tops = max(tops, taken_within(k, r, end, zero));
        r += STEP;
    }
    let top = peak(tops);
    var total = Stat(0.0);
    r = begin;
    while (r + last <= end) {
        var part = Wide(0.0);
        for (var item = 0u; item < ITEMS; item++) {
            let e = m_exp_falling(taken(k, r, zero) - Wide(top));
            store(k, r, e);
            part += e;
            r += STEP;
        }
        total += fold(part);
    }
    while (r < end) {
        let e = within(m_exp_falling(taken_within(k, r, end, zero) - Wide(top)), r, end, 0.0);
        store(k, r, e);
        total += fold(e);
        r += STEP;
    }
    return State(top, total);
}

fn finish(k: u32, begin: u32, end: u32, row: Row) {
    for (var r = begin; r < end; r += STEP) {
        store(k, r, shaped(k, r, close(stored(k, r), row)));
    }
}
