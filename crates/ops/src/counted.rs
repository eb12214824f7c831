//! Operations over a count that only the device knows. Launches cover the largest possible count, and workgroups past
//! the actual count end at once.
//!
//! It is the portable form of an indirect launch: CUDA has none from the host, and wgpu runs a kernel of its own before each
//! to check the number.

use super::dense::slot_of;
use crosslane_core::element::DType;
use crosslane_core::kernel::{Access, Draft};
use crosslane_core::op::{Binding, Expression, Host, Param, Pass};

/// The draft with `bounded_NAME()` for each of these parameters, which are units of this many elements: the parameter
/// or, where only the device knows how many elements there are, no more units than those. The number is the last
/// binding then, and the last parameter is the element of all that the launch begins with.
pub(super) fn bounded(mut draft: Draft, params: &[(&str, u32)], counted: bool) -> Draft {
    if !counted {
        for (name, _) in params {
            draft.text += &format!("fn bounded_{name}() -> u32 {{ return params.{name}; }}\n");
        }
        return draft;
    }
    let binding = draft.access.len();
    draft.text += &format!("@group(0) @binding({binding}) var<storage, read> counted: array<u32>;\n");
    for (name, unit) in params {
        draft.text += &format!(
            "fn bounded_{name}() -> u32 {{\n    let left = max(counted[0], params.counted_from) - params.counted_from;\n    \
             return min(params.{name}, left / {unit}u + select(0u, 1u, left % {unit}u > 0u));\n}}\n"
        );
    }
    draft.params.push("counted_from".into());
    draft.access.push(Access::Read);
    draft
}

/// The number for a launch of such a kernel, which begins with an element.
pub(super) fn count_pass(pass: &mut Pass, count: &Expression, from: u64) {
    pass.buffers.push(Binding::new(slot_of(count), 0, super::buffer_bytes(DType::U32, 1)));
    // No count is larger than 32 bits hold: a launch from there on has nothing to do.
    pass.params.push(Param::of(from.min(u32::MAX as u64)));
}

/// The number on the host, or all.
pub(super) fn count_on(host: &Host, count: &Option<Expression>, all: usize) -> usize {
    count.as_ref().map_or(all, |count| (host.get(slot_of(count), 0).int() as usize).min(all))
}
