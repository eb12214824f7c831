//! Streams: work in different ones may run at the same time.

use crate::device::Device;
use crate::event::Event;
use crosslane_core::engine::current::{self, Enter};
use crosslane_core::error::{Error, Result};
use crosslane_core::memory::Block;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// A queue of work on a device. Work in one stream runs in order; work in different streams may overlap. A cheap
/// handle: clones are the same stream.
///
/// All work goes into the device's main stream, except work inside [`Stream::run`]. Dependencies are found
/// automatically: work waits, on the device, for work in other streams that writes what it reads, or that still uses
/// what it writes or frees. Dependencies are tracked by whole arrays, and wait for all work queued in the other stream
/// so far. [`Stream::wait_for`] can wait for less.
///
/// | engine | streams | what overlaps in any case |
/// |---|---|---|
/// | CUDA | its own: kernels and copies overlap if the device has room | |
/// | wgpu | one queue for all ([`Stream::is_concurrent`] is false): work is done in the order in which it is queued | the host's copies to and from staging memory with kernels |
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
    /// Creates a stream. Work queued in it completes even if the stream is dropped.
    ///
    /// Costs some microseconds, none if a dropped stream can be reused. Create few streams, once.
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

    /// A stream for a persistent kernel: one that runs as long as the program and takes its work from memory, say.
    /// [`Device::synchronize`] and freeing memory do not wait for this stream. Only work that uses or frees the same
    /// memory waits for it, and its own [`Stream::synchronize`]. So keep the arrays that it uses. A
    /// [`crate::Recording`] that ran in it waits for it when it is dropped, and so does [`Device::trim`]: NVIDIA's
    /// driver gives memory back to the system when the card is idle.
    ///
    /// Once dropped, the stream is waited for like any other.
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

    /// The stream's device.
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

    /// Calls `work` at once. Everything that it queues on this stream's device goes into this stream: launches, the
    /// evaluation of arrays, transfers, events, and the work of `_async` calls. CuPy's `with stream`.
    ///
    /// Closures nest; the innermost stream applies. An array that `work` builds but does not evaluate is computed in
    /// the stream where it is evaluated later. Other devices and threads are not affected.
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

    /// Waits until all work queued in the stream so far is done. On engines with one queue, waits for everything.
    /// Failed assertions are reported if no other stream is busy; otherwise by a later wait, at the latest
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

    /// Work queued in this stream from now on starts after the event. The host does not wait. Dependencies between
    /// arrays need no such call; it is for dependencies outside of arrays, or to wait for only part of another stream's
    /// work.
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
