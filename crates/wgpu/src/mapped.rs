//! Transfers straight into arrays and out of them, where host and device share memory; and small results of cards.

use super::Wgpu;
use super::buffer::{buffer, kept};
use super::line::{Claim, Ticket};
use super::staging::{SMALL, empty, fill, map_range};
use crosslane_core::engine::Driver;
use crosslane_core::error::Result;
use crosslane_core::memory::{Lent, Memory};
use crosslane_core::work::{Launch, Read, Write};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use wgpu::MapMode;

/// After this many attempts to map an array that other threads keep using, those wait for the host.
const PATIENCE: usize = 8;

impl Wgpu {
    pub(super) fn write_mapped(&self, writes: &[Write]) -> Result<()> {
        // Only fresh arrays are written this way, which no other code can use yet.
        for write in writes.iter().filter(|write| !write.from.is_empty()) {
            let range = map_range(write.offset, write.from.len());
            let target = buffer(write.to);
            // Kernels may still use it in the name of an array that is gone: what is small need not wait for them. (To map it
            // and give up is no way to find out: wgpu 30 would then map it too early the next time.)
            if write.from.len() as u64 <= SMALL {
                self.guarded("upload", || self.write_small(write))??;
                continue;
            }
            let last = self.used_last(write.to)?;
            let mapping = self.begin_map("upload", target, MapMode::Write, range.clone(), last)?;
            self.mapped_counted("upload", &mapping)?;
            let mut view =
                target.get_mapped_range_mut(range.clone()).map_err(|e| self.backend_error("upload", e.to_string()))?;
            fill(&mut view, (write.offset - range.start) as usize, write.from);
            drop(view);
            self.unmap(target);
        }
        Ok(())
    }

    /// Runs launches and copies out of mapped arrays: nothing is locked while the device works, and submissions wait for no
    /// more than the copying out of memory that they use.
    pub(super) fn read_mapped(
        &self,
        launches: &[Launch],
        reads: &mut [Read],
        accepted: &mut dyn FnMut(),
    ) -> Result<()> {
        if !launches.is_empty() {
            self.submit(launches)?;
        }
        // What wrote there may be kept still.
        self.flush()?;
        accepted();
        if let [read] = reads
            && !read.to.is_empty()
            && self.spin() > Duration::ZERO
            && self.read_soon(read)?
        {
            return Ok(());
        }
        for read in reads.iter_mut().filter(|read| !read.to.is_empty()) {
            let Some(_claim) = self.claim_idle("download", read.from)? else {
                // Other threads have submitted more that uses it: there is no wait if it is copied in its turn.
                self.read_staged(&[], std::slice::from_mut(read), &mut || {})?;
                continue;
            };
            let range = map_range(read.offset, read.to.len());
            self.map("download", buffer(read.from), MapMode::Read, range, None)?;
            self.take_mapped(read)?;
        }
        Ok(())
    }

    /// What used memory last. It can be mapped when that is done.
    fn used_last(&self, memory: &Memory) -> Result<Option<Ticket>> {
        let (last, given_up) = {
            let host = kept(memory).host();
            (host.last.clone(), host.given_up)
        };
        if given_up && let Some(last) = &last {
            self.reach("wait", last)?;
            let mut host = kept(memory).host();
            host.given_up &= !host.last.as_ref().is_some_and(|now| now.is(last));
        }
        Ok(last)
    }

    /// Memory for the host alone, after what used it last; `None` if others use it again by then.
    fn claim_idle<'a>(&'a self, operation: &'static str, memory: &'a Memory) -> Result<Option<Claim<'a>>> {
        let last = self.used_last(memory)?;
        if let Some(last) = &last {
            self.reach(operation, last)?;
        }
        Ok(self.line.claim(memory, last.as_ref()))
    }

    /// Reads a small result if it is there within a short time: that takes one wait less. False if not.
    fn read_soon(&self, read: &mut Read) -> Result<bool> {
        let target = kept(read.from);
        let Some(_claim) = self.line.claim_in_use(read.from) else { return Ok(false) };
        let range = map_range(read.offset, read.to.len());
        if target.host().given_up {
            return Ok(false);
        }
        let soon = self.map_soon("download", &target.raw, MapMode::Read, range)?;
        match soon {
            true => self.take_mapped(read)?,
            false => target.host().given_up = true,
        }
        Ok(soon)
    }

    /// Copies out of a mapped array, and unmaps it.
    fn take_mapped(&self, read: &mut Read) -> Result<()> {
        let (source, range) = (buffer(read.from), map_range(read.offset, read.to.len()));
        let at = (read.offset - range.start) as usize;
        let view = source.get_mapped_range(range).map_err(|e| self.backend_error("download", e.to_string()))?;
        empty(&view[at..at + read.to.len()], read.to);
        drop(view);
        self.unmap(source);
        Ok(())
    }

    /// Maps an array and lends it to the host; `None` if it is lent already.
    pub(super) fn map_and_lend(&self, memory: &Arc<Memory>, range: Range<u64>) -> Result<Option<Lent>> {
        let mut idle = None;
        for _ in 0..PATIENCE {
            if memory.is_lent() {
                return Ok(None);
            }
            idle = self.claim_idle("map", memory)?;
            if idle.is_some() {
                break;
            }
        }
        let Some(claim) = idle.or_else(|| self.line.claim_in_use(memory)) else { return Ok(None) };
        let last = self.used_last(memory)?;
        let lent = self.line.lend(memory);
        self.map("map", buffer(memory), MapMode::Read, range, last)?;
        drop(claim);
        Ok(Some(lent))
    }
}
