// How often each digit occurs at each place of the keys of a row, all places in one read.
//
//   for each key, for each place: counts[row][place][digit(key, place)] += 1
//
// A workgroup counts a span of a row in its own memory, and adds what it has counted at the end.
//
// Left open: WORKGROUP, UNROLL, PLACES, Key, load_key, digit.

var<workgroup> tally: array<atomic<u32>, PLACES * 256>;

@compute @workgroup_size(WORKGROUP)
fn histogram(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.x + group.y * groups.x;
    if (index >= params.groups) {
        return;
    }
    for (var bin = lane; bin < PLACES * 256u; bin += WORKGROUP) {
        atomicStore(&tally[bin], 0u);
    }
    workgroupBarrier();
    let row = index / params.chunks;
    let chunk = index % params.chunks;
    var at = chunk * params.span + lane;
    let end = min((chunk + 1u) * params.span, bounded_length());
    let first = params.keys_first + row * params.stride;
    while (at + (UNROLL - 1u) * WORKGROUP < end) {
        tally_keys(first + at);
        at += UNROLL * WORKGROUP;
    }
    while (at < end) {
        tally_key(load_key(first + at));
        at += WORKGROUP;
    }
    workgroupBarrier();
    for (var bin = lane; bin < PLACES * 256u; bin += WORKGROUP) {
        let count = atomicLoad(&tally[bin]);
        if (count > 0u) {
            atomicAdd(&counts[row * PLACES * 256u + bin], count);
        }
    }
}

fn tally_key(key: Key) {
    for (var place = 0u; place < PLACES; place++) {
        let mask = select(255u, params.last_mask, place == PLACES - 1u);
        atomicAdd(&tally[place * 256u + digit(key, params.begin + 8u * place, mask)], 1u);
    }
}

// UNROLL keys, all asked for before the first is counted.
fn tally_keys(at: u32) {
    var keys: array<Key, UNROLL>;
    for (var i = 0u; i < UNROLL; i++) {
        unroll();
        keys[i] = load_key(at + i * WORKGROUP);
    }
    for (var i = 0u; i < UNROLL; i++) {
        unroll();
        tally_key(keys[i]);
    }
}

// appended by the host
const WORKGROUP = 256u;
const UNROLL = 8u;
const PLACES = 4u;
struct Params {
    groups: u32,
    chunks: u32,
    span: u32,
    length: u32,
    stride: u32,
    keys_first: u32,
    begin: u32,
    last_mask: u32,
}
var<immediate> params: Params;
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;
alias Key = u32;
const LAST = 0xffffffffu;
fn digit(key: Key, shift: u32, mask: u32) -> u32 {
    let n = key;
    return (n >> shift) & mask;
}
fn load_key(i: u32) -> Key { return keys[i]; }
fn bounded_length() -> u32 { return params.length; }
fn unroll() {
}
