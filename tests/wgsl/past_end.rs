//! Indices past the end that a `let` holds: legal, and what they read is of the container or 0, what they write stays in it.

use crate::judge::{Judge, judges};
use crosslane::{Device, Kernel};

/// A declaration of `v`, its type's elements 1 ..= count, an index past the end.
const CASES: &[(&str, u32, &str)] = &[
    ("var v = vec3(1u, 2u, 3u);", 3, "9u"),
    ("var v = array(1u, 2u, 3u);", 3, "3u"),
    ("var v = array(1u, 2u, 3u);", 3, "-1"),
    ("let v = vec3(1u, 2u, 3u);", 3, "3"),
    ("let v = array(1u, 2u, 3u);", 3, "4294967295u"),
    ("let v = &s.three;", 3, "7u"),
    ("let v = &s.three;", 3, "-2147483648"),
    ("let v = &s.vector;", 2, "2i"),
    ("let v = &s.tail;", 4, "-1"),
    ("w[0] = 1u; w[1] = 2u; let v = &w;", 2, "NINE"),
];

const DECLARES: &str =
    "const NINE = 9u; struct S { three: array<u32, 3>, edge: u32, vector: vec2<u32>, tail: array<u32> }
    @group(0) @binding(0) var<storage, read_write> s: S; @group(0) @binding(1) var<storage, read_write> y: array<u32>;
    var<workgroup> w: array<u32, 2>;";

/// What `s` holds: an edge of 70 lies between the arrays.
const WORDS: [u32; 10] = [1, 2, 3, 70, 1, 2, 1, 2, 3, 4];

fn source(declares: &str, index: &str) -> String {
    let store =
        if declares.starts_with("let v = vec") || declares.starts_with("let v = arr") { "" } else { "v[k] = 7u;" };
    format!(
        "{DECLARES} @compute @workgroup_size(1) fn main() {{
             let k = {index}; {declares} y[0] = v[k]; y[1] = v[k]; {store} y[2] = s.edge; _ = w[0];
         }}"
    )
}

#[test]
fn indices_of_let_are_values_of_the_run_time() {
    for &(declares, count, index) in CASES {
        for judge in judges() {
            let got = judge.run(&source(declares, index), [1; 3], &[WORDS.to_vec(), vec![99; 4]]);
            // A checked device says that it is past the end.
            if judge.is("check") {
                assert!(got.is_err_and(|error| error.contains("out of bounds")), "{declares} {index}");
                continue;
            }
            let got = got.unwrap_or_else(|error| panic!("{declares} {index} on {}: {error}", judge.name()));
            let told = format!("{declares} {index} on {}: {got:?}", judge.name());
            // llvmpipe leaves out the store of a value that it knows to be undefined.
            let left_out = |word: u32| word == 99 && judge.is("llvmpipe");
            assert!(got[1][..2].iter().all(|&word| word <= count || left_out(word)), "{told}");
            assert_eq!(got[1][2], 70, "{told}");
        }
    }
}

#[test]
fn checked_devices_find_them() {
    let device = Judge::from(&Device::open("cpu:checked").unwrap());
    for &(declares, _, index) in CASES.iter().filter(|(declares, ..)| declares.contains('&')) {
        let got = device.run(&source(declares, index), [1; 3], &[WORDS.to_vec(), vec![99; 4]]);
        assert!(got.as_ref().is_err_and(|error| error.contains("bounds")), "{declares} {index}: {got:?}");
    }
}

/// Constant expressions past the end are errors.
#[test]
fn constant_indices_past_the_end() {
    for (declares, index) in [
        ("var v = vec3(1u);", "3"),
        ("var v = array(1u, 2u);", "NINE"),
        ("let v = &s.three;", "1 + 2"),
        ("let v = &s.tail;", "-1"),
        ("const c = 5; var v = vec2(1u);", "c"),
    ] {
        let text = format!("{DECLARES}\n@compute @workgroup_size(1) fn main() {{ {declares}\ny[0] = v[{index}]; }}");
        let error = Kernel::wgsl(&text).unwrap_err().to_string();
        assert!(error.contains("wgsl:5:"), "{error}");
    }
}
