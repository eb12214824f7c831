//! Fusion: an expression of many steps becomes one kernel, and `explain()` shows it.

use crosslane::{Array, Device, Result};
use std::time::Instant;

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let n = 1 << 20;
    let host: Vec<f32> = (0..n).map(|i| i as f32 / n as f32).collect();
    let x = Array::from_slice(&device, &host);
    let y = x.flip(0); // a view: no copy

    // Five operations, two arrays, a broadcast scalar and a reversed view: one kernel, one pass over memory.
    let distance = ((&x - 0.5) * (&x - 0.5) + &y * &y).sqrt();
    let plan = distance.explain()?;
    println!("{plan}");
    assert_eq!(plan.steps.len(), 1);
    assert_eq!(plan.steps[0].kernels.len(), 1);

    // Ending in a reduction, the distances are not even written.
    println!("its largest value takes {} bytes of memory traffic", distance.max().explain()?.steps[0].bytes);

    let got = distance.to_vec()?;
    for i in [0, 1, n / 3, n - 1] {
        let wanted = (host[i] as f64 - 0.5).hypot(host[n - 1 - i] as f64);
        assert!((got[i] as f64 - wanted).abs() < 1e-6 * wanted);
    }

    // Scalars are not part of the kernel: another factor needs no other pipeline.
    let timed = |factor: f32| -> Result<f64> {
        let start = Instant::now();
        (&x * factor + 1.0).eval()?;
        device.synchronize()?;
        Ok(start.elapsed().as_secs_f64() * 1e3)
    };
    let (first, second) = (timed(2.0)?, timed(3.0)?);
    println!("2x + 1 took {first:.2} ms with compiling its kernel, 3x + 1 {second:.2} ms");
    println!("checked: one kernel, and its values are as the host computes them");
    Ok(())
}
