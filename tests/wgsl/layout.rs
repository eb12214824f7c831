//! Where members of structures lie, by the standard's rules, worked out by hand: `@align` inside a structure holds for all that
//! contains it.

use crate::judge::{Judge, text};
use crate::support::devices;
use crosslane::Kernel;
use crosslane::device::Backend;

/// Declarations of a type `T`; what is read of `t: array<T>`, in which each word holds its own index; and those indices.
struct Case {
    types: &'static str,
    reads: &'static [&'static str],
    places: &'static [u32],
}

const CASES: &[Case] = &[
    // Inner: align 16, size 16. T: x 0, i 16..32, y 32, size 48.
    Case {
        types: "struct Inner { @align(16) a: u32, b: u32 } struct T { x: u32, i: Inner, y: u32 }",
        reads: &["t[0].x", "t[0].i.a", "t[0].i.b", "t[0].y", "t[1].x", "t[1].i.b", "t[2].y"],
        places: &[0, 4, 5, 8, 12, 17, 32],
    },
    // The second member is the one that is aligned: a 0, b 32, size 64, align 32. T: x 0, list 32 .. 160, y 160, size 192.
    Case {
        types: "struct Inner { a: u32, @align(32) b: u32 } struct T { x: u32, list: array<Inner, 2>, y: u32 }",
        reads: &["t[0].list[0].a", "t[0].list[0].b", "t[0].list[1].b", "t[0].y", "t[1].list[1].a"],
        places: &[8, 16, 32, 40, 48 + 24],
    },
    // Twice inside, by aliases and constants. Inner: align 16, size 16. Middle: p 0, i 16, size 32. T: x 0, m 16..48, y 48, size 64.
    Case {
        types: "const SIXTEEN = 8 * 2; alias I = Inner; alias M = Middle;
            struct T { x: u32, m: M, y: u32 } struct Middle { p: u32, i: I }
            struct Inner { @ align ( SIXTEEN , ) a : u32 }",
        reads: &["t[0].x", "t[0].m.p", "t[0].m.i.a", "t[0].y", "t[1].m.i.a"],
        places: &[0, 4, 8, 12, 16 + 8],
    },
    // @size inside and outside, with templates. Inner: v 0..8, w 16..32 (@size 16), align 16, size 32.
    // T: x 0, i 16..80 (@size 64), y 80, z 84, size 96.
    Case {
        types: "struct Inner { v: vec2<u32>, @size(16) @align(0x10) w: u32 }
            struct T { x: u32, @size(64) i: Inner, y: u32, @size(4u) z: u32 }",
        reads: &["t[0].i.v.y", "t[0].i.w", "t[0].y", "t[0].z", "t[1].i.w"],
        places: &[5, 8, 20, 21, 24 + 8],
    },
    // Attributes of the outer structure alone, and of an inner one that is no wider than its member, were right before.
    Case {
        types: "struct Inner { @align(8) v: vec2<u32>, w: u32 } struct T { x: u32, @align(16) i: Inner, y: u32 }",
        reads: &["t[0].i.v.x", "t[0].i.w", "t[0].y", "t[1].i.v.y"],
        places: &[4, 6, 8, 12 + 5],
    },
];

fn is_gl(judge: &Judge) -> bool {
    matches!(judge, Judge::Device(device) if device.properties().backend == Backend::Gl)
}

impl Case {
    fn source(&self) -> String {
        let reads: String = self.reads.iter().enumerate().map(|(n, read)| format!("y[{n}] = {read}; ")).collect();
        format!(
            "@group(0) @binding(0) var<storage, read_write> t: array<T>;
             @group(0) @binding(1) var<storage, read_write> y: array<u32>;
             {}\n @compute @workgroup_size(1) fn main() {{ {reads} }}",
            self.types
        )
    }
}

#[test]
fn members_lie_where_the_standard_has_them() {
    let judges: Vec<Judge> = devices().iter().map(Judge::from).chain(text()).collect();
    for case in CASES {
        for judge in &judges {
            let buffers = [(0..192).collect(), vec![0; case.places.len()]];
            let got = judge.run(&case.source(), [1; 3], &buffers);
            // GLSL is not told where members lie.
            if is_gl(judge) {
                assert!(got.is_err_and(|error| error.contains("has an @align or @size")), "{}", case.types);
                continue;
            }
            let got = got.unwrap_or_else(|error| panic!("{} on {}: {error}", case.types, judge.name()));
            assert_eq!(got[1], case.places, "{} on {}", case.types, judge.name());
        }
    }
}

/// Values in local and workgroup memory have no layout that a program sees.
#[test]
fn structures_elsewhere_hold_their_values() {
    let source = "struct Inner { @align(32) a: u32, b: u32 } struct T { x: u32, i: Inner, y: u32 }
        @group(0) @binding(0) var<storage, read_write> y: array<u32>;
        var<workgroup> w: array<T, 2>; var<private> p: T;
        fn sum(t: T) -> u32 { return t.x + 10u * t.i.a + 100u * t.i.b + 1000u * t.y; }
        @compute @workgroup_size(1) fn main() {
            w[1] = T(1u, Inner(2u, 3u), 4u); p = w[1]; p.i.a = 5u; var local = p; local.y += 2u;
            y[0] = sum(w[1]); y[1] = sum(p); y[2] = sum(local); y[3] = sum(w[0]);
        }";
    for judge in devices().iter().map(Judge::from).chain(text()) {
        let got = judge.run(source, [1; 3], &[vec![9; 4]]).unwrap();
        assert_eq!(got[0], [4321, 4351, 6351, 0], "on {}", judge.name());
    }
}

#[test]
fn reflection_tells_the_same_places() {
    let kernel = Kernel::wgsl(&CASES[0].source()).unwrap();
    let resource = &kernel.reflection().unwrap().bindings[0];
    assert_eq!(resource.bytes, 48, "{resource:?}");
}

#[test]
fn attributes_that_ask_for_less_than_a_member_needs() {
    let source = |types: &str| {
        format!(
            "{types}\n@group(0) @binding(0) var<storage, read_write> t: array<T>;\n@compute @workgroup_size(1) fn main() {{ t[0].x = 1u; }}"
        )
    };
    for (types, told) in [
        (
            "struct Inner { @align(16) a: u32 }\nstruct T { x: u32, @align(8) i: Inner }",
            ["@align(8): wanted a multiple of 16", "wgsl:2:27", "write @align(16)"],
        ),
        (
            "struct Inner { @align(16) a: u32 } struct Middle { p: u32, i: Inner }\nstruct T { x: u32, @size(20) i: Middle }",
            ["@size(20): wanted at least 32", "wgsl:2:26", "write @size(32)"],
        ),
    ] {
        let error = Kernel::wgsl(&source(types)).unwrap_err().to_string();
        assert!(told.iter().all(|part| error.contains(part)), "{error}");
    }
}
