//! A histogram of 1,000,000 normal numbers in 150 bins: by additions to memory that all share, and in two steps.

mod timing;

use crosslane::{Array, Device, Kernel, Result};

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let (n, bins, range) = (1_000_000u32, 150, [-4.0f32, 4.0]);
    let text = include_str!("kernels/histogram.wgsl");
    let normal = Kernel::wgsl(
        "@group(0) @binding(0) var<storage, read_write> x: array<f32>;
        @compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            if id.x < arrayLength(&x) { x[id.x] = normal_f32(philox(vec4<u32>(id.x, 0, 0, 0), vec2<u32>(1, 2)).xy).x; }
        }",
    )?;
    let mut x = Array::<f32>::empty(&device, &[n as usize]);
    normal.for_elements(n as usize).args(&mut x).launch(&device)?;
    let range_there = Array::from_slice(&device, &range);

    let mut wanted = vec![0u32; bins];
    for x in x.to_vec()? {
        let bin = ((x - range[0]) / ((range[1] - range[0]) / bins as f32)).floor();
        if (0.0..bins as f32).contains(&bin) {
            wanted[bin as usize] += 1;
        }
    }
    println!("{}", device.properties());
    println!("                here     tutorial (Numba, RTX 2080 Ti)");
    let mut times = vec![];
    for (entry, groups, tutorial) in [("shared_by_all", 64, "349.0 us"), ("private_first", 528, "-")] {
        let kernel = Kernel::wgsl_with(text, Some(entry), &[])?;
        let mut histogram = Array::<u32>::zeros(&device, &[bins]);
        kernel.grid([groups]).args((&x, &range_there, &mut histogram)).launch(&device)?;
        let counts = histogram.to_vec()?;
        // The last bit of a division may put a value that lies on an edge into the next bin.
        let moved: u32 = counts.iter().zip(&wanted).map(|(a, b)| a.abs_diff(*b)).sum();
        assert!(moved <= 20 && counts.iter().sum::<u32>().abs_diff(wanted.iter().sum()) <= 2, "{moved} values moved");
        let launch = kernel.grid([groups]).args((&x, &range_there, &mut histogram));
        let time = timing::microseconds(&device, || launch.launch(&device))?;
        println!("{entry:14} {time:8.1} us {tutorial:>11}");
        times.push(time);
    }
    match times[0] / times[1] {
        gain if gain > 1.1 => println!("counting in workgroup memory first is {gain:.1} times as fast"),
        gain => println!(
            "counting in workgroup memory first gains nothing here ({gain:.1} times as fast): few threads seldom meet at a \
             bin, and a workgroup's memory is zeroed and its barriers cost; a card or the cpu engine shows the gain"
        ),
    }
    let most = *wanted.iter().max().expect("150 bins") as usize;
    for (bin, rows) in wanted.chunks(6).enumerate() {
        let count = rows.iter().sum::<u32>() as usize / rows.len();
        println!("{:6.2} {}", range[0] + bin as f32 * 0.32, "#".repeat(60 * count / most));
    }
    println!("checked: the counts are as the host counts");
    Ok(())
}
