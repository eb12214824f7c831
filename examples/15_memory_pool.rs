//! Memory from the device's pool: what a batch gives back, the next one takes. Nothing is allocated in the loop.

use crosslane::{Device, Kernel, Result};

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let increment = Kernel::wgsl(include_str!("kernels/increment.wgsl"))?;
    let batch = 1 << 20;
    drop(device.acquire::<f32>(batch)); // the first is allocated

    let before = device.memory();
    for round in 0..100 {
        let mut numbers = device.acquire::<f32>(batch); // whatever was there: write before you read
        numbers.assign(round as f32)?;
        increment.for_elements(batch).args(&mut numbers).launch(&device)?;
        assert_eq!(numbers.max().item()?, round as f32 + 1.0);
    } // dropped: back to the pool
    let after = device.memory();
    println!("{after:?}");
    println!(
        "100 batches: {} pieces from the pool, {} allocated",
        after.hits - before.hits,
        after.misses - before.misses
    );
    assert!(after.misses - before.misses <= 3, "the result of `assign` and of `max` are the pool's, too");
    println!("checked: no more than three pieces were allocated");
    Ok(())
}
