// A missing barrier between writing one's own slot and reading the neighbour's.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

var<workgroup> near: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    near[i] = input[i]; // FINDING: race_within
    output[i] = near[(i + 1u) % 64u]; // FINDING: race_within
}
