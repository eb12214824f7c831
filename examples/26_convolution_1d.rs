//! Convolution of a signal: a noisy wave is smoothed by 31 weights, and weights of many lengths are timed.

mod plot;
mod timing;

use crosslane::array::ConvolveMode;
use crosslane::random::Generator;
use crosslane::{Array, Device, Result};
use plot::Plot;

const TAPS: usize = 31;

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let count = 1 << 16;
    let turns = Array::linspace(&device, 0.0f32, 40.0, count);
    let noisy = (turns.sin() + Generator::new(&device, 1).normal::<f32>(&[count]) * 0.3).copy();
    let weights: Vec<f32> = (0..TAPS).map(|t| (1 + t.min(TAPS - 1 - t)) as f32 / 256.0).collect();
    let triangle = Array::from_slice(&device, &weights);
    let smooth = noisy.convolve(&triangle, ConvolveMode::Same);

    // By the definition, in doubles: zeros around.
    let (before, after) = (noisy.to_vec()?, smooth.to_vec()?);
    for (i, &value) in after.iter().enumerate() {
        let at = |t: usize| (i + t).checked_sub(TAPS / 2).and_then(|at| before.get(at)).map_or(0.0, |&x| x as f64);
        let wanted: f64 = weights.iter().rev().enumerate().map(|(t, &weight)| weight as f64 * at(t)).sum();
        assert!((value as f64 - wanted).abs() < 1e-5, "{i}: {value}, wanted {wanted}");
    }
    println!("{}", device.properties());
    for taps in [3, 31, 127, 511, 2047] {
        let weights = Array::full(&device, &[taps], 1.0f32 / taps as f32);
        let time = timing::microseconds(&device, || noisy.convolve(&weights, ConvolveMode::Same).eval())?;
        println!("{taps:>5} weights: {:>8.1} million results a second", count as f64 / time);
    }
    let line =
        |values: &[f32]| values.iter().take(3000).enumerate().map(|(k, &y)| (k as f64, y as f64)).collect::<Vec<_>>();
    Plot::new("A noisy wave, and its convolution with a triangle")
        .line("noisy", line(&before))
        .line("smooth", line(&after))
        .save("crosslane-convolution.svg");
    println!("checked: {count} results are the sums of {TAPS} products each");
    Ok(())
}
