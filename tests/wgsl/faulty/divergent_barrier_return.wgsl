// Invocations past the end leave before the barrier.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

var<workgroup> near: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    if i >= arrayLength(&input) {
        return;
    }
    near[i] = input[i];
    workgroupBarrier(); // FINDING: divergent_barrier
    output[i] = near[39u - i];
}
