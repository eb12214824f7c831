// An array in workgroup memory that is too short for the workgroup.
@group(0) @binding(0) var<storage, read_write> output: array<u32>;

var<workgroup> near: array<u32, 60>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    near[i] = i; // FINDING: out_of_bounds_write
    workgroupBarrier();
    output[i] = near[59u - i % 60u];
}
