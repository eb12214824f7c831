// What the values of a row have in common, and with it the values again, or a result, or a state to be merged with others.
//
//   own = what my values of chunk `chunk` of row k have in common
//   whole = own merged over the LANES invocations of the row
//   finish(..): reads the values again and writes them by whole; or writes what they have in common
//
// For rows that no workgroup holds: read twice, the second time from near memory if that is as large as the rows at work
// (Milakov and Gimelshein, Online normalizer calculation for softmax, 2018). The range of r is cut into `chunks` of `span`:
// with more than one, each leaves a state, a second launch merges them, and a third one writes the values.
//
// Left open: the constants, State, gather, merge, finish; row_of, place_of and pivot, as in normalise_held.wgsl.

@compute @workgroup_size(WORKGROUP)
fn normalise(at: At, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let lane = lane_of(at);
    let index = group.x + group.y * groups.x;
    let chunk = index % params.chunks;
    let k = ((index / params.chunks) * (WORKGROUP / LANES) + row_of(lane)) * ROW_WIDTH;
    let row = min(k, params.outputs - ROW_WIDTH);
    let place = place_of(lane);
    let begin = chunk * params.span + place * WIDTH;
    let end = min((chunk + 1u) * params.span, params.extent);
    let zero = pivot(row);
    let whole = merge(gather(row, begin, end, zero), lane);
    if (k < params.outputs) {
        finish(Here(k, begin, end, chunk, place), zero, whole);
    }
}

struct Here {
    k: u32,
    begin: u32,
    end: u32,
    chunk: u32,
    place: u32,
}
