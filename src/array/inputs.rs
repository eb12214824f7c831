//! The arguments of expression kernels: arrays and scalars, bound to parameters.

use super::{Array, create};
use crate::element::{DType, Element, Given, Input, Scalar};
use crate::graph::{Expr, Node, broadcast};
use crosslane_core::error::{CallSite, Error, ErrorKind, Result};
use crosslane_core::layout::{Layout, broadcast_shapes};
use crosslane_core::op::{Formula, Kind, Parameter, Value};
use std::sync::Arc;

/// The arguments of a call: one array, or a tuple of up to eight arrays and scalars; `()` for none.
pub trait Inputs {
    /// Each in its place.
    #[doc(hidden)]
    fn inputs(&self) -> Vec<AnyInput>;
}

/// An array or a scalar.
#[doc(hidden)]
pub struct AnyInput(One);

enum One {
    Array(Arc<Node>),
    Scalar(Scalar),
}

impl<T: Element> Input for Array<T> {
    fn input(&self) -> Given<'_> {
        Given::Array(&*self.node)
    }
}

impl AnyInput {
    pub(crate) fn of(given: Given) -> AnyInput {
        AnyInput(match given {
            Given::Array(node) => One::Array(node.downcast_ref::<Arc<Node>>().expect("what arrays give").clone()),
            Given::Scalar(scalar) => One::Scalar(scalar),
        })
    }
}

impl<T: Element> Inputs for &Array<T> {
    fn inputs(&self) -> Vec<AnyInput> {
        vec![AnyInput::of(self.input())]
    }
}

impl Inputs for () {
    fn inputs(&self) -> Vec<AnyInput> {
        vec![]
    }
}

macro_rules! tuples {
    ($($name:ident)*) => {
        impl<$($name: Input),*> Inputs for ($($name,)*) {
            fn inputs(&self) -> Vec<AnyInput> {
                #[expect(non_snake_case, reason = "each value has the name of its type")]
                let ($($name,)*) = self;
                vec![$(AnyInput::of($name.input())),*]
            }
        }
    };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);

impl AnyInput {
    pub(crate) fn of_array<T: Element>(array: &Array<T>) -> AnyInput {
        AnyInput(One::Array(Arc::clone(&array.node)))
    }

    pub(crate) fn of_scalar(scalar: Scalar) -> AnyInput {
        AnyInput(One::Scalar(scalar))
    }

    pub(crate) fn scalar(&self) -> Option<Scalar> {
        match &self.0 {
            One::Array(_) => None,
            One::Scalar(scalar) => Some(*scalar),
        }
    }

    /// In another type.
    pub(crate) fn cast(self, dtype: DType) -> AnyInput {
        AnyInput(match self.0 {
            One::Scalar(scalar) => One::Scalar(Value::of(scalar).scalar(dtype)),
            One::Array(node) if node.dtype == dtype || node.error().is_some() => One::Array(node),
            One::Array(node) => {
                One::Array(Node::lazy(&node.device, node.shape.clone(), dtype, Expr::Cast(Arc::clone(&node))))
            }
        })
    }

    fn dtype(&self) -> DType {
        match &self.0 {
            One::Array(node) => node.dtype,
            One::Scalar(scalar) => scalar.dtype,
        }
    }

    pub(crate) fn node(&self) -> Option<&Arc<Node>> {
        match &self.0 {
            One::Array(node) => Some(node),
            One::Scalar(_) => None,
        }
    }
}

/// What parameters have become in a call: names and types, and what letters stand for.
pub(crate) type Types = Vec<(String, DType)>;

/// The types of parameters by the arguments' types; an error names the first that does not fit.
pub(crate) fn resolve(
    operation: &'static str,
    parameters: &[Parameter],
    got: &[DType],
    at: CallSite,
) -> Result<(Types, Types)> {
    let mut letters: Vec<(&str, DType, &str)> = vec![];
    for (parameter, &dtype) in parameters.iter().zip(got) {
        let name = &parameter.name;
        let wanted = match &parameter.kind {
            Kind::Known(wanted) => (*wanted, String::new()),
            Kind::Open(letter) => match letters.iter().find(|(other, ..)| other == letter) {
                Some((_, wanted, first)) => (*wanted, format!(", which {letter} is by {first}")),
                None => {
                    letters.push((letter, dtype, name));
                    continue;
                }
            },
        };
        if wanted.0 != dtype {
            return Err(Error::argument(operation, name, format!("{}{}", wanted.0, wanted.1), dtype.name(), at));
        }
    }
    let types = parameters.iter().zip(got).map(|(parameter, &dtype)| (parameter.name.clone(), dtype)).collect();
    Ok((types, letters.into_iter().map(|(letter, dtype, _)| (letter.to_string(), dtype)).collect()))
}

/// The arguments' types, if there is one for each parameter and one is an array.
pub(crate) fn dtypes(
    operation: &'static str,
    parameters: &[Parameter],
    inputs: &[AnyInput],
    at: CallSite,
) -> Result<Vec<DType>> {
    let names = || parameters.iter().map(|parameter| parameter.name.as_str()).collect::<Vec<_>>().join(", ");
    if inputs.len() != parameters.len() {
        let wanted = format!("{}: {}", parameters.len(), names());
        return Err(Error::argument(operation, "arguments", wanted, inputs.len().to_string(), at));
    }
    if inputs.iter().all(|input| input.node().is_none()) {
        return Err(Error::argument(operation, "arguments", "an array among them", "scalars only", at));
    }
    Ok(inputs.iter().map(AnyInput::dtype).collect())
}

/// The node that applies a formula to arguments, broadcast to one shape. What the formula has more parameters is the
/// index `i` and the length `n`.
pub(crate) fn apply(
    operation: &'static str,
    formula: &Formula,
    inputs: &[AnyInput],
    at: CallSite,
) -> Result<Arc<Node>> {
    let arrays: Vec<&Arc<Node>> = inputs.iter().filter_map(AnyInput::node).collect();
    if let Some(error) = arrays.iter().find_map(|node| node.error()) {
        return Err(error);
    }
    let device = &arrays[0].device;
    if let Some(other) = arrays.iter().find(|node| node.device != *device) {
        let (wanted, got) = (format!("{device:?}"), format!("{:?}", other.device));
        return Err(Error::argument(operation, "device", wanted, got, at));
    }
    supports(operation, formula, device, at)?;
    let most = device.caps().bindings.saturating_sub(1).max(3) as usize;
    if arrays.len() > most {
        let wanted = format!("at most {most} arrays: a kernel of this device binds no more");
        return Err(Error::argument(operation, "arguments", wanted, arrays.len().to_string(), at));
    }
    let shapes: Vec<&[usize]> = arrays.iter().map(|node| node.shape.as_slice()).collect();
    let Some(shape) = broadcast_shapes(&shapes) else {
        let got = shapes.iter().map(|shape| format!("{shape:?}")).collect::<Vec<_>>().join(" and ");
        return Err(Error::argument(operation, "shapes", "shapes that broadcast together", got, at));
    };
    create::fits(operation, formula.result(), &shape, at)?;
    let constant = |scalar: Scalar| Node::lazy(device, shape.clone(), scalar.dtype, Expr::Constant(scalar));
    let mut nodes: Vec<Arc<Node>> = inputs
        .iter()
        .map(|input| match &input.0 {
            One::Array(node) => broadcast(node, &shape),
            One::Scalar(scalar) => constant(*scalar),
        })
        .collect();
    for &(name, _) in &formula.parameters()[inputs.len()..] {
        let len = crosslane_core::layout::count(&shape);
        if len > u32::MAX as usize {
            return Err(Error::argument(operation, name, "fewer than 2^32 elements to count", len.to_string(), at));
        }
        nodes.push(match name {
            "i" => Node::lazy(device, shape.clone(), DType::U32, Expr::Index(Layout::contiguous(&shape))),
            _ => constant((len as u32).scalar()),
        });
    }
    Ok(Node::lazy(device, shape, formula.result(), Expr::Formula(formula.clone(), nodes)))
}

/// Whether the device has the types that a formula uses.
pub(crate) fn supports(operation: &'static str, formula: &Formula, device: &crate::Device, at: CallSite) -> Result<()> {
    match formula.features().iter().find(|feature| !feature.there(device.caps())) {
        None => Ok(()),
        Some(feature) => {
            let (wanted, help) = (feature.to_string(), format!("{:?} uses them", formula.text()));
            let device = device.properties().label();
            Err(ErrorKind::Unsupported { operation, wanted, device, help, at: Some(at) }.into())
        }
    }
}
