//! What counts, and how.

use super::*;
use crate::kernel::Kernel;
use crate::kernel::parse::{parse, validated};
use naga::{Expression, Literal};
use std::panic::Location;

const ALL: &str = "enable f16; const N = 70000u; const TILE: u32 = 32u; \
    @group(0) @binding(0) var<storage, read_write> x: array<atomic<u32>>; \
    @group(1) @binding(0) var<storage, read_write> n: u32; ";

/// Ticks from look to look and line of each loop that counts.
fn counted(text: &str, driven: Driven) -> Option<Vec<[u32; 2]>> {
    let program = parse(text, Some("main"), &[], |_| {}, Location::caller());
    let program = program.unwrap_or_else(|error| panic!("{text}: {error}"));
    let module = counting(&program.parsed.module, text, "main", 1, driven)?;
    validated(&module, "", Location::caller()).unwrap_or_else(|error| panic!("{text}: {error}"));
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    let mut found = vec![];
    for function in module.functions.iter().map(|(_, function)| function).chain(entries) {
        each(&function.body, &mut |_, statement| {
            if let Statement::Call { arguments, result: Some(_), .. } = statement
                && let [Expression::Literal(Literal::U32(ticks)), Expression::Literal(Literal::U32(line))] =
                    [0, 1].map(|i| {
                        arguments
                            .get(i)
                            .map_or(Expression::SubgroupBallotResult, |at| function.expressions[*at].clone())
                    })
            {
                found.push([ticks, line]);
            }
        });
    }
    Some(found)
}

fn main(body: &str) -> String {
    format!("{ALL} @compute @workgroup_size(1) fn main() {{ {body} }}")
}

fn count(body: &str) -> Option<Vec<[u32; 2]>> {
    counted(&main(body), Driven::Runs)
}

#[test]
fn loops_count_unless_they_are_short() {
    for body in [
        "loop { if n == 1u { break; } }",
        "var x = 0; while x < 3 { x++; }",
        "for (var i = 0u; i < n; i++) { }",
        "for (;;) { }",
        "for (var i = 2147483600; i <= 2147483647; i++) { }",
        "for (var i = 0; i < 100; i += 0) { }",
        "for (var step = 128u; step >= 0u; step /= 2u) { }",
        "for (var step = 128u; step > 0u; step /= 1u) { }",
        "for (var step = 0; step < 256; step *= 2) { }",
        "for (var step = 1u; step < 4294967295u; step *= 2u) { }",
        "for (var i = 0; i < 70000; i += 1) { }",
        "for (var i = 0; i < 7; i -= 1) { }",
        "for (var i = i32(n); i < 7; i += 1) { }",
        "for (var i = 0u; i < 16u; i++) { i = 0u; }",
        "for (var i = 0u; i < 16u; i++) { reset(&i); } } fn reset(i: ptr<function, u32>) { *i = 0u;",
        "for (var i = 0u; i < 16u; i++) { let p = &i; *p = 0u; }",
        "for (var i = 0u; i < 16u; i++) { i -= 1u; }",
        // A half that is 2048 stays so, and a float of 2^24.
        "for (var i = 0.0h; i < 3000.0h; i += 1.0h) { }",
        "for (var i = 1.6e7f; i < 1.7e7f; i += 1.0f) { }",
        // A constant of another function is another one.
        "for (var i = 0u; i < N; i++) { } } fn other() { const N = 3u;",
        "let TILE = n; for (var i = 0u; i < TILE; i++) { }",
        "var i = 0; if n == 3u { i = -100000; } for (; i < 7; i += 1) { }",
    ] {
        let found = count(body).expect(body);
        assert!(matches!(found[..], [[32_769..=65_536, 1]]), "{body}: {found:?}");
    }
    for body in [
        "let whiled = 1; let forloop = 2;",
        "// loop { }\n /* while x { /* } */ for (;;) { } */",
        "for (var i = 0u; i < 16u; i++) { if i == 3u { atomicStore(&x[i], 1u); } }",
        "for (var i = 0u; i < TILE; i++) { }",
        "const N = 3u; for (var i = 0u; i < N; i++) { }",
        "for (var i = 16; i > 0; i -= 1) { }",
        "for (var step = 128u; step > 0u; step /= 2u) { }",
        "for (var step = 1; step < 256; step <<= 1u) { for (var i = 1u; i < 16u; i *= 2u) { } }",
        "for (var i: i32 = 2; i <= 60000; i += 3) { }",
        "} fn other() { loop { } ",
    ] {
        assert_eq!(count(body), None, "{body}");
    }
}

#[test]
fn short_loops_multiply() {
    let nest = |body: &str| format!("for (var i = 0u; i < 60000u; i++) {{ {body} }}");
    assert_eq!(count(&nest("")), None);
    // What is inside makes 60,001 ticks a turn: each turn looks.
    assert_eq!(count(&nest(&nest(""))).unwrap(), [[60001, 1]]);
    // Around it a turn begins no more than one that counts.
    assert_eq!(count(&nest(&nest(&nest("")))).unwrap(), [[60001, 1]]);
    let called = "for (var i = 0u; i < 3000u; i++) { f(); } } fn f() { for (var j = 0u; j < 40u; j++) { }";
    assert_eq!(count(called).unwrap(), [[1024 * 41, 1]]);
}

#[test]
fn lines_stay_and_memory_weighs() {
    let text =
        "\n\n  loop { // {\n atomicAdd(&x[0], 1u); loop { /* é */ if n == 3u { break; } } if n == 4u { break; } }";
    let found = count(text);
    assert_eq!(found.unwrap(), [[1024 * 41, 3], [8192 * 5, 4]]);
    assert!(number([&b"a"[..]]) != number([&b"b"[..]]));
    assert!(number([&b"ab"[..], &b"c"[..]]) != number([&b"a"[..], &b"bc"[..]]), "parts stay parts");
    assert_eq!((limit(20.0), limit(1e9), limit(0.0)), (2_000_000_000, 4_200_000_000, 65536));
}

#[test]
fn what_a_driver_leaves_is_noted() {
    let short = "for (var i = 0u; i < 50000u; i++) { }";
    assert_eq!(counted(&main(short), Driven::Leaves), None);
    // Two of them are too many there, though none counts.
    assert_eq!(counted(&main(&[short, short].concat()), Driven::Leaves), Some(vec![]));
    let body = "loop { switch n { case 1u: { break; } default: { continue; } } continuing { break if n == 2u; } }";
    assert_eq!(counted(&main(body), Driven::Leaves).unwrap().len(), 1);
}

#[test]
fn a_program_s_names_mean_nothing_to_counting() {
    for declared in ["fn min(a: u32, b: u32) -> u32 { return 0u; }", "alias bool = u32;", "fn atomicLoad() {}"] {
        let text = format!("{ALL} {declared} @compute @workgroup_size(1) fn main() {{ while n != 3u {{ }} }}");
        assert_eq!(counted(&text, Driven::Runs).map(|found| found.len()), Some(1), "{declared}");
    }
}

/// Engines keep compiled kernels by their texts: values of overrides are in the module, not in the program's text.
#[test]
fn kernels_that_count_are_told_apart_by_their_overrides() {
    let text = "override N = 4u; @group(0) @binding(0) var<storage, read_write> x: array<u32>; \
        @compute @workgroup_size(N) fn main() { while x[0] != N { x[0]++; } }";
    let source = |value: f64| {
        let kernel = Kernel::wgsl_with(text, None, &[("N", value)]).unwrap();
        kernel.counting(Driven::Runs).unwrap().expect("its loop may be long").source().to_string()
    };
    assert_ne!(source(4.0), source(6.0));
    assert_eq!(source(4.0), source(4.0));
}
