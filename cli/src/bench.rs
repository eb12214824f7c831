//! `crosslane bench`: checks, times and compares with the device's own copy rate.

use super::engines::{Engine, engines};
use super::measure::{Group, Measured, Row, measure};
use super::{
    Outcome, channels, convolutions, groups, histograms, kernels, latency, lookups, print, products, randoms, sorts,
    spectra, stencils, table, transfers, tutorial, workloads,
};
use crosslane::Device;
use crosslane::Replacement;
use crosslane::device::DeviceKind;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Options {
    /// Smaller arrays and fewer repetitions.
    #[arg(long)]
    quick: bool,
    /// An index, part of a name, API or kind: 0, nvidia, vulkan, vulkan:nvidia, software. Else CROSSLANE_DEVICE or the
    /// best one.
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
    /// Runs every row through Vulkan and through CUDA, one after the other, and prints them side by side. This is the
    /// default if no device is named and the best device is reachable both ways.
    #[arg(long)]
    compare: bool,
    /// Writes the rows to a file too.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Only the rows whose name contains this.
    #[arg(long, value_name = "SUBSTRING", default_value = "")]
    filter: String,
}

/// Elements of the large arrays: no cache holds them, and they fit.
fn elements(device: &Device, quick: bool) -> usize {
    let properties = device.properties();
    let wanted: usize = match (properties.kind == DeviceKind::Discrete, quick) {
        (true, false) => 1 << 28,
        (true, true) | (false, false) => 1 << 24,
        (false, true) => 1 << 22,
    };
    let most = (properties.caps.buffer_bytes / 4).max(4).ilog2() & !1; // a power of four, for square matrices
    wanted.min(1 << most)
}

pub fn run(options: &Options) -> Outcome {
    let engines = engines(options.device.as_deref(), options.compare)?;
    // A file that cannot be written is found out before the minutes of measuring.
    let file = match &options.json {
        None => None,
        Some(path) => {
            let file = Replacement::new(path).map_err(|error| format!("bench: {}: {error}", path.display()))?;
            Some((path, file))
        }
    };
    let mut measured = Vec::new();
    for engine in &engines {
        measured.extend(on(engine, options)?);
    }
    if measured.is_empty() {
        return Err(format!("bench: no row's name contains {:?}", options.filter).into());
    }
    let names: Vec<&str> = engines.iter().map(|engine| engine.name.as_str()).collect();
    print(&if engines.len() > 1 { table::compared(&measured, &names) } else { table::measured(&measured) })?;
    if let Some((path, mut file)) = file {
        let text = serde_json::to_string_pretty(&measured)? + "\n";
        file.write_all(text.as_bytes())
            .and_then(|()| file.finish())
            .map_err(|error| format!("bench: {}: {error}", path.display()))?;
    }
    Ok(())
}

/// Every row on one engine, which is closed afterwards.
fn on(engine: &Engine, options: &Options) -> Outcome<Vec<Measured>> {
    let device = engine.open()?;
    let n = elements(&device, options.quick);
    let (inputs, ends) = (workloads::Inputs::new(&device, n), transfers::Ends::new(&device, n));
    let (lookups, grouped) = (lookups::Lookups::new(&inputs), groups::Keys::new(&inputs));
    let keys = sorts::inputs(&device, options.quick);
    let products = products::products(&device, options.quick);
    let source = randoms::Source::new(&device, n);
    let signals = spectra::Signals::new(&device, options.quick);
    let image = convolutions::Image::new(&device, options.quick);
    let layers = channels::Layers::new(&device, options.quick);
    let plate = stencils::Plate::new(&device, options.quick);
    let mut rows = workloads::rows(&inputs);
    rows.extend(histograms::rows(&inputs));
    rows.extend(lookups::rows(&lookups));
    rows.extend(groups::rows(&grouped));
    rows.extend(sorts::rows(&keys));
    rows.extend(randoms::rows(&source));
    rows.extend(spectra::rows(&signals));
    rows.extend(convolutions::rows(&image));
    rows.extend(channels::rows(&layers));
    rows.extend(stencils::rows(&plate));
    rows.extend(products::rows(&products));
    rows.extend(kernels::rows(&device, options.quick, || engine.open())?);
    rows.extend(transfers::rows(&ends));
    rows.extend(latency::rows(&device)?);
    rows.extend(tutorial::rows(&device));
    rows.retain(|row| row.op.contains(&options.filter) && engine.runs(row.op));
    print(&format!("crosslane {} on {}\n", env!("CARGO_PKG_VERSION"), device.properties()))?;
    let known = device.properties().caps.tuning.to_string();
    let tuned = device.caps().tuning.to_string();
    let tuned: Vec<&str> = tuned.lines().filter(|line| !known.lines().any(|known| known == *line)).collect();
    if !tuned.is_empty() {
        print(&format!("tuned: {}\n", tuned.join(", ")))?;
    }
    measure_all(&rows, &engine.name, &device, options.quick)
}

/// A progress bar for this many steps, if the output is a terminal.
pub fn progress(steps: usize) -> Outcome<ProgressBar> {
    let bar = ProgressBar::new(steps as u64);
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len}, {eta} left, {msg}")?);
    Ok(bar)
}

fn measure_all(rows: &[Row], engine: &str, device: &Device, quick: bool) -> Outcome<Vec<Measured>> {
    let bar = progress(rows.len())?;
    let mut done: Vec<Measured> = Vec::new();
    for row in rows {
        bar.set_message(row.op);
        let mut measured = measure(row, engine, device, quick)?;
        let copy = done.iter().find(|other| other.op == "copy_f32").unwrap_or(&measured);
        if matches!(row.group, Group::Memory { .. }) && copy.op == "copy_f32" {
            measured.percent_of_copy = Some(100.0 * measured.value / copy.value);
        }
        done.push(measured);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(done)
}
