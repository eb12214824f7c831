// Products of matrices by tensor cores: out[batch, row, column] = epilogue(sum over inner of a * b), as in matmul.wgsl.
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
