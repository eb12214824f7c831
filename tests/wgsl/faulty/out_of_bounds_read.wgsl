// The last invocation reads one past the end.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let next = input[id.x + 1u]; // FINDING: out_of_bounds_read
    output[id.x] = next - input[id.x]; // FINDING: out_of_bounds_read
}
