//! Nothing: empty kernels, to measure what a launch costs; `shaders/nothing.wgsl`.

#[cfg(feature = "cases")]
pub mod cases;

use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::error::Result;
use crosslane_core::op::{Grid, Host, KernelDraft, Op, Pass, Plan, Slot};

/// This many launches of an empty kernel.
#[derive(Clone, Copy, Debug, Hash)]
pub struct EmptyKernel(pub usize);

impl Op for EmptyKernel {
    fn name(&self) -> &'static str {
        "nothing"
    }

    fn slots(&self) -> Vec<Slot> {
        vec![]
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        let kernel = KernelDraft::new("nothing", shader("nothing").text).trusted().kernel(caps)?;
        let pass = Pass { kernel, buffers: vec![], params: vec![], grid: Grid::Count(1) };
        Ok(Plan { scratch: vec![], passes: vec![pass; self.0] })
    }

    fn flops(&self) -> u64 {
        0
    }

    fn bytes(&self) -> u64 {
        0
    }

    fn reference(&self, _: &mut Host) {}
}
