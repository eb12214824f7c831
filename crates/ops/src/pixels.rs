//! The index space of operations on images, and how rows of results go through an epilogue into the output.

use super::fuse::{Fusion, FusionSpec, Several, Store, bits};
use super::map::Map;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::error::{Error, ErrorKind};
use crosslane_core::op::{Expression, LeafSource};

/// The extents of images: `[.., height, width]` or `[.., height, width, channels]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Extents {
    /// The extents, outermost first.
    pub shape: Vec<usize>,
    /// Whether channels are the last axis.
    pub interleaved: bool,
}

impl Extents {
    /// The axis of rows.
    pub fn row_axis(&self) -> usize {
        self.shape.len() - 2 - self.interleaved as usize
    }

    /// Images, and planes of them.
    pub fn images(&self) -> usize {
        self.shape[..self.row_axis()].iter().product()
    }

    /// Rows and columns.
    pub fn size(&self) -> [usize; 2] {
        [self.shape[self.row_axis()], self.shape[self.row_axis() + 1]]
    }

    /// Of images of another size.
    pub fn resized(&self, [height, width]: [usize; 2]) -> Extents {
        let (mut shape, axis) = (self.shape.clone(), self.row_axis());
        (shape[axis], shape[axis + 1]) = (height, width);
        Extents { shape, interleaved: self.interleaved }
    }

    /// Values of a pixel that are neighbours in memory; 1 if channels are not the last axis.
    pub fn channels(&self) -> usize {
        if self.interleaved { self.shape[self.shape.len() - 1] } else { 1 }
    }

    /// Elements of a row.
    pub fn row(&self) -> usize {
        self.size()[1] * self.channels()
    }

    /// Elements of all images.
    pub(crate) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// The place of an element among images, rows, columns and channels.
    pub fn place(&self, point: &[u64]) -> [usize; 4] {
        let axis = self.row_axis();
        let image = point[..axis].iter().zip(&self.shape).fold(0, |flat, (&p, &extent)| flat * extent + p as usize);
        let channel = if self.interleaved { point[axis + 2] as usize } else { 0 };
        [image, point[axis] as usize, point[axis + 1] as usize, channel]
    }

    /// The point with another row and column.
    pub fn moved(&self, point: &[u64], [y, x]: [usize; 2]) -> Vec<u64> {
        let (mut point, axis) = (point.to_vec(), self.row_axis());
        (point[axis], point[axis + 1]) = (y as u64, x as u64);
        point
    }

    /// The point of an image's pixel, of images without channels between.
    pub fn point(&self, image: usize, [y, x]: [usize; 2]) -> Vec<u64> {
        let (mut point, mut rest) = (vec![0; self.shape.len()], image);
        for axis in (0..self.row_axis()).rev() {
            point[axis] = (rest % self.shape[axis]) as u64;
            rest /= self.shape[axis];
        }
        self.moved(&point, [y, x])
    }

    /// Each axis, and the kernel's variable that it is part of: the image, the row, the column, the channel.
    fn axes(&self) -> Vec<(usize, usize)> {
        let first = self.row_axis();
        (0..self.shape.len()).map(|axis| (axis, (axis + 1).saturating_sub(first))).collect()
    }

    /// The pixels `value(k, y, x, c)`.
    pub(crate) fn pixels<'a>(&self, expression: &'a Expression) -> Fusion<'a> {
        let variables = &["k", "y", "x", "c"];
        Several::over(&self.shape, &self.axes(), variables, &[(expression, "")], None).0.remove(0)
    }

    /// An expression over results, `value(k, y, j)`: `j` counts a row's elements.
    pub(crate) fn along_rows<'a>(
        &self,
        expression: &'a Expression,
        prefix: &'static str,
        output: Option<(usize, DType)>,
    ) -> Fusion<'a> {
        let axes: Vec<(usize, usize)> = self.axes().iter().map(|&(axis, variable)| (axis, variable.min(2))).collect();
        Several::over(&self.shape, &axes, &["k", "y", "j"], &[(expression, prefix)], output).0.remove(0)
    }
}

/// The epilogue with the output; `None` where rows of a type smaller than a word fill no words.
pub(super) fn stored<'a>(extents: &Extents, epilogue: &'a Expression, output: usize) -> Option<Fusion<'a>> {
    let (dtype, per_word) = (epilogue.dtype(), epilogue.dtype().per_word());
    let mut fusion = extents.along_rows(epilogue, "r_", Some((output, dtype)));
    fusion.output = Some((output, dtype, if per_word > 1 { Store::Word } else { Store::Element }));
    extents.row().is_multiple_of(per_word as usize).then_some(fusion)
}

/// `Real`, the type of sums; `multiply_add(a, b, c)` of it; `finish(k, y, j, sums)`: neighbours of a row, as many as a word holds,
/// go through the epilogue into the output. `padded`: after the last result come as many zeros as `params.padding` says.
pub(super) fn finish_text(sums: DType, epilogue: &FusionSpec, padded: bool) -> String {
    let sum = if sums == DType::F32 { "fma(a, b, c)" } else { "a * b + c" };
    let real = format!(
        "alias Real = {};\nfn multiply_add(a: Real, b: Real, c: Real) -> Real {{\n    return {sum};\n}}\n",
        sums.wgsl()
    );
    let (dtype, array) = (epilogue.dtype(), epilogue.arrays.len() - 1);
    let head = "fn finish(k: u32, y: u32, j: u32, sums: array<Real, PER>) {\n";
    if dtype.per_word() > 1 {
        let (address, value, shift) =
            (epilogue.address_text("r_address", array), bits("v", dtype), 32 / dtype.per_word());
        return format!(
            "{real}{address}{head}    var word = 0u;\n    for (var p = 0u; p < PER; p++) {{\n        unroll();\n        \
             let v = r_value(k, y, j + p, sums[p]);\n        word |= {value} << (p * {shift}u);\n    }}\n    \
             r_x{array}[r_address(k, y, j) / PER] = word;\n}}\n"
        );
    }
    let store = "    store(k, y, j, r_value(k, y, j, sums[0]));\n";
    if !padded {
        return format!("{real}{head}{store}}}\n");
    }
    // By the address: along an axis of one element other indices have none of their own.
    let address = epilogue.address_text("r_address", array);
    let zeros = format!(
        "    if k + 1u == params.images && y + 1u == params.height && j + 1u == params.width * params.channels {{\n        \
         for (var i = 0u; i < params.padding; i++) {{\n            r_x{array}[r_address(k, y, j) + 1u + i] = Real(0);\n        }}\n    }}\n"
    );
    format!("{real}{address}{head}{store}{zeros}}}\n")
}

/// Results past the last one that a map reads with the last: it takes four at once.
pub(super) fn padding(extents: &Extents) -> usize {
    extents.len().next_multiple_of(4) - extents.len()
}

/// The epilogue as a launch of its own, over sums in a scratch buffer.
pub(super) fn epilogue_of(epilogue: &Expression, extents: &Extents, output: usize, scratch: usize) -> Map {
    let (shape, output_len) = (extents.shape.clone(), extents.len());
    let mut output_strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        output_strides[axis - 1] = output_strides[axis] * shape[axis] as i64;
    }
    let mut expression = epilogue.clone();
    for leaf in expression.leaves.iter_mut().filter(|leaf| leaf.source == LeafSource::Given) {
        (leaf.source, leaf.len, leaf.strides) = (LeafSource::Slot(scratch), output_len, output_strides.clone());
    }
    let (output_offset, fresh, count, fill) = (0, true, None, None);
    Map { expression, shape, output, output_len, output_offset, output_strides, fresh, count, fill }
}

/// Where sums of this type lie without gaps.
pub(super) fn dense(sums: DType, extents: &Extents, slot: usize) -> Expression {
    let map = epilogue_of(&Expression::given(sums, extents.shape.len()), extents, slot, slot);
    map.expression
}

/// How a workgroup's invocations lie over rows of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Lanes {
    pub workgroup: usize,
    /// Side by side along a row.
    pub along: usize,
    /// Neighbours of a row that an invocation computes, and how often that, side by side.
    pub per: usize,
    pub columns: usize,
    /// Rows that an invocation computes.
    pub rows: usize,
}

/// Workgroups for each multiprocessor that hide memory's latency.
const WAVES: usize = 8;

impl Lanes {
    /// Of at most so many lanes, columns and rows; of fewer where too few workgroups would fill the device.
    pub fn new(extents: &Extents, per: usize, [most_along, most_columns, most_rows]: [usize; 3], caps: &Caps) -> Lanes {
        let (workgroup, units) = (caps.workgroup() as usize, extents.row() / per);
        let whole = units.next_power_of_two();
        let along = whole.min(workgroup).min(most_along);
        let mut lanes = Lanes { workgroup, along, per, columns: most_columns.min(whole / along), rows: most_rows };
        let few = |lanes: &Lanes| lanes.groups(extents) < WAVES * caps.multiprocessors as usize;
        while lanes.rows > 1 && few(&lanes) {
            lanes.rows /= 2;
        }
        while lanes.columns > 1 && few(&lanes) {
            lanes.columns /= 2;
        }
        lanes
    }

    /// Results of an invocation in a row.
    pub fn items(&self) -> usize {
        self.per * self.columns
    }

    /// Blocks along a row, and along a column.
    pub fn blocks(&self, extents: &Extents) -> [usize; 2] {
        let [height, _] = extents.size();
        let rows = self.workgroup / self.along * self.rows;
        [extents.row().div_ceil(self.along * self.items()), height.div_ceil(rows)]
    }

    pub fn groups(&self, extents: &Extents) -> usize {
        let [along, down] = self.blocks(extents);
        along * down * extents.images()
    }
}

/// The error of arrays that kernels cannot bind whole, if they cannot.
pub(super) fn too_large(operation: &'static str, largest: u64, len: usize, caps: &Caps) -> Option<Error> {
    let fits = largest <= caps.binding_bytes && len <= 1 << 31;
    (!fits).then(|| {
        let wanted = format!("images of at most {} bytes, as one binding holds, and 2^31 values", caps.binding_bytes);
        let (argument, got) = ("array".to_string(), format!("{largest} bytes, {len} results"));
        ErrorKind::Argument { operation, argument, wanted, got, at: None }.into()
    })
}
