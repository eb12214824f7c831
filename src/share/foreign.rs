//! Foreign memory as arrays, without a copy, and the address of an array for other libraries.

use crate::array::Array;
use crate::device::Device;
use crate::element::Element;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::layout::Layout;
use crosslane_core::memory::{Adopted, Foreign, Home, Owner};
use std::ffi::c_void;
use std::panic::Location;

/// What kernels read at a time, in elements: memory must be there up to a multiple of it.
#[cfg(feature = "wgpu")]
const UNIT: usize = 4;
/// Kernels take memory from multiples of this many bytes on: four elements of any type. CUDA's allocations begin at
/// multiples of 256, so that what lies between such an address and the next is one allocation's.
const CUDA_GRANULE: u64 = 32;

/// Elements at an address, as far as strides reach from it.
pub(super) struct Elements {
    pub home: Home,
    /// The lowest address.
    pub address: u64,
    /// Of the elements from that address on.
    pub layout: Layout,
    pub how: Adopted,
}

impl Elements {
    /// One past the last element's place.
    fn end(&self) -> usize {
        let reach = |(&extent, &stride): (&usize, &isize)| (extent as isize - 1) * stride.max(0);
        let last: isize = self.layout.shape.iter().zip(&self.layout.strides).map(reach).sum();
        // Strides that go backwards begin at the offset, those that go forwards end past it.
        (self.layout.offset as isize + last) as usize + 1
    }

    /// An array over them, or `None` if the engine cannot use that memory where it lies: then it takes no owner.
    ///
    /// # Safety
    ///
    /// The memory must hold the elements, stay as long as the owner, and be written by nobody else while kernels or
    /// the host read the array. On CUDA it must be of an allocation of the driver's.
    pub(super) unsafe fn adopt<T: Element>(mut self, device: &Device, owner: &mut Option<Owner>) -> Option<Array<T>> {
        let size = T::DTYPE.size();
        if matches!(self.home, Home::Cuda(_)) {
            let before = self.address % CUDA_GRANULE;
            self.address -= before;
            self.layout.offset += before as usize / size;
        }
        let len = self.end();
        let bytes = (len * size) as u64;
        let mut foreign = Foreign { home: self.home, address: self.address, bytes, owner: owner.take() };
        // SAFETY: as the caller says; before the first element lies the same allocation.
        let Some(block) = (unsafe { device.driver().adopt(&mut foreign) }) else {
            *owner = foreign.owner;
            return None;
        };
        // What is read past the end lies in the same granule, or is cut off.
        let padded = match self.home {
            Home::Cuda(_) => bytes.next_multiple_of(CUDA_GRANULE),
            Home::Host => bytes,
        };
        let memory = device.pool().adopt(block, padded, self.how);
        Some(Array::over(device, memory, self.layout, len))
    }
}

impl<T: Element> Array<T> {
    /// An array over a wgpu buffer of the program, without a copy: `shape` in row-major order from byte `offset` on.
    ///
    /// It is an array like any other: assigning to a part of it writes into the buffer if no other array shares its
    /// memory, and so does a kernel that it is passed to for writing. All arrays over one buffer share its memory,
    /// including the array that [`Array::wgpu_buffer`] came from. Kernels submitted later see what the program writes
    /// into the buffer. The buffer is kept as long as the array, or an expression of it that is not computed, lives. It
    /// counts neither as live memory nor towards a limit.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let Some((raw, queue)) = device.wgpu() else { return Ok(()) };
    /// let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
    /// let descriptor = wgpu::BufferDescriptor { label: None, size: 64, usage, mapped_at_creation: false };
    /// let buffer = raw.create_buffer(&descriptor);
    /// queue.write_buffer(&buffer, 0, &[0u8; 64]);
    /// queue.write_buffer(&buffer, 8, &7u32.to_le_bytes());
    /// let x = Array::<u32>::from_wgpu_buffer(device, &buffer, 0, &[2, 2])?;
    /// assert_eq!((x + 1).to_vec()?, [1, 1, 8, 1]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: a device of another engine; a buffer of another device, without the usage `STORAGE`, or too short:
    /// kernels read four elements at a time, so it must reach to a multiple of four; an offset that is no multiple of
    /// the element's size; a type that the device does not have. wgpu 30 does not detect a buffer of another
    /// `wgpu::Instance`, and may panic.
    #[cfg(feature = "wgpu")]
    #[track_caller]
    pub fn from_wgpu_buffer(device: &Device, buffer: &wgpu::Buffer, offset: u64, shape: &[usize]) -> Result<Array<T>> {
        const OPERATION: &str = "from_wgpu_buffer";
        let at = std::panic::Location::caller();
        crate::array::check::<T>(OPERATION, device, shape, at)?;
        let mistake =
            |argument: &str, wanted: String, got: String| Err(Error::argument(OPERATION, argument, wanted, got, at));
        let Some(engine) = device.driver().any().downcast_ref::<crosslane_wgpu::Wgpu>() else {
            return mistake("device", "a device of wgpu".into(), format!("{device:?}"));
        };
        let size = T::DTYPE.size();
        if !offset.is_multiple_of(size as u64) {
            return mistake("offset", format!("a multiple of {size} bytes for {}", T::DTYPE), offset.to_string());
        }
        if !buffer.usage().contains(wgpu::BufferUsages::STORAGE) {
            return mistake("buffer", "one with the usage STORAGE".into(), format!("{:?}", buffer.usage()));
        }
        let layout = Layout { offset: (offset / size as u64) as usize, ..Layout::contiguous(shape) };
        let len = layout.offset + layout.len();
        let (wanted, has) = ((len.next_multiple_of(UNIT) * size) as u64, buffer.size() & !3);
        if has < wanted {
            let wanted = format!("{wanted} bytes at least for {shape:?} of {} from byte {offset} on", T::DTYPE);
            return mistake("buffer", wanted, format!("{} bytes", buffer.size()));
        }
        engine.bindable(OPERATION, buffer)?;
        let is = |block: &crosslane_core::memory::Block| crosslane_wgpu::shown(block) == Some(buffer);
        let memory = device.pool().shown(is).unwrap_or_else(|| {
            let copies = buffer.usage().contains(wgpu::BufferUsages::COPY_SRC);
            let how = Adopted { copies, shared: false, read_only: false };
            let memory = device.pool().adopt(crosslane_wgpu::adopted(buffer.clone()), has, how);
            device.pool().show(&memory);
            memory
        });
        Ok(Array::over(device, memory, layout, len))
    }

    /// An array over memory of a CUDA device, without a copy: `shape` in row-major order. `owner` is dropped when
    /// nothing uses the memory any more, after the work queued on it is done.
    ///
    /// Assigning to a part of the array writes there if no other array shares its memory, and so does a kernel that it
    /// is passed to for writing. It counts neither as live memory nor towards a limit.
    ///
    /// ```no_run
    /// let device = crosslane::Device::cuda(0)?;
    /// let theirs = crosslane::Array::<f32>::ones(&device, &[100]).copy(); // or any library's
    /// let address = theirs.cuda_pointer()?.expect("on a CUDA device");
    /// device.synchronize()?;
    /// // SAFETY: `theirs` holds 100 floats, is kept, and nobody writes to it.
    /// let x = unsafe { crosslane::Array::<f32>::from_cuda_pointer(&device, address, &[100], Box::new(theirs)) }?;
    /// assert_eq!(x.sum().item()?, 100.0);
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    ///
    /// Errors: a device of another engine; an address that is zero or no multiple of the element's size; a type that
    /// the device does not have.
    ///
    /// # Safety
    ///
    /// From `address` on there must be this many elements in an allocation of that device by CUDA's driver, until
    /// `owner` is dropped. Work on other streams that writes them must be done, and no other code may write to them
    /// while the array, or a clone or an expression of it, is used.
    #[track_caller]
    pub unsafe fn from_cuda_pointer(
        device: &Device,
        address: u64,
        shape: &[usize],
        owner: Box<dyn std::any::Any + Send + Sync>,
    ) -> Result<Array<T>> {
        const OPERATION: &str = "from_cuda_pointer";
        let at = Location::caller();
        crate::array::check::<T>(OPERATION, device, shape, at)?;
        let Some(home @ Home::Cuda(_)) = device.driver().home() else {
            return Err(Error::argument(OPERATION, "device", "a CUDA device", format!("{device:?}"), at));
        };
        aligned::<T>(OPERATION, address, at)?;
        let how = Adopted { copies: true, shared: false, read_only: false };
        let elements = Elements { home, address, layout: Layout::contiguous(shape), how };
        if elements.layout.is_empty() {
            return Ok(Array::empty(device, shape));
        }
        // SAFETY: as the caller says.
        let array = unsafe { elements.adopt(device, &mut Some(owner)) };
        Ok(array.expect("the engine takes memory of its own card"))
    }

    /// The address of the array's elements on its CUDA device, in row-major order, computed if need be; `None` on other
    /// engines.
    ///
    /// The work that writes them may still be queued. So use the address on [`Device::cuda_stream`], called in the same
    /// [`Stream::run`](crate::Stream::run), or both outside of one, or after [`Device::synchronize`]. On that stream it
    /// is ordered after the work on the array in other streams so far. The memory still belongs to the array: keep the
    /// array until the work that uses the address is done, and write through it only if no other array shares the
    /// memory. Other libraries make their own arrays from the address and [`Array::shape`], for example by
    /// `__cuda_array_interface__`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::<f32>::ones(device, &[100]);
    /// let on_cuda = device.properties().backend == crosslane::device::Backend::Cuda;
    /// assert_eq!(x.cuda_pointer()?.is_some(), on_cuda);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::eval`]; a view with gaps.
    #[doc(alias = "CUdeviceptr")]
    #[doc(alias = "__cuda_array_interface__")]
    #[track_caller]
    pub fn cuda_pointer(&self) -> Result<Option<u64>> {
        let Some(Home::Cuda(_)) = self.check()?.device().driver().home() else { return Ok(None) };
        let stored = self.in_memory()?;
        let (memory, layout) = (&stored.memory, &stored.layout);
        if !layout.is_contiguous() {
            let got = format!("a view of shape {:?} with strides {:?}", layout.shape, layout.strides);
            let wanted = "an array without gaps: Array::copy makes one";
            return Err(Error::argument("cuda_pointer", "array", wanted, got, Location::caller()));
        }
        memory.history.note_write(); // perhaps, by who has the address
        let offset = (layout.offset * T::DTYPE.size()) as u64;
        Ok(self.device().driver().address(memory)?.map(|address| address + offset))
    }
}

impl Device {
    /// The CUDA stream that this thread's work goes to, a `CUstream`: the device's main one, or inside of
    /// [`Stream::run`](crate::Stream::run) that stream's; `None` on other engines. Work that another library queues
    /// there runs after work queued there before, and before work queued there later; work in other streams does not
    /// wait for it. It lives as long as the device. The context is the card's primary one, which CUDA's runtime and
    /// cudarc use too.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let on_cuda = device.properties().backend == crosslane::device::Backend::Cuda;
    /// assert_eq!(device.cuda_stream().is_some(), on_cuda);
    /// # Ok(()) });
    /// ```
    #[doc(alias = "CUstream")]
    pub fn cuda_stream(&self) -> Option<*mut c_void> {
        self.driver().stream()
    }
}

/// Whether elements can lie at an address.
pub(super) fn aligned<T: Element>(operation: &'static str, address: u64, at: CallSite) -> Result<()> {
    let size = T::DTYPE.size() as u64;
    if address != 0 && address.is_multiple_of(size) {
        return Ok(());
    }
    let wanted = format!("a multiple of {size} for {}, not zero", T::DTYPE);
    Err(Error::argument(operation, "address", wanted, format!("{address:#x}"), at))
}
