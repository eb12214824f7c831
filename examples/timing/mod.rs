//! How the examples measure: kernels that are compiled and warm, the fastest of several runs, each waited for.
//!
//! The cpu engine interprets a kernel until it has compiled it, and a card raises its clock with work: what is measured runs
//! for a while first, and until it gets no faster. Other work on the machine only adds time, so the fastest run is the one
//! that says most of the program's.
#![allow(dead_code, reason = "each example uses a part of it")]

use crosslane::{Device, Result};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Runs of a measurement, unless they take long.
const RUNS: usize = 21;
const LONG: Duration = Duration::from_millis(500);
/// How long work runs before it is measured, at least and at most.
const WARM: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(4)];
/// Runs that get no faster before it is measured. The cpu engine begins to compile a kernel after 2^20 words, which are fewer
/// than 16 launches of most kernels that take it a millisecond.
const STEADY: usize = 16;

/// Microseconds of `work` with the wait for it.
pub fn microseconds(device: &Device, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut both = || {
        work()?;
        device.synchronize()
    };
    warm(&mut both)?;
    fastest(both)
}

/// Says what a debug build does not show: `cargo` optimises neither the examples' loops in it, nor the crates by which the cpu
/// engine does products of matrices and Fourier transforms.
pub fn tell_debug_build() {
    if cfg!(debug_assertions) {
        println!(
            "(a debug build: loops, products and transforms of the cpu engine are not optimised: compare by --release)"
        );
    }
}

/// Microseconds of `work` on the processor.
pub fn of_processor<R>(mut work: impl FnMut() -> R) -> f64 {
    black_box(work());
    fastest(|| {
        black_box(work());
        Ok(())
    })
    .expect("loops have no errors")
}

/// Runs work until it gets no faster.
pub fn warm(mut work: impl FnMut() -> Result<()>) -> Result<()> {
    let (begin, mut best, mut steady) = (Instant::now(), Duration::MAX, 0);
    loop {
        let start = Instant::now();
        work()?;
        let time = start.elapsed();
        steady = if time.as_secs_f64() < 0.75 * best.as_secs_f64() { 0 } else { steady + 1 };
        best = best.min(time);
        if begin.elapsed() > WARM[1] || begin.elapsed() > WARM[0] && steady >= STEADY {
            return Ok(());
        }
    }
}

/// Microseconds of the fastest of several runs.
pub fn fastest(mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let (begin, mut best) = (Instant::now(), Duration::MAX);
    for _ in 0..RUNS {
        let start = Instant::now();
        work()?;
        best = best.min(start.elapsed());
        if begin.elapsed() > LONG {
            break;
        }
    }
    Ok(best.as_secs_f64() * 1e6)
}
