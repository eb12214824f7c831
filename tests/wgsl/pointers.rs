//! Pointers to storage, uniform and workgroup memory as arguments of functions (`unrestricted_pointer_parameters`). Values are worked
//! out by hand.

use crate::judge::{Judge, text};
use crate::support::devices;
use crosslane::Kernel;

/// Declarations, a body, and what `y` then holds; `x` holds 10, 11, 12, .. and `n` 1, 2, 3, 4.
const CASES: &[(&str, &str, &[u32])] = &[
    // Read and written, at several places.
    (
        "fn add(p: ptr<storage, u32, read_write>, by: u32) -> u32 { *p += by; return *p; }",
        "y[0] = add(&x[1], 5u); y[1] = add(&x[1], 1u); y[2] = add(&x[2], 100u); y[3] = x[1];",
        &[16, 17, 112, 17],
    ),
    // The index is the one of the call.
    (
        "fn later(p: ptr<storage, u32, read_write>, i: ptr<function, u32>) { *i = 5u; *p = 77u; }",
        "var i = 2u; later(&x[i], &i); y[0] = x[2]; y[1] = x[5]; y[2] = i;",
        &[77, 15, 5],
    ),
    // The same where the index lies in memory that the function writes.
    (
        "fn later(p: ptr<storage, u32, read_write>) { x[0] = 3u; *p = 77u; }",
        "x[0] = 2u; later(&x[x[0]]); y[0] = x[2]; y[1] = x[3];",
        &[77, 13],
    ),
    // Early returns, from loops in loops and from switches.
    (
        "fn find(p: ptr<storage, array<u32>, read_write>, wanted: u32) -> u32 {
             for (var i = 0u; i < arrayLength(p); i++) {
                 for (var j = 0u; j < 3u; j++) {
                     switch (*p)[i] + j { case 14u: { if wanted == 14u { return 100u + 10u * i + j; } } default: {} }
                     if (*p)[i] == wanted { return i; }
                 }
             }
             return 99u;
         }",
        "for (var k = 0u; k < 2u; k++) { y[k] = find(&x, 11u + k); } y[2] = find(&x, 500u); y[3] = find(&x, 14u);",
        &[1, 2, 99, 122],
    ),
    // A function with such an argument calls another; variables begin anew.
    (
        "fn sum(p: ptr<storage, array<u32>, read_write>, count: u32) -> u32 {
             var s: u32; for (var i = 0u; i < count; i++) { s += one(p, i); } return s;
         }
         fn one(p: ptr<storage, array<u32>, read_write>, i: u32) -> u32 { var r = vec2(7u, 0u); r.y += (*p)[i]; return r.y; }
         fn twice() -> u32 { return sum(&x, 2u) + sum(&x, 3u); }",
        "y[0] = sum(&x, 3u); y[1] = sum(&x, 2u); y[2] = twice();",
        &[33, 21, 54],
    ),
    // Atomics, structures, workgroup memory, uniforms.
    (
        "struct S { a: array<atomic<u32>, 2>, b: vec4<u32> } var<workgroup> w: S; var<workgroup> c: atomic<u32>;
         fn count(p: ptr<workgroup, atomic<u32>>) -> u32 { return atomicAdd(p, 3u); }
         fn fill(p: ptr<workgroup, S>) { (*p).b.y = 8u; (*p).b[2] = count(&(*p).a[1]); }
         fn last(p: ptr<uniform, vec4<u32>>) -> u32 { return (*p).z + p.w; }",
        "y[0] = count(&c); y[1] = count(&c); _ = count(&w.a[1]); fill(&w); y[2] = w.b.y + w.b.z; y[3] = last(&n);",
        &[0, 3, 11, 7],
    ),
    // Pointers that `let` names; a part of a part; no result.
    (
        "struct T { rows: array<vec2<u32>, 2> } @group(0) @binding(3) var<storage, read_write> t: T;
         fn row(p: ptr<storage, vec2<u32>, read_write>) { if p.x > 3u { return; } (*p).y = 50u; }
         fn rows(p: ptr<storage, T, read_write>) { let first = &(*p).rows[0]; row(first); row(&p.rows[1]); }",
        "let p = &t; rows(p); y[0] = t.rows[0].y; y[1] = t.rows[1].y; t.rows[1].x = 1u; rows(&t); y[2] = t.rows[1].y;",
        &[50, 13, 50],
    ),
];

#[test]
fn functions_are_given_pointers_to_shared_memory() {
    let judges: Vec<Judge> = devices().iter().map(Judge::from).chain(text()).collect();
    for (declares, body, wanted) in CASES {
        let source = format!(
            "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
             @group(0) @binding(1) var<storage, read_write> y: array<u32>;
             @group(0) @binding(2) var<uniform> n: vec4<u32>;
             {declares}\n@compute @workgroup_size(1) fn main() {{ {body} _ = n.x; _ = x[0]; }}"
        );
        for judge in &judges {
            let mut buffers = vec![(10..18).collect(), vec![0; 4], vec![1, 2, 3, 4]];
            if declares.contains("binding(3)") {
                buffers.push(vec![0, 11, 12, 13]);
            }
            let got = judge.run(&source, [1; 3], &buffers);
            let got = got.unwrap_or_else(|error| panic!("{declares} on {}: {error}", judge.name()));
            assert_eq!(&got[1][..wanted.len()], *wanted, "{declares} on {}", judge.name());
        }
    }
}

/// A mistake in such a function is still told by its place.
#[test]
fn mistakes_in_such_functions() {
    for (text, place) in [
        ("fn f(p: ptr<storage, u32, read>) {\n let a: f32 = *p; }", "wgsl:3:"),
        ("fn f(p: ptr<storage, u32, read>) {\n *p = 1u; }", "wgsl:4:"),
    ] {
        let source = format!(
            "@group(0) @binding(0) var<storage, read> x: array<u32>;\n{text}\n@compute @workgroup_size(1) fn main() {{ f(&x[0]); }}"
        );
        let error = Kernel::wgsl(&source).unwrap_err().to_string();
        assert!(error.contains(place), "{error}");
    }
}
