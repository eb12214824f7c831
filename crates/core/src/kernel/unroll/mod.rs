//! Loop unrolling: a kernel's file marks loops by `unroll();` as their first statement, and this pass over naga's
//! module writes out their iterations. Local arrays that are then indexed by constants alone become variables, one for
//! each element, since registers cannot be indexed. Variables whose contents are known become values.
//!
//! `unroll_if(CONDITION);` marks a loop where a constant condition holds.
//!
//! A marked loop has the form of `for`; its condition must be known: the counter begins with a constant, changes by
//! constants, and is compared with one. Nested loops may depend on the counter, and so may conditions of `if`, which
//! are then evaluated here. It has no `break` or `continue` of its own.
//!
//! A function with marked loops that is given local arrays by pointers is inlined (`inline`), so that its caller's arrays
//! can become variables as well.
//!
//! Compilers do not unroll every such loop: matrix products whose loops were left to them took 14 % longer on an H200.

mod fold;
mod inline;
mod loops;
mod promote;
mod rebuild;
mod split;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod texts;

use super::blocks::each;
use naga::{Function, Handle, Module, Statement};
pub(super) use rebuild::Rebuild;

/// The functions that mark a loop: `shaders/shared/unroll.wgsl`.
const MARKERS: [&str; 2] = ["unroll", "unroll_if"];

/// Writes out the marked loops of all functions.
pub fn unroll(module: &mut Module) {
    let is_marker = |function: &Function| MARKERS.iter().any(|name| function.name.as_deref() == Some(name));
    let markers: Vec<_> = module.functions.iter().filter(|(_, f)| is_marker(f)).map(|(handle, _)| handle).collect();
    // The marks, and functions that are inlined.
    let mut callees = markers.clone();
    let handles: Vec<_> = module.functions.iter().map(|(handle, _)| handle).collect();
    // A function is defined before its callers.
    for handle in handles {
        if calls(&module.functions[handle], &callees) {
            let function = unrolled(module, &module.functions[handle], &markers, &callees[markers.len()..]);
            if inline::is_candidate(module, &function) {
                callees.push(handle);
            }
            module.functions[handle] = function;
        }
    }
    let inlined = callees.split_off(markers.len());
    for entry in 0..module.entry_points.len() {
        let function = &module.entry_points[entry].function;
        if calls(function, &markers) || calls(function, &inlined) {
            module.entry_points[entry].function = unrolled(module, function, &markers, &inlined);
        }
    }
    // Nothing calls them.
    for handle in inlined {
        inline::clear(&mut module.functions[handle]);
    }
}

fn calls(function: &Function, callees: &[Handle<Function>]) -> bool {
    let mut found = false;
    each(&function.body, &mut |_, statement| {
        found |= matches!(statement, Statement::Call { function, .. } if callees.contains(function));
    });
    found
}

fn unrolled(
    module: &Module,
    function: &Function,
    markers: &[Handle<Function>],
    inlined: &[Handle<Function>],
) -> Function {
    let whole = match inlined {
        [] => function.clone(),
        _ => Rebuild::inlining(module, function, inlined).function(),
    };
    let mut made = Rebuild::unrolling(module, &whole, markers).function();
    // An array of arrays takes several rounds.
    loop {
        let arrays = split::arrays(module, &made);
        if arrays.is_empty() {
            break;
        }
        made = Rebuild::splitting(module, &made, &arrays).function();
    }
    Rebuild::promoting(module, &made, promote::variables(module, &made)).function()
}
