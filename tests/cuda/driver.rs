//! The engine whole without a card: on `driver.cpp` in place of CUDA's libraries, each test in a process of its own.
//!
//! Other test programs run there too, by hand: with `driver.cpp` compiled as here in a folder, as `libcuda.so`, a link to it
//! `libcuda.so.1`, and a copy `libnvrtc.so`, that folder alone in `LD_LIBRARY_PATH`, `CROSSLANE_EMULATION` naming this one and
//! `CROSSLANE_EMULATION_FOLDER` one for the kernels that g++ makes.

use crate::emulate::here;
use crate::emulation::{available, folder};
use crosslane::array::OutOfRange;
use crosslane::share::Direction;
use crosslane::{Argument, Array, Device, DeviceOptions, Event, HostBuffer, Kernel, Recording, Stream, Unified};
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{OnceLock, mpsc};
use std::time::{Duration, Instant};

/// The longest that one test may take, with g++ for its kernels.
const LIMIT: Duration = Duration::from_secs(100);
/// Says that the process is one of those.
const INSIDE: &str = "CROSSLANE_EMULATION";

unsafe extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// A function of the emulated driver.
fn symbol(name: &str) -> *mut c_void {
    const LAZY: c_int = 1;
    let name = CString::new(name).unwrap();
    // SAFETY: the library is the one that the engine has loaded, and both names end with a zero.
    let found = unsafe { dlsym(dlopen(c"libcuda.so".as_ptr(), LAZY), name.as_ptr()) };
    assert!(!found.is_null(), "{name:?}");
    found
}

/// Kernels do not begin while they are held.
pub fn hold(on: bool) {
    // SAFETY: `driver.cpp` has it so.
    let hold: extern "C" fn(c_int) = unsafe { std::mem::transmute(symbol("emulated_hold")) };
    hold(on as c_int);
}

/// How often a function has been called; of all for no name.
pub fn calls(name: &str) -> u64 {
    // SAFETY: as above.
    let calls: extern "C" fn(*const c_char) -> u64 = unsafe { std::mem::transmute(symbol("emulated_calls")) };
    calls(CString::new(name).unwrap().as_ptr())
}

/// One of the driver's own functions with one argument.
fn call(name: &str, argument: *mut c_void) {
    // SAFETY: those that are called so take one argument of a pointer's size.
    let function: extern "C" fn(*mut c_void) -> c_int = unsafe { std::mem::transmute(symbol(name)) };
    assert_eq!(function(argument), 0, "{name}");
}

fn pointer(name: &str) -> *mut c_void {
    // SAFETY: those that are called so take nothing and give a pointer or a number.
    let function: extern "C" fn() -> *mut c_void = unsafe { std::mem::transmute(symbol(name)) };
    function()
}

/// The same with two arguments, within the card's context.
fn call2(name: &str, first: *mut c_void, second: usize) {
    in_context(|| call2_plain(name, first, second));
}

/// Within the card's context, as a program's own calls are.
fn in_context(work: impl FnOnce()) {
    let mut context = std::ptr::null_mut::<c_void>();
    call2_plain("cuDevicePrimaryCtxRetain", (&raw mut context).cast(), 0);
    call("cuCtxPushCurrent_v2", context);
    work();
    call("cuCtxPopCurrent_v2", (&raw mut context).cast());
}

fn call2_plain(name: &str, first: *mut c_void, second: usize) {
    // SAFETY: as above.
    let function: extern "C" fn(*mut c_void, usize) -> c_int = unsafe { std::mem::transmute(symbol(name)) };
    assert_eq!(function(first, second), 0, "{name}");
}

fn current_context() -> *mut c_void {
    let mut context = std::ptr::null_mut::<c_void>();
    call("cuCtxGetCurrent", (&raw mut context).cast());
    context
}

/// The libraries, made once.
fn libraries() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        let folder = folder().unwrap();
        let made = Command::new("g++")
            .args([
                "-std=c++17",
                "-O1",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-shared",
                "-fPIC",
                "-pthread",
                "-Wl,-z,nodelete",
            ])
            .arg(here().join("driver.cpp"))
            .arg("-o")
            .arg(folder.join("libcuda.so"))
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        std::fs::copy(folder.join("libcuda.so"), folder.join("libnvrtc.so")).unwrap();
        folder
    })
}

/// Lets kernels go when a test ends, also by a panic: else what it drops would wait for them.
struct Release;

impl Drop for Release {
    fn drop(&mut self) {
        hold(false);
        pointer("emulated_leave");
    }
}

/// Runs `work` on the emulated card, in a process of its own that runs this test only.
fn on_emulated_card(test: &str, work: impl FnOnce(&Device)) {
    if std::env::var_os(INSIDE).is_some() {
        let device = DeviceOptions::default().open("cuda").unwrap();
        let _release = Release;
        return work(&device);
    }
    if !cfg!(target_os = "linux") || !available() {
        return println!("{test} is not run: it needs Linux and g++");
    }
    run(&std::env::current_exe().unwrap(), test, &libraries().join("cache"));
}

/// Runs a test by itself, in this program's file or a copy of it.
fn run(program: &Path, test: &str, cache: &Path) {
    let own = folder().unwrap();
    let mut child = Command::new(program)
        .args(["--exact", &format!("driver::{test}"), "--nocapture", "--test-threads=1"])
        .env("LD_LIBRARY_PATH", libraries())
        .env("CROSSLANE_CACHE", cache)
        .env("CROSSLANE_EMULATION_FOLDER", &own)
        .env("CROSSLANE_NATIVES", "auto")
        .env(INSIDE, here())
        .spawn()
        .unwrap();
    let started = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break Some(status),
            None if started.elapsed() > LIMIT => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let _ = std::fs::remove_dir_all(own);
    match status {
        Some(status) => assert!(status.success(), "{test} ended with {status}"),
        None => panic!("{test} did not end within {LIMIT:?}"),
    }
}

/// Something whose kernel stands in the main stream until kernels are let go.
fn busy(device: &Device) -> Array<f32> {
    let x = Array::<f32>::ones(device, &[64]).copy();
    x.eval().unwrap();
    (&x + 1.0).to_vec().unwrap(); // compiled
    hold(true);
    let y = &x + 1.0;
    y.eval().unwrap();
    y
}

/// What is kept on disk is found by another program with the same translator.
#[test]
fn the_cache_is_every_programs() {
    const TEST: &str = "the_cache_is_every_programs";
    if std::env::var_os(INSIDE).is_some() || !cfg!(target_os = "linux") || !available() {
        return on_emulated_card(TEST, |device| {
            assert_eq!((Array::arange(device, 0u32, 10, 1) * 3).sum().item().unwrap(), 135);
        });
    }
    let own = folder().unwrap();
    let (program, copy, cache) = (std::env::current_exe().unwrap(), own.join("copy"), own.join("cache"));
    let files = || {
        let entries = std::fs::read_dir(cache.join("cuda")).unwrap().map(|entry| entry.unwrap().file_name());
        entries.collect::<std::collections::BTreeSet<_>>()
    };
    run(&program, TEST, &cache);
    let before = files();
    std::fs::copy(program, &copy).unwrap(); // made later, with a name of its own
    run(&copy, TEST, &cache);
    let after = files();
    let _ = std::fs::remove_dir_all(own);
    assert!(!before.is_empty() && before == after, "{before:?} and {after:?}");
}

#[test]
fn kernels_compute_on_the_emulated_card() {
    on_emulated_card("kernels_compute_on_the_emulated_card", |device| {
        let x = Array::arange(device, 0u32, 1000, 1);
        let y = (&x * 3 + 1).to_vec().unwrap();
        assert!(y.iter().enumerate().all(|(i, &y)| y == 3 * i as u32 + 1));
        assert_eq!(x.sum().item().unwrap(), 499_500);
        println!("{} calls of the driver", calls(""));
    });
}

/// Whatever memory a program's values lie in, they are taken when they are asked for.
#[test]
fn values_are_uploaded_as_they_are_when_asked_for() {
    on_emulated_card("values_are_uploaded_as_they_are_when_asked_for", |device| {
        // Up to 64 KiB goes another way than more.
        for len in [1, 1000, 1 << 14, (1 << 14) + 1, 1 << 20] {
            let mut pinned = Unified::<u32>::pinned(device, &[len]).unwrap();
            pinned.host_mut().unwrap().fill(1);
            let mut download = HostBuffer::<u32>::new(device, len, Direction::Download).unwrap();
            download.download(&Array::<u32>::ones(device, &[len]).copy()).unwrap();
            let mut own = vec![1u32; len];
            call2("cuMemHostRegister_v2", own.as_mut_ptr().cast(), len * 4);
            let waits = device.waits();
            let busy = busy(device);
            let uploaded = [
                Array::from_slice(device, pinned.host().unwrap()),
                Array::from_slice(device, download.as_slice().unwrap()),
                Array::from_slice(device, &own),
            ];
            assert!(len > 1 << 14 || device.waits() == waits + 1, "small uploads do not wait");
            pinned.host_mut().unwrap().fill(9);
            own.fill(9);
            hold(false);
            drop(download);
            for (which, array) in uploaded.iter().enumerate() {
                assert!(array.to_vec().unwrap().iter().all(|&x| x == 1), "array {which} of {len}");
            }
            in_context(|| call("cuMemHostUnregister", own.as_mut_ptr().cast()));
            assert_eq!(busy.to_vec().unwrap(), [2.0; 64]);
        }
    });
}

/// A program with a context and memory of its own finds them as they were.
#[test]
fn a_guest_leaves_contexts_and_the_default_pool_alone() {
    on_emulated_card("a_guest_leaves_contexts_and_the_default_pool_alone", |device| {
        let other = pointer("emulated_other_context");
        for before in [std::ptr::null_mut(), other] {
            call("cuCtxSetCurrent", before);
            let check = |what: &str| assert_eq!(current_context(), before, "after {what}");
            let x = Array::from_slice(device, &vec![1.0f32; 1 << 20]);
            check("an upload");
            let y = (&x + 1.0).copy();
            y.eval().unwrap();
            check("an evaluation");
            assert_eq!(y.sum().item().unwrap(), (2 << 20) as f32);
            check("a read");
            let stream = Stream::new(device).unwrap();
            let event = stream.run(|| Event::record(device)).unwrap();
            stream.wait_for(&event).unwrap();
            check("an event");
            let mut recording = Recording::of(&[&(&y * 2.0), &(&y * 3.0)]).unwrap();
            recording.run().unwrap();
            check("a recording");
            drop((x, y, stream, event, recording));
            device.trim();
            device.synchronize().unwrap();
            check("what is dropped");
            assert!(DeviceOptions::default().open("cuda").is_ok());
            check("opening and dropping a device");
        }
        assert_eq!(
            pointer("emulated_default_pool_changes"),
            std::ptr::null_mut(),
            "uses and changes of the default pool"
        );
    });
}

/// Who waits for a kernel keeps nobody else's transfers and launches waiting.
#[test]
fn a_long_wait_keeps_no_other_transfer_waiting() {
    on_emulated_card("a_long_wait_keeps_no_other_transfer_waiting", |device| {
        let many = 1 << 20;
        let stream = Stream::new(device).unwrap();
        let large = stream.run(|| Array::from_slice(device, &vec![3u32; many]));
        stream.synchronize().unwrap();
        let slow = Array::<f32>::ones(device, &[many]).copy();
        slow.eval().unwrap();
        (&slow + 1.0).eval().unwrap();
        device.synchronize().unwrap();
        let _busy = busy(device);
        let slow = &slow + 1.0;
        slow.eval().unwrap();
        std::thread::scope(|scope| {
            // Both fill what staging memory there is, and wait.
            let read = scope.spawn(|| slow.to_vec().unwrap());
            let write = scope.spawn(|| Array::from_slice(device, &vec![5u32; 32 << 20]));
            std::thread::sleep(Duration::from_millis(300));
            let (done, finished) = mpsc::channel();
            scope.spawn(move || {
                stream.run(|| {
                    assert_eq!(large.to_vec().unwrap(), vec![3; many]);
                    let again = Array::from_slice(device, &vec![4u32; many]);
                    assert_eq!(again.to_vec().unwrap(), vec![4; many]);
                    assert_eq!(Array::from_slice(device, &[7u32]).to_vec().unwrap(), [7]);
                });
                done.send(()).unwrap();
            });
            let in_time = finished.recv_timeout(Duration::from_secs(5));
            assert!(!read.is_finished() && !write.is_finished());
            hold(false);
            assert_eq!(read.join().unwrap(), vec![2.0; many]);
            assert_eq!(write.join().unwrap().to_vec().unwrap(), vec![5; 32 << 20]);
            assert!(in_time.is_ok(), "transfers in another stream waited");
        });
    });
}

/// What kernels find wrong is told to who reads what they made, in streams, after them, and to nobody else.
#[test]
fn faults_in_streams_reach_who_reads_and_nobody_else() {
    on_emulated_card("faults_in_streams_reach_who_reads_and_nobody_else", |device| {
        let x = Array::from_slice(device, &[1u32, 2, 3]);
        let taken = |index: u32| x.take(&Array::from_slice(device, &[index, 0]), OutOfRange::Error);
        taken(1).to_vec().unwrap();
        let [first, second] = [Stream::new(device).unwrap(), Stream::new(device).unwrap()];
        let wrong = first.run(|| taken(3));
        first.run(|| wrong.eval().unwrap());
        let right = second.run(|| taken(2));
        assert_eq!(second.run(|| right.to_vec()).unwrap(), [3, 1], "somebody else's");
        let later = second.run(|| (&wrong + 1).to_vec()).unwrap_err().to_string();
        assert!(later.contains("indices") && later.contains("got 3"), "{later}");
        assert!(wrong.to_vec().is_err(), "outside of streams");
        assert!(first.run(|| wrong.to_vec()).is_err(), "told again, to each who reads");
        assert_eq!(device.synchronize().map_err(|error| error.to_string()), Ok(()), "it was told");
        drop((first, second));
        assert!(taken(7).to_vec().is_err(), "after all streams are gone");
        let untold = taken(5);
        untold.eval().unwrap();
        assert!(device.synchronize().is_err(), "nobody was told");
    });
}

/// Assertions are told as soon as nothing else runs, also when there have been streams.
#[test]
fn assertions_are_told_after_streams() {
    on_emulated_card("assertions_are_told_after_streams", |device| {
        let kernel = Kernel::wgsl(
            "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
             @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
                 x[0] = 1u;
                 assert_that(id, false);
             }",
        )
        .unwrap();
        let failing = || {
            let mut x = Array::<u32>::zeros(device, &[4]).copy();
            kernel.grid([1]).args(&mut x).launch(device).unwrap();
            x
        };
        assert!(failing().to_vec().is_err(), "before there is a stream");
        let stream = Stream::new(device).unwrap();
        assert!(failing().to_vec().is_err(), "in the main stream, the other idle");
        assert!(stream.run(|| failing().to_vec()).is_err(), "in a stream, the main one idle");
        stream.run(|| drop(failing()));
        assert!(stream.synchronize().is_err(), "after a wait for the stream");
        let busy = busy(device);
        let x = stream.run(|| Array::from_slice(device, &[1u32]).to_vec());
        assert_eq!(x.unwrap(), [1], "while another stream runs, only who waits for all of it looks");
        hold(false);
        drop((stream, busy));
        failing();
        assert!(device.synchronize().is_err());
    });
}

/// Functions of the driver that an evaluation of what was planned before calls, beside the launch.
#[test]
fn an_evaluation_asks_little_of_the_driver() {
    on_emulated_card("an_evaluation_asks_little_of_the_driver", |device| {
        let mut x = Array::<f32>::ones(device, &[64]).copy();
        let step = |x: &mut Array<f32>| {
            *x = (&*x * 0.5 + 1.0).copy();
            x.eval().unwrap();
        };
        (0..10).for_each(|_| step(&mut x));
        device.synchronize().unwrap();
        let (all, launches) = (calls(""), calls("cuLaunchKernel"));
        let names =
            ["cuCtxGetCurrent", "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuCtxSetCurrent", "cuEventRecord"];
        let before = names.map(calls);
        (0..100).for_each(|_| step(&mut x));
        let (all, launches) = (calls("") - all, calls("cuLaunchKernel") - launches);
        let counts: Vec<_> = names.iter().zip(before).map(|(name, before)| (name, calls(name) - before)).collect();
        assert_eq!(launches, 100);
        println!("100 evaluations: {all} calls, of them {counts:?}");
        // One look at the context, which is put in place and taken away.
        assert!(all <= 400, "{all} calls for 100 evaluations: {counts:?}");
    });
}

/// Others' work in a stream comes after ours that makes what it uses, and before ours that uses what it made.
#[test]
fn others_work_is_in_order_on_both_sides() {
    on_emulated_card("others_work_is_in_order_on_both_sides", |device| {
        let stream = Stream::new(device).unwrap();
        let x = busy(device); // twos, in the main stream, not there yet
        let mut y = Array::<f32>::zeros(device, &[64]).copy();
        let shares = y.clone();
        let (before, mut seen) = (current_context(), vec![0f32; 64]);
        call2("cuMemHostRegister_v2", seen.as_mut_ptr().cast(), 256);
        let host = seen.as_mut_ptr();
        let queued = stream.run(|| {
            device.with_stream((&x, &mut y), |raw, addresses| {
                assert_eq!(Some(raw), device.cuda_stream());
                assert!(!current_context().is_null());
                // SAFETY: `driver.cpp` has them so, and what they use lives until the stream is done.
                unsafe {
                    let copy: extern "C" fn(*mut f32, u64, usize, *mut c_void) -> c_int =
                        std::mem::transmute(symbol("cuMemcpyDtoHAsync_v2"));
                    let set: extern "C" fn(u64, u8, usize, *mut c_void) -> c_int =
                        std::mem::transmute(symbol("cuMemsetD8Async"));
                    assert_eq!(copy(host, addresses[0], 256, raw), 0);
                    assert_eq!(set(addresses[1], 1, 256, raw), 0);
                }
                Ok(addresses.len())
            })
        });
        assert_eq!((queued.unwrap(), current_context()), (Some(2), before));
        let later = (&y * 2.0).copy(); // in the main stream
        later.eval().unwrap();
        hold(false);
        let one = f32::from_bits(0x0101_0101);
        assert_eq!(later.to_vec().unwrap(), [one * 2.0; 64]);
        assert_eq!(shares.to_vec().unwrap(), [0.0; 64], "what shared its memory");
        stream.synchronize().unwrap();
        assert_eq!(seen, [2.0; 64]);
        in_context(|| call("cuMemHostUnregister", seen.as_mut_ptr().cast()));
        let none = |_: *mut c_void, _: &[u64]| -> crosslane::Result<()> { panic!("not to be called") };
        let error = device.with_stream((&x, 3.0f32), none).unwrap_err().to_string();
        assert!(error.contains("array 1") && error.contains("a value"), "{error}");
        let error = device.with_stream((&y, Argument::in_place(&y)), none).unwrap_err().to_string();
        assert!(error.contains("array 1") && error.contains("twice"), "{error}");
        let failed: crosslane::Result<Option<()>> =
            device.with_stream(&x, |_, _| Err(x.reshape(&[3]).eval().unwrap_err()));
        assert!(failed.is_err());
        assert_eq!((&x + &y).to_vec().unwrap(), [2.0 + one; 64], "the device is as before");
    });
}

/// What stays in a detached stream keeps nobody waiting that does not use its memory.
#[test]
fn what_stays_in_a_detached_stream_keeps_nobody_waiting() {
    on_emulated_card("what_stays_in_a_detached_stream_keeps_nobody_waiting", |device| {
        let apart = Stream::detached(device).unwrap();
        let mut flags = Array::<u32>::zeros(device, &[64]).copy();
        let before = apart.run(|| {
            let before = (Array::<u32>::ones(device, &[64]) + 1).copy();
            before.eval().unwrap();
            let staying = device.with_stream(&mut flags, |raw, _| {
                call("emulated_stay", raw);
                Ok(())
            });
            assert_eq!(staying.unwrap(), Some(()));
            before
        });
        assert_eq!(before.to_vec().unwrap(), [2; 64], "it was asked for before");
        drop(before);
        for round in 0..3 {
            let stream = Stream::new(device).unwrap();
            let x = Array::from_slice(device, &vec![round as f32; 1 << 20]);
            let sum = stream.run(|| (&x + 1.0).sum()).item().unwrap();
            assert_eq!(sum, ((round + 1) << 20) as f32);
            let mut recording = Recording::of(&[&(&x * 2.0), &(&x * 3.0)]).unwrap();
            recording.run().unwrap();
            drop((x, recording, stream));
            device.trim();
            device.synchronize().unwrap();
        }
        pointer("emulated_leave");
        assert_eq!(flags.to_vec().unwrap(), [0; 64], "who uses its memory waits");
        apart.synchronize().unwrap();
    });
}

/// Several threads at once, each with results of its own, in the main stream and in others.
#[test]
fn threads_submit_read_and_write_side_by_side() {
    on_emulated_card("threads_submit_read_and_write_side_by_side", |device| {
        let shared = Array::arange(device, 0u32, 1000, 1).copy();
        shared.eval().unwrap();
        std::thread::scope(|scope| {
            for thread in 0..6u32 {
                let shared = &shared;
                scope.spawn(move || {
                    let stream = Stream::new(device).unwrap();
                    let mut sum = Array::from_slice(device, &vec![thread; 1000]);
                    for turn in 0..40u32 {
                        let mut step = || {
                            sum = (&sum * 3 + shared + turn).copy();
                            sum.eval().unwrap();
                            if turn % 8 == thread % 8 {
                                let values = sum.to_vec().unwrap();
                                sum = Array::from_slice(device, &values);
                            }
                        };
                        match (turn + thread) % 3 {
                            0 => step(),
                            _ => stream.run(step),
                        }
                    }
                    let wanted = |i: u32| {
                        (0..40u32).fold(thread, |sum, turn| sum.wrapping_mul(3).wrapping_add(i).wrapping_add(turn))
                    };
                    let got = sum.to_vec().unwrap();
                    assert!((0..1000).all(|i| got[i as usize] == wanted(i)), "thread {thread}");
                });
            }
        });
    });
}

/// What all kernels share for what they say is made ready in one stream, and waited for in others.
#[test]
fn what_kernels_share_is_ready_before_the_first_uses_it() {
    on_emulated_card("what_kernels_share_is_ready_before_the_first_uses_it", |device| {
        let kernel = Kernel::wgsl(
            "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
             @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
                 var i = 0u;
                 while x[0] != i { i++; }
                 print_u32(id, i);
             }",
        )
        .unwrap();
        let [first, second] = [Stream::new(device).unwrap(), Stream::new(device).unwrap()];
        let mut arrays = [0u32, 1, 2].map(|i| Array::from_slice(device, &[i + 5]));
        let mut stays = Array::<u32>::zeros(device, &[4]).copy();
        let [a, b, c] = &mut arrays;
        device.synchronize().unwrap();
        first.run(|| {
            let stay = |raw: *mut c_void, _: &[u64]| {
                call("emulated_stay", raw);
                Ok(())
            };
            device.with_stream(&mut stays, stay).unwrap();
            kernel.grid([1]).args(a).launch(device).unwrap();
        });
        second.run(|| kernel.grid([1]).args(b).launch(device).unwrap());
        kernel.grid([1]).args(c).launch(device).unwrap();
        std::thread::sleep(Duration::from_millis(200));
        pointer("emulated_leave");
        let mut said: Vec<_> = device.messages().unwrap().into_iter().map(|message| message.value).collect();
        said.sort_by_key(|value| format!("{value:?}"));
        assert_eq!(format!("{said:?}"), "[Int(5), Int(6), Int(7)]");
    });
}
