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
// Left open: the tiles a_tile and b_tile, how they are fetched and kept, `put`, and the entry point, unrolled: compilers
// that were left the loops took 14 % longer on the H200.

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
const DOWN = 8u;
const RIGHT = 32u;
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
// Which tile a workgroup of a product computes, and how much of the inner ones.

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
alias Sums = vec4<f32>;
alias Held = vec4<f32>;
var<workgroup> a_tile0: array<Held, 264>;
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
fn a_keep0(quad: u32, v: Held) {
    let line = quad / 2u;
    let first = quad % 2u * 4u;
    a_tile0[(first + 0u) * 33u + line / 4u][line % 4u] = v[0];
    a_tile0[(first + 1u) * 33u + line / 4u][line % 4u] = v[1];
    a_tile0[(first + 2u) * 33u + line / 4u][line % 4u] = v[2];
    a_tile0[(first + 3u) * 33u + line / 4u][line % 4u] = v[3];
}
var<workgroup> b_tile0: array<Held, 512>;
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
fn b_keep0(quad: u32, v: Held) {
    b_tile0[quad / 64u * 64u + quad % 64u] = v;
}
fn put(batch: u32, row: u32, column: u32, v: Sums) {
    if (row >= params.rows || column >= params.columns) {
        return;
    }
    store(batch, row, column, 0u, value(batch, row, column, 0u, v));
}
@compute @workgroup_size(256)
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
    let at = tile_at(index % tiles);
    let a_first = at.x * 128u;
    let b_first = at.y * 256u;
    let end = inner_end(batch);
    let quad = quad_at(lane);
    var c0_0 = Sums();
    var c0_1 = Sums();
    var c1_0 = Sums();
    var c1_1 = Sums();
    var c2_0 = Sums();
    var c2_1 = Sums();
    var c3_0 = Sums();
    var c3_1 = Sums();
    var c4_0 = Sums();
    var c4_1 = Sums();
    var c5_0 = Sums();
    var c5_1 = Sums();
    var c6_0 = Sums();
    var c6_1 = Sums();
    var c7_0 = Sums();
    var c7_1 = Sums();
    var c8_0 = Sums();
    var c8_1 = Sums();
    var c9_0 = Sums();
    var c9_1 = Sums();
    var c10_0 = Sums();
    var c10_1 = Sums();
    var c11_0 = Sums();
    var c11_1 = Sums();
    var c12_0 = Sums();
    var c12_1 = Sums();
    var c13_0 = Sums();
    var c13_1 = Sums();
    var c14_0 = Sums();
    var c14_1 = Sums();
    var c15_0 = Sums();
    var c15_1 = Sums();
    var k = 0u;
    var a0_next = Held();
    var b0_next = Held();
    var b1_next = Held();
    if (k + 8u <= end) {
        a0_next = a_fetch(batch, a_first, k, lane + 0u);
        b0_next = b_fetch(batch, b_first, k, lane + 0u);
        b1_next = b_fetch(batch, b_first, k, lane + 256u);
    } else if (k < end) {
        a0_next = a_fetch_end(batch, a_first, k, lane + 0u, end);
        b0_next = b_fetch_end(batch, b_first, k, lane + 0u, end);
        b1_next = b_fetch_end(batch, b_first, k, lane + 256u, end);
    }
    loop {
    workgroupBarrier();
    a_keep0(lane + 0u, a0_next);
    b_keep0(lane + 0u, b0_next);
    b_keep0(lane + 256u, b1_next);
    workgroupBarrier();
    k += 8u;
    if (k + 8u <= end) {
        a0_next = a_fetch(batch, a_first, k, lane + 0u);
        b0_next = b_fetch(batch, b_first, k, lane + 0u);
        b1_next = b_fetch(batch, b_first, k, lane + 256u);
    } else if (k < end) {
        a0_next = a_fetch_end(batch, a_first, k, lane + 0u, end);
        b0_next = b_fetch_end(batch, b_first, k, lane + 0u, end);
        b1_next = b_fetch_end(batch, b_first, k, lane + 256u, end);
    }
    {
        let a0 = a_tile0[0u * 33u + quad.x + 0u];
        let a1 = a_tile0[0u * 33u + quad.x + 8u];
        let a2 = a_tile0[0u * 33u + quad.x + 16u];
        let a3 = a_tile0[0u * 33u + quad.x + 24u];
        let b0 = b_tile0[0u * 64u + quad.y + 0u];
        let b1 = b_tile0[0u * 64u + quad.y + 32u];
        c0_0 = fma(Sums(a0[0]), b0, c0_0);
        c0_1 = fma(Sums(a0[0]), b1, c0_1);
        c1_0 = fma(Sums(a0[1]), b0, c1_0);
        c1_1 = fma(Sums(a0[1]), b1, c1_1);
        c2_0 = fma(Sums(a0[2]), b0, c2_0);
        c2_1 = fma(Sums(a0[2]), b1, c2_1);
        c3_0 = fma(Sums(a0[3]), b0, c3_0);
        c3_1 = fma(Sums(a0[3]), b1, c3_1);
        c4_0 = fma(Sums(a1[0]), b0, c4_0);
        c4_1 = fma(Sums(a1[0]), b1, c4_1);
        c5_0 = fma(Sums(a1[1]), b0, c5_0);
        c5_1 = fma(Sums(a1[1]), b1, c5_1);
        c6_0 = fma(Sums(a1[2]), b0, c6_0);
        c6_1 = fma(Sums(a1[2]), b1, c6_1);
        c7_0 = fma(Sums(a1[3]), b0, c7_0);
        c7_1 = fma(Sums(a1[3]), b1, c7_1);
        c8_0 = fma(Sums(a2[0]), b0, c8_0);
        c8_1 = fma(Sums(a2[0]), b1, c8_1);
        c9_0 = fma(Sums(a2[1]), b0, c9_0);
        c9_1 = fma(Sums(a2[1]), b1, c9_1);
        c10_0 = fma(Sums(a2[2]), b0, c10_0);
        c10_1 = fma(Sums(a2[2]), b1, c10_1);
        c11_0 = fma(Sums(a2[3]), b0, c11_0);
        c11_1 = fma(Sums(a2[3]), b1, c11_1);
        c12_0 = fma(Sums(a3[0]), b0, c12_0);
        c12_1 = fma(Sums(a3[0]), b1, c12_1);
        c13_0 = fma(Sums(a3[1]), b0, c13_0);
        c13_1 = fma(Sums(a3[1]), b1, c13_1);
        c14_0 = fma(Sums(a3[2]), b0, c14_0);
        c14_1 = fma(Sums(a3[2]), b1, c14_1);
        c15_0 = fma(Sums(a3[3]), b0, c15_0);
        c15_1 = fma(Sums(a3[3]), b1, c15_1);
    }
    {
        let a0 = a_tile0[1u * 33u + quad.x + 0u];
        let a1 = a_tile0[1u * 33u + quad.x + 8u];
        let a2 = a_tile0[1u * 33u + quad.x + 16u];
        let a3 = a_tile0[1u * 33u + quad.x + 24u];
        let b0 = b_tile0[1u * 64u + quad.y + 0u];
        let b1 = b_tile0[1u * 64u + quad.y + 32u];
        c0_0 = fma(Sums(a0[0]), b0, c0_0);
        c0_1 = fma(Sums(a0[0]), b1, c0_1);
        c1_0 = fma(Sums(a0[1]), b0, c1_0);
        c1_1 = fma(Sums(a0[1]), b1, c1_1);
        c2_0 = fma(Sums(a0[2]), b0, c2_0);
        c2_1 = fma(Sums(a0[2]), b1, c2_1);
        c3_0 = fma(Sums(a0[3]), b0, c3_0);
        c3_1 = fma(Sums(a0[3]), b1, c3_1);
        c4_0 = fma(Sums(a1[0]), b0, c4_0);
        c4_1 = fma(Sums(a1[0]), b1, c4_1);
        c5_0 = fma(Sums(a1[1]), b0, c5_0);
        c5_1 = fma(Sums(a1[1]), b1, c5_1);
        c6_0 = fma(Sums(a1[2]), b0, c6_0);
        c6_1 = fma(Sums(a1[2]), b1, c6_1);
        c7_0 = fma(Sums(a1[3]), b0, c7_0);
        c7_1 = fma(Sums(a1[3]), b1, c7_1);
        c8_0 = fma(Sums(a2[0]), b0, c8_0);
        c8_1 = fma(Sums(a2[0]), b1, c8_1);
        c9_0 = fma(Sums(a2[1]), b0, c9_0);
        c9_1 = fma(Sums(a2[1]), b1, c9_1);
        c10_0 = fma(Sums(a2[2]), b0, c10_0);
        c10_1 = fma(Sums(a2[2]), b1, c10_1);
        c11_0 = fma(Sums(a2[3]), b0, c11_0);
        c11_1 = fma(Sums(a2[3]), b1, c11_1);
        c12_0 = fma(Sums(a3[0]), b0, c12_0);
        c12_1 = fma(Sums(a3[0]), b1, c12_1);
        c13_0 = fma(Sums(a3[1]), b0, c13_0);
        c13_1 = fma(Sums(a3[1]), b1, c13_1);
        c14_0 = fma(Sums(a3[2]), b0, c14_0);
        c14_1 = fma(Sums(a3[2]), b1, c14_1);
        c15_0 = fma(Sums(a3[3]), b0, c15_0);
        c15_1 = fma(Sums(a3[3]), b1, c15_1);
    }
    {
        let a0 = a_tile0[2u * 33u + quad.x + 0u];
        let a1 = a_tile0[2u * 33u + quad.x + 8u];
        let a2 = a_tile0[2u * 33u + quad.x + 16u];
        let a3 = a_tile0[2u * 33u + quad.x + 24u];
        let b0 = b_tile0[2u * 64u + quad.y + 0u];
        let b1 = b_tile0[2u * 64u + quad.y + 32u];
        c0_0 = fma(Sums(a0[0]), b0, c0_0);
        c0_1 = fma(Sums(a0[0]), b1, c0_1);
        c1_0 = fma(Sums(a0[1]), b0, c1_0);
        c1_1 = fma(Sums(a0[1]), b1, c1_1);
        c2_0 = fma(Sums(a0[2]), b0, c2_0);
        c2_1 = fma(Sums(a0[2]), b1, c2_1);
        c3_0 = fma(Sums(a0[3]), b0, c3_0);
        c3_1 = fma(Sums(a0[3]), b1, c3_1);
        c4_0 = fma(Sums(a1[0]), b0, c4_0);
        c4_1 = fma(Sums(a1[0]), b1, c4_1);
        c5_0 = fma(Sums(a1[1]), b0, c5_0);
        c5_1 = fma(Sums(a1[1]), b1, c5_1);
        c6_0 = fma(Sums(a1[2]), b0, c6_0);
        c6_1 = fma(Sums(a1[2]), b1, c6_1);
        c7_0 = fma(Sums(a1[3]), b0, c7_0);
        c7_1 = fma(Sums(a1[3]), b1, c7_1);
        c8_0 = fma(Sums(a2[0]), b0, c8_0);
        c8_1 = fma(Sums(a2[0]), b1, c8_1);
        c9_0 = fma(Sums(a2[1]), b0, c9_0);
        c9_1 = fma(Sums(a2[1]), b1, c9_1);
        c10_0 = fma(Sums(a2[2]), b0, c10_0);
        c10_1 = fma(Sums(a2[2]), b1, c10_1);
        c11_0 = fma(Sums(a2[3]), b0, c11_0);
        c11_1 = fma(Sums(a2[3]), b1, c11_1);
        c12_0 = fma(Sums(a3[0]), b0, c12_0);
        c12_1 = fma(Sums(a3[0]), b1, c12_1);
        c13_0 = fma(Sums(a3[1]), b0, c13_0);
        c13_1 = fma(Sums(a3[1]), b1, c13_1);
        c14_0 = fma(Sums(a3[2]), b0, c14_0);
        c14_1 = fma(Sums(a3[2]), b1, c14_1);
        c15_0 = fma(Sums(a3[3]), b0, c15_0);
        c15_1 = fma(Sums(a3[3]), b1, c15_1);
    }
    {
        let a0 = a_tile0[3u * 33u + quad.x + 0u];
        let a1 = a_tile0[3u * 33u + quad.x + 8u];
        let a2 = a_tile0[3u * 33u + quad.x + 16u];
        let a3 = a_tile0[3u * 33u + quad.x + 24u];
        let b0 = b_tile0[3u * 64u + quad.y + 0u];
        let b1 = b_tile0[3u * 64u + quad.y + 32u];
        c0_0 = fma(Sums(a0[0]), b0, c0_0);
        c0_1 = fma(Sums(a0[0]), b1, c0_1);
        c1_0 = fma(Sums(a0[1]), b0, c1_0);
        c1_1 = fma(Sums(a0[1]), b1, c1_1);
        c2_0 = fma(Sums(a0[2]), b0, c2_0);
        c2_1 = fma(Sums(a0[2]), b1, c2_1);
        c3_0 = fma(Sums(a0[3]), b0, c3_0);
        c3_1 = fma(Sums(a0[3]), b1, c3_1);
        c4_0 = fma(Sums(a1[0]), b0, c4_0);
        c4_1 = fma(Sums(a1[0]), b1, c4_1);
        c5_0 = fma(Sums(a1[1]), b0, c5_0);
        c5_1 = fma(Sums(a1[1]), b1, c5_1);
        c6_0 = fma(Sums(a1[2]), b0, c6_0);
        c6_1 = fma(Sums(a1[2]), b1, c6_1);
        c7_0 = fma(Sums(a1[3]), b0, c7_0);
        c7_1 = fma(Sums(a1[3]), b1, c7_1);
        c8_0 = fma(Sums(a2[0]), b0, c8_0);
        c8_1 = fma(Sums(a2[0]), b1, c8_1);
        c9_0 = fma(Sums(a2[1]), b0, c9_0);
        c9_1 = fma(Sums(a2[1]), b1, c9_1);
        c10_0 = fma(Sums(a2[2]), b0, c10_0);
        c10_1 = fma(Sums(a2[2]), b1, c10_1);
        c11_0 = fma(Sums(a2[3]), b0, c11_0);
        c11_1 = fma(Sums(a2[3]), b1, c11_1);
        c12_0 = fma(Sums(a3[0]), b0, c12_0);
        c12_1 = fma(Sums(a3[0]), b1, c12_1);
        c13_0 = fma(Sums(a3[1]), b0, c13_0);
        c13_1 = fma(Sums(a3[1]), b1, c13_1);
        c14_0 = fma(Sums(a3[2]), b0, c14_0);
        c14_1 = fma(Sums(a3[2]), b1, c14_1);
        c15_0 = fma(Sums(a3[3]), b0, c15_0);
        c15_1 = fma(Sums(a3[3]), b1, c15_1);
    }
    {
        let a0 = a_tile0[4u * 33u + quad.x + 0u];
        let a1 = a_tile0[4u * 33u + quad.x + 8u];
        let a2 = a_tile0[4u * 33u + quad.x + 16u];
        let a3 = a_tile0[4u * 33u + quad.x + 24u];
        let b0 = b_tile0[4u * 64u + quad.y + 0u];
        let b1 = b_tile0[4u * 64u + quad.y + 32u];
        c0_0 = fma(Sums(a0[0]), b0, c0_0);
        c0_1 = fma(Sums(a0[0]), b1, c0_1);
        c1_0 = fma(Sums(a0[1]), b0, c1_0);
        c1_1 = fma(Sums(a0[1]), b1, c1_1);
        c2_0 = fma(Sums(a0[2]), b0, c2_0);
        c2_1 = fma(Sums(a0[2]), b1, c2_1);
        c3_0 = fma(Sums(a0[3]), b0, c3_0);
        c3_1 = fma(Sums(a0[3]), b1, c3_1);
        c4_0 = fma(Sums(a1[0]), b0, c4_0);
        c4_1 = fma(Sums(a1[0]), b1, c4_1);
        c5_0 = fma(Sums(a1[1]), b0, c5_0);
        c5_1 = fma(Sums(a1[1]), b1, c5_1);
        c6_0 = fma(Sums(a1[2]), b0, c6_0);
        c6_1 = fma(Sums(a1[2]), b1, c6_1);
        c7_0 = fma(Sums(a1[3]), b0, c7_0);
        c7_1 = fma(Sums(a1[3]), b1, c7_1);
        c8_0 = fma(Sums(a2[0]), b0, c8_0);
        c8_1 = fma(Sums(a2[0]), b1, c8_1);
        c9_0 = fma(Sums(a2[1]), b0, c9_0);
        c9_1 = fma(Sums(a2[1]), b1, c9_1);
        c10_0 = fma(Sums(a2[2]), b0, c10_0);
        c10_1 = fma(Sums(a2[2]), b1, c10_1);
        c11_0 = fma(Sums(a2[3]), b0, c11_0);
        c11_1 = fma(Sums(a2[3]), b1, c11_1);
        c12_0 = fma(Sums(a3[0]), b0, c12_0);
        c12_1 = fma(Sums(a3[0]), b1, c12_1);
        c13_0 = fma(Sums(a3[1]), b0, c13_0);
        c13_1 = fma(Sums(a3[1]), b1, c13_1);
        c14_0 = fma(Sums(a3[2]), b0, c14_0);
        c14_1 = fma(Sums(a3[2]), b1, c14_1);
        c15_0 = fma(Sums(a3[3]), b0, c15_0);
        c15_1 = fma(Sums(a3[3]), b1, c15_1);
    }
    {
        let a0 = a_tile0[5u * 33u + quad.x + 0u];
        let a1 = a_tile0[5u * 33u + quad.x + 8u];
        let a2 = a_tile0[5u * 33u + quad.x + 16u];
        let a3 = a_tile0[5u * 33u + quad.x + 24u];
        let b0 = b_tile0[5u * 64u + quad.y + 0u];
        let b1 = b_tile0[5u * 64u + quad.y + 32u];
        c0_0 = fma(Sums(a0[0]), b0, c0_0);
        c0_1 = fma(Sums(a0[0]), b1, c0_1);
        c1_0 = fma(Sums(a0[1]), b0, c1_0);
        c1_1 = fma(Sums(a0[1]), b1, c1_1);
        c2_0 = fma(Sums(a0[2]), b0, c2_0);
        c2_1 = fma(Sums(a0[2]), b1, c2_1);
        c3_0 = fma(Sums(a0[3]), b0, c3_0);
        c3_1 = fma(Sums(a0[3]), b1, c3_1);
        c4_0 = fma(Sums(a1[0]), b0, c4_0);
        c4_1 = fma(Sums(a1[0]), b1, c4_1);
        c5_0 = fma(Sums(a1[1]), b0, c5_0);
        c5_1 = fma(Sums(a1[1]), b1, c5_1);
        c6_0 = fma(Sums(a1[2]), b0, c6_0);
        c6_1 = fma(Sums(a1[2]), b1, c6_1);
        c7_0 = fma(Sums(a1[3]), b0, c7_0);
        c7_1 = fma(Sums(a1[3]), b1, c7_1);
        c8_0 = fma(Sums(a2[0]), b0, c8_0);
        c8_1 = fma(Sums(a2[0]), b1, c8_1);
        c9_0 = fma(Sums(a2[1]), b0, c9_0);
        c9_1 = fma(Sums(a2[1]), b1, c9_1);
        c10_0 = fma(Sums(a2[2]), b0, c10_0);
        c10_1 = fma(Sums(a2[2]), b1, c10_1);
        c11_0 = fma(Sums(a2[3]), b0, c11_0);
        c11_1 = fma(Sums(a2[3]), b1, c11_1);
        c12_0 = fma(Sums(a3[0]), b0, c12_0);
        c12_1 = fma(Sums(a3[0]), b1, c12_1);
        c13_0 = fma(Sums(a3[1]), b0, c13_0);
        c13_1 = fma(Sums(a3[1]), b1, c13_1);
        c14_0 = fma(Sums(a3[2]), b0, c14_0);
        c14_1 = fma(Sums(a3[2]), b1, c14_1);
        c15_0 = fma(Sums(a3[3]), b0, c15_0);
        c15_1 = fma(Sums(a3[3]), b1, c15_1);
    }
    {
        let a0 = a_tile0[6u * 33u + quad.x + 0u];
        let a1 = a_tile0[6u * 33u + quad.x + 8u];
        let a2 = a_tile0[6u * 33u + quad.x + 16u];
        let a3 = a_tile0[6u * 33u + quad.x + 24u];
        let b0 = b_tile0[6u * 64u + quad.y + 0u];
        let b1 = b_tile0[6u * 64u + quad.y + 32u];
        c0_0 = fma(Sums(a0[0]), b0, c0_0);
        c0_1 = fma(Sums(a0[0]), b1, c0_1);
        c1_0 = fma(Sums(a0[1]), b0, c1_0);
        c1_1 = fma(Sums(a0[1]), b1, c1_1);
        c2_0 = fma(Sums(a0[2]), b0, c2_0);
        c2_1 = fma(Sums(a0[2]), b1, c2_1);
        c3_0 = fma(Sums(a0[3]), b0, c3_0);
        c3_1 = fma(Sums(a0[3]), b1, c3_1);
        c4_0 = fma(Sums(a1[0]), b0, c4_0);
        c4_1 = fma(Sums(a1[0]), b1, c4_1);
        c5_0 = fma(Sums(a1[1]), b0, c5_0);
        c5_1 = fma(Sums(a1[1]), b1, c5_1);
        c6_0 = fma(Sums(a1[2]), b0, c6_0);
        c6_1 = fma(Sums(a1[2]), b1, c6_1);
        c7_0 = fma(Sums(a1[3]), b0, c7_0);
        c7_1 = fma(Sums(a1[3]), b1, c7_1);
        c8_0 = fma(Sums(a2[0]), b0, c8_0);
        c8_1 = fma(Sums(a2[0]), b1, c8_1);
        c9_0 = fma(Sums(a2[1]), b0, c9_0);
        c9_1 = fma(Sums(a2[1]), b1, c9_1);
        c10_0 = fma(Sums(a2[2]), b0, c10_0);
        c10_1 = fma(Sums(a2[2]), b1, c10_1);
        c11_0 = fma(Sums(a2[3]), b0, c11_0);
        c11_1 = fma(Sums(a2[3]), b1, c11_1);
        c12_0 = fma(Sums(a3[0]), b0, c12_0);
        c12_1 = fma(Sums(a3[0]), b1, c12_1);
        c13_0 = fma(Sums(a3[1]), b0, c13_0);
        c13_1 = fma(Sums(a3[1]), b1, c13_1);
        c14_0 = fma(Sums(a3[2]), b0, c14_0);
        c14_1 = fma(Sums(a3[2]), b1, c14_1);
        c15_0 = fma(Sums(a3[3]), b0, c15_0);
        c15_1 = fma(Sums(a3[3]), b1, c15_1);
    }
    {
        let a0 = a_tile0[7u * 33u + quad.x + 0u];
        let a1 = a_tile0[7u * 33u + quad.x + 8u];
        let a2 = a_tile0[7u * 33u + quad.x + 16u];
        let a3 = a_tile0[7u * 33u + quad.x + 24u];
        let b0 = b_tile0[7u * 64u + quad.y + 0u];
        let b1 = b_tile0[7u * 64u + quad.y + 32u];
        c0_0 = fma(Sums(a0[0]), b0, c0_0);
        c0_1 = fma(Sums(a0[0]), b1, c0_1);
        c1_0 = fma(Sums(a0[1]), b0, c1_0);
        c1_1 = fma(Sums(a0[1]), b1, c1_1);
        c2_0 = fma(Sums(a0[2]), b0, c2_0);
        c2_1 = fma(Sums(a0[2]), b1, c2_1);
        c3_0 = fma(Sums(a0[3]), b0, c3_0);
        c3_1 = fma(Sums(a0[3]), b1, c3_1);
        c4_0 = fma(Sums(a1[0]), b0, c4_0);
        c4_1 = fma(Sums(a1[0]), b1, c4_1);
        c5_0 = fma(Sums(a1[1]), b0, c5_0);
        c5_1 = fma(Sums(a1[1]), b1, c5_1);
        c6_0 = fma(Sums(a1[2]), b0, c6_0);
        c6_1 = fma(Sums(a1[2]), b1, c6_1);
        c7_0 = fma(Sums(a1[3]), b0, c7_0);
        c7_1 = fma(Sums(a1[3]), b1, c7_1);
        c8_0 = fma(Sums(a2[0]), b0, c8_0);
        c8_1 = fma(Sums(a2[0]), b1, c8_1);
        c9_0 = fma(Sums(a2[1]), b0, c9_0);
        c9_1 = fma(Sums(a2[1]), b1, c9_1);
        c10_0 = fma(Sums(a2[2]), b0, c10_0);
        c10_1 = fma(Sums(a2[2]), b1, c10_1);
        c11_0 = fma(Sums(a2[3]), b0, c11_0);
        c11_1 = fma(Sums(a2[3]), b1, c11_1);
        c12_0 = fma(Sums(a3[0]), b0, c12_0);
        c12_1 = fma(Sums(a3[0]), b1, c12_1);
        c13_0 = fma(Sums(a3[1]), b0, c13_0);
        c13_1 = fma(Sums(a3[1]), b1, c13_1);
        c14_0 = fma(Sums(a3[2]), b0, c14_0);
        c14_1 = fma(Sums(a3[2]), b1, c14_1);
        c15_0 = fma(Sums(a3[3]), b0, c15_0);
        c15_1 = fma(Sums(a3[3]), b1, c15_1);
    }
    if (k >= end) {
        break;
    }
    }
    put(batch, a_first + (quad.x + 0u) * 4u + 0u, b_first + (quad.y + 0u) * 4u, c0_0);
    put(batch, a_first + (quad.x + 0u) * 4u + 0u, b_first + (quad.y + 32u) * 4u, c0_1);
    put(batch, a_first + (quad.x + 0u) * 4u + 1u, b_first + (quad.y + 0u) * 4u, c1_0);
    put(batch, a_first + (quad.x + 0u) * 4u + 1u, b_first + (quad.y + 32u) * 4u, c1_1);
    put(batch, a_first + (quad.x + 0u) * 4u + 2u, b_first + (quad.y + 0u) * 4u, c2_0);
    put(batch, a_first + (quad.x + 0u) * 4u + 2u, b_first + (quad.y + 32u) * 4u, c2_1);
    put(batch, a_first + (quad.x + 0u) * 4u + 3u, b_first + (quad.y + 0u) * 4u, c3_0);
    put(batch, a_first + (quad.x + 0u) * 4u + 3u, b_first + (quad.y + 32u) * 4u, c3_1);
    put(batch, a_first + (quad.x + 8u) * 4u + 0u, b_first + (quad.y + 0u) * 4u, c4_0);
    put(batch, a_first + (quad.x + 8u) * 4u + 0u, b_first + (quad.y + 32u) * 4u, c4_1);
    put(batch, a_first + (quad.x + 8u) * 4u + 1u, b_first + (quad.y + 0u) * 4u, c5_0);
    put(batch, a_first + (quad.x + 8u) * 4u + 1u, b_first + (quad.y + 32u) * 4u, c5_1);
    put(batch, a_first + (quad.x + 8u) * 4u + 2u, b_first + (quad.y + 0u) * 4u, c6_0);
    put(batch, a_first + (quad.x + 8u) * 4u + 2u, b_first + (quad.y + 32u) * 4u, c6_1);
    put(batch, a_first + (quad.x + 8u) * 4u + 3u, b_first + (quad.y + 0u) * 4u, c7_0);
    put(batch, a_first + (quad.x + 8u) * 4u + 3u, b_first + (quad.y + 32u) * 4u, c7_1);
    put(batch, a_first + (quad.x + 16u) * 4u + 0u, b_first + (quad.y + 0u) * 4u, c8_0);
    put(batch, a_first + (quad.x + 16u) * 4u + 0u, b_first + (quad.y + 32u) * 4u, c8_1);
    put(batch, a_first + (quad.x + 16u) * 4u + 1u, b_first + (quad.y + 0u) * 4u, c9_0);
    put(batch, a_first + (quad.x + 16u) * 4u + 1u, b_first + (quad.y + 32u) * 4u, c9_1);
    put(batch, a_first + (quad.x + 16u) * 4u + 2u, b_first + (quad.y + 0u) * 4u, c10_0);
    put(batch, a_first + (quad.x + 16u) * 4u + 2u, b_first + (quad.y + 32u) * 4u, c10_1);
    put(batch, a_first + (quad.x + 16u) * 4u + 3u, b_first + (quad.y + 0u) * 4u, c11_0);
    put(batch, a_first + (quad.x + 16u) * 4u + 3u, b_first + (quad.y + 32u) * 4u, c11_1);
    put(batch, a_first + (quad.x + 24u) * 4u + 0u, b_first + (quad.y + 0u) * 4u, c12_0);
    put(batch, a_first + (quad.x + 24u) * 4u + 0u, b_first + (quad.y + 32u) * 4u, c12_1);
    put(batch, a_first + (quad.x + 24u) * 4u + 1u, b_first + (quad.y + 0u) * 4u, c13_0);
    put(batch, a_first + (quad.x + 24u) * 4u + 1u, b_first + (quad.y + 32u) * 4u, c13_1);
    put(batch, a_first + (quad.x + 24u) * 4u + 2u, b_first + (quad.y + 0u) * 4u, c14_0);
    put(batch, a_first + (quad.x + 24u) * 4u + 2u, b_first + (quad.y + 32u) * 4u, c14_1);
    put(batch, a_first + (quad.x + 24u) * 4u + 3u, b_first + (quad.y + 0u) * 4u, c15_0);
    put(batch, a_first + (quad.x + 24u) * 4u + 3u, b_first + (quad.y + 32u) * 4u, c15_1);
}
