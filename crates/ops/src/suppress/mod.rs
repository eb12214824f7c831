//! Suppress: lengths of slopes where they are greatest across an edge, for Canny's edges; `shaders/suppress.wgsl`.
//!
//! Bound by loads from caches: both slopes at five places for each result.

#[cfg(feature = "cases")]
pub mod cases;

use super::dense::slot_of;
use super::fuse::{read_bytes, read_slots};
use super::map::buffer_bytes;
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::error::{ErrorKind, Result};
use crosslane_core::kernel::{Access, Draft, Kernel, Spec};
use crosslane_core::op::{Binding, Expression, Function, Grid, Host, Op, Param, Pass, Plan, Slot, Value};

/// The lengths of slopes, 0 but for the greatest ones across an edge.
#[derive(Clone, Debug, Hash)]
pub struct Suppress {
    /// The slopes along columns and along rows: leaves without gaps, of f32 or f64.
    pub slopes: [Expression; 2],
    /// Images, rows, columns.
    pub shape: [usize; 3],
    /// The output's slot, after all inputs: fresh and without gaps.
    pub output: usize,
}

/// What the text depends on: the type.
#[derive(Clone, PartialEq, Eq, Hash)]
struct SuppressSpec(DType);

impl Spec for SuppressSpec {
    fn draft(&self, caps: &Caps) -> Draft {
        let real = self.0.wgsl();
        let binding = |nth: usize, name: &str, access: &str| {
            format!("@group(0) @binding({nth}) var<storage, {access}> {name}: array<Real>;\n")
        };
        let root = Function::Sqrt.wgsl(self.0, 1, ["x", "", ""]);
        Draft {
            constants: vec![("WORKGROUP", caps.workgroup())],
            params: ["count", "rows", "columns"].map(String::from).to_vec(),
            access: vec![Access::Read, Access::Read, Access::Write],
            text: format!("alias Real = {real};\nfn root(x: Real) -> Real {{\n    return {root};\n}}\n")
                + &binding(0, "down", "read")
                + &binding(1, "right", "read")
                + &binding(2, "result", "read_write"),
            trusted: true,
            ..Draft::new(format!("suppress of {}", self.0), shader("suppress"))
        }
    }
}

impl Suppress {
    fn dtype(&self) -> DType {
        self.slopes[0].dtype()
    }

    fn len(&self) -> usize {
        self.shape.iter().product()
    }
}

impl Op for Suppress {
    fn name(&self) -> &'static str {
        "suppress"
    }

    fn slots(&self) -> Vec<Slot> {
        let output = Slot::write("output", self.dtype(), self.len());
        [read_slots(self.slopes.iter()), vec![output]].concat()
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        if self.len() == 0 {
            return Ok(Plan::default());
        }
        let bytes = buffer_bytes(self.dtype(), self.len());
        if bytes > caps.binding_bytes || self.len() > 1 << 31 {
            let wanted = format!("an image of at most {} bytes, as one binding holds", caps.binding_bytes);
            let (operation, argument, got) = ("suppress", "array".into(), format!("{bytes} bytes"));
            return Err(ErrorKind::Argument { operation, argument, wanted, got, at: None }.into());
        }
        let read = |slopes: &Expression| {
            let slot = slot_of(slopes);
            Binding::new(slot, 0, read_bytes(self.slopes.iter(), slot).expect("a binding is a leaf"))
        };
        let [down, right] = &self.slopes;
        let words = [self.len(), self.shape[1], self.shape[2]].map(|word| word as u32);
        Ok(Plan {
            scratch: vec![],
            passes: vec![Pass {
                kernel: Kernel::of(SuppressSpec(self.dtype()), caps),
                buffers: vec![read(down), read(right), Binding::new(self.output, 0, bytes)],
                params: Param::all(words),
                grid: Grid::Count((self.len() as u64).div_ceil(caps.workgroup() as u64)),
            }],
        })
    }

    fn flops(&self) -> u64 {
        20 * self.len() as u64
    }

    fn bytes(&self) -> u64 {
        3 * (self.dtype().size() * self.len()) as u64
    }

    fn reference(&self, host: &mut Host) {
        let [_, rows, columns] = self.shape;
        let [down, right] = [0, 1].map(|nth| slot_of(&self.slopes[nth]));
        let at = |slot: usize, place: usize| host.get(slot, place).float();
        let length = |place: usize| at(down, place).hypot(at(right, place));
        let kept = |i: usize| {
            let (x, y) = (i % columns, i / columns % rows);
            if x == 0 || x + 1 == columns || y == 0 || y + 1 == rows {
                return 0.0;
            }
            let (a, b) = (at(down, i), at(right, i));
            let same = (a >= 0.0 && b >= 0.0) || (a <= 0.0 && b <= 0.0);
            let (above, below) = (i - columns, i + columns);
            // The side and the corner ahead, then those behind.
            let places = match (a.abs() >= b.abs(), same) {
                (true, true) => [below, below + 1, above, above - 1],
                (false, true) => [i + 1, below + 1, i - 1, above - 1],
                (false, false) => [i + 1, above + 1, i - 1, below - 1],
                (true, false) => [above, above + 1, below, below - 1],
            };
            let longest = a.abs().max(b.abs());
            let share = if longest > 0.0 { a.abs().min(b.abs()) / longest } else { 0.0 };
            let between = |side: usize, corner: usize| length(corner) * share + length(side) * (1.0 - share);
            let greatest = between(places[0], places[1]).max(between(places[2], places[3]));
            if greatest <= length(i) { length(i) } else { 0.0 }
        };
        let all: Vec<f64> = (0..self.len()).map(kept).collect();
        all.into_iter().enumerate().for_each(|(i, value)| host.set(self.output, i, Value::Float(value)));
    }
}
