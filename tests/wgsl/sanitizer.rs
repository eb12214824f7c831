//! What the checked device finds in faulty kernels, and that it finds nothing in clean ones.

use crate::judge::{Judge, launch};
use crate::{clean, faulty};
use crosslane::cpu::{Checks, Defect, Profile, Report, WorkgroupOrder};
use crosslane::{Array, Device, DeviceOptions, ErrorKind};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Everything that can be looked for.
fn all() -> Checks {
    Checks::default().with(|checks| (checks.workgroup_unset, checks.nan) = (true, true))
}

fn checked(profile: Profile, checks: Checks) -> Device {
    DeviceOptions::default().time_limit(Duration::from_secs(1)).cpu(profile, Some(checks)).unwrap()
}

/// What is found in a faulty kernel, or the line of the loop that does not end.
fn findings(device: &Device, case: &faulty::Case) -> Result<Report, u32> {
    let array = |buffer: &faulty::Buffer| match *buffer {
        faulty::Buffer::Zeros(words) => Array::from_slice(device, &vec![0u32; words]),
        faulty::Buffer::Counting(words) => Array::from_slice(device, &(0..words as u32).collect::<Vec<_>>()),
        faulty::Buffer::Fresh(words) => Array::empty(device, &[words]),
    };
    let arrays: Vec<_> = case.buffers.iter().map(array).collect();
    match launch(device, case.source, case.grid, &arrays) {
        Ok(()) => Ok(Report::default()),
        Err(error) => match error.kind() {
            ErrorKind::Defects { report } => Ok((**report).clone()),
            ErrorKind::Endless { line, seconds, .. } => {
                assert_eq!(*seconds, 1.0);
                Err(*line)
            }
            _ => panic!("{}: {error}", case.name),
        },
    }
}

fn defect(kind: &str) -> Option<Defect> {
    Some(match kind {
        "race_within" | "race_between" | "race_read_write_storage" => Defect::Race,
        "out_of_bounds_read" | "out_of_bounds_write" => Defect::OutOfBounds,
        "uninitialised_workgroup" | "uninitialised_storage" => Defect::Uninitialised,
        "divergent_barrier" => Defect::DivergentBarrier,
        "index_overflow" => Defect::IndexOverflow,
        "spin" => Defect::NoProgress,
        "nan" => Defect::Nan,
        "endless_loop" => return None,
        other => panic!("{other}?"),
    })
}

/// Each defect is found, at its lines, and nothing else is: under every profile.
#[test]
fn each_defect_is_found_where_it_is() {
    for profile in Profile::presets() {
        for case in faulty::CASES {
            let (kind, lines) = case.finding();
            let what = format!("{} as {}", case.name, profile.name);
            let device = checked(profile.clone(), all());
            let found = findings(&device, case);
            let Some(defect) = defect(kind) else {
                assert_eq!(found, Err(lines[0] as u32), "{what}");
                continue;
            };
            let report = found.unwrap_or_else(|line| panic!("{what} did not end: line {line}"));
            let others: Vec<_> = report.findings.iter().filter(|finding| finding.defect != defect).collect();
            assert!(others.is_empty(), "{what}:\n{report}");
            let spots = report.findings.iter().flat_map(|finding| [Some(&finding.spot), finding.other.as_ref()]);
            let seen: BTreeSet<usize> = spots.flatten().map(|spot| spot.line as usize).collect();
            assert_eq!(seen, lines.iter().copied().collect(), "{what}:\n{report}");
        }
    }
}

/// A finding names the binding, the index, the invocation and the workgroup, and shows the line.
#[test]
fn a_finding_says_all() {
    let device = Device::cpu_checked().unwrap();
    let case = faulty::CASES.iter().find(|case| case.name == "out_of_bounds_write").unwrap();
    let report = findings(&device, case).unwrap();
    let [finding] = report.findings.as_slice() else { panic!("{report}") };
    assert_eq!(finding.binding.as_deref(), Some("output"));
    assert_eq!((finding.index, finding.spot.workgroup, finding.spot.invocation), (Some(100), [1, 0, 0], [36, 0, 0]));
    assert_eq!(finding.count, 28);
    let text = report.to_string();
    let line = case.source.lines().nth(finding.spot.line as usize - 1).unwrap();
    for part in
        ["out of bounds: index 100 of `output`, which has 100 elements", line, "--> main:6:5", "^^^^^^", "(36, 0, 0)"]
    {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

/// What is read past the end, or before it was written, and not used: told once for each line, and no error.
#[test]
fn what_is_not_used_is_no_error() {
    let source = "
        @group(0) @binding(0) var<storage, read> x: array<u32>;
        @group(0) @binding(1) var<storage, read_write> fresh: array<u32>;
        @group(0) @binding(2) var<storage, read_write> output: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            let own = x[id.x];
            let old = fresh[id.x];
            let sum = own * 2u + old;
            output[id.x] = select(sum, id.x, id.x >= 0u);
        }";
    let device = Device::cpu_checked().unwrap();
    let arrays = |device: &Device| {
        let output = Array::from_slice(device, &[0u32; 128]);
        [Array::from_slice(device, &(0..100).collect::<Vec<u32>>()), Array::empty(device, &[128]), output]
    };
    let buffers = arrays(&device);
    launch(&device, source, [2, 1, 1], &buffers).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(buffers[2].to_vec().unwrap(), (0..128).collect::<Vec<u32>>());
    let remarks = device.remarks().unwrap();
    let told: Vec<_> = remarks.findings.iter().map(|f| (f.defect, f.spot.line, f.count)).collect();
    let wanted = [(Defect::OutOfBoundsUnused, 6, 28), (Defect::UninitialisedUnused, 7, 128)];
    let mut sorted = told.clone();
    sorted.sort_by_key(|told| told.1);
    assert_eq!(sorted, wanted, "{remarks}");
    assert!(
        remarks.findings.iter().all(|finding| !finding.defect.is_error()) && remarks.to_string().contains("not used")
    );
    assert_eq!(device.remarks().unwrap(), Report::default(), "they are told once");
    // A defect elsewhere is an error all the same; where reads matter sometimes, their line is no remark.
    let wrong = source.replace("id.x >= 0u", "id.x != 127u");
    let error = launch(&device, &wrong, [2, 1, 1], &arrays(&device)).unwrap_err();
    let ErrorKind::Defects { report } = error.kind() else { panic!("{error}") };
    let told: Vec<_> = report.findings.iter().map(|f| (f.defect, f.spot.line, f.count)).collect();
    assert_eq!(told, [(Defect::OutOfBounds, 6, 1)], "{report}");
    assert_eq!(report.findings[0].spot.invocation, [63, 0, 0]);
    assert_eq!(report.findings[0].other.as_ref().map(|used| used.line), Some(9), "{report}");
    let remarks = device.remarks().unwrap();
    let told: Vec<_> = remarks.findings.iter().map(|f| (f.defect, f.spot.line)).collect();
    assert_eq!(told, [(Defect::UninitialisedUnused, 7)], "{remarks}");
}

/// A trusted kernel runs without checks on GPUs: there a read past the end does harm, used or not.
#[test]
fn in_trusted_kernels_each_read_matters() {
    let case = clean::CASES.iter().find(|case| case.name == "guarded_select").unwrap();
    let device = Device::cpu_checked().unwrap();
    let arrays: Vec<_> = (case.buffers)().iter().map(|words| Array::from_slice(&device, words)).collect();
    // SAFETY: the cpu engine's checks keep it inside its buffers.
    let kernel = unsafe { crosslane::Kernel::wgsl(case.source).unwrap().trusted() };
    let arguments: Vec<_> = arrays.iter().map(crosslane::Argument::bytes_of).collect();
    let error = kernel.grid(case.grid).args(arguments).launch(&device).unwrap_err();
    let ErrorKind::Defects { report } = error.kind() else { panic!("{error}") };
    let [finding] = report.findings.as_slice() else { panic!("{report}") };
    assert_eq!((finding.defect, finding.count), (Defect::OutOfBounds, 28), "{report}");
    assert_eq!(device.remarks().unwrap(), Report::default());
}

/// A message keeps a value, a subgroup hands it on, and a barrier's load gives it to all.
#[test]
fn what_keeps_a_value_uses_it() {
    let uses = [
        "print_u32(id, value);",
        "assert_that(id, value == 0u);",
        "output[0] = select(0u, 1u, subgroupAny(value > 2u) && id.x > 64u);",
        "output[0] = select(0u, 1u, subgroupAdd(value) > 1u && id.x > 64u);",
        "output[0] = select(0u, 1u, subgroupShuffle(id.x, value & 3u) > 1u && id.x > 64u);",
        "output[0] = workgroup_sum_u32(value, local);",
        "switch value { case 1u: { output[0] = 1u; } default: {} }",
        "var n = 0u; loop { n++; if n > 3u { break; } continuing { break if n > value; } }",
    ];
    for used in uses {
        let source = format!(
            "@group(0) @binding(0) var<storage, read> x: array<u32>;
            @group(0) @binding(1) var<storage, read_write> output: array<u32>;
            @compute @workgroup_size(64)
            fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {{
                let value = x[id.x];
                {used}
            }}"
        );
        let device = checked(Profile::native(), Checks::default().with(|checks| checks.races = false));
        let arrays = [Array::from_slice(&device, &[0u32; 60]), Array::from_slice(&device, &[0u32; 1])];
        let error = launch(&device, &source, [1, 1, 1], &arrays).expect_err(used);
        let ErrorKind::Defects { report } = error.kind() else { panic!("{used}: {error}") };
        let told = report.findings.iter().map(|f| (f.defect, f.spot.line, f.other.as_ref().map(|o| o.line)));
        assert_eq!(told.collect::<Vec<_>>(), [(Defect::OutOfBounds, 5, Some(6))], "{used}\n{report}");
    }
}

/// Wrapping that is meant is no finding: hashes that are cut to size, steps backwards, numbers that wrap back.
#[test]
fn wrapping_on_purpose_is_silent() {
    let source = "
        @group(0) @binding(0) var<storage, read_write> words: array<u32>;
        fn mix(x: u32) -> u32 { return (x ^ (x >> 15u)) * 2246822519u; }
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            var hash = i;
            var at = vec2(i, 63u);
            for (var k = 0u; k < 9u; k++) {
                hash = mix(hash * 2654435761u + k) + (hash << 5u);
                at -= vec2(k, k);
                at[k % 2u] += k;
                at += vec2(select(0u, k, k > 0u)) - vec2(u32(k % 2u == 0u), u32(k % 2u == 1u)) * k;
            }
            var back = 0xffffffffu; // -1
            back = i + back * u32(i > 0u);
            words[at.x] = hash;
            words[hash % 64u] += words[(hash * 3u) >> 26u] + words[min(hash * 7u, 63u)] + words[(hash + 5u) & 63u];
            words[back] += words[u32(i32(at.y) - 63) + i];
        }";
    let device = checked(Profile::native(), Checks::default().with(|checks| checks.races = false));
    launch(&device, source, [1, 1, 1], &[Array::from_slice(&device, &[1u32; 64])]).unwrap_or_else(|e| panic!("{e}"));
}

/// Turned off, a check is silent, and what it would find does no harm.
#[test]
fn checks_can_be_chosen() {
    for case in faulty::CASES.iter().filter(|case| defect(case.finding().0).is_some()) {
        let device = checked(Profile::native(), Checks::none());
        assert_eq!(findings(&device, case), Ok(Report::default()), "{}", case.name);
        assert_eq!(Array::<u32>::ones(&device, &[1000]).sum().item().unwrap(), 1000, "the device goes on");
    }
}

/// No finding in kernels that are right: under every profile and order of workgroups.
#[test]
fn clean_kernels_are_silent() {
    for profile in Profile::presets() {
        for order in [
            profile.order,
            WorkgroupOrder::Ascending,
            WorkgroupOrder::Descending,
            WorkgroupOrder::Shuffled(11),
            WorkgroupOrder::OneAtATime,
        ] {
            let device =
                checked(Profile { order, ..profile.clone() }, Checks::default().with(|checks| checks.nan = true));
            let judge = Judge::from(&device);
            for case in clean::CASES {
                if !case.runs_on(&judge) {
                    continue; // The profile has no subgroups, or workgroups too small.
                }
                case.check(&judge);
            }
        }
    }
}

/// Workgroups that take turns run longer together than one may alone: waiting for a turn is not running.
#[test]
fn a_turn_is_waited_for_without_time_running_out() {
    let source = "
        @group(0) @binding(0) var<storage, read_write> tickets: array<atomic<u32>>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            var sum = 0u;
            for (var turn = 0u; turn < 8u; turn++) {
                for (var k = 0u; k < 4000u; k++) { sum = (sum ^ k) * 3u + i; }
                sum += atomicAdd(&tickets[i], 1u);
            }
            atomicMax(&tickets[64u + i], sum);
        }";
    let groups = 16;
    let run = |device: &Device, groups: u32| {
        let started = Instant::now();
        let array = Array::from_slice(device, &[0u32; 128]);
        launch(device, source, [groups, 1, 1], &[array]).unwrap_or_else(|error| panic!("{error}"));
        started.elapsed()
    };
    let device = checked(Profile::native(), Checks::default());
    let alone = (0..3).map(|_| run(&device, 1)).max().expect("three times");
    let limited = DeviceOptions::default().time_limit(alone * groups / 3);
    run(&limited.cpu(Profile::native(), Some(Checks::default())).unwrap(), groups);
}

/// Many workgroups that wait for ever take no more memory than a few, and are endless where waiting is not looked for.
#[test]
fn waiting_for_ever_is_told() {
    let source = "
        @group(0) @binding(0) var<storage, read_write> flag: atomic<u32>;
        var<workgroup> large: array<u32, 4096>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            large[i] = i;
            while atomicLoad(&flag) != large[i] - i + 1u {}
        }";
    for (checks, groups) in [(Checks::default(), 3), (Checks::default(), 3000)] {
        for progress in [true, false] {
            let device = checked(Profile::native(), checks.with(|checks| checks.progress = progress));
            let error = launch(&device, source, [groups, 1, 1], &[Array::from_slice(&device, &[0u32])]).unwrap_err();
            match error.kind() {
                ErrorKind::Defects { report } if progress => {
                    let [finding] = report.findings.as_slice() else { panic!("{report}") };
                    assert!(finding.defect == Defect::NoProgress && finding.count >= groups as u64, "{report}");
                }
                ErrorKind::Endless { line: 6, .. } if !progress => {}
                _ => panic!("{progress}: {error}"),
            }
        }
    }
}

/// A kernel that does not end is stopped, with checks and without, and the device goes on.
#[test]
fn endless_kernels_are_stopped() {
    let case = faulty::CASES.iter().find(|case| case.name == "endless_loop").unwrap();
    let limited = DeviceOptions::default().time_limit(Duration::from_millis(300));
    for checks in [None, Some(Checks::default())] {
        let device = limited.cpu(Profile::native(), checks).unwrap();
        let started = Instant::now();
        let array = Array::from_slice(&device, &(0..6400u32).collect::<Vec<_>>());
        let error = launch(&device, case.source, [100, 1, 1], &[array]).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Endless { line, .. } if *line == case.finding().1[0] as u32),
            "{error}"
        );
        assert!(started.elapsed() < Duration::from_secs(5));
        assert_eq!(Array::<u32>::ones(&device, &[1000]).sum().item().unwrap(), 1000);
    }
}
