//! `crosslane tune`: measures the variants of operations, and saves the fastest for this device.

use super::bench::progress;
use super::measure::{Measured, measure};
use super::table::{boxed, significant};
use super::{Outcome, histograms, print, products, sorts, workloads};
use crosslane::device::{DeviceKind, Tunable, Tuning, save_tuning, saved_tuning, tunables};
use crosslane::{Device, DeviceOptions};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

#[derive(clap::Args)]
pub struct Options {
    /// Smaller arrays and fewer repetitions.
    #[arg(long)]
    quick: bool,
    /// An index, part of a name, API or kind, as for `bench`. Else CROSSLANE_DEVICE or the best one.
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
    /// Only what has this in its name.
    #[arg(long, value_name = "SUBSTRING", default_value = "")]
    filter: String,
    /// Prints what it finds and keeps nothing.
    #[arg(long)]
    dry_run: bool,
}

/// Which row of the benchmark judges a tunable. Results are checked before they are timed, as there.
const JUDGES: [(&str, &str); 13] = [
    ("reduce", "sum_f32"),
    ("scan", "exclusive_sum_f32"),
    ("select", "select_if_f32_25pct"),
    ("sort_keys", "sort_keys_u32"),
    ("sort_pairs", "sort_pairs_u32"),
    ("sort_wide", "sort_keys_u64"),
    ("sort_merge", "sort_rows_u32_1024"),
    ("histogram", "histogram_even_f32_256"),
    ("matmul", "matmul_f32"),
    ("matmul_tensor", "matmul_f16"),
    ("map_tiled", "transpose_f32"),
    ("normalise", "softmax_rows_f32"),
    ("correlate_sliding", "conv2d_5x5_1ch_f32"),
];
/// A variant replaces the built-in one only if it is faster by this factor: a measurement is not exact.
const WORTH: f64 = 1.02;
/// The longest that one candidate may take: drivers have compiled kernels for minutes.
const LIMIT: Duration = Duration::from_secs(120);

/// The error of a row that a device does not have, 64-bit keys for instance.
const ABSENT: &str = "not on this device";

/// One candidate, and what came of it.
type Tried = (&'static [u32], Result<Measured, String>);

pub fn run(options: &Options) -> Outcome {
    let request = request(options);
    let device = Device::open(&request)?;
    let properties = device.properties().clone();
    drop(device);
    print(&format!("crosslane {} on {properties}", env!("CARGO_PKG_VERSION")))?;
    let mut wanted: Vec<_> = tunables().iter().filter(|tunable| tunable.name.contains(&options.filter)).collect();
    // What a device never does is the same in all ways.
    wanted.retain(|tunable| tunable.name != "matmul_tensor" || properties.caps.tensor.is_some());
    if wanted.is_empty() {
        let names: Vec<&str> = tunables().iter().map(|tunable| tunable.name).collect();
        return Err(format!("tune: wanted a part of one of {}, got {:?}", names.join(", "), options.filter).into());
    }
    let bar = progress(wanted.iter().map(|tunable| tunable.candidates.len()).sum())?;
    // Each is tuned with the others as they are built in for this engine, whatever was kept before.
    let built_in = properties.caps.tuning.clone();
    let mut tuning = saved_tuning(&properties);
    let mut lines = vec![["", "built in", "", "fastest", "", "unit"].map(String::from).to_vec()];
    for tunable in wanted {
        bar.set_message(tunable.name);
        let first = built_in.get(tunable);
        let mut tried: Vec<Tried> = Vec::new();
        for &numbers in tunable.candidates {
            let mut other = built_in.clone();
            other.set(tunable, numbers)?;
            let result = limited(&request, other, judge(tunable)?, options.quick);
            bar.inc(1);
            if result.as_ref().is_err_and(|error| error == ABSENT) {
                continue;
            }
            tried.push((numbers, result));
        }
        bar.suspend(|| tried.iter().try_for_each(|one| tell(tunable, one)))?;
        let Some((taken, line)) = decide(tunable, first, &tried) else { continue };
        tuning.set(tunable, taken)?;
        lines.push(line);
    }
    bar.finish_and_clear();
    if lines.len() == 1 {
        return Err("tune: nothing ran on this device".into());
    }
    print(&boxed(&lines))?;
    match options.dry_run {
        true => Ok(()),
        false => print(&format!("kept in {}", save_tuning(&tuning, &properties)?.display())),
    }
}

fn request(options: &Options) -> String {
    options.device.clone().or_else(|| std::env::var("CROSSLANE_DEVICE").ok()).unwrap_or_default()
}

fn judge(tunable: &Tunable) -> Outcome<&'static str> {
    let judge = JUDGES.iter().find(|(name, _)| *name == tunable.name);
    Ok(judge.ok_or_else(|| format!("tune: nothing measures {}", tunable.name))?.1)
}

/// The candidate to take, and a line that says why: the fastest, if it is enough faster than what is built in.
fn decide(tunable: &Tunable, built_in: &'static [u32], tried: &[Tried]) -> Option<(&'static [u32], Vec<String>)> {
    let value = |tried: &Tried| tried.1.as_ref().map_or(0.0, |measured| measured.value);
    let base = tried.iter().find(|one| one.0 == built_in)?;
    let best = tried.iter().max_by(|a, b| value(a).total_cmp(&value(b)))?;
    let taken = if value(best) >= value(base) * WORTH { best } else { base };
    let unit = taken.1.as_ref().ok()?.unit;
    let cells = [shown(base.0), significant(value(base)), shown(taken.0), significant(value(taken)), unit.into()];
    Some((taken.0, [tunable.name.to_string()].into_iter().chain(cells).collect()))
}

fn shown(numbers: &[u32]) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
}

/// A line for each candidate, if requested: RUST_LOG=info.
fn tell(tunable: &Tunable, (numbers, result): &Tried) -> Outcome {
    let (name, numbers) = (tunable.name, shown(numbers));
    match result {
        Ok(measured) => log::info!("{name} = {numbers}: {} {}", significant(measured.value), measured.unit),
        Err(error) => eprintln!("crosslane: tune: {name} = {numbers} passed over: {error}"),
    }
    Ok(())
}

/// Measures a row of the benchmark with this tuning, if that ends in time. If not, its thread is left behind.
fn limited(request: &str, tuning: Tuning, op: &'static str, quick: bool) -> Result<Measured, String> {
    let (sender, receiver) = mpsc::channel();
    let request = request.to_string();
    thread::spawn(move || {
        let result = figure(&request, tuning, op, quick).map_err(|error| error.to_string());
        // The receiver may be gone.
        let _ = sender.send(result);
    });
    match receiver.recv_timeout(LIMIT) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => Err(format!("took longer than {} s", LIMIT.as_secs())),
        Err(mpsc::RecvTimeoutError::Disconnected) => Err("the measurement panicked".into()),
    }
}

fn figure(request: &str, tuning: Tuning, op: &str, quick: bool) -> Outcome<Measured> {
    let device = DeviceOptions::default().tuning(tuning).open(request)?;
    let n = elements(&device, quick);
    let (inputs, keys) = (workloads::Inputs::new(&device, n), [sorts::Keys::new(&device, n)]);
    let products = products::large(&device, quick);
    let mut rows = workloads::rows(&inputs);
    rows.extend(histograms::rows(&inputs));
    rows.extend(sorts::rows(&keys));
    rows.extend(products::rows(&products));
    let row = rows.iter().find(|row| row.op == op).ok_or(ABSENT)?;
    measure(row, "", &device, quick)
}

/// As many as keep the device busy; a square number.
fn elements(device: &Device, quick: bool) -> usize {
    match (device.properties().kind, quick) {
        (DeviceKind::Discrete, false) => 1 << 26,
        (DeviceKind::Discrete, true) => 1 << 24,
        (DeviceKind::Software, false) => 1 << 20,
        (DeviceKind::Software, true) => 1 << 16,
        (_, false) => 1 << 24,
        (_, true) => 1 << 22,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tunable_is_judged() {
        for tunable in tunables() {
            judge(tunable).unwrap();
        }
    }

    fn measured(value: f64) -> Result<Measured, String> {
        let (op, engine, device, unit) = ("", "".into(), "".into(), "GB/s");
        Ok(Measured {
            op,
            n: 1,
            engine,
            device,
            value,
            unit,
            percent_of_copy: None,
            median_s: 1.0,
            min_s: 1.0,
            clock: "",
        })
    }

    #[test]
    fn what_is_built_in_stays_unless_another_is_plainly_faster() {
        let tunable = tunables()[0];
        let [a, b, c] = [tunable.candidates[0], tunable.candidates[1], tunable.candidates[2]];
        let failed = || Err("wrong result".to_string());
        let taken = |values: [Result<Measured, String>; 3]| {
            let tried: Vec<Tried> = [a, b, c].into_iter().zip(values).collect();
            decide(tunable, a, &tried).map(|(taken, _)| taken)
        };
        assert_eq!(taken([measured(100.0), measured(101.0), measured(50.0)]), Some(a));
        assert_eq!(taken([measured(100.0), measured(101.0), measured(103.0)]), Some(c));
        assert_eq!(taken([failed(), measured(1.0), failed()]), Some(b));
        assert_eq!(taken([measured(1.0), failed(), failed()]), Some(a));
        assert_eq!(taken([failed(), failed(), failed()]), None);
    }
}
