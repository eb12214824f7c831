// STEPS steps of a stencil in workgroup memory.
//
//   load a tile of HELD_X x HELD_Y elements: TILE_X x TILE_Y of the result, with a margin of STEPS times the reach
//   for each step: compute all elements from their neighbours; those at the rim lack some, so that each step spoils another rim
//   store the part that is the result
//
// An invocation has CELLS elements in registers, neighbours in a column where there are several rows, and copies in the tile, where
// others find them. Tiles at the array's ends look each neighbour up, and compute what is in the array only.
//
// Left open: the constants; the entry point (crates/ops/src/stencil/wgsl.rs), which is written for each field and element.

// The place in the tile of an invocation's first element.
fn first_held(lane: u32) -> vec2<u32> {
    if (HELD_Y == 1u) {
        return vec2<u32>(lane, 0u);
    }
    return vec2<u32>(lane % HELD_X, lane / HELD_X * CELLS);
}

// Whether an element at the ends is in the array, and has all its neighbours in what the step before has computed.
fn is_computed(step: u32, first: vec2<i32>, size: vec2<i32>, y: i32, x: i32) -> bool {
    let place = vec2<i32>(x, y);
    let margin = vec2<i32>(i32(step * REACH_X), i32(step * REACH_Y));
    let held = place - first;
    let within = all(held >= margin) & all(held + margin < vec2<i32>(i32(HELD_X), i32(HELD_Y)));
    return within & all(place >= vec2<i32>(0)) & all(place < size);
}

// Whether an element is part of the result.
fn is_result(first: vec2<i32>, size: vec2<i32>, y: i32, x: i32) -> bool {
    return is_computed(STEPS, first, size, y, x);
}
