//! An array of any type, and those that are made of nothing.

use crate::case::{Step, dtype, parsed};
use crosslane::{Array, DType, Device, Element, Float, Number, Ordered, Result, f16};

/// What an operation gives, if there is one of that name for these types.
pub type Answer = Option<Result<Any>>;

/// A type that [`Any`] holds.
pub trait Held: Ordered {
    fn any(array: Array<Self>) -> Any;
    /// The array, which is of this type.
    fn of(any: &Any) -> &Array<Self>;
}

macro_rules! any {
    ($($name:ident $type:ty),*) => {
        pub enum Any {
            $($name(Array<$type>)),*
        }

        $(impl Held for $type {
            fn any(array: Array<$type>) -> Any {
                Any::$name(array)
            }

            fn of(any: &Any) -> &Array<$type> {
                match any {
                    Any::$name(array) => array,
                    other => panic!("{}, where {} was wanted", other.dtype(), <$type>::DTYPE),
                }
            }
        })*

        impl Any {
            pub fn dtype(&self) -> DType {
                match self {
                    $(Any::$name(_) => DType::$name),*
                }
            }

            pub fn eval(&self) -> Result<()> {
                match self {
                    $(Any::$name(x) => x.eval().map(|_| ())),*
                }
            }
        }
    };
}

any!(F16 f16, F32 f32, F64 f64, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, Bool bool);

/// Calls a function for the type of an array: `of_type!(x, [F32, I32], function(step, args))`.
#[macro_export]
macro_rules! of_type {
    ($any:expr, [$($name:ident),*], $function:ident $args:tt) => {
        match $any {
            $($crate::any::Any::$name(x) => of_type!(call x, $function $args),)*
            #[allow(unreachable_patterns, reason = "where every type is named")]
            _ => None,
        }
    };
    (call $x:ident, $function:ident ($($arg:expr),*)) => {
        $function($x, $($arg),*)
    };
}

pub fn made(step: &Step, device: &Device) -> Any {
    match dtype(step.text(0)) {
        DType::F16 => of_float::<f16>(step, device),
        DType::F32 => of_float::<f32>(step, device),
        DType::F64 => of_float::<f64>(step, device),
        DType::I32 => of_number::<i32>(step, device),
        DType::I64 => of_number::<i64>(step, device),
        DType::U32 => of_number::<u32>(step, device),
        DType::U64 => of_number::<u64>(step, device),
        dtype => panic!("{step} of {dtype}"),
    }
}

fn of_float<T: Float + Held>(step: &Step, device: &Device) -> Any {
    match step.op.as_str() {
        "linspace" => T::any(Array::linspace(device, parsed::<T>(step.text(1)), parsed(step.text(2)), step.size(3))),
        _ => of_number::<T>(step, device),
    }
}

fn of_number<T: Number + Held>(step: &Step, device: &Device) -> Any {
    let scalar = |i| parsed::<T>(step.text(i));
    T::any(match step.op.as_str() {
        "arange" => Array::arange(device, scalar(1), scalar(2), scalar(3)),
        "eye" => Array::eye(device, step.size(1), step.size(2), step.int(3)),
        "full" => Array::full(device, &step.sizes(1), scalar(2)),
        other => panic!("{other} of {}", T::DTYPE),
    })
}
