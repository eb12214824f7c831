//! The first kernel: every invocation adds 1 to its element. On the device's memory, and with copies both ways each time.

mod timing;

use crosslane::{Array, Device, Kernel, Result};

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let increment = Kernel::wgsl(include_str!("kernels/increment.wgsl"))?;
    let host = vec![0.0f32; 1_000_000];

    let mut a = Array::from_slice(&device, &host);
    for _ in 0..8 {
        increment.for_elements(a.len()).args(&mut a).launch(&device)?; // queued: nothing waits
    }
    assert!(a.to_vec()?.iter().all(|&x| x == 8.0));
    println!("8 increments of 1,000,000 elements: {:?} ..", &a.to_vec()?[..4]);

    let launch = increment.for_elements(a.len()).args(&mut a);
    let on_device = timing::microseconds(&device, || launch.launch(&device))?;
    let with_copies = timing::microseconds(&device, || {
        let mut a = Array::from_slice(&device, &host);
        increment.for_elements(a.len()).args(&mut a).launch(&device)?;
        a.to_vec().map(drop)
    })?;
    println!("{}", device.properties());
    println!("                       here     tutorial (Numba, RTX 2080 Ti)");
    println!("array on the device    {on_device:8.1} us    79.4 us");
    println!("host array, copied     {with_copies:8.1} us  2470   us: two copies in each run");
    let copies = 100.0 * (1.0 - on_device / with_copies).max(0.0);
    match copies {
        50.0.. => println!("the copies are {copies:.0} % of the second time"),
        _ => {
            println!("the copies are only {copies:.0} % of the second time: launches take long here; a card shows more")
        }
    }
    println!("checked: every element was incremented 8 times");
    Ok(())
}
