//! The copies between the two sides.

use super::{Transfers, Unified};
use crate::array::{Array, Slice};
use crate::element::Element;
use crate::share::host_buffer::transfer_span;
use crosslane_core::engine::HostBlock;
use crosslane_core::error::{Error, Result};
use crosslane_core::memory::Direction;
use std::ops::Range;
use std::panic::Location;

/// The host's memory.
pub(super) enum Side<T: Element> {
    Plain(Vec<T>),
    /// Not for `bool`, since not every byte is a valid value.
    Pinned(Box<dyn HostBlock>),
}

impl<T: Element> Side<T> {
    pub fn slice(&self, len: usize) -> &[T] {
        match self {
            Side::Plain(values) => values,
            Side::Pinned(block) => {
                let bytes = block.memory().expect("made only where there is memory");
                let stored: &[T::Stored] = bytemuck::cast_slice(&bytes[..len * size_of::<T>()]);
                // SAFETY: every type but bool is stored as itself, and bool is never pinned.
                unsafe { std::slice::from_raw_parts(stored.as_ptr().cast(), len) }
            }
        }
    }

    pub fn slice_mut(&mut self, len: usize) -> &mut [T] {
        match self {
            Side::Plain(values) => values,
            Side::Pinned(block) => {
                let bytes = block.memory_mut().expect("made only where there is memory");
                let stored: &mut [T::Stored] = bytemuck::cast_slice_mut(&mut bytes[..len * size_of::<T>()]);
                // SAFETY: as above.
                unsafe { std::slice::from_raw_parts_mut(stored.as_mut_ptr().cast(), len) }
            }
        }
    }
}

impl<T: Element> Unified<T> {
    #[track_caller]
    pub(super) fn inside(&self, operation: &'static str, range: &Range<usize>) -> Result<()> {
        if range.start <= range.end && range.end <= self.len() {
            return Ok(());
        }
        let wanted = format!("a range within 0..{}", self.len());
        Err(Error::argument(operation, "range", wanted, format!("{range:?}"), Location::caller()))
    }

    /// The device's side, which the program may have put another array in place of.
    #[track_caller]
    fn checked(&self) -> Result<Option<&Array<T>>> {
        let Some(array) = &self.array else { return Ok(None) };
        array.check()?;
        if array.shape() == self.shape && *array.device() == self.device {
            return Ok(Some(array));
        }
        let wanted = format!("an array of shape {:?} on {:?}", self.shape, self.device);
        let got = format!("one of {:?} on {:?}", array.shape(), array.device());
        Err(Error::argument("Unified", "device side", wanted, got, Location::caller()))
    }

    /// Copies the device's changes in a range to the host.
    #[track_caller]
    pub(super) fn download(&mut self, range: Range<usize>) -> Result<()> {
        let Some(array) = self.checked()?.cloned() else { return Ok(()) };
        let Some(host) = &mut self.host else {
            self.host = Some(Side::Plain(array.to_vec()?));
            self.transfers.download(self.len() * size_of::<T>());
            return Ok(());
        };
        let parts = self.device_dirty.within(range);
        if !parts.is_empty() {
            array.eval()?;
        }
        for part in parts {
            let elements = flat_range(&array, &part);
            match host {
                Side::Plain(values) => elements.read_into(&mut values[part.clone()])?,
                Side::Pinned(block) => {
                    let (memory, offset) = elements.contiguous_memory()?;
                    let (at, bytes) = (part.start * size_of::<T>(), part.len() * size_of::<T>());
                    let _span = transfer_span(&self.device, Direction::Download, "unified", bytes as u64)?;
                    block.transfer_part(Direction::Download, at, &memory, offset, bytes as u64)?;
                    self.device.faults_of(&memory)?;
                }
            }
            self.device_dirty.remove(part.clone());
            self.transfers.download(part.len() * size_of::<T>());
        }
        Ok(())
    }

    /// Copies the host's changes to the device.
    #[track_caller]
    pub(super) fn upload(&mut self) -> Result<()> {
        self.checked()?;
        let len = self.len();
        if self.host_dirty.as_slice().first() == Some(&(0..len)) {
            self.array = None; // its memory serves the new one
            self.host_dirty.clear();
        }
        if self.array.is_none() {
            let array = self.uploaded(0..len)?.reshape(&self.shape);
            array.check()?;
            self.array = Some(array);
            self.transfers.upload(len * size_of::<T>());
            return Ok(());
        }
        for part in self.host_dirty.as_slice().to_vec() {
            let values = self.uploaded(part.clone())?;
            self.array.as_mut().expect("as checked").replace(part.start, &values)?;
            self.host_dirty.remove(part.clone());
            self.transfers.upload(part.len() * size_of::<T>());
        }
        Ok(())
    }

    /// A range of the host's elements as a new array.
    #[track_caller]
    fn uploaded(&mut self, range: Range<usize>) -> Result<Array<T>> {
        let len = self.len();
        let Some(Side::Pinned(block)) = &mut self.host else {
            let values = self.host.as_ref().expect("one side is there").slice(len);
            let array = Array::from_slice(&self.device, &values[range]);
            return array.check().cloned();
        };
        let (array, memory) = Array::uninitialised(&self.device, &[range.len()])?;
        let (at, bytes) = (range.start * size_of::<T>(), range.len() * size_of::<T>());
        if bytes > 0 {
            let _span = transfer_span(&self.device, Direction::Upload, "unified", bytes as u64)?;
            block.transfer_part(Direction::Upload, at, &memory, 0, bytes as u64)?;
            memory.history.note_upload();
        }
        if let Some(host) = block.memory() {
            array.keep_uploaded(&host[at..][..bytes], Location::caller())?;
        }
        Ok(array)
    }
}

/// A range of an array's elements in row-major order.
fn flat_range<T: Element>(array: &Array<T>, range: &Range<usize>) -> Array<T> {
    array.flatten().slice(&[Slice::from(range.start as isize..range.end as isize)])
}

impl Transfers {
    fn upload(&mut self, bytes: usize) {
        self.uploads += 1;
        self.uploaded_bytes += bytes as u64;
    }

    fn download(&mut self, bytes: usize) {
        self.downloads += 1;
        self.downloaded_bytes += bytes as u64;
    }
}
