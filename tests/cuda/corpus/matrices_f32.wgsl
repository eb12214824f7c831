enable f16;
enable wgpu_cooperative_matrix;
// Cooperative matrices with 32-bit sums, by rows and by columns.
@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(32)
fn main() {
    let x = coopLoadT<coop_mat16x16<f16, A>>(&a[0], 16u);
    let y = coopLoad<coop_mat16x16<f16, B>>(&b[0], 16u);
    var z = coopLoadT<coop_mat16x16<f32, C>>(&c[0], 16u);
    z = coopMultiplyAdd(x, y, z);
    z = coopMultiplyAdd(x, y, z);
    coopStore(z, &c[0], 16u);
}
