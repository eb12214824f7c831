//! One array with a host and a device side, of which only changed ranges are copied.

mod sync;

use super::ranges::Ranges;
use crate::array::Array;
use crate::device::Device;
use crate::element::{DType, Element};
use crosslane_core::error::Result;
use crosslane_core::memory::Direction;
use std::ops::Range;
use std::panic::Location;
use sync::Side;

/// Where the current elements of a [`Unified`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(alias = "BufferState")]
pub enum UnifiedState {
    /// There is no device side yet.
    HostOnly,
    /// There is no host side yet.
    DeviceOnly,
    /// Both sides hold the same.
    InSync,
    /// The host has changed elements that are not copied to the device yet.
    HostDirty,
    /// The device may have changed elements that are not copied to the host yet.
    DeviceDirty,
}

/// The copies of a [`Unified`] since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transfers {
    /// Ranges copied to the device.
    pub uploads: u64,
    /// Their bytes.
    pub uploaded_bytes: u64,
    /// Ranges copied to the host.
    pub downloads: u64,
    /// Their bytes.
    pub downloaded_bytes: u64,
}

/// One array with a host side and a device side. Accessing a side brings it up to date; accessing it for writing marks
/// it as changed. Only changed ranges are copied, and no explicit copy is needed.
///
/// | call | copies before | marks as changed |
/// |---|---|---|
/// | [`host`](Unified::host), [`host_range`](Unified::host_range) | the device's changes (in the range) | |
/// | [`host_mut`](Unified::host_mut), [`host_range_mut`](Unified::host_range_mut) | the device's changes | all, or the range, on the host |
/// | [`device`](Unified::device) | the host's changes | |
/// | [`device_mut`](Unified::device_mut), [`device_range_mut`](Unified::device_range_mut) | the host's changes | all, or the range, on the device |
///
/// The borrow is the guard: while one side is borrowed the other cannot be accessed, so at most one side is ahead. Up
/// to 64 changed ranges are tracked. Beyond that the closest are merged, and the elements between them are copied too.
///
/// Where host and device share memory ([`Caps::unified`](crate::device::Caps::unified)) there are still two sides, and
/// a copy is one pass over that memory; [`Array::map_memory`] reads without a copy.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::Unified;
/// use crosslane::share::UnifiedState;
/// let mut x = Unified::<f32>::new(device, &[10_000])?;
/// x.host_range_mut(0..5000)?.fill(1.0); // all of the host's work first
/// x.host_range_mut(5000..10_000)?.fill(2.0);
/// assert_eq!(x.device()?.sum().item()?, 15_000.0); // copied here, once
/// x.host_range_mut(3..4)?[0] = 10.0;
/// assert_eq!(x.state(), UnifiedState::HostDirty);
/// assert_eq!(x.device()?.max().item()?, 10.0); // copies four bytes
/// assert_eq!(x.transfers().uploaded_bytes, 40_004);
/// # Ok(()) });
/// ```
#[doc(alias = "UnifiedBuffer")]
#[doc(alias = "cudaMallocManaged")]
pub struct Unified<T: Element> {
    device: Device,
    shape: Vec<usize>,
    /// At least one of the two is there.
    host: Option<Side<T>>,
    array: Option<Array<T>>,
    /// With two sides, where one is ahead. One of them is empty.
    host_dirty: Ranges,
    device_dirty: Ranges,
    transfers: Transfers,
}

impl<T: Element> Unified<T> {
    /// Zeros on the host; the device side is made at its first access.
    ///
    /// Errors: a type or size that the device does not have; the host is out of memory.
    #[track_caller]
    pub fn new(device: &Device, shape: &[usize]) -> Result<Unified<T>> {
        let at = Location::caller();
        crate::array::check::<T>("Unified::new", device, shape, at)?;
        let values =
            T::from_stored(crosslane_core::memory::zeros("Unified::new", crosslane_core::layout::count(shape), at)?);
        Ok(Unified::with(device, shape, Some(Side::Plain(values)), None))
    }

    /// As [`Unified::new`], with the host's side in pinned memory, which the card reads and writes directly, where the
    /// engine has that: on CUDA, for all types but `bool`. Copies then run at the speed of the bus. wgpu cannot pin a
    /// program's memory, and the cpu engine need not: there it is as `new`, and [`Unified::is_pinned`] is false.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut x = crosslane::Unified::<f32>::pinned(device, &[1000])?;
    /// x.host_mut()?.fill(2.0);
    /// assert_eq!(x.device()?.sum().item()?, 2000.0);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Unified::new`]; out of memory.
    #[doc(alias = "cudaHostAlloc")]
    #[track_caller]
    pub fn pinned(device: &Device, shape: &[usize]) -> Result<Unified<T>> {
        let at = Location::caller();
        crate::array::check::<T>("Unified::pinned", device, shape, at)?;
        let bytes = crosslane_ops::buffer_bytes(T::DTYPE, shape.iter().product());
        let pins = T::DTYPE != DType::Bool && device.driver().pins();
        if !pins || bytes > device.caps().buffer_bytes {
            return Unified::new(device, shape);
        }
        let block = device.driver().clone().host_block(bytes, Direction::Upload);
        let block = block.map_err(|e| device.pool().with_figures(e, "Unified::pinned", bytes).located(at))?;
        Ok(Unified::with(device, shape, Some(Side::Pinned(block)), None))
    }

    /// These elements in one dimension, on the host; the vector becomes the host's side.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut x = crosslane::Unified::from_vec(device, vec![1, 2, 3])?;
    /// assert_eq!(x.device()?.sum().item()?, 6);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Unified::new`].
    #[track_caller]
    pub fn from_vec(device: &Device, values: Vec<T>) -> Result<Unified<T>> {
        let shape = [values.len()];
        crate::array::check::<T>("Unified::from_vec", device, &shape, Location::caller())?;
        Ok(Unified::with(device, &shape, Some(Side::Plain(values)), None))
    }

    /// An array as the device's side; the host's side is made at its first access.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Unified};
    /// use crosslane::share::UnifiedState;
    /// let mut x = Unified::from_array(Array::<f32>::ones(device, &[3]))?;
    /// assert_eq!(x.state(), UnifiedState::DeviceOnly);
    /// assert_eq!(x.host()?, [1.0; 3]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: the error that the array holds.
    pub fn from_array(array: Array<T>) -> Result<Unified<T>> {
        let (device, shape) = (array.check()?.device().clone(), array.shape().to_vec());
        Ok(Unified::with(&device, &shape, None, Some(array)))
    }

    fn with(device: &Device, shape: &[usize], host: Option<Side<T>>, array: Option<Array<T>>) -> Unified<T> {
        Unified {
            device: device.clone(),
            shape: shape.to_vec(),
            host,
            array,
            host_dirty: Ranges::default(),
            device_dirty: Ranges::default(),
            transfers: Transfers::default(),
        }
    }

    /// The extent of each dimension.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the host's side is in pinned memory, which the card reads and writes directly.
    pub fn is_pinned(&self) -> bool {
        matches!(self.host, Some(Side::Pinned(_)))
    }

    /// Which side is up to date.
    pub fn state(&self) -> UnifiedState {
        match (&self.host, &self.array) {
            (_, None) => UnifiedState::HostOnly,
            (None, _) => UnifiedState::DeviceOnly,
            _ if !self.host_dirty.is_empty() => UnifiedState::HostDirty,
            _ if !self.device_dirty.is_empty() => UnifiedState::DeviceDirty,
            _ => UnifiedState::InSync,
        }
    }

    /// The elements, in row-major order, that the side that is ahead has changed, and that the next copy will copy.
    /// Empty with one side only.
    pub fn dirty(&self) -> &[Range<usize>] {
        if self.host_dirty.is_empty() { self.device_dirty.as_slice() } else { self.host_dirty.as_slice() }
    }

    /// The copies so far.
    pub fn transfers(&self) -> Transfers {
        self.transfers
    }

    /// The elements on the host, in row-major order.
    ///
    /// Errors: as [`Array::to_vec`]; a device side of another shape or device, if the program has put one there.
    #[track_caller]
    pub fn host(&mut self) -> Result<&[T]> {
        self.host_range(0..self.len())
    }

    /// As [`Unified::host`], for a range of the elements: copies only what the device has changed there.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut x = crosslane::Unified::<u32>::new(device, &[1000])?;
    /// *x.device_mut()? += 1;
    /// assert_eq!(x.host_range(10..13)?, [1, 1, 1]);
    /// assert_eq!(x.transfers().downloaded_bytes, 12);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Unified::host`]; a range past the end.
    #[track_caller]
    pub fn host_range(&mut self, range: Range<usize>) -> Result<&[T]> {
        self.inside("host_range", &range)?;
        self.download(range.clone())?;
        let len = self.len();
        Ok(&self.host.as_ref().expect("just made").slice(len)[range])
    }

    /// The elements on the host, to write.
    ///
    /// Errors: as [`Unified::host`].
    #[track_caller]
    pub fn host_mut(&mut self) -> Result<&mut [T]> {
        self.host_range_mut(0..self.len())
    }

    /// As [`Unified::host_mut`], for a range of the elements: only that will be copied to the device.
    ///
    /// Errors: as [`Unified::host`]; a range past the end.
    #[track_caller]
    pub fn host_range_mut(&mut self, range: Range<usize>) -> Result<&mut [T]> {
        self.inside("host_range_mut", &range)?;
        self.sync_to_host()?;
        if self.array.is_some() {
            self.host_dirty.insert(range.clone());
        }
        let len = self.len();
        Ok(&mut self.host.as_mut().expect("just made").slice_mut(len)[range])
    }

    /// The elements on the device.
    ///
    /// Errors: as [`Array::write`]; a device side of another shape or device, if the program has put one there.
    #[track_caller]
    pub fn device(&mut self) -> Result<&Array<T>> {
        self.upload()?;
        Ok(self.array.as_ref().expect("just made"))
    }

    /// The elements on the device, to write: by a kernel, by assignment to a part, or as a whole by another array of the
    /// same shape in place of this one.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Unified};
    /// let mut x = Unified::from_vec(device, vec![1.0f32, 4.0, 9.0])?;
    /// let roots = x.device()?.sqrt();
    /// *x.device_mut()? = roots;
    /// assert_eq!(x.host()?, [1.0, 2.0, 3.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Unified::device`].
    #[track_caller]
    pub fn device_mut(&mut self) -> Result<&mut Array<T>> {
        self.device_range_mut(0..self.len())
    }

    /// As [`Unified::device_mut`], where the program knows that only a range of the elements will be changed: only that
    /// will be copied to the host.
    ///
    /// Errors: as [`Unified::device`]; a range past the end.
    #[track_caller]
    pub fn device_range_mut(&mut self, range: Range<usize>) -> Result<&mut Array<T>> {
        self.inside("device_range_mut", &range)?;
        self.upload()?;
        if self.host.is_some() {
            self.device_dirty.insert(range);
        }
        Ok(self.array.as_mut().expect("just made"))
    }

    /// Copies the host's changes to the device now, rather than at the next access to the device's side.
    ///
    /// Errors: as [`Unified::device`].
    #[track_caller]
    pub fn sync_to_device(&mut self) -> Result<()> {
        self.upload()
    }

    /// Copies the device's changes to the host now, rather than at the next access to the host's side. Waits for the
    /// kernels that make them.
    ///
    /// Errors: as [`Unified::host`].
    #[track_caller]
    pub fn sync_to_host(&mut self) -> Result<()> {
        self.download(0..self.len())
    }
}
