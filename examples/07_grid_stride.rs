//! Fewer invocations than elements: each takes every n-th element, so that any grid does all of them.

mod timing;

use crosslane::{Array, Device, Kernel, Result};

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let n = 1_000_000;
    let a = Array::<f32>::full(&device, &[n], 2.0).copy();
    let b = Array::arange(&device, 0.0f32, n as f32, 1.0).copy();
    let multiply = Kernel::wgsl(include_str!("kernels/multiply.wgsl"))?;

    // An increment with 100 workgroups does 25,600 elements and says nothing: the grid is the program's.
    let increment = Kernel::wgsl(include_str!("kernels/increment.wgsl"))?;
    let mut part = Array::<f32>::zeros(&device, &[n]);
    increment.grid([100]).args(&mut part).launch(&device)?;
    println!("100 workgroups without a stride do {} of {n} elements", part.sum().item()?);
    assert_eq!(part.sum().item()?, 25_600.0);

    println!("{}", device.properties());
    println!("workgroups x invocations   here     tutorial (Numba, RTX 2080 Ti)");
    let mut times = vec![];
    for (groups, invocations, tutorial) in [(3907, 256, "146.0 us"), (32, 256, "181.0 us"), (7, 64, "-")] {
        let mut result = Array::<f32>::zeros(&device, &[n]);
        let launch = multiply.grid([groups]).set("invocations", invocations).args((&a, &b, &mut result));
        let time = timing::microseconds(&device, || launch.launch(&device))?;
        drop(launch);
        assert!(result.to_vec()?.iter().enumerate().all(|(i, &x)| x == 2.0 * i as f32));
        println!("{groups:10} x {invocations:3} {time:16.1} us {tutorial:>11}");
        times.push(time);
    }
    let gain = times[1] / times[0];
    if gain > 1.1 {
        println!(
            "an invocation for each element is {gain:.1} times as fast as 32 workgroups: no loop, and more of the device at work"
        );
    } else {
        println!(
            "an invocation for each element gains nothing here ({gain:.1} times as fast as 32 workgroups): a processor's few \
             threads are busy with a few workgroups; a card, which has thousands of places, shows the gain"
        );
    }
    println!("checked: every product is right, with any grid");
    Ok(())
}
