//! Filters in time: recurrences, their design, other rates, smoothing by polynomials, peaks.

mod butterworth;
mod chebyshev;
mod complex;
mod decimate;
mod design;
mod filtfilt;
mod lfilter;
mod peaks;
mod prototype;
mod resample;
mod savgol;
mod sections;
mod sosfilt;

pub use butterworth::butterworth;
pub use chebyshev::chebyshev1;
pub use design::{Band, firwin};
pub use lfilter::lfilter_zi;
pub use peaks::{PeakOptions, Peaks};
pub use savgol::savgol_coefficients;
pub use sosfilt::sosfilt_zi;

use crate::array::{Array, create};
use crate::element::Part;
use crate::graph::{Take, Task};
use crosslane_core::error::{CallSite, Result};
use crosslane_core::op::{Expression, Op};
use crosslane_ops::Recurrence;
use crosslane_ops::recurrence::Cascade;

/// A cascade along an axis.
struct Filter<'a> {
    operation: &'static str,
    cascade: &'a Cascade,
    axis: usize,
    at: CallSite,
}

/// States of a filter, each along the last axis; the axes before are the rows.
type States<R> = Array<R>;

impl Filter<'_> {
    /// The result; `initial`: the states before the first values, in a shape that broadcasts to the rows' and the states'.
    fn of<R: Part>(&self, x: &Array<R>, initial: Option<&States<R>>) -> Result<Array<R>> {
        Ok(self.run(x, initial, false)?.0)
    }

    /// The result, and the states after the last values.
    fn with_states<R: Part>(&self, x: &Array<R>, initial: &States<R>) -> Result<(Array<R>, States<R>)> {
        self.run(x, Some(initial), true)
    }

    /// The shape of states: rows, then the numbers of a state.
    fn states_shape(&self, shape: &[usize]) -> Vec<usize> {
        let mut rows = shape.to_vec();
        rows.remove(self.axis);
        [rows, vec![self.cascade.states()]].concat()
    }

    fn run<R: Part>(&self, x: &Array<R>, initial: Option<&States<R>>, finals: bool) -> Result<(Array<R>, States<R>)> {
        let (device, shape) = (x.device(), x.check()?.shape().to_vec());
        let rows = self.states_shape(&shape);
        let initial = initial.map(|initial| initial.broadcast_to(&rows));
        let states: usize = rows.iter().product();
        let len: usize = shape.iter().product();
        if len == 0 {
            return Ok((x.clone(), initial.unwrap_or_else(|| Array::zeros(device, &rows))));
        }
        let output = if finals { vec![len.saturating_add(states)] } else { shape.clone() };
        create::fits(self.operation, R::DTYPE, &output, self.at)?;
        let (table, powers) = self.cascade.table();
        let table = Array::from_slice(device, &table.into_iter().map(R::rounded).collect::<Vec<R>>());
        let (order, sections, axis) = (self.cascade.order, self.cascade.sections.len(), self.axis);
        let own = shape.clone();
        let make = move |mut inputs: Vec<Expression>, output: usize| {
            let (expression, coefficients) = (inputs.remove(0), inputs.remove(0));
            let (shape, initial) = (own.clone(), inputs.pop());
            let op =
                Recurrence { expression, shape, axis, order, sections, powers, coefficients, initial, finals, output };
            Box::new(op) as Box<dyn Op>
        };
        let mut inputs = vec![(&*x.node, Take::Fused), (&*table.node, Take::Dense)];
        inputs.extend(initial.iter().map(|initial| (&*initial.node, Take::Dense)));
        // A pass reads initial states, or those of spans.
        let bindings = if initial.is_some() { 1 } else { 2 };
        let result: Array<R> = Array::of(Task::nodes(&inputs, vec![(output, R::DTYPE)], bindings, make).remove(0));
        Ok(match finals {
            false => (result, Array::zeros(device, &[0])),
            true => (result.part(0, 0, 1, len).reshape(&shape), result.part(0, len, 1, states).reshape(&rows)),
        })
    }
}
