//! Transfers from and to memory of the program: several threads, each with two pieces of pinned memory of its own, copy
//! on the host while the card copies other pieces.

use super::Cuda;
use super::context::Context;
use super::event::Event;
use super::ledger::Access;
use super::memory::{Block, block};
use super::pinned::HostMemory;
use crate::backend::{Read, Write};
use crate::error::Result;
use crate::threads::{count, each};
use cudarc::driver::sys;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Bytes of a piece of pinned memory: 40 us on the bus, and small enough to stay in the processor's cache.
const PIECE: usize = 2 << 20;
/// Pieces of one thread: it fills one while the card reads the other.
const PIECES: usize = 2;
/// Threads that copy, at most.
const THREADS: usize = 8;
/// An upload of at most so many bytes goes through the driver's own staging memory, which it does not wait for.
const SMALL: usize = 64 << 10;
/// Bytes for one thread: below, starting it costs more than it saves.
const SHARE: usize = 4 << 20;

/// Staging memory that is used again and again.
#[derive(Default)]
pub(super) struct Ring {
    slots: Vec<Slot>,
}

struct Slot {
    memory: HostMemory,
    /// In the stream of the last transfer.
    event: Event,
    /// Whether the card may still use the memory: until the event.
    busy: bool,
}

impl Slot {
    fn new(context: &Arc<Context>) -> Result<Slot> {
        let memory = HostMemory::new(context, "staging", PIECE as u64)?;
        Ok(Slot { memory, event: Event::new(context, false)?, busy: false })
    }

    fn wait(&mut self) -> Result<()> {
        if std::mem::take(&mut self.busy) {
            self.event.wait("transfer")?;
        }
        Ok(())
    }

    fn sent(&mut self, stream: sys::CUstream) -> Result<()> {
        self.event.record(stream)?;
        self.busy = true;
        Ok(())
    }
}

impl Ring {
    /// At least so many slots.
    fn slots(&mut self, context: &Arc<Context>, count: usize) -> Result<&mut [Slot]> {
        while self.slots.len() < count {
            self.slots.push(Slot::new(context)?);
        }
        Ok(&mut self.slots[..count])
    }
}

/// A part of a transfer: bytes of the host, and where they lie in the slot and on the card.
struct Part<B> {
    host: B,
    address: u64,
    at: usize,
}

/// Cuts jobs into pieces of at most [`PIECE`] bytes; several small jobs share one.
fn pack<B>(
    jobs: impl Iterator<Item = (u64, B)>,
    len: fn(&B) -> usize,
    split: fn(B, usize) -> (B, B),
) -> Vec<Vec<Part<B>>> {
    let mut pieces = vec![vec![]];
    let mut used = 0;
    for (mut address, mut rest) in jobs {
        while len(&rest) > 0 {
            if used >= PIECE {
                pieces.push(vec![]);
                used = 0;
            }
            let now = len(&rest).min(PIECE - used);
            let (host, left) = split(rest, now);
            pieces.last_mut().expect("never empty").push(Part { host, address, at: used });
            rest = left;
            address += now as u64;
            used = (used + now).next_multiple_of(64);
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

impl Cuda {
    pub(super) fn write_staged(&self, writes: &[Write]) -> Result<()> {
        let (small, large): (Vec<&Write>, Vec<&Write>) = writes.iter().partition(|write| write.from.len() <= SMALL);
        if writes.len() <= 4 || large.is_empty() && writes.len() <= 16 {
            small.iter().try_for_each(|write| self.write_small(write))?;
            return if large.is_empty() { Ok(()) } else { self.write_large(&large) };
        }
        self.write_large(&writes.iter().collect::<Vec<_>>())
    }

    fn write_small(&self, write: &Write) -> Result<()> {
        if write.from.is_empty() {
            return Ok(());
        }
        let to = block(write.to).address() + write.offset;
        self.context.ordered([(block(write.to).address(), true)].into_iter(), |stream| {
            // SAFETY: the memory holds the bytes, as the caller promises, and the source has been copied when it returns.
            let result = unsafe { sys::cuMemcpyHtoDAsync_v2(to, write.from.as_ptr().cast(), write.from.len(), stream) };
            self.context.check("upload", result)
        })
    }

    fn write_large(&self, writes: &[&Write]) -> Result<()> {
        let jobs = writes.iter().map(|write| (block(write.to).address() + write.offset, write.from));
        let pieces = pack(jobs, |from| from.len(), |from, at| from.split_at(at));
        let (count, threads) = (pieces.len(), threads(pieces.len()));
        let queue = Mutex::new(pieces.into_iter());
        let mut ring = self.upload.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let slots = ring.slots(&self.context, threads * PIECES)?;
        if count > slots.len() || slots.iter().any(|slot| slot.busy) {
            self.context.waits.one();
        }
        let uses = writes.iter().map(|write| (block(write.to).address(), true));
        let result = self.context.ordered(uses, |stream| {
            side_by_side(&self.context, stream, slots, |slots, stream| {
                for turn in 0.. {
                    let Some(piece) = next(&queue) else { return Ok(()) };
                    self.send(&mut slots[turn % PIECES], &piece, stream)?;
                }
                Ok(())
            })
        });
        if result.is_err() {
            *ring = Ring::default();
        }
        result
    }

    fn send(&self, slot: &mut Slot, piece: &[Part<&[u8]>], stream: sys::CUstream) -> Result<()> {
        slot.wait()?;
        for part in piece {
            let from = slot.memory.pointer().wrapping_add(part.at);
            // SAFETY: the part lies in the slot, which is this thread's and not in use; so it is until the event.
            let result = unsafe {
                from.copy_from_nonoverlapping(part.host.as_ptr(), part.host.len());
                sys::cuMemcpyHtoDAsync_v2(part.address, from.cast(), part.host.len(), stream)
            };
            self.context.check("upload", result)?;
        }
        slot.sent(stream)
    }

    /// Copies to the host what has been made by then.
    pub(super) fn read_staged(&self, reads: &mut [Read]) -> Result<()> {
        let uses: Vec<Access> = reads.iter().map(|read| (block(read.from).address(), false)).collect();
        self.context.ordered(uses.into_iter(), |stream| self.read_in(reads, stream))
    }

    fn read_in(&self, reads: &mut [Read], stream: sys::CUstream) -> Result<()> {
        let (direct, staged): (Vec<&mut Read>, Vec<&mut Read>) =
            reads.iter_mut().partition(|read| matches!(block(read.from), Block::Host(_)));
        let jobs = staged.into_iter().map(|read| (block(read.from).address() + read.offset, &mut *read.to));
        let pieces = pack(jobs, |to| to.len(), |to, at| to.split_at_mut(at));
        match pieces.is_empty() {
            true => self.context.synchronize_stream("download", stream)?,
            false => self.read_large(pieces, stream)?,
        }
        for read in direct {
            let Block::Host(memory) = block(read.from) else { unreachable!("as chosen") };
            let from = memory.pointer().wrapping_add(read.offset as usize);
            // SAFETY: the stream is done with it, and the memory holds the bytes, as the caller promises. Kernels that
            // another thread runs on it at this moment may change numbers, as they may in the card's memory.
            unsafe { read.to.as_mut_ptr().copy_from_nonoverlapping(from, read.to.len()) };
        }
        Ok(())
    }

    fn read_large(&self, pieces: Vec<Vec<Part<&mut [u8]>>>, stream: sys::CUstream) -> Result<()> {
        self.context.waits.one();
        let threads = threads(pieces.len());
        let queue = Mutex::new(pieces.into_iter());
        let mut ring = self.download.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let slots = ring.slots(&self.context, threads * PIECES)?;
        let result =
            side_by_side(&self.context, stream, slots, |slots, stream| self.receive(slots, stream, || next(&queue)));
        if result.is_err() {
            *ring = Ring::default();
        }
        result
    }

    /// Fetches pieces until there are no more, the next one under way while one is copied out.
    fn receive<'a>(
        &self,
        slots: &mut [Slot],
        stream: sys::CUstream,
        next: impl Fn() -> Option<Vec<Part<&'a mut [u8]>>>,
    ) -> Result<()> {
        let mut free: Vec<&mut Slot> = slots.iter_mut().collect();
        let mut flying = VecDeque::new();
        loop {
            while let Some(slot) = free.pop() {
                let Some(piece) = next() else { break };
                for part in &piece {
                    let to = slot.memory.pointer().wrapping_add(part.at).cast();
                    // SAFETY: the part lies in the slot, which nothing else uses until the event.
                    let result = unsafe { sys::cuMemcpyDtoHAsync_v2(to, part.address, part.host.len(), stream) };
                    self.context.check("download", result)?;
                }
                slot.sent(stream)?;
                flying.push_back((slot, piece));
            }
            let Some((slot, piece)) = flying.pop_front() else { return Ok(()) };
            slot.wait()?;
            for part in piece {
                let from = slot.memory.pointer().wrapping_add(part.at);
                // SAFETY: the card has written these bytes and is done, and the target is this part's alone.
                unsafe { part.host.as_mut_ptr().copy_from_nonoverlapping(from, part.host.len()) };
            }
            free.push(slot);
        }
    }
}

/// Threads for a transfer of so many pieces.
fn threads(pieces: usize) -> usize {
    (pieces * PIECE / SHARE).clamp(1, cores())
}

fn cores() -> usize {
    count().min(THREADS)
}

fn next<T>(queue: &Mutex<std::vec::IntoIter<T>>) -> Option<T> {
    queue.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next()
}

/// A stream that several threads use.
struct Shared(sys::CUstream);

// SAFETY: the driver's handles may be used by any thread.
unsafe impl Sync for Shared {}

impl Shared {
    fn stream(&self) -> sys::CUstream {
        self.0
    }
}

/// Runs `work` with [`PIECES`] slots for each thread.
fn side_by_side(
    context: &Context,
    stream: sys::CUstream,
    slots: &mut [Slot],
    work: impl Fn(&mut [Slot], sys::CUstream) -> Result<()> + Sync,
) -> Result<()> {
    let stream = Shared(stream);
    let failed = Mutex::new(Ok(()));
    each(slots.chunks_mut(PIECES).collect(), |slots| {
        if let Err(error) = context.enter().and_then(|()| work(slots, stream.stream())) {
            *failed.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Err(error);
        }
    });
    failed.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Copies with several threads if it is much.
pub(super) fn copy(to: &mut [u8], from: &[u8]) {
    let share = share(to.len());
    each(to.chunks_mut(share).zip(from.chunks(share)).collect(), |(to, from)| to.copy_from_slice(from));
}

/// Writes to memory for the first time, with several threads if it is much: the system makes the pages then.
pub(super) fn touch(memory: &mut [u8]) {
    let share = share(memory.len());
    each(memory.chunks_mut(share).collect(), |part| part.fill(0));
}

/// Bytes for each thread.
fn share(bytes: usize) -> usize {
    bytes.div_ceil(cores()).max(SHARE).next_multiple_of(4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_every_byte_once_and_fit() {
        let lengths = [5, 0, PIECE + 3, 64, 3 * PIECE, 1];
        let bytes: Vec<Vec<u8>> = lengths.iter().map(|&length| vec![0; length]).collect();
        let starts = [0u64, 1 << 30, 2 << 30, 3 << 30, 4 << 30, 5 << 30];
        let pieces = pack(starts.into_iter().zip(bytes.iter().map(Vec::as_slice)), |b| b.len(), |b, at| b.split_at(at));
        let mut next = starts;
        for piece in &pieces {
            let mut end = 0;
            for part in piece {
                assert!(part.at >= end && part.at + part.host.len() <= PIECE);
                end = part.at + part.host.len();
                let job = (part.address >> 30) as usize;
                assert_eq!(part.address, next[job]);
                next[job] += part.host.len() as u64;
            }
        }
        assert!(next.iter().zip(starts).zip(lengths).all(|((end, start), length)| end - start == length as u64));
    }

    #[test]
    fn copies_of_any_size_are_whole() {
        for length in [0, 1, SHARE, 3 * SHARE + 17] {
            let from: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
            let mut to = vec![1; length];
            copy(&mut to, &from);
            assert!(to == from);
        }
    }
}
