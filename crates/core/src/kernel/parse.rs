//! A program's WGSL as naga's intermediate representation: parsed, validated, its overrides given values.

use super::alignment;
use super::depth::{self, Depth};
use super::guard::guarded;
use super::open;
use super::reflect::Override;
use super::standard;
use super::unroll::unroll;
use super::{past_end, place, pointers};
use crate::error::{CallSite, Error, ErrorKind, Result};
use naga::back::pipeline_constants::PipelineConstantError;
use naga::front::wgsl::{ParseError, parse_str};
use naga::valid::{Capabilities, ModuleInfo, ValidationError, ValidationFlags, Validator};
use naga::{Literal, Module, ScalarKind, ShaderStage, TypeInner, WithSpan};

/// What a compute kernel may use; [`super::Feature`] says which devices have it.
pub(super) const ALLOWED: Capabilities = Capabilities::IMMEDIATES
    .union(Capabilities::FLOAT64)
    .union(Capabilities::SHADER_FLOAT16)
    .union(Capabilities::SHADER_FLOAT16_IN_FLOAT32)
    .union(Capabilities::SHADER_INT64)
    .union(Capabilities::SHADER_INT64_ATOMIC_MIN_MAX)
    .union(Capabilities::SHADER_INT64_ATOMIC_ALL_OPS)
    .union(Capabilities::SHADER_FLOAT32_ATOMIC)
    .union(Capabilities::SUBGROUP)
    .union(Capabilities::SUBGROUP_BARRIER)
    .union(Capabilities::COOPERATIVE_MATRIX);

/// A kernel's module with nothing left open, and what naga's validator knows of it.
pub struct Parsed {
    /// The module, with its overrides replaced by values.
    pub module: Module,
    /// The validator's results for this module.
    pub info: ModuleInfo,
}

/// A program's text, parsed.
pub(super) struct Program {
    /// The text, with what could not stay as it was in other words.
    pub source: String,
    pub parsed: Parsed,
    pub entry: String,
    /// The overrides as the text declares them.
    pub overrides: Vec<Override>,
    /// The values given to them, by the key that wgpu and naga know them by.
    pub values: Vec<(String, f64)>,
    /// The overrides without a default or a value, by name: the module has a placeholder for each.
    pub open: Vec<String>,
}

/// Parses WGSL, makes a change to the module, chooses the entry point (`None`: the only one) and gives overrides their values.
pub(super) fn parse(
    source: &str,
    entry: Option<&str>,
    values: &[(&str, f64)],
    change: impl Fn(&mut Module) + Sync,
    at: CallSite,
) -> Result<Program> {
    let depth = Depth::of(source).map_err(|message| fails(message, at))?;
    depth.run(|| {
        let parsed = guarded(|| parse_unguarded(source, entry, values, &change, at));
        parsed.unwrap_or_else(|message| {
            let valid = |text: &str| read(text).is_ok_and(|module| validator().validate(&module).is_ok());
            let panics = |text: &str| guarded(|| valid(text)).is_err();
            Err(fails(place::placed(message, source, panics), at))
        })
    })
}

/// naga's words on a text that it does not read; ours on its limit.
fn says(error: ParseError, text: &str) -> String {
    match depth::parser_limit(&error) {
        Some(limit) => {
            let (row, column) = depth::deepest(text);
            format!("error: {limit}\n  ┌─ {PATH}:{row}:{column}\n")
        }
        None => error.emit_to_string_with_path(text, PATH),
    }
}

/// naga's module of a text as the standard has it; `Err(None)` if a directive is wrong.
fn read(text: &str) -> std::result::Result<Module, Option<ParseError>> {
    let text = standard::for_naga(text).map_err(|_| None)?;
    parse_str(&text).map_err(Some)
}

fn parse_unguarded(
    source: &str,
    entry: Option<&str>,
    values: &[(&str, f64)],
    change: &impl Fn(&mut Module),
    at: CallSite,
) -> Result<Program> {
    let text = standard::for_naga(source).map_err(|message| fails(message, at))?;
    let mut module = parse_str(&text).map_err(|error| {
        // Without a place, again.
        let again = |text: &str| {
            read(text).is_err_and(|error| error.is_some_and(|error| !says(error, text).contains(place::PLACE)))
        };
        fails(place::placed(says(error, source), source, again), at)
    })?;
    depth::check(&module).map_err(|message| fails(message, at))?;
    standard::compute_only(&mut module);
    standard::settle(&mut module);
    standard::elect(&mut module);
    standard::misplaced(source, &module).map_err(|message| fails(message, at))?;
    alignment::lay_out(&mut module, source).map_err(|message| fails(message, at))?;
    if has_data_alone(&module) {
        pointers::inline(&mut module);
        past_end::allow(&mut module);
    }
    change(&mut module);
    let info = match validator().validate(&module) {
        Ok(info) => info,
        Err(error) => match standard::loosened(source, &module, &error) {
            Some(text) => return parse_unguarded(&text, entry, values, change, at),
            None => return Err(invalid(error, source, at)),
        },
    };
    let entry = entry_point(&module, entry, at)?;
    let overrides = overrides(&module);
    let values = values.iter().map(|value| keyed(&module, value, at)).collect::<Result<Vec<_>>>()?;
    let source = source.to_string();
    if overrides.is_empty() && module.entry_points.len() == 1 {
        return Ok(Program { source, parsed: Parsed { module, info }, entry, overrides, values, open: vec![] });
    }
    let ((module, info), open) = open::resolved(&module, &info, &entry, &values).map_err(|error| match *error {
        PipelineConstantError::ValidationError(error) => invalid(error, &source, at),
        other => fails(other.to_string(), at),
    })?;
    Ok(Program { source, parsed: Parsed { module, info }, entry, overrides, values, open })
}

/// Parses a text of the library's own, which has no overrides, and writes out the loops that it marks. What can be wrong in it
/// is a function that a program has written.
pub(super) fn library(name: &str, source: &str) -> Result<Parsed> {
    let parse = || {
        let mut module = parse_str(source).map_err(|error| error.emit_to_string(source))?;
        unroll(&mut module);
        let info = validator().validate(&module).map_err(|error| error.emit_to_string(source))?;
        Ok(Parsed { module, info })
    };
    // What a program has written in it has been parsed by itself.
    let parsed = Depth::of(source).unwrap_or(Depth::MOST).run(|| guarded(parse));
    parsed.and_then(|parsed| parsed).map_err(|message| {
        let message = format!("{}\n{source}", message.trim_end());
        ErrorKind::Compile { kernel: name.into(), device: "any device".into(), message, at: None }.into()
    })
}

/// Whether a module has no types that kernels have nothing to do with, such as textures: it is refused later, with their names.
fn has_data_alone(module: &Module) -> bool {
    let is_other = |inner: &TypeInner| {
        use TypeInner as T;
        matches!(inner, T::Image { .. } | T::Sampler { .. } | T::AccelerationStructure { .. } | T::RayQuery { .. })
    };
    !module.types.iter().any(|(_, ty)| is_other(&ty.inner))
}

fn validator() -> Validator {
    Validator::new(ValidationFlags::all(), ALLOWED)
}

/// What naga's validator says of a module.
pub(super) fn validated(module: &Module, source: &str, at: CallSite) -> Result<ModuleInfo> {
    let validate = || validator().validate(module).map_err(|error| invalid(error, source, at));
    guarded(validate).map_err(|message| fails(message, at))?
}

/// The function's name in errors.
const OPERATION: &str = "Kernel::wgsl";

/// The file's name in messages of naga.
const PATH: &str = "wgsl";

pub(super) fn fails(message: String, at: CallSite) -> Error {
    let message = format!("\n{}\n", message.trim_end());
    ErrorKind::Compile { kernel: "the WGSL".into(), device: "any device".into(), message, at: Some(at) }.into()
}

fn invalid(error: WithSpan<ValidationError>, source: &str, at: CallSite) -> Error {
    let says = error.emit_to_string_with_path(source, PATH);
    let again = |text: &str| {
        let valid = |module| validator().validate(&module).map_err(|error| error.emit_to_string_with_path(text, PATH));
        let checked = || read(text).map_or(Ok(()), |module| valid(module).map(drop));
        guarded(checked).is_ok_and(|checked| checked.is_err_and(|says| !says.contains(place::PLACE)))
    };
    fails(place::placed(says, source, again), at)
}

/// The name of the entry point.
fn entry_point(module: &Module, wanted: Option<&str>, at: CallSite) -> Result<String> {
    let compute = module.entry_points.iter().filter(|entry| entry.stage == ShaderStage::Compute);
    let names: Vec<&str> = compute.map(|entry| entry.name.as_str()).collect();
    let mistake = |wanted: String, got: &str| Err(Error::argument(OPERATION, "entry", wanted, got, at));
    match (wanted, names.as_slice()) {
        (_, []) => mistake("an entry point: a function with @compute".into(), "none in the text"),
        (None, [only]) => Ok(only.to_string()),
        (None, _) => mistake(format!("one of {}, by name", names.join(", ")), "none"),
        (Some(name), _) if names.contains(&name) => Ok(name.into()),
        (Some(name), _) => mistake(format!("one of {}", names.join(", ")), name),
    }
}

fn overrides(module: &Module) -> Vec<Override> {
    let value = |literal: &Literal| match *literal {
        Literal::F64(x) => Some(x),
        Literal::F32(x) => Some(x as f64),
        Literal::F16(x) => Some(x.to_f64()),
        Literal::U32(x) => Some(x as f64),
        Literal::I32(x) => Some(x as f64),
        Literal::Bool(x) => Some(x as u32 as f64),
        _ => None,
    };
    let default = |init| match &module.global_expressions[init] {
        naga::Expression::Literal(literal) => value(literal),
        _ => None,
    };
    let one = |of: &naga::Override| Override {
        name: of.name.clone().unwrap_or_default(),
        ty: super::reflect::type_text(module, of.ty),
        required: of.init.is_none(),
        default: of.init.and_then(default),
    };
    module.overrides.iter().map(|(_, of)| one(of)).collect()
}

/// A value with the key that naga knows the override by: its `@id` if it has one, else its name.
fn keyed(module: &Module, &(name, value): &(&str, f64), at: CallSite) -> Result<(String, f64)> {
    let key = |of: &naga::Override| of.id.map(|id| id.to_string());
    let named = |of: &naga::Override| of.name.as_deref() == Some(name) || key(of).as_deref() == Some(name);
    let Some((_, found)) = module.overrides.iter().find(|(_, of)| named(of)) else {
        let names: Vec<&str> = module.overrides.iter().filter_map(|(_, of)| of.name.as_deref()).collect();
        let wanted =
            if names.is_empty() { "none: the text has none".into() } else { format!("one of {}", names.join(", ")) };
        return Err(Error::argument(OPERATION, "override", wanted, name, at));
    };
    let inner = &module.types[found.ty].inner;
    if !holds(inner, value) {
        let wanted = format!("a value of type {}", super::reflect::type_text(module, found.ty));
        return Err(Error::argument(OPERATION, format!("override {name}"), wanted, value.to_string(), at));
    }
    Ok((key(found).unwrap_or_else(|| name.into()), value))
}

/// Whether a scalar type has this value.
fn holds(inner: &TypeInner, value: f64) -> bool {
    let TypeInner::Scalar(scalar) = inner else { return false };
    let whole = |low: f64, high: f64| value.fract() == 0.0 && (low..=high).contains(&value);
    match (scalar.kind, scalar.width) {
        (ScalarKind::Sint, _) => whole(i32::MIN as f64, i32::MAX as f64),
        (ScalarKind::Uint, _) => whole(0.0, u32::MAX as f64),
        (ScalarKind::Float, 2) => half::f16::from_f64(value).is_finite(),
        (ScalarKind::Float, 4) => (value as f32).is_finite(),
        (ScalarKind::Bool, _) => value == 0.0 || value == 1.0,
        _ => value.is_finite(),
    }
}
