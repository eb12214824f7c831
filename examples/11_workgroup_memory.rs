//! Workgroup memory (CUDA's shared memory): a sum by halves with barriers, the same by the prelude, and a product.

mod timing;

use crosslane::{Array, Device, Kernel, Result};

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let text = include_str!("kernels/shared_memory.wgsl");
    let n = 1_000_003usize;
    let data = Array::from_slice(&device, &(0..n).map(|i| (i % 7) as f32).collect::<Vec<_>>());
    let groups = n.div_ceil(256);
    let wanted: f64 = (0..n).map(|i| (i % 7) as f64).sum();
    println!("{}", device.properties());
    let mut times = vec![];
    for entry in ["sums", "sums_by_prelude"] {
        let kernel = Kernel::wgsl_with(text, Some(entry), &[])?;
        let mut sums = Array::<f32>::zeros(&device, &[groups]);
        let launch = kernel.for_elements(n).args((&data, &mut sums));
        let time = timing::microseconds(&device, || launch.launch(&device))?;
        drop(launch);
        assert_eq!(sums.to_vec()?.iter().map(|&x| x as f64).sum::<f64>(), wanted);
        println!("{entry:16} {time:8.1} us: {groups} sums, one for each workgroup");
        times.push(time);
    }
    match times[0] / times[1] {
        gain if gain > 0.9 => {
            println!("the prelude's sum, by subgroups where there are any, is {gain:.1} times as fast")
        }
        gain => println!(
            "the prelude's sum, by subgroups where there are any, is shorter to write but slower here ({gain:.2} times as \
             fast): in software subgroups are loops, and the cpu engine has no machine code for this kernel; it is made for a \
             card's subgroups"
        ),
    }
    let products = Kernel::wgsl_with(text, Some("products"), &[])?;
    let other = Array::arange(&device, 0.0f32, 1024.0, 1.0);
    let mut result = Array::<f32>::zeros(&device, &[1024]);
    products.for_elements(1024).args((&data, &other, &mut result)).launch(&device)?;
    assert!(result.to_vec()?.iter().enumerate().all(|(i, &x)| x == (i % 7 * i) as f32));
    println!("products of 1024 elements through workgroup memory: {:?} ..", &result.to_vec()?[..5]);
    println!("checked: sums and products are as the host computes them");
    Ok(())
}
