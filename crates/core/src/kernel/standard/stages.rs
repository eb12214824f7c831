//! What only entry points of rendering may use, told with its place: naga says that a compute entry point has it, not where.

use super::told::told;
use super::words::{built_ins, sizes_without_stage};
use crate::kernel::blocks::each;
use crate::kernel::text::{without_comments, words};
use naga::compact::{KeepUnused, compact};
use naga::{
    Binding, Block, BuiltIn, EntryPoint, Expression, Function, Module, SampleLevel, ShaderStage, Span, Statement,
    TypeInner,
};
use std::ops::Range;

/// The built-in values of compute shaders.
const COMPUTE: [BuiltIn; 10] = [
    BuiltIn::GlobalInvocationId,
    BuiltIn::LocalInvocationId,
    BuiltIn::LocalInvocationIndex,
    BuiltIn::WorkGroupId,
    BuiltIn::WorkGroupSize,
    BuiltIn::NumWorkGroups,
    BuiltIn::NumSubgroups,
    BuiltIn::SubgroupId,
    BuiltIn::SubgroupSize,
    BuiltIn::SubgroupInvocationId,
];

/// Their names in the standard.
const NAMES: [&str; 11] = [
    "global_invocation_id",
    "global_invocation_index",
    "local_invocation_id",
    "local_invocation_index",
    "workgroup_id",
    "workgroup_index",
    "num_workgroups",
    "num_subgroups",
    "subgroup_id",
    "subgroup_size",
    "subgroup_invocation_id",
];

/// Leaves out entry points of rendering, and what only they use: a text may have them beside its kernels.
pub(in super::super) fn compute_only(module: &mut Module) {
    let all = module.entry_points.len();
    module.entry_points.retain(|entry| entry.stage == ShaderStage::Compute);
    if (1..all).contains(&module.entry_points.len()) {
        compact(module, KeepUnused::No);
    }
}

/// An error for a value, a function or a statement that compute shaders do not have.
pub(in super::super) fn misplaced(source: &str, module: &Module) -> Result<(), String> {
    for entry in &module.entry_points {
        inputs(source, module, entry)?;
    }
    let code = without_comments(source);
    if let Some(place) = sizes_without_stage(&code).next() {
        let what = "a function that is no entry point has no size of workgroups";
        return Err(told(source, place, what.into(), "no @compute beside it", "leave it out, or write @compute"));
    }
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    let functions = module.functions.iter().map(|(_, function)| function).chain(entries);
    for function in functions {
        if let Some((what, span)) = of_fragments(function) {
            let remedy = "it is for fragment shaders: a kernel computes differences of its own, reads by textureLoad, and returns";
            let place = span.to_range().unwrap_or_default();
            return Err(told(source, place, format!("kernels have no {what}"), "not in a compute shader", remedy));
        }
    }
    Ok(())
}

/// Whether an entry point's arguments are built-in values of compute shaders.
fn inputs(source: &str, module: &Module, entry: &EntryPoint) -> Result<(), String> {
    let bindings = entry.function.arguments.iter().flat_map(|argument| match &module.types[argument.ty].inner {
        TypeInner::Struct { members, .. } => members.iter().filter_map(|member| member.binding.as_ref()).collect(),
        _ => argument.binding.iter().collect::<Vec<_>>(),
    });
    let is_strange = |binding: &&Binding| !matches!(binding, Binding::BuiltIn(value) if COMPUTE.contains(value));
    let Some(strange) = { bindings }.find(is_strange) else { return Ok(()) };
    let code = without_comments(source);
    let named = matches!(strange, Binding::BuiltIn(_));
    let places: Vec<Range<usize>> = match named {
        true => built_ins(&code).filter(|(_, name)| !NAMES.contains(name)).map(|(place, _)| place).collect(),
        false => words(&code).filter(|(_, word)| *word == "location").map(|(at, word)| at..at + word.len()).collect(),
    };
    // Those of other entry points, and of structures, stand before it.
    let start = words(&code).find(|(_, word)| *word == entry.name).map_or(0, |(at, _)| at);
    let place = places.iter().find(|place| place.start > start).or(places.first()).cloned().unwrap_or_default();
    let name = &code[place.clone()];
    let (what, remedy) = match named {
        true => (format!("kernels have no built-in value `{name}`"), format!("they have {}", NAMES.join(", "))),
        false => ("kernels have no inputs by @location".into(), "take a buffer, or var<immediate>".to_string()),
    };
    Err(told(source, place, what, "not in a compute shader", &remedy))
}

/// What of a function only fragment shaders have.
fn of_fragments(function: &Function) -> Option<(&'static str, Span)> {
    let expression = function.expressions.iter().find_map(|(handle, expression)| {
        let what = match expression {
            Expression::Derivative { .. } => "derivatives",
            Expression::ImageSample { level: SampleLevel::Auto | SampleLevel::Bias(_), .. } => {
                "textureSample, which takes derivatives"
            }
            _ => return None,
        };
        Some((what, function.expressions.get_span(handle)))
    });
    expression.or_else(|| killed(&function.body).map(|span| ("discard", span)))
}

fn killed(body: &Block) -> Option<Span> {
    let in_block = |block: &Block| {
        block.span_iter().find_map(|(statement, span)| matches!(statement, Statement::Kill).then_some(*span))
    };
    let mut found = in_block(body);
    each(body, &mut |_, statement| {
        found = found.or_else(|| crate::kernel::blocks::inside(statement).into_iter().find_map(in_block));
    });
    found
}
