//! Chunks of a long array go up, through a kernel and down again: one after the other in one stream, and in turns in two,
//! where a device has several, so that one chunk travels while another is computed. The first pipeline of every CUDA course.

mod timing;

use crosslane::share::Direction;
use crosslane::{Array, Device, Event, HostBuffer, Kernel, Result, Stream};
use std::time::{Duration, Instant};

/// Elements of a chunk, and chunks.
const CHUNK: usize = 1 << 20;
const CHUNKS: usize = 16;

/// As many steps as take about as long as a chunk on the bus.
const STEPS: u32 = 500;

const KERNEL: &str = "
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<uniform> steps: u32;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&x) { return; }
    var v = x[id.x];
    for (var k = 0u; k < steps; k++) { v = v * 1664525u + 1013904223u; }
    y[id.x] = v;
}";

/// What a chunk needs on its way: host memory that the device reads and writes by itself.
struct Way {
    stream: Stream,
    up: HostBuffer<u32>,
    down: HostBuffer<u32>,
    /// What is computed, and where it belongs.
    under_way: Option<(Array<u32>, usize)>,
}

impl Way {
    fn new(device: &Device) -> Result<Way> {
        Ok(Way {
            stream: Stream::new(device)?,
            up: HostBuffer::new(device, CHUNK, Direction::Upload)?,
            down: HostBuffer::new(device, CHUNK, Direction::Download)?,
            under_way: None,
        })
    }

    /// Uploads and computes. Nothing waits: the device works while the host goes on.
    fn send(&mut self, device: &Device, kernel: &Kernel, steps: u32, chunk: &[u32], index: usize) -> Result<()> {
        let Way { stream, up, .. } = self;
        let y = stream.run(|| -> Result<_> {
            up.fill(0, chunk)?;
            let x = up.upload()?;
            let mut y = Array::<u32>::empty(device, &[chunk.len()]);
            kernel.for_elements(chunk.len()).args((&x, steps, &mut y)).launch(device)?;
            Ok(y)
        })?;
        self.under_way = Some((y, index));
        Ok(())
    }

    /// Downloads what is under way.
    fn receive(&mut self, results: &mut [u32]) -> Result<()> {
        let Some((y, index)) = self.under_way.take() else { return Ok(()) };
        let Way { stream, down, .. } = self;
        stream.run(|| down.download(&y))?;
        results[index * CHUNK..][..CHUNK].copy_from_slice(down.as_slice()?);
        Ok(())
    }
}

/// All chunks through so many streams in turns; the time of the host.
fn pipeline(
    device: &Device,
    kernel: &Kernel,
    ways: &mut [Way],
    steps: u32,
    data: &[u32],
) -> Result<(Duration, Vec<u32>)> {
    let mut results = vec![0; data.len()];
    let begun = Instant::now();
    for (index, chunk) in data.chunks(CHUNK).enumerate() {
        let count = ways.len();
        let way = &mut ways[index % count];
        way.receive(&mut results)?;
        way.send(device, kernel, steps, chunk, index)?;
    }
    ways.iter_mut().try_for_each(|way| way.receive(&mut results))?;
    Ok((begun.elapsed(), results))
}

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    println!("{}", device.properties());
    let kernel = Kernel::wgsl(KERNEL)?;
    // The processor would take minutes over what keeps a card busy for a millisecond.
    let (chunks, steps) =
        if device.properties().kind == crosslane::device::DeviceKind::Software { (4, 3) } else { (CHUNKS, STEPS) };
    let data: Vec<u32> = (0..chunks * CHUNK).map(|i| i as u32).collect();
    let mut ways = [Way::new(&device)?, Way::new(&device)?];
    timing::warm(|| pipeline(&device, &kernel, &mut ways, steps, &data).map(drop))?; // compiles, and makes the memory
    let before = device.waits();
    let (mut one, first) = pipeline(&device, &kernel, &mut ways[..1], steps, &data)?;
    let (mut two, second) = pipeline(&device, &kernel, &mut ways, steps, &data)?;
    let waits = device.waits() - before;
    // The fastest of five: other work only adds time.
    for _ in 0..4 {
        one = one.min(pipeline(&device, &kernel, &mut ways[..1], steps, &data)?.0);
        two = two.min(pipeline(&device, &kernel, &mut ways, steps, &data)?.0);
    }

    let step = |v: u32| v.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    for (&result, &x) in first.iter().zip(&data).step_by(997) {
        assert_eq!(result, (0..steps).fold(x, |v, _| step(v)));
    }
    assert!(first == second, "two streams give what one gives");
    println!("{} chunks of {} MB are right; the host waited {waits} times", chunks, (CHUNK * 4) >> 20);
    println!("one stream {one:.2?}, two streams {two:.2?}");
    if !ways[0].stream.is_concurrent() {
        println!(
            "(this device has one queue: the second stream only lets the host work ahead, which gains nothing where the \
             device is the host's own processor; streams of CUDA overlap)"
        );
    }

    // The kernels' share, by the device's own clock.
    if device.caps().timestamps {
        let x = Array::from_slice(&device, &data[..CHUNK]);
        let mut y = Array::<u32>::empty(&device, &[CHUNK]);
        let start = Event::record(&device)?;
        kernel.for_elements(CHUNK).args((&x, steps, &mut y)).launch(&device)?;
        let end = Event::record(&device)?;
        println!("the kernel takes {:.2?} of each chunk's time", end.elapsed_since(&start)?);
    }
    println!("checked: two streams give what one gives");
    Ok(())
}
