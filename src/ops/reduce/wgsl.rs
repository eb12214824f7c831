//! The text of a reduction's kernels: what the files in `shaders/` leave open.

use super::super::counted::bounded;
use super::super::fuse::{Fusion, Mode, atomic_store};
use super::{Operator, Reduce, Shape, policy};
use crate::caps::Caps;
use crate::element::{DType, Scalar};
use crate::kernel::{Access, Contract, Draft, Feature, Kernel, SumOfRows};

/// The parameters that every reduction has, before the identity's bits and the fusion's own.
const PARAMS: [&str; 7] = ["outputs", "extent", "chunks", "span", "first_chunk", "first_output", "all_outputs"];

impl Reduce {
    /// The kernel of the first launch (`fusion`) or of the second, which combines states (`None`). It stores results
    /// if it is the last, else states.
    pub(super) fn kernel(&self, fusion: Option<&Fusion>, shape: &Shape, last: bool, caps: &Caps) -> Kernel {
        let mut key = b"reduce".to_vec();
        key.push(self.expression.dtype() as u8);
        let (lanes, unroll) = (shape.lanes, policy(&self.operator, caps).unroll);
        let of = (&self.operator, last, shape.columns, lanes, caps.workgroup(), unroll, self.count.is_some());
        key.extend(format!("{of:?}").bytes());
        if let Some(fusion) = fusion {
            fusion.key(&mut key);
        }
        Kernel::cached(key, caps, || {
            let draft = self.draft(fusion, shape, last, caps);
            bounded(draft, &[("extent", 1)], self.count.is_some() && fusion.is_some())
        })
    }

    fn draft(&self, fusion: Option<&Fusion>, shape: &Shape, last: bool, caps: &Caps) -> Draft {
        let dtype = self.expression.dtype();
        let unroll = policy(&self.operator, caps).unroll;
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
                text += &fusion.text(0);
                text += &accumulate_text(fusion, shape, unroll, self.operator.is_arg());
            }
            None => text += &combine_states_text(shape, unroll),
        }
        let by = if shape.columns { "columns" } else { "rows" };
        let of = if fusion.is_some() { "of a fused expression" } else { "of partial states" };
        Draft {
            entry: by,
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
            f16: fusion.is_some_and(|fusion| fusion.uses_f16())
                || dtype == DType::F16
                || self.operator.formulas().any(|formula| formula.parts().features.contains(&Feature::F16)),
            trusted: fusion.is_none_or(|fusion| fusion.is_safe())
                && self.operator.formulas().all(|formula| formula.parts().safe),
            contract: fusion.and_then(|fusion| self.contract(fusion, shape, last, caps)),
            ..Draft::new(format!("{} {of} by {by}", self.operator.name()), file)
        }
    }

    /// The sum of f32 in memory, where a workgroup shares an output.
    fn contract(&self, fusion: &Fusion, shape: &Shape, last: bool, caps: &Caps) -> Option<Contract> {
        let params = fusion.param_names();
        let strided = params.len() == 2;
        let fits = self.operator == Operator::Sum
            && self.expression.dtype() == DType::F32
            && self.expression.steps.len() == 1
            && fusion.modes == [Mode::Vector]
            && fusion.slot(0).is_some()
            && fusion.walks[0].strides.iter().filter(|&&stride| stride == 1).count() == 1
            && !shape.columns
            && shape.lanes == caps.workgroup()
            && (params == ["offset0"] || (strided && params[0] == "offset0" && params[1].starts_with("stride0_")));
        let unroll = policy(&self.operator, caps).unroll;
        fits.then_some(Contract::SumOfRows(SumOfRows { workgroup: shape.lanes, unroll, strided, last }))
    }
}

pub(in crate::ops) fn identity_text(identity: Scalar, arg: bool) -> String {
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
        .map(|l| format!("    if (r + {l}u < end) {{ s = combine(s, lift(v{}, position(k, r) + {l}u)); }}\n", lane(l)))
        .collect();
    text + &format!(
        "fn accumulate(state: State, k: u32, r: u32) -> State {{\n{body}}}\n\
         fn accumulate_tail(state: State, k: u32, r: u32, end: u32) -> State {{\n    var s = state;\n    let v = value(k, r);\n{tail}    return s;\n}}\n"
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
    let chain = |state: &str| {
        format!("    {state} = combine({state}, {});\n", tree((0..unroll).map(|u| format!("v{u}")).collect()))
    };
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
