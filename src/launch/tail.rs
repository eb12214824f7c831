//! The memory past an array's end, where a program's kernel could read it, is zeroed, so that it does not show old
//! contents of the pool.
//!
//! The library's own kernels may write there, up to 16 bytes past the end: it is zeroed for a launch, and counts as
//! zeroed until one of them writes to the array again.

use crate::array::Untyped;
use crate::device::Device;
use crosslane_core::caps::Caps;
use crosslane_core::error::Result;
use crosslane_core::kernel::{Access, Draft, Kernel, Spec};
use crosslane_core::op::Grid;
use crosslane_core::work::{Launch, Window};
use crosslane_ops::shader;

/// The most that drivers round the size of a uniform buffer up to: Direct3D's, and Vulkan's largest
/// robustUniformBufferAccessSizeAlignment.
pub(crate) const UNIFORM_GRAIN: u64 = 256;

/// Words of the memory that are cleared at most.
const WORDS: u64 = UNIFORM_GRAIN / 4;

/// Whether a kernel that sees the bytes of memory up to `shown` sees some that are no array's.
pub(super) fn shows_more(array: &Untyped, shown: u64) -> Result<bool> {
    let (memory, end) = array.end()?;
    Ok(shown.min(memory.bytes()) > end && memory.is_pooled() && !memory.ends_in_zeros())
}

/// Clears what lies past the end of an array's memory, up to the next multiple of 256 bytes.
pub(crate) fn seal(device: &Device, array: &Untyped) -> Result<()> {
    let (memory, end) = array.end()?;
    let offset = end / UNIFORM_GRAIN * UNIFORM_GRAIN;
    let until = end.next_multiple_of(UNIFORM_GRAIN).min(memory.bytes() / 4 * 4);
    let first = end / 4 - offset / 4;
    let words = (until / 4).saturating_sub(end / 4);
    if words > 0 {
        let keep = (1u32 << (end % 4 * 8)) - 1;
        let window = Window { memory: memory.clone(), offset, bytes: until - offset };
        device.driver().submit(&[Launch {
            kernel: Kernel::of(Tail, device.caps()),
            buffers: vec![window],
            params: vec![first as u32, words as u32, keep],
            grid: Grid::Fixed([1, 1, 1]),
            cost: None,
        }])?;
    }
    memory.note_zeros_at_end();
    Ok(())
}

/// A value for a uniform as words, with zeros as far as kernels may see.
pub(super) fn padded(bytes: &[u8]) -> Vec<u32> {
    let mut words: Vec<u32> = bytemuck::pod_collect_to_vec(bytes);
    words.resize(words.len().next_multiple_of(WORDS as usize), 0);
    words
}

/// There is one such kernel.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Tail;

impl Spec for Tail {
    fn draft(&self, _: &Caps) -> Draft {
        Draft {
            constants: vec![("WORKGROUP", WORDS as u32)],
            params: ["first", "words", "keep"].map(String::from).to_vec(),
            access: vec![Access::Write],
            text: "@group(0) @binding(0) var<storage, read_write> end: array<atomic<u32>>;\n".into(),
            ..Draft::new("tail", shader("tail"))
        }
    }
}
