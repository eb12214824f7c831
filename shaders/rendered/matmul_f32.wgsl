// Products of matrices: out[batch, row, column] = epilogue(sum over inner of a[batch, row, inner] * b[batch, inner, column]).
//
//   a workgroup computes ROWS x COLUMNS of the result:
//     for k in steps of DEPTH:
//       the tiles of a and b that it was given go from registers to workgroup memory, [inner][outer], four outer ones a vector
//       the next ones are asked for, and arrive while it computes
//       each invocation adds up HIGH x WIDE products for each of DEPTH inner ones: quads of rows and columns, all in registers
//     the epilogue of the sums, stored
//   where there are few workgroups, slices of one share DEPTH between them, and add up their sums in workgroup memory first
//
// An invocation's quads lie apart, so that neighbours read neighbours: rows (down + i * DOWN) * 4, columns (right + j * RIGHT) * 4.
// Workgroups side by side in time take tiles of BAND rows of tiles, so that both a's and b's tiles are found in the cache.
//
// Loops are unrolled: compilers that were left them took 14 % longer on the H200.
//
// Left open: ROWS, COLUMNS, HIGH, WIDE, DOWN, RIGHT, SLICES, UNROLL; Sums and multiply_add; put; the pitches of the tiles
// (A_PITCH) and what shared/matmul_tiles.wgsl leaves open.

// Quads of columns of an invocation; inner ones of a slice; invocations of a slice.
const QUADS: u32 = WIDE / 4u;
const OWN_DEPTH: u32 = DEPTH / SLICES;
const OF_SLICE: u32 = DOWN * RIGHT;

@compute @workgroup_size(THREADS)
fn matmul(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.x + group.y * groups.x;
    let tiles = params.row_tiles * params.column_tiles;
    if (index >= params.groups) {
        return;
    }
    let batch = index / tiles;
    let first = tile_at(index % tiles) * vec2<u32>(ROWS, COLUMNS);
    let end = inner_end(batch);
    let slice = lane / OF_SLICE;
    let own = lane % OF_SLICE;
    let quad = quad_at(own);
    let first_inner = select(0u, slice * OWN_DEPTH, SLICES > 1u);
    var c: array<array<Sums, QUADS>, HIGH>;
    var a_next: array<Held, A_EACH>;
    var b_next: array<Held, B_EACH>;
    var k = 0u;
    var stage = 0u;
    fetch(&a_next, &b_next, batch, first, k, end, lane);
    loop {
        if (STAGES == 1u) {
            workgroupBarrier();
        }
        keep(&a_next, &b_next, lane, stage);
        workgroupBarrier();
        k += DEPTH;
        fetch(&a_next, &b_next, batch, first, k, end, lane);
        for (var d = first_inner; d < first_inner + OWN_DEPTH; d += UNROLL) {
            unroll_if(UNROLL == DEPTH);
            for (var i = 0u; i < UNROLL; i++) {
                unroll();
                let a_line = stage * A_VECTORS + (d + i) * A_PITCH + quad.x;
                let b_line = stage * B_VECTORS + (d + i) * B_PITCH + quad.y;
                var a: array<Held, HIGH / 4u>;
                for (var r = 0u; r < HIGH / 4u; r++) {
                    unroll();
                    a[r] = a_tile[a_line + r * DOWN];
                }
                var b: array<Held, QUADS>;
                for (var j = 0u; j < QUADS; j++) {
                    unroll();
                    b[j] = b_tile[b_line + j * RIGHT];
                }
                for (var r = 0u; r < HIGH; r++) {
                    unroll();
                    let rows = a[r / 4u];
                    for (var j = 0u; j < QUADS; j++) {
                        unroll();
                        c[r][j] = multiply_add(Sums(rows[r % 4u]), b[j], c[r][j]);
                    }
                }
            }
        }
        if (k >= end) {
            break;
        }
        if (STAGES > 1u) {
            stage = 1u - stage;
        }
    }
    if (SLICES == 1u) {
        for (var r = 0u; r < HIGH; r++) {
            unroll();
            for (var j = 0u; j < QUADS; j++) {
                unroll();
                put(batch, row_of(first, quad, r), column_of(first, quad, j), c[r][j]);
            }
        }
        return;
    }
    // The slices' sums, in what was the tile of b: each slice adds up those of some rows, and stores them.
    workgroupBarrier();
    for (var r = 0u; r < HIGH; r++) {
        unroll();
        for (var j = 0u; j < QUADS; j++) {
            unroll();
            b_tile[((slice * HIGH + r) * QUADS + j) * OF_SLICE + own] = c[r][j];
        }
    }
    workgroupBarrier();
    for (var mine = 0u; mine < SLICES; mine++) {
        unroll();
        if (slice == mine) {
            for (var r = mine; r < HIGH; r += SLICES) {
                unroll();
                for (var j = 0u; j < QUADS; j++) {
                    unroll();
                    var sum = b_tile[(r * QUADS + j) * OF_SLICE + own];
                    for (var other = 1u; other < SLICES; other++) {
                        unroll();
                        sum += b_tile[((other * HIGH + r) * QUADS + j) * OF_SLICE + own];
                    }
                    put(batch, row_of(first, quad, r), column_of(first, quad, j), sum);
                }
            }
        }
    }
}

// Row `r` of an invocation, and the first column of its quad `j`.
fn row_of(first: vec2<u32>, quad: vec2<u32>, r: u32) -> u32 {
    return first.x + (quad.x + r / 4u * DOWN) * 4u + r % 4u;
}

fn column_of(first: vec2<u32>, quad: vec2<u32>, j: u32) -> u32 {
    return first.y + (quad.y + j * RIGHT) * 4u;
}

// Where an invocation's quads begin: down and right. Of 32 neighbours, 4 lie below and 8 beside one another where a
// tile has room: they read 4 + 8 vectors, not 2 + 16.
fn quad_at(lane: u32) -> vec2<u32> {
    if (DOWN % 4u != 0u || RIGHT % 8u != 0u) {
        return vec2<u32>(lane / RIGHT, lane % RIGHT);
    }
    let block = lane / 32u;
    let blocks = max(RIGHT / 8u, 1u);
    return vec2<u32>(block / blocks * 4u + lane % 32u / 8u, block % blocks * 8u + lane % 8u);
}

// appended by the host
const BAND = 8u;
const THREADS = 256u;
const ROWS = 128u;
const COLUMNS = 256u;
const DEPTH = 8u;
const STAGES = 1u;
const HIGH = 16u;
const WIDE = 8u;
const DOWN = 8u;
const RIGHT = 32u;
const SLICES = 1u;
const UNROLL = 8u;
const FULL = 0u;
const A_QUADS = 256u;
const A_EACH = 1u;
const A_VECTORS = 264u;
const A_PITCH = 33u;
const B_QUADS = 512u;
const B_EACH = 2u;
const B_VECTORS = 512u;
const B_PITCH = 64u;
struct Params {
    groups: u32,
    row_tiles: u32,
    column_tiles: u32,
    rows: u32,
    columns: u32,
    inner: u32,
    span: u32,
    part: u32,
    offset1: u32,
    stride1_0: u32,
    a_offset0: u32,
    a_stride0_0: u32,
    b_offset0: u32,
    b_stride0_2: u32,
}
var<immediate> params: Params;
@group(0) @binding(0) var<storage, read_write> x1: array<vec4<f32>>;
fn value(batch: u32, row: u32, column: u32, inner: u32, given: vec4<f32>) -> vec4<f32> {
    let c0 = row;
    let c1 = column;
    let c2 = inner;
    let v0 = given;
    return v0;
}
fn store(batch: u32, row: u32, column: u32, inner: u32, v: vec4<f32>) {
    let c0 = row;
    let c1 = column;
    let c2 = inner;
    let at = params.offset1 + c0 * params.stride1_0 + c1;
    x1[at >> 2u] = v;
}
@group(0) @binding(1) var<storage, read> a_x0: array<vec4<f32>>;
fn a_value(batch: u32, row: u32, column: u32, inner: u32) -> vec4<f32> {
    let c0 = row;
    let c1 = column;
    let c2 = inner;
    let a0 = params.a_offset0 + c0 * params.a_stride0_0 + c2;
    let v0 = a_x0[a0 >> 2u];
    return v0;
}
@group(0) @binding(2) var<storage, read> b_x0: array<vec4<f32>>;
fn b_value(batch: u32, row: u32, column: u32, inner: u32) -> vec4<f32> {
    let c0 = row;
    let c1 = column;
    let c2 = inner;
    let a0 = params.b_offset0 + c1 + c2 * params.b_stride0_2;
    let v0 = b_x0[a0 >> 2u];
    return v0;
}
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
alias Sums = vec4<f32>;
alias Held = vec4<f32>;
var<workgroup> a_tile: array<Held, STAGES * A_VECTORS>;
fn a_fetch(batch: u32, first: u32, k: u32, quad: u32) -> Held {
    let outer = min(first + quad / 2u, params.rows - 1u);
    let inner = k + quad % 2u * 4u;
    return a_value(batch, outer, 0u, inner);
}
fn a_fetch_end(batch: u32, first: u32, k: u32, quad: u32, end: u32) -> Held {
    let outer = min(first + quad / 2u, params.rows - 1u);
    let inner = k + quad % 2u * 4u;
    if (inner >= end) {
        return Held();
    }
    let within = vec4<u32>(inner) + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(end);
    return select(Held(), a_value(batch, outer, 0u, inner), within);
}
fn a_keep(quad: u32, v: Held, stage: u32) {
    let line = quad / 2u;
    let first = quad % 2u * 4u;
    a_tile[stage + (first + 0u) * 33u + line / 4u][line % 4u] = v[0];
    a_tile[stage + (first + 1u) * 33u + line / 4u][line % 4u] = v[1];
    a_tile[stage + (first + 2u) * 33u + line / 4u][line % 4u] = v[2];
    a_tile[stage + (first + 3u) * 33u + line / 4u][line % 4u] = v[3];
}
var<workgroup> b_tile: array<Held, STAGES * B_VECTORS>;
fn b_fetch(batch: u32, first: u32, k: u32, quad: u32) -> Held {
    let outer = min(first + quad % 64u * 4u, (params.columns - 1u) / 4u * 4u);
    let inner = k + quad / 64u;
    return b_value(batch, 0u, outer, inner);
}
fn b_fetch_end(batch: u32, first: u32, k: u32, quad: u32, end: u32) -> Held {
    let outer = min(first + quad % 64u * 4u, (params.columns - 1u) / 4u * 4u);
    let inner = k + quad / 64u;
    if (inner >= end) {
        return Held();
    }
    return b_value(batch, 0u, outer, inner);
}
fn b_keep(quad: u32, v: Held, stage: u32) {
    b_tile[stage + quad / 64u * 64u + quad % 64u] = v;
}
fn put(batch: u32, row: u32, column: u32, v: Sums) {
    if (row >= params.rows || column >= params.columns) {
        return;
    }
    store(batch, row, column, 0u, value(batch, row, column, 0u, v));
}
fn multiply_add(a: Sums, b: Sums, c: Sums) -> Sums { return fma(a, b, c); }
fn unroll() {
}
fn unroll_if(holds: bool) {
}
