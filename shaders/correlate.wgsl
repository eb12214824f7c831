// Sums of products of weights with windows of values, in up to three dimensions.
//
//   for each plane of a window: load a tile of it with its margin;  for each weight of the plane: sums += weight * values
//
// A workgroup has a tile of results. An invocation has PER of them, neighbours along the rows or along the columns of the tile:
// "along" is that direction, "across" the other. It loads CHUNK weights of neighbours and the values of all PER windows that they
// meet, so that a value is loaded once for CHUNK weights. ROUNDS such blocks lie side by side in a tile.
//
// Left open: the constants; Real; value(k, z, y, x); w_value(j); place, the value that stands at an index, or -1; outside, what
// stands there; multiply_add; result.

var<workgroup> tile: array<Real, HELD>;
var<workgroup> weights: array<Real, WEIGHTS>;

// A gap after each 32, so that lanes whose results are PER apart load from different banks.
fn slot(y: u32, x: u32) -> u32 {
    return y * params.pitch + x + (x >> 5u);
}

// A value of the tile: so far along and across from the first one of an invocation.
fn near(y: u32, x: u32, along: u32, across: u32) -> Real {
    if ALONG_X {
        return tile[slot(y + across, x + along)];
    }
    return tile[slot(y + along, x + across)];
}

fn load_tile(k: u32, z: u32, y: i32, x: i32, lane: u32) {
    let at_z = place(i32(z) + i32(params.first_z), params.size_z);
    for (var row = lane / LANES_X; row < params.rows; row += LANES_Y) {
        let at_y = place(y + i32(row), params.size_y);
        for (var column = lane % LANES_X; column < params.columns; column += LANES_X) {
            let at_x = place(x + i32(column), params.size_x);
            let inside = min(at_x, min(at_y, at_z)) >= 0;
            let there = value(k, u32(max(at_z, 0)), u32(max(at_y, 0)), u32(max(at_x, 0)));
            tile[slot(row, column)] = select(outside(), there, inside);
        }
    }
}

// Weights of a plane, those along next to each other.
fn load_weights(plane: u32, lane: u32) {
    let count = params.taps_along * params.taps_across;
    for (var i = lane; i < count; i += WORKGROUP) {
        let along = i % params.taps_along;
        let across = i / params.taps_along;
        var j = along * params.taps_across + across;
        if ALONG_X {
            j = i;
        }
        weights[i] = w_value(plane * count + j);
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
    var sums: array<Real, SUMS>;
    for (var dz = 0u; dz < params.taps_z; dz++) {
        workgroupBarrier();
        load_weights(dz, lane);
        load_tile(
            k, z * params.step_z + dz * params.dilation_z, i32(first_y * params.step_y) + i32(params.first_y),
            i32(first_x * params.step_x) + i32(params.first_x), lane
        );
        workgroupBarrier();
        for (var round = 0u; round < ROUNDS; round++) {
            unroll();
            let from_x = (x + round * ROUND) * params.step_x;
            let from_y = y * params.step_y;
            for (var across = 0u; across < params.taps_across; across++) {
                let line = across * params.taps_along;
                for (var first = 0u; first < params.chunked; first += CHUNK) {
                    var values: array<Real, SPAN>;
                    for (var j = 0u; j < SPAN; j++) {
                        unroll();
                        values[j] = near(from_y, from_x, first + j, across);
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
                for (var t = params.chunked; t < params.taps_along; t++) {
                    let weight = weights[line + t];
                    for (var p = 0u; p < PER; p++) {
                        unroll();
                        let there = near(
                            from_y, from_x, p * params.step_along + t * params.dilation_along,
                            across * params.dilation_across
                        );
                        sums[round * PER + p] = multiply_add(there, weight, sums[round * PER + p]);
                    }
                }
            }
        }
    }
    for (var round = 0u; round < ROUNDS; round++) {
        unroll();
        for (var p = 0u; p < PER; p++) {
            unroll();
            var to_x = first_x + x + round * ROUND;
            var to_y = first_y + y;
            if ALONG_X {
                to_x += p;
            } else {
                to_y += p;
            }
            if to_x < params.out_x && to_y < params.out_y {
                result[((k * params.out_z + z) * params.out_y + to_y) * params.out_x + to_x] = sums[round * PER + p];
            }
        }
    }
}
