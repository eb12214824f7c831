// How often each digit occurs among the keys of a row whose digits before are known.
//
//   for each key of this workgroup's part: if its digits before are the prefix: counts[row][digit(key)] += 1
//
// A workgroup counts in its own memory, and adds what it has counted at the end.
//
// Left open: WORKGROUP, UNROLL, BINS, PLACES, FIRST (whether no digit is known), Key, load_key, number, is_in (whether a
// number has the prefix), prefix_of.

var<workgroup> tally: array<atomic<u32>, BINS>;

@compute @workgroup_size(WORKGROUP)
fn count(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.x + group.y * groups.x;
    if (index >= params.groups) {
        return;
    }
    for (var bin = lane; bin < BINS; bin += WORKGROUP) {
        atomicStore(&tally[bin], 0u);
    }
    let row = index / params.parts;
    let begin = (index % params.parts) * params.span;
    let end = begin + min(params.span, params.count - begin);
    let first = params.keys_first + row * params.length;
    let prefix = prefix_of(row);
    workgroupBarrier();
    var at = begin + lane;
    while (at + (UNROLL - 1u) * WORKGROUP < end) {
        tally_keys(first + at, prefix);
        at += UNROLL * WORKGROUP;
    }
    while (at < end) {
        tally_key(load_key(first + at), prefix);
        at += WORKGROUP;
    }
    workgroupBarrier();
    for (var bin = lane; bin < BINS; bin += WORKGROUP) {
        let count = atomicLoad(&tally[bin]);
        if (count > 0u) {
            atomicAdd(&counts[(row * PLACES + params.place) * BINS + bin], count);
        }
    }
}

fn tally_key(key: Key, prefix: Key) {
    let n = number(key);
    if (is_in(n, prefix)) {
        atomicAdd(&tally[digit_of(n)], 1u);
    }
}

// UNROLL keys, WORKGROUP apart. Branches between the loads would put each off until the one before is there: 184 us for 2^26
// instead of 75.
fn tally_keys(at: u32, prefix: Key) {
    var keys: array<Key, UNROLL>;
    for (var i = 0u; i < UNROLL; i++) {
        unroll();
        keys[i] = load_key(at + i * WORKGROUP);
    }
    if (FIRST == 1u) {
        for (var i = 0u; i < UNROLL; i++) {
            unroll();
            atomicAdd(&tally[digit_of(number(keys[i]))], 1u);
        }
    } else {
        var bits = 0u;
        for (var i = 0u; i < UNROLL; i++) {
            unroll();
            bits |= select(0u, 1u << i, is_in(number(keys[i]), prefix));
        }
        while (bits != 0u) {
            tally_key(load_key(at + firstTrailingBit(bits) * WORKGROUP), prefix);
            bits &= bits - 1u;
        }
    }
}

// appended by the host
const WORKGROUP = 256u;
const BINS = 2048u;
const PLACES = 3u;
const UNROLL = 16u;
const FIRST = 0u;
struct Params {
    groups: u32,
    parts: u32,
    span: u32,
    count: u32,
    length: u32,
    keys_first: u32,
    place: u32,
    word: u32,
    shift: u32,
    known: u32,
}
var<immediate> params: Params;
fn word_of(n: Key, word: u32) -> u32 { return n; }
fn at_word(v: u32, word: u32) -> Key { return v; }
fn state_prefix(row: u32) -> Key { return states[row * 4u]; }
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> states: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
alias Key = u32;
fn number(key: Key) -> Key {
    let magnitude = key & 0x7fffffffu;
    let bits = select(key, 0u, magnitude == 0u);
    let number = bits ^ select(0x80000000u, 0xffffffffu, (bits & 0x80000000u) != 0u);
    let n = select(number, 0xffffffffu, magnitude > 0x7f800000u);
    return n;
}
fn load_key(i: u32) -> Key { return keys[i]; }
fn is_in(n: Key, prefix: Key) -> bool { return ((word_of(n, params.word) ^ word_of(prefix, params.word)) & params.known) == 0u; }
fn digit_of(n: Key) -> u32 { return (word_of(n, params.word) >> params.shift) & (BINS - 1u); }
fn prefix_of(row: u32) -> Key {
    if (params.place == 0u) {
        return Key();
    }
    return state_prefix(row);
}
fn unroll() {
}
