// Copies in variables, arrays and through pointers that are overwritten where they came from past the end.
struct Pair {
    low: u32,
    parts: array<u32, 4>,
}

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

var<private> kept: u32;

fn fill(pair: ptr<function, Pair>, at: u32) {
    for (var k = 0u; k < 4u; k++) {
        (*pair).parts[(k + at) % 4u] = input[at + k];
    }
    (*pair).low = input[at];
    kept = (*pair).low;
}

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var pair: Pair;
    fill(&pair, id.x);
    var copy = pair;
    let whole = id.x + 3u < arrayLength(&input);
    if !whole {
        copy = Pair(1u, array<u32, 4>(1u, 1u, 1u, 1u));
        kept = 0u;
    }
    switch i32(copy.low != 0u) {
        case 1: { kept += 1u; }
        default: {}
    }
    output[id.x] = copy.low + copy.parts[0] + copy.parts[1] + copy.parts[2] + copy.parts[3] + kept;
}
