//! Clear: a buffer of words as zeros, the first pass of what counts or publishes; `shaders/clear.wgsl`.

use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::kernel::{Access, Draft, Kernel, Spec};
use crosslane_core::op::{Binding, Grid, Param, Pass};

/// There is one such kernel.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Clear;

impl Spec for Clear {
    fn draft(&self, caps: &Caps) -> Draft {
        Draft {
            constants: vec![("WORKGROUP", caps.workgroup())],
            params: vec!["words".into()],
            access: vec![Access::Write],
            text: "@group(0) @binding(0) var<storage, read_write> cleared: array<u32>;\n".into(),
            ..Draft::new("clear", shader("clear"))
        }
    }
}

/// The pass that fills a scratch buffer of this many words with zeros.
pub(super) fn clear(buffer: usize, words: u64, caps: &Caps) -> Pass {
    let bytes = (words * 4).next_multiple_of(64);
    Pass {
        kernel: Kernel::of(Clear, caps),
        buffers: vec![Binding::new(buffer, 0, bytes)],
        params: vec![Param::of(words)],
        grid: Grid::Count(words.div_ceil(caps.workgroup() as u64)),
    }
}
