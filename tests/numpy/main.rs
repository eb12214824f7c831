//! Programs over the array API with NumPy's answers, which `sweep.py` writes: the kept ones on every device, or those of
//! the file that `CROSSLANE_NUMPY_CASES` names.

#[path = "../support/mod.rs"]
mod support;

mod any;
mod case;
mod compare;
mod elementwise;
mod inputs;
mod moves;
mod ordered;
mod sums;

use any::Any;
use case::{Case, File};
use crosslane::device::Backend;
use crosslane::{DType, Device};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use support::*;

/// Of so many kept cases software drivers, which take up to a second to compile a kernel, run one.
const SHARE: usize = 5;

fn file() -> &'static File {
    static FILE: OnceLock<File> = OnceLock::new();
    FILE.get_or_init(|| match std::env::var("CROSSLANE_NUMPY_CASES") {
        Ok(path) => File::parse(&std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))),
        Err(_) => File::parse(include_str!("kept.json")),
    })
}

/// Whether the cases are others than the kept ones; then software drivers run all of them too.
fn is_sweep() -> bool {
    std::env::var("CROSSLANE_NUMPY_CASES").is_ok()
}

/// Whether numbers below the smallest normal one stay: WGSL lets devices flush them.
fn keeps_subnormals(device: &Device) -> bool {
    device.properties().backend == Backend::Cpu
}

/// The case's last step evaluated; with `each`, every step before it on its own.
fn evaluated(case: &Case, device: &Device, each: bool) -> crosslane::Result<Any> {
    let mut values: Vec<Any> = vec![];
    for step in &case.steps {
        let args: Vec<&Any> = step.args.iter().map(|&i| &values[i]).collect();
        let value = match step.op.as_str() {
            "input" => inputs::input(step, device, file()),
            "arange" | "linspace" | "eye" | "full" => any::made(step, device),
            _ => {
                let groups = [elementwise::apply, moves::apply, ordered::apply, sums::apply];
                let found = groups.iter().find_map(|group| group(step, &args));
                found.unwrap_or_else(|| panic!("{}: no operation {step} of {}", case.id, args[0].dtype()))?
            }
        };
        if each {
            value.eval()?;
        }
        values.push(value);
    }
    Ok(values.pop().expect("a case has steps"))
}

/// Whether the device has the types, and subnormal numbers where they matter.
fn can(device: &Device, case: &Case) -> bool {
    // SwiftShader (Subzero) rounds u32 to f32 twice: one ULP off above 2^24.
    let spared = is_swiftshader(device) && [DType::U32, DType::F32].iter().all(|dtype| case.types().contains(dtype));
    let lacks = |dtype| !has(device, dtype);
    !spared && !case.types().into_iter().any(lacks) && (!case.subnormal || keeps_subnormals(device))
}

/// What is wrong with a case on a device, if anything. A refusal is: each case is of what has a kernel.
fn failure(case: &Case, device: &Device) -> Option<String> {
    let difference = |value: crosslane::Result<Any>| match value {
        Err(error) => Some(error.to_string()),
        Ok(value) => compare::difference(&value, &case.want, keeps_subnormals(device)),
    };
    let wrong = difference(evaluated(case, device, false))?;
    let apart = if difference(evaluated(case, device, true)).is_some() { "wrong too" } else { "right" };
    Some(format!(
        "{} (seed {}) on {}: {wrong}\n{case}  evaluated step by step it is {apart}\n",
        case.id,
        file().seed,
        name(device)
    ))
}

/// Runs every `share`th case that a device can run; what is wrong.
fn run(device: &Device, share: usize) -> Vec<String> {
    let (cases, start) = (&file().cases, std::time::Instant::now());
    let able: Vec<&Case> = cases.iter().filter(|case| can(device, case)).collect();
    let taken: Vec<&Case> = able.iter().copied().step_by(share).collect();
    // Nothing panics; should it, the case is told.
    let came = taken.iter().map(|case| {
        let came = catch_unwind(AssertUnwindSafe(|| failure(case, device)));
        came.unwrap_or_else(|_| Some(format!("{} panics on {}\n{case}", case.id, name(device))))
    });
    let failures: Vec<String> = came.flatten().collect();
    say(&format!(
        "{}: {} of {} cases beside NumPy in {:.1} s, {} differ; {} need a type, or subnormal numbers, that it lacks",
        name(device),
        taken.len(),
        cases.len(),
        start.elapsed().as_secs_f64(),
        failures.len(),
        cases.len() - able.len()
    ));
    failures
}

/// Every failure on every device is told.
fn run_all<'a>(devices: impl Iterator<Item = &'a Device>, share: usize) {
    let failures: Vec<String> = devices.flat_map(|device| run(device, share)).collect();
    assert!(failures.is_empty(), "{} differ:\n\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn on_processors_and_cards() {
    run_all(quick(), 1);
}

#[test]
fn on_the_checked_cpu_engine() {
    run_all(fresh("cpu:checked").iter(), 1);
}

#[test]
fn on_software_drivers() {
    run_all(slow(), if is_sweep() { 1 } else { SHARE });
}
