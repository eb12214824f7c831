//! What Mesa's llvmpipe gets wrong in silence: it keeps so many conditions inside one another, and forgets those inside them. Each
//! clause of a `switch` stands inside the one before it there.
//!
//! Long switches become several in a row; what still nests too deeply is refused. docs/guide/drivers.md says what was measured.

use naga::{
    Block, Expression, Function, Literal, LocalVariable, Module, Range, Scalar, Span, Statement, SwitchCase,
    SwitchValue, Type, TypeInner,
};

/// Clauses of a switch at most.
const MOST_CLAUSES: usize = 16;
/// Conditions inside one another at most, functions inlined: 70 `else if` in a chain were right, and 100 wrote nothing.
const MOST_NESTED: usize = 70;

/// Rewrites what can be rewritten.
///
/// Errors: it nests too deeply.
pub(super) fn fit(module: &mut Module) -> Result<(), String> {
    let flag = Type { name: None, inner: TypeInner::Scalar(Scalar::BOOL) };
    let flag = module.types.insert(flag, Span::UNDEFINED);
    let splits = |function: &mut Function| {
        let body = std::mem::take(&mut function.body);
        function.body = Splitter { function: &mut *function, flag }.block(body);
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
    /// The type of flags.
    flag: naga::Handle<Type>,
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

    /// A switch as several in a row. One that has not the value does nothing; the last is for those that none had.
    fn split(&mut self, selector: naga::Handle<Expression>, cases: Vec<SwitchCase>, span: Span, to: &mut Block) {
        let (mut clauses, mut values): (Vec<Clause>, _) = (vec![], vec![]);
        for case in cases {
            values.push(case.value);
            if !case.fall_through {
                clauses.push((std::mem::take(&mut values), case.body));
            }
        }
        let is_default = |(values, _): &Clause| values.contains(&SwitchValue::Default);
        let (default, clauses): (Vec<_>, Vec<_>) = clauses.into_iter().partition(is_default);
        let begun = LocalVariable { name: None, ty: self.flag, init: None };
        let begun = self.function.local_variables.append(begun, Span::UNDEFINED);
        let begun = self.append(Expression::LocalVariable(begun));
        let [no, yes] = [false, true].map(|value| self.append(Expression::Literal(Literal::Bool(value))));
        to.push(Statement::Store { pointer: begun, value: no }, span);
        for chunk in clauses.chunks(MOST_CLAUSES - 1) {
            let mut cases = vec![];
            for (values, body) in chunk {
                let mut marked = Block::new();
                marked.push(Statement::Store { pointer: begun, value: yes }, span);
                marked.append(&mut body.clone());
                let (last, others) = values.split_last().expect("a clause has a value");
                let empty = |value: &SwitchValue| SwitchCase { value: *value, body: Block::new(), fall_through: true };
                cases.extend(others.iter().map(empty));
                cases.push(SwitchCase { value: *last, body: marked, fall_through: false });
            }
            cases.push(SwitchCase { value: SwitchValue::Default, body: Block::new(), fall_through: false });
            to.push(Statement::Switch { selector, cases }, span);
        }
        let Some((_, body)) = default.into_iter().next().filter(|(_, body)| !body.is_empty()) else { return };
        let condition = self.append(Expression::Load { pointer: begun });
        to.push(Statement::Emit(Range::new_from_bounds(condition, condition)), span);
        // It may have a `break` of its own.
        let case = SwitchCase { value: SwitchValue::Default, body, fall_through: false };
        let reject = Block::from_vec(vec![Statement::Switch { selector, cases: vec![case] }]);
        to.push(Statement::If { condition, accept: Block::new(), reject }, span);
    }

    fn append(&mut self, expression: Expression) -> naga::Handle<Expression> {
        self.function.expressions.append(expression, Span::UNDEFINED)
    }
}
