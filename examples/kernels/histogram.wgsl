// Counts values by bins: in workgroup memory first, so that the memory all share sees one addition a bin and workgroup.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<uniform> range: vec2<f32>;
@group(0) @binding(2) var<storage, read_write> histogram: array<atomic<u32>>;

const MOST_BINS = 1024u;
var<workgroup> counts: array<atomic<u32>, MOST_BINS>;

fn bin(value: f32, bins: u32) -> i32 {
    return i32(floor((value - range.x) / ((range.y - range.x) / f32(bins))));
}

// As the tutorial has it: every value goes to the memory that all share.
@compute @workgroup_size(64)
fn shared_by_all(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let bins = arrayLength(&histogram);
    for (var i = linear_index(id, groups); i < arrayLength(&x); i += grid_size(groups)) {
        let at = bin(x[i], bins);
        if at >= 0 && at < i32(bins) {
            atomicAdd(&histogram[at], 1u);
        }
    }
}

@compute @workgroup_size(256)
fn private_first(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    // Workgroup memory begins as zeros.
    let bins = min(arrayLength(&histogram), MOST_BINS);
    for (var i = linear_index(id, groups); i < arrayLength(&x); i += grid_size(groups)) {
        let at = bin(x[i], bins);
        if at >= 0 && at < i32(bins) {
            atomicAdd(&counts[at], 1u);
        }
    }
    workgroupBarrier();
    for (var i = local; i < bins; i += 256u) {
        let count = atomicLoad(&counts[i]);
        if count > 0u {
            atomicAdd(&histogram[i], count);
        }
    }
}
