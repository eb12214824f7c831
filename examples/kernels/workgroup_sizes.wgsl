// Some arithmetic for each element, with workgroups of any size and any number of them.
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;
override invocations = 64u;

const ROUNDS = 16u;

@compute @workgroup_size(invocations)
fn mix(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = linear_index(id, groups); i < arrayLength(&data); i += grid_size(groups)) {
        var x = data[i];
        for (var k = 0u; k < ROUNDS; k++) {
            x = x * 1664525u + 1013904223u;
        }
        result[i] = x;
    }
}
