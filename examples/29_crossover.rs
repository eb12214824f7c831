//! Where a device starts to win: products of matrices on it, transfers included, beside loops on one thread of the processor.

mod plot;
mod timing;

use crosslane::device::DeviceKind;
use crosslane::{Array, Device, Result};
use plot::Plot;
use std::hint::black_box;

/// Rows by columns, with the inner loop over neighbours in memory.
fn loops(a: &[f32], b: &[f32], n: usize) -> Vec<f32> {
    let mut c = vec![0.0f32; n * n];
    for (row, out) in c.chunks_mut(n).enumerate() {
        for (k, line) in b.chunks(n).enumerate() {
            let factor = a[row * n + k];
            out.iter_mut().zip(line).for_each(|(out, value)| *out += factor * value);
        }
    }
    c
}

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    println!("{}", device.properties());
    timing::tell_debug_build();
    let (mut host_line, mut device_line, mut first) = (vec![], vec![], None);
    for n in [16usize, 32, 64, 100, 160, 256, 384] {
        // Small whole numbers, so that all sums are exact.
        let side = |by: usize| (0..n * n).map(|i| (i * by % 7) as f32 - 3.0).collect::<Vec<f32>>();
        let (a, b) = (side(3), side(5));
        let there = || {
            let upload = |values: &[f32]| Array::from_shape(&device, &[n, n], values);
            upload(&a).matmul(&upload(&b)).to_vec()
        };
        assert_eq!(there()?, loops(&a, &b, n), "{n}");
        let on_device = timing::microseconds(&device, || there().map(|product| drop(black_box(product))))?;
        let on_host = timing::of_processor(|| loops(black_box(&a), black_box(&b), n));
        println!("{n:>4} x {n:<4} processor {on_host:>10.1} us, device {on_device:>10.1} us");
        // The size from which on all are faster.
        first = if on_device < on_host { first.or(Some(n)) } else { None };
        host_line.push((n as f64, on_host));
        device_line.push((n as f64, on_device));
    }
    match first {
        Some(n) => println!("the device is faster from {n} x {n} on"),
        None if device.properties().kind == DeviceKind::Software => {
            println!("the device is not faster up to 384 x 384: it is the same processor; a card shows the crossing")
        }
        None => println!("the device is not faster up to 384 x 384"),
    }
    println!(
        "NumPy by OpenBLAS, one thread of a Xeon (`examples/beside/matmul_numpy.py`): 15.6 us for 100, 891 us for 384"
    );
    Plot::new("Microseconds of a product, by its side")
        .logarithmic()
        .line("processor, one thread", host_line)
        .line("device, transfers included", device_line)
        .save("crosslane-crossover.svg");
    println!("checked: both give the same products");
    Ok(())
}
