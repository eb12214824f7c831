//! One array with a host and a device side: only what changed is copied, and nothing while both are the same.

use crosslane::{Device, Kernel, Result, Unified};

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let increment = Kernel::wgsl(include_str!("kernels/increment.wgsl"))?;
    let mut numbers = Unified::<f32>::new(&device, &[10_000])?;

    // All work on the host first ..
    numbers.host_mut()?.iter_mut().enumerate().for_each(|(i, x)| *x = i as f32);
    println!("written on the host:     {:?}", numbers.state());
    // .. then the kernels, with one copy ..
    for _ in 0..3 {
        increment.for_elements(10_000).args(numbers.device_mut()?).launch(&device)?;
    }
    println!("three kernels later:     {:?}, {:?}", numbers.state(), numbers.transfers());
    // .. then back, with one copy.
    assert!(numbers.host()?.iter().enumerate().all(|(i, &x)| x == i as f32 + 3.0));
    assert_eq!((numbers.transfers().uploads, numbers.transfers().downloads), (1, 1));
    println!("read on the host:        {:?}, {:?}", numbers.state(), numbers.transfers());

    numbers.host_range_mut(100..110)?.fill(0.0);
    numbers.device()?;
    assert_eq!((numbers.transfers().uploads, numbers.transfers().downloads), (2, 1));
    assert!(numbers.transfers().uploaded_bytes < 2 * 40_000, "more than what changed");
    println!("10 elements changed:     {:?}, {:?}", numbers.state(), numbers.transfers());
    println!("checked: every number was incremented 3 times, with one copy each way");
    Ok(())
}
