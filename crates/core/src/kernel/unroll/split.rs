//! Local arrays that are indexed by constants alone.

use super::super::operands::{of_expression, of_statement};
use super::each;
use naga::{ArraySize, Expression, Function, Handle, LocalVariable, Module, Statement, Type, TypeInner};
use std::collections::{HashMap, HashSet};

/// Arrays with the type and the number of their elements.
pub(super) type Arrays = HashMap<Handle<LocalVariable>, (Handle<Type>, u32)>;

/// The arrays of a function that could be variables as well: of all their elements it is known which they are, and all that is
/// done with an array as a whole is to clear it.
pub(super) fn arrays(module: &Module, function: &Function) -> Arrays {
    let of = |(handle, variable): (Handle<LocalVariable>, &LocalVariable)| match module.types[variable.ty].inner {
        TypeInner::Array { base, size: ArraySize::Constant(count), .. } if variable.init.is_none() => {
            Some((handle, (base, count.get())))
        }
        _ => None,
    };
    let mut arrays: Arrays = function.local_variables.iter().filter_map(of).collect();
    let whole = used_whole(function);
    arrays.retain(|array, _| !whole.contains(array));
    arrays
}

/// The variables that something else is done with than to clear them, or to take an element of a known number.
fn used_whole(function: &Function) -> HashSet<Handle<LocalVariable>> {
    let variable = |pointer: Handle<Expression>| match function.expressions[pointer] {
        Expression::LocalVariable(variable) => Some(variable),
        _ => None,
    };
    let mut found = HashSet::new();
    for (_, expression) in function.expressions.iter() {
        if !matches!(expression, Expression::AccessIndex { .. }) {
            of_expression(&mut expression.clone(), &mut |operand| found.extend(variable(*operand)));
        }
    }
    each(&function.body, &mut |_, statement| match statement {
        Statement::Store { value, .. } if matches!(function.expressions[*value], Expression::ZeroValue(_)) => {}
        other => of_statement(&mut shallow(other), &mut |operand| found.extend(variable(*operand)), &mut |_| ()),
    });
    found
}

/// A statement without those inside it, which are looked at by themselves.
pub(super) fn shallow(statement: &Statement) -> Statement {
    match statement {
        Statement::If { condition, .. } => {
            Statement::If { condition: *condition, accept: Default::default(), reject: Default::default() }
        }
        Statement::Switch { selector, .. } => Statement::Switch { selector: *selector, cases: vec![] },
        Statement::Block(_) => Statement::Block(Default::default()),
        Statement::Loop { break_if, .. } => {
            Statement::Loop { body: Default::default(), continuing: Default::default(), break_if: *break_if }
        }
        other => other.clone(),
    }
}
