//! Matmul: products of matrices, and all that is one under other names.
//!
//! out[batch, row, column] = epilogue(sum over inner of a[batch, row, inner] * b[batch, inner, column]), each of the
//! four any number of axes. Both sides are read in place: transposed, strided, repeated, converted. f16 adds up in f32.
//! Error: at most `inner * eps * sum(|a * b|)` in the type of the sums, in practice some eps * sqrt(inner).
//!
//! Bound by arithmetic where all three extents are large: 2 * rows * columns * inner operations; a tile of 128 x 256
//! reads each element of a (columns / 256) times and of b (rows / 128) times, from caches mostly. Where there are too
//! few tiles for a card, slices of a workgroup share the inner elements; where these are many, they are cut into parts,
//! and a map adds their sums: two launches.
//!
//! Three ways: register tiles (`shaders/matmul.wgsl`); tensor cores (`shaders/matmul_tensor.wgsl`) for f16, and for f32 that
//! may be rounded; and an invocation for each element of small matrices (`shaders/matmul_each.wgsl`), which would fill little
//! of a tile.
//!
//! Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008; CUTLASS's register tiles.

#[cfg(feature = "cases")]
pub mod cases;
mod contract;
mod each;
mod parts;
mod shape;
mod side;
mod tensor;
mod tile;
mod wgsl;

pub(super) use tensor::MATMUL_TENSOR;
pub(super) use tile::MATMUL;

use super::fuse::{Dim, Fusion, Several, collapse, read_bytes, read_slots};
use super::map::{Map, buffer_bytes, leaf_walks, points, to_next};
use contract::contract;
use crosslane_core::caps::Caps;
use crosslane_core::element::{Class, DType};
use crosslane_core::error::{ErrorKind, Result};
use crosslane_core::kernel::Kernel;
use crosslane_core::op::{Expression, Grid, Host, Op, Param, Pass, Plan, Slot, Value, Vary, Walk};
use shape::{Shape, Work};
use side::Fetch;
use std::ops::Range;
use wgsl::MatmulSpec;

/// Sums of products over shared axes.
#[derive(Clone, Debug, Hash)]
pub struct Matmul {
    /// The extents of four groups of axes: batch (a, b and the result), rows (a and the result), columns (b and the
    /// result), and inner (a and b; summed over).
    pub extents: [Vec<usize>; 4],
    /// The sides, over all axes in that order.
    pub sides: [Expression; 2],
    /// The epilogue, over all axes too. A leaf [`LeafSource::Given`](crosslane_core::op::LeafSource) stands for the sums.
    pub epilogue: Expression,
    /// Whether f32 may be rounded.
    pub precision: Precision,
    /// The output's slot, after all inputs. It is fresh and filled without gaps.
    pub output: usize,
}

/// How exactly a product of f32 is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Precision {
    /// In f32.
    #[default]
    Exact,
    /// By tensor cores where a device has them, which may round both sides: to f16 in matrices of 16 x 16 (2^-11 of a
    /// number; numbers past 65504 become infinite, below 6e-8 zero), not at all in those of 8 x 8. Sums are in f32. f16
    /// is multiplied there anyway; other types are not.
    Tensor,
}

/// The kernel's variables: the groups of axes.
const VARIABLES: &[&str] = &["batch", "row", "column", "inner"];
const BATCH: usize = 0;
const ROW: usize = 1;
const COLUMN: usize = 2;
const INNER: usize = 3;

/// An operation whose axes are merged where all arrays allow it.
struct Settled {
    dims: Vec<Dim>,
    sides: [Expression; 2],
    epilogue: Expression,
    output: Walk,
}

impl Matmul {
    /// The type in which products of elements of this type are added up.
    pub fn sums(dtype: DType) -> DType {
        match (dtype, dtype.class()) {
            (DType::F16, _) => DType::F32,
            (_, Class::Bool) => DType::U32,
            _ => dtype.compute(),
        }
    }

    fn own_sums(&self) -> DType {
        Matmul::sums(self.sides[0].dtype())
    }

    /// What the ways to compute a box differ for.
    fn work(&self, settled: &Settled, cut: &[Range<u64>]) -> Work {
        let extent = |group| settled.extent(group, cut);
        let taken = match (self.sides[0].dtype(), self.precision) {
            (DType::F16, _) => Some(DType::F16),
            (DType::F32, Precision::Tensor) => Some(DType::F32),
            _ => None,
        };
        // Engines do not watch what matrices are loaded from: nothing else in the kernel may need watching.
        let tensor = taken.filter(|_| settled.several(self.output).spec().is_safe());
        Work {
            sums: self.own_sums(),
            tensor,
            batch: extent(BATCH),
            rows: extent(ROW),
            columns: extent(COLUMN),
            inner: extent(INNER),
        }
    }

    fn extent(&self, group: usize) -> u64 {
        self.extents[group].iter().map(|&extent| extent as u64).product()
    }

    /// Elements of the result.
    fn len(&self) -> usize {
        self.extents[..INNER].iter().flatten().product()
    }

    fn settle(&self) -> Settled {
        let groups = self.extents.iter().enumerate();
        let mut dims: Vec<Dim> =
            groups.flat_map(|(group, all)| all.iter().map(move |&e| Dim { group, extent: e as u64 })).collect();
        let mut strides = vec![0; dims.len()];
        let mut step = 1;
        for axis in (0..dims.len()).rev().filter(|&axis| dims[axis].group != INNER) {
            strides[axis] = step;
            step *= dims[axis].extent as i64;
        }
        let size = self.epilogue.dtype().size() as u64;
        let expressions = [&self.sides[0], &self.sides[1], &self.epilogue];
        let mut walks: Vec<Walk> = expressions.iter().flat_map(|expression| leaf_walks(expression)).collect();
        walks.push(Walk { offset: 0, strides, size });
        collapse(&mut dims, &mut walks);
        let mut walks = walks.into_iter();
        let [a, b, epilogue] = expressions.map(|expression| {
            let mut expression = expression.clone();
            for (leaf, walk) in expression.leaves.iter_mut().zip(&mut walks) {
                leaf.strides = walk.strides;
            }
            expression
        });
        Settled { dims, sides: [a, b], epilogue, output: walks.next().expect("the last is the output's") }
    }
}

/// Inner elements of a launch at most. Repeated elements and constants need no memory, so that no binding bounds them;
/// kernels count them with 32 bits, and past the last by a tile.
const MOST_INNER: u64 = 1 << 30;
/// Launches of a product at most.
const MOST_LAUNCHES: u64 = 1 << 16;

/// A launch's share of the work, beside the box of the index space.
#[derive(Clone, Copy)]
struct Share {
    /// Inner elements of a part, and batches of one.
    span: u64,
    part: u64,
}

impl Settled {
    fn extent(&self, group: usize, cut: &[Range<u64>]) -> u64 {
        let dims = self.dims.iter().zip(cut).filter(|(dim, _)| dim.group == group);
        dims.map(|(_, range)| range.end - range.start).product()
    }

    /// Cuts what a launch sums over to MOST_INNER.
    fn shorten(&self, chunk: &mut [u64]) {
        let inner: Vec<usize> = (0..chunk.len()).filter(|&dim| self.dims[dim].group == INNER).collect();
        let count = |chunk: &[u64]| inner.iter().fold(1u64, |count, &dim| count.saturating_mul(chunk[dim]));
        while count(chunk) > MOST_INNER {
            let longest = *inner.iter().max_by_key(|&&dim| chunk[dim]).expect("it sums over something");
            let (half, most) = (chunk[longest].div_ceil(2), chunk[longest] - 1);
            chunk[longest] = half.next_multiple_of(64).min(most);
        }
    }

    fn whole(&self) -> Vec<Range<u64>> {
        self.dims.iter().map(|dim| 0..dim.extent).collect()
    }

    fn chunk(&self) -> Vec<u64> {
        self.dims.iter().map(|dim| dim.extent).collect()
    }

    /// The first axis that is summed over.
    fn kept(&self) -> usize {
        self.dims.iter().position(|dim| dim.group == INNER).unwrap_or(self.dims.len())
    }

    /// The three expressions over the index space, the epilogue first, with the output's slot.
    fn several(&self, slot: usize) -> Several<'_> {
        let expressions = [(&self.epilogue, ""), (&self.sides[0], "a_"), (&self.sides[1], "b_")];
        let leaves = expressions.iter().flat_map(|(expression, _)| leaf_walks(expression));
        let walks = leaves.chain([self.output.clone()]).collect();
        Several::of_walks(self.dims.clone(), VARIABLES, &expressions, walks, Some((slot, self.epilogue.dtype())))
    }
}

/// How four elements of a side are fetched at a time, and the fusion made to do it.
fn fetch(fusion: &mut Fusion, outer: usize, chunk: &[u64], caps: &Caps) -> Fetch {
    let last = |group: usize| fusion.dims.iter().rposition(|dim| dim.group == group);
    let main = fusion.walks.iter().enumerate().find(|(array, _)| fusion.slot(*array).is_some());
    let step = |group: usize| match (main, last(group)) {
        (Some((_, walk)), Some(dim)) => walk.strides[dim].unsigned_abs(),
        _ => 0,
    };
    // Neighbours are where the step is the shortest that goes anywhere.
    let along = step(INNER) != 0 && (step(INNER) < step(outer) || step(outer) == 0);
    match along {
        true if fusion.widen(chunk, INNER, true, caps) => Fetch::Inner,
        false if fusion.widen(chunk, outer, true, caps) => Fetch::Outer,
        true => Fetch::EachInner,
        false => Fetch::EachOuter,
    }
}

/// Has what calls the library's functions for scalars or vectors do so for one of them, if epilogue and sides differ: for scalars.
fn agree(several: &mut Several, fetch: [Fetch; 2]) -> [Fetch; 2] {
    let calls = wgsl::calling(&several.spec());
    let wide = |fusion: &Fusion| fusion.width == 4;
    if calls.iter().all(|&nth| wide(&several.0[nth])) {
        return fetch;
    }
    calls.iter().for_each(|&nth| several.0[nth].narrow());
    [fetch[0].of_width(several.0[1].width), fetch[1].of_width(several.0[2].width)]
}

impl Matmul {
    /// One launch: a box of the index space, which is cut into chunks.
    fn launch(
        &self,
        settled: &Settled,
        slot: usize,
        share: Share,
        caps: &Caps,
        (cut, chunk): (&[Range<u64>], &[u64]),
        bytes: &dyn Fn(usize) -> u64,
    ) -> Pass {
        let mut several = settled.several(slot);
        let whole = chunk.iter().zip(&settled.dims).all(|(&chunk, dim)| chunk == dim.extent);
        let shape = Shape::choose(caps, &self.work(settled, cut));
        let fetch = match shape {
            Shape::Each(_) => [Fetch::EachOuter; 2],
            _ => {
                several.0[0].widen(chunk, COLUMN, whole, caps);
                [fetch(&mut several.0[1], ROW, chunk, caps), fetch(&mut several.0[2], COLUMN, chunk, caps)]
            }
        };
        let fetch = agree(&mut several, fetch);
        wgsl::store_of(&mut several.0[0]);
        // Coordinates that are found by division: of windows, say.
        let divided = |side: &Fusion| side.dims.windows(2).any(|pair| pair[0].group == pair[1].group);
        several.0.iter_mut().for_each(|side| side.constant = whole && divided(side));
        let extent = |group| settled.extent(group, cut);
        let (batch, rows, columns) = (extent(BATCH), extent(ROW), extent(COLUMN));
        let even = chunk.iter().zip(&settled.dims).all(|(&chunk, dim)| chunk == dim.extent || chunk.is_multiple_of(8));
        let [high, wide] = shape.tile();
        let tiles = [rows.div_ceil(high as u64), columns.div_ceil(wide as u64)];
        let groups = batch * tiles[0] * tiles[1];
        let fills = |inner: u64| inner.is_multiple_of(shape.depth() as u64);
        let full = matches!(shape, Shape::Tensor(_)) && fills(extent(INNER)) && fills(share.span);
        let (spec, sums) = (several.spec(), self.own_sums());
        let contract = contract(&several, &wgsl::params(&spec), shape, whole, even);
        let spec = MatmulSpec { several: spec, fetch, shape, sums, full, contract };
        let (params, buffers) = several.params(cut, caps.offset_alignment, bytes);
        let own = [groups, tiles[0], tiles[1], rows, columns, extent(INNER), share.span, share.part];
        Pass {
            kernel: Kernel::of(spec, caps),
            buffers,
            params: own.into_iter().map(Param::of).chain(params).collect(),
            grid: Grid::Count(shape.groups(groups)),
        }
    }

    /// Whether the launches for boxes of this size are not too many to be planned, and to end.
    fn check_launches(&self, settled: &Settled, chunk: &[u64]) -> Result<()> {
        let boxes = settled.dims.iter().zip(chunk).map(|(dim, &chunk)| dim.extent.div_ceil(chunk));
        if boxes.fold(1u64, |all, boxes| all.saturating_mul(boxes)) <= MOST_LAUNCHES {
            return Ok(());
        }
        let (operation, argument) = (self.name(), "extents".into());
        let wanted =
            format!("work for at most {MOST_LAUNCHES} launches, each with at most {MOST_INNER} inner elements");
        let [batch, rows, columns, inner] = [BATCH, ROW, COLUMN, INNER].map(|group| self.extent(group));
        let got = format!("batch {batch}, rows {rows}, columns {columns}, inner {inner}");
        Err(ErrorKind::Argument { operation, argument, wanted, got, at: None }.into())
    }

    /// Bytes of a slot, or of scratch after them.
    fn bytes_of(&self, slot: usize, scratch: &[u64]) -> u64 {
        match slot.checked_sub(self.output) {
            None => read_bytes(self.expressions(), slot).expect("a binding is a leaf"),
            Some(0) => buffer_bytes(self.epilogue.dtype(), self.len()),
            Some(after) => scratch[after - 1],
        }
    }

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.sides.iter().chain([&self.epilogue])
    }
}

impl Op for Matmul {
    fn name(&self) -> &'static str {
        "matmul"
    }

    fn slots(&self) -> Vec<Slot> {
        let (dtype, len) = (self.epilogue.dtype(), self.len());
        let output = Slot::write("output", dtype, len);
        [read_slots(self.expressions()), vec![output]].concat()
    }

    fn vary(&mut self, by: &mut dyn Vary) {
        self.sides.iter_mut().chain([&mut self.epilogue]).for_each(|expression| by.expression(expression));
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        if self.extents.iter().flatten().any(|&extent| extent == 0) {
            return Ok(Plan::default());
        }
        let settled = self.settle();
        let space = settled.several(self.output).space();
        let mut chunk = space.chunks_of(caps.binding_bytes, 64, u64::MAX);
        settled.shorten(&mut chunk);
        self.check_launches(&settled, &chunk)?;
        let boxes = space.boxes(self.name(), &chunk)?;
        Ok(match boxes.len() {
            1 => self.plan_whole(&settled, caps),
            _ => self.plan_boxes(&settled, &boxes, &chunk, caps),
        })
    }

    fn flops(&self) -> u64 {
        let each = self.extent(INNER).saturating_mul(2).saturating_add(self.epilogue.flops());
        (self.len() as u64).saturating_mul(each)
    }

    fn bytes(&self) -> u64 {
        let extents: Vec<u64> = self.extents.iter().flatten().map(|&extent| extent as u64).collect();
        let read: u64 = self.expressions().map(|expression| expression.bytes(&extents)).sum();
        read + self.len() as u64 * self.epilogue.dtype().size() as u64
    }

    fn reference(&self, host: &mut Host) {
        let kept: Vec<usize> = self.extents[..INNER].iter().flatten().copied().collect();
        let sums = self.own_sums();
        for (index, point) in points(&kept).enumerate() {
            let (mut float, mut int) = (0.0, 0i128);
            let mut at = [point, vec![0; self.extents[INNER].len()]].concat();
            for _ in 0..self.extents[INNER].iter().product() {
                let [a, b] = [0, 1].map(|side: usize| self.sides[side].meaning(host, &at));
                float += a.float() * b.float();
                int = int.wrapping_add(a.int().wrapping_mul(b.int()));
                to_next(&mut at[kept.len()..], &self.extents[INNER]);
            }
            let sum = if sums.class() == Class::Float { Value::Float(float) } else { Value::Int(int).cast(sums) };
            let value = self.epilogue.meaning_of(host, &at, Some(sum));
            host.set(self.output, index, value);
        }
    }
}
