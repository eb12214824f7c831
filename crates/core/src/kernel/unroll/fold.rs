//! Constant folding of integers and booleans.

use naga::{BinaryOperator as B, Expression, Handle, Literal, MathFunction, ScalarKind, UnaryOperator};

/// What an expression comes to.
pub(super) enum Folded {
    Value(Literal),
    /// One of its operands.
    Operand(Handle<Expression>),
}

/// What an expression comes to, if its operands say so.
pub(super) fn fold(expression: &Expression, known: &dyn Fn(Handle<Expression>) -> Option<Literal>) -> Option<Folded> {
    let value = match *expression {
        Expression::Binary { op, left, right } => binary(op, known(left)?, known(right)?),
        Expression::Unary { op, expr } => unary(op, known(expr)?),
        Expression::As { expr, kind, convert: Some(4) } => cast(kind, known(expr)?),
        Expression::Math { fun, arg, arg1: Some(other), arg2: None, arg3: None } => {
            extreme(fun, known(arg)?, known(other)?)
        }
        Expression::Select { condition, accept, reject } => {
            let Literal::Bool(condition) = known(condition)? else { return None };
            return Some(Folded::Operand(if condition { accept } else { reject }));
        }
        _ => None,
    };
    value.map(Folded::Value)
}

fn binary(op: B, left: Literal, right: Literal) -> Option<Literal> {
    match (left, right) {
        (Literal::U32(a), Literal::U32(b)) => unsigned(op, a, b),
        (Literal::I32(a), Literal::I32(b)) => signed(op, a, b),
        (Literal::I32(a), Literal::U32(b)) => match op {
            B::ShiftLeft => Some(Literal::I32(a.checked_shl(b)?)),
            B::ShiftRight => Some(Literal::I32(a.checked_shr(b)?)),
            _ => None,
        },
        (Literal::Bool(a), Literal::Bool(b)) => Some(Literal::Bool(match op {
            B::LogicalAnd | B::And => a & b,
            B::LogicalOr | B::InclusiveOr => a | b,
            B::Equal => a == b,
            B::NotEqual => a != b,
            _ => return None,
        })),
        _ => None,
    }
}

fn compare<T: PartialOrd>(op: B, a: T, b: T) -> Option<Literal> {
    Some(Literal::Bool(match op {
        B::Equal => a == b,
        B::NotEqual => a != b,
        B::Less => a < b,
        B::LessEqual => a <= b,
        B::Greater => a > b,
        B::GreaterEqual => a >= b,
        _ => return None,
    }))
}

fn unsigned(op: B, a: u32, b: u32) -> Option<Literal> {
    Some(Literal::U32(match op {
        B::Add => a.wrapping_add(b),
        B::Subtract => a.wrapping_sub(b),
        B::Multiply => a.wrapping_mul(b),
        B::Divide => a.checked_div(b)?,
        B::Modulo => a.checked_rem(b)?,
        B::And => a & b,
        B::InclusiveOr => a | b,
        B::ExclusiveOr => a ^ b,
        B::ShiftLeft => a.checked_shl(b)?,
        B::ShiftRight => a.checked_shr(b)?,
        _ => return compare(op, a, b),
    }))
}

fn signed(op: B, a: i32, b: i32) -> Option<Literal> {
    Some(Literal::I32(match op {
        B::Add => a.wrapping_add(b),
        B::Subtract => a.wrapping_sub(b),
        B::Multiply => a.wrapping_mul(b),
        B::Divide => a.checked_div(b)?,
        B::Modulo => a.checked_rem(b)?,
        B::And => a & b,
        B::InclusiveOr => a | b,
        B::ExclusiveOr => a ^ b,
        _ => return compare(op, a, b),
    }))
}

fn unary(op: UnaryOperator, value: Literal) -> Option<Literal> {
    Some(match (op, value) {
        (UnaryOperator::LogicalNot, Literal::Bool(value)) => Literal::Bool(!value),
        (UnaryOperator::BitwiseNot, Literal::U32(value)) => Literal::U32(!value),
        (UnaryOperator::BitwiseNot, Literal::I32(value)) => Literal::I32(!value),
        (UnaryOperator::Negate, Literal::I32(value)) => Literal::I32(value.wrapping_neg()),
        _ => return None,
    })
}

fn cast(kind: ScalarKind, value: Literal) -> Option<Literal> {
    let word = match value {
        Literal::U32(value) => value,
        Literal::I32(value) => value as u32,
        Literal::Bool(value) => value as u32,
        _ => return None,
    };
    match kind {
        ScalarKind::Uint => Some(Literal::U32(word)),
        ScalarKind::Sint => Some(Literal::I32(word as i32)),
        _ => None,
    }
}

fn extreme(fun: MathFunction, a: Literal, b: Literal) -> Option<Literal> {
    Some(match (fun, a, b) {
        (MathFunction::Min, Literal::U32(a), Literal::U32(b)) => Literal::U32(a.min(b)),
        (MathFunction::Max, Literal::U32(a), Literal::U32(b)) => Literal::U32(a.max(b)),
        (MathFunction::Min, Literal::I32(a), Literal::I32(b)) => Literal::I32(a.min(b)),
        (MathFunction::Max, Literal::I32(a), Literal::I32(b)) => Literal::I32(a.max(b)),
        _ => return None,
    })
}
