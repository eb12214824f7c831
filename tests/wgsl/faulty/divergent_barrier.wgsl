// Half of the invocations reach the barrier. naga 30 has no uniformity analysis that would refuse it.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    if input[i] % 2u == 0u {
        workgroupBarrier(); // FINDING: divergent_barrier
    }
    output[i] = i;
}
