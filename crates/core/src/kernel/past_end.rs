//! An index that a `let` holds is a value of the run time, however well it is known: past the end it reads or writes whatever an index
//! past the end does. naga refuses it as it refuses `v[9]`; from a variable it takes it.

use super::blocks::each_mut;
use super::operands::{of_expression, of_statement};
use naga::front::Typifier;
use naga::proc::ResolveContext;
use naga::{
    Arena, ArraySize, Expression, Function, Handle, Literal, LocalVariable, Module, Range, Span, Statement, Type,
    TypeInner,
};
use std::collections::HashMap;

/// Puts variables in place of such indices.
pub(super) fn allow(module: &mut Module) {
    if !is_needed(module) {
        return;
    }
    let types = Types::of(module);
    for handle in module.functions.iter().map(|(handle, _)| handle).collect::<Vec<_>>() {
        if let Some(made) = allowed(module, &types, &module.functions[handle]) {
            module.functions[handle] = made;
        }
    }
    for entry in 0..module.entry_points.len() {
        if let Some(made) = allowed(module, &types, &module.entry_points[entry].function) {
            module.entry_points[entry].function = made;
        }
    }
}

fn is_needed(module: &Module) -> bool {
    let functions = module.functions.iter().map(|(_, function)| function);
    let mut all = functions.chain(module.entry_points.iter().map(|entry| &entry.function));
    all.any(|function| !past_end(module, function).is_empty())
}

/// The types of indices.
struct Types(HashMap<naga::Scalar, Handle<Type>>);

impl Types {
    fn of(module: &mut Module) -> Types {
        let scalars = [naga::Scalar::I32, naga::Scalar::U32, naga::Scalar::I64, naga::Scalar::U64];
        let scalar = |inner| Type { name: None, inner: TypeInner::Scalar(inner) };
        // A module without integers of 64 bits stays one.
        let is_there = |module: &Module, of| of == naga::Scalar::I32 || module.types.get(&scalar(of)).is_some();
        let there: Vec<_> = scalars.into_iter().filter(|of| is_there(module, *of)).collect();
        Types(there.into_iter().map(|of| (of, module.types.insert(scalar(of), Span::UNDEFINED))).collect())
    }
}

/// The function with loads in place of known indices past the end; `None` if it has none.
fn allowed(module: &Module, types: &Types, function: &Function) -> Option<Function> {
    let found = past_end(module, function);
    if found.is_empty() {
        return None;
    }
    let mut made = function.clone();
    let mut expressions = Arena::new();
    // A variable for each index, which begins as it; pointers to it stand before all else.
    let mut pointers = HashMap::new();
    for (index, literal) in found.values() {
        let Some(&ty) = types.0.get(&literal.scalar()) else { continue };
        pointers.entry(*index).or_insert_with(|| {
            let variable = LocalVariable { name: None, ty, init: Some(*index) };
            let variable = made.local_variables.append(variable, Span::UNDEFINED);
            expressions.append(Expression::LocalVariable(variable), Span::UNDEFINED)
        });
    }
    let mut moved: Vec<Handle<Expression>> = vec![];
    // The first of what stands for an expression.
    let mut begins = vec![];
    for (handle, expression) in function.expressions.iter() {
        let (mut expression, span) = (expression.clone(), function.expressions.get_span(handle));
        of_expression(&mut expression, &mut |operand| *operand = moved[operand.index()]);
        let mut begin = None;
        if let (Expression::Access { index, .. }, Some((literal, _))) = (&mut expression, found.get(&handle))
            && let Some(&pointer) = pointers.get(literal)
        {
            let load = expressions.append(Expression::Load { pointer }, span);
            (*index, begin) = (load, Some(load));
        }
        let new = expressions.append(expression, span);
        moved.push(new);
        begins.push(begin.unwrap_or(new));
    }
    made.expressions = expressions;
    each_mut(&mut made.body, &mut |statement, _| {
        if let Statement::Emit(range) = statement {
            if let Some((first, last)) = range.first_and_last() {
                *range = Range::new_from_bounds(begins[first.index()], moved[last.index()]);
            }
            return;
        }
        let mut made = vec![];
        of_statement(statement, &mut |operand| *operand = moved[operand.index()], &mut |result| made.push(*result));
        of_statement(statement, &mut |_| (), &mut |result| *result = moved[result.index()]);
    });
    for (_, variable) in made.local_variables.iter_mut() {
        variable.init = variable.init.map(|init| moved[init.index()]);
    }
    let names = std::mem::take(&mut made.named_expressions);
    made.named_expressions = names.into_iter().map(|(handle, name)| (moved[handle.index()], name)).collect();
    Some(made)
}

/// The accesses by a known index past the end, with the index and what it is.
fn past_end(module: &Module, function: &Function) -> HashMap<Handle<Expression>, (Handle<Expression>, Literal)> {
    let mut found = HashMap::new();
    let context = ResolveContext::with_locals(module, &function.local_variables, &function.arguments);
    let mut typifier = Typifier::new();
    for (handle, expression) in function.expressions.iter() {
        if let Expression::Access { base, index } = *expression
            && let Some(literal) = literal(module, function, index)
            // naga says so of constant expressions below 0 too, which are errors: those have no name.
            && (!is_negative(literal) || function.named_expressions.contains_key(&index))
            && typifier.grow(base, &function.expressions, &context).is_ok()
            && is_past(module, typifier.get(base, &module.types), literal)
        {
            found.insert(handle, (index, literal));
        }
    }
    found
}

fn is_negative(index: Literal) -> bool {
    matches!(index, Literal::I32(..0) | Literal::I64(..0))
}

/// What naga knows of an index.
fn literal(module: &Module, function: &Function, index: Handle<Expression>) -> Option<Literal> {
    match function.expressions[index] {
        Expression::Literal(literal) => Some(literal),
        Expression::Constant(constant) => match module.global_expressions[module.constants[constant].init] {
            Expression::Literal(literal) => Some(literal),
            _ => None,
        },
        _ => None,
    }
}

fn is_past(module: &Module, base: &TypeInner, index: Literal) -> bool {
    let index = match index {
        Literal::I32(index) => index as i128,
        Literal::U32(index) => index as i128,
        Literal::I64(index) => index as i128,
        Literal::U64(index) => index as i128,
        _ => return false,
    };
    let inner = match base {
        TypeInner::Pointer { base, .. } => &module.types[*base].inner,
        other => other,
    };
    let count = match *inner {
        TypeInner::Vector { size, .. } | TypeInner::ValuePointer { size: Some(size), .. } => size as i128,
        TypeInner::Matrix { columns, .. } => columns as i128,
        TypeInner::Array { size: ArraySize::Constant(count), .. } => count.get() as i128,
        _ => i128::MAX,
    };
    !(0..count).contains(&index)
}
