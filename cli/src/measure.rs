//! One line of the benchmark as data, and how it is timed.

use super::Outcome;
use crosslane::{Array, Device, Result};
use serde::Serialize;
use std::time::{Duration, Instant};

/// What is measured. It decides the clock, the unit and the number of repetitions.
#[derive(Clone, Copy, PartialEq)]
pub enum Group {
    /// Kernels that move this many bytes of device memory: GB/s by the device's clock.
    Memory { bytes: u64 },
    /// A transfer of this many bytes between host and device: GB/s by the host's clock.
    Transfer { bytes: u64 },
    /// A kernel of this many operations: TFLOP/s by the device's clock.
    Compute { flops: u64 },
    /// This many keys sorted: Gkeys/s by the device's clock.
    Keys { keys: u64 },
    /// Microseconds by the host's clock.
    Latency,
    /// Milliseconds by the host's clock, of work that can be done only once: [`Row::before`] prepares it again.
    First,
}

/// A line of the benchmark before it has run.
pub struct Row<'a> {
    /// The name, as in `benches/peers` where it has the same benchmark.
    pub op: &'static str,
    /// Elements; launches for latencies; rows of a square matrix.
    pub n: usize,
    pub group: Group,
    /// Done before each run, untimed.
    pub before: Option<Box<dyn Fn() -> Result<()> + 'a>>,
    /// Computes the result once and compares it with the host's.
    pub check: Box<dyn Fn() -> Outcome + 'a>,
    /// The work that is timed. Latencies and transfers wait for the result; kernels are only submitted.
    pub work: Box<dyn Fn() -> Result<()> + 'a>,
}

/// A line of the benchmark, as `--json` writes it.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    pub op: &'static str,
    pub n: usize,
    pub engine: String,
    pub device: String,
    pub value: f64,
    pub unit: &'static str,
    pub percent_of_copy: Option<f64>,
    pub median_s: f64,
    pub min_s: f64,
    /// `device` or `wall`.
    pub clock: &'static str,
}

/// While the host checks, a card falls asleep: on the H200 five runs of a kernel were not enough to wake it, and a copy
/// ran at 3,314 GB/s where it does 4,230, a sum at 1,807 where it does 4,400 (2026-11-21).
const WARM_UP: Duration = Duration::from_millis(400);

/// Checks a line, then times it.
pub fn measure(row: &Row, engine: &str, device: &Device, quick: bool) -> Outcome<Measured> {
    (row.check)()?;
    let (warm, runs) = match (row.group, quick) {
        (Group::Latency, false) => (WARM_UP / 4, 200),
        (Group::Latency, true) => (WARM_UP / 20, 20),
        (Group::First, _) => (Duration::ZERO, if quick { 3 } else { 10 }),
        (_, false) => (WARM_UP, 20),
        (_, true) => (WARM_UP / 20, 5),
    };
    if let Group::First = row.group {
        // The first is the one that counts: nothing is run before.
    } else if let Group::Latency = row.group {
        // Small kernels would let it fall asleep: large ones keep it awake, and the peers' figures are taken so too.
        let large = Array::<f32>::full(device, &[1 << 22], 1.0);
        repeat(warm, || large.copy().eval().and_then(|()| device.synchronize()))?;
        (0..20).try_for_each(|_| (row.work)())?;
    } else {
        repeat(warm, || (row.work)().and_then(|()| device.synchronize()))?;
    }
    let on_device = match row.group {
        Group::Memory { .. } | Group::Compute { .. } | Group::Keys { .. } => {
            times(runs, || device.gpu_time(&row.work))?
        }
        _ => None,
    };
    let (clock, mut seconds) = match on_device {
        Some(seconds) => ("device", seconds),
        None => ("wall", times(runs, || wall(row, device).map(Some))?.expect("the host has a clock")),
    };
    seconds.sort_by(f64::total_cmp);
    let (median, min) = (seconds[seconds.len() / 2], seconds[0]);
    let (value, unit) = match row.group {
        Group::Memory { bytes } | Group::Transfer { bytes } => (bytes as f64 / median / 1e9, "GB/s"),
        Group::Compute { flops } => (flops as f64 / median / 1e12, "TFLOP/s"),
        Group::Keys { keys } => (keys as f64 / median / 1e9, "Gkeys/s"),
        Group::Latency => (median * 1e6, "us"),
        Group::First => (median * 1e3, "ms"),
    };
    let properties = device.properties();
    Ok(Measured {
        op: row.op,
        n: row.n,
        engine: engine.into(),
        device: properties.name.clone(),
        value,
        unit,
        percent_of_copy: None,
        median_s: median,
        min_s: min,
        clock,
    })
}

/// How long a line is measured: the warm-up, the runs at most, and the time that they may take by each clock; three runs at
/// least.
pub struct Effort {
    pub warm: Duration,
    pub runs: usize,
    pub budget: Duration,
}

/// The seconds of some runs, sorted: by the device's clock, if it has one, and by the host's, each with a wait for its result.
pub struct Times {
    pub device: Option<Vec<f64>>,
    pub host: Vec<f64>,
}

/// Times a line by both clocks, after its check.
pub fn timed(row: &Row, device: &Device, effort: &Effort) -> Outcome<Times> {
    (row.check)()?;
    let once = wall(row, device)?.as_secs_f64().max(1e-9);
    if once < effort.warm.as_secs_f64() {
        repeat(effort.warm, || (row.work)().and_then(|()| device.synchronize()))?;
    }
    let runs = ((effort.budget.as_secs_f64() / once) as usize).clamp(3, effort.runs.max(3));
    let sorted = |mut seconds: Vec<f64>| {
        seconds.sort_by(f64::total_cmp);
        seconds
    };
    let on_device = times(runs, || device.gpu_time(&row.work))?.map(sorted);
    let host = times(runs, || wall(row, device).map(Some))?.ok_or("the host's clock stands still")?;
    Ok(Times { device: on_device, host: sorted(host) })
}

/// The median time of some work in seconds, and the clock that measured it: `device` or `wall`.
pub fn median(device: &Device, work: &dyn Fn() -> Result<()>) -> Outcome<(f64, &'static str)> {
    let waited = || work().and_then(|()| device.synchronize());
    let wall = || {
        let start = Instant::now();
        waited().map(|()| Some(start.elapsed()))
    };
    let first = wall()?.unwrap_or_default();
    repeat(WARM_UP, waited)?;
    let runs = (2.0 / first.as_secs_f64().max(1e-6)).clamp(3.0, 100.0) as usize;
    let (clock, mut seconds) = match times(runs, || device.gpu_time(work))? {
        Some(seconds) => ("device", seconds),
        None => ("wall", times(runs, wall)?.expect("the host has a clock")),
    };
    seconds.sort_by(f64::total_cmp);
    Ok((seconds[runs / 2], clock))
}

/// Does it again and again for a while, and once at least.
fn repeat(time: Duration, work: impl Fn() -> Result<()>) -> Result<()> {
    let start = Instant::now();
    loop {
        work()?;
        if start.elapsed() >= time {
            return Ok(());
        }
    }
}

/// The seconds of each of some runs; `None` if there is no clock, or one that stands still.
fn times(runs: usize, mut run: impl FnMut() -> Result<Option<Duration>>) -> Result<Option<Vec<f64>>> {
    let mut seconds = Vec::with_capacity(runs);
    for _ in 0..runs {
        match run()? {
            Some(time) if !time.is_zero() => seconds.push(time.as_secs_f64()),
            _ => return Ok(None),
        }
    }
    Ok(Some(seconds))
}

fn wall(row: &Row, device: &Device) -> Result<Duration> {
    row.before.as_ref().map_or(Ok(()), |before| before())?;
    let start = Instant::now();
    (row.work)()?;
    if let Group::Memory { .. } | Group::Compute { .. } | Group::Keys { .. } = row.group {
        device.synchronize()?;
    }
    Ok(start.elapsed())
}
