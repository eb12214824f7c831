//! Filters, transforms and special functions with SciPy's answers, which `sweep.py` writes: the kept cases on every device, or
//! those of the file that `CROSSLANE_SCIPY_CASES` names.

#[path = "../support/mod.rs"]
mod support;

mod filters;
mod row;
mod signals;
mod special;

use crosslane::{DType, Device};
use row::{Answer, Given, Row};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use support::*;

/// Of so many kept cases software drivers, which take up to a second to compile a kernel, run one.
const SHARE: usize = 7;

fn file() -> &'static (u64, Vec<Row>) {
    static FILE: OnceLock<(u64, Vec<Row>)> = OnceLock::new();
    FILE.get_or_init(|| match std::env::var("CROSSLANE_SCIPY_CASES") {
        Ok(path) => Row::all(&std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))),
        Err(_) => Row::all(include_str!("kept.json")),
    })
}

fn dtype(row: &Row) -> DType {
    match row.text("type") {
        "f32" => DType::F32,
        "f64" => DType::F64,
        "i32" => DType::I32,
        "i64" => DType::I64,
        "u8" => DType::U8,
        "u16" => DType::U16,
        "u32" => DType::U32,
        "bool" => DType::Bool,
        other => panic!("{other}"),
    }
}

fn floats<R: crosslane::array::Pixel + crosslane::Part + crosslane::Transcendental>(
    row: &Row,
    device: &Device,
) -> Answer {
    let groups = [
        filters::image::<R>,
        filters::ordered::<R>,
        filters::number::<R>,
        filters::real::<R>,
        special::function::<R>,
        signals::real::<R>,
    ];
    groups.into_iter().find_map(|group| group(row, device))
}

fn answer(row: &Row, device: &Device) -> Answer {
    match dtype(row) {
        DType::F32 => {
            let groups = [signals::single, signals::transform_f32, floats::<f32>];
            signals::host(row).or_else(|| groups.into_iter().find_map(|group| group(row, device)))
        }
        DType::F64 => {
            let groups = [signals::transform_f64, floats::<f64>];
            signals::host(row).or_else(|| groups.into_iter().find_map(|group| group(row, device)))
        }
        DType::I32 => filters::ordered::<i32>(row, device).or_else(|| filters::number::<i32>(row, device)),
        DType::I64 => filters::ordered::<i64>(row, device).or_else(|| filters::number::<i64>(row, device)),
        DType::U32 => filters::ordered::<u32>(row, device).or_else(|| filters::number::<u32>(row, device)),
        DType::U8 => filters::image::<u8>(row, device).or_else(|| filters::ordered::<u8>(row, device)),
        DType::U16 => filters::ordered::<u16>(row, device),
        _ => filters::mask(row, device).or_else(|| filters::ordered::<bool>(row, device)),
    }
}

/// Values that differ by more than a bound, one of each value or one for all.
fn difference(got: &Given, wanted: &Given, bounds: &[f64]) -> Option<String> {
    if got.shape != wanted.shape {
        return Some(format!("shape {:?}, wanted {:?}", got.shape, wanted.shape));
    }
    let is_off = |(at, (&a, &b)): (usize, (&f64, &f64))| {
        let bound = bounds.get(at).unwrap_or(&bounds[0]);
        let same = a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= *bound;
        (!same).then(|| format!("element {at}: {a:?}, wanted {b:?} within {bound:e}"))
    };
    got.values.iter().zip(&wanted.values).enumerate().find_map(is_off)
}

/// What is wrong with a case on a device, if anything. A refusal is.
fn failure(row: &Row, device: &Device) -> Option<String> {
    let wrong = match answer(row, device).unwrap_or_else(|| panic!("no such call")) {
        Err(error) => error.to_string(),
        Ok(got) => {
            let (wanted, bounds) = (row.results(), row.bounds());
            assert_eq!(got.len(), wanted.len());
            got.iter().zip(&wanted).find_map(|(got, wanted)| difference(got, wanted, &bounds))?
        }
    };
    Some(format!("{} (seed {}) on {}: {wrong}\n{row}\n", row.text("id"), file().0, name(device)))
}

/// Runs every `share`th case of a type that a device has; what is wrong.
fn run(device: &Device, share: usize) -> Vec<String> {
    let start = std::time::Instant::now();
    let rows: Vec<&Row> = file().1.iter().filter(|row| has(device, dtype(row))).step_by(share).collect();
    // Nothing panics; should it, the case is told.
    let came = rows.iter().map(|row| {
        let came = catch_unwind(AssertUnwindSafe(|| failure(row, device)));
        came.unwrap_or_else(|_| Some(format!("{} panics on {}\n{row}", row.text("id"), name(device))))
    });
    let failures: Vec<String> = came.flatten().collect();
    let (seconds, count) = (start.elapsed().as_secs_f64(), failures.len());
    say(&format!("{}: {} cases beside SciPy in {seconds:.1} s, {count} differ", name(device), rows.len()));
    failures
}

/// Every failure on every device is told.
fn run_all<'a>(devices: impl Iterator<Item = &'a Device>, share: usize) {
    let failures: Vec<String> = devices.flat_map(|device| run(device, share)).collect();
    assert!(failures.is_empty(), "{} differ:\n\n{}", failures.len(), failures.join("\n"));
}

/// Whether the cases are others than the kept ones; then software drivers run all of them too.
fn is_sweep() -> bool {
    std::env::var("CROSSLANE_SCIPY_CASES").is_ok()
}

#[test]
fn on_processors_and_cards() {
    run_all(quick(), 1);
}

#[test]
fn on_the_checked_cpu_engine() {
    run_all(fresh("cpu:checked").iter(), if is_sweep() { 1 } else { SHARE });
}

#[test]
fn on_software_drivers() {
    run_all(slow(), if is_sweep() { 1 } else { SHARE });
}
