// The states of a row's LANES invocations merged, without subgroups: a tree in workgroup memory.

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
