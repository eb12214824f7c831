//! Where the invocations of a subgroup may have parted, and which loops are begun again in the middle.

use naga::valid::FunctionInfo;
use naga::{Block, Expression, Handle, Statement};

/// Whether a value may differ between the invocations of a workgroup.
pub(super) fn differs(info: &FunctionInfo, value: Handle<Expression>) -> bool {
    info[value].uniformity.non_uniform_result.is_some()
}

/// What leaves a block before its end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// `break`, `continue` or `return`, out of the statements looked at.
    Any,
    /// `return`.
    Return,
}

/// Whether some invocations may leave a block before its end while others go on.
pub(super) fn parts(block: &Block, info: &FunctionInfo, exit: Exit, parted: bool) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Break | Statement::Continue => parted && exit == Exit::Any,
        Statement::Return { .. } | Statement::Kill => parted,
        Statement::Block(block) => parts(block, info, exit, parted),
        Statement::If { condition, accept, reject } => {
            let parted = parted || differs(info, *condition);
            parts(accept, info, exit, parted) || parts(reject, info, exit, parted)
        }
        Statement::Switch { selector, cases } => {
            let parted = parted || differs(info, *selector);
            cases.iter().any(|case| parts(&case.body, info, exit, parted))
        }
        Statement::Loop { body, continuing, break_if } => {
            // Once some have left the loop, those that go on are parted from them in it.
            let parted = parted
                || break_if.is_some_and(|condition| differs(info, condition))
                || parts(body, info, Exit::Any, false);
            parts(body, info, Exit::Return, parted) || parts(continuing, info, Exit::Return, parted)
        }
        _ => false,
    })
}

/// Whether a block has a `continue` of the loop whose body it belongs to.
pub(super) fn continues(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Continue => true,
        Statement::Block(block) => continues(block),
        Statement::If { accept, reject, .. } => continues(accept) || continues(reject),
        Statement::Switch { cases, .. } => cases.iter().any(|case| continues(&case.body)),
        _ => false,
    })
}
