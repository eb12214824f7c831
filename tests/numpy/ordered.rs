//! What orders elements, selects or counts them.

use crate::any::{Answer, Any, Held};
use crate::case::{Step, parsed};
use crate::of_type;
use crosslane::array::Side;
use crosslane::array::{Interpolation, QuantileOptions, SortOptions, TopKOptions};
use crosslane::{Array, Float, Number};

pub fn apply(step: &Step, args: &[&Any]) -> Answer {
    of_type!(args[0], [F16, F32, F64, I32, I64, U8, U16, U32, U64, Bool], sorted(step, args))
        .or_else(|| of_type!(args[0], [F16, F32, F64, I32, I64, U8, U16, U32, U64, Bool], selected(step, args)))
        .or_else(|| of_type!(args[0], [F16, F32, F64, I32, I64, U8, U16, U32, U64, Bool], counted(step, args)))
        .or_else(|| of_type!(args[0], [F16, F32, F64, I32, I64, U32, U64], numbers(step, args)))
        .or_else(|| of_type!(args[0], [F16, F32, F64], floats(step)))
}

fn sorted<T: Held>(x: &Array<T>, step: &Step, args: &[&Any]) -> Answer {
    let options = || {
        let options = SortOptions::default().axis(step.int(0));
        if step.flag(1) { options.descending() } else { options }
    };
    let top = || {
        let options = TopKOptions::default().axis(step.int(1));
        x.top_k_with(step.size(0), &if step.flag(2) { options.smallest() } else { options })
    };
    Some(Ok(match step.op.as_str() {
        "sort" => T::any(x.sort_with(&options())),
        "argsort" => Any::U32(x.argsort_with(&options())),
        "top_k_values" => T::any(top().0),
        "top_k_indices" => Any::U32(top().1),
        "nth" => T::any(x.nth_axis(step.size(0), step.int(1))),
        "sort_pairs_values" => {
            let values = args[1];
            return of_type!(values, [F16, F32, F64, I32, I64, U8, U16, U32, U64, Bool], moved(x));
        }
        _ => return None,
    }))
}

fn moved<V: Held, T: Held>(values: &Array<V>, keys: &Array<T>) -> Answer {
    Some(Ok(V::any(keys.sort_pairs(values).1)))
}

fn selected<T: Held>(x: &Array<T>, step: &Step, args: &[&Any]) -> Answer {
    Some(match step.op.as_str() {
        "unique" => x.unique().to_array().map(T::any),
        "unique_counts" => x.unique_counts().1.to_array().map(Any::U32),
        "unique_firsts" => x.unique_all().firsts.to_array().map(Any::U32),
        "unique_inverse" => Ok(Any::U32(x.unique_all().inverse)),
        "nonzero" => x.nonzero().to_array().map(Any::U32),
        "run_values" => x.run_lengths().0.to_array().map(T::any),
        "run_lengths" => x.run_lengths().1.to_array().map(Any::U32),
        "compress" | "partition" => return of_type!(args[1], [Bool, U8, I32], compressed(x, step)),
        _ => return None,
    })
}

fn compressed<C: Held, T: Held>(condition: &Array<C>, x: &Array<T>, step: &Step) -> Answer {
    Some(match step.op.as_str() {
        "compress" => x.compress(condition).to_array().map(T::any),
        _ => Ok(T::any(x.partition(condition).0)),
    })
}

fn counted<T: Held>(x: &Array<T>, step: &Step, args: &[&Any]) -> Answer {
    let parsed = |i| step.texts(i).into_iter().map(parsed).collect::<Vec<T>>();
    Some(Ok(Any::U32(match step.op.as_str() {
        "searchsorted" => x.searchsorted(T::of(args[1]), if step.text(0) == "left" { Side::Left } else { Side::Right }),
        "digitize" => x.digitize(&parsed(0), if step.flag(1) { Side::Left } else { Side::Right }),
        "histogram" => x.histogram(step.size(0), step.float(1)..step.float(2)).expect("a histogram").0,
        "histogram_edges" => x.histogram_edges(&parsed(0)),
        "histogram2d" => {
            let range = |i: usize| {
                let end = |j: usize| step.json(1)[i][j].as_f64().expect("an end");
                end(0)..end(1)
            };
            x.histogram2d(T::of(args[1]), [step.sizes(0)[0], step.sizes(0)[1]], [range(0), range(1)])
                .expect("a histogram")
                .0
        }
        "bincount" => x.bincount(step.size(0)),
        "bincount_weights" => return Some(Ok(Any::I32(x.bincount_weights(i32::of(args[1]), step.size(0))))),
        _ => return None,
    })))
}

fn numbers<T: Number + Held>(x: &Array<T>, step: &Step, args: &[&Any]) -> Answer {
    match step.op.as_str() {
        "compress_sum" => of_type!(args[1], [Bool, U8, I32], compressed_sum(x)),
        _ => None,
    }
}

fn compressed_sum<C: Held, T: Number + Held>(condition: &Array<C>, x: &Array<T>) -> Answer {
    Some(Ok(T::any(x.compress(condition).sum())))
}

fn floats<T: Float + Held>(x: &Array<T>, step: &Step) -> Answer {
    if step.op != "quantile" {
        return None;
    }
    let between = match step.text(2) {
        "linear" => Interpolation::Linear,
        "lower" => Interpolation::Lower,
        "higher" => Interpolation::Higher,
        "nearest" => Interpolation::Nearest,
        "midpoint" => Interpolation::Midpoint,
        other => panic!("no method {other}"),
    };
    let options = QuantileOptions::default().interpolation(between);
    let options = if step.has(1) { options.axis(step.int(1)) } else { options };
    Some(Ok(T::any(x.quantile_with(step.float(0), &options))))
}
