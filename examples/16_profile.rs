//! Where the time goes: kernels by the device's clock with their part of what the device can do, transfers and waits.

use crosslane::{Array, Device, Kernel, Result};

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let increment = Kernel::wgsl(include_str!("kernels/increment.wgsl"))?;
    let host = vec![1.0f32; 1 << 20];
    let work = || -> Result<f32> {
        let mut x = Array::from_slice(&device, &host);
        for _ in 0..10 {
            increment.for_elements(x.len()).args(&mut x).launch(&device)?;
        }
        (&x * 2.0 + 1.0).sum().item()
    };
    work()?; // kernels are compiled now
    let (sum, trace) = device.profile(work)?;
    assert_eq!(sum, 23.0 * (1 << 20) as f32);
    println!("{trace}");
    println!("{:?}", increment.occupancy(&device)?);
    println!("workgroups for a million elements: {} invocations", device.suggest_workgroup_size(1_000_000));
    let path = std::env::temp_dir().join("crosslane-trace.json");
    std::fs::write(&path, trace.chrome_json()).expect("the folder for temporary files can be written to");
    println!("{}: open it in chrome://tracing or ui.perfetto.dev", path.display());
    println!("checked: the sum is right");
    Ok(())
}
