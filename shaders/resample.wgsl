// Images of another size: sums of windows of pixels by weights, which tables give for rows ("down") and for columns ("along").
//
//   result[y, x] = sum over dy, dx of weight_down(y, dy) weight_along(x, dx) pixel[first_down(y) + dy, first_along(x) + dx]
//
// An invocation has PER neighbours of a row, in some rows one below the other: what tables say of columns is read once for them.
// Neighbouring invocations have neighbouring results, and read neighbouring pixels. Where windows overlap, the sum along each row of
// pixels is kept while the window slides down: each is computed once for all rows of an invocation. Tables keep windows in the image:
// no index is checked.
//
// Left open: the constants; value(k, y, x, c), a pixel; first_* and weight_*, tables; add_*, a product more; column and channel of an
// element of a row; finish(k, y, j, sums).

struct Columns {
    firsts: array<u32, PER>,
    channels: array<u32, PER>,
    weights: array<f32, WEIGHTS>,
}

fn columns_of(first: u32) -> Columns {
    var columns: Columns;
    for (var p = 0u; p < PER; p++) {
        unroll();
        let x = column(first + p);
        columns.firsts[p] = first_along(x);
        columns.channels[p] = channel(first + p);
        for (var t = 0u; t < TAPS_ALONG; t++) {
            unroll();
            columns.weights[p * TAPS_ALONG + t] = weight_along(x, t);
        }
    }
    return columns;
}

// The sum along a row of pixels.
fn along(k: u32, y: u32, columns: Columns, p: u32) -> f32 {
    var sum = 0.0;
    for (var t = 0u; t < TAPS_ALONG; t++) {
        unroll();
        let pixel = value(k, y, columns.firsts[p] + t, columns.channels[p]);
        sum = add_along(sum, columns.weights[p * TAPS_ALONG + t], pixel);
    }
    return sum;
}

fn finish_row(k: u32, y: u32, j: u32, all: array<f32, SUMS>, row: u32) {
    if y < params.height {
        var sums: array<f32, PER>;
        for (var p = 0u; p < PER; p++) {
            unroll();
            sums[p] = all[row * PER + p];
        }
        finish(k, y, j, sums);
    }
}

// Each window alone, several rows at once: their loads wait together.
fn direct(k: u32, y: u32, j: u32) {
    let columns = columns_of(j);
    var all: array<f32, SUMS>;
    for (var row = 0u; row < ROWS; row++) {
        unroll();
        let at = min(y + row, params.height - 1u);
        let top = first_down(at);
        for (var t = 0u; t < TAPS_DOWN; t++) {
            unroll();
            let weight = weight_down(at, t);
            for (var p = 0u; p < PER; p++) {
                unroll();
                all[row * PER + p] = add_down(all[row * PER + p], weight, along(k, top + t, columns, p));
            }
        }
    }
    for (var row = 0u; row < ROWS; row++) {
        unroll();
        finish_row(k, y + row, j, all, row);
    }
}

fn sliding(k: u32, y: u32, j: u32) {
    let columns = columns_of(j);
    var held: array<f32, HELD>;
    var next = first_down(y);
    let end = min(y + params.rows, params.height);
    for (var at = y; at < end; at++) {
        let top = first_down(at);
        next = max(next, top);
        while next < top + TAPS_DOWN {
            for (var i = PER; i < HELD; i++) {
                unroll();
                held[i - PER] = held[i];
            }
            for (var p = 0u; p < PER; p++) {
                unroll();
                held[HELD - PER + p] = along(k, next, columns, p);
            }
            next++;
        }
        var sums: array<f32, PER>;
        for (var t = 0u; t < TAPS_DOWN; t++) {
            unroll();
            let weight = weight_down(at, t);
            for (var p = 0u; p < PER; p++) {
                unroll();
                sums[p] = add_down(sums[p], weight, held[t * PER + p]);
            }
        }
        finish(k, at, j, sums);
    }
}

// A weight is read once for all rows.
fn long_along(k: u32, y: u32, j: u32) {
    var all: array<f32, SUMS>;
    for (var p = 0u; p < PER; p++) {
        unroll();
        let x = column(j + p);
        let first = first_along(x);
        for (var t = 0u; t < params.taps_along; t++) {
            let weight = weight_along(x, t);
            for (var row = 0u; row < ROWS; row++) {
                unroll();
                let at = first_down(min(y + row, params.height - 1u));
                let pixel = value(k, at, first + t, channel(j + p));
                all[row * PER + p] = add_along(all[row * PER + p], weight, pixel);
            }
        }
    }
    for (var row = 0u; row < ROWS; row++) {
        unroll();
        finish_row(k, y + row, j, all, row);
    }
}

fn long_down(k: u32, y: u32, j: u32) {
    for (var row = 0u; row < ROWS; row++) {
        let at = min(y + row, params.height - 1u);
        let top = first_down(at);
        var sums: array<f32, PER>;
        for (var t = 0u; t < params.taps_down; t++) {
            let weight = weight_down(at, t);
            for (var p = 0u; p < PER; p++) {
                unroll();
                sums[p] = add_down(sums[p], weight, value(k, top + t, first_along(column(j + p)), channel(j + p)));
            }
        }
        if y + row < params.height {
            finish(k, at, j, sums);
        }
    }
}

@compute @workgroup_size(WORKGROUP)
fn resample(
    @builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>
) {
    let nth = group.x + group.y * groups.x;
    let block = nth / params.blocks_along;
    let j = (nth % params.blocks_along * LANES + lane % LANES) * PER;
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
