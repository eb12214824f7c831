//! Events: points in a device's work, to wait for or to measure time between.

use crate::device::Device;
use crosslane_core::error::{Error, ErrorKind, Result};
use crosslane_core::memory::Block;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

/// A point in a stream: all work queued before it is done when it has passed. A cheap handle: clones are the same
/// event.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::{Array, Event};
/// # if !device.caps().timestamps { return Ok(()) }
/// let start = Event::record(device)?;
/// let x = Array::<f32>::ones(device, &[1000]).exp();
/// x.eval()?;
/// let end = Event::record(device)?;
/// println!("{:?}", end.elapsed_since(&start)?);
/// assert!(end.is_done()?);
/// # Ok(()) });
/// ```
#[derive(Clone)]
#[doc(alias = "cudaEvent")]
pub struct Event {
    device: Device,
    block: Arc<Block>,
}

impl Event {
    /// Records the point after all work queued so far in this thread's stream: the main one, outside of
    /// [`crate::Stream::run`]. Does not wait.
    ///
    /// Costs about 1 us of the host on CUDA; on wgpu a submission of its own, about 20 us.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let event = crosslane::Event::record(device)?;
    /// event.wait()?;
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: device lost.
    pub fn record(device: &Device) -> Result<Event> {
        Ok(Event { device: device.clone(), block: Arc::new(device.driver().record(true)?) })
    }

    /// The event's device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn block(&self) -> &Block {
        &self.block
    }

    /// Whether everything before the event is done. Does not wait.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let event = crosslane::Event::record(device)?;
    /// while !event.is_done()? {
    ///     std::thread::yield_now(); // or something useful
    /// }
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: device lost.
    #[doc(alias = "cudaEventQuery")]
    pub fn is_done(&self) -> Result<bool> {
        self.device.driver().is_done(&self.block)
    }

    /// Waits until everything before the event is done.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let event = crosslane::Event::record(device)?;
    /// event.wait()?;
    /// assert!(event.is_done()?);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: device lost; on CUDA also a kernel whose loops did not end; other engines report that at the next wait
    /// for the device.
    #[doc(alias = "cudaEventSynchronize")]
    pub fn wait(&self) -> Result<()> {
        self.device.driver().wait_event(&self.block)?;
        self.device.look(false)
    }

    /// As [`Event::wait`], without blocking the executor: the device's own thread waits, after its earlier tasks. The
    /// future runs on any executor.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let event = crosslane::Event::record(device)?;
    /// futures::executor::block_on(event.wait_async())?;
    /// # Ok(()) });
    /// ```
    pub fn wait_async(&self) -> impl Future<Output = Result<()>> + Send + use<> {
        let own = self.clone();
        self.device.awaited(move || own.wait())
    }

    /// The time from an earlier event to this one by the device's own clock; zero if the other one is later. Waits for
    /// both. The cpu engine uses the host's clock.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Event;
    /// # if !device.caps().timestamps { return Ok(()) }
    /// let (start, end) = (Event::record(device)?, Event::record(device)?);
    /// assert!(end.elapsed_since(&start)?.as_secs() < 1);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: events of two devices; a device without timestamps ([`crate::device::Caps::timestamps`]); device lost.
    #[track_caller]
    #[doc(alias = "cudaEventElapsedTime")]
    pub fn elapsed_since(&self, earlier: &Event) -> Result<Duration> {
        let at = Location::caller();
        if self.device != earlier.device {
            let (wanted, got) = (format!("an event of {:?}", self.device), format!("one of {:?}", earlier.device));
            return Err(Error::argument("Event::elapsed_since", "earlier", wanted, got, at));
        }
        for event in [earlier, self] {
            if !event.is_done()? {
                event.wait()?;
            }
        }
        let driver = self.device.driver();
        driver.between(&earlier.block, &self.block)?.ok_or_else(|| {
            ErrorKind::Unsupported {
                operation: "Event::elapsed_since",
                wanted: "timestamps".into(),
                device: driver.properties().label(),
                help: "take the host's time around Device::synchronize()".into(),
                at: Some(at),
            }
            .into()
        })
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event({:?})", self.device)
    }
}
