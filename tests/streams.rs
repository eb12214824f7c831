//! Order and overlap: streams, events, callbacks, counted waits, and recordings, on every device. Where a device has one
//! queue, the same programs give the same numbers.

mod support;

use crosslane::array::OutOfRange;
use crosslane::device::{Backend, DeviceKind};
use crosslane::share::Direction;
use crosslane::{
    Argument, Array, Device, DeviceOptions, Error, ErrorKind, Event, HostBuffer, Kernel, Recording, Result, Stream,
    Unified, eval_all, s,
};
use rand::Rng;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{RwLock, RwLockReadGuard, mpsc};
use std::time::{Duration, Instant};
use support::*;

/// Adds to y what becomes of x in so many steps, which take time.
const STEPS: &str = "
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<uniform> steps: u32;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.x + id.y * groups.x * 64;
    if i >= arrayLength(&y) { return; }
    var v = x[i];
    for (var k = 0u; k < steps; k++) { v = v * 1664525u + 1013904223u; }
    y[i] += v;
}";

/// Held to read by tests that use the devices, to write by the one that counts how often they are waited for.
static DEVICES: RwLock<()> = RwLock::new(());

fn shared() -> RwLockReadGuard<'static, ()> {
    DEVICES.read().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn kernel(source: &str) -> Kernel {
    Kernel::wgsl(source).unwrap_or_else(|error| panic!("{error}"))
}

/// The same on the host: so many steps are one multiplication and one addition.
fn steps(x: &[u32], steps: u32, y: &mut [u32]) {
    let one = |(a, c): (u32, u32)| (a.wrapping_mul(1_664_525), c.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    let (a, c) = (0..steps).fold((1, 0), |all, _| one(all));
    y.iter_mut().zip(x).for_each(|(y, x)| *y = y.wrapping_add(x.wrapping_mul(a).wrapping_add(c)));
}

/// Whether work in streams overlaps, so that much of it shows what is not in order.
fn is_concurrent(device: &Device) -> bool {
    device.properties().backend == Backend::Cuda
}

fn values(rng: &mut impl Rng, len: usize) -> Vec<u32> {
    (0..len).map(|_| rng.random()).collect()
}

#[test]
fn work_in_streams_gives_what_it_gives_in_one() {
    let _shared = shared();
    for device in apis() {
        let mut rng = random(7);
        let (len, rounds, most) = if is_concurrent(device) { (1 << 20, 200, 4000) } else { (5000, 60, 20) };
        let add = kernel(STEPS);
        let streams: Vec<Stream> = (0..3).map(|_| Stream::new(device).unwrap()).collect();
        let mut host: Vec<Vec<u32>> = (0..5).map(|_| values(&mut rng, len)).collect();
        let mut arrays: Vec<Array<u32>> = host.iter().map(|values| Array::from_slice(device, values)).collect();
        for round in 0..rounds {
            let (to, from) = (rng.random_range(0..5), rng.random_range(0..5));
            let (count, what) = (rng.random_range(1..most), rng.random_range(0..10));
            let x = host[from].clone();
            let mut work = || {
                let input = arrays[from].clone();
                match what {
                    // What was there is dropped while kernels use it, and its memory is taken again.
                    0 => arrays[to] = Array::from_slice(device, &x),
                    1 => arrays[to] = &input * 3 + &arrays[to],
                    2 => {
                        arrays[to] = &input + &arrays[to];
                        arrays[to].eval().unwrap();
                    }
                    3 => arrays[to].slice_mut(s![..]).assign(input.flip(0)).unwrap(),
                    4 => same_values(&input.to_vec().unwrap(), &x, &format!("round {round}")),
                    _ => {
                        let input = if from == to { input.copy() } else { input };
                        add.for_elements(len).args((&input, count, &mut arrays[to])).launch(device).unwrap();
                    }
                }
            };
            match streams.get(rng.random_range(0..5)) {
                Some(stream) => stream.run(work),
                None => work(),
            }
            match what {
                0 => host[to] = x,
                1 | 2 => {
                    let factor = if what == 1 { 3 } else { 1 };
                    host[to].iter_mut().zip(x).for_each(|(y, x)| *y = x.wrapping_mul(factor).wrapping_add(*y));
                }
                3 => host[to] = x.into_iter().rev().collect(),
                4 => {}
                _ => steps(&x, count, &mut host[to]),
            }
        }
        for (array, wanted) in arrays.iter().zip(&host) {
            same_values(&array.to_vec().unwrap(), wanted, &format!("at the end on {}", name(device)));
        }
    }
}

#[test]
fn chunks_go_through_two_streams() {
    let _shared = shared();
    for device in apis() {
        let (len, chunks) = if is_concurrent(device) { (1 << 20, 24) } else { (3000, 6) };
        let add = kernel(STEPS);
        let data: Vec<u32> = values(&mut random(3), len * chunks);
        let streams = [Stream::new(device).unwrap(), Stream::new(device).unwrap()];
        let mut buffers = [Direction::Upload; 2].map(|way| HostBuffer::<u32>::new(device, len, way).unwrap());
        let mut results: Vec<Array<u32>> = Vec::new();
        for (index, chunk) in data.chunks(len).enumerate() {
            let stream = &streams[index % 2];
            results.push(stream.run(|| {
                buffers[index % 2].fill(0, chunk).unwrap();
                let x = buffers[index % 2].upload().unwrap();
                let mut y = Array::<u32>::zeros(device, &[len]);
                add.for_elements(len).args((&x, 50u32, &mut y)).launch(device).unwrap();
                y
            }));
        }
        drop((buffers, streams)); // while work is queued
        let mut wanted = vec![0; data.len()];
        steps(&data, 50, &mut wanted);
        for (index, (result, wanted)) in results.iter().zip(wanted.chunks(len)).enumerate() {
            same_values(&result.to_vec().unwrap(), wanted, &format!("chunk {index} on {}", name(device)));
        }
    }
}

#[test]
fn streams_nest_and_are_left_by_a_panic_and_go_along_with_async_calls() {
    let _shared = shared();
    for device in apis() {
        let (outer, inner) = (Stream::new(device).unwrap(), Stream::new(device).unwrap());
        assert_eq!(outer.is_concurrent(), is_concurrent(device));
        let x = outer.run(|| {
            let x = Array::from_slice(device, &[1.0f32, 2.0]).exp();
            inner.run(|| x.eval().unwrap());
            let panicked = catch_unwind(AssertUnwindSafe(|| inner.run(|| panic!("on purpose"))));
            assert!(panicked.is_err());
            x.ln()
        });
        assert_eq!(x.to_vec().unwrap().len(), 2);
        let bytes = futures::executor::block_on(outer.run(|| Array::from_vec_async(device, vec![5u8; 3]))).unwrap();
        assert_eq!(futures::executor::block_on(inner.run(|| bytes.to_vec_async())).unwrap(), [5; 3]);
        outer.synchronize().unwrap();
        // A stream of another device is not meant.
        for other in apis() {
            let sum = outer.run(|| Array::<f32>::ones(other, &[100]).sum().item().unwrap());
            assert_eq!(sum, 100.0);
        }
    }
}

#[test]
fn events_pass_in_order_and_take_the_time() {
    // What other tests ask of a device would count as this one's.
    let _alone = DEVICES.write().unwrap_or_else(|poisoned| poisoned.into_inner());
    for device in apis() {
        let add = kernel(STEPS);
        let len = if is_concurrent(device) { 1 << 22 } else { 20_000 };
        let x = Array::<u32>::ones(device, &[len]).copy();
        let mut y = x.copy();
        let mut work = |steps: u32| add.for_elements(len).args((&x, steps, &mut y)).launch(device).unwrap();
        work(1);
        device.synchronize().unwrap();
        let begun = Instant::now();
        let start = Event::record(device).unwrap();
        work(10);
        let middle = Event::record(device).unwrap();
        // Longer than the host takes for all of this.
        work(if device.properties().kind == DeviceKind::Software { 1000 } else { 50_000 });
        let end = Event::record(device).unwrap();
        end.wait().unwrap();
        let all = begun.elapsed();
        assert!(start.is_done().unwrap() && middle.is_done().unwrap() && end.is_done().unwrap());
        futures::executor::block_on(middle.wait_async()).unwrap();
        if !device.caps().timestamps {
            let error = end.elapsed_since(&start).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
            continue;
        }
        let [first, second, both] = [(&start, &middle), (&middle, &end), (&start, &end)]
            .map(|(earlier, later)| later.elapsed_since(earlier).unwrap());
        let what = format!("{first:?} + {second:?} = {both:?} of {all:?} on {}", name(device));
        assert_eq!(start.elapsed_since(&end).unwrap(), Duration::ZERO, "{what}");
        let difference = (first + second).abs_diff(both);
        assert!(difference < Duration::from_micros(50) + both / 50, "{what}");
        assert!(second > first && both <= all + Duration::from_millis(2), "{what}");
        // Times of events that are gone are taken again.
        let many: Vec<Event> = (0..100).map(|_| Event::record(device).unwrap()).collect();
        assert!(many.windows(2).all(|pair| pair[0].elapsed_since(&pair[1]).unwrap() == Duration::ZERO), "{what}");
        assert!(many[99].elapsed_since(&start).unwrap() >= both, "{what}");
    }
}

#[test]
fn callbacks_come_in_order_and_one_that_panics_does_no_harm() {
    let _shared = shared();
    for device in apis() {
        let (sender, receiver) = mpsc::channel();
        let x = Array::<f32>::ones(device, &[1000]).copy();
        let mut stream = None;
        for index in 0..20 {
            let sender = sender.clone();
            let y = &x + index as f32;
            y.eval().unwrap();
            let callback = move |result: Result<()>| {
                assert_ne!(index, 7, "on purpose: this panic is part of the test");
                sender.send((index, result.is_ok(), y.sum().item().unwrap())).unwrap();
            };
            match index < 10 {
                true => device.then(callback).unwrap(),
                false => {
                    stream.get_or_insert_with(|| Stream::new(device).unwrap()).run(|| device.then(callback)).unwrap()
                }
            }
        }
        drop(sender);
        let got: Vec<_> = receiver.iter().collect();
        let wanted = (0..20).filter(|&index| index != 7).map(|index| (index, true, 1000.0 * (1 + index) as f32));
        assert_eq!(got, wanted.collect::<Vec<_>>(), "on {}", name(device));
    }
}

#[test]
fn the_host_waits_when_values_are_asked_for_and_else_never() {
    let _alone = DEVICES.write().unwrap_or_else(|poisoned| poisoned.into_inner());
    for device in devices() {
        let add = kernel(STEPS);
        let run = |x: &Array<u32>, y: &mut Array<u32>| add.for_elements(1000).args((x, 3u32, y)).launch(device);
        let mut recording = Recording::new(device);
        let count = |wanted: u64, what: &str, work: &mut dyn FnMut()| {
            work(); // compiles, and measures what is to be measured
            device.synchronize().unwrap();
            let before = device.waits();
            work();
            assert_eq!(device.waits() - before, wanted, "{what} on {}", name(device));
        };
        let (x, mut y) = (Array::from_slice(device, &[1u32; 1000]), Array::<u32>::zeros(device, &[1000]));
        count(0, "launches", &mut || (0..10).for_each(|_| run(&x, &mut y).unwrap()));
        count(0, "evaluation", &mut || {
            let z = (&x + 1) * &y;
            eval_all(&[&z, &z.flip(0).copy()]).unwrap();
            assert!(z.sum().eval().is_ok());
        });
        count(0, "small uploads", &mut || {
            for len in [1, 7, 1000, 1 << 14] {
                // Kernels still use the memory of the last when the next takes it.
                let x = Array::from_slice(device, &vec![1u32; len]);
                (0..3).for_each(|_| (&x + 1).copy().eval().unwrap());
            }
        });
        count(0, "recording and running it", &mut || {
            recording.add(add.for_elements(1000).args((&x, 3u32, Argument::in_place(&y)))).unwrap();
            recording.set(0, "steps", 7u32).unwrap();
            (0..3).for_each(|_| recording.run().unwrap());
        });
        count(0, "events", &mut || assert!(Event::record(device).unwrap().is_done().is_ok()));
        count(1, "synchronize", &mut || device.synchronize().unwrap());
        count(1, "to_vec", &mut || drop((&x + 1).to_vec().unwrap()));
        count(1, "item", &mut || assert!(x.sum().item().is_ok()));
        count(1, "an event", &mut || Event::record(device).unwrap().wait().unwrap());
        let large = Array::<u32>::ones(device, &[1 << 19]).copy();
        count(1, "to_vec of much", &mut || drop(large.to_vec().unwrap()));
        let mut buffer = HostBuffer::<u32>::new(device, 1000, Direction::Download).unwrap();
        count(1, "a download", &mut || buffer.download(&x).unwrap());
    }
}

/// A random program twice: launched, and recorded and run, with arrays swapped and values set in between.
#[test]
fn recordings_do_what_launches_do() {
    let _shared = shared();
    for device in apis() {
        let (len, count) = if is_concurrent(device) { (1 << 16, 60) } else { (300, 12) };
        let mut rng = random(11);
        let add = kernel(STEPS);
        let mut host: Vec<Vec<u32>> = (0..8).map(|_| values(&mut rng, len)).collect();
        let arrays: Vec<Array<u32>> = host.iter().map(|values| Array::from_slice(device, values)).collect();
        let mut places: Vec<usize> = (0..6).collect();
        let mut recording = Recording::new(device);
        let mut program: Vec<(usize, usize, u32)> = Vec::new();
        for round in 0..5 {
            for _ in 0..count / (1 + round) {
                let (from, to) = (rng.random_range(0..6), rng.random_range(0..6));
                if from == to {
                    continue;
                }
                let steps = rng.random_range(1..20);
                program.push((from, to, steps));
                let arguments = (&arrays[from], steps, Argument::in_place(&arrays[to]));
                recording.add(add.for_elements(len).args(arguments)).unwrap();
            }
            assert_eq!(recording.len(), program.len());
            for repeat in 0..3 {
                for (recorded, &place) in places.iter().enumerate() {
                    if program.iter().any(|&(from, to, _)| [from, to].contains(&recorded)) {
                        recording.replace(&arrays[recorded], &arrays[place]).unwrap();
                    }
                }
                recording.run().unwrap();
                for &(from, to, count) in &program {
                    let x = host[places[from]].clone();
                    steps(&x, count, &mut host[places[to]]);
                }
                // Two change places, or one of those that stand by comes in.
                let (a, b) = (rng.random_range(0..6), rng.random_range(0..6));
                match repeat {
                    0 => places.swap(a, b),
                    1 if places.iter().all(|&place| place != 7) => places[a] = 7,
                    _ => {}
                }
                let changed = rng.random_range(0..program.len());
                program[changed].2 = rng.random_range(1..20);
                recording.set(changed, "steps", program[changed].2).unwrap();
            }
            for (array, wanted) in arrays.iter().zip(&host) {
                same_values(&array.to_vec().unwrap(), wanted, &format!("round {round} on {}", name(device)));
            }
        }
    }
}

#[test]
fn a_recording_keeps_to_its_arrays() {
    let _shared = shared();
    for device in apis() {
        let add = kernel(STEPS);
        let (x, mut y) = (Array::from_slice(device, &[1u32, 2]), Array::<u32>::zeros(device, &[2]));
        let before = y.clone();
        let mut recording = Recording::new(device);
        // The second launch writes where the first did: no copy comes between.
        recording.add(add.for_elements(2).args((&x, 0u32, &mut y))).unwrap();
        recording.add(add.for_elements(2).args((&x, 0u32, &mut y))).unwrap();
        recording.add(add.for_elements(0).args((&x, 0u32, &mut y))).unwrap();
        assert_eq!((recording.len(), y.to_vec().unwrap()), (2, vec![0, 0]));
        recording.run().unwrap();
        add.for_elements(2).args((&x, 0u32, &mut y)).launch(device).unwrap();
        y.slice_mut(s![..1]).assign(100u32).unwrap();
        recording.run().unwrap();
        assert_eq!(y.to_vec().unwrap(), [102, 10], "on {}", name(device));
        assert_eq!(before.to_vec().unwrap(), [0, 0], "clones from before are values");
        // What is gone for the program is there for the recording.
        drop(x);
        spoil(device);
        Stream::new(device).unwrap().run(|| recording.run()).unwrap();
        assert_eq!(y.to_vec().unwrap(), [104, 14]);
        drop(recording);
        let copy = y.clone();
        y.slice_mut(s![..1]).assign(0u32).unwrap();
        assert_eq!((copy.to_vec().unwrap()[0], y.to_vec().unwrap()[0]), (104, 0));
        // Library kernels, in parts and as wholes.
        let (a, b) = (Array::<f32>::ones(device, &[2, 3]).copy(), Array::full(device, &[2, 3], 4.0f32).copy());
        eval_all(&[&a, &b]).unwrap();
        let sum = (&a * 2.0).sum_axes(1);
        let mut recording = Recording::of(&[&sum]).unwrap();
        assert_eq!(sum.to_vec().unwrap(), [6.0; 2]);
        recording.replace(&a, &b).unwrap();
        recording.run().unwrap();
        assert_eq!(sum.to_vec().unwrap(), [24.0; 2]);
    }
}

#[test]
fn a_recorded_loop_that_does_not_end_is_stopped_in_every_run() {
    let _shared = shared();
    let endless = kernel(
        "@group(0) @binding(0) var<storage, read_write> x: array<atomic<u32>>;
        @compute @workgroup_size(1) fn main() { loop { if atomicLoad(&x[0]) == 7u { break; } } }",
    );
    for device in apis().iter().filter(|device| !is_checked(device)) {
        let backend = format!("{:?}:{}", device.properties().backend, name(device));
        let request = if device.properties().backend == Backend::Cpu { "cpu" } else { &backend };
        let options = DeviceOptions::default().time_limit(Duration::from_millis(1));
        let Ok(device) = options.open(request) else { continue };
        let mut x = Array::<u32>::zeros(&device, &[1]);
        let mut recording = Recording::new(&device);
        recording.add(endless.grid([1]).args(&mut x)).unwrap();
        for _ in 0..2 {
            let error = recording.run().and_then(|()| device.synchronize()).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Endless { .. }), "{error} on {backend}");
        }
        assert_eq!(x.item().unwrap(), 0);
    }
}

#[track_caller]
fn mistake<T>(result: Result<T>, operation_name: &str, argument_name: &str, parts: &[&str]) {
    let error: Error = result.err().expect("a mistake");
    let ErrorKind::Argument { operation, argument, .. } = error.kind() else { panic!("{error}") };
    assert_eq!((*operation, argument.as_str()), (operation_name, argument_name), "{error}");
    assert!(error.to_string().contains("streams.rs:"), "{error}");
    parts.iter().for_each(|part| assert!(error.to_string().contains(part), "{part:?} is not in: {error}"));
}

#[test]
fn mistakes_are_errors_and_the_device_works_afterwards() {
    let _shared = shared();
    let all = apis();
    for (index, device) in all.iter().enumerate() {
        let add = kernel(STEPS);
        let stream = Stream::new(device).unwrap();
        let own = Event::record(device).unwrap();
        if let Some(other) = all.get(index + 1) {
            let event = Event::record(other).unwrap();
            mistake(stream.wait_for(&event), "Stream::wait_for", "event", &[name(device), name(other)]);
            mistake(own.elapsed_since(&event), "Event::elapsed_since", "earlier", &[name(device), name(other)]);
            let elsewhere = Array::<u32>::ones(other, &[64]);
            let mut recording = Recording::new(device);
            let wrong = (&elsewhere, 1u32, Argument::in_place(&elsewhere));
            mistake(recording.add(add.for_elements(64).args(wrong)), "launch", "x", &[name(other)]);
            mistake(recording.replace(&elsewhere, &elsewhere), "Recording::replace", "old", &[name(other)]);
        }
        stream.wait_for(&own).unwrap();
        let (x, mut y) = (Array::from_slice(device, &[1u32; 128]), Array::<u32>::zeros(device, &[128]));
        let mut recording = Recording::new(device);
        recording.run().unwrap();
        assert!(recording.is_empty());
        recording.add(add.for_elements(128).args((&x, 0u32, &mut y))).unwrap();
        let replace = "Recording::replace";
        let short = Array::<u32>::ones(device, &[100]);
        mistake(recording.replace(&x, &short), replace, "new", &["at least 512 bytes", "400"]);
        mistake(recording.replace(&short, &x), replace, "old", &["none of them uses"]);
        let gaps = Array::<u32>::ones(device, &[256]).copy().slice(s![..;2]);
        mistake(recording.replace(&x, &gaps), replace, "new", &["without gaps"]);
        mistake(recording.replace(&x.slice(s![64..]), &x), replace, "old", &["a part of it"]);
        // One rule for all devices, for what is read and what is written.
        let long = Array::from_slice(device, &[3u32; 256]);
        for old in [&x, &y] {
            for first in [8, 16, 32, 100] {
                let new = long.slice(s![first..first + 128]);
                let bytes = format!("got {}", 4 * first);
                mistake(recording.replace(old, &new), replace, "new", &["a multiple of 256 bytes", &bytes]);
            }
            recording.replace(old, &long.slice(s![64..192])).unwrap();
            recording.replace(old, old).unwrap();
        }
        recording.replace(&y, &long.slice(s![64..192])).unwrap();
        recording.run().unwrap();
        recording.replace(&y, &y).unwrap();
        let wanted: Vec<u32> = (0..256).map(|i| if (64..192).contains(&i) { 4 } else { 3 }).collect();
        assert_eq!((y.to_vec().unwrap(), long.to_vec().unwrap()), (vec![0; 128], wanted), "on {}", name(device));
        let bad = &x.reshape(&[2, 64]) + &short;
        assert!(recording.replace(&x, &bad).is_err_and(|error| error.to_string().contains("[2, 64] and [100]")));
        mistake(recording.set(1, "steps", 1u32), "Recording::set", "launch", &["1 launches", "got 1"]);
        mistake(recording.set(0, "steps", 1.0f32), "Recording::set", "steps", &["u32", "f32"]);
        mistake(recording.set(0, "stops", 1u32), "Recording::set", "name", &["steps", "stops"]);
        mistake(recording.set(0, "steps", &x), "Recording::set", "steps", &["a value", "replace"]);
        // One array for what is read and what is written is found when it runs, and can be mended.
        recording.replace(&x, &y).unwrap();
        mistake(recording.run(), "Recording::run", "@group(0) @binding(2) of main", &["memory of its own"]);
        recording.replace(&x, &x).unwrap();
        recording.run().unwrap();
        assert_eq!(y.to_vec().unwrap(), [1; 128], "on {}", name(device));
        mistake(Recording::of::<f32>(&[]), "Recording::of", "arrays", &["at least one"]);
    }
}

/// Work that takes a card about so long; nothing elsewhere. What it reads and what it writes, which are memory of its own.
fn long_work(device: &Device, time: Duration) -> [Array<u32>; 2] {
    let add = kernel(STEPS);
    let x = Array::<u32>::ones(device, &[1 << 16]).copy();
    let mut y = x.copy();
    let mut run = |steps: u32| add.for_elements(1 << 16).args((&x, steps, &mut y)).launch(device).unwrap();
    // By an event: who waits for the device does not wait for what is detached.
    let wait = || Event::record(device).unwrap().wait().unwrap();
    run(1);
    wait();
    if is_concurrent(device) {
        let start = Instant::now();
        run(1_000_000);
        wait();
        let pieces = (time.as_secs_f64() / start.elapsed().as_secs_f64()).ceil() as u32;
        (0..pieces).for_each(|_| run(1_000_000));
    }
    [x, y]
}

/// Whatever memory a program's values lie in, they are uploaded as they are when that is asked for.
#[test]
fn values_are_taken_when_they_are_asked_for() {
    let _shared = shared();
    for device in apis() {
        for len in [1, 1000, 1 << 14, (1 << 14) + 1, 1 << 20] {
            let mut pinned = Unified::<u32>::pinned(device, &[len]).unwrap();
            pinned.host_mut().unwrap().fill(1);
            let mut download = HostBuffer::<u32>::new(device, len, Direction::Download).unwrap();
            download.download(&Array::<u32>::ones(device, &[len]).copy()).unwrap();
            let busy = long_work(device, Duration::from_millis(50));
            let of_pinned = Array::from_slice(device, pinned.host().unwrap());
            let of_download = Array::from_slice(device, download.as_slice().unwrap());
            pinned.host_mut().unwrap().fill(9);
            drop(download);
            for (what, array) in [("pinned", of_pinned), ("downloaded", of_download)] {
                same_values(&array.to_vec().unwrap(), &vec![1; len], &format!("{what} on {}", name(device)));
            }
            drop(busy);
        }
    }
}

/// An index outside is told to who reads what came of it, in whichever stream, and to nobody else.
#[test]
fn faults_in_streams_reach_who_reads() {
    for device in apis() {
        // Who waits for a whole device is told what nobody read: other tests wait for theirs.
        let Some(device) = &fresh_like(device) else { continue };
        let what = name(device);
        let x = Array::from_slice(device, &[1u32, 2, 3]);
        let taken = |index: u32| x.take(&Array::from_slice(device, &[index, 0]), OutOfRange::Error);
        let [first, second] = [Stream::new(device).unwrap(), Stream::new(device).unwrap()];
        let wrong = first.run(|| taken(3));
        first.run(|| wrong.eval().unwrap());
        assert_eq!(second.run(|| taken(2).to_vec()).unwrap(), [3, 1], "somebody else's on {what}");
        let error = second.run(|| (&wrong + 1).to_vec()).unwrap_err().to_string();
        assert!(error.contains("indices") && error.contains("got 3"), "{error} on {what}");
        assert!(wrong.to_vec().is_err() && first.run(|| wrong.to_vec()).is_err(), "on {what}");
        drop((first, second));
        assert!(taken(7).to_vec().is_err(), "after streams on {what}");
        assert_eq!(taken(1).to_vec().unwrap(), [2, 1], "on {what}");
    }
}

/// Who waits for a card keeps nobody else waiting, and what is in a detached stream not even who waits for the device.
#[test]
fn a_long_wait_is_ones_own() {
    let _alone = DEVICES.write().unwrap_or_else(|poisoned| poisoned.into_inner());
    for device in apis().iter().filter(|device| {
        let overlaps = is_concurrent(device);
        if !overlaps {
            say(&format!("skipped {}: it has one queue", name(device)));
        }
        overlaps
    }) {
        let len = 1 << 20;
        let stream = Stream::new(device).unwrap();
        let own = stream.run(|| Array::from_slice(device, &vec![3u32; len]));
        let step = |stream: &Stream| {
            stream.run(|| {
                assert_eq!((&own + 1).max().item().unwrap(), 4);
                assert_eq!(own.to_vec().unwrap(), vec![3; len]);
                assert_eq!(Array::from_slice(device, &vec![5u32; len]).slice(s![..2]).to_vec().unwrap(), [5; 2]);
            });
        };
        step(&stream);
        device.synchronize().unwrap();
        let longest = |work: &mut dyn FnMut()| {
            let start = Instant::now();
            work();
            start.elapsed()
        };
        let alone = (0..10).map(|_| longest(&mut || step(&stream))).max().unwrap();
        let slow = long_work(device, Duration::from_millis(600));
        let beside = std::thread::scope(|scope| {
            let read = scope.spawn(|| slow[1].to_vec().unwrap());
            let write = scope.spawn(|| Array::from_slice(device, &vec![5u32; 32 << 20]).eval().unwrap());
            std::thread::sleep(Duration::from_millis(50));
            let beside = longest(&mut || step(&stream));
            assert!(!read.is_finished(), "the long work was too short to tell");
            read.join().unwrap();
            write.join().unwrap();
            beside
        });
        say(&format!("a step takes {alone:?} at most, {beside:?} beside a long wait, on {}", name(device)));
        assert!(beside < alone * 4 + Duration::from_millis(20), "{beside:?} beside {alone:?} on {}", name(device));
        let apart = Stream::detached(device).unwrap();
        let (slow, event) = apart.run(|| {
            let slow = long_work(device, Duration::from_millis(600));
            (slow, Event::record(device).unwrap())
        });
        let calls: [(&str, &mut dyn FnMut()); 3] = [
            ("a wait for the device", &mut || device.synchronize().unwrap()),
            ("an evaluation", &mut || Array::<u32>::ones(device, &[len]).copy().eval().unwrap()),
            ("a download", &mut || drop(Array::<u32>::ones(device, &[len]).copy().to_vec().unwrap())),
        ];
        for (what, call) in calls {
            let waited = longest(call);
            assert!(!event.is_done().unwrap(), "{what} waited {waited:?} for what is detached on {}", name(device));
        }
        assert!(slow[1].to_vec().is_ok() && event.is_done().unwrap(), "who uses its memory waits");
    }
}

/// Tells a process which device it is to leave at work.
const LEAVES: &str = "CROSSLANE_TEST_LEAVES";

/// Many futures that nobody waits for, dropped, and the end of the process: its threads are in the driver.
fn leave_at_work(request: &str) -> ! {
    let device = Device::open(request).unwrap();
    let x = Array::arange(&device, 0u32, 1 << 16, 1);
    for nth in 0..20 {
        drop((&x * nth).to_vec_async());
        (&x + nth).eval().unwrap();
    }
    std::process::exit(0)
}

/// A process ends as it says, whatever its devices are at.
#[test]
fn processes_end_while_devices_work() {
    if let Ok(request) = std::env::var(LEAVES) {
        leave_at_work(&request);
    }
    for (index, properties) in Device::list().into_iter().enumerate().filter(|(_, it)| it.missing.is_none()) {
        for run in 0..6 {
            let output = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "processes_end_while_devices_work", "--nocapture"])
                .env(LEAVES, index.to_string())
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "run {run} on {properties}: {}, {said}", output.status);
        }
    }
}
