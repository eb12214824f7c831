//! Contracts: what a kernel computes, as plain data. An engine may have something else that does the same, a vendor's library
//! or a kernel written by hand; the contract is all that it goes by. It takes the launch's own bindings and parameters.

use crate::element::DType;

/// What a kernel computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Contract {
    Contraction(Box<Contraction>),
    SumOfRows(SumOfRows),
    SortByDigit(SortByDigit),
}

/// A number of a launch: known, or the parameter with this index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Word {
    Is(u32),
    Param(usize),
}

/// Products of matrices: `output[n, r, c]` is the sum of `a[n, r, i] * b[n, i, c]` over all `i`, and what an epilogue makes of
/// it. Bindings: the output, `a`, `b`, and what the epilogue reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Contraction {
    /// Element types of the sides and of the output.
    pub dtypes: [DType; 3],
    /// Whether the output has no gaps and holds the sums themselves, converted at most.
    pub plain: bool,
    /// Whether the kernel multiplies by tensor cores, which round f32.
    pub tensor: bool,
    /// Rows and columns of the output that a workgroup computes.
    pub tile: [u32; 2],
    /// Workgroups in all, along the rows, and along the columns: the first by the product of the others is the number of
    /// matrices, where the inner ones are not split.
    pub workgroups: [Word; 3],
    pub rows: Word,
    pub columns: Word,
    pub inner: Word,
    /// Inner ones that a workgroup sums: all of them, unless they are split.
    pub span: Word,
    pub sides: [Side; 2],
}

/// A side of a [`Contraction`]: lines of neighbours in memory, of inner ones or of rows (of `b`, columns).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Side {
    /// Whether neighbours are inner ones.
    pub by_inner: bool,
    /// The first element in the binding, and elements from line to line and from matrix to matrix.
    pub first: Word,
    pub step: Word,
    pub batch: Word,
    /// Whether no two lines share an element.
    pub apart: bool,
    /// Whether all these, and the lengths of lines, are multiples of eight elements.
    pub aligned: bool,
}

/// Sums of rows of f32: a workgroup of so many invocations gives one result or one partial state. Bindings: the rows, the
/// output. Parameters: the reduction's, the first element, and the elements from row to row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SumOfRows {
    pub workgroup: u32,
    /// Vectors that an invocation loads at once.
    pub unroll: u32,
    /// Whether there are several rows, a parameter apart.
    pub strided: bool,
    /// Whether it gives results; else partial states.
    pub last: bool,
}

/// A pass of a radix sort: a tile of keys is ordered by a digit and stored where the tiles before it end, which is looked back
/// for. Bindings: keys, values if they are an array, the state of the tiles, the outputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SortByDigit {
    pub key: DType,
    pub descending: bool,
    pub values: Carried,
    pub stores_keys: bool,
    /// Keys of a tile.
    pub tile: u32,
    /// The first word of a published prefix.
    pub prefix: u32,
    /// Looks at a tile before it is counted by another.
    pub spins: u32,
    /// The bits that sort behind all keys.
    pub last: u32,
}

/// What goes with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Carried {
    Nothing,
    /// Where the key stood.
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
    /// How many matrices, their rows, columns and inner ones; none where the inner ones are split.
    pub fn extents(&self, params: &[u32]) -> Option<[u32; 4]> {
        let [groups, along_rows, along_columns] = self.workgroups.map(|word| word.of(params));
        let [rows, columns, inner, span] = [self.rows, self.columns, self.inner, self.span].map(|word| word.of(params));
        (span >= inner).then_some([groups / (along_rows * along_columns), rows, columns, inner])
    }
}
