//! The table of cases drives every operation: on every device against its reference, with garbage in outputs and scratch; on
//! checked devices, where each kernel that any case plans must have been launched; as plans that keep limits; and as text in
//! every driver's language.

#[path = "../plans/check.rs"]
mod check;
mod covered;
#[cfg(feature = "serde")]
mod dawn;
mod gate;
#[path = "../support/mod.rs"]
mod support;
#[path = "../plans/texts.rs"]
mod texts;

use crosslane::cpu::Profile;
use crosslane::device::{Caps, DeviceKind, Natives, tunable};
use crosslane::op::{Case, Kernel};
use crosslane::ops::cases::{ALL, Cases, timed};
use crosslane::profile::SpanKind;
use crosslane::{Array, Device, DeviceOptions, Recording, eval_all};
use std::time::{Duration, Instant};
use support::{compiles_slowly, devices, name, say};

/// On drivers that take long to compile a kernel, and as each kind of hardware, one case in so many runs: on others of them,
/// others. `CROSSLANE_CASES_EVERY=1` has all run.
const SAMPLED: usize = 7;

fn cases(name: &str) -> Cases {
    ALL.iter().find(|(other, _)| *other == name).unwrap_or_else(|| panic!("{name} has no cases")).1
}

/// The kernels that ran.
fn run(device: &Device, case: &Case) -> Result<Vec<Kernel>, String> {
    let told = |message: String| format!("{}: {}: {message}", name(device), case.what);
    let mut slots = case.slots();
    let kernels = device.run_op(&*case.op, &mut slots).map_err(|error| told(error.to_string()))?;
    match if case.is_judged() { case.wrong(slots) } else { None } {
        None => Ok(kernels),
        Some(message) => Err(told(message)),
    }
}

/// Every small case of an operation, on every device.
fn agrees(operation: &str) {
    let (mut failures, profile) = (vec![], std::env::var("CROSSLANE_TEST_PROFILE"));
    let sampled = std::env::var("CROSSLANE_CASES_EVERY").map_or(SAMPLED, |every| every.parse().unwrap());
    for (nth, device) in devices().iter().enumerate() {
        let (start, mut count) = (Instant::now(), 0);
        let all: Vec<Case> = cases(operation)(device.caps()).into_iter().filter(Case::runs).collect();
        let every = if compiles_slowly(device) || profile.is_ok() { sampled.min(all.len()) } else { 1 };
        let kind = Profile::presets().iter().position(|preset| profile.as_deref() == Ok(preset.name)).unwrap_or(0);
        let first = (nth + kind) % every;
        for case in all.iter().skip(first).step_by(every) {
            count += 1;
            failures.extend(run(device, case).err());
        }
        assert!(count > 0, "{operation} has no case that runs on {}", name(device));
        say(&format!("{operation}: {count} cases on {} in {:.1} s", name(device), start.elapsed().as_secs_f64()));
    }
    none(operation, failures);
}

/// Cases of an operation, interpreted and compiled, with the same bits.
fn tiers_agree(operation: &str) {
    let open = |tier| Device::open(tier).unwrap().natives(Natives::Off);
    let [compiled, interpreted] = ["cpu:compiled", "cpu:interpreted"].map(open);
    let all: Vec<Case> = cases(operation)(compiled.caps()).into_iter().filter(Case::runs).collect();
    let failures = all.iter().skip(3 % all.len()).step_by(SAMPLED.min(all.len())).filter_map(|case| {
        let result = |device: &Device| {
            let mut slots = case.slots();
            device.run_op(&*case.op, &mut slots).map(|_| slots).map_err(|error| error.to_string())
        };
        (result(&compiled) != result(&interpreted)).then(|| case.what.clone())
    });
    none(operation, failures.collect());
}

/// What crates compute on the processor: small ones too, which are otherwise the kernel's.
#[test]
#[cfg(feature = "jit")]
fn cases_by_libraries() {
    let device = Device::open("cpu:compiled").unwrap().natives(Natives::Library);
    for operation in ["matmul", "fft"] {
        let all = cases(operation)(device.caps()).into_iter().filter(Case::runs);
        none(operation, all.filter_map(|case| run(&device, &case).err()).collect());
    }
    let a = device.array(&[1.0f32, 2.0, 3.0, 4.0][..]).reshape(&[2, 2]);
    assert!(a.matmul(&a).explain().unwrap().to_string().contains("gemm"));
    assert!((&a + 1.0).rfft().explain().unwrap().to_string().contains("rustfft"), "with a prologue of its own");
}

/// `cargo bench --bench operations` times these.
#[test]
fn a_case_of_each_operation_is_timed() {
    let device = Device::cpu().unwrap();
    for &(name, cases) in ALL {
        let case = timed(cases, device.caps()).unwrap_or_else(|| panic!("{name} has no small case"));
        let run = device.prepare_op(&*case.op, &case.slots()).unwrap();
        (0..2).for_each(|_| run().unwrap_or_else(|error| panic!("{}: {error}", case.what)));
    }
}

#[test]
#[cfg(feature = "jit")]
fn explain_says_which_tier_runs() {
    let how = |device: &str, times: usize| {
        let device = Device::open(device).unwrap();
        let x = device.array(&[1.0f32; 1 << 16][..]);
        let doubled = || &x * 2.0 + 0.5;
        (0..times).for_each(|_| doubled().eval().unwrap());
        doubled().explain().unwrap().steps[0].kernels[0].0.clone()
    };
    assert!(how("cpu:compiled", 1).ends_with(", compiled"));
    assert!(how("cpu:one-pass", 1).ends_with(", compiled"));
    assert!(how("cpu:interpreted", 1).ends_with(", interpreted"));
    assert!(how("cpu", 0).ends_with(", interpreted until compiling pays"));
}

/// A device that cuts launches into as many slices as there may be. That all drivers are there is another test's question.
fn in_most_slices(request: &str) -> Option<Device> {
    match DeviceOptions::default().slice(Duration::from_nanos(1)).open(request) {
        Ok(device) => Some(device),
        Err(error) if request.starts_with("cpu") => panic!("{request}: {error}"),
        Err(error) => {
            say(&format!("skipped {request}: {error}"));
            None
        }
    }
}

/// Cases whose launches are cut into as many slices as there may be: the results, and that something was cut.
fn in_slices(operation: &str) {
    let all = |device: &Device| cases(operation)(device.caps()).into_iter().filter(Case::runs).collect::<Vec<_>>();
    let mut failures = vec![];
    for (request, every) in [("cpu:compiled", 4 * SAMPLED), ("cpu:checked", 12 * SAMPLED), ("lavapipe", 30 * SAMPLED)] {
        let Some(device) = in_most_slices(request) else { continue };
        let all = all(&device);
        failures.extend(all.iter().skip(2 % all.len()).step_by(every).filter_map(|case| run(&device, case).err()));
    }
    none(operation, failures);
}

#[test]
fn launches_are_cut() {
    let whole = Device::open("cpu:compiled").unwrap();
    let device = in_most_slices("cpu:compiled").expect("it is always there");
    let launches = |device: &Device| {
        let ((), trace) = device.profile(|| Array::<f32>::ones(device, &[1 << 20]).copy().eval()).unwrap();
        trace.spans().iter().filter(|span| span.kind == SpanKind::Launch).count()
    };
    assert_eq!(launches(&whole), 1);
    assert!(launches(&device) > 16);
}

/// A recording's long launches are cut too: their numbers stay, and changes reach every slice.
#[test]
fn launches_of_recordings_are_cut() {
    for request in ["cpu:compiled", "cpu:checked", "lavapipe", "swiftshader", "discrete", "cuda"] {
        let Some(device) = in_most_slices(request) else { continue };
        let numbered = |first: u32| first..first + (1 << 16);
        let of = |first: u32| Array::from_vec(&device, numbered(first).rev().collect()).copy();
        let (x, other) = (of(0), of(7));
        eval_all(&[&x, &other]).unwrap();
        let (y, z) = (&x * 3u32 + 1u32, x.sort());
        let mut recording = Recording::of(&[&y, &z]).unwrap();
        let numbers = recording.len();
        let ((), trace) = device.profile(|| recording.run()).unwrap();
        let launches = trace.spans().iter().filter(|span| span.kind == SpanKind::Launch).count();
        // A card's recording may be one launch to the clock: a graph.
        let counts = device.properties().kind == DeviceKind::Software;
        assert!(!counts || launches > numbers + 4, "{request}: {launches} launches of {numbers}");
        let check = |factor: u32, first: u32| {
            let wanted = numbered(first).rev().map(|i| i * factor + 1);
            assert!(y.to_vec().unwrap().into_iter().eq(wanted), "{request}: {factor}, {first}");
            assert!(z.to_vec().unwrap().into_iter().eq(numbered(first)), "{request}: {first}");
        };
        check(3, 0);
        recording.set(0, "scalar0", 5u32).unwrap();
        recording.run().unwrap();
        check(5, 0);
        recording.replace(&x, &other).unwrap();
        recording.run().unwrap();
        check(5, 7);
        assert_eq!(recording.len(), numbers);
    }
}

fn none(operation: &str, failures: Vec<String>) {
    let shown: Vec<&String> = failures.iter().take(10).collect();
    assert!(failures.is_empty(), "{} cases of {operation} fail, such as {shown:#?}", failures.len());
}

/// Plans of all cases keep every promise, and their kernels can be written in every language, for each kind of hardware.
fn plans(operation: &str) {
    let merging = Caps::presets().into_iter().filter(|_| operation == "sort").map(|(preset, mut caps)| {
        caps.tuning.set(tunable("sort_merge").unwrap(), &[8192]).unwrap();
        (preset, caps)
    });
    let mut texts = texts::Texts::default();
    for (preset, caps) in Caps::presets().into_iter().chain(merging) {
        let all = cases(operation)(&caps);
        let checked = all.iter().map(|case| {
            let what = format!("{preset}: {}", case.what);
            (case.what.as_str(), check::check_plan(&what, &*case.op, &caps))
        });
        texts.check_kernels(&caps, checked);
    }
}

macro_rules! operations {
    ($($name:ident [$($shader:literal)*] {$($public:ident),*};)* _ [$($other:literal)*]) => {
        mod agree {
            $(#[test] fn $name() { super::agrees(stringify!($name)); })*
        }
        #[cfg(feature = "jit")]
        mod tiers {
            $(#[test] fn $name() { super::tiers_agree(stringify!($name)); })*
        }
        mod checked {
            $(#[test] fn $name() { super::gate::checked(stringify!($name)); })*
        }
        #[cfg(feature = "jit")]
        mod sliced {
            $(#[test] fn $name() { super::in_slices(stringify!($name)); })*
        }
        mod plan {
            $(#[test] fn $name() { super::plans(stringify!($name)); })*
        }

        #[test]
        fn every_operation_is_driven() {
            assert!(ALL.iter().map(|(name, _)| *name).eq([$(stringify!($name)),*]));
        }
    };
}

crosslane::operations!(operations);
