// The mean of each WIDTH neighbours. The host appends WIDTH, WORKGROUP and `params`.

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> means: array<f32>;

@compute @workgroup_size(WORKGROUP)
fn moving_mean(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = linear_index(id, groups);
    if i >= params.count {
        return;
    }
    var sum = 0.0;
    for (var k = 0u; k < WIDTH; k++) {
        sum += x[i + k];
    }
    means[i] = sum / f32(WIDTH);
}
