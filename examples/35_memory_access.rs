//! What neighbouring invocations do: read neighbours or elements far apart, and take the same branch or different ones.

mod timing;

use crosslane::device::DeviceKind;
use crosslane::{Array, Device, Kernel, Result};

const ROUNDS: u32 = 32; // as in the kernel

/// What `branch` makes of an element.
fn branched(i: u32, apart: u32, data: u32) -> u32 {
    let first = (i / apart).is_multiple_of(2);
    (0..ROUNDS).fold(data, |x, _| {
        if first {
            return x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        }
        let x = x ^ (x << 13);
        let x = x ^ (x >> 17);
        x ^ (x << 5)
    })
}

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    // A card has caches of tens of megabytes: the array is to be larger.
    let count = if device.properties().kind == DeviceKind::Software { 1u32 << 17 } else { 1 << 26 };
    let text = include_str!("kernels/memory_access.wgsl");
    let kernel = |entry| Kernel::wgsl_with(text, Some(entry), &[]);
    let host: Vec<u32> = (0..count).collect();
    let data = Array::from_slice(&device, &host);
    println!("{}\n{count} elements", device.properties());

    let copy = kernel("copy")?;
    println!("neighbours read elements that are apart by");
    let mut times = vec![];
    for apart in [1u32, 2, 4, 8, 16, 32, 128, 1024] {
        let mut result = Array::<u32>::empty(&device, &[count as usize]);
        let launch = copy.for_elements(count as usize).args((&data, &mut result, apart));
        let time = timing::microseconds(&device, || launch.launch(&device))?;
        drop(launch);
        let columns = count / apart;
        let right = |(i, &x): (usize, &u32)| x == (i as u32 % columns) * apart + i as u32 / columns;
        assert!(result.to_vec()?.iter().enumerate().all(right), "stride {apart}");
        println!("{apart:>6} {time:>10.1} us {:>8.2} GB/s", 8.0 * count as f64 / time / 1e3);
        times.push(time);
    }
    match times[5] / times[0] {
        loss if loss > 2.0 => println!("a stride of 32 takes {loss:.1} times as long as neighbours"),
        loss => println!(
            "a stride of 32 takes {loss:.1} times as long as neighbours: the processor's caches hold the whole array; a card \
             shows the lines of its memory"
        ),
    }

    let branch = kernel("branch")?;
    println!("so many neighbours take the same of two branches");
    let mut times = vec![];
    for apart in [1u32, 4, 16, 64, 256, 1024] {
        let mut result = Array::<u32>::empty(&device, &[count as usize]);
        let launch = branch.for_elements(count as usize).args((&data, &mut result, apart));
        let time = timing::microseconds(&device, || launch.launch(&device))?;
        drop(launch);
        // A part of them, as the processor takes long.
        let part = result.to_vec()?.into_iter().enumerate().step_by(count as usize >> 12);
        for (i, x) in part {
            assert_eq!(x, branched(i as u32, apart, host[i]), "element {i}, {apart} alike");
        }
        println!("{apart:>6} {time:>10.1} us");
        times.push(time);
    }
    match times[0] / times[5] {
        loss if loss > 1.2 => println!("neighbours that take both ways take {loss:.1} times as long"),
        loss => println!(
            "neighbours that take both ways take {loss:.1} times as long: this device runs both for all, or each invocation \
             by itself; a card or the compiled cpu engine shows the loss"
        ),
    }
    println!("checked: every copy is complete, and sampled results are the processor's");
    Ok(())
}
