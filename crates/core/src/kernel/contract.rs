//! Contracts: what a kernel computes, as plain data. An engine may have a substitute that computes the same, a vendor's
//! library or a kernel written by hand. The contract is all that it decides by. The substitute takes the launch's own
//! bindings and parameters.

use super::boundary::Boundary;
use crate::element::DType;

/// What a kernel computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Contract {
    /// Products of matrices.
    Contraction(Box<Contraction>),
    /// Sums of rows of f32.
    SumOfRows(SumOfRows),
    /// A pass of a radix sort.
    SortByDigit(SortByDigit),
    /// Rows sorted whole.
    SortRows(SortRows),
    /// Fourier transforms of rows.
    Transforms(Transforms),
    /// Sums of products of windows with weights.
    Correlation(Correlation),
}

/// A number of a launch: known, or the parameter with this index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Word {
    /// This number, in every launch.
    Is(u32),
    /// The word at this index of the launch's parameters.
    Param(usize),
}

/// Products of matrices: `output[n, r, c]` is the sum of `a[n, r, i] * b[n, i, c]` over all `i`, and what an epilogue makes of
/// it. Bindings: the output, `a`, `b`, and what the epilogue reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Contraction {
    /// Element types of the sides and of the output.
    pub dtypes: [DType; 3],
    /// Whether the output is contiguous and holds the sums themselves, at most converted.
    pub plain: bool,
    /// Whether the kernel multiplies by tensor cores, which round f32.
    pub tensor: bool,
    /// Rows and columns of the output that a workgroup computes.
    pub tile: [u32; 2],
    /// Workgroups in all, along the rows, and along the columns. Where the inner dimension is not split, the first
    /// divided by the product of the others is the number of matrices.
    pub workgroups: [Word; 3],
    /// Rows of the output, and of `a`.
    pub rows: Word,
    /// Columns of the output, and of `b`.
    pub columns: Word,
    /// Inner elements: columns of `a`, and rows of `b`.
    pub inner: Word,
    /// Inner elements that a workgroup sums: all, unless the inner dimension is split.
    pub span: Word,
    /// `a` and `b`.
    pub sides: [Side; 2],
}

/// A side of a [`Contraction`]: an array in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Side {
    /// The first element in the binding.
    pub first: Word,
    /// The axes of matrices, of rows (of `b`, columns), and of inner elements, the outermost first.
    pub axes: [Vec<Axis>; 3],
    /// Where neighbours in memory are neighbours along one of the last two.
    pub lines: Option<Lines>,
}

/// An axis of a [`Side`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Axis {
    /// Of the outermost none: what the others leave of all rows, columns, and so on.
    pub extent: Option<Word>,
    /// Elements from index to index.
    pub step: Word,
}

/// A side as lines of neighbours in memory, of inner elements or of rows (of `b`, columns).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lines {
    /// Whether neighbouring elements are along the inner dimension.
    pub by_inner: bool,
    /// Elements from line to line.
    pub step: Word,
    /// Elements from matrix to matrix.
    pub batch: Word,
    /// Whether no two lines share an element.
    pub apart: bool,
    /// Whether all these, and the lengths of lines, are multiples of eight elements.
    pub aligned: bool,
}

/// Sums of rows of f32: a workgroup of this many invocations gives one result or one partial state. Bindings: the rows,
/// the output. Parameters: the reduction's, the first element, and the elements from row to row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SumOfRows {
    /// Invocations of a workgroup.
    pub workgroup: u32,
    /// Vectors that an invocation loads at once.
    pub unroll: u32,
    /// Whether there are several rows, a parameter apart.
    pub strided: bool,
    /// Whether it writes results; else partial states.
    pub last: bool,
}

/// A pass of a radix sort: a tile of keys is ordered by a digit and stored where the tiles before it end, which is looked back
/// for. Bindings: keys, values if they are an array, the state of the tiles, the outputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SortByDigit {
    /// The type of the keys.
    pub key: DType,
    /// Whether the largest key comes first.
    pub descending: bool,
    /// The value that moves with each key.
    pub values: Carried,
    /// Whether the sorted keys are an output.
    pub stores_keys: bool,
    /// Keys of a tile.
    pub tile: u32,
    /// The first word of a published prefix.
    pub prefix: u32,
    /// How often a tile is polled before another workgroup counts it.
    pub spins: u32,
    /// The bits that sort after all keys.
    pub last: u32,
}

/// Rows that are sorted whole, equal keys as they came. Bindings: keys, values if they are an array, the outputs. The parameters
/// are those of `shaders/sort_rows.wgsl`, or of `sort_merge.wgsl`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SortRows {
    /// The type of the keys.
    pub key: DType,
    /// Whether the largest key comes first.
    pub descending: bool,
    /// The value that moves with each key.
    pub values: Carried,
    /// Whether the sorted keys are an output.
    pub stores_keys: bool,
    /// Whether the kernel merges; else it sorts by digits.
    pub merges: bool,
}

/// Fourier transforms of rows, real or complex, in arrays without gaps: `result[j]` is `scale` times the sum of
/// `row[k] exp(-2 pi i j k / length)` over all k. Bindings: the rows, the result, and what the kernel needs besides.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transforms {
    /// Values of a row once it is filled up, and of its transform.
    pub length: u32,
    /// Whether the sign of the exponent is positive.
    pub inverse: bool,
    /// Complex or real.
    pub from: DType,
    /// Values of a row that there are; zeros follow, or, of half a row, zeros up to its middle and the conjugates of mirror images.
    pub given: u32,
    /// Whether the rows are the first halves of spectra of real rows, as `given` says.
    pub half: bool,
    /// Complex, or the real parts.
    pub to: DType,
    /// The values of a result that are stored, the first ones.
    pub kept: u32,
    /// Rows in all.
    pub rows: Word,
    /// Rows that are neighbours in memory: from one value of a row to the next.
    pub inner: Word,
    /// The bits of a number of the type of real parts, in one word or two.
    pub scale: [Word; 2],
    /// The first element in the binding.
    pub first: Word,
}

/// Sums of products of windows with weights, of f32 or f64 in arrays without gaps. Bindings: the values, the weights of all filters,
/// the result.
/// The first parameters are those of `shaders/correlate.wgsl`, and the number that stands outside.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Correlation {
    /// The type of values, weights and result.
    pub dtype: DType,
    /// Weights of a window along x, y and z.
    pub taps: [usize; 3],
    /// From a result's window to the next one's, along x, y and z.
    pub steps: [usize; 3],
    /// From a value of a window to the next one, along x, y and z.
    pub dilations: [usize; 3],
    /// Without its number.
    pub boundary: Boundary,
    /// The first value in its binding.
    pub values: Word,
    /// The first weight in its binding.
    pub weights: Word,
}

/// What goes with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Carried {
    /// No value: keys are sorted alone.
    Nothing,
    /// The index at which the key was.
    Index,
    /// A word of an array.
    Word,
}

impl Word {
    /// The number, in a launch with these parameters.
    pub fn of(self, params: &[u32]) -> u32 {
        match self {
            Word::Is(value) => value,
            Word::Param(index) => params[index],
        }
    }
}

impl Contraction {
    /// The numbers of matrices, of rows, of columns and of inner elements; `None` where the inner dimension is split.
    pub fn extents(&self, params: &[u32]) -> Option<[u32; 4]> {
        let [groups, along_rows, along_columns] = self.workgroups.map(|word| word.of(params));
        let [rows, columns, inner, span] = [self.rows, self.columns, self.inner, self.span].map(|word| word.of(params));
        (span >= inner).then_some([groups / (along_rows * along_columns), rows, columns, inner])
    }
}
