//! Streams: work in different ones may run at the same time.

use crate::backend::current::{self, Enter};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::memory::Block;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// An order in which a device does what it is asked: one thing after the other in one stream, side by side in several.
/// A cheap handle: clones are the same stream.
///
/// All work goes into the device's main stream but for what [`Stream::run`] is given. Nothing need be said about what
/// depends on what: work waits, on the device, for the work in other streams that makes what it reads, or still uses what
/// it writes or frees. That order is by whole arrays, and waits for all that the other stream was asked for until then;
/// [`Stream::wait_for`] can do with less.
///
/// | engine | streams | what overlaps in any case |
/// |---|---|---|
/// | CUDA | its own: kernels and copies run at the same time, as far as there is room | |
/// | wgpu | one queue for all ([`Stream::is_concurrent`] is false): what they are asked for is done in the order of asking | the host's copies to and from staging memory with kernels |
/// | cpu | as wgpu | nothing: work is done when the call returns |
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::{Array, Stream};
/// let streams = [Stream::new(device)?, Stream::new(device)?];
/// let halves = [vec![1.0f32; 1000], vec![2.0; 1000]];
/// let sums: Vec<Array<f32>> = streams
///     .iter()
///     .zip(&halves)
///     .map(|(stream, half)| {
///         stream.run(|| {
///             let sum = (Array::from_slice(device, half) * 3.0).sum();
///             sum.eval()?;
///             Ok(sum)
///         })
///     })
///     .collect::<crosslane::Result<_>>()?;
/// assert_eq!((&sums[0] + &sums[1]).item()?, 9000.0); // in the main stream, after both
/// # Ok(()) });
/// ```
#[derive(Clone)]
pub struct Stream(Arc<Inner>);

struct Inner {
    device: Device,
    /// The engine's own, if it has several.
    block: Option<Block>,
}

impl Enter for Inner {
    fn block(&self) -> Option<&Block> {
        self.block.as_ref()
    }
}

impl Stream {
    /// A stream beside the main one. Dropped, it still does what it was asked to do.
    ///
    /// Costs some microseconds, and one that another was dropped for costs none: make them once, and few.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let stream = crosslane::Stream::new(device)?;
    /// assert_eq!(stream.device(), device);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: device lost.
    pub fn new(device: &Device) -> Result<Stream> {
        Stream::with(device, false)
    }

    /// A stream for a kernel that stays: one that runs for as long as the program does, and takes work from memory, say.
    /// Elsewhere memory is freed and the device waited for ([`Device::synchronize`]) as if this stream were not there; only
    /// who uses or frees what its work uses waits for it, and this stream's own [`Stream::synchronize`]. So keep the arrays
    /// that it uses. A [`crate::Recording`] that ran in it waits for it when it is dropped, and so does [`Device::trim`]:
    /// NVIDIA's driver gives memory back to the system when the card is idle.
    ///
    /// When the stream is dropped it is as any other: what is left in it is waited for.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Stream};
    /// let apart = Stream::detached(device)?;
    /// let x = apart.run(|| Array::arange(device, 0, 3, 1).copy());
    /// apart.run(|| x.eval())?;
    /// device.synchronize()?; // does not wait for it
    /// assert_eq!(x.to_vec()?, [0, 1, 2]); // does
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: device lost.
    pub fn detached(device: &Device) -> Result<Stream> {
        Stream::with(device, true)
    }

    fn with(device: &Device, detached: bool) -> Result<Stream> {
        let block = device.driver().new_stream(detached)?;
        Ok(Stream(Arc::new(Inner { device: device.clone(), block })))
    }

    /// The device whose stream it is.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// Whether work in it can run at the same time as work in other streams.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Stream;
    /// use crosslane::device::Backend;
    /// assert_eq!(Stream::new(device)?.is_concurrent(), device.properties().backend == Backend::Cuda);
    /// # Ok(()) });
    /// ```
    pub fn is_concurrent(&self) -> bool {
        self.0.block.is_some()
    }

    /// Runs `work` at once; what it asks of this stream's device goes into this stream: launches, the evaluation of
    /// arrays, transfers, events, and what `_async` calls begin. What CuPy calls `with stream`.
    ///
    /// Closures nest, the innermost counts. An array that `work` only builds is computed where it is evaluated. Other
    /// devices and other threads are not concerned.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Stream};
    /// let stream = Stream::new(device)?;
    /// let values = stream.run(|| Array::arange(device, 0, 3, 1).to_vec())?;
    /// assert_eq!(values, [0, 1, 2]);
    /// # Ok(()) });
    /// ```
    pub fn run<R>(&self, work: impl FnOnce() -> R) -> R {
        current::within(vec![self.0.clone()], work)
    }

    /// Waits until the stream has done what it was asked to do until now. Where there is one queue: everything. Assertions of
    /// kernels are told if no other stream does anything then; else by who waits later, at the latest by
    /// [`Device::synchronize`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Stream};
    /// let stream = Stream::new(device)?;
    /// stream.run(|| Array::<f32>::ones(device, &[10]).copy().eval())?;
    /// stream.synchronize()?;
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: device lost; a kernel whose loops did not end.
    #[doc(alias = "cudaStreamSynchronize")]
    pub fn synchronize(&self) -> Result<()> {
        self.run(|| {
            let device = &self.0.device;
            device.driver().wait_stream()?;
            device.look_in_stream()?;
            if device.driver().several() { Ok(()) } else { device.tell_faults() }
        })
    }

    /// What the stream is asked for from now on begins when the event has passed. The host does not wait. Arrays see to
    /// that by themselves; this is for work that they do not show, or to wait for a part of what another stream does.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Event, Stream};
    /// let (first, second) = (Stream::new(device)?, Stream::new(device)?);
    /// let event = first.run(|| Event::record(device))?;
    /// second.wait_for(&event)?;
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: an event of another device; device lost.
    #[track_caller]
    #[doc(alias = "cudaStreamWaitEvent")]
    pub fn wait_for(&self, event: &Event) -> Result<()> {
        if event.device() != &self.0.device {
            let (wanted, got) = (format!("one of {:?}", self.0.device), format!("one of {:?}", event.device()));
            return Err(Error::argument("Stream::wait_for", "event", wanted, got, Location::caller()));
        }
        self.run(|| self.0.device.driver().wait_in_stream(event.block()))
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({:?})", self.0.device)
    }
}
