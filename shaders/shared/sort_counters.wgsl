// The counters of a workgroup's teams, one for each digit: at the beginning of the pool, SETS times as many words.

fn clear_pool(who: Who) {
    for (var word = who.lane; word < SETS * TEAMS * 256u; word += WORKGROUP) {
        atomicStore(&pool[word], 0u);
    }
}

// How many items have a digit, in all teams; and in those before each.
fn sum_teams(bin: u32, before: ptr<function, array<u32, TEAMS>>) -> u32 {
    var sum = 0u;
    for (var team = 0u; team < TEAMS; team++) {
        unroll();
        (*before)[team] = sum;
        sum += atomicLoad(&pool[team * 256u + bin]);
    }
    return sum;
}

// Makes counters where each team's items of a digit begin.
fn start_teams(bin: u32, start: u32, before: ptr<function, array<u32, TEAMS>>) {
    for (var team = 0u; team < TEAMS; team++) {
        unroll();
        atomicStore(&pool[team * 256u + bin], start + (*before)[team]);
    }
}

// The first item of an invocation. Its others follow who.size apart: a team's items are side by side.
fn first_item(who: Who) -> u32 {
    return who.team * who.size * ITEMS + who.place;
}
