// 128 invocations for 100 elements, without a check.
@group(0) @binding(0) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    output[id.x] = id.x; // FINDING: out_of_bounds_write
}
