//! What the library computes in the browser, compared with what is computed here; and what cannot be done there, which must be
//! an error that says so.

use crate::image::{Filter, filtered};
use crosslane::array::{OutOfRange, PadMode};
use crosslane::{Array, Device, Event, HostBuffer, Kernel, Result, f16, share};

/// What is wrong, if anything.
type Check = Result<(), String>;

/// Runs every check.
pub async fn all(device: &Device) -> String {
    let device = &device.clone();
    let checks = [
        ("expressions", expressions(device).await),
        ("views and types", views(device).await),
        ("reductions, scans and sorts", long(device).await),
        ("matrices", matrices(device).await),
        ("a filter of an image", image(device).await),
        ("calls beside one another", beside(device).await),
        ("events and callbacks", events(device).await),
        ("kernels of a program", kernels(device).await),
        ("what kernels find wrong", faults(device).await),
        ("what the browser's compiler refuses", refused(device).await),
        ("calls that block are errors", blocking(device)),
        ("a lost device", lost().await),
    ];
    let told = |(name, check): (&str, Check)| format!("[{name:?}, {:?}]", check.err().unwrap_or_default());
    format!("[{}]", checks.map(told).join(", "))
}

/// An error if something is not so.
fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(otherwise()) }
}

fn told(error: crosslane::Error) -> String {
    error.to_string()
}

/// An error if a value is further than `within` from what it should be.
fn close(what: &str, got: &[f32], wanted: impl IntoIterator<Item = f64>, within: f64) -> Check {
    let wanted: Vec<f64> = wanted.into_iter().collect();
    ensure(got.len() == wanted.len(), || format!("{what}: {} values, not {}", got.len(), wanted.len()))?;
    let is_off = |(&got, &wanted): (&f32, &f64)| got.is_nan() || (got as f64 - wanted).abs() > within;
    let off = got.iter().zip(&wanted).position(is_off);
    off.map_or(Ok(()), |at| Err(format!("{what}: element {at} is {}, not {}", got[at], wanted[at])))
}

/// An error unless the result is one whose words hold `words`.
fn fails<T>(what: &str, result: Result<T>, words: &str) -> Check {
    match result {
        Ok(_) => Err(format!("{what}: no error")),
        Err(error) => ensure(error.to_string().contains(words), || format!("{what}: {error}; wanted {words:?}")),
    }
}

/// Numbers that look random: a linear congruential generator's upper bits.
fn random(len: usize) -> Vec<u32> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 32) as u32
    };
    (0..len).map(|_| next()).collect()
}

async fn expressions(device: &Device) -> Check {
    for len in [0, 1, 5, 1000, 1 << 20] {
        let x: Vec<f32> = (0..len).map(|i| i as f32 / len as f32).collect();
        let y = (Array::from_slice(device, &x) * 2.0 + 1.0).sqrt();
        let wanted = x.iter().map(|&x| (x as f64 * 2.0 + 1.0).sqrt());
        close("sqrt(2 x + 1)", &y.to_vec_async().await.map_err(told)?, wanted, 1e-6)?;
    }
    let mut x = Array::arange(device, 0u32, 10, 1);
    let before = x.to_vec_async();
    x.write(0, &[7, 8]).map_err(told)?;
    let (before, after) = (before.await.map_err(told)?, x.to_vec_async().await.map_err(told)?);
    ensure(before[..3] == [0, 1, 2] && after[..3] == [7, 8, 2], || format!("{before:?}, then {after:?}"))
}

async fn views(device: &Device) -> Check {
    let x = Array::arange(device, 0i32, 12, 1).reshape(&[3, 4]);
    x.eval().map_err(told)?;
    let columns = x.transpose().to_vec_async().await.map_err(told)?;
    ensure(columns == [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11], || format!("{columns:?}"))?;
    let bytes = Array::from_slice(device, &[1u8, 2, 3, 250, 5]).flip(0).to_vec_async().await.map_err(told)?;
    ensure(bytes == [5, 250, 3, 2, 1], || format!("{bytes:?}"))?;
    let truths = x.less(5).to_vec_async().await.map_err(told)?;
    ensure(truths.iter().filter(|&&truth| truth).count() == 5, || format!("{truths:?}"))?;
    if device.caps().f16 {
        let halves = (Array::from_slice(device, &[f16::from_f32(1.5)]) + f16::from_f32(1.0)).to_vec_async().await;
        ensure(halves.map_err(told)? == [f16::from_f32(2.5)], || "f16".into())?;
    }
    Ok(())
}

async fn long(device: &Device) -> Check {
    let numbers = random((1 << 20) + 3);
    for len in [0, 1, 2, 1000, numbers.len()] {
        let numbers = &numbers[..len];
        let got = Array::from_slice(device, numbers).sort().to_vec_async().await.map_err(told)?;
        let mut wanted = numbers.to_vec();
        wanted.sort_unstable();
        ensure(got == wanted, || format!("a sort of {len}"))?;
    }
    let x = Array::from_slice(device, &numbers);
    let sum = x.sum().to_vec_async().await.map_err(told)?[0];
    ensure(sum == numbers.iter().fold(0u32, |a, &b| a.wrapping_add(b)), || format!("a sum: {sum}"))?;
    let got = x.cumsum(0).to_vec_async().await.map_err(told)?;
    let mut total = 0u32;
    let wanted = numbers.iter().map(|&x| {
        total = total.wrapping_add(x);
        total
    });
    ensure(wanted.eq(got), || "a running sum".into())
}

async fn matrices(device: &Device) -> Check {
    let size = 65;
    let numbers: Vec<f32> = random(size * size).iter().map(|&x| (x % 17) as f32 - 8.0).collect();
    let x = Array::from_shape(device, &[size, size], &numbers);
    let element = |i: usize| {
        let (row, column) = (i / size, i % size);
        (0..size).map(|k| numbers[row * size + k] as f64 * numbers[k * size + column] as f64).sum()
    };
    close("a product", &x.matmul(&x).to_vec_async().await.map_err(told)?, (0..size * size).map(element), 0.0)
}

/// A Gaussian blur along both axes by its definition, with the edges' values beyond them.
fn blurred(image: &[f64], [height, width]: [usize; 2], sigma: f64) -> Vec<f64> {
    let reach = (4.0 * sigma + 0.5) as isize;
    let weight = |d: isize| (-0.5 * (d as f64 / sigma).powi(2)).exp();
    let all: f64 = (-reach..=reach).map(weight).sum();
    let near = |at: usize, d: isize, end: usize| (at as isize + d).clamp(0, end as isize - 1) as usize;
    let pixel = |i: usize| {
        let (row, column) = (i / width, i % width);
        let rows = |c: usize| -> f64 {
            (-reach..=reach).map(|d| weight(d) / all * image[near(row, d, height) * width + c]).sum()
        };
        (-reach..=reach).map(|d| weight(d) / all * rows(near(column, d, width))).sum()
    };
    (0..height * width).map(pixel).collect()
}

async fn image(device: &Device) -> Check {
    let [height, width] = [24, 31];
    let gray: Vec<u8> = random(height * width).iter().map(|&x| x as u8).collect();
    let smooth = Array::from_shape(device, &[height, width], &gray).cast::<f32>();
    let wanted = blurred(&gray.iter().map(|&x| x as f64).collect::<Vec<_>>(), [height, width], 1.5);
    let got = smooth.gaussian_filter(1.5, .., PadMode::Edge).to_vec_async().await.map_err(told)?;
    close("a blur", &got, wanted.iter().copied(), 1e-3)?;
    // What the page shows, of an image with three equal channels.
    let pixels: Vec<u8> = gray.iter().flat_map(|&x| [x; 3]).collect();
    let image = Array::from_shape(device, &[height, width, 3], &pixels);
    let filter = Filter { angle: 0.0, sigma: 1.5, edges: 0.0, contrast: 1.0 };
    let shown = filtered(device, &image, filter).to_vec_async().await.map_err(told)?;
    let shown: Vec<f32> = shown.iter().map(|&x| x as f32).collect();
    close("a filter", &shown, wanted.iter().flat_map(|&x| [x; 3]), 0.51)?;
    let half = Filter { angle: 180.0, sigma: 0.0, ..filter };
    let shown = filtered(device, &image, half).to_vec_async().await.map_err(told)?;
    let mut wanted = pixels.clone();
    wanted.reverse();
    let off = shown.iter().zip(&wanted).filter(|(a, b)| a.abs_diff(**b) > 1).count();
    ensure(off == 0, || format!("half a turn: {off} pixels are wrong"))
}

async fn beside(device: &Device) -> Check {
    let x = Array::arange(device, 0u32, 1000, 1);
    let (a, b) = ((&x + 1u32).to_vec_async(), (&x * 3u32).to_vec_async());
    let all = [&x, &(&x + 5u32)];
    let (b, all, a) = (b.await, Array::read_all_async(&all).await, a.await); // not in the order in which they began
    let (a, b, all) = (a.map_err(told)?, b.map_err(told)?, all.map_err(told)?);
    ensure(a[999] == 1000 && b[999] == 2997 && all[0][999] == 999 && all[1][999] == 1004, || "mixed up".into())
}

async fn events(device: &Device) -> Check {
    (Array::<f32>::ones(device, &[1000]) * 2.0).eval().map_err(told)?;
    let event = Event::record(device).map_err(told)?;
    event.wait_async().await.map_err(told)?;
    ensure(event.is_done().map_err(told)?, || "an event that was waited for is not done".into())?;
    let (sender, receiver) = std::sync::mpsc::channel();
    device.then(move |result| sender.send(result.is_ok()).unwrap_or_default()).map_err(told)?;
    device.synchronize_async().await.map_err(told)?;
    device.synchronize_async().await.map_err(told)?;
    ensure(receiver.try_recv() == Ok(true), || "a callback was not called".into())
}

async fn kernels(device: &Device) -> Check {
    let kernel = Kernel::wgsl(
        "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            var turns = 0u;
            loop { if turns >= id.x { break; } turns += 1u; }
            if id.x < arrayLength(&x) { x[id.x] += turns; }
        }",
    )
    .map_err(told)?;
    let mut x = Array::from_slice(device, &[10u32; 100]);
    kernel.grid([2]).args(&mut x).launch(device).map_err(told)?;
    let got = x.to_vec_async().await.map_err(told)?;
    ensure(got == (10..110).collect::<Vec<u32>>(), || format!("{got:?}"))
}

async fn faults(device: &Device) -> Check {
    let x = Array::from_slice(device, &[1.0f32, 2.0, 3.0]);
    let taken = x.take(&Array::from_slice(device, &[0u32, 9]), OutOfRange::Error);
    fails("an index out of range", taken.to_vec_async().await, "9")?;
    let right = x.take(&Array::from_slice(device, &[0u32, 2]), OutOfRange::Error).to_vec_async().await;
    ensure(right.map_err(told)? == [1.0, 3.0], || "after a fault".into())?;
    let asserting = Kernel::wgsl(
        "@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            assert_that(id, id.x < 3u);
        }",
    )
    .map_err(told)?;
    asserting.grid([1]).launch(device).map_err(told)?;
    fails("an assertion", device.synchronize_async().await, "[3, 0, 0]")?;
    device.synchronize_async().await.map_err(told)
}

/// naga takes a barrier in divergent flow, WebGPU does not.
async fn refused(device: &Device) -> Check {
    let kernel = Kernel::wgsl(
        "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            if x[i] == 1u { workgroupBarrier(); }
            x[i] = i;
        }",
    )
    .map_err(told)?;
    let mut x = Array::from_slice(device, &[0u32; 64]);
    let launched = kernel.grid([1]).args(&mut x).launch(device);
    let read = x.to_vec_async().await.map(drop);
    fails("a barrier that not all reach", launched.and(read), "workgroupBarrier")?;
    let after = (Array::from_slice(device, &[1.0f32]) + 1.0).to_vec_async().await.map_err(told)?;
    ensure(after == [2.0], || "the device does not work after that".into())
}

fn blocking(device: &Device) -> Check {
    let x = Array::from_slice(device, &[1.0f32, 2.0]);
    fails("Device::open", Device::open(""), "await Device::open_async")?;
    fails("Device::new", Device::new(), "await Device::open_async")?;
    fails("to_vec", x.to_vec(), "await to_vec_async")?;
    fails("item", x.sum().item(), "await to_vec_async")?;
    fails("synchronize", device.synchronize(), "synchronize_async")?;
    fails("Event::wait", Event::record(device).and_then(|event| event.wait()), "Event::wait_async")?;
    fails(
        "gpu_time",
        device.gpu_time(|| (&x + 1.0).eval()).and_then(|time| time.ok_or_else(|| x.to_vec().unwrap_err())),
        "await",
    )?;
    fails("HostBuffer::new", HostBuffer::<f32>::new(device, 3, share::Direction::Upload), "calls that block")?;
    ensure(Device::list().is_empty(), || "a browser lists no devices".into())
}

async fn lost() -> Check {
    let device = Device::open_async("").await.map_err(told)?;
    let x = Array::from_slice(&device, &[1.0f32, 2.0]);
    let (raw, _) = device.wgpu().ok_or("it is no device of wgpu's")?;
    raw.destroy();
    // The page is told in a later turn of its event loop.
    let _ = x.to_vec_async().await;
    fails("a lost device", x.to_vec_async().await, "lost")
}
