//! `crosslane profile`: where the time of one kernel from a file goes.

use super::{Outcome, kernel, print, told};
use crosslane::Replacement;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    target: kernel::Target,
    /// The number of timed runs, after one warm-up run. Outputs are not reset between runs.
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    runs: u32,
    /// Writes Chrome's trace events, for https://ui.perfetto.dev or chrome://tracing.
    #[arg(long, value_name = "FILE.json")]
    trace: Option<PathBuf>,
}

pub fn run(options: &Options) -> Outcome {
    let kernel = options.target.kernel.kernel()?;
    let ready = options.target.launched(&kernel)?;
    let ((), trace) = ready.device.profile(|| (0..options.runs).try_for_each(|_| ready.launch())).map_err(told)?;
    print(&trace.to_string())?;
    print(&format!("occupancy: {}", kernel.occupancy(&ready.device).map_err(told)?))?;
    if let Some(path) = &options.trace {
        let write = || {
            let mut file = Replacement::new(path)?;
            file.write_all(trace.chrome_json().as_bytes())?;
            file.finish()
        };
        write().map_err(|error: std::io::Error| format!("--trace {}: {error}", path.display()))?;
    }
    Ok(())
}
