//! What Mesa's llvmpipe gets wrong in silence: it keeps so many conditions inside one another, and forgets those inside them. Each
//! clause of a `switch` stands inside the one before it there.
//!
//! Long switches become searches by halves; what still nests too deeply is refused. docs/guide/drivers.md says what was measured.

use naga::{
    BinaryOperator, Block, Expression, Function, Handle, Literal, LocalVariable, Module, Range, Scalar, Span,
    Statement, SwitchCase, SwitchValue, Type, TypeInner,
};

/// Clauses of a switch at most.
const MOST_CLAUSES: usize = 16;
/// Conditions inside one another at most, functions inlined: 70 `else if` in a chain were right, and 100 wrote nothing.
const MOST_NESTED: usize = 70;

/// Rewrites what can be rewritten.
///
/// Errors: it nests too deeply.
pub(super) fn fit(module: &mut Module) -> Result<(), String> {
    let number = Type { name: None, inner: TypeInner::Scalar(Scalar::U32) };
    let number = module.types.insert(number, Span::UNDEFINED);
    let splits = |function: &mut Function| {
        let body = std::mem::take(&mut function.body);
        function.body = Splitter { function: &mut *function, number }.block(body);
    };
    module.functions.iter_mut().for_each(|(_, function)| splits(function));
    module.entry_points.iter_mut().for_each(|entry| splits(&mut entry.function));
    let mut depths = vec![];
    for (_, function) in module.functions.iter() {
        depths.push(depth(&function.body, &depths));
    }
    let deepest = module.entry_points.iter().map(|entry| depth(&entry.function.body, &depths)).max().unwrap_or(0);
    match deepest <= MOST_NESTED {
        true => Ok(()),
        false => Err(format!(
            "it has {deepest} conditions and loops inside one another, functions inlined; Mesa's llvmpipe forgets those past \
             {MOST_NESTED} without a word: take the cpu engine, or a switch, or a loop, in place of a chain of `else if`"
        )),
    }
}

/// Conditions inside one another, with those of the functions that are called.
fn depth(block: &Block, functions: &[usize]) -> usize {
    let of = |statement: &Statement| match statement {
        Statement::Block(block) => depth(block, functions),
        Statement::If { accept, reject, .. } => 1 + depth(accept, functions).max(depth(reject, functions)),
        // It is left by a condition.
        Statement::Loop { body, continuing, .. } => 2 + depth(body, functions).max(depth(continuing, functions)),
        Statement::Switch { cases, .. } => {
            let clauses = cases.iter().filter(|case| !case.fall_through).count();
            clauses + cases.iter().map(|case| depth(&case.body, functions)).max().unwrap_or(0)
        }
        Statement::Call { function, .. } => functions[function.index()],
        _ => 0,
    };
    block.iter().map(of).max().unwrap_or(0)
}

/// The values that lead to a clause, and what it does.
type Clause = (Vec<SwitchValue>, Block);

struct Splitter<'a> {
    function: &'a mut Function,
    /// The type of a clause's number.
    number: Handle<Type>,
}

impl Splitter<'_> {
    fn block(&mut self, old: Block) -> Block {
        let mut new = Block::new();
        for (statement, span) in old.span_into_iter() {
            let statement = match statement {
                Statement::Block(block) => Statement::Block(self.block(block)),
                Statement::If { condition, accept, reject } => {
                    Statement::If { condition, accept: self.block(accept), reject: self.block(reject) }
                }
                Statement::Loop { body, continuing, break_if } => {
                    Statement::Loop { body: self.block(body), continuing: self.block(continuing), break_if }
                }
                Statement::Switch { selector, cases } => {
                    let inner = |case: SwitchCase| SwitchCase { body: self.block(case.body), ..case };
                    let cases: Vec<_> = cases.into_iter().map(inner).collect();
                    // Only clauses that do nothing lead to the next one.
                    let plain = cases.iter().all(|case| !case.fall_through || case.body.is_empty());
                    if plain && cases.iter().filter(|case| !case.fall_through).count() > MOST_CLAUSES {
                        self.split(selector, cases, span, &mut new);
                        continue;
                    }
                    Statement::Switch { selector, cases }
                }
                other => other,
            };
            new.push(statement, span);
        }
        new
    }

    /// A switch as a search: by halves for the clause that has the value, then by halves for what the clause does.
    fn split(&mut self, selector: Handle<Expression>, cases: Vec<SwitchCase>, span: Span, to: &mut Block) {
        let (mut clauses, mut values): (Vec<Clause>, _) = (vec![], vec![]);
        for case in cases {
            values.push(case.value);
            if !case.fall_through {
                clauses.push((std::mem::take(&mut values), case.body));
            }
        }
        let default = clauses.iter().position(|(values, _)| values.contains(&SwitchValue::Default));
        let chosen = LocalVariable { name: None, ty: self.number, init: None };
        let chosen = self.function.local_variables.append(chosen, Span::UNDEFINED);
        let chosen = self.append(Expression::LocalVariable(chosen));
        let mut store = |clause: usize| {
            let value = self.append(Expression::Literal(Literal::U32(clause as u32)));
            Block::from_vec(vec![Statement::Store { pointer: chosen, value }])
        };
        // Of no clause if there is no default.
        to.append(&mut store(default.unwrap_or(clauses.len())));
        let mut by_value = vec![];
        for (clause, (values, _)) in clauses.iter().enumerate() {
            let literals = values.iter().filter_map(literal);
            by_value.extend(literals.map(|(order, literal)| (order, literal, store(clause))));
        }
        by_value.sort_by_key(|&(order, ..)| order);
        to.append(&mut self.search(selector, by_value, span));
        let chosen = self.emitted(Expression::Load { pointer: chosen }, span, to);
        let mut by_clause = vec![];
        for (clause, (_, body)) in clauses.into_iter().enumerate().filter(|(_, (_, body))| !body.is_empty()) {
            // It may have a `break` of its own.
            let only = SwitchCase { value: SwitchValue::Default, body, fall_through: false };
            let body = Block::from_vec(vec![Statement::Switch { selector: chosen, cases: vec![only] }]);
            by_clause.push((clause as i64, Literal::U32(clause as u32), body));
        }
        to.append(&mut self.search(chosen, by_clause, span));
    }

    /// Does what belongs to a value, of pairs in the values' order; nothing if it is none of them.
    fn search(&mut self, value: Handle<Expression>, mut of: Vec<(i64, Literal, Block)>, span: Span) -> Block {
        let mut block = Block::new();
        let upper = of.split_off(of.len() / 2);
        let Some(&(_, literal, _)) = upper.first() else { return block };
        let right = self.append(Expression::Literal(literal));
        let op = if of.is_empty() { BinaryOperator::Equal } else { BinaryOperator::Less };
        let condition = self.emitted(Expression::Binary { op, left: value, right }, span, &mut block);
        let (accept, reject) = match of.is_empty() {
            true => (upper.into_iter().map(|(.., body)| body).next().unwrap_or_default(), Block::new()),
            false => (self.search(value, of, span), self.search(value, upper, span)),
        };
        block.push(Statement::If { condition, accept, reject }, span);
        block
    }

    fn emitted(&mut self, expression: Expression, span: Span, to: &mut Block) -> Handle<Expression> {
        let handle = self.append(expression);
        to.push(Statement::Emit(Range::new_from_bounds(handle, handle)), span);
        handle
    }

    fn append(&mut self, expression: Expression) -> Handle<Expression> {
        self.function.expressions.append(expression, Span::UNDEFINED)
    }
}

/// A value of a clause, and its place among others.
fn literal(value: &SwitchValue) -> Option<(i64, Literal)> {
    match *value {
        SwitchValue::I32(value) => Some((value.into(), Literal::I32(value))),
        SwitchValue::U32(value) => Some((value.into(), Literal::U32(value))),
        SwitchValue::Default => None,
    }
}
