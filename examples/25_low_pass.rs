//! A low-pass filter: a noisy sine is transformed, frequencies above a bound are left out, and it is transformed back.

mod plot;
mod timing;

use crosslane::random::Generator;
use crosslane::{Array, Complex, Device, Result};
use plot::Plot;

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let (count, waves, kept) = (1 << 16, 5.0f32, 32u32);
    let turns = Array::linspace(&device, 0.0f32, waves * std::f32::consts::TAU, count + 1).slice(&[(0..count).into()]);
    let clean = turns.sin();
    let noisy = (&clean + Generator::new(&device, 1).normal::<f32>(&[count]) * 0.5).copy();
    // The bound is part of the inverse's kernel: no pass of its own.
    let low = Array::arange(&device, 0u32, count as u32 / 2 + 1, 1).less(kept).cast::<f32>().cast::<Complex<f32>>();
    let filtered = || (noisy.rfft() * &low).irfft(count);
    let result = filtered();
    let error = |x: &Array<f32>| (x - &clean).square().mean().sqrt().item();
    let (before, after) = (error(&noisy)?, error(&result)?);
    // Of white noise the kept part of frequencies is left: 63 of 65536, and the deviation its root.
    let expected = 0.5 * ((2 * kept - 1) as f32 / count as f32).sqrt();
    println!("{}\nnoise before {before:.4}, after {after:.4}, expected {expected:.4}", device.properties());
    assert!((0.7..1.3).contains(&(after / expected)));
    let time = timing::microseconds(&device, || filtered().eval())?;
    println!("{:.1} million samples a second", count as f64 / time);
    let step = count / 512;
    let line = |x: &Array<f32>| -> Result<Vec<(f64, f64)>> {
        Ok(x.to_vec()?.into_iter().step_by(step).enumerate().map(|(k, y)| (k as f64, y as f64)).collect())
    };
    Plot::new("A noisy sine, and what a low-pass filter leaves")
        .line("noisy", line(&noisy)?)
        .line("filtered", line(&result)?)
        .save("crosslane-low-pass.svg");
    println!("checked: the noise that is left is that of the frequencies that are kept");
    Ok(())
}
