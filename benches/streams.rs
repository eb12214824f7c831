//! Kernels bound by memory on the default device, for watching changes: `cargo bench --bench streams`.
//!
//! The host's clock around building, planning, running and waiting. `crosslane bench` has device time and large sizes.

use criterion::{BenchmarkId, Criterion, Throughput};
use crosslane::{Array, Device, Result};

/// Elements: a launch's cost shows in the first, memory in the last.
const SIZES: [usize; 3] = [1 << 10, 1 << 16, 1 << 20];

/// Name, bytes moved for an element, and the work on x and y.
type Case = (&'static str, u64, fn(&Array<f32>, &Array<f32>) -> Array<f32>);

const CASES: [Case; 3] = [
    ("triad_f32", 12, |x, y| x + y * 0.4),
    ("sum_f32", 4, |x, _| x.sum()),
    ("expression_sqrt", 8, |x, _| (x * 2.0 + 1.0).sqrt()),
];

fn bench(criterion: &mut Criterion, device: &Device) -> Result<()> {
    for (name, bytes, work) in CASES {
        let mut group = criterion.benchmark_group(name);
        for n in SIZES {
            let host: Vec<f32> = (0..n).map(|i| (i % 8) as f32).collect();
            let (x, y) = (Array::from_slice(device, &host), Array::from_slice(device, &host));
            let run = || work(&x, &y).eval().and_then(|()| device.synchronize());
            run()?; // an error ends the program here, before the clock runs
            group.throughput(Throughput::Bytes(bytes * n as u64));
            group.bench_function(BenchmarkId::from_parameter(n), |bencher| bencher.iter(run));
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
    let mut criterion = Criterion::default().configure_from_args();
    bench(&mut criterion, &device)?;
    criterion.final_summary();
    Ok(())
}
