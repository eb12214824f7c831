//! Arrays computed again from their lineage.

use super::{ADD, stays_lost, ways};
use crosslane::array::{OutOfRange, Slice};
use crosslane::cpu::Profile;
use crosslane::share::Direction;
use crosslane::{Argument, Array, Device, DeviceOptions, ErrorKind, HostBuffer, Kernel, Recording, s, upload_all};
use std::time::{Duration, Instant};

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
            assert!(error.contains(what) && error.contains("checkpoint") && error.contains("rebuilt.rs"), "{error}");
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
