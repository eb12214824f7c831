//! Where elements come from: an iterator's chunks, or the bytes of a file or a reader.

use super::failed;
use crate::element::{DType, Element};
use crosslane_core::error::{CallSite, Result};
use crosslane_core::memory::zeros;
use std::fmt::Display;
use std::io::{self, Read};

/// Elements in order, some at a time.
pub(super) trait Source<T> {
    /// Replaces `values` by the next elements, as many as `most` if the source does not say itself. None means the end.
    fn fill(&mut self, values: &mut Vec<T>, most: usize, at: CallSite) -> Result<()>;
}

/// The chunks of an iterator, which are joined and split.
pub(super) struct Chunks<I, T> {
    chunks: I,
    /// The chunk that elements are taken from, and how many were.
    chunk: Vec<T>,
    taken: usize,
    /// Chunks that came so far.
    count: u64,
}

impl<I, T> Chunks<I, T> {
    pub fn new(chunks: I) -> Chunks<I, T> {
        Chunks { chunks, chunk: vec![], taken: 0, count: 0 }
    }
}

impl<T: Element, E: Display, I: Iterator<Item = Result<Vec<T>, E>>> Source<T> for Chunks<I, T> {
    fn fill(&mut self, values: &mut Vec<T>, most: usize, _: CallSite) -> Result<()> {
        values.clear();
        while values.len() < most {
            if self.taken == self.chunk.len() {
                let Some(chunk) = self.chunks.next() else { break };
                self.count += 1;
                self.chunk = chunk.map_err(|error| failed(format!("chunk {} of the source", self.count), error))?;
                self.taken = 0;
            }
            if values.is_empty() && self.taken == 0 && self.chunk.len() == most {
                // A whole piece: nothing is copied.
                *values = std::mem::take(&mut self.chunk);
                break;
            }
            let count = (most - values.len()).min(self.chunk.len() - self.taken);
            values.extend_from_slice(&self.chunk[self.taken..][..count]);
            self.taken += count;
        }
        Ok(())
    }
}

/// The bytes of elements one after the other.
pub(super) struct Bytes<R> {
    pub reader: R,
    /// What the reader reads, for messages.
    pub name: String,
    /// Whether bytes are in the other order than the host's.
    pub swapped: bool,
    /// How many elements there must be, where that is known. No more are read.
    pub len: Option<u64>,
    /// Elements read so far.
    pub taken: u64,
}

impl<T: Element, R: Read> Source<T> for Bytes<R> {
    fn fill(&mut self, values: &mut Vec<T>, most: usize, at: CallSite) -> Result<()> {
        let left = self.len.map_or(u64::MAX, |len| len - self.taken);
        let most = left.min(most as u64) as usize;
        if values.len() < most {
            *values = T::from_stored(zeros("Streamed", most, at)?);
        }
        values.truncate(most);
        let from = self.taken;
        let error = |message: String| failed(&self.name, format!("in the chunk from element {from} on: {message}"));
        let count = read_values(&mut self.reader, values, self.swapped).map_err(&error)?;
        if count < most && self.len.is_some() {
            let (wanted, got) = (from + left, from + count as u64);
            return Err(error(format!("wanted {wanted} elements of {} in all, got {got}", T::DTYPE)));
        }
        values.truncate(count);
        self.taken += count as u64;
        Ok(())
    }
}

/// Reads elements until the values are full or the reader ends, and returns how many there were.
pub(super) fn read_values<T: Element>(
    reader: &mut impl Read,
    values: &mut [T],
    swapped: bool,
) -> Result<usize, String> {
    let mut own = vec![]; // not every byte is a `bool`
    let bytes = match T::as_stored_mut(values) {
        Some(stored) => bytemuck::cast_slice_mut(stored),
        None => {
            own = vec![0u8; size_of_val(values)];
            &mut own
        }
    };
    let (filled, size) = (fill_bytes(reader, bytes).map_err(|error| error.to_string())?, size_of::<T>());
    if filled % size != 0 {
        return Err(format!("wanted whole elements of {} bytes, got {} bytes at the end", size, filled % size));
    }
    if swapped {
        // Of a complex number each part is.
        bytes[..filled].chunks_exact_mut(T::DTYPE.real().size()).for_each(|element| element.reverse());
    }
    if T::DTYPE == DType::Bool {
        if let Some(byte) = own[..filled].iter().find(|&&byte| byte > 1) {
            return Err(format!("wanted 0 or 1 for a bool, got {byte}"));
        }
        let stored = own[..filled].iter().map(|&byte| crate::element::Scalar { dtype: T::DTYPE, bits: byte.into() });
        values.iter_mut().zip(stored).for_each(|(value, scalar)| *value = T::from_scalar(scalar));
    }
    Ok(filled / size)
}

fn fill_bytes(reader: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match reader.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
