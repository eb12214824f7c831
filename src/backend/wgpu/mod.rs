//! The portable engine: WGSL through wgpu on Vulkan, Metal, DX12 and GL.

mod adapter;
mod clock;
mod encode;
mod order;
mod pinned;
mod pipeline;
mod staging;
mod stamps;
mod trace;
mod wait;

use super::order::Waits;
use super::{Block, Cost, Driver, HostBlock, Launch, Mapping, Observer, Options, Read, Write, lent};
use crate::caps::Caps;
use crate::device::{Kind, Properties};
use crate::error::{Error, ErrorKind, Result};
use crate::memory::{Direction, Memory, Place};
use clock::Clock;
use pipeline::{Cache, Groups, Pipeline, UNIFORM_BYTES};
use std::any::Any;
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;
use wgpu::BufferUsages;

/// A wgpu device and what this engine keeps for it.
pub(crate) struct Wgpu {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    properties: Properties,
    cache: Cache,
    lost: Arc<Mutex<Option<String>>>,
    uniforms: Mutex<Option<Uniforms>>,
    upload: Mutex<staging::Ring>,
    download: Mutex<staging::Ring>,
    clock: Mutex<Option<Clock>>,
    observer: Observer,
    /// There while a profile runs.
    timer: Mutex<Option<trace::Timer>>,
    stamps: stamps::Free,
    waits: Waits,
    /// Held to write while an array is mapped, to read while work is submitted: a mapped buffer cannot be used.
    mapping: RwLock<()>,
}

/// A launch with all that it needs.
struct Prepared {
    pipeline: Arc<Pipeline>,
    groups: Groups,
    params: Vec<u32>,
    grid: [u32; 3],
    cost: Cost,
}

/// Parameters too many for the command buffer.
struct Uniforms {
    buffer: wgpu::Buffer,
    group: wgpu::BindGroup,
}

impl Prepared {
    /// Into a pass that has its pipeline.
    fn dispatch(&self, pass: &mut wgpu::ComputePass, uniforms: Option<(&wgpu::BindGroup, u32)>) {
        pass.set_bind_group(0, &self.groups.first, &[]);
        for (group, index) in self.groups.more.iter().flat_map(|more| more.iter()).zip(1..) {
            pass.set_bind_group(index, group, &[]);
        }
        if self.pipeline.immediates {
            pass.set_immediates(0, bytemuck::cast_slice(&self.params));
        }
        if let Some((uniforms, offset)) = uniforms.filter(|_| self.pipeline.uniform) {
            pass.set_bind_group(1, uniforms, &[offset]);
        }
        let [x, y, z] = self.grid;
        pass.dispatch_workgroups(x, y, z);
    }
}

/// Launches in one submission: the device begins with the first while the host records the next.
const TOGETHER: usize = 128;

pub(super) fn list() -> Vec<Properties> {
    adapter::adapters().iter().map(|adapter| adapter::properties(adapter, false)).collect()
}

pub(super) fn open(index: usize, options: &Options) -> Result<Arc<dyn Driver>> {
    let adapters = adapter::adapters();
    let adapter = adapters.get(index).ok_or_else(|| {
        Error::from(ErrorKind::NoDevice {
            wanted: index.to_string(),
            looked: format!("{} devices found", adapters.len()),
            install: "list them again".into(),
        })
    })?;
    let (device, queue) = adapter::request(adapter, options.staged)?;
    Ok(Arc::new(Wgpu::new(adapter::properties(adapter, options.staged), device, queue)))
}

/// An engine over a device that the program already has.
pub(crate) fn adopt(adapter: &wgpu::Adapter, device: wgpu::Device, queue: wgpu::Queue) -> Arc<dyn Driver> {
    let properties = adapter::describe(&adapter.get_info(), device.features(), &device.limits());
    Arc::new(Wgpu::new(properties, device, queue))
}

/// The wgpu buffer behind device memory.
pub(crate) fn buffer(memory: &Memory) -> &wgpu::Buffer {
    memory.block().downcast_ref().expect("memory of a wgpu device is a wgpu buffer")
}

/// Error scopes of every kind around some calls on this thread.
struct Scopes([wgpu::ErrorScopeGuard; 3]);

impl Scopes {
    fn push(device: &wgpu::Device) -> Scopes {
        Scopes([
            device.push_error_scope(wgpu::ErrorFilter::OutOfMemory),
            device.push_error_scope(wgpu::ErrorFilter::Internal),
            device.push_error_scope(wgpu::ErrorFilter::Validation),
        ])
    }

    /// The first error, if any.
    fn pop(self) -> Option<wgpu::Error> {
        let [memory, internal, validation] = self.0;
        // Native wgpu answers at once; scopes must be popped innermost first.
        let validation = pollster::block_on(validation.pop());
        let internal = pollster::block_on(internal.pop());
        let memory = pollster::block_on(memory.pop());
        memory.or(internal).or(validation)
    }
}

impl Wgpu {
    fn new(properties: Properties, device: wgpu::Device, queue: wgpu::Queue) -> Wgpu {
        let lost = Arc::new(Mutex::new(None));
        let note = lost.clone();
        device.set_device_lost_callback(move |reason, message| {
            *note.lock().expect("no panic while held") = Some(format!("{reason:?}: {message}; open the device again"));
        });
        Wgpu {
            upload: Mutex::new(staging::Ring::new(Direction::Upload)),
            download: Mutex::new(staging::Ring::new(Direction::Download)),
            device,
            queue,
            properties,
            cache: Cache::default(),
            lost,
            uniforms: Mutex::default(),
            clock: Mutex::default(),
            observer: Observer::default(),
            timer: Mutex::default(),
            stamps: stamps::Free::default(),
            waits: Waits::default(),
            mapping: RwLock::default(),
        }
    }

    /// An error if the device is lost.
    fn alive(&self) -> Result<()> {
        match &*self.lost.lock().expect("no panic while held") {
            None => Ok(()),
            Some(reason) => {
                Err(ErrorKind::DeviceLost { device: self.properties.name.clone(), reason: reason.clone() }.into())
            }
        }
    }

    /// Runs `calls` and turns what wgpu says into an error.
    fn guarded<R>(&self, operation: &'static str, calls: impl FnOnce() -> R) -> Result<R> {
        let scopes = Scopes::push(&self.device);
        let result = calls();
        let error = scopes.pop();
        self.alive()?;
        match error {
            None => Ok(result),
            Some(wgpu::Error::OutOfMemory { .. }) => Err(ErrorKind::OutOfMemory {
                operation,
                requested: 0,
                live: 0,
                pooled: 0,
                limit: None,
                free: None,
                device: self.properties.name.clone(),
                at: None,
            }
            .into()),
            Some(other) => Err(self.backend_error(operation, other.to_string())),
        }
    }

    fn backend_error(&self, operation: &'static str, message: String) -> Error {
        ErrorKind::Backend { operation, device: self.properties.name.clone(), message }.into()
    }

    fn create_buffer(&self, operation: &'static str, size: u64, usage: BufferUsages) -> Result<wgpu::Buffer> {
        let descriptor = wgpu::BufferDescriptor { label: Some(operation), size, usage, mapped_at_creation: false };
        self.guarded(operation, || self.device.create_buffer(&descriptor))
    }

    /// Looks up each launch's pipeline and bind group.
    fn look_up(&self, launches: &[Launch]) -> Result<Vec<Prepared>> {
        refuse_lent(launches)?;
        let caps = &self.properties.caps;
        let one = |launch: &Launch| {
            let recorder = &self.observer.recorder;
            let pipeline = self.cache.pipeline(&self.device, &self.properties.name, caps, &launch.kernel, recorder)?;
            let groups = self.cache.groups(&self.device, &pipeline, &launch.kernel, &launch.buffers);
            let (params, grid, cost) = (launch.params.clone(), launch.grid.fold(caps.grid), launch.cost());
            Ok(Prepared { pipeline, groups, params, grid, cost })
        };
        self.guarded("launch", || launches.iter().map(one).collect())?
    }

    /// Records launches into one compute pass.
    fn record(&self, encoder: &mut wgpu::CommandEncoder, launches: &[Prepared]) -> Result<()> {
        if launches.is_empty() {
            return Ok(());
        }
        let (uniforms, offsets) = self.write_uniforms(launches)?;
        let mut clock = self.clock.lock().expect("no panic while held");
        let timestamp_writes = clock.as_mut().and_then(|clock| clock.next());
        let label = Some(launches[0].pipeline.kernel.name());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label, timestamp_writes });
        dispatch(&mut pass, launches, uniforms.as_ref(), &offsets);
        Ok(())
    }

    /// Writes the parameters that do not travel inside the command buffer; gives the offset of each.
    fn write_uniforms(&self, launches: &[Prepared]) -> Result<(Option<wgpu::BindGroup>, Vec<u32>)> {
        if !launches.iter().any(|launch| launch.pipeline.uniform) {
            return Ok((None, vec![]));
        }
        let (bytes, offsets) = pack_uniforms(launches);
        let size = (bytes.len() as u64 + UNIFORM_BYTES).next_power_of_two().max(1 << 16);
        let mut uniforms = self.uniforms.lock().expect("no panic while held");
        if uniforms.as_ref().is_none_or(|u| u.buffer.size() < size) {
            *uniforms = Some(self.uniforms(size)?);
        }
        let uniforms = uniforms.as_ref().expect("just made");
        // Ordered before the next submission and after the last: the buffer can be used again each time.
        self.queue.write_buffer(&uniforms.buffer, 0, &bytes);
        Ok((Some(uniforms.group.clone()), offsets))
    }

    /// Room for so many bytes of parameters.
    fn uniforms(&self, size: u64) -> Result<Uniforms> {
        let buffer = self.create_buffer("parameters", size, BufferUsages::UNIFORM | BufferUsages::COPY_DST)?;
        let binding = wgpu::BufferBinding { buffer: &buffer, offset: 0, size: wgpu::BufferSize::new(UNIFORM_BYTES) };
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("parameters"),
            layout: &self.cache.uniform_layout(&self.device),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(binding) }],
        });
        Ok(Uniforms { buffer, group })
    }

    fn submit_launches(&self, launches: &[Prepared]) -> Result<()> {
        self.alive()?;
        if let Some(timer) = &mut *self.timer() {
            return self.submit_timed(launches, timer);
        }
        self.guarded("submit", || {
            launches.chunks(TOGETHER).try_for_each(|launches| {
                let mut encoder = self.encoder();
                self.record(&mut encoder, launches)?;
                self.queue_up(encoder);
                Ok(())
            })
        })?
    }

    fn queue_up(&self, encoder: wgpu::CommandEncoder) {
        let commands = encoder.finish();
        let _unmapped = self.mapping.read().expect("no panic while held");
        self.queue.submit([commands]);
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("crosslane") })
    }

    /// Whether arrays can be mapped where they lie.
    fn unified(&self) -> bool {
        self.properties.caps.unified
    }
}

/// An error if the host sees memory that one of the launches uses.
fn refuse_lent(launches: &[Launch]) -> Result<()> {
    match launches.iter().flat_map(|launch| &launch.buffers).any(|window| window.memory.is_lent()) {
        true => Err(lent("launch")),
        false => Ok(()),
    }
}

/// Records launches into a pass. The parameters of some lie at these offsets of `uniforms`.
fn dispatch(pass: &mut wgpu::ComputePass, launches: &[Prepared], uniforms: Option<&wgpu::BindGroup>, offsets: &[u32]) {
    let mut current: *const Pipeline = std::ptr::null();
    for (index, launch) in launches.iter().enumerate() {
        if current != Arc::as_ptr(&launch.pipeline) {
            pass.set_pipeline(&launch.pipeline.raw);
            current = Arc::as_ptr(&launch.pipeline);
        }
        launch.dispatch(pass, uniforms.map(|uniforms| (uniforms, offsets[index])));
    }
}

/// The parameters that do not travel inside the command buffer, and the offset of each launch's: none if none does.
fn pack_uniforms(launches: &[Prepared]) -> (Vec<u8>, Vec<u32>) {
    if !launches.iter().any(|launch| launch.pipeline.uniform) {
        return (vec![], vec![]);
    }
    let mut bytes: Vec<u8> = Vec::new();
    let mut offsets = Vec::with_capacity(launches.len());
    for launch in launches {
        bytes.resize(bytes.len().next_multiple_of(256), 0);
        offsets.push(bytes.len() as u32);
        if launch.pipeline.uniform {
            bytes.extend_from_slice(bytemuck::cast_slice(&launch.params));
        }
    }
    (bytes, offsets)
}

impl Driver for Wgpu {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn caps(&self) -> &Caps {
        &self.properties.caps
    }

    fn allocate(&self, bytes: u64, _used: u64, place: Place) -> Result<Block> {
        let mut usage = BufferUsages::STORAGE | BufferUsages::UNIFORM | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        if self.unified() {
            usage |= BufferUsages::MAP_READ | BufferUsages::MAP_WRITE;
        } else if place == Place::Result && self.device.features().contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS) {
            usage |= BufferUsages::MAP_READ;
        }
        Ok(Box::new(self.create_buffer("array", bytes, usage)?))
    }

    fn forget(&self) {
        self.cache.forget();
    }

    fn prepare(&self, launches: &[Launch]) -> Result<Block> {
        self.alive()?;
        Ok(Box::new(self.look_up(launches)?))
    }

    fn submit_prepared(&self, prepared: &Block, launches: &[Launch]) -> Result<()> {
        refuse_lent(launches)?;
        let launches: &Vec<Prepared> = prepared.downcast_ref().expect("prepared by this engine");
        self.submit_launches(launches)
    }

    fn submit(&self, launches: &[Launch]) -> Result<()> {
        self.alive()?;
        self.submit_launches(&self.look_up(launches)?)
    }

    fn wait(&self) -> Result<()> {
        self.waits.one();
        self.idle("wait")
    }

    fn write(&self, writes: &[Write]) -> Result<()> {
        self.alive()?;
        let _span = self.observer.recorder.upload(writes);
        match self.unified() {
            true => self.write_mapped(writes),
            false => self.write_staged(writes),
        }
    }

    fn read(&self, mut launches: &[Launch], reads: &mut [Read]) -> Result<()> {
        self.alive()?;
        if reads.iter().any(|read| read.from.is_lent()) {
            return Err(lent("read"));
        }
        if self.observer.recorder.running() {
            // What came before is not to count as the transfer.
            self.submit(std::mem::take(&mut launches))?;
            self.finish()?;
        }
        self.waits.one();
        let _span = self.observer.recorder.download(reads);
        match reads.iter().all(|read| buffer(read.from).usage().contains(BufferUsages::MAP_READ)) {
            true => {
                if !launches.is_empty() {
                    self.submit(launches)?;
                }
                self.read_mapped(reads)
            }
            false => self.read_staged(launches, reads),
        }
    }

    fn host_block(self: Arc<Self>, bytes: u64, direction: Direction) -> Result<Box<dyn HostBlock>> {
        pinned::PinnedBlock::create(self, bytes, direction)
    }

    fn mapped(self: Arc<Self>, memory: &Arc<Memory>, offset: u64, bytes: u64) -> Result<Option<Box<dyn Mapping>>> {
        self.map_for_host(memory, offset, bytes)
    }

    fn start_clock(&self) -> Result<bool> {
        if !self.properties.caps.timestamps {
            return Ok(false);
        }
        let mut clock = self.clock.lock().expect("no panic while held");
        if clock.is_none() {
            *clock = Some(Clock::new(self)?);
        }
        clock.as_mut().expect("just made").start();
        Ok(true)
    }

    fn stop_clock(&self) -> Result<Duration> {
        self.waits.one();
        let mut clock = self.clock.lock().expect("no panic while held");
        let result = clock.as_mut().map_or(Ok(Duration::ZERO), |clock| clock.stop(self));
        if result.is_err() {
            *clock = None;
        }
        result
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

    /// What runs on the processor runs a workgroup on each thread; of cards wgpu does not say it.
    fn units(&self) -> Option<u32> {
        (self.properties.kind == Kind::Software).then(|| crate::threads::count() as u32)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
