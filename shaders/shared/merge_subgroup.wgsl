// The states of a row's LANES invocations merged, where subgroups have SUBGROUP lanes each: within them first, then one
// state of each through workgroup memory, which every subgroup of the row merges for itself: one barrier.

// All lanes together: who comes out of a loop may be apart. It orders no memory (backend/wgpu/barriers.rs).
fn crosslane_converge() {
    subgroupBarrier();
}

var<workgroup> states: array<State, WORKGROUP / SUBGROUP>;

fn merge(own: State, lane: u32) -> State {
    crosslane_converge();
    if (LANES < SUBGROUP) {
        var state = own;
        for (var reach = 1u; reach < LANES; reach *= 2u) {
            state = combine(state, crossed(state, reach));
        }
        return state;
    }
    let near = merge_subgroup(own);
    if (LANES == SUBGROUP) {
        return near;
    }
    let place = lane % SUBGROUP;
    if (place == 0u) {
        states[lane / SUBGROUP] = near;
    }
    workgroupBarrier();
    let first = row_of(lane) * (LANES / SUBGROUP);
    var state = identity();
    for (var team = place; team < LANES / SUBGROUP; team += SUBGROUP) {
        state = combine(state, states[first + team]);
    }
    crosslane_converge();
    return merge_subgroup(state);
}
