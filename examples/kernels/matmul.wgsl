// The product of two matrices, row by row: each invocation makes one element.
@group(0) @binding(0) var<uniform> shape: vec3<u32>; // rows of a, columns of a, columns of b
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> product: array<f32>;

@compute @workgroup_size(16, 16)
fn naive(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.y >= shape.x || id.x >= shape.z {
        return;
    }
    var sum = 0.0;
    for (var k = 0u; k < shape.y; k++) {
        sum += a[id.y * shape.y + k] * b[k * shape.z + id.x];
    }
    product[id.y * shape.z + id.x] = sum;
}

const TILE = 16u;
var<workgroup> a_tile: array<array<f32, TILE>, TILE>;
var<workgroup> b_tile: array<array<f32, TILE>, TILE>;

// A workgroup loads a square of each matrix once and uses it TILE times; past the edges the squares hold zeros.
@compute @workgroup_size(TILE, TILE)
fn tiled(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let inside = id.y < shape.x && id.x < shape.z;
    var sum = 0.0;
    for (var start = 0u; start < shape.y; start += TILE) {
        let column = start + local.x;
        let row = start + local.y;
        a_tile[local.y][local.x] = select(0.0, a[id.y * shape.y + column], id.y < shape.x && column < shape.y);
        b_tile[local.y][local.x] = select(0.0, b[row * shape.z + id.x], row < shape.y && id.x < shape.z);
        workgroupBarrier(); // both squares are there
        for (var k = 0u; k < TILE; k++) {
            sum += a_tile[local.y][k] * b_tile[k][local.x];
        }
        workgroupBarrier(); // nobody needs them any more
    }
    if inside {
        product[id.y * shape.z + id.x] = sum;
    }
}
