// y = 2 x + y, each invocation taking every so many-th element.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let stride = groups.x * 32u;
    for (var i = id.x; i < arrayLength(&x); i += stride) {
        y[i] = 2.0 * x[i] + y[i];
    }
}
