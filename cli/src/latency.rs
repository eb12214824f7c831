//! The cost of a launch, a wait and a small result: kernels recorded once, and arrays built and planned each time.

use super::Outcome;
use super::compare::compare;
use super::measure::{Group, Row};
use crosslane::{Array, Device, Recording, Result, eval_all};
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// Launches of the rows that make many.
const MANY: usize = 1000;
/// Launches in one submission of a chain: arrays keep at most 128 steps waiting.
const LINKS: usize = 125;

/// An array of one element, 7, and what is made of it.
type Make = fn(&Array<f32>) -> Vec<Array<f32>>;

/// A line with arrays: name, launches, the arrays, what each must be.
type Case = (&'static str, usize, Make, fn(usize) -> f64);

/// Built, planned, submitted and waited for each time.
const EVALUATED: [Case; 3] = [
    ("evaluate_sync", 1, |x| vec![x + 1.0], |_| 8.0),
    ("evaluate_sync_independent", MANY, independent, |i| 7.0 + i as f64),
    ("evaluate_sync_dependent", MANY, |x| vec![chain(x, MANY)], |_| 7.0),
];

fn independent(x: &Array<f32>) -> Vec<Array<f32>> {
    (0..MANY).map(|i| x + i as f32).collect()
}

fn chain(x: &Array<f32>, links: usize) -> Array<f32> {
    (0..links).fold(x.clone(), |x, _| x.copy())
}

fn values(op: &str, arrays: &[Array<f32>], wanted: fn(usize) -> f64) -> Outcome {
    let got = Array::read_all(&arrays.iter().collect::<Vec<_>>())?.concat();
    compare(op, &got, arrays.len(), 0.0, wanted)
}

fn evaluated(arrays: &[Array<f32>]) -> Result<()> {
    eval_all(&arrays.iter().collect::<Vec<_>>())
}

/// Recorded kernels and the arrays they make.
type Made = (RefCell<Recording>, Vec<Array<f32>>);

/// A line that runs recorded kernels this many times, and waits. They are made when it is their turn: wgpu's
/// submissions slow down with the number of buffers there are.
fn recorded<'a>(
    device: &'a Device,
    (op, n, times): (&'static str, usize, usize),
    make: impl Fn() -> Result<Made> + 'a,
    wanted: fn(usize) -> f64,
) -> Row<'a> {
    let made = Rc::new(OnceCell::<Made>::new());
    let also = made.clone();
    Row {
        op,
        n,
        group: Group::Latency,
        before: None,
        check: Box::new(move || {
            if made.get().is_none() {
                made.get_or_init({
                    let fresh = make()?;
                    || fresh
                });
            }
            values(op, &made.get().expect("just made").1, wanted)
        }),
        work: Box::new(move || {
            let (kernels, _) = also.get().expect("checked before it is timed");
            (0..times).try_for_each(|_| kernels.borrow_mut().run())?;
            device.synchronize()
        }),
    }
}

/// A line with a result of one element: name, input, how it is made, what it must be.
type Small = (&'static str, Array<f32>, fn(&Array<f32>) -> Array<f32>, f64);

/// A sort of few keys, from memory to the host.
fn sorted(device: &Device, n: usize) -> Row<'_> {
    let op = "result_of_sort_u32";
    let keys: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let x = Array::from_slice(device, &keys);
    let also = x.clone();
    let check = move || {
        let mut wanted = keys.clone();
        wanted.sort_unstable();
        if x.sort().to_vec()? == wanted { Ok(()) } else { Err(format!("{op}: wrong result").into()) }
    };
    let work = Box::new(move || also.sort().to_vec().map(drop));
    Row { op, n, group: Group::Latency, before: None, check: Box::new(check), work }
}

/// The lines of the table.
pub fn rows(device: &Device) -> Result<Vec<Row<'_>>> {
    let x = Array::from_slice(device, &[7.0f32]);
    let empty = |count: usize| move || Ok((RefCell::new(Recording::nothing(device, count)?), vec![]));
    let (one, other) = (x.clone(), x.clone());
    let all = move || {
        let arrays = independent(&one);
        Ok((RefCell::new(Recording::of(&arrays.iter().collect::<Vec<_>>())?), arrays))
    };
    let linked = move || {
        let last = chain(&other, LINKS);
        Ok((RefCell::new(Recording::of(&[&last])?), vec![last]))
    };
    let mut rows = vec![
        recorded(device, ("launch_sync_empty", 1, 1), empty(1), |_| 0.0),
        recorded(device, ("launch_sync_empty", MANY, 1), empty(MANY), |_| 0.0),
        recorded(device, ("launch_sync_empty_each", MANY, MANY), empty(1), |_| 0.0),
        recorded(device, ("launch_sync_independent", MANY, 1), all, |i| 7.0 + i as f64),
        recorded(device, ("launch_sync_dependent", MANY, MANY / LINKS), linked, |_| 7.0),
    ];
    rows.extend(EVALUATED.map(|(op, n, make, wanted)| {
        let (x, y) = (x.clone(), x.clone());
        let work = move || {
            let arrays = make(&y);
            evaluated(&arrays)?;
            device.synchronize()
        };
        let check = move || {
            let arrays = make(&x);
            evaluated(&arrays)?;
            values(op, &arrays, wanted)
        };
        Row { op, n, group: Group::Latency, before: None, check: Box::new(check), work: Box::new(work) }
    }));

    let few = Array::from_slice(device, &[0.5f32; 1000]);
    let results: [Small; 2] =
        [("result_4_bytes", x.clone(), |x| x + 1.0, 8.0), ("result_4_bytes_of_sum", few, |x| x.sum(), 500.0)];
    rows.extend(results.map(|(op, input, make, wanted)| {
        let also = input.clone();
        Row {
            op,
            n: 1,
            group: Group::Latency,
            before: None,
            check: Box::new(move || compare(op, &[make(&input).item()?], 1, 0.0, |_| wanted)),
            work: Box::new(move || make(&also).item().map(drop)),
        }
    }));
    rows.extend([64, 4000].map(|n| sorted(device, n)));
    rows.sort_by_key(|row| row.n);
    Ok(rows)
}
