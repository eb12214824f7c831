// Product of two squares of 32 in tiles of 8; the values are small integers, so that every order of sums is exact.
const SIDE = 32u;
const TILE = 8u;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

var<workgroup> left: array<f32, TILE * TILE>;
var<workgroup> right: array<f32, TILE * TILE>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(local_invocation_id) local: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    var sum = 0.0;
    for (var k = 0u; k < SIDE; k += TILE) {
        left[local.y * TILE + local.x] = a[id.y * SIDE + k + local.x];
        right[local.y * TILE + local.x] = b[(k + local.y) * SIDE + id.x];
        workgroupBarrier();
        for (var i = 0u; i < TILE; i++) {
            sum = fma(left[local.y * TILE + i], right[i * TILE + local.x], sum);
        }
        workgroupBarrier();
    }
    c[id.y * SIDE + id.x] = sum;
}
