//! Runs: where runs of equal neighbours begin and end; `shaders/runs.wgsl`.
//!
//! Bound by memory: every element once, and a byte written for each. What works on runs reads the bytes.

#[cfg(feature = "cases")]
pub mod cases;

use super::map::{buffer_bytes, read_slots};
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::{Class, DType};
use crosslane_core::error::Result;
use crosslane_core::kernel::{Access, Draft, Kernel, Spec};
use crosslane_core::op::{Binding, Expression, Grid, Host, Op, Param, Pass, Plan, Slot, Space, Value, Walk};
use std::ops::Range;

/// For each element of an array of one dimension a byte: 1 where a run of equal elements begins, 2 where one ends, 3
/// where it is alone. Elements are equal if a sort treats them as equal: NaNs, and the two zeros.
#[derive(Clone, Debug, Hash)]
pub struct Runs {
    /// The elements: one leaf, without gaps from the first address on.
    pub values: Expression,
    /// How many.
    pub len: usize,
    /// The output's slot, after the input's: a u8 for each element, fresh and without gaps.
    pub output: usize,
}

/// What the text depends on: the elements' type.
#[derive(Clone, PartialEq, Eq, Hash)]
struct RunsSpec(DType);

impl Spec for RunsSpec {
    fn draft(&self, caps: &Caps) -> Draft {
        let dtype = self.0;
        Draft {
            constants: vec![("WORKGROUP", caps.workgroup())],
            params: ["units", "first", "last", "last_word"].map(String::from).to_vec(),
            access: vec![Access::Read, Access::Write],
            text: four_text(dtype, 0)
                + &differ_text(dtype)
                + "@group(0) @binding(1) var<storage, read_write> y: array<u32>;\n",
            ..Draft::new(format!("runs of {dtype}"), shader("runs"))
        }
    }
}

impl Runs {
    fn dtype(&self) -> DType {
        self.values.dtype()
    }

    /// The launch for some elements, whose number before is a multiple of 4096.
    fn pass(&self, range: Range<u64>, caps: &Caps) -> Pass {
        let (size, len) = (self.dtype().size() as u64, self.len as u64);
        let (low, high) = (range.start.saturating_sub(1), (range.end + 1).min(len));
        let from = low * size / caps.offset_alignment.max(64) * caps.offset_alignment.max(64);
        let to = (high * size).next_multiple_of(64).min(buffer_bytes(self.dtype(), self.values.leaves[0].len));
        let base = from / size;
        let count = range.end - range.start;
        let units = count.div_ceil(4);
        let last = high - 1 - base;
        let params = [units, (range.start - base) / 4, last, last / 4];
        let slot = self.values.slots()[0].0;
        Pass {
            kernel: Kernel::of(RunsSpec(self.dtype()), caps),
            buffers: vec![
                Binding::new(slot, from, to - from),
                Binding::new(self.output, range.start, count.next_multiple_of(64)),
            ],
            params: params.map(Param::of).to_vec(),
            grid: Grid::Count(units.div_ceil(caps.workgroup() as u64)),
        }
    }
}

/// The binding x, and `four`.
pub(super) fn four_text(dtype: DType, binding: usize) -> String {
    let (element, body) = match dtype.size() {
        1 => (
            "u32",
            "    return Four((vec4<u32>(x[word]) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xffu), vec4<u32>(0u));\n",
        ),
        2 => (
            "vec2<u32>",
            "    let own = x[word];\n    \
             return Four(vec4<u32>(own.x & 0xffffu, own.x >> 16u, own.y & 0xffffu, own.y >> 16u), vec4<u32>(0u));\n",
        ),
        4 => ("vec4<u32>", "    return Four(x[word], vec4<u32>(0u));\n"),
        _ => (
            "vec4<u32>",
            "    let a = x[word * 2u];\n    let b = x[word * 2u + 1u];\n    \
             return Four(vec4<u32>(a.x, a.z, b.x, b.z), vec4<u32>(a.y, a.w, b.y, b.w));\n",
        ),
    };
    format!(
        "@group(0) @binding({binding}) var<storage, read> x: array<{element}>;\n\
         fn four(word: u32) -> Four {{\n{body}}}\n"
    )
}

/// `differ`: by the bits, so that no compiler assumes away NaN or flushes a denormal number.
pub(super) fn differ_text(dtype: DType) -> String {
    let all = |x: &str| format!("vec4<u32>({x})");
    let body = match (dtype.class(), dtype.size()) {
        (Class::Float, 8) => format!(
            "    let p = a.high & {sign};\n    let q = b.high & {sign};\n    \
             let zeros = (p | q | a.low | b.low) == {zero};\n    \
             let nan_a = (p > {infinity}) | ((p == {infinity}) & (a.low != {zero}));\n    \
             let nan_b = (q > {infinity}) | ((q == {infinity}) & (b.low != {zero}));\n    \
             return ((a.low != b.low) | (a.high != b.high)) & !zeros & !(nan_a & nan_b);\n",
            sign = all("0x7fffffffu"),
            infinity = all("0x7ff00000u"),
            zero = all("0u"),
        ),
        (Class::Float, size) => {
            let (sign, infinity) = match (dtype, size) {
                (DType::BF16, _) => ("0x7fffu", "0x7f80u"),
                (_, 2) => ("0x7fffu", "0x7c00u"),
                _ => ("0x7fffffffu", "0x7f800000u"),
            };
            format!(
                "    let p = a.low & {sign};\n    let q = b.low & {sign};\n    \
                 return (a.low != b.low) & ((p | q) != {zero}) & (min(p, q) <= {infinity});\n",
                sign = all(sign),
                infinity = all(infinity),
                zero = all("0u"),
            )
        }
        (_, 8) => "    return (a.low != b.low) | (a.high != b.high);\n".into(),
        _ => "    return a.low != b.low;\n".into(),
    };
    format!("fn differ(a: Four, b: Four) -> vec4<bool> {{\n{body}}}\n")
}

impl Op for Runs {
    fn name(&self) -> &'static str {
        "runs"
    }

    fn slots(&self) -> Vec<Slot> {
        let output = Slot::write("output", DType::U8, self.len);
        [read_slots(&self.values), vec![output]].concat()
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        let walk = Walk { offset: 0, strides: vec![1], size: self.dtype().size() as u64 };
        let space = Space { extents: vec![self.len as u64], arrays: vec![walk] };
        // A window has neighbours on both sides, which may lie before an aligned byte.
        let chunk = match self.len {
            0 => return Ok(Plan::default()),
            _ => space.chunks(caps.binding_bytes - 1024, 4096),
        };
        let passes = space.boxes(self.name(), &chunk)?.into_iter().map(|cut| self.pass(cut[0].clone(), caps)).collect();
        Ok(Plan { scratch: vec![], passes })
    }

    fn flops(&self) -> u64 {
        self.len as u64
    }

    fn bytes(&self) -> u64 {
        self.len as u64 * (self.dtype().size() as u64 + 1)
    }

    fn reference(&self, host: &mut Host) {
        let slot = self.values.slots()[0].0;
        let equal = |a: usize, b: usize| match (host.get(slot, a), host.get(slot, b)) {
            (Value::Float(a), Value::Float(b)) => a == b || a.is_nan() && b.is_nan(),
            (a, b) => a.int() == b.int(),
        };
        let byte = |i: usize| {
            let begins = i == 0 || !equal(i - 1, i);
            let ends = i + 1 == self.len || !equal(i, i + 1);
            begins as i128 + 2 * ends as i128
        };
        let bytes: Vec<i128> = (0..self.len).map(byte).collect();
        bytes.into_iter().enumerate().for_each(|(i, byte)| host.set(self.output, i, Value::Int(byte)));
    }
}
