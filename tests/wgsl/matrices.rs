//! Cooperative matrices: every size, role, type and order in memory against products on the host, exact in small integers.

use crate::judge::{Judge, judges};
use crate::support::{random, say};
use crosslane::cpu::Profile;
use crosslane::device::Backend;
#[cfg(feature = "cpu")]
use crosslane::{Argument, Array, Device};
use crosslane::{Kernel, f16};
use rand::Rng;

/// D = A B + C for one subgroup; `half` says whether A and B are f16, `across` whether B and C lie by columns.
fn source(size: usize, half: bool, across: bool, subgroup: u32) -> String {
    let (enable, ab) = if half { ("enable f16;", "f16") } else { ("", "f32") };
    let (load, store) = if across { ("coopLoad", "coopStore") } else { ("coopLoadT", "coopStoreT") };
    format!(
        "{enable} enable wgpu_cooperative_matrix;
@group(0) @binding(0) var<storage, read> a: array<{ab}>;
@group(0) @binding(1) var<storage, read> b: array<{ab}>;
@group(0) @binding(2) var<storage, read> c: array<f32>;
@group(0) @binding(3) var<storage, read_write> d: array<f32>;
@compute @workgroup_size({subgroup}) fn main() {{
    let x = coopLoadT<coop_mat{size}x{size}<{ab}, A>>(&a[0], {size}u);
    let y = {load}<coop_mat{size}x{size}<{ab}, B>>(&b[0], {size}u);
    let z = {load}<coop_mat{size}x{size}<f32, C>>(&c[0], {size}u);
    {store}(coopMultiplyAdd(x, y, z), &d[0], {size}u);
}}"
    )
}

fn check(judge: &Judge, size: usize, half: bool, across: bool, subgroup: u32) {
    let source = source(size, half, across, subgroup);
    let kernel = Kernel::wgsl(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let kernel = match judge {
        Judge::Device(device) if device.properties().backend == Backend::Cpu => kernel,
        // SAFETY: each matrix is loaded from and stored to a buffer of its size.
        _ => unsafe { kernel.trusted() },
    };
    let mut rng = random(size as u64);
    let mut numbers = || (0..size * size).map(|_| rng.random_range(-8..=8) as f32).collect::<Vec<f32>>();
    let (a, b, c) = (numbers(), numbers(), numbers());
    let singles = |x: &[f32]| -> Vec<u32> { bytemuck::pod_collect_to_vec(x) };
    let halves = |x: &[f32]| -> Vec<u32> {
        bytemuck::pod_collect_to_vec(&x.iter().map(|&x| f16::from_f32(x)).collect::<Vec<_>>())
    };
    let words = if half { halves } else { singles };
    let buffers = [words(&a), words(&b), singles(&c), vec![0x7fc0_dead; size * size]];
    let results = judge.run_kernel(&kernel, [1, 1, 1], &buffers).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let got: Vec<f32> = bytemuck::pod_collect_to_vec(&results[3]);
    let at = |row: usize, column: usize| if across { column * size + row } else { row * size + column };
    for row in 0..size {
        for column in 0..size {
            let product: f32 = (0..size).map(|k| a[row * size + k] * b[at(k, column)]).sum();
            let wanted = product + c[at(row, column)];
            assert_eq!(got[at(row, column)], wanted, "({row}, {column}) of {size}, half {half}, {}", judge.name());
        }
    }
}

#[test]
fn products() {
    for judge in judges() {
        if judge.caps().tensor.is_none() {
            say(&format!("cooperative matrices are not tested on {}: it has none", judge.name()));
            continue;
        }
        let subgroup = judge.caps().subgroups.expect("with matrices").1;
        for across in [false, true] {
            // What NVIDIA has; the cpu engine has all.
            check(judge, 16, true, across, subgroup);
            if matches!(judge, Judge::Device(device) if device.properties().backend == Backend::Cpu) {
                check(judge, 8, false, across, subgroup);
                check(judge, 8, true, across, subgroup);
                check(judge, 16, false, across, subgroup);
            }
        }
    }
}

/// The stride counts what the pointer points to: here vectors of four.
#[test]
#[cfg(feature = "cpu")]
fn strides_count_vectors() {
    let device = Device::cpu_checked().unwrap();
    let kernel = Kernel::wgsl(
        "enable wgpu_cooperative_matrix;
        @group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
        @group(0) @binding(1) var<storage, read_write> d: array<f32>;
        @compute @workgroup_size(32) fn main() {
            coopStoreT(coopLoadT<coop_mat8x8<f32, C>>(&a[1], 3u), &d[0], 8u);
        }",
    )
    .unwrap();
    let a: Vec<f32> = (0..100).map(|i| i as f32).collect();
    let d = Array::<f32>::empty(&device, &[64]);
    kernel
        .grid([1, 1, 1])
        .args([Argument::bytes_of(&Array::from_slice(&device, &a)), Argument::in_place(&d)])
        .launch(&device)
        .unwrap();
    let wanted: Vec<f32> = (0..64).map(|i| (4 + i / 8 * 12 + i % 8) as f32).collect();
    assert_eq!(d.to_vec().unwrap(), wanted);
}

/// However the elements are spread over a subgroup.
#[test]
#[cfg(feature = "cpu")]
fn subgroups_of_every_size() {
    for subgroup in [4, 8, 16, 32, 64, 128] {
        let judge = Judge::Device(Device::cpu_as(Profile { subgroup, ..Profile::native() }).unwrap());
        for size in [8, 16] {
            check(&judge, size, true, false, subgroup);
            check(&judge, size, false, true, subgroup);
        }
    }
}
