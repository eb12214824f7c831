//! Kernels from expressions: elementwise functions and reductions of a program's own, which fuse as built-ins do.

use super::inputs::{Inputs, Types, apply, dtypes, resolve, supports};
use super::{Array, inputs::AnyInput};
use crate::array::reductions::reduce::reduced_node;
use crate::array::shapes::axes::Axes;
use crate::element::{DType, Element, Scalar};
use crate::graph::{Expr, Node};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::op::{Formula, Kind, Parameter, Text, parameters, refers};
use crosslane_ops::Operator;
use std::panic::Location;
use std::sync::Arc;

/// An elementwise function of your own: parameters, and WGSL statements whose last one gives the value. CuPy's
/// `ElementwiseKernel`.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::{Array, Elementwise};
/// let line = Elementwise::new("x: f32, slope: f32", "y = x * slope + 1.0")?;
/// let x = Array::from_slice(device, &[1.0f32, 2.0, 3.0]);
/// let y: Array<f32> = line.call((&x, 2.5f32))?; // nothing has run yet
/// assert_eq!((y * 2.0).sum().item()?, 36.0); // one kernel
/// # Ok(()) });
/// ```
///
/// **Parameters** are `name: type`, the type one of `f32`, `f16`, `f64`, `i32`, `i64`, `u32`, `u64`, `bool`, `u8` and
/// `u16` (both `u32` inside), or a capital letter, which stands for any type: the same type wherever the letter occurs,
/// in the text too. A parameter without a type takes any.
///
/// **The text** is WGSL: any of its operators and functions, `let`, `var`, `if`, loops. It ends with `name = value`,
/// `name: type = value`, or just the value. `i` is the index of the element in row-major order, `n` the number of
/// elements, both u32. Division by zero and conversions do what WGSL says; not on OpenGL, where naga writes no guards.
///
/// Arguments are arrays and scalars, which broadcast. Other scalar values reuse the same kernel. A call fuses into the
/// kernel that uses its result. Text without integer division, shifts, indices and loops is as fast as the library's
/// own functions; other text runs with run-time checks. Every loop must end: there is no time limit here, as there is
/// for a [`crate::Kernel`].
#[derive(Clone, Debug)]
#[doc(alias = "ElementwiseKernel")]
#[doc(alias = "map")]
#[doc(alias = "apply")]
#[doc(alias = "vectorize")]
pub struct Elementwise(Arc<Template>);

/// A reduction of your own: a map for each element, an operator that combines two values, its identity, and a map for
/// the result. CuPy's `ReductionKernel`.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::{Array, Reduction};
/// let norm = Reduction::new("x: T, y: T", "x * y", "a + b", "0", "sqrt(a)")?;
/// let x = Array::from_slice(device, &[3.0f32, 4.0]);
/// assert_eq!(norm.call::<f32>((&x, &x))?.item()?, 5.0);
/// # Ok(()) });
/// ```
///
/// Parameters and texts are those of [`Elementwise`]. `combine` takes `a` and `b`, `post` takes `a`, both of the type
/// that `map` gives; `combine` must be associative and commutative, since the device chooses the order. The identity is
/// a constant of that type, also `inf` or `-inf`.
#[derive(Clone, Debug)]
#[doc(alias = "ReductionKernel")]
pub struct Reduction {
    map: Arc<Template>,
    combine: Arc<str>,
    identity: Arc<str>,
    post: Option<Arc<str>>,
}

/// Parameters and a text, before types are known.
#[derive(Debug)]
struct Template {
    operation: &'static str,
    what: &'static str,
    parameters: Vec<Parameter>,
    text: String,
}

impl Elementwise {
    /// Compiles a text to a function of these parameters. Needs no device.
    ///
    /// ```
    /// use crosslane::Elementwise;
    /// let error = Elementwise::new("x: f32", "y = x * speed").unwrap_err().to_string();
    /// assert!(error.contains("expression:1:9"), "{error}");
    /// ```
    ///
    /// Errors: parameters or a text that do not compile, with line and column; a result that is not numeric.
    #[track_caller]
    pub fn new(parameters: &str, text: &str) -> Result<Elementwise> {
        let at = Location::caller();
        let template = Template::new("Elementwise", "expression", parameters, text, at)?;
        first_that_fits(&template.parameters, |types| template.formula(types, at).map(drop))?;
        Ok(Elementwise(Arc::new(template)))
    }

    /// Calls the function with these arguments, in the order of the parameters: one array, or a tuple of arrays and
    /// scalars. Deferred.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Elementwise};
    /// let larger = Elementwise::new("x: T, y: T", "select(y, x, x > y)")?;
    /// let x = Array::from_slice(device, &[1, 5]);
    /// assert_eq!(larger.call::<i32>((&x, 3))?.to_vec()?, [3, 5]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: another number of arguments; types that differ from the parameters', or from each other where the letter
    /// is the same; `R` that is not the result's type; shapes that do not broadcast; arrays on several devices, or more
    /// arrays than the device binds; a type that the device does not have; the error that an array holds.
    #[doc(alias = "map")]
    #[track_caller]
    pub fn call<R: Element>(&self, arguments: impl Inputs) -> Result<Array<R>> {
        let at = Location::caller();
        let inputs = arguments.inputs();
        let got = dtypes(self.0.operation, &self.0.parameters, &inputs, at)?;
        let formula = self.0.formula(&got, at)?;
        returns::<R>(self.0.operation, formula.result(), at)?;
        Ok(Array::of(apply(self.0.operation, &formula, &inputs, at)?))
    }
}

impl Reduction {
    /// Compiles the texts to a reduction of these parameters; `post` may be empty. Needs no device.
    ///
    /// Errors: a text that does not compile, with line and column, or that gives another type.
    ///
    /// ```
    /// use crosslane::Reduction;
    /// assert!(Reduction::new("x: f32", "x", "max(a, b)", "-inf", "").is_ok());
    /// let error = Reduction::new("x: f32", "x", "max(a, c)", "-inf", "").unwrap_err().to_string();
    /// assert!(error.contains("combine:1:8"), "{error}");
    /// ```
    #[track_caller]
    pub fn new(parameters: &str, map: &str, combine: &str, identity: &str, post: &str) -> Result<Reduction> {
        let at = Location::caller();
        let map = Template::new("Reduction", "map", parameters, map, at)?;
        let post = (!post.trim().is_empty()).then(|| post.into());
        let reduction = Reduction { map: Arc::new(map), combine: combine.into(), identity: identity.into(), post };
        first_that_fits(&reduction.map.parameters, |types| reduction.resolved(types, at).map(drop))?;
        Ok(reduction)
    }

    /// Reduces all elements of the arguments, broadcast together: one array, or a tuple of arrays and scalars.
    /// Deferred.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Reduction};
    /// let furthest = Reduction::new("x: f32, origin: f32", "abs(x - origin)", "max(a, b)", "0", "")?;
    /// let x = Array::from_slice(device, &[1.0f32, -7.0, 3.0]);
    /// assert_eq!(furthest.call::<f32>((&x, 1.0f32))?.item()?, 8.0);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Elementwise::call`].
    #[track_caller]
    pub fn call<R: Element>(&self, arguments: impl Inputs) -> Result<Array<R>> {
        self.reduce(&arguments.inputs(), &Axes::from(..), Location::caller())
    }

    /// As [`Reduction::call`] over some axes ([`Axes`]).
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Reduction};
    /// let even = Reduction::new("x: i32", "u32(x % 2 == 0)", "a + b", "0", "")?;
    /// let x = Array::from_slice(device, &[1, 2, 4, 6]).reshape(&[2, 2]);
    /// assert_eq!(even.call_axes::<u32>(&x, 1)?.to_vec()?, [1, 2]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Elementwise::call`]; an axis out of range, or given twice.
    #[track_caller]
    pub fn call_axes<R: Element>(&self, arguments: impl Inputs, axes: impl Into<Axes>) -> Result<Array<R>> {
        self.reduce(&arguments.inputs(), &axes.into(), Location::caller())
    }

    fn reduce<R: Element>(&self, inputs: &[AnyInput], axes: &Axes, at: CallSite) -> Result<Array<R>> {
        let operation = self.map.operation;
        let got = dtypes(operation, &self.map.parameters, inputs, at)?;
        let (map, operator) = self.resolved(&got, at)?;
        returns::<R>(operation, operator.result(map.result()), at)?;
        let node = apply(operation, &map, inputs, at)?;
        let Operator::Custom { combine, post, .. } = &operator else { unreachable!("resolved() makes a custom one") };
        [Some(combine), post.as_ref()]
            .into_iter()
            .flatten()
            .try_for_each(|f| supports(operation, f, &node.device, at))?;
        Ok(Array::of(reduced_node(&node, operator, axes, at)?))
    }

    /// The map and the operator for arguments of these types.
    fn resolved(&self, got: &[DType], at: CallSite) -> Result<(Formula, Operator)> {
        let operation = self.map.operation;
        let map = self.map.formula(got, at)?;
        let (_, letters) = resolve(operation, &self.map.parameters, got, at)?;
        let dtype = map.result();
        let (combine, identity) = combine_and_identity(operation, &self.combine, &self.identity, dtype, &letters, at)?;
        let post = |text: &Arc<str>| {
            let parameters = vec![("a".to_string(), dtype)];
            Text { operation, what: "post", text, parameters, letters: &letters, result: None, at }.formula()
        };
        let post = self.post.as_ref().map(post).transpose()?;
        Ok((map, Operator::Custom { combine, identity, post }))
    }
}

/// The operator of `a` and `b` of this type, and its identity.
pub(crate) fn combine_and_identity(
    operation: &'static str,
    combine: &str,
    identity: &str,
    dtype: DType,
    letters: &[(String, DType)],
    at: CallSite,
) -> Result<(Formula, Scalar)> {
    if dtype == DType::Bool || dtype.wgsl() != dtype.name() {
        let wanted = "a number of 32 bits at least, or f16, to combine: u32(..) makes one";
        return Err(Error::argument(operation, "map", wanted, format!("{dtype}"), at));
    }
    let parameters = ["a", "b"].map(|name| (name.to_string(), dtype)).to_vec();
    let combine = Text { operation, what: "combine", text: combine, parameters, letters, result: Some(dtype), at };
    let identity = Text { operation, what: "identity", text: identity, parameters: vec![], letters, result: None, at };
    Ok((combine.formula()?, identity.constant(dtype)?))
}

impl Template {
    fn new(operation: &'static str, what: &'static str, names: &str, text: &str, at: CallSite) -> Result<Template> {
        Ok(Template { operation, what, parameters: parameters(operation, names, at)?, text: text.into() })
    }

    /// The function for arguments of these types.
    fn formula(&self, got: &[DType], at: CallSite) -> Result<Formula> {
        let (mut types, letters): (Types, Types) = resolve(self.operation, &self.parameters, got, at)?;
        let more = ["i", "n"].into_iter().filter(|name| refers(&self.text, name));
        types.extend(more.map(|name| (name.to_string(), DType::U32)));
        let Template { operation, what, text, .. } = self;
        Text { operation, what, text, parameters: types, letters: &letters, result: None, at }.formula()
    }
}

/// Whether `R` is the type of the value.
pub(crate) fn returns<R: Element>(operation: &'static str, dtype: DType, at: CallSite) -> Result<()> {
    match dtype == R::DTYPE {
        true => Ok(()),
        false => {
            let wanted = format!("Array<{dtype}>, or another type in the text: `name: {} = value`", R::DTYPE);
            Err(Error::argument(operation, "result", wanted, format!("Array<{}>", R::DTYPE), at))
        }
    }
}

/// Compiles the text with candidate types for the letters, so that errors are reported before there are arguments. If
/// none compiles, returns the error for the first candidates.
fn first_that_fits(parameters: &[Parameter], fits: impl Fn(&[DType]) -> Result<()>) -> Result<()> {
    const TRIED: [DType; 4] = [DType::F32, DType::I32, DType::U32, DType::Bool];
    let mut open: Vec<&str> = vec![];
    for parameter in parameters {
        if let Kind::Open(letter) = &parameter.kind
            && !open.contains(&letter.as_str())
        {
            open.push(letter);
        }
    }
    // With many letters only the same type for all: then a mistake may come out at the call.
    let (few, tries) = (open.len() <= 3, TRIED.len().pow(open.len().min(3) as u32));
    let mut first = Ok(());
    for number in 0..tries {
        let types: Vec<DType> = parameters
            .iter()
            .map(|parameter| match &parameter.kind {
                Kind::Known(dtype) => *dtype,
                Kind::Open(letter) => {
                    let place = open.iter().position(|other| other == letter).expect("all were collected");
                    TRIED[if few { number / TRIED.len().pow(place as u32) } else { number } % TRIED.len()]
                }
            })
            .collect();
        match fits(&types) {
            Ok(()) => return Ok(()),
            Err(error) if number == 0 => first = Err(error),
            Err(_) => {}
        }
    }
    if few { first } else { Ok(()) }
}

/// The constant of an operator over nothing, with what `post` makes of it.
pub(crate) fn of_nothing(
    device: &crate::Device,
    shape: Vec<usize>,
    operator: &Operator,
    identity: Scalar,
) -> Arc<Node> {
    let constant = Node::lazy(device, shape.clone(), identity.dtype, Expr::Constant(identity));
    match operator {
        Operator::Custom { post: Some(post), .. } => {
            Node::lazy(device, shape, post.result(), Expr::Formula(post.clone(), vec![constant]))
        }
        _ => constant,
    }
}

/// An elementwise function of the named arrays and scalars: an expression that is valid Rust and valid WGSL, with any
/// of WGSL's operators and functions. Like a [`crate::Elementwise`] whose parameters take any type.
///
/// Returns a `Result` with a deferred array. The text is parsed once.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::{Array, map};
/// let x = Array::from_slice(device, &[1.0f32, 4.0]);
/// let slope = 2.0f32;
/// let y: Array<f32> = map!([x, slope] => sqrt(x) * slope + 1.0)?;
/// assert_eq!(y.to_vec()?, [3.0, 5.0]);
/// # Ok(()) });
/// ```
#[macro_export]
macro_rules! map {
    ([$($name:ident),* $(,)?] => $value:expr) => {{
        static KERNEL: ::std::sync::LazyLock<$crate::Result<$crate::Elementwise>> = ::std::sync::LazyLock::new(|| {
            $crate::Elementwise::new(concat!($(stringify!($name), ","),*), stringify!($value))
        });
        match &*KERNEL {
            Ok(kernel) => kernel.call(($(&$name,)*)),
            Err(error) => Err(error.clone()),
        }
    }};
}
