//! Long life: what is done again and again leaves no memory, handles or threads behind. `CROSSLANE_LONG=100` does all of it a
//! hundred times as long: 10^6 evaluations, 10^4 devices opened and closed, minutes of mixed work.
//!
//! Each test first works until all that is kept for the next time is kept, then measures, works on and measures again.
//! `tests/kept.rs` shows that what is kept has a bound.

mod support;

use crosslane::array::OutOfRange;
use crosslane::{Array, Device, DeviceOptions, Kernel, Recording, Stream, eval_all, random::Generator};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};
use support::process::Usage;
use support::*;

/// MiB that resident memory may grow by. The allocator's arenas and the stacks of threads that come and go move it by a few;
/// 10^6 evaluations that left a single word each would take 8, 10^4 devices that left 2 KiB each 20.
const MOST_MEMORY: f64 = 12.0;
/// Threads and handles end a moment after their owner.
const PATIENCE: Duration = Duration::from_secs(10);
/// How much longer than in CI.
fn times() -> f64 {
    std::env::var("CROSSLANE_LONG").ok().and_then(|text| text.parse().ok()).unwrap_or(1.0)
}

/// The process is measured by one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Rounds to warm up, then so many more, times what the environment asks for, that must leave nothing behind. A tenth of a long run
/// warms up: what is kept for the next time still grew by 10 MiB in the first four minutes of mixed work, and by 3 in the hour
/// after.
fn leaves_nothing(what: &str, warm: u64, rounds: u64, mut work: impl FnMut(u64)) {
    let warm = warm.max((rounds as f64 * (times() - 1.0) / 10.0) as u64);
    (0..warm).for_each(&mut work);
    let Some(before) = Usage::now() else {
        return say(&format!("not measured: {what}: the system does not say what the process has"));
    };
    let began = Instant::now();
    let rounds = (rounds as f64 * times()) as u64;
    (warm..warm + rounds).for_each(&mut work);
    let took = began.elapsed().as_secs_f64();
    let after = Usage::settled(&before, PATIENCE).expect("it was measured before");
    say(&format!("{what}: {rounds} rounds in {took:.1} s: {before:?}, then {after:?}"));
    assert!(after.memory - before.memory < MOST_MEMORY, "{what}: {before:?} became {after:?}");
    assert!(after.threads <= before.threads && after.handles <= before.handles, "{what}: {before:?} became {after:?}");
}

/// Small evaluations of some kinds: fused, reduced, sorted, with an error.
fn evaluate(x: &Array<f32>, round: u64) {
    let factor = (round % 1000) as f32;
    match round % 8 {
        0 => assert!(x.reshape(&[7]).to_vec().is_err()),
        1 => assert_eq!(x.sort().to_vec().unwrap()[0], 0.0),
        2 => assert_eq!(x.cumsum(0).to_vec().unwrap()[3], 6.0),
        3 => assert_eq!((x * factor + 1.0).to_vec().unwrap()[2], 2.0 * factor + 1.0),
        _ => assert_eq!((x * factor).sum().item().unwrap(), 28.0 * factor),
    }
}

#[test]
fn evaluations() {
    let _one = alone();
    let device = Device::cpu().unwrap();
    let x = Array::arange(&device, 0.0f32, 8.0, 1.0);
    leaves_nothing("evaluations", 1000, 10_000, |round| evaluate(&x, round));
    drop(x);
    assert_eq!(device.memory().live, 0);
}

/// Opens a device, uses it in some ways, and closes it.
fn open_and_close(request: &str, round: u64) -> crosslane::Result<()> {
    let device = DeviceOptions::default().memory_limit(64 << 20).open(request)?;
    let x = Array::arange(&device, 0.0f32, 8.0, 1.0);
    let y = &x * 2.0 + (round % 3) as f32;
    let stream = Stream::new(&device)?;
    assert_eq!(stream.run(|| y.sum().item())?, 56.0 + 8.0 * (round % 3) as f32);
    if round.is_multiple_of(2) {
        // Work that nobody waits for, and a fault that nobody is told of.
        drop(x.take(&Array::from_slice(&device, &[99u32]), OutOfRange::Error).eval());
        drop(y.to_vec_async());
    }
    Ok(())
}

#[test]
fn devices_on_the_processor() {
    let _one = alone();
    let requests = ["cpu", "cpu:checked", "cpu:interpreted", "cpu:compiled", "cpu:one-pass", "cpu:apple-like"];
    leaves_nothing("devices on the processor", 20, 100, |round| {
        open_and_close(requests[round as usize % requests.len()], round).unwrap();
    });
}

#[test]
fn devices_of_a_driver() {
    let _one = alone();
    if let Some(device) = fresh("lavapipe") {
        drop(device);
        // LLVM and its allocator grow by 12 MiB in the first 50 rounds, by 8 in the 200 after.
        leaves_nothing("devices of lavapipe", 50, 20, |round| {
            open_and_close("lavapipe", round).unwrap();
        });
    }
}

/// A turn of a thread of the mixed work.
fn mixed(device: &Device, round: u64) -> crosslane::Result<()> {
    let length = 1 + round as usize * 37 % 900;
    let mut random = Generator::new(device, round);
    let x = random.uniform::<f32>(&[length]);
    let wanted = x.to_vec()?;
    let (y, sorted) = (&x + 1.0, x.sort());
    eval_all(&[&y, &sorted])?;
    let smallest = wanted.iter().copied().fold(f32::INFINITY, f32::min);
    assert_eq!(sorted.to_vec()?[0], smallest);
    match round % 6 {
        0 => {
            let doubled = &x * 2.0;
            let mut recording = Recording::of(&[&doubled])?;
            (0..3).try_for_each(|_| recording.run())?;
        }
        1 => {
            // Texts that have not been there before, of which some are kept.
            let text = format!(
                "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
                 @compute @workgroup_size(1) fn main() {{ x[0] = {round}u; }}"
            );
            let mut result = Array::<u32>::zeros(device, &[1]);
            Kernel::wgsl(&text)?.grid([1]).args(&mut result).launch(device)?;
            assert_eq!(result.item()? as u64, round);
        }
        2 => assert!(Kernel::wgsl(&format!("fn f{round}() {{")).is_err()),
        3 => {
            let tensor = y.to_dlpack()?;
            assert_eq!(Array::<f32>::from_dlpack(device, tensor)?.len(), length);
        }
        4 => {
            let rows = x.reshape(&[1, length]);
            assert_eq!(rows.matmul(&rows.transpose()).len(), 1);
            drop(rows.to_vec_async());
        }
        _ => assert!(Array::<f32>::zeros(device, &[1 << 20, 1 << 20]).copy().eval().is_err()),
    }
    Ok(())
}

/// Several threads on one device. A round is half a second: `CROSSLANE_LONG=1800` works for an hour.
#[test]
fn mixed_work() {
    let _one = alone();
    let device = Device::cpu().unwrap();
    let next = std::sync::atomic::AtomicU64::new(0);
    let threads = |_| {
        let began = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while began.elapsed() < Duration::from_millis(500) {
                        let round = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        mixed(&device, round).unwrap();
                    }
                });
            }
        });
    };
    // Until kernels of texts are kept up to their number.
    leaves_nothing("mixed work", 3, 4, threads);
    say(&format!("mixed work: {} turns", next.into_inner()));
}
