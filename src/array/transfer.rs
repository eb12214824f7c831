//! Between host and device: whole arrays, parts, several at once; blocking and asynchronous.

use super::{Array, Slice, create};
use crate::device::{Device, advice};
use crate::element::Element;
use crate::graph::{Batch, Expr, How, Node, Storage, storage_of};
use crosslane_core::error::{CallSite, Error, ErrorKind, Result};
use crosslane_core::layout::count;
use crosslane_core::memory::Memory;
use crosslane_core::platform::BROWSER;
use crosslane_core::work::{Read, Write};
use crosslane_ops::buffer_bytes;
use std::panic::Location;
use std::sync::Arc;

/// Uploads several arrays at once: small ones share a transfer.
///
/// ```
/// # crosslane::example(|device| {
/// let arrays = crosslane::upload_all(device, &[&[1.0f32, 2.0][..], &[3.0]])?;
/// assert_eq!(arrays[1].to_vec()?, [3.0]);
/// # Ok(()) });
/// ```
///
/// Errors: a type or size that the device does not have; out of memory; device lost.
#[track_caller]
pub fn upload_all<T: Element>(device: &Device, values: &[&[T]]) -> Result<Vec<Array<T>>> {
    let at = Location::caller();
    let mut arrays = Vec::with_capacity(values.len());
    for part in values {
        create::check::<T>("upload_all", device, &[part.len()], at)?;
        arrays.push(Array::<T>::uninitialised(device, &[part.len()])?);
    }
    let pairs = arrays.iter().zip(values);
    let writes: Vec<Write> =
        pairs.map(|((_, memory), from)| Write { to: memory, offset: 0, from: bytemuck::cast_slice(from) }).collect();
    device.write(&writes)?;
    for ((array, _), from) in arrays.iter().zip(values) {
        array.keep_uploaded(bytemuck::cast_slice(from), at)?;
    }
    Ok(arrays.into_iter().map(|(array, _)| array).collect())
}

impl<T: Element> Array<T> {
    /// A one-dimensional array with these elements. Errors are kept in the array.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[true, false]);
    /// assert_eq!(x.to_vec()?, [true, false]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): a type or size that the device does not have; out of memory; device lost.
    #[track_caller]
    pub fn from_slice(device: &Device, values: &[T]) -> Array<T> {
        Array::from_shape(device, &[values.len()], values)
    }

    /// An array with these elements in row-major order.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_shape(device, &[2, 2], &[1, 2, 3, 4]);
    /// assert_eq!(x.sum_axes(0).to_vec()?, [4, 6]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::from_slice`], and a shape for another number of elements.
    #[track_caller]
    pub fn from_shape(device: &Device, shape: &[usize], values: &[T]) -> Array<T> {
        let at = Location::caller();
        Array::uploaded(device, shape, values, at).unwrap_or_else(|error| Array::failed(device, error))
    }

    pub(crate) fn uploaded(device: &Device, shape: &[usize], values: &[T], at: CallSite) -> Result<Array<T>> {
        create::check::<T>("from_slice", device, shape, at)?;
        // `check` has refused what overflows, unless an extent of 0 makes it empty.
        let len = count(shape);
        if len != values.len() {
            let wanted = format!("{len} elements for shape {shape:?}");
            return Err(Error::argument("from_shape", "values", wanted, values.len().to_string(), at));
        }
        let (array, memory) = Array::uninitialised_for(device, shape, at).map_err(|e| e.located(at))?;
        let bytes = bytemuck::cast_slice(values);
        if !bytes.is_empty() {
            device.write(&[Write { to: &memory, offset: 0, from: bytes }])?;
            memory.history.note_upload();
        }
        array.keep_uploaded(bytes, at)?;
        Ok(array)
    }

    /// Keeps what was uploaded into the array, where the device keeps lineage.
    pub(crate) fn keep_uploaded(&self, bytes: &[u8], at: CallSite) -> Result<()> {
        if self.device().keeps_lineage() {
            let mut kept = crosslane_core::memory::room("from_slice", bytes.len(), at)?;
            kept.extend_from_slice(bytes);
            self.node.set_lineage(How::Host(Arc::new(kept)));
        }
        Ok(())
    }

    /// As [`Array::from_slice`], without blocking the executor: the copy runs on the device's own thread.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = futures::executor::block_on(crosslane::Array::from_vec_async(device, vec![1.0f32, 2.0]))?;
    /// assert_eq!(x.to_vec()?, [1.0, 2.0]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn from_vec_async(device: &Device, values: Vec<T>) -> impl Future<Output = Result<Array<T>>> + Send + use<T> {
        let at = Location::caller();
        let own = device.clone();
        device.in_background(Box::new(move || Array::uploaded(&own, &[values.len()], &values, at)))
    }

    /// The elements in row-major order. Computes the array if need be, and waits.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// assert_eq!(crosslane::Array::arange(device, 0, 3, 1).to_vec()?, [0, 1, 2]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: the error that the array holds; too large; out of memory; device lost.
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.readable_size()?;
        let mut stored = crosslane_core::memory::zeros("to_vec", self.len(), Location::caller())?;
        self.read_stored(&mut stored)?;
        Ok(T::from_stored(stored))
    }

    /// As [`Array::to_vec`], without blocking the executor. The future runs on any executor.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::arange(device, 0, 3, 1);
    /// assert_eq!(futures::executor::block_on(x.to_vec_async())?, [0, 1, 2]);
    /// # Ok(()) });
    /// ```
    pub fn to_vec_async(&self) -> impl Future<Output = Result<Vec<T>>> + Send + use<T> {
        let own = self.readable();
        self.device().awaited(move || own.to_vec())
    }

    /// Copies the elements, in row-major order, into existing memory. That is cheaper than a fresh vector, whose pages
    /// the system must allocate first.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut host = [0.0f32; 4];
    /// crosslane::Array::ones(device, &[4]).read_into(&mut host)?;
    /// assert_eq!(host, [1.0; 4]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::to_vec`], and another number of elements.
    #[track_caller]
    pub fn read_into(&self, values: &mut [T]) -> Result<()> {
        self.check()?;
        if values.len() != self.len() {
            let (wanted, got) = (format!("{} elements", self.len()), values.len().to_string());
            return Err(Error::argument("read_into", "values", wanted, got, Location::caller()));
        }
        match T::as_stored_mut(values) {
            Some(stored) => read(&self.device().clone(), &mut [(&self.node, bytemuck::cast_slice_mut(stored))]),
            None => {
                values.copy_from_slice(&self.to_vec()?);
                Ok(())
            }
        }
    }

    /// As [`Array::read_into`], as bytes are stored.
    #[track_caller]
    pub(crate) fn read_stored(&self, values: &mut [T::Stored]) -> Result<()> {
        self.readable_size()?;
        read(&self.device().clone(), &mut [(&self.node, bytemuck::cast_slice_mut(values))])
    }

    /// As [`Array::read_stored`], into bytes.
    #[track_caller]
    pub(crate) fn read_bytes(&self, bytes: &mut [u8]) -> Result<()> {
        self.readable_size()?;
        read(&self.device().clone(), &mut [(&self.node, bytes)])
    }

    /// The only element of an array.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// assert_eq!(crosslane::Array::<f32>::ones(device, &[9]).sum().item()?, 9.0);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::to_vec`], and another number of elements than one.
    #[track_caller]
    pub fn item(&self) -> Result<T> {
        self.check()?;
        if self.len() != 1 {
            let got = format!("{} in shape {:?}", self.len(), self.shape());
            return Err(Error::argument("item", "array", "one element", got, Location::caller()));
        }
        Ok(self.to_vec()?[0])
    }

    /// The elements of several arrays, copied at once.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_slice(device, &[1, 5, 3]);
    /// let ends = Array::read_all(&[&x.min(), &x.max()])?;
    /// assert_eq!(ends, [[1], [5]]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::to_vec`] of the first that fails; arrays on several devices.
    #[track_caller]
    pub fn read_all(arrays: &[&Array<T>]) -> Result<Vec<Vec<T>>> {
        let Some(first) = arrays.first() else { return Ok(vec![]) };
        for array in arrays {
            array.check()?.readable_size()?;
            if array.device() != first.device() {
                let (wanted, got) = (format!("{:?}", first.device()), format!("{:?}", array.device()));
                return Err(Error::argument("read_all", "device", wanted, got, Location::caller()));
            }
        }
        let at = Location::caller();
        let zeros = |array: &&Array<T>| crosslane_core::memory::zeros::<T::Stored>("read_all", array.len(), at);
        let mut stored = arrays.iter().map(zeros).collect::<Result<Vec<_>>>()?;
        let mut jobs: Vec<(&Arc<Node>, &mut [u8])> = arrays
            .iter()
            .zip(&mut stored)
            .map(|(array, to)| (&*array.node, bytemuck::cast_slice_mut(to.as_mut_slice())))
            .collect();
        read(first.device(), &mut jobs)?;
        Ok(stored.into_iter().map(T::from_stored).collect())
    }

    /// As [`Array::read_all`], without blocking the executor.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_slice(device, &[1, 5, 3]);
    /// let ends = futures::executor::block_on(Array::read_all_async(&[&x.min(), &x.max()]))?;
    /// assert_eq!(ends, [[1], [5]]);
    /// # Ok(()) });
    /// ```
    pub async fn read_all_async(arrays: &[&Array<T>]) -> Result<Vec<Vec<T>>> {
        let Some(first) = arrays.first() else { return Ok(vec![]) };
        let own: Vec<Array<T>> = arrays.iter().map(|array| array.readable()).collect();
        let work = move || Array::read_all(&own.iter().collect::<Vec<_>>());
        first.device().awaited(work).await
    }

    /// Replaces elements from `start` on, counted in row-major order.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut x = crosslane::Array::<u8>::zeros(device, &[5]);
    /// x.write(1, &[7, 8])?;
    /// assert_eq!(x.to_vec()?, [0, 7, 8, 0, 0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: more values than there is room; out of memory; device lost.
    #[track_caller]
    pub fn write(&mut self, start: usize, values: &[T]) -> Result<()> {
        self.check()?;
        if start.checked_add(values.len()).is_none_or(|end| end > self.len()) {
            let (wanted, got) =
                (format!("at most {} elements", self.len()), format!("{} from {start} on", values.len()));
            return Err(Error::argument("write", "values", wanted, got, Location::caller()));
        }
        self.replace(start, &Array::from_slice(self.device(), values))
    }

    /// Replaces as many elements as `part` has, from `start` on.
    #[track_caller]
    pub(crate) fn replace(&mut self, start: usize, part: &Array<T>) -> Result<()> {
        let shape = self.shape().to_vec();
        let mut flat = std::mem::replace(self, self.zeros_like()).flatten();
        let range = Slice::from(start as isize..(start + part.len()) as isize);
        let result = flat.slice_mut(&[range]).assign(part);
        *self = flat.reshape(&shape);
        result
    }

    /// A copy in memory of its own, computed by a kernel: device to device at the speed of memory.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1, 2, 3]);
    /// assert_eq!(x.flip(0).copy().to_vec()?, [3, 2, 1]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn copy(&self) -> Array<T> {
        match self.node.error() {
            Some(error) => Array::failed(self.device(), error),
            None => Array::of(copied(&self.node)),
        }
    }

    /// The wgpu buffer behind the array, and the byte where its elements begin, in row-major order. Computes the array
    /// if need be. The buffer stays the array's: keep the array while the buffer is used, and do not write to it.
    ///
    /// `None` if another engine holds the array.
    ///
    /// Errors: as [`Array::eval`].
    #[cfg(feature = "wgpu")]
    pub fn wgpu_buffer(&self) -> Result<Option<(wgpu::Buffer, u64)>> {
        let (memory, offset) = self.contiguous_memory()?;
        self.device().pool().show(&memory);
        Ok(crosslane_wgpu::shown(memory.block()).map(|buffer| (buffer.clone(), offset)))
    }

    /// An error if no buffer can hold the elements, before the host makes room for them.
    #[track_caller]
    fn readable_size(&self) -> Result<()> {
        let (bytes, limit) = (buffer_bytes(T::DTYPE, self.len()), self.device().caps().buffer_bytes);
        match bytes <= limit {
            true => Ok(()),
            false => {
                let device = self.device().properties().label();
                Err(ErrorKind::TooLarge { operation: "to_vec", bytes, limit, device, at: Some(Location::caller()) }
                    .into())
            }
        }
    }

    /// An array whose bytes are read where they lie, by every attempt from the same place.
    fn readable(&self) -> Array<T> {
        readable(&self.node).map_or_else(|_| self.clone(), Array::of)
    }

    /// Where the array lies, computed if need be: no one writes there in place while this is kept.
    #[track_caller]
    pub(crate) fn in_memory(&self) -> Result<Storage> {
        self.storage()
    }

    /// Memory with the elements in row-major order, and where they begin.
    #[track_caller]
    pub(crate) fn contiguous_memory(&self) -> Result<(Arc<Memory>, u64)> {
        let node = readable(&self.node)?;
        crate::graph::evaluate(std::slice::from_ref(&node))?;
        let storage = storage_of(&node)?;
        Ok((storage.memory, (storage.layout.offset * T::DTYPE.size()) as u64))
    }
}

pub(crate) fn copied(node: &Arc<Node>) -> Arc<Node> {
    Node::lazy(&node.device, node.shape.clone(), node.dtype, Expr::Copy(node.clone()))
}

/// The node itself if its bytes can be read where they lie, else a copy that can.
fn readable(node: &Arc<Node>) -> Result<Arc<Node>> {
    use crate::graph::State;
    let fits = |storage: &Storage| {
        let aligned = (storage.layout.offset * node.dtype.size()).is_multiple_of(4);
        storage.layout.is_contiguous() && aligned && storage.memory.copies()
    };
    Ok(match &*node.state() {
        State::Failed(error) => return Err(error.clone()),
        State::Ready(storage) if !fits(storage) => copied(node),
        State::Lazy(Expr::View(_, layout))
            if !(layout.is_contiguous() && (layout.offset * node.dtype.size()).is_multiple_of(4)) =>
        {
            copied(node)
        }
        _ => node.clone(),
    })
}

/// Computes nodes and copies their bytes to the host, in one submission if they are small.
#[track_caller]
fn read(device: &Device, jobs: &mut [(&Arc<Node>, &mut [u8])]) -> Result<()> {
    let at = Location::caller();
    let nodes = jobs.iter().map(|(node, _)| readable(node)).collect::<Result<Vec<_>>>()?;
    let plan = |batch: &mut Batch| nodes.iter().try_for_each(|node| batch.materialise_result(node));
    let storages = Batch::run(device, at, plan, |submission| {
        let storages = nodes.iter().map(|node| submission.batch.storage_of(node)).collect::<Result<Vec<_>>>()?;
        let mut reads: Vec<Read> = Vec::new();
        for ((_, to), storage) in jobs.iter_mut().zip(&storages) {
            let offset = (storage.layout.offset * (to.len() / storage.layout.len().max(1))) as u64;
            reads.push(Read { from: &storage.memory, offset, to });
        }
        let launches = std::mem::take(&mut submission.batch.launches);
        // Other threads go on with the results while this one waits for them.
        let mut accepted = || submission.publish();
        if BROWSER {
            device.submit(&launches)?;
            accepted(); // the next attempt goes on with them
            return device.driver().read(&[], &mut reads, &mut || {}).map(|()| storages);
        }
        device.faulty(&launches, || device.driver().read(&launches, &mut reads, &mut accepted))?;
        Ok(storages)
    })?;
    storages.iter().try_for_each(|storage| device.faults_of(&storage.memory))?;
    storages.iter().for_each(|storage| advice::read_back(device, &storage.memory));
    device.look_in_stream().map_err(|e| e.located(at))
}
