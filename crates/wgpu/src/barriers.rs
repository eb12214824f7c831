//! Barriers of subgroups, as Vulkan is to read them.
//!
//! naga 30 writes `subgroupBarrier()` as OpControlBarrier with semantics AcquireRelease | SubgroupMemory. Vulkan ignores
//! SubgroupMemory (its environment for SPIR-V knows workgroup, uniform and image memory): all lanes have come so far, and
//! nothing is said of what they have stored. A sort's `rank` counts in workgroup memory from one such barrier to the
//! next, by atomics, which are relaxed: without an order, a lane may count on from what was there two items before. A
//! barrier with naga's flag for workgroup memory too is written with WorkgroupMemory beside it, still of the subgroup. So are
//! all but those in [`CONVERGES`].
//!
//! The others are in order as they are: Metal gets `simdgroup_barrier(mem_threadgroup)`, GL a barrier of the workgroup,
//! CUDA `__syncwarp`, which orders memory among the lanes it names. HLSL has no such barrier: naga writes none for DX12,
//! and nothing but that the lanes of a wave go together is said there. No such device is here.

use crosslane_core::kernel::blocks::each_mut;
use naga::{Barrier, Function, Module, Statement};

/// The library function whose barrier only keeps lanes together, and orders no memory, which would cost time.
const CONVERGES: &str = "crosslane_converge";

/// Gives a module that goes to Vulkan such barriers.
pub(super) fn order(module: &mut Module) {
    let orders = |function: &&mut Function| function.name.as_deref() != Some(CONVERGES);
    let functions = module.functions.iter_mut().map(|(_, function)| function).filter(orders);
    functions.chain(module.entry_points.iter_mut().map(|entry| &mut entry.function)).for_each(|function| {
        each_mut(&mut function.body, &mut |statement, _| match statement {
            Statement::ControlBarrier(flags) if flags.contains(Barrier::SUB_GROUP) => *flags |= Barrier::WORK_GROUP,
            _ => {}
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use naga::back::spv;
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    const TEXT: &str = "fn crosslane_converge() { subgroupBarrier(); }
        var<workgroup> x: array<atomic<u32>, 64>;
        @group(0) @binding(0) var<storage, read_write> y: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) i: u32) {
            for (var n = 0u; n < 4u; n++) {
                let old = atomicLoad(&x[n]);
                subgroupBarrier();
                atomicStore(&x[n], old + 1u);
                if (n < 8u) { subgroupBarrier(); }
                crosslane_converge();
            }
            workgroupBarrier();
            y[i] = atomicLoad(&x[i]);
        }";

    /// Scope of execution and semantics of each control barrier.
    fn barriers(module: &Module) -> Vec<[u32; 2]> {
        let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(module).unwrap();
        let options = spv::Options { lang_version: (1, 3), ..Default::default() };
        let words = spv::write_vec(module, &info, &options, None).unwrap();
        let (mut constants, mut found, mut at) = (std::collections::HashMap::new(), vec![], 5);
        while at < words.len() {
            let (opcode, length) = (words[at] & 0xffff, (words[at] >> 16) as usize);
            match opcode {
                43 => drop(constants.insert(words[at + 2], words[at + 3])),
                224 => found.push([words[at + 1], words[at + 3]].map(|id| constants[&id])),
                _ => {}
            }
            at += length;
        }
        found
    }

    #[test]
    fn subgroups_barriers_order_workgroup_memory_in_vulkan() {
        const SUBGROUP: u32 = 3;
        const WORKGROUP: u32 = 2;
        const WORKGROUP_MEMORY: u32 = 0x100;
        let mut module = naga::front::wgsl::parse_str(TEXT).unwrap();
        // What naga writes by itself, for which this is here.
        let plain = barriers(&module);
        assert!(plain.iter().any(|[scope, memory]| *scope == SUBGROUP && memory & WORKGROUP_MEMORY == 0), "{plain:?}");
        order(&mut module);
        let found = barriers(&module);
        let count = |wanted, orders: bool| {
            let same = |[scope, memory]: &&[u32; 2]| *scope == wanted && orders == (memory & WORKGROUP_MEMORY != 0);
            found.iter().filter(same).count()
        };
        let counts = [count(SUBGROUP, true), count(SUBGROUP, false), count(WORKGROUP, true)];
        // naga has one of the workgroup's for its memory, which begins with zeros.
        assert_eq!((counts, found.len()), ([2, 1, 2], 5), "{found:?}");
    }
}
