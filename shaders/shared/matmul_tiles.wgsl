// Which tile a workgroup of a product computes, how much of the inner ones, and the tiles of a and b that it needs for that.
//
// Left open: BAND, THREADS, DEPTH, STAGES, FULL; Held; of a and b: the tiles in workgroup memory (a_tile), how many vectors of a tile
// are fetched (A_QUADS), by an invocation at most (A_EACH), and how many it takes (A_VECTORS); a_fetch, a_fetch_end, a_keep.

// The tile that a workgroup computes: its row and column among the tiles.
fn tile_at(index: u32) -> vec2<u32> {
    let band = BAND * params.column_tiles;
    let first = index / band * BAND;
    let height = min(params.row_tiles - first, BAND);
    let within = index % band;
    return vec2<u32>(first + within % height, within / height);
}

// How many inner ones there are for a part of a product: the last part of several may have fewer.
fn inner_end(batch: u32) -> u32 {
    return min(params.span, params.inner - batch / params.part * params.span);
}

// A vector of an invocation's part of a tile: where not all have one, those past the last fetch that again.
fn own_quad(lane: u32, nth: u32, all: u32) -> u32 {
    let quad = lane + nth * THREADS;
    return select(quad, min(quad, all - 1u), (nth + 1u) * THREADS > all);
}

// Fetches an invocation's part of the tiles at `k`, if there are any: their rows and columns begin with `first`. One branch
// for all: loads that each have their own wait for one another.
fn fetch(
    a_next: ptr<function, array<Held, A_EACH>>,
    b_next: ptr<function, array<Held, B_EACH>>,
    batch: u32,
    first: vec2<u32>,
    k: u32,
    end: u32,
    lane: u32,
) {
    if (FULL == 1u) {
        // The last one again, in the end.
        let last = min(k, end - DEPTH);
        for (var i = 0u; i < A_EACH; i++) {
            unroll();
            (*a_next)[i] = a_fetch(batch, first.x, last, own_quad(lane, i, A_QUADS));
        }
        for (var i = 0u; i < B_EACH; i++) {
            unroll();
            (*b_next)[i] = b_fetch(batch, first.y, last, own_quad(lane, i, B_QUADS));
        }
    } else if (k + DEPTH <= end) {
        for (var i = 0u; i < A_EACH; i++) {
            unroll();
            (*a_next)[i] = a_fetch(batch, first.x, k, own_quad(lane, i, A_QUADS));
        }
        for (var i = 0u; i < B_EACH; i++) {
            unroll();
            (*b_next)[i] = b_fetch(batch, first.y, k, own_quad(lane, i, B_QUADS));
        }
    } else if (k < end) {
        for (var i = 0u; i < A_EACH; i++) {
            unroll();
            (*a_next)[i] = a_fetch_end(batch, first.x, k, own_quad(lane, i, A_QUADS), end);
        }
        for (var i = 0u; i < B_EACH; i++) {
            unroll();
            (*b_next)[i] = b_fetch_end(batch, first.y, k, own_quad(lane, i, B_QUADS), end);
        }
    }
}

// Puts what was fetched into the tiles.
fn keep(
    a_next: ptr<function, array<Held, A_EACH>>,
    b_next: ptr<function, array<Held, B_EACH>>,
    lane: u32,
    stage: u32,
) {
    for (var i = 0u; i < A_EACH; i++) {
        unroll();
        let quad = lane + i * THREADS;
        if ((i + 1u) * THREADS <= A_QUADS) {
            a_keep(quad, (*a_next)[i], stage * A_VECTORS);
        } else if (quad < A_QUADS) {
            a_keep(quad, (*a_next)[i], stage * A_VECTORS);
        }
    }
    for (var i = 0u; i < B_EACH; i++) {
        unroll();
        let quad = lane + i * THREADS;
        if ((i + 1u) * THREADS <= B_QUADS) {
            b_keep(quad, (*b_next)[i], stage * B_VECTORS);
        } else if (quad < B_QUADS) {
            b_keep(quad, (*b_next)[i], stage * B_VECTORS);
        }
    }
}
