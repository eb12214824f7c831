//! Pi by random points: the part of a square's points that lie in its circle. No memory is read; the error falls as 1 / sqrt(n).

mod plot;
mod timing;

use crosslane::device::DeviceKind;
use crosslane::random::Generator;
use crosslane::{Device, Result};
use plot::Plot;

/// An estimate from so many points: one kernel draws, squares, compares and counts.
fn pi(random: &mut Generator, count: usize) -> Result<f64> {
    let (x, y) = (random.uniform::<f32>(&[count]), random.uniform::<f32>(&[count]));
    let inside = (x.square() + y.square()).less(1.0).count_nonzero().item()?;
    Ok(4.0 * inside as f64 / count as f64)
}

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let mut random = Generator::new(&device, 2026);
    println!("{}\n{:>9} {:>9} {:>9}", device.properties(), "points", "error", "expected");
    let mut errors = vec![];
    // On a processor 2^22 points take it a third of a second each time.
    let most = if device.properties().kind == DeviceKind::Software { 18 } else { 22 };
    for count in (8..=most).map(|power| 1usize << power) {
        // The root mean square of several estimates; one has the deviation sqrt(pi (4 - pi) / n).
        let estimates: Vec<f64> = (0..16).map(|_| pi(&mut random, count)).collect::<Result<_>>()?;
        let square = estimates.iter().map(|estimate| (estimate - std::f64::consts::PI).powi(2)).sum::<f64>() / 16.0;
        let expected = (std::f64::consts::PI * (4.0 - std::f64::consts::PI) / count as f64).sqrt();
        println!("{count:9} {:9.6} {expected:9.6}", square.sqrt());
        errors.push((count as f64, square.sqrt(), expected));
    }
    // Of 16 squares the sum over its mean is past 2.6, or below 0.25, with a chance of 1e-3.
    assert!(errors.iter().all(|(_, error, expected)| (0.4..1.7).contains(&(error / expected))));
    let time = timing::microseconds(&device, || pi(&mut random, 1 << most).map(drop))?;
    println!("{:.1} million points a second", (1 << most) as f64 / time);
    Plot::new("The error of pi by n random points")
        .logarithmic()
        .line("measured", errors.iter().map(|row| (row.0, row.1)))
        .line("sqrt(pi (4 - pi) / n)", errors.iter().map(|row| (row.0, row.2)))
        .save("crosslane-pi.svg");
    println!("checked: the errors are those of independent points");
    Ok(())
}
