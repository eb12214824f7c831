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
