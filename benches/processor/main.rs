//! Fourier transforms: crosslane's kernels, its substitute and rustfft (`fourier.rs`). Gaussian filters beside the crate
//! image (`blur.rs`). Products of f32 matrices of 512 x 512: crosslane on its interpreter and on drivers that run on the processor, beside
//! ndarray (three loops, and its `dot`), gemm and faer. Prints GFLOP/s, the best of several.

mod blur;
mod fourier;

use crosslane::{Array, Device};
use crosslane::device::DeviceKind;
use ndarray::Array2;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::time::Instant;

const N: usize = 512;
const REPETITIONS: usize = 5;

fn measure(name: &str, wanted: &[f32], mut product: impl FnMut() -> Vec<f32>) {
    let got = product();
    // 512 roundings of sums of some 512 / 4.
    let worst = got.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst < 1e-3, "{name}: off by {worst}");
    let times = (0..REPETITIONS).map(|_| {
        let start = Instant::now();
        product();
        start.elapsed().as_secs_f64()
    });
    let best = times.fold(f64::INFINITY, f64::min);
    println!("{name:40} {:8.2} GFLOP/s", 2.0 * (N * N * N) as f64 / best / 1e9);
}

/// As the definition says, an element after the other.
fn naive(a: &Array2<f32>, b: &Array2<f32>) -> Vec<f32> {
    Array2::from_shape_fn((N, N), |(i, j)| (0..N).map(|k| a[(i, k)] * b[(k, j)]).sum()).into_raw_vec_and_offset().0
}

fn by_gemm(a: &[f32], b: &[f32]) -> Vec<f32> {
    let mut c = vec![0.0f32; N * N];
    let row = N as isize;
    // SAFETY: all three have N rows of N elements, with these strides.
    unsafe {
        let (to, a, b) = (c.as_mut_ptr(), a.as_ptr(), b.as_ptr());
        gemm::gemm(
            N,
            N,
            N,
            to,
            1,
            row,
            false,
            a,
            1,
            row,
            b,
            1,
            row,
            0.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::Rayon(0),
        );
    }
    c
}

fn by_faer(a: &faer::Mat<f32>, b: &faer::Mat<f32>) -> Vec<f32> {
    let c = a * b;
    (0..N * N).map(|at| c[(at / N, at % N)]).collect()
}

fn main() -> Result<(), crosslane::Error> {
    blur::compare()?;
    fourier::compare()?;
    let mut rng = StdRng::seed_from_u64(1);
    let mut matrix = || -> Vec<f32> { (0..N * N).map(|_| rng.random()).collect() };
    let (a, b) = (matrix(), matrix());
    let [x, y] = [&a, &b].map(|m| Array2::from_shape_vec((N, N), m.clone()).expect("N rows of N"));
    let wanted = naive(&x, &y);
    measure("ndarray, three loops", &wanted, || naive(&x, &y));
    measure("ndarray, dot (matrixmultiply)", &wanted, || x.dot(&y).into_raw_vec_and_offset().0);
    measure("gemm", &wanted, || by_gemm(&a, &b));
    let [p, q] = [&a, &b].map(|m| faer::Mat::from_fn(N, N, |i, j| m[i * N + j]));
    measure("faer", &wanted, || by_faer(&p, &q));
    for (index, properties) in Device::list().into_iter().enumerate().filter(|(_, it)| it.kind == DeviceKind::Software) {
        let device = Device::open(&index.to_string())?;
        let name = format!("crosslane, {} ({:?})", properties.name, properties.backend);
        let side = |m: &[f32]| Array::from_shape(&device, &[N, N], m);
        let (s, t) = (side(&a), side(&b));
        measure(&name, &wanted, || s.matmul(&t).to_vec().expect("a product"));
    }
    Ok(())
}
