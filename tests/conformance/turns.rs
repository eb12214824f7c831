//! Programs that go on from one turn of a loop to the next without evaluating: each turn runs the kernels of the one before.

use crate::support::*;
use crosslane::{Array, Device};
use std::collections::HashSet;

/// The texts of the kernels that evaluating would run.
fn kernels(array: &Array<f32>) -> HashSet<String> {
    let plan = array.explain().unwrap();
    plan.steps.into_iter().flat_map(|step| step.kernels).map(|(_, _, text)| text).collect()
}

/// So many kernels at most, for turns of any number.
const MOST: usize = 8;

fn start(device: &Device) -> (Array<f32>, Vec<f64>) {
    let values: Vec<f32> = (0..300).map(|i| 1.0 + (i * 37 % 101) as f32 / 64.0).collect();
    (Array::from_slice(device, &values), values.iter().map(|&x| x as f64).collect())
}

#[track_caller]
fn close(got: &Array<f32>, wanted: &[f64], what: &str) {
    let got = got.to_vec().unwrap();
    let worst = got.iter().zip(wanted).map(|(&g, w)| (g as f64 - w).abs() / w.abs().max(1e-30)).fold(0.0, f64::max);
    assert!(worst < 1e-4, "{what}: off by {worst}");
}

/// Each value goes into its own sum and into the next value.
#[test]
fn quotients_by_sums() {
    for device in drivers() {
        let (x, host) = start(device);
        let (mut v, mut seen) = (x, HashSet::new());
        for _ in 0..60 {
            v = &v / &v.sum();
            seen.extend(kernels(&v));
        }
        assert!(seen.len() <= MOST, "{} kernels on {}", seen.len(), name(device));
        let sum: f64 = host.iter().sum();
        close(&v, &host.iter().map(|x| x / sum).collect::<Vec<_>>(), name(device));
    }
}

/// A mean that moves along, beside what it moves: what was made of products on the way is wanted again.
#[test]
fn descent_with_momentum() {
    for device in drivers() {
        let a = Array::from_shape(device, &[3, 3], &[0.5f32, 0.1, 0.0, 0.1, 0.4, 0.1, 0.0, 0.1, 0.3]);
        let b = Array::from_shape(device, &[3, 1], &[1.0f32, 2.0, 3.0]);
        let (mut w, mut m) = (Array::<f32>::zeros(device, &[3, 1]), Array::<f32>::zeros(device, &[3, 1]));
        let (mut hw, mut hm) = ([0f64; 3], [0f64; 3]);
        for _ in 0..24 {
            let gradient = a.matmul(&w) - &b;
            m = &m * 0.5 + &gradient * 0.5;
            w = &w - &m * 0.25;
            let rows = [[0.5, 0.1, 0.0], [0.1, 0.4, 0.1], [0.0, 0.1, 0.3]];
            let gradient = [0, 1, 2].map(|i| (0..3).map(|j| rows[i][j] * hw[j]).sum::<f64>() - (i + 1) as f64);
            hm = [0, 1, 2].map(|i| hm[i] * 0.5 + gradient[i] * 0.5);
            hw = [0, 1, 2].map(|i| hw[i] - hm[i] * 0.25);
        }
        let plan = w.explain().unwrap();
        let launches = plan.steps.iter().map(|step| step.kernels.len()).sum::<usize>();
        assert!(kernels(&w).len() <= MOST && launches <= 24 * 4, "{launches} launches on {}", name(device));
        close(&w, &hw, name(device));
        close(&m, &hm, name(device));
    }
}

/// A figure is read in each turn, and the value is never asked for.
#[test]
fn a_figure_each_turn() {
    for device in drivers() {
        let (x, mut host) = start(device);
        let mut v = x.clone();
        let mut seen = HashSet::new();
        for _ in 0..20 {
            v = (&v * 0.5 + &x).sqrt();
            host = host.iter().zip(start(device).1).map(|(v, x)| (v * 0.5 + x).sqrt()).collect();
            let sum = v.sum();
            seen.extend(kernels(&sum));
            let (got, wanted) = (sum.item().unwrap() as f64, host.iter().sum::<f64>());
            assert!((got - wanted).abs() < 1e-4 * wanted, "{got}, exactly {wanted}, on {}", name(device));
        }
        assert!(seen.len() <= MOST, "{} kernels on {}", seen.len(), name(device));
        close(&v, &host, name(device));
    }
}

/// What one or two kernels take in is computed there, and takes no memory.
#[test]
fn what_is_used_twice_stays_fused() {
    for device in drivers() {
        let (x, _) = start(device);
        let e = (&x - x.max()).exp();
        let softmax = &e / e.sum();
        let steps: Vec<&str> = softmax.explain().unwrap().steps.iter().map(|step| step.operation).collect();
        assert_eq!(steps, ["reduce", "reduce", "map"], "on {}", name(device));
        let y = &x * 2.0 + 1.0;
        for figure in [y.sum(), y.max(), y.min(), y.mean()] {
            figure.eval().unwrap();
            assert!(figure.explain().unwrap().steps.is_empty());
        }
        assert_eq!(y.explain().unwrap().steps.len(), 1, "y is as lazy as before on {}", name(device));
    }
}
