// What lies past the end is added to a sum.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> sum: atomic<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let next = input[id.x + 1u]; // FINDING: out_of_bounds_read
    atomicAdd(&sum, next); // FINDING: out_of_bounds_read
}
