//! Scan: every element combined with those before it along an axis; `shaders/scan.wgsl`, `shaders/scan_columns.wgsl`,
//! `shaders/scan_spans.wgsl`.
//!
//! Bound by memory: every input once, every output once. Rows go through one launch, whatever their length; columns
//! too where there are many. The order in which values are combined is fixed: the same input gives the same bits.

mod by_key;
#[cfg(feature = "cases")]
pub mod cases;
mod chain;
mod columns;
mod keyed;
mod picks;
mod rows;
mod scanned;
mod select;
mod spans;
mod spec;
mod wgsl;

pub use by_key::ByKey;
pub use select::Select;

use super::map::points;
use super::reduce::Operator;
use crosslane_core::caps::Caps;
use crosslane_core::error::Result;
use crosslane_core::op::{Expression, Host, Op, Plan, Slot, Value, Vary};
use scanned::Scanned;

pub(super) use rows::{SCAN, SELECT};

/// A scan along an axis of an expression's index space.
#[derive(Clone, Debug, Hash)]
pub struct PrefixScan {
    /// The values that are scanned.
    pub expression: Expression,
    /// Where a segment begins, if there are segments: truth values over the same index space.
    pub heads: Option<Expression>,
    /// The index space.
    pub shape: Vec<usize>,
    /// The axis.
    pub axis: usize,
    /// How values are combined; none that gives positions.
    pub operator: Operator,
    /// Whether an element is combined with those before it only.
    pub exclusive: bool,
    /// Whether it begins at the end.
    pub reverse: bool,
    /// The output's slot, after all inputs. It is fresh and filled without gaps.
    pub output: usize,
}

impl PrefixScan {
    fn extent(&self) -> u64 {
        self.shape[self.axis] as u64
    }

    fn scanned(&self) -> Scanned {
        let PrefixScan { expression, heads, shape, axis, operator, exclusive, reverse, output } = self.clone();
        Scanned { expression, heads, shape, axis, operator, picked: None, fill: None, exclusive, reverse, output }
    }
}

impl Op for PrefixScan {
    fn name(&self) -> &'static str {
        "scan"
    }

    fn slots(&self) -> Vec<Slot> {
        let scanned = self.scanned();
        let mut slots = scanned.read_slots();
        slots.push(Slot::write("output", scanned.result(), self.shape.iter().product()));
        slots
    }

    fn vary(&mut self, by: &mut dyn Vary) {
        [&mut self.expression].into_iter().chain(&mut self.heads).for_each(|expression| by.expression(expression));
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        self.scanned().plan(caps)
    }

    fn flops(&self) -> u64 {
        self.scanned().flops()
    }

    fn bytes(&self) -> u64 {
        let scanned = self.scanned();
        let len = self.shape.iter().map(|&extent| extent as u64).product::<u64>();
        scanned.bytes_read() + len * scanned.result().size() as u64
    }

    fn reference(&self, host: &mut Host) {
        let mut rows = self.shape.clone();
        rows[self.axis] = 1;
        let dtype = self.expression.dtype();
        for row in points(&rows) {
            let mut before: Vec<Value> = vec![];
            for step in 0..self.extent() {
                let mut point = row.clone();
                point[self.axis] = if self.reverse { self.extent() - 1 - step } else { step };
                if self.heads.as_ref().is_some_and(|heads| heads.meaning(host, &point).truth()) {
                    before.clear();
                }
                let value = self.expression.meaning(host, &point);
                if !self.exclusive {
                    before.push(value);
                }
                let result = match before.is_empty() {
                    true => Value::of(self.operator.empty_result(dtype)),
                    false => self.operator.meaning(dtype, before.iter().copied()),
                };
                if self.exclusive {
                    before.push(value);
                }
                let index = point.iter().zip(&self.shape).fold(0, |flat, (&p, &extent)| flat * extent + p as usize);
                host.set(self.output, index, result);
            }
        }
    }
}
