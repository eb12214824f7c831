// Images of another size: sums of windows of pixels by weights, which tables give for rows ("down") and for columns ("along").
//
//   result[y, x] = sum over dy, dx of weight_down(y, dy) weight_along(x, dx) pixel[first_down(y) + dy, first_along(x) + dx]
//
// An invocation has COLUMNS times PER neighbours of a row, in some rows one below the other: what tables say of columns is read
// once for all its rows, and what they say of rows once for all its columns. Neighbouring invocations have neighbouring results,
// and read neighbouring pixels. Where windows overlap, the sum along each row of pixels is kept while the window slides down:
// each is computed once for all rows of an invocation. Tables keep windows in the image: no index is checked.
//
// Left open: the constants; Real, the type of sums; value(k, y, x, c), a pixel; first_* and weight_*, tables; add_*, a product more;
// column and channel of an element of a row; finish(k, y, j, sums).

struct Columns {
    firsts: array<u32, ITEMS>,
    channels: array<u32, ITEMS>,
    weights: array<Real, WEIGHTS>,
}

// The place in its row of an item of an invocation, of what lies past the row the last one's.
fn place(j: u32, item: u32) -> u32 {
    let last = params.width * params.channels - PER;
    return min(j + item / PER * (LANES * PER), last) + item % PER;
}

fn columns_of(j: u32) -> Columns {
    var columns: Columns;
    for (var i = 0u; i < ITEMS; i++) {
        unroll();
        let at = place(j, i);
        let x = column(at);
        columns.firsts[i] = first_along(x);
        columns.channels[i] = channel(at);
        for (var t = 0u; t < TAPS_ALONG; t++) {
            unroll();
            columns.weights[i * TAPS_ALONG + t] = weight_along(x, t);
        }
    }
    return columns;
}

// The sum along a row of pixels.
fn along(k: u32, y: u32, columns: Columns, i: u32) -> Real {
    var sum = Real(0);
    for (var t = 0u; t < TAPS_ALONG; t++) {
        unroll();
        let pixel = value(k, y, columns.firsts[i] + t, columns.channels[i]);
        sum = add_along(sum, columns.weights[i * TAPS_ALONG + t], pixel);
    }
    return sum;
}

fn finish_row(k: u32, y: u32, j: u32, row: array<Real, ITEMS>) {
    for (var q = 0u; q < COLUMNS; q++) {
        unroll();
        var sums: array<Real, PER>;
        for (var p = 0u; p < PER; p++) {
            unroll();
            sums[p] = row[q * PER + p];
        }
        let at = j + q * (LANES * PER);
        if at < params.width * params.channels {
            finish(k, y, at, sums);
        }
    }
}

fn finish_rows(k: u32, y: u32, j: u32, all: array<Real, SUMS>) {
    for (var row = 0u; row < ROWS; row++) {
        unroll();
        var items: array<Real, ITEMS>;
        for (var i = 0u; i < ITEMS; i++) {
            unroll();
            items[i] = all[row * ITEMS + i];
        }
        if y + row < params.height {
            finish_row(k, y + row, j, items);
        }
    }
}

// Each window alone, several rows at once: their loads wait together.
fn direct(k: u32, y: u32, j: u32) {
    let columns = columns_of(j);
    var all: array<Real, SUMS>;
    for (var row = 0u; row < ROWS; row++) {
        unroll();
        let at = min(y + row, params.height - 1u);
        let top = first_down(at);
        for (var t = 0u; t < TAPS_DOWN; t++) {
            unroll();
            let weight = weight_down(at, t);
            for (var i = 0u; i < ITEMS; i++) {
                unroll();
                all[row * ITEMS + i] = add_down(all[row * ITEMS + i], weight, along(k, top + t, columns, i));
            }
        }
    }
    finish_rows(k, y, j, all);
}

fn sliding(k: u32, y: u32, j: u32) {
    let columns = columns_of(j);
    var held: array<Real, HELD>;
    var next = first_down(y);
    let end = min(y + params.rows, params.height);
    for (var at = y; at < end; at++) {
        let top = first_down(at);
        next = max(next, top);
        while next < top + TAPS_DOWN {
            for (var i = ITEMS; i < HELD; i++) {
                unroll();
                held[i - ITEMS] = held[i];
            }
            for (var i = 0u; i < ITEMS; i++) {
                unroll();
                held[HELD - ITEMS + i] = along(k, next, columns, i);
            }
            next++;
        }
        var sums: array<Real, ITEMS>;
        for (var t = 0u; t < TAPS_DOWN; t++) {
            unroll();
            let weight = weight_down(at, t);
            for (var i = 0u; i < ITEMS; i++) {
                unroll();
                sums[i] = add_down(sums[i], weight, held[t * ITEMS + i]);
            }
        }
        finish_row(k, at, j, sums);
    }
}

// A weight is read once for all rows.
fn long_along(k: u32, y: u32, j: u32) {
    var all: array<Real, SUMS>;
    for (var i = 0u; i < ITEMS; i++) {
        unroll();
        let at = place(j, i);
        let x = column(at);
        let first = first_along(x);
        for (var t = 0u; t < params.taps_along; t++) {
            let weight = weight_along(x, t);
            for (var row = 0u; row < ROWS; row++) {
                unroll();
                let source = first_down(min(y + row, params.height - 1u));
                all[row * ITEMS + i] = add_along(all[row * ITEMS + i], weight, value(k, source, first + t, channel(at)));
            }
        }
    }
    finish_rows(k, y, j, all);
}

// A weight is read once for all columns.
fn long_down(k: u32, y: u32, j: u32) {
    let columns = columns_of(j);
    let end = min(y + params.rows, params.height);
    for (var at = y; at < end; at++) {
        let top = first_down(at);
        var sums: array<Real, ITEMS>;
        for (var t = 0u; t < params.taps_down; t++) {
            let weight = weight_down(at, t);
            for (var i = 0u; i < ITEMS; i++) {
                unroll();
                sums[i] = add_down(sums[i], weight, along(k, top + t, columns, i));
            }
        }
        finish_row(k, at, j, sums);
    }
}

@compute @workgroup_size(WORKGROUP)
fn resample(
    @builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>
) {
    let nth = group.x + group.y * groups.x;
    let block = nth / params.blocks_along;
    let j = (nth % params.blocks_along * (LANES * COLUMNS) + lane % LANES) * PER;
    let y = (block % params.blocks_down * (WORKGROUP / LANES) + lane / LANES) * params.rows;
    let k = block / params.blocks_down;
    if k >= params.images || y >= params.height || j >= params.width * params.channels {
        return;
    }
    if KIND == DIRECT {
        direct(k, y, j);
    } else if KIND == SLIDING {
        sliding(k, y, j);
    } else if KIND == LONG_ALONG {
        long_along(k, y, j);
    } else {
        long_down(k, y, j);
    }
}
