//! The launches of a stencil: they take turns between the outputs and scratch, and the last one writes the outputs.

use super::Stencil;
use super::tiled::Way;
use super::wgsl::StencilSpec;
use crate::Boundary;
use crate::dense::slot_of;
use crate::map::buffer_bytes;
use crosslane_core::caps::Caps;
use crosslane_core::error::{Error, ErrorKind, Result};
use crosslane_core::kernel::Kernel;
use crosslane_core::op::{Binding, Grid, Param, Pass, Plan};

/// The longest axis: places are 32-bit numbers, and twice an extent is one too.
const LONGEST: usize = 1 << 30;

pub(super) fn plan(stencil: &Stencil, caps: &Caps) -> Result<Plan> {
    fits(stencil, caps)?;
    let ways = ways(stencil, caps);
    let (count, updated) = (ways.len(), stencil.formulas.len());
    let bytes = buffer_bytes(stencil.dtype(), stencil.len());
    let scratch = if count > 1 { vec![bytes; updated] } else { vec![] };
    // Each way's kernel once.
    let mut kernels: Vec<(Way, Kernel)> = vec![];
    let mut passes = Vec::with_capacity(count);
    for (nth, &way) in ways.iter().enumerate() {
        if !kernels.iter().any(|(other, _)| *other == way) {
            kernels.push((way, Kernel::of(StencilSpec::new(stencil, way), caps)));
        }
        let kernel = &kernels.iter().find(|(other, _)| *other == way).expect("it was made").1;
        // Launches before the last one, by turns.
        let place = |launch: usize| stencil.output + if (count - 1 - launch).is_multiple_of(2) { 0 } else { updated };
        let read = |field: usize| match nth.checked_sub(1) {
            Some(before) if field < updated => Binding::new(place(before) + field, 0, bytes),
            _ => {
                let slot = slot_of(&stencil.fields[field]);
                Binding::new(slot, 0, stencil.bytes_of(slot))
            }
        };
        let written = (0..updated).map(|field| Binding::new(place(nth) + field, 0, bytes));
        let (params, groups) = params(stencil, way);
        passes.push(Pass {
            kernel: kernel.clone(),
            buffers: (0..stencil.fields.len()).map(read).chain(written).collect(),
            params: params.into_iter().map(Param::Is).collect(),
            grid: Grid::Count(groups),
        });
    }
    Ok(Plan { scratch, passes })
}

fn fits(stencil: &Stencil, caps: &Caps) -> Result<()> {
    let error = |wanted: String, got: String| -> Error {
        ErrorKind::Argument { operation: "stencil", argument: "fields".into(), wanted, got, at: None }.into()
    };
    let (bytes, longest) = (buffer_bytes(stencil.dtype(), stencil.len()), stencil.extents().into_iter().max());
    if bytes > caps.binding_bytes || stencil.len() > 1 << 31 || longest > Some(LONGEST) {
        let wanted =
            format!("at most {} bytes, as one binding holds, and {LONGEST} elements of an axis", caps.binding_bytes);
        return Err(error(wanted, format!("{bytes} bytes, {:?}", stencil.shape)));
    }
    let bindings = stencil.fields.len() + stencil.formulas.len();
    if bindings > caps.bindings as usize {
        let wanted = format!("at most {} arrays that are read and written", caps.bindings);
        return Err(error(wanted, bindings.to_string()));
    }
    Ok(())
}

/// The way of each launch.
fn ways(stencil: &Stencil, caps: &Caps) -> Vec<Way> {
    let mut ways = vec![];
    let mut left = stencil.steps;
    while left > 0 {
        let way = Way::choose(stencil, left, caps);
        left -= way.steps();
        ways.push(way);
    }
    ways
}

/// The words of a launch's parameters, in the order of [`super::wgsl::PARAMS`], and its workgroups.
fn params(stencil: &Stencil, way: Way) -> (Vec<u32>, u64) {
    let [k, z, y, x] = stencil.extents();
    let [tile_x, tile_y] = way.tile(stencil.reach());
    let tiles = [x.div_ceil(tile_x as usize), y.div_ceil(tile_y as usize)];
    let count = (k * z) as u64 * tiles[0] as u64 * tiles[1] as u64;
    let own = [count as usize, tiles[0], tiles[1], x, y, z].map(|word| word as u32);
    let outside = matches!(stencil.boundary, Boundary::Constant(_)).then_some(stencil.outside);
    (
        own.into_iter().chain(outside.into_iter().flat_map(|outside| outside.words().collect::<Vec<_>>())).collect(),
        count,
    )
}
