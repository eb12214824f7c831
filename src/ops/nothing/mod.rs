//! Nothing: empty kernels, to measure what a launch costs; `shaders/nothing.wgsl`.

use crate::caps::Caps;
use crate::error::Result;
use crate::kernel::{Draft, Kernel, Spec};
use crate::op::{Grid, Host, Op, Pass, Plan, Slot};

/// So many launches of an empty kernel.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Nothing(pub usize);

/// The empty kernel.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Idle;

impl Spec for Idle {
    fn draft(&self, _: &Caps) -> Draft {
        Draft::new("nothing", "nothing")
    }
}

impl Op for Nothing {
    fn name(&self) -> &'static str {
        "nothing"
    }

    fn slots(&self) -> Vec<Slot> {
        vec![]
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        let kernel = Kernel::of(Idle, caps);
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
