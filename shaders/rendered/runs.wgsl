// Where runs of equal neighbours begin and end: a byte for each element.
//
//   y[i] = (i == 0 || x[i - 1] != x[i]) + 2 * (i == n - 1 || x[i] != x[i + 1])
//
// An invocation has four neighbours, whose bytes are one word. The window of x holds one element more on either side,
// where there is one.
//
// Left open: WORKGROUP, the parameters, four(word), which gives the elements from 4 * word on, differ(a, b), element by
// element, and the binding y.

// Four elements, as the words that memory holds of them; high is 0 where an element has one word at most.
struct Four {
    low: vec4<u32>,
    high: vec4<u32>,
}

@compute @workgroup_size(WORKGROUP)
fn runs(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let unit = (group.x + group.y * groups.x) * WORKGROUP + lane;
    if (unit >= params.units) {
        return;
    }
    let word = params.first + unit;
    let own = four(word);
    let behind = four(max(word, 1u) - 1u);
    let ahead = four(min(word + 1u, params.last_word));
    let before = Four(vec4<u32>(behind.low.w, own.low.xyz), vec4<u32>(behind.high.w, own.high.xyz));
    let after = Four(vec4<u32>(own.low.yzw, ahead.low.x), vec4<u32>(own.high.yzw, ahead.high.x));
    let places = vec4<u32>(word * 4u) + vec4<u32>(0u, 1u, 2u, 3u);
    let begins = differ(before, own) | (places == vec4<u32>(0u));
    let ends = differ(own, after) | (places == vec4<u32>(params.last));
    let bytes = select(vec4<u32>(0u), vec4<u32>(1u, 0x100u, 0x10000u, 0x1000000u), begins)
        | select(vec4<u32>(0u), vec4<u32>(2u, 0x200u, 0x20000u, 0x2000000u), ends);
    y[unit] = bytes.x | bytes.y | bytes.z | bytes.w;
}

// appended by the host
const WORKGROUP = 256u;
struct Params {
    units: u32,
    first: u32,
    last: u32,
    last_word: u32,
}
var<immediate> params: Params;
@group(0) @binding(0) var<storage, read> x: array<vec4<u32>>;
fn four(word: u32) -> Four {
    return Four(x[word], vec4<u32>(0u));
}
fn differ(a: Four, b: Four) -> vec4<bool> {
    return a.low != b.low;
}
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
