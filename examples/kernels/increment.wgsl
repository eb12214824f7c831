// Adds 1 to each element: an invocation for each.
@group(0) @binding(0) var<storage, read_write> a: array<f32>;

@compute @workgroup_size(256)
fn increment(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&a) {
        a[id.x] += 1.0;
    }
}
