//! Walks over the statements of a function.

use naga::{Block, Span, Statement};

/// The blocks inside a statement.
pub(super) fn inside(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => vec![],
    }
}

/// As [`inside`].
pub(super) fn inside_mut(statement: &mut Statement) -> Vec<&mut Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter_mut().map(|case| &mut case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => vec![],
    }
}

/// Every statement with those before it in its block, and those inside it after it.
pub(super) fn each<'a>(block: &'a Block, visit: &mut impl FnMut(&'a [Statement], &'a Statement)) {
    for (index, statement) in block.iter().enumerate() {
        visit(&block[..index], statement);
        inside(statement).into_iter().for_each(|block| each(block, visit));
    }
}

/// Every statement, and where it stands; those inside it after it.
pub fn each_mut(block: &mut Block, visit: &mut impl FnMut(&mut Statement, Span)) {
    for (statement, span) in block.span_iter_mut() {
        visit(statement, span.copied().unwrap_or_default());
        inside_mut(statement).into_iter().for_each(|block| each_mut(block, visit));
    }
}
