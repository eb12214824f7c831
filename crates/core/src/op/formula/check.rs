//! Checks of a formula by naga: its errors, the type of its value, and properties that the kernel depends on.

use super::wrapper::Wrapper;
use crate::element::{DType, Scalar};
use crate::kernel::reflect::{needs, number};
use crate::kernel::{Depth, Feature, guarded, parser_limit};
use naga::common::wgsl::TypeContext;
use naga::valid::{Capabilities, FunctionInfo, ValidationFlags, Validator};
use naga::{BinaryOperator, Block, Expression, Handle, Literal, Module, ScalarKind, Statement, TypeInner};

/// What naga finds in a formula.
pub(super) struct Known {
    /// The type of the value; or, as an error, a description of a value that is not numeric.
    pub result: Result<DType, String>,
    pub operations: u64,
    pub costly: bool,
    pub safe: bool,
    pub features: Vec<Feature>,
}

/// A value that takes more operations than this is kept in memory rather than computed again.
const CHEAP: u64 = 8;

/// Parses and validates the function in a wrapper, and inspects the value with this name.
pub(super) fn checked(wrapper: &Wrapper, name: &str) -> Result<Known, String> {
    Depth::of(&wrapper.text)?.run(|| guarded(|| known(wrapper, name)))?
}

fn known(wrapper: &Wrapper, name: &str) -> Result<Known, String> {
    let (module, info) = validated(wrapper)?;
    let (handle, function) = module.functions.iter().next().ok_or("error: there is no function")?;
    if module.functions.len() > 1 || !module.global_variables.is_empty() || !module.entry_points.is_empty() {
        return Err("error: expected statements, not declarations".into());
    }
    if let Some(what) = misplaced(&function.body) {
        return Err(format!("error: {what} has no place in an expression"));
    }
    let info = &info[handle];
    let found = function.named_expressions.iter().rfind(|(_, of)| *of == name);
    let (&value, _) = found.ok_or("error: the value has no name")?;
    let features = [Feature::F16, Feature::F64, Feature::I64];
    let work = |expression: &Expression| {
        matches!(expression, Expression::Binary { .. } | Expression::Unary { .. } | Expression::Math { .. })
    };
    let operations = function.expressions.iter().filter(|(_, expression)| work(expression)).count() as u64;
    let hard = function.expressions.iter().any(|(_, expression)| matches!(expression, Expression::Math { .. }));
    let repeats = loops(&function.body);
    Ok(Known {
        result: result(&module, info, value),
        operations,
        costly: hard || repeats || operations > CHEAP,
        safe: !repeats && function.expressions.iter().all(|(_, expression)| is_safe(&module, info, expression)),
        features: features.into_iter().filter(|&feature| needs(&module, feature)).collect(),
    })
}

fn validated(wrapper: &Wrapper) -> Result<(Module, naga::valid::ModuleInfo), String> {
    let module = naga::front::wgsl::parse_str(&wrapper.text).map_err(|error| {
        let says = parser_limit(&error).unwrap_or(error.message());
        wrapper.message(says, error.labels().map(|(span, label)| (span.to_range(), label)))
    })?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(&module).map_err(|error| {
        let message = causes(error.as_inner());
        let labels = error.spans().map(|(span, label)| (span.to_range(), label.as_str()));
        wrapper.message(&message, labels)
    })?;
    Ok((module, info))
}

/// An error and what caused it, on one line.
fn causes(error: &dyn std::error::Error) -> String {
    let causes: Vec<String> =
        std::iter::successors(Some(error), |error| error.source()).map(|error| error.to_string()).collect();
    causes.join(": ")
}

fn result(module: &Module, info: &FunctionInfo, value: Handle<Expression>) -> Result<DType, String> {
    match info[value].ty.inner_with(&module.types) {
        TypeInner::Scalar(scalar) if scalar.kind == ScalarKind::Bool => Ok(DType::Bool),
        TypeInner::Scalar(scalar) => number(*scalar).ok_or("number of an unsupported kind".into()),
        _ => Err(module.to_ctx().type_resolution_to_string(&info[value].ty)),
    }
}

/// Whether an expression needs no check while it runs.
fn is_safe(module: &Module, info: &FunctionInfo, expression: &Expression) -> bool {
    match *expression {
        Expression::Access { .. } => false,
        Expression::Binary { op: BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight, .. } => false,
        Expression::Binary { op: BinaryOperator::Divide | BinaryOperator::Modulo, left, .. } => {
            info[left].ty.inner_with(&module.types).scalar_kind() == Some(ScalarKind::Float)
        }
        _ => true,
    }
}

/// The blocks inside a statement.
fn inner(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => vec![],
    }
}

fn loops(block: &Block) -> bool {
    let here = |statement: &Statement| matches!(statement, Statement::Loop { .. });
    block.iter().any(|statement| here(statement) || inner(statement).into_iter().any(loops))
}

/// A description of the first statement that affects other invocations or leaves the function.
fn misplaced(block: &Block) -> Option<&'static str> {
    block.iter().find_map(|statement| match statement {
        Statement::Emit(_)
        | Statement::Block(_)
        | Statement::If { .. }
        | Statement::Switch { .. }
        | Statement::Loop { .. }
        | Statement::Break
        | Statement::Continue
        // The return at the end of the function: others are looked for in the text.
        | Statement::Return { value: None }
        | Statement::Store { .. } => inner(statement).into_iter().find_map(misplaced),
        Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => Some("a barrier"),
        Statement::Kill => Some("discard"),
        _ => Some("an operation that other invocations take part in"),
    })
}

/// The value of the only constant in a wrapper.
pub(super) fn constant(wrapper: &Wrapper, dtype: DType) -> Result<Scalar, String> {
    let (module, _) = validated(wrapper)?;
    let found = module.constants.iter().find(|(_, constant)| constant.name.as_deref() == Some("constant"));
    let literal = found.map(|(_, constant)| &module.global_expressions[constant.init]);
    match literal {
        Some(Expression::Literal(literal)) => bits(*literal).map(|bits| Scalar { dtype, bits: bits as u128 }),
        Some(Expression::ZeroValue(_)) => Some(Scalar { dtype, bits: 0 }),
        _ => None,
    }
    .ok_or("error: expected a constant number".into())
}

fn bits(literal: Literal) -> Option<u64> {
    Some(match literal {
        Literal::F64(x) => x.to_bits(),
        Literal::F32(x) => x.to_bits() as u64,
        Literal::F16(x) => x.to_bits() as u64,
        Literal::U32(x) => x as u64,
        Literal::I32(x) => x as u32 as u64,
        Literal::U64(x) => x,
        Literal::I64(x) => x as u64,
        _ => return None,
    })
}
