// Sums of products of weights with windows of values along rows and columns, without workgroup memory.
//
//   for each row of values: load it;  for each row of weights that meets it: the sums of that row of results += weights * values
//
// An invocation has four columns of results, and ROWS rows of them one after the other. TAPS_Y rows of results are under way at a
// time: each row of values is loaded once for all of them. Rows are loaded as aligned vectors, from SHIFT values before the first
// that is needed; what neighbours load too, they find in the caches.
//
// Left open: the constants; value(k, z, y, x), four values; w_value(j); place, the value that stands at an index, or -1; outside,
// what stands there; result.

fn taken(k: u32, y: i32, x: i32) -> f32 {
    let at_x = place(x, params.size_x);
    let at_y = place(y, params.size_y);
    let column = u32(max(at_x, 0));
    let there = value(k, 0, u32(max(at_y, 0)), column / 4 * 4)[column % 4];
    return select(outside(), there, min(at_x, at_y) >= 0);
}

// The results of an invocation, from first_y and x on. Its values are loaded from from_y and from_x on; `inner`: none of them lies
// past an end of the array, and without GUARDS all results are wanted. With GUARDS each store asks whether its result is.
fn columns(inner: bool, k: u32, first_y: u32, x: u32, from_y: i32, from_x: i32) {
    let first = k % params.filters * WEIGHTS;
    var weights: array<f32, WEIGHTS>;
    for (var i = 0u; i < WEIGHTS; i++) {
        unroll();
        weights[i] = w_value(first + i);
    }
    var sums: array<vec4<f32>, TAPS_Y>;
    for (var round = 0u; round < ROUNDS; round++) {
        for (var step = 0u; step < STEPS; step++) {
            unroll();
            let row = round * STEPS + step;
            let nth = step % TAPS_Y;
            var values: array<f32, VALUES>;
            if inner {
                for (var n = 0u; n < VALUES; n += 4u) {
                    unroll();
                    let four = value(k, 0, u32(from_y) + row, u32(from_x) + n);
                    values[n] = four.x;
                    values[n + 1] = four.y;
                    values[n + 2] = four.z;
                    values[n + 3] = four.w;
                }
            } else {
                for (var n = 0u; n < VALUES; n++) {
                    unroll();
                    values[n] = taken(k, from_y + i32(row), from_x + i32(n));
                }
            }
            for (var dy = 0u; dy < TAPS_Y; dy++) {
                unroll();
                let at = (nth + TAPS_Y - dy) % TAPS_Y;
                for (var dx = 0u; dx < TAPS_X; dx++) {
                    unroll();
                    let n = SHIFT + dx;
                    let window = vec4<f32>(values[n], values[n + 1], values[n + 2], values[n + 3]);
                    sums[at] = fma(vec4<f32>(weights[dy * TAPS_X + dx]), window, sums[at]);
                }
            }
            // The row whose last values these were.
            let done = (nth + 1) % TAPS_Y;
            let y = first_y + row + 1 - TAPS_Y;
            if row + 1 >= TAPS_Y && ((inner && GUARDS == 0) || (y < params.out_y && x < params.out_x)) {
                result[((k * params.out_y + y) * params.out_x + x) / 4] = sums[done];
            }
            sums[done] = vec4<f32>();
        }
    }
}

@compute @workgroup_size(WORKGROUP)
fn correlate_sliding(
    @builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>
) {
    let nth = group.x + group.y * groups.x;
    // Workgroups past the last one compute the last one's results again.
    let k = min(nth / (params.tiles_x * params.tiles_y), params.count - 1);
    let first_x = nth % params.tiles_x * ALONG * 4;
    let first_y = nth / params.tiles_x % params.tiles_y * DOWN * ROWS;
    let left = i32(first_x) + i32(params.first_x) - i32(SHIFT);
    let top = i32(first_y) + i32(params.first_y);
    let right = left + i32(4 * (ALONG - 1) + VALUES);
    let bottom = top + i32((DOWN - 1) * ROWS + ROUNDS * STEPS);
    let inside = min(left, top) >= 0 && right <= i32(params.size_x) && bottom <= i32(params.size_y);
    let wanted = first_x + 4 * ALONG <= params.out_x && first_y + DOWN * ROWS <= params.out_y;
    let x = 4 * (lane % ALONG);
    let y = lane / ALONG * ROWS;
    if inside && (wanted || GUARDS == 1) {
        columns(true, k, first_y + y, first_x + x, top + i32(y), left + i32(x));
    } else {
        columns(false, k, first_y + y, first_x + x, top + i32(y), left + i32(x));
    }
}
