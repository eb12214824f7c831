// Images read at coordinates: sums of the pixels around by weights, which are polynomials of the coordinates' fractions.
//
//   result[y, x] = sum over dy, dx of weights(v - floor(v))[dy] weights(u - floor(u))[dx] pixel[floor(v) + dy, floor(u) + dx]
//
// An invocation has PER neighbours of a row, in some rows of its workgroup's tile. Indices are folded into the image before a pixel is read: any coordinate is in bounds.
//
// Left open: the constants; Real, the type of sums and coordinates; value(k, y, x, c), a pixel; outside, what stands past the edges; v_value and u_value(k, y, j), the coordinates; image, which one is read; weights;
// channel of an element of a row; met, the coordinate that is meant; finish(k, y, j, sums).

// The pixel that stands at an index, or -1 for what is no pixel. Without remainders of negative numbers, which llvmpipe gets wrong.
fn place(i: i32, extent: u32) -> i32 {
    let n = i32(extent);
    let mirrored = u32(select(i, -1 - i, i < 0));
    if BOUNDARY == CONSTANT {
        return select(-1, i, (i >= 0) & (i < n));
    } else if BOUNDARY == EDGE {
        return clamp(i, 0, n - 1);
    } else if BOUNDARY == WRAP {
        let at = i32(mirrored % extent);
        return select(at, n - 1 - at, i < 0);
    } else if BOUNDARY == SYMMETRIC {
        let at = i32(mirrored % (2u * extent));
        return min(at, 2 * n - 1 - at);
    }
    let turn = max(2 * n - 2, 1);
    let at = i32(u32(abs(i)) % u32(turn));
    return min(at, turn - at);
}

fn sampled(k: u32, c: u32, v: Real, u: Real) -> Real {
    // Further out all is the same, or nothing is exact.
    let y = met(clamp(v, Real(-1.0e9), Real(1.0e9)));
    let x = met(clamp(u, Real(-1.0e9), Real(1.0e9)));
    let top = i32(floor(y)) - i32(BEFORE);
    let left = i32(floor(x)) - i32(BEFORE);
    let down = weights(y - floor(y));
    let along = weights(x - floor(x));
    var columns: array<i32, TAPS>;
    for (var dx = 0u; dx < TAPS; dx++) {
        unroll();
        columns[dx] = place(left + i32(dx), params.columns);
    }
    var sum = Real(0);
    for (var dy = 0u; dy < TAPS; dy++) {
        unroll();
        let row = place(top + i32(dy), params.rows);
        for (var dx = 0u; dx < TAPS; dx++) {
            unroll();
            let there = value(k, u32(max(row, 0)), u32(max(columns[dx], 0)), c);
            let pixel = select(outside(), there, min(row, columns[dx]) >= 0);
            let weight = down[dy] * along[dx];
            // A pixel without a weight has no part in the sum, be it infinite.
            sum = multiply_add(weight, select(Real(0), pixel, weight != Real(0)), sum);
        }
    }
    return select(sum, v + u, is_no_number(v) | is_no_number(u));
}

@compute @workgroup_size(WORKGROUP)
fn sample(
    @builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>
) {
    let nth = group.x + group.y * groups.x;
    let block = nth / params.blocks_along;
    let j = (nth % params.blocks_along * LANES + lane % LANES) * PER;
    const STEP = WORKGROUP / LANES;
    let first = block % params.blocks_down * STEP * params.tall + lane / LANES;
    let k = block / params.blocks_down;
    if k >= params.images || j >= params.width * params.channels {
        return;
    }
    let end = min(first + params.tall * STEP, params.height);
    for (var y = first; y < end; y += STEP) {
        var sums: array<Real, PER>;
        for (var p = 0u; p < PER; p++) {
            unroll();
            sums[p] = sampled(image(k, y, j + p), channel(j + p), v_value(k, y, j + p), u_value(k, y, j + p));
        }
        finish(k, y, j, sums);
    }
}
