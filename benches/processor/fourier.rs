//! Fourier transforms of complex rows: crosslane's compiled kernels, what it takes in their place, and rustfft on all threads.
//! Prints 10^9 values a second, and ratios to rustfft.

use crosslane::device::Natives;
use crosslane::{Array, Complex, Device, Error};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rayon::prelude::*;
use rustfft::FftPlanner;
use std::time::Instant;

/// Values of all rows, and transforms that are timed.
const VALUES: usize = 1 << 22;
const REPETITIONS: usize = 9;

/// The median of several, in seconds.
fn median(mut work: impl FnMut()) -> f64 {
    work();
    let mut times: Vec<f64> = (0..REPETITIONS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[REPETITIONS / 2]
}

pub fn compare() -> Result<(), Error> {
    let mut rng = StdRng::seed_from_u64(1);
    let mut part = || rng.random::<f32>() - 0.5;
    let values: Vec<Complex<f32>> = (0..VALUES).map(|_| Complex::new(part(), part())).collect();
    let open = |natives| Ok::<_, Error>(Device::open("cpu:compiled")?.natives(natives));
    let devices: [Device; 2] = [open(Natives::Auto)?, open(Natives::Off)?];
    println!("{:>10} {:>9} {:>11} {:>6} {:>9} {:>6}", "length", "rustfft", "substitute", "ratio", "compiled", "ratio");
    for n in [64, 1000, 1024, 1536, 4096, 10_007, 1 << 16, 1 << 20, 1 << 22] {
        let count = VALUES / n * n;
        let fft = FftPlanner::new().plan_fft_forward(n);
        let mut peer = vec![Complex::new(0.0, 0.0); count];
        let scratch = || vec![Complex::new(0.0, 0.0); fft.get_outofplace_scratch_len()];
        let mut input = values[..count].to_vec();
        let theirs = median(|| {
            let rows = (n.max(1 << 12) / n) * n;
            let both = input.par_chunks_mut(rows).zip(peer.par_chunks_mut(rows));
            both.for_each_init(scratch, |scratch, (from, to)| fft.process_outofplace_with_scratch(from, to, scratch));
        });
        // The last run was of what transforms leave of their input.
        input.copy_from_slice(&values[..count]);
        fft.process_outofplace_with_scratch(&mut input, &mut peer, &mut scratch());
        let ours = devices.each_ref().map(|device| -> Result<f64, Error> {
            let rows = Array::from_slice(device, &values[..count]).reshape(&[count / n, n]);
            let got = rows.fft().to_vec()?;
            let apart: f32 = got.iter().zip(&peer).map(|(a, b)| (a - b).norm_sqr()).sum();
            let relative = (apart / peer.iter().map(Complex::norm_sqr).sum::<f32>()).sqrt();
            assert!(relative < 1e-5, "{n}: off by {relative}");
            let time = median(|| rows.fft().eval().expect("it has been checked"));
            Ok(time)
        });
        let [substitute, compiled] = ours;
        let (substitute, compiled) = (substitute?, compiled?);
        let rate = |time: f64| count as f64 / time / 1e9;
        let [a, b, c] = [theirs, substitute, compiled].map(rate);
        println!("{n:>10} {a:>9.3} {b:>11.3} {:>6.2} {c:>9.3} {:>6.2}", b / a, c / a);
    }
    Ok(())
}
