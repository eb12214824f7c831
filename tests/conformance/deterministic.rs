//! Devices that promise the same bits: what is added or put by atomics elsewhere has an order there, whichever workgroup
//! comes first.

use crate::support::*;
use crosslane::array::OutOfRange;
#[cfg(feature = "cpu")]
use crosslane::cpu::{Profile, WorkgroupOrder};
use crosslane::device::Backend;
use crosslane::{Array, Device, DeviceOptions};
use rand::Rng;

const PLACES: usize = 7;
const COUNT: usize = 20_000;

/// Each device again, under the promise: the processor in several orders of workgroups.
fn promising() -> Vec<(String, Device)> {
    let options = DeviceOptions::default().deterministic(true);
    let mut all = vec![];
    for device in apis() {
        let name = name(device);
        match device.properties().backend {
            Backend::Cpu => {}
            backend => {
                let request = format!("{backend:?}:{name}");
                match options.open(&request) {
                    Ok(device) => all.push((request, device)),
                    Err(error) => say(&format!("skipped: {request} does not open a second time: {error}")),
                }
            }
        }
    }
    #[cfg(feature = "cpu")]
    for order in [
        WorkgroupOrder::Ascending,
        WorkgroupOrder::Descending,
        WorkgroupOrder::Shuffled(3),
        WorkgroupOrder::Shuffled(4),
        WorkgroupOrder::OneAtATime,
    ] {
        let device = options.cpu(Profile { order, ..Profile::native() }, None).unwrap();
        all.push(("the processor".into(), device));
    }
    all
}

/// Numbers whose sums depend on their order, and where they go.
fn numbers() -> (Vec<f32>, Vec<u32>) {
    let mut rng = random(51);
    let number = |i: usize| if i.is_multiple_of(3) { 3e6 } else { 1e-3 };
    let values = (0..COUNT).map(|i| number(i) * rng.random_range(-1.0f32..1.0)).collect();
    (values, (0..COUNT).map(|_| rng.random_range(0..PLACES as u32)).collect())
}

/// The bits of several runs are equal, and close to sums in f64.
fn keeps_its_bits(what: &str, run: impl Fn(&Device, &[f32], &[u32]) -> Vec<f32>) {
    let (values, at) = numbers();
    let (mut sums, mut sizes) = ([0f64; PLACES], [0f64; PLACES]);
    for (&value, &at) in values.iter().zip(&at) {
        sums[at as usize] += value as f64;
        sizes[at as usize] += value.abs() as f64;
    }
    let mut first: Option<(String, Vec<u32>)> = None;
    for (name, device) in promising() {
        for _ in 0..3 {
            let got = run(&device, &values, &at);
            for (place, &got) in got.iter().enumerate() {
                let off = (got as f64 - sums[place]).abs();
                assert!(off <= 1e-5 * sizes[place], "{what} on {name}: {got}, wanted {}", sums[place]);
            }
            let bits: Vec<u32> = got.iter().map(|x| x.to_bits()).collect();
            match &first {
                Some((of, wanted)) if *of == name => assert_eq!(bits, *wanted, "{what} on {name}"),
                _ => first = Some((name.clone(), bits)),
            }
        }
    }
}

#[test]
fn sums_of_floats_have_an_order() {
    keeps_its_bits("scatter_add", |device, values, at| {
        let zeros = Array::<f32>::zeros(device, &[PLACES]);
        let (at, values) = (Array::from_slice(device, at), Array::from_slice(device, values));
        zeros.scatter_add(&at, &values, OutOfRange::Error).to_vec().unwrap()
    });
    keeps_its_bits("scatter_add_axis", |device, values, at| {
        let zeros = Array::<f32>::zeros(device, &[2, PLACES]);
        let (at, values) = (Array::from_slice(device, at), Array::from_slice(device, values));
        let both = zeros.scatter_add_axis(&at, &values, 1, OutOfRange::Error).to_vec().unwrap();
        // Each row has an order of its own.
        both[PLACES..].to_vec()
    });
    keeps_its_bits("histogram_weights", |device, values, at| {
        let (at, values) = (Array::from_slice(device, at), Array::from_slice(device, values));
        at.histogram_weights(&values, PLACES, 0.0..PLACES as f64).unwrap().0.to_vec().unwrap()
    });
    keeps_its_bits("bincount_weights", |device, values, at| {
        let (at, values) = (Array::from_slice(device, at), Array::from_slice(device, values));
        at.bincount_weights(&values, PLACES).to_vec().unwrap()
    });
}

/// Those that need no atomics of floats keep theirs too.
#[test]
fn other_sums_have_an_order() {
    keeps_its_bits("sums by key", |device, values, at| {
        let order = Array::from_slice(device, at).argsort();
        let sorted = |x: &[f32]| Array::from_slice(device, x).take(&order, OutOfRange::Error);
        let keys = Array::from_slice(device, at).take(&order, OutOfRange::Error);
        let (_, sums) = crosslane::Scan::sum().reduce_by_key::<_, _, f32>(&keys, &sorted(values));
        sums.to_vec().unwrap()
    });
    keeps_its_bits("sums of masked elements", |device, values, at| {
        let (at, values) = (Array::from_slice(device, at), Array::from_slice(device, values));
        let sum = |place: u32| at.equal(place).select(&values, 0.0).sum().item().unwrap();
        (0..PLACES as u32).map(sum).collect()
    });
    keeps_its_bits("running sums", |device, values, at| {
        let (at, values) = (Array::from_slice(device, at), Array::from_slice(device, values));
        let last = |place: u32| {
            let running = at.equal(place).select(&values, 0.0);
            let running = crosslane::Scan::sum().call::<_, f32>(&running);
            running.slice(crosslane::s![COUNT as isize - 1]).item().unwrap()
        };
        (0..PLACES as u32).map(last).collect()
    });
}

/// Of several values for one element the last is kept.
#[test]
fn the_last_value_is_put() {
    let (values, at) = numbers();
    let mut wanted = vec![-1.0f32; PLACES + 1];
    at.iter().zip(&values).for_each(|(&at, &value)| wanted[at as usize] = value);
    for (name, device) in promising() {
        let x = Array::<f32>::full(&device, &[PLACES + 1], -1.0);
        let (at, values) = (Array::from_slice(&device, &at), Array::from_slice(&device, &values));
        assert_eq!(x.put(&at, &values, OutOfRange::Error).to_vec().unwrap(), wanted, "on {name}");
        let rows = x.broadcast_to(&[2, PLACES + 1]);
        let at = at.reshape(&[1, COUNT]).broadcast_to(&[2, COUNT]);
        let got = rows.put_along_axis(&at, &values.reshape(&[1, COUNT]), 1, OutOfRange::Error);
        assert_eq!(got.to_vec().unwrap(), [wanted.clone(), wanted.clone()].concat(), "on {name}");
        // Types without atomics, indices out of range, no index at all.
        let flags = Array::from_slice(&device, &[false, true, false]);
        let put = |at: &[i32], values: &[bool]| {
            let (at, values) = (Array::from_slice(&device, at), Array::from_slice(&device, values));
            flags.put(&at, &values, OutOfRange::Drop).to_vec().unwrap()
        };
        assert_eq!(put(&[0, -1, 5, 0, 2], &[true, false, true, false, true]), [false, true, true], "on {name}");
        assert_eq!(put(&[], &[]), [false, true, false], "on {name}");
        let far =
            x.put(&Array::from_slice(&device, &[0, 99]), &Array::from_slice(&device, &[1.0, 2.0]), OutOfRange::Error);
        assert!(far.to_vec().unwrap_err().to_string().contains("got 99"), "on {name}");
    }
}
