//! Search: where values belong in a sorted array; `shaders/searchsorted.wgsl`.
//!
//! Bound by the latency of memory: log2 of the length reads for each value, one after the other, of which the first ten
//! are from workgroup memory. A sorted array past one binding is searched window by window, and the places added up.

#[cfg(feature = "cases")]
pub mod cases;

use super::fuse::{Fusion, FusionSpec, Several, SeveralSpec, cast, flat, read_bytes, read_slots};
use super::map::{buffer_bytes, points};
use super::reduce::is_nan;
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::{Class, DType};
use crosslane_core::error::Result;
use crosslane_core::kernel::{Draft, Kernel, Spec};
use crosslane_core::op::{Expression, Grid, Host, Op, Param, Pass, Plan, Slot, Value, Vary};
use std::ops::Range;

/// Where a value goes among elements that are equal to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Before them: the place is the number of smaller elements.
    Left,
    /// After them: the place is the number of elements that are not larger.
    Right,
}

/// A search for each value of a fused expression.
#[derive(Clone, Debug, Hash)]
pub struct SearchSorted {
    /// The values that are searched for.
    pub values: Expression,
    /// Its index space.
    pub shape: Vec<usize>,
    /// The array that is searched, ascending, NaN last: one leaf, without gaps, of the values' type.
    pub sorted: Expression,
    /// How many of its elements: memory may hold more elements, which are not sorted.
    pub len: usize,
    /// Where values go among equals.
    pub side: Side,
    /// The output's slot, after all inputs: a u32 for each value, fresh and without gaps.
    pub output: usize,
}

/// Elements of the sorted array in workgroup memory. Not measured yet: ten levels in 4 or 8 KiB.
const NEAR: u64 = 1024;
/// Workgroups at most: each loads those elements. Not measured yet: 32 for each of an H200's processors.
const GROUPS: u64 = 4224;

impl SearchSorted {
    /// The sorted array; for an empty array still one element, so that there is a window.
    fn sorted(&self) -> Fusion<'_> {
        let mut sorted = flat(&self.sorted, "s_");
        sorted.dims[0].extent = self.len.max(1) as u64;
        sorted
    }

    fn values(&self) -> Several<'_> {
        Several::with_output(&self.shape, &[(&self.values, "")], Some((self.output, DType::U32)))
    }
}

/// What the text of a search depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct SearchSpec {
    values: SeveralSpec,
    sorted: FusionSpec,
    side: Side,
    /// Whether no window of the sorted array was searched before.
    first: bool,
}

impl Spec for SearchSpec {
    fn draft(&self, caps: &Caps) -> Draft {
        let SearchSpec { values, sorted, .. } = self;
        Draft {
            constants: vec![("WORKGROUP", caps.workgroup()), ("NEAR", NEAR as u32)],
            params: [
                ["extent", "len", "samples", "stride", "top"].map(String::from).to_vec(),
                values.param_names(),
                sorted.param_names(),
            ]
            .concat(),
            access: [values.access(), sorted.access()].concat(),
            text: values.text() + &sorted.text(values.access().len()) + &self.text(),
            f16: values.uses_f16(),
            trusted: values.is_safe(),
            ..Draft::new(format!("search for {}", values.0[0].dtype()), shader("searchsorted"))
        }
    }
}

/// The type that is compared: truth values as words.
fn key_type(dtype: DType) -> DType {
    if dtype == DType::Bool { DType::U32 } else { dtype.compute() }
}

impl SearchSpec {
    /// Keys and their order, by which NaN is last; and what was found before.
    fn text(&self) -> String {
        let values = &self.values.0[0];
        let (dtype, key) = (values.dtype(), key_type(values.dtype()));
        let lift = |v: &str| match dtype {
            DType::Bool => format!("select(0u, 1u, {v})"),
            _ if dtype.is_stored() => cast(v, dtype, key, 1),
            _ => v.to_string(),
        };
        let nan = |x: &str| is_nan(x, key);
        let before = match (self.side, key.class()) {
            (Side::Left, _) if key == DType::F32 => "number_of(a) < number_of(b)".to_string(),
            (Side::Right, _) if key == DType::F32 => "number_of(a) <= number_of(b)".to_string(),
            (Side::Left, Class::Float) => format!("(a < b) | ({} & !{})", nan("b"), nan("a")),
            (Side::Right, Class::Float) => format!("(a <= b) | {}", nan("b")),
            (Side::Left, _) => "a < b".to_string(),
            (Side::Right, _) => "a <= b".to_string(),
        };
        let output = values.arrays.len() - 1;
        let previous = match self.first {
            true => "fn previous(i: u32) -> u32 { return 0u; }\n".to_string(),
            false => {
                let address = values.address_text("place", output);
                format!("{address}fn previous(i: u32) -> u32 {{ return x{output}[place(i)]; }}\n")
            }
        };
        let numbers = if key == DType::F32 { NUMBER_OF } else { "" };
        format!(
            "{numbers}alias Key = {};\nfn wanted(i: u32) -> Key {{ return {}; }}\nfn sorted(j: u32) -> Key {{ return {}; }}\n\
             fn before(a: Key, b: Key) -> bool {{ return {before}; }}\n{previous}",
            key.wgsl(),
            lift("value(i)"),
            lift("s_value(j)"),
        )
    }
}

/// An integer that is ordered as f32 values are, by their bits, so that denormal numbers keep their places: one for
/// both zeros, the largest for NaN.
const NUMBER_OF: &str = "fn number_of(x: f32) -> i32 {
    let size = bitcast<i32>(x) & 0x7fffffff;
    return select(select(size, -size, bitcast<i32>(x) < 0), 0x7fffffff, size > 0x7f800000);
}
";

impl Op for SearchSorted {
    fn name(&self) -> &'static str {
        "searchsorted"
    }

    fn slots(&self) -> Vec<Slot> {
        let len = self.shape.iter().product();
        let output = Slot::write("output", DType::U32, len);
        [read_slots([&self.values, &self.sorted].into_iter()), vec![output]].concat()
    }

    fn vary(&mut self, by: &mut dyn Vary) {
        by.expression(&mut self.values);
        by.expression(&mut self.sorted);
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        let mut plan = Plan::default();
        if self.shape.contains(&0) {
            return Ok(plan);
        }
        let len: usize = self.shape.iter().product();
        let bytes = |slot: usize| match slot == self.output {
            true => buffer_bytes(DType::U32, len),
            false => read_bytes([&self.values, &self.sorted].into_iter(), slot).expect("a binding is a leaf"),
        };
        let values = self.values();
        let space = values.space();
        let chunk = space.chunks(caps.binding_bytes, 4096);
        let sorted = self.sorted();
        let windows = sorted.space();
        let windows = windows.boxes(self.name(), &windows.chunks(caps.binding_bytes, 4096))?;
        for cut in space.boxes(self.name(), &chunk)? {
            for (nth, window) in windows.iter().enumerate() {
                plan.passes.push(self.pass(&values, &sorted, [&cut, window], nth == 0, caps, &bytes));
            }
        }
        Ok(plan)
    }

    fn flops(&self) -> u64 {
        let values: u64 = self.shape.iter().map(|&e| e as u64).product();
        values * (self.values.flops() + self.len.max(1).ilog2() as u64 + 1)
    }

    fn bytes(&self) -> u64 {
        let extents: Vec<u64> = self.shape.iter().map(|&e| e as u64).collect();
        let values: u64 = extents.iter().product();
        self.values.bytes(&extents) + self.sorted.bytes(&[self.len as u64]) + 4 * values
    }

    fn reference(&self, host: &mut Host) {
        let before = |a: Value, b: Value| match (a, b) {
            (Value::Float(a), Value::Float(b)) => match self.side {
                Side::Left => a < b || b.is_nan() && !a.is_nan(),
                Side::Right => a <= b || b.is_nan(),
            },
            (a, b) if self.side == Side::Left => a.int() < b.int(),
            (a, b) => a.int() <= b.int(),
        };
        for (index, point) in points(&self.shape).enumerate() {
            let value = self.values.meaning(host, &point);
            let count = (0..self.len).filter(|&j| before(self.sorted.meaning(host, &[j as u64]), value)).count();
            host.set(self.output, index, Value::Int(count as i128));
        }
    }
}

impl SearchSorted {
    /// The launch for a box of the values and a window of the sorted array.
    fn pass(
        &self,
        values: &Several,
        sorted: &Fusion,
        [cut, window]: [&Vec<Range<u64>>; 2],
        first: bool,
        caps: &Caps,
        bytes: &dyn Fn(usize) -> u64,
    ) -> Pass {
        let extent: u64 = cut.iter().map(|range| range.end - range.start).product();
        let len = (window[0].end - window[0].start).min(self.len as u64);
        let stride = len.div_ceil(NEAR).next_power_of_two();
        let samples = len / stride;
        let top = samples.checked_ilog2().map_or(0, |power| 1 << power);
        let (params, mut buffers) = values.params(cut, caps.offset_alignment, bytes);
        let (more, windows) = sorted.params(window, caps.offset_alignment, bytes);
        buffers.extend(windows);
        let spec = SearchSpec { values: values.spec(), sorted: sorted.spec(), side: self.side, first };
        Pass {
            kernel: Kernel::of(spec, caps),
            buffers,
            params: [[extent, len, samples, stride, top].map(Param::of).to_vec(), params, more].concat(),
            grid: Grid::Count(extent.div_ceil(caps.workgroup() as u64).min(GROUPS)),
        }
    }
}
