// The transposition of a matrix whose sides are multiples of TILE. The host prepends PITCH, from row to row of the tile.
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;
// Columns and rows of x.
var<immediate> shape: vec2<u32>;

const TILE = 32u;
// Each invocation moves four elements.
const ROWS = 8u;

// Reads rows and writes columns: neighbouring invocations write far apart.
@compute @workgroup_size(TILE, ROWS)
fn direct(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let column = group.x * TILE + local.x;
    for (var k = local.y; k < TILE; k += ROWS) {
        let row = group.y * TILE + k;
        result[column * shape.y + row] = x[row * shape.x + column];
    }
}

var<workgroup> tile: array<u32, TILE * PITCH>;

// Reads rows into the tile and writes its columns as rows. Neighbours read a column of the tile, whose elements are PITCH
// apart: with 32 banks of memory and a PITCH of 32 all are in one bank, with 33 each is in another.
@compute @workgroup_size(TILE, ROWS)
fn tiled(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    for (var k = local.y; k < TILE; k += ROWS) {
        tile[k * PITCH + local.x] = x[(group.y * TILE + k) * shape.x + group.x * TILE + local.x];
    }
    workgroupBarrier();
    for (var k = local.y; k < TILE; k += ROWS) {
        result[(group.x * TILE + k) * shape.y + group.y * TILE + local.x] = tile[local.x * PITCH + k];
    }
}
