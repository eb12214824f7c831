// Adds to memory that was never written.
@group(0) @binding(0) var<storage, read_write> sums: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let old = sums[id.x]; // FINDING: uninitialised_storage
    sums[id.x] = 1u;
    output[id.x] = old; // FINDING: uninitialised_storage
}
