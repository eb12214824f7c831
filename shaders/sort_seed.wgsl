// Where the keys of each digit begin in the sorted row: what the look-back of a row's first tile finds.
//
//   state[place][row][0][digit] = PREFIX + (keys of the row with a smaller digit at this place)
//
// Left open: WORKGROUP, STRIPS, PLACES, PREFIX, At, who_is and scan of shared/sort_*.wgsl.

@compute @workgroup_size(WORKGROUP)
fn seed(at: At, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = group.x + group.y * groups.x;
    if (index >= params.groups) {
        return;
    }
    let who = who_is(at);
    let row = index % params.rows;
    let place = index / params.rows;
    var carry = 0u;
    for (var strip = 0u; strip < STRIPS; strip++) {
        let digit = strip * WORKGROUP + who.lane;
        var count = 0u;
        if (digit < 256u) {
            count = counts[(row * PLACES + params.first_place + place) * 256u + digit];
        }
        let sums = scan(count, who);
        if (digit < 256u) {
            state[(place * params.rows + row) * params.chain + place * 256u + digit] = PREFIX + carry + sums.x;
        }
        carry += sums.y;
    }
}
