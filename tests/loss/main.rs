//! Devices that are lost, and memory that runs out, at every call of a program: one typed error, and all else goes on. What
//! was lost is computed again.

#[path = "../support/mod.rs"]
mod support;

mod memory;
mod rebuilt;

use crosslane::array::OutOfRange;
use crosslane::cpu::{Checks, Profile};
use crosslane::device::{Backend, DeviceKind};
use crosslane::share::Direction;
use crosslane::{
    Argument, Array, Device, DeviceOptions, Error, ErrorKind, Event, HostBuffer, Kernel, Recording, Result, Stream,
};
use crosslane::{Unified, eval_all, s, upload_all};
use std::time::{Duration, Instant};
use support::*;

/// Ways to open each device here; lavapipe also with staged transfers.
fn ways() -> Vec<(DeviceOptions, String)> {
    let listed = Device::list().into_iter().filter(|properties| properties.backend != Backend::Gl);
    let name = |backend: Backend, name: String| match backend {
        Backend::Cuda => "cuda".to_string(),
        Backend::Cpu => "cpu".into(),
        _ => format!("wgpu:{name}"),
    };
    let mut ways: Vec<(DeviceOptions, String)> =
        listed.map(|properties| (DeviceOptions::default(), name(properties.backend, properties.name))).collect();
    if let Some((_, name)) = ways.iter().find(|(_, name)| name.contains("llvmpipe")).cloned() {
        ways.push((DeviceOptions::default().staged_transfers(true), name));
    }
    ways
}

fn is_lost(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::DeviceLost { .. })
}

const ADD: &str = "
    @group(0) @binding(0) var<storage, read_write> x: array<u32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.x < arrayLength(&x) { x[id.x] += 1u; }
    }
";

/// A program that uploads, computes, launches, records, maps, reads and drops.
fn program(device: &Device) -> Result<Vec<u32>> {
    let mut results = vec![];
    let x = Array::from_vec(device, (0..100u32).collect());
    let many = upload_all(device, &[&[1u32, 2][..], &[3; 50]])?;
    let mut up = HostBuffer::<u32>::new(device, 100, Direction::Upload)?;
    up.fill(0, &[7; 100])?;
    let sevens = up.upload()?;
    let y = &x * 2 + &sevens;
    eval_all(&[&y, &(&many[1] + 1)])?;
    let mut z = y.copy();
    let add = Kernel::wgsl(ADD)?.for_elements(100);
    add.clone().args(&mut z).launch(device)?;
    let mut recording = Recording::new(device);
    recording.add(add.args(Argument::in_place(&z)))?;
    recording.run()?;
    recording.run()?;
    drop(recording);
    let stream = Stream::new(device)?;
    results.push(stream.run(|| (&z + 1).sum().item())?);
    stream.synchronize()?;
    z.slice_mut(s![..50]).assign(1)?;
    let sum = match z.map_memory() {
        Ok(mapped) => mapped.iter().sum(),
        // Of staged transfers.
        Err(error) if matches!(error.kind(), ErrorKind::Unsupported { .. }) => z.sum().item()?,
        Err(error) => return Err(error),
    };
    results.push(sum);
    let mut down = HostBuffer::<u32>::new(device, 100, Direction::Download)?;
    down.download(&z)?;
    results.push(down.as_slice()?.iter().sum());
    results.extend(futures::executor::block_on(y.slice(s![..2]).to_vec_async())?);
    device.synchronize()?;
    Ok(results)
}

/// What the program gives: y[i] = 2 i + 7, z[i] = 2 i + 10.
const GIVES: [u32; 5] = [99 * 100 + 1100, 50 + 99 * 100 - 49 * 50 + 500, 50 + 99 * 100 - 49 * 50 + 500, 7, 9];

/// Operations of several launches.
fn operations(device: &Device) -> Result<Vec<u32>> {
    let x = Array::from_vec(device, (0..3000u32).map(|i| i * 7919 % 3001).collect());
    let sorted = x.sort();
    let sums = x.cumsum(0);
    let large = x.compress(&x.greater(2900));
    let ends = Array::read_all(&[&sorted.max(), &sums.max(), &large.or(0).sum()])?;
    Ok(ends.into_iter().flatten().collect())
}

fn operations_give() -> Vec<u32> {
    let x: Vec<u32> = (0..3000u32).map(|i| i * 7919 % 3001).collect();
    vec![*x.iter().max().unwrap(), x.iter().sum(), x.iter().filter(|&&x| x > 2900).sum()]
}

/// Events, clocks, profiles, callbacks, memory with two sides, messages and deferred errors.
fn measured(device: &Device) -> Result<Vec<u32>> {
    let x = Array::from_vec(device, (0..200u32).collect());
    let first = Event::record(device)?;
    let time = device.gpu_time(|| (&x + 1).eval())?;
    let last = Event::record(device)?;
    last.wait()?;
    first.is_done()?;
    last.elapsed_since(&first).or_else(|error| if is_lost(&error) { Err(error) } else { Ok(Duration::ZERO) })?;
    let (sum, _trace) = device.profile(|| (&x * 2).sum().item())?;
    let (sender, receiver) = std::sync::mpsc::channel();
    device.then(move |result| drop(sender.send(result)))?;
    receiver.recv_timeout(Duration::from_secs(10)).expect("the callback runs")?;
    let mut sides = Unified::from_vec(device, vec![1u32; 64])?;
    Kernel::wgsl(ADD)?.for_elements(64).args(sides.device_mut()?).launch(device)?;
    let two = sides.host()?[63];
    sides.host_range_mut(3..5)?.fill(7);
    let summed = sides.device()?.sum().item()?;
    let found = x.take(&Array::from_slice(device, &[199u32, 3]), OutOfRange::Error).to_vec()?;
    device.messages()?;
    let _ = time;
    Ok([vec![sum, two, summed], found].concat())
}

const MEASURED: [u32; 5] = [199 * 200, 2, 62 * 2 + 14, 199, 3];

/// Every later call says at once that the device is lost.
fn stays_lost(device: &Device) {
    let started = Instant::now();
    let x = Array::from_slice(device, &[1u32]);
    let lost = |error: Error| assert!(is_lost(&error), "{error}");
    lost(device.synchronize().unwrap_err());
    lost(x.to_vec().unwrap_err());
    lost(Array::<u32>::ones(device, &[5]).sum().item().unwrap_err());
    lost(upload_all(device, &[&[1u32][..]]).unwrap_err());
    lost(HostBuffer::<u32>::new(device, 5, Direction::Upload).map(drop).unwrap_err());
    lost(futures::executor::block_on(Array::from_vec_async(device, vec![1u32])).unwrap_err());
    device.trim();
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

/// Loses the device at one call after the other until the program ends before that.
fn sweep(
    way: &(DeviceOptions, String),
    name: &str,
    program: &dyn Fn(&Device) -> Result<Vec<u32>>,
    gives: &[u32],
    step: u64,
) {
    let (mut ends, mut good) = (0, 0);
    while ends == 0 {
        let device = way.0.open(&way.1).unwrap();
        device.lose_after(good);
        match program(&device) {
            Ok(results) => {
                assert_eq!(results, gives, "{name} on {}, call {good}", way.1);
                match device.synchronize() {
                    Ok(()) => ends = good,
                    Err(error) => assert!(is_lost(&error), "{name} on {}, call {good}: {error}", way.1),
                }
            }
            Err(error) => {
                assert!(is_lost(&error), "{name} on {}, call {good}: {error}", way.1);
                stays_lost(&device);
            }
        }
        good += step;
        assert!(good < 10_000, "the program does not end");
    }
    assert!(ends > 10, "{name} on {}: only {ends} calls", way.1);
}

/// Opening a device and compiling kernels takes drivers that long that all calls would take minutes: `CROSSLANE_LOSS_STEP=1`
/// takes every one.
fn step(way: &str, calls_in_ci: u64) -> u64 {
    match std::env::var("CROSSLANE_LOSS_STEP").ok().and_then(|step| step.parse().ok()) {
        Some(step) => step,
        None if way == "cpu" => 1,
        None => calls_in_ci,
    }
}

#[test]
fn lost_at_every_call() {
    for way in &ways() {
        let device = way.0.open(&way.1).unwrap();
        let slow = way.1.contains("SwiftShader") || device.properties().kind == DeviceKind::Discrete;
        sweep(way, "program", &program, &GIVES, step(&way.1, if slow { 23 } else { 7 }));
        sweep(way, "measured", &measured, &MEASURED, step(&way.1, if slow { 29 } else { 13 }));
        sweep(way, "operations", &operations, &operations_give(), step(&way.1, if slow { 13 } else { 11 }));
    }
}

/// One thread loses the device while others evaluate: each ends with that error, or with right results.
#[test]
fn lost_while_others_evaluate() {
    for way in &ways() {
        let device = way.0.open(&way.1).unwrap();
        let work = &|number: u32| {
            for round in 0.. {
                let x = Array::from_vec(&device, vec![number; 300]);
                match (&x * 3 + round).sum().item() {
                    Ok(sum) => assert_eq!(sum, 300 * (number * 3 + round), "on {}", way.1),
                    Err(error) => {
                        assert!(is_lost(&error), "on {}: {error}", way.1);
                        return;
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            (0..4).for_each(|number| drop(scope.spawn(move || work(number))));
            std::thread::sleep(Duration::from_millis(30));
            device.lose_after(40);
        });
        stays_lost(&device);
        assert_eq!(program(&device.reopen().unwrap()).unwrap(), GIVES, "on {}", way.1);
    }
}

/// A guard that shows memory to the host may outlive the device.
#[test]
fn lost_while_memory_is_mapped() {
    for way in &ways() {
        let device = way.0.open(&way.1).unwrap();
        let x = Array::from_vec(&device, vec![3u32; 1000]);
        let mapped = match x.map_memory() {
            Ok(mapped) => mapped,
            Err(error) => {
                say(&format!("not mapped on {}: {error}", way.1));
                continue;
            }
        };
        device.lose_after(0);
        assert!(is_lost(&device.synchronize().unwrap_err()));
        drop(mapped);
        stays_lost(&device);
    }
}

#[test]
fn reopened_devices_are_as_they_were() {
    let checks = Checks::default().with(|checks| checks.nan = true);
    let first = DeviceOptions::default().memory_limit(1 << 20).cpu(Profile::amd_like(), Some(checks)).unwrap();
    first.set_memory_limit(Some(1 << 19));
    first.lose_after(0);
    let again = first.reopen().unwrap();
    assert_eq!(
        (again.properties().name.as_str(), again.caps().subgroups),
        (&*first.properties().name, first.caps().subgroups)
    );
    assert_eq!(again.memory().limit, Some(1 << 19));
    assert!(Array::<u32>::ones(&again, &[1 << 18]).eval().is_err());
    let nan = (Array::from_slice(&again, &[0.0f32]) / 0.0).to_vec().unwrap_err();
    assert!(matches!(nan.kind(), ErrorKind::Defects { .. }), "{nan}");
    for request in ["cpu:interpreted", "cpu:checked", "lavapipe"] {
        let Ok(device) = DeviceOptions::default().webgpu_limits(true).open(request) else {
            say(&format!("skipped {request}: it is not here"));
            continue;
        };
        let again = device.reopen().unwrap();
        assert_eq!(again.properties().name, device.properties().name);
        assert_eq!(again.caps().bindings, device.caps().bindings);
    }
    #[cfg(feature = "wgpu")]
    if let Ok(device) = Device::open("lavapipe") {
        let instance = wgpu::Instance::default();
        let adapters = futures::executor::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
        let adapter = adapters.iter().find(|adapter| adapter.get_info().name == device.properties().name).unwrap();
        let (own, queue) = futures::executor::block_on(adapter.request_device(&Default::default())).unwrap();
        let device = Device::from_wgpu(adapter, own, queue);
        device.lose_after(0);
        stays_lost(&device);
        assert_eq!(device.reopen().unwrap().array([2, 3]).sum().item().unwrap(), 5);
    }
}
