// Histogram of bytes: counts in workgroup memory, merged into the result.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>, 256>;

var<workgroup> near: array<atomic<u32>, 256>;

@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) local: u32, @builtin(global_invocation_id) id: vec3<u32>) {
    // Workgroup memory starts as zero.
    let bytes = unpack4xU8(input[id.x]);
    for (var i = 0u; i < 4u; i++) {
        atomicAdd(&near[bytes[i]], 1u);
    }
    workgroupBarrier();
    for (var bin = local; bin < 256u; bin += 128u) {
        let count = atomicLoad(&near[bin]);
        if count > 0u {
            atomicAdd(&counts[bin], count);
        }
    }
}
