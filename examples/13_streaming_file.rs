//! Streaming: a file larger than the device's memory goes through a kernel piece by piece, the next piece on its way
//! while the device computes and the last result comes back.

use crosslane::device::MemoryUse;
use crosslane::{Device, Kernel, Result, Streamed};
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Each number becomes a mixture of its bits, so that a piece that is lost or in the wrong place shows.
const MIX: &str = "
    @group(0) @binding(0) var<storage, read> x: array<u32>;
    @group(0) @binding(1) var<storage, read_write> y: array<u32>;
    @compute @workgroup_size(256)
    fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>) {
        let i = id.y * count.x * 256u + id.x;
        if i < arrayLength(&y) { y[i] = (x[i] ^ (x[i] >> 15u)) * 2654435761u + 1u; }
    }
";

/// The same on the host.
fn mixed(x: u32) -> u32 {
    (x ^ (x >> 15)).wrapping_mul(2654435761).wrapping_add(1)
}

/// What a run did.
pub struct Summary {
    /// Of the file.
    pub bytes: usize,
    /// From opening the file until its last number was checked.
    pub time: Duration,
    /// Reading the file and nothing else.
    pub reading: Duration,
    /// The device's memory at the end.
    pub memory: MemoryUse,
}

/// Streams a file of `bytes` through the device in pieces of `piece` bytes, and checks every number that comes out.
///
/// While this thread reads the file or looks at results, the device's own thread copies pieces to the device, and
/// results back. A piece's array is described here, and computed there.
pub fn stream(device: &Device, bytes: usize, piece: usize) -> Result<Summary> {
    let (path, wanted) = write_file(bytes);
    let reading = read_alone(&path, piece);
    // Two pieces arrive, two results return, and the pool rounds up: the file does not fit.
    device.trim();
    device.set_memory_limit(Some(device.memory().live + 8 * piece as u64));
    let mix = Kernel::wgsl(MIX)?;
    let start = Instant::now();
    let results = Streamed::<u32>::from_file(device, &path)?.chunk(piece / 4).try_map(|x| {
        let mut y = device.acquire::<u32>(x.len());
        mix.for_elements(x.len()).args((x, &mut y)).launch(device)?;
        Ok(y)
    });
    let (mut at, mut sum) = (0, 0u64);
    results.for_each(|piece| {
        sum = piece.iter().fold(sum, |sum, &y| check_sum(sum, y));
        at += size_of_val(piece);
        Ok(())
    })?;
    let time = start.elapsed();
    std::fs::remove_file(&path).ok();
    assert_eq!((at, sum), (bytes, wanted), "the host's arithmetic gives the same");
    Ok(Summary { bytes: at, time, reading, memory: device.memory() })
}

/// Depends on the order.
fn check_sum(sum: u64, y: u32) -> u64 {
    sum.wrapping_mul(31).wrapping_add(y as u64)
}

/// A file of numbers, and what their mixtures sum up to.
fn write_file(bytes: usize) -> (PathBuf, u64) {
    let name = format!("crosslane_streaming_{}_{:?}.bin", std::process::id(), std::thread::current().id());
    let path = std::env::temp_dir().join(name);
    let mut file = BufWriter::new(File::create(&path).expect("a folder for temporary files"));
    let mut wanted = 0u64;
    for i in 0..bytes as u32 / 4 {
        let x = i.wrapping_mul(747796405);
        file.write_all(&x.to_le_bytes()).expect("room on the disk");
        wanted = check_sum(wanted, mixed(x));
    }
    file.flush().expect("room on the disk");
    (path, wanted)
}

/// How long it takes to read the file, so much at a time.
fn read_alone(path: &Path, piece: usize) -> Duration {
    let mut buffer = vec![0; piece];
    let start = Instant::now();
    let mut file = File::open(path).expect("just written");
    while let Ok(1..) = file.read(&mut buffer) {}
    start.elapsed()
}

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    println!("on {}", device.properties());
    let (bytes, piece) = (64 << 20, 2 << 20);
    let Summary { bytes, time, reading, memory } = stream(&device, bytes, piece)?;
    let (file, limit) = (bytes >> 20, memory.limit.unwrap_or(0) >> 20);
    println!("a file of {file} MiB through at most {limit} MiB of device memory, {} MiB at a time", piece >> 20);
    let seconds = time.as_secs_f64();
    println!("{:8.1} ms in all, {:.2} GB/s each way", seconds * 1e3, bytes as f64 / seconds * 1e-9);
    println!("{:8.1} ms to read the file alone", reading.as_secs_f64() * 1e3);
    println!(
        "memory: {} allocated, {} taken from the pool, peak {} MiB",
        memory.misses,
        memory.hits,
        memory.peak >> 20
    );
    println!("checked: every number is as the host computes it");
    Ok(())
}
