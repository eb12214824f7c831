//! A thousand random walks at once: steps are drawn and added up along one axis; quantiles along the other show the fan.

mod plot;
mod timing;

use crosslane::array::QuantileOptions;
use crosslane::random::Generator;
use crosslane::{Device, Result};
use plot::Plot;

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let (walks, steps) = (1000, 1000);
    let mut random = Generator::new(&device, 3);
    let mut walk = || random.normal::<f32>(&[walks, steps]).cumsum(1);
    let places = walk();
    let fan = places.quantiles_with(&[0.05, 0.25, 0.5, 0.75, 0.95], &QuantileOptions::default().axis(0));
    let deviation = places.square().mean_axes(0).sqrt().to_vec()?;
    // After n steps walks are sqrt(n) from their start in the mean; of a thousand within a tenth of that.
    let wrong = deviation.iter().zip(1..).filter(|(found, n)| (**found / (*n as f32).sqrt() - 1.0).abs() > 0.1).count();
    println!(
        "{}\nafter {steps} steps: {:.2}, expected {:.2}",
        device.properties(),
        deviation[steps - 1],
        (steps as f32).sqrt()
    );
    assert_eq!(wrong, 0);
    let time = timing::microseconds(&device, || walk().eval())?;
    println!("{:.1} million steps a second", (walks * steps) as f64 / time);
    let lines = fan.to_vec()?;
    let line = |nth: usize| lines[nth * steps..][..steps].iter().enumerate().map(|(n, y)| (n as f64, *y as f64));
    Plot::new("Where random walks are: 5, 25, 50, 75 and 95 %")
        .line("5 %", line(0))
        .line("25 %", line(1))
        .line("50 %", line(2))
        .line("75 %", line(3))
        .line("95 %", line(4))
        .save("crosslane-walks.svg");
    println!("checked: walks get as far as the square root of their steps");
    Ok(())
}
