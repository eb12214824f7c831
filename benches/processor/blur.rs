//! Gaussian filters of f32 images of 2048 x 2048: crosslane on the processor beside the crate image.

use crosslane::array::PadMode;
use crosslane::{Array, Device};
use image::{ImageBuffer, Luma};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::time::Instant;

const SIDE: usize = 2048;
const REPETITIONS: usize = 7;

fn best(mut work: impl FnMut()) -> f64 {
    work();
    let times = (0..REPETITIONS).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}

pub fn compare() -> Result<(), crosslane::Error> {
    let mut rng = StdRng::seed_from_u64(3);
    let values: Vec<f32> = (0..SIDE * SIDE).map(|_| rng.random()).collect();
    let side = SIDE as u32;
    let picture = ImageBuffer::<Luma<f32>, _>::from_raw(side, side, values.clone()).expect("as many as it has");
    let device = Device::open("cpu")?;
    let array = Array::from_shape(&device, &[SIDE, SIDE], &values[..]);
    for sigma in [1.0, 2.0, 4.0] {
        let blurred = || array.gaussian_filter(sigma, .., PadMode::Edge);
        let (ours, theirs) = (blurred().to_vec()?, image::imageops::blur(&picture, sigma as f32).into_raw());
        // Away from the edges, where they differ in what stands outside. Theirs ends at other distances.
        let middle = (SIDE / 2) * SIDE + SIDE / 2;
        let apart = (ours[middle] - theirs[middle]).abs();
        assert!(apart < 0.05, "sigma {sigma}: {} and {}", ours[middle], theirs[middle]);
        let own = best(|| {
            let array = blurred();
            array.eval().and_then(|()| array.device().synchronize()).expect("an image");
        });
        let other = best(|| drop(image::imageops::blur(&picture, sigma as f32)));
        println!("gaussian of {sigma}: crosslane {:.2} ms, image {:.1} ms: {:.1}", own * 1e3, other * 1e3, other / own);
    }
    Ok(())
}
