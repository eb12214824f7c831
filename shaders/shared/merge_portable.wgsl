// The states of a row's LANES invocations merged, without subgroups: a tree in workgroup memory.

struct At {
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
}

fn lane_of(at: At) -> u32 {
    return at.lane;
}

var<workgroup> states: array<State, WORKGROUP>;

fn merge(own: State, lane: u32) -> State {
    states[lane] = own;
    workgroupBarrier();
    let place = place_of(lane);
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        if (place < half) {
            states[lane] = combine(states[lane], states[lane + half * APART]);
        }
        workgroupBarrier();
    }
    return states[lane - place * APART];
}
