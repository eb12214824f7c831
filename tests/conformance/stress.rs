//! Many threads and one device: whatever they do at the same time, each gets what it would get alone. What the orders of two
//! or three threads can do wrong is tried one by one in `src/array/model.rs`; this is for all of the library at once.

use crate::support::*;
use crosslane::array::OutOfRange;
use crosslane::{Array, Device, Recording, Stream, eval_all, s};
use futures::executor::block_on;
use rand::Rng;
use rand::rngs::StdRng;
use std::time::{Duration, Instant};

const THREADS: u64 = 16;
/// Elements of an array.
const LEN: usize = 300;

/// How long it takes on each device: CROSSLANE_STRESS_SECONDS has it tried for longer.
fn patience() -> Duration {
    let seconds = std::env::var("CROSSLANE_STRESS_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs_f64(seconds.unwrap_or(1.5))
}

/// What all threads work on, lazy at first, and its values.
struct Shared {
    arrays: Vec<Array<i32>>,
    wanted: Vec<Vec<i32>>,
}

impl Shared {
    fn new(device: &Device, rng: &mut StdRng) -> Shared {
        let host: Vec<i32> = (0..LEN).map(|_| rng.random_range(-9..10)).collect();
        let x = Array::from_slice(device, &host);
        let (mut running, mut sorted) = (0, host.clone());
        sorted.sort_unstable();
        let sums: Vec<i32> = host
            .iter()
            .map(|x| {
                running += x;
                running
            })
            .collect();
        let (scanned, in_order) = (x.cumsum(0), x.sort());
        let mixed = &scanned * 3 - &in_order;
        let of_both = sums.iter().zip(&sorted).map(|(a, b)| a * 3 - b).collect();
        let half = x.compress(&x.greater(0)).or(0);
        let mut positive: Vec<i32> = host.iter().copied().filter(|&x| x > 0).collect();
        positive.resize(LEN, 0);
        Shared {
            arrays: vec![x + 1, scanned, in_order, mixed, half],
            wanted: vec![host.iter().map(|x| x + 1).collect(), sums, sorted, of_both, positive],
        }
    }
}

/// One thing that a program may do with arrays that others use.
fn act(device: &Device, shared: &Shared, stream: &Stream, rng: &mut StdRng) {
    let which = rng.random_range(0..shared.arrays.len());
    let (x, wanted) = (&shared.arrays[which], &shared.wanted[which]);
    let (t, c) = (rng.random_range(-5..6), rng.random_range(-5..6));
    let expected: Vec<i32> = wanted.iter().map(|x| x * t + c).collect();
    // What faults leave untold would reach other tests of a device that they share.
    let actions = if limited().contains(device) { 11 } else { 12 };
    let action = rng.random_range(0..actions);
    let what = format!("action {action} on array {which} on {}", name(device));
    match action {
        0 => x.eval().unwrap(),
        1 => same_values(&x.to_vec().unwrap(), wanted, &what),
        2 => same_values(&(x * t + c).to_vec().unwrap(), &expected, &what),
        3 => {
            let from = rng.random_range(0..LEN - 20);
            let part = x.slice(s![from as isize..from as isize + 20]);
            same_values(&part.to_vec().unwrap(), &wanted[from..from + 20], &what);
        }
        4 => drop(x.explain().unwrap()),
        5 => {
            let mut own = x.clone();
            own.slice_mut(s![10..20]).assign(t).unwrap();
            let mut changed = wanted.clone();
            changed[10..20].fill(t);
            same_values(&own.to_vec().unwrap(), &changed, &what);
        }
        6 => {
            let y = x * t + c;
            let mut recording = Recording::of(&[&y]).unwrap();
            (0..3).for_each(|_| recording.run().unwrap());
            same_values(&y.to_vec().unwrap(), &expected, &what);
        }
        // Planned in part, then refused: everything is as it was.
        7 => {
            let much = Array::<i32>::ones(device, &[1 << 20, 1 << 20]).copy();
            assert!(eval_all(&[&(x + t), &much]).is_err(), "{what}");
        }
        8 => drop((x * t + c).to_vec_async()),
        9 => same_values(&block_on((x * t + c).to_vec_async()).unwrap(), &expected, &what),
        10 => {
            let inside = stream.run(|| (x * t + c).to_vec()).unwrap();
            same_values(&inside, &expected, &what);
        }
        _ => {
            let index = rng.random_range(0..2 * LEN as u32);
            let indices = Array::from_slice(device, &[index]);
            let found = x.take(&indices, OutOfRange::Error).to_vec();
            match wanted.get(index as usize) {
                Some(&value) => assert_eq!(found.unwrap_or_else(|error| panic!("{error}: {what}")), [value], "{what}"),
                None => assert!(found.unwrap_err().to_string().contains(&index.to_string()), "{what}"),
            }
        }
    }
}

#[test]
fn everything_at_once() {
    let own = apis().iter().filter_map(fresh_like);
    let devices: Vec<Device> = own.chain(limited().iter().cloned()).collect();
    for device in &devices {
        spoil(device);
        let (start, mut round) = (Instant::now(), 0);
        while start.elapsed() < patience() {
            let shared = Shared::new(device, &mut random(round));
            std::thread::scope(|scope| {
                for thread in 0..THREADS {
                    let shared = &shared;
                    scope.spawn(move || {
                        let (mut rng, stream) = (random(round * THREADS + thread), Stream::new(device).unwrap());
                        (0..12).for_each(|_| act(device, shared, &stream, &mut rng));
                    });
                }
            });
            round += 1;
        }
        let _ = device.synchronize(); // dropped futures may have left a fault that nobody was told of
        device.synchronize().unwrap();
        say(&format!("{} rounds of {THREADS} threads on {}", round, name(device)));
    }
}
