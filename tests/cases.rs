//! The table of cases drives every operation: on every device against its reference, with garbage in outputs and scratch; on the
//! checked device, where each kernel that any case plans must have been launched; as plans that keep limits; and as text in every
//! driver's language.

#[path = "plans/check.rs"]
mod check;
mod support;
#[path = "plans/texts.rs"]
mod texts;

use crosslane::DType;
use crosslane::Device;
use crosslane::device::Caps;
use crosslane::kernel::Access;
use crosslane::op::{Case, Fill, Host, Slot, Value};
use crosslane::ops::cases::{ALL, Cases};
use rand::Rng;
use std::collections::BTreeSet;
use std::time::Instant;
use support::{devices, is_checked, is_thorough, name, random, say, stand_in};

/// Operations that only move elements: what comes out is what went in.
const MOVED: [&str; 9] = ["concatenate", "gather", "nth", "runs", "scatter", "searchsorted", "select", "sort", "top_k"];
/// Bytes of a binding where small cases take several.
const NARROW: u64 = 1 << 16;
/// Elements of the largest case that runs where all is checked.
const MOST: usize = 12_000_000;
/// On devices where a case takes long, which of the cases run.
const SAMPLED: usize = 7;

fn cases(name: &str) -> Cases {
    ALL.iter().find(|(other, _)| *other == name).unwrap_or_else(|| panic!("{name} has no cases")).1
}

/// A slot's contents.
fn contents(slot: &Slot, fill: &Fill, seed: u64) -> Vec<u8> {
    let mut rng = random(seed);
    let (len, float) = (slot.len as u64, matches!(slot.dtype, DType::F16 | DType::F32 | DType::F64));
    let quarters = |number: i64| match slot.dtype {
        DType::Bool => Value::Bool(number > 6),
        _ if float => Value::Float(number as f64 / 4.0),
        _ => Value::Int(number as i128),
    };
    let mut value = |at: u64| match fill {
        Fill::Numbers => quarters(rng.random_range(1..=12)),
        Fill::Sorted => quarters(1 + (at * 12 / len.max(1)) as i64),
        Fill::Any if slot.dtype == DType::Bool => Value::Bool(rng.random()),
        Fill::Any if float => Value::Float(rng.random_range(-4000..=4000) as f64 / 8.0),
        Fill::Any => Value::Int(rng.random::<i64>() as i128).cast(slot.dtype),
        Fill::Distinct(below) => Value::Int((at as usize * 7919 % below) as i128),
        Fill::Indices(below) if slot.dtype == DType::I32 => {
            Value::Int(rng.random_range(-(*below as i128)..*below as i128))
        }
        Fill::Indices(below) => Value::Int(rng.random_range(0..*below as i128)),
        Fill::Number(number) => Value::Int(*number as i128).cast(slot.dtype),
        Fill::Values(values) => values[at as usize],
    };
    let word = |at: u64| value(at).scalar(slot.dtype).bits.to_le_bytes();
    (0..len).map(word).flat_map(|word| word[..slot.dtype.size()].to_vec()).collect()
}

/// The slots before a case runs; outputs are garbage.
fn before(case: &Case, garbage: u8) -> Vec<Vec<u8>> {
    let fill = |(nth, slot): (usize, &Slot)| match slot.access {
        Access::Read => contents(slot, case.filled(nth), nth as u64),
        Access::Write => vec![garbage; slot.len * slot.dtype.size()],
    };
    case.op.slots().iter().enumerate().map(fill).collect()
}

fn host(case: &Case, slots: Vec<Vec<u8>>) -> Host {
    Host::new(case.op.slots().iter().map(|slot| slot.dtype).zip(slots).collect())
}

/// What is wrong with a case's results. What the reference leaves as it was is nobody's.
fn wrong(case: &Case, got: Vec<Vec<u8>>) -> Option<String> {
    let mut wanted = [0xcd, 0].map(|garbage| host(case, before(case, garbage)));
    wanted.iter_mut().for_each(|host| case.op.reference(host));
    let ([wanted, again], got) = (wanted, host(case, got));
    for (nth, slot) in case.op.slots().iter().enumerate().filter(|(_, slot)| slot.access == Access::Write) {
        let precision = if MOVED.contains(&case.op.name()) { 0.0 } else { Case::precision(slot.dtype) };
        for at in 0..slot.len {
            let (g, w, other) = (got.get(nth, at), wanted.get(nth, at), again.get(nth, at));
            let same = |a: Value, b: Value| a == b || a.float().is_nan() && b.float().is_nan();
            let close = || (g.float() - w.float()).abs() <= precision * (w.float().abs() + case.scale);
            if same(w, other) && !same(g, w) && !close() {
                return Some(format!("{} at {at}: got {g:?}, wanted {w:?}", slot.name));
            }
        }
    }
    None
}

/// The names of the kernels that ran. None where bindings are too small for the operation, which says so.
fn run(device: &Device, case: &Case) -> Result<Vec<String>, String> {
    let told = |message: String| format!("{}: {}: {message}", name(device), case.what);
    let mut slots = before(case, 0xcd);
    let kernels = match device.run_op(&*case.op, &mut slots) {
        Err(error) if device.caps().binding_bytes <= NARROW && error.to_string().contains("one binding") => {
            return Ok(vec![]);
        }
        result => result.map_err(|error| told(error.to_string()))?,
    };
    match case.judged.then(|| wrong(case, slots)).flatten() {
        None => Ok(kernels.iter().map(|kernel| kernel.name().to_string()).collect()),
        Some(message) => Err(told(message)),
    }
}

/// Every small case of an operation, on every device.
fn agrees(operation: &str) {
    let mut failures = vec![];
    for device in devices() {
        let (start, mut count) = (Instant::now(), 0);
        let every = if is_thorough(device) || is_checked(device) { 1 } else { SAMPLED };
        for case in cases(operation)(device.caps()).iter().filter(|case| case.runs()).step_by(every) {
            count += 1;
            failures.extend(run(device, case).err());
        }
        assert!(count > 0, "{operation} has no case that runs on {}", name(device));
        say(&format!("{operation}: {count} cases on {} in {:.1} s", name(device), start.elapsed().as_secs_f64()));
    }
    none(operation, failures);
}

fn none(operation: &str, failures: Vec<String>) {
    let shown: Vec<&String> = failures.iter().take(10).collect();
    assert!(failures.is_empty(), "{} cases of {operation} fail, such as {shown:#?}", failures.len());
}

/// Kernels run unchecked on GPUs since every one of them ran with all checks on: here. Small cases run on a checked device, and
/// on one whose bindings are so small that they take several windows; then, of larger cases, those that plan a kernel that was
/// not launched yet.
fn checked(operation: &str) {
    let start = Instant::now();
    let device = Device::open("cpu:checked").unwrap();
    let (mut launched, mut failures, mut count) = (BTreeSet::new(), vec![], 0);
    let mut note = |result: Result<Vec<String>, String>, launched: &mut BTreeSet<String>| match result {
        Ok(kernels) => launched.extend(kernels),
        Err(message) => failures.push(message),
    };
    for device in [&stand_in("native", NARROW), &device] {
        for case in cases(operation)(device.caps()).iter().filter(|case| case.runs()) {
            count += 1;
            note(run(device, case), &mut launched);
        }
    }
    let mut larger = cases(operation)(device.caps());
    larger.sort_by_key(Case::len);
    let planned = |case: &Case| -> Vec<String> {
        let plan = case.op.plan(device.caps()).unwrap_or_else(|error| panic!("{}: {error}", case.what));
        plan.passes.iter().map(|pass| pass.kernel.name().to_string()).collect()
    };
    let mut missing = vec![];
    for case in &larger {
        let new: Vec<String> = planned(case).into_iter().filter(|kernel| !launched.contains(kernel)).collect();
        match case.len() {
            _ if new.is_empty() => {}
            ..MOST => {
                count += 1;
                note(run(&device, case), &mut launched);
            }
            _ => missing.push(format!("{} plans {new:?}", case.what)),
        }
    }
    say(&format!(
        "{operation}: {count} cases launched {} kernels, checked, in {:.1} s",
        launched.len(),
        start.elapsed().as_secs_f64()
    ));
    none(operation, failures);
    let shown: Vec<&String> = missing.iter().take(10).collect();
    assert!(
        missing.is_empty(),
        "{operation}: kernels that no checked case launches, {}, such as {shown:#?}",
        missing.len()
    );
}

/// Plans of all cases keep every promise, and their kernels can be written in every language, for each kind of hardware.
fn plans(operation: &str) {
    let merging = Caps::presets().into_iter().filter(|_| operation == "sort").map(|(preset, mut caps)| {
        caps.tuning.set("sort_merge", &[8192]).unwrap();
        (preset, caps)
    });
    for (preset, caps) in Caps::presets().into_iter().chain(merging) {
        let all = cases(operation)(&caps);
        let checked = all.iter().map(|case| {
            let what = format!("{preset}: {}", case.what);
            (case.what.as_str(), check::check_plan(&what, &*case.op, &caps))
        });
        texts::check_kernels(&caps, checked);
    }
}

macro_rules! operations {
    ($($name:ident [$($shader:literal)*] {$($public:ident),*};)* _ [$($other:literal)*]) => {
        mod agree {
            $(#[test] fn $name() { super::agrees(stringify!($name)); })*
        }
        mod checked {
            $(#[test] fn $name() { super::checked(stringify!($name)); })*
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
