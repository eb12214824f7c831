//! Single operations as exports, for tests.

use super::data::{ArrayRole, Contents, Export, ExportedArray, ExportedBuffer, ExportedWindow};
use super::draft::Draft;
use crosslane_core::error::Result;
use crosslane_core::kernel::Access;
use crosslane_core::op::{Plan, Slot};
use std::panic::Location;

impl Export {
    /// A plan over buffers of these slots, which hold these contents before it runs. Scratch holds zeros.
    #[doc(hidden)]
    pub fn of_plan(name: &str, slots: &[Slot], contents: &[Vec<u8>], plan: &Plan) -> Result<Export> {
        let mut draft = Draft::new(name, Location::caller());
        for (nth, (slot, contents)) in slots.iter().zip(contents).enumerate() {
            let role = if slot.access == Access::Read { ArrayRole::Input } else { ArrayRole::Output };
            let array = ExportedArray::new(&slot.name, role, [nth as u64, 0], slot.dtype, &[slot.len]);
            draft
                .export
                .buffers
                .push(ExportedBuffer { bytes: padded(array.bytes()), contents: vec![Contents::new(0, contents)] });
            draft.export.arrays.push(array);
        }
        for &bytes in &plan.scratch {
            draft.export.buffers.push(ExportedBuffer { bytes: padded(bytes), contents: vec![] });
        }
        for pass in &plan.passes {
            let window =
                |b: &crosslane_core::op::Binding| ExportedWindow { buffer: b.buffer, offset: b.offset, bytes: b.bytes };
            let windows = pass.buffers.iter().map(window).collect();
            draft.launch(&pass.kernel, windows, pass.words(&Default::default()), pass.grid)?;
        }
        Ok(draft.finished())
    }
}

fn padded(bytes: u64) -> u64 {
    bytes.next_multiple_of(64).max(64)
}
