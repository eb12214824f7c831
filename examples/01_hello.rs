//! Saxpy: y = a x + y on the best device there is.

use crosslane::{Array, Device, Result};

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    println!("on {}", device.properties());

    // Arrays live on the device; values come back when they are asked for.
    let x = Array::arange(&device, 0.0f32, 1_000_000.0, 1.0);
    let mut y = Array::<f32>::ones(&device, &[1_000_000]);

    // Nothing runs here: the work is noted down, and becomes one kernel.
    y += &x * 2.0;

    let host = y.to_vec()?;
    assert!(host.iter().enumerate().all(|(i, &y)| y == 2.0 * i as f32 + 1.0));
    println!("y[1000] = {}, the sum is {}", host[1000], y.sum().item()?);
    println!("checked: every y is 2 x + 1");
    Ok(())
}
