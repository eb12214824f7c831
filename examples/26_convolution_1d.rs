//! Convolution of a signal: a noisy wave is smoothed by 31 weights, and weights of many lengths are timed, in loops of the
//! processor, in a kernel of one's own, and by the library.

mod plot;
mod timing;

use crosslane::array::ConvolveMode;
use crosslane::random::Generator;
use crosslane::{Array, Device, Kernel, Result};
use plot::Plot;

const TAPS: usize = 31;

/// By the definition, in single precision: zeros around.
fn loops(values: &[f32], weights: &[f32]) -> Vec<f32> {
    let middle = weights.len() / 2;
    let product = |i: usize, t: usize| values.get((i + middle).wrapping_sub(t)).map_or(0.0, |value| weights[t] * value);
    (0..values.len()).map(|i| (0..weights.len()).map(|t| product(i, t)).sum()).collect()
}

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
    timing::tell_debug_build();
    println!("million results a second  one thread's loops  a kernel of one's own  the library's");
    let kernel = Kernel::wgsl_with(include_str!("kernels/convolution.wgsl"), Some("line"), &[])?;
    for taps in [3usize, 31, 127, 511, 2047] {
        let host = vec![1.0 / taps as f32; taps];
        let weights = Array::from_slice(&device, &host);
        let extents = Array::from_slice(&device, &[1, count as u32, 1, taps as u32]);
        let mut own = Array::<f32>::zeros(&device, &[count]);
        let launch = kernel.for_elements(count).args((&extents, &noisy, &weights, &mut own));
        let by_kernel = timing::microseconds(&device, || launch.launch(&device))?;
        drop(launch);
        let library = || noisy.convolve(&weights, ConvolveMode::Same);
        let by_library = timing::microseconds(&device, || library().eval())?;
        // The longest take loops long: a part of them is timed.
        let part = &before[..count.min(count * 127 / taps)];
        let by_loops = timing::of_processor(|| loops(part, &host)) * count as f64 / part.len() as f64;
        let wanted = loops(&before[..4 * taps], &host);
        for (name, got) in [("the kernel", own.to_vec()?), ("the library", library().to_vec()?)] {
            let close = |(got, wanted): (&f32, &f32)| (got - wanted).abs() < 1e-4;
            assert!(got.iter().zip(&wanted[..3 * taps]).all(close), "{name}, {taps} weights");
        }
        print!("{taps:>5} weights           ");
        [by_loops, by_kernel, by_library].iter().for_each(|time| print!("{:>20.1}", count as f64 / time));
        println!();
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
