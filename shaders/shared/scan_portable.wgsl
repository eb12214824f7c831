// The scan of a workgroup without subgroups.

// What the lanes before hold, in their order, and what all hold (Hillis and Steele, 1986).
fn workgroup_scan(lane: u32, own: State) -> Split {
    scratch[lane] = own;
    var half = 0u;
    for (var reach = 1u; reach < WORKGROUP; reach *= 2u) {
        workgroupBarrier();
        var state = scratch[half + lane];
        if (lane >= reach) {
            state = combine(scratch[half + lane - reach], state);
        }
        half = WORKGROUP - half;
        scratch[half + lane] = state;
    }
    workgroupBarrier();
    var before = identity();
    if (lane > 0u) {
        before = scratch[half + lane - 1u];
    }
    let total = scratch[half + WORKGROUP - 1u];
    workgroupBarrier(); // scratch is used again
    return Split(before, total);
}
