//! What a copy adds: a histogram of a million numbers that are on the device, or on the host, beside the processor's.

mod timing;

use crosslane::random::Generator;
use crosslane::{Array, Device, Result};

const BINS: usize = 150;
const RANGE: [f32; 2] = [-4.0, 4.0];

fn loops(x: &[f32]) -> Vec<u32> {
    let (scale, mut counts) = (BINS as f32 / (RANGE[1] - RANGE[0]), vec![0; BINS]);
    for x in x {
        let bin = ((x - RANGE[0]) * scale).floor();
        if (0.0..BINS as f32).contains(&bin) {
            counts[bin as usize] += 1;
        }
    }
    counts
}

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let host = Generator::new(&device, 40).normal::<f32>(&[1_000_000]).to_vec()?;
    let x = Array::from_slice(&device, &host);
    let counts = |x: &Array<f32>| x.histogram(BINS, RANGE[0] as f64..RANGE[1] as f64)?.0.to_vec();
    let (got, wanted) = (counts(&x)?, loops(&host));
    // The last bit of a product may put a value that lies on an edge into the next bin.
    let moved: u32 = got.iter().zip(&wanted).map(|(a, b)| a.abs_diff(*b)).sum();
    assert!(moved <= 20 && got.iter().sum::<u32>().abs_diff(wanted.iter().sum()) <= 2, "{moved} values moved");

    let on_processor = timing::of_processor(|| loops(&host));
    let there = timing::microseconds(&device, || counts(&x).map(drop))?;
    let copied = timing::microseconds(&device, || counts(&Array::from_slice(&device, &host)).map(drop))?;
    println!("{}", device.properties());
    timing::tell_debug_build();
    println!("                                here     tutorial (NumPy; Numba, RTX 2080 Ti)");
    println!("processor, one thread      {on_processor:9.1} us    8080 us");
    println!("device, the data is there  {there:9.1} us     349 us");
    println!("device, the data is copied {copied:9.1} us    3000 us");
    if copied > there {
        println!("the copy is {:.0} % of the last", 100.0 * (1.0 - there / copied));
    } else {
        println!("the copy is lost in the noise of other work: measure again");
    }
    println!("checked: the counts are as the loop counts");
    Ok(())
}
