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
