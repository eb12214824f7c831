//! Endless loops: each loop of a program's kernel counts, and exits when its invocation has used up its time.
//!
//! GPUs have no clock that WGSL can read, so time is counted in ticks of about 10 ns: one for an iteration of a loop,
//! more if it waits for memory. A loop counts its iterations in a variable of its own, which stays in a register, and
//! after about 65,536 ticks reads a word that all invocations share. The first invocation past the limit writes its
//! kernel and line there, and all others exit their loops when they see it. An invocation that starts later exits each
//! loop in its first iteration.
//!
//! The word is in device memory, the report in host memory. With both in host memory the checked product of
//! cli/src/matmul_f32.wgsl, a million invocations that read the word twice, fell from 32.9 to 4.0 TFLOP/s (H200, CUDA,
//! 2026-11-22).
//!
//! Some drivers stop loops by themselves ([`Driven::Leaves`]): there each loop records that it reached one of its own
//! exits.
//!
//! The pass works on naga's module, not on the text, so it is exact whatever names the program uses.

mod pass;

use super::blocks::each;
use super::graft::graft;
use super::messages::free;
use super::prelude::own;
use naga::{Function, Handle, Module, ResourceBinding, Span, Statement, Type};
use pass::Pass;
use std::collections::HashMap;

/// Ticks in a second.
const RATE: f64 = 1e8;

/// The most ticks that are counted; the counter must not wrap before they are seen.
const MOST: f64 = 4.2e9;

/// Turns of a loop with fewer, those inside it multiplied, are not counted.
const FEW: u64 = 1 << 16;

/// About how many ticks there are from one look to the next.
const LOOK: u64 = 1 << 16;

/// Turns of all loops together of what runs to its end on every driver.
const ALWAYS: u64 = 60_000;

/// Set in the line of a report: the driver left the loop.
pub const CUT: u32 = 1 << 31;

/// The buffers.
pub(crate) const WATCH: &str = "crosslane_watch";
pub(crate) const REPORT: &str = "crosslane_report";

/// The variables and functions that counting needs; bindings are put in.
const COUNTING: &str = "
@group(0) @binding(0) var<storage, read_write> crosslane_watch: array<atomic<u32>, 2>; // stop, limit
@group(0) @binding(1) var<storage, read_write> crosslane_report: array<atomic<u32>, 2>; // line, kernel
var<private> crosslane_ticks: u32;
var<private> crosslane_late: u32; // a loop counts from here: the next turn after all ones is 0, and looks
fn crosslane_overdue(ticks: u32, line: u32, kernel: u32) -> bool {
    if crosslane_late != 0u { return true; }
    crosslane_ticks += min(ticks, 0xffffffffu - crosslane_ticks);
    if atomicLoad(&crosslane_watch[0]) == 0u {
        if crosslane_ticks < atomicLoad(&crosslane_watch[1]) { return false; }
        atomicStore(&crosslane_report[0], line);
        atomicStore(&crosslane_report[1], kernel);
        atomicStore(&crosslane_watch[0], 1u);
    }
    crosslane_late = 0xffffffffu;
    return true;
}
";

/// The variables of loops that report when a driver stops them. To a compiler that does not know that it will, the word
/// would always be 1: so its place is one that no compiler knows.
const LEAVING: &str = "
var<private> crosslane_left: array<u32, 2>;
fn crosslane_leave() {
    crosslane_left[atomicLoad(&crosslane_watch[0]) >> 1u] = 1u; // it is 0 or 1: place 0
}
fn crosslane_after(line: u32, kernel: u32) {
    let stopped = atomicLoad(&crosslane_watch[0]);
    let place = stopped >> 1u;
    if crosslane_left[place] == 0u && stopped == 0u {
        atomicStore(&crosslane_report[0], line | 0x80000000u);
        atomicStore(&crosslane_report[1], kernel);
        atomicStore(&crosslane_watch[0], 1u);
    }
    crosslane_left[place] = 0u;
}
";

/// The limit in ticks.
pub fn limit(seconds: f64) -> u32 {
    (seconds * RATE).clamp(LOOK as f64, MOST) as u32
}

/// A number for a kernel, of all that tells it from others: two kernels of one text have different entry points, values of
/// overrides, or names. Never 0, and the same in each process, since compiled kernels that contain it are kept on disk.
pub fn number<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u32 {
    let bytes =
        parts.into_iter().flat_map(|part| (part.len() as u64).to_le_bytes().into_iter().chain(part.iter().copied()));
    // FNV-1a
    bytes.fold(0x811c_9dc5u32, |hash, byte| (hash ^ byte as u32).wrapping_mul(0x0100_0193)).max(1)
}

/// What a device does with loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driven {
    /// The driver runs loops to their ends.
    Runs,
    /// The driver stops them after this many iterations of all together.
    Leaves,
}

/// The kernel of this number with loops that count, limits and report bound in group 0 after all else there; `None` if it needs none:
/// each loop that the entry point reaches is short anyway.
pub fn counting(module: &Module, source: &str, entry: &str, kernel: u32, driven: Driven) -> Option<Module> {
    let mut module = module.clone();
    let entry = module.entry_points.iter().position(|point| point.name == entry)?;
    let first = free(module.global_variables.iter().filter_map(|(_, variable)| variable.binding), 2);
    let text = match driven {
        Driven::Runs => COUNTING.to_string(),
        Driven::Leaves => [COUNTING, LEAVING].concat(),
    };
    let point = |point: ResourceBinding| ResourceBinding { binding: first + point.binding, ..point };
    let grafted = graft(&mut module, &text, point);
    let mut pass = Pass {
        source,
        kernel,
        own: own(source),
        driven,
        grafted,
        word: module
            .types
            .insert(Type { name: None, inner: naga::TypeInner::Scalar(naga::Scalar::U32) }, Span::UNDEFINED),
        functions: HashMap::new(),
        counted: 0,
    };
    let mut reached = vec![];
    reach(&module, &module.entry_points[entry].function, &mut reached);
    // Callees come before their callers.
    reached.sort_unstable();
    for handle in reached {
        let mut function = std::mem::take(&mut module.functions[handle]);
        let work = pass.function(&mut module, &mut function, false);
        module.functions[handle] = function;
        pass.functions.insert(handle, work);
    }
    let mut function = std::mem::take(&mut module.entry_points[entry].function);
    let work = pass.function(&mut module, &mut function, true);
    module.entry_points[entry].function = function;
    let ends = driven == Driven::Runs || work.all.is_some_and(|turns| turns < ALWAYS);
    (pass.counted > 0 || !ends).then_some(module)
}

/// The functions that a function calls, and those that they call.
fn reach(module: &Module, function: &Function, reached: &mut Vec<Handle<Function>>) {
    each(&function.body, &mut |_, statement| {
        if let Statement::Call { function, .. } = statement
            && !reached.contains(function)
        {
            reached.push(*function);
            reach(module, &module.functions[*function], reached);
        }
    });
}

#[cfg(test)]
mod tests;
