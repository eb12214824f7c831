//! Staging memory that is used again and again: each transfer has a ring of its own, so that none waits for another's work.

use super::Wgpu;
use super::wait::Mapping;
use crosslane_core::error::Result;
use crosslane_core::memory::Direction;
use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use wgpu::BufferUsages;

/// Bytes of one piece of staging memory, at most, and how many there are in a ring: the host works on one while the device
/// copies others.
const CHUNK: u64 = 64 << 20;
pub(super) const CHUNKS: usize = 3;
/// Pieces up to here are small: a transfer never waits for them, and a few are kept.
const SMALL: u64 = 2 << 20;
const KEPT: usize = 8;
/// Rings of larger pieces: further transfers wait for one.
const LARGE: usize = 2;

/// Pieces of staging memory of one size.
pub(super) struct Ring {
    pub chunks: Vec<Chunk>,
    pub bytes: u64,
}

#[derive(Clone)]
pub(super) struct Chunk {
    pub buffer: wgpu::Buffer,
    pub mapping: Arc<Mapping>,
}

/// The rings of one direction.
pub(super) struct Rings {
    direction: Direction,
    state: Mutex<State>,
    back: Condvar,
}

#[derive(Default)]
struct State {
    free: Vec<Ring>,
    /// Large ones, free or not.
    large: usize,
}

/// A ring that one transfer has. It is kept for the next by [`Lease::give_back`]; without that a transfer failed, and nothing
/// is known about the pieces.
pub(super) struct Lease<'a> {
    rings: &'a Rings,
    ring: Option<Ring>,
    large: bool,
}

impl Ring {
    fn is_large(&self) -> bool {
        self.bytes > SMALL
    }
}

impl State {
    /// The smallest that is large enough; large ones are used only by transfers that need them.
    fn fitting(&mut self, wanted: u64) -> Option<Ring> {
        let fits = |ring: &Ring| ring.bytes >= wanted && ring.is_large() == (wanted > SMALL);
        let fits = self.free.iter().enumerate().filter(|(_, ring)| fits(ring));
        let (nth, _) = fits.min_by_key(|(_, ring)| ring.bytes)?;
        Some(self.free.remove(nth))
    }

    /// Whether there may be one more large one: instead of one that is too small, if need be.
    fn room(&mut self) -> bool {
        if self.large >= LARGE
            && let Some(nth) = self.free.iter().position(Ring::is_large)
        {
            self.free.remove(nth);
            self.large -= 1;
        }
        self.large < LARGE
    }
}

impl Rings {
    pub fn new(direction: Direction) -> Rings {
        Rings { direction, state: Mutex::default(), back: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// A ring for a transfer of this many bytes.
    pub fn take(&self, engine: &Wgpu, bytes: u64) -> Result<Lease<'_>> {
        let wanted = bytes.next_power_of_two().clamp(1 << 16, CHUNK);
        let mut state = self.state();
        let mut lease = loop {
            if let Some(ring) = state.fitting(wanted) {
                return Ok(Lease { rings: self, large: ring.is_large(), ring: Some(ring) });
            }
            let large = wanted > SMALL;
            if !large || state.room() {
                state.large += large as usize;
                break Lease { rings: self, large, ring: None };
            }
            state = self.back.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        };
        drop(state);
        lease.ring = Some(self.fresh(engine, wanted)?);
        Ok(lease)
    }

    fn fresh(&self, engine: &Wgpu, bytes: u64) -> Result<Ring> {
        let upload = self.direction == Direction::Upload;
        let (label, usage) = match self.direction {
            Direction::Upload => ("staging for uploads", BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC),
            Direction::Download => ("staging for downloads", BufferUsages::MAP_READ | BufferUsages::COPY_DST),
        };
        let descriptor = wgpu::BufferDescriptor { label: Some(label), size: bytes, usage, mapped_at_creation: upload };
        let chunk = |_| {
            let buffer = engine.guarded("staging", || engine.device.create_buffer(&descriptor))?;
            Ok(Chunk { buffer, mapping: Arc::new(Mapping::new(upload)) })
        };
        Ok(Ring { chunks: (0..CHUNKS).map(chunk).collect::<Result<_>>()?, bytes })
    }
}

impl Lease<'_> {
    /// After a transfer: its uploads may still be on their way, which the next transfer waits for.
    pub fn give_back(mut self) {
        let Some(ring) = self.ring.take() else { return };
        let mut state = self.rings.state();
        if self.large || state.free.len() < KEPT {
            state.free.push(ring);
            self.large = false; // it is there still
        }
        drop(state);
        self.rings.back.notify_one();
    }
}

impl Deref for Lease<'_> {
    type Target = Ring;

    fn deref(&self) -> &Ring {
        self.ring.as_ref().expect("there from taking it to giving it back")
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        if self.large {
            self.rings.state().large -= 1;
            self.rings.back.notify_one();
        }
    }
}
