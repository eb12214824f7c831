//! Which functions are inlined.

use super::super::blocks::inside;
use naga::{AddressSpace, Block, Function, Module, Statement, TypeInner};

/// Whether a function with marked loops is inlined: it is given a local array by a pointer, and
/// gives nothing back: it returns at its end only.
pub(super) fn is_candidate(module: &Module, function: &Function) -> bool {
    let is_local_array = |ty| match module.types[ty].inner {
        TypeInner::Pointer { base, space: AddressSpace::Function } => {
            matches!(module.types[base].inner, TypeInner::Array { .. })
        }
        _ => false,
    };
    let given = function.arguments.iter().any(|argument| is_local_array(argument.ty));
    given && function.result.is_none() && returns_at_end(&function.body, true)
}

/// Whether all `return`s of a block are where the function ends anyway.
fn returns_at_end(block: &Block, is_end: bool) -> bool {
    block.iter().enumerate().all(|(index, statement)| {
        let is_end = is_end && index + 1 == block.len() && !matches!(statement, Statement::Loop { .. });
        let itself = is_end || !matches!(statement, Statement::Return { .. });
        itself && inside(statement).into_iter().all(|block| returns_at_end(block, is_end))
    })
}

/// Leaves the signature of a function that nothing calls any more.
pub(super) fn clear(function: &mut Function) {
    let (name, arguments) = (function.name.take(), std::mem::take(&mut function.arguments));
    *function = Function { name, arguments, ..Function::default() };
}
