//! One array's work on several devices at once: parts as large as each device is fast, and the results joined on the host.
//!
//! Arguments name the devices, as `Device::open` takes them: `39_two_devices cuda:0 cuda:1`. Without, it is the best device
//! and the processor, or two simulated kinds of hardware where these are the same.

mod timing;

use crosslane::device::{Backend, DeviceKind};
use crosslane::{Array, Device, Elementwise, Result};
use std::thread;
use std::time::Instant;

const ROUNDS: u32 = 100;
/// Some work for each element; of whole numbers, so that all devices give the same.
const TEXT: &str = "
    var h = x;
    for (var k = 0u; k < rounds; k++) { h = (h ^ (h >> 15u)) * 2654435761u + k; }
    h";

fn devices() -> Result<Vec<Device>> {
    let named: Vec<String> = std::env::args().skip(1).collect();
    if !named.is_empty() {
        return named.iter().map(|request| Device::open(request)).collect();
    }
    let best = Device::new()?;
    if best.properties().backend == Backend::Cpu {
        return ["cpu:apple-like", "cpu:mobile-like"].map(Device::open).into_iter().collect();
    }
    Ok(vec![best, Device::open("cpu")?])
}

/// Each device takes its part: at the same time, each from a thread of its own. Also the seconds that each took.
fn shared(devices: &[Device], work: &Elementwise, parts: &[&[u32]]) -> Result<Vec<(Vec<u32>, f64)>> {
    let one = |device: &Device, part: &[u32]| {
        let start = Instant::now();
        let result = work.call::<u32>((&Array::from_slice(device, part), ROUNDS))?.to_vec()?;
        Ok((result, start.elapsed().as_secs_f64()))
    };
    thread::scope(|scope| {
        let running: Vec<_> =
            devices.iter().zip(parts).map(|(device, part)| scope.spawn(move || one(device, part))).collect();
        running.into_iter().map(|thread| thread.join().expect("errors are results here")).collect()
    })
}

/// The data in parts by these weights.
fn divided<'a>(data: &'a [u32], weights: &[f64]) -> Vec<&'a [u32]> {
    let (total, mut passed, mut begin) = (weights.iter().sum::<f64>(), 0.0, 0);
    let mut parts = vec![];
    for (nth, weight) in weights.iter().enumerate() {
        passed += weight;
        let last = nth + 1 == weights.len();
        let end = if last { data.len() } else { (data.len() as f64 * passed / total) as usize };
        parts.push(&data[begin..end]);
        begin = end;
    }
    parts
}

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let devices = devices()?;
    let software = devices.iter().all(|device| device.properties().kind == DeviceKind::Software);
    let count = if software { 1u32 << 16 } else { 1 << 24 };
    let data: Vec<u32> = (0..count).collect();
    let work = Elementwise::new("x: u32, rounds: u32", TEXT)?;
    let mixed = |x: &u32| (0..ROUNDS).fold(*x, |h, k| (h ^ (h >> 15)).wrapping_mul(2_654_435_761).wrapping_add(k));

    // Speeds of parts that are alike, all at work; the first runs compile.
    let sample = &data[..data.len() / 4];
    let alike = divided(sample, &vec![1.0; devices.len()]);
    timing::warm(|| shared(&devices, &work, &alike).map(drop))?;
    // The best of five runs: other work only takes speed.
    let mut speeds = vec![0.0f64; devices.len()];
    for _ in 0..5 {
        let parts = shared(&devices, &work, &alike)?;
        speeds.iter_mut().zip(&parts).for_each(|(speed, (done, time))| *speed = speed.max(done.len() as f64 / time));
    }

    let joined = |weights: &[f64]| -> Result<Vec<u32>> {
        let parts = shared(&devices, &work, &divided(&data, weights))?;
        Ok(parts.into_iter().flat_map(|(part, _)| part).collect())
    };
    assert_eq!(joined(&speeds)?, data.iter().map(mixed).collect::<Vec<u32>>());
    for (device, (part, speed)) in devices.iter().zip(divided(&data, &speeds).iter().zip(&speeds)) {
        println!("{}", device.properties());
        println!("  {:.1} million elements a second: takes {} of {count}", speed / 1e6, part.len());
    }
    let of = |weights: &[f64]| timing::microseconds(&devices[0], || joined(weights).map(drop));
    for (nth, device) in devices.iter().enumerate() {
        let alone: Vec<f64> = (0..devices.len()).map(|other| if other == nth { 1.0 } else { 0.0 }).collect();
        println!("{:28} alone {:>10.1} us", device.properties().name, of(&alone)?);
    }
    let (alike, by_speed) = (of(&vec![1.0; devices.len()])?, of(&speeds)?);
    println!("together, parts alike              {alike:>10.1} us");
    println!("together, parts by speed           {by_speed:>10.1} us");
    if software {
        println!(
            "(these devices share the processor's threads, and speeds change with its other work: cards show the gain)"
        );
    }
    println!("checked: the joined results are the processor's");
    Ok(())
}
