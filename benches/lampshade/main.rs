//! Scan, sort, selection, histogram and run lengths of 2^20 u32 by lampshade and by crosslane: through Vulkan on the same
//! device, and on the cpu engine. From memory to memory on the device, the median of several runs, each waited for.

use crosslane::{Array, Device, Scan};
use lampshade::pipeline::{GpuCount, GpuSlice, GpuSliceMut, Primitives, SortOptions};
use lampshade::{Context, Histogram, MaskGenerator, Scanner, U32Predicate};
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::time::Instant;
use wgpu::util::DeviceExt;

const N: u32 = 1 << 20;
const RUNS: usize = 11;

type Failure = Box<dyn std::error::Error>;

/// Milliseconds: the median, after one run that compiles kernels.
fn median(mut run: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    run()?;
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        run()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[RUNS / 2])
}

fn main() -> Result<(), Failure> {
    let mut rng = StdRng::seed_from_u64(1);
    let keys: Vec<u32> = (0..N).map(|_| rng.random()).collect();
    let small: Vec<u32> = keys.iter().map(|key| key >> 24).collect();
    let runs: Vec<u32> = (0..N).map(|i| i / 8).collect();
    let inputs = [&keys, &small, &runs];
    let theirs = lampshade(&inputs)?;
    let vulkan = ours(&Device::open("vulkan")?, &inputs)?;
    let cpu = ours(&Device::cpu()?, &inputs)?;
    println!("| ms, 2^20 u32 | lampshade | crosslane | cpu engine |\n|---|---|---|---|");
    for (((name, lampshade), vulkan), cpu) in theirs.into_iter().zip(vulkan).zip(cpu) {
        println!("| {name} | {lampshade:.1} | {vulkan:.1} | {cpu:.1} |");
    }
    Ok(())
}

/// In the order of [`lampshade`].
fn ours(device: &Device, [keys, small, runs]: &[&Vec<u32>; 3]) -> Result<Vec<f64>, Failure> {
    let [keys, small, runs] = [keys, small, runs].map(|host| Array::from_slice(device, host));
    let done = |array: &Array<u32>| -> Result<(), Failure> {
        array.eval()?;
        Ok(device.synchronize()?)
    };
    Ok(vec![
        median(|| done(&Scan::sum().exclusive().call(&keys)))?,
        median(|| done(&keys.sort()))?,
        median(|| done(keys.compress(&keys.greater_equal(1u32 << 31)).count_array()))?,
        median(|| done(&small.bincount(256)))?,
        median(|| done(runs.run_lengths().1.count_array()))?,
    ])
}

fn lampshade([keys, small, runs]: &[&Vec<u32>; 3]) -> Result<Vec<(&'static str, f64)>, Failure> {
    let context = pollster::block_on(Context::init())?;
    println!("lampshade on {} ({:?})", context.adapter_info.name, context.adapter_info.backend);
    let (device, queue) = (&context.device, &context.queue);
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let upload = |host: &[u32]| {
        let contents = bytemuck::cast_slice(host);
        device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents, usage })
    };
    let empty = |words: u32| {
        let size = 4 * words as u64;
        device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
    };
    let submit = |record: &mut dyn FnMut(&mut wgpu::CommandEncoder) -> Result<(), Failure>| -> Result<(), Failure> {
        let mut encoder = device.create_command_encoder(&Default::default());
        record(&mut encoder)?;
        queue.submit([encoder.finish()]);
        device.poll(wgpu::PollType::wait_indefinitely())?;
        Ok(())
    };
    let (keys, small, runs) = (upload(keys), upload(small), upload(runs));
    let (out, more, count, bins) = (empty(N), empty(N), empty(1), empty(256));
    let mask_bytes = MaskGenerator::mask_buffer_size(N)?;
    let mask = empty(mask_bytes.div_ceil(4) as u32);
    let (mut scanner, histogram) = (Scanner::from_context(&context), Histogram::from_context(&context));
    let mut primitives = Primitives::from_context(&context);
    let scan = median(|| submit(&mut |encoder| Ok(scanner.record_exclusive_scan(encoder, &keys, &out, N)?)))?;
    let (input, output) = (GpuSlice::from_range(&keys, 0..N)?, GpuSliceMut::from_range(&out, 0..N)?);
    let number = GpuCount::new(&count)?;
    let sort = median(|| {
        submit(&mut |encoder| {
            primitives.record(encoder).sort(input, output, SortOptions::default())?;
            Ok(())
        })
    })?;
    let wide = GpuSliceMut::from_range(&mask, 0..N)?;
    let select = median(|| {
        submit(&mut |encoder| {
            let mut recorder = primitives.record(encoder);
            let mask = recorder.mask(input, wide, U32Predicate::GreaterThanOrEqual(1 << 31))?;
            recorder.compact(input, mask, output, number)?;
            Ok(())
        })
    })?;
    let counts = median(|| submit(&mut |encoder| Ok(histogram.record_histogram(encoder, &small, &bins, N, 256)?)))?;
    let (input, lengths) = (GpuSlice::from_range(&runs, 0..N)?, GpuSliceMut::from_range(&more, 0..N)?);
    let encode = median(|| {
        submit(&mut |encoder| {
            primitives.record(encoder).run_length_encode(input, output, lengths, number)?;
            Ok(())
        })
    })?;
    Ok(vec![
        ("exclusive sum", scan),
        ("sort", sort),
        ("select half", select),
        ("histogram, 256", counts),
        ("run lengths, 8 each", encode),
    ])
}
