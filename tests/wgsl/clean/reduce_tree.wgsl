// Sum of each workgroup's 256 words: a tree in workgroup memory.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

var<workgroup> partial: array<u32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    partial[local] = input[group.x * 256u + local];
    for (var width = 128u; width > 0u; width /= 2u) {
        workgroupBarrier();
        if local < width {
            partial[local] += partial[local + width];
        }
    }
    if local == 0u {
        sums[group.x] = partial[0];
    }
}
