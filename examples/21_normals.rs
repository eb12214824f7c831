//! A histogram of a million normal numbers, beside their density.

mod plot;
mod timing;

use crosslane::random::Generator;
use crosslane::{Device, Result};
use plot::Plot;

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let (count, bins) = (1_000_000, 80);
    let mut random = Generator::new(&device, 7);
    let (counts, edges) = random.normal::<f32>(&[count]).histogram(bins, -4.0..4.0)?;
    let counts = counts.to_vec()?;
    let density = |x: f64| (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let width = 8.0 / bins as f64;
    let middle = |bin: usize| edges[bin] + width / 2.0;
    // By Simpson's rule; chi-square of 80 bins has the mean 80 and the deviation 12.6.
    let expected = |bin: usize| {
        let [a, b, c] = [0.0, 0.5, 1.0].map(|part| density(edges[bin] + part * width));
        count as f64 * width * (a + 4.0 * b + c) / 6.0
    };
    let chi_square: f64 = (0..bins).map(|bin| (counts[bin] as f64 - expected(bin)).powi(2) / expected(bin)).sum();
    println!("{}\nchi-square of {bins} bins: {chi_square:.1}", device.properties());
    assert!((30.0..150.0).contains(&chi_square));
    let time = timing::microseconds(&device, || random.normal::<f32>(&[count]).eval())?;
    println!("{:.1} million normals a second", count as f64 / time);
    Plot::new("A million normal numbers")
        .bars((0..bins).map(|bin| (middle(bin), counts[bin] as f64 / count as f64 / width)))
        .line("density", (0..bins).map(|bin| (middle(bin), density(middle(bin)))))
        .save("crosslane-normals.svg");
    println!("checked: the bins hold what the density says");
    Ok(())
}
