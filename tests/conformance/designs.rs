//! Recursive filters' designs: their responses against SciPy's and against the definition, and decimation by them.

use super::signals::{TABLE, band, sections, to_f64};
use crate::support::*;
use crosslane::array::{Band, butterworth, chebyshev1};
use crosslane::{Array, Complex, Device, Part};
use serde_json::Value;
use std::f64::consts::PI;

const RATE: f64 = 1000.0;
/// Frequencies at which responses are compared, from 0 to half the rate.
const FREQUENCIES: usize = 400;

/// The response at a share of half the rate.
fn response(sos: &[[f64; 6]], share: f64) -> Complex<f64> {
    let back = Complex::from_polar(1.0, -PI * share);
    let polynomial = |c: &[f64]| Complex::from(c[0]) + back * (Complex::from(c[1]) + back * c[2]);
    sos.iter().map(|section| polynomial(&section[..3]) / polynomial(&section[3..])).product()
}

fn shares() -> impl Iterator<Item = f64> {
    (0..=FREQUENCIES).map(|k| k as f64 / FREQUENCIES as f64)
}

#[test]
fn responses_as_scipy() {
    let table: Value = serde_json::from_str(TABLE).unwrap();
    let mut count = 0;
    for row in table["rows"].as_array().unwrap() {
        let order = row["order"].as_u64().unwrap_or(0) as usize;
        let got = match row["what"].as_str().unwrap() {
            "butterworth_response" => butterworth(order, band(row), RATE),
            "chebyshev1_response" => chebyshev1(order, row["ripple"].as_f64().unwrap(), band(row), RATE),
            _ => continue,
        };
        count += 1;
        let (got, wanted) = (got.unwrap(), sections(&row["results"][0]));
        assert_eq!(got.len(), wanted.len(), "{row}");
        for share in shares() {
            let apart = (response(&got, share) - response(&wanted, share)).norm();
            assert!(apart <= 1e-9, "{row} at {share}: {apart:e}, {got:?}");
        }
    }
    assert_eq!(count, 128);
}

/// Chebyshev's polynomial of the first kind.
fn polynomial(order: usize, x: f64) -> f64 {
    match x.abs() <= 1.0 {
        true => (order as f64 * x.acos()).cos(),
        // Of x below -1 it has another sign; squares have none.
        false => (order as f64 * x.abs().acosh()).cosh(),
    }
}

/// The square of the amplitude at a share of half the rate, by the frequency of the analog low-pass filter that it stands for.
fn power(order: usize, ripple: f64, band: Band, share: f64) -> f64 {
    let analog = |share: f64| (PI * share / 2.0).tan();
    let bound = |frequency: f64| analog(2.0 * frequency / RATE);
    let at = analog(share);
    let between = |low: f64, high: f64| {
        let (low, high) = (bound(low), bound(high));
        (at * at - low * high) / (at * (high - low))
    };
    let low_pass = match band {
        Band::LowPass(to) => at / bound(to),
        Band::HighPass(from) => bound(from) / at,
        Band::BandPass(low, high) => between(low, high),
        Band::BandStop(low, high) => 1.0 / between(low, high),
    };
    let square = 10f64.powf(ripple / 10.0) - 1.0;
    1.0 / (1.0 + square * polynomial(order, low_pass).powi(2))
}

#[test]
fn chebyshev_by_definition() {
    let bands =
        [Band::LowPass(90.0), Band::HighPass(210.0), Band::BandPass(100.0, 260.0), Band::BandStop(140.0, 310.0)];
    for (order, band) in (1..=24).flat_map(|order| bands.map(|band| (order, band))) {
        for ripple in [0.01, 0.3, 2.0] {
            let sos = chebyshev1(order, ripple, band, RATE).unwrap();
            // Analog frequencies of 0 and infinity have no quotient.
            for share in shares().filter(|share| share % 1.0 != 0.0) {
                let (got, wanted) = (response(&sos, share).norm_sqr(), power(order, ripple, band, share));
                let what = format!("order {order}, {ripple} dB, {band:?} at {share}: {got:e} for {wanted:e}");
                assert!((got - wanted).abs() <= 1e-9, "{what}");
            }
        }
    }
}

/// Far from the ends of a row a sine comes out as one, of its frequency's power after both passes.
fn sines<R: Part>(device: &Device, factor: usize) {
    let unit = if R::DTYPE.size() == 4 { 2f64.powi(-24) } else { 2f64.powi(-53) };
    // What the method's documentation says, and the reference's own roundings.
    let bound = unit * (16 * factor.max(5).pow(2)) as f64 + 1e-9;
    let count = 400 * factor;
    // Shares of half the lower rate: what is kept, the bound, and what folds back.
    for share in [0.0, 0.3, 0.8, 1.0, 1.2] {
        let step = PI * share / factor as f64;
        let values: Vec<f64> = (0..count).map(|n| (step * n as f64 + 0.5).sin()).collect();
        let x = Array::from_slice(device, &values.iter().map(|&value| R::rounded(value)).collect::<Vec<R>>());
        let got = to_f64(&x.decimate_iir(factor, 0));
        assert_eq!(got.len(), 400);
        let left = power(8, 0.05, Band::LowPass(0.8 / factor as f64 * RATE / 2.0), share / factor as f64);
        for nth in 150..250 {
            let wanted = left * values[nth * factor];
            let apart = (got[nth] - wanted).abs();
            let what = format!("factor {factor}, {share} of half the rate, {} on {}", R::DTYPE, name(device));
            assert!(apart <= bound, "{what}: {apart:e} is above {bound:e}, {} for {wanted}", got[nth]);
        }
    }
}

#[test]
fn decimated_sines() {
    for device in quick() {
        [2, 4, 13, 64].iter().for_each(|&factor| sines::<f32>(device, factor));
        match device.caps().f64 {
            true => [4, 150].iter().for_each(|&factor| sines::<f64>(device, factor)),
            false => say(&format!("decimation of f64: not run on {}: it has no f64", name(device))),
        }
    }
}

/// The highest factors, whose gains are below the least number of f32: a constant stays one, 0.1 dB lower.
#[test]
fn highest_factors() {
    fn constant<R: Part>(device: &Device, factor: usize, bound: f64) {
        let x = Array::<R>::ones(device, &[2, 600]);
        let got = to_f64(&x.decimate_iir(factor, 1));
        let wanted = 10f64.powf(-0.1 / 20.0);
        let what = format!("factor {factor}, {} on {}", R::DTYPE, name(device));
        assert_eq!(got.len(), 2 * 600usize.div_ceil(factor), "{what}");
        assert!(got.iter().all(|value| (value - wanted).abs() <= bound), "{what}: {got:?}");
    }
    for device in quick() {
        constant::<f32>(device, 256, 0.06);
        if device.caps().f64 {
            constant::<f64>(device, 1 << 12, 1e-7);
            constant::<f64>(device, 1 << 20, 4e-3);
        }
    }
}
