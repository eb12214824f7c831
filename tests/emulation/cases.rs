//! Cases of the library on the processor, whatever language their kernels' text is in.

use crate::emulation::{Launch, Window};
use crosslane::device::Caps;
use crosslane::op::{Case, Pass, Plan, Values};

/// Runs a launch of a pass's kernel over buffers. What the launch leaves to it are the kernel and its workgroup's size.
pub trait Run {
    fn run(&mut self, pass: &Pass, launch: Launch, buffers: &mut [Vec<u8>]) -> Result<(), String>;
}

/// As many of a list as there may be, evenly spread.
pub fn spread<T>(list: Vec<T>, most: usize) -> impl Iterator<Item = T> {
    let step = list.len().div_ceil(most).max(1);
    list.into_iter().step_by(step)
}

/// Runs a plan's passes; the buffers are slots, then scratch.
fn run(plan: &Plan, buffers: &mut Vec<Vec<u8>>, caps: &Caps, how: &mut impl Run) -> Result<(), String> {
    buffers.extend(plan.scratch.iter().map(|&bytes| vec![0xcd; bytes as usize]));
    plan.passes.iter().try_for_each(|pass| {
        let params = pass.words(&Values::default());
        let window = |b: &crosslane::op::Binding| Window { buffer: b.buffer, offset: b.offset, bytes: b.bytes };
        let windows: Vec<Window> = pass.buffers.iter().map(window).collect();
        let (grid, immediates) = (pass.grid.fold(caps.grid), bytemuck::cast_slice(&params));
        how.run(pass, Launch { grid, windows: &windows, immediates, ..Launch::default() }, buffers)
    })
}

/// How many passes a case takes, if they give what it means within this share of the bound.
pub fn check(case: &Case, caps: &Caps, share: f64, how: &mut impl Run) -> Result<usize, String> {
    let named = |error: String| format!("{}: {error}", case.what);
    let plan = case.op.plan(caps).map_err(|error| named(error.to_string()))?;
    let before = case.slots();
    let lens: Vec<usize> = before.iter().map(Vec::len).collect();
    let padded = |bytes: Vec<u8>| {
        let len = bytes.len().next_multiple_of(64).max(64);
        [bytes.clone(), vec![0xcd; len - bytes.len()]].concat()
    };
    let mut after = before.into_iter().map(padded).collect();
    run(&plan, &mut after, caps, how).map_err(named)?;
    after.truncate(lens.len());
    after.iter_mut().zip(lens).for_each(|(bytes, len)| bytes.truncate(len));
    case.wrong_within(after, share).map_or(Ok(plan.passes.len()), |message| Err(named(message)))
}
