//! Runs of equal neighbours against plain loops: lengths, decoding, differences, partitions; counts stay on the device.

use crate::for_types;
use crate::support::*;
use crosslane::{Array, DType, Device, Number, Ordered, f16};
use rand::Rng;
use rand::rngs::StdRng;

/// Around words, workgroups of words, and tiles.
const LENGTHS: [usize; 9] = [0, 1, 3, 4, 5, 1023, 1025, 6_143, 6_145];

/// Whether a sort does not tell them apart.
pub fn alike<T: Ordered>(a: &T, b: &T) -> bool {
    a == b || value(*a).float().is_nan() && value(*b).float().is_nan()
}

/// Values that runs are made of: two that differ in one bit, zeros and NaNs of all signs for floats, and any.
pub fn pool<T: Ordered>(rng: &mut StdRng) -> Vec<T> {
    let mut pool: Vec<T> = vec![of(0), of(1)];
    let top = 1u64 << (8 * T::DTYPE.size() - 1);
    let infinity = match T::DTYPE {
        DType::BF16 => 0x7f80,
        DType::F16 => 0x7c00,
        DType::F32 => 0x7f80_0000,
        DType::F64 => 0x7ff0_0000_0000_0000,
        _ => 0,
    };
    if infinity != 0 {
        let bits = [top, infinity, top | infinity, infinity + 1, infinity | top | (infinity >> 1), 1, top - 1];
        pool.extend(bits.map(|bits| T::from_scalar(crosslane::op::Scalar { dtype: T::DTYPE, bits: bits as u128 })));
    }
    pool.extend((0..3).map(|_| bits::<T>(rng)));
    pool
}

/// Elements in runs, whose mean length is given.
pub fn running<T: Ordered>(len: usize, mean: u32, seed: u64) -> Vec<T> {
    let mut rng = random(seed);
    let pool = pool::<T>(&mut rng);
    let mut now = pool[0];
    (0..len)
        .map(|_| {
            if rng.random_ratio(1, mean) {
                now = pool[rng.random_range(0..pool.len())];
            }
            now
        })
        .collect()
}

/// The ranges of runs.
pub fn runs<T: Ordered>(x: &[T]) -> Vec<std::ops::Range<usize>> {
    let mut runs: Vec<std::ops::Range<usize>> = vec![];
    for (i, value) in x.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if alike(&x[run.start], value) => run.end = i + 1,
            _ => runs.push(i..i + 1),
        }
    }
    runs
}

/// Garbage in what is taken next, where nobody watches for reads of it.
pub fn garbage(device: &Device) {
    if !is_checked(device) {
        spoil(device);
    }
}

fn encoded<T: Ordered>(device: &Device) {
    for len in LENGTHS {
        for mean in [2, 300] {
            let host = running::<T>(len, mean, len as u64);
            let (values, lengths) = Array::from_slice(device, &host).run_lengths();
            let wanted = runs(&host);
            let what = format!("runs of {len} {}, {mean} long, on {}", T::DTYPE, name(device));
            assert_eq!(
                lengths.to_vec().unwrap(),
                wanted.iter().map(|run| run.len() as u32).collect::<Vec<_>>(),
                "{what}"
            );
            exactly(&values.to_vec().unwrap(), &wanted.iter().map(|run| host[run.start]).collect::<Vec<_>>(), &what);
        }
    }
}

/// Every bit: of a run the first element is given.
#[track_caller]
pub fn exactly<T: Ordered>(got: &[T], wanted: &[T], what: &str) {
    assert_eq!(got.len(), wanted.len(), "{what}");
    let wrong = (0..got.len()).find(|&i| got[i].scalar().bits != wanted[i].scalar().bits);
    assert!(
        wrong.is_none(),
        "{what}: first at {wrong:?}: got {:?}, wanted {:?}",
        got[wrong.unwrap()],
        wanted[wrong.unwrap()]
    );
}

#[test]
fn run_lengths_of_every_type() {
    for device in quick() {
        garbage(device);
        for_types!(device, [f32, f16, f64, i32, u32, i64, u64, u8, u16, bool, crosslane::bf16, i8, i16], encoded);
    }
}

#[test]
fn runs_of_hard_orders() {
    for device in quick() {
        let len = 6_145u32;
        let orders: [(&str, Vec<u32>); 5] = [
            ("all equal", vec![7; len as usize]),
            ("all different", (0..len).collect()),
            ("reversed", (0..len).rev().map(|x| x / 3).collect()),
            ("two values", (0..len).map(|x| x & 1).collect()),
            ("the last differs", (0..len).map(|x| (x == len - 1) as u32).collect()),
        ];
        for (what, host) in orders {
            let (values, lengths) = Array::from_slice(device, &host).run_lengths();
            let wanted = runs(&host);
            let what = format!("{what} on {}", name(device));
            same_values(
                &values.to_vec().unwrap(),
                &wanted.iter().map(|run| host[run.start]).collect::<Vec<_>>(),
                &what,
            );
            let counts: Vec<u32> = wanted.iter().map(|run| run.len() as u32).collect();
            same_values(&lengths.to_vec().unwrap(), &counts, &what);
            assert_eq!(lengths.count().unwrap(), wanted.len(), "{what}");
        }
    }
}

/// Views, work before, and parts of larger memory.
#[test]
fn runs_of_views() {
    for device in quick() {
        let host = Dense::new(&[30, 40], (0..1200).map(|i| i / 70 % 3).collect::<Vec<i32>>());
        let x = upload(device, &host);
        x.eval().unwrap();
        let turned = host.permute(&[1, 0]).data;
        let firsts = |x: &[i32]| runs(x).iter().map(|run| x[run.start]).collect::<Vec<_>>();
        same_values(&x.transpose().run_lengths().0.to_vec().unwrap(), &firsts(&turned), "transposed");
        let part = x.slice(crosslane::s![..7]).run_lengths();
        same_values(&part.0.to_vec().unwrap(), &firsts(&host.data[..280]), "the first rows");
        same_values(&part.1.to_vec().unwrap(), &[70u32; 4], "the first rows");
        let part = x.slice(crosslane::s![7..9]).run_lengths().0;
        same_values(&part.to_vec().unwrap(), &firsts(&host.data[280..360]), "rows in the middle");
        if device.caps().bindings >= 6 {
            let explained = x.run_lengths().1.count_array().explain().unwrap();
            assert_eq!(explained.steps.len(), 1, "values, lengths and count by one operation");
        }
        let work = (&x * 2 + 1).run_lengths().0;
        same_values(
            &work.to_vec().unwrap(),
            &firsts(&host.data).iter().map(|x| 2 * x + 1).collect::<Vec<_>>(),
            "2x + 1",
        );
    }
}

/// More than one binding holds: where profiles have 1 MiB. A run goes on past the seams.
#[test]
fn runs_through_windows() {
    for device in quick().filter(|device| device.caps().binding_bytes <= 1 << 20) {
        let host: Vec<u64> = (0..200_000).map(|i| (i + 37) / 1000 + (i % 131_072 == 0) as u64).collect();
        if has(device, DType::U64) {
            let bytes = Array::from_slice(device, &host).run_lengths().1;
            let wanted: Vec<u32> = runs(&host).iter().map(|run| run.len() as u32).collect();
            same_values(&bytes.to_vec().unwrap(), &wanted, "u64 through windows");
        }
        let host: Vec<u32> = (0..260_000).map(|i| i / 5000).collect();
        let lengths = Array::from_slice(device, &host).run_lengths().1;
        same_values(&lengths.to_vec().unwrap(), &vec![5000; 52], "u32 through windows");
    }
}

#[test]
fn runs_are_decoded() {
    for device in quick() {
        for len in [0, 1, 700, 5_000] {
            let host = running::<f32>(len, 4, 3);
            let x = Array::from_slice(device, &host);
            let (values, lengths) = x.run_lengths();
            let what = format!("{len} decoded on {}", name(device));
            let again = values.or(0.0).repeat_to(&lengths.or(0), len);
            same_values(&again.to_vec().unwrap(), &host, &what);
            let again = values.to_array().unwrap().repeat(&lengths.to_array().unwrap()).unwrap();
            same_values(&again.to_vec().unwrap(), &host, &what);
        }
    }
}

fn repeated<T: Ordered>(device: &Device) {
    let mut rng = random(8);
    for len in [1, 300] {
        let host: Vec<T> = (0..len).map(|_| bits(&mut rng)).collect();
        let counts: Vec<u32> = (0..len).map(|i| if i % 3 == 0 { 0 } else { rng.random_range(0..9) }).collect();
        let wanted: Vec<T> =
            host.iter().zip(&counts).flat_map(|(&x, &count)| std::iter::repeat_n(x, count as usize)).collect();
        let got = Array::from_slice(device, &host).repeat(&Array::from_slice(device, &counts)).unwrap();
        same_values(&got.to_vec().unwrap(), &wanted, &format!("{len} {} repeated on {}", T::DTYPE, name(device)));
    }
}

#[test]
fn repeats_of_every_type() {
    for device in quick() {
        garbage(device);
        for_types!(device, [f32, f16, f64, i32, u32, i64, u64, u8, u16, bool, crosslane::bf16, i8, i16], repeated);
    }
}

#[test]
fn repeats_of_a_wrong_length_are_errors() {
    // Devices of this test's own: the next wait tells of an index outside, whoever waits.
    for device in &quick().filter_map(fresh_like).collect::<Vec<_>>() {
        let x = Array::from_slice(device, &[1, 2]);
        let counts = Array::from_slice(device, &[2u32, 1]);
        for len in [1, 2, 4] {
            let error = x.repeat_to(&counts, len).to_vec().unwrap_err().to_string();
            assert!(["repeat_to", "got 2"].iter().all(|part| error.contains(part)), "{error}");
        }
        let many = Array::from_slice(device, &[u32::MAX, 7]);
        let wanted = (1usize << 32) + 6;
        if wanted as u64 * 4 <= device.caps().buffer_bytes {
            assert_eq!(x.repeat(&many).unwrap().len(), wanted);
        }
        let all = Array::full(device, &[3000], u32::MAX);
        let error = Array::<u8>::zeros(device, &[3000]).repeat(&all).unwrap_err().to_string();
        assert!(error.contains("repeat: ") && error.contains("the largest buffer of"), "{error}");
        let error = x.repeat(&Array::from_slice(device, &[1])).unwrap_err().to_string();
        assert!(error.contains("counts: wanted the array's shape [2], got [1]"), "{error}");
        let empty = x.slice(crosslane::s![..0]);
        assert_eq!(empty.repeat(&empty.cast()).unwrap().len(), 0);
    }
}

fn differences<T: Number>(device: &Device) {
    let minus = |a: T, b: T| {
        T::from_scalar(match (value(a), value(b)) {
            (crosslane::op::Value::Float(a), crosslane::op::Value::Float(b)) => {
                crosslane::op::Value::Float(a - b).scalar(T::DTYPE)
            }
            (a, b) => crosslane::op::Value::Int(a.int() - b.int()).scalar(T::DTYPE),
        })
    };
    for shape in [&[7][..], &[1], &[300], &[5, 6], &[0, 3], &[4, 1, 9]] {
        let host = Dense::new(shape, small::<T>(shape.iter().product()));
        let x = upload(device, &host);
        for axis in 0..shape.len() {
            let extent = shape[axis];
            let once = |x: &Dense<T>| match x.shape[axis] {
                0 => x.clone(),
                extent => x.slice(axis, 1, 1, extent - 1).zip(&x.slice(axis, 0, 1, extent - 1), minus),
            };
            let mut wanted = host.clone();
            for n in 0..5 {
                let what = format!("diff {n} of {} {shape:?} along {axis}", T::DTYPE);
                same(&x.diff(n, axis as isize), &wanted, &what);
                same(&x.transpose().diff(n, -1 - axis as isize).transpose(), &wanted, &what);
                wanted = once(&wanted);
            }
            let mut wanted = host.clone();
            for (flat, point) in points(shape).enumerate().filter(|(_, point)| point[axis] > 0) {
                let mut before = point.clone();
                before[axis] -= 1;
                wanted.data[flat] = minus(host.at(&point), host.at(&before));
            }
            let what = format!("adjacent difference of {} {shape:?} along {axis} of {extent}", T::DTYPE);
            same(&x.adjacent_difference(axis as isize), &wanted, &what);
        }
    }
}

#[test]
fn differences_of_every_type() {
    for device in quick() {
        for_types!(device, [f32, f16, f64, i32, u32, i64, u64], differences);
    }
}

fn parted<T: Ordered>(device: &Device) {
    for len in [0, 5, 2_500] {
        for share in [0.0, 0.3, 1.0] {
            let mut rng = random(len as u64);
            let host: Vec<T> = (0..len).map(|_| bits(&mut rng)).collect();
            let keep: Vec<f32> = (0..len).map(|_| if rng.random_bool(share) { 0.5 } else { 0.0 }).collect();
            let is = |wanted: bool| host.iter().zip(&keep).filter(move |(_, keep)| (**keep != 0.0) == wanted);
            let wanted: Vec<T> = is(true).chain(is(false)).map(|(x, _)| *x).collect();
            let (got, count) = Array::from_slice(device, &host).partition(&Array::from_slice(device, &keep));
            let what = format!("{share} of {len} {} on {}", T::DTYPE, name(device));
            exactly(&got.to_vec().unwrap(), &wanted, &what);
            assert_eq!(count.to_vec().unwrap(), [is(true).count() as u32], "{what}");
        }
    }
}

#[test]
fn partitions_of_every_type() {
    for device in quick() {
        garbage(device);
        for_types!(device, [f32, f16, i64, u8, u16, bool], parted);
    }
}

fn lengths<T: Ordered>(device: &Device) {
    let host = running::<T>(701, 3, 5);
    let wanted: Vec<u32> = runs(&host).iter().map(|run| run.len() as u32).collect();
    let what = format!("runs of {} on {}", T::DTYPE, name(device));
    same_values(&Array::from_slice(device, &host).run_lengths().1.to_vec().unwrap(), &wanted, &what);
}

/// The kernel of each type, and one of each that takes it up.
#[test]
fn software_drivers_agree() {
    for device in slow() {
        spoil(device);
        for_types!(device, [f32, f16, f64, u32, u64, u8, u16], lengths);
        let host = Dense::new(&[25, 28], (0..700).map(|i| i / 9 % 3).collect::<Vec<u32>>());
        let x = upload(device, &host);
        let again = {
            let (values, lengths) = x.run_lengths();
            values.or(7).repeat_to(&lengths.or(0), 700)
        };
        same_values(&again.to_vec().unwrap(), &host.data, &format!("decoded on {}", name(device)));
        let sums = x.diff(1, 0).adjacent_difference(1).sum();
        let wanted: u32 = (0..24)
            .map(|row| host.data[(row + 1) * 28 + 27].wrapping_sub(host.data[row * 28 + 27]))
            .fold(0, u32::wrapping_add);
        assert_eq!(sums.item().unwrap(), wanted, "differences on {}", name(device));
        let (parted, count) = x.partition(&x.equal(1));
        let ones = host.data.iter().filter(|&&x| x == 1).count();
        assert_eq!(count.item().unwrap() as usize, ones, "on {}", name(device));
        assert!(parted.to_vec().unwrap()[..ones].iter().all(|&x| x == 1), "on {}", name(device));
    }
}

#[test]
fn mistakes_are_named() {
    for device in quick().take(1) {
        let x = Array::from_slice(device, &[1, 2, 3]);
        let error = x.partition(&Array::from_slice(device, &[true])).0.to_vec().unwrap_err().to_string();
        assert!(["partition", "condition", "[3]", "[1]"].iter().all(|part| error.contains(part)), "{error}");
        for error in [x.diff(1, 1).to_vec(), x.adjacent_difference(-2).to_vec()].map(Result::unwrap_err) {
            let error = error.to_string();
            assert!(error.contains("axis: wanted -1 to 0") && error.contains("tests/conformance/runs.rs"), "{error}");
        }
        let wrong = &x + &Array::zeros(device, &[4]);
        assert!(wrong.run_lengths().1.count().unwrap_err().to_string().contains("[3] and [4]"));
        assert!(wrong.diff(1, 0).to_vec().unwrap_err().to_string().contains("[3] and [4]"));
    }
}
