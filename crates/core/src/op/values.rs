//! The values in which operations of one structure differ: scalars, and the offsets of arrays in their buffers. They
//! are taken out of an operation before planning and filled in for each launch. The plan is thus a plan template that
//! cannot depend on the values.

use super::expression::Expression;
use super::plan::{Binding, Pass, Plan};
use super::windows::Walk;
use crate::element::{DType, Scalar};
use std::ops::Range;

/// The remainder of an offset by this number stays in the operation, since kernels depend on how arrays are aligned.
/// None depends on more than matrix products of f16, which copy eight elements at a time.
const ALIGNED: i64 = 8;
/// The stand-in for the first offset that was taken out; its multiples stand for the others. No buffer has as many
/// elements, so that an addition during planning does not change which offset a stand-in names.
const SYMBOL: i64 = 1 << 48;
/// The most offsets that get a stand-in.
const MOST: usize = 1 << 14;

/// The values that were taken out of an operation.
///
/// ```
/// use crosslane::DType;
/// use crosslane::device::Caps;
/// use crosslane::op::{Expression, Leaf, Op, LeafSource, ExpressionStep, Values, StepKind};
/// use crosslane::ops::Map;
/// // A copy of three elements of x, from one of them on.
/// let copy = |offset| {
///     let leaf = Leaf { source: LeafSource::Slot(0), dtype: DType::F32, len: 100, offset, strides: vec![1] };
///     let steps = vec![ExpressionStep { what: StepKind::Leaf(0), dtype: DType::F32 }];
///     let expression = Expression { leaves: vec![leaf], steps, ..Expression::default() };
///     let (output, output_strides) = (1, vec![1]);
///     let (output_len, output_offset, fresh) = (3, 0, true);
///     let (shape, count, fill) = (vec![3], None, None);
///     Map { expression, shape, output, output_len, output_offset, output_strides, fresh, count, fill }
/// };
/// let taken = |mut op: Map| {
///     let mut values = Values::default();
///     op.vary(&mut values);
///     (op, values)
/// };
/// let ((structure, _), (_, other)) = (taken(copy(8)), taken(copy(24)));
/// let template = structure.plan(&Caps::webgpu())?;
/// assert_eq!(format!("{:?}", template.filled(&other)), format!("{:?}", copy(24).plan(&Caps::webgpu())?));
/// # Ok::<(), crosslane::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    scalars: Vec<Scalar>,
    /// Multiples of [`ALIGNED`].
    offsets: Vec<i64>,
}

/// A visitor of all values in which operations of one structure may differ.
pub trait Vary {
    /// An expression's scalars, and its leaves' offsets.
    fn expression(&mut self, expression: &mut Expression);
    /// The address where another array begins.
    fn offset(&mut self, offset: &mut i64);
}

/// Takes out the values that it visits.
impl Vary for Values {
    fn expression(&mut self, expression: &mut Expression) {
        if !expression.scalars.is_empty() {
            expression.taken = Some(self.scalars.len());
            self.scalars.extend_from_slice(&expression.scalars);
            expression.scalars.iter_mut().for_each(|scalar| scalar.bits = 0);
        }
        expression.leaves.iter_mut().for_each(|leaf| self.offset(&mut leaf.offset));
    }

    fn offset(&mut self, offset: &mut i64) {
        if self.offsets.len() == MOST {
            return; // the offset stays part of the plan
        }
        let rest = offset.rem_euclid(ALIGNED);
        self.offsets.push(*offset - rest);
        *offset = self.offsets.len() as i64 * SYMBOL + rest;
    }
}

/// The number of the offset that was taken out, if one was, and the remainder.
fn symbol(offset: i64) -> (Option<usize>, i64) {
    let number = (offset + SYMBOL / 2).div_euclid(SYMBOL);
    match usize::try_from(number - 1) {
        Ok(taken) => (Some(taken), offset - number * SYMBOL),
        Err(_) => (None, offset),
    }
}

/// A word of a kernel's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    /// Known from the operation's structure.
    Is(u32),
    /// A word of a scalar.
    Scalar(ScalarWord),
    /// The first element of an array within its window.
    Start {
        /// Which of the operation's offsets is added.
        offset: usize,
        /// To which this number is added.
        plus: i64,
        /// The window, if the array lies in memory.
        reach: Option<Reach>,
    },
}

/// Which word of which scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScalarWord {
    /// The scalar's number within the operation.
    pub scalar: usize,
    /// The scalar's type.
    pub dtype: DType,
    /// Which of the scalar's words, low word first.
    pub word: usize,
    /// The parameter's name: its prefix, and the number that follows `scalar`.
    pub name: (&'static str, usize),
}

/// The part of a buffer that a kernel accesses, relative to the array's offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reach {
    /// Which of the operation's offsets is added.
    pub offset: usize,
    /// The first element.
    pub low: i64,
    /// One past the last element.
    pub high: i64,
    /// Bytes of an element.
    pub size: u64,
    /// The first byte is a multiple of this.
    pub alignment: u64,
    /// Bytes of the buffer.
    pub most: u64,
}

impl Reach {
    /// The window's first byte and its length in bytes, where the array begins at this element.
    fn at(&self, start: i64) -> (u64, u64) {
        let from = (start + self.low) as u64 * self.size / self.alignment * self.alignment;
        let to = ((start + self.high) as u64 * self.size).next_multiple_of(64).min(self.most);
        (from, to.saturating_sub(from))
    }

    /// The index of the window's first element.
    fn base(&self, start: i64) -> i64 {
        (self.at(start).0 / self.size) as i64
    }

    /// The window, where the array begins at this element.
    fn binding(&self, buffer: usize, start: i64) -> Binding {
        let (offset, bytes) = self.at(start);
        Binding::new(buffer, offset, bytes)
    }

    /// The window of a plan template. Its length is about that at element 0, and is replaced when the template is
    /// filled.
    fn moving(self, buffer: usize) -> Binding {
        Binding { offset: 0, reach: Some(self), ..self.binding(buffer, -self.low.min(0)) }
    }
}

impl Param {
    /// The low word of a number.
    #[doc(hidden)]
    pub fn of(number: u64) -> Param {
        Param::Is(number as u32)
    }

    /// Words with known values.
    #[doc(hidden)]
    pub fn all(words: impl IntoIterator<Item = u32>) -> Vec<Param> {
        words.into_iter().map(Param::Is).collect()
    }

    /// The word, with an operation's values filled in.
    #[doc(hidden)]
    pub fn filled(&self, values: &Values) -> u32 {
        match self {
            Param::Is(word) => *word,
            Param::Scalar(word) => {
                let mut words = values.scalars[word.scalar].words();
                words.nth(word.word).expect("a scalar has the words of its type")
            }
            Param::Start { offset, plus, reach } => {
                let start = values.offsets[*offset];
                (start + plus - reach.map_or(0, |reach| reach.base(start))) as u32
            }
        }
    }
}

impl Binding {
    /// The window, with an operation's values filled in. The result no longer moves.
    #[doc(hidden)]
    pub fn filled(&self, values: &Values) -> Binding {
        match self.reach {
            None => *self,
            Some(reach) => reach.binding(self.buffer, values.offsets[reach.offset]),
        }
    }
}

/// The parameter with the offset of an index space's box in an array. If the array lies in a slot, given with its
/// alignment and its bytes in all, the window too.
pub fn start(walk: &Walk, cut: &[Range<u64>], slot: Option<(usize, u64, u64)>) -> (Param, Option<Binding>) {
    let (taken, offset) = symbol(walk.offset);
    let (low, high) = walk.range(cut);
    let (low, high) = (low - walk.offset + offset, high - walk.offset + offset);
    let plus = offset + walk.strides.iter().zip(cut).map(|(stride, range)| stride * range.start as i64).sum::<i64>();
    let reach = slot.map(|(slot, alignment, most)| {
        let reach = Reach { offset: taken.unwrap_or(0), low, high, size: walk.size, alignment, most };
        (slot, reach)
    });
    match taken {
        Some(offset) => {
            let param = Param::Start { offset, plus, reach: reach.map(|(_, reach)| reach) };
            (param, reach.map(|(slot, reach)| reach.moving(slot)))
        }
        None => {
            let base = reach.map_or(0, |(_, reach)| reach.base(0));
            (Param::Is((plus - base) as u32), reach.map(|(slot, reach)| reach.binding(slot, 0)))
        }
    }
}

/// The words of an expression's scalars, whose names begin with a prefix.
pub fn scalars(expression: &Expression, prefix: &'static str) -> impl Iterator<Item = Param> {
    expression.scalars.iter().enumerate().flat_map(move |(index, scalar)| {
        scalar.words().enumerate().map(move |(word, value)| match expression.taken {
            Some(first) => {
                Param::Scalar(ScalarWord { scalar: first + index, dtype: scalar.dtype, word, name: (prefix, index) })
            }
            None => Param::Is(value),
        })
    })
}

impl Pass {
    /// The words of the parameters, with an operation's values filled in. A plan that is no template may take any
    /// values.
    pub fn words(&self, values: &Values) -> Vec<u32> {
        self.params.iter().map(|param| param.filled(values)).collect()
    }
}

/// A scalar among the parameters of a launch.
pub struct Named {
    /// The name in the kernel's text.
    pub name: String,
    /// The scalar's type, which says how many words it has.
    pub dtype: DType,
    /// The index of the scalar's first word.
    pub word: usize,
}

/// The scalars among a pass' parameters.
pub fn named(pass: &Pass) -> Vec<Named> {
    let named = |(word, param): (usize, &Param)| match param {
        Param::Scalar(ScalarWord { name: (prefix, index), dtype, word: 0, .. }) => {
            Some(Named { name: format!("{prefix}scalar{index}"), dtype: *dtype, word })
        }
        _ => None,
    };
    pass.params.iter().enumerate().filter_map(named).collect()
}

impl Plan {
    /// The plan of an operation: this template, which was planned without the values, with the values filled in.
    pub fn filled(&self, values: &Values) -> Plan {
        let pass = |pass: &Pass| Pass {
            kernel: pass.kernel.clone(),
            buffers: pass.buffers.iter().map(|binding| binding.filled(values)).collect(),
            params: pass.words(values).into_iter().map(Param::Is).collect(),
            grid: pass.grid,
        };
        Plan { scratch: self.scratch.clone(), passes: self.passes.iter().map(pass).collect() }
    }
}
