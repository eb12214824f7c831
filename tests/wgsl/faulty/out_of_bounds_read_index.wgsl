// What lies past the end is an index, after it went through a variable and a function.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

fn half(x: u32) -> u32 {
    return x / 2u;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var at: array<u32, 2>;
    at[id.x % 2u] = half(input[id.x + 1u]); // FINDING: out_of_bounds_read
    output[id.x] = input[at[id.x % 2u]]; // FINDING: out_of_bounds_read
}
