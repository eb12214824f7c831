//! Kernels of all cases through other vendors' compilers, without their cards: Mesa's drivers, answered by shims in the kernel's place.
//!
//! CI compiles one case in many for a few devices, others each day. `CROSSLANE_STATISTICS=all` compiles each kernel for each device, and
//! writes `benches/vendors.md`; an operation's name in place of `all` prints its kernels. `CROSSLANE_VENDOR` names one device, or a part of
//! names.

mod child;
mod devices;
mod known;
mod page;
mod process;
mod told;

use crate::support::say;
use child::Task;
use known::{Finding, KNOWN, Known};
use process::Told;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

pub use child::TASK;
pub use devices::{DEVICES, Device};
pub use process::{folder, is_there, start};

/// `all`, or an operation.
const STATISTICS: &str = "CROSSLANE_STATISTICS";

/// A part of devices' names.
const VENDOR: &str = "CROSSLANE_VENDOR";

/// Seconds of the processor for each device.
const SECONDS: &str = "CROSSLANE_VENDOR_SECONDS";

/// CI's sample: one case in so many, of so many devices, each for so many seconds of the processor at most.
const SAMPLED: (usize, usize, u64) = (60, 4, 12);

#[test]
fn vendors_compilers_take_every_kernel() {
    if let Ok(task) = std::env::var(TASK) {
        return child::compile(&task);
    }
    let Some(folder) = folder() else { return };
    let (wanted, begun) = (std::env::var(STATISTICS).ok(), Instant::now());
    let devices: Vec<&Device> = devices(wanted.is_some()).into_iter().filter(|one| is_there(&folder, one)).collect();
    let task = task(wanted.as_deref());
    let told = side_by_side(&devices, |device| {
        let begun = Instant::now();
        let told = process::run(&folder, device, &task, "vendors::vendors_compilers_take_every_kernel");
        let whole = if told.whole { "" } else { ", the rest had no time" };
        say(&format!("{}: {} kernels{whole}, {:.0} s", device.name, told.kernels.len(), begun.elapsed().as_secs_f64()));
        if wanted.as_deref() == Some("all") {
            page::keep(device, &told);
        }
        told
    });
    say(&format!("vendors' compilers: {:.0} s", begun.elapsed().as_secs_f64()));
    match wanted.as_deref() {
        Some("all") => page::write(),
        Some(_) => devices.iter().zip(&told).for_each(|(device, told)| say(&page::list(device, told))),
        None => {}
    }
    judge(&devices, &told, wanted.as_deref() == Some("all"));
}

/// Those that are named; without statistics a few, others each day.
fn devices(all: bool) -> Vec<&'static Device> {
    let named = std::env::var(VENDOR).unwrap_or_default();
    let devices: Vec<&Device> = DEVICES.iter().filter(|device| device.name.contains(&named)).collect();
    assert!(!devices.is_empty(), "{VENDOR}={named}: there are {:?}", DEVICES.map(|device| device.name));
    if all || !named.is_empty() {
        return devices;
    }
    let sampled: Vec<&Device> = devices.into_iter().filter(|device| device.sampled).collect();
    let count = sampled.len();
    (0..SAMPLED.1).map(|nth| sampled[(day() * SAMPLED.1 + nth) % count]).collect()
}

fn task(wanted: Option<&str>) -> Task {
    let (operation, every, seconds) = match wanted {
        Some(operation) => (operation.to_string(), 1, u64::MAX),
        None => ("all".to_string(), SAMPLED.0, SAMPLED.2),
    };
    let seconds = std::env::var(SECONDS).map_or(seconds, |seconds| seconds.parse().expect("a number of seconds"));
    // A prime step: each case has its day.
    Task { operation, every, first: day() * 7 % every, done: 0, seconds, kernels: usize::MAX }
}

fn day() -> usize {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock is past 1970");
    (since.as_secs() / 86_400) as usize
}

/// Each keeps a processor busy.
fn side_by_side<R: Send>(devices: &[&Device], run: impl Fn(&Device) -> R + Sync) -> Vec<R> {
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(device) = devices.get(next.fetch_add(1, Ordering::Relaxed)) {
            let place = devices.iter().position(|other| std::ptr::eq(*other, *device)).expect("one of them");
            let result = run(device);
            all.lock().expect("no thread panics with it").push((place, result));
        }
    };
    std::thread::scope(|scope| {
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        let running: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        running.into_iter().for_each(|thread| thread.join().unwrap());
    });
    let mut all = all.into_inner().expect("no thread panics with it");
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, result)| result).collect()
}

/// Nothing is found that is not known, and what is known is found where all was compiled.
fn judge(devices: &[&Device], told: &[Told], all: bool) {
    let (mut unknown, mut used) = (vec![], [false; KNOWN.len()]);
    for (device, told) in devices.iter().zip(told) {
        assert!(!told.kernels.is_empty() || !told.whole, "{}: nothing was compiled", device.name);
        let sizes = told.sizes();
        assert!(sizes.iter().all(|size| device.subgroups.contains(size)), "{}: subgroups of {sizes:?}", device.name);
        if all && told.whole {
            let unseen = device.subgroups.iter().filter(|size| !sizes.contains(size));
            unseen.for_each(|size| say(&format!("{}: nothing runs in subgroups of {size}", device.name)));
        }
        for one in &told.kernels {
            for finding in Finding::of(one) {
                match KNOWN.iter().position(|known| known.explains(device, one, &finding)) {
                    Some(nth) => used[nth] = true,
                    None => unknown.push(format!("{}: {}: {}: {finding}", device.name, one.operation, one.what)),
                }
            }
        }
    }
    if all {
        let may_be_found = |known: &Known| devices.iter().any(|device| device.name.contains(known.device));
        for (known, _) in KNOWN.iter().zip(used).filter(|(known, used)| !used && may_be_found(known)) {
            let Known { device, operation, what, why, .. } = known;
            say(&format!("nothing is found any more of what is known: {device:?}, {operation}, {what:?}: {why}"));
        }
    }
    assert!(unknown.is_empty(), "{} kernels are worth a look:\n{}", unknown.len(), unknown.join("\n"));
}
