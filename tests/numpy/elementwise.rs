//! Elementwise functions and casts.

use crate::any::{Answer, Any, Held};
use crate::case::{Step, dtype, parsed};
use crate::of_type;
use crosslane::{Array, DType, Element, Float, Integer, Number, f16};

pub fn apply(step: &Step, args: &[&Any]) -> Answer {
    if let (Any::Bool(mask), [then, otherwise]) = (args[0], &args[1..])
        && step.op == "select"
    {
        return of_type!(then, [F16, F32, F64, I32, I64, U8, U16, U32, U64, Bool], select(mask, otherwise));
    }
    of_type!(args[0], [F16, F32, F64, I32, I64, U8, U16, U32, U64, Bool], elements(step, args))
        .or_else(|| negated(step, args[0]))
        .or_else(|| of_type!(args[0], [F16, F32, F64, I32, I64, U32, U64], numbers(step, args)))
        .or_else(|| of_type!(args[0], [F16, F32, F64], floats(step, args)))
        .or_else(|| narrow(step, args))
        .or_else(|| of_type!(args[0], [I32, I64, U32, U64], integers(step, args)))
        .or_else(|| masks(step, args))
}

fn select<T: Held>(then: &Array<T>, mask: &Array<bool>, otherwise: &Any) -> Answer {
    Some(Ok(T::any(mask.select(then, T::of(otherwise)))))
}

fn negated(step: &Step, x: &Any) -> Answer {
    Some(Ok(match (step.op.as_str(), x) {
        ("neg", Any::F16(x)) => Any::F16(-x),
        ("neg", Any::F32(x)) => Any::F32(-x),
        ("neg", Any::F64(x)) => Any::F64(-x),
        ("neg", Any::I32(x)) => Any::I32(-x),
        ("neg", Any::I64(x)) => Any::I64(-x),
        ("neg", Any::U32(x)) => Any::U32(-x),
        ("neg", Any::U64(x)) => Any::U64(-x),
        _ => return None,
    }))
}

fn elements<T: Held>(x: &Array<T>, step: &Step, args: &[&Any]) -> Answer {
    let y = || T::of(args[1]);
    Some(Ok(match step.op.as_str() {
        "cast" => cast(x, dtype(step.text(0))),
        "equal" => Any::Bool(x.equal(y())),
        "not_equal" => Any::Bool(x.not_equal(y())),
        _ => return None,
    }))
}

fn cast<T: Element>(x: &Array<T>, to: DType) -> Any {
    match to {
        DType::F16 => Any::F16(x.cast::<f16>()),
        DType::F32 => Any::F32(x.cast()),
        DType::F64 => Any::F64(x.cast()),
        DType::I32 => Any::I32(x.cast()),
        DType::I64 => Any::I64(x.cast()),
        DType::U8 => Any::U8(x.cast()),
        DType::U16 => Any::U16(x.cast()),
        DType::U32 => Any::U32(x.cast()),
        DType::U64 => Any::U64(x.cast()),
        DType::Bool => Any::Bool(x.cast()),
        other => panic!("no case has {other}"),
    }
}

fn numbers<T: Number + Held>(x: &Array<T>, step: &Step, args: &[&Any]) -> Answer {
    let (y, z) = (|| T::of(args[1]), || T::of(args[2]));
    let scalar = || parsed::<T>(step.text(0));
    Some(Ok(match step.op.as_str() {
        "less" => Any::Bool(x.less(y())),
        "less_equal" => Any::Bool(x.less_equal(y())),
        "greater" => Any::Bool(x.greater(y())),
        "greater_equal" => Any::Bool(x.greater_equal(y())),
        name => T::any(match name {
            "add" => x + y(),
            "sub" => x - y(),
            "mul" => x * y(),
            "divide" | "divide_floats" => x / y(),
            "remainder" => x % y(),
            "add_scalar" => x + scalar(),
            "sub_scalar" => x - scalar(),
            "mul_scalar" => x * scalar(),
            "max_scalar" => x.maximum(scalar()),
            "minimum" => x.minimum(y()),
            "maximum" => x.maximum(y()),
            "clamp" => x.clamp(y(), z()),
            "multiply_add" => x.multiply_add(y(), z()),
            "abs" => x.abs(),
            "sign" => x.sign(),
            "square" => x.square(),
            "relu" => x.relu(),
            _ => return None,
        }),
    }))
}

fn integers<T: Integer + Held>(x: &Array<T>, step: &Step, args: &[&Any]) -> Answer {
    let y = || T::of(args[1]);
    Some(Ok(match step.op.as_str() {
        "count_ones" => Any::U32(x.count_ones()),
        "leading_zeros" => Any::U32(x.leading_zeros()),
        "trailing_zeros" => Any::U32(x.trailing_zeros()),
        name => T::any(match name {
            "reverse_bits" => x.reverse_bits(),
            "and" => x & y(),
            "or" => x | y(),
            "xor" => x ^ y(),
            "not" => !x,
            "shl" => x << y(),
            "shr" => x >> y(),
            _ => return None,
        }),
    }))
}

fn masks(step: &Step, args: &[&Any]) -> Answer {
    let Any::Bool(x) = args[0] else { return None };
    let y = || bool::of(args[1]);
    Some(Ok(Any::Bool(match step.op.as_str() {
        "and" => x & y(),
        "or" => x | y(),
        "xor" => x ^ y(),
        "not" => !x,
        _ => return None,
    })))
}

fn floats<T: Float + Held>(x: &Array<T>, step: &Step, args: &[&Any]) -> Answer {
    let (y, z) = (|| T::of(args[1]), || T::of(args[2]));
    Some(Ok(match step.op.as_str() {
        "is_nan" => Any::Bool(x.is_nan()),
        "is_infinite" => Any::Bool(x.is_infinite()),
        "is_finite" => Any::Bool(x.is_finite()),
        name => T::any(match name {
            "reciprocal" => x.reciprocal(),
            "sqrt" => x.sqrt(),
            "rsqrt" => x.rsqrt(),
            "floor" => x.floor(),
            "ceil" => x.ceil(),
            "round" => x.round(),
            "trunc" => x.trunc(),
            "fract" => x.fract(),
            "to_degrees" => x.to_degrees(),
            "to_radians" => x.to_radians(),
            "hypot" => x.hypot(y()),
            "modulo" => x.modulo(y()),
            "floor_divide" => x.floor_divide(y()),
            "lerp" => x.lerp(y(), z()),
            "nextafter" => x.nextafter(y()),
            "copysign" => x.copysign(y()),
            "fmin" => x.fmin(y()),
            "fmax" => x.fmax(y()),
            "heaviside" => x.heaviside(y()),
            _ => return None,
        }),
    }))
}

/// Functions of halves and singles, one of them a type at a time.
macro_rules! narrow {
    ($($type:ident $kind:ty: [$($name:ident)*] [$($two:ident)*];)*) => {
        fn narrow(step: &Step, args: &[&Any]) -> Answer {
            Some(Ok(match (args[0], step.op.as_str()) {
                $($((Any::$type(x), stringify!($name)) => Any::$type(x.$name()),)*
                $((Any::$type(x), stringify!($two)) => Any::$type(x.$two(<$kind>::of(args[1]))),)*)*
                _ => return None,
            }))
        }
    };
}

narrow! {
    F16 f16: [cbrt exp exp2 exp_m1 ln log2 log10 ln_1p sin cos tan asin acos atan sinc sinh cosh tanh asinh acosh atanh erf
        erfc sigmoid gelu softplus] [pow atan2 log_add_exp];
    F32 f32: [cbrt exp exp2 exp_m1 ln log2 log10 ln_1p sin cos tan asin acos atan sinc sinh cosh tanh asinh acosh atanh erf
        erfc sigmoid gelu softplus] [pow atan2 log_add_exp];
}
