//! How the examples measure: kernels that are compiled and warm, the median of several runs, each waited for.
//!
//! The cpu engine interprets a kernel until it has compiled it, and a card raises its clock with work: what is measured runs
//! for a while first, and until it gets no faster.
#![allow(dead_code, reason = "each example uses a part of it")]

use crosslane::{Device, Result};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Runs of a measurement, unless they take long.
const RUNS: usize = 21;
const LONG: Duration = Duration::from_millis(500);
/// How long work runs before it is measured, at least and at most.
const WARM: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(4)];

/// Microseconds of `work` with the wait for it.
pub fn microseconds(device: &Device, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut both = || {
        work()?;
        device.synchronize()
    };
    warm(&mut both)?;
    median(both)
}

/// Microseconds of `work` on the processor.
pub fn of_processor<R>(mut work: impl FnMut() -> R) -> f64 {
    black_box(work());
    median(|| {
        black_box(work());
        Ok(())
    })
    .expect("loops have no errors")
}

/// Runs work until it gets no faster.
pub fn warm(mut work: impl FnMut() -> Result<()>) -> Result<()> {
    let (begin, mut last) = (Instant::now(), Duration::MAX);
    loop {
        let start = Instant::now();
        work()?;
        let time = start.elapsed();
        let gets_faster = time.as_secs_f64() < 0.75 * last.as_secs_f64();
        if begin.elapsed() > WARM[1] || begin.elapsed() > WARM[0] && !gets_faster {
            return Ok(());
        }
        last = time;
    }
}

fn median(mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut once = || -> Result<f64> {
        let start = Instant::now();
        work()?;
        Ok(start.elapsed().as_secs_f64() * 1e6)
    };
    let begin = Instant::now();
    let mut times = vec![once()?];
    while times.len() < RUNS && begin.elapsed() < LONG {
        times.push(once()?);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}
