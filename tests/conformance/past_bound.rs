//! Operations over more elements than they number at once, in windows: with a bound of 1000 elements in place of some 2^32.

use super::gather::meant;
use super::support::{PROCESSOR, say};
use crosslane::array::{OutOfRange, SortOptions};
use crosslane::cpu::{Checks, Profile};
use crosslane::device::Backend;
use crosslane::{Array, Device, DeviceOptions, Element, Ordered, f16};
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::cmp::Ordering;
use std::fmt::Debug;
use std::sync::OnceLock;

pub const BOUND: usize = 1000;

fn open_all() -> Vec<Device> {
    let options = DeviceOptions::default().numbered_most(BOUND);
    if let Ok(name) = std::env::var("CROSSLANE_TEST_PROFILE") {
        let preset = Profile::presets().into_iter().find(|profile| profile.name == name);
        let opened = match preset {
            Some(profile) => options.cpu(profile, Some(Checks::default())),
            None => options.open(if name.starts_with("cpu:") { &name } else { "lavapipe" }),
        };
        return vec![opened.unwrap_or_else(|error| panic!("{name}: {error}"))];
    }
    let mut devices = vec![];
    for (index, properties) in Device::list().iter().enumerate() {
        let request = if properties.backend == Backend::Cpu { PROCESSOR.to_string() } else { index.to_string() };
        match options.open(&request) {
            Ok(device) => devices.push(device),
            Err(error) => say(&format!("skipped {properties}: {error}")),
        }
    }
    devices
}

pub fn devices() -> &'static [Device] {
    static DEVICES: OnceLock<Vec<Device>> = OnceLock::new();
    DEVICES.get_or_init(open_all)
}

/// Numbers below `limit`, the same each time.
pub fn numbers(len: usize, limit: i32) -> Vec<i32> {
    let mut random = StdRng::seed_from_u64(len as u64);
    (0..len).map(|_| random.random_range(0..limit)).collect()
}

#[track_caller]
pub fn same<T: Element + PartialEq + Debug>(array: &Array<T>, wanted: &[T]) {
    let device = array.device().properties();
    let got = array.to_vec().unwrap_or_else(|error| panic!("{error} on {device}"));
    assert_eq!(got.len(), wanted.len(), "length on {device}");
    if let Some(place) = (0..got.len()).find(|&i| got[i] != wanted[i]) {
        panic!("{:?} and not {:?} at {place} of {} on {device}", got[place], wanted[place], got.len());
    }
}

#[track_caller]
pub fn refused<T: Element>(array: &Array<T>, words: &str) {
    let error = array.to_vec().map(|_| ()).unwrap_err().to_string();
    assert!(error.contains(words), "{error}");
}

#[test]
fn numbers_in_order() {
    for device in devices() {
        for len in [0, 1, BOUND, BOUND + 1, 3507] {
            let end = len as i32;
            same(&Array::arange(device, 0u32, len as u32, 1), &(0..len as u32).collect::<Vec<_>>());
            same(&Array::arange(device, 7 - 3 * end, 7, 3), &(0..end).map(|i| 7 - 3 * end + 3 * i).collect::<Vec<_>>());
            same(&Array::arange(device, end, 0, -1), &(0..end).map(|i| end - i).collect::<Vec<_>>());
            let halves: Vec<f32> = (0..len).map(|i| i as f32 * 0.5 - 3.0).collect();
            same(&Array::arange(device, -3.0f32, len as f32 * 0.5 - 3.0, 0.5), &halves);
            let line = Array::linspace(device, -1.0f32, 2.0, len).to_vec().unwrap();
            assert_eq!(line.len(), len);
            assert!(len < 2 || (line[0], line[len - 1]) == (-1.0, 2.0), "ends of {len}");
            for (i, &x) in line.iter().enumerate() {
                let wanted = -1.0 + 3.0 * i as f64 / (len.max(2) - 1) as f64;
                assert!((x as f64 - wanted).abs() < 1e-6, "{x} and not {wanted} at {i} of {len}");
            }
        }
        if device.caps().f16 {
            let wanted: Vec<f16> = (0..2001).map(|i| f16::from_f32(i as f32)).collect();
            same(&Array::arange(device, f16::ZERO, f16::from_f32(2001.0), f16::ONE), &wanted);
            same(&Array::linspace(device, f16::ZERO, f16::from_f32(2000.0), 2001), &wanted);
        }
        same(&(Array::arange(device, 0u32, 2500, 1) * 2 + 1), &(0..2500).map(|i| 2 * i + 1).collect::<Vec<u32>>());
        refused(
            &Array::arange(device, 0u32, u32::MAX, 1),
            "arange: array: wanted at most 1024 windows of 1000 elements",
        );
        refused(&Array::<f32>::linspace(device, 0.0, 1.0, 1 << 40), "linspace: array: wanted at most 1024 windows");
    }
}

#[test]
fn histograms() {
    let host = numbers(4507, 37);
    let mut counts = vec![0u32; 37];
    host.iter().for_each(|&x| counts[x as usize] += 1);
    let pairs = |bins: usize| counts.chunks(37usize.div_ceil(bins)).map(|x| x.iter().sum()).collect::<Vec<u32>>();
    for device in devices() {
        let x = Array::from_slice(device, &host);
        same(&x.bincount(37), &counts);
        same(&x.cast::<u8>().bincount(37), &counts);
        same(&(&x + 100).bincount(137).slice(crosslane::s![100..]), &counts); // fused
        same(&x.slice(crosslane::s![..;-1]).bincount(37), &counts);
        let (even, edges) = x.cast::<f32>().histogram(2, 0.0..38.0).unwrap();
        assert_eq!(edges, [0.0, 19.0, 38.0]);
        same(&even, &pairs(2));
        same(&x.histogram_edges(&[0, 19, 37]), &pairs(2));
        let mut sums = vec![0i32; 37];
        host.iter().enumerate().for_each(|(i, &x)| sums[x as usize] += i as i32 % 11 - 5);
        let weights = Array::arange(device, 0, 4507, 1) % 11 - 5;
        same(&x.bincount_weights(&weights, 37), &sums);
        same(&x.bincount_weights(&weights.cast::<f32>(), 37), &sums.iter().map(|&x| x as f32).collect::<Vec<_>>());
        let y = Array::arange(device, 0, 4507, 1) % 3;
        let mut cells = vec![0u32; 6];
        host.iter().enumerate().for_each(|(i, &x)| cells[(x >= 19) as usize * 3 + i % 3] += 1);
        same(&x.histogram2d(&y, [2, 3], [0.0..38.0, 0.0..3.0]).unwrap().0.flatten(), &cells);
        same(&x.bincount_weights_ordered(&weights, 37), &sums);
    }
}

#[test]
fn selections() {
    let host = numbers(3507, 100);
    for device in devices() {
        let x = Array::from_slice(device, &host);
        for limit in [0, 3, 50, 100] {
            let (wanted, others): (Vec<i32>, Vec<i32>) = host.iter().partition(|&&x| x < limit);
            let selected = x.compress(&x.less(limit));
            assert_eq!(selected.count().unwrap(), wanted.len(), "below {limit}");
            same(&selected.to_array().unwrap(), &wanted);
            same(
                &x.cast::<u8>().compress(&x.less(limit)).to_array().unwrap(),
                &wanted.iter().map(|&x| x as u8).collect::<Vec<_>>(),
            );
            assert_eq!(selected.sum().item().unwrap(), wanted.iter().sum::<i32>());
            let padded = |of: Vec<i32>, fill: i32| [of, vec![fill; others.len()]].concat();
            same(&selected.or(-7), &padded(wanted.clone(), -7));
            same(&selected.map(|x| x * 2).or(9), &padded(wanted.iter().map(|x| x * 2).collect(), 9));
            let mut rising = wanted.clone();
            rising.sort();
            same(&selected.sort().to_array().unwrap(), &rising);
            same(&selected.sort().or(-1), &padded(rising, -1));
            let (parted, count) = x.partition(&x.less(limit));
            same(&parted, &[wanted.clone(), others].concat());
            assert_eq!(count.to_vec().unwrap(), [wanted.len() as u32]);
        }
        let places: Vec<u32> = (0..3507).filter(|&i| host[i as usize] % 7 == 0).collect();
        let turned = x.reshape(&[7, 501]).transpose();
        same(&(&x % 7).equal(0).nonzero().to_array().unwrap(), &places);
        let by_columns: Vec<i32> = (0..501).flat_map(|j| (0..7).map(move |i| i * 501 + j)).map(|i| host[i]).collect();
        let wanted: Vec<i32> = by_columns.into_iter().filter(|x| x % 2 == 0).collect();
        same(&turned.compress(&(&turned % 2).equal(0)).to_array().unwrap(), &wanted);
    }
}

#[test]
fn elements_by_index() {
    let host = numbers(3507, 1 << 20);
    let signed: Vec<i32> =
        numbers(501, 12_000).into_iter().map(|i| i - 6000).chain([-3507, -3508, 3506, 3507]).collect();
    let unsigned: Vec<u32> = numbers(777, 6000).into_iter().map(|i| i as u32).chain([3506, 3507, u32::MAX]).collect();
    for device in devices() {
        let x = Array::from_slice(device, &host);
        for outside in [OutOfRange::Clamp, OutOfRange::Wrap, OutOfRange::Drop] {
            let wanted = |index: i64| meant(index, 3507, outside).map_or(0, |i| host[i]);
            let taken = x.take(&Array::from_slice(device, &signed), outside);
            same(&taken, &signed.iter().map(|&i| wanted(i as i64)).collect::<Vec<_>>());
            let taken = x.cast::<u8>().take(&Array::from_slice(device, &unsigned), outside);
            same(&taken, &unsigned.iter().map(|&i| wanted(i as i64) as u8).collect::<Vec<_>>());
        }
        let inside = Array::from_slice(device, &[-3507, 3506, 1000, -1]);
        same(&x.take(&inside, OutOfRange::Error), &[host[0], host[3506], host[1000], host[3506]]);
        for past in [3507, -3508] {
            let error =
                x.take(&Array::from_slice(device, &[0, past]), OutOfRange::Error).to_vec().unwrap_err().to_string();
            assert!(error.contains(&format!("take: indices: wanted -3507 to 3506, got {past}")), "{error}");
        }
        let many: Vec<i32> = (0..5003).map(|i| i * 7919 % 3507).collect();
        let taken = x.take(&Array::from_slice(device, &many), OutOfRange::Error);
        same(&taken, &many.iter().map(|&i| host[i as usize]).collect::<Vec<_>>());
    }
}

#[test]
fn rows_by_index() {
    let outside = OutOfRange::Error;
    for device in devices() {
        for shape in [[7, 501], [501, 7], [3, 1169], [1169, 3], [1, 3507], [3507, 1]] {
            let host = numbers(3507, 1 << 20);
            let x = Array::from_shape(device, &shape, &host);
            let at = |i: usize, j: usize| host[i * shape[1] + j];
            for axis in 0..2 {
                let picks: Vec<i32> = [0, -1, 2, 5, 1].into_iter().map(|i| i % shape[axis] as i32).collect();
                let of = |k: usize| picks[k].rem_euclid(shape[axis] as i32) as usize;
                let own = if axis == 0 { [5, shape[1]] } else { [shape[0], 5] };
                let all = || (0..own[0]).flat_map(|i| (0..own[1]).map(move |j| (i, j)));
                let wanted: Vec<i32> =
                    all().map(|(i, j)| if axis == 0 { at(of(i), j) } else { at(i, of(j)) }).collect();
                let taken = x.take_axis(&Array::from_slice(device, &picks), axis as isize, outside);
                assert_eq!(taken.shape(), own, "axis {axis} of {shape:?}");
                same(&taken.flatten(), &wanted);
                // The same indices for all other places, and others for each.
                let along = if axis == 0 { [5, 1] } else { [1, 5] };
                let taken = x.take_along_axis(&Array::from_shape(device, &along, &picks), axis as isize, outside);
                same(&taken.flatten(), &wanted);
                let each: Vec<u32> = all().map(|(i, j)| ((i * 31 + j * 17) % shape[axis]) as u32).collect();
                let wanted: Vec<i32> = all()
                    .zip(&each)
                    .map(|((i, j), &k)| if axis == 0 { at(k as usize, j) } else { at(i, k as usize) })
                    .collect();
                let taken = x.take_along_axis(&Array::from_shape(device, &own, &each), axis as isize, outside);
                same(&taken.flatten(), &wanted);
            }
        }
        let x = Array::<i32>::zeros(device, &[9, 501]);
        refused(
            &x.take_axis(&Array::from_slice(device, &[9u32]), 0, outside),
            "take_axis: indices: wanted 0 to 8, got 9",
        );
    }
}

/// The order of a sort: NaNs are last.
fn order(a: &f32, b: &f32) -> Ordering {
    a.partial_cmp(b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// Keys with their places, sorted both ways: the places say which element each key is, of those that are equal too. Keys that
/// `is_last` are not equal to themselves.
fn checked_sort<T: Ordered>(
    device: &Device,
    host: &[T],
    order: impl Fn(&T, &T) -> Ordering,
    is_last: impl Fn(&T) -> bool,
) {
    let at = |i: u32| &host[i as usize];
    let x = Array::from_slice(device, host);
    let places = Array::arange(device, 0u32, host.len() as u32, 1);
    let mut rising: Vec<u32> = (0..host.len() as u32).collect();
    rising.sort_by(|&i, &j| order(at(i), at(j)));
    let (keys, moved) = x.sort_pairs(&places);
    same(&moved, &rising);
    let equal = host.iter().filter(|x| !is_last(x)).count() as u32;
    let count_equal = |other: &Array<T>| keys.equal(other).cast::<u32>().sum().item().unwrap();
    assert_eq!(count_equal(&x.take(&moved, OutOfRange::Error)), equal, "keys beside their places");
    assert_eq!(count_equal(&x.sort()), equal, "keys alone");
    let mut falling: Vec<u32> = (0..host.len() as u32).collect();
    falling.sort_by(|&i, &j| is_last(at(i)).cmp(&is_last(at(j))).then(order(at(j), at(i))));
    same(&x.sort_pairs_with(&places, &SortOptions::default().descending()).1, &falling);
}

#[test]
fn sorts() {
    for device in devices() {
        for len in [BOUND, BOUND + 1, 2503] {
            let host = numbers(len, 1 << 30);
            checked_sort(device, &host, Ord::cmp, |_| false);
            if len <= BOUND + 1 {
                continue;
            }
            let few: Vec<u8> = host.iter().map(|x| (x % 3) as u8).collect();
            checked_sort(device, &few, Ord::cmp, |_| false);
            let odd: Vec<bool> = host.iter().map(|x| x % 2 == 1).collect();
            checked_sort(device, &odd, Ord::cmp, |_| false);
            let floats = host.iter().map(|x| match x % 9 {
                0 => f32::NAN,
                1 => -0.0,
                2 => 0.0,
                3 => f32::INFINITY,
                _ => (*x - (1 << 29)) as f32,
            });
            checked_sort(device, &floats.collect::<Vec<_>>(), order, |x| x.is_nan());
        }
        let same_key = vec![5u32; 3507];
        checked_sort(device, &same_key, Ord::cmp, |_| false);
        let rising: Vec<i32> = (0..3507).collect();
        same(&Array::from_slice(device, &rising).sort(), &rising);
        same(&Array::from_slice(device, &rising).slice(crosslane::s![..;-1]).sort(), &rising);
        let host = numbers(4506, 1 << 20);
        let x = Array::from_shape(device, &[1502, 3], &host);
        let mut columns: Vec<Vec<i32>> = (0..3).map(|j| (0..1502).map(|i| host[i * 3 + j]).collect()).collect();
        columns.iter_mut().for_each(|column| column.sort());
        let wanted: Vec<i32> = (0..4506).map(|i| columns[i % 3][i / 3]).collect();
        same(&x.sort_axis(0).flatten(), &wanted);
        let flat = x.flatten();
        refused(&flat.sort_with(&SortOptions::default().bits(0..40)), "bits: wanted a range in 0..32");
    }
}

#[test]
fn distinct_elements_and_runs() {
    for device in devices() {
        // Runs of one element, of a few, within windows and over several of them.
        let lengths: Vec<u32> = (0..400).map(|i| 1 + i % 5).chain([2500, 1, 1, 700, 999]).collect();
        let values: Vec<i32> = (0..lengths.len() as i32).map(|i| i * 7 % 11).collect();
        let host: Vec<i32> = lengths.iter().zip(&values).flat_map(|(&n, &x)| vec![x; n as usize]).collect();
        let x = Array::from_slice(device, &host);
        let (found, counts) = x.run_lengths();
        same(&found.to_array().unwrap(), &values);
        same(&counts.to_array().unwrap(), &lengths);
        let mut sorted = host.clone();
        sorted.sort();
        let mut occurrences: Vec<(i32, u32)> = vec![];
        for x in sorted {
            match occurrences.last_mut() {
                Some((last, count)) if *last == x => *count += 1,
                _ => occurrences.push((x, 1)),
            }
        }
        let (distinct, times): (Vec<i32>, Vec<u32>) = occurrences.into_iter().unzip();
        same(&x.unique().to_array().unwrap(), &distinct);
        let (found, counts) = x.unique_counts();
        same(&found.to_array().unwrap(), &distinct);
        same(&counts.to_array().unwrap(), &times);
        let (found, counts) = x.group_by(&x).count();
        same(&found.to_array().unwrap(), &distinct);
        same(&counts.to_array().unwrap(), &times);
        // All different: more of them than the bound.
        let all: Vec<i32> = (0..3507).map(|i| i * 1009 % 3507).collect();
        same(&Array::from_slice(device, &all).unique().to_array().unwrap(), &(0..3507).collect::<Vec<_>>());
    }
}
