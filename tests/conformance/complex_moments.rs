//! Variances and standard deviations of complex numbers: NumPy's definition in double precision, figures that NumPy gave, edges.

use crate::support::*;
use crosslane::{Array, Complex, DType, Device, Part, axes};
use rand::Rng;

/// NumPy's `var`: the mean of `|z - mean|^2`, over the count less `freedom`.
fn variance(row: &[Complex<f64>], freedom: usize) -> f64 {
    let mean = row.iter().sum::<Complex<f64>>() / row.len() as f64;
    let squares: f64 = row.iter().map(|z| (z - mean).norm_sqr()).sum();
    squares / (row.len() as f64 - freedom as f64).max(0.0)
}

fn rounded<R: Part>(z: Complex<f64>) -> Complex<R> {
    Complex::new(R::rounded(z.re), R::rounded(z.im))
}

fn wide<R: Part>(z: Complex<R>) -> Complex<f64> {
    let part = |part: R| value(part).float();
    Complex::new(part(z.re), part(z.im))
}

#[track_caller]
fn agree<R: Part>(got: &Array<R>, wanted: &[f64], bound: f64, what: &str) {
    let got = got.to_vec().unwrap();
    assert_eq!(got.len(), wanted.len(), "{what}");
    for (got, &wanted) in got.iter().map(|&got| value(got).float()).zip(wanted) {
        let same = got == wanted || got.is_nan() && wanted.is_nan();
        assert!(same || (got - wanted).abs() <= bound * wanted.abs(), "{what}: got {got:e}, wanted {wanted:e}");
    }
}

/// Along each axis and several, near 0 and far from it.
fn along_axes<R: Part>(device: &Device, bound: f64) {
    let mut rng = random(61);
    let shape = [3, rng.random_range(2..40), rng.random_range(2..9)];
    for centre in [Complex::new(0.0, 0.0), Complex::new(1e4, -3e3)] {
        let one = |_| Complex::new(rng.random_range(-1.0..1.0), rng.random_range(-4.0..4.0)) + centre;
        let data: Vec<Complex<R>> = (0..shape.iter().product()).map(one).map(rounded::<R>).collect();
        let host = Dense::new(&shape, data);
        let z = upload(device, &host);
        for reduced in
            [[true, false, false], [false, true, false], [false, false, true], [true, false, true], [true; 3]]
        {
            let list: Vec<isize> = (0..3).filter(|&axis| reduced[axis as usize]).collect();
            let rows: Vec<Vec<Complex<f64>>> =
                host.groups(&reduced).into_iter().map(|row| row.into_iter().map(wide).collect()).collect();
            for freedom in [0, 1] {
                let wanted: Vec<f64> = rows.iter().map(|row| variance(row, freedom)).collect();
                let what = format!("{} about {centre}, {list:?}, on {}", R::COMPLEX, name(device));
                agree(&z.variance_axes(&list, freedom), &wanted, bound, &what);
                agree(&z.mean_variance(&list, freedom).1, &wanted, bound, &what);
                let roots: Vec<f64> = wanted.iter().map(|wanted| wanted.sqrt()).collect();
                agree(&z.std_axes(&list, freedom), &roots, bound, &what);
            }
        }
    }
}

#[test]
fn along_axes_and_far_from_0() {
    for device in drivers() {
        spoil(device);
        along_axes::<f32>(device, 4e-6);
        if has(device, DType::F64) {
            along_axes::<f64>(device, 1e-11);
        }
    }
}

#[test]
fn figures_of_numpy() {
    for device in apis() {
        let c = |re: f32, im: f32| Complex::new(re, im);
        let z = Array::from_shape(
            device,
            &[2, 3],
            &[c(1.0, 2.0), c(3.0, -4.0), c(0.5, 0.0), c(-7.0, 1.0), c(2.0, 2.0), c(0.0, 9.0)],
        );
        // numpy.var(z), numpy.var(z, ddof=1), numpy.std(z), numpy.var(z, axis=0), numpy.var(z, axis=1, ddof=1).
        agree(&z.variance(0), &[25.423_611_111_111_11], 1e-6, "var");
        agree(&z.variance(1), &[30.508_333_333_333_333], 1e-6, "var, ddof=1");
        agree(&z.std(0), &[5.042_183_169_135_281], 1e-6, "std");
        agree(&z.variance_axes(0, 0), &[16.25, 9.25, 20.3125], 1e-6, "var, axis=0");
        agree(
            &z.variance_axes(axes(1).keep_dims(), 1),
            &[11.083_333_333_333_334, 41.333_333_333_333_336],
            1e-6,
            "axis=1",
        );
        let kept = z.std_axes(axes([0, 1]).keep_dims(), 0);
        assert_eq!((kept.shape(), kept.dtype()), (&[1, 1][..], DType::F32));
        let (mean, _) = z.mean_variance(0, 0);
        assert_eq!(mean.to_vec().unwrap(), [c(-3.0, 1.5), c(2.5, -1.0), c(0.25, 4.5)]);
    }
}

#[test]
fn nothing_one_and_what_is_not_finite() {
    for device in apis() {
        let none = Array::<Complex<f32>>::zeros(device, &[0]);
        assert!(none.variance(0).item().unwrap().is_nan() && none.std(0).item().unwrap().is_nan());
        let rows = Array::<Complex<f32>>::zeros(device, &[2, 0]);
        assert!(rows.variance_axes(1, 0).to_vec().unwrap().iter().all(|x| x.is_nan()));
        assert_eq!(rows.variance_axes(0, 0).shape(), [0]);
        let one = Array::from_slice(device, &[Complex::new(3.0f32, -1.0)]);
        assert_eq!(one.variance(0).item().unwrap(), 0.0);
        assert!(one.variance(1).item().unwrap().is_nan());
        for bad in [Complex::new(f32::NAN, 0.0), Complex::new(1.0, f32::INFINITY)] {
            assert!(Array::from_slice(device, &[bad, Complex::new(0.0, 0.0)]).variance(0).item().unwrap().is_nan());
        }
        let error = one.variance_axes(1, 0).to_vec().unwrap_err().to_string();
        assert!(error.contains("variance") && error.contains("-1 to 0"), "{error}");
        let error = one.std_axes([0, 0], 0).to_vec().unwrap_err().to_string();
        assert!(error.contains("each axis once"), "{error}");
    }
}
