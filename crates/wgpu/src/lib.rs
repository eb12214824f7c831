//! Internal to `crosslane`, and of its version. The portable engine: WGSL through wgpu on Vulkan, Metal, DX12 and GL.

mod adapter;
mod awaited;
mod barriers;
#[cfg(not(target_family = "wasm"))]
mod blocking;
#[cfg(target_family = "wasm")]
mod browser;
mod buffer;
mod clock;
mod dedicated;
mod encode;
mod guard;
mod joined;
mod line;
mod mapped;
mod nesting;
#[cfg(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd"))]
mod null;
mod order;
#[cfg(target_family = "wasm")]
pub mod page;
mod pinned;
mod pipeline;
mod rings;
mod staging;
mod stamps;
mod subgroups;
mod submit;
#[cfg(test)]
mod tests;
mod told;
mod trace;
mod uniforms;
mod wait;

#[cfg(not(target_family = "wasm"))]
use blocking as answers;
#[cfg(target_family = "wasm")]
use browser as answers;
use buffer::{Buffer, buffer};
pub use buffer::{adopted, shown};
use clock::Clock;
use crosslane_core::caps::Caps;
use crosslane_core::engine::{
    Compiling, Driver, Engine, Exclusive, Habits, HostBlock, Interop, Mapping, Observer, Options, Substitutes, Tracing,
    Waits, lent,
};
use crosslane_core::error::{Error, ErrorKind, Result};
use crosslane_core::kernel::Kernel;
use crosslane_core::memory::{Allocator, Block, Direction, Memory, Place};
use crosslane_core::platform::BROWSER;
use crosslane_core::properties::{DeviceKind, Properties};
use crosslane_core::work::{Launch, Read, Write};
use line::Line;
use pipeline::Cache;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;
use submit::{Prepared, refuse_lent};
use wgpu::BufferUsages;

/// A wgpu device and what this engine keeps for it.
pub struct Wgpu {
    /// The device of wgpu, the program's own where it was adopted.
    pub device: wgpu::Device,
    /// The queue that launches and copies are submitted to.
    pub queue: wgpu::Queue,
    properties: Properties,
    cache: Cache,
    lost: Arc<Mutex<Option<String>>>,
    told: told::Told,
    uniforms: uniforms::Free,
    upload: rings::Rings,
    download: rings::Rings,
    clock: Mutex<Option<Clock>>,
    observer: Observer,
    /// There while a profile runs.
    timer: Mutex<Option<trace::Timer>>,
    stamps: stamps::Free,
    waits: Waits,
    line: Line,
    joined: joined::Joined,
    /// Buffers of more bytes than this are dedicated allocations.
    shared_most: u64,
    /// For threads that outlive what starts them.
    me: Weak<Wgpu>,
    /// Taken when it closes, and given back after all else has: fields are dropped in their order.
    closing: Option<Exclusive>,
}

impl Drop for Wgpu {
    fn drop(&mut self) {
        self.closing = Some(Exclusive::take());
    }
}

/// The engine. What its devices are called is up to their drivers.
pub const ENGINE: Engine =
    Engine { name: "wgpu", reaches: "Vulkan, Metal, DX12 and GL through wgpu", list, open, request: |_, _| None };

/// All adapters; a page asks for its own (`page.rs`).
fn adapters() -> Vec<wgpu::Adapter> {
    answers::now(adapter::adapters()).unwrap_or_default()
}

fn list() -> Vec<Properties> {
    adapters().iter().map(|adapter| adapter::properties(adapter, &Options::default())).collect()
}

fn open(index: usize, options: &Options) -> Result<Arc<dyn Driver>> {
    let adapters = adapters();
    let adapter = adapters.get(index).ok_or_else(|| {
        Error::from(ErrorKind::NoDevice {
            wanted: index.to_string(),
            looked: format!("{} devices found", adapters.len()),
            install: "list them again".into(),
        })
    })?;
    #[cfg(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd"))]
    if adapter::is_null(&adapter.get_info()) {
        return null::open(adapter, adapter::properties(adapter, options));
    }
    let (device, queue) = answers::now(adapter::request(adapter, options)).ok_or_else(|| told::blocks("open"))??;
    let most = device.limits().max_buffer_size.min(options.shared_most.unwrap_or(u64::MAX));
    Ok(Wgpu::new(adapter::properties(adapter, options), device, queue, most))
}

/// An engine over a device that the program already has.
pub fn adopt(adapter: &wgpu::Adapter, device: wgpu::Device, queue: wgpu::Queue) -> Arc<dyn Driver> {
    let properties = adapter::describe(adapter, device.features(), &device.limits());
    let most = device.limits().max_buffer_size;
    let engine = Wgpu::new(properties, device, queue, most);
    engine.share();
    engine
}

impl Wgpu {
    fn new(properties: Properties, device: wgpu::Device, queue: wgpu::Queue, shared_most: u64) -> Arc<Wgpu> {
        let properties = subgroups::checked(properties.opened(), &device, &queue);
        let lost = Arc::new(Mutex::new(None));
        let note = lost.clone();
        device.set_device_lost_callback(move |reason, message| {
            *note.lock().expect("no panic while held") = Some(format!("{reason:?}: {message}; open the device again"));
        });
        Arc::new_cyclic(|me| Wgpu {
            upload: rings::Rings::new(Direction::Upload),
            download: rings::Rings::new(Direction::Download),
            device,
            queue,
            properties,
            cache: Cache::default(),
            lost,
            told: told::Told::default(),
            uniforms: Default::default(),
            clock: Mutex::default(),
            observer: Observer::default(),
            timer: Mutex::default(),
            stamps: stamps::Free::default(),
            waits: Waits::default(),
            line: Line::new(),
            joined: Default::default(),
            shared_most,
            me: me.clone(),
            closing: None,
        })
    }

    /// Whether arrays can be mapped where they lie.
    fn unified(&self) -> bool {
        self.properties.caps.unified
    }

    fn clock(&self) -> MutexGuard<'_, Option<Clock>> {
        self.clock.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Allocator for Wgpu {
    /// Bind groups would keep its buffer.
    fn let_go(&self) {
        self.forget();
    }

    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn caps(&self) -> &Caps {
        &self.properties.caps
    }

    fn allocate(&self, bytes: u64, _used: u64, place: Place) -> Result<Block> {
        if bytes > self.shared_most {
            return Ok(Box::new(Buffer::new(self.create_dedicated(bytes)?)));
        }
        let mut usage = BufferUsages::STORAGE | BufferUsages::UNIFORM | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        if self.unified() {
            usage |= BufferUsages::MAP_READ | BufferUsages::MAP_WRITE;
        } else if place == Place::Result && self.device.features().contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS) {
            usage |= BufferUsages::MAP_READ;
        }
        Ok(Box::new(Buffer::new(self.create_buffer("array", bytes, usage)?)))
    }

    fn forget(&self) {
        self.cache.forget();
    }

    fn wait(&self) -> Result<()> {
        self.waits.one();
        self.idle("wait")
    }
}

impl Driver for Wgpu {
    fn habits(&self) -> Habits {
        // A browser ends what takes too long.
        Habits { rounds_uniforms: true, stops_loops: BROWSER, ..Habits::default() }
    }

    fn prepare(&self, launches: &[Launch]) -> Result<Block> {
        self.begin()?;
        Ok(Box::new(self.look_up(launches)?))
    }

    fn submit_prepared(&self, prepared: &Block, launches: &[Launch]) -> Result<()> {
        self.begin()?;
        refuse_lent(launches)?;
        let prepared: &Vec<Prepared> = prepared.downcast_ref().expect("prepared by this engine");
        self.submit_launches(prepared, launches)
    }

    fn submit(&self, launches: &[Launch]) -> Result<()> {
        self.begin()?;
        self.submit_launches(&self.look_up(launches)?, launches)
    }

    fn write(&self, writes: &[Write]) -> Result<()> {
        self.begin()?;
        let _span = self.observer.recorder.upload(writes);
        if BROWSER {
            return writes.iter().try_for_each(|write| self.write_small(write)); // by the browser's own staging memory
        }
        match writes.iter().all(|write| buffer(write.to).usage().contains(BufferUsages::MAP_WRITE)) {
            true => self.write_mapped(writes),
            false => self.write_staged(writes),
        }
    }

    fn read(&self, mut launches: &[Launch], reads: &mut [Read], accepted: &mut dyn FnMut()) -> Result<()> {
        self.begin()?;
        if reads.iter().any(|read| read.from.is_lent()) {
            return Err(lent("read"));
        }
        if BROWSER {
            return self.await_read(launches, reads, accepted);
        }
        if self.observer.recorder.running() {
            // What came before is not to count as the transfer.
            self.submit(std::mem::take(&mut launches))?;
            self.finish()?;
        } else if launches.iter().any(|launch| launch.kernel.is_slice()) {
            self.submit(std::mem::take(&mut launches))?;
        }
        self.waits.one();
        let _span = self.observer.recorder.download(reads);
        match reads.iter().all(|read| buffer(read.from).usage().contains(BufferUsages::MAP_READ)) {
            true => self.read_mapped(launches, reads, accepted),
            false => self.read_staged(launches, reads, accepted),
        }
    }

    fn host_block(self: Arc<Self>, bytes: u64, direction: Direction) -> Result<Box<dyn HostBlock>> {
        if BROWSER {
            return Err(told::blocks("host buffer")); // it would be mapped by then
        }
        pinned::PinnedBlock::create(self, bytes, direction)
    }

    /// What runs on the processor runs a workgroup on each thread; of cards wgpu does not say it.
    fn units(&self) -> Option<u32> {
        (self.properties.kind == DeviceKind::Software).then(|| crosslane_core::threads::count() as u32)
    }
}

impl Compiling for Wgpu {
    fn compile(&self, kernel: &Kernel) -> Result<Vec<(String, u64)>> {
        let (caps, recorder) = (&self.properties.caps, &self.observer.recorder);
        let made =
            self.guarded("compile", || self.cache.pipeline(&self.device, &self.properties, caps, kernel, recorder))?;
        made.map(|_| vec![]).map_err(|error| self.or_lost(error))
    }
}

impl Tracing for Wgpu {
    fn start_clock(&self) -> Result<bool> {
        if !self.properties.caps.timestamps {
            return Ok(false);
        }
        let mut clock = self.clock();
        if clock.is_none() {
            *clock = Some(Clock::new(self)?);
        }
        clock.as_mut().expect("just made").start();
        Ok(true)
    }

    fn stop_clock(&self) -> Result<Duration> {
        self.waits.one();
        // It is held by no one while the device is waited for: what others submit meanwhile is not timed.
        let Some(mut clock) = self.clock().take() else { return Ok(Duration::ZERO) };
        let time = clock.stop(self)?;
        self.clock().get_or_insert(clock);
        Ok(time)
    }

    fn observer(&self) -> &Observer {
        &self.observer
    }

    fn start_trace(&self) -> Result<bool> {
        self.start_timer()
    }

    fn stop_trace(&self) -> Result<()> {
        self.stop_timer()
    }
}

impl Interop for Wgpu {
    fn mapped(self: Arc<Self>, memory: &Arc<Memory>, offset: u64, bytes: u64) -> Result<Option<Box<dyn Mapping>>> {
        self.map_for_host(memory, offset, bytes)
    }
}

impl Substitutes for Wgpu {}
