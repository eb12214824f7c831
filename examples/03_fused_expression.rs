//! Fusion: an expression of many steps becomes one kernel, and `explain()` shows it.

mod timing;

use crosslane::profile::SpanKind;
use crosslane::{Array, Device, Result};

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

    for (i, got) in distance.to_vec()?.into_iter().enumerate() {
        let wanted = (host[i] as f64 - 0.5).hypot(host[n - 1 - i] as f64);
        assert!((got as f64 - wanted).abs() < 1e-6 * wanted, "element {i}: {got}, wanted {wanted}");
    }

    // Scalars are not part of the kernel: another factor needs no other pipeline.
    let line = |factor: f32| (&x * factor + 1.0).eval();
    let compilations = |factor: f32| -> Result<usize> {
        let ((), trace) = device.profile(|| line(factor))?;
        Ok(trace.spans().iter().filter(|span| span.kind == SpanKind::Compile).count())
    };
    let compiled = [compilations(2.0)?, compilations(3.0)?];
    let time = timing::microseconds(&device, || line(4.0))?;
    println!("kernels compiled by 2x + 1: {}, by 3x + 1: {}; 4x + 1 takes {time:.0} us", compiled[0], compiled[1]);
    assert_eq!(compiled, [1, 0]);
    println!("checked: one kernel for each expression, whatever its scalars; its values are as the host computes them");
    Ok(())
}
