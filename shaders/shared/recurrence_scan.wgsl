// Of a state of each lane the state that its row has after it: `own` is what the lane's block leaves if it begins with zeros, of
// the first block what it leaves. By turns each lane takes in the lanes before it, 1, 2, 4 and so on (Hillis and Steele, Data
// parallel algorithms, 1986), whose states move on by a power of the step's matrix: 2^power steps are one block.
//
// Left in `held` from `scanned_at()` on. `place`: the lane's block within its row; NEXT lanes lie between neighbours of a row.

var<workgroup> held: array<Real, HELD>;

fn scanned_at(turn: u32) -> u32 {
    return (turn & 1u) * (HELD / 2u);
}

fn scan_states(own: State, lane: u32, place: u32, power: u32, turns: u32) {
    var sum = own;
    put(scanned_at(0u) + lane, sum);
    workgroupBarrier();
    for (var turn = 0u; turn < turns; turn++) {
        let by = 1u << turn;
        if place >= by {
            sum = plus(times(power + turn, held_state(scanned_at(turn) + lane - by * NEXT)), sum);
        }
        put(scanned_at(turn + 1u) + lane, sum);
        workgroupBarrier();
    }
}
