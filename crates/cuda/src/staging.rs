//! Transfers from and to memory of the program: several threads, each with two pieces of pinned memory of its own, copy
//! on the host while the card copies other pieces.
//!
//! The card never reads or writes the program's memory by itself here: it may be pinned, by this library or another,
//! and then the driver would copy when the stream reaches it, long after the call. And no lock is held during a wait
//! for the card: a transfer takes pieces out of the ring, which others find shorter then, or make longer.

use super::Cuda;
use super::context::Context;
use super::copiers::each;
use super::event::Event;
use super::ledger::Access;
use super::memory::{Block, block};
use super::pinned::HostMemory;
use crosslane_core::error::Result;
use crosslane_core::threads::count;
use crosslane_core::work::{Read, Write};
use cudarc::driver::sys::{self, CUpointer_attribute as Attribute, CUresult};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Bytes of a piece of pinned memory: 40 us on the bus, and small enough to stay in the processor's cache.
const PIECE: usize = 2 << 20;
/// Pieces of one thread: it fills one while the card reads the other.
const PIECES: usize = 2;
/// Threads that copy, at most.
const THREADS: usize = 8;
/// Pieces that are made before a transfer waits for one that another's bytes still lie in; beyond, only those without which
/// it could not begin.
const ROOM: usize = 32;
/// An upload of at most this many bytes goes through the driver's own staging memory, which it does not wait for.
const SMALL: usize = 64 << 10;
/// Copying this many bytes takes less time than asking the driver about their memory.
const TINY: usize = 4 << 10;
/// A helper that waits for the card this long leaves the rest to the caller.
const PATIENCE: Duration = Duration::from_millis(1);
/// Between two looks of a helper.
const LOOK: Duration = Duration::from_micros(5);
/// Bytes for one thread: below, starting it costs more than it saves.
const SHARE: usize = 4 << 20;

/// Staging memory that is used again and again.
#[derive(Default)]
pub(super) struct Ring {
    free: Mutex<Vec<Slot>>,
    made: AtomicUsize,
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

    /// Whether the card is done with it, without waiting.
    fn is_idle(&mut self) -> Result<bool> {
        self.busy = self.busy && !self.event.is_done()?;
        Ok(!self.busy)
    }

    /// As [`Slot::wait`], but not for long; false if that was not enough.
    fn wait_briefly(&mut self) -> Result<bool> {
        let start = Instant::now();
        while !self.is_idle()? {
            if start.elapsed() > PATIENCE {
                return Ok(false);
            }
            let look = Instant::now();
            while look.elapsed() < LOOK {
                std::hint::spin_loop();
            }
        }
        Ok(true)
    }

    fn sent(&mut self, stream: sys::CUstream) -> Result<()> {
        self.event.record(stream)?;
        self.busy = true;
        Ok(())
    }
}

impl Ring {
    fn free(&self) -> MutexGuard<'_, Vec<Slot>> {
        self.free.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Slots for a transfer that could use this many: at least [`PIECES`] or as many as it would like. Idle ones first,
    /// then fresh ones, then those that the card still uses.
    fn take(&self, context: &Arc<Context>, count: usize) -> Result<Vec<Slot>> {
        let mut slots = vec![];
        {
            let mut free = self.free();
            let mut index = 0;
            while index < free.len() && slots.len() < count {
                match free[index].is_idle()? {
                    true => slots.push(free.remove(index)),
                    false => index += 1,
                }
            }
        }
        while slots.len() < count && self.made.load(Ordering::Relaxed) < ROOM {
            slots.push(self.fresh(context)?);
        }
        if slots.len() < count {
            let mut free = self.free();
            let taken = (count - slots.len()).min(free.len());
            slots.extend(free.drain(..taken)); // the oldest
        }
        while slots.len() < count.min(PIECES) {
            slots.push(self.fresh(context)?);
        }
        Ok(slots)
    }

    fn fresh(&self, context: &Arc<Context>) -> Result<Slot> {
        let slot = Slot::new(context)?;
        self.made.fetch_add(1, Ordering::Relaxed);
        Ok(slot)
    }

    /// Takes slots back. After an error the card may use them though no event says so: they go when the stream is done.
    fn give(&self, context: &Context, stream: sys::CUstream, slots: Vec<Slot>, result: Result<()>) -> Result<()> {
        match &result {
            Ok(()) => self.free().extend(slots),
            Err(_) => {
                self.made.fetch_sub(slots.len(), Ordering::Relaxed);
                if context.synchronize_stream("transfer", stream).is_err() && context.alive().is_ok() {
                    std::mem::forget(slots); // nobody knows when the card is done with them
                }
            }
        }
        result
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
        let from = write.from;
        if from.is_empty() {
            return Ok(());
        }
        // From memory that is not pinned the driver copies before it returns; from pinned memory, whose owner may change
        // or free it the next moment, when the stream comes to it. So it gets a copy of ours.
        let mut tiny = [0; TINY];
        let large;
        let from = match tiny.get_mut(..from.len()) {
            Some(tiny) => {
                tiny.copy_from_slice(from);
                tiny
            }
            None if is_plain(from) => from,
            None => {
                large = from.to_vec();
                &large
            }
        };
        let to = block(write.to).address() + write.offset;
        self.context.ordered([(block(write.to).address(), true)].into_iter(), |stream| {
            // SAFETY: the memory holds the bytes, as the caller promises. The source is not pinned, so that it has been
            // copied when the call returns; it lives longer.
            let result = unsafe { sys::cuMemcpyHtoDAsync_v2(to, from.as_ptr().cast(), from.len(), stream) };
            self.context.check("upload", result)
        })
    }

    fn write_large(&self, writes: &[&Write]) -> Result<()> {
        let context = &self.context;
        let jobs = writes.iter().map(|write| (block(write.to).address() + write.offset, write.from));
        let pieces = pack(jobs, |from| from.len(), |from, at| from.split_at(at));
        let (count, threads) = (pieces.len(), threads(pieces.len()));
        let queue = Mutex::new(pieces.into_iter());
        let mut slots = self.upload.take(context, (threads * PIECES).min(count.max(1)))?;
        if count > slots.len() || slots.iter().any(|slot| slot.busy) {
            context.waits.one();
        }
        let uses = writes.iter().map(|write| (block(write.to).address(), true));
        context.ordered(uses, |stream| {
            let shares = slots.chunks_mut(PIECES).collect();
            let result = side_by_side(context, stream, shares, |slots: &mut [Slot], stream, helps| {
                for turn in 0.. {
                    if is_empty(&queue) {
                        return Ok(()); // who needs no slot waits for none
                    }
                    let slot = &mut slots[turn % slots.len()];
                    match helps {
                        true if !slot.wait_briefly()? => return Ok(()),
                        true => {}
                        false => slot.wait()?,
                    }
                    let Some(piece) = next(&queue) else { return Ok(()) };
                    self.send(slot, &piece, stream)?;
                }
                Ok(())
            });
            self.upload.give(context, stream, slots, result)
        })
    }

    fn send(&self, slot: &mut Slot, piece: &[Part<&[u8]>], stream: sys::CUstream) -> Result<()> {
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
            assert!(peek(read), "as chosen");
        }
        Ok(())
    }

    fn read_large(&self, pieces: Vec<Vec<Part<&mut [u8]>>>, stream: sys::CUstream) -> Result<()> {
        let context = &self.context;
        context.waits.one();
        let (count, threads) = (pieces.len(), threads(pieces.len()));
        let queue = Mutex::new(pieces.into_iter());
        let mut slots = self.download.take(context, (threads * PIECES).min(count))?;
        let mut shares: Vec<Share> = slots.chunks_mut(PIECES).map(Share::new).collect();
        let mut begun = shares.iter_mut().try_for_each(|share| share.fetch(context, stream, &|| next(&queue)));
        // What comes before may take long: helpers are asked for when only copies are under way.
        if begun.is_ok()
            && let Some((slot, _)) = shares.first_mut().and_then(|share| share.flying.front_mut())
        {
            begun = slot.wait();
        }
        let result = begun.and_then(|()| {
            side_by_side(context, stream, shares, |share: Share, stream, _| {
                share.receive(context, stream, &|| next(&queue))
            })
        });
        self.download.give(context, stream, slots, result)
    }
}

/// A thread's part of a download: slots that are free, and those that the card fills, with what is to be copied out.
struct Share<'s, 'a> {
    free: Vec<&'s mut Slot>,
    flying: VecDeque<(&'s mut Slot, Vec<Part<&'a mut [u8]>>)>,
}

impl<'s, 'a> Share<'s, 'a> {
    fn new(slots: &'s mut [Slot]) -> Share<'s, 'a> {
        Share { free: slots.iter_mut().collect(), flying: VecDeque::new() }
    }

    /// Has the card fill the slots that are free.
    fn fetch(
        &mut self,
        context: &Context,
        stream: sys::CUstream,
        next: &dyn Fn() -> Option<Vec<Part<&'a mut [u8]>>>,
    ) -> Result<()> {
        while let Some(slot) = self.free.pop() {
            slot.wait()?; // another transfer's copy, if that failed
            let Some(piece) = next() else { break };
            for part in &piece {
                let to = slot.memory.pointer().wrapping_add(part.at).cast();
                // SAFETY: the part lies in the slot, which nothing else uses until the event.
                let result = unsafe { sys::cuMemcpyDtoHAsync_v2(to, part.address, part.host.len(), stream) };
                context.check("download", result)?;
            }
            slot.sent(stream)?;
            self.flying.push_back((slot, piece));
        }
        Ok(())
    }

    /// Copies pieces out until there are no more, the next one under way meanwhile.
    fn receive(
        mut self,
        context: &Context,
        stream: sys::CUstream,
        next: &dyn Fn() -> Option<Vec<Part<&'a mut [u8]>>>,
    ) -> Result<()> {
        loop {
            self.fetch(context, stream, next)?;
            let Some((slot, piece)) = self.flying.pop_front() else { return Ok(()) };
            slot.wait()?;
            for part in piece {
                let from = slot.memory.pointer().wrapping_add(part.at);
                // SAFETY: the card has written these bytes and is done, and the target is this part's alone.
                unsafe { part.host.as_mut_ptr().copy_from_nonoverlapping(from, part.host.len()) };
            }
            self.free.push(slot);
        }
    }
}

/// Whether memory is the host's and is not pinned: the driver also knows of memory that other libraries pinned. In the
/// middle of what begins and ends plain nothing is looked for: the driver decides by the beginning.
fn is_plain(bytes: &[u8]) -> bool {
    let plain = |byte: &u8| {
        let mut kind = 0u32;
        let at = std::ptr::from_ref(byte) as sys::CUdeviceptr;
        // SAFETY: the attribute's value is an unsigned int, the pointer is to a variable that lives, and any address may
        // be asked for.
        let known = unsafe {
            sys::cuPointerGetAttribute((&raw mut kind).cast(), Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at)
        };
        // What the driver does not know it does not read by itself. Any other answer is no reason to trust in that.
        known == CUresult::CUDA_ERROR_INVALID_VALUE
    };
    bytes.first().is_none_or(plain) && bytes.last().is_none_or(plain)
}

/// Copies from memory of the host that the card writes; false if it is the card's.
pub(super) fn peek(read: &mut Read) -> bool {
    let Block::Host(memory) = block(read.from) else { return false };
    let from = memory.pointer().wrapping_add(read.offset as usize);
    // SAFETY: the memory holds the bytes, as the caller promises. Kernels that run on it at this moment may change numbers,
    // as they may in the card's memory.
    unsafe { read.to.as_mut_ptr().copy_from_nonoverlapping(from, read.to.len()) };
    true
}

/// Threads for a transfer of this many pieces.
fn threads(pieces: usize) -> usize {
    (pieces * PIECE / SHARE).clamp(1, cores())
}

fn cores() -> usize {
    count().min(THREADS)
}

fn next<T>(queue: &Mutex<std::vec::IntoIter<T>>) -> Option<T> {
    queue.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next()
}

fn is_empty<T>(queue: &Mutex<std::vec::IntoIter<T>>) -> bool {
    queue.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).as_slice().is_empty()
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

/// Runs `work` with each share, several at a time if there are helpers: with `true` for what a helper does.
fn side_by_side<S: Send>(
    context: &Context,
    stream: sys::CUstream,
    shares: Vec<S>,
    work: impl Fn(S, sys::CUstream, bool) -> Result<()> + Sync,
) -> Result<()> {
    let stream = Shared(stream);
    let failed = Mutex::new(Ok(()));
    each(shares, |share, helps| {
        if let Err(error) = context.enter().and_then(|_entered| work(share, stream.stream(), helps)) {
            *failed.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Err(error);
        }
    });
    failed.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Copies with several threads if it is much.
pub(super) fn copy(to: &mut [u8], from: &[u8]) {
    let share = share(to.len());
    each(to.chunks_mut(share).zip(from.chunks(share)).collect(), |(to, from), _| to.copy_from_slice(from));
}

/// Writes to memory for the first time, with several threads if it is much: the system makes the pages then.
pub(super) fn touch(memory: &mut [u8]) {
    let share = share(memory.len());
    each(memory.chunks_mut(share).collect(), |part, _| part.fill(0));
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
