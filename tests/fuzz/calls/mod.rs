//! Random calls of the library from several threads, with arguments that fit and that do not: each gives an array or an error,
//! none panics or hangs, and no memory is left.
//!
//! What calls compute is tested elsewhere (`expressions`, `tests/conformance/stress.rs`); an array that is computed twice must
//! be the same.

mod draws;
mod numbers;
mod signals;
mod views;

use crate::harness::{Target, Verdict, fuzz};
use crate::mutate::Form;
use crate::panics::{Panic, caught};
use crate::support::small;
use crate::tape::Tape;
use crosslane::array::{Axes, PadMode, Slice};
use crosslane::device::Allocation;
use crosslane::{Array, Device, DeviceOptions, Recording, Stream, axes as list};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Threads that call at the same time.
const THREADS: usize = 3;
/// Calls of a thread.
const CALLS: usize = 12;
/// Elements beyond which an array is planned, and not computed.
const LARGE: usize = 1 << 14;
/// Bytes that the device gives out.
const MEMORY: u64 = 64 << 20;

/// How long transfers that nobody waits for may hold memory after the device is done, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(20);

/// A call of two arrays. What else it needs it takes from the tape.
type Call = fn(&Array<f32>, &Array<f32>, &mut Tape) -> crosslane::Result<Array<f32>>;

const ALL: [&[Call]; 4] = [views::VIEWS, numbers::NUMBERS, draws::DRAWS, signals::SIGNALS];

fn shape(t: &mut Tape) -> Vec<usize> {
    t.several(4, Tape::size)
}

fn axes(t: &mut Tape) -> Axes {
    list(t.several(3, |t| t.number() as isize))
}

fn real(t: &mut Tape) -> f64 {
    match t.below(8) {
        0 => t.one(&[0.0, -1.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, f64::MAX, 1e-300, 1e30]),
        1 => t.number() as f64,
        _ => t.byte() as f64 / 100.0,
    }
}

fn mode(t: &mut Tape) -> PadMode<f32> {
    t.one(&[PadMode::Constant(2.0), PadMode::Edge, PadMode::Reflect, PadMode::Symmetric, PadMode::Wrap])
}

fn slices(t: &mut Tape) -> Vec<Slice> {
    t.several(3, |t| {
        let slice = match t.below(3) {
            0 => Slice::from(t.number() as isize),
            1 => Slice::from(t.number() as isize..),
            _ => Slice::from(t.number() as isize..t.number() as isize),
        };
        if t.below(3) == 0 { slice.step(t.number() as isize) } else { slice }
    })
}

/// What all threads of a case work on.
struct Shared {
    device: Device,
    arrays: Mutex<Vec<Array<f32>>>,
}

impl Shared {
    fn new(device: &Device) -> Shared {
        let shapes: [&[usize]; 7] = [&[], &[0], &[5], &[1, 4], &[3, 4], &[4, 3], &[2, 3, 4]];
        let array = |shape: &[usize]| Array::from_shape(device, shape, &small::<f32>(shape.iter().product()));
        Shared { device: device.clone(), arrays: Mutex::new(shapes.into_iter().map(array).collect()) }
    }

    fn pick(&self, t: &mut Tape) -> Array<f32> {
        let arrays = self.arrays.lock().expect("it holds nothing that panics");
        arrays[t.byte() as usize % arrays.len()].clone()
    }

    fn keep(&self, array: Array<f32>) {
        self.arrays.lock().expect("it holds nothing that panics").push(array);
    }
}

/// What is done with an array that a call gave.
fn use_it(shared: &Shared, array: Array<f32>, t: &mut Tape) -> crosslane::Result<()> {
    array.check()?;
    if array.len() > LARGE {
        return array.explain().map(drop);
    }
    match t.below(6) {
        0 => array.eval()?,
        1 => {
            let bits = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<_>>();
            let (first, again) = (bits(array.to_vec()?), bits(array.copy().to_vec()?));
            assert_eq!(first, again, "computed, and copied");
        }
        2 => drop(Recording::of(&[&array])?.run()?),
        3 => drop(array.to_vec_async()),
        4 => Stream::new(&shared.device)?.run(|| array.sum().item()).map(drop)?,
        _ => {}
    }
    shared.keep(array);
    Ok(())
}

/// The calls of a thread, and how they ended.
fn thread(shared: &Shared, mut t: Tape) -> String {
    let mut ends = String::new();
    for _ in 0..CALLS {
        if t.is_empty() {
            break;
        }
        let (x, y) = (shared.pick(&mut t), shared.pick(&mut t));
        let which = t.byte() as usize % ALL.iter().map(|table| table.len()).sum::<usize>();
        let call = ALL.iter().copied().flatten().nth(which).expect("it is less than all together");
        match call(&x, &y, &mut t).and_then(|array| use_it(shared, array, &mut t)) {
            Ok(()) => ends.push((b'!' + (which % 90) as u8) as char),
            Err(error) => {
                let text = error.to_string();
                assert!(text.len() > 10, "an error that says little: {text}");
                ends.extend(text.split(':').take(2));
            }
        }
    }
    ends
}

/// Memory that is live. The device keeps the words that kernels write their faults to.
fn left(device: &Device) -> Option<Allocation> {
    device.live_allocations().into_iter().find(|allocation| allocation.what != "indices")
}

fn case(device: &Device, input: &[u8]) -> Verdict {
    let shared = Shared::new(device);
    let parts: Vec<Tape> = Tape::new(input).parts(THREADS).collect();
    let ends: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = parts.into_iter().map(|part| scope.spawn(|| caught(|| thread(&shared, part)))).collect();
        threads.into_iter().map(|thread| thread.join().expect("its panics are caught")).collect()
    });
    // First of all: what is wrong otherwise is the consequence.
    let ends = ends.into_iter().collect::<Result<String, Panic>>();
    let ends = ends.map_err(|Panic { place, text }| format!("panicked at {place}: {text}"))?;
    drop(shared);
    // Errors of kernels that nobody waited for are told here.
    let _ = device.synchronize();
    crate::texts::works(device)?;
    let began = Instant::now();
    while let Some(allocation) = left(device) {
        if began.elapsed() > PATIENCE {
            return Err(format!("live after all arrays are gone: {allocation:?}"));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(ends)
}

#[test]
fn calls_from_several_threads() {
    let device = DeviceOptions::default().memory_limit(MEMORY).track_allocations(true).open("cpu").unwrap();
    fuzz(&Target { name: "calls", form: Form::Bytes, also: &[] }, |input| case(&device, input));
}
