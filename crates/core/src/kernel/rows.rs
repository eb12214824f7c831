//! Whether a kernel can index a grid that is folded into two dimensions.

use naga::{Binding, Block, BuiltIn, Expression, Function, Handle, Module, Statement, TypeInner};

/// Whether the function uses more of its place in the grid than `x`.
pub(super) fn sees_rows(function: &Function, module: &Module) -> bool {
    let built_in = |binding: &Option<Binding>| match binding {
        Some(Binding::BuiltIn(built_in)) => Some(*built_in),
        _ => None,
    };
    let is_place = |found: BuiltIn| matches!(found, BuiltIn::GlobalInvocationId | BuiltIn::WorkGroupId);
    let mut places: Vec<Handle<Expression>> = vec![];
    for (handle, expression) in function.expressions.iter() {
        match *expression {
            Expression::FunctionArgument(index) => match built_in(&function.arguments[index as usize].binding) {
                Some(BuiltIn::NumWorkGroups) => return true,
                Some(found) if is_place(found) => places.push(handle),
                _ => {}
            },
            Expression::AccessIndex { base, index } => match (&function.expressions[base], places.contains(&base)) {
                (_, true) if index > 0 => return true,
                (&Expression::FunctionArgument(argument), false) => {
                    let TypeInner::Struct { members, .. } =
                        &module.types[function.arguments[argument as usize].ty].inner
                    else {
                        continue;
                    };
                    match built_in(&members[index as usize].binding) {
                        Some(BuiltIn::NumWorkGroups) => return true,
                        Some(found) if is_place(found) => places.push(handle),
                        _ => {}
                    }
                }
                _ => {}
            },
            // Used whole: some code uses all of it.
            Expression::Swizzle { vector: used, .. }
            | Expression::Access { base: used, .. }
            | Expression::As { expr: used, .. }
            | Expression::Math { arg: used, .. }
            | Expression::Binary { left: used, .. }
                if places.contains(&used) =>
            {
                return true;
            }
            Expression::Binary { right: used, .. } if places.contains(&used) => return true,
            _ => {}
        }
    }
    passes(&function.body, &places)
}

/// Whether a call or a store takes one of these values.
fn passes(block: &Block, values: &[Handle<Expression>]) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Call { arguments, .. } => arguments.iter().any(|argument| values.contains(argument)),
        Statement::Store { value, .. } => values.contains(value),
        Statement::Block(inner) => passes(inner, values),
        Statement::If { accept, reject, .. } => passes(accept, values) || passes(reject, values),
        Statement::Loop { body, continuing, .. } => passes(body, values) || passes(continuing, values),
        Statement::Switch { cases, .. } => cases.iter().any(|case| passes(&case.body, values)),
        _ => false,
    })
}
