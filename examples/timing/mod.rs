//! How the examples measure: kernels that are compiled and warm, the median of several runs, each waited for.
#![allow(dead_code, reason = "each example uses a part of it")]

use crosslane::{Device, Result};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Runs of a measurement, unless they take long.
const RUNS: usize = 21;
const LONG: Duration = Duration::from_millis(500);

/// Microseconds of `work` with the wait for it.
pub fn microseconds(device: &Device, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    median(|| {
        work()?;
        device.synchronize()
    })
}

/// Microseconds of `work` on the processor.
pub fn of_processor<R>(mut work: impl FnMut() -> R) -> f64 {
    median(|| {
        black_box(work());
        Ok(())
    })
    .expect("loops have no errors")
}

fn median(mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut once = || -> Result<f64> {
        let start = Instant::now();
        work()?;
        Ok(start.elapsed().as_secs_f64() * 1e6)
    };
    once()?;
    let begin = Instant::now();
    let mut times = vec![once()?];
    while times.len() < RUNS && begin.elapsed() < LONG {
        times.push(once()?);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}
