enable f16; enable wgpu_cooperative_matrix; // Products of matrices by tensor cores: out[batch, row, column] = epilogue(sum over inner of a * b), as in matmul.wgsl.
//
//   a workgroup computes a tile of the result, each of its subgroups a part of PART_ROWS x PART_COLUMNS:
//     for k in steps of DEPTH:
//       the tiles of a and b that it was given go from registers to workgroup memory, in lines as they were fetched
//       the next ones are asked for, and arrive while it computes
//       each subgroup loads matrices of SIZE x SIZE of both and adds up their products, sums in f32 all in registers
//     each matrix of sums goes through workgroup memory, SLOTS at a time, the epilogue, and is stored
//
// Where it is not known how many lanes a subgroup has, a workgroup has as many subgroups as parts or fewer, and these
// compute all parts in several turns.
//
// Left open: what shared/matmul_tiles.wgsl leaves open, `put`, `scratch` of SLOTS * SCRATCH vectors, `sums_at`, which reads one, and
// the entry point, unrolled.

// Vectors from one line to the next of what is put down, and of all of it: other lines lie in other banks.
const LINE: u32 = SIZE / 4u + 1u;
const SCRATCH: u32 = SIZE * LINE;

// Takes the matrices that some parts from `first` on have put down, one each, through the epilogue to where they belong:
// `at` is where that of part 0 begins.
fn hand_out(batch: u32, at: vec2<u32>, lane: u32, first: u32, count: u32) {
    const ALL = SIZE * SIZE / 4u;
    for (var i = lane; i < count * ALL; i += THREADS) {
        let part = first + i / ALL;
        let within = vec2<u32>(i % ALL / (SIZE / 4u), i % (SIZE / 4u));
        let row = at.x + part / RIGHT * PART_ROWS + within.x;
        let column = at.y + part % RIGHT * PART_COLUMNS + within.y * 4u;
        put(batch, row, column, sums_at(i / ALL * SCRATCH + within.x * LINE + within.y));
    }
}

// appended by the host
const BAND = 8u;
const THREADS = 128u;
const ROWS = 128u;
const COLUMNS = 128u;
const DEPTH = 32u;
const STAGES = 1u;
const PARTS = 4u;
const SLOTS = 2u;
const RIGHT = 2u;
const PART_ROWS = 64u;
const PART_COLUMNS = 64u;
const SIZE = 16u;
const FULL = 1u;
const A_QUADS = 1024u;
const A_EACH = 8u;
const A_VECTORS = 1280u;
const A_PITCH = 10u;
const B_QUADS = 1024u;
const B_EACH = 8u;
const B_VECTORS = 1088u;
const B_PITCH = 34u;
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
@group(0) @binding(1) var<storage, read> a_x0: array<vec4<f16>>;
fn a_value(batch: u32, row: u32, column: u32, inner: u32) -> vec4<f16> {
    let c0 = row;
    let c1 = column;
    let c2 = inner;
    let a0 = params.a_offset0 + c0 * params.a_stride0_0 + c2;
    let v0 = a_x0[a0 >> 2u];
    return v0;
}
@group(0) @binding(2) var<storage, read> b_x0: array<vec4<f16>>;
fn b_value(batch: u32, row: u32, column: u32, inner: u32) -> vec4<f16> {
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
alias Held = vec4<f16>;
var<workgroup> a_tile: array<Held, STAGES * A_VECTORS>;
fn a_fetch(batch: u32, first: u32, k: u32, quad: u32) -> Held {
    let outer = min(first + (quad / 64u * 8u + quad / 8u % 2u * 4u + quad / 16u % 4u), params.rows - 1u);
    let inner = k + quad % 8u * 4u;
    return a_value(batch, outer, 0u, inner);
}
fn a_fetch_end(batch: u32, first: u32, k: u32, quad: u32, end: u32) -> Held {
    let outer = min(first + (quad / 64u * 8u + quad / 8u % 2u * 4u + quad / 16u % 4u), params.rows - 1u);
    let inner = k + quad % 8u * 4u;
    if (inner >= end) {
        return Held();
    }
    let within = vec4<u32>(inner) + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(end);
    return select(Held(), a_value(batch, outer, 0u, inner), within);
}
fn a_keep(quad: u32, v: Held, stage: u32) {
    a_tile[stage + (quad / 64u * 8u + quad / 8u % 2u * 4u + quad / 16u % 4u) * 10u + quad % 8u] = v;
}
var<workgroup> b_tile: array<Held, STAGES * B_VECTORS>;
fn b_fetch(batch: u32, first: u32, k: u32, quad: u32) -> Held {
    let outer = min(first + quad % 32u * 4u, (params.columns - 1u) / 4u * 4u);
    let inner = k + quad / 32u;
    return b_value(batch, 0u, outer, inner);
}
fn b_fetch_end(batch: u32, first: u32, k: u32, quad: u32, end: u32) -> Held {
    let outer = min(first + quad % 32u * 4u, (params.columns - 1u) / 4u * 4u);
    let inner = k + quad / 32u;
    if (inner >= end) {
        return Held();
    }
    return b_value(batch, 0u, outer, inner);
}
fn b_keep(quad: u32, v: Held, stage: u32) {
    b_tile[stage + quad / 32u * 34u + quad % 32u] = v;
}
fn put(batch: u32, row: u32, column: u32, v: Sums) {
    if (row >= params.rows || column >= params.columns) {
        return;
    }
    store(batch, row, column, 0u, value(batch, row, column, 0u, v));
}
var<workgroup> scratch: array<vec4<f32>, SLOTS * SCRATCH>;
fn sums_at(at: u32) -> vec4<f32> {
    return scratch[at];
}
@compute @workgroup_size(THREADS)
fn matmul(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_id) subgroup: u32,
) {
    let index = group.x + group.y * groups.x;
    let tiles = params.row_tiles * params.column_tiles;
    if (index >= params.groups) {
        return;
    }
    let batch = index / tiles;
    let at = tile_at(index % tiles);
    let a_first = at.x * ROWS;
    let b_first = at.y * COLUMNS;
    let end = inner_end(batch);
    let first = 0u;
    let at_once = PARTS;
    let part = subgroup;
    let row = part / RIGHT * PART_ROWS;
    let column = part % RIGHT * PART_COLUMNS;
    var c0_0 = coop_mat16x16<f32, C>();
    var c0_1 = coop_mat16x16<f32, C>();
    var c0_2 = coop_mat16x16<f32, C>();
    var c0_3 = coop_mat16x16<f32, C>();
    var c1_0 = coop_mat16x16<f32, C>();
    var c1_1 = coop_mat16x16<f32, C>();
    var c1_2 = coop_mat16x16<f32, C>();
    var c1_3 = coop_mat16x16<f32, C>();
    var c2_0 = coop_mat16x16<f32, C>();
    var c2_1 = coop_mat16x16<f32, C>();
    var c2_2 = coop_mat16x16<f32, C>();
    var c2_3 = coop_mat16x16<f32, C>();
    var c3_0 = coop_mat16x16<f32, C>();
    var c3_1 = coop_mat16x16<f32, C>();
    var c3_2 = coop_mat16x16<f32, C>();
    var c3_3 = coop_mat16x16<f32, C>();
    var k = 0u;
    var a_next = array<Held, A_EACH>();
    var b_next = array<Held, B_EACH>();
    fetch(&a_next, &b_next, batch, vec2<u32>(a_first, b_first), k, end, lane);
    loop {
    workgroupBarrier();
    keep(&a_next, &b_next, lane, 0u);
    workgroupBarrier();
    k += DEPTH;
    fetch(&a_next, &b_next, batch, vec2<u32>(a_first, b_first), k, end, lane);
    {
        let a0 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[((row + 0u) * 10u + 0u)], 10u);
        let a1 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[((row + 16u) * 10u + 0u)], 10u);
        let a2 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[((row + 32u) * 10u + 0u)], 10u);
        let a3 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[((row + 48u) * 10u + 0u)], 10u);
        let b0 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[(0u + (column + 0u) / 4u)], 34u);
        c0_0 = coopMultiplyAdd(a0, b0, c0_0);
        c1_0 = coopMultiplyAdd(a1, b0, c1_0);
        c2_0 = coopMultiplyAdd(a2, b0, c2_0);
        c3_0 = coopMultiplyAdd(a3, b0, c3_0);
        let b1 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[(0u + (column + 16u) / 4u)], 34u);
        c0_1 = coopMultiplyAdd(a0, b1, c0_1);
        c1_1 = coopMultiplyAdd(a1, b1, c1_1);
        c2_1 = coopMultiplyAdd(a2, b1, c2_1);
        c3_1 = coopMultiplyAdd(a3, b1, c3_1);
        let b2 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[(0u + (column + 32u) / 4u)], 34u);
        c0_2 = coopMultiplyAdd(a0, b2, c0_2);
        c1_2 = coopMultiplyAdd(a1, b2, c1_2);
        c2_2 = coopMultiplyAdd(a2, b2, c2_2);
        c3_2 = coopMultiplyAdd(a3, b2, c3_2);
        let b3 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[(0u + (column + 48u) / 4u)], 34u);
        c0_3 = coopMultiplyAdd(a0, b3, c0_3);
        c1_3 = coopMultiplyAdd(a1, b3, c1_3);
        c2_3 = coopMultiplyAdd(a2, b3, c2_3);
        c3_3 = coopMultiplyAdd(a3, b3, c3_3);
    }
    {
        let a0 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[((row + 0u) * 10u + 4u)], 10u);
        let a1 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[((row + 16u) * 10u + 4u)], 10u);
        let a2 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[((row + 32u) * 10u + 4u)], 10u);
        let a3 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[((row + 48u) * 10u + 4u)], 10u);
        let b0 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[(544u + (column + 0u) / 4u)], 34u);
        c0_0 = coopMultiplyAdd(a0, b0, c0_0);
        c1_0 = coopMultiplyAdd(a1, b0, c1_0);
        c2_0 = coopMultiplyAdd(a2, b0, c2_0);
        c3_0 = coopMultiplyAdd(a3, b0, c3_0);
        let b1 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[(544u + (column + 16u) / 4u)], 34u);
        c0_1 = coopMultiplyAdd(a0, b1, c0_1);
        c1_1 = coopMultiplyAdd(a1, b1, c1_1);
        c2_1 = coopMultiplyAdd(a2, b1, c2_1);
        c3_1 = coopMultiplyAdd(a3, b1, c3_1);
        let b2 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[(544u + (column + 32u) / 4u)], 34u);
        c0_2 = coopMultiplyAdd(a0, b2, c0_2);
        c1_2 = coopMultiplyAdd(a1, b2, c1_2);
        c2_2 = coopMultiplyAdd(a2, b2, c2_2);
        c3_2 = coopMultiplyAdd(a3, b2, c3_2);
        let b3 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[(544u + (column + 48u) / 4u)], 34u);
        c0_3 = coopMultiplyAdd(a0, b3, c0_3);
        c1_3 = coopMultiplyAdd(a1, b3, c1_3);
        c2_3 = coopMultiplyAdd(a2, b3, c2_3);
        c3_3 = coopMultiplyAdd(a3, b3, c3_3);
    }
    if (k >= end) {
        break;
    }
    }
    for (var turn = 0u; turn < at_once; turn += SLOTS) {
        if (subgroup / SLOTS == turn / SLOTS) {
            coopStoreT(c0_0, &scratch[(subgroup % SLOTS * SCRATCH)], LINE);
        }
        workgroupBarrier();
        hand_out(batch, vec2<u32>(a_first + 0u, b_first + 0u), lane, first + turn, min(at_once - turn, SLOTS));
        workgroupBarrier();
    }
    for (var turn = 0u; turn < at_once; turn += SLOTS) {
        if (subgroup / SLOTS == turn / SLOTS) {
            coopStoreT(c0_1, &scratch[(subgroup % SLOTS * SCRATCH)], LINE);
        }
        workgroupBarrier();
        hand_out(batch, vec2<u32>(a_first + 0u, b_first + 16u), lane, first + turn, min(at_once - turn, SLOTS));
        workgroupBarrier();
    }
    for (var turn = 0u; turn < at_once; turn += SLOTS) {
        if (subgroup / SLOTS == turn / SLOTS) {
            coopStoreT(c0_2, &scratch[(subgroup % SLOTS * SCRATCH)], LINE);
        }
        workgroupBarrier();
        hand_out(batch, vec2<u32>(a_first + 0u, b_first + 32u), lane, first + turn, min(at_once - turn, SLOTS));
        workgroupBarrier();
    }
    for (var turn = 0u; turn < at_once; turn += SLOTS) {
        if (subgroup / SLOTS == turn / SLOTS) {
            coopStoreT(c0_3, &scratch[(subgroup % SLOTS * SCRATCH)], LINE);
        }
        workgroupBarrier();
        hand_out(batch, vec2<u32>(a_first + 0u, b_first + 48u), lane, first + turn, min(at_once - turn, SLOTS));
        workgroupBarrier();
    }
    for (var turn = 0u; turn < at_once; turn += SLOTS) {
        if (subgroup / SLOTS == turn / SLOTS) {
            coopStoreT(c1_0, &scratch[(subgroup % SLOTS * SCRATCH)], LINE);
        }
        workgroupBarrier();
        hand_out(batch, vec2<u32>(a_first + 16u, b_first + 0u), lane, first + turn, min(at_once - turn, SLOTS));
        workgroupBarrier();
    }
    for (var turn = 0u; turn < at_once; turn += SLOTS) {
        if (subgroup / SLOTS == turn / SLOTS) {
            coopStoreT(c1_1, &scratch[(subgroup % SLOTS * SCRATCH)], LINE);
        }
        workgroupBarrier();
        hand_out(batch, vec2<u32>(a_first + 16u, b_first + 16u), lane, first + turn, min(at_once - turn, SLOTS));
        workgroupBarrier();
    }
    for (var turn = 0u; turn < at_once; turn += SLOTS) {
        if (subgroup / SLOTS == turn / SLOTS) {
            coopStoreT(c1_2, &scratch[(subgroup % SLOTS * SCRATCH)], LINE);
        }
        workgroupBarrier();
        hand_out(batch, vec2<u32>(a_first + 16u, b_first + 32u), lane, first + turn, min(at_once - turn, SLOTS));
        workgroupBarrier();
    }
    for (var turn = 0u; turn < at_once; turn += SLOTS) {
        if (subgroup / SLOTS == turn / SLOTS) {
            coopStoreT(c1_3, &scratch[(subgroup % SLOTS * SCRATCH)], LINE);
        }
        workgroupBarrier();
        hand_out(batch, vec2<u32>(a_first + 16u, b_first + 48u), lane, first + turn, min(at_once - turn, SLOTS));
        workgroupBarrier();
    }
    for (var turn = 0u; turn < at_once; turn += SLOTS) {
        if (subgroup / SLOTS == turn / SLOTS) {
            coopStoreT(c2_0, &scratch[(subgroup % SLOTS * SCRATCH)], LINE);
        }
        workgroupBarrier();
        hand_out(batch, vec2<u32>(a_first + 32u, b_first + 0u), lane, first + turn, min(at_once - turn, SLOTS));
        workgroupBarrier();
    }
    for (var turn = 0u; turn < at_once; turn += SLOTS) {
        if (subgroup / SLOTS == turn / SLOTS) {
            coopStoreT(c2_1, &scratch[(subgroup % SLOTS * SCRATCH)], LINE);
        }
        workgroupBarrier();
        hand_out(batch, vec2<u32>(a_first + 32u, b_first + 16u), lane, first + turn, min(at_once - turn, SLOTS));
        workgroupBarrier();
    }
    for (var turn = 0u; turn < at_once; turn += SLOTS) {
        if (subgroup / SLOTS == turn / SLOTS) {
            coopStoreT(c2_2, &scratch[(subgroup % SLOTS * SCRATCH)], LINE);
        }
        workgroupBarrier();
        hand_out(batch, vec2<u32>(a_first + 32u, b_first + 32u), lane, first + turn, min(at_once - turn, SLOTS));
        workgroupBarrier();
    }
    for (var turn = 0u; turn < at_once; turn += SLOTS) {
        if (subgroup / SLOTS == turn / SLOTS) {
            coopStoreT(c2_3, &scratch[(subgroup % SLOTS * SCRATCH)], LINE);
        }
        workgroupBarrier();
        hand_out(batch, vec2<u32>(a_first + 32u, b_first + 48u), lane, first + turn, min(at_once - turn, SLOTS));
        workgroupBarrier();
    }
    for (var turn = 0u; turn < at_once; turn += SLOTS) {
        if (subgroup / SLOTS == turn / SLOTS) {
            coopStoreT(c3_0, &scratch[(subgroup % SLOTS * SCRATCH)], LINE);
        }
        workgroupBarrier();
        hand_out(batch, vec2<u32>(a_first + 48u, b_first + 0u), lane, first + turn, min(at_once - turn, SLOTS));
        workgroupBarrier();
    }
    for (var turn = 0u; turn < at_once; turn += SLOTS) {
        if (subgroup / SLOTS == turn / SLOTS) {
            coopStoreT(c3_1, &scratch[(subgroup % SLOTS * SCRATCH)], LINE);
        }
        workgroupBarrier();
        hand_out(batch, vec2<u32>(a_first + 48u, b_first + 16u), lane, first + turn, min(at_once - turn, SLOTS));
        workgroupBarrier();
    }
    for (var turn = 0u; turn < at_once; turn += SLOTS) {
        if (subgroup / SLOTS == turn / SLOTS) {
            coopStoreT(c3_2, &scratch[(subgroup % SLOTS * SCRATCH)], LINE);
        }
        workgroupBarrier();
        hand_out(batch, vec2<u32>(a_first + 48u, b_first + 32u), lane, first + turn, min(at_once - turn, SLOTS));
        workgroupBarrier();
    }
    for (var turn = 0u; turn < at_once; turn += SLOTS) {
        if (subgroup / SLOTS == turn / SLOTS) {
            coopStoreT(c3_3, &scratch[(subgroup % SLOTS * SCRATCH)], LINE);
        }
        workgroupBarrier();
        hand_out(batch, vec2<u32>(a_first + 48u, b_first + 48u), lane, first + turn, min(at_once - turn, SLOTS));
        workgroupBarrier();
    }
}
fn unroll() {
}
