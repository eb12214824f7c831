// Memory that was never written decides how often a loop turns.
@group(0) @binding(0) var<storage, read_write> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let count = counts[id.x]; // FINDING: uninitialised_storage
    var sum = 0u;
    for (var k = 0u; k < min(count, 9u); k++) { // FINDING: uninitialised_storage
        sum += k;
    }
    output[id.x] = sum;
}
