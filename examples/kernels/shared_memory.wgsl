// Workgroup memory: a sum by halves, and a product of what was copied there.
@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read> other: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;

var<workgroup> shared_data: array<f32, 256>;

// A sum for each workgroup.
@compute @workgroup_size(256)
fn sums(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    if id.x < arrayLength(&data) {
        shared_data[local] = data[id.x];
    } // else it stays 0
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if local < half {
            shared_data[local] += shared_data[local + half];
        }
        workgroupBarrier();
    }
    if local == 0u {
        result[group.x] = shared_data[0];
    }
}

// The same by the library's prelude.
@compute @workgroup_size(256)
fn sums_by_prelude(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    var value = 0.0;
    if id.x < arrayLength(&data) {
        value = data[id.x];
    }
    let sum = workgroup_sum_f32(value, local);
    if local == 0u {
        result[group.x] = sum;
    }
}

@compute @workgroup_size(256)
fn products(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if id.x >= arrayLength(&result) {
        return;
    }
    shared_data[local] = data[id.x];
    result[id.x] = shared_data[local] * other[id.x]; // its own element: no barrier is needed
}
