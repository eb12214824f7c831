//! Kernels with marked loops, for the tests: `tests/unrolled.rs` runs them.

/// Declarations that the kernels use.
pub const HEAD: &str = "fn unroll() {} fn unroll_if(holds: bool) {} const ITEMS = 4u; const WIDE = 3u;
    @group(0) @binding(0) var<storage, read> x: array<u32>;
    @group(0) @binding(1) var<storage, read_write> y: array<u32>;
    fn load(v: ptr<function, array<u32, ITEMS>>, first: u32, last: u32) {
        var sum: u32;
        var turns = 0u;
        if (last > 40u) {
            for (var i = 0u; i < ITEMS; i++) { unroll(); sum += x[first + i]; turns += 1u; (*v)[i] += sum; }
            for (var i = 0u; i < last; i++) { turns++; }
            (*v)[0] += turns;
        } else if (last > 20u) {
            for (var i = 0u; i < ITEMS; i++) { unroll(); (*v)[i] = x[last] + i; }
        }
    }
    fn load_both(v: ptr<function, array<u32, ITEMS>>, lane: u32) {
        load(v, lane, lane + 15u);
        load(v, lane * 2u, lane + 20u);
    } ";

/// A kernel with this body.
pub fn main(body: &str) -> String {
    format!(
        "{HEAD} @compute @workgroup_size(32) /// A kernel with this body.
pub fn main(@builtin(local_invocation_index) lane: u32) {{ {body} }}"
    )
}

/// Texts with marked loops: loops, local arrays and local variables that are left.
pub const TEXTS: [(&str, [usize; 3]); 11] = [
    ("var sum = 0u; for (var i = 0u; i < ITEMS; i++) { unroll(); sum += x[i * 32u + lane]; } y[lane] = sum;", [0, 0, 0]),
    // All loads before what waits for them.
    (
        "var v: array<u32, ITEMS>;
        for (var i = 0u; i < ITEMS; i++) { unroll(); v[i] = x[lane + i * 32u]; }
        for (var i = 0u; i < ITEMS; i++) { unroll(); y[lane + i * 32u] = v[i] * v[ITEMS - 1u - i]; }",
        [0, 0, 0],
    ),
    // Neighbours exchanged by turns, arrays of arrays, conditions of the counter.
    (
        "var v: array<array<u32, 2>, ITEMS>;
        for (var i = 0u; i < ITEMS; i++) {
            unroll();
            for (var j = 0; j < 2; j++) { unroll(); v[i][j] = x[lane + i * 32u] + u32(j); }
        }
        for (var round = 0u; round < ITEMS; round++) {
            unroll();
            for (var i = round % 2u; i + 1u < ITEMS; i += 2u) {
                unroll();
                if (v[i][0] > v[i + 1u][0]) { let held = v[i][0]; v[i][0] = v[i + 1u][0]; v[i + 1u][0] = held; }
            }
        }
        for (var i = 0u; i < ITEMS; i++) { unroll(); if (i < 3u) { y[lane + i * 32u] = v[i][0]; } else { y[lane + 96u] = v[3][1]; } }",
        [0, 0, 4],
    ),
    // Steps that double, and that go down.
    (
        "var sum = x[lane];
        for (var reach = 1u; reach < 16u; reach *= 2u) { unroll(); sum += x[lane ^ reach]; }
        for (var i = 3i; i >= 0i; i -= 1i) { unroll(); sum = sum * 2u + u32(i); }
        y[lane] = sum;",
        [0, 0, 0],
    ),
    // A loop that stays around one that goes, and the other way round.
    (
        "var sum: array<u32, 2>;
        for (var k = 0u; k < x[0] % 5u; k++) { for (var j = 0u; j < 2u; j++) { unroll(); sum[j] += x[k * 2u + j]; } }
        for (var j = 0u; j < 2u; j++) { unroll(); for (var k = 0u; k <= j + lane % 2u; k++) { sum[j] += k; } }
        y[lane] = sum[0] * 100u + sum[1];",
        [3, 0, 4],
    ),
    // Variables that are declared in a turn begin anew.
    (
        "for (var i = 0u; i < ITEMS; i++) {
            unroll();
            var own: array<u32, WIDE>;
            own[i % WIDE] += x[lane];
            var sum = i;
            for (var j = 0u; j < WIDE; j++) { unroll(); sum += own[j]; }
            y[lane + 32u * i] = sum;
        }",
        [0, 0, 0],
    ),
    // An array that something unknown indexes stays.
    (
        "var v: array<u32, ITEMS>;
        for (var i = 0u; i < ITEMS; i++) { unroll(); v[i] = x[lane + i * 32u]; }
        y[lane] = v[lane % ITEMS];",
        [0, 1, 1],
    ),
    // No turn at all; values that are only passed on.
    (
        "var sum = 7u;
        for (var i = ITEMS; i < ITEMS; i++) { unroll(); sum = 0u; }
        for (var i = 0u; i < 2u; i++) { unroll(); sum += select(x[lane], 5u, i == 1u); }
        y[lane] = sum;",
        [0, 0, 0],
    ),
    // Marked by a condition, which holds or does not.
    (
        "var sum = 0u;
        for (var i = 0u; i < 4u; i++) { unroll_if(ITEMS == 4u); sum += x[i]; }
        for (var i = 0u; i < 4u; i++) { unroll_if(ITEMS == 3u); sum += x[i + lane]; }
        y[lane] = sum;",
        [1, 0, 2],
    ),
    // Functions that are given arrays: 3 loops that are not marked; 4 elements and 3 x 3 variables of the function.
    (
        "var v: array<u32, ITEMS>;
        load_both(&v, lane);
        for (var i = 0u; i < ITEMS; i++) { unroll(); y[lane + i * 32u] = v[i]; }
        if (lane > 16u) { load(&v, lane, 64u - lane); y[lane] = v[0] + v[3]; }",
        [3, 0, 13],
    ),
    // What is known to end the function.
    (
        "for (var i = 0u; i < ITEMS; i++) { unroll(); if (i == 2u) { return; } y[lane + i * 32u] = x[lane]; }
        if (ITEMS > 3u) { return; }
        y[lane] = 1u;",
        [0, 0, 0],
    ),
];
