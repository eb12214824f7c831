//! Streams larger than memory: every operation against the host's, in pieces of any length; faults in the middle.

mod support;

use crosslane::array::OutOfRange;
use crosslane::op::Value;
use crosslane::streamed::Total;
use crosslane::{Array, DType, Device, Element, ErrorKind, Number, Ordered, Streamed, f16, s};
use rand::Rng;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;
use support::*;

/// Values in chunks of random lengths, some of them empty.
fn chunked<T: Element>(seed: u64, values: &[T], longest: usize) -> Vec<Vec<T>> {
    let (mut rng, mut rest, mut chunks) = (random(seed), values, vec![]);
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(rng.random_range(0..=longest).min(rest.len()));
        chunks.push(chunk.to_vec());
        rest = after;
    }
    chunks
}

/// Random bits, but no NaN and nothing that overflows when squared.
fn numbers<T: Element>(seed: u64, len: usize) -> Vec<T> {
    let mut rng = random(seed);
    let is_float = matches!(T::DTYPE, DType::F16 | DType::F32 | DType::F64);
    let calm = |x: &T| !is_float || value(*x).size() < 1e15;
    let next = |rng: &mut _| std::iter::repeat_with(|| bits::<T>(rng)).find(calm);
    (0..len).map(|_| next(&mut rng).unwrap()).collect()
}

#[track_caller]
fn near(got: f64, wanted: f64, within: f64, what: &str) {
    assert!((got - wanted).abs() <= within || got == wanted, "{what}: got {got}, wanted {wanted} within {within:e}");
}

/// What is left of a number of bits once it wrapped past 64 of them.
fn wrapped(sum: i128) -> u64 {
    sum as u64
}

trait Bits {
    fn bits(self) -> u64;
}
impl Bits for i64 {
    fn bits(self) -> u64 {
        self as u64
    }
}
impl Bits for u64 {
    fn bits(self) -> u64 {
        self
    }
}

fn integers<T: Total>(device: &Device)
where
    T::Sum: Bits,
{
    for (len, piece) in [(1, 1), (100, 7), (80_000, 66_001)] {
        let values = numbers::<T>(len as u64, len);
        let stream = || Streamed::from_chunks(device, chunked(3, &values, len / 3 + 1)).chunk(piece);
        let what = format!("{len} of {} by {piece} on {}", T::DTYPE, name(device));
        let sum: i128 = values.iter().map(|x| value(*x).int()).sum();
        assert_eq!(stream().sum().unwrap().bits(), wrapped(sum), "sum of {what}");
        if T::DTYPE.size() < 8 {
            near(stream().mean().unwrap(), sum as f64 / len as f64, 1e-6, &what);
        }
        extremes(&values, stream, &what);
    }
}

fn extremes<'a, T: Number>(values: &[T], stream: impl Fn() -> Streamed<'a, T>, what: &str) {
    let of = |x: &T| value(*x);
    let less =
        |a: Value, b: Value| if let (Value::Int(a), Value::Int(b)) = (a, b) { a < b } else { a.float() < b.float() };
    let first = |is_better: &dyn Fn(Value, Value) -> bool| {
        (1..values.len()).fold(0, |best, i| if is_better(of(&values[i]), of(&values[best])) { i } else { best })
    };
    let (small, large) = (first(&less), first(&|a, b| less(b, a)));
    assert_eq!(stream().arg_min().unwrap(), small as u64, "arg_min of {what}");
    assert_eq!(stream().arg_max().unwrap(), large as u64, "arg_max of {what}");
    assert_eq!((stream().min().unwrap(), stream().max().unwrap()), (values[small], values[large]), "{what}");
}

fn floats<T: Total<Sum = f64> + crosslane::Float>(device: &Device) {
    let exact = T::DTYPE == DType::F64;
    for (len, piece) in [(1, 1), (100, 7), (20_000, 12_001)] {
        let values = numbers::<T>(len as u64, len);
        let stream = || Streamed::from_chunks(device, chunked(3, &values, len / 3 + 1)).chunk(piece);
        let what = format!("{len} of {} by {piece} on {}", T::DTYPE, name(device));
        let doubles: Vec<f64> = values.iter().map(|x| value(*x).float()).collect();
        let (count, sum) = (len as f64, doubles.iter().sum::<f64>());
        let sizes = doubles.iter().map(|x| x.abs()).sum::<f64>();
        let within = sizes * if exact { 1e-12 } else { 1e-6 };
        near(stream().sum().unwrap(), sum, within, &format!("sum of {what}"));
        near(stream().mean().unwrap(), sum / count, within / count, &format!("mean of {what}"));
        let variance = doubles.iter().map(|x| (x - sum / count).powi(2)).sum::<f64>() / count;
        let relative = if exact { 1e-11 } else { 4e-6 };
        let (mean, got) = stream().mean_variance(0).unwrap();
        near(got, variance, variance * relative, &format!("variance of {what}"));
        near(mean, sum / count, relative * (variance.sqrt() + (sum / count - doubles[0]).abs()), &what);
        if len > 1 {
            let sample = variance * count / (count - 1.0);
            near(stream().variance(1).unwrap(), sample, sample * relative, &what);
            near(stream().std(1).unwrap(), sample.sqrt(), sample.sqrt() * relative, &what);
        }
        extremes(&values, stream, &what);
    }
}

#[test]
fn reductions_are_the_hosts() {
    for device in drivers() {
        for_types!(device, [i32], integers);
        for_types!(device, [f32], floats);
        // Each type is more kernels to compile.
        if !compiles_slowly(device) {
            for_types!(device, [u32, i64, u64], integers);
            for_types!(device, [f16, f64], floats);
        }
        let many: Vec<u32> = numbers(5, 100_000);
        let stream = || Streamed::from_chunks(device, chunked(9, &many, 9000)).chunk(1 << 14);
        assert_eq!(stream().count().unwrap(), 100_000);
        let odd = many.iter().filter(|&x| x % 2 == 1).count() as u64;
        assert_eq!(stream().map(|x| x & 1).count_nonzero().unwrap(), odd, "on {}", name(device));
        let xor = stream().fold(0, |x| x.reduce("a ^ b", 0), |all, part| all ^ part[0]).unwrap();
        assert_eq!(xor, many.iter().fold(0, |all, x| all ^ x), "on {}", name(device));
    }
}

/// Without integers of 64 bits sums are as exact.
#[test]
fn integers_without_64_bits() {
    let device = stand_in("webgpu", 1 << 20);
    assert!(!device.caps().i64);
    for len in [70_001, 5] {
        let (signed, unsigned) = (numbers::<i32>(1, len), numbers::<u32>(2, len));
        let sum = Streamed::from_chunks(&device, [signed.clone()]).sum().unwrap();
        assert_eq!(sum, signed.iter().map(|&x| i64::from(x)).sum::<i64>());
        let sum = Streamed::from_chunks(&device, [unsigned.clone()]).sum().unwrap();
        assert_eq!(sum, unsigned.iter().map(|&x| u64::from(x)).sum::<u64>());
    }
}

/// A mean far from 0, where squares cancel; and what is no number.
#[test]
fn moments_do_not_cancel_and_nan_stays() {
    for device in drivers() {
        // A sum of 2^16 large numbers and as many small ones, which f32 would lose.
        let tides = (0..32).map(|k| vec![if k % 2 == 0 { 134_217_728.0f32 } else { 1.0 }; 4096]);
        assert_eq!(
            Streamed::from_chunks(device, tides).sum().unwrap(),
            65_536.0 * 134_217_729.0,
            "on {}",
            name(device)
        );
        let values: Vec<f32> = (0..8000).map(|i| 1e6 + (i * 7919 % 101) as f32 / 16.0).collect();
        let stream = || Streamed::from_chunks(device, [values.clone()]).chunk(777);
        let mean = values.iter().map(|&x| f64::from(x)).sum::<f64>() / 8e3;
        let variance = values.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / 8e3;
        let got = stream().mean_variance(0).unwrap();
        near(got.0, mean, 4e-6 * (variance.sqrt() + mean - 1e6), name(device));
        near(got.1, variance, variance * 4e-6, name(device));
        let broken = |at: usize| {
            stream().map(move |x| x.clone()).progress(move |_| ()).try_map({
                let mut piece = 0;
                move |x| {
                    piece += 1;
                    Ok(if piece == at { x * f32::NAN } else { x.clone() })
                }
            })
        };
        for at in [1, 2, 11] {
            assert!(broken(at).min().unwrap().is_nan() && broken(at).max().unwrap().is_nan(), "on {}", name(device));
            assert_eq!(broken(at).arg_min().unwrap(), 777 * (at as u64 - 1), "on {}", name(device));
            assert!(broken(at).sum().unwrap().is_nan() && broken(at).std(0).unwrap().is_nan());
        }
    }
}

#[test]
fn elements_come_in_order() {
    for device in drivers() {
        for (len, piece) in [(1usize, 1), (1000, 1), (1000, 999), (100_000, 1 << 15)] {
            let values: Vec<u32> = numbers(len as u64, len);
            let wanted: Vec<u64> = values.iter().map(|&x| (u64::from(x) * 3 + 1) & 0xffff_ffff).collect();
            let stream = || Streamed::from_chunks(device, chunked(4, &values, 5000)).chunk(piece);
            let mapped = stream().map(|x| x * 3 + 1);
            let got: Vec<u64> = mapped.to_vec().unwrap().into_iter().map(u64::from).collect();
            assert!(got == wanted, "{len} by {piece} on {}", name(device));
            let mut bytes = vec![];
            stream().map(|x| x * 3 + 1).map(|x| x.cast::<u16>()).write_to(&mut bytes).unwrap();
            let words = bytes.chunks_exact(2).map(|word| u64::from(u16::from_le_bytes(word.try_into().unwrap())));
            assert!(words.eq(wanted.iter().map(|x| x & 0xffff)), "{len} by {piece} on {}", name(device));
            // Nothing is computed.
            assert_eq!(stream().to_vec().unwrap(), values);
        }
        // Other lengths and shapes, none at all among them.
        let stream = || Streamed::from_chunks(device, [(0..100).collect::<Vec<i32>>()]).chunk(10);
        let some = stream().map(|x| x.reshape(&[5, 2]).slice(s![1..;2, 1]));
        assert_eq!(some.to_vec().unwrap(), (0..20).map(|i| i * 10 / 2 + 3 - i % 2).collect::<Vec<i32>>());
        let mut piece = 0;
        let few = stream().map(move |x| {
            piece += 1;
            if piece % 4 == 0 { x.slice(s![3..4]) } else { x.slice(s![..0]) }
        });
        assert_eq!(few.min().unwrap(), 33, "on {}", name(device));
        assert!(stream().map(|x| x.greater(50)).to_vec().unwrap().into_iter().eq((0..100).map(|i| i > 50)));
    }
}

#[test]
fn histograms_count_all() {
    for device in drivers() {
        let values: Vec<f32> = (0..100_000u32).map(|i| (i.wrapping_mul(747_796_405) >> 16) as f32 / 50_000.0).collect();
        let stream = || Streamed::from_chunks(device, chunked(8, &values, 20_000)).chunk(30_000);
        let (counts, edges) = stream().histogram(37, 0.25..1.1).unwrap();
        let bin = |&x: &f32| edges.windows(2).position(|e| f64::from(x) >= e[0] && f64::from(x) < e[1]);
        let mut wanted = vec![0u64; 37];
        values.iter().filter_map(bin).for_each(|bin| wanted[bin] += 1);
        wanted[36] += values.iter().filter(|&&x| f64::from(x) == edges[37]).count() as u64;
        assert_eq!(counts, wanted, "on {}", name(device));
        let error = stream().histogram(0, 0.0..1.0).unwrap_err();
        assert!(
            error.to_string().starts_with("histogram: bins: wanted 1 to")
                && error.call_site().unwrap().file().ends_with("streamed.rs")
        );
    }
}

fn sorts<T: Ordered>(device: &Device) {
    for (len, piece) in [(1, 1), (140, 2), (9000, 1400)] {
        let values: Vec<T> = {
            let mut rng = random(len as u64);
            (0..len).map(|i| if i % 7 == 0 { of::<T>(0) } else { bits(&mut rng) }).collect()
        };
        let stream = Streamed::from_chunks(device, chunked(2, &values, 1500)).chunk(piece);
        let got = stream.sort().unwrap().to_vec().unwrap();
        let mut wanted = values.clone();
        let key = |x: &T| match value(*x) {
            Value::Int(x) => (x, 0.0, false),
            other => (0, other.float(), other.is_nan()),
        };
        wanted.sort_by(|a, b| {
            let (a, b) = (key(a), key(b));
            a.0.cmp(&b.0).then(a.2.cmp(&b.2)).then(a.1.partial_cmp(&b.1).unwrap_or(std::cmp::Ordering::Equal))
        });
        // To the bit: a stable sort keeps the order of zeros of both signs, and of NaNs.
        let bits = |values: &[T]| values.iter().map(|x| x.scalar().bits).collect::<Vec<_>>();
        assert!(bits(&got) == bits(&wanted), "{len} of {} by {piece} on {}", T::DTYPE, name(device));
    }
}

#[test]
fn sorts_are_the_hosts() {
    for device in drivers() {
        for_types!(device, [f32], sorts);
        // Each type is more kernels to compile.
        if !compiles_slowly(device) {
            for_types!(device, [f16, f64, i8, i32, u64, bool], sorts);
        }
        // A stream like any other: sorted already, the other way round, and mapped.
        let count = if compiles_slowly(device) { 1500 } else { 5000 };
        for values in [(0..count).collect::<Vec<i32>>(), (0..count).rev().collect(), vec![7; count as usize]] {
            let sorted = Streamed::from_chunks(device, [values.clone()]).chunk(100).sort().unwrap();
            let steps = sorted.map(|x| x * 2).to_vec().unwrap();
            assert!(
                steps.is_sorted() && steps.iter().sum::<i32>() == 2 * values.iter().sum::<i32>(),
                "on {}",
                name(device)
            );
        }
    }
}

/// How a stream is read: two pieces ahead of the results that are taken.
#[test]
fn reading_is_ahead_of_results() {
    for device in drivers() {
        let log = RefCell::new(vec![]);
        let chunks = (0..4u32).map(|k| {
            log.borrow_mut().push(format!("read {k}"));
            vec![k; 10]
        });
        let stream = Streamed::from_chunks(device, chunks).chunk(10).map(|x| x + 1);
        let done = RefCell::new(0);
        let note = |progress: crosslane::streamed::Progress| *done.borrow_mut() = progress.elements;
        let taken = |values: &[u32]| {
            log.borrow_mut().push(format!("taken {}", values[0] - 1));
            Ok(())
        };
        stream.progress(note).for_each(taken).unwrap();
        let wanted = "read 0, read 1, read 2, taken 0, read 3, taken 1, taken 2, taken 3";
        assert_eq!((log.borrow().join(", ").as_str(), *done.borrow()), (wanted, 40), "on {}", name(device));
    }
}

#[test]
fn nothing_at_all() {
    for device in drivers() {
        let none = || Streamed::<f32>::from_chunks(device, [vec![], vec![]]);
        assert_eq!((none().sum().unwrap(), none().count().unwrap(), none().count_nonzero().unwrap()), (0.0, 0, 0));
        assert!(none().mean().unwrap().is_nan() && none().variance(0).unwrap().is_nan());
        assert!(none().to_vec().unwrap().is_empty() && none().sort().unwrap().to_vec().unwrap().is_empty());
        assert_eq!(none().histogram(3, 0.0..3.0).unwrap(), (vec![0; 3], vec![0.0, 1.0, 2.0, 3.0]));
        assert_eq!(none().fold(5, |x| x.sum(), |_, _| 6).unwrap(), 5, "no piece");
        let wanted = "at least one element: there is no identity, got none";
        for error in [none().min(), none().max()].map(|result| result.unwrap_err().to_string()) {
            assert!(error.contains(wanted), "{error}");
        }
        assert!(none().arg_min().is_err() && none().arg_max().is_err());
        assert!(Array::<f32>::zeros(device, &[0]).min().item().is_err(), "as of an array");
    }
}

/// A callback runs on the thread that a stream's work goes to: that thread does not wait for itself.
#[test]
fn streams_in_callbacks() {
    for device in drivers() {
        let (sender, receiver) = mpsc::channel();
        let own = device.clone();
        let sum = move || Streamed::from_chunks(&own, [vec![1u32; 100]]).chunk(9).map(|x| x + 1).sum();
        device.then(move |_| drop(sender.send(sum()))).unwrap();
        let sum = receiver.recv_timeout(Duration::from_secs(60)).expect("it does not wait");
        assert_eq!(sum.unwrap(), 200, "on {}", name(device));
    }
}

/// Far more elements than 32 bits count, of which the device computes few.
#[test]
fn counts_have_64_bits() {
    for device in drivers() {
        let long = || Streamed::from_chunks(device, [vec![1u8; 6]]).chunk(1).map(|x| x.broadcast_to(&[1 << 30, 1]));
        assert_eq!(long().count().unwrap(), 6 << 30, "on {}", name(device));
    }
}

/// A reader that fails, or panics, after so many bytes.
struct Breaks {
    left: usize,
    panics: bool,
}

impl Read for Breaks {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        // As signals do.
        if self.left.is_multiple_of(3) {
            self.left -= 1;
            return Err(io::ErrorKind::Interrupted.into());
        }
        if self.left == 1 {
            assert!(!self.panics, "the reader panics");
            return Err(io::Error::other("the cable was pulled"));
        }
        let count = to.len().min(self.left - 1).min(1000);
        to[..count].fill(1);
        self.left -= count;
        Ok(count)
    }
}

#[test]
fn sources_that_fail() {
    for device in drivers() {
        let chunks = || (0..9).map(|k| if k == 6 { Err("the sensor is off") } else { Ok(vec![k; 100]) });
        let mut taken = vec![];
        let stream = Streamed::try_from_chunks(device, chunks()).chunk(150).map(|x| x + 0);
        let error = stream.for_each(|x| {
            taken.extend_from_slice(x);
            Ok(())
        });
        let error = error.unwrap_err();
        assert_eq!(error.to_string(), "Streamed: chunk 7 of the source: the sensor is off");
        assert_eq!(
            taken,
            (0..600).map(|i| i / 100).collect::<Vec<i32>>(),
            "all before it was given, on {}",
            name(device)
        );
        let reader = Breaks { left: 40_000, panics: false };
        let error = Streamed::<u32>::from_read(device, reader).chunk(1000).sum().unwrap_err().to_string();
        assert_eq!(error, "Streamed: the reader: in the chunk from element 9000 on: the cable was pulled");
        let error = Streamed::<u32>::from_read(device, &[1u8; 10][..]).sum().unwrap_err().to_string();
        assert!(error.ends_with("wanted whole elements of 4 bytes, got 2 bytes at the end"), "{error}");
        let error = Streamed::<bool>::from_read(device, &[0u8, 1, 2][..]).count_nonzero().unwrap_err().to_string();
        assert!(error.ends_with("wanted 0 or 1 for a bool, got 2"), "{error}");
        let error = Streamed::from_chunks(device, [vec![1u32]]).chunk(0).sum().unwrap_err();
        assert!(error.to_string().starts_with("Streamed::chunk: elements: wanted 1 to"), "{error}");
        assert_eq!(error.call_site().unwrap().file(), file!());
        assert!(Streamed::from_chunks(device, [vec![1u32]]).chunk(usize::MAX).sum().is_err());
        assert!(
            Streamed::<f32>::from_file(device, "/no/such/file").is_err_and(|e| e.to_string().contains("/no/such/file"))
        );
    }
}

/// Names that a process has open but that no folder lists.
fn deleted_files() -> Vec<String> {
    let Ok(open) = std::fs::read_dir("/proc/self/fd") else { return vec![] };
    let links = open.filter_map(|entry| Some(std::fs::read_link(entry.ok()?.path()).ok()?.display().to_string()));
    links.filter(|name| name.contains("crosslane-streamed") && name.ends_with("(deleted)")).collect()
}

/// A folder of this test's own, which goes when it is dropped.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("crosslane-streamed-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn is_empty(&self) -> bool {
        std::fs::read_dir(&self.0).unwrap().next().is_none()
            && deleted_files().iter().all(|file| !file.contains(self.0.to_str().unwrap()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whatever fails in the middle, the device works, and what was taken is given back.
#[test]
fn faults_in_the_middle() {
    let folder = Folder::new("faults");
    for device in drivers() {
        let Some(device) = &fresh_like(device) else { continue };
        let what = name(device);
        let chunks = || (0..9u32).map(|k| vec![k; 5000]);
        let stream = || Streamed::from_chunks(device, chunks()).chunk(5000);
        // Once, so that what is kept for good is there.
        assert_eq!(stream().map(|x| x + 1).sort_in(&folder.0).unwrap().sum().unwrap(), 225_000, "on {what}");
        let broken = |wrong: u32| {
            stream().map(move |x| {
                let wrong = x.slice(s![..1]).equal(wrong).cast::<u32>() * 9;
                x.take(&(wrong.broadcast_to(&[5000]) + 4995), OutOfRange::Error)
            })
        };
        let live = device.memory().live;
        for error in [broken(5).sum().map(drop), broken(0).to_vec().map(drop), broken(8).sort_in(&folder.0).map(drop)] {
            let error = error.unwrap_err().to_string();
            assert!(error.contains("indices") && error.contains("got 5004"), "{error} on {what}");
        }
        let shapes = stream().map(|x| if x.len() == 5000 { x + &Array::zeros(device, &[3]) } else { x.clone() });
        assert!(shapes.sum().unwrap_err().to_string().contains("[5000] and [3]"));
        // Functions that fail, and functions that panic.
        let mut rounds = 0;
        let stopped = stream().sort_in(&folder.0).unwrap().for_each(|_| {
            rounds += 1;
            if rounds == 3 { Err(Array::<u32>::zeros(device, &[2]).item().unwrap_err()) } else { Ok(()) }
        });
        assert!(stopped.unwrap_err().to_string().starts_with("item: array"));
        assert_eq!(rounds, 3);
        let panics: [&dyn Fn(); 5] = [
            &|| drop(Streamed::<u32>::from_read(device, Breaks { left: 40_000, panics: true }).chunk(1000).sum()),
            &|| drop(stream().map(|x| if device.memory().live > 0 { panic!("a map panics") } else { x.clone() }).sum()),
            &|| drop(stream().sort_in(&folder.0).unwrap().for_each(|_| panic!("a sink panics"))),
            &|| drop(stream().progress(|now| assert!(now.elements < 35_000, "progress panics")).sort_in(&folder.0)),
            &|| drop(stream().fold(0, |x| x.sum(), |_, _| panic!("a fold panics"))),
        ];
        for panics in panics {
            let text = catch_unwind(AssertUnwindSafe(panics)).unwrap_err();
            let text =
                text.downcast_ref::<&str>().map(|text| text.to_string()).or(text.downcast_ref::<String>().cloned());
            assert!(text.unwrap().contains("panics"));
        }
        assert!(folder.is_empty(), "on {what}");
        device.synchronize().unwrap();
        // Less than one piece: words for faults are kept.
        assert!(device.memory().live < live + 20_000, "{:?} and {live} on {what}", device.memory());
        assert_eq!(stream().max().unwrap(), 8, "on {what}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn writers_and_folders_that_fail() {
    for device in drivers() {
        let stream = || Streamed::from_chunks(device, [vec![1.0f32; 5000]]).chunk(1000);
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let error = stream().map(|x| x * 2.0).write_to(full).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::File { .. }) && error.to_string().contains("No space"), "{error}");
        let error = stream().sort_in("/proc").err().expect("nobody can write there").to_string();
        assert!(error.starts_with("Streamed: a temporary file in /proc: "), "{error}");
    }
}

/// Eight times the memory that the device may use.
#[test]
fn streams_larger_than_memory() {
    let folder = Folder::new("memory");
    for device in drivers() {
        let Some(device) = &fresh_like(device) else { continue };
        let what = name(device);
        let len = 1 << 19;
        let values: Vec<u32> = numbers(1, len);
        let path = folder.0.join("numbers");
        std::fs::write(&path, bytemuck::cast_slice(&values)).unwrap();
        let stream = || Streamed::<u32>::from_file(device, &path).unwrap();
        device.set_memory_limit(Some(device.memory().live + (1 << 18)));
        let mut last = None;
        let sum = stream().progress(|now| last = Some((now.elements, now.total))).sum().unwrap();
        assert_eq!(sum, values.iter().map(|&x| u64::from(x)).sum::<u64>(), "on {what}");
        assert_eq!(last, Some((len as u64, Some(len as u64))));
        let out = folder.0.join("more");
        stream().map(|x| x + 1).write_to(File::create(&out).unwrap()).unwrap();
        let more = Streamed::<u32>::from_file(device, &out).unwrap();
        assert!(more.to_vec().unwrap().iter().zip(&values).all(|(y, x)| *y == x.wrapping_add(1)), "on {what}");
        // Two rounds of merges, which take software drivers long.
        let most = if compiles_slowly(device) { len / 8 } else { len };
        let mut wanted = values[..most].to_vec();
        wanted.sort_unstable();
        let some = Streamed::<u32>::from_read(device, File::open(&path).unwrap().take(4 * most as u64));
        let sorted = some.sort_in(&folder.0).unwrap().to_vec().unwrap();
        assert!(sorted == wanted, "on {what}");
        let (counts, _) = stream().histogram(16, 0.0..2f64.powi(32)).unwrap();
        assert_eq!(counts.iter().sum::<u64>(), len as u64, "on {what}");
        assert!(device.memory().peak <= 1 << 18, "{:?} on {what}", device.memory());
        // What does not fit is an error, and the device works.
        let error = stream().chunk(len).sum().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::OutOfMemory { .. }), "{error}");
        assert_eq!(error.call_site().unwrap().file(), file!());
        assert_eq!(stream().min().unwrap(), *values.iter().min().unwrap(), "on {what}");
    }
}

#[test]
#[cfg(feature = "npy")]
fn files_of_numpy() {
    let folder = Folder::new("npy");
    let path = folder.0.join("array.npy");
    for device in drivers() {
        let values: Vec<f32> = numbers(6, 1000);
        Array::from_shape(device, &[10, 100], &values).save_npy(&path).unwrap();
        let mut total = None;
        let stream = Streamed::<f32>::from_npy(device, &path).unwrap().chunk(33);
        assert_eq!(stream.progress(|now| total = now.total).to_vec().unwrap(), values);
        assert_eq!(total, Some(1000));
        let error = Streamed::<f64>::from_npy(device, &path).err().unwrap().to_string();
        assert!(error.contains("wanted elements of f64, got f32"), "{error}");
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 6]).unwrap();
        let error = Streamed::<f32>::from_npy(device, &path).unwrap().sum().unwrap_err().to_string();
        assert!(error.contains("array.npy") && error.contains("got 2 bytes at the end"), "{error}");
        std::fs::write(&path, &bytes[..bytes.len() - 8]).unwrap();
        let error = Streamed::<f32>::from_npy(device, &path).unwrap().chunk(400).max().unwrap_err().to_string();
        assert!(error.contains("from element 800 on: wanted 1000 elements of f32 in all, got 998"), "{error}");
        // Of the other byte order, and of the other order of axes.
        let header = |order: char, fortran: &str, shape: &str| {
            let text = format!("{{'descr': '{order}i4', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
            [b"\x93NUMPY\x01\x00", &(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat()
        };
        let of = |head: Vec<u8>| [head, [1i32, -2].map(i32::to_be_bytes).concat()].concat();
        std::fs::write(&path, of(header('>', "True", "(1, 2)"))).unwrap();
        assert_eq!(Streamed::<i32>::from_npy(device, &path).unwrap().to_vec().unwrap(), [1, -2]);
        std::fs::write(&path, header('<', "True", "(3, 2)")).unwrap();
        let error = Streamed::<i32>::from_npy(device, &path).err().unwrap().to_string();
        assert!(error.contains("wanted elements in C order, got Fortran order of shape [3, 2]"), "{error}");
        std::fs::write(&path, "no array").unwrap();
        assert!(Streamed::<i32>::from_npy(device, &path).is_err());
    }
}
