//! Views, and what brings elements elsewhere.

use crate::any::{Answer, Any, Held};
use crate::case::{Step, parsed};
use crate::of_type;
use crosslane::array::{ArrayIndex, OutOfRange, PadMode, Slice};
use crosslane::ops::Combine;
use crosslane::{Array, Number, Result};

pub fn apply(step: &Step, args: &[&Any]) -> Answer {
    of_type!(args[0], [F16, F32, F64, I32, I64, U8, U16, U32, U64, Bool], views(step))
        .or_else(|| of_type!(args[0], [F16, F32, F64, I32, I64, U8, U16, U32, U64, Bool], joins(step, args)))
        .or_else(|| of_type!(args[0], [F16, F32, F64, I32, I64, U8, U16, U32, U64, Bool], indexed(step, args)))
        .or_else(|| of_type!(args[0], [F16, F32, F64, I32, I64, U32, U64], numbers(step, args)))
}

/// One index or range with a step for each axis.
fn slices(step: &Step, i: usize) -> Vec<Slice> {
    let slice = |part: &serde_json::Value| match part.as_i64() {
        Some(index) => Slice::from(index as isize),
        None => {
            let at = |i: usize| part[i].as_i64().expect("a bound") as isize;
            Slice::from(at(0)..at(1)).step(at(2))
        }
    };
    step.json(i).as_array().expect("a list").iter().map(slice).collect()
}

fn views<T: Held>(x: &Array<T>, step: &Step) -> Answer {
    Some(Ok(T::any(match step.op.as_str() {
        "slice" => x.slice(&slices(step, 0)),
        "permute" => x.permute(step.ints(0)),
        "transpose" => x.transpose(),
        "swap_axes" => x.swap_axes(step.int(0), step.int(1)),
        "flip" => x.flip(step.int(0)),
        "reshape" => x.reshape(&step.sizes(0)),
        "broadcast_to" => x.broadcast_to(&step.sizes(0)),
        "expand_dims" => x.expand_dims(step.int(0)),
        "squeeze" => x.squeeze(),
        "copy" => x.copy(),
        "diagonal" => x.diagonal(step.int(0), step.int(1), step.int(2)),
        "diag" => x.diag(step.int(0)),
        "triu" => x.triu(step.int(0)),
        "tril" => x.tril(step.int(0)),
        "roll" => x.roll(step.int(0)),
        "roll_axes" => x.roll_axes(&step.ints(0), step.ints(1)),
        "tile" => x.tile(&step.sizes(0)),
        "repeat_axis" => x.repeat_axis(step.size(0), step.int(1)),
        "pad" => x.pad(&widths(step), mode(step)),
        _ => return None,
    })))
}

fn widths(step: &Step) -> Vec<(usize, usize)> {
    let width = |pair: &serde_json::Value, i: usize| pair[i].as_u64().expect("a width") as usize;
    step.json(0).as_array().expect("a list").iter().map(|pair| (width(pair, 0), width(pair, 1))).collect()
}

fn mode<T: Held>(step: &Step) -> PadMode<T> {
    match step.text(1) {
        "constant" => PadMode::Constant(parsed(step.text(2))),
        "edge" => PadMode::Edge,
        "reflect" => PadMode::Reflect,
        "symmetric" => PadMode::Symmetric,
        "wrap" => PadMode::Wrap,
        other => panic!("no mode {other}"),
    }
}

fn joins<T: Held>(x: &Array<T>, step: &Step, args: &[&Any]) -> Answer {
    let all = || args.iter().map(|arg| T::of(arg)).collect::<Vec<_>>();
    let made = match step.op.as_str() {
        "concatenate" => Array::concatenate(&all(), step.int(0)),
        "stack" => Array::stack(&all(), step.int(0)),
        "array_split" => x.array_split(step.size(0), step.int(1)).map(|mut parts| parts.swap_remove(step.size(2))),
        "repeat" => x.repeat(u32::of(args[1])),
        "assign_slice" => assigned(x, T::of(args[1]), &slices(step, 0)),
        _ => return None,
    };
    Some(made.map(T::any))
}

fn assigned<T: Held>(x: &Array<T>, value: &Array<T>, slices: &[Slice]) -> Result<Array<T>> {
    let mut x = x.clone();
    x.slice_mut(slices).assign(value)?;
    Ok(x)
}

fn outside(text: &str) -> OutOfRange {
    match text {
        "error" => OutOfRange::Error,
        "wrap" => OutOfRange::Wrap,
        "clamp" => OutOfRange::Clamp,
        other => panic!("no mode {other}"),
    }
}

fn indexed<T: Held>(x: &Array<T>, step: &Step, args: &[&Any]) -> Answer {
    match args.get(1) {
        Some(Any::I32(indices)) => by(x, indices, step, args),
        Some(Any::U32(indices)) => by(x, indices, step, args),
        _ => None,
    }
}

fn by<T: Held, I: ArrayIndex>(x: &Array<T>, indices: &Array<I>, step: &Step, args: &[&Any]) -> Answer {
    let (values, error) = (|| T::of(args[2]), OutOfRange::Error);
    Some(Ok(T::any(match step.op.as_str() {
        "take" => x.take(indices, outside(step.text(0))),
        "take_axis" => x.take_axis(indices, step.int(0), outside(step.text(1))),
        "take_along_axis" => x.take_along_axis(indices, step.int(0), error),
        "put" => x.put(indices, values(), outside(step.text(0))),
        "put_along_axis" => x.put_along_axis(indices, values(), step.int(0), error),
        _ => return None,
    })))
}

fn numbers<T: Number + Held>(x: &Array<T>, step: &Step, args: &[&Any]) -> Answer {
    Some(Ok(T::any(match step.op.as_str() {
        "diff" => x.diff(step.size(0), step.int(1)),
        "adjacent_difference" => x.adjacent_difference(step.int(0)),
        "trace" => x.trace(step.int(0), step.int(1), step.int(2)),
        _ => {
            return match args.get(1) {
                Some(Any::I32(indices)) => scattered(x, indices, step, args),
                Some(Any::U32(indices)) => scattered(x, indices, step, args),
                _ => None,
            };
        }
    })))
}

fn scattered<T: Number + Held, I: ArrayIndex>(x: &Array<T>, i: &Array<I>, step: &Step, args: &[&Any]) -> Answer {
    let (values, error) = (|| T::of(args[2]), OutOfRange::Error);
    let ordered = |combine| x.scatter_ordered(i, values(), combine, error);
    Some(Ok(T::any(match step.op.as_str() {
        "scatter_add" => x.scatter_add(i, values(), error),
        "scatter_min" => x.scatter_min(i, values(), error),
        "scatter_max" => x.scatter_max(i, values(), error),
        "scatter_ordered_add" => ordered(Combine::Add),
        "scatter_ordered_min" => ordered(Combine::Minimum),
        "scatter_ordered_max" => ordered(Combine::Maximum),
        "scatter_ordered_replace" => ordered(Combine::Replace),
        _ => return None,
    })))
}
