// Which lane of its workgroup an invocation is, without subgroups.

struct At {
    @builtin(local_invocation_index) lane: u32,
}

fn lane_of(at: At) -> u32 {
    return at.lane;
}

