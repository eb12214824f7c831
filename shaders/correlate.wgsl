// Sums of products of weights with windows of values, in up to three dimensions.
//
//   for each plane of a window: load a tile of it with its margin;  for each weight of the plane: sums += weight * values
//
// A workgroup has a tile of results. An invocation has PER of them, neighbours along the rows or along the columns of the tile:
// "along" is that direction, "across" the other. It loads CHUNK weights of neighbours and the values of all PER windows that they
// meet, so that a value is loaded once for CHUNK weights. ROUNDS such blocks lie side by side in a tile. Along rows PER is odd:
// lanes load from different banks.
//
// Left open: the constants; Real; value(k, z, y, x); w_value(j); place, the value that stands at an index, or -1; outside, what
// stands there; multiply_add; result.

var<workgroup> tile: array<Real, HELD>;
var<workgroup> weights: array<Real, WEIGHTS>;

// A value of the tile: so far along and across from the first one of an invocation.
fn near(y: u32, x: u32, along: u32, across: u32) -> Real {
    if ALONG_X {
        return tile[(y + across) * COLUMNS + x + along];
    }
    return tile[(y + along) * COLUMNS + x + across];
}

fn taken(k: u32, z: i32, y: i32, x: i32) -> Real {
    let at_x = place(x, params.size_x);
    let at_y = place(y, params.size_y);
    let there = value(k, u32(max(z, 0)), u32(max(at_y, 0)), u32(max(at_x, 0)));
    return select(outside(), there, min(at_x, min(at_y, z)) >= 0);
}

// Rows of the tile, each from its first value on.
fn load_rows(k: u32, z: i32, y: i32, x: i32, lane: u32) {
    for (var row = 0u; row < ROWS; row++) {
        for (var column = lane; column < COLUMNS; column += WORKGROUP) {
            tile[row * COLUMNS + column] = taken(k, z, y + i32(row), x + i32(column));
        }
    }
}

// The values of the tile one after the other, several loads at once.
fn load_batches(k: u32, z: i32, y: i32, x: i32, lane: u32) {
    let end_y = y + i32(ROWS);
    let end_x = x + i32(COLUMNS);
    let inner = (min(x, min(y, z)) >= 0) & (end_y <= i32(params.size_y)) & (end_x <= i32(params.size_x));
    for (var start = 0u; start < ROWS * COLUMNS; start += WORKGROUP * LOADS) {
        var loaded: array<Real, LOADS>;
        if inner {
            for (var n = 0u; n < LOADS; n++) {
                unroll();
                let i = min(start + n * WORKGROUP + lane, ROWS * COLUMNS - 1u);
                loaded[n] = value(k, u32(z), u32(y) + i / COLUMNS, u32(x) + i % COLUMNS);
            }
        } else {
            for (var n = 0u; n < LOADS; n++) {
                unroll();
                let i = min(start + n * WORKGROUP + lane, ROWS * COLUMNS - 1u);
                loaded[n] = taken(k, z, y + i32(i / COLUMNS), x + i32(i % COLUMNS));
            }
        }
        for (var n = 0u; n < LOADS; n++) {
            unroll();
            let i = start + n * WORKGROUP + lane;
            if i < ROWS * COLUMNS {
                tile[i] = loaded[n];
            }
        }
    }
}

// Weights of a plane, those along next to each other.
fn load_weights(filter_of: u32, plane: u32, lane: u32) {
    const COUNT = TAPS_ALONG * TAPS_ACROSS;
    let first = (filter_of * TAPS_Z + plane) * COUNT;
    for (var i = lane; i < COUNT; i += WORKGROUP) {
        var j = i % TAPS_ALONG * TAPS_ACROSS + i / TAPS_ALONG;
        if ALONG_X {
            j = i;
        }
        weights[i] = w_value(first + j);
    }
}

fn store(k: u32, z: u32, y: u32, x: u32, sum: Real) {
    if x < params.out_x && y < params.out_y {
        result[((k * params.out_z + z) * params.out_y + y) * params.out_x + x] = sum;
    }
}

@compute @workgroup_size(WORKGROUP)
fn correlate(
    @builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>
) {
    let nth = group.x + group.y * groups.x;
    let plane = nth / (params.tiles_x * params.tiles_y);
    let z = plane % params.out_z;
    // Workgroups past the last one compute the last one's results again.
    let k = min(plane / params.out_z, params.count - 1u);
    let first_x = nth % params.tiles_x * TILE_X;
    let first_y = nth / params.tiles_x % params.tiles_y * TILE_Y;
    let x = lane % LANES_X * PER_X;
    let y = lane / LANES_X * PER_Y;
    let from_x = i32(first_x * STEP_X) + i32(params.first_x);
    let from_y = i32(first_y * STEP_Y) + i32(params.first_y);
    var sums: array<Real, SUMS>;
    for (var dz = 0u; dz < TAPS_Z; dz++) {
        if dz > 0u {
            workgroupBarrier();
        }
        load_weights(k % params.filters, dz, lane);
        let at_z = place(i32(z * STEP_Z + dz * DILATION_Z) + i32(params.first_z), params.size_z);
        if BY_ROWS {
            load_rows(k, at_z, from_y, from_x, lane);
        } else {
            load_batches(k, at_z, from_y, from_x, lane);
        }
        workgroupBarrier();
        for (var round = 0u; round < ROUNDS; round++) {
            unroll();
            let own_x = (x + round * LANES_X * PER_X) * STEP_X;
            let own_y = y * STEP_Y;
            for (var across = 0u; across < TAPS_ACROSS; across++) {
                let line = across * TAPS_ALONG;
                for (var first = 0u; first < CHUNKED; first += CHUNK) {
                    var values: array<Real, SPAN>;
                    for (var j = 0u; j < SPAN; j++) {
                        unroll();
                        values[j] = near(own_y, own_x, first + j, across);
                    }
                    for (var t = 0u; t < CHUNK; t++) {
                        unroll();
                        let weight = weights[line + first + t];
                        for (var p = 0u; p < PER; p++) {
                            unroll();
                            sums[round * PER + p] = multiply_add(values[p + t], weight, sums[round * PER + p]);
                        }
                    }
                }
                for (var t = CHUNKED; t < TAPS_ALONG; t++) {
                    let weight = weights[line + t];
                    for (var p = 0u; p < PER; p++) {
                        unroll();
                        let there = near(own_y, own_x, p * STEP_ALONG + t * DILATION_ALONG, across * DILATION_ACROSS);
                        sums[round * PER + p] = multiply_add(there, weight, sums[round * PER + p]);
                    }
                }
            }
        }
    }
    if ALONG_X {
        // By way of the tile, so that neighbours in memory are stored together.
        workgroupBarrier();
        for (var p = 0u; p < PER; p++) {
            unroll();
            tile[y * TILE_X + x + p] = sums[p];
        }
        workgroupBarrier();
        for (var p = 0u; p < PER; p++) {
            unroll();
            let i = p * WORKGROUP + lane;
            store(k, z, first_y + i / TILE_X, first_x + i % TILE_X, tile[i]);
        }
    } else {
        for (var round = 0u; round < ROUNDS; round++) {
            unroll();
            for (var p = 0u; p < PER; p++) {
                unroll();
                store(k, z, first_y + y + p, first_x + x + round * LANES_X, sums[round * PER + p]);
            }
        }
    }
}
