// Sorts each workgroup's 128 words: Batcher's bitonic network, an exchange for each pair of invocations.
@group(0) @binding(0) var<storage, read_write> words: array<u32>;

var<workgroup> near: array<u32, 128>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let base = group.x * 128u;
    near[local] = words[base + local];
    near[local + 64u] = words[base + local + 64u];
    for (var size = 2u; size <= 128u; size *= 2u) {
        for (var stride = size / 2u; stride > 0u; stride /= 2u) {
            workgroupBarrier();
            // The pair of this invocation: `low` has a zero at the bit of the stride.
            let low = (local / stride) * stride * 2u + local % stride;
            let high = low + stride;
            let ascending = (low & size) == 0u;
            let a = near[low];
            let b = near[high];
            if (a > b) == ascending {
                near[low] = b;
                near[high] = a;
            }
        }
    }
    workgroupBarrier();
    words[base + local] = near[local];
    words[base + local + 64u] = near[local + 64u];
}
