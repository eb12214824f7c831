// Copies each element once: in order, or as a walk through the array with a stride.
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;
// Of `copy` the stride, of `branch` how many neighbours take the same way. Both are powers of two.
var<immediate> apart: u32;

// Neighbouring invocations read elements that are `apart` from each other.
@compute @workgroup_size(256)
fn copy(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = linear_index(id, groups);
    let count = arrayLength(&data);
    if i < count {
        let columns = count / apart;
        result[i] = data[(i % columns) * apart + i / columns];
    }
}

const ROUNDS = 32u;

// Two ways of equal cost. A subgroup whose invocations take both runs one after the other.
@compute @workgroup_size(256)
fn branch(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = linear_index(id, groups);
    if i >= arrayLength(&data) {
        return;
    }
    var x = data[i];
    if (i / apart) % 2u == 0u {
        for (var k = 0u; k < ROUNDS; k++) {
            x = x * 1664525u + 1013904223u;
        }
    } else {
        for (var k = 0u; k < ROUNDS; k++) {
            x ^= x << 13u;
            x ^= x >> 17u;
            x ^= x << 5u;
        }
    }
    result[i] = x;
}
