//! Positions of all index types, and elements by their rank, among more elements than one kernel numbers: as `past_bound.rs`.

use super::past_bound::{BOUND, devices, numbers, refused, same};
use super::support::{compiles_slowly, say};
use crosslane::array::{ArrayIndex, Side, SortOptions, TopKOptions, axes, lexsort, lexsort_as};
use crosslane::{Array, Device, Element};
use std::cmp::Ordering;
use std::fmt::Debug;

/// A type of positions.
trait Position: ArrayIndex + crosslane::Number + PartialEq + Debug {
    fn of(place: usize) -> Self;
}

macro_rules! positions {
    ($($ty:ty)*) => {$(
        impl Position for $ty {
            fn of(place: usize) -> $ty {
                place as $ty
            }
        }
    )*};
}
positions!(u32 i32 u64 i64);

/// Runs a test for each type of positions that a device has.
macro_rules! of_each_type {
    ($test:ident($device:expr $(, $argument:expr)*)) => {
        $test::<u32>($device $(, $argument)*);
        match $device.caps().i64 {
            true => $test::<i64>($device $(, $argument)*),
            false => say(&format!("skipped positions of 64 bits on {}: it has none", $device.properties())),
        }
        match compiles_slowly($device) {
            true => say(&format!("skipped i32 and u64 on {}: it takes long to compile a kernel", $device.properties())),
            false => {
                $test::<i32>($device $(, $argument)*);
                if $device.caps().i64 {
                    $test::<u64>($device $(, $argument)*);
                }
            }
        }
    };
}

#[track_caller]
fn are<I: Position>(array: &Array<I>, wanted: &[usize]) {
    same(array, &wanted.iter().map(|&place| I::of(place)).collect::<Vec<I>>());
}

/// The places of a row in the order of a comparison, equal ones as they stand.
fn order<T>(row: &[T], compare: impl Fn(&T, &T) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..row.len()).collect();
    places.sort_by(|&a, &b| compare(&row[a], &row[b]));
    places
}

/// NaN is last both ways, and zeros are equal.
fn by_value(a: &f32, b: &f32, descending: bool) -> Ordering {
    match (a.is_nan(), b.is_nan()) {
        (false, false) if descending => b.partial_cmp(a).unwrap(),
        (false, false) => a.partial_cmp(b).unwrap(),
        (a, b) => a.cmp(&b),
    }
}

/// Values of which many are equal, NaN, or a zero of either sign.
fn floats(len: usize) -> Vec<f32> {
    numbers(len, 400)
        .into_iter()
        .map(|x| if x < 9 { [-0.0, 0.0, f32::NAN][x as usize % 3] } else { (x - 200) as f32 })
        .collect()
}

fn sorts<I: Position>(device: &Device) {
    for len in [7, BOUND, 3507] {
        let host = floats(len);
        let x = Array::from_slice(device, &host);
        for descending in [false, true] {
            let options = SortOptions::default();
            let options = if descending { options.descending() } else { options };
            are(&x.argsort_as::<I>(&options), &order(&host, |a, b| by_value(a, b, descending)));
        }
    }
    // Rows along an axis that is not the last one, by all bits and by some.
    let host = numbers(2506, 1 << 10);
    let table = Array::from_shape(device, &[1253, 2], &host);
    let columns = [0, 1].map(|j| (0..1253).map(|i| host[2 * i + j]).collect::<Vec<i32>>());
    let options = SortOptions::default().axis(0);
    for (options, key) in [(options.clone(), 0..32), (options.clone().bits(4..8), 4..8), (options.bits(3..3), 3..3)] {
        let digit = |x: &i32| (*x as i64 >> key.start) & ((1 << key.len()) - 1);
        let orders = columns.each_ref().map(|column| order(column, |a, b| digit(a).cmp(&digit(b))));
        let wanted: Vec<usize> = (0..2506).map(|i| orders[i % 2][i / 2]).collect();
        are(&table.argsort_as::<I>(&options).flatten(), &wanted);
    }
}

#[test]
fn sorting_positions() {
    for device in devices() {
        of_each_type!(sorts(device));
        let host = numbers(3507, 900);
        let x = Array::from_slice(device, &host);
        let wanted = order(&host, i32::cmp);
        are(&x.argsort(), &wanted);
        let others: Vec<i32> = wanted.iter().map(|&place| place as i32 * 3).collect();
        let (keys, values) = x.sort_pairs_all(&[&Array::arange(device, 0, 3 * 3507, 3), &x]).unwrap();
        same(&values[0], &others);
        same(&keys, &wanted.iter().map(|&place| host[place]).collect::<Vec<_>>());
        same(&values[1], &keys.to_vec().unwrap());
        assert!(x.sort_pairs_all(&[&x.slice(crosslane::s![1..])]).unwrap_err().to_string().contains("[3506]"));
    }
}

fn lexsorts<I: Position>(device: &Device, minor: &[i32], major: &[f32]) {
    let mut wanted = order(minor, i32::cmp);
    wanted.sort_by(|&a, &b| by_value(&major[a], &major[b], false));
    let (minor, major) = (Array::from_slice(device, minor), Array::from_slice(device, major));
    are(&lexsort_as::<I>(&[&minor, &major]).unwrap(), &wanted);
    are(&lexsort(&[&minor, &major]).unwrap(), &wanted);
    are(&lexsort_as::<I>(&[&minor]).unwrap(), &order(&minor.to_vec().unwrap(), i32::cmp));
}

#[test]
fn several_keys() {
    let (minor, major) = (numbers(2507, 10), floats(2507));
    for device in devices() {
        of_each_type!(lexsorts(device, &minor, &major));
    }
}

/// Where the least and the greatest element of a row is: the first of equals, or the first NaN.
fn extremes(row: &[f32]) -> [usize; 2] {
    let nan = row.iter().position(|x| x.is_nan());
    let first = |better: fn(f32, f32) -> bool| {
        (1..row.len()).fold(0, |best, place| if better(row[place], row[best]) { place } else { best })
    };
    [first(|a, b| a < b), first(|a, b| a > b)].map(|place| nan.unwrap_or(place))
}

fn least_and_greatest<I: Position>(device: &Device, host: &[f32]) {
    let x = Array::from_shape(device, &[3, 40, 50], host);
    let [least, greatest] = extremes(host);
    are(&x.arg_min_as::<I>(..).reshape(&[1]), &[least]);
    are(&x.arg_max_as::<I>(axes(..).keep_dims()).flatten(), &[greatest]);
    let rows: Vec<[usize; 2]> = host.chunks(2000).map(extremes).collect();
    are(&x.arg_min_as::<I>([1, 2]), &rows.iter().map(|row| row[0]).collect::<Vec<_>>());
    are(&x.arg_max_as::<I>([-1, 1]), &rows.iter().map(|row| row[1]).collect::<Vec<_>>());
    // Axes that are not neighbours, of a deferred array; and what one reduction numbers.
    let across = (0..40).map(|j| (0..3).flat_map(|i| host[(i * 40 + j) * 50..][..50].to_vec()).collect::<Vec<f32>>());
    let across: Vec<usize> = across.map(|row| extremes(&row)[1]).collect();
    are(&(&x * 2.0).arg_max_as::<I>([0, 2]), &across);
    let turned = x.permute([1, 0, 2]).arg_min_as::<I>(axes([0, 2]).keep_dims());
    assert_eq!(turned.shape(), [1, 3, 1]);
    let transposed = (0..3).map(|i| extremes(&host[i * 2000..][..2000])[0]).collect::<Vec<_>>();
    are(&turned.flatten(), &transposed);
}

#[test]
fn extreme_positions() {
    let host = floats(6000);
    let plain: Vec<f32> = host.iter().map(|x| if x.is_nan() { 1.0 } else { *x }).collect();
    for device in devices() {
        of_each_type!(least_and_greatest(device, &plain));
        of_each_type!(least_and_greatest(device, &host));
        assert!(Array::<f32>::zeros(device, &[3, 0]).arg_min_as::<u32>(1).to_vec().is_err());
        assert_eq!(Array::<f32>::zeros(device, &[0, 3000]).arg_min_as::<u32>(1).shape(), [0]);
    }
}

fn found<I: Position>(device: &Device) {
    for len in [1, BOUND, 3507] {
        let host: Vec<i32> = numbers(len, 3).into_iter().map(|x| x - 1).collect();
        let wanted: Vec<usize> = (0..len).filter(|&place| host[place] != 0).collect();
        are(&Array::from_slice(device, &host).nonzero_as::<I>().to_array().unwrap(), &wanted);
    }
    let none = Array::<i32>::zeros(device, &[3507]).nonzero_as::<I>();
    assert_eq!(none.count().unwrap(), 0);
    let mut sorted = floats(3507);
    sorted.sort_by(|a, b| by_value(a, b, false));
    let values: Vec<f32> = floats(801).into_iter().chain([f32::NEG_INFINITY, f32::INFINITY, f32::NAN]).collect();
    let x = Array::from_slice(device, &sorted);
    let sought = Array::from_slice(device, &values);
    for side in [Side::Left, Side::Right] {
        let is_before = |element: &f32, value: &f32| match by_value(element, value, false) {
            Ordering::Less => true,
            Ordering::Equal => side == Side::Right,
            Ordering::Greater => false,
        };
        let wanted: Vec<usize> =
            values.iter().map(|value| sorted.iter().filter(|element| is_before(element, value)).count()).collect();
        are(&x.searchsorted_as::<I>(&sought, side), &wanted);
        are(&Array::<f32>::zeros(device, &[0]).searchsorted_as::<I>(&sought, side), &vec![0; values.len()]);
    }
}

#[test]
fn places_of_elements() {
    for device in devices() {
        of_each_type!(found(device));
        let square = Array::<f32>::zeros(device, &[2, 2]);
        refused(&square.searchsorted_as::<u32>(&square, Side::Left), "sorted array: wanted one dimension");
    }
}

/// The places of a row from the largest on, as torch.topk has it: NaN before all others, equal ones as they stand.
fn from_largest(row: &[f32]) -> Vec<usize> {
    order(row, |a, b| b.is_nan().cmp(&a.is_nan()).then(by_value(a, b, true)))
}

fn first_k<I: Position>(device: &Device, host: &[f32]) {
    let x = Array::from_slice(device, host);
    for k in [0, 1, 9, 1500] {
        for smallest in [false, true] {
            let options = TopKOptions::default();
            let options = if smallest { options.smallest() } else { options };
            let wanted = match smallest {
                true => order(host, |a, b| by_value(a, b, false)),
                false => from_largest(host),
            };
            let (values, indices) = x.top_k_as::<I>(k, &options);
            are(&indices, &wanted[..k]);
            let bits = |x: f32| if x.is_nan() { 0 } else { (x + 0.0).to_bits() };
            let got: Vec<u32> = values.to_vec().unwrap().into_iter().map(bits).collect();
            assert_eq!(got, wanted[..k].iter().map(|&place| bits(host[place])).collect::<Vec<_>>());
        }
    }
    let columns = x.reshape(&[1753, 2]).top_k_as::<I>(3, &TopKOptions::default().axis(0)).1.to_vec().unwrap();
    for (j, start) in [0, 1].into_iter().enumerate() {
        let column: Vec<f32> = host[start..].iter().step_by(2).copied().collect();
        let wanted = from_largest(&column);
        assert_eq!([0, 1, 2].map(|i| columns[2 * i + j]), [0, 1, 2].map(|i| I::of(wanted[i])));
    }
}

#[test]
fn first_elements() {
    let host = floats(3506);
    for device in devices() {
        of_each_type!(first_k(device, &host));
        are(&Array::from_slice(device, &host).top_k(2).1, &from_largest(&host)[..2]);
    }
}

fn distinct<I: Position>(device: &Device, host: &[i32]) {
    let mut values = host.to_vec();
    values.sort();
    values.dedup();
    let firsts: Vec<usize> = values.iter().map(|value| host.iter().position(|x| x == value).unwrap()).collect();
    let inverse: Vec<usize> = host.iter().map(|x| values.binary_search(x).unwrap()).collect();
    let counts: Vec<u32> = values.iter().map(|value| host.iter().filter(|x| *x == value).count() as u32).collect();
    let unique = Array::from_slice(device, host).unique_all_as::<I>();
    same(&unique.values.to_array().unwrap(), &values);
    are(&unique.firsts.to_array().unwrap(), &firsts);
    are(&unique.inverse, &inverse);
    same(&unique.counts.to_array().unwrap(), &counts);
}

#[test]
fn distinct_elements() {
    for device in devices() {
        of_each_type!(distinct(device, &numbers(2507, 60)));
        distinct::<u32>(device, &numbers(3507, 1 << 20));
    }
}

#[test]
fn elements_by_rank() {
    for device in devices() {
        let host = floats(3507);
        let mut sorted = host.clone();
        sorted.sort_by(|a, b| by_value(a, b, false));
        let numbers = sorted.iter().filter(|x| !x.is_nan()).count();
        let x = Array::from_slice(device, &host);
        for n in [0, 1234, numbers - 1] {
            assert_eq!(x.nth(n).item().unwrap(), sorted[n]);
            assert_eq!(x.partition_nth(n, 0).slice(crosslane::s![n as isize]).item().unwrap(), sorted[n]);
            assert_eq!(host[x.argpartition(n, 0).slice(crosslane::s![n as isize]).item().unwrap() as usize], sorted[n]);
        }
        let plain = &sorted[..numbers];
        let y = Array::from_slice(device, &host.iter().copied().filter(|x| !x.is_nan()).collect::<Vec<_>>());
        let middle = (numbers - 1) as f64 * 0.5;
        let wanted = (plain[middle.floor() as usize] + plain[middle.ceil() as usize]) / 2.0;
        assert_eq!(y.median().item().unwrap(), wanted);
        same(&y.quantiles(&[0.0, 0.5, 1.0]), &[plain[0], wanted, plain[numbers - 1]]);
        assert!(x.median().item().unwrap().is_nan());
        refused(&x.nth(3507), "nth: n: wanted a place among 3507 elements, got 3507");
    }
}

/// What is refused before anything is computed.
#[track_caller]
fn too_many<T: Element>(array: &Array<T>, bits: u32, ty: &str) {
    refused(array, &format!("wanted at most 2^{bits} elements, whose positions {ty} holds, got"));
}

#[test]
fn more_than_a_type_numbers() {
    for device in devices() {
        let x = Array::<u32>::ones(device, &[(1 << 31) + 1]);
        too_many(&x.argsort_as::<i32>(&SortOptions::default()), 31, "i32");
        too_many(&x.arg_min_as::<i32>(..), 31, "i32");
        too_many(&x.arg_max_as::<i32>(0), 31, "i32");
        too_many(&x.top_k_as::<i32>(3, &TopKOptions::default()).1, 31, "i32");
        too_many(&x.searchsorted_as::<i32>(&x, Side::Left), 31, "i32");
        too_many(&x.unique_all_as::<i32>().inverse, 31, "i32");
        assert!(x.nonzero_as::<i32>().to_vec().unwrap_err().to_string().contains("whose positions i32 holds"));
        assert!(lexsort_as::<i32>(&[&x]).unwrap_err().to_string().contains("whose positions i32 holds"));
        let x = Array::<u32>::ones(device, &[(1 << 32) + 1]);
        too_many(&x.argsort(), 32, "u32");
        too_many(&x.top_k(3).1, 32, "u32");
        too_many(&x.unique_all().firsts.or(0), 32, "u32");
        refused(&x.arg_min(), "arg_min_as and arg_max_as give others");
        assert!(lexsort(&[&x]).unwrap_err().to_string().contains("whose positions u32 holds"));
    }
}
