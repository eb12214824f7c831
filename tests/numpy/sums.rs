//! Reductions, scans, products and what normalises.

use crate::any::{Answer, Any, Held};
use crate::case::Step;
use crate::of_type;
use crate::support::kept;
use crosslane::{Array, Float, Number, Scan, einsum};

pub fn apply(step: &Step, args: &[&Any]) -> Answer {
    of_type!(args[0], [F16, F32, F64, I32, I64, U8, U16, U32, U64, Bool], elements(step))
        .or_else(|| of_type!(args[0], [F16, F32, F64, I32, I64, U32, U64], reduced(step)))
        .or_else(|| of_type!(args[0], [F16, F32, F64, I32, I64, U32, U64], scanned(step)))
        .or_else(|| of_type!(args[0], [F16, F32, F64, I32, I64, U32, U64], multiplied(step, args)))
        .or_else(|| of_type!(args[0], [F16, F32, F64], floats(step)))
        .or_else(|| exponential(step, args[0]))
}

/// The axes, if not all; whether they stay.
fn axes(step: &Step) -> (Option<Vec<isize>>, bool) {
    (step.has(0).then(|| step.ints(0)), step.flag(1))
}

/// A method for everything, where axes do not stay, else the one for axes.
macro_rules! over {
    ($x:ident, $step:ident, $all:ident, $some:ident $(, $more:expr)?) => {
        match axes($step) {
            (None, false) => $x.$all($($more)?),
            (axes, keep) => {
                let axes = axes.unwrap_or_else(|| (0..$x.rank() as isize).collect());
                $x.$some(kept(&axes, keep) $(, $more)?)
            }
        }
    };
}

fn elements<T: Held>(x: &Array<T>, step: &Step) -> Answer {
    Some(Ok(match step.op.as_str() {
        "any" => Any::Bool(over!(x, step, any, any_axes)),
        "all" => Any::Bool(over!(x, step, all, all_axes)),
        "count_nonzero" => Any::U32(over!(x, step, count_nonzero, count_nonzero_axes)),
        _ => return None,
    }))
}

fn reduced<T: Number + Held>(x: &Array<T>, step: &Step) -> Answer {
    Some(Ok(match step.op.as_str() {
        "arg_min" => Any::U32(over!(x, step, arg_min, arg_min_axes)),
        "arg_max" => Any::U32(over!(x, step, arg_max, arg_max_axes)),
        "sum" => T::any(over!(x, step, sum, sum_axes)),
        "product" => T::any(over!(x, step, product, product_axes)),
        "min" => T::any(over!(x, step, min, min_axes)),
        "max" => T::any(over!(x, step, max, max_axes)),
        _ => return None,
    }))
}

fn scanned<T: Number + Held>(x: &Array<T>, step: &Step) -> Answer {
    let scan = match step.op.as_str() {
        "cumsum" if !step.has(1) => return Some(Ok(T::any(x.cumsum(step.int(0))))),
        "cumprod" if !step.has(1) => return Some(Ok(T::any(x.cumprod(step.int(0))))),
        "cummin" if !step.has(1) => return Some(Ok(T::any(x.cummin(step.int(0))))),
        "cummax" if !step.has(1) => return Some(Ok(T::any(x.cummax(step.int(0))))),
        "cumsum" => Scan::sum(),
        "cumprod" => Scan::product(),
        "cummin" => Scan::min(),
        "cummax" => Scan::max(),
        _ => return None,
    };
    let scan = scan.axis(step.int(0));
    let scan = if step.flag(1) { scan.exclusive() } else { scan };
    let scan = if step.flag(2) { scan.reverse() } else { scan };
    Some(Ok(T::any(scan.call::<T, T>(x))))
}

fn multiplied<T: Number + Held>(x: &Array<T>, step: &Step, args: &[&Any]) -> Answer {
    let y = || T::of(args[1]);
    Some(Ok(T::any(match step.op.as_str() {
        "matmul" => x.matmul(y()),
        "dot" => x.dot(y()),
        "inner" => x.inner(y()),
        "vecdot" => x.vecdot(y()),
        "outer" => x.outer(y()),
        "tensordot" => x.tensordot(y(), step.ints(0), step.ints(1)),
        "einsum" => einsum(step.text(0), &args.iter().map(|arg| T::of(arg)).collect::<Vec<_>>()).expect("an equation"),
        _ => return None,
    })))
}

fn floats<T: Float + Held>(x: &Array<T>, step: &Step) -> Answer {
    let freedom = || step.size(2);
    Some(Ok(T::any(match step.op.as_str() {
        "mean" => over!(x, step, mean, mean_axes),
        "variance" => over!(x, step, variance, variance_axes, freedom()),
        "std" => over!(x, step, std, std_axes, freedom()),
        "norm" => over!(x, step, norm, norm_axes),
        "mean_variance_mean" => x.mean_variance(kept(&step.ints(0), step.flag(1)), freedom()).0,
        "mean_variance_variance" => x.mean_variance(kept(&step.ints(0), step.flag(1)), freedom()).1,
        "layer_norm" => x.layer_norm(step.ints(0), None, None, step.float(1)),
        "rms_norm" => x.rms_norm(step.ints(0), None, step.float(1)),
        _ => return None,
    })))
}

/// Of halves and singles only.
fn exponential(step: &Step, x: &Any) -> Answer {
    Some(Ok(match (step.op.as_str(), x) {
        ("softmax", Any::F16(x)) => Any::F16(x.softmax(step.int(0))),
        ("softmax", Any::F32(x)) => Any::F32(x.softmax(step.int(0))),
        ("log_softmax", Any::F16(x)) => Any::F16(x.log_softmax(step.int(0))),
        ("log_softmax", Any::F32(x)) => Any::F32(x.log_softmax(step.int(0))),
        ("logsumexp", Any::F16(x)) => Any::F16(x.logsumexp(kept(&step.ints(0), step.flag(1)))),
        ("logsumexp", Any::F32(x)) => Any::F32(x.logsumexp(kept(&step.ints(0), step.flag(1)))),
        _ => return None,
    }))
}
