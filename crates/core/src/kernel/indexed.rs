//! Variables of an invocation that are indexed by a number which is known only when a kernel runs.

use super::Kernel;
use crate::error::Result;
use naga::{AddressSpace, Expression, Function, Handle, Module, TypeInner};

impl Kernel {
    /// Bytes of the largest `var` in a function or `var<private>` that is so indexed; 0 without one.
    #[doc(hidden)]
    pub fn indexed_bytes(&self) -> Result<u64> {
        let module = &self.parsed()?.module;
        let entries = module.entry_points.iter().map(|entry| &entry.function);
        let functions = module.functions.iter().map(|(_, function)| function).chain(entries);
        Ok(functions.map(|function| largest(module, function)).max().unwrap_or(0))
    }
}

fn largest(module: &Module, function: &Function) -> u64 {
    let indexed = function.expressions.iter().filter_map(|(_, expression)| match *expression {
        Expression::Access { base, .. } => Some(base),
        _ => None,
    });
    indexed.map(|base| variable_bytes(module, function, base)).max().unwrap_or(0)
}

/// Bytes of the variable that an expression is a place in, if it is an invocation's own.
fn variable_bytes(module: &Module, function: &Function, place: Handle<Expression>) -> u64 {
    let ty = match function.expressions[place] {
        Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
            return variable_bytes(module, function, base);
        }
        Expression::LocalVariable(variable) => function.local_variables[variable].ty,
        Expression::GlobalVariable(variable) => match &module.global_variables[variable] {
            variable if variable.space == AddressSpace::Private => variable.ty,
            _ => return 0,
        },
        Expression::FunctionArgument(nth) => match module.types[function.arguments[nth as usize].ty].inner {
            TypeInner::Pointer { base, space: AddressSpace::Function | AddressSpace::Private } => base,
            _ => return 0,
        },
        _ => return 0,
    };
    module.types[ty].inner.size(module.to_ctx()) as u64
}
