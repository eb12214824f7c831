//! Problems that try an operation: what it is, what its inputs hold, and how far results may be from its reference.

use super::host::Value;
use super::plan::Op;
use crate::element::{Class, DType};

/// A problem of an operation. Those with few elements run everywhere, and are compared with [`Op::reference`]; of the others
/// plans and kernels' texts are looked at.
pub struct Case {
    /// What it is, for messages.
    pub what: String,
    /// The operation.
    pub op: Box<dyn Op>,
    /// What inputs hold that do not hold [`Fill::Numbers`], by slot.
    pub fills: Vec<(usize, Fill)>,
    /// Whether it has a reference: functions of a program's own have none, and are compared in tests of their own.
    pub judged: bool,
    /// Results may differ from the reference by their size, and by this, in units of [`Case::precision`].
    pub scale: f64,
}

/// What an input holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Fill {
    /// Quarters from 1/4 to 3, positive for every function, of which sums and products are exact; integers from 1 to 12.
    Numbers,
    /// Numbers in ascending order, many of them equal.
    Sorted,
    /// Bits of any kind that are numbers, negative ones and zeros among them.
    Any,
    /// Different integers below this, in any order: fewer than this.
    Distinct(usize),
    /// Integers from 0 to below this; where types are signed from its negative on.
    Indices(usize),
    /// This number.
    Number(u64),
    /// These values.
    Values(Vec<Value>),
}

impl Case {
    /// Elements of all slots at most where the case runs.
    const MOST: usize = 40_000;

    /// A problem with numbers in all inputs.
    pub fn new(what: impl Into<String>, op: impl Op + 'static) -> Case {
        Case { what: what.into(), op: Box::new(op), fills: vec![], judged: true, scale: 0.0 }
    }

    /// With something else in a slot.
    pub fn fill(mut self, slot: usize, fill: Fill) -> Case {
        self.fills.push((slot, fill));
        self
    }

    /// Results may be off by as much as those of this size, however small they are.
    pub fn scale(self, scale: f64) -> Case {
        Case { scale, ..self }
    }

    /// Whether it has a reference.
    pub fn judged(self, judged: bool) -> Case {
        Case { judged, ..self }
    }

    /// Elements of all slots.
    pub fn len(&self) -> usize {
        self.op.slots().iter().map(|slot| slot.len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it is small enough to run on every device.
    pub fn runs(&self) -> bool {
        self.len() <= Case::MOST
    }

    /// What an input holds.
    pub fn filled(&self, slot: usize) -> &Fill {
        self.fills.iter().find(|(other, _)| *other == slot).map_or(&Fill::Numbers, |(_, fill)| fill)
    }

    /// The share of its size by which a result of this type may differ: some units in the last place, for functions and for
    /// sums in another order.
    pub fn precision(dtype: DType) -> f64 {
        match dtype {
            DType::F16 => 4e-3,
            DType::F32 => 4e-6,
            DType::F64 => 1e-13,
            other => match other.class() {
                Class::Float => unreachable!("all floats are above"),
                _ => 0.0,
            },
        }
    }
}
