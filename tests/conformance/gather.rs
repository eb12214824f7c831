//! Elements by indices and values brought to indices, against plain loops, of every type; what is past the axis.

use crate::for_types;
use crate::support::*;
use crosslane::array::OutOfRange;
use crosslane::{Array, Complex, DType, Device, Element, Kernel, Recording, bf16, eval_all, f16, s};
use rand::Rng;
use rand::seq::SliceRandom;

const ALL: [OutOfRange; 3] = [OutOfRange::Clamp, OutOfRange::Wrap, OutOfRange::Drop];

/// The element that an index means, by NumPy's modes.
pub fn meant(index: i64, extent: usize, outside: OutOfRange) -> Option<usize> {
    let extent = extent as i64;
    let index = match outside {
        OutOfRange::Clamp => index.clamp(0, extent - 1),
        OutOfRange::Wrap => index.rem_euclid(extent),
        _ if index < 0 => index + extent,
        _ => index,
    };
    (0..extent).contains(&index).then_some(index as usize)
}

fn taken<T: Element>(device: &Device) {
    let mut rng = random(2);
    for (len, count) in [(1usize, 5usize), (7, 64), (1000, 1003)] {
        let host: Vec<T> = (0..len).map(|_| bits(&mut rng)).collect();
        let x = Array::from_slice(device, &host);
        let reach = 3 * len as i32;
        let signed: Vec<i32> = (0..count).map(|_| rng.random_range(-reach..reach)).collect();
        let unsigned: Vec<u32> = signed.iter().map(|index| index.unsigned_abs()).collect();
        for outside in ALL {
            let pick = |index: i64| meant(index, len, outside).map_or(of(0), |at| host[at]);
            let what = format!("{count} of {len} {}, {outside:?}", T::DTYPE);
            let wanted = signed.iter().map(|&index| pick(index as i64)).collect();
            let got = x.take(&Array::from_slice(device, &signed), outside);
            same(&got, &Dense::new(&[count], wanted), &what);
            let wanted = unsigned.iter().map(|&index| pick(index as i64)).collect();
            let got = x.take(&Array::from_slice(device, &unsigned), outside);
            same(&got, &Dense::new(&[count], wanted), &what);
        }
    }
}

#[test]
fn take_of_every_type() {
    for device in apis() {
        spoil(device);
        for_types!(device, [f16, f32, f64, i32, i64, u8, u16, u32, u64, bool, bf16, i8, i16, Complex<f32>, Complex<f64>], taken);
    }
}

#[test]
fn rows_and_elements_along_axes() {
    for device in apis() {
        let host = Dense::new(&[4, 5, 6], (0..120).map(|i| i as f32).collect());
        let x = upload(device, &host);
        let rows = Dense::new(&[2, 3], vec![1i32, 0, -1, 2, 2, 3]);
        let indices = upload(device, &rows);
        for axis in 0..3usize {
            let shape = [&host.shape[..axis], &[2, 3][..], &host.shape[axis + 1..]].concat();
            let at = |point: &[usize]| {
                let index = rows.at(&point[axis..axis + 2]) as i64;
                let index = meant(index, host.shape[axis], OutOfRange::Wrap).unwrap();
                [&point[..axis], &[index], &point[axis + 2..]].concat()
            };
            let got = x.take_axis(&indices, axis as isize, OutOfRange::Wrap);
            same(&got, &host.view(&shape, at), &format!("rows of axis {axis}"));
        }
        // Views on both sides, and indices that are computed.
        let turned = x.permute([2, 0, 1]).slice(s![.., 1.., ..]);
        let dense = host.permute(&[2, 0, 1]).slice(1, 1, 1, 3);
        let wanted = dense.view(&[6, 2, 5], |point| vec![point[0], point[1] * 2, point[2]]);
        let even = Array::arange(device, 0u32, 2, 1) * 2;
        same(&turned.take_axis(&even, 1, OutOfRange::Error), &wanted, "a view");

        let each = Dense::new(&[4, 2, 6], (0..48).map(|i| (i * 7 % 10) - 5).collect());
        let at = |point: &[usize]| {
            let index = meant(each.at(point) as i64, 5, OutOfRange::Error).unwrap();
            vec![point[0], index, point[2]]
        };
        let got = x.take_along_axis(&upload(device, &each), 1, OutOfRange::Error);
        same(&got, &host.view(&[4, 2, 6], at), "along axis 1");
        // The indices are repeated, or the array is.
        let one = Array::from_shape(device, &[1, 1, 1], &[3u32]);
        let wanted = host.view(&[4, 1, 6], |point| vec![point[0], 3, point[2]]);
        same(&x.take_along_axis(&one, 1, OutOfRange::Error), &wanted, "an index for all");
        let thin = x.slice(s![.., .., 2..3]);
        let wanted = host.view(&[4, 2, 6], |point| [&at(point)[..2], &[2]].concat());
        same(&thin.take_along_axis(&upload(device, &each), 1, OutOfRange::Error), &wanted, "an axis of 1");
        assert_eq!(x.take(&Array::full(device, &[], -1), OutOfRange::Error).item().unwrap(), 119.0);
        assert!(x.take(&Array::<u32>::zeros(device, &[0, 3]), OutOfRange::Error).to_vec().unwrap().is_empty());
    }
}

fn brought<T: Element>(device: &Device) {
    let mut rng = random(4);
    for (len, count) in [(1usize, 1usize), (9, 4), (1003, 700)] {
        let host: Vec<T> = (0..len).map(|_| bits(&mut rng)).collect();
        // Each place once: which of several stays is nobody's promise.
        let mut places: Vec<u32> = (0..len as u32 + 3).collect();
        places.shuffle(&mut rng);
        places.truncate(count);
        let values: Vec<T> = (0..count).map(|_| bits(&mut rng)).collect();
        let mut wanted = host.clone();
        for (&place, &value) in places.iter().zip(&values) {
            if let Some(at) = wanted.get_mut(place as usize) {
                *at = value;
            }
        }
        let x = Array::from_slice(device, &host);
        let (at, v) = (Array::from_slice(device, &places), Array::from_slice(device, &values));
        let what = format!("put {count} into {len} {}", T::DTYPE);
        same(&x.put(&at, &v, OutOfRange::Drop), &Dense::new(&[len], wanted), &what);
        same(&x, &Dense::new(&[len], host), "the array stays");
    }
}

#[test]
fn put_of_every_type() {
    for device in apis() {
        spoil(device);
        for_types!(device, [f16, f32, f64, i32, i64, u8, u16, u32, u64, bool, bf16, i8, i16, Complex<f32>, Complex<f64>], brought);
        // Many for one place: one of them, whole.
        let x = Array::<u8>::zeros(device, &[8]);
        let indices = Array::arange(device, 0u32, 4096, 1) & 7u32;
        let values = (Array::arange(device, 0u32, 4096, 1) >> 3u32).cast::<u8>();
        let got = x.put(&indices, &values, OutOfRange::Error).to_vec().unwrap();
        assert_eq!(got.len(), 8);
        let pairs = Array::<u16>::zeros(device, &[2]);
        let both = Array::full(device, &[300], 0x5aa5u32).cast::<u16>();
        let got = pairs.put(&Array::full(device, &[300], 1u32), &both, OutOfRange::Error);
        assert_eq!(got.to_vec().unwrap(), [0, 0x5aa5]);
    }
}

#[test]
fn values_combine() {
    for device in apis() {
        let mut rng = random(6);
        let places: Vec<i32> = (0..3001).map(|_| rng.random_range(-40..40)).collect();
        let values: Vec<i32> = (0..3001).map(|_| rng.random_range(-1000..1000)).collect();
        let start: Vec<i32> = (0..40).map(|i| i * 3 - 50).collect();
        let (x, at, v) =
            (Array::from_slice(device, &start), Array::from_slice(device, &places), Array::from_slice(device, &values));
        let combined = |combine: fn(i32, i32) -> i32| {
            let mut all = start.clone();
            for (&place, &value) in places.iter().zip(&values) {
                let place = if place < 0 { place + 40 } else { place } as usize;
                all[place] = combine(all[place], value);
            }
            Dense::new(&[40], all)
        };
        let (add, least, most) = (combined(|a, b| a + b), combined(i32::min), combined(i32::max));
        let outside = OutOfRange::Error;
        same(&x.scatter_add(&at, &v, outside), &add, "add i32");
        same(&x.scatter_min(&at, &v, outside), &least, "min i32");
        same(&x.scatter_max(&at, &v, outside), &most, "max i32");
        // Sums of such integers are exact in f32.
        let (x, v) = (x.cast::<f32>(), v.cast::<f32>());
        same(&x.scatter_add(&at, &v, outside), &add.map(|x| x as f32), "add f32");
        same(&x.scatter_min(&at, &v, outside), &least.map(|x| x as f32), "min f32");
        same(&x.scatter_max(&at, &v, outside), &most.map(|x| x as f32), "max f32");
        let counts = Array::<u32>::zeros(device, &[40]);
        let got = counts.scatter_add(&at, &Array::full(device, &[], 1u32), OutOfRange::Wrap);
        let wanted = (0..40).map(|bin| places.iter().filter(|&&p| p.rem_euclid(40) == bin).count() as u32).collect();
        same(&got, &Dense::new(&[40], wanted), "ones of u32");

        let special = Array::from_slice(device, &[1.0f32, f32::NAN, -0.5, f32::INFINITY]);
        let at = Array::from_slice(device, &[0u32, 0, 1, 2, 2, 3]);
        let v = Array::from_slice(device, &[f32::NAN, 0.0, 7.0, f32::NEG_INFINITY, 3.0, 5.0]);
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        same_values(&special.scatter_min(&at, &v, outside).to_vec().unwrap(), &[nan, nan, -inf, 5.0], "min of NaN");
        same_values(&special.scatter_max(&at, &v, outside).to_vec().unwrap(), &[nan, nan, 3.0, inf], "max of NaN");

        // Rows, into a view.
        let x = Array::from_shape(device, &[2, 3], &[1, 2, 3, 4, 5, 6]).transpose();
        let rows = Array::from_slice(device, &[2u32, 2, 0]);
        let v = Array::from_shape(device, &[3, 2], &[10, 20, 30, 40, 50, 60]);
        let got = x.scatter_add_axis(&rows, &v, 0, outside);
        same(&got, &Dense::new(&[3, 2], vec![51, 64, 2, 5, 43, 66]), "rows");
    }
}

/// Whoever reads the result, or what is computed of it, is told each time, and nobody else. On devices of its own: a wait of
/// another test would be told too.
#[test]
fn an_index_past_the_axis_is_told_to_those_who_read_it() {
    for device in apis().iter().filter_map(fresh_like) {
        let device = &device;
        let x = Array::from_slice(device, &[1.0f32, 2.0, 3.0]);
        let at = Array::from_slice(device, &[9u32]);
        let (bad, good) = (x.take(&at, OutOfRange::Error), &x + 1.0);
        let also = x.take(&Array::from_slice(device, &[1u32]), OutOfRange::Error);
        eval_all(&[&bad, &also]).unwrap();
        assert_eq!(good.to_vec().unwrap(), [2.0, 3.0, 4.0], "on {}", name(device));
        assert_eq!(also.item().unwrap(), 2.0, "on {}", name(device));
        let mut of_it = (&bad + 1.0).copy();
        of_it.eval().unwrap();
        let sum = &of_it.sum() + &also;
        let mut part = x.copy();
        part.slice_mut(s![1..2]).assign(&bad).unwrap();
        let kernel = Kernel::wgsl(
            "@group(0) @binding(0) var<storage, read> x: array<f32>;
            @group(0) @binding(1) var<storage, read_write> y: array<f32>;
            @compute @workgroup_size(1) fn main() { y[0] = x[0]; }",
        )
        .unwrap();
        let mut written = Array::<f32>::zeros(device, &[1]);
        kernel.grid([1]).args((&bad, &mut written)).launch(device).unwrap();
        for _ in 0..2 {
            for wrong in [&bad, &of_it, &sum, &part, &written, &bad.reshape(&[1, 1])] {
                let error = wrong.to_vec().unwrap_err().to_string();
                assert!(error.contains("take: indices: wanted 0 to 2, got 9"), "{error} on {}", name(device));
            }
            assert!(bad.map_memory().is_err() && bad.to_dlpack().is_err(), "on {}", name(device));
            assert_eq!(good.to_vec().unwrap(), [2.0, 3.0, 4.0], "on {}", name(device));
        }
        of_it = x.sum();
        assert_eq!(of_it.item().unwrap(), 6.0, "on {}", name(device));
    }
}

/// Threads that take from one array: each is told of its own indices.
#[test]
fn threads_are_told_of_their_own_indices() {
    for device in apis().iter().filter_map(fresh_like) {
        let device = &device;
        let x = Array::arange(device, 0u32, 100, 1).copy();
        x.eval().unwrap();
        let rounds = if is_checked(device) { 5 } else { 25 };
        std::thread::scope(|scope| {
            for thread in 0..4u32 {
                let x = &x;
                scope.spawn(move || {
                    for round in 0..rounds {
                        let bad = (thread + round) % 2 == 0;
                        let at = [thread, if bad { 100 + thread } else { 99 - thread }];
                        let y = x.take(&Array::from_slice(device, &at), OutOfRange::Error) + 1u32;
                        if round % 3 == 0 {
                            y.eval().unwrap();
                        }
                        match y.to_vec() {
                            Ok(y) => assert!(!bad && y == [thread + 1, 100 - thread], "on {}", name(device)),
                            Err(error) => {
                                let wanted = format!("got {}", 100 + thread);
                                assert!(bad && error.to_string().contains(&wanted), "{error} on {}", name(device));
                            }
                        }
                    }
                });
            }
        });
    }
}

/// A recording's results are as good as its last run.
#[test]
fn recordings_check_anew() {
    for device in apis().iter().filter_map(fresh_like) {
        let device = &device;
        let x = Array::from_slice(device, &[1.0f32, 2.0, 3.0]);
        let at = Array::from_slice(device, &[0u32, 2]);
        let y = x.take(&at, OutOfRange::Error) * 2.0;
        let mut recording = Recording::of(&[&y]).unwrap();
        assert_eq!(y.to_vec().unwrap(), [2.0, 6.0], "on {}", name(device));
        recording.replace(&at, &Array::from_slice(device, &[1u32, 7])).unwrap();
        recording.run().unwrap();
        assert!(y.to_vec().unwrap_err().to_string().contains("got 7"), "on {}", name(device));
        recording.replace(&at, &Array::from_slice(device, &[1u32, 1])).unwrap();
        recording.run().unwrap();
        assert_eq!(y.to_vec().unwrap(), [4.0, 4.0], "on {}", name(device));
    }
}

/// On devices of its own: a wait tells of what nobody read.
#[test]
fn an_index_past_the_axis_is_told_at_the_next_wait() {
    for device in apis().iter().filter_map(fresh_like) {
        let x = Array::from_slice(&device, &[1.0f32, 2.0, 3.0]);
        let far = x.take(&Array::from_slice(&device, &[0, 1, -4, 2]), OutOfRange::Error);
        let error = far.to_vec().unwrap_err();
        assert!(error.to_string().contains("take: indices: wanted -3 to 2, got -4"), "{error} on {}", name(&device));
        assert!(error.call_site().is_some_and(|at| at.file().ends_with("gather.rs")), "{error}");
        // It was told, once; and there is nothing to tell of others.
        device.synchronize().unwrap();
        assert_eq!(x.take(&Array::from_slice(&device, &[2u32]), OutOfRange::Error).item().unwrap(), 3.0);
        let both = x.scatter_add(&Array::from_slice(&device, &[3u32, 9]), &x.slice(s![..2]), OutOfRange::Error);
        both.eval().unwrap();
        let error = device.synchronize().unwrap_err().to_string();
        assert!(error.contains("scatter_add: indices: wanted 0 to 2") && error.contains("1 others"), "{error}");
        device.synchronize().unwrap();
        assert!(both.to_vec().is_err(), "on {}", name(&device));
        // What nobody waits for does not pile up.
        let before = device.memory().live;
        for round in 0..1500u32 {
            x.take(&Array::full(&device, &[1], round % 3), OutOfRange::Error).eval().unwrap();
        }
        device.synchronize().unwrap();
        assert!(device.memory().live <= before + (1 << 20), "{:?}", device.memory());
    }
}

/// More than one binding holds: where profiles have 1 MiB.
#[test]
fn through_windows() {
    for device in apis().iter().filter(|device| device.caps().binding_bytes <= 1 << 20) {
        let x = Array::arange(device, 0u32, 700_000, 1).copy();
        let places: Vec<u32> = (0..2000).map(|i| i * 350).chain([262_015, 262_016, 262_144, 699_999]).collect();
        let at = Array::from_slice(device, &places);
        same(&x.take(&at, OutOfRange::Error), &Dense::new(&[places.len()], places.clone()), "take");
        let y = x.put(&at, &Array::full(device, &[], 5u32), OutOfRange::Error);
        same(&y.take(&at, OutOfRange::Error), &Dense::new(&[places.len()], vec![5; places.len()]), "put");
        assert_eq!(y.equal(5).count_nonzero().item().unwrap(), 2004 + 1);
        let bytes = x.cast::<u8>().broadcast_to(&[2, 700_000]).copy();
        let far = at.clone() + 700_000u32;
        let wanted = places.iter().map(|&place| place as u8).collect();
        same(&bytes.take(&far, OutOfRange::Error), &Dense::new(&[places.len()], wanted), "take of u8");
    }
}

#[test]
fn mistakes_are_named() {
    for device in apis().iter().take(1) {
        let x = Array::<f32>::zeros(device, &[2, 3]);
        let at = Array::from_slice(device, &[0u32, 1]);
        let outside = OutOfRange::Clamp;
        let rows = [
            (x.take_axis(&at, 2, outside), "axis: wanted -2 to 1, got 2"),
            (x.take_along_axis(&at, 0, outside), "indices: wanted the shape [2, 3] but for axis 0, got [2]"),
            (x.put(&at, &x, outside), "wanted a shape that broadcasts to [2], got [2, 3]"),
            (Array::<f32>::zeros(device, &[0]).take(&at, outside), "a non-empty array"),
        ];
        for (array, wanted) in rows {
            let error = array.to_vec().unwrap_err().to_string();
            assert!(error.contains(wanted), "{error} should have {wanted:?}");
        }
        if has(device, crosslane::DType::I64) {
            let x = Array::<i64>::zeros(device, &[2]);
            let error = x.scatter_add(&at, &x, outside).to_vec().unwrap_err().to_string();
            assert!(error.contains("atomics for i64; cast to f32, i32 or u32"), "{error}");
        }
    }
}

/// Where no element is gathered or scattered an index is checked too: NumPy raises for each.
#[test]
fn indices_are_checked_where_nothing_is_gathered() {
    fn refuses<I: crosslane::array::ArrayIndex>(device: &Device, index: I) {
        let error = OutOfRange::Error;
        let told = |what: &str, result: crosslane::Result<usize>| {
            let text = result.expect_err(what).to_string();
            assert!(text.contains("indices"), "{what} on {}: {text}", name(device));
        };
        let at = Array::from_slice(device, &[index]);
        for extent in [0, 3] {
            let x = Array::<f32>::zeros(device, &[extent, 0]);
            told("take_axis", x.take_axis(&at, 0, error).to_vec().map(|x| x.len()));
            let rows = Array::<f32>::zeros(device, &[1, 0]);
            told("scatter_add_axis", x.scatter_add_axis(&at, &rows, 0, error).to_vec().map(|x| x.len()));
            let column = at.reshape(&[1, 1]);
            told("take_along_axis", x.take_along_axis(&column, 0, error).to_vec().map(|x| x.len()));
            told("put_along_axis", x.put_along_axis(&column, &rows, 0, error).to_vec().map(|x| x.len()));
            // What is not an error is none here either.
            for outside in [OutOfRange::Clamp, OutOfRange::Drop, OutOfRange::Wrap] {
                assert_eq!(x.take_axis(&at, 0, outside).to_vec().unwrap(), [0.0; 0]);
                assert_eq!(x.take_axis(&at, 0, outside).shape(), [1, 0]);
            }
        }
        let inside = Array::<f32>::zeros(device, &[20, 0]).take_axis(&at, 0, error);
        assert_eq!((inside.to_vec().unwrap().len(), inside.shape()), (0, &[1usize, 0][..]));
        let none = Array::<f32>::zeros(device, &[0, 4]).take_axis(&at.slice(s![..0]), 0, error);
        assert_eq!(none.to_vec().unwrap().len(), 0);
    }
    for device in apis() {
        refuses::<u32>(device, 7);
        refuses::<i32>(device, 7);
        refuses::<i32>(device, -7);
        if has(device, DType::I64) {
            refuses::<u64>(device, 7);
            refuses::<i64>(device, -7);
        }
        let nothing = Array::<f32>::zeros(device, &[0]);
        let offsets = Array::from_slice(device, &[0u32, 5]);
        let past = |result: crosslane::Result<Vec<f32>>| {
            let text = result.unwrap_err().to_string();
            assert!(text.contains("wanted"), "{text} on {}", name(device));
        };
        past(crosslane::Scan::sum().reduce_segments::<f32, f32>(&nothing, &offsets).to_vec());
        past(crosslane::Scan::sum().call_offsets::<f32, f32>(&nothing, &offsets).to_vec());
        past(nothing.sort_segments(&offsets).to_vec());
        past(nothing.argsort_segments(&offsets).to_vec().map(|_| vec![]));
        let whole = Array::from_slice(device, &[0u32, 0]);
        assert_eq!(crosslane::Scan::sum().reduce_segments::<f32, f32>(&nothing, &whole).to_vec().unwrap(), [0.0]);
        assert_eq!(nothing.sort_segments(&whole).to_vec().unwrap(), [0.0; 0]);
    }
}
