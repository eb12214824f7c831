// Which lane of its workgroup an invocation is, without subgroups.

struct At {
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
}

fn lane_of(at: At) -> u32 {
    return at.lane;
}

