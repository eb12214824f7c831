//! What plans promise.

use crosslane::device::Caps;
use crosslane::kernel::Access;
use crosslane::op::{Op, Plan, Slot};

/// Everything that a plan promises, but for its kernels' text.
pub fn check_plan(what: &str, op: &dyn Op, caps: &Caps) -> Plan {
    let plan = op.plan(caps).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(format!("{plan:?}"), format!("{:?}", op.plan(caps).unwrap()), "{what}: the plan is not pure");
    let slots = op.slots();
    let padded = |bytes: u64| bytes.next_multiple_of(64).max(64);
    let sizes: Vec<u64> = slots.iter().map(|slot| padded((slot.len * slot.dtype.size()) as u64)).collect();
    let sizes = [sizes, plan.scratch.clone()].concat();
    // Faults are reported in slots that are inputs by name, and nothing has none.
    let is_result = |slot: &&Slot| slot.access == Access::Write && !slot.name.starts_with('x');
    let empty = slots.iter().filter(is_result).all(|slot| slot.len == 0);
    assert!(!plan.passes.is_empty() || empty, "{what}");
    for pass in &plan.passes {
        let kernel = &pass.kernel;
        assert_eq!(pass.params.len(), kernel.param_words(), "{what}: parameters of {kernel:?}");
        assert_eq!(pass.buffers.len(), kernel.bindings().len(), "{what}: bindings of {kernel:?}");
        assert!(pass.buffers.len() <= caps.bindings as usize, "{what}: {} bindings", pass.buffers.len());
        for (binding, point) in pass.buffers.iter().zip(kernel.bindings()) {
            assert!(binding.bytes > 0 && binding.bytes.is_multiple_of(4), "{what}: {binding:?}");
            assert!(binding.bytes <= caps.binding_bytes, "{what}: {binding:?}");
            assert!(binding.offset.is_multiple_of(caps.offset_alignment), "{what}: {binding:?}");
            assert!(binding.offset + binding.bytes <= sizes[binding.buffer], "{what}: {binding:?} in {sizes:?}");
            let read_only = slots.get(binding.buffer).is_some_and(|slot| slot.access == Access::Read);
            assert!(!(read_only && point.access == Access::Write), "{what} writes to its input");
        }
        let used = |access| {
            let pairs = pass.buffers.iter().zip(kernel.bindings());
            pairs.filter(move |pair| pair.1.access == access).map(|pair| pair.0.buffer)
        };
        let written: Vec<usize> = used(Access::Write).collect();
        assert!(used(Access::Read).all(|buffer| !written.contains(&buffer)), "{what}: one buffer read and written");
        let [x, y, z] = pass.grid.fold(caps.grid);
        assert!(x > 0 && x.max(y).max(z) <= caps.grid && z == 1, "{what}: {x} x {y} x {z} workgroups");
    }
    plan
}
