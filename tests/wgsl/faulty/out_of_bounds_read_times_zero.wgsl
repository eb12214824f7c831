// A product with zero is no guard: of floats it may be NaN.
@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let inside = f32(id.x + 1u < arrayLength(&input));
    let next = input[id.x + 1u] * inside; // FINDING: out_of_bounds_read
    output[id.x] = next; // FINDING: out_of_bounds_read
}
