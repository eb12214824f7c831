//! Reduce: combines the values of a fused expression along some axes; `shaders/reduce_rows.wgsl`, `reduce_columns.wgsl`.
//!
//! Bound by memory: every input once. Two launches where one output needs many workgroups: partial states, then
//! their combination, in a fixed order (no float atomics), so the same input gives the same bits on a device.

use super::expression::Expression;
use super::fuse::{Dim, Fusion, Mode, atomic_store, collapse};
use super::map::{leaf_walks, points, read_slots, slot_bytes};
use super::windows::Walk;
use crate::caps::Caps;
use crate::element::{Class, DType, Scalar};
use crate::error::Result;
use crate::kernel::{Draft, Kernel};
use crate::op::{Access, Binding, Grid, Host, Op, Pass, Plan, Slot, Value};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

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
    /// A WGSL expression over `a` and `b`, associative and commutative, and the value that changes nothing.
    Custom(Arc<str>, Scalar),
}

impl Operator {
    /// The name, as the method of [`crate::Array`].
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
            Operator::Custom(..) => "reduce",
        }
    }

    /// The type of the result for elements of type `dtype`.
    pub fn result(&self, dtype: DType) -> DType {
        match self {
            Operator::Any | Operator::All => DType::Bool,
            Operator::CountNonzero | Operator::ArgMinimum | Operator::ArgMaximum => DType::U32,
            _ => dtype,
        }
    }

    /// Whether there is a result without elements.
    pub(crate) fn has_identity(&self) -> bool {
        !matches!(self, Operator::Minimum | Operator::Maximum | Operator::ArgMinimum | Operator::ArgMaximum)
    }

    fn is_arg(&self) -> bool {
        matches!(self, Operator::ArgMinimum | Operator::ArgMaximum)
    }

    /// The type that is combined: half floats add up in f32, truth values are words.
    fn accumulator(&self, dtype: DType) -> DType {
        match self {
            Operator::Any | Operator::All | Operator::CountNonzero => DType::U32,
            Operator::Sum | Operator::Product if dtype == DType::F16 => DType::F32,
            _ => dtype,
        }
    }

    /// The value that changes nothing, in the accumulator's type.
    fn identity(&self, dtype: DType) -> Scalar {
        let accumulator = self.accumulator(dtype);
        let (low, high) = match accumulator.class() {
            Class::Float => (f64::NEG_INFINITY, f64::INFINITY),
            _ => (f64::MIN, f64::MAX), // saturates to the type's ends
        };
        match self {
            Operator::Custom(_, identity) => *identity,
            Operator::Product | Operator::All => Scalar::from_f64(accumulator, 1.0),
            Operator::Minimum | Operator::ArgMinimum => Scalar::from_f64(accumulator, high),
            Operator::Maximum | Operator::ArgMaximum => Scalar::from_f64(accumulator, low),
            _ => Scalar::from_f64(accumulator, 0.0),
        }
    }

    /// The result of no elements.
    pub(crate) fn empty_result(&self, dtype: DType) -> Scalar {
        match self {
            Operator::Custom(_, identity) => *identity,
            _ => Value::of(self.identity(dtype)).scalar(self.result(dtype)),
        }
    }

    /// WGSL declarations: `State`, `lift`, `combine`, `result`.
    fn text(&self, dtype: DType) -> String {
        let (from, state) = (dtype.wgsl(), self.accumulator(dtype).wgsl());
        let nan = |x: &str| is_nan(x, dtype);
        let lift = match self {
            Operator::Any | Operator::All | Operator::CountNonzero if dtype == DType::Bool => {
                "select(0u, 1u, v)".to_string()
            }
            Operator::Any | Operator::All | Operator::CountNonzero => format!("select(1u, 0u, v == {from}(0))"),
            _ => format!("{state}(v)"),
        };
        let combine = match self {
            Operator::Sum | Operator::CountNonzero => "a + b".to_string(),
            Operator::Product => "a * b".to_string(),
            Operator::Minimum => format!("select(b, a, (a < b) | {})", nan("a")),
            Operator::Maximum => format!("select(b, a, (a > b) | {})", nan("a")),
            Operator::Any => "a | b".to_string(),
            Operator::All => "a & b".to_string(),
            // On a line of its own: it may end in a comment.
            Operator::Custom(expression, _) => format!("(\n{expression}\n)"),
            Operator::ArgMinimum | Operator::ArgMaximum => return self.arg_text(dtype),
        };
        let to = self.result(dtype);
        let result = if to == DType::Bool { "s != 0u".to_string() } else { format!("{}(s)", to.wgsl()) };
        format!(
            "alias State = {state};\nfn lift(v: {from}, position: u32) -> State {{ return {lift}; }}\n\
             fn combine(a: State, b: State) -> State {{ return {combine}; }}\n\
             fn result(s: State) -> {} {{ return {result}; }}\n",
            to.wgsl()
        )
    }

    fn arg_text(&self, dtype: DType) -> String {
        let value = dtype.wgsl();
        let better = if *self == Operator::ArgMinimum { "<" } else { ">" };
        format!(
            "struct State {{ value: {value}, position: u32 }}\n\
             fn lift(v: {value}, position: u32) -> State {{ return State(v, position); }}\n\
             fn combine(a: State, b: State) -> State {{\n    \
             let a_nan = {}; let b_nan = {};\n    \
             let tie = ((a.value == b.value) | a_nan) & (a_nan == b_nan);\n    \
             let first = select(a_nan | (!b_nan & (a.value {better} b.value)), a.position < b.position, tie);\n    \
             return State(select(b.value, a.value, first), select(b.position, a.position, first));\n}}\n\
             fn result(s: State) -> u32 {{ return s.position; }}\n",
            is_nan("a.value", dtype),
            is_nan("b.value", dtype),
        )
    }

    /// The result by definition over values in order.
    fn meaning(&self, dtype: DType, values: impl Iterator<Item = Value>) -> Value {
        let float = dtype.class() == Class::Float;
        match self {
            Operator::Sum if float => Value::Float(values.map(|v| v.float()).sum()),
            Operator::Product if float => Value::Float(values.map(|v| v.float()).product()),
            Operator::Sum => values.fold(Value::Int(0), |a, v| Value::Int(a.int() + v.int()).cast(dtype)),
            Operator::Product => values.fold(Value::Int(1), |a, v| Value::Int(a.int() * v.int()).cast(dtype)),
            Operator::Any => Value::Bool(values.fold(false, |a, v| a | v.truth())),
            Operator::All => Value::Bool(values.fold(true, |a, v| a & v.truth())),
            Operator::CountNonzero => Value::Int(values.filter(|v| v.truth()).count() as i128),
            Operator::Minimum | Operator::Maximum => self.best(float, values).0,
            Operator::ArgMinimum | Operator::ArgMaximum => Value::Int(self.best(float, values).1 as i128),
            Operator::Custom(text, _) => {
                panic!("there is no reference for the operator {text:?}: tests compare with their own")
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

/// A test of the bits: compilers may assume that there is no NaN.
fn is_nan(x: &str, dtype: DType) -> String {
    match dtype {
        DType::F32 => format!("((bitcast<u32>({x}) & 0x7fffffffu) > 0x7f800000u)"),
        DType::F16 | DType::F64 => format!("(!({x} == {x}))"),
        _ => "false".into(),
    }
}

/// A reduction over some axes of an expression's index space.
#[derive(Clone, Debug)]
pub struct Reduce {
    /// What is reduced.
    pub expression: Expression,
    /// Its index space.
    pub shape: Vec<usize>,
    /// Which axes are reduced.
    pub reduced: Vec<bool>,
    /// How values are combined.
    pub operator: Operator,
    /// The output's slot, after all inputs. It is fresh and filled without gaps.
    pub output: usize,
}

/// How a reduction is laid over a device.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Tuning {
    /// Steps without a check between them.
    unroll: u32,
    /// Rows: values for each lane of a workgroup, at least.
    per_lane: u64,
    /// Rows: workgroups for all outputs together, at most, where outputs are cut into chunks.
    row_groups: u64,
    /// Columns: unrolled steps of an invocation, at least.
    column_steps: u64,
    /// Columns: workgroups wanted before outputs are no longer cut into chunks.
    column_groups: u64,
}

/// H200, 2^28 f32, Vulkan, 2026-11-21, GB/s (CUB's sum 4454): sum with unroll 4, 8, 16: 4373, 4425, 4450; max 4363,
/// 4401, 4234; arg_max 3697, 3447, 2914: its state is twice as large. Sum with row_groups 2112, 4096, 16384: 4361, 4349,
/// 4425. Columns with column_steps 2, 16: 4291, 4407: fewer partial sums.
fn tuning(operator: &Operator) -> Tuning {
    Tuning {
        unroll: if operator.is_arg() { 4 } else { 8 },
        per_lane: 64,
        row_groups: 16384,
        column_steps: 16,
        column_groups: 1056,
    }
}

/// Which of the two kernels, and its shape.
struct Shape {
    columns: bool,
    /// Rows: invocations for an output. Columns: invocations side by side.
    lanes: u32,
    chunks: u64,
    span: u64,
    groups: u64,
}

impl Reduce {
    fn outputs(&self) -> u64 {
        self.shape.iter().zip(&self.reduced).filter(|(_, r)| !**r).map(|(&e, _)| e as u64).product()
    }

    fn extent(&self) -> u64 {
        self.shape.iter().zip(&self.reduced).filter(|(_, r)| **r).map(|(&e, _)| e as u64).product()
    }

    /// Axes in the order kept, reduced.
    fn order(&self) -> Vec<usize> {
        let axes = 0..self.shape.len();
        axes.clone().filter(|&a| !self.reduced[a]).chain(axes.filter(|&a| self.reduced[a])).collect()
    }

    /// The leaves, the position among the reduced, and the output, over (kept, reduced) dimensions.
    fn fusion<'a>(&self, expression: &'a Expression) -> Fusion<'a> {
        let order = self.order();
        let group = |axis: &usize| Dim { group: self.reduced[*axis] as usize, extent: self.shape[*axis] as u64 };
        let mut dims: Vec<Dim> = order.iter().map(group).collect();
        let mut walks = leaf_walks(expression);
        for walk in &mut walks {
            walk.strides = order.iter().map(|&axis| walk.strides[axis]).collect();
        }
        collapse(&mut dims, &mut walks);
        let modes = vec![Mode::Scalar; walks.len()];
        Fusion { expression, variables: &["k", "r"], dims, walks, modes, width: 1, lanes: 1, output: None }
    }

    /// The expression with the reduced position as one more leaf, which no step reads.
    fn with_position(&self) -> Expression {
        let mut expression = self.expression.clone();
        let order = self.order();
        let mut strides = vec![0; self.shape.len()];
        let mut step = 1;
        for &axis in order.iter().rev().filter(|&&axis| self.reduced[axis]) {
            strides[axis] = step;
            step *= self.shape[axis] as i64;
        }
        expression.leaves.push(super::expression::Leaf {
            source: super::expression::Source::Index,
            dtype: DType::U32,
            len: 0,
            offset: 0,
            strides,
        });
        expression
    }

    /// Rows if neighbours in memory are reduced together, columns if they belong to neighbouring outputs.
    fn wants_columns(&self, fusion: &Fusion) -> bool {
        let innermost = |group: usize| fusion.dims.iter().rposition(|dim| dim.group == group);
        let main = fusion.walks.iter().zip(&fusion.expression.leaves).find(|(_, leaf)| leaf.len > 1);
        match (main, innermost(0), innermost(1)) {
            (Some((walk, _)), Some(kept), Some(reduced)) => {
                let step = |dim: usize| walk.strides[dim].unsigned_abs();
                step(kept) != 0 && (step(kept) < step(reduced) || step(reduced) == 0)
            }
            _ => false,
        }
    }

    fn lay_out(&self, caps: &Caps, columns: bool, width: u64, outputs: u64, extent: u64) -> Shape {
        let (tuning, workgroup) = (tuning(&self.operator), caps.workgroup() as u64);
        let (lanes, blocks, tile, wanted) = if columns {
            let units = outputs.div_ceil(width);
            let lanes = units.next_power_of_two().min(workgroup / 4).min(64);
            let blocks = units.div_ceil(lanes);
            let tile = workgroup / lanes * tuning.column_steps * tuning.unroll as u64;
            (lanes, blocks, tile, tuning.column_groups.div_ceil(blocks))
        } else {
            let units = extent.div_ceil(width);
            let lanes = units.div_ceil(4).next_power_of_two().min(workgroup);
            let blocks = outputs.div_ceil(workgroup / lanes);
            let tile = lanes * tuning.per_lane.max(tuning.unroll as u64 * width);
            // A row that less than a workgroup shares is short: no need to cut it.
            (lanes, blocks, tile, if lanes < workgroup { 1 } else { tuning.row_groups.div_ceil(blocks) })
        };
        let chunks = extent.div_ceil(tile).min(wanted).max(1);
        let span = extent.div_ceil(chunks).next_multiple_of(tile.min(extent.next_multiple_of(4)));
        let chunks = extent.div_ceil(span).max(1);
        Shape { columns, lanes: lanes as u32, chunks, span, groups: blocks * chunks }
    }

    /// The kernel of the first launch (`fusion`) or of the second, which combines states (`None`). It stores results
    /// if it is the last, else states.
    fn kernel(&self, fusion: Option<&Fusion>, shape: &Shape, last: bool, caps: &Caps) -> Kernel {
        let mut key = b"reduce".to_vec();
        key.push(self.expression.dtype() as u8);
        key.extend(format!("{:?}{last}{}.{}.{}", self.operator, shape.columns, shape.lanes, caps.workgroup()).bytes());
        if let Some(fusion) = fusion {
            fusion.key(&mut key);
        }
        Kernel::cached(key, caps, || self.draft(fusion, shape, last, caps))
    }

    fn draft(&self, fusion: Option<&Fusion>, shape: &Shape, last: bool, caps: &Caps) -> Draft {
        let dtype = self.expression.dtype();
        let unroll = tuning(&self.operator).unroll;
        let file = if shape.columns { "reduce_columns" } else { "reduce_rows" };
        let identity = self.operator.identity(dtype);
        let mut params: Vec<String> = PARAMS.iter().map(|name| name.to_string()).collect();
        params.extend(["identity", "identity_high"].iter().zip(identity.words()).map(|(name, _)| name.to_string()));
        let inputs = fusion.map_or(vec![Access::Read], |fusion| fusion.access());
        let width = fusion.map_or(1, |fusion| fusion.width);
        let mut text = self.operator.text(dtype) + &identity_text(identity, self.operator.is_arg());
        text += &finish_text(self.operator.result(dtype), inputs.len(), last);
        match fusion {
            Some(fusion) => {
                params.extend(fusion.param_names());
                text += &fusion.text();
                text += &accumulate_text(fusion, shape, unroll, self.operator.is_arg());
            }
            None => text += &combine_states_text(shape, unroll),
        }
        let of = if fusion.is_some() { "of a fused expression" } else { "of partial states" };
        Draft {
            name: format!("{} {of} by {}", self.operator.name(), if shape.columns { "columns" } else { "rows" }),
            file,
            entry: if shape.columns { "columns" } else { "rows" },
            constants: vec![
                ("WORKGROUP", caps.workgroup()),
                (if shape.columns { "COLUMNS" } else { "LANES" }, shape.lanes),
                ("WIDTH", width),
                ("UNROLL", unroll),
            ],
            params,
            access: [inputs, vec![Access::Write]].concat(),
            text,
            width,
            f16: fusion.is_some_and(|fusion| fusion.uses_f16()) || dtype == DType::F16,
            trusted: !matches!(self.operator, Operator::Custom(..)),
        }
    }

    fn state_bytes(&self) -> u64 {
        let size = self.operator.accumulator(self.expression.dtype()).size() as u64;
        if self.operator.is_arg() { size.max(4) * 2 } else { size }
    }
}

fn identity_text(identity: Scalar, arg: bool) -> String {
    let low = "params.identity";
    let both = "((u64(params.identity_high) << 32u) | u64(params.identity))";
    let value = match identity.dtype {
        DType::F32 => format!("bitcast<f32>({low})"),
        DType::F16 => format!("f16(bitcast<f32>({low}))"),
        DType::I32 => format!("bitcast<i32>({low})"),
        DType::U64 => both.into(),
        DType::I64 => format!("bitcast<i64>{both}"),
        DType::F64 => format!("bitcast<f64>{both}"),
        _ => low.into(),
    };
    let value = if arg { format!("State({value}, 0xffffffffu)") } else { value };
    format!("fn identity() -> State {{ return {value}; }}\n")
}

/// `finish`: stores a state, laid out [chunk][output], or a result.
fn finish_text(dtype: DType, binding: usize, last: bool) -> String {
    let element = match (last, dtype.per_word()) {
        (false, _) => "State",
        (true, 1) => dtype.wgsl(),
        (true, _) => "atomic<u32>",
    };
    let store = match last {
        true => {
            format!("    let at = params.first_output + k;\n    let v = result(state);\n{}", atomic_store("y", dtype))
        }
        false => "    y[(params.first_chunk + chunk) * params.all_outputs + k] = state;\n".to_string(),
    };
    format!(
        "@group(0) @binding({binding}) var<storage, read_write> y: array<{element}>;\n\
         fn finish(k: u32, chunk: u32, state: State) {{\n{store}}}\n"
    )
}

/// The open functions of the first launch: UNROLL steps with their loads first, and one checked step.
fn accumulate_text(fusion: &Fusion, shape: &Shape, unroll: u32, arg: bool) -> String {
    let lane = |lane: usize| if fusion.width == 1 { String::new() } else { format!(".{}", ["x", "y", "z", "w"][lane]) };
    let lanes = fusion.width as usize;
    let text = if arg { position_text(fusion) } else { "fn position(k: u32, r: u32) -> u32 { return r; }\n".into() };
    let step = if shape.columns { "WORKGROUP / COLUMNS" } else { "LANES * WIDTH" };
    let mut body = String::new();
    for u in 0..unroll {
        body += &format!("    let r{u} = r + {u}u * ({step});\n    let v{u} = value(k, r{u});\n");
    }
    if shape.columns {
        for u in 0..unroll {
            for l in 0..lanes {
                body += &format!("    s[{l}] = combine(s[{l}], lift(v{u}{}, position(k, r{u})));\n", lane(l));
            }
        }
        let tail: String = (0..lanes)
            .map(|l| format!("    s[{l}] = combine(s[{l}], lift(v{}, position(k, r)));\n", lane(l)))
            .collect();
        return text
            + &format!(
                "alias States = array<State, WIDTH>;\nfn accumulate(state: States, k: u32, r: u32) -> States {{\n    var s = state;\n{body}    return s;\n}}\n\
             fn accumulate_tail(state: States, k: u32, r: u32) -> States {{\n    var s = state;\n    let v = value(k, r);\n{tail}    return s;\n}}\n"
            );
    }
    // Four independent chains, then a tree: neither waits for the other.
    for l in 0..lanes {
        body += &format!("    var s{l} = lift(v0{}, position(k, r0) + {l}u);\n", lane(l));
        for u in 1..unroll {
            body += &format!("    s{l} = combine(s{l}, lift(v{u}{}, position(k, r{u}) + {l}u));\n", lane(l));
        }
    }
    body += match lanes {
        1 => "    return combine(state, s0);\n",
        _ => "    return combine(state, combine(combine(s0, s1), combine(s2, s3)));\n",
    };
    let tail: String = (0..lanes)
        .map(|l| format!("    if (r + {l}u < end) {{ s = combine(s, lift(v{}, position(k, r) + {l}u)); }}\n", lane(l)))
        .collect();
    text + &format!(
        "fn accumulate(state: State, k: u32, r: u32) -> State {{\n{body}}}\n\
         fn accumulate_tail(state: State, k: u32, r: u32, end: u32) -> State {{\n    var s = state;\n    let v = value(k, r);\n{tail}    return s;\n}}\n"
    )
}

/// `position(k, r)`: the place among the reduced elements, which is the last leaf's address.
fn position_text(fusion: &Fusion) -> String {
    fusion.address_text("position", fusion.walks.len() - 1)
}

/// The open functions of the second launch, which combines states laid out [r][k].
fn combine_states_text(shape: &Shape, unroll: u32) -> String {
    let step = if shape.columns { "(WORKGROUP / COLUMNS)" } else { "LANES" };
    let mut loads = String::new();
    for u in 0..unroll {
        loads += &format!("    let v{u} = x[(r + {u}u * {step}) * params.outputs + k];\n");
    }
    let chain =
        |state: &str| (0..unroll).map(|u| format!("    {state} = combine({state}, v{u});\n")).collect::<String>();
    let head = "@group(0) @binding(0) var<storage, read> x: array<State>;\n";
    match shape.columns {
        true => format!(
            "{head}alias States = array<State, WIDTH>;\n\
             fn accumulate(state: States, k: u32, r: u32) -> States {{\n    var s = state;\n{loads}{}    return s;\n}}\n\
             fn accumulate_tail(state: States, k: u32, r: u32) -> States {{\n    var s = state;\n    \
             s[0] = combine(s[0], x[r * params.outputs + k]);\n    return s;\n}}\n",
            chain("s[0]")
        ),
        false => format!(
            "{head}fn accumulate(state: State, k: u32, r: u32) -> State {{\n    var s = state;\n{loads}{}    return s;\n}}\n\
             fn accumulate_tail(state: State, k: u32, r: u32, end: u32) -> State {{\n    \
             return combine(state, x[r * params.outputs + k]);\n}}\n",
            chain("s")
        ),
    }
}

/// The parameters that every reduction has, before the identity's bits and the fusion's own.
const PARAMS: [&str; 7] = ["outputs", "extent", "chunks", "span", "first_chunk", "first_output", "all_outputs"];

/// Outputs that lie side by side, and the boxes of the index space that they reduce.
struct Cell {
    first_output: u64,
    outputs: u64,
    parts: Vec<Vec<Range<u64>>>,
}

impl Reduce {
    /// The expression as the kernels see it.
    fn kernel_expression(&self) -> Expression {
        if self.operator.is_arg() { self.with_position() } else { self.expression.clone() }
    }

    /// Chunk lengths of the (kept, reduced) dimensions so that every buffer fits its binding, outputs of a chunk lie
    /// side by side, and the partial states fit too.
    fn chunks(&self, fusion: &Fusion, caps: &Caps) -> Vec<u64> {
        let mut space = fusion.space();
        let kept = fusion.dims.iter().filter(|dim| dim.group == 0).count();
        let mut strides = vec![0; fusion.dims.len()];
        let mut step = 1;
        for dim in (0..kept).rev() {
            strides[dim] = step;
            step *= fusion.dims[dim].extent as i64;
        }
        let size = self.state_bytes().max(self.operator.result(self.expression.dtype()).size() as u64);
        space.arrays.push(Walk { offset: 0, strides, size });
        let mut chunk = space.chunks(caps.binding_bytes, 4096);
        loop {
            if let Some(cut) = (0..kept).rev().find(|&dim| chunk[dim] < space.extents[dim]) {
                chunk[..cut].fill(1);
            }
            let parts: u64 = (kept..chunk.len()).map(|dim| space.extents[dim].div_ceil(chunk[dim])).product();
            let outputs: u64 = chunk[..kept].iter().product();
            match (0..kept).find(|&dim| chunk[dim] > 1) {
                Some(dim) if parts > 1 && parts * outputs * self.state_bytes() > caps.binding_bytes => {
                    chunk[dim] = chunk[dim].div_ceil(2).next_multiple_of(4).min(chunk[dim] - 1);
                }
                _ => return chunk,
            }
        }
    }

    fn cells(&self, fusion: &Fusion, chunk: &[u64]) -> Vec<Cell> {
        let kept = fusion.dims.iter().filter(|dim| dim.group == 0).count();
        let mut cells: Vec<Cell> = Vec::new();
        for cut in fusion.space().boxes(chunk) {
            let flat = |at: &dyn Fn(&Range<u64>) -> u64| {
                cut[..kept].iter().zip(&fusion.dims).fold(0, |flat, (range, dim)| flat * dim.extent + at(range))
            };
            let first_output = flat(&|range| range.start);
            let outputs = cut[..kept].iter().map(|range| range.end - range.start).product();
            match cells.last_mut() {
                Some(cell) if cell.first_output == first_output => cell.parts.push(cut),
                _ => cells.push(Cell { first_output, outputs, parts: vec![cut] }),
            }
        }
        cells
    }
}

impl Op for Reduce {
    fn name(&self) -> &'static str {
        "reduce"
    }

    fn slots(&self) -> Vec<Slot> {
        let dtype = self.operator.result(self.expression.dtype());
        let output = Slot { name: "output".into(), access: Access::Write, dtype, len: self.outputs() as usize };
        [read_slots(&self.expression), vec![output]].concat()
    }

    /// Not for an empty range: there the result is the identity, and no kernel is needed.
    fn plan(&self, caps: &Caps) -> Result<Plan> {
        let mut plan = Plan::default();
        if self.shape.contains(&0) {
            return Ok(plan);
        }
        let expression = self.kernel_expression();
        let mut fusion = self.fusion(&expression);
        let columns = self.wants_columns(&fusion);
        let chunk = self.chunks(&fusion, caps);
        fusion.widen(&chunk, if columns { 0 } else { 1 }, !columns);
        let bytes = |slot: usize| slot_bytes(&self.expression, slot).expect("a fusion's bindings are its leaves");
        let scratch = self.output + 1;
        let identity: Vec<u32> = self.operator.identity(self.expression.dtype()).words().collect();
        for cell in self.cells(&fusion, &chunk) {
            let kept = fusion.dims.iter().filter(|dim| dim.group == 0).count();
            let extent =
                |cut: &Vec<Range<u64>>| cut[kept..].iter().map(|range| range.end - range.start).product::<u64>();
            let shapes: Vec<Shape> = cell
                .parts
                .iter()
                .map(|cut| self.lay_out(caps, columns, fusion.width as u64, cell.outputs, extent(cut)))
                .collect();
            let all_chunks: u64 = shapes.iter().map(|shape| shape.chunks).sum();
            let direct = all_chunks == 1;
            let mut first_chunk = 0;
            for (cut, shape) in cell.parts.iter().zip(&shapes) {
                let (params, mut buffers) = fusion.params(cut, caps.offset_alignment, &bytes);
                let (output, first_output) = match direct {
                    true => self.output_window(&cell, caps),
                    false => (self.scratch_window(scratch, cell.outputs * all_chunks), 0),
                };
                buffers.push(output);
                let own =
                    [cell.outputs, extent(cut), shape.chunks, shape.span, first_chunk, first_output, cell.outputs];
                plan.passes.push(Pass {
                    kernel: self.kernel(Some(&fusion), shape, direct, caps),
                    buffers,
                    params: [own.map(|word| word as u32).to_vec(), identity.clone(), params].concat(),
                    grid: Grid::Count(shape.groups),
                });
                first_chunk += shape.chunks;
            }
            if !direct {
                let states = self.scratch_window(scratch, cell.outputs * all_chunks);
                let mut shape = self.lay_out(caps, cell.outputs > 1, 1, cell.outputs, all_chunks);
                shape.groups /= shape.chunks;
                let (output, first_output) = self.output_window(&cell, caps);
                let own = [cell.outputs, all_chunks, 1, all_chunks, 0, first_output, cell.outputs];
                plan.passes.push(Pass {
                    kernel: self.kernel(None, &shape, true, caps),
                    buffers: vec![states, output],
                    params: [own.map(|word| word as u32).to_vec(), identity.clone()].concat(),
                    grid: Grid::Count(shape.groups),
                });
                plan.scratch.resize(1, 0);
                plan.scratch[0] = plan.scratch[0].max(states.bytes);
            }
        }
        Ok(plan)
    }

    fn flops(&self) -> u64 {
        (self.expression.flops() + 1) * self.outputs() * self.extent()
    }

    fn bytes(&self) -> u64 {
        let extents: Vec<u64> = self.shape.iter().map(|&e| e as u64).collect();
        self.expression.bytes(&extents) + self.outputs() * self.operator.result(self.expression.dtype()).size() as u64
    }

    fn reference(&self, host: &mut Host) {
        let pick = |which: bool| -> Vec<usize> {
            self.shape.iter().zip(&self.reduced).map(|(&e, &r)| if r == which { e } else { 1 }).collect()
        };
        let (kept, reduced) = (pick(false), pick(true));
        let results: Vec<Value> = points(&kept)
            .map(|outer| {
                let values = points(&reduced).map(|inner| {
                    let point: Vec<u64> = outer.iter().zip(&inner).map(|(a, b)| a + b).collect();
                    self.expression.meaning(host, &point)
                });
                self.operator.meaning(self.expression.dtype(), values)
            })
            .collect();
        for (index, value) in results.into_iter().enumerate() {
            host.set(self.output, index, value);
        }
    }
}

impl Reduce {
    fn scratch_window(&self, scratch: usize, states: u64) -> Binding {
        let bytes = (states * self.state_bytes()).next_multiple_of(64);
        Binding { buffer: scratch, offset: 0, bytes }
    }

    /// The window of the output that a cell fills, and the cell's first element in it.
    fn output_window(&self, cell: &Cell, caps: &Caps) -> (Binding, u64) {
        let dtype = self.operator.result(self.expression.dtype());
        let (size, alignment) = (dtype.size() as u64, caps.offset_alignment.max(64));
        let offset = cell.first_output * size / alignment * alignment;
        let end = ((cell.first_output + cell.outputs) * size).next_multiple_of(4);
        (Binding { buffer: self.output, offset, bytes: end - offset }, cell.first_output - offset / size)
    }
}
