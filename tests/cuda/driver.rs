//! The engine whole without a card: on `driver.cpp` in place of CUDA's libraries, each test in a process of its own.

use crate::emulate::{available, folder, here};
use crosslane::{Array, Device, DeviceOptions};
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
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
            .args(["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread", "-Wl,-z,nodelete"])
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

/// Runs `work` on the emulated card, in a process of its own that runs this test only.
fn on_emulated_card(test: &str, work: impl FnOnce(&Device)) {
    if std::env::var_os(INSIDE).is_some() {
        return work(&DeviceOptions::default().open("cuda").unwrap());
    }
    if !cfg!(target_os = "linux") || !available() {
        return println!("{test} is not run: it needs Linux and g++");
    }
    let own = folder().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("driver::{test}"), "--nocapture", "--test-threads=1"])
        .env("LD_LIBRARY_PATH", libraries())
        .env("CROSSLANE_CACHE", libraries().join("cache"))
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
