//! Streaming: a file larger than the device's memory goes through a kernel piece by piece, the next piece on its way
//! while the device computes and the last result comes back.

use crosslane::device::MemoryUse;
use crosslane::share::Direction;
use crosslane::{Array, Device, HostBuffer, Kernel, Result};
use futures::executor::block_on;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
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
    /// Of that, reading the file.
    pub reading: Duration,
    /// The device's memory at the end.
    pub memory: MemoryUse,
}

/// Streams a file of `bytes` through the device in pieces of `piece` bytes, and checks every number that comes out.
///
/// Two buffers a way: one is filled from the file while the device reads the other; one is looked at by the host while
/// the device fills the other.
pub fn stream(device: &Device, bytes: usize, piece: usize) -> Result<Summary> {
    let (path, wanted) = write_file(bytes);
    // No more than three pieces in and three out, with what the pool rounds up: the file does not fit.
    device.trim();
    device.set_memory_limit(Some(device.memory().live + 8 * piece as u64));
    let mix = Kernel::wgsl(MIX)?;
    let numbers = piece / 4;
    let mut up = Vec::new();
    let mut down = Vec::new();
    for _ in 0..2 {
        up.push(HostBuffer::<u32>::new(device, numbers, Direction::Upload)?);
        down.push(HostBuffer::<u32>::new(device, numbers, Direction::Download)?);
    }
    let start = Instant::now();
    let (mut file, mut reading, mut sum, mut at) = (File::open(&path).expect("just written"), Duration::ZERO, 0u64, 0);
    let mut arriving = None;
    let mut returning = None;
    let mut buffer = vec![0u32; numbers];
    loop {
        // The host reads the file while the device has the piece before it.
        let reading_since = Instant::now();
        let count = read_numbers(&mut file, &mut buffer);
        reading += reading_since.elapsed();
        let mut next = None;
        if count > 0 {
            let mut host = up.pop().expect("one of the two is free");
            buffer[count..].fill(0);
            host.fill(0, &buffer)?;
            next = Some((host.upload_async(), count));
        }
        // What arrived meanwhile is computed, and begins to return.
        let mut computed = None;
        if let Some((upload, count)) = arriving.take() {
            let (host, x): (HostBuffer<u32>, Array<u32>) = block_on(upload)?;
            up.push(host);
            let mut y = device.acquire::<u32>(numbers);
            mix.for_elements(numbers).args((&x, &mut y)).launch(device)?;
            let host = down.pop().expect("one of the two is free");
            computed = Some((host.download_async(&y), count));
        }
        // What returned is checked.
        if let Some((download, count)) = returning.take() {
            let host: HostBuffer<u32> = block_on(download)?;
            sum = host.as_slice()?[..count].iter().fold(sum, |sum, &y| check_sum(sum, y));
            at += count * 4;
            down.push(host);
        }
        (arriving, returning) = (next, computed);
        if arriving.is_none() && returning.is_none() {
            break;
        }
    }
    let time = start.elapsed();
    std::fs::remove_file(&path).ok();
    assert_eq!((at, sum), (bytes, wanted), "the host's arithmetic gives the same");
    let memory = device.memory();
    Ok(Summary { bytes: at, time, reading, memory })
}

/// Depends on the order.
fn check_sum(sum: u64, y: u32) -> u64 {
    sum.wrapping_mul(31).wrapping_add(y as u64)
}

/// A file of numbers, and what their mixtures sum up to.
fn write_file(bytes: usize) -> (std::path::PathBuf, u64) {
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

/// Fills the buffer as far as the file goes.
fn read_numbers(file: &mut File, buffer: &mut [u32]) -> usize {
    let mut bytes = vec![0; buffer.len() * 4];
    let mut filled = 0;
    while let Ok(count @ 1..) = file.read(&mut bytes[filled..]) {
        filled += count;
    }
    let numbers = bytes[..filled].chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().expect("four bytes")));
    buffer.iter_mut().zip(numbers).for_each(|(to, number)| *to = number);
    filled / 4
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
    println!("{:8.1} ms of that reading the file", reading.as_secs_f64() * 1e3);
    println!(
        "memory: {} allocated, {} taken from the pool, peak {} MiB",
        memory.misses,
        memory.hits,
        memory.peak >> 20
    );
    println!("checked: every number is as the host computes it");
    Ok(())
}
