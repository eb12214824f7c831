// Transposition of a square of 64 in tiles of 16, padded by a column.
const SIDE = 64u;
const TILE = 16u;

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

var<workgroup> tile: array<array<u32, TILE + 1u>, TILE>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(local_invocation_id) local: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    let source = group.xy * TILE + local.xy;
    tile[local.y][local.x] = input[source.y * SIDE + source.x];
    workgroupBarrier();
    let to = group.yx * TILE + local.xy;
    output[to.y * SIDE + to.x] = tile[local.x][local.y];
}
