// The digit of each row's element at a place, of the counts of all digits; after the last digit, the element.
//
//   the digit of place `left` is the first whose count and those before are more; those before are no longer counted
//
// Left open: WORKGROUP, BINS, EACH (BINS / WORKGROUP), PLACES, State (prefix and place among what has it), load_state,
// store_state, extended (a prefix with one more digit), store_value.

var<workgroup> sums: array<u32, WORKGROUP>;
var<workgroup> blocks: array<u32, 16>;

@compute @workgroup_size(WORKGROUP)
fn find(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = group.x + group.y * groups.x;
    if (row >= params.groups) {
        return;
    }
    let first = (row * PLACES + params.place) * BINS;
    var sum = 0u;
    for (var bin = lane * EACH; bin < (lane + 1u) * EACH; bin++) {
        sum += counts[first + bin];
    }
    sums[lane] = sum;
    workgroupBarrier();
    if (lane < 16u) {
        var block = 0u;
        for (var i = lane * (WORKGROUP / 16u); i < (lane + 1u) * (WORKGROUP / 16u); i++) {
            block += sums[i];
        }
        blocks[lane] = block;
    }
    workgroupBarrier();
    if (lane > 0u) {
        return;
    }
    var state = load_state(row);
    var block = 0u;
    while (block < 15u && state.left >= blocks[block]) {
        state.left -= blocks[block];
        block += 1u;
    }
    var i = block * (WORKGROUP / 16u);
    while (i < (block + 1u) * (WORKGROUP / 16u) - 1u && state.left >= sums[i]) {
        state.left -= sums[i];
        i += 1u;
    }
    var bin = i * EACH;
    while (bin < (i + 1u) * EACH - 1u && state.left >= counts[first + bin]) {
        state.left -= counts[first + bin];
        bin += 1u;
    }
    state.prefix = extended(state.prefix, bin);
    store_state(row, state);
    if (params.place == PLACES - 1u) {
        store_value(row, state.prefix);
    }
}

// appended by the host
const WORKGROUP = 256u;
const BINS = 2048u;
const PLACES = 3u;
const EACH = 8u;
struct Params {
    groups: u32,
    place: u32,
    word: u32,
    shift: u32,
    n: u32,
    first: u32,
}
var<immediate> params: Params;
fn word_of(n: Key, word: u32) -> u32 { return n; }
fn at_word(v: u32, word: u32) -> Key { return v; }
fn state_prefix(row: u32) -> Key { return states[row * 4u]; }
@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> states: array<u32>;
@group(0) @binding(2) var<storage, read_write> values: array<u32>;
alias Key = u32;
struct State { prefix: Key, left: u32 }
fn load_state(row: u32) -> State {
    if (params.place == 0u) {
        return State(Key(), params.n);
    }
    return State(state_prefix(row), states[row * 4u + 2u]);
}
fn extended(prefix: Key, bin: u32) -> Key { return prefix | at_word(bin << params.shift, params.word); }
fn store_state(row: u32, state: State) {
    states[row * 4u] = state.prefix;
    states[row * 4u + 2u] = state.left;
}
fn store_value(row: u32, n: Key) {
    let key = n ^ select(0xffffffffu, 0x80000000u, n >= 0x80000000u);
    values[params.first + row] = key;
}
