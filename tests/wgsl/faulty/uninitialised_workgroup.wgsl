// A counter in workgroup memory that nobody sets to zero. WGSL does it; only with that switched off, as for trusted
// kernels, is it a defect.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

var<workgroup> sums: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    if i < 32u {
        sums[i] = input[i];
    }
    workgroupBarrier();
    output[i] = sums[i]; // FINDING: uninitialised_workgroup
}
