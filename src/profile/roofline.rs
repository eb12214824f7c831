//! How a device's roofline is measured.

use crate::array::Array;
use crate::device::Device;
use crate::kernel::Kernel;
use crate::launch::Argument;
use crosslane_core::error::{ErrorKind, Result};
use crosslane_core::platform::Instant;
use crosslane_core::trace::Roofline;
use std::fmt::Write;
use std::time::Duration;

/// The time for each of the two measurements on a device that is slow, such as a software driver.
const BUDGET: Duration = Duration::from_millis(25);
/// Elements of the triad's arrays: at first, and at most: 256 MiB each, five times the largest cache of a GPU there is.
const ELEMENTS: (usize, usize) = (1 << 16, 1 << 26);
/// Past this many elements the triad's memory is returned to the system.
const KEPT: usize = 1 << 22;
/// A launch that takes this long is precise enough.
const ENOUGH: Duration = Duration::from_millis(2);
/// Runs of each size; the best counts.
const RUNS: usize = 3;

/// Values that each invocation computes side by side, each a vec4: arithmetic units are pipelines.
const CHAINS: usize = 8;
/// Multiply-adds of each value in one turn of the loop.
const UNROLL: usize = 8;

impl Device {
    /// The device's roofline: the speed of its memory and of its f32 arithmetic, as kernels of this library reach them.
    ///
    /// Measured at the first call, in about 50 ms on a slow device and a few ms on a card, and kept. The measurement
    /// allocates up to 768 MiB of device memory, or as much as is free, and releases it. On a slow device the arrays
    /// are short, and may fit its caches.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let roofline = device.roofline()?;
    /// println!("{:.1} GB/s, {:.1} GFLOP/s", roofline.bytes_per_second * 1e-9, roofline.flops_per_second * 1e-9);
    /// assert_eq!(device.roofline()?, roofline);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: out of memory even for short arrays; device lost.
    pub fn roofline(&self) -> Result<Roofline> {
        let mut kept = self.kept_roofline();
        if let Some(roofline) = *kept {
            return Ok(roofline);
        }
        let roofline = Roofline::new(bytes_per_second(self)?, flops_per_second(self)?);
        *kept = Some(roofline);
        Ok(roofline)
    }
}

/// The triad, on longer and longer arrays: the last one counts.
fn bytes_per_second(device: &Device) -> Result<f64> {
    let (started, most) = (Instant::now(), most_elements(device));
    let (mut len, mut rate) = (ELEMENTS.0.min(most), 0.0);
    loop {
        match triad(device, len) {
            Ok(time) => {
                rate = 12.0 * len as f64 / time.as_secs_f64();
                // The next takes four times as long, and so does what comes before it.
                if len == most || started.elapsed() + time * 4 * (RUNS as u32 + 2) > BUDGET && time * 4 > ENOUGH {
                    break;
                }
            }
            Err(error) if rate > 0.0 && matches!(error.kind(), ErrorKind::OutOfMemory { .. }) => break,
            Err(error) => return Err(error),
        }
        len = (len * 4).min(most);
    }
    if len > KEPT {
        device.trim();
    }
    Ok(rate)
}

fn most_elements(device: &Device) -> usize {
    let caps = device.caps();
    ELEMENTS.1.min((caps.binding_bytes.min(caps.buffer_bytes) / 4) as usize)
}

fn triad(device: &Device, len: usize) -> Result<Duration> {
    let (a, b) = (Array::full(device, &[len], 1.0f32).copy(), Array::full(device, &[len], 2.0f32).copy());
    crate::array::eval_all(&[&a, &b])?;
    best(device, || (&a + &b * 3.0).eval())
}

/// The multiply-adds, by more and more invocations and then more each: the best counts.
fn flops_per_second(device: &Device) -> Result<f64> {
    let workgroup = device.caps().workgroup();
    let kernel = Kernel::wgsl(&multiply_adds(workgroup))?.named("roofline");
    let (mut groups, mut turns, mut rate) = (4u32, 4u32, 0f64);
    // Compiling it is not to count.
    let (settings, y) = (Array::from_slice(device, &[0u32, 0]), Array::<f32>::zeros(device, &[workgroup as usize]));
    kernel.grid([1]).args((&settings, Argument::in_place(&y))).launch(device)?;
    device.synchronize()?;
    let started = Instant::now();
    loop {
        let y = Array::<f32>::zeros(device, &[(groups * workgroup) as usize]);
        let settings = Array::from_slice(device, &[turns, 0]);
        let launcher = kernel.grid([groups]).args((&settings, Argument::in_place(&y)));
        let time = best(device, || launcher.launch(device))?;
        let flops = (groups * workgroup) as f64 * turns as f64 * (CHAINS * UNROLL * 4 * 2) as f64;
        rate = rate.max(flops / time.as_secs_f64());
        if time > ENOUGH || started.elapsed() + time * 4 * RUNS as u32 > BUDGET {
            return Ok(rate);
        }
        if groups < 4096 { groups *= 4 } else { turns *= 4 }
    }
}

/// The kernel: what it multiplies by comes from memory, so that no compiler can compute it before.
fn multiply_adds(workgroup: u32) -> String {
    let each = |line: &dyn Fn(usize) -> String| (0..CHAINS).map(line).collect::<String>();
    let begin = each(&|n| format!("    var x{n} = vec4<f32>(f32(id.x + {n}u));\n"));
    let step = each(&|n| format!("        x{n} = fma(x{n}, a, b);\n")).repeat(UNROLL);
    let sum = (0..CHAINS).map(|n| format!("x{n}")).collect::<Vec<_>>().join(" + ");
    let mut text = String::new();
    let _ = write!(
        text,
        "@group(0) @binding(0) var<storage, read> settings: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size({workgroup}) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    let turns = settings[0];
    let a = vec4<f32>(f32(settings[1]) + 0.5);
    let b = vec4<f32>(f32(settings[1]) + 1.0);
{begin}    for (var turn = 0u; turn < turns; turn++) {{
{step}    }}
    y[id.x] = dot({sum}, vec4<f32>(1.0));
}}
"
    );
    text
}

/// The shortest time of some runs, after one that does not count: by the device's clock if it has one that goes.
fn best(device: &Device, work: impl Fn() -> Result<()>) -> Result<Duration> {
    work()?;
    device.synchronize()?;
    let mut best = Duration::MAX;
    for _ in 0..RUNS {
        let start = Instant::now();
        let time = device.gpu_time(&work)?.filter(|time| !time.is_zero());
        device.synchronize()?;
        best = best.min(time.unwrap_or_else(|| start.elapsed()));
    }
    Ok(best.max(Duration::from_nanos(1)))
}
