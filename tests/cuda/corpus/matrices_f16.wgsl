enable f16;
enable wgpu_cooperative_matrix;
// Cooperative matrices with 16-bit sums, in a loop, from workgroup memory.
@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read_write> c: array<f16>;

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    let row = group.y * 16u * 64u;
    let column = group.x * 16u;
    var sum = coopLoadT<coop_mat16x16<f16, C>>(&c[row + column], 64u);
    for (var k = 0u; k < 64u; k += 16u) {
        let x = coopLoadT<coop_mat16x16<f16, A>>(&a[row + k], 64u);
        let y = coopLoadT<coop_mat16x16<f16, B>>(&b[k * 64u + column], 64u);
        sum = coopMultiplyAdd(x, y, sum);
    }
    coopStoreT(sum, &c[row + column], 64u);
}
