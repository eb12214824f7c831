//! Whether work is worth a device: its time there, transfers included, beside a loop's on the processor.

use crate::array::Array;
use crate::device::Device;
use crosslane_core::error::Result;
use crosslane_core::platform::Instant;
use crosslane_core::trace::Costs;
use std::fmt;
use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Duration;

/// About how long work takes on a device and on one thread of the processor: [`Device::worth`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worth {
    /// There and back: the wait for a launch, the transfers, and the work.
    pub device: Duration,
    /// A plain loop over the same bytes, on one thread.
    pub processor: Duration,
}

impl Worth {
    /// Whether the device is the faster one.
    pub fn is_device(&self) -> bool {
        self.device < self.processor
    }
}

impl fmt::Display for Worth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let better = if self.is_device() { "the device" } else { "the processor" };
        write!(f, "device {:.1?}, processor {:.1?}: {better}", self.device, self.processor)
    }
}

/// Bytes and operations a second of one thread.
struct Thread {
    bytes: f64,
    flops: f64,
}

/// Elements of the transfers whose rate is measured, and of the loops': past a processor's caches, and within the nearest.
const MOVED: usize = 1 << 20;
const FAR: usize = 1 << 22;
const NEAR: usize = 1 << 11;
/// Runs of which the best counts.
const RUNS: usize = 5;

impl Device {
    /// About how long this device takes for work on so many bytes, which travel to it or back, with so many operations of f32,
    /// and how long a loop on one thread of the processor takes. For a decision where to compute; work whose data stays on the
    /// device counts only the bytes that travel.
    ///
    /// Estimated from the device's latency and transfer rate, its [`Device::roofline`], and loops of this program's build:
    /// measured at the first call, in some 100 ms, and kept. Real work reaches a part of both; divide `flops` by that part
    /// where it is known.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let n = 100;
    /// let product = device.worth(3 * 4 * n * n, 2 * n * n * n)?; // three matrices of 100 x 100
    /// println!("{product}");
    /// let nothing = device.worth(4, 1)?;
    /// assert!(!nothing.is_device()); // a launch takes longer than one addition
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: out of memory; device lost.
    #[doc(alias = "crossover")]
    pub fn worth(&self, bytes: u64, flops: u64) -> Result<Worth> {
        let roofline = self.roofline()?;
        let costs = self.kept_costs(|| measured(self))?;
        let (bytes, flops) = (bytes as f64, flops as f64);
        let there = (bytes / roofline.bytes_per_second).max(flops / roofline.flops_per_second);
        let thread = thread();
        let time = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        Ok(Worth {
            device: time(costs.latency + bytes / costs.transfer + there),
            processor: time((bytes / thread.bytes).max(flops / thread.flops)),
        })
    }
}

fn measured(device: &Device) -> Result<Costs> {
    let round_trip = |len: usize| -> Result<f64> {
        let values = vec![1.0f32; len];
        let trip = || (Array::from_slice(device, &values) + 1.0f32).to_vec().map(|back| drop(black_box(back)));
        trip()?;
        let mut best = f64::INFINITY;
        for _ in 0..RUNS {
            let start = Instant::now();
            trip()?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        Ok(best)
    };
    let latency = round_trip(1)?;
    let long = round_trip(MOVED)?;
    let moved = (2 * MOVED * size_of::<f32>()) as f64;
    Ok(Costs { latency, transfer: moved / (long - latency).max(1e-9) })
}

/// The rates of a thread, measured once in a process.
fn thread() -> &'static Thread {
    static THREAD: OnceLock<Thread> = OnceLock::new();
    THREAD.get_or_init(|| {
        let seconds = |len: usize, turns: usize| {
            let (a, mut b) = (vec![1.0f32; len], vec![0.5f32; len]);
            let run = |b: &mut [f32]| {
                let start = Instant::now();
                for _ in 0..turns {
                    black_box(&a).iter().zip(&mut *b).for_each(|(a, b)| *b = *b * 0.5 + a);
                    black_box(&mut *b);
                }
                start.elapsed().as_secs_f64().max(1e-9)
            };
            (0..RUNS).map(|_| run(&mut b)).fold(f64::INFINITY, f64::min)
        };
        const TURNS: usize = 256;
        Thread {
            // Two arrays read, one written.
            bytes: (3 * FAR * size_of::<f32>()) as f64 / seconds(FAR, 1),
            flops: (2 * NEAR * TURNS) as f64 / seconds(NEAR, TURNS),
        }
    })
}
