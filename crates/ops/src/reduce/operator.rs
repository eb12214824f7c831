//! How a reduction combines values: meaning, identity and WGSL of each operator.

use crate::fuse::{cast, param};
use crosslane_core::element::{Class, DType, Scalar};
use crosslane_core::error::Result;
use crosslane_core::op::{Formula, Function, Text, Value};
use num_complex::Complex64;
use std::cmp::Ordering;
use std::panic::Location;

/// How values are combined.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// Sum; half floats in f32, integers wrap.
    Sum,
    /// Product; half floats in f32, integers wrap.
    Product,
    /// The smallest; NaN if any is NaN.
    Minimum,
    /// The largest; NaN if any is NaN.
    Maximum,
    /// Whether any is not zero.
    Any,
    /// Whether all are not zero.
    All,
    /// How many are not zero, as u32.
    CountNonzero,
    /// The position of the smallest, as u32: the first NaN if there is one, else the first of equals.
    ArgMinimum,
    /// The position of the largest, likewise.
    ArgMaximum,
    /// Of the program's own.
    Custom {
        /// A function of `a` and `b`, associative and commutative.
        combine: Formula,
        /// The identity.
        identity: Scalar,
        /// What the result is made of the combined value.
        post: Option<Formula>,
    },
}

/// What an operator's declarations are called.
pub struct Names {
    pub state: &'static str,
    pub combine: &'static str,
    pub identity: &'static str,
    pub result: &'static str,
}

impl Names {
    pub const USUAL: Names = Names { state: "State", combine: "combine", identity: "identity", result: "result" };
}

impl Operator {
    /// The operator that a text over `a` and `b` defines for elements of this type, with its identity: the operator of
    /// `Array::reduce`.
    ///
    /// ```
    /// use crosslane::{DType, Element};
    /// use crosslane::ops::Operator;
    /// let operator = Operator::custom("max(a, b)", DType::I32, i32::MIN.scalar())?;
    /// assert_eq!(operator.result(DType::I32), DType::I32);
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    ///
    /// Errors: a text that does not compile, or gives another type.
    #[track_caller]
    pub fn custom(text: &str, dtype: DType, identity: Scalar) -> Result<Operator> {
        let parameters = ["a", "b"].map(|name| (name.to_string(), dtype)).to_vec();
        let (operation, what, at) = ("reduce", "operator", Location::caller());
        let combine = Text { operation, what, text, parameters, letters: &[], result: Some(dtype), at }.formula()?;
        Ok(Operator::Custom { combine, identity, post: None })
    }
}

impl Operator {
    /// The name, as the method of `crosslane::Array`.
    pub fn name(&self) -> &'static str {
        match self {
            Operator::Sum => "sum",
            Operator::Product => "product",
            Operator::Minimum => "min",
            Operator::Maximum => "max",
            Operator::Any => "any",
            Operator::All => "all",
            Operator::CountNonzero => "count_nonzero",
            Operator::ArgMinimum => "arg_min",
            Operator::ArgMaximum => "arg_max",
            Operator::Custom { .. } => "reduce",
        }
    }

    /// The type of the result for elements of type `dtype`.
    pub fn result(&self, dtype: DType) -> DType {
        match self {
            Operator::Any | Operator::All => DType::Bool,
            Operator::CountNonzero | Operator::ArgMinimum | Operator::ArgMaximum => DType::U32,
            Operator::Custom { post: Some(post), .. } => post.result(),
            _ => dtype,
        }
    }

    /// Whether there is a result without elements.
    #[doc(hidden)]
    pub fn has_identity(&self) -> bool {
        !matches!(self, Operator::Minimum | Operator::Maximum | Operator::ArgMinimum | Operator::ArgMaximum)
    }

    /// The formulas in it.
    #[doc(hidden)]
    pub fn formulas(&self) -> impl Iterator<Item = &Formula> {
        let (combine, post) = match self {
            Operator::Custom { combine, post, .. } => (Some(combine), post.as_ref()),
            _ => (None, None),
        };
        combine.into_iter().chain(post)
    }

    pub(super) fn is_arg(&self) -> bool {
        matches!(self, Operator::ArgMinimum | Operator::ArgMaximum)
    }

    /// The type that is combined: half floats add up in f32, truth values are words.
    pub(crate) fn accumulator(&self, dtype: DType) -> DType {
        match self {
            Operator::Any | Operator::All | Operator::CountNonzero => DType::U32,
            Operator::Sum | Operator::Product if dtype == DType::F16 => DType::F32,
            _ => dtype,
        }
    }

    /// The identity, in the accumulator's type.
    #[doc(hidden)]
    pub fn identity(&self, dtype: DType) -> Scalar {
        let accumulator = self.accumulator(dtype);
        let (low, high) = match accumulator.class() {
            Class::Float => (f64::NEG_INFINITY, f64::INFINITY),
            _ => (f64::MIN, f64::MAX), // saturates to the type's ends
        };
        match self {
            Operator::Custom { identity, .. } => *identity,
            Operator::Product | Operator::All => Scalar::from_f64(accumulator, 1.0),
            Operator::Minimum | Operator::ArgMinimum => Scalar::from_f64(accumulator, high),
            Operator::Maximum | Operator::ArgMaximum => Scalar::from_f64(accumulator, low),
            _ => Scalar::from_f64(accumulator, 0.0),
        }
    }

    /// The result of no elements.
    #[doc(hidden)]
    pub fn empty_result(&self, dtype: DType) -> Scalar {
        match self {
            Operator::Custom { identity, .. } => *identity,
            _ => Value::of(self.identity(dtype)).scalar(self.result(dtype)),
        }
    }

    /// WGSL declarations of these names, and `lift`: what is combined, how, what that begins with, and what a result is made
    /// of it.
    #[doc(hidden)]
    pub fn text(&self, dtype: DType, names: &Names) -> String {
        self.combine_text(dtype, names) + &self.identity_text(dtype, names)
    }

    fn identity_text(&self, dtype: DType, names: &Names) -> String {
        let value = param("identity", self.identity(dtype).dtype);
        let value = if self.is_arg() { format!("{}({value}, 0xffffffffu)", names.state) } else { value };
        format!("fn {}() -> {} {{ return {value}; }}\n", names.identity, names.state)
    }

    fn combine_text(&self, dtype: DType, names: &Names) -> String {
        let (from, accumulator) = (dtype.wgsl(), self.accumulator(dtype).wgsl());
        let nan = |x: &str| is_nan(x, dtype);
        let lift = match self {
            Operator::Any | Operator::All | Operator::CountNonzero if dtype == DType::Bool => {
                "select(0u, 1u, v)".to_string()
            }
            // By the bits: a driver may take denormal numbers for 0.
            Operator::Any | Operator::All | Operator::CountNonzero if dtype == DType::F32 => {
                "select(1u, 0u, (bitcast<u32>(v) & 0x7fffffffu) == 0u)".to_string()
            }
            Operator::Any | Operator::All | Operator::CountNonzero if dtype.is_complex() => {
                format!("select(0u, 1u, {})", cast("v", dtype, DType::Bool, 1))
            }
            // All but the sign.
            Operator::Any | Operator::All | Operator::CountNonzero if dtype == DType::BF16 => {
                "select(0u, 1u, (v & 0x7fffu) != 0u)".to_string()
            }
            Operator::Any | Operator::All | Operator::CountNonzero => format!("select(1u, 0u, v == {from}(0))"),
            _ => format!("{accumulator}(v)"),
        };
        let combine = match self {
            Operator::Sum | Operator::CountNonzero => "a + b".to_string(),
            Operator::Product if dtype.is_complex() => Function::Multiply.wgsl(dtype, 1, ["a", "b", ""]),
            Operator::Product => "a * b".to_string(),
            Operator::Minimum => format!("select(b, a, (a < b) | {})", nan("a")),
            Operator::Maximum => format!("select(b, a, (a > b) | {})", nan("a")),
            Operator::Any => "a | b".to_string(),
            Operator::All => "a & b".to_string(),
            Operator::Custom { combine, post, .. } => return custom_text(from, combine, post.as_ref(), names),
            Operator::ArgMinimum | Operator::ArgMaximum => return self.arg_text(dtype, names),
        };
        let to = self.result(dtype);
        let result = if to == DType::Bool { "s != 0u".to_string() } else { format!("{}(s)", to.wgsl()) };
        let Names { state, combine: combines, result: gives, .. } = names;
        format!(
            "alias {state} = {accumulator};\nfn lift(v: {from}, position: u32) -> {state} {{ return {lift}; }}\n\
             fn {combines}(a: {state}, b: {state}) -> {state} {{ return {combine}; }}\n\
             fn {gives}(s: {state}) -> {} {{ return {result}; }}\n",
            to.wgsl()
        )
    }

    fn arg_text(&self, dtype: DType, names: &Names) -> String {
        let (value, Names { state, combine, result, .. }) = (dtype.wgsl(), names);
        let better = if *self == Operator::ArgMinimum { "<" } else { ">" };
        format!(
            "struct {state} {{ value: {value}, position: u32 }}\n\
             fn lift(v: {value}, position: u32) -> {state} {{ return {state}(v, position); }}\n\
             fn {combine}(a: {state}, b: {state}) -> {state} {{\n    \
             let a_nan = {}; let b_nan = {};\n    \
             let tie = ((a.value == b.value) | a_nan) & (a_nan == b_nan);\n    \
             let first = select(a_nan | (!b_nan & (a.value {better} b.value)), a.position < b.position, tie);\n    \
             return {state}(select(b.value, a.value, first), select(b.position, a.position, first));\n}}\n\
             fn {result}(s: {state}) -> u32 {{ return s.position; }}\n",
            is_nan("a.value", dtype),
            is_nan("b.value", dtype),
        )
    }

    /// The result by definition over values in order.
    #[doc(hidden)]
    pub fn meaning(&self, dtype: DType, values: impl Iterator<Item = Value>) -> Value {
        let float = dtype.class() == Class::Float;
        let complex = |value: Complex64| Value::Complex(value.re, value.im);
        match self {
            Operator::Sum if dtype.is_complex() => complex(values.map(Value::complex).sum()),
            Operator::Product if dtype.is_complex() => complex(values.map(Value::complex).product()),
            Operator::Sum if float => Value::Float(values.map(|v| v.float()).sum()),
            Operator::Product if float => Value::Float(values.map(|v| v.float()).product()),
            Operator::Sum => values.fold(Value::Int(0), |a, v| Value::Int(a.int() + v.int()).cast(dtype)),
            Operator::Product => values.fold(Value::Int(1), |a, v| Value::Int(a.int() * v.int()).cast(dtype)),
            Operator::Any => Value::Bool(values.fold(false, |a, v| a | v.truth())),
            Operator::All => Value::Bool(values.fold(true, |a, v| a & v.truth())),
            Operator::CountNonzero => Value::Int(values.filter(|v| v.truth()).count() as i128),
            Operator::Minimum | Operator::Maximum => self.best(float, values).0,
            Operator::ArgMinimum | Operator::ArgMaximum => Value::Int(self.best(float, values).1 as i128),
            Operator::Custom { combine, .. } => {
                panic!("there is no reference for the operator {:?}: tests compare with their own", combine.text())
            }
        }
    }

    /// The best value and its position: the first NaN, else the first of the best.
    fn best(&self, float: bool, values: impl Iterator<Item = Value>) -> (Value, usize) {
        let least = matches!(self, Operator::Minimum | Operator::ArgMinimum);
        let mut best: Option<(Value, usize)> = None;
        for (position, value) in values.enumerate() {
            if float && value.float().is_nan() {
                return (value, position);
            }
            let wanted = if least { Ordering::Less } else { Ordering::Greater };
            let better = best.is_none_or(|(old, _)| match float {
                true => value.float().partial_cmp(&old.float()) == Some(wanted),
                false => value.int().cmp(&old.int()) == wanted,
            });
            if better {
                best = Some((value, position));
            }
        }
        best.expect("no reduction without identity over nothing")
    }
}

/// The declarations for an operator of the program's own over values of this type.
fn custom_text(ty: &str, combine: &Formula, post: Option<&Formula>, names: &Names) -> String {
    let Names { state, result, .. } = names;
    let post = post.map_or(format!("fn {result}(s: {state}) -> {ty} {{ return s; }}\n"), |post| {
        let to = post.result().wgsl();
        format!("{}fn {result}(s: {state}) -> {to} {{ return post(s); }}\n", post.definition("post"))
    });
    let combine = combine.definition(names.combine);
    format!("alias {state} = {ty};\nfn lift(v: {ty}, position: u32) -> {state} {{ return v; }}\n{combine}{post}")
}

/// A test of the bits: compilers may assume that there is no NaN.
pub fn is_nan(x: &str, dtype: DType) -> String {
    match dtype {
        DType::F32 => format!("((bitcast<u32>({x}) & 0x7fffffffu) > 0x7f800000u)"),
        DType::F16 | DType::F64 => format!("(!({x} == {x}))"),
        _ => "false".into(),
    }
}
