//! WGSL as the standard has it: texts in the style of browser programs, each with its results on every engine or the place and
//! remedy of a refusal. Directives, extensions, built-in values and functions are those of W3C's draft of 2026-08-19.

use crate::judge::judges;
use crate::support::say;
use crosslane::Kernel;
use crosslane::kernel::UnportableKind;

/// A text of `standard/`.
///
/// A file has one after the other: `//// NAME`; what the first buffer then holds as `//= WORDS`, or `//! LINE:COLUMN PART` of a
/// refusal; the words of the second buffer as `//# WORDS`; the grid as `//@ X Y Z`; then the text.
struct Case {
    name: String,
    results: Vec<u32>,
    refusal: Option<(String, String)>,
    input: Vec<u32>,
    grid: [u32; 3],
    text: String,
}

const FILES: [&str; 5] = [
    include_str!("standard/directives.wgsl"),
    include_str!("standard/values.wgsl"),
    include_str!("standard/functions.wgsl"),
    include_str!("standard/idioms.wgsl"),
    include_str!("standard/refused.wgsl"),
];

fn cases() -> impl Iterator<Item = Case> {
    FILES.iter().flat_map(|file| format!("\n{file}").split("\n//// ").skip(1).map(case).collect::<Vec<_>>())
}

fn case(text: &str) -> Case {
    let (name, text) = text.split_once('\n').expect("a case has lines");
    let mut case =
        Case { name: name.into(), results: vec![], refusal: None, input: vec![0], grid: [1; 3], text: String::new() };
    for line in text.lines() {
        let words = |rest: &str| rest.split_whitespace().map(|word| word.parse().expect("a number")).collect();
        match line.split_at_checked(4) {
            Some(("//= ", rest)) => case.results = words(rest),
            Some(("//# ", rest)) => case.input = words(rest),
            Some(("//@ ", rest)) => case.grid = words(rest).try_into().expect("three counts"),
            Some(("//! ", rest)) => {
                case.refusal = rest.split_once(' ').map(|(place, part)| (place.into(), part.into()));
            }
            _ => case.text += &format!("{line}\n"),
        }
    }
    case
}

#[test]
fn texts_of_the_standard_run_or_are_refused_by_place() {
    let (mut count, mut skipped, mut wrong) = (0, vec![], vec![]);
    for Case { name, results, refusal, input, grid, text } in cases() {
        count += 1;
        let made = Kernel::wgsl_with(&text, Some("main"), &[]);
        if let Some((place, part)) = refusal {
            let Err(error) = Kernel::wgsl(&text) else {
                wrong.push(format!("{name}: taken"));
                continue;
            };
            let told = error.to_string();
            if !(place == "-" || told.contains(&format!("wgsl:{place}\n"))) || !told.contains(&part) {
                wrong.push(format!("{name}: wanted {place} and {part:?}: {told}"));
            }
            continue;
        }
        let kernel = match made {
            Ok(kernel) => kernel,
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        for judge in judges() {
            if !kernel.reflection().expect("a program's kernel").breaks(judge.caps()).is_empty() {
                skipped.push(format!("{name} on {}", judge.name()));
                continue;
            }
            let buffers = [vec![0xcdcd_cdcd; results.len()], input.clone()];
            match judge.run_kernel(&kernel, grid, &buffers) {
                Ok(held) if held[0] == results => {}
                Ok(held) => wrong.push(format!("{name} on {}: {:?}, wanted {results:?}", judge.name(), held[0])),
                Err(error) => wrong.push(format!("{name} on {}: {error}", judge.name())),
            }
        }
    }
    if !skipped.is_empty() {
        say(&format!("skipped, without the feature: {}", skipped.join("; ")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 60, "{count} texts");
}

/// The text that a browser gets is taken as well: directives, functions of the library, and what was renamed.
#[test]
fn what_is_taken_is_taken_again() {
    for Case { name, text, .. } in cases().filter(|case| case.refusal.is_none()) {
        let kernel = Kernel::wgsl_with(&text, Some("main"), &[]).unwrap();
        let again = Kernel::wgsl_with(kernel.source(), Some("main"), &[]).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(again.source(), kernel.source(), "{name}");
        let lines = |text: &str| text.lines().map(str::len).collect::<Vec<_>>();
        assert!(lines(kernel.source()).starts_with(&lines(&text)), "{name}: lines and columns stay");
    }
}

/// The one that is elected is the lowest of those that are active, in each subgroup that has one.
#[test]
fn one_active_invocation_is_elected() {
    const TEXT: &str = "enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32,
    @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32) {
    var elected = 0u;
    if i % 3u == 1u { elected = u32(subgroupElect()); }
    if i >= 5u && i < 20u { elected |= 2u * u32(subgroupElect()); }
    if i == 63u { elected |= 4u * u32(subgroupElect()); }
    out[i] = elected | (8u * u32(subgroupElect())) | (lane << 8u) | (size << 16u);
}";
    for judge in judges() {
        if judge.caps().subgroups.is_none() {
            println!("{}: not run: no subgroups", judge.name());
            continue;
        }
        let held = judge.run(TEXT, [1, 1, 1], &[vec![0xcdcd_cdcd; 64]]).unwrap();
        let lane = |i: usize| (held[0][i] >> 8 & 255) as usize;
        let size = (held[0][0] >> 16) as usize;
        let masks: [fn(usize) -> bool; 4] = [|i| i % 3 == 1, |i| (5..20).contains(&i), |i| i == 63, |_| true];
        for (bit, active) in masks.into_iter().enumerate() {
            for (i, &word) in held[0].iter().enumerate() {
                // Invocations of a subgroup follow one another.
                let first = i - lane(i);
                let lowest = (first..(first + size).min(64)).find(|&other| active(other));
                let got = word >> bit & 1 == 1;
                assert_eq!(got, lowest == Some(i), "{bit} of {i} in subgroups of {size} on {}", judge.name());
            }
        }
    }
}

#[test]
fn what_browsers_refuse_is_told_by_place() {
    let kernel = Kernel::wgsl(
        "@group(0) @binding(0) var<storage, read_write> a: array<atomic<u32>>;
struct Held { count: atomic<i32> } var<workgroup> held: Held;
var<push_constant> by: u32; // var<push_constant>
fn clear(i: u32) { if i > 0u { a[i] = 0u; } }
@compute @workgroup_size(1) fn main() {
    let p = &a[3];
    atomicStore(&a[1], atomicLoad(p));
    held.count = 5i; *p = by;
    a[2] = u32(subgroupAdd(1u)); subgroupBarrier();
    clear(4u);
    let big = 3000000000; var most = -2147483649; let least = -2147483648; let typed: u32 = 3000000000;
    let hex = 0xffffffff; let float = 3000000000.0; let word = 3000000000u;
}",
    )
    .unwrap();
    let reflection = kernel.reflection().unwrap();
    let found: Vec<_> = reflection.unportable.iter().map(|found| (found.kind, found.line, found.column)).collect();
    use UnportableKind::{AtomicAssignment, LargeInteger, PushConstant, SubgroupBarrier, SubgroupsNotEnabled};
    let wanted = [
        (PushConstant, 3, 5),
        (AtomicAssignment, 4, 32),
        (AtomicAssignment, 8, 5),
        (AtomicAssignment, 8, 22),
        (AtomicAssignment, 9, 5),
        (SubgroupsNotEnabled, 9, 16),
        (SubgroupBarrier, 9, 34),
        (LargeInteger, 11, 15),
        (LargeInteger, 11, 39),
        (LargeInteger, 12, 15),
    ];
    assert_eq!(found, wanted);
    assert_eq!(reflection.immediate_bytes, 4);
    assert!(kernel.source().contains("var<immediate    > by: u32; // var<push_constant>"));
    assert!(reflection.unportable[1].to_string().contains("line 4, column 32"));
    assert!(reflection.unportable[0].to_string().contains("write var<immediate>"));
    let none =
        Kernel::wgsl("enable subgroups; @compute @workgroup_size(1) fn main() { _ = subgroupAdd(1u); }").unwrap();
    assert_eq!(none.reflection().unwrap().unportable, []);
}

/// An export begins with the directives that a browser needs, and its text is taken as a kernel again.
#[test]
#[cfg(feature = "serde")]
fn exports_are_kernels_again() {
    use crate::support::apis;
    use crosslane::{Array, Recording};
    let recorded = |text: &str, device| {
        let mut recording = Recording::new(device);
        let out = Array::<u32>::zeros(device, &[64]);
        out.eval().unwrap();
        recording.add(Kernel::wgsl(text).unwrap().grid([1]).args(crosslane::Argument::bytes_of(&out))).unwrap();
        recording.export("standard").output("out", &out).finish()
    };
    const BODY: &str = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {";
    let device = apis().iter().find(|device| device.caps().subgroups.is_some() && device.caps().f16);
    let Some(device) = device else { return say("skipped: no device has subgroups and f16") };
    for (head, body, directives) in [
        ("", "out[i] = u32(subgroupElect());", &["enable subgroups;"][..]),
        ("enable subgroups;\n", "out[i] = u32(subgroupElect());", &["enable subgroups;"]),
        ("enable /* subgroups, */ f16;\n", "out[i] = subgroupAdd(u32(1.5h));", &["enable subgroups;", "enable /*"]),
        ("enable f16, subgroups,;\nrequires subgroup_id;\n", "out[i] = subgroupAdd(u32(1.5h));", &["requires", ",;"]),
    ] {
        let export = recorded(&format!("{head}{BODY}\n{body}\n}}"), device).unwrap();
        let wgsl = &export.kernels[0].wgsl;
        assert_eq!(wgsl.matches("enable subgroups;").count(), usize::from(!head.contains(", subgroups")), "{wgsl}");
        assert!(directives.iter().all(|directive| wgsl.contains(directive)), "{wgsl}");
        assert!(export.features.contains(&"subgroups".to_string()));
        Kernel::wgsl_with(wgsl, Some("main"), &[]).unwrap();
    }
    let text = "@group(0) @binding(0) var<storage, read_write> out: array<atomic<u32>>;
@compute @workgroup_size(1) fn main() {
    out[0] = 1u; }";
    let told = recorded(text, device).unwrap_err().to_string();
    assert!(told.contains("line 3, column 5") && told.contains("atomicStore"), "{told}");
}
