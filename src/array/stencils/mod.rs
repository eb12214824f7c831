//! Stencils: each element from its neighbours, over and over.

mod text;

use super::{Array, PadMode, create};
use crate::element::{DType, Number, Scalar};
use crate::graph::{Take, Task};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::op::{Expression, Formula, Op, Text};
use crosslane_ops::stencil::Neighbour;
use crosslane_ops::{Boundary, Stencil as Steps};
use std::panic::Location;
use std::sync::Arc;
use text::Translated;

/// A rule that makes the next value of each element from those of its neighbours: an update of a cellular automaton, or a step of
/// a finite difference method, in one to three dimensions.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::array::PadMode;
/// use crosslane::{Array, Stencil};
/// let heat = Stencil::new("u + 0.1 * (left + right + up + down - 4.0 * u)")?;
/// let mut plate = vec![0.0f32; 256];
/// plate[136] = 100.0;
/// let plate = Array::from_shape(device, &[16, 16], &plate);
/// let later = heat.run(&plate, 50, PadMode::Edge)?;
/// assert!((later.sum().item()? - 100.0).abs() < 1e-3); // heat is spread, not lost
/// # Ok(()) });
/// ```
///
/// **The text** is WGSL, as of [`crate::Elementwise`], over the element `u` and its neighbours: `left` and `right` along the
/// last axis, `up` and `down` along the one before, `front` and `back` along the one before that, and any by their offsets:
/// `u[1]`, `u[-1, 2]`, `u[0, 0, -3]`, the last axis last. `T` stands for the elements' type. The farthest axis that occurs
/// says how many dimensions the stencil has; the axes before are independent of one another.
///
/// **Several fields** ([`Stencil::of_fields`]) have names of their own: `v`, `v.left`, `v[-1, 0]`.
///
/// All steps of a call are one submission, without waits between them. On a card steps of a small neighbourhood go through
/// workgroup memory four at a time, so that a step can cost less than reading and writing the field once (`benches/NOTES.md` has
/// figures); the values are those of single steps, but for what a compiler makes of the same formula.
#[derive(Clone, Debug)]
pub struct Stencil(Arc<Template>);

/// The texts, before the type of the fields is known.
#[derive(Debug)]
struct Template {
    /// How many fields there are. The first ones are updated.
    fields: usize,
    axes: usize,
    neighbours: Vec<Neighbour>,
    texts: Vec<String>,
}

/// Axes that stencils have at most, and steps of one call.
const AXES: usize = 3;
const STEPS: usize = 1 << 20;
/// Steps of one plan.
const TOGETHER: usize = 1 << 10;

impl Stencil {
    /// The rule of one field `u`. Needs no device.
    ///
    /// ```
    /// use crosslane::Stencil;
    /// assert!(Stencil::new("0.25 * (left + right + up + down)").is_ok());
    /// let error = Stencil::new("0.5 * (left + rigth)").unwrap_err().to_string();
    /// assert!(error.contains("rigth"), "{error}");
    /// ```
    ///
    /// Errors: a text that does not compile; offsets past 2^20, or of more than three axes.
    #[track_caller]
    pub fn new(text: &str) -> Result<Stencil> {
        Stencil::made(&["u"], &[text], true, Location::caller())
    }

    /// The rules of several fields of one type and shape: a text for each of the first fields; the others stay as they are.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::array::PadMode;
    /// use crosslane::{Array, Stencil};
    /// // A wave in a medium whose speed differs.
    /// let wave = Stencil::of_fields(
    ///     &["now", "before", "speed"],
    ///     &["2.0 * now - before + speed * (now.left + now.right - 2.0 * now)", "now"],
    /// )?;
    /// let now = Array::from_slice(device, &[0.0f32, 0.0, 1.0, 0.0, 0.0]);
    /// let speed = Array::full(device, &[5], 0.5f32);
    /// let fields = wave.run_fields(&[&now, &now, &speed], 1, PadMode::Constant(0.0))?;
    /// assert_eq!(fields[0].to_vec()?, [0.0, 0.5, 0.0, 0.5, 0.0]);
    /// assert_eq!(fields[1].to_vec()?, now.to_vec()?);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Stencil::new`]; no field, a name that is none or occurs twice; no text, or more than fields.
    #[track_caller]
    pub fn of_fields(fields: &[&str], texts: &[&str]) -> Result<Stencil> {
        Stencil::made(fields, texts, false, Location::caller())
    }

    fn made(fields: &[&str], texts: &[&str], bare: bool, at: CallSite) -> Result<Stencil> {
        let named =
            |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && text::begins_name(name);
        let distinct = fields.iter().enumerate().all(|(nth, name)| !fields[..nth].contains(name));
        if fields.is_empty() || !fields.iter().all(named) || !distinct {
            return Err(Error::argument("Stencil", "fields", "names that differ", format!("{fields:?}"), at));
        }
        if texts.is_empty() || texts.len() > fields.len() {
            let wanted = format!("1 to {}, one for each field that changes", fields.len());
            return Err(Error::argument("Stencil", "texts", wanted, texts.len().to_string(), at));
        }
        let Translated { texts, neighbours, axes } = text::translated(fields, texts, bare, at)?;
        let template = Template { fields: fields.len(), axes, neighbours, texts };
        // Mistakes are named now, if no type has none.
        let first = template.formulas(DType::F32, at);
        if let Err(error) = first
            && [DType::I32, DType::U32].iter().all(|&dtype| template.formulas(dtype, at).is_err())
        {
            return Err(error);
        }
        Ok(Stencil(Arc::new(template)))
    }

    /// The field after so many steps. `boundary` says what stands past the ends of the stencil's axes. Deferred.
    ///
    /// Cost: a launch for each step, or for four of a small neighbourhood on a card.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::array::PadMode;
    /// use crosslane::{Array, Stencil};
    /// let life = Stencil::new(
    ///     "let n = u[-1, -1] + up + u[-1, 1] + left + right + u[1, -1] + down + u[1, 1];
    ///      select(0, 1, n == 3 || (n == 2 && u == 1))",
    /// )?;
    /// let blinker = Array::from_shape(device, &[3, 3], &[0, 1, 0, 0, 1, 0, 0, 1, 0]);
    /// assert_eq!(life.run(&blinker, 1, PadMode::Constant(0))?.to_vec()?, [0, 0, 0, 1, 1, 1, 0, 0, 0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: a stencil of several fields; fewer axes than the stencil has; more than 2^20 steps; a type for which the text does
    /// not compile, or that the device lacks; the error that the array holds. At evaluation: a field past one binding.
    #[track_caller]
    pub fn run<T: Number>(&self, field: &Array<T>, steps: usize, boundary: PadMode<T>) -> Result<Array<T>> {
        Ok(self.ran(&[field], steps, boundary, Location::caller())?.remove(0))
    }

    /// The fields that change after so many steps, from all fields in their order. Deferred.
    ///
    /// Errors: as [`Stencil::run`]; another number of fields; shapes or devices that differ.
    #[track_caller]
    pub fn run_fields<T: Number>(
        &self,
        fields: &[&Array<T>],
        steps: usize,
        boundary: PadMode<T>,
    ) -> Result<Vec<Array<T>>> {
        self.ran(fields, steps, boundary, Location::caller())
    }

    fn ran<T: Number>(
        &self,
        fields: &[&Array<T>],
        steps: usize,
        boundary: PadMode<T>,
        at: CallSite,
    ) -> Result<Vec<Array<T>>> {
        self.check(fields, steps, at)?;
        let formulas = self.0.formulas(T::DTYPE, at)?;
        for formula in &formulas {
            super::inputs::supports("Stencil", formula, fields[0].device(), at)?;
        }
        let mut now: Vec<Array<T>> = fields.iter().map(|&field| field.clone()).collect();
        let mut left = if fields[0].is_empty() { 0 } else { steps };
        while left > 0 {
            let together = left.min(TOGETHER);
            let next = self.together(&now, &formulas, together, boundary);
            next.into_iter().enumerate().for_each(|(nth, field)| now[nth] = field);
            left -= together;
        }
        now.truncate(formulas.len());
        Ok(now)
    }

    fn check<T: Number>(&self, fields: &[&Array<T>], steps: usize, at: CallSite) -> Result<()> {
        if fields.len() != self.0.fields {
            return Err(Error::argument("Stencil", "fields", self.0.fields.to_string(), fields.len().to_string(), at));
        }
        if steps > STEPS {
            return Err(Error::argument("Stencil", "steps", format!("at most {STEPS}"), steps.to_string(), at));
        }
        let first = fields[0].check()?;
        for field in fields {
            if field.check()?.device() != first.device() {
                return Err(Error::argument("Stencil", "fields", "arrays on one device", "several devices'", at));
            }
            if field.shape() != first.shape() {
                let wanted = format!("arrays of the first one's shape, {:?}", first.shape());
                return Err(Error::argument("Stencil", "fields", wanted, format!("{:?}", field.shape()), at));
            }
        }
        if first.rank() < self.0.axes {
            let wanted = format!("at least {} axes, as the stencil has", self.0.axes);
            return Err(Error::argument("Stencil", "fields", wanted, format!("{:?}", first.shape()), at));
        }
        create::fits("Stencil", T::DTYPE, first.shape(), at)
    }

    /// Some steps as one operation.
    fn together<T: Number>(
        &self,
        fields: &[Array<T>],
        formulas: &[Formula],
        steps: usize,
        boundary: PadMode<T>,
    ) -> Vec<Array<T>> {
        let (shape, axes, neighbours) = (fields[0].shape().to_vec(), self.0.axes, self.0.neighbours.clone());
        let outside = match boundary {
            PadMode::Constant(value) => value.scalar(),
            _ => Scalar::from_f64(T::DTYPE, 0.0),
        };
        let boundary: Boundary = boundary.boundary();
        let outputs = vec![(shape.clone(), T::DTYPE); formulas.len()];
        let (own, formulas) = (formulas.len() as u32, formulas.to_vec());
        let make = move |fields: Vec<Expression>, output: usize| {
            let (shape, neighbours, formulas) = (shape.clone(), neighbours.clone(), formulas.clone());
            Box::new(Steps { fields, shape, axes, neighbours, formulas, boundary, outside, steps, output })
                as Box<dyn Op>
        };
        let inputs: Vec<_> = fields.iter().map(|field| (&*field.node, Take::Dense)).collect();
        Task::nodes(&inputs, outputs, own, make).into_iter().map(Array::of).collect()
    }
}

impl Template {
    /// The formulas for fields of this type.
    fn formulas(&self, dtype: DType, at: CallSite) -> Result<Vec<Formula>> {
        let parameters: Vec<(String, DType)> =
            (0..self.neighbours.len()).map(|nth| (text::parameter(nth), dtype)).collect();
        let letters = [("T".to_string(), dtype)];
        let formula = |text: &String| {
            let (parameters, letters) = (parameters.clone(), &letters[..]);
            let (operation, what, result) = ("Stencil", "text", Some(dtype));
            Text { operation, what, text, parameters, letters, result, at }.formula()
        };
        self.texts.iter().map(formula).collect()
    }
}
