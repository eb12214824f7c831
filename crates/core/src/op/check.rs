//! Checks of plans: engines trust plans, but a program's own operation must not be trusted.

use super::plan::{Pass, Plan};
use super::slot::Slot;
use super::values::Param;
use crate::caps::Caps;
use crate::kernel::Access;

/// Buffers end at a multiple of this, and have as many bytes at least.
const PADDING: u64 = 64;

impl Plan {
    /// What the plan breaks of its promises, for an operation with these slots on a device with these capabilities: each
    /// binding lies in its buffer and keeps the device's limits, inputs are only read, what a pass writes it binds once, and
    /// every kernel gets as many bindings and words as it takes. If `own`, its kernels must be the program's own: the
    /// library's run unchecked, and only its plans bind what they may reach.
    #[doc(hidden)]
    pub fn check(&self, slots: &[Slot], caps: &Caps, own: bool) -> Result<(), (String, String)> {
        let padded = |bytes: u64| bytes.next_multiple_of(PADDING).max(PADDING);
        let sizes: Vec<u64> = slots.iter().map(Slot::bytes).chain(self.scratch.iter().copied()).map(padded).collect();
        if let Some(pass) = self.passes.iter().find(|pass| own && !pass.kernel.is_own()) {
            return Err(("kernels of KernelDraft".into(), format!("the library's {}", pass.kernel.name())));
        }
        self.passes.iter().try_for_each(|pass| pass.check(slots, &sizes, caps))
    }
}

impl Pass {
    fn check(&self, slots: &[Slot], sizes: &[u64], caps: &Caps) -> Result<(), (String, String)> {
        let Pass { kernel, buffers, params, grid } = self;
        let broken = |wanted: String, got: String| Err((format!("{wanted} for {}", kernel.name()), got));
        let points = kernel.bindings();
        if buffers.len() != points.len() {
            return broken(format!("{} buffers, as it binds", points.len()), buffers.len().to_string());
        }
        if points.len() > caps.bindings as usize {
            return broken(format!("at most {} buffers", caps.bindings), points.len().to_string());
        }
        if params.len() != kernel.param_words() {
            return broken(format!("{} words of parameters", kernel.param_words()), params.len().to_string());
        }
        if let Some(other) = params.iter().find(|param| !matches!(param, Param::Is(_))) {
            return broken("parameters that are known: Param::Is".into(), format!("{other:?}"));
        }
        for (binding, point) in buffers.iter().zip(points) {
            let got = || format!("{binding:?}");
            let Some(&size) = sizes.get(binding.buffer) else {
                return broken(format!("one of {} slots and scratch buffers", sizes.len()), got());
            };
            if binding.bytes == 0 || binding.bytes % 4 != 0 || binding.bytes > caps.binding_bytes {
                return broken(format!("a multiple of 4 bytes, from 4 to {}", caps.binding_bytes), got());
            }
            if binding.offset % caps.offset_alignment != 0 {
                return broken(format!("an offset that is a multiple of {}", caps.offset_alignment), got());
            }
            if binding.offset.checked_add(binding.bytes).is_none_or(|end| end > size) {
                return broken(format!("a part of a buffer of {size} bytes"), got());
            }
            if binding.reach.is_some() {
                return broken("a window at a fixed place".into(), got());
            }
            let input = slots.get(binding.buffer).filter(|slot| slot.access == Access::Read);
            if let (Some(slot), Access::Write) = (input, point.access) {
                return broken(format!("to read the input {}", slot.name), "var<storage, read_write>".into());
            }
        }
        let twice = |nth: usize| {
            let others = buffers.iter().enumerate().filter(|(other, _)| *other != nth);
            points[nth].access == Access::Write && others.into_iter().any(|(_, b)| b.buffer == buffers[nth].buffer)
        };
        if let Some(nth) = (0..points.len()).find(|&nth| twice(nth)) {
            return broken("what is written bound once".into(), format!("{:?} and another", buffers[nth]));
        }
        let grid = grid.fold(caps.grid);
        match grid.iter().all(|count| (1..=caps.grid).contains(count)) {
            true => Ok(()),
            false => broken(format!("1 to {} workgroups in each dimension", caps.grid), format!("{grid:?}")),
        }
    }
}
