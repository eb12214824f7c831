//! The price of an Asian option, whose payment depends on the mean of 16 days' prices: with random points the error falls as
//! 1 / sqrt(n), with Sobol's nearly as 1 / n.

mod plot;
mod timing;

use crosslane::random::{Generator, Sobol};
use crosslane::{Array, Device, Elementwise, Result};
use plot::Plot;

const DAYS: usize = 16;
const RATE: f32 = 0.05;
const VOLATILITY: f32 = 0.3;
const STRIKE: f32 = 100.0;

/// The geometric mean of prices is lognormal, so its option has a formula (Kemna and Vorst, 1990).
fn exact() -> f64 {
    let (n, rate, volatility) = (DAYS as f64, RATE as f64, VOLATILITY as f64);
    let deviation = volatility * ((n + 1.0) * (2.0 * n + 1.0) / (6.0 * n * n)).sqrt();
    let growth = (rate - 0.5 * volatility * volatility) * (n + 1.0) / (2.0 * n) + 0.5 * deviation * deviation;
    let below = |x: f64| 0.5 * erfc(-x / std::f64::consts::SQRT_2);
    let d = (growth + 0.5 * deviation * deviation) / deviation;
    100.0 * (-rate).exp() * (growth.exp() * below(d) - below(d - deviation))
}

/// The complementary error function (Numerical Recipes, 6.2: 1.2e-7 relative).
fn erfc(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.5 * x.abs());
    let terms = [
        -1.26551223,
        1.00002368,
        0.37409196,
        0.09678418,
        -0.18628806,
        0.27886807,
        -1.13520398,
        1.48851587,
        -0.82215223,
        0.17087277,
    ];
    let value = t * (-x * x + terms.iter().rev().fold(0.0, |sum, term| sum * t + term)).exp();
    if x < 0.0 { 2.0 - value } else { value }
}

/// The mean payment over points of a cube: a coordinate for each day, made a normal number.
fn price(points: Array<f32>, normal: &Elementwise) -> Result<f64> {
    let day = 1.0 / DAYS as f32;
    let steps: Array<f32> = normal.call(&points)?;
    let steps = steps * (VOLATILITY * day.sqrt()) + (RATE - 0.5 * VOLATILITY * VOLATILITY) * day;
    let mean = steps.cumsum(1).mean_axes(1).exp() * 100.0;
    Ok((mean - STRIKE).maximum(0.0).mean().item()? as f64 * (-RATE as f64).exp())
}

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    // The inverse of the normal distribution (Giles, "Approximating the erfinv function", 2010), of the middle of a step.
    let normal = Elementwise::new(
        "u: f32",
        "let x = 2.0 * u - 1.0 + 5.9604645e-8;
        let w = -log((1.0 - x) * (1.0 + x));
        let a = w - 2.5;
        let near = ((((((((2.81022636e-8 * a + 3.43273939e-7) * a - 3.5233877e-6) * a - 4.39150654e-6) * a
            + 0.00021858087) * a - 0.00125372503) * a - 0.00417768164) * a + 0.246640727) * a + 1.50140941);
        let b = sqrt(max(w, 5.0)) - 3.0;
        let far = ((((((((-0.000200214257 * b + 0.000100950558) * b + 0.00134934322) * b - 0.00367342844) * b
            + 0.00573950773) * b - 0.0076224613) * b + 0.00943887047) * b + 1.00167406) * b + 2.83297682);
        y = 1.41421356 * x * select(near, far, w >= 5.0)",
    )?;
    let (exact, seeds) = (exact(), 8);
    println!("{}\nexact {exact:.5}\n{:>8} {:>10} {:>10}", device.properties(), "points", "random", "Sobol");
    let mut errors = vec![];
    for count in (8..=16).map(|power| 1usize << power) {
        let (mut random, mut sobol) = (0.0, 0.0);
        for seed in 0..seeds {
            let points = Generator::new(&device, seed).uniform(&[count, DAYS]);
            random += (price(points, &normal)? - exact).powi(2);
            let points = Sobol::new(DAYS)?.scrambled(seed).points(&device, count);
            sobol += (price(points, &normal)? - exact).powi(2);
        }
        let [random, sobol] = [random, sobol].map(|sum| (sum / seeds as f64).sqrt());
        println!("{count:8} {random:10.5} {sobol:10.5}");
        errors.push((count as f64, random, sobol));
    }
    let (count, random, sobol) = errors[errors.len() - 1];
    assert!(random < 0.15 && sobol < random / 5.0, "{random} {sobol}");
    let points = || Sobol::new(DAYS).and_then(|sobol| price(sobol.points(&device, count as usize), &normal));
    let time = timing::microseconds(&device, || points().map(drop))?;
    println!("{:.1} million paths a second", count / time);
    Plot::new("The error of an Asian option's price by n paths")
        .logarithmic()
        .line("random", errors.iter().map(|row| (row.0, row.1)))
        .line("Sobol, scrambled", errors.iter().map(|row| (row.0, row.2)))
        .save("crosslane-option.svg");
    println!("checked: both come to the price, Sobol's points five times as close");
    Ok(())
}
