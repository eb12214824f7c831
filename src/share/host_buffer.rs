//! Host memory that the device reads or writes directly: pinned memory in CUDA's terms.

use crate::array::Array;
use crate::device::Device;
use crate::element::Element;
use crosslane_core::engine::HostBlock;
use crosslane_core::error::{Error, ErrorKind, Result};
use crosslane_core::memory::{Direction, Memory};
use crosslane_core::trace::SpanKind;
use crosslane_core::trace::recorder::Open;
use std::marker::PhantomData;
use std::panic::Location;

/// Mapped host memory for `len` elements. A transfer through it needs no copy on the host, so it runs at the speed of
/// the bus. Where host and device share memory, [`Array::from_slice`] and [`Array::read_into`] copy once and are as
/// fast.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::HostBuffer;
/// use crosslane::share::Direction;
/// let mut upload = HostBuffer::<f32>::new(device, 1000, Direction::Upload)?;
/// upload.fill(0, &vec![1.0; 1000])?;
/// let array = upload.upload()?;
/// let mut download = HostBuffer::<f32>::new(device, 1000, Direction::Download)?;
/// download.download(&array)?;
/// assert_eq!(download.as_slice()?[999], 1.0);
/// # Ok(()) });
/// ```
pub struct HostBuffer<T: Element> {
    device: Device,
    block: Box<dyn HostBlock>,
    len: usize,
    direction: Direction,
    /// What the program copied in, where the device keeps lineage.
    kept: Option<Vec<u8>>,
    marker: PhantomData<T>,
}

impl<T: Element> HostBuffer<T> {
    /// Allocates `len` elements, at least one.
    ///
    /// Errors: a type or size that the device does not have; out of memory.
    #[track_caller]
    pub fn new(device: &Device, len: usize, direction: Direction) -> Result<HostBuffer<T>> {
        crate::array::check::<T>("HostBuffer::new", device, &[len], Location::caller())?;
        let bytes = crosslane_ops::buffer_bytes(T::DTYPE, len);
        let limit = device.caps().buffer_bytes;
        if bytes > limit {
            let (operation, at) = ("HostBuffer::new", Some(Location::caller()));
            let device = device.properties().label();
            return Err(ErrorKind::TooLarge { operation, bytes, limit, device, at }.into());
        }
        let at = Location::caller();
        let block = device.driver().clone().host_block(bytes, direction);
        let block = block.map_err(|e| device.pool().with_figures(e, "HostBuffer::new", bytes).located(at))?;
        let keeps = device.keeps_lineage() && direction == Direction::Upload;
        let kept =
            keeps.then(|| crosslane_core::memory::zeros("HostBuffer::new", len * size_of::<T>(), at)).transpose()?;
        Ok(HostBuffer { device: device.clone(), block, len, direction, kept, marker: PhantomData })
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[track_caller]
    fn check(&self, operation: &'static str, wanted: Direction) -> Result<()> {
        if self.direction == wanted {
            return Ok(());
        }
        let (wanted, got) = (format!("{wanted:?}"), format!("{:?}", self.direction));
        Err(Error::argument(operation, "direction of the buffer", wanted, got, Location::caller()))
    }

    /// Copies `values` in, from element `start` on.
    ///
    /// Errors: not an upload buffer; the values do not fit; device lost.
    #[track_caller]
    pub fn fill(&mut self, start: usize, values: &[T]) -> Result<()> {
        self.check("HostBuffer::fill", Direction::Upload)?;
        if start.checked_add(values.len()).is_none_or(|end| end > self.len) {
            let got = format!("{} from {start} on", values.len());
            let wanted = format!("at most {} elements", self.len);
            return Err(Error::argument("HostBuffer::fill", "values", wanted, got, Location::caller()));
        }
        let (start, bytes) = (start * size_of::<T>(), bytemuck::cast_slice(values));
        self.block.fill(start, bytes)?;
        if let Some(kept) = &mut self.kept {
            kept[start..][..bytes.len()].copy_from_slice(bytes);
        }
        Ok(())
    }

    /// A new one-dimensional array with the buffer's elements. Does not wait for the copy: the next use of the buffer
    /// waits if the copy is not done by then.
    ///
    /// Errors: not an upload buffer; out of memory; device lost.
    #[track_caller]
    pub fn upload(&mut self) -> Result<Array<T>> {
        self.check("HostBuffer::upload", Direction::Upload)?;
        let (array, memory) = Array::uninitialised(&self.device, &[self.len])?;
        if self.len > 0 {
            self.transfer(&memory, 0)?;
        }
        if let Some(kept) = &self.kept {
            array.keep_uploaded(kept, Location::caller())?;
        }
        Ok(array)
    }

    /// Copies the elements of `array`, in row-major order, into the buffer, and waits for them.
    ///
    /// Errors: not a download buffer; a length other than the buffer's; out of memory; device lost.
    #[track_caller]
    pub fn download(&mut self, array: &Array<T>) -> Result<()> {
        self.check("HostBuffer::download", Direction::Download)?;
        if *array.check()?.device() != self.device {
            let (wanted, got) = (format!("{:?}", self.device), format!("{:?}", array.device()));
            return Err(Error::argument("HostBuffer::download", "device", wanted, got, Location::caller()));
        }
        if array.len() != self.len {
            let (wanted, got) = (format!("{} elements", self.len), format!("{}", array.len()));
            return Err(Error::argument("HostBuffer::download", "array", wanted, got, Location::caller()));
        }
        let (memory, offset) = array.contiguous_memory()?;
        if self.len > 0 {
            self.transfer(&memory, offset)?;
        }
        self.device.faults_of(&memory)?;
        self.device.look_in_stream()
    }

    /// Copies all of it to the device or from it.
    fn transfer(&mut self, memory: &Memory, offset: u64) -> Result<()> {
        let bytes = (self.len * size_of::<T>()).next_multiple_of(4) as u64;
        let _span = transfer_span(&self.device, self.direction, "host buffer", bytes)?;
        self.block.transfer(memory, offset, bytes)
    }

    /// As [`HostBuffer::upload`], without blocking the executor. Returns the buffer with the array.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::HostBuffer;
    /// use crosslane::share::Direction;
    /// let mut buffer = HostBuffer::new(device, 3, Direction::Upload)?;
    /// buffer.fill(0, &[1, 2, 3])?;
    /// let (_buffer, array) = futures::executor::block_on(buffer.upload_async())?;
    /// assert_eq!(array.to_vec()?, [1, 2, 3]);
    /// # Ok(()) });
    /// ```
    pub fn upload_async(mut self) -> impl Future<Output = Result<(HostBuffer<T>, Array<T>)>> + Send + use<T> {
        let device = self.device.clone();
        device.in_background(Box::new(move || {
            let array = self.upload()?;
            Ok((self, array))
        }))
    }

    /// As [`HostBuffer::download`], without blocking the executor. Returns the buffer with the elements.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, HostBuffer};
    /// use crosslane::share::Direction;
    /// let array = Array::arange(device, 0u32, 3, 1);
    /// let buffer = HostBuffer::new(device, 3, Direction::Download)?;
    /// let buffer = futures::executor::block_on(buffer.download_async(&array))?;
    /// assert_eq!(buffer.as_slice()?, [0, 1, 2]);
    /// # Ok(()) });
    /// ```
    pub fn download_async(mut self, array: &Array<T>) -> impl Future<Output = Result<HostBuffer<T>>> + Send + use<T> {
        let (device, array) = (self.device.clone(), array.clone());
        device.in_background(Box::new(move || {
            self.download(&array)?;
            Ok(self)
        }))
    }

    /// The elements of the last download.
    ///
    /// Errors: not a download buffer; its last transfer failed.
    #[track_caller]
    pub fn as_slice(&self) -> Result<&[T::Stored]> {
        self.check("HostBuffer::as_slice", Direction::Download)?;
        let bytes = self.block.bytes()?;
        Ok(bytemuck::cast_slice(&bytes[..self.len * size_of::<T>()]))
    }
}

/// A transfer's span while a profile runs, on a device that is idle.
pub(super) fn transfer_span<'a>(
    device: &'a Device,
    direction: Direction,
    name: &str,
    bytes: u64,
) -> Result<Option<Open<'a>>> {
    let driver = device.driver();
    let recorder = &driver.observer().recorder;
    let kind = match direction {
        Direction::Upload => SpanKind::Upload,
        Direction::Download => SpanKind::Download,
    };
    if recorder.running() {
        driver.wait()?; // what came before is not to count as the transfer
    }
    Ok(recorder.open(kind, name, bytes))
}
