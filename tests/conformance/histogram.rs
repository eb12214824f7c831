//! Histograms against NumPy's own algorithm on the host, of every type, in every memory that counts can lie in.

use crate::for_types;
use crate::support::*;
use crosslane::op::Value;
use crosslane::{Array, DType, Device, Ordered, f16, s};
use rand::Rng;

fn float<T: Ordered>(x: T) -> f64 {
    value(x).float()
}

/// `x` in the type that NumPy computes places in: the elements' own for floats.
fn rounded(dtype: DType, x: f64) -> f64 {
    match dtype {
        DType::F16 => f16::from_f64(x).to_f64(),
        DType::F32 => x as f32 as f64,
        _ => x,
    }
}

/// `numpy.histogram` as it stands in NumPy 2.3: places by a product, mended where they are off.
fn numpy(dtype: DType, values: &[f64], edges: &[f64]) -> Vec<u32> {
    let round = |x: f64| rounded(dtype, x);
    let (bins, low, high) = (edges.len() - 1, edges[0], edges[edges.len() - 1]);
    let mut counts = vec![0u32; bins];
    for &x in values.iter().filter(|&&x| x >= low && x <= high) {
        let place = round(round(round(x - low) / round(high - low)) * bins as f64);
        let mut bin = (place as usize).min(bins);
        bin -= (bin == bins) as usize;
        if x < edges[bin] {
            bin -= 1;
        }
        if x >= edges[bin + 1] && bin != bins - 1 {
            bin += 1;
        }
        counts[bin] += 1;
    }
    counts
}

/// By definition: the last bin that begins at or below.
fn between(values: &[f64], edges: &[f64]) -> Vec<u32> {
    let bins = edges.len() - 1;
    let mut counts = vec![0u32; bins];
    for &x in values.iter().filter(|&&x| x >= edges[0] && x <= edges[bins]) {
        counts[(0..bins).rev().find(|&bin| edges[bin] <= x).unwrap()] += 1;
    }
    counts
}

#[track_caller]
fn counted(got: &Array<u32>, wanted: Vec<u32>, what: &str) {
    same(got, &Dense::new(&[wanted.len()], wanted), what);
}

/// Values around the edges: on them, a step before and after, and what is not a number.
fn around<T: Ordered>(edges: &[f64]) -> Vec<T> {
    let mut values = vec![];
    for &edge in edges {
        let x = T::from_scalar(Value::Float(edge).scalar(T::DTYPE));
        let bits = x.scalar().bits;
        values.push(x);
        if T::DTYPE != DType::Bool {
            let most = if T::DTYPE.size() == 8 { u64::MAX as u128 } else { (1 << (8 * T::DTYPE.size())) - 1 };
            let near = [bits.wrapping_sub(1) & most, bits.wrapping_add(1) & most];
            values.extend(near.map(|bits| T::from_scalar(crosslane::op::Scalar { dtype: T::DTYPE, bits })));
        }
    }
    let kept = |x: &T| float(*x) == 0.0 || !matches!(T::DTYPE, DType::F16 | DType::F32) || float(*x).abs() > 6.2e-5;
    values.retain(kept); // denormal numbers may be 0
    if matches!(T::DTYPE, DType::F16 | DType::F32 | DType::F64) {
        let special = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0];
        values.extend(special.map(|x| T::from_scalar(Value::Float(x).scalar(T::DTYPE))));
    }
    values
}

/// Ranges with bins that are exact, that are not, that begin between integers.
fn even<T: Ordered>(device: &Device) {
    let whole = if signed::<T>() { -4.0..60.0 } else { 0.0..64.0 };
    let ranges = [(64, whole), (10, 0.1..0.7), (7, 0.5..100.25), (1, 1.0..2.0), (100, 3.0..9.0)];
    for (nth, (bins, range)) in ranges.into_iter().enumerate() {
        // A kernel with so many conditions costs a software driver half a second to compile.
        if T::DTYPE != DType::F32 && ![0, 2].contains(&nth) {
            continue;
        }
        let mut rng = random(nth as u64);
        let (_, edges) = Array::<T>::zeros(device, &[0]).histogram(bins, range.clone()).unwrap();
        assert_eq!(edges.len(), bins + 1, "{range:?} of {}", T::DTYPE);
        let mut values = around::<T>(&edges);
        let spread = range.end - range.start;
        values.extend((0..1500).map(|_| {
            let x = rng.random_range(range.start - spread / 8.0..range.end + spread / 8.0);
            T::from_scalar(Value::Float(if signed::<T>() { x } else { x.max(0.0) }).scalar(T::DTYPE))
        }));
        let host: Vec<f64> = values.iter().map(|&x| float(x)).collect();
        let what = format!("{bins} bins of {} in {range:?}", T::DTYPE);
        let x = Array::from_slice(device, &values);
        let (counts, again) = x.histogram(bins, range.clone()).unwrap();
        assert_eq!(again, edges);
        counted(&counts, numpy(T::DTYPE, &host, &edges), &what);
        if nth > 0 || T::DTYPE != DType::F32 {
            continue;
        }
        // One element at a time.
        let odd: Vec<f64> = host.iter().copied().skip(1).step_by(2).collect();
        counted(
            &x.slice(s![1..;2]).histogram(bins, range).unwrap().0,
            numpy(T::DTYPE, &odd, &edges),
            &format!("odd {what}"),
        );
    }
}

#[test]
fn even_bins_are_numpys_for_every_type() {
    for device in drivers() {
        spoil(device);
        for_types!(device, [f16, f32, f64, i32, i64, u8, u16, u32, u64, bool, i8, i16], even);
    }
}

#[test]
fn edges_are_linspace() {
    for device in drivers().take(1) {
        let x = Array::from_slice(device, &[0.25f32, 0.75]);
        // Python: [0.1 + i * (0.6 / 3)], in double precision, then as f32.
        let step = (0.7 - 0.1) / 3.0;
        let wanted = [0.1f64, step + 0.1, 2.0 * step + 0.1, 0.7].map(|x| x as f32 as f64);
        assert_eq!(x.histogram(3, 0.1..0.7).unwrap().1, wanted);
        assert_eq!(x.cast::<i32>().histogram(3, 0.0..1.0).unwrap().1, [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]);
        assert_eq!(x.histogram(2, 5.0..5.0).unwrap().1, [4.5, 5.0, 5.5]);
        let (counts, edges) = x.histogram_of_all(4).unwrap();
        assert_eq!((counts.to_vec().unwrap(), edges), (vec![1, 0, 0, 1], vec![0.25, 0.375, 0.5, 0.625, 0.75]));
        let (counts, edges) = Array::full(device, &[7], 3u32).histogram_of_all(2).unwrap();
        assert_eq!((counts.to_vec().unwrap(), edges), (vec![0, 7], vec![2.5, 3.0, 3.5]));
        assert_eq!(Array::<i32>::zeros(device, &[0]).histogram_of_all(2).unwrap().1, [0.0, 0.5, 1.0]);
    }
}

/// Numbers of bins on both sides of every border: copies, one copy, parts, memory that all share.
#[test]
fn any_number_of_bins() {
    for device in drivers() {
        spoil(device);
        let mut rng = random(3);
        let len = if is_checked(device) { 6_000 } else { 50_000 };
        let host: Vec<f32> = (0..len).map(|_| rng.random::<f32>()).collect();
        let exact: Vec<f64> = host.iter().map(|&x| x as f64).collect();
        let x = Array::from_slice(device, &host);
        for bins in [1, 2, 255, 257, 4087, 4089, 12_288, 12_289, 16_353, 49_153, 70_000] {
            let (counts, edges) = x.histogram(bins, 0.0..1.0).unwrap();
            counted(&counts, numpy(DType::F32, &exact, &edges), &format!("{bins} bins"));
        }
    }
}

#[test]
fn any_number_of_elements_and_hot_bins() {
    for device in drivers() {
        for len in [0usize, 1, 2, 3, 4, 5, 63, 255, 256, 1023, 1025, 4095, 4097, 70_001] {
            let host: Vec<u32> = (0..len as u32).map(|i| i * 7919 % 11).collect();
            let wanted = (0..11).map(|bin| host.iter().filter(|&&x| x == bin).count() as u32).collect();
            counted(
                &Array::from_slice(device, &host).histogram(11, 0.0..11.0).unwrap().0,
                wanted,
                &format!("{len} elements"),
            );
        }
        let len = if is_checked(device) { 20_000 } else { 300_001 };
        for bins in [1, 200] {
            let mut wanted = vec![0; bins];
            wanted[bins / 2] = len as u32;
            let x = Array::full(device, &[len], 0.5f32);
            counted(&x.copy().histogram(bins, 0.0..1.0).unwrap().0, wanted.clone(), "all equal");
            counted(&x.histogram(bins, 0.0..1.0).unwrap().0, wanted, "a constant");
        }
    }
}

fn given<T: Ordered>(device: &Device) {
    let edges: Vec<T> = [0, 2, 2, 3, 7, 20, 20].map(of::<T>).to_vec();
    let edges = if T::DTYPE == DType::Bool { vec![of(0), of(1)] } else { edges };
    let values: Vec<T> = (0..400).map(|i| of::<T>((i * 31) % 23)).collect();
    let host = |values: &[T]| values.iter().map(|&x| float(x)).collect::<Vec<f64>>();
    let wanted = between(&host(&values), &host(&edges));
    counted(&Array::from_slice(device, &values).histogram_edges(&edges), wanted, &format!("edges of {}", T::DTYPE));
}

#[test]
fn given_edges() {
    for device in drivers() {
        for_types!(device, [f16, f32, f64, i32, i64, u8, u16, u32, u64, bool, i8, i16], given);
        // Edges that fit beside the counters, and ones that do not.
        let mut rng = random(5);
        let values: Vec<f32> = (0..3000).map(|_| rng.random_range(-1.0..1.0)).collect();
        let x = Array::from_slice(device, &values);
        let exact: Vec<f64> = values.iter().map(|&x| x as f64).collect();
        for count in [2, 3, 1000, 5000, 60_000] {
            let mut edges: Vec<f32> = (0..count).map(|_| rng.random_range(-1.0..1.0)).collect();
            edges.sort_by(f32::total_cmp);
            let below = |x: f64| edges.partition_point(|&edge| edge as f64 <= x);
            let mut wanted = vec![0; count - 1];
            for &x in exact.iter().filter(|&&x| x >= edges[0] as f64 && x <= edges[count - 1] as f64) {
                wanted[(below(x) - 1).min(count - 2)] += 1;
            }
            counted(&x.histogram_edges(&edges), wanted, &format!("{count} edges"));
        }
        let far = [f32::NEG_INFINITY, 0.0, f32::INFINITY];
        let special = Array::from_slice(device, &[f32::NAN, f32::INFINITY, -1.0, f32::NEG_INFINITY]);
        counted(&special.histogram_edges(&far), vec![2, 1], "infinite edges");
    }
}

fn numbers<T: Ordered>(device: &Device) {
    let mut values: Vec<T> = (0..1000).map(|i| of::<T>(i * 13 % 120)).collect();
    values.push(of(-1)); // the largest number of unsigned types
    for bins in [1, 100, 121] {
        let wanted = (0..bins).map(|bin| values.iter().filter(|&&x| value(x).int() == bin as i128).count() as u32);
        let got = Array::from_slice(device, &values).bincount(bins);
        counted(&got, wanted.collect(), &format!("{bins} numbers of {}", T::DTYPE));
    }
}

#[test]
fn numbers_and_weights() {
    for device in drivers() {
        for_types!(device, [i32, i64, u8, u16, u32, u64], numbers);
        let places: Vec<u32> = (0..5003).map(|i| i * 17 % 29).collect();
        let x = Array::from_slice(device, &places);
        let sums = |weight: &dyn Fn(usize) -> i64| -> Vec<i64> {
            let of_bin = |bin| (0..5003).filter(|&i| places[i] == bin).map(weight).sum();
            (0..29).map(of_bin).collect()
        };
        let weights: Vec<i32> = (0..5003).map(|i| i % 7 - 3).collect();
        let wanted: Vec<i32> = sums(&|i| weights[i] as i64).into_iter().map(|x| x as i32).collect();
        let w = Array::from_slice(device, &weights);
        same(&x.bincount_weights(&w, 29), &Dense::new(&[29], wanted.clone()), "weights of i32");
        let unsigned: Vec<u32> = wanted.iter().map(|&x| x as u32).collect();
        same(&x.bincount_weights(&w.cast::<u32>(), 29), &Dense::new(&[29], unsigned), "weights of u32");
        // Small integers add up to the same in any order.
        let floats: Vec<f32> = wanted.iter().map(|&x| x as f32).collect();
        let w = w.cast::<f32>();
        same(&x.bincount_weights(&w, 29), &Dense::new(&[29], floats.clone()), "weights of f32");
        let (sums, _) = x.cast::<f32>().histogram_weights(&w, 29, 0.0..29.0).unwrap();
        same(&sums, &Dense::new(&[29], floats.clone()), "even bins with weights");
        // Past workgroup memory.
        let sparse = (x * 3000u32).bincount_weights(&w, 29 * 3000);
        let mut far = vec![0f32; 29 * 3000];
        floats.iter().enumerate().for_each(|(bin, &sum)| far[bin * 3000] = sum);
        same(&sparse, &Dense::new(&[29 * 3000], far), "many bins with weights of f32");
    }
}

#[test]
fn two_dimensions() {
    for device in drivers() {
        let mut rng = random(9);
        let pairs: Vec<(f32, f32)> = (0..3001).map(|_| (rng.random(), rng.random_range(-2.0..2.0))).collect();
        let x = Array::from_slice(device, &pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
        let y = Array::from_slice(device, &pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
        for bins in [[4, 6], [1, 3], [150, 100]] {
            let (counts, edges) = x.histogram2d(&y, bins, [0.1..0.9, -1.5..1.0]).unwrap();
            let place = |edges: &[f64], x: f32| between(&[x as f64], edges).iter().position(|&count| count == 1);
            let mut wanted = vec![0; bins[0] * bins[1]];
            for &(x, y) in &pairs {
                if let (Some(row), Some(column)) = (place(&edges[0], x), place(&edges[1], y)) {
                    wanted[row * bins[1] + column] += 1;
                }
            }
            same(&counts, &Dense::new(&bins, wanted), &format!("two dimensions, {bins:?}"));
        }
    }
}

#[test]
fn views_and_fused_work() {
    for device in drivers() {
        let host: Vec<f32> = (0..6000).map(|i| (i * 7919 % 1024) as f32 / 1024.0).collect();
        let x = Array::from_shape(device, &[60, 100], &host);
        let (counts, edges) = x.histogram(20, 0.0..1.0).unwrap();
        let exact: Vec<f64> = host.iter().map(|&x| x as f64).collect();
        let wanted = numpy(DType::F32, &exact, &edges);
        counted(&counts, wanted.clone(), "two axes");
        counted(&x.transpose().histogram(20, 0.0..1.0).unwrap().0, wanted.clone(), "transposed");
        counted(&x.flip(0).flip(1).histogram(20, 0.0..1.0).unwrap().0, wanted.clone(), "backwards");
        let twice = wanted.iter().map(|count| 2 * count).collect();
        counted(&x.broadcast_to(&[2, 60, 100]).histogram(20, 0.0..1.0).unwrap().0, twice, "repeated");
        counted(&(&x * 4.0 - 1.0).histogram(20, -1.0..3.0).unwrap().0, wanted.clone(), "fused");
        counted(&(x.cast::<f32>() + x.zeros_like()).histogram(20, 0.0..1.0).unwrap().0, wanted, "fused with another");
        let part: Vec<f64> = (0..60).flat_map(|i| (3..97).map(move |j| i * 100 + j)).map(|i| exact[i]).collect();
        counted(&x.slice(s![.., 3..97]).histogram(20, 0.0..1.0).unwrap().0, numpy(DType::F32, &part, &edges), "sliced");
        // Used again on the device.
        assert_eq!(counts.cast::<f32>().sum().item().unwrap(), 6000.0);
        assert_eq!(Array::arange(device, 0, 100, 1).histogram(4, 0.0..100.0).unwrap().0.to_vec().unwrap(), [25; 4]);
    }
}

/// More than one binding holds: where profiles have 1 MiB.
#[test]
fn through_windows() {
    for device in drivers().filter(|device| device.caps().binding_bytes <= 1 << 20) {
        let x = Array::arange(device, 0u32, 600_000, 1).copy();
        counted(&x.histogram(6, 0.0..600_000.0).unwrap().0, vec![100_000; 6], "windows");
    }
}

#[test]
fn mistakes_are_named() {
    for device in drivers().take(1) {
        let x = Array::from_slice(device, &[1.0f32, 2.0]);
        let y = Array::from_slice(device, &[1u32, 2, 3]);
        let rows: [(crosslane::Result<Array<u32>>, &str); 12] = [
            (x.histogram(0, 0.0..1.0).map(|made| made.0), "bins: wanted 1 to"),
            (x.histogram(usize::MAX, 0.0..1.0).map(|made| made.0), "bins: wanted 1 to"),
            (x.histogram(4, 1.0..0.0).map(|made| made.0), "the smaller one first"),
            (x.histogram(4, f64::NAN..0.0).map(|made| made.0), "two finite numbers"),
            (x.histogram(4, 0.0..1e300).map(|made| made.0), "that f32 can distinguish"),
            (x.histogram(100, 1.0..1.00001).map(|made| made.0), "that f32 can distinguish"),
            (y.histogram(4, -7.0..1.0).map(|made| made.0), "within that of u32"),
            (Ok(y.histogram_edges(&[3, 2])), "in ascending order"),
            (Ok(x.histogram_edges(&[3.0])), "two or more"),
            (Ok(x.histogram_edges(&[f32::NAN, 1.0])), "none of them NaN"),
            (Ok(x.bincount(3)), "array: wanted integers, got f32"),
            (
                x.histogram2d(&x.expand_dims(0), [2, 2], [0.0..1.0, 0.0..1.0]).map(|made| made.0),
                "shape: wanted [2], got [1, 2]",
            ),
        ];
        for (counts, wanted) in rows {
            let error = counts.and_then(|counts| counts.to_vec()).unwrap_err();
            assert!(error.to_string().contains(wanted), "{error} should have {wanted:?}");
            assert!(error.call_site().is_some_and(|at| at.file().ends_with("histogram.rs")), "{error}");
        }
        let error = y.bincount_weights(&y.cast::<f32>().slice(s![1..]), 3).to_vec().unwrap_err();
        assert!(error.to_string().contains("shape: wanted [3], got [2]"), "{error}");
        if has(device, DType::F64) {
            let error = y.bincount_weights(&Array::<f64>::ones(device, &[3]), 3).to_vec().unwrap_err();
            assert!(error.to_string().contains("cast the weights"), "{error}");
        }
        assert!(Array::from_slice(device, &[f32::NAN]).histogram_of_all(3).is_err());
        assert!(x.sum_axes(7).histogram(3, 0.0..1.0).unwrap_err().to_string().contains("axis"));
    }
}
