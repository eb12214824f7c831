// Values put, added or compared where their numbers along an axis say, by atomics: several may go to one place.
//
//   y[base(i) + index(i) * stride] = combine(what is there, value(i)), index(i) below the axis' extent
//
// Left open: WORKGROUP, params.units, and deliver(i).

@compute @workgroup_size(WORKGROUP)
fn scatter(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.x + group.y * groups.x) * WORKGROUP + lane;
    if (i < params.units) {
        deliver(i);
    }
}
