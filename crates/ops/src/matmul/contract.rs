//! A product's contract, where both sides are arrays in memory.

use super::shape::Shape;
use super::{BATCH, COLUMN, INNER, ROW};
use crate::fuse::{Fusion, Several};
use crosslane_core::kernel::{Axis, Contract, Contraction, Lines, Side, Word};
use crosslane_core::op::{LeafSource, StepKind};

/// What [`Lines::aligned`] lines begin at multiples of.
const ALIGNED: i64 = 8;

/// A side that is an array in memory: the axes of matrices, of its own dimension and of inner elements.
struct Read {
    name: char,
    offset: i64,
    axes: [Vec<Walked>; 3],
}

/// How an array is walked along an axis.
#[derive(Clone)]
struct Walked {
    extent: u64,
    stride: i64,
    /// The parameters' names, where the extent and the stride are such.
    extent_param: String,
    stride_param: Option<String>,
}

/// The parameter of this name.
fn param(params: &[String], name: &str) -> Option<Word> {
    params.iter().position(|other| other == name).map(Word::Param)
}

impl Walked {
    fn step(&self, params: &[String]) -> Option<Word> {
        match &self.stride_param {
            Some(name) => param(params, name),
            None => Some(Word::Is(self.stride as u32)),
        }
    }
}

impl Read {
    fn side(&self, params: &[String], even: bool) -> Option<Side> {
        let [batch, outer, inner] = self.axes.each_ref().map(|axes| {
            let axis = |(nth, walked): (usize, &Walked)| {
                let extent = if nth == 0 { None } else { Some(param(params, &walked.extent_param)?) };
                Some(Axis { extent, step: walked.step(params)? })
            };
            axes.iter().enumerate().map(axis).collect::<Option<Vec<Axis>>>()
        });
        Some(Side {
            first: param(params, &format!("{}_offset0", self.name.to_ascii_lowercase()))?,
            axes: [batch?, outer?, inner?],
            lines: self.lines(params, even),
        })
    }

    /// As lines of neighbours; of both ways the one that is the easier to read. `even`: boxes begin where lines do.
    fn lines(&self, params: &[String], even: bool) -> Option<Lines> {
        let single = |axes: &[Walked]| match axes {
            [] => Some(Walked { extent: 1, stride: 0, extent_param: String::new(), stride_param: None }),
            [axis] => Some(axis.clone()),
            _ => None,
        };
        let [batch, outer, inner] = self.axes.each_ref().map(|axes| single(axes));
        let (batch, outer, inner) = (batch?, outer?, inner?);
        let lines = |by_inner: bool| {
            let (along, across) = if by_inner { (&inner, &outer) } else { (&outer, &inner) };
            let steps = [across.stride, batch.stride, self.offset];
            let whole = along.extent.is_multiple_of(ALIGNED as u64) && steps.iter().all(|step| step % ALIGNED == 0);
            (along.stride == 1).then_some(Lines {
                by_inner,
                step: across.step(params)?,
                batch: batch.step(params)?,
                // A stride of 0 is that of one line only.
                apart: across.stride >= along.extent as i64 || across.extent == 1,
                aligned: even && whole,
            })
        };
        [true, false].into_iter().filter_map(lines).max_by_key(|lines| (lines.apart, lines.aligned, lines.by_inner))
    }
}

/// The contract of a product whose fusions are those of the epilogue, of a and of b. `whole`: its output has no gaps. `even`:
/// boxes of the index space begin at multiples of eight along each axis.
pub(super) fn contract(
    several: &Several,
    params: &[String],
    shape: Shape,
    whole: bool,
    even: bool,
) -> Option<Contract> {
    let [a, b] = [read(&several.0[1], ROW, 'A')?, read(&several.0[2], COLUMN, 'B')?];
    let epilogue = &several.0[0].expression;
    let plain = epilogue.leaves.iter().all(|leaf| leaf.source == LeafSource::Given)
        && epilogue.steps.iter().all(|step| matches!(step.what, StepKind::Leaf(_) | StepKind::Cast(_)));
    let word = |name: &str| param(params, name);
    Some(Contract::Contraction(Box::new(Contraction {
        dtypes: [1, 2, 0].map(|at| several.0[at].expression.dtype()),
        plain: plain && whole && several.0.len() == 3,
        tensor: matches!(shape, Shape::Tensor(_)),
        tile: shape.tile(),
        workgroups: [word("groups")?, word("row_tiles")?, word("column_tiles")?],
        rows: word("rows")?,
        columns: word("columns")?,
        inner: word("inner")?,
        span: word("span")?,
        sides: [a.side(params, even)?, b.side(params, even)?],
    })))
}

/// A side as an array in memory, if that is all it is.
fn read(fusion: &Fusion, outer: usize, name: char) -> Option<Read> {
    if fusion.expression.steps.len() != 1 || fusion.slot(0).is_none() {
        return None;
    }
    let [batch, outer, inner] = [BATCH, outer, INNER].map(|group| walked(fusion, group));
    Some(Read { name, offset: fusion.walks[0].offset, axes: [batch?, outer?, inner?] })
}

/// How a side's array is walked along a variable: not backwards.
fn walked(fusion: &Fusion, group: usize) -> Option<Vec<Walked>> {
    let dims = fusion.dims.iter().zip(&fusion.walks[0].strides).enumerate();
    let dims = dims.filter(|(_, (dim, _))| dim.group == group).map(|(nth, (dim, &stride))| Walked {
        extent: dim.extent,
        stride,
        extent_param: format!("{}extent{nth}", fusion.prefix),
        stride_param: (stride > 1).then(|| format!("{}stride0_{nth}", fusion.prefix)),
    });
    let axes: Vec<Walked> = dims.collect();
    axes.iter().all(|axis| axis.stride >= 0).then_some(axes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matmul::{Matmul, Precision};
    use crosslane_core::caps::Caps;
    use crosslane_core::element::DType;
    use crosslane_core::op::Op;
    use crosslane_core::op::Values;
    use crosslane_core::op::{Expression, ExpressionStep, Leaf};

    /// A side with these strides of batch, its own axis and the inner elements.
    fn side(slot: usize, dtype: DType, [batch, outer, inner]: [i64; 3]) -> Expression {
        let strides = if slot == 0 { vec![batch, outer, 0, inner] } else { vec![batch, 0, outer, inner] };
        let leaf = Leaf { source: LeafSource::Slot(slot), dtype, len: 1 << 20, offset: 8, strides };
        Expression {
            leaves: vec![leaf],
            steps: vec![ExpressionStep { what: StepKind::Leaf(0), dtype }],
            ..Expression::default()
        }
    }

    fn product(dtype: DType, extents: [usize; 4], strides: [[i64; 3]; 2]) -> Option<(Contraction, Vec<u32>)> {
        let [batch, rows, columns, inner] = extents;
        let mut epilogue = Expression::given(DType::F32, 4);
        if dtype != DType::F32 {
            epilogue.steps.push(ExpressionStep { what: StepKind::Cast(0), dtype });
        }
        let op = Matmul {
            extents: [vec![batch], vec![rows], vec![columns], vec![inner]],
            sides: [side(0, dtype, strides[0]), side(1, dtype, strides[1])],
            epilogue,
            precision: Precision::Exact,
            output: 2,
        };
        let plan = op.plan(&Caps::nvidia_like()).unwrap();
        let Contract::Contraction(product) = plan.passes[0].kernel.contract()?.clone() else { return None };
        Some((*product, plan.passes[0].words(&Values::default())))
    }

    /// What the contract says finds the elements where the arrays have them.
    #[test]
    fn products_find_the_elements() {
        let extents = [3, 200, 160, 96];
        let ways = [[20_000, 96, 1], [20_000, 1, 200], [0, 100, 1], [40_000, 1, 208]];
        for (dtype, a, b) in [DType::F32, DType::F16]
            .into_iter()
            .flat_map(|dtype| ways.into_iter().flat_map(move |a| ways.into_iter().map(move |b| (dtype, a, b))))
        {
            let (product, params) = product(dtype, extents, [a, b]).unwrap_or_else(|| panic!("{dtype} {a:?} {b:?}"));
            let word = |word: Word| word.of(&params) as i64;
            assert_eq!(product.extents(&params), Some(extents.map(|extent| extent as u32)));
            for (side, [batch, outer, inner]) in product.sides.iter().zip([a, b]) {
                let lines = side.lines.as_ref().expect("neighbours");
                let steps = if lines.by_inner { [word(lines.step), 1] } else { [1, word(lines.step)] };
                assert_eq!([word(lines.batch), steps[0], steps[1]], [batch, outer, inner], "{dtype}");
                let axes = side.axes.each_ref().map(|axes| axes.iter().map(|axis| word(axis.step)).sum::<i64>());
                assert_eq!(axes, [batch, outer, inner], "{dtype}");
                // The window begins at a multiple of 64 bytes: here with the array.
                assert_eq!(word(side.first), 8);
            }
        }
        let (a, b) = ([0, 96, 1], [0, 1, 160]);
        let [left, right] = product(DType::F32, [1, 200, 160, 96], [a, [0, 2, 320]]).unwrap().0.sides;
        assert!(left.lines.is_some() && right.lines.is_none(), "no neighbours");
        let apart = |a| product(DType::F32, [1, 200, 160, 96], [a, b]).unwrap().0.sides[0].lines.clone().unwrap().apart;
        assert!(!apart([0, 1, 1]) && apart(a), "lines that overlap");
    }
}
