//! How many steps a launch makes, and on what tiles.

use super::Stencil;
use crosslane_core::caps::Caps;

/// What a workgroup computes, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Way {
    /// One step: an invocation reads each neighbour from memory.
    Direct { tile_x: u32, tile_y: u32, workgroup: u32 },
    /// Several steps in workgroup memory.
    Tiled { steps: u32, held_x: u32, held_y: u32, workgroup: u32 },
}

/// Steps of a launch at most, and operations of a step up to which memory is what it waits for.
const STEPS: u32 = 4;
const CHEAP: u64 = 40;

impl Way {
    /// For a launch of at most so many steps.
    pub fn choose(stencil: &Stencil, left: usize, caps: &Caps) -> Way {
        let tiled = Way::several(stencil, left, caps);
        tiled.unwrap_or_else(|| Way::direct(stencil, caps))
    }

    fn direct(stencil: &Stencil, caps: &Caps) -> Way {
        let workgroup = caps.workgroup();
        let [.., y, _] = stencil.extents();
        // On a processor a workgroup is one vector.
        let flat = y == 1 || caps.processor.is_some() || caps.short_vectors() || workgroup < 64;
        let tile_x = if flat { workgroup } else { 64 };
        let rows = match caps.processor {
            _ if y == 1 => 1,
            Some(_) => 16,
            None => 4,
        };
        Way::Direct { tile_x, tile_y: workgroup / tile_x * rows, workgroup }
    }

    fn several(stencil: &Stencil, left: usize, caps: &Caps) -> Option<Way> {
        let [reach_z, reach_y, reach_x] = stencil.reach();
        let reach = reach_y.max(reach_x);
        let operations: u64 = stencil.formulas.iter().map(|formula| formula.operations()).sum();
        let workgroup = 256.min(caps.workgroup_invocations);
        let slow = caps.processor.is_some() || caps.short_vectors() || workgroup < 256;
        if slow || reach_z > 0 || reach == 0 || reach > 2 || operations > CHEAP {
            return None;
        }
        let steps = (STEPS / reach).min(left.min(STEPS as usize) as u32);
        let (held_x, mut held_y) = if reach_y == 0 { (2048, 1) } else { (64, 64) };
        // With what elements at the rim read past the tile.
        let bytes = |held_y: u32| {
            let elements = held_x * held_y + 2 * (reach_y * held_x + reach_x);
            elements * stencil.fields.len() as u32 * stencil.dtype().size() as u32
        };
        while bytes(held_y) > caps.workgroup_bytes && held_y > 16 {
            held_y /= 2;
        }
        let fits = bytes(held_y) <= caps.workgroup_bytes;
        (steps > 1 && fits).then_some(Way::Tiled { steps, held_x, held_y, workgroup })
    }

    /// Elements of an invocation.
    pub fn cells(self) -> u32 {
        match self {
            Way::Direct { tile_x, tile_y, workgroup } => tile_x * tile_y / workgroup,
            Way::Tiled { held_x, held_y, workgroup, .. } => held_x * held_y / workgroup,
        }
    }

    /// Steps of a launch.
    pub fn steps(self) -> usize {
        match self {
            Way::Direct { .. } => 1,
            Way::Tiled { steps, .. } => steps as usize,
        }
    }

    /// Elements of a workgroup's tile along x and y.
    pub fn tile(self, reach: [u32; 3]) -> [u32; 2] {
        match self {
            Way::Direct { tile_x, tile_y, .. } => [tile_x, tile_y],
            Way::Tiled { steps, held_x, held_y, .. } => [held_x - 2 * steps * reach[2], held_y - 2 * steps * reach[1]],
        }
    }
}
