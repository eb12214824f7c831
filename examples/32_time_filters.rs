//! Filters in time: beats in noise are filtered by a Butterworth filter, forwards only and both ways, and their peaks are found.

mod plot;
mod timing;

use crosslane::array::{Band, PeakOptions, butterworth};
use crosslane::random::Generator;
use crosslane::{Array, Device, Result};
use plot::Plot;

/// Values a second, and from one beat to the next.
const RATE: f64 = 1000.0;
const PERIOD: usize = 800;

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let (count, period) = (1 << 16, PERIOD as f32);
    // A bell of 20 values in the middle of each period.
    let place = Array::arange(&device, 0.0f32, count as f32, 1.0);
    let from_middle = &place - (&place / period).floor() * period - period / 2.0;
    let clean = ((from_middle / 20.0).square() * -0.5).exp();
    let noisy = (&clean + Generator::new(&device, 1).normal::<f32>(&[count]) * 0.3).copy();

    let sos = butterworth(4, Band::LowPass(15.0), RATE)?;
    let forwards = noisy.sosfilt(&sos, 0);
    let both = noisy.sosfiltfilt(&sos, 0);
    let options = PeakOptions::default().height(0.5).distance(PERIOD as f64 / 2.0);
    let (late, found) = (forwards.find_peaks(&options)?.places, both.find_peaks(&options)?.places);
    let middles: Vec<usize> = (0..count / PERIOD + 1).map(|beat| beat * PERIOD + PERIOD / 2).collect();
    let middles: Vec<usize> = middles.into_iter().filter(|&middle| middle < count).collect();
    println!("{}\n{} beats, {} peaks found", device.properties(), middles.len(), found.len());
    assert_eq!((late.len(), found.len()), (middles.len(), middles.len()));
    // Noise of 15 Hz moves a peak by a few values; a pass forwards is late by the filter's delay.
    assert!(found.iter().zip(&middles).all(|(&peak, &middle)| peak.abs_diff(middle) <= 10), "{found:?}");
    let delay = late.iter().zip(&middles).map(|(&peak, &middle)| peak as f64 - middle as f64).sum::<f64>();
    let delay = delay / middles.len() as f64;
    println!("forwards only peaks are {delay:.1} values late");
    // At low frequencies the delay of order 4 is 2.613 / (2 pi 15 Hz).
    assert!((delay - 27.7).abs() < 4.0);

    let time = timing::microseconds(&device, || noisy.sosfilt(&sos, 0).eval())?;
    println!("sosfilt: {:.1} million values a second", count as f64 / time);
    let time = timing::microseconds(&device, || noisy.sosfiltfilt(&sos, 0).eval())?;
    println!("sosfiltfilt: {:.1} million values a second", count as f64 / time);
    let line = |x: &Array<f32>| -> Result<Vec<(f64, f64)>> {
        Ok(x.slice(&[(..3 * PERIOD as isize).into()])
            .to_vec()?
            .into_iter()
            .enumerate()
            .map(|(k, y)| (k as f64, y as f64))
            .collect())
    };
    Plot::new("Beats in noise, filtered forwards and both ways")
        .line("noisy", line(&noisy)?)
        .line("forwards", line(&forwards)?)
        .line("both ways", line(&both)?)
        .save("crosslane-time-filters.svg");
    println!("checked: each beat has its peak, at its place if filtered both ways");
    Ok(())
}
