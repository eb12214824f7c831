//! How large workgroups should be, and how many: the same work with each size, then with each number of them.

mod plot;
mod timing;

use crosslane::device::{Backend, DeviceKind};
use crosslane::{Array, Device, Kernel, Result};
use plot::Plot;

const ROUNDS: u32 = 16; // as in the kernel

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    device.set_advice(false); // it warns of the sizes that are to be seen here
    // The cpu engine gives small launches one thread; llvmpipe takes a microsecond for each workgroup.
    let count = match device.properties().kind {
        DeviceKind::Software if device.properties().backend == Backend::Cpu => 1usize << 18,
        DeviceKind::Software => 1 << 15,
        _ => 1 << 24,
    };
    let host: Vec<u32> = (0..count as u32).collect();
    let mixed = |x: &u32| (0..ROUNDS).fold(*x, |x, _| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    let wanted: Vec<u32> = host.iter().map(mixed).collect();
    let data = Array::from_slice(&device, &host);
    let mix = Kernel::wgsl(include_str!("kernels/workgroup_sizes.wgsl"))?;
    println!("{}\n{count} elements", device.properties());

    let most = device.caps().workgroup_invocations;
    println!("invocations a workgroup, an element for each");
    let mut times = vec![];
    for size in [1u32, 8, 32, 48, 64, 128, 256, 512, 1024].into_iter().filter(|&size| size <= most) {
        let mut result = Array::<u32>::empty(&device, &[count]);
        let launch = mix.for_elements(count).set("invocations", size).args((&data, &mut result));
        let time = timing::microseconds(&device, || launch.launch(&device))?;
        drop(launch);
        assert_eq!(result.to_vec()?, wanted, "{size}");
        println!("{size:>6} {time:>10.1} us");
        times.push(time);
    }
    let best = times.iter().fold(f64::INFINITY, |best, &time| best.min(time));
    println!("workgroups of 1 take {:.1} times as long as the best size", times[0] / best);
    println!("the library suggests {}", device.suggest_workgroup_size(count));

    // A unit runs a workgroup at least: fewer workgroups than units leave some idle, and a few for each hide waits.
    println!("{}", mix.occupancy(&device)?);
    println!("workgroups of 64, which share the elements");
    let mut line = vec![];
    for groups in (0..=12).map(|power| 1u32 << power).filter(|&groups| groups as usize * 64 <= count) {
        let mut result = Array::<u32>::empty(&device, &[count]);
        let launch = mix.grid([groups]).args((&data, &mut result));
        let time = timing::microseconds(&device, || launch.launch(&device))?;
        drop(launch);
        assert_eq!(result.to_vec()?, wanted, "{groups}");
        println!("{groups:>6} {time:>10.1} us");
        line.push((groups as f64, time));
    }
    let least = line.iter().fold(f64::INFINITY, |least, &(_, time)| least.min(time));
    match line[0].1 / least {
        gain if gain > 1.2 => println!("the best number is {gain:.1} times as fast as one workgroup"),
        gain => println!(
            "the best number is {gain:.1} times as fast as one workgroup: a processor has few \
             threads, which other programs use as well; a card, with its many units, shows the gain"
        ),
    }
    Plot::new("Microseconds, by the number of workgroups")
        .logarithmic()
        .line("workgroups of 64 invocations", line)
        .save("crosslane-workgroups.svg");
    println!("checked: results are the same with every size and number");
    Ok(())
}
