//! Single operations: planned and run over bytes, for tests.

use super::Device;
use crosslane_core::error::Result;
use crosslane_core::kernel::Access;
#[cfg(feature = "cases")]
use crosslane_core::kernel::Kernel;
use crosslane_core::memory::{Memory, Place};
#[cfg(feature = "cases")]
use crosslane_core::op::Op;
use crosslane_core::op::{Plan, Slot};
use crosslane_core::work::{Launch, Read, Window, Write};
use std::sync::Arc;

/// What memory holds that an operation writes and must not read.
const GARBAGE: u8 = 0xcd;

impl Device {
    /// Plans an operation and runs it. `slots` hold the contents of its buffers, in the order of [`Op::slots`]: inputs
    /// are read, outputs are replaced by the results. Returns the kernels that ran.
    ///
    /// Outputs and scratch hold garbage before. On a checking device they are left unwritten, so that reading them is
    /// found.
    ///
    /// Errors: as [`Op::plan`]; too large; out of memory; device lost; a defect that a checked device found.
    #[cfg(feature = "cases")]
    #[doc(hidden)]
    pub fn run_op(&self, op: &dyn Op, slots: &mut [Vec<u8>]) -> Result<Vec<Kernel>> {
        let plan = op.plan(self.caps())?;
        self.run_plan(op.name(), &op.slots(), &plan, slots)?;
        Ok(plan.passes.into_iter().map(|pass| pass.kernel).collect())
    }

    /// Plans an operation over buffers of its own, with `slots` as [`Device::run_op`] takes them, and gives the work: each call
    /// runs the kernels again and waits, without a copy to or from the host.
    ///
    /// Errors: as [`Device::run_op`].
    #[cfg(feature = "cases")]
    #[doc(hidden)]
    pub fn prepare_op(&self, op: &dyn Op, slots: &[Vec<u8>]) -> Result<impl Fn() -> Result<()> + use<>> {
        let plan = op.plan(self.caps())?;
        let (_, launches) = self.placed(op.name(), &op.slots(), &plan, slots)?;
        let (prepared, device) = (self.driver().prepare(&launches)?, self.clone());
        Ok(move || {
            device.driver().submit_prepared(&prepared, &launches)?;
            device.synchronize()
        })
    }

    /// Compiles a kernel of a plan, and gives what the compiler says of it.
    #[cfg(feature = "cases")]
    #[doc(hidden)]
    pub fn compile_kernel(&self, kernel: &Kernel) -> Result<Vec<(String, u64)>> {
        self.driver().compile(kernel)
    }

    /// Runs a plan over buffers of these slots, as `run_op` does.
    pub(super) fn run_plan(
        &self,
        operation: &'static str,
        wanted: &[Slot],
        plan: &Plan,
        slots: &mut [Vec<u8>],
    ) -> Result<()> {
        let (buffers, launches) = self.placed(operation, wanted, plan, slots)?;
        let written = wanted.iter().zip(&buffers).zip(slots).filter(|((slot, _), _)| slot.access == Access::Write);
        let mut reads: Vec<Read> = written.map(|((_, from), to)| Read { from, offset: 0, to: &mut to[..] }).collect();
        self.driver().read(&launches, &mut reads, &mut || {})
    }

    /// Buffers of these slots and of the plan's scratch, filled, and the plan's launches over them.
    fn placed(
        &self,
        operation: &'static str,
        wanted: &[Slot],
        plan: &Plan,
        slots: &[Vec<u8>],
    ) -> Result<(Vec<Arc<Memory>>, Vec<Launch>)> {
        let checked = !self.driver().recycles();
        let take = |bytes: u64, contents: Option<&[u8]>| -> Result<Arc<Memory>> {
            let memory = self.pool().take(operation, bytes.next_multiple_of(64).max(64), Place::Device)?;
            let garbage = vec![GARBAGE; memory.bytes() as usize];
            let all = |from| self.driver().write(&[Write { to: &memory, offset: 0, from }]);
            match contents {
                Some(contents) if checked => {
                    all(contents)?;
                    self.driver().pad(&memory, contents.len() as u64);
                }
                Some(contents) => {
                    all(&garbage)?;
                    all(contents)?;
                }
                None if checked => {}
                None => all(&garbage)?,
            }
            Ok(memory)
        };
        let mut buffers = vec![];
        for (slot, contents) in wanted.iter().zip(slots.iter()) {
            let contents = (slot.access == Access::Read).then_some(&contents[..]);
            buffers.push(take((slot.len * slot.dtype.size()) as u64, contents)?);
        }
        for &bytes in &plan.scratch {
            buffers.push(take(bytes, None)?);
        }
        let window = |binding: &crosslane_core::op::Binding| Window {
            memory: buffers[binding.buffer].clone(),
            offset: binding.offset,
            bytes: binding.bytes,
        };
        let launch = |pass: &crosslane_core::op::Pass| Launch {
            kernel: pass.kernel.clone(),
            buffers: pass.buffers.iter().map(window).collect(),
            params: pass.words(&Default::default()),
            grid: pass.grid,
            cost: None,
        };
        let launches: Vec<Launch> = plan.passes.iter().map(launch).collect();
        let launches = self.sliced(&launches)?.map_or(launches, |sliced| sliced.launches);
        Ok((buffers, launches))
    }
}
