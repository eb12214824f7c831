//! `shaders/rendered/`: what the kernels are that the library writes for a large card, one file a kernel, to be read. Their text
//! is made of the files in `shaders/` and of what operations append. A difference fails; `CROSSLANE_RENDER=1` writes the files
//! anew.

use crosslane::DType;
use crosslane::array::Precision;
use crosslane::device::Caps;
use crosslane::op::{Expression, ExpressionStep, Function, Leaf, LeafSource, Op, Scalar, StepKind};
use crosslane::ops::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn walked(slot: usize, dtype: DType, len: usize, strides: &[i64]) -> Expression {
    let leaf = Leaf { source: LeafSource::Slot(slot), dtype, len, offset: 0, strides: strides.to_vec() };
    let steps = vec![ExpressionStep { what: StepKind::Leaf(0), dtype }];
    Expression { leaves: vec![leaf], steps, ..Expression::default() }
}

fn row(slot: usize, dtype: DType, len: usize) -> Expression {
    walked(slot, dtype, len, &[1])
}

/// `2 x + 1` and its like: a function over what the leaf gives.
fn called(mut expression: Expression, function: Function) -> Expression {
    let dtype = expression.dtype();
    expression.steps.push(ExpressionStep { what: StepKind::Call(function, vec![0]), dtype: function.result(dtype) });
    expression
}

fn map(expression: Expression, shape: &[usize], strides: &[i64]) -> Map {
    let (output_len, output_offset, output_strides) = (shape.iter().product(), 0, strides.to_vec());
    let (output, shape, fresh, count, fill) = (1, shape.to_vec(), true, None, None);
    Map { expression, shape, output, output_len, output_offset, output_strides, fresh, count, fill }
}

fn product(dtype: DType) -> Matmul {
    const SIDE: usize = 4096;
    let line = SIDE as i64;
    let side = |slot, strides: [i64; 3]| walked(slot, dtype, SIDE * SIDE, &strides);
    let (sides, extents) =
        ([side(0, [line, 0, 1]), side(1, [0, 1, line])], [vec![], vec![SIDE], vec![SIDE], vec![SIDE]]);
    let (epilogue, precision, output) = (Expression::given(Matmul::sums(dtype), 3), Precision::Exact, 2);
    Matmul { extents, sides, epilogue, precision, output }
}

fn sort(dtype: DType, rows: usize, length: usize, payload: Payload) -> Sort {
    let (keys, bits) = (row(0, dtype, rows * length), 0..8 * dtype.size() as u32);
    let (descending, count, gives_keys, output) = (false, None, true, 1 + !matches!(payload, Payload::None) as usize);
    Sort { keys, payload, rows, length, descending, bits, count, gives_keys, output }
}

fn softmax(columns: usize) -> Normalise {
    let (shape, strides) = (vec![1024, columns], [columns as i64, 1]);
    let expression = walked(0, DType::F32, 1024 * columns, &strides);
    let (reduced, normalisation, weight, bias, output) = (vec![false, true], Normalisation::Softmax, None, None, 1);
    Normalise { expression, shape, reduced, normalisation, weight, bias, output }
}

fn sum(rows: usize, columns: usize, reduced: [bool; 2]) -> Reduce {
    let expression = walked(0, DType::F32, rows * columns, &[columns as i64, 1]);
    let (shape, operator, count, output) = (vec![rows, columns], Operator::Sum, None, 1);
    Reduce { expression, shape, reduced: reduced.to_vec(), operator, count, output }
}

fn scan(shape: &[usize], strides: &[i64], axis: usize) -> PrefixScan {
    let expression = walked(0, DType::F32, shape.iter().product(), strides);
    let (heads, shape, operator, exclusive, reverse, output) = (None, shape.to_vec(), Operator::Sum, true, false, 1);
    PrefixScan { expression, heads, shape, axis, operator, exclusive, reverse, output }
}

fn histogram(bins: usize) -> Histogram {
    let end = |value: f32| Scalar { dtype: DType::F32, bits: value.to_bits() as u128 };
    let rule = Rule::Even { low: end(0.0), high: end(1.0), scale: bins as f64, shift: 0.0, inner: 0.4 };
    let (samples, edges) = (vec![row(0, DType::F32, 1 << 24)], Some(row(1, DType::F32, bins + 1)));
    Histogram { samples, weights: None, shape: vec![1 << 24], axes: vec![Binning { bins, rule }], edges, output: 2 }
}

fn operations() -> Vec<(&'static str, Box<dyn Op>)> {
    const MANY: usize = 1 << 24;
    let (f32, u32) = (DType::F32, DType::U32);
    let by_key = || {
        let (values, keys) = (row(0, f32, MANY), row(1, u32, MANY));
        ByKey { values, keys, len: MANY, operator: Operator::Sum, output: 2 }
    };
    let select = || {
        let (values, condition) = (row(1, f32, MANY), row(0, DType::Bool, MANY));
        Select { values, condition, len: MANY, fill: None, output: 2 }
    };
    vec![
        ("map_sqrt", Box::new(map(called(row(0, f32, MANY), Function::Sqrt), &[MANY], &[1]))),
        ("map_transposed", Box::new(map(walked(0, f32, MANY, &[1, 4096]), &[4096, 4096], &[4096, 1]))),
        ("reduce_all", Box::new(sum(1, MANY, [true, true]))),
        ("reduce_rows", Box::new(sum(4096, 4096, [false, true]))),
        ("reduce_columns", Box::new(sum(4096, 4096, [true, false]))),
        ("scan_row", Box::new(scan(&[MANY], &[1], 0))),
        ("scan_columns", Box::new(scan(&[4096, 4096], &[4096, 1], 0))),
        ("select", Box::new(select())),
        ("by_key", Box::new(by_key())),
        ("runs", Box::new(Runs { values: row(0, u32, MANY), len: MANY, output: 1 })),
        ("sort_keys", Box::new(sort(u32, 1, MANY, Payload::None))),
        ("sort_pairs", Box::new(sort(f32, 1, MANY, Payload::Array(row(1, u32, MANY))))),
        ("sort_short_rows", Box::new(sort(u32, 10_000, 500, Payload::None))),
        ("nth", Box::new(Nth { keys: row(0, f32, MANY), rows: 1, length: MANY, n: MANY / 2, output: 1 })),
        ("top_k", Box::new(TopK { keys: row(0, f32, MANY), rows: 1, length: MANY, k: 100, largest: true, output: 1 })),
        ("histogram_even", Box::new(histogram(256))),
        ("histogram_many", Box::new(histogram(65_536))),
        ("matmul_f32", Box::new(product(f32))),
        ("matmul_f16", Box::new(product(DType::F16))),
        ("softmax_held", Box::new(softmax(1024))),
        ("softmax_long", Box::new(softmax(200_000))),
    ]
}

/// File names and texts: `sort_keys.2.wgsl` is the third kernel of that plan.
fn rendered() -> BTreeMap<String, String> {
    let caps = Caps::nvidia_like();
    let mut all = BTreeMap::new();
    for (name, op) in operations() {
        let passes = op.plan(&caps).unwrap_or_else(|error| panic!("{name}: {error}")).passes;
        let mut kernels: Vec<_> = passes.iter().map(|pass| &pass.kernel).collect();
        kernels.dedup_by_key(|kernel| kernel.id());
        for (nth, kernel) in kernels.iter().enumerate() {
            let file = if kernels.len() == 1 { format!("{name}.wgsl") } else { format!("{name}.{nth}.wgsl") };
            all.insert(file, kernel.source().to_string());
        }
    }
    all
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shaders/rendered")
}

#[test]
fn what_is_rendered_is_what_runs() {
    let rendered = rendered();
    if env::var_os("CROSSLANE_RENDER").is_some() {
        let _ = fs::remove_dir_all(folder());
        fs::create_dir_all(folder()).unwrap();
        rendered.iter().for_each(|(name, text)| fs::write(folder().join(name), text).unwrap());
    }
    let there = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let there: Vec<String> = there.collect();
    for name in &there {
        assert!(rendered.contains_key(name), "shaders/rendered/{name} is no kernel any more: CROSSLANE_RENDER=1");
    }
    for (name, text) in &rendered {
        let kept = fs::read_to_string(folder().join(name)).unwrap_or_default();
        let line = kept.lines().zip(text.lines()).position(|(a, b)| a != b);
        let line = line.unwrap_or(kept.lines().count().min(text.lines().count())) + 1;
        assert!(
            kept == *text,
            "shaders/rendered/{name} differs from line {line} on: CROSSLANE_RENDER=1 writes it anew"
        );
    }
}
