//! A small case of each operation, on the default device, for watching changes: `cargo bench --bench operations [-- NAME]`.
//!
//! `operations/NAME` is the largest small case in the table that the tests run: its kernels, launched and waited for.
//! `arrays/NAME/SIDE` is a method of an array: building, planning, running and waiting. The clock is the host's.
//! `crosslane bench` has device time and large sizes, and checks results. A program of `cli/Cargo.toml`, which asks for the
//! table of cases.

use criterion::{BenchmarkId, Criterion, Throughput};
use crosslane::ops::cases::{ALL, timed};
use crosslane::{Array, Device, Result};
use std::time::Duration;

/// Sides of the square matrices that operations take: a launch's cost shows in the first, memory in the last.
const SIDES: [usize; 2] = [32, 512];

/// Of what a case is a rate.
#[derive(Clone, Copy)]
enum Per {
    /// Bytes that must move for an element.
    Bytes(u64),
    /// Elements.
    Elements,
    /// Operations of a matrix product.
    Product,
}

/// Name, rate, and the work on two matrices: it is evaluated and waited for.
type Case = (&'static str, Per, fn(&Array<f32>, &Array<f32>) -> Result<()>);

const CASES: [Case; 11] = [
    ("triad_f32", Per::Bytes(12), |x, y| (x + y * 0.4).eval()),
    ("expression_sqrt", Per::Bytes(8), |x, _| (x * 2.0 + 1.0).sqrt().eval()),
    ("sum_f32", Per::Bytes(4), |x, _| x.sum().eval()),
    ("sum_columns_f32", Per::Bytes(4), |x, _| x.sum_axes(0).eval()),
    ("inclusive_sum_f32", Per::Bytes(8), |x, _| x.flatten().cumsum(0).eval()),
    ("sort_f32", Per::Elements, |x, _| x.flatten().sort().eval()),
    ("histogram_256_f32", Per::Bytes(4), |x, _| x.histogram(256, 0.0..1.0)?.0.eval()),
    ("matmul_f32", Per::Product, |x, y| x.matmul(y).eval()),
    ("softmax_rows_f32", Per::Bytes(8), |x, _| x.softmax(1).eval()),
    ("transpose_f32", Per::Bytes(8), |x, _| x.transpose().copy().eval()),
    ("there_and_back", Per::Bytes(8), |x, _| Array::from_slice(x.device(), &x.to_vec()?).eval()),
];

/// Numbers in [0, 1), the same in each run.
fn random(count: usize, seed: u32) -> Vec<f32> {
    let mixed = |i: u32| (i ^ seed).wrapping_mul(0x9e37_79b9).rotate_left(13).wrapping_mul(0x85eb_ca6b);
    (0..count as u32).map(|i| (mixed(i) >> 8) as f32 / (1 << 24) as f32).collect()
}

/// A case of each operation, its kernels alone.
fn operations(criterion: &mut Criterion, device: &Device) -> Result<()> {
    let mut group = criterion.benchmark_group("operations");
    for &(name, cases) in ALL {
        let case = timed(cases, device.caps()).expect("a test wants one of each operation");
        let run = device.prepare_op(&*case.op, &case.slots())?;
        run()?;
        println!("{name}: {}", case.what);
        group.throughput(Throughput::Bytes(case.op.bytes()));
        group.bench_function(name, |bencher| bencher.iter(&run));
    }
    group.finish();
    Ok(())
}

fn arrays(criterion: &mut Criterion, device: &Device) -> Result<()> {
    for (name, per, work) in CASES {
        let mut group = criterion.benchmark_group(format!("arrays/{name}"));
        for side in SIDES {
            let [x, y] = [1, 2].map(|seed| Array::from_shape(device, &[side, side], &random(side * side, seed)));
            let run = || work(&x, &y).and_then(|()| device.synchronize());
            run()?; // an error ends the program here, before the clock runs
            let elements = (side * side) as u64;
            group.throughput(match per {
                Per::Bytes(bytes) => Throughput::Bytes(bytes * elements),
                Per::Elements => Throughput::Elements(elements),
                Per::Product => Throughput::Elements(2 * elements * side as u64),
            });
            group.bench_function(BenchmarkId::from_parameter(side), |bencher| bencher.iter(run));
        }
        group.finish();
    }
    Ok(())
}

fn main() -> Result<()> {
    let device = match Device::new() {
        Ok(device) => device,
        Err(error) => {
            println!("not measured: {error}");
            return Ok(());
        }
    };
    println!("on {}", device.properties());
    let criterion =
        Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    let mut criterion = criterion.sample_size(20).configure_from_args();
    operations(&mut criterion, &device)?;
    arrays(&mut criterion, &device)?;
    criterion.final_summary();
    Ok(())
}
