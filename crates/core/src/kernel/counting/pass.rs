//! The code that counting adds to each loop of a function.

use super::{Driven, FEW, LOOK};
use crate::kernel::graft::Grafted;
use crate::kernel::turns::turns;
use naga::{
    AddressSpace, BinaryOperator, Block, Expression, Function, GlobalVariable, Handle, Literal, LocalVariable, Module,
    Range, Span, Statement, Type,
};
use std::collections::HashMap;

/// What some statements may do.
#[derive(Clone, Copy, Default)]
pub struct Work {
    /// The most iterations of loops that do not count.
    pub turns: u64,
    /// The most iterations of all loops; `None` if there is no known bound.
    pub all: Option<u64>,
    /// Ticks for waiting on memory, of one pass through the text.
    pub memory: u64,
}

impl Work {
    const NONE: Work = Work { turns: 0, all: Some(0), memory: 0 };

    /// One and the other: both branches of an `if`, since invocations that run together may take both.
    fn and(self, other: Work) -> Work {
        Work {
            turns: self.turns.saturating_add(other.turns),
            all: self.all.zip(other.all).map(|(a, b)| a.saturating_add(b)),
            memory: self.memory.saturating_add(other.memory),
        }
    }
}

/// Changes functions one after the other.
pub struct Pass<'a> {
    pub source: &'a str,
    /// The kernel's number.
    pub kernel: u32,
    /// The end of the program's own text.
    pub own: usize,
    pub driven: Driven,
    pub grafted: Grafted,
    /// The type u32.
    pub word: Handle<Type>,
    /// Facts about functions.
    pub functions: HashMap<Handle<Function>, Work>,
    /// Loops that count.
    pub counted: usize,
}

/// Where a loop keeps its turns.
#[derive(Clone, Copy)]
enum Turns {
    Local(Handle<LocalVariable>),
    Private(Handle<GlobalVariable>),
}

impl Pass<'_> {
    /// Makes the loops of a function count.
    pub fn function(&mut self, module: &mut Module, function: &mut Function, is_entry: bool) -> Work {
        let bounds = turns(module, function);
        let body = std::mem::take(&mut function.body);
        let mut within = Within { pass: self, module, function, is_entry, bounds: bounds.into_iter() };
        let (body, work) = within.block(body);
        function.body = body;
        work
    }

    fn ours(&self, name: &str) -> Handle<Function> {
        self.grafted.functions[name]
    }
}

/// Inside one function.
struct Within<'p, 'a, 'm> {
    pass: &'p mut Pass<'a>,
    module: &'m mut Module,
    function: &'m mut Function,
    is_entry: bool,
    /// Of the loops that come.
    bounds: std::vec::IntoIter<Option<u64>>,
}

impl Within<'_, '_, '_> {
    fn block(&mut self, block: Block) -> (Block, Work) {
        let mut work = Work::NONE;
        let mut made = Block::with_capacity(block.len());
        for (statement, span) in block.span_into_iter() {
            let (statement, inside) = match statement {
                Statement::Loop { body, continuing, break_if } => {
                    work = work.and(self.a_loop(Loop { body, continuing, break_if }, span, &mut made));
                    continue;
                }
                other => self.statement(other),
            };
            work = work.and(inside);
            made.push(statement, span);
        }
        (made, work)
    }

    fn statement(&mut self, statement: Statement) -> (Statement, Work) {
        match statement {
            Statement::Block(block) => {
                let (block, work) = self.block(block);
                (Statement::Block(block), work)
            }
            Statement::If { condition, accept, reject } => {
                let (accept, first) = self.block(accept);
                let (reject, second) = self.block(reject);
                (Statement::If { condition, accept, reject }, first.and(second))
            }
            Statement::Switch { selector, cases } => {
                let mut work = Work::NONE;
                let case = |case: naga::SwitchCase| {
                    let (body, inside) = self.block(case.body);
                    work = work.and(inside);
                    naga::SwitchCase { body, ..case }
                };
                let cases = cases.into_iter().map(case).collect();
                (Statement::Switch { selector, cases }, work)
            }
            Statement::Call { function, .. } => {
                let work = self.pass.functions.get(&function).copied().unwrap_or(Work::NONE);
                (statement, work)
            }
            other => {
                let memory = self.memory(&other);
                (other, Work { memory, ..Work::NONE })
            }
        }
    }

    /// About how many ticks a statement waits for memory.
    fn memory(&self, statement: &Statement) -> u64 {
        match statement {
            Statement::Atomic { .. } => 32,
            Statement::Store { pointer, .. } if self.is_far(*pointer) => 4,
            Statement::Emit(range) => {
                let far = |handle: &Handle<Expression>| match self.function.expressions[*handle] {
                    Expression::Load { pointer } => self.is_far(pointer),
                    _ => false,
                };
                4 * range.clone().filter(far).count() as u64
            }
            _ => 0,
        }
    }

    /// Whether a pointer leads to a buffer or to workgroup memory.
    fn is_far(&self, mut pointer: Handle<Expression>) -> bool {
        loop {
            match self.function.expressions[pointer] {
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => pointer = base,
                Expression::GlobalVariable(variable) => {
                    return self.module.global_variables[variable].space != AddressSpace::Private;
                }
                Expression::FunctionArgument(_) => return true,
                _ => return false,
            }
        }
    }

    /// A loop that counts, if it needs to, and what must come before it and after it.
    fn a_loop(&mut self, mut found: Loop, span: Span, to: &mut Block) -> Work {
        let bound = self.bounds.next().expect("each loop has been looked at");
        let (body, inside) = self.block(found.body);
        let (continuing, after) = self.block(found.continuing);
        (found.body, found.continuing) = (body, continuing);
        let inside = inside.and(after);
        let once = inside.turns.saturating_add(1);
        let turns = bound.map(|bound| bound.saturating_mul(once));
        let all = bound.zip(inside.all).map(|(bound, all)| bound.saturating_mul(all.saturating_add(1)));
        let range = span.to_range().unwrap_or_default();
        let line = self.pass.source[..range.start].matches('\n').count() as u32 + 1;
        // What is appended ends.
        let short = turns.is_some_and(|turns| turns < FEW) || range.start >= self.pass.own;
        if self.pass.driven == Driven::Leaves {
            self.notes_ends(&mut found);
        }
        if !short {
            let weight = (1 + inside.memory.min(4095)).max(once.min(LOOK));
            self.counts(&mut found, weight, line, to);
        }
        let Loop { body, continuing, break_if } = found;
        to.push(Statement::Loop { body, continuing, break_if }, span);
        if self.pass.driven == Driven::Leaves {
            let arguments = [line, self.pass.kernel].map(|word| self.word(word)).to_vec();
            to.push(self.call("crosslane_after", arguments), Span::UNDEFINED);
        }
        let uncounted = if short { turns.unwrap_or(FEW).min(FEW) } else { 0 };
        Work { turns: uncounted, all, memory: inside.memory }
    }

    /// Puts the counting in: before the loop, and where a turn begins.
    fn counts(&mut self, found: &mut Loop, weight: u64, line: u32, before: &mut Block) {
        let turns = 1u64 << (LOOK / weight).ilog2();
        let kept = self.keep();
        let late = self.variable("crosslane_late");
        let [zero, one, mask] = [0, 1, turns as u32 - 1].map(|word| self.word(word));
        let arguments = [(turns * weight) as u32, line, self.pass.kernel].map(|word| self.word(word)).to_vec();

        let pointer = self.pointer(kept);
        let first = self.append(Expression::Load { pointer });
        let late = self.append(Expression::Load { pointer: late });
        let value = self.append(Expression::Binary { op: BinaryOperator::InclusiveOr, left: first, right: late });
        push(before, [emit(first, value), Statement::Store { pointer, value }]);

        let last = self.append(Expression::Load { pointer });
        let value = self.append(Expression::Binary { op: BinaryOperator::Add, left: last, right: one });
        let low = self.append(Expression::Binary { op: BinaryOperator::And, left: value, right: mask });
        let looks = self.append(Expression::Binary { op: BinaryOperator::Equal, left: low, right: zero });
        let overdue = self.pass.ours("crosslane_overdue");
        let result = self.append(Expression::CallResult(overdue));
        let mut leave = Block::new();
        if self.pass.driven == Driven::Leaves {
            push(&mut leave, [self.call("crosslane_leave", vec![])]);
        }
        push(&mut leave, [Statement::Break]);
        let mut look = Block::new();
        push(
            &mut look,
            [
                Statement::Call { function: overdue, arguments, result: Some(result) },
                Statement::If { condition: result, accept: leave, reject: Block::new() },
            ],
        );
        let mut begin = Block::new();
        push(
            &mut begin,
            [
                emit(last, looks),
                Statement::Store { pointer, value },
                Statement::If { condition: looks, accept: look, reject: Block::new() },
            ],
        );
        begin.append(&mut found.body);
        found.body = begin;
        self.pass.counted += 1;
    }

    /// Notes each end that a loop comes to by itself.
    fn notes_ends(&mut self, found: &mut Loop) {
        let leave = self.call("crosslane_leave", vec![]);
        found.body = before_breaks(std::mem::take(&mut found.body), &leave);
        if let Some(condition) = found.break_if {
            let accept = Block::from_vec(vec![leave]);
            push(&mut found.continuing, [Statement::If { condition, accept, reject: Block::new() }]);
        }
    }

    /// A variable for turns, which lasts as long as the invocation: a loop in a loop goes on where it was. In the entry
    /// point it can be a local one.
    fn keep(&mut self) -> Turns {
        let (name, ty) = (Some(format!("crosslane_turns_{}", self.pass.counted)), self.pass.word);
        if self.is_entry {
            let variable = LocalVariable { name, ty, init: None };
            return Turns::Local(self.function.local_variables.append(variable, Span::UNDEFINED));
        }
        let late = &self.module.global_variables[self.pass.grafted.variables["crosslane_late"]];
        let variable = GlobalVariable { name, ..late.clone() };
        Turns::Private(self.module.global_variables.append(variable, Span::UNDEFINED))
    }

    fn pointer(&mut self, turns: Turns) -> Handle<Expression> {
        self.append(match turns {
            Turns::Local(variable) => Expression::LocalVariable(variable),
            Turns::Private(variable) => Expression::GlobalVariable(variable),
        })
    }

    fn variable(&mut self, name: &str) -> Handle<Expression> {
        self.append(Expression::GlobalVariable(self.pass.grafted.variables[name]))
    }

    fn call(&self, name: &str, arguments: Vec<Handle<Expression>>) -> Statement {
        Statement::Call { function: self.pass.ours(name), arguments, result: None }
    }

    fn word(&mut self, word: u32) -> Handle<Expression> {
        self.append(Expression::Literal(Literal::U32(word)))
    }

    fn append(&mut self, expression: Expression) -> Handle<Expression> {
        self.function.expressions.append(expression, Span::UNDEFINED)
    }
}

/// A loop's parts.
struct Loop {
    body: Block,
    continuing: Block,
    break_if: Option<Handle<Expression>>,
}

fn push<const N: usize>(block: &mut Block, statements: [Statement; N]) {
    statements.into_iter().for_each(|statement| block.push(statement, Span::UNDEFINED));
}

fn emit(first: Handle<Expression>, last: Handle<Expression>) -> Statement {
    Statement::Emit(Range::new_from_bounds(first, last))
}

/// The block with a statement before each `break` that leaves the loop around it.
fn before_breaks(block: Block, statement: &Statement) -> Block {
    let mut made = Block::with_capacity(block.len());
    for (found, span) in block.span_into_iter() {
        let found = match found {
            Statement::Break => {
                made.push(statement.clone(), Span::UNDEFINED);
                Statement::Break
            }
            Statement::Block(block) => Statement::Block(before_breaks(block, statement)),
            Statement::If { condition, accept, reject } => Statement::If {
                condition,
                accept: before_breaks(accept, statement),
                reject: before_breaks(reject, statement),
            },
            other => other,
        };
        made.push(found, span);
    }
    made
}
