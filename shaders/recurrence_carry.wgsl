// The states that the spans of a row begin with, of those that they leave if they begin with zeros: a workgroup for each row, in
// place. A lane has `each` spans of 2^power steps, a power of two of them.
//
// Left open: the constants; Real; State and its functions; begin, the state of a row; states.

@compute @workgroup_size(WORKGROUP)
fn recurrence_carry(
    @builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>
) {
    let k = group.x + group.y * groups.x;
    if k >= params.rows {
        return;
    }
    let first = lane * params.each;
    let end = min(first + params.each, params.spans);
    var state = begin(k);
    var own = State();
    for (var span = first; span < end; span++) {
        own = plus(times(params.power, own), states[k * params.spans + span]);
    }
    let power = params.power + params.each_power;
    if lane == 0u {
        own = plus(times(power, state), own);
    }
    scan_states(own, lane, lane, power, params.steps);
    if lane > 0u {
        state = held_state(scanned_at(params.steps) + lane - 1u);
    }
    for (var span = first; span < end; span++) {
        let left = states[k * params.spans + span];
        states[k * params.spans + span] = state;
        state = plus(times(params.power, state), left);
    }
}
