//! A product's contract, where both sides lie in memory in lines of neighbours.

use super::shape::Shape;
use super::{BATCH, COLUMN, INNER, ROW};
use crate::kernel::{Contract, Contraction, Side, Word};
use crate::op::{LeafSource, StepKind};
use crate::ops::fuse::{Fusion, Several};

/// What [`Side::aligned`] lines begin at multiples of.
const ALIGNED: i64 = 8;

/// A side that is an array in memory, walked by one stride along each variable.
struct Read {
    name: char,
    offset: i64,
    batch: Steps,
    outer: Steps,
    inner: Steps,
}

/// How an array is walked along one of the kernel's variables.
struct Steps {
    extent: u64,
    stride: i64,
    /// The parameter's name, where the stride is one.
    param: Option<String>,
}

/// The parameter of this name.
fn param(params: &[String], name: &str) -> Option<Word> {
    params.iter().position(|other| other == name).map(Word::Param)
}

impl Steps {
    fn word(&self, params: &[String]) -> Option<Word> {
        match &self.param {
            Some(name) => param(params, name),
            None => Some(Word::Is(self.stride as u32)),
        }
    }
}

impl Read {
    /// As lines of neighbours; of both ways the one that is the easier to read. `even`: boxes begin where lines do.
    fn side(&self, params: &[String], even: bool) -> Option<Side> {
        let side = |by_inner: bool| {
            let (along, across) = if by_inner { (&self.inner, &self.outer) } else { (&self.outer, &self.inner) };
            let steps = [across.stride, self.batch.stride, self.offset];
            let whole = along.extent.is_multiple_of(ALIGNED as u64) && steps.iter().all(|step| step % ALIGNED == 0);
            (along.stride == 1).then_some(Side {
                by_inner,
                first: param(params, &format!("{}_offset0", self.name.to_ascii_lowercase()))?,
                step: across.word(params)?,
                batch: self.batch.word(params)?,
                // A stride of 0 is that of one line only.
                apart: across.stride >= along.extent as i64 || across.extent == 1,
                aligned: even && whole,
            })
        };
        [true, false].into_iter().filter_map(side).max_by_key(|side| (side.apart, side.aligned, side.by_inner))
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
    let steps = |group| steps(fusion, group);
    let offset = fusion.walks[0].offset;
    Some(Read { name, offset, batch: steps(BATCH)?, outer: steps(outer)?, inner: steps(INNER)? })
}

/// How a side's array is walked along a variable: not by more than one stride, and not backwards.
fn steps(fusion: &Fusion, group: usize) -> Option<Steps> {
    let dims = fusion.dims.iter().zip(&fusion.walks[0].strides).enumerate();
    let mut dims = dims.filter(|(_, (dim, _))| dim.group == group);
    let (first, further) = (dims.next(), dims.next());
    let Some((nth, (dim, &stride))) = first else {
        return Some(Steps { extent: 1, stride: 0, param: None });
    };
    let param = (stride > 1).then(|| format!("{}stride0_{nth}", fusion.prefix));
    (stride >= 0 && further.is_none()).then_some(Steps { extent: dim.extent, stride, param })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caps::Caps;
    use crate::element::DType;
    use crate::op::Op;
    use crate::op::Values;
    use crate::op::{Expression, ExpressionStep, Leaf};
    use crate::ops::matmul::{Matmul, Precision};

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
                let lines = if side.by_inner { [word(side.step), 1] } else { [1, word(side.step)] };
                assert_eq!([word(side.batch), lines[0], lines[1]], [batch, outer, inner], "{dtype}");
                // The window begins at a multiple of 64 bytes: here with the array.
                assert_eq!(word(side.first), 8);
            }
        }
        let (a, b) = ([0, 96, 1], [0, 1, 160]);
        assert!(product(DType::F32, [1, 200, 160, 96], [a, [0, 2, 320]]).is_none(), "no neighbours");
        let apart = |a| product(DType::F32, [1, 200, 160, 96], [a, b]).unwrap().0.sides[0].apart;
        assert!(!apart([0, 1, 1]) && apart(a), "lines that overlap");
    }
}
