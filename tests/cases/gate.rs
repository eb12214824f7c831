//! Kernels run unchecked on GPUs since every one of them ran with all checks on: here.

use crate::support::{played, say, stand_in, stand_in_with};
use crate::{cases, none, run};
use crosslane::Device;
use crosslane::device::{Caps, tunable};
use crosslane::op::{Case, Kernel, Plan};
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;
use std::time::Instant;

/// Bytes of a binding where small cases take several.
pub const NARROW: u64 = 1 << 16;
/// The same for kernels that combine what many windows gave. Normalisations alone can do with so little.
const NARROWER: [u64; 3] = [1 << 14, 1 << 12, 1 << 11];
/// Multiprocessors of a large card: `MANY` of `crates/core/src/caps.rs`, which plans for any device that does not tell take too.
const MANY: u32 = 128;
/// Elements of the largest case that runs in the most windows, of the largest that runs in many, and of the largest that runs.
const MOST_NARROWER: usize = 250_000;
const MOST_NARROW: usize = 1_000_000;
const MOST: usize = 10_000_000;
/// Kernels that only larger cases plan, by the beginning of the smallest one's name: how many for one kind of hardware, and why
/// not smaller.
const UNREACHED: [(&str, usize, &str); 1] = [(
    "products of f32, [1, 50000, 50000, 50000]",
    3,
    "sums handed on between launches, in the largest tiles: they take 132 tiles of 128 x 256 results whose sides are larger \
     than one binding",
)];

/// The kernels that cases plan and no checked device has launched, with their names and the smallest case.
type Missing = BTreeMap<u64, String>;

/// A case's plan; none where bindings are too small for the operation, which says so.
fn planned(case: &Case, caps: &Caps) -> Option<Plan> {
    match case.op.plan(caps) {
        Err(error) if caps.binding_bytes <= NARROW && error.to_string().contains("one binding") => None,
        plan => Some(plan.unwrap_or_else(|error| panic!("{}: {error}", case.what))),
    }
}

/// A kernel's identity, which is a hash of its whole text: made once, since kernels are planned often.
fn kernel_identity(kernel: &Kernel) -> u64 {
    static KNOWN: Mutex<BTreeMap<u64, u64>> = Mutex::new(BTreeMap::new());
    *KNOWN.lock().unwrap().entry(kernel.id()).or_insert_with(|| Case::identity(kernel))
}

/// What tells a case's plan from others.
fn identity(case: &Case, plan: &Plan) -> u64 {
    let kernels: Vec<u64> = plan.passes.iter().map(|pass| kernel_identity(&pass.kernel)).collect();
    let mut hasher = DefaultHasher::new();
    (&case.what, kernels, format!("{plan:?}")).hash(&mut hasher);
    hasher.finish()
}

/// What ran.
#[derive(Default)]
struct Gate {
    launched: HashSet<u64>,
    plans: HashSet<u64>,
    failures: Vec<String>,
}

impl Gate {
    /// Runs a case, unless this plan of it ran before.
    fn launch(&mut self, device: &Device, case: &Case) {
        let Some(plan) = planned(case, device.caps()) else { return };
        if self.plans.insert(identity(case, &plan)) {
            match run(device, case) {
                Ok(kernels) => self.launched.extend(kernels.iter().map(kernel_identity)),
                Err(message) => self.failures.push(message),
            }
        }
    }

    /// What cases plan on these devices and was not launched.
    fn missing(&self, operation: &str, devices: &[Device]) -> Missing {
        let mut missing = Missing::new();
        for device in devices {
            for case in by_len(operation, device, |_| true) {
                let plan = planned(&case, device.caps()).expect("bindings are as large as they get");
                for kernel in plan.passes.iter().map(|pass| &pass.kernel) {
                    let identity = kernel_identity(kernel);
                    if !self.launched.contains(&identity) {
                        missing.entry(identity).or_insert_with(|| format!("{}: {}", case.what, kernel.name()));
                    }
                }
            }
        }
        missing
    }

    /// Runs those cases that plan a missing kernel, the smallest first, until none is missing.
    fn find(&mut self, operation: &str, device: &Device, missing: &mut Missing, suits: impl Fn(&Case) -> bool) {
        for case in by_len(operation, device, suits) {
            if missing.is_empty() {
                return;
            }
            let misses =
                |plan: &Plan| plan.passes.iter().any(|pass| missing.contains_key(&kernel_identity(&pass.kernel)));
            if planned(&case, device.caps()).as_ref().is_some_and(misses) {
                self.launch(device, &case);
                missing.retain(|kernel, _| !self.launched.contains(kernel));
            }
        }
    }
}

fn by_len(operation: &str, device: &Device, suits: impl Fn(&Case) -> bool) -> Vec<Case> {
    let mut all = cases(operation)(device.caps());
    all.retain(suits);
    all.sort_by_key(Case::len);
    all
}

/// Small cases run on checked devices with bindings of any size, and on one whose bindings are so small that they take several
/// windows. Then, of all, those that plan a kernel that was not launched yet, with the processor's own plans too.
pub fn checked(operation: &str) {
    let (start, profile) = (Instant::now(), played());
    // As cards do it, and as the interpreter does.
    let mut devices = vec![stand_in(&profile, u64::MAX)];
    devices.extend((profile == "native").then(|| Device::open("cpu:checked").unwrap()));
    let narrow = stand_in(&profile, NARROW);
    let mut gate = Gate::default();
    for device in [&narrow].into_iter().chain(&devices) {
        by_len(operation, device, Case::runs).iter().for_each(|case| gate.launch(device, case));
    }
    let (small, seconds) = (gate.plans.len(), start.elapsed().as_secs_f64());
    // A large card, which plans what small shapes do not fill.
    devices.extend((profile == "native").then(|| stand_in_with("native", |caps| caps.multiprocessors = MANY)));
    // CUDA's own tuning.
    let guarded = |caps: &mut Caps| caps.tuning.set(tunable("correlate_sliding").unwrap(), &[1]).expect("it may");
    devices.extend((profile == "native" && operation == "correlate").then(|| stand_in_with("native", guarded)));
    // What the processor compiles differs from what cards run in numbers: a case for each kernel is enough.
    let compiled = (profile == "native").then_some("compiled");
    devices.extend(compiled.map(|name| stand_in(name, u64::MAX)));
    let mut missing = gate.missing(operation, &devices);
    // A card so small that shapes fill it that are quick to run.
    for name in [profile.as_str()].into_iter().chain(compiled) {
        let small = stand_in_with(name, |caps| caps.multiprocessors = 1);
        gate.find(operation, &small, &mut missing, |case| case.len() < MOST_NARROWER);
    }
    for name in [profile.as_str()].into_iter().chain(compiled) {
        if operation == "normalise" {
            for bytes in NARROWER {
                gate.find(operation, &stand_in(name, bytes), &mut missing, |case| case.len() < MOST_NARROWER);
            }
        }
        gate.find(operation, &stand_in(name, NARROW), &mut missing, |case| case.len() < MOST_NARROW);
    }
    devices.iter().for_each(|device| gate.find(operation, device, &mut missing, |case| case.len() < MOST));
    say(&format!(
        "{operation}: {small} small cases in {seconds:.1} s, {} others in {:.1} s, checked as {profile}: {} kernels",
        gate.plans.len() - small,
        start.elapsed().as_secs_f64() - seconds,
        gate.launched.len(),
    ));
    none(operation, gate.failures);
    for (beginning, count, _) in UNREACHED {
        let before = missing.len();
        missing.retain(|_, what| !what.starts_with(beginning));
        let unreached = before - missing.len();
        let known = count * (1 + compiled.is_some() as usize);
        assert!(
            unreached == 0 || unreached == known,
            "{unreached} kernels are planned by {beginning} only, not {known}"
        );
    }
    let shown: Vec<&String> = missing.values().take(10).collect();
    assert!(missing.is_empty(), "{operation}: {} kernels that no checked case launches, {shown:#?}", missing.len());
}
