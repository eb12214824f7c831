//! Bounds of loop iterations that follow from constants: loops of the form `for (var i = A; i < B; i += C)`, or that
//! double or halve the counter, whose integer counter nothing else changes.

use super::blocks::each;
use naga::{
    BinaryOperator, Block, Expression, Function, Handle, Literal, LocalVariable, Module, ScalarKind, Statement,
    TypeInner,
};

/// The most iterations of loops that double or halve.
const BITS: u64 = 64;

/// The most turns of each loop of a function, in the order of their beginnings; `None` where nothing says so.
pub(super) fn turns(module: &Module, function: &Function) -> Vec<Option<u64>> {
    let mut all = vec![];
    each(&function.body, &mut |before, statement| {
        if let Statement::Loop { body, continuing, break_if } = statement {
            let bound = Reader { module, function }.turns(before, body, continuing);
            all.push(bound.filter(|_| break_if.is_none()));
        }
    });
    all
}

struct Reader<'a> {
    module: &'a Module,
    function: &'a Function,
}

impl Reader<'_> {
    fn turns(&self, before: &[Statement], body: &Block, continuing: &Block) -> Option<u64> {
        let (variable, go_on, end) = self.condition(body)?;
        let (how, by) = self.step(continuing, variable)?;
        let [least, most] = self.starts(variable, before, body)?;
        let [low, high] = self.range(variable)?;
        // The last value that another turn begins with.
        let last = match go_on {
            BinaryOperator::Less => end - 1,
            BinaryOperator::Greater => end + 1,
            _ => end,
        };
        let up = matches!(go_on, BinaryOperator::Less | BinaryOperator::LessEqual);
        let span = |distance: i128| u64::try_from((distance / by + 1).max(0)).ok();
        match how {
            BinaryOperator::Add if up && by >= 1 && last + by <= high => span((last - least).max(-by)),
            BinaryOperator::Subtract if !up && by >= 1 && last - by >= low => span((most - last).max(-by)),
            BinaryOperator::Multiply if up && by >= 2 && least >= 1 && last.checked_mul(by)? <= high => Some(BITS),
            BinaryOperator::ShiftLeft if up && (1..=31).contains(&by) && least >= 1 && last << by <= high => Some(BITS),
            BinaryOperator::Divide if !up && by >= 2 && last >= 1 => Some(BITS),
            BinaryOperator::ShiftRight if !up && (1..=31).contains(&by) && last >= 1 => Some(BITS),
            _ => None,
        }
    }

    /// The variable that a loop's first statement compares, how, and with what: it leaves where that does not hold.
    fn condition(&self, body: &Block) -> Option<(Handle<LocalVariable>, BinaryOperator, i128)> {
        use BinaryOperator::{Greater, GreaterEqual, Less, LessEqual};
        let first = body.iter().position(|statement| !matches!(statement, Statement::Emit(_)))?;
        let Statement::If { condition, accept, reject } = &body[first] else { return None };
        let leaves = accept.is_empty() && matches!(**reject, [Statement::Break]);
        let Expression::Binary { op, left, right } = self.function.expressions[*condition] else { return None };
        let known = leaves && matches!(op, Less | LessEqual | Greater | GreaterEqual);
        let variable = self.loaded(left, &body[..first]).filter(|_| known)?;
        Some((variable, op, self.number(right)?))
    }

    /// How a loop's continuing block changes the variable, and that it does nothing else.
    fn step(&self, continuing: &Block, variable: Handle<LocalVariable>) -> Option<(BinaryOperator, i128)> {
        let mut stores = continuing.iter().filter(|statement| !matches!(statement, Statement::Emit(_)));
        let (Some(&Statement::Store { pointer, value }), None) = (stores.next(), stores.next()) else { return None };
        let Expression::Binary { op, left, right } = self.function.expressions[value] else { return None };
        let same = self.variable(pointer) == Some(variable) && self.loaded(left, continuing) == Some(variable);
        same.then_some((op, self.number(right)?))
    }

    /// The least and the most that a loop begins with, if all else that the function stores to the variable are
    /// constants, outside of the loop's body.
    fn starts(&self, variable: Handle<LocalVariable>, before: &[Statement], body: &Block) -> Option<[i128; 2]> {
        let function = self.function;
        let is_it = |pointer: Handle<Expression>| self.variable(pointer) == Some(variable);
        // A pointer to it may go nowhere.
        let mut known = function.expressions.iter().all(|(_, expression)| match *expression {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => !is_it(base),
            _ => true,
        });
        let (mut values, mut steps) = (vec![], 0);
        each(&function.body, &mut |_, statement| match statement {
            Statement::Store { pointer, value } if is_it(*pointer) => match self.number(*value) {
                Some(value) => values.push(value),
                None => steps += 1,
            },
            Statement::Call { arguments, .. } => known &= !arguments.iter().any(|argument| is_it(*argument)),
            _ => {}
        });
        each(body, &mut |_, statement| {
            known &= !matches!(statement, Statement::Store { pointer, .. } if is_it(*pointer));
        });
        if !known || steps != 1 {
            return None;
        }
        // What a declaration in a loop begins with is stored each time, just before.
        let set = before.iter().any(|s| matches!(s, Statement::Store { pointer, .. } if is_it(*pointer)));
        match function.local_variables[variable].init {
            Some(init) => values.push(self.number(init)?),
            None if !set => values.push(0),
            None => {}
        }
        Some([*values.iter().min()?, *values.iter().max()?])
    }

    /// What the variable's type holds.
    fn range(&self, variable: Handle<LocalVariable>) -> Option<[i128; 2]> {
        let TypeInner::Scalar(scalar) = self.module.types[self.function.local_variables[variable].ty].inner else {
            return None;
        };
        let bits = 8 * scalar.width as u32;
        match scalar.kind {
            ScalarKind::Sint => Some([-(1 << (bits - 1)), (1 << (bits - 1)) - 1]),
            ScalarKind::Uint => Some([0, (1 << bits) - 1]),
            _ => None,
        }
    }

    fn variable(&self, pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
        match self.function.expressions[pointer] {
            Expression::LocalVariable(variable) => Some(variable),
            _ => None,
        }
    }

    /// The variable that an expression loads, anew in these statements.
    fn loaded(&self, value: Handle<Expression>, block: &[Statement]) -> Option<Handle<LocalVariable>> {
        let anew = block.iter().any(|s| matches!(s, Statement::Emit(range) if range.clone().any(|one| one == value)));
        match self.function.expressions[value] {
            Expression::Load { pointer } if anew => self.variable(pointer),
            _ => None,
        }
    }

    /// A whole number that is a constant.
    fn number(&self, value: Handle<Expression>) -> Option<i128> {
        match self.function.expressions[value] {
            Expression::Constant(constant) => {
                self.constant(&self.module.global_expressions[self.module.constants[constant].init])
            }
            ref other => self.constant(other),
        }
    }

    fn constant(&self, expression: &Expression) -> Option<i128> {
        match *expression {
            Expression::Literal(Literal::I32(x)) => Some(x.into()),
            Expression::Literal(Literal::U32(x)) => Some(x.into()),
            Expression::Literal(Literal::I64(x)) => Some(x.into()),
            Expression::Literal(Literal::U64(x)) => Some(x.into()),
            Expression::ZeroValue(_) => Some(0),
            _ => None,
        }
    }
}
