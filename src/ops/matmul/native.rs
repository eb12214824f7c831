//! The native of products by tensor cores, `shaders/native/matmul_tensor.cu`: where both sides lie in memory as it reads
//! them.

use super::shape::Shape;
use super::wgsl::Text;
use super::{BATCH, COLUMN, INNER, ROW};
use crate::element::DType;
use crate::kernel::Native;

/// Rows and columns that a block computes, and its bytes of shared memory: four stages of 64 inner ones, and what aligns
/// them.
const TILE: [u32; 2] = [128, 256];
const BYTES: u32 = 4 * 64 * 2 * (TILE[0] + TILE[1]) + 1024;
/// Elements that are copied at once: 16 bytes.
const AT_ONCE: i64 = 8;

/// How an array is walked along one of the kernel's variables.
struct Steps {
    extent: u64,
    stride: i64,
    /// The stride in the native's text.
    text: String,
}

impl Text<'_> {
    pub fn native(&self) -> Option<Native> {
        let Shape::Tensor(tile) = self.shape else { return None };
        // A box must begin where 16 bytes do. The grid is the kernel's: it must have blocks enough.
        let fits = self.even && tile.half && tile.rows <= TILE[0] && tile.columns <= TILE[1];
        let sides = [self.read(1, ROW, 'A').filter(|_| fits)?, self.read(2, COLUMN, 'B')?];
        Some(Native {
            file: "matmul_tensor",
            defines: sides.concat(),
            workgroup_size: [384, 1, 1],
            dynamic_bytes: BYTES,
            behind_translation: true,
            architecture: Some(90),
            ..Native::default()
        })
    }

    /// What the native is told of a side, if it can read it: f16 with neighbours along the inner ones or the others, all
    /// lines at multiples of 16 bytes.
    fn read(&self, at: usize, outer: usize, name: char) -> Option<Vec<(String, String)>> {
        let fusion = &self.several.0[at];
        let plain = fusion.expression.steps.len() == 1 && fusion.expression.dtype() == DType::F16;
        if !plain || fusion.slot(0).is_none() || fusion.walks[0].offset % AT_ONCE != 0 {
            return None;
        }
        let steps = |group| self.steps(at, group);
        let (batch, outer, inner) = (steps(BATCH)?, steps(outer)?, steps(INNER)?);
        let lines = |along: &Steps, across: &Steps| {
            let whole = along.extent.is_multiple_of(AT_ONCE as u64);
            along.stride == 1 && whole && across.stride % AT_ONCE == 0 && batch.stride % AT_ONCE == 0
        };
        let (by_inner, step) = match (lines(&inner, &outer), lines(&outer, &inner)) {
            (true, _) => (true, outer.text),
            (_, true) => (false, inner.text),
            _ => return None,
        };
        let define = |what: &str, value: String| (format!("{name}_{what}"), value);
        Some(vec![define("INNER", by_inner.to_string()), define("STEP", step), define("BATCH", batch.text)])
    }

    /// How a side's array is walked along a variable: not by more than one stride, and not backwards.
    fn steps(&self, at: usize, group: usize) -> Option<Steps> {
        let fusion = &self.several.0[at];
        let dims = fusion.dims.iter().zip(&fusion.walks[0].strides).enumerate();
        let mut dims = dims.filter(|(_, (dim, _))| dim.group == group);
        let (first, further) = (dims.next(), dims.next());
        let Some((nth, (dim, &stride))) = first else {
            return Some(Steps { extent: 1, stride: 0, text: "0u".into() });
        };
        let text = match stride {
            0 | 1 => format!("{stride}u"),
            // As the translation spells the parameter's name.
            _ => format!("params.{}stride0_{nth}_", fusion.prefix),
        };
        (stride >= 0 && further.is_none()).then_some(Steps { extent: dim.extent, stride, text })
    }
}
