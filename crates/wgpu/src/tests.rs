//! The engine alone under threads that submit, run what they prepared, read and write side by side: no lock of the device
//! stands between them.

use super::{ENGINE, Wgpu};
use crosslane_core::caps::Caps;
use crosslane_core::engine::{Driver, Exclusive, Options};
use crosslane_core::error::ErrorKind;
use crosslane_core::kernel::{Access, Draft, Kernel, Shader, Spec};
use crosslane_core::memory::{Memory, Place, Pool};
use crosslane_core::op::Grid;
use crosslane_core::work::{Launch, Read, Window, Write};
use std::slice;
use std::sync::Arc;
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

/// A kernel with this many words of parameters, which stores the sum of all at the indices from the first to the
/// second, a word at each.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Sums(u32);

impl Spec for Sums {
    fn draft(&self, _: &Caps) -> Draft {
        let all: Vec<String> = (0..self.0).map(|nth| format!("params.p{nth}")).collect();
        Draft {
            params: (0..self.0).map(|nth| format!("p{nth}")).collect(),
            access: vec![Access::Write],
            text: format!(
                "@group(0) @binding(0) var<storage, read_write> to: array<u32>;
                @compute @workgroup_size(1) fn sums() {{
                    for (var at = params.p0; at < params.p1; at++) {{ to[at] = {}; }}
                }}
                ",
                all.join(" + ")
            ),
            trusted: false,
            ..Draft::new("sums", Shader { name: "sums", text: "" })
        }
    }
}

fn sums(params: u32, caps: &Caps) -> Kernel {
    Kernel::of(Sums(params), caps)
}

/// A kernel whose every workgroup takes long, and which stores a 1.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Slow;

impl Spec for Slow {
    fn draft(&self, _: &Caps) -> Draft {
        Draft {
            access: vec![Access::Write],
            text: "@group(0) @binding(0) var<storage, read_write> to: array<u32>;
            @compute @workgroup_size(64) fn slow(@builtin(global_invocation_id) id: vec3<u32>) {
                var x = f32(id.x);
                for (var turn = 0; turn < 20000; turn++) { x = sin(x) + 1.5; }
                if x > 0.0 { to[0] = 1; } // always
            }
            "
            .into(),
            trusted: false,
            ..Draft::new("slow", Shader { name: "slow", text: "" })
        }
    }
}

fn slow(caps: &Caps) -> Kernel {
    Kernel::of(Slow, caps)
}

fn launch(kernel: &Kernel, memory: &Arc<Memory>, params: Vec<u32>) -> Launch {
    let buffers = vec![Window { memory: memory.clone(), offset: 0, bytes: memory.bytes() }];
    Launch { kernel: kernel.clone(), buffers, params, grid: Grid::Fixed([1, 1, 1]), cost: None }
}

fn words(driver: &dyn Driver, launches: &[Launch], memory: &Memory, count: usize) -> Vec<u32> {
    let mut bytes = vec![0; count * 4];
    driver.read(launches, &mut [Read { from: memory, offset: 0, to: &mut bytes }], &mut || {}).unwrap();
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

/// What one thread does: launches with parameters of its own, submitted at once, prepared before, or with the read.
fn rounds(device: &Device, kernel: &Kernel, thread: u32) {
    let driver = &**device.driver();
    for round in 0..60 {
        let count = 1 + (thread * 7 + round * 13) % 60;
        let memory = device.pool().take("test", 256, Place::Device).unwrap();
        driver.write(&[Write { to: &memory, offset: 0, from: &[0xff; 256] }]).unwrap();
        // Each launch another word, and the last all of those past the middle.
        let mut launches = Vec::new();
        let (mut wanted, middle) = (vec![u32::MAX; 64], count / 2);
        let ranges = (0..count).map(|at| (at, at + 1)).chain([(middle, count)]);
        for (nth, (from, to)) in ranges.enumerate() {
            let value = |word: u32| thread * 1_000_000 + round * 1_000 + nth as u32 * 10 + word;
            let params: Vec<u32> = [from, to].into_iter().chain((2..kernel.param_words() as u32).map(value)).collect();
            let sum = params.iter().fold(0u32, |sum, &word| sum.wrapping_add(word));
            wanted[from as usize..to as usize].fill(sum);
            launches.push(launch(kernel, &memory, params));
        }
        let mut with_read = vec![];
        match (thread + round) % 3 {
            0 => driver.submit(&launches).unwrap(),
            1 => driver.submit_prepared(&driver.prepare(&launches).unwrap(), &launches).unwrap(),
            _ => with_read = launches,
        }
        assert_eq!(words(driver, &with_read, &memory, 64), wanted, "thread {thread}, round {round}");
    }
}

/// The engine with memory, as a device has them.
struct Device {
    driver: Arc<dyn Driver>,
    pool: Arc<Pool>,
}

impl Device {
    fn driver(&self) -> &Arc<dyn Driver> {
        &self.driver
    }

    fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    fn caps(&self) -> &Caps {
        self.driver.caps()
    }
}

fn devices(options: Options) -> impl Iterator<Item = Device> {
    let open = move |name| {
        let _exclusive = Exclusive::take();
        let place = (ENGINE.list)().iter().position(|properties| properties.matches(name));
        let Some(place) = place else {
            eprintln!("skipped: no {name}");
            return None;
        };
        let driver = (ENGINE.open)(place, &options).unwrap();
        Some(Device { pool: Pool::new(driver.clone()), driver })
    };
    ["lavapipe", "swiftshader"].into_iter().filter_map(open)
}

fn staged() -> Options {
    Options { staged: true, ..Options::default() }
}

fn side_by_side(options: Options, params: u32) {
    for device in devices(options) {
        let kernel = sums(params, device.caps());
        scope(|threads| {
            for thread in 0..8 {
                let (device, kernel) = (&device, &kernel);
                threads.spawn(move || rounds(device, kernel, thread));
            }
        });
        device.driver.wait().unwrap();
    }
}

#[test]
fn parameters_belong_to_their_submission_without_immediates() {
    side_by_side(Options { no_immediates: true, ..Options::default() }, 6);
}

#[test]
fn parameters_belong_to_their_submission_where_transfers_are_staged() {
    side_by_side(Options { no_immediates: true, ..staged() }, 6);
}

/// Too many for the command buffer of any device.
#[test]
fn parameters_of_wide_kernels_belong_to_their_submission() {
    side_by_side(Options::default(), 70);
}

/// Another thread's poll has wgpu's callback for a lost device, and has not called it yet, when a mapping fails here.
#[test]
fn an_error_waits_to_be_told_of_a_loss() {
    for device in devices(Options::default()) {
        let driver = engine(&device);
        let fails = || driver.backend_error("download", "the memory could not be mapped".into());
        assert!(matches!(fails().kind(), ErrorKind::Backend { .. }), "nothing is lost");
        scope(|threads| {
            threads.spawn(|| {
                sleep(SHORT);
                *driver.lost.lock().unwrap() = Some("told late".into());
            });
            assert!(matches!(fails().kind(), ErrorKind::DeviceLost { .. }));
        });
    }
}

/// Long enough for a thousand launches beside it.
const LONG: Duration = Duration::from_millis(300);
/// Long enough for a few calls beside it.
const SHORT: Duration = Duration::from_millis(80);

/// A launch that takes the device so long at least, and how long it takes.
fn long(device: &Device, least: Duration) -> (Launch, Duration) {
    let (driver, memory) = (&**device.driver(), device.pool().take("test", 256, Place::Device).unwrap());
    let mut launch = launch(&slow(device.caps()), &memory, vec![]);
    for workgroups in (4..16).map(|power| 1 << power) {
        launch.grid = Grid::Fixed([workgroups, 1, 1]);
        let start = Instant::now();
        driver.submit(&[launch.clone()]).unwrap();
        driver.wait().unwrap();
        if start.elapsed() > least {
            return (launch, start.elapsed());
        }
    }
    panic!("the kernel is not slow");
}

/// Devices whose memory the host cannot map, as that of most cards. Mesa 22's vkQueueSubmit on llvmpipe waits for the
/// submission before: there the device never has two, and nothing is joined.
fn with_memory_of_their_own() -> impl Iterator<Item = Device> {
    devices(staged())
}

/// The engine of a device.
fn engine(device: &Device) -> &Wgpu {
    device.driver().any().downcast_ref().unwrap()
}

#[test]
fn launches_are_joined_while_the_device_works_and_keep_their_order() {
    for device in with_memory_of_their_own() {
        let (driver, engine, kernel) = (&**device.driver(), engine(&device), sums(6, device.caps()));
        let (long, _) = long(&device, LONG);
        let memory = device.pool().take("test", 4096, Place::Device).unwrap();
        driver.write(&[Write { to: &memory, offset: 0, from: &[0xff; 4096] }]).unwrap();
        driver.wait().unwrap();
        let store = |from, to, value| launch(&kernel, &memory, vec![from, to, value, 0, 0, 0]);
        let sum = |(from, to, value): (u32, u32, u32)| from + to + value;
        let (before, start) = (engine.line.submitted(), Instant::now());
        (0..2).for_each(|_| driver.submit(slice::from_ref(&long)).unwrap());
        // Each overwrites a word of the launch before.
        let ranges: Vec<_> = (0..1000).map(|nth| (nth, nth + 2, nth * 7)).collect();
        ranges.iter().for_each(|&(from, to, value)| driver.submit(&[store(from, to, value)]).unwrap());
        let (name, submissions) = (&device.driver.properties().name, engine.line.submitted() - before);
        let in_time = start.elapsed().as_micros() as u64 / 200; // what is kept that long is submitted
        let joins = !name.contains("llvmpipe");
        assert!(!joins || submissions <= 2 + 1000 / 100 + in_time, "{submissions} submissions of 1002 on {name}");
        // A write comes after all of them, and before what follows.
        driver.write(&[Write { to: &memory, offset: 8, from: &[0; 4] }]).unwrap();
        driver.submit(&[store(1, 2, 5)]).unwrap();
        let mut wanted: Vec<u32> = ranges.iter().map(|&range| sum(range)).collect();
        wanted.push(sum(ranges[999]));
        (wanted[1], wanted[2]) = (sum((1, 2, 5)), 0);
        assert_eq!(words(driver, &[], &memory, 1001), wanted);
    }
}

#[test]
fn launches_that_are_kept_are_submitted_in_time() {
    for device in with_memory_of_their_own() {
        let (driver, engine, kernel) = (&**device.driver(), engine(&device), sums(6, device.caps()));
        let (long, takes) = long(&device, SHORT);
        let memory = device.pool().take("test", 256, Place::Device).unwrap();
        for _ in 0..3 {
            driver.wait().unwrap();
            (0..2).for_each(|_| driver.submit(slice::from_ref(&long)).unwrap());
            let before = engine.line.submitted();
            driver.submit(&[launch(&kernel, &memory, vec![0, 1, 0, 0, 0, 0])]).unwrap();
            // No thread waits for it, and nothing else is submitted.
            let start = Instant::now();
            while engine.line.submitted() == before && start.elapsed() < takes {
                sleep(Duration::from_micros(50));
            }
            assert_eq!(engine.line.submitted(), before + 1, "{}", device.driver.properties().name);
        }
        driver.wait().unwrap();
    }
}

#[test]
fn what_the_program_submits_comes_after_what_was_accepted() {
    for device in with_memory_of_their_own() {
        let (driver, kernel) = (&**device.driver(), sums(6, device.caps()));
        let (long, _) = long(&device, SHORT);
        let memory = device.pool().take("test", 256, Place::Device).unwrap();
        let store = |value| driver.submit(&[launch(&kernel, &memory, vec![0, 1, value, 0, 0, 0])]).unwrap();
        (0..2).for_each(|_| driver.submit(slice::from_ref(&long)).unwrap());
        store(5);
        let engine = engine(&device);
        engine.share();
        let (raw, queue) = (&engine.device, &engine.queue);
        let copy = raw.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 8,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        // Now, between two launches, and each launch at once.
        for (nth, wanted) in [6, 9].into_iter().enumerate() {
            let mut encoder = raw.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.copy_buffer_to_buffer(super::buffer::buffer(&memory), 0, &copy, nth as u64 * 4, 4);
            queue.submit([encoder.finish()]);
            (0..2).for_each(|_| driver.submit(slice::from_ref(&long)).unwrap());
            store(wanted + 2);
        }
        copy.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
        driver.wait().unwrap();
        let view = copy.get_mapped_range(..).unwrap();
        let got: Vec<u32> = view.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        assert_eq!(got, [6, 9], "{}", device.driver.properties().name);
    }
}

/// While one thread waits for a long kernel in some way, calls of another that need not wait for it return soon. A call that
/// is late beside a short kernel, since the processor has other work, has a long one to show it.
fn nothing_waits(options: Options) {
    for device in devices(options) {
        if let Err(late) = waits_beside(&device, SHORT).or_else(|_| waits_beside(&device, 2 * LONG)) {
            panic!("{late}");
        }
    }
}

/// What waited for a kernel that takes so long at least.
fn waits_beside(device: &Device, least: Duration) -> Result<(), String> {
    let (driver, name) = (&**device.driver(), &device.driver.properties().name);
    let (long, takes) = long(device, least);
    let kernel = sums(6, device.caps());
    let [idle, used, fresh] = [1, 2, 3].map(|_| device.pool().take("test", 4 << 20, Place::Device).unwrap());
    let much = vec![7; 4 << 20];
    driver.write(&[Write { to: &idle, offset: 0, from: &much }]).unwrap();
    let small = || launch(&kernel, &used, vec![0, 1, 2, 3, 4, 5]);
    driver.submit(&[small()]).unwrap();
    let prepared = driver.prepare(&[small()]).unwrap();
    driver.wait().unwrap();
    let event = driver.record(false).unwrap();

    let read = || assert_eq!(words(driver, slice::from_ref(&long), &long.buffers[0].memory, 1), [1]);
    let timed = || {
        driver.start_clock().unwrap();
        driver.submit(slice::from_ref(&long)).unwrap();
        driver.stop_clock().unwrap();
    };
    let wait = || {
        driver.submit(slice::from_ref(&long)).unwrap();
        driver.wait().unwrap();
    };
    let mut waits: Vec<(&str, &(dyn Fn() + Sync))> = vec![("a read with its launch", &read), ("a wait", &wait)];
    let mut calls: Vec<(&str, &dyn Fn())> = vec![];
    let launches = || driver.submit(&[small()]).unwrap();
    let again = || driver.submit_prepared(&prepared, &[small()]).unwrap();
    let upload = || driver.write(&[Write { to: &fresh, offset: 0, from: &much[..1000] }]).unwrap();
    let staged = || driver.write(&[Write { to: &fresh, offset: 0, from: &much }]).unwrap();
    let earlier = || driver.wait_event(&event).unwrap();
    let download = || assert_eq!(words(driver, &[], &idle, 1 << 19)[77], 0x0707_0707);
    calls.extend([("a small upload", &upload as &dyn Fn()), ("an earlier event", &earlier)]);
    match name.contains("llvmpipe") {
        // Mesa 22's vkQueueSubmit waits for the submission before, which wgpu's semaphores put in order.
        true => eprintln!("submissions beside long kernels are not timed on {name}: its driver waits in them"),
        false => {
            calls.extend([("a launch", &launches as &dyn Fn()), ("a prepared one", &again)]);
            calls.push(("a large upload", &staged));
            waits.push(("a clock", &timed));
        }
    }
    if device.caps().unified {
        calls.push(("a download of what lies there", &download)); // elsewhere it has to be copied, in its turn
    }
    for (waiting, wait) in &waits {
        for (what, call) in &calls {
            driver.wait().unwrap();
            let took = scope(|threads| {
                threads.spawn(wait);
                sleep(takes / 8);
                let start = Instant::now();
                call();
                start.elapsed()
            });
            if took >= takes / 2 {
                return Err(format!("{what} beside {waiting} took {took:?} of {takes:?} on {name}"));
            }
        }
    }
    driver.wait().map_err(|error| error.to_string())
}

#[test]
fn calls_return_while_others_wait_for_the_device() {
    nothing_waits(Options::default());
}

#[test]
fn calls_return_while_others_wait_for_the_device_where_transfers_are_staged() {
    nothing_waits(staged());
}
