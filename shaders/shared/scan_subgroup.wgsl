// The scan of a workgroup whose subgroups have SUBGROUP lanes each.

// All lanes together: who comes out of a loop may be apart. It orders no memory (backend/wgpu/barriers.rs).
fn crosslane_converge() {
    subgroupBarrier();
}

// What the lanes before hold, in their order, and what all hold: by steps that double within a subgroup, then the
// subgroups one after the other.
fn workgroup_scan(lane: u32, own: State) -> Split {
    let place = lane % SUBGROUP;
    var through = own;
    crosslane_converge();
    for (var reach = 1u; reach < SUBGROUP; reach *= 2u) {
        let earlier = shifted(through, reach);
        if (place >= reach) {
            through = combine(earlier, through);
        }
    }
    if (place == SUBGROUP - 1u) {
        scratch[lane / SUBGROUP] = through;
    }
    let beside = shifted(through, 1u);
    workgroupBarrier();
    var before = identity();
    var total = identity();
    for (var team = 0u; team < WORKGROUP / SUBGROUP; team++) {
        if (team == lane / SUBGROUP) {
            before = total;
        }
        total = combine(total, scratch[team]);
    }
    if (place > 0u) {
        before = combine(before, beside);
    }
    workgroupBarrier(); // scratch is used again
    return Split(before, total);
}
