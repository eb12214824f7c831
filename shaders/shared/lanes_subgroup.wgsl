// Which lane of its workgroup an invocation is, where subgroups have SUBGROUP lanes each.

struct At {
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) place: u32,
}

// The order is that of the subgroups: how local indices lie in them is nowhere promised. They are full: plans take this
// where all have one size that divides the workgroup's, and an engine that cannot promise the rest looks
// (backend/wgpu/subgroups.rs).
fn lane_of(at: At) -> u32 {
    return at.subgroup * SUBGROUP + at.place;
}

