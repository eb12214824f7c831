//! `crosslane check`: a kernel's requirements, the devices that it runs on, its translations, and the sanitizer's
//! findings.

use super::kernel::{self, Inputs, reflection};
use super::translate::{Language, translate};
use super::{Outcome, print};
use crosslane::Kernel;
use crosslane::device::Caps;
use crosslane::kernel::Reflection;
use std::io::Write;

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    kernel: kernel::Options,
    /// Prints only the kernel in this language; SPIR-V is bytes.
    #[arg(long, value_name = "LANGUAGE")]
    emit: Option<Language>,
    /// The architecture that CUDA's text is compiled for, as sm_90; else the first card's here, or sm_90.
    #[cfg(feature = "cuda")]
    #[arg(long, value_name = "SM", value_parser = super::cuda::architecture)]
    arch: Option<u32>,
    #[command(flatten)]
    requested: Requested,
}

/// What the sanitizer looks for on request, by the names of the fields of `Checks`: neither is a defect by itself.
#[derive(clap::Args)]
#[group(skip)]
struct Requested {
    /// The sanitizer also finds reads of workgroup memory that nothing wrote, though WGSL sets it to zero: a kernel that
    /// relies on that is wrong once it is trusted.
    #[arg(long, requires = "grid")]
    workgroup_unset: bool,
    /// The sanitizer also finds f32 operations that make NaN out of numbers.
    #[arg(long, requires = "grid")]
    nan: bool,
    /// The sanitizer runs a grid of any size. It takes some seconds for 10^7 invocations of a short kernel.
    #[arg(long, requires = "grid")]
    whole_grid: bool,
}

/// Invocations that the sanitizer runs without being asked to twice: about a minute of a short kernel.
#[cfg(feature = "cpu")]
const MOST_INVOCATIONS: u64 = 1 << 26;

pub fn run(options: &Options) -> Outcome {
    let kernel = options.kernel.kernel()?;
    if let Some(language) = options.emit {
        let text = translate(&kernel, language).map_err(|error| format!("{}: {error}", language.name()))?;
        return std::io::stdout().write_all(&text).map_err(|error| format!("standard output: {error}").into());
    }
    print(&format!("{}: {}", options.kernel.file.display(), describe(&kernel, reflection(&kernel))))?;
    for found in &reflection(&kernel).unportable {
        print(&format!(
            "other implementations of WGSL refuse {}:{}:{}: {}; {}",
            options.kernel.file.display(),
            found.line,
            found.column,
            found.kind,
            found.kind.remedy()
        ))?;
    }
    for (name, caps) in Caps::presets() {
        let breaks = reflection(&kernel).breaks(&caps);
        print(&format!("{name}: {}", if breaks.is_empty() { "runs".into() } else { breaks.join("; ") }))?;
    }
    for language in Language::NAGA {
        let outcome = match translate(&kernel, language) {
            Ok(text) => format!("ok, {} bytes", text.len()),
            Err(error) => error.to_string(),
        };
        print(&format!("{}: {outcome}", language.name()))?;
    }
    #[cfg(feature = "cuda")]
    print(&format!("CUDA: {}", super::cuda::figures(&kernel, options.arch)))?;
    match options.kernel.grid()? {
        Some(grid) => {
            let inputs = options.kernel.inputs(&kernel)?;
            print(&format!("sanitizer: {}", sanitize(&kernel, grid, &inputs, &options.requested)?))
        }
        None => Ok(()),
    }
}

/// An error for a grid that would run for hours.
#[cfg(feature = "cpu")]
fn bounded(kernel: &Kernel, grid: [u32; 3]) -> Outcome<()> {
    let size: u128 = reflection(kernel).workgroup_size.iter().map(|&n| n as u128).product();
    let groups: u128 = grid.iter().map(|&n| n as u128).product();
    match groups * size <= MOST_INVOCATIONS as u128 {
        true => Ok(()),
        false => Err(format!(
            "--grid: {groups} workgroups of {size} invocations, which the sanitizer runs one after the other; wanted \
             {MOST_INVOCATIONS} invocations at most; a smaller grid finds the same defects as a rule, or add --whole-grid"
        )
        .into()),
    }
}

/// Does work while a bar on the terminal shows how many workgroups of a grid have run.
#[cfg(feature = "cpu")]
fn shown<R>(device: &crosslane::Device, grid: [u32; 3], work: impl FnOnce() -> R) -> Outcome<R> {
    use std::sync::mpsc::{RecvTimeoutError, channel};
    use std::time::Duration;
    let groups = grid.iter().fold(1u64, |all, &n| all.saturating_mul(n as u64));
    let bar = super::bench::progress(usize::try_from(groups).unwrap_or(usize::MAX))?;
    bar.set_message("workgroups");
    let (end, ended) = channel::<()>();
    let result = std::thread::scope(|scope| {
        let bar = &bar;
        scope.spawn(move || {
            while ended.recv_timeout(Duration::from_millis(200)) == Err(RecvTimeoutError::Timeout) {
                bar.set_position(device.checked_workgroups());
            }
        });
        let result = work();
        drop(end);
        result
    });
    bar.finish_and_clear();
    Ok(result)
}

/// Runs the kernel under the sanitizer: an error if it finds a defect. What it says beside that is no error.
#[cfg(feature = "cpu")]
fn sanitize(kernel: &Kernel, grid: [u32; 3], inputs: &Inputs, requested: &Requested) -> Outcome<String> {
    use crosslane::DeviceOptions;
    use crosslane::cpu::{Checks, Profile};
    let &Requested { workgroup_unset, nan, whole_grid } = requested;
    if !whole_grid {
        bounded(kernel, grid)?;
    }
    let checks = Checks::default().with(|checks| (checks.workgroup_unset, checks.nan) = (workgroup_unset, nan));
    let device = DeviceOptions::default().cpu(Profile::native(), Some(checks))?;
    let ready = inputs.upload(&device, kernel, grid)?;
    shown(&device, grid, || ready.launch())??;
    let remarks = device.remarks()?;
    Ok(match remarks.findings.is_empty() {
        true => "nothing found".into(),
        false => format!("no defect; to know:\n{remarks}"),
    })
}

#[cfg(not(feature = "cpu"))]
fn sanitize(_kernel: &Kernel, _grid: [u32; 3], _inputs: &Inputs, requested: &Requested) -> Outcome<String> {
    let Requested { workgroup_unset: _, nan: _, whole_grid: _ } = requested;
    Ok("not built in: enable the cargo feature `cpu`".into())
}

/// The entry point and all that it wants, a line each.
fn describe(kernel: &Kernel, reflection: &Reflection) -> String {
    let [x, y, z] = reflection.workgroup_size;
    let mut lines = vec![format!(
        "{}, workgroups of {x} x {y} x {z}, {} bytes of workgroup memory",
        kernel.entry(),
        reflection.workgroup_bytes
    )];
    for resource in &reflection.bindings {
        lines.push(format!("  {resource}, at least {} bytes", resource.bytes));
    }
    if reflection.immediate_bytes > 0 {
        lines.push(format!("  var<immediate>, {} bytes", reflection.immediate_bytes));
    }
    for wanted in &reflection.overrides {
        let default = match (wanted.required, wanted.default) {
            (true, _) => ", without a default".into(),
            (_, Some(value)) => format!(" = {value}"),
            (_, None) => String::new(),
        };
        lines.push(format!("  override {}: {}{default}", wanted.name, wanted.ty));
    }
    let features: Vec<&str> = reflection.features.iter().map(|feature| feature.name()).collect();
    lines.push(format!("  needs {}", if features.is_empty() { "no feature".into() } else { features.join(", ") }));
    lines.join("\n")
}
