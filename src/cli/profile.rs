//! `crosslane profile`: where the time of one kernel from a file goes.

use super::{Outcome, kernel, print, told};
use crosslane::Device;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    kernel: kernel::Options,
    /// An index, part of a name, API or kind: 0, nvidia, vulkan, vulkan:nvidia, software. Else CROSSLANE_DEVICE or the
    /// best one.
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
    /// How often it runs, after one run that does not count. What it writes stays: each run begins with what the one
    /// before left.
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    runs: u32,
    /// Writes Chrome's trace events, for https://ui.perfetto.dev or chrome://tracing.
    #[arg(long, value_name = "FILE.json")]
    trace: Option<PathBuf>,
}

pub fn run(options: &Options) -> Outcome {
    let kernel = options.kernel.kernel()?;
    let grid = options.kernel.grid()?.ok_or("--grid: wanted the workgroups in each dimension, as 64 or 64,8,1")?;
    let inputs = options.kernel.inputs(&kernel)?;
    let device = match &options.device {
        Some(request) => Device::open(request)?,
        None => Device::new()?,
    };
    let ready = inputs.upload(&device, &kernel, grid)?;
    ready.launch().and_then(|()| device.synchronize()).map_err(told)?;
    let ((), trace) = device.profile(|| (0..options.runs).try_for_each(|_| ready.launch())).map_err(told)?;
    print(&trace.to_string())?;
    print(&format!("occupancy: {}", kernel.occupancy(&device).map_err(told)?))?;
    if let Some(path) = &options.trace {
        std::fs::write(path, trace.chrome_json()).map_err(|error| format!("--trace {}: {error}", path.display()))?;
    }
    Ok(())
}
