//! Which element an index means: what gathers and scatters share.
//!
//! A kernel cannot return an error. It writes faults into words of its operation, which are checked when a result is
//! read.

use super::fuse::SeveralSpec;
use crosslane_core::element::DType;
use crosslane_core::kernel::Access;
use crosslane_core::op::{Binding, Expression, Host, Param, Slot, Vary};

/// The treatment of an index that is not below the axis' extent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OutOfRange {
    /// An error whenever the result, or a value computed from it, is read. It names the line of the call and the index;
    /// if it is not read, `crosslane::Device::synchronize` returns the error, once. Negative numbers count from the end.
    #[default]
    Error,
    /// The first or the last element is meant: NumPy's mode `clip`, where negative numbers are all the first.
    Clamp,
    /// The index is taken modulo the extent: NumPy's mode `wrap`.
    Wrap,
    /// 0 is read, nothing is written. Negative numbers count from the end.
    Drop,
}

/// An index for each element of a space, into one axis of an array without gaps.
#[derive(Clone, Debug, Hash)]
pub struct Indexing {
    /// The indices, of type u32 or i32.
    pub indices: Expression,
    /// The address of the axis' first element, of type u32.
    pub base: Expression,
    /// Elements of the axis, one at least.
    pub extent: usize,
    /// From one of them to the next.
    pub stride: usize,
    /// The treatment of an index past the axis.
    pub outside: OutOfRange,
    /// For [`OutOfRange::Error`]: words with the number of such indices, the first of them, and the extent.
    pub report: Option<Expression>,
}

/// The parameters of every kernel with indices.
pub(super) const PARAMS: [&str; 5] = ["extent", "stride", "first", "window", "len"];

impl Indexing {
    /// The expressions with the prefixes of their functions.
    pub(super) fn expressions(&self) -> [(&Expression, &'static str); 2] {
        [(&self.indices, ""), (&self.base, "b_")]
    }

    /// What every plan with indices is filled with.
    pub(super) fn vary(&mut self, by: &mut dyn Vary) {
        by.expression(&mut self.indices);
        by.expression(&mut self.base);
    }

    /// The words of [`PARAMS`] for a window of an array of `len` elements that begins at `first`.
    pub(super) fn params(&self, len: usize, first: u64, window: u64) -> [Param; 5] {
        [self.extent as u64, self.stride as u64, first, window, len as u64].map(Param::of)
    }

    /// The window of the fault words for an index past the axis.
    pub(super) fn report_window(&self) -> Option<Binding> {
        let slot = self.report.as_ref()?.slots()[0].0;
        Some(Binding::new(slot, 0, 64))
    }

    /// Its slot: it is written, though it comes with the inputs.
    pub(super) fn mark(&self, slots: &mut [Slot]) {
        for slot in slots {
            if self.report_window().is_some_and(|report| slot.name == format!("x{}", report.buffer)) {
                slot.access = Access::Write;
            }
        }
    }

    pub(super) fn spec(&self) -> IndexingSpec {
        IndexingSpec { outside: self.outside, reports: self.report.is_some() }
    }

    /// The address that the index at a point means, by definition.
    pub(super) fn meaning(&self, host: &Host, point: &[u64]) -> Option<usize> {
        let (index, extent) = (self.indices.meaning(host, point).int(), self.extent as i128);
        let index = match self.outside {
            OutOfRange::Clamp => index.clamp(0, extent - 1),
            OutOfRange::Wrap => index.rem_euclid(extent),
            _ if index < 0 => index + extent,
            _ => index,
        };
        let base = self.base.meaning(host, point).int() as usize;
        (0..extent).contains(&index).then(|| base + index as usize * self.stride)
    }
}

/// What the text of a kernel with indices depends on, beside their expressions.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct IndexingSpec {
    outside: OutOfRange,
    reports: bool,
}

impl IndexingSpec {
    pub(super) fn access(self) -> Option<Access> {
        self.reports.then_some(Access::Write)
    }

    /// `place(i)`: the address that the index means, or 2^32 - 1. Of several expressions the first gives the indices. The
    /// report is at this binding.
    pub(super) fn text(self, several: &SeveralSpec, report: usize) -> String {
        let signed = several.0[0].dtype() == DType::I32;
        let index = match (self.outside, signed) {
            (OutOfRange::Clamp, false) => "let index = min(value(i), params.extent - 1u);",
            (OutOfRange::Clamp, true) => "let index = min(u32(max(value(i), 0i)), params.extent - 1u);",
            (OutOfRange::Wrap, false) => "let index = value(i) % params.extent;",
            // Past 2^31 elements an index is below the extent, or a negative one is after it is added.
            (OutOfRange::Wrap, true) => {
                "let given = value(i);\n    let whole = i32(min(params.extent, 0x7fffffffu));\n    \
                 let rest = select(given - given / whole * whole, given, params.extent > 0x7fffffffu);\n    \
                 let index = bitcast<u32>(rest) + select(0u, params.extent, rest < 0i);"
            }
            (_, false) => "let index = value(i);",
            (_, true) => {
                "let given = value(i);\n    let index = bitcast<u32>(given) + select(0u, params.extent, given < 0i);"
            }
        };
        let given = if signed { "bitcast<u32>(given)" } else { "index" };
        let outside = match self.outside {
            OutOfRange::Clamp | OutOfRange::Wrap => String::new(),
            OutOfRange::Drop => "    if (index >= params.extent) {\n        return NOWHERE;\n    }\n".to_string(),
            OutOfRange::Error => {
                format!("    if (index >= params.extent) {{\n        miss({given});\n        return NOWHERE;\n    }}\n")
            }
        };
        let miss = match self.outside {
            OutOfRange::Error => format!(
                "@group(0) @binding({report}) var<storage, read_write> misses: array<atomic<u32>>;\n\
                 fn miss(index: u32) {{\n    \
                 if (params.first == 0u && atomicAdd(&misses[0], 1u) == 0u) {{\n        \
                 atomicStore(&misses[1], index);\n        atomicStore(&misses[2], params.extent);\n    }}\n}}\n"
            ),
            _ => String::new(),
        };
        format!(
            "const NOWHERE = 0xffffffffu;\n{miss}fn place(i: u32) -> u32 {{\n    {index}\n{outside}    \
             return b_value(i) + index * params.stride;\n}}\n"
        )
    }
}
