//! The text of a reduction's kernels: what the files in `shaders/` leave open.

use super::super::counted::bounded;
use super::super::fuse::{FusionSpec, Mode, Stride, atomic_store};
use super::operator::Names;
use super::{By, Operator, policy};
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::{DType, word_suffixes};
use crosslane_core::kernel::{Access, Contract, Draft, Feature, Spec, SumOfRows};

/// The parameters that every reduction has, before the identity's bits and the fusion's own.
const PARAMS: [&str; 7] = ["outputs", "extent", "chunks", "span", "first_chunk", "first_output", "all_outputs"];

/// `leave` and `fold`: only the lanes that are wanted.
const FOLD: &str = "fn leave(lane: u32, state: State) { states[lane] = state; }
fn fold(lane: u32, half: u32) {
    if (lane % LANES < half) { states[lane] = combine(states[lane], states[lane + half]); }
}
";

/// All lanes, also those that nobody asks for: a processor's vectors need no masks then. As many identities
/// lie behind the last lane's state.
const FOLD_ALL: &str = "fn leave(lane: u32, state: State) {
    states[lane] = state;
    states[lane + WORKGROUP] = identity();
}
fn fold(lane: u32, half: u32) {
    let state = combine(states[lane], states[lane + half]);
    workgroupBarrier();
    states[lane] = state;
}
";

/// What the text of a reduction depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct ReduceSpec {
    pub operator: Operator,
    /// The type of the elements.
    pub dtype: DType,
    /// What the first launch reads; the second combines states.
    pub fusion: Option<FusionSpec>,
    pub by: By,
    pub workgroup: u32,
    pub lanes: u32,
    /// Whether it stores results, not states.
    pub last: bool,
    /// Whether the device alone knows how many elements count.
    pub counted: bool,
}

impl Spec for ReduceSpec {
    fn draft(&self, caps: &Caps) -> Draft {
        let ReduceSpec { operator, dtype, last, .. } = self;
        let (dtype, unroll, fusion) = (*dtype, policy(operator, caps).unroll, self.fusion.as_ref());
        let (file, by) = match self.by {
            By::Rows => ("reduce_rows", "rows"),
            By::Columns => ("reduce_columns", "columns"),
            By::Lines => ("reduce_lines", "lines"),
        };
        let rows = self.by == By::Rows;
        let mut params: Vec<String> = PARAMS.iter().map(|name| name.to_string()).collect();
        params.extend(word_suffixes(operator.identity(dtype).dtype).map(|end| format!("identity{end}")));
        let inputs = fusion.map_or(vec![Access::Read], |fusion| fusion.access());
        let width = fusion.map_or(1, |fusion| fusion.width);
        let mut text = operator.text(dtype, &Names::USUAL);
        text += &finish_text(operator.result(dtype), inputs.len(), *last);
        match fusion {
            Some(fusion) => {
                params.extend(fusion.param_names());
                text += &fusion.text(0);
                text += &self.accumulate_text(fusion, unroll);
            }
            None => text += &self.combine_states_text(unroll),
        }
        let spare = rows && caps.processor.is_some();
        text += match (rows, spare) {
            (false, _) => "",
            (true, false) => FOLD,
            (true, true) => FOLD_ALL,
        };
        let of = if fusion.is_some() { "of a fused expression" } else { "of partial states" };
        let mut constants = vec![
            ("WORKGROUP", self.workgroup),
            (if rows { "LANES" } else { "COLUMNS" }, self.lanes),
            ("WIDTH", width),
            ("UNROLL", unroll),
        ];
        if rows {
            constants.push(("STATES", if spare { 2 * self.workgroup } else { self.workgroup }));
        }
        let draft = Draft {
            entry: by,
            constants,
            params,
            access: [inputs, vec![Access::Write]].concat(),
            text,
            width,
            f16: fusion.is_some_and(|fusion| fusion.uses_f16())
                || dtype == DType::F16
                || operator.formulas().any(|formula| formula.features().contains(&Feature::F16)),
            trusted: fusion.is_none_or(|fusion| fusion.is_safe()) && operator.formulas().all(|formula| formula.safe()),
            contract: fusion.and_then(|fusion| self.contract(fusion, caps)),
            ..Draft::new(format!("{} {of} by {by}", operator.name()), shader(file))
        };
        bounded(draft, &[("extent", 1)], self.counted)
    }
}

impl ReduceSpec {
    /// The sum of f32 in memory, where a workgroup shares an output.
    fn contract(&self, fusion: &FusionSpec, caps: &Caps) -> Option<Contract> {
        let params = fusion.param_names();
        let strided = params.len() == 2;
        let fits = match &fusion.arrays[..] {
            [array] => {
                array.mode == Mode::Vector
                    && fusion.in_memory(0)
                    && array.strides.iter().filter(|&&stride| stride == Stride::One).count() == 1
            }
            _ => false,
        };
        let fits = fits
            && self.operator == Operator::Sum
            && self.dtype == DType::F32
            && fusion.steps.len() == 1
            && self.by == By::Rows
            && self.lanes == self.workgroup
            && (params == ["offset0"] || (strided && params[0] == "offset0" && params[1].starts_with("stride0_")));
        let unroll = policy(&self.operator, caps).unroll;
        let (workgroup, last) = (self.lanes, self.last);
        fits.then_some(Contract::SumOfRows(SumOfRows { workgroup, unroll, strided, last }))
    }

    /// The open functions of the first launch: UNROLL steps with their loads first, and one checked step.
    fn accumulate_text(&self, fusion: &FusionSpec, unroll: u32) -> String {
        let lane =
            |lane: usize| if fusion.width == 1 { String::new() } else { format!(".{}", ["x", "y", "z", "w"][lane]) };
        let lanes = fusion.width as usize;
        let text = if self.operator.is_arg() {
            position_text(fusion)
        } else {
            "fn position(k: u32, r: u32) -> u32 { return r; }\n".into()
        };
        let step = if self.by == By::Rows { "LANES * WIDTH" } else { "WORKGROUP / COLUMNS" };
        let mut body = String::new();
        for u in 0..unroll {
            body += &format!("    let r{u} = r + {u}u * ({step});\n    let v{u} = value(k, r{u});\n");
        }
        if self.by != By::Rows {
            for l in 0..lanes {
                let lifted = |u: u32| format!("lift(v{u}{}, position(k, r{u}))", lane(l));
                body += &format!("    s[{l}] = combine(s[{l}], {});\n", tree((0..unroll).map(lifted).collect()));
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
            .map(|l| {
                format!("    if (r + {l}u < end) {{ s = combine(s, lift(v{}, position(k, r) + {l}u)); }}\n", lane(l))
            })
            .collect();
        text + &format!(
            "fn accumulate(state: State, k: u32, r: u32) -> State {{\n{body}}}\n\
         fn accumulate_tail(state: State, k: u32, r: u32, end: u32) -> State {{\n    var s = state;\n    let v = value(k, r);\n{tail}    return s;\n}}\n"
        )
    }

    /// The open functions of the second launch, which combines states laid out [r][k].
    fn combine_states_text(&self, unroll: u32) -> String {
        let step = if self.by == By::Rows { "LANES" } else { "(WORKGROUP / COLUMNS)" };
        let mut loads = String::new();
        for u in 0..unroll {
            loads += &format!("    let v{u} = x[(r + {u}u * {step}) * params.outputs + k];\n");
        }
        let chain = |state: &str| {
            format!("    {state} = combine({state}, {});\n", tree((0..unroll).map(|u| format!("v{u}")).collect()))
        };
        let head = "@group(0) @binding(0) var<storage, read> x: array<State>;\n";
        match self.by != By::Rows {
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

/// Neighbours combined until one is left: each value goes through few roundings.
fn tree(mut parts: Vec<String>) -> String {
    while parts.len() > 1 {
        let pair = |pair: &[String]| match pair {
            [a, b] => format!("combine({a}, {b})"),
            _ => pair[0].clone(),
        };
        parts = parts.chunks(2).map(pair).collect();
    }
    parts.remove(0)
}

/// `position(k, r)`: the place among the reduced elements, which is the last leaf's address.
fn position_text(fusion: &FusionSpec) -> String {
    fusion.address_text("position", fusion.arrays.len() - 1)
}
