// A product of 40 x 40 matrices by tiles of 16 x 16: what a tile has past the edge is replaced by zero.
const N = 40u;
const TILE = 16u;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

var<workgroup> left: array<array<f32, TILE>, TILE>;
var<workgroup> right: array<array<f32, TILE>, TILE>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    var sum = 0.0;
    for (var k = 0u; k < N; k += TILE) {
        let inside_left = id.y < N && k + local.x < N;
        let inside_right = id.x < N && k + local.y < N;
        left[local.y][local.x] = select(0.0, a[id.y * N + k + local.x], inside_left);
        right[local.y][local.x] = select(0.0, b[(k + local.y) * N + id.x], inside_right);
        workgroupBarrier();
        for (var i = 0u; i < TILE; i++) {
            sum += left[local.y][i] * right[i][local.x];
        }
        workgroupBarrier();
    }
    if id.x < N && id.y < N {
        c[id.y * N + id.x] = sum;
    }
}
