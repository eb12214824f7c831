//! The pool by its public names, and what is still held when a device goes.

use crate::support::*;
use crosslane::cpu::Profile;
use crosslane::{Array, Device, DeviceOptions, s};
use log::{Level, LevelFilter, Log, Metadata, Record};
use std::sync::{Mutex, OnceLock};

#[test]
fn acquired_and_dropped_memory_is_used_again() {
    for request in ["cpu", "lavapipe"] {
        let Some(device) = fresh(request) else { continue };
        let first = device.acquire::<f32>(10_000);
        let one = device.memory();
        assert_eq!((one.count, one.hits, one.misses), (1, 0, 1));
        let second = device.acquire::<f32>(9_999);
        assert_eq!((device.memory().count, device.memory().misses), (2, 2));
        drop((first, second));
        assert_eq!((device.memory().count, device.memory().live, device.memory().pooled), (0, 0, 2 * one.live));
        for _ in 0..10 {
            device.acquire::<u8>(40_000);
        }
        let now = device.memory();
        assert_eq!((now.hits, now.misses, now.peak), (10, 2, 2 * one.live), "on {}", name(&device));
        assert!(device.acquire::<f32>(usize::MAX).check().is_err());
    }
}

#[test]
fn live_allocations_name_what_and_where() {
    let tracked = |request: &&str| {
        let opened = DeviceOptions::default().track_allocations(true).open(request);
        opened.inspect_err(|error| say(&format!("skipped: {error}"))).ok()
    };
    for device in ["cpu", "lavapipe"].iter().filter_map(tracked) {
        assert!(device.live_allocations().is_empty());
        let x = Array::from_slice(&device, &[1.0f32; 5000]); // here
        let here = line!() - 1;
        let y = &x + 1.0;
        assert_eq!(device.live_allocations().len(), 1, "y takes no memory yet");
        y.eval().unwrap(); // there
        let there = line!() - 1;
        let sum = y.slice(s![..2000]).copy();
        sum.eval().unwrap();
        let live = device.live_allocations();
        let at: Vec<(u32, &str, u64)> = live.iter().map(|a| (a.at.line(), a.what, a.bytes)).collect();
        assert_eq!(at[..2].iter().map(|a| a.2).collect::<Vec<_>>(), [20480, 20480], "{live:?}");
        let mut named: Vec<(u32, &str)> = at.iter().map(|a| (a.0, a.1)).collect();
        named.sort();
        assert_eq!(named, [(here, "array"), (there, "map"), (there + 3, "map")], "{live:?}");
        assert!(live.iter().all(|a| a.at.file() == file!()), "{live:?}");
        assert!(live[0].to_string().starts_with("20480 bytes for "), "{}", live[0]);
        drop((x, y, sum));
        assert!(device.live_allocations().is_empty());
    }
    let Ok(device) = DeviceOptions::default().track_allocations(false).open("cpu") else { return };
    let _x = Array::from_slice(&device, &[1.0f32; 5000]);
    assert!(device.live_allocations().is_empty(), "not tracked");
}

/// Keeps warnings.
struct Keeper(Mutex<Vec<String>>);

impl Log for Keeper {
    fn enabled(&self, metadata: &Metadata) -> bool {
        metadata.level() <= Level::Warn
    }

    fn log(&self, record: &Record) {
        if self.enabled(record.metadata()) {
            self.0.lock().unwrap().push(record.args().to_string());
        }
    }

    fn flush(&self) {}
}

fn keeper() -> &'static Keeper {
    static KEEPER: OnceLock<Keeper> = OnceLock::new();
    KEEPER.get_or_init(|| Keeper(Mutex::default()))
}

/// The warnings about a device.
fn warnings(about: &str) -> Vec<String> {
    keeper().0.lock().unwrap().iter().filter(|text| text.contains(about)).cloned().collect()
}

#[test]
fn who_leaves_arrays_behind_is_warned() {
    log::set_logger(keeper()).unwrap();
    log::set_max_level(LevelFilter::Warn);
    // Names that no other test uses.
    let named = |name: &str| {
        let profile = Profile { name: name.to_string().leak(), ..Profile::native() };
        DeviceOptions::default().track_allocations(true).cpu(profile, None)
    };
    let clean = named("clean").unwrap();
    let x = Array::<f32>::ones(&clean, &[1000]).copy();
    x.eval().unwrap();
    let again: Device = x.device().clone();
    drop((x, clean));
    assert_eq!((&Array::<f32>::ones(&again, &[3]) + 1.0).sum().item().unwrap(), 6.0);
    drop(again);
    assert_eq!(warnings("as clean"), [""; 0]);

    let leaky = named("leaky").unwrap();
    let x = Array::from_slice(&leaky, &[1u32; 1000]);
    let other = x.device().clone();
    drop(leaky);
    assert_eq!(warnings("as leaky"), [""; 0], "there is a handle yet");
    drop(other);
    let told = warnings("as leaky");
    assert_eq!(told.len(), 1, "{told:?}");
    let wanted = format!("4096 bytes for array (at {}:{}", file!(), line!() - 7);
    assert!(told[0].contains("1 allocations of 4096 bytes") && told[0].contains(&wanted), "{wanted}: {told:?}");
    assert_eq!((&x + 1).sum().item().unwrap(), 2000, "and it works");
}
