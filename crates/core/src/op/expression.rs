//! A fused elementwise expression as plain data: leaves, scalars, and a list of steps of which the last is the result.

use super::formula::Formula;
use super::function::Function;
use super::host::{Host, Value};
use crate::element::{DType, Scalar};

/// Steps of an expression, and arguments of a function, whose values a reference holds without allocation.
const FEW: usize = 8;

/// The source of a leaf's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeafSource {
    /// A buffer: the index of the operation's slot.
    Slot(usize),
    /// No memory: the element at address `a` is `a` itself, a u32. From these come `arange` and `eye`.
    Index,
    /// No memory: the value that the kernel itself computes. The expression is then the kernel's epilogue. At most one
    /// leaf.
    Given,
    /// An array in the workgroup's memory, by number. Only a kernel's own expressions over such arrays have this
    /// source.
    #[doc(hidden)]
    Tile(usize),
}

/// An input of an expression, walked over the expression's index space.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Leaf {
    /// The source of its elements.
    pub source: LeafSource,
    /// Their type.
    pub dtype: DType,
    /// Elements in the whole buffer.
    pub len: usize,
    /// The address of the first element.
    pub offset: i64,
    /// The stride of the address in each dimension.
    pub strides: Vec<i64>,
}

impl Leaf {
    /// Its element at a point; `given` as [`Expression::meaning_of`] has it.
    fn meaning(&self, host: &Host, point: &[u64], given: Option<Value>) -> Value {
        let moves: i64 = self.strides.iter().zip(point).map(|(s, p)| s * *p as i64).sum();
        let address = (self.offset + moves) as usize;
        match self.source {
            LeafSource::Slot(slot) => host.get(slot, address),
            LeafSource::Index => Value::Int(address as i128),
            LeafSource::Given => given.expect("only operations that compute a value have such a leaf"),
            LeafSource::Tile(_) => unreachable!("an operation's own expression has none"),
        }
    }
}

/// How a step computes its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StepKind {
    /// Reads a leaf.
    Leaf(usize),
    /// Takes a scalar.
    Scalar(usize),
    /// Applies a function to earlier steps.
    Call(Function, Vec<usize>),
    /// Applies a function of the program's own to earlier steps.
    Formula(Formula, Vec<usize>),
    /// Converts an earlier step to this step's type.
    Cast(usize),
}

/// One value of the expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExpressionStep {
    /// How it is computed.
    pub what: StepKind,
    /// Its type.
    pub dtype: DType,
}

/// A fused expression.
#[derive(Clone, Debug, Default, PartialEq, Hash)]
pub struct Expression {
    /// The inputs.
    pub leaves: Vec<Leaf>,
    /// The scalars. They are parameters of the kernel: other values use the same kernel.
    pub scalars: Vec<Scalar>,
    /// The steps; the last is the result.
    pub steps: Vec<ExpressionStep>,
    /// The number of this expression's first scalar among the operation's, once values were taken out
    /// ([`crate::op::Op::vary`]).
    #[doc(hidden)]
    pub taken: Option<usize>,
}

impl Expression {
    /// The type of the result.
    pub fn dtype(&self) -> DType {
        self.steps.last().expect("an expression has a step").dtype
    }

    /// Functions applied to each element; a formula counts as its operators and functions.
    pub fn flops(&self) -> u64 {
        let of = |step: &ExpressionStep| match &step.what {
            StepKind::Call(..) => 1,
            StepKind::Formula(formula, _) => formula.operations(),
            _ => 0,
        };
        self.steps.iter().map(of).sum()
    }

    /// The formulas in it, each once, in the order of their first use.
    pub fn formulas(&self) -> Vec<&Formula> {
        let mut found: Vec<&Formula> = vec![];
        for step in &self.steps {
            if let StepKind::Formula(formula, _) = &step.what
                && !found.contains(&formula)
            {
                found.push(formula);
            }
        }
        found
    }

    /// The buffers' slots and types, each once, in slot order.
    pub fn slots(&self) -> Vec<(usize, DType, usize)> {
        let mut slots: Vec<_> = self
            .leaves
            .iter()
            .filter_map(|leaf| match leaf.source {
                LeafSource::Slot(slot) => Some((slot, leaf.dtype, leaf.len)),
                LeafSource::Index | LeafSource::Given | LeafSource::Tile(_) => None,
            })
            .collect();
        slots.sort();
        slots.dedup();
        slots
    }

    /// Bytes that must be read for an index space of these extents. Repeated elements count once.
    pub fn bytes(&self, extents: &[u64]) -> u64 {
        let touched = |leaf: &Leaf| {
            let distinct: u64 = extents.iter().zip(&leaf.strides).filter(|(_, s)| **s != 0).map(|(e, _)| *e).product();
            distinct.min(leaf.len as u64) * leaf.dtype.size() as u64
        };
        self.leaves.iter().filter(|leaf| matches!(leaf.source, LeafSource::Slot(_))).map(touched).sum()
    }

    /// The epilogue that leaves the kernel's own value unchanged.
    pub fn given(dtype: DType, rank: usize) -> Expression {
        let leaf = Leaf { source: LeafSource::Given, dtype, len: 0, offset: 0, strides: vec![0; rank] };
        let steps = vec![ExpressionStep { what: StepKind::Leaf(0), dtype }];
        Expression { leaves: vec![leaf], steps, ..Expression::default() }
    }

    /// The result at one point, by definition.
    ///
    /// Every step is rounded to its own type, as a library without fusion would. The exceptions are f32 and f64, and complex
    /// numbers of them, which stay in double precision: the reference must be more exact than the results that it is compared with.
    ///
    /// # Panics
    ///
    /// For a program's formulas: only engines know what their text means.
    pub fn meaning(&self, host: &Host, point: &[u64]) -> Value {
        self.meaning_of(host, point, None)
    }

    /// As [`Expression::meaning`], in an epilogue: `given` is the value that the kernel itself has computed.
    pub fn meaning_of(&self, host: &Host, point: &[u64], given: Option<Value>) -> Value {
        // References call this for each element: most expressions are a leaf, and others short.
        if let [ExpressionStep { what: StepKind::Leaf(leaf), .. }] = &self.steps[..] {
            return self.leaves[*leaf].meaning(host, point, given);
        }
        let (mut few, mut many) = ([Value::Int(0); FEW], vec![]);
        let values: &mut [Value] = match self.steps.len() {
            count @ ..=FEW => &mut few[..count],
            count => {
                many.resize(count, Value::Int(0));
                &mut many
            }
        };
        for (nth, step) in self.steps.iter().enumerate() {
            values[nth] = match &step.what {
                StepKind::Leaf(leaf) => self.leaves[*leaf].meaning(host, point, given),
                StepKind::Scalar(scalar) => Value::of(self.scalars[*scalar]),
                StepKind::Cast(from) => match step.dtype {
                    DType::F32 => Value::Float(values[*from].float()),
                    DType::Complex32 => values[*from].cast(DType::Complex64),
                    dtype => values[*from].cast(dtype),
                },
                StepKind::Call(function, args) => {
                    let dtype = self.steps[*args.last().expect("a function has arguments")].dtype;
                    let wide = match dtype {
                        DType::F32 => DType::F64,
                        DType::Complex32 => DType::Complex64,
                        dtype => dtype,
                    };
                    let mut given = [Value::Int(0); FEW];
                    given.iter_mut().zip(args).for_each(|(given, &a)| *given = values[a]);
                    function.meaning(wide, &given[..args.len()])
                }
                StepKind::Formula(formula, args) => {
                    let args: Vec<Value> = args.iter().map(|&a| values[a]).collect();
                    let Some(value) = formula.meaning(&args) else {
                        panic!("there is no reference for the text {:?}: tests compare with their own", formula.text())
                    };
                    value
                }
            };
        }
        *values.last().expect("an expression has a step")
    }
}
