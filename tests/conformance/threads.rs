//! Several threads on one device: each gets what it computed, by its own sizes and scalars, whatever the others do.

use crate::support::*;
use crosslane::{Array, Device, Kernel, Recording, Result};
use std::thread::scope;

/// Adds a number to an array, in turns that a uniform says.
const STEPS: &str = "
    @group(0) @binding(0) var<storage, read> x: array<f32>;
    @group(0) @binding(1) var<uniform> steps: u32;
    @group(0) @binding(2) var<storage, read_write> y: array<f32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.x < arrayLength(&x) { y[id.x] = x[id.x] + f32(steps); }
    }";

fn host(len: usize, seed: usize) -> Vec<f32> {
    (0..len).map(|i| ((i * 7 + seed * 13) % 101) as f32).collect()
}

/// Evaluations with other sizes and scalars each time.
fn evaluates(device: &Device, seed: usize, rounds: usize) -> Result<()> {
    for round in 0..rounds {
        let values = host(50 + (seed * 331 + round * 97) % 1000, seed + round);
        let (a, b) = ((seed * 10 + round) as f32, (round % 7) as f32);
        let x = Array::from_slice(device, &values);
        let y = &x * b + a;
        let wanted: Vec<f32> = values.iter().map(|x| x * b + a).collect();
        same_values(&y.to_vec()?, &wanted, &format!("thread {seed}, round {round} on {}", name(device)));
        assert_eq!(
            (&y * 2.0).sum().item()?,
            wanted.iter().map(|y| y * 2.0).sum::<f32>(),
            "thread {seed}, round {round}"
        );
    }
    Ok(())
}

/// Expressions of so many scalars that no command buffer holds them.
fn evaluates_wide(device: &Device, seed: usize, rounds: usize) -> Result<()> {
    for round in 0..rounds {
        let values = host(10 + (seed * 31 + round * 7) % 300, seed + round);
        let scalars: Vec<f32> = (0..80).map(|nth| ((nth * 3 + seed + round) % 17) as f32 - 8.0).collect();
        let mut y = Array::from_slice(device, &values);
        for scalar in &scalars {
            y += *scalar;
        }
        let sum: f32 = scalars.iter().sum();
        let wanted: Vec<f32> = values.iter().map(|x| x + sum).collect();
        same_values(&y.to_vec()?, &wanted, &format!("wide: thread {seed}, round {round} on {}", name(device)));
    }
    Ok(())
}

/// One recording that is run again and again, by its own values and the library's kernels after it.
fn runs(device: &Device, seed: usize, rounds: usize) -> Result<()> {
    let values = host(100 + seed * 57, seed);
    let (x, mut y) = (Array::from_slice(device, &values), Array::<f32>::zeros(device, &[values.len()]));
    let mut own = Recording::new(device);
    own.add(Kernel::wgsl(STEPS)?.for_elements(values.len()).args((&x, 0u32, &mut y)))?;
    let z = &y * 3.0 + seed as f32;
    let mut library = Recording::of(&[&z])?;
    for round in 0..rounds as u32 {
        own.set(0, "steps", round)?;
        own.run()?;
        library.run()?;
        let wanted: Vec<f32> = values.iter().map(|x| (x + round as f32) * 3.0 + seed as f32).collect();
        same_values(&z.to_vec()?, &wanted, &format!("recording {seed}, round {round} on {}", name(device)));
    }
    Ok(())
}

#[test]
fn each_gets_its_own() {
    for device in drivers().chain(limited()) {
        let rounds = if is_checked(device) { 3 } else { 40 };
        scope(|threads| {
            for seed in 0..3 {
                threads.spawn(move || evaluates(device, seed, rounds).unwrap());
                threads.spawn(move || evaluates_wide(device, seed, rounds).unwrap());
                threads.spawn(move || runs(device, seed, rounds).unwrap());
            }
        });
        device.synchronize().unwrap();
    }
}
