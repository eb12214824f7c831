//! Scatters, and what is made by keys and counts, over more elements than one kernel numbers: as `past_bound.rs`.

use super::gather::meant;
use super::past_bound::{BOUND, devices, numbers, refused, same};
use crosslane::array::OutOfRange;
use crosslane::{Array, Scan};

const OUTSIDE: [OutOfRange; 3] = [OutOfRange::Clamp, OutOfRange::Wrap, OutOfRange::Drop];

#[test]
fn scatters_of_flat_arrays() {
    let host = numbers(3507, 1 << 20);
    let signed: Vec<i32> =
        numbers(2501, 12_000).into_iter().map(|i| i - 6000).chain([-3507, -3508, 3506, 3507]).collect();
    let unsigned: Vec<u32> = signed.iter().map(|i| i.unsigned_abs()).chain([u32::MAX]).collect();
    let values: Vec<i32> = numbers(2506, 2000).into_iter().map(|x| x - 1000).collect();
    for device in devices() {
        let x = Array::from_slice(device, &host);
        let of = |len: usize| Array::from_slice(device, &values[..len]);
        for outside in OUTSIDE {
            let added = |indices: &[i64]| {
                let mut all = host.clone();
                for (&index, value) in indices.iter().zip(&values) {
                    meant(index, 3507, outside).into_iter().for_each(|at| all[at] += value);
                }
                all
            };
            let got = x.scatter_add(&Array::from_slice(device, &signed), &of(signed.len()), outside);
            same(&got, &added(&signed.iter().map(|&i| i as i64).collect::<Vec<_>>()));
            let got = x.scatter_add(&Array::from_slice(device, &unsigned), &of(unsigned.len()), outside);
            same(&got, &added(&unsigned.iter().map(|&i| i as i64).collect::<Vec<_>>()));
        }
        // Each place once, in no order; one value for all; an array of several axes.
        let places: Vec<i32> = (0..3507).map(|i| i * 1009 % 3507 - if i % 2 == 0 { 3507 } else { 0 }).collect();
        let mut wanted = vec![0; 3507];
        places.iter().zip(&host).for_each(|(&at, &value)| wanted[at.rem_euclid(3507) as usize] = value);
        let (at, table) = (Array::from_slice(device, &places), Array::<i32>::zeros(device, &[501, 7]));
        let put = table.put(&at, &x, OutOfRange::Error);
        assert_eq!(put.shape(), [501, 7]);
        same(&put.flatten(), &wanted);
        let bytes = Array::<u8>::zeros(device, &[3507]).put(&at, &x.cast(), OutOfRange::Error);
        same(&bytes, &wanted.iter().map(|&value| value as u8).collect::<Vec<_>>());
        let few = Array::from_slice(device, &[1, 3506, -2000]);
        let marked = table.put(&few, &Array::full(device, &[1], 7), OutOfRange::Error);
        assert_eq!(marked.sum().item().unwrap(), 21);
        for past in [3507, -3508] {
            let wrong =
                table.put(&Array::from_slice(device, &[0, past]), &Array::full(device, &[1], 7), OutOfRange::Error);
            refused(&wrong, &format!("put: indices: wanted -3507 to 3506, got {past}"));
        }
        refused(&table.put(&few, &Array::full(device, &[2], 7), OutOfRange::Error), "a shape that broadcasts to [3]");
        let none = Array::from_slice(device, &[0i32; 0]);
        same(&x.put(&none, &none, OutOfRange::Error), &host);
    }
}

#[test]
fn scatters_along_axes() {
    for device in devices() {
        for shape in [[7, 501], [501, 7], [3, 1169], [1169, 3], [1, 3507], [3507, 1]] {
            let host = numbers(3507, 1 << 20);
            let x = Array::from_shape(device, &shape, &host);
            for axis in 0..2 {
                let picks: Vec<i32> = [0, -1, 2, 5, 1].into_iter().map(|i| i % shape[axis] as i32).collect();
                let own = if axis == 0 { [5, shape[1]] } else { [shape[0], 5] };
                let values = numbers(own[0] * own[1], 1000);
                let mut wanted = host.clone();
                for (nth, value) in values.iter().enumerate() {
                    let (i, j) = (nth / own[1], nth % own[1]);
                    let of = |k: usize| picks[k].rem_euclid(shape[axis] as i32) as usize;
                    let (row, column) = if axis == 0 { (of(i), j) } else { (i, of(j)) };
                    wanted[row * shape[1] + column] += value;
                }
                let (at, given) = (Array::from_slice(device, &picks), Array::from_shape(device, &own, &values));
                let got = x.scatter_add_axis(&at, &given, axis as isize, OutOfRange::Error);
                assert_eq!(got.shape(), shape, "axis {axis}");
                same(&got.flatten(), &wanted);
                // Another place of each row or column.
                let each: Vec<u32> = (0..own[1 - axis]).map(|k| (k * 31 % shape[axis]) as u32).collect();
                let along = if axis == 0 { [1, shape[1]] } else { [shape[0], 1] };
                let mut wanted = host.clone();
                for (k, &place) in each.iter().enumerate() {
                    let (row, column) = if axis == 0 { (place as usize, k) } else { (k, place as usize) };
                    wanted[row * shape[1] + column] = -1 - k as i32;
                }
                let given =
                    Array::from_shape(device, &along, &(0..each.len()).map(|k| -1 - k as i32).collect::<Vec<_>>());
                let each = Array::from_shape(device, &along, &each);
                same(&x.put_along_axis(&each, &given, axis as isize, OutOfRange::Error).flatten(), &wanted);
            }
        }
        let x = Array::<i32>::zeros(device, &[9, 501]);
        let nine = Array::from_slice(device, &[9u32]);
        refused(
            &x.scatter_add_axis(&nine, &Array::full(device, &[1, 1], 1), 0, OutOfRange::Error),
            "scatter_add_axis: indices: wanted 0 to 8, got 9",
        );
    }
}

#[test]
fn values_through_masks() {
    let host = numbers(4507, 100);
    for device in devices() {
        let x = Array::from_shape(device, &[4507, 1], &host);
        for limit in [0, 3, 50, 100] {
            let count = host.iter().filter(|&&x| x < limit).count();
            let values: Vec<i32> = (0..count.max(1) as i32).map(|i| -i - 1).collect();
            let mut next = values.iter();
            let wanted: Vec<i32> =
                host.iter().map(|&x| if x < limit { *next.next().expect("as many") } else { x }).collect();
            let given = Array::from_slice(device, &values);
            same(&x.masked_scatter(&x.less(limit), &given).flatten(), &wanted);
            if count > 1 {
                let fewer = given.slice(crosslane::s![..-1]);
                refused(&x.masked_scatter(&x.less(limit), &fewer), "masked_scatter: indices");
            }
        }
    }
}

#[test]
fn scans_and_sums_by_key() {
    for device in devices() {
        // Runs of one element, of a few, within windows and over several of them.
        let lengths: Vec<usize> = (0..400).map(|i| 1 + i % 5).chain([2500, 1, 1, 700, 999]).collect();
        let keys: Vec<i32> = lengths.iter().enumerate().flat_map(|(i, &n)| vec![i as i32 * 7 % 11; n]).collect();
        let values = numbers(keys.len(), 1000);
        let (mut scanned, mut sums, mut before) = (vec![], vec![], 0);
        for &length in &lengths {
            let run = &values[before..before + length];
            scanned.extend(run.iter().scan(0, |sum, x| {
                *sum += x;
                Some(*sum)
            }));
            sums.push(run.iter().sum::<i32>());
            before += length;
        }
        assert!(keys.len() > 5 * BOUND);
        let (k, v) = (Array::from_slice(device, &keys), Array::from_slice(device, &values));
        same(&Scan::sum().call_by_key::<_, _, i32>(&k, &v), &scanned);
        let (firsts, totals) = Scan::sum().reduce_by_key::<_, _, i32>(&k, &v);
        same(&firsts.to_array().unwrap(), &(0..lengths.len() as i32).map(|i| i * 7 % 11).collect::<Vec<_>>());
        same(&totals.to_array().unwrap(), &sums);
        let (firsts, totals) = Scan::sum().reverse().reduce_by_key::<_, _, i32>(&k, &v);
        assert_eq!(firsts.count().unwrap(), lengths.len());
        same(&totals.to_array().unwrap(), &sums);
    }
}

#[test]
fn elements_repeated() {
    for device in devices() {
        for counts in [
            (0..700).map(|i| i % 9).collect::<Vec<u32>>(),
            vec![0, 3000, 1, 0, 999, 1000, 1001, 0],
            vec![0; 50],
            vec![2500],
        ] {
            let host = numbers(counts.len(), 1 << 20);
            let wanted: Vec<i32> = host.iter().zip(&counts).flat_map(|(&x, &n)| vec![x; n as usize]).collect();
            let (x, n) = (Array::from_slice(device, &host), Array::from_slice(device, &counts));
            same(&x.repeat(&n).unwrap(), &wanted);
            if wanted.len() > BOUND {
                same(&x.repeat_to(&n, wanted.len()), &wanted);
                refused(&x.repeat_to(&n, wanted.len() + 1), "repeat_to: length: wanted");
            }
        }
    }
}
