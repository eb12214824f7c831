//! The form of a marked loop.

use naga::{Block, Expression, Handle, Range, Span, Statement};

/// The condition of a loop.
pub(super) struct Condition {
    pub emits: Vec<(Range<Expression>, Span)>,
    pub condition: Handle<Expression>,
}

/// What `for` makes of its condition, which leaves the loop where it does not hold, and the rest.
pub(super) fn split_condition(body: &Block) -> (Condition, &Block) {
    let mut emits = vec![];
    for (statement, &span) in body.span_iter() {
        match (statement, body.last()) {
            (Statement::Emit(range), _) => emits.push((range.clone(), span)),
            (Statement::If { condition, accept, reject }, Some(Statement::Block(rest)))
                if accept.is_empty() && matches!(**reject, [Statement::Break]) && body.len() == emits.len() + 2 =>
            {
                return (Condition { emits, condition: *condition }, rest);
            }
            _ => break,
        }
    }
    panic!("a marked loop has the form of `for`")
}
