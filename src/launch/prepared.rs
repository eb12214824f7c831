//! A recording's launches as the device runs them: prepared, and the long ones in slices.

use crate::device::{Device, Sliced};
use crosslane_core::error::Result;
use crosslane_core::memory::Block;
use crosslane_core::work::Launch;
use std::collections::BTreeSet;

/// What the driver prepared, and the launches it did so for, where they are not the recorded ones.
pub(super) struct Prepared {
    block: Block,
    sliced: Option<Sliced>,
}

impl Prepared {
    /// If memory runs out, what is pooled is given back, and it is tried once more: nothing has run.
    pub fn new(device: &Device, launches: &[Launch]) -> Result<Prepared> {
        Prepared::once(device, launches).or_else(|error| {
            if !error.is_out_of_memory() {
                return Err(error);
            }
            device.trim();
            Prepared::once(device, launches)
        })
    }

    fn once(device: &Device, launches: &[Launch]) -> Result<Prepared> {
        let sliced = device.sliced(launches)?;
        let block = device.driver().prepare(sliced.as_ref().map_or(launches, |sliced| &sliced.launches))?;
        Ok(Prepared { block, sliced })
    }

    /// Prepares the changed ones again. Of a launch in slices all change, and keep their places in the grid.
    pub fn update(&mut self, device: &Device, launches: &[Launch], changed: &BTreeSet<usize>) -> Result<()> {
        let Some(sliced) = &mut self.sliced else {
            let changed: Vec<usize> = changed.iter().copied().collect();
            return device.driver().update(&mut self.block, launches, &changed);
        };
        let parts: Vec<usize> = changed.iter().flat_map(|&launch| sliced.parts[launch].clone()).collect();
        for &launch in changed {
            for part in &mut sliced.launches[sliced.parts[launch].clone()] {
                part.params.clone_from(&launches[launch].params);
                // The slice's own buffer comes last.
                let given = &launches[launch].buffers;
                part.buffers[..given.len()].clone_from_slice(given);
            }
        }
        device.driver().update(&mut self.block, &sliced.launches, &parts)
    }

    pub fn submit(&mut self, device: &Device, launches: &[Launch]) -> Result<()> {
        let launches = self.sliced.as_ref().map_or(launches, |sliced| &sliced.launches);
        let block = &mut self.block;
        device.faulty(launches, || device.driver().submit_prepared(block, launches))
    }
}
