//! What the host spends on `x * t + c` with other scalars at each step: `cargo bench --bench scalars [-- DEVICE]`, of which
//! the cpu engine is one if none is named.
//!
//! On an array of four, so that the kernel is short: a launch that is recorded, then evaluations with the scalars of the step
//! before and with new ones. Medians of blocks of steps, which take turns. Then how much eight threads do of it.

use crosslane::{Array, Device, Recording, Result};
use std::time::Instant;

/// Steps of each way, and of a block.
const STEPS: usize = 10_000;
const BLOCK: usize = 100;

/// What a step does, by its number.
type Step<'a> = (&'static str, Box<dyn FnMut(usize) -> Result<()> + 'a>);

/// Microseconds of a step in each way: the medians of its blocks.
fn measured(ways: &mut [Step]) -> Result<Vec<f64>> {
    let mut times = vec![vec![]; ways.len()];
    for block in 0..STEPS / BLOCK {
        for ((_, step), times) in ways.iter_mut().zip(&mut times) {
            let begin = Instant::now();
            (block * BLOCK..(block + 1) * BLOCK).try_for_each(&mut *step)?;
            times.push(begin.elapsed().as_secs_f64() * 1e6 / BLOCK as f64);
        }
    }
    Ok(times.into_iter().map(median).collect())
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of[of.len() / 2]
}

/// How often the rate of one thread and of several is taken, in turns.
const TURNS: usize = 7;

/// Evaluations a second of so many threads, each of an array of its own.
fn rate(device: &Device, threads: usize) -> f64 {
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                let x = Array::from_slice(device, &[thread as f32; 4]);
                (0..STEPS).for_each(|step| (&x * step as f32 + 1.0).eval().expect("a small array"));
            });
        }
    });
    (threads * STEPS) as f64 / begin.elapsed().as_secs_f64()
}

fn main() -> Result<()> {
    // Cargo adds a flag of its own.
    let device = match std::env::args().skip(1).find(|argument| !argument.starts_with("--")) {
        Some(name) => Device::open(&name)?,
        None => Device::cpu()?,
    };
    let x = Array::from_slice(&device, &[1.0f32, 2.0, 3.0, 4.0]);
    let of = |t: f32, c: f32| &x * t + c;
    let last = of(2.0, 3.0);
    let mut recording = Recording::of(&[&last])?;
    let built = |step: usize| {
        drop(of(step as f32, 0.5 * step as f32));
        Ok(())
    };
    let mut ways: Vec<Step> = vec![
        ("recorded", Box::new(|_| recording.run())),
        ("the same scalars", Box::new(|_| of(2.0, 3.0).eval())),
        ("new scalars", Box::new(|step| of(step as f32, 0.5 * step as f32).eval())),
        ("only built", Box::new(built)),
    ];
    measured(&mut ways)?;
    let times = measured(&mut ways)?;
    println!("on {}, {STEPS} steps", device.properties());
    for ((name, _), time) in ways.iter().zip(times) {
        println!("{name:>20}: {time:6.2} us");
    }
    let (one, eight) = (0..TURNS).map(|_| (rate(&device, 1), rate(&device, 8))).unzip();
    let (one, eight) = (median(one), median(eight));
    println!("evaluations a second: {one:.0} by one thread, {eight:.0} by eight ({:.2} times)", eight / one);
    assert_eq!(of(3.0, 1.0).to_vec()?, [4.0, 7.0, 10.0, 13.0]);
    Ok(())
}
