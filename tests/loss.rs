//! Devices that are lost, and memory that runs out, at every call of a program: one typed error, and all else goes on. What
//! was lost is computed again.

mod support;

use crosslane::array::{OutOfRange, Slice};
use crosslane::cpu::{Checks, Profile};
use crosslane::device::Backend;
use crosslane::share::Direction;
use crosslane::{Argument, Array, Device, DeviceOptions, Error, ErrorKind, HostBuffer, Kernel, Recording, Result, Stream};
use crosslane::{eval_all, s, upload_all};
use std::process::Command;
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
fn sweep(way: &(DeviceOptions, String), name: &str, program: &dyn Fn(&Device) -> Result<Vec<u32>>, gives: &[u32], step: u64) {
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
        let slow = way.1.contains("SwiftShader");
        sweep(way, "program", &program, &GIVES, step(&way.1, if slow { 13 } else { 4 }));
        sweep(way, "operations", &operations, &operations_give(), step(&way.1, if slow { 11 } else { 7 }));
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

/// Memory runs out at every allocation: an error with figures, or none if the second attempt finds some; and the same
/// program runs right after, and nothing is held.
#[test]
fn short_of_memory_at_every_allocation() {
    for way in &ways() {
        let device = way.0.open(&way.1).unwrap();
        assert_eq!(program(&device).unwrap(), GIVES);
        device.trim();
        let witness = Array::from_vec(&device, vec![5u32; 1000]) + 1;
        witness.eval().unwrap();
        let before = device.memory();
        assert_eq!(program(&device).unwrap(), GIVES);
        let (allocations, held) = (device.memory().misses - before.misses, device.memory().live);
        assert!(allocations >= 8 && held == before.live, "{allocations} on {}", way.1);
        for failing in [1, 2, 4] {
            let mut went_well = 0;
            for good in 0..allocations {
                device.trim();
                device.run_short_after(good, failing);
                match program(&device) {
                    Ok(results) => {
                        went_well += 1;
                        assert_eq!(results, GIVES, "allocation {good}, {failing} attempts, on {}", way.1);
                    }
                    Err(error) => {
                        let ErrorKind::OutOfMemory { requested, live, .. } = error.kind() else { panic!("{error}") };
                        assert!(*requested >= 4 && *live >= before.live, "{error}");
                    }
                }
                device.run_short_after(0, 0);
                assert_eq!(device.memory().live, before.live, "allocation {good} of {failing}, on {}", way.1);
            }
            let expected = match failing {
                1 => went_well == allocations,        // the pool is trimmed and asks again
                2 => (1..allocations).contains(&went_well), // evaluations are planned again, uploads are not
                _ => went_well < allocations,
            };
            assert!(expected, "{went_well} of {allocations} with {failing} failing attempts, on {}", way.1);
        }
        assert_eq!(program(&device).unwrap(), GIVES);
        assert!(witness.to_vec().unwrap().iter().all(|&x| x == 6), "on {}", way.1);
    }
}

/// What an evaluation that found no memory would have computed is computed by the next.
#[test]
fn an_evaluation_is_tried_once_more() {
    let device = Device::cpu().unwrap();
    let x = Array::from_vec(&device, vec![1u32; 100]);
    let y = (&x + 1).cumsum(0);
    device.run_short_after(0, 4);
    let error = y.eval().unwrap_err();
    let ErrorKind::OutOfMemory { requested: 400.., live, at: Some(at), .. } = error.kind() else { panic!("{error}") };
    assert_eq!((*live, at.line()), (device.memory().live, line!() - 2), "{error}");
    for failing in [3, 2] {
        let y = y.copy();
        device.trim();
        device.run_short_after(0, failing);
        y.eval().unwrap();
        device.run_short_after(0, 0);
        assert_eq!(y.to_vec().unwrap()[99], 200);
    }
}

/// Memory that runs out at a submission: an evaluation is tried again, work in place is not, since it may have run.
#[test]
fn short_of_memory_at_submission() {
    for way in &ways() {
        let device = way.0.open(&way.1).unwrap();
        let mut x = Array::from_vec(&device, vec![1u32; 100]);
        let out = |error: Error, line: u32| {
            let ErrorKind::OutOfMemory { live, at: Some(at), .. } = error.kind() else { panic!("{error}") };
            assert!(*live >= 400 && at.line() == line, "{error}");
        };
        let y = &x + 1;
        device.submit_short_after(0, 2);
        out(y.eval().unwrap_err(), line!());
        device.submit_short_after(0, 1);
        assert_eq!(y.sum().item().unwrap(), 200, "on {}", way.1);
        y.eval().unwrap();
        device.submit_short_after(0, 1);
        out(x.slice_mut(s![..]).assign(&y).unwrap_err(), line!());
        x.slice_mut(s![..50]).assign(&(&y.slice(s![..50]) + 1)).unwrap();
        assert_eq!(x.sum().item().unwrap(), 200, "on {}", way.1);
    }
}

/// Arrays of each kind of lineage.
fn derived(device: &Device) -> Vec<(&'static str, Array<i32>)> {
    let x = Array::from_vec(device, (0..600).map(|i| i * 7919 % 601 - 300).collect::<Vec<i32>>());
    let table = x.reshape(&[20, 30]);
    table.eval().unwrap();
    let part = table.slice(&[Slice::from(1..15), Slice::from(..).step(3)]); // of memory that is there
    let later = (&table + 1).slice(s![.., 2..5]);
    let indices = Array::from_slice(device, &[3, 19, 0, 3]);
    let found = x.compress(&x.greater(250));
    let mut up = HostBuffer::<i32>::new(device, 30, Direction::Upload).unwrap();
    up.fill(0, &(0..30).collect::<Vec<i32>>()).unwrap();
    let row = up.upload().unwrap();
    up.fill(0, &[0; 30]).unwrap();
    let split = upload_all(device, &[&[1, 2, 3][..], &[4]]).unwrap();
    vec![
        ("host", x.clone()),
        ("map", (&x * 2 - 5).greater(10).select(&x, 0)),
        ("view", part.clone()),
        ("view of a view", part.transpose().slice(&[Slice::from(2..), Slice::from(..).step(2)]).flip(0)),
        ("deferred view", later),
        ("reshaped view", part.flatten()),
        ("reduction", table.sum_axes(1)),
        ("scan", x.cumsum(0)),
        ("sort", x.sort()),
        ("order", x.argsort().cast()),
        ("gather", table.take_axis(&indices, 0, OutOfRange::Error)),
        ("selection", found.or(-1)),
        ("sum of a selection", found.map(|x| x * 2).sum()),
        ("upload through a host buffer", &table + &row),
        ("upload of several", Array::concatenate(&[&split[0], &split[1]], 0).unwrap()),
        ("product", table.cast::<f32>().matmul(&table.transpose().cast::<f32>()).cast()),
        ("counting", Array::arange(device, 0, 50, 1) * 3),
    ]
}

/// A device that keeps lineage.
fn keeping(way: &(DeviceOptions, String)) -> Device {
    way.0.clone().keep_lineage(true).open(&way.1).unwrap()
}

/// Arrays are computed again, evaluated or not, after their device is lost, on the same device and on another one.
#[test]
fn lost_arrays_are_rebuilt() {
    for way in &ways() {
        let device = keeping(way);
        let (evaluated, deferred) = (derived(&device), derived(&device));
        let wanted: Vec<Vec<i32>> = evaluated.iter().map(|(name, x)| x.to_vec().expect(name)).collect();
        device.lose_after(0);
        stays_lost(&device);
        let again = device.reopen().unwrap();
        assert!(again != device && again.properties().name == device.properties().name);
        // The new device keeps lineage too: what was rebuilt there is rebuilt once more.
        let third = DeviceOptions::default().open("cpu").unwrap();
        for (index, ((name, x), (_, y))) in evaluated.iter().zip(&deferred).enumerate() {
            let (x, y) = (x.rebuild(&again).expect(name), y.rebuild(&again).expect(name));
            assert_eq!((x.shape(), x.device()), (evaluated[index].1.shape(), &again));
            let moved = x.rebuild(&third).expect(name);
            for (what, array) in [("evaluated", x), ("deferred", y), ("moved", moved)] {
                assert_eq!(array.to_vec().expect(name), wanted[index], "{name}, {what}, on {}", way.1);
            }
        }
        // An index past the axis is still found, on the new device.
        let device = keeping(way);
        let outside = Array::from_slice(&device, &[1, 5]);
        let taken = Array::from_slice(&device, &[1, 2, 3]).take(&outside, OutOfRange::Error);
        let error = taken.rebuild(&again).unwrap().to_vec().unwrap_err();
        assert!(error.to_string().contains("got 5"), "{error}");
    }
}

/// What was written in place is no longer what lineage says; a checkpoint is.
#[test]
fn writes_in_place_end_lineage() {
    for way in &ways() {
        let device = keeping(way);
        let other = DeviceOptions::default().open("cpu").unwrap();
        let refused = |x: &Array<u32>, what: &str| {
            let error = x.rebuild(&other).map(drop).unwrap_err().to_string();
            assert!(error.contains(what) && error.contains("checkpoint") && error.contains("loss.rs"), "{error}");
        };
        let rebuilt = |x: &Array<u32>| x.rebuild(&other).unwrap().to_vec().unwrap();
        let mut x = Array::from_slice(&device, &[1u32, 2, 3, 4]);
        let before = &x + 10;
        before.eval().unwrap();
        x.slice_mut(s![..2]).assign(9).unwrap();
        refused(&x, "wrote in place");
        refused(&(&x + 1), "wrote in place");
        assert_eq!(rebuilt(&before), [11, 12, 13, 14], "computed before the write");
        x.checkpoint().unwrap();
        let after = &x + 1;
        x.write(3, &[0]).unwrap();
        refused(&x, "wrote in place");
        assert_eq!(rebuilt(&after), [10, 10, 4, 5]);
        let add = Kernel::wgsl(ADD).unwrap().for_elements(4);
        // A kernel writes to an array that others refer to.
        let y = Array::from_slice(&device, &[1u32, 2, 3, 4]);
        let (view, twice) = (y.slice(s![1..]), &y * 2);
        add.clone().args(Argument::in_place(&y)).launch(&device).unwrap();
        for array in [&y, &view, &twice] {
            refused(array, "written in place");
        }
        assert_eq!(twice.to_vec().unwrap(), [4, 6, 8, 10]);
        for array in [&y, &view, &twice] {
            array.checkpoint().unwrap();
            assert_eq!(rebuilt(array), array.to_vec().unwrap(), "on {}", way.1);
        }
        // Each run of a recording writes.
        let mut recording = Recording::new(&device);
        recording.add(add.clone().args(Argument::in_place(&y))).unwrap();
        y.checkpoint().unwrap();
        recording.run().unwrap();
        refused(&y, "written in place");
        y.checkpoint().unwrap();
        assert_eq!(rebuilt(&y), [3, 4, 5, 6]);
        recording.run().unwrap();
        refused(&y, "written in place");
        // What the program filled: unknown until a checkpoint.
        let mut z = device.acquire::<u32>(4);
        refused(&z, "the program had filled");
        add.args(&mut z).launch(&device).unwrap();
        refused(&z, "wrote in place");
        let failed = Array::from_slice(&device, &[1u32]).reshape(&[7]);
        assert!(failed.rebuild(&other).is_err() && failed.checkpoint().is_err());
    }
    let device = Device::cpu().unwrap();
    let x = Array::from_slice(&device, &[1u32]);
    x.checkpoint().unwrap(); // of a device that keeps nothing: no error, and no effect
    assert!(x.rebuild(&device).unwrap_err().to_string().contains("keep_lineage"));
    let wide = keeping(&(DeviceOptions::default(), "cpu".into())).array([1.0f64]).sum();
    let phone = Device::cpu_as(Profile::mobile_like()).unwrap();
    assert!(matches!(wide.rebuild(&phone).unwrap_err().kind(), ErrorKind::Unsupported { .. }));
}

/// A chain of very many steps is rebuilt and dropped without recursion, and a checkpoint cuts it.
#[test]
fn long_chains() {
    const LINKS: u32 = 50_000;
    let work = || {
        let device = keeping(&(DeviceOptions::default(), "cpu".into()));
        let start = Array::from_slice(&device, &[0u32, 5]);
        let chain = (0..LINKS).fold(start, |x, _| x + 1);
        let wanted = [LINKS, LINKS + 5];
        let plain = Device::cpu().unwrap();
        assert_eq!(chain.rebuild(&plain).unwrap().to_vec().unwrap(), wanted);
        let first = chain.rebuild(&device).unwrap();
        chain.checkpoint().unwrap();
        let started = Instant::now();
        assert_eq!((&chain + 1).rebuild(&plain).unwrap().to_vec().unwrap(), [LINKS + 1, LINKS + 6]);
        assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
        drop((first, chain));
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(work).unwrap();
    thread.join().unwrap();
}

#[test]
fn reopened_devices_are_as_they_were() {
    let checks = Checks::default().with(|checks| checks.nan = true);
    let first = DeviceOptions::default().memory_limit(1 << 20).cpu(Profile::amd_like(), Some(checks)).unwrap();
    first.set_memory_limit(Some(1 << 19));
    first.lose_after(0);
    let again = first.reopen().unwrap();
    assert_eq!((again.properties().name.as_str(), again.caps().subgroups), (&*first.properties().name, first.caps().subgroups));
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

/// The variable that a process under a limit has.
const INSIDE: &str = "CROSSLANE_TEST_UNDER_A_LIMIT";

/// All of a process' address space in use: errors of arrays and of results on the host, and it goes on.
#[test]
#[cfg(target_os = "linux")]
fn a_process_without_memory_goes_on() {
    if std::env::var_os(INSIDE).is_some() {
        return without_memory();
    }
    let mut child = Command::new("sh");
    child.args(["-c", "ulimit -v 6000000; exec \"$@\"", "sh"]).arg(std::env::current_exe().unwrap());
    child.args(["--exact", "a_process_without_memory_goes_on", "--nocapture"]).env(INSIDE, "1");
    let output = child.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
}

#[cfg(target_os = "linux")]
fn without_memory() {
    let device = Device::cpu().unwrap();
    assert_eq!(program(&device).unwrap(), GIVES); // what is loaded and started once is there
    let out = |error: Error| assert!(matches!(error.kind(), ErrorKind::OutOfMemory { .. }), "{error}");
    const ELEMENTS: usize = 64 << 20;
    let mut arrays = vec![];
    let error = loop {
        let array = device.acquire::<u32>(ELEMENTS);
        match array.check() {
            Ok(_) => arrays.push(array),
            Err(error) => break error,
        }
        assert!(arrays.len() < 40, "no limit holds");
    };
    let ErrorKind::OutOfMemory { requested, live, .. } = error.kind() else { panic!("{error}") };
    assert_eq!((*requested, *live), (4 * ELEMENTS as u64, device.memory().live), "{error}");
    let ones = Array::<u32>::ones(&device, &[ELEMENTS]);
    out(ones.eval().unwrap_err());
    out(ones.to_vec().unwrap_err());
    out(HostBuffer::<u32>::new(&device, ELEMENTS, Direction::Upload).map(drop).unwrap_err());
    assert_eq!(program(&device).unwrap(), GIVES);
    arrays.truncate(arrays.len() - 2);
    assert_eq!(ones.slice(s![..10]).to_vec().unwrap(), [1; 10]);
    ones.eval().unwrap();
    drop(arrays);
    assert_eq!(program(&device).unwrap(), GIVES);
}
