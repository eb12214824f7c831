// STEPS steps of a stencil in workgroup memory.
//
//   load a tile of HELD_X x HELD_Y elements: TILE_X x TILE_Y of the result, with a margin of STEPS times the reach
//   for each step: compute what has all its neighbours in the tile, which is smaller by the reach each time
//   store the part that is the result
//
// Next values wait in registers until all invocations have read the tile.
//
// Left open: the constants; load, update, keep and store of an element; EVERYWHERE, whether what lies past the array's ends is
// computed too; Next.

@compute @workgroup_size(WORKGROUP)
fn stencil(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.x + group.y * groups.x;
    if (index >= params.count) {
        return;
    }
    let rest = index / params.tiles_x;
    let k = rest / params.tiles_y;
    let size = vec2<i32>(i32(params.size_x), i32(params.size_y));
    // The place of the tile's first element.
    let first = vec2<i32>(i32(index % params.tiles_x * TILE_X), i32(rest % params.tiles_y * TILE_Y))
        - vec2<i32>(i32(STEPS * REACH_X), i32(STEPS * REACH_Y));
    let inner = all(first >= vec2<i32>(0)) & all(first + vec2<i32>(i32(HELD_X), i32(HELD_Y)) <= size);
    for (var cell = 0u; cell < CELLS; cell++) {
        let i = lane + cell * WORKGROUP;
        load(i, k, first.y + i32(i / HELD_X), first.x + i32(i % HELD_X), inner);
    }
    workgroupBarrier();
    for (var step = 1u; step <= STEPS; step++) {
        var next: array<Next, CELLS>;
        for (var cell = 0u; cell < CELLS; cell++) {
            unroll();
            let i = lane + cell * WORKGROUP;
            if (is_computed(i, step, first, size)) {
                next[cell] = update(i, first, first.y + i32(i / HELD_X), first.x + i32(i % HELD_X), inner);
            }
        }
        workgroupBarrier();
        for (var cell = 0u; cell < CELLS; cell++) {
            unroll();
            let i = lane + cell * WORKGROUP;
            if (is_computed(i, step, first, size)) {
                keep(i, next[cell]);
            }
        }
        workgroupBarrier();
    }
    for (var cell = 0u; cell < CELLS; cell++) {
        let i = lane + cell * WORKGROUP;
        if (is_computed(i, STEPS, first, size)) {
            let x = first.x + i32(i % HELD_X);
            let y = first.y + i32(i / HELD_X);
            if ((x >= 0) & (x < size.x) & (y >= 0) & (y < size.y)) {
                store(i, k, u32(y), u32(x));
            }
        }
    }
}

// Whether an element of the tile has all its neighbours in what the step before has computed.
fn is_computed(i: u32, step: u32, first: vec2<i32>, size: vec2<i32>) -> bool {
    let held = vec2<u32>(i % HELD_X, i / HELD_X);
    let margin = vec2<u32>(step * REACH_X, step * REACH_Y);
    let within = all(held >= margin) & all(held + margin < vec2<u32>(HELD_X, HELD_Y));
    let place = first + vec2<i32>(held);
    return within & (EVERYWHERE | (all(place >= vec2<i32>(0)) & all(place < size)));
}
