//! A convolution in two dimensions, three times: loops of the processor, a kernel of one's own, and the library's.

mod timing;

use crosslane::array::ConvolveMode;
use crosslane::{Array, Device, Kernel, Result};

const ROWS: usize = 240;
const COLUMNS: usize = 320;

/// By the definition: zeros past the edges.
fn loops(values: &[f32], weights: &[f32], side: usize) -> Vec<f32> {
    let mut results = vec![0.0f32; ROWS * COLUMNS];
    for (i, result) in results.iter_mut().enumerate() {
        for (t, weight) in weights.iter().enumerate() {
            let row = (i / COLUMNS + side / 2).wrapping_sub(t / side);
            let column = (i % COLUMNS + side / 2).wrapping_sub(t % side);
            if row < ROWS && column < COLUMNS {
                *result += weight * values[row * COLUMNS + column];
            }
        }
    }
    results
}

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let kernel = Kernel::wgsl_with(include_str!("kernels/convolution.wgsl"), Some("plane"), &[])?;
    // Whole numbers: all sums are exact, in any order.
    let host: Vec<f32> = (0..ROWS * COLUMNS).map(|i| (i * 7 % 251) as f32).collect();
    let image = Array::from_shape(&device, &[ROWS, COLUMNS], &host);
    let mut checked = 0;
    println!("{}", device.properties());
    timing::tell_debug_build();
    println!("{ROWS} x {COLUMNS}    one thread's loops     a kernel of one's own     the library's");
    for side in [3usize, 5, 15] {
        let weights: Vec<f32> = (0..side * side).map(|t| (t * 5 % 9) as f32 - 4.0).collect();
        let wanted = loops(&host, &weights, side);
        let on_device = Array::from_shape(&device, &[side, side], &weights);
        let extents = Array::from_slice(&device, &[ROWS, COLUMNS, side, side].map(|extent| extent as u32));
        let mut own = Array::<f32>::zeros(&device, &[ROWS, COLUMNS]);
        let launch = kernel.for_shape([COLUMNS as u32, ROWS as u32]).args((&extents, &image, &on_device, &mut own));
        let mut times = vec![timing::of_processor(|| loops(&host, &weights, side))];
        times.push(timing::microseconds(&device, || launch.launch(&device))?);
        drop(launch);
        let library = || image.convolve(&on_device, ConvolveMode::Same);
        times.push(timing::microseconds(&device, || library().eval())?);
        assert_eq!(own.to_vec()?, wanted, "the kernel, {side} x {side}");
        assert_eq!(library().to_vec()?, wanted, "the library, {side} x {side}");
        checked += 2 * wanted.len();
        print!("{:>2} x {side:<2} weights", side);
        times.iter().for_each(|time| print!("  {time:9.1} us {:7.1} Mpx/s", host.len() as f64 / time));
        println!();
    }
    println!("checked: {checked} results are the loops'");
    Ok(())
}
