//! Transfers through rings of mapped staging memory that several threads fill or empty while the device copies.

use super::Wgpu;
use super::buffer::buffer;
use super::rings::{CHUNKS, Chunk, Ring};
use crosslane_core::error::Result;
use crosslane_core::threads;
use crosslane_core::work::{Launch, Read, Write};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::Ordering;
use wgpu::{BufferViewMut, MapMode};

/// Below this an upload goes through the queue's own staging.
pub(super) const SMALL: u64 = 1 << 20;
/// Bytes for one thread: below, starting it costs more than it saves.
const SHARE: usize = 1 << 20;

/// A part of a transfer that goes through one piece of staging memory.
struct Part {
    job: usize,
    /// Bytes of the job.
    range: Range<usize>,
    /// Where it lies in the piece.
    at: usize,
}

/// Fills pieces of `chunk` bytes with the jobs' bytes, several small jobs in one piece.
fn pack(lengths: impl Iterator<Item = usize>, chunk: usize) -> Vec<Vec<Part>> {
    let mut pieces: Vec<Vec<Part>> = vec![vec![]];
    let mut used = 0;
    for (job, length) in lengths.enumerate() {
        let mut done = 0;
        while done < length {
            if used >= chunk {
                pieces.push(vec![]);
                used = 0;
            }
            let now = (length - done).min(chunk - used);
            pieces.last_mut().expect("never empty").push(Part { job, range: done..done + now, at: used });
            done += now;
            used = (used + now).next_multiple_of(64);
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// The bytes of a piece that its parts take, a multiple of 8 as mapping wants.
fn used(piece: &[Part]) -> u64 {
    piece.last().map_or(0, |part| (part.at + part.range.len()).next_multiple_of(8) as u64)
}

/// Bytes to copy for a part: whole words.
fn words(part: &Part) -> u64 {
    part.range.len().next_multiple_of(4) as u64
}

/// Copies in, with several threads if it is much.
pub(super) fn fill(view: &mut BufferViewMut, at: usize, bytes: &[u8]) {
    let mut left = view.slice(at..at + bytes.len());
    let share = share(bytes.len());
    let mut parts = Vec::new();
    for part in bytes.chunks(share) {
        let (now, rest) = left.split_at(part.len());
        parts.push((Target(now), part));
        left = rest;
    }
    threads::each(parts, |(to, from)| to.copy(from));
}

/// A part of a mapped range, to be filled by one thread.
struct Target<'a>(wgpu::WriteOnly<'a, [u8]>);

// SAFETY: a WriteOnly is the only handle to its bytes, as a `&mut [u8]` is, and bytes may move between threads. wgpu
// itself says so, but only for sized types.
unsafe impl Send for Target<'_> {}

impl Target<'_> {
    fn copy(mut self, bytes: &[u8]) {
        self.0.copy_from_slice(bytes);
    }
}

/// Copies out, with several threads if it is much.
pub(super) fn empty(from: &[u8], to: &mut [u8]) {
    let share = share(to.len());
    threads::each(to.chunks_mut(share).zip(from.chunks(share)).collect(), |(to, from)| to.copy_from_slice(from));
}

fn share(bytes: usize) -> usize {
    // Threads that fill fresh memory should not meet in one huge page.
    let page = if bytes >= 64 << 20 { 2 << 20 } else { 4096 };
    bytes.div_ceil(threads::count().min(16)).max(SHARE).next_multiple_of(page)
}

impl Wgpu {
    pub(super) fn write_staged(&self, writes: &[Write]) -> Result<()> {
        let total: u64 = writes.iter().map(|write| write.from.len() as u64).sum();
        if total <= SMALL && writes.len() <= 4 {
            return self.guarded("upload", || writes.iter().try_for_each(|write| self.write_small(write)))?;
        }
        let ring = self.upload.take(self, total + 64 * writes.len() as u64)?;
        self.write_through(&ring, writes)?;
        ring.give_back();
        Ok(())
    }

    pub(super) fn write_small(&self, write: &Write) -> Result<()> {
        // The queue writes before what is submitted next: launches that use the memory for what it was may still be kept.
        self.flush()?;
        let whole = write.from.len() / 4 * 4;
        let (words, rest) = write.from.split_at(whole);
        if !words.is_empty() {
            self.queue.write_buffer(buffer(write.to), write.offset, words);
        }
        if !rest.is_empty() {
            let mut last = [0; 4];
            last[..rest.len()].copy_from_slice(rest);
            self.queue.write_buffer(buffer(write.to), write.offset + whole as u64, &last);
        }
        Ok(())
    }

    fn write_through(&self, ring: &Ring, writes: &[Write]) -> Result<()> {
        let pieces = pack(writes.iter().map(|write| write.from.len()), ring.bytes as usize);
        let fill_piece = |piece: &[Part], chunk: &Chunk| {
            self.mapped("transfer", &chunk.mapping)?;
            let view = chunk.buffer.get_mapped_range_mut(..);
            let mut view = view.map_err(|e| self.backend_error("upload", e.to_string()))?;
            piece.iter().for_each(|part| fill(&mut view, part.at, &writes[part.job].from[part.range.clone()]));
            Ok(())
        };
        let send = |piece: &[Part], chunk: &Chunk| {
            self.guarded("upload", || {
                chunk.buffer.unmap();
                let mut commands = self.commands();
                for part in piece {
                    let write = &writes[part.job];
                    commands.uses(write.to);
                    let to = write.offset + part.range.start as u64;
                    commands.encoder.copy_buffer_to_buffer(
                        &chunk.buffer,
                        part.at as u64,
                        buffer(write.to),
                        to,
                        words(part),
                    );
                }
                let sent = self.queue_up(commands)?;
                chunk.mapping.begin(&chunk.buffer, MapMode::Write, 0..ring.bytes, Some(sent));
                Ok::<(), crate::Error>(())
            })?
        };
        let _ = self.device.poll(wgpu::PollType::Poll); // what it says comes out again where a piece is waited for
        if pieces.len() > CHUNKS || ring.chunks.iter().any(|chunk| !chunk.mapping.done.load(Ordering::Acquire)) {
            self.waits.one();
        }
        let work: Vec<_> = pieces.iter().zip(ring.chunks.iter().cycle()).collect();
        let Some((first, chunk)) = work.first() else { return Ok(()) };
        fill_piece(first, chunk)?;
        // While one piece is sent the next is filled.
        for (nth, (piece, chunk)) in work.iter().enumerate() {
            match work.get(nth + 1) {
                None => send(piece, chunk)?,
                Some((after, free)) => {
                    let (sent, filled) = threads::both(|| send(piece, chunk), || fill_piece(after, free));
                    sent.and(filled)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn read_staged(
        &self,
        launches: &[Launch],
        reads: &mut [Read],
        accepted: &mut dyn FnMut(),
    ) -> Result<()> {
        let total: u64 = reads.iter().map(|read| read.to.len() as u64).sum();
        let ring = self.download.take(self, total + 64 * reads.len() as u64)?;
        self.read_through(&ring, launches, reads, accepted)?;
        ring.give_back();
        Ok(())
    }

    fn read_through(
        &self,
        ring: &Ring,
        launches: &[Launch],
        reads: &mut [Read],
        accepted: &mut dyn FnMut(),
    ) -> Result<()> {
        let pieces = pack(reads.iter().map(|read| read.to.len()), ring.bytes as usize);
        let mut free: Vec<Chunk> = ring.chunks.clone();
        let mut flying: VecDeque<(Chunk, &Vec<Part>)> = VecDeque::new();
        let mut rest = pieces.iter();
        let (mut prepared, mut launches) = (self.look_up(launches)?, launches);
        loop {
            while !free.is_empty() {
                let Some(piece) = rest.next() else { break };
                let chunk = free.pop().expect("not empty");
                self.guarded("download", || {
                    let mut commands = self.commands();
                    commands.launches(std::mem::take(&mut launches));
                    self.record(&mut commands, &std::mem::take(&mut prepared))?;
                    for part in piece {
                        let read = &reads[part.job];
                        commands.uses(read.from);
                        let from = read.offset + part.range.start as u64;
                        commands.encoder.copy_buffer_to_buffer(
                            buffer(read.from),
                            from,
                            &chunk.buffer,
                            part.at as u64,
                            words(part),
                        );
                    }
                    let sent = self.queue_up(commands)?;
                    chunk.mapping.begin(&chunk.buffer, MapMode::Read, 0..used(piece), Some(sent));
                    Ok::<(), crosslane_core::error::Error>(())
                })??;
                accepted(); // the first piece goes with the launches
                flying.push_back((chunk, piece));
            }
            let Some((chunk, piece)) = flying.pop_front() else { break };
            self.mapped("transfer", &chunk.mapping)?;
            let view = chunk
                .buffer
                .get_mapped_range(..used(piece))
                .map_err(|e| self.backend_error("download", e.to_string()))?;
            for part in piece {
                let to = &mut reads[part.job].to[part.range.clone()];
                empty(&view[part.at..part.at + to.len()], to);
            }
            drop(view);
            self.unmap(&chunk.buffer);
            free.push(chunk);
        }
        match launches.is_empty() {
            true => Ok(()),
            false => self.submit_launches(&prepared, launches),
        }
    }
}

/// The bytes to map around some bytes: from a multiple of 8, whole words.
pub(super) fn map_range(offset: u64, bytes: usize) -> Range<u64> {
    offset / 8 * 8..(offset + bytes as u64).next_multiple_of(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_every_byte_once_and_fit() {
        let lengths = [5, 0, 1000, 64, 3000, 1];
        let pieces = pack(lengths.into_iter(), 1024);
        let mut seen = lengths.map(|length| vec![0; length]);
        for piece in &pieces {
            assert!(used(piece) <= 1024 + 8);
            let mut end = 0;
            for part in piece {
                assert!(part.at >= end && part.at + part.range.len() <= 1024);
                end = part.at + part.range.len();
                part.range.clone().for_each(|byte| seen[part.job][byte] += 1);
            }
        }
        assert!(seen.iter().flatten().all(|&times| times == 1));
    }
}
