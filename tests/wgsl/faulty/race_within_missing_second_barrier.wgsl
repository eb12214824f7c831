// The next turn overwrites the slots while slower invocations still read those of the last.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

var<workgroup> near: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    var sum = 0u;
    for (var turn = 0u; turn < 4u; turn++) {
        near[i] = input[turn * 64u + i]; // FINDING: race_within
        workgroupBarrier();
        sum += near[63u - i]; // FINDING: race_within
    }
    output[i] = sum;
}
