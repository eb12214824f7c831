// NAME: each element less the first of its row. TODO: say what it computes.
//
//   y[row, column] = x[row, column] - x[row, 0]
//
// Left open: WORKGROUP, and the parameters: the elements of a row, and of this launch.

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(WORKGROUP)
fn NAME(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.x + group.y * groups.x) * WORKGROUP + lane;
    if (at < params.count) {
        y[at] = x[at] - x[at / params.columns * params.columns];
    }
}
