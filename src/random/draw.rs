//! Draws as expressions: a function of the library over indices, the generator's key and position, and parameters.

use super::Generator;
use crate::array::{AnyInput, Array, Input, apply, check};
use crate::element::{DType, Element, Scalar};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::layout::{broadcast_shapes, count};
use crosslane_core::op::{Formula, Shared, Value};

/// Words of a block.
const BLOCK: u64 = 4;

/// A draw: the operation's name, its function, and how many words an element takes.
#[derive(Clone, Copy)]
pub(super) struct Draw {
    pub operation: &'static str,
    pub function: &'static Shared,
    pub words: u64,
    pub at: CallSite,
}

/// A parameter of a distribution: an array or a scalar, which is checked.
pub(super) struct Given {
    input: AnyInput,
    name: &'static str,
}

impl Given {
    /// In the type of the distribution's parameter. A scalar that is not valid is an error; an array's elements are not looked
    /// at.
    pub fn of(
        draw: &Draw,
        name: &'static str,
        input: &impl Input,
        (wanted, is_valid): (&str, impl Fn(f64) -> bool),
    ) -> Result<Given> {
        let dtype = draw.function.parameters.iter().find(|parameter| parameter.0 == name);
        let (_, dtype) = dtype.expect("a function has the parameter of this name");
        let given = AnyInput::of(input.input());
        if let Some(scalar) = given.scalar()
            && !is_valid(scalar.to_f64())
        {
            return Err(Error::argument(draw.operation, name, wanted, format!("{}", scalar.to_f64()), draw.at));
        }
        Ok(Given { input: given.cast(*dtype), name })
    }

    pub fn scalar(name: &'static str, scalar: Scalar) -> Given {
        Given { input: AnyInput::of_scalar(scalar), name }
    }
}

impl Generator {
    /// The elements of a draw. The position moves past their blocks, if nothing was wrong.
    pub(super) fn draw<T: Element>(&mut self, draw: Draw, shape: &[usize], given: Result<Vec<Given>>) -> Array<T> {
        let drawn = given.and_then(|given| self.drawn(draw, shape, given));
        drawn.unwrap_or_else(|error| Array::failed(&self.device, error))
    }

    fn drawn<T: Element>(&mut self, draw: Draw, shape: &[usize], given: Vec<Given>) -> Result<Array<T>> {
        let Draw { operation, function, words, at } = draw;
        check::<T>(operation, &self.device, shape, at)?;
        let (len, most) = (count(shape) as u64, (1u64 << 32) / words.div_ceil(BLOCK));
        if len > most {
            let wanted = format!("at most {most} elements, whose indices have 32 bits");
            return Err(Error::argument(operation, "shape", wanted, format!("{shape:?}"), at));
        }
        for parameter in &given {
            let Some(node) = parameter.input.node() else { continue };
            if broadcast_shapes(&[&node.shape, shape]).as_deref() != Some(shape) {
                let (wanted, got) = (format!("a shape that broadcasts to {shape:?}"), format!("{:?}", node.shape));
                return Err(Error::argument(operation, parameter.name, wanted, got, at));
            }
        }
        let index = AnyInput::of_array(&Array::counting_in(&self.device, shape));
        let place = [self.key[0], self.key[1], self.position as u32, (self.position >> 32) as u32];
        let place = place.map(|word| AnyInput::of_scalar(word.scalar()));
        let own = given.into_iter().map(|given| given.input);
        let inputs: Vec<AnyInput> = [index].into_iter().chain(place).chain(own).collect();
        let node = apply(operation, &Formula::shared(function), &inputs, at)?;
        self.jump((len * words).div_ceil(BLOCK));
        Ok(Array::of(node))
    }
}

/// A value in the type of an element.
pub(super) fn in_type<T: Element>(value: Value) -> T {
    T::from_scalar(value.scalar(T::DTYPE))
}

/// As an integer, whatever type it has.
pub(super) fn integer(x: impl Element) -> i128 {
    Value::of(x.scalar()).int()
}

/// Bits of a type's elements.
pub(super) fn bits(dtype: DType) -> u32 {
    dtype.size() as u32 * 8
}
