//! Operations over as many elements as a number in the device's memory says, which the host does not know: launches are
//! laid out for all that there might be, and workgroups past the number end at once.
//!
//! It is the portable form of an indirect launch: CUDA has none from the host, and wgpu runs a kernel of its own before each
//! to check the number.

use super::dense::slot_of;
use crate::element::DType;
use crate::kernel::{Access, Draft};
use crate::op::{Binding, Expression, Host, Param, Pass};

/// A draft whose parameters of these names, units of so many elements, are bounded by the number; its last binding, and its
/// last parameter, the element of all that this launch begins with.
pub(super) fn counted(mut draft: Draft, params: &[(&'static str, u32)]) -> Draft {
    let binding = draft.access.len();
    draft.counted = params.iter().map(|(name, _)| *name).collect();
    for (name, _) in params {
        draft.text = draft.text.replace(&format!("params.{name}"), &format!("counted_{name}()"));
    }
    draft.text += &format!("@group(0) @binding({binding}) var<storage, read> counted: array<u32>;\n");
    for (name, unit) in params {
        draft.text += &format!(
            "fn counted_{name}() -> u32 {{\n    let left = max(counted[0], params.counted_from) - params.counted_from;\n    \
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
    pass.params.push(Param::of(from));
}

/// The number on the host, or all.
pub(super) fn count_on(host: &Host, count: &Option<Expression>, all: usize) -> usize {
    count.as_ref().map_or(all, |count| (host.get(slot_of(count), 0).int() as usize).min(all))
}
