//! What may run in a product's place on CUDA, where both sides lie in memory as it reads them: cuBLASLt, and by tensor cores
//! the native `shaders/native/matmul_tensor.cu`.

use super::shape::Shape;
use super::wgsl::Text;
use super::{BATCH, COLUMN, INNER, ROW};
use crate::element::DType;
use crate::kernel::{Native, Product, ProductSide, Replacements, Word};
use crate::op::{Source, What};

/// Rows and columns that the native's block computes, and its bytes of shared memory: four stages of 64 inner ones, and what
/// aligns them.
const TILE: [u32; 2] = [128, 256];
const BYTES: u32 = 4 * 64 * 2 * (TILE[0] + TILE[1]) + 1024;
/// Elements that the native copies at once: 16 bytes.
const AT_ONCE: i64 = 8;

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

impl Steps {
    /// In the native's text, where the translation spells the name so.
    fn text(&self) -> String {
        self.param.as_ref().map_or(format!("{}u", self.stride), |name| format!("params.{name}_"))
    }
}

impl Read {
    /// Whether neighbours in memory are inner ones, and the other lines' steps; none if neither are neighbours.
    fn lines(&self, fits: impl Fn(&Steps, &Steps) -> bool) -> Option<(bool, &Steps)> {
        let along = |along: &Steps, across: &Steps| along.stride == 1 && fits(along, across);
        match (along(&self.inner, &self.outer), along(&self.outer, &self.inner)) {
            (true, _) => Some((true, &self.outer)),
            (_, true) => Some((false, &self.inner)),
            _ => None,
        }
    }
}

impl Text<'_> {
    /// `params` are the names of the kernel's parameters; `whole`, that its output has no gaps.
    pub fn replacements(&self, params: &[String], whole: bool) -> Replacements {
        let (a, b) = (self.read(1, ROW, 'A'), self.read(2, COLUMN, 'B'));
        let Some(sides) = a.zip(b).map(|(a, b)| [a, b]) else { return Replacements::default() };
        let product = if whole { self.product(&sides, params) } else { None };
        Replacements { text: self.native(&sides), product }
    }

    /// By `shaders/native/matmul_tensor.cu`: f16, all lines at multiples of 16 bytes.
    fn native(&self, sides: &[Read; 2]) -> Option<Native> {
        let Shape::Tensor(tile) = self.shape else { return None };
        // A box must begin where 16 bytes do. The grid is the kernel's: it must have blocks enough.
        let enough = self.even && tile.half && tile.rows <= TILE[0] && tile.columns <= TILE[1];
        let halves = [1, 2].iter().all(|&side| self.several.0[side].expression.dtype() == DType::F16);
        let define = |side: &Read| {
            let lines = side.lines(|along, across| {
                let whole = along.extent.is_multiple_of(AT_ONCE as u64);
                whole && [across.stride, side.batch.stride, side.offset].iter().all(|stride| stride % AT_ONCE == 0)
            });
            let (by_inner, across) = lines?;
            let all = [("INNER", by_inner.to_string()), ("STEP", across.text()), ("BATCH", side.batch.text())];
            Some(all.map(|(what, value)| (format!("{}_{what}", side.name), value)))
        };
        let defines = [define(&sides[0]).filter(|_| enough && halves)?, define(&sides[1])?];
        Some(Native {
            file: "matmul_tensor",
            defines: defines.concat(),
            workgroup_size: [384, 1, 1],
            dynamic_bytes: BYTES,
            behind_translation: true,
            architecture: Some(90),
            ..Native::default()
        })
    }

    /// By cuBLASLt: f32 that is not rounded, or f16, with no epilogue but a conversion to one of the two.
    fn product(&self, sides: &[Read; 2], params: &[String]) -> Option<Product> {
        let [epilogue, a, b] = &self.several.0[..] else { return None };
        let plain = epilogue.expression.leaves.iter().all(|leaf| leaf.source == Source::Given)
            && epilogue.expression.steps.iter().all(|step| matches!(step.what, What::Leaf(_) | What::Cast(_)));
        let dtypes = [a.expression.dtype(), epilogue.expression.dtype()];
        let known = match dtypes {
            [DType::F16, DType::F16 | DType::F32] => true,
            [DType::F32, DType::F32] => !matches!(self.shape, Shape::Tensor(_)),
            _ => false,
        };
        if !plain || !known || b.expression.dtype() != dtypes[0] {
            return None;
        }
        let param = |name: &str| params.iter().position(|other| other == name).map(Word::Param);
        let word = |steps: &Steps| match &steps.param {
            Some(name) => param(name),
            None => Some(Word::Is(steps.stride as u32)),
        };
        let side = |read: &Read| {
            // Lines may not overlap: a stride of 0 is that of one line only.
            let (by_inner, across) =
                read.lines(|along, across| across.stride >= along.extent as i64 || across.extent == 1)?;
            let first = param(&format!("{}_offset0", read.name.to_ascii_lowercase()))?;
            Some(ProductSide { by_inner, first, step: word(across)?, batch: word(&read.batch)? })
        };
        Some(Product { dtypes, sides: [side(&sides[0])?, side(&sides[1])?] })
    }

    /// A side as an array in memory, if that is all it is.
    fn read(&self, at: usize, outer: usize, name: char) -> Option<Read> {
        let fusion = &self.several.0[at];
        if fusion.expression.steps.len() != 1 || fusion.slot(0).is_none() {
            return None;
        }
        let steps = |group| self.steps(at, group);
        let offset = fusion.walks[0].offset;
        Some(Read { name, offset, batch: steps(BATCH)?, outer: steps(outer)?, inner: steps(INNER)? })
    }

    /// How a side's array is walked along a variable: not by more than one stride, and not backwards.
    fn steps(&self, at: usize, group: usize) -> Option<Steps> {
        let fusion = &self.several.0[at];
        let dims = fusion.dims.iter().zip(&fusion.walks[0].strides).enumerate();
        let mut dims = dims.filter(|(_, (dim, _))| dim.group == group);
        let (first, further) = (dims.next(), dims.next());
        let Some((nth, (dim, &stride))) = first else {
            return Some(Steps { extent: 1, stride: 0, param: None });
        };
        let param = (stride > 1).then(|| format!("{}stride0_{nth}", fusion.prefix));
        (stride >= 0 && further.is_none()).then_some(Steps { extent: dim.extent, stride, param })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caps::Caps;
    use crate::op::Op;
    use crate::op::Values;
    use crate::op::{Expression, Leaf, Step};
    use crate::ops::matmul::{Matmul, Precision};

    /// A side with these strides of batch, its own axis and the inner ones.
    fn side(slot: usize, dtype: DType, [batch, outer, inner]: [i64; 3]) -> Expression {
        let strides = if slot == 0 { vec![batch, outer, 0, inner] } else { vec![batch, 0, outer, inner] };
        let leaf = Leaf { source: Source::Slot(slot), dtype, len: 1 << 20, offset: 8, strides };
        Expression { leaves: vec![leaf], steps: vec![Step { what: What::Leaf(0), dtype }], ..Expression::default() }
    }

    fn product(dtype: DType, extents: [usize; 4], strides: [[i64; 3]; 2]) -> Option<(Product, Vec<u32>)> {
        let [batch, rows, columns, inner] = extents;
        let mut epilogue = Expression::given(DType::F32, 4);
        if dtype != DType::F32 {
            epilogue.steps.push(Step { what: What::Cast(0), dtype });
        }
        let op = Matmul {
            extents: [vec![batch], vec![rows], vec![columns], vec![inner]],
            sides: [side(0, dtype, strides[0]), side(1, dtype, strides[1])],
            epilogue,
            precision: Precision::Exact,
            output: 2,
        };
        let plan = op.plan(&Caps::nvidia_like()).unwrap();
        Some((plan.passes[0].kernel.product().copied()?, plan.passes[0].words(&Values::default())))
    }

    /// What the library is told finds the elements where the arrays have them.
    #[test]
    fn products_find_the_elements() {
        let extents = [3, 200, 160, 96];
        let ways = [[20_000, 96, 1], [20_000, 1, 200], [0, 100, 1], [40_000, 1, 208]];
        for (dtype, a, b) in [DType::F32, DType::F16]
            .into_iter()
            .flat_map(|dtype| ways.into_iter().flat_map(move |a| ways.into_iter().map(move |b| (dtype, a, b))))
        {
            let (product, params) = product(dtype, extents, [a, b]).unwrap_or_else(|| panic!("{dtype} {a:?} {b:?}"));
            let word = |word: Word| match word {
                Word::Is(value) => value as i64,
                Word::Param(index) => params[index] as i64,
            };
            for (side, [batch, outer, inner]) in product.sides.iter().zip([a, b]) {
                let lines = if side.by_inner { [word(side.step), 1] } else { [1, word(side.step)] };
                assert_eq!([word(side.batch), lines[0], lines[1]], [batch, outer, inner], "{dtype}");
                // The window begins at a multiple of 64 bytes: here with the array.
                assert_eq!(word(side.first), 8);
            }
        }
        let (a, b) = ([0, 96, 1], [0, 1, 160]);
        assert!(product(DType::F32, [1, 200, 160, 96], [a, [0, 2, 320]]).is_none(), "no neighbours");
        assert!(product(DType::F32, [1, 200, 160, 96], [[0, 1, 1], b]).is_none(), "lines that overlap");
        assert!(product(DType::I32, [1, 200, 160, 96], [a, b]).is_none(), "a type that it has not");
        assert!(product(DType::F32, [1, 200, 160, 96], [a, b]).is_some());
    }
}
