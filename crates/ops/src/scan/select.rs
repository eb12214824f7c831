//! Selection: the elements whose condition is not zero, side by side; a scan that stores elements where it has counted to.

use super::scanned::Scanned;
use crate::Operator;
use crosslane_core::caps::Caps;
use crosslane_core::element::{DType, Scalar};
use crosslane_core::error::Result;
use crosslane_core::op::{Expression, Host, Op, Plan, Slot, Value, Vary};

/// The elements whose condition is not zero, side by side, and how many there are.
#[derive(Clone, Debug, Hash)]
pub struct Select {
    /// The elements, over one dimension.
    pub values: Expression,
    /// Which of them are selected: truth values, or numbers that are not zero.
    pub condition: Expression,
    /// Elements.
    pub len: usize,
    /// The value that is stored after the last of them, if any.
    pub fill: Option<Scalar>,
    /// The output's slot, after all inputs: fresh, without gaps, as long as the input. The slot of the number follows.
    pub output: usize,
}

impl Select {
    fn scanned(&self) -> Scanned {
        let Select { values, condition, len, fill, output } = self.clone();
        Scanned {
            expression: condition,
            heads: None,
            shape: vec![len],
            axis: 0,
            operator: Operator::CountNonzero,
            picked: Some(values),
            fill,
            exclusive: false,
            reverse: false,
            output,
        }
    }
}

impl Op for Select {
    fn name(&self) -> &'static str {
        "select"
    }

    fn slots(&self) -> Vec<Slot> {
        let mut slots = self.scanned().read_slots();
        let written = |name: &str, dtype, len| Slot::write(name, dtype, len);
        slots.push(written("output", self.values.dtype(), self.len));
        slots.push(written("count", DType::U32, 1));
        slots
    }

    fn vary(&mut self, by: &mut dyn Vary) {
        by.expression(&mut self.condition);
        by.expression(&mut self.values);
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        self.scanned().plan(caps)
    }

    fn flops(&self) -> u64 {
        self.scanned().flops()
    }

    /// How much is written is not known, unless all is.
    fn bytes(&self) -> u64 {
        let written = if self.fill.is_none() { 0 } else { self.len * self.values.dtype().size() };
        self.scanned().bytes_read() + written as u64
    }

    fn reference(&self, host: &mut Host) {
        let mut count = 0;
        for at in 0..self.len as u64 {
            if self.condition.meaning(host, &[at]).truth() {
                host.set(self.output, count, self.values.meaning(host, &[at]));
                count += 1;
            }
        }
        if let Some(fill) = self.fill {
            (count..self.len).for_each(|at| host.set(self.output, at, Value::of(fill)));
        }
        host.set(self.output + 1, 0, Value::Int(count as i128));
    }
}
