//! Each operation once on devices that have less than those that are tested in all ways: through GL, without subgroups and
//! without 64 bits; without immediates; with the limits of WebGPU. The judge is the cpu engine, which other tests compare
//! with references.

use crate::support::*;
use crosslane::array::Side;
use crosslane::cpu::Profile;
use crosslane::{Array, Device, Element, Result, Scan, axes};
use rand::Rng;

/// What an operation makes of an array, on such devices and on the cpu engine.
#[track_caller]
fn same<T: Element>(what: &str, x: &[u32], work: impl Fn(&Array<u32>) -> Result<Vec<T>>) {
    // In the shapes of cards, so that sums have the same order.
    let cpu = Device::cpu_as(Profile::native()).unwrap();
    let wanted = work(&Array::from_slice(&cpu, x)).unwrap();
    for device in seconds().chain(limited()) {
        spoil(device);
        same_values(&work(&Array::from_slice(device, x)).unwrap(), &wanted, &format!("{what} on {}", name(device)));
    }
}

fn values(len: usize) -> Vec<u32> {
    let mut rng = random(len as u64);
    (0..len).map(|_| rng.random_range(0..5_000)).collect()
}

#[test]
fn reductions_casts_and_functions() {
    let x = values(9_000);
    same("sums of rows", &x, |x| x.reshape(&[90, 100]).sum_axes(1).to_vec());
    same("largest of columns", &x, |x| x.reshape(&[90, 100]).max_axes(0).to_vec());
    same("where the smallest is", &x, |x| x.reshape(&[9, 10, 100]).arg_min_axes([0, 2]).to_vec());
    same("truths", &x, |x| x.less(7).any_axes(axes(0).keep_dims()).to_vec());
    same("casts", &x, |x| x.cast::<f32>().cast::<u8>().cast::<i32>().to_vec());
    same("normalised rows", &x, |x| {
        let rows = (x.reshape(&[90, 100]).cast::<f32>() / 500.0).softmax(1) + x.reshape(&[90, 100]).cast::<f32>();
        (rows.layer_norm(0, None, None, 1e-5) * 1000.0).round().to_vec()
    });
    same("halves", &x, |x| (x.cast::<f32>() / 2.0).floor().to_vec());
}

#[test]
fn scans_and_selections() {
    let x = values(40_003);
    same::<u32>("a sum", &x, |x| Scan::sum().exclusive().call::<u32, u32>(x).to_vec());
    same::<u32>("a sum of columns", &x[..20_000], |x| {
        Scan::max().axis(0).call::<u32, u32>(&x.reshape(&[100, 200])).to_vec()
    });
    same("a selection", &x, |x| x.compress(&x.less(1_000)).to_vec());
    same("a sum of selected ones", &x, |x| x.compress(&x.less(1_000)).map(|x| x * 2).sum().to_vec());
}

#[test]
fn moves() {
    let x = values(9_000);
    same("a transposition", &x, |x| x.reshape(&[90, 100]).transpose().copy().to_vec());
    same("bytes transposed", &x[..8_990], |x| x.reshape(&[62, 145]).transpose().cast::<u8>().to_vec());
    same("a roll", &x, |x| x.reshape(&[90, 100]).roll_axes(&[7], 1).to_vec());
}

#[test]
fn sorts() {
    let x = values(20_003);
    same("long rows", &x, |x| x.sort().to_vec());
    same("short rows", &x[..20_000], |x| x.reshape(&[200, 100]).argsort().to_vec());
    same("pairs", &x, |x| x.sort_pairs(&(x + 1)).1.to_vec());
    same("distinct ones", &x, |x| x.unique().to_vec());
}

#[test]
fn products() {
    let x = values(3_000);
    same("a product", &x, |x| x.reshape(&[50, 60]).matmul(&(x.reshape(&[50, 60]).transpose() + 1)).to_vec());
}

#[test]
fn orders_and_counts() {
    let x = values(20_003);
    same("the largest", &x, |x| x.top_k(100).0.to_vec());
    same("the middle one", &x, |x| x.nth(10_000).to_vec());
    same("a histogram", &x, |x| x.histogram(100, 0.0..5_000.0)?.0.to_vec());
    same("places", &x, |x| x.sort().searchsorted(&(x + 1), Side::Left).to_vec());
}
