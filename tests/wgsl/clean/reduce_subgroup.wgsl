// Sum of each workgroup's 128 words: within subgroups, then over the subgroups' sums.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

// Room for subgroups of 4 and more.
var<workgroup> partial: array<u32, 32>;

@compute @workgroup_size(128)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
) {
    let sum = subgroupAdd(input[group.x * 128u + local]);
    if lane == 0u {
        partial[subgroup] = sum;
    }
    workgroupBarrier();
    if local == 0u {
        var total = 0u;
        for (var i = 0u; i < subgroups; i++) {
            total += partial[i];
        }
        sums[group.x] = total;
    }
}
