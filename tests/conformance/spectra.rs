//! Fourier transforms and what is made of them, against definitions in doubles.

use crate::support::*;
use crosslane::array::{ConvolveMode, CosineKind, FftOptions, Norm, SpectrumOptions, Window};
use crosslane::cpu::Profile;
use crosslane::device::Natives;
use crosslane::{Array, Complex, Device};
use rand::{Rng, SeedableRng, rngs::StdRng};
use references::fourier::dft;
use std::f64::consts::{PI, TAU};

type Row = Vec<Complex<f64>>;

fn noise(seed: u64, count: usize) -> Vec<Complex<f32>> {
    let mut random = StdRng::seed_from_u64(seed);
    (0..count).map(|_| Complex::new(random.random_range(-1.0..1.0), random.random_range(-1.0..1.0))).collect()
}

fn wide(x: &[Complex<f32>]) -> Row {
    x.iter().map(|x| Complex::new(x.re as f64, x.im as f64)).collect()
}

/// The root mean square of the difference, by that of what is wanted.
fn distance(got: &[Complex<f64>], wanted: &[Complex<f64>]) -> f64 {
    assert_eq!(got.len(), wanted.len());
    let apart: f64 = got.iter().zip(wanted).map(|(a, b)| (a - b).norm_sqr()).sum();
    (apart / wanted.iter().map(Complex::norm_sqr).sum::<f64>().max(1e-300)).sqrt()
}

fn error(got: &[Complex<f32>], wanted: &[Complex<f64>]) -> f64 {
    distance(&wide(got), wanted)
}

/// What the documentation states; 1 counts as 2.
fn bound(n: usize) -> f64 {
    3e-7 * (n.max(2) as f64).log2()
}

fn check(device: &Device, n: usize, rows: usize) {
    let x = noise(n as u64, rows * n);
    let there = Array::from_slice(device, &x).reshape(&[rows, n]);
    for inverse in [false, true] {
        let got = if inverse { there.ifft() } else { there.fft() };
        let scale = if inverse { 1.0 / n as f64 } else { 1.0 };
        let wanted: Row = wide(&x).chunks(n).flat_map(|row| dft(row, inverse)).map(|x| x * scale).collect();
        let found = error(&got.to_vec().unwrap(), &wanted);
        assert!(found <= bound(n), "{n}, inverse {inverse}: {found:e} on {}", name(device));
    }
}

/// Each length is a kernel of its own, which the interpreter runs at once, or a library's.
#[test]
fn every_length_interpreted() {
    let primes = [401, 409, 419, 421, 431, 433, 439, 443, 449, 457, 461, 463, 467, 479, 487, 491, 499];
    for device in ["cpu:interpreted", "cpu:compiled"].map(|name| Device::open(name).unwrap().natives(Natives::Library))
    {
        (1..=400).chain(primes).for_each(|n| check(&device, n, 2));
    }
}

#[test]
fn lengths() {
    for device in quick() {
        (1..=400).step_by(37).chain([491]).for_each(|n| check(device, n, 2));
    }
    for device in slow() {
        [1, 2, 7, 16, 60, 17, 100].into_iter().for_each(|n| check(device, n, 2));
    }
}

/// Of f64: the same kernels with other numbers. Against the transform by definition in f64, whose own error is smaller.
#[test]
fn doubles() {
    for device in devices() {
        if !device.caps().f64 {
            say(&format!("transforms of f64: not run on {}: it has no f64", name(device)));
            continue;
        }
        let lengths: &[usize] = match compiles_slowly(device) {
            true => &[1, 7, 60],
            false => &[1, 2, 7, 13, 16, 17, 60, 100, 121, 210, 491, 1000, 2187, 4096, 8192, 30_000],
        };
        for &n in lengths {
            let bound = 6e-16 * (n.max(2) as f64).log2();
            let x = wide(&noise(n as u64, 2 * n));
            let there = Array::from_slice(device, &x).reshape(&[2, n]);
            for inverse in [false, true] {
                let got = if inverse { there.ifft() } else { there.fft() }.to_vec().unwrap();
                let scale = if inverse { 1.0 / n as f64 } else { 1.0 };
                let wanted: Row = x.chunks(n).flat_map(|row| dft(row, inverse)).map(|x| x * scale).collect();
                let found = distance(&got, &wanted);
                assert!(found <= bound, "{n}, inverse {inverse}: {found:e} on {}", name(device));
            }
            let real = there.real();
            let back = real.rfft().irfft(n).to_vec().unwrap();
            let apart = back.iter().zip(&x).map(|(a, b)| (a - b.re).abs()).fold(0.0, f64::max);
            assert!(apart <= 4.0 * bound, "{n}: {apart:e} on {}", name(device));
        }
        say(&format!("transforms of f64: {} lengths on {}", lengths.len(), name(device)));
    }
}

/// One launch for any length, of which each pass is over memory.
#[test]
fn long_ones_by_compiled_kernels() {
    let device = Device::open("cpu:compiled").unwrap().natives(Natives::Off);
    [4394, 8192, 60_000].into_iter().for_each(|n| check(&device, n, 3));
}

#[test]
fn long_ones() {
    for device in quick() {
        for n in [1000, 2187, 4096, 4394, 8192, 1 << 16, 60_000] {
            check(device, n, 1);
        }
        check(device, 6144, 3);
    }
    for device in slow() {
        check(device, 8192, 1);
    }
}

/// Three launches over memory, and a convolution of two each.
#[test]
fn the_longest_ones() {
    let device = Device::open("cpu:compiled").unwrap();
    for n in [1 << 20, 10_007] {
        check(&device, n, 1);
    }
    // Where a workgroup holds little, as few values are three launches.
    let small = Device::cpu_as(Profile::software_like()).unwrap();
    check(&small, 1 << 18, 1);
}

#[test]
fn real_ones_are_halves_of_complex_ones() {
    for device in quick() {
        for n in [1, 2, 3, 8, 15, 17, 100, 101, 256, 1000, 8192] {
            let x: Vec<f32> = noise(n as u64, 3 * n).iter().map(|x| x.re).collect();
            let there = Array::from_slice(device, &x).reshape(&[3, n]);
            let wanted: Row = x
                .chunks(n)
                .flat_map(|row| {
                    let row: Row = row.iter().map(|&x| Complex::new(x as f64, 0.0)).collect();
                    dft(&row, false).into_iter().take(n / 2 + 1).collect::<Row>()
                })
                .collect();
            let half = there.rfft();
            let found = error(&half.to_vec().unwrap(), &wanted);
            assert!(found <= bound(n), "{n}: {found:e} on {}", name(device));
            let back = half.irfft(n).to_vec().unwrap();
            let apart = back.iter().zip(&x).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(apart as f64 <= 10.0 * bound(n), "{n}: {apart:e} back on {}", name(device));
        }
    }
}

#[test]
fn axes_lengths_and_norms() {
    for device in quick() {
        let shape = [3, 8, 5];
        let x = noise(1, 120);
        let there = Array::from_slice(device, &x).reshape(&shape);
        // Along the middle axis, by hand.
        let along = |x: &[Complex<f64>], n: usize, norm: f64| -> Row {
            let mut result = vec![Complex::new(0.0, 0.0); 3 * n * 5];
            for (a, c) in (0..3).flat_map(|a| (0..5).map(move |c| (a, c))) {
                let row: Row =
                    (0..n).map(|b| if b < 8 { x[(a * 8 + b) * 5 + c] } else { Complex::new(0.0, 0.0) }).collect();
                for (b, value) in dft(&row, false).into_iter().enumerate() {
                    result[(a * n + b) * 5 + c] = value * norm;
                }
            }
            result
        };
        for (n, norm, factor) in
            [(8, Norm::Backward, 1.0), (6, Norm::Ortho, 1.0 / 6f64.sqrt()), (20, Norm::Forward, 1.0 / 20.0)]
        {
            let options = FftOptions::default().axes([1]).lengths([n]).norm(norm);
            let got = there.fft_with(&options).to_vec().unwrap();
            assert!(error(&got, &along(&wide(&x), n, factor)) < bound(n), "{n} {norm:?} on {}", name(device));
        }
        let all = FftOptions::default().axes([0, 1, 2]);
        let back = there.fft_with(&all).ifft_with(&all).to_vec().unwrap();
        assert!(error(&back, &wide(&x)) < 2e-6, "on {}", name(device));
        {
            // Long ones side by side: several launches.
            let x = noise(4, 3 * 5000);
            let got = Array::from_slice(device, &x).reshape(&[5000, 3]).fft_with(&FftOptions::default().axes([0]));
            let columns: Vec<Row> =
                (0..3).map(|c| dft(&wide(&x).into_iter().skip(c).step_by(3).collect::<Row>(), false)).collect();
            let wanted: Row = (0..15_000).map(|at| columns[at % 3][at / 3]).collect();
            assert!(error(&got.to_vec().unwrap(), &wanted) < bound(5000), "on {}", name(device));
        }
        // A transform of a view, and of work on it, in one kernel; on a processor a library transforms what lies in memory.
        let turned = (there.transpose() * Complex::new(0.0, 2.0)).fft();
        let steps = if device.caps().processor.is_some() { 2 } else { 1 };
        assert_eq!(turned.explain().unwrap().steps.len(), steps);
        let host: Row = (0..5)
            .flat_map(|c| (0..8).map(move |b| (b, c)))
            .flat_map(|(b, c)| {
                let row: Row = (0..3).map(|a| wide(&x)[(a * 8 + b) * 5 + c] * Complex::new(0.0, 2.0)).collect();
                dft(&row, false)
            })
            .collect();
        assert!(error(&turned.to_vec().unwrap(), &host) < bound(3), "on {}", name(device));
    }
}

#[test]
fn properties() {
    for device in quick() {
        let n = 360;
        let (x, y) = (noise(2, n), noise(3, n));
        let [a, b] = [&x, &y].map(|x| Array::from_slice(device, x));
        let spectrum = a.fft();
        let square = |x: &[Complex<f32>]| wide(x).iter().map(|x| x.norm_sqr()).sum::<f64>();
        let energy = square(&spectrum.to_vec().unwrap()) / n as f64;
        assert!((energy / square(&x) - 1.0).abs() < 1e-6, "Parseval on {}", name(device));
        let factor = Complex::new(0.5f32, -2.0);
        let sum = (&a * factor + &b).fft().to_vec().unwrap();
        let parts = wide(&(spectrum.clone() * factor + b.fft()).to_vec().unwrap());
        assert!(error(&sum, &parts) < 2e-6, "linearity on {}", name(device));
        let shifted = a.roll(7).fft().to_vec().unwrap();
        let turned: Row = wide(&spectrum.to_vec().unwrap())
            .into_iter()
            .enumerate()
            .map(|(k, x)| x * Complex::from_polar(1.0, -TAU * (7 * k) as f64 / n as f64))
            .collect();
        assert!(error(&shifted, &turned) < 2e-6, "shift on {}", name(device));
        let mut impulse = vec![Complex::new(0.0f32, 0.0); n];
        impulse[0] = Complex::new(1.0, 0.0);
        let flat = Array::from_slice(device, &impulse).fft().to_vec().unwrap();
        assert!(error(&flat, &vec![Complex::new(1.0, 0.0); n]) < 1e-6, "impulse on {}", name(device));
    }
}

/// Sums by definition: of cosines or sines of `angle(j, k)`.
fn sums(x: &[f32], of: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let row = |k: usize| x.iter().enumerate().map(|(j, &x)| 2.0 * x as f64 * of(j as f64, k as f64)).sum();
    (0..x.len()).map(row).collect()
}

#[test]
fn cosine_and_sine_transforms() {
    for device in quick() {
        for n in [2usize, 3, 8, 15, 17, 64] {
            let x: Vec<f32> = noise(n as u64, n).iter().map(|x| x.re).collect();
            let there = Array::from_slice(device, &x);
            let m = n as f64;
            let ends = |k: usize| x[0] as f64 + if k.is_multiple_of(2) { 1.0 } else { -1.0 } * x[n - 1] as f64;
            let mut first = sums(&x, |j, k| (PI * j * k / (m - 1.0)).cos());
            first.iter_mut().enumerate().for_each(|(k, y)| *y -= ends(k));
            let mut third = sums(&x, |j, k| (PI * j * (2.0 * k + 1.0) / (2.0 * m)).cos());
            third.iter_mut().for_each(|y| *y -= x[0] as f64);
            let mut sines = sums(&x, |j, k| (PI * (j + 1.0) * (2.0 * k + 1.0) / (2.0 * m)).sin());
            let sign = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
            sines.iter_mut().enumerate().for_each(|(k, y)| *y -= sign(k) * x[n - 1] as f64);
            let fourth = |j: f64, k: f64| PI * (2.0 * j + 1.0) * (2.0 * k + 1.0) / (4.0 * m);
            let rows = [
                (CosineKind::I, false, first),
                (CosineKind::II, false, sums(&x, |j, k| (PI * k * (2.0 * j + 1.0) / (2.0 * m)).cos())),
                (CosineKind::III, false, third),
                (CosineKind::IV, false, sums(&x, |j, k| fourth(j, k).cos())),
                (CosineKind::I, true, sums(&x, |j, k| (PI * (j + 1.0) * (k + 1.0) / (m + 1.0)).sin())),
                (CosineKind::II, true, sums(&x, |j, k| (PI * (k + 1.0) * (2.0 * j + 1.0) / (2.0 * m)).sin())),
                (CosineKind::III, true, sines),
                (CosineKind::IV, true, sums(&x, |j, k| fourth(j, k).sin())),
            ];
            for (kind, sine, wanted) in rows {
                let of = |x: &Array<f32>, kind, norm| if sine { x.dst(kind, norm) } else { x.dct(kind, norm) };
                let got = of(&there, kind, Norm::Backward).to_vec().unwrap();
                let most = wanted.iter().fold(1.0f64, |most, y| most.max(y.abs()));
                let what = format!("{kind:?} of {n}, sine {sine} on {}", name(device));
                assert!(
                    got.iter().zip(&wanted).all(|(a, b)| (*a as f64 - b).abs() < 3e-6 * most),
                    "{what}: {got:?} {wanted:?}"
                );
                let back = match kind {
                    CosineKind::I => continue,
                    CosineKind::II => CosineKind::III,
                    CosineKind::III => CosineKind::II,
                    CosineKind::IV => CosineKind::IV,
                };
                let ortho = of(&there, kind, Norm::Ortho);
                let length = |x: &[f32]| x.iter().map(|x| (*x as f64).powi(2)).sum::<f64>();
                assert!(
                    (length(&ortho.to_vec().unwrap()) / length(&x) - 1.0).abs() < 1e-5,
                    "{what}: a vector's length"
                );
                let again = of(&ortho, back, Norm::Ortho).to_vec().unwrap();
                assert!(again.iter().zip(&x).all(|(a, b)| (a - b).abs() < 3e-6), "{what}: the inverse");
            }
        }
    }
}

#[test]
fn convolutions() {
    for device in quick() {
        for (n, m) in [(50usize, 7usize), (7, 50), (1, 1), (300, 300)] {
            let [x, y] =
                [(5, 2 * n), (6, m)].map(|(seed, n)| noise(seed, n).iter().map(|x| x.re).collect::<Vec<f32>>());
            let there = Array::from_slice(device, &x).reshape(&[2, n]);
            let kernel = Array::from_slice(device, &y);
            let full = |row: &[f32], taps: &[f32]| -> Vec<f64> {
                let one = |at: usize| {
                    (0..m)
                        .filter(|k| (k..=&at).contains(&k) && at - k < n)
                        .map(|k| taps[k] as f64 * row[at - k] as f64)
                        .sum()
                };
                (0..n + m - 1).map(one).collect()
            };
            for mode in [ConvolveMode::Full, ConvolveMode::Same, ConvolveMode::Valid] {
                let part = match mode {
                    ConvolveMode::Full => 0..n + m - 1,
                    ConvolveMode::Same => (n.min(m) - 1) / 2..(n.min(m) - 1) / 2 + n.max(m),
                    ConvolveMode::Valid => n.min(m) - 1..n.max(m),
                };
                let reversed: Vec<f32> = y.iter().rev().copied().collect();
                for (got, taps) in
                    [(there.fft_convolve(&kernel, mode), &y), (there.fft_correlate(&kernel, mode), &reversed)]
                {
                    let wanted: Vec<f64> = x.chunks(n).flat_map(|row| full(row, taps)[part.clone()].to_vec()).collect();
                    let got = got.to_vec().unwrap();
                    assert_eq!(got.len(), wanted.len());
                    let close =
                        got.iter().zip(&wanted).all(|(a, b)| (*a as f64 - b).abs() < 1e-6 * (n.min(m) as f64 + 10.0));
                    assert!(close, "{n} {m} {mode:?} on {}", name(device));
                }
            }
        }
    }
}

#[test]
fn pieces_come_back() {
    for device in quick() {
        let x: Vec<f32> = noise(9, 1000).iter().map(|x| x.re).collect();
        let there = Array::from_slice(device, &x);
        for (options, ends) in [
            (SpectrumOptions::new(100).step(25), 100),
            (SpectrumOptions::new(64).step(48).window(Window::Hamming), 48),
            (SpectrumOptions::new(50).step(50).window(Window::Rectangular), 0),
        ] {
            let pieces = there.stft(&options);
            // One piece, by definition.
            let back = pieces.istft(&options).to_vec().unwrap();
            let apart = (ends..back.len() - ends).map(|at| (back[at] - x[at]).abs()).fold(0.0, f32::max);
            assert!(apart < 1e-5, "{options:?}: {apart} on {}", name(device));
        }
        let window = Window::Kaiser(8.0).values(32);
        let options = SpectrumOptions::new(32).step(10).window(Window::Kaiser(8.0));
        let got = there.stft(&options).to_vec().unwrap();
        let third: Row = (0..32).map(|k| Complex::new((x[20 + k] * window[k]) as f64, 0.0)).collect();
        assert!(error(&got[34..51], &dft(&third, false)[..17]) < 2e-6, "on {}", name(device));
        // White noise has the same power everywhere: its mean square over the rate.
        let power = there.power_spectrum(&SpectrumOptions::new(50), 2.0).to_vec().unwrap();
        let total: f32 = power.iter().sum::<f32>() * 2.0 / 50.0;
        let square = x.iter().map(|x| x * x).sum::<f32>() / 1000.0;
        assert!((total / square - 1.0).abs() < 0.1, "{total} {square} on {}", name(device));
        let n = 100;
        let signal: Vec<f32> = (0..n).map(|k| (TAU * 7.0 * k as f64 / n as f64).cos() as f32).collect();
        let analytic = Array::from_slice(device, &signal).analytic_signal().to_vec().unwrap();
        let wanted: Row = (0..n).map(|k| Complex::from_polar(1.0, TAU * 7.0 * k as f64 / n as f64)).collect();
        assert!(error(&analytic, &wanted) < 2e-6, "on {}", name(device));
    }
}

#[test]
fn windows_are_views() {
    for device in quick() {
        let x = Array::arange(device, 0, 24, 1).reshape(&[4, 6]);
        let pieces = x.windows(0, 2, 1);
        assert_eq!(pieces.shape(), [3, 6, 2]);
        let wanted: Vec<i32> = (0..3).flat_map(|a| (0..6).flat_map(move |b| [a * 6 + b, a * 6 + b + 6])).collect();
        assert_eq!(pieces.to_vec().unwrap(), wanted, "on {}", name(device));
        assert_eq!((x.windows(1, 3, 3) * 2).sum_axes(-1).to_vec().unwrap(), [6, 24, 42, 60, 78, 96, 114, 132]);
        assert!(
            x.windows(1, 7, 1).check().is_err()
                && x.windows(1, 2, 0).check().is_err()
                && x.windows(2, 1, 1).check().is_err()
        );
    }
}

#[test]
fn mistakes_are_told() {
    let device = Device::cpu().unwrap();
    let x = Array::<f32>::ones(&device, &[4, 6]);
    let told = |error: crosslane::Error, words: &[&str]| {
        let text = error.to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}: {words:?}");
    };
    told(x.fft_with(&FftOptions::default().axes([2])).check().unwrap_err(), &["fft_with", "axis", "2"]);
    told(x.fft_with(&FftOptions::default().axes([1, 1])).check().unwrap_err(), &["axes", "once"]);
    told(x.fft_with(&FftOptions::default().lengths([1, 2])).check().unwrap_err(), &["lengths", "[1, 2]"]);
    told(x.fft_with(&FftOptions::default().lengths([0])).check().unwrap_err(), &["length", "0"]);
    told(Array::<f32>::ones(&device, &[3, 0]).rfft().check().unwrap_err(), &["rfft", "length"]);
    told(Array::<f32>::ones(&device, &[]).fft().check().unwrap_err(), &["fft", "axis"]);
    told(x.fft_convolve(&x, ConvolveMode::Full).check().unwrap_err(), &["fft_convolve", "kernel", "[4, 6]"]);
    told(x.stft(&SpectrumOptions::new(7)).check().unwrap_err(), &["stft", "7", "6"]);
    told(x.stft(&SpectrumOptions::new(0)).check().unwrap_err(), &["stft", "a length and a step of 1 to"]);
    told(x.dct(CosineKind::I, Norm::Ortho).check().unwrap_err(), &["dct", "norm"]);
    told(x.rfft().istft(&SpectrumOptions::new(9)).check().unwrap_err(), &["istft", "[4, 4]"]);
    assert!(Array::<f32>::ones(&device, &[0, 8]).fft().to_vec().unwrap().is_empty());
}
