// Inclusive sums within each workgroup of 128 words: Hillis and Steele, two barriers a step.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

var<workgroup> sums: array<u32, 128>;

@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) local: u32, @builtin(global_invocation_id) id: vec3<u32>) {
    sums[local] = input[id.x];
    workgroupBarrier();
    for (var step = 1u; step < 128u; step *= 2u) {
        var before = 0u;
        if local >= step {
            before = sums[local - step];
        }
        workgroupBarrier();
        sums[local] += before;
        workgroupBarrier();
    }
    output[id.x] = sums[local];
}
