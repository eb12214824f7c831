// Multiplies two arrays, whatever the number of invocations: each takes every grid_size-th element.
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;
// @len(a, b, result)
override invocations = 256u;

@compute @workgroup_size(invocations)
fn multiply(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = linear_index(id, groups); i < arrayLength(&a); i += grid_size(groups)) {
        result[i] = a[i] * b[i];
    }
}
