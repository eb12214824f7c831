//! Indices and offsets of 64 bits, and sorts by some bits, over more elements than one kernel numbers and fewer: as `past_bound.rs`.

use super::gather::meant;
use super::past_bound::{BOUND, devices, numbers, refused, same};
use super::support::{compiles_slowly, say};
use crosslane::array::{ArrayIndex, OutOfRange, SortOptions};
use crosslane::{Array, DType, Device, Ordered, Scan};

const OUTSIDE: [OutOfRange; 3] = [OutOfRange::Clamp, OutOfRange::Wrap, OutOfRange::Drop];

fn devices_of_64_bits() -> impl Iterator<Item = &'static Device> {
    devices().iter().filter(|device| {
        if !device.caps().i64 {
            say(&format!("skipped {}: no 64-bit integers", device.properties()));
        }
        device.caps().i64
    })
}

#[test]
fn indices_of_64_bits() {
    for device in devices_of_64_bits() {
        for len in [7usize, BOUND, 3507] {
            let host = numbers(len, 1 << 20);
            let reach = len as i64;
            let far = [-reach, -reach - 1, reach - 1, reach, i64::MIN, i64::MAX, 1 << 32, -(1 << 32), (1 << 32) + 1];
            let near = numbers(501, 4 * len as i32).into_iter().map(|i| i as i64 - 2 * reach);
            let signed: Vec<i64> = near.chain(far).collect();
            let unsigned: Vec<u64> = signed.iter().map(|&i| i as u64).collect();
            let x = Array::from_slice(device, &host);
            let (i, u) = (Array::from_slice(device, &signed), Array::from_slice(device, &unsigned));
            for outside in OUTSIDE {
                // Past all that `meant` adds to.
                let place = |index: i128| match outside {
                    OutOfRange::Clamp => Some(index.clamp(0, reach as i128 - 1) as usize),
                    OutOfRange::Wrap => Some(index.rem_euclid(reach as i128) as usize),
                    _ => i64::try_from(index)
                        .ok()
                        .filter(|i| i.unsigned_abs() < 1 << 40)
                        .and_then(|i| meant(i, len, outside)),
                };
                let pick = |index: i128| place(index).map_or(0, |at| host[at]);
                same(&x.take(&i, outside), &signed.iter().map(|&i| pick(i as i128)).collect::<Vec<_>>());
                same(&x.take(&u, outside), &unsigned.iter().map(|&i| pick(i as i128)).collect::<Vec<_>>());
                let mut added = host.clone();
                signed.iter().filter_map(|&i| place(i as i128)).for_each(|at| added[at] += 3);
                same(&x.scatter_add(&i, &Array::full(device, &[], 3), outside), &added);
            }
            let inside: Vec<i64> = numbers(99, 2 * len as i32).into_iter().map(|i| i as i64 - reach).collect();
            let wanted: Vec<i32> = inside.iter().map(|&i| host[i.rem_euclid(reach) as usize]).collect();
            same(&x.take(&Array::from_slice(device, &inside), OutOfRange::Error), &wanted);
            for (past, range) in [(reach, format!("{} to {}", -reach, reach - 1)), (-reach - 1, format!("{}", -reach))]
            {
                let wrong = x.take(&Array::from_slice(device, &[0, past]), OutOfRange::Error);
                refused(&wrong, &format!("take: indices: wanted {range}"));
                refused(&wrong, &format!("got {past}"));
            }
            let wrong =
                x.put(&Array::from_slice(device, &[0, len as u64]), &Array::full(device, &[], 7), OutOfRange::Error);
            refused(&wrong, &format!("put: indices: wanted 0 to {}, got {len}", len - 1));
            same(&x.take(&Array::<u64>::zeros(device, &[0]), OutOfRange::Error), &[]);
        }
    }
}

#[test]
fn rows_by_indices_of_64_bits() {
    for device in devices_of_64_bits() {
        for shape in [[3, 1169], [1169, 3]] {
            let host = numbers(3507, 1 << 20);
            let x = Array::from_shape(device, &shape, &host);
            for axis in 0..2 {
                let extent = shape[axis] as i64;
                let picks = [extent - 1, 0, -1, -extent];
                let rows = x.take_axis(&Array::from_slice(device, &picks), axis as isize, OutOfRange::Error);
                let at = |pick: i64, other: usize| {
                    let pick = pick.rem_euclid(extent) as usize;
                    if axis == 0 { host[pick * shape[1] + other] } else { host[other * shape[1] + pick] }
                };
                let others = shape[1 - axis];
                let wanted: Vec<i32> = match axis {
                    0 => picks
                        .iter()
                        .flat_map(|&pick| (0..others).map(move |other| (pick, other)))
                        .map(|(p, o)| at(p, o))
                        .collect(),
                    _ => (0..others).flat_map(|other| picks.map(|pick| (pick, other))).map(|(p, o)| at(p, o)).collect(),
                };
                same(&rows.flatten(), &wanted);
                let wrong = x.take_axis(&Array::from_slice(device, &[extent as u64]), axis as isize, OutOfRange::Error);
                refused(&wrong, &format!("got {extent}"));
            }
        }
    }
}

/// Segments of elements that offsets of a type name: their sums, sums so far, and each sorted.
fn segments<I: ArrayIndex>(device: &Device, host: &[i32], ends: &[usize], of: impl Fn(usize) -> I) {
    let x = Array::from_slice(device, host);
    let all: Vec<I> = ends.iter().map(|&end| of(end)).collect();
    let offsets = Array::from_slice(device, &all);
    let each = || ends.windows(2).map(|ends| &host[ends[0]..ends[1]]);
    let sums: Array<i32> = Scan::sum().reduce_segments(&x, &offsets);
    same(&sums, &each().map(|segment| segment.iter().sum()).collect::<Vec<_>>());
    let smallest: Array<i32> = Scan::min().reverse().reduce_segments(&x, &offsets);
    same(&smallest, &each().map(|segment| segment.iter().copied().min().unwrap_or(i32::MAX)).collect::<Vec<_>>());
    // Also what comes before the first offset, and after the last.
    let bounds: Vec<usize> = [&[0], ends, &[host.len()]].concat();
    let parts = || bounds.windows(2).map(|ends| &host[ends[0]..ends[1]]);
    let so_far = parts().flat_map(|part| {
        part.iter().scan(0, |sum, x| {
            *sum += x;
            Some(*sum)
        })
    });
    same(&Scan::sum().call_offsets::<_, i32>(&x, &offsets), &so_far.collect::<Vec<_>>());
    let sorted = parts().flat_map(|part| {
        let mut part = part.to_vec();
        part.sort();
        part
    });
    let sorted: Vec<i32> = sorted.collect();
    same(&x.sort_segments(&offsets), &sorted);
    let places: Array<u32> = x.argsort_segments_as(&offsets);
    same(&x.take(&places, OutOfRange::Error), &sorted);
    let inverse = places.argsort(); // each place once
    same(&places.take(&inverse, OutOfRange::Error), &(0..host.len() as u32).collect::<Vec<_>>());
    if device.caps().i64 {
        same(&x.argsort_segments_as::<i64>(&offsets).cast::<u32>(), &places.to_vec().unwrap());
    }
    let past = Array::from_slice(device, &[of(0), of(host.len() + 1)]);
    let wrong: Array<i32> = Scan::sum().reduce_segments(&x, &past);
    let low = if matches!(I::DTYPE, DType::I32 | DType::I64) { -(host.len() as i64) - 1 } else { 0 };
    let (len, past) = (host.len(), host.len() + 1);
    refused(&wrong, &format!("reduce_segments: indices: wanted {low} to {len}, got {past}"));
}

#[test]
fn segments_past_the_bound() {
    for device in devices() {
        for len in [500, 2507] {
            let host: Vec<i32> = numbers(len, 1 << 16).into_iter().map(|x| x - (1 << 15)).collect();
            let mut ends: Vec<usize> = numbers(40, len as i32).into_iter().map(|end| end as usize).collect();
            ends.extend([3, 3, 3, len - 1, len - 1]);
            ends.sort();
            segments(device, &host, &ends, |end| end as u32);
            if len < BOUND {
                segments(device, &host, &ends, |end| end as i32);
            }
            if device.caps().i64 {
                segments(device, &host, &ends, |end| end as u64);
                segments(device, &host, &ends, |end| end as i64);
            } else {
                say(&format!("skipped offsets of 64 bits on {}", device.properties()));
            }
            let places =
                Array::from_slice(device, &host).argsort_segments(&Array::from_slice(device, &[len as u32 + 1]));
            refused(&places, &format!("indices: wanted 0 to {len}, got {}", len + 1));
        }
    }
}

/// Sorts by some bits of keys whose numbers rise as they do; `number` is that of a key, as [`SortOptions::bits`] has it.
fn by_bits<T: Ordered>(device: &Device, host: &[T], width: u32, number: impl Fn(&T) -> Option<u64>) {
    let x = Array::from_slice(device, host);
    let places = Array::arange(device, 0u32, host.len() as u32, 1);
    for (start, end, descending) in
        [(0, 3, false), (width / 2, width, true), (1, width - 1, false), (width - 1, width, true), (2, 2, false)]
    {
        let digit = |at: u32| {
            let all = u64::MAX >> (64 - width);
            // What is no number is last both ways.
            let bits = number(&host[at as usize]).map_or(all, |bits| if descending { !bits & all } else { bits });
            if start == end { 0 } else { bits >> start & u64::MAX >> (64 - (end - start)) }
        };
        let mut wanted: Vec<u32> = (0..host.len() as u32).collect();
        wanted.sort_by_key(|&at| digit(at));
        let options = SortOptions::default().bits(start..end);
        let options = if descending { options.descending() } else { options };
        let (keys, moved) = x.sort_pairs_with(&places, &options);
        same(&moved, &wanted);
        let is_key = |sorted: &Array<T>| {
            let own = x.take(&moved, OutOfRange::Error);
            let (same, nan) = (sorted.equal(&own), sorted.not_equal(sorted) & own.not_equal(&own));
            (same | nan).all().item().unwrap()
        };
        assert!(is_key(&keys) && is_key(&x.sort_with(&options)), "{start}..{end} of {}", T::DTYPE);
    }
}

#[test]
fn sorts_by_some_bits() {
    for device in devices() {
        let host = numbers(2507, i32::MAX);
        let mixed = |x: &i32| (*x as u32).wrapping_mul(2_654_435_761);
        let words: Vec<u32> = host.iter().map(mixed).collect();
        by_bits(device, &words, 32, |&x| Some(x as u64));
        let floats: Vec<f32> = words
            .iter()
            .map(|&x| if x % 5 == 0 { [-0.0, 0.0, f32::NAN][x as usize % 3] } else { f32::from_bits(x) })
            .collect();
        by_bits(device, &floats, 32, |&x| {
            let bits = if x == 0.0 { 0 } else { x.to_bits() };
            let number = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
            (!x.is_nan()).then_some(number as u64)
        });
        // Several rows, each by itself, along an axis that is not the last one.
        let table = Array::from_shape(device, &[1253, 2], &words[..2506]);
        let mut columns = [0, 1].map(|j| (0..1253).map(|i| words[2 * i + j]).collect::<Vec<u32>>());
        columns.iter_mut().for_each(|column| column.sort_by_key(|x| x >> 4 & 15));
        let wanted: Vec<u32> = (0..2506).map(|i| columns[i % 2][i / 2]).collect();
        same(&table.sort_with(&SortOptions::default().axis(0).bits(4..8)).flatten(), &wanted);
        if compiles_slowly(device) {
            say(&format!("skipped keys of other sizes on {}: it takes long to compile a kernel", device.properties()));
            continue;
        }
        let bytes: Vec<i8> = words.iter().map(|&x| x as i8).collect();
        by_bits(device, &bytes, 8, |&x| Some((x as u8 ^ 0x80) as u64));
        let halves: Vec<u16> = words.iter().map(|&x| x as u16).collect();
        by_bits(device, &halves, 16, |&x| Some(x as u64));
        if device.caps().i64 {
            let wide: Vec<i64> = words.iter().map(|&x| (x as i64).wrapping_mul(-0x61c8_8646_80b5_83eb)).collect();
            by_bits(device, &wide, 64, |&x| Some(x as u64 ^ 1 << 63));
        }
    }
}

#[test]
fn weights_in_order() {
    let host = numbers(2507, 37);
    // Sums of these depend on their order.
    let weights: Vec<f32> =
        numbers(2508, 1 << 20).into_iter().take(2507).map(|x| (x as f32).sin() * 1e-3 + (x % 1000) as f32).collect();
    let mut sums = vec![0f64; 37];
    host.iter().zip(&weights).for_each(|(&x, &w)| sums[x as usize] += w as f64);
    for device in devices() {
        let (x, w) = (Array::from_slice(device, &host), Array::from_slice(device, &weights));
        let got = x.bincount_weights_ordered(&w, 37).to_vec().unwrap();
        for (got, wanted) in got.iter().zip(&sums) {
            assert!((*got as f64 - wanted).abs() <= 1e-5 * wanted.abs(), "{got}, not {wanted}");
        }
        let whole: Vec<i32> = (0..2507).map(|i| i % 11 - 5).collect();
        let mut exact = vec![0i32; 37];
        host.iter().zip(&whole).for_each(|(&x, &w)| exact[x as usize] += w);
        same(&x.bincount_weights_ordered(&Array::from_slice(device, &whole), 37), &exact);
    }
}
