// The guard itself comes from past the end.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let guard = input[id.x + 1u]; // FINDING: out_of_bounds_read
    let one = select(1u, 1u, guard > 3u);
    output[id.x] = one; // FINDING: out_of_bounds_read
}
