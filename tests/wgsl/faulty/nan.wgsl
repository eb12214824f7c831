// Normalises by a sum that is zero: 0 / 0.
@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let length = abs(input[id.x]) + abs(input[63u - id.x]);
    output[id.x] = input[id.x] / length; // FINDING: nan
}
