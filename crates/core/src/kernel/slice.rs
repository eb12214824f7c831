//! Slices: a kernel of the library's whose launch may begin at any workgroup of a larger grid, so that a long launch can be cut.
//!
//! WGSL's workgroup ids begin at 0 in every launch. The pass adds the slice's first workgroup to each id, and replaces the
//! launch's grid by the whole one; both are in a uniform buffer. Slices run one after the other, so workgroups that wait for
//! earlier ones, or count those that are done, find what they would in one launch.

use super::graft::graft;
use super::messages::free;
use super::unroll::Rebuild;
use super::{Access, BindPoint, Kernel, next_id, parse};
use crate::error::Result;
use naga::{Binding, BuiltIn, FunctionArgument, Module, ResourceBinding};
use std::panic::Location;
use std::sync::Arc;

/// The variable of the slice: its first workgroup, and the grid of all slices.
const SLICE: &str = "@group(0) @binding(0) var<uniform> crosslane_slice: array<vec4<u32>, 2>;";

/// Which vector of a slice is its first workgroup, and which the grid.
pub(super) const FIRST: u32 = 0;
const ALL: u32 = 1;

/// Bytes of a slice.
pub const BYTES: u64 = 32;

/// The vector of the slice that an argument of an entry point depends on.
pub(super) fn word(argument: &FunctionArgument) -> Option<u32> {
    match argument.binding {
        Some(Binding::BuiltIn(BuiltIn::WorkGroupId)) => Some(FIRST),
        Some(Binding::BuiltIn(BuiltIn::NumWorkGroups)) => Some(ALL),
        _ => None,
    }
}

/// Whether an argument is the same in a slice as in the whole launch, or is changed.
fn is_known(argument: &FunctionArgument) -> bool {
    let same = matches!(
        argument.binding,
        Some(Binding::BuiltIn(
            BuiltIn::LocalInvocationId
                | BuiltIn::LocalInvocationIndex
                | BuiltIn::WorkGroupSize
                | BuiltIn::NumSubgroups
                | BuiltIn::SubgroupId
                | BuiltIn::SubgroupSize
                | BuiltIn::SubgroupInvocationId
        ))
    );
    same || word(argument).is_some()
}

/// The module with workgroups that are counted from where a slice begins, and the slice's binding. `None` if the entry point
/// takes something else that depends on the grid.
fn sliced(module: &Module, entry: &str) -> Option<(Module, BindPoint)> {
    let mut module = module.clone();
    let place = module.entry_points.iter().position(|point| point.name == entry)?;
    if !module.entry_points[place].function.arguments.iter().all(is_known) {
        return None;
    }
    let binding = free(module.global_variables.iter().filter_map(|(_, variable)| variable.binding), 1);
    let grafted = graft(&mut module, SLICE, |_| ResourceBinding { group: 0, binding });
    let slice = grafted.variables["crosslane_slice"];
    let function = Rebuild::slicing(&module, &module.entry_points[place].function, slice).function();
    module.entry_points[place].function = function;
    Some((module, BindPoint { group: 0, binding, uniform: true, access: Access::Read }))
}

impl Kernel {
    /// The kernel of the library's for a slice of a launch, made the first time: it binds one buffer more, after all others.
    /// `None` if it cannot be cut.
    #[doc(hidden)]
    pub fn sliced(&self) -> Result<Option<Kernel>> {
        let make = || -> Result<Option<Kernel>> {
            let parsed = self.parsed()?;
            let Some((module, point)) = sliced(&parsed.module, self.entry()) else { return Ok(None) };
            let info = parse::validated(&module, self.source(), Location::caller())?;
            let mut inner = (*self.0).clone();
            inner.id = next_id();
            // Compiled kernels are told apart by their texts.
            inner.source += "\n// a slice of the grid\n";
            inner.bindings.push(point);
            inner.parsed = Some(Arc::new(parse::Parsed { module, info }));
            (inner.sliced, inner.contract, inner.is_slice) = (Arc::default(), None, true);
            Ok(Some(Kernel(Arc::new(inner))))
        };
        self.0.sliced.get_or_init(make).clone()
    }

    /// Whether it runs a slice of a grid.
    #[doc(hidden)]
    pub fn is_slice(&self) -> bool {
        self.0.is_slice
    }
}
