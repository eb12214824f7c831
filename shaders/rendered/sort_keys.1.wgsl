// How often each digit occurs at each place of the keys of a row, all places in one read.
//
//   for each key, for each place: counts[row][place][digit(key, place)] += 1
//
// A workgroup counts a span of a row in its own memory, and adds what it has counted at the end.
//
// Left open: WORKGROUP, UNROLL, PLACES, Key, load_key, digit, tally_keys (UNROLL keys, WORKGROUP apart).

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
fn tally_keys(at: u32) {
    let key0 = load_key(at + 0u * WORKGROUP);
    let key1 = load_key(at + 1u * WORKGROUP);
    let key2 = load_key(at + 2u * WORKGROUP);
    let key3 = load_key(at + 3u * WORKGROUP);
    let key4 = load_key(at + 4u * WORKGROUP);
    let key5 = load_key(at + 5u * WORKGROUP);
    let key6 = load_key(at + 6u * WORKGROUP);
    let key7 = load_key(at + 7u * WORKGROUP);
    tally_key(key0);
    tally_key(key1);
    tally_key(key2);
    tally_key(key3);
    tally_key(key4);
    tally_key(key5);
    tally_key(key6);
    tally_key(key7);
}
fn bounded_length() -> u32 { return params.length; }
