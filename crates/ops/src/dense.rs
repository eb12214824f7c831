//! Arrays without gaps as kernels see them that look at keys by their bits: how elements lie in memory, and windows of them.

use super::order::words;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::op::{Binding, Expression, LeafSource};
use std::ops::Range;

/// How the elements of an array lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// Elements in a word.
    Packed(u32),
    /// Words of an element.
    Words(u32),
}

impl Form {
    /// As arrays hold them.
    pub fn held(dtype: DType) -> Form {
        if dtype.size() < 4 { Form::Packed(4 / dtype.size() as u32) } else { Form::Words(words(dtype)) }
    }

    /// As a sort moves them: none smaller than a word.
    pub fn carried(dtype: DType) -> Form {
        Form::Words(words(dtype))
    }

    /// Bytes of an element.
    pub fn size(self) -> u64 {
        match self {
            Form::Packed(per_word) => 4 / per_word as u64,
            Form::Words(words) => 4 * words as u64,
        }
    }

    /// The type of an element in a kernel.
    pub fn wgsl(self) -> &'static str {
        match self {
            Form::Words(4) => "vec4<u32>",
            Form::Words(2) => "vec2<u32>",
            _ => "u32",
        }
    }

    pub fn declare(self, binding: usize, name: &str, access: &str) -> String {
        format!("@group(0) @binding({binding}) var<storage, {access}> {name}: array<{}>;\n", self.wgsl())
    }

    /// Element `i` of an array.
    pub fn load(self, array: &str) -> String {
        match self {
            Form::Packed(4) => format!("({array}[i >> 2u] >> ((i & 3u) * 8u)) & 0xffu"),
            Form::Packed(_) => format!("({array}[i >> 1u] >> ((i & 1u) * 16u)) & 0xffffu"),
            Form::Words(_) => format!("{array}[i]"),
        }
    }
}

/// An array that a pass reads or writes: a slot or scratch, and how its elements lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub buffer: usize,
    pub form: Form,
}

impl Field {
    /// The window of some elements, and the first of them in it.
    pub fn window(self, elements: Range<u64>, caps: &Caps) -> (Binding, u32) {
        let (size, alignment) = (self.form.size(), caps.offset_alignment.max(64));
        let offset = elements.start * size / alignment * alignment;
        // Buffers are padded to 64 bytes.
        let bytes = (elements.end * size).next_multiple_of(64) - offset;
        (Binding::new(self.buffer, offset, bytes), (elements.start - offset / size) as u32)
    }
}

/// The slot of an array that is one leaf.
pub(super) fn slot_of(expression: &Expression) -> usize {
    match expression.leaves.first().map(|leaf| leaf.source) {
        Some(LeafSource::Slot(slot)) => slot,
        _ => unreachable!("dense inputs lie in memory"),
    }
}

/// A range in pieces of `most`.
pub(super) fn pieces(range: Range<u64>, most: u64) -> Vec<Range<u64>> {
    let starts = range.clone().step_by(most as usize);
    starts.map(|start| start..(start + most).min(range.end)).collect()
}
