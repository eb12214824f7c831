//! Rebuilds a function: statements and expressions are copied, loops unrolled, arrays split.

use super::super::operands::{of_expression, of_statement};
use super::super::slice;
use super::fold::{Folded, fold};
use super::loops::split_condition;
use super::promote::Variables;
use super::split::Arrays;
use naga::{
    BinaryOperator, Block, Expression, Function, GlobalVariable, Handle, Literal, LocalVariable, Module, Range, Span,
    Statement, SwizzleComponent, VectorSize,
};
use std::collections::HashMap;

/// Turns of a loop at most: more are a mistake.
const MOST: u32 = 4096;

pub(in super::super) struct Rebuild<'a> {
    module: &'a Module,
    old: &'a Function,
    new: Function,
    /// What marks a loop.
    markers: &'a [Handle<Function>],
    /// What stands for an expression of the old function: for one in a loop that is written out, that of the last turn.
    values: HashMap<Handle<Expression>, Handle<Expression>>,
    locals: HashMap<Handle<LocalVariable>, Handle<LocalVariable>>,
    /// The counters of marked loops: they have no place in the new function, and are known wherever they are read.
    counters: HashMap<Handle<LocalVariable>, Option<Literal>>,
    /// The elements of arrays that are taken apart.
    elements: HashMap<Handle<LocalVariable>, Vec<Handle<LocalVariable>>>,
    /// What variables hold that become values, once it has been stored.
    held: HashMap<Handle<LocalVariable>, Option<Handle<Expression>>>,
    /// The functions that are inlined.
    inlined: &'a [Handle<Function>],
    /// Whether `old` is one of them, at present.
    is_inside: bool,
}

impl<'a> Rebuild<'a> {
    fn new(module: &'a Module, old: &'a Function, markers: &'a [Handle<Function>]) -> Rebuild<'a> {
        let new = Function {
            name: old.name.clone(),
            arguments: old.arguments.clone(),
            result: old.result.clone(),
            diagnostic_filter_leaf: old.diagnostic_filter_leaf,
            ..Function::default()
        };
        let (values, locals, counters, elements, held) = Default::default();
        let (inlined, is_inside) = (&[][..], false);
        Rebuild { module, old, new, markers, values, locals, counters, elements, held, inlined, is_inside }
    }

    /// With functions' bodies in place of the calls to them.
    pub fn inlining(module: &'a Module, old: &'a Function, inlined: &'a [Handle<Function>]) -> Rebuild<'a> {
        Rebuild { inlined, ..Rebuild::new(module, old, &[]) }
    }

    /// Without the loops that are marked.
    pub fn unrolling(module: &'a Module, old: &'a Function, markers: &'a [Handle<Function>]) -> Rebuild<'a> {
        let mut rebuild = Rebuild::new(module, old, markers);
        super::each(&old.body, &mut |_, statement| {
            if let Statement::Loop { body, continuing, .. } = statement
                && rebuild.is_marked(body)
            {
                let counter = rebuild.counter(continuing);
                let begins = old.local_variables[counter].init.and_then(|init| rebuild.literal(old, init));
                rebuild.counters.insert(counter, begins);
            }
        });
        rebuild
    }

    /// With variables in place of arrays.
    pub fn splitting(module: &'a Module, old: &'a Function, arrays: &Arrays) -> Rebuild<'a> {
        let mut rebuild = Rebuild::new(module, old, &[]);
        for (&array, &(ty, count)) in arrays {
            let name = old.local_variables[array].name.as_deref().unwrap_or("element");
            let element = |n: u32| LocalVariable { name: Some(format!("{name}_{n}")), ty, init: None };
            let span = old.local_variables.get_span(array);
            let all = (0..count).map(|n| rebuild.new.local_variables.append(element(n), span)).collect();
            rebuild.elements.insert(array, all);
        }
        rebuild
    }

    /// With values in place of variables.
    pub fn promoting(module: &'a Module, old: &'a Function, variables: Variables) -> Rebuild<'a> {
        let mut rebuild = Rebuild::new(module, old, &[]);
        for variable in variables {
            let begins = old.local_variables[variable].init.map(|init| rebuild.value(init));
            rebuild.held.insert(variable, begins);
        }
        rebuild
    }

    /// With workgroups that are counted from where a slice begins, in the grid of all slices.
    pub(in super::super) fn slicing(
        module: &'a Module,
        old: &'a Function,
        slice: Handle<GlobalVariable>,
    ) -> Rebuild<'a> {
        let mut rebuild = Rebuild::new(module, old, &[]);
        let none = Span::UNDEFINED;
        let base = rebuild.append(Expression::GlobalVariable(slice), none);
        let mut changed = vec![];
        for (handle, expression) in old.expressions.iter() {
            if let Expression::FunctionArgument(index) = *expression
                && let Some(word) = slice::word(&old.arguments[index as usize])
            {
                changed.push((handle, word, rebuild.append(expression.clone(), none)));
            }
        }
        let first = rebuild.new.expressions.len();
        for (handle, word, argument) in changed {
            let pointer = rebuild.append(Expression::AccessIndex { base, index: word }, none);
            let vector = rebuild.append(Expression::Load { pointer }, none);
            let pattern = SwizzleComponent::XYZW;
            let right = rebuild.append(Expression::Swizzle { size: VectorSize::Tri, vector, pattern }, none);
            let value = match word {
                slice::FIRST => {
                    rebuild.append(Expression::Binary { op: BinaryOperator::Add, left: argument, right }, none)
                }
                _ => right,
            };
            rebuild.values.insert(handle, value);
        }
        let emitted = rebuild.new.expressions.range_from(first);
        rebuild.new.body.push(Statement::Emit(emitted), none);
        rebuild
    }

    pub fn function(mut self) -> Function {
        let old = self.old;
        let mut body = std::mem::take(&mut self.new.body);
        self.statements(&old.body, &mut body);
        self.new.body = body;
        self.new
    }

    /// Whether a loop's body begins with the mark, after its condition.
    fn is_marked(&self, body: &Block) -> bool {
        // `for` has its body in a block of its own, behind the condition.
        let Some(Statement::Block(inner)) = body.last() else { return false };
        match inner.first() {
            Some(Statement::Call { function, arguments, .. }) if self.markers.contains(function) => {
                arguments.iter().all(|&condition| match self.literal(self.old, condition) {
                    Some(Literal::Bool(holds)) => holds,
                    _ => panic!("the condition of a mark is a constant"),
                })
            }
            _ => false,
        }
    }

    /// The variable that a loop's last part changes.
    fn counter(&self, continuing: &Block) -> Handle<LocalVariable> {
        let changed = continuing.iter().find_map(|statement| match statement {
            Statement::Store { pointer, .. } => self.variable(*pointer),
            _ => None,
        });
        changed.expect("a marked loop has a counter")
    }

    /// The variable of the old function that an expression of it points to.
    fn variable(&self, pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
        match self.old.expressions[pointer] {
            Expression::LocalVariable(variable) => Some(variable),
            _ => None,
        }
    }

    fn literal(&self, function: &Function, value: Handle<Expression>) -> Option<Literal> {
        let globals = &self.module.global_expressions;
        match function.expressions[value] {
            Expression::Literal(literal) => Some(literal),
            Expression::Constant(constant) => match globals[self.module.constants[constant].init] {
                Expression::Literal(literal) => Some(literal),
                _ => None,
            },
            Expression::ZeroValue(ty) => match self.module.types[ty].inner {
                naga::TypeInner::Scalar(scalar) => Literal::zero(scalar),
                _ => None,
            },
            _ => None,
        }
    }

    fn append(&mut self, expression: Expression, span: Span) -> Handle<Expression> {
        self.new.expressions.append(expression, span)
    }

    /// What stands for an expression. What needs no statement that emits it is copied when it is first asked for.
    fn value(&mut self, old: Handle<Expression>) -> Handle<Expression> {
        if let Some(&value) = self.values.get(&old) {
            return value;
        }
        let expression = match self.old.expressions[old] {
            Expression::LocalVariable(variable) => Expression::LocalVariable(self.local(variable)),
            ref other => {
                let mut other = other.clone();
                of_expression(&mut other, &mut |operand| *operand = self.value(*operand));
                other
            }
        };
        let value = self.append(expression, self.old.expressions.get_span(old));
        self.values.insert(old, value);
        value
    }

    fn local(&mut self, old: Handle<LocalVariable>) -> Handle<LocalVariable> {
        if let Some(&local) = self.locals.get(&old) {
            return local;
        }
        let variable = &self.old.local_variables[old];
        let init = variable.init.map(|init| self.value(init));
        let variable = LocalVariable { init, ..variable.clone() };
        let local = self.new.local_variables.append(variable, self.old.local_variables.get_span(old));
        self.locals.insert(old, local);
        local
    }

    fn block(&mut self, old: &'a Block) -> Block {
        let mut to = Block::new();
        self.statements(old, &mut to);
        to
    }

    fn statements(&mut self, old: &'a Block, to: &mut Block) {
        for (statement, &span) in old.span_iter() {
            if !returns(to) {
                self.statement(statement, span, to);
            }
        }
    }

    fn statement(&mut self, old: &'a Statement, span: Span, to: &mut Block) {
        match old {
            Statement::Emit(range) => self.emit(range.clone(), span, to),
            // Marked loops have a block, which they are known by.
            Statement::Block(inner) if !self.inlined.is_empty() => {
                let inner = self.block(inner);
                to.push(Statement::Block(inner), span);
            }
            Statement::Block(inner) => self.statements(inner, to),
            Statement::If { condition, accept, reject } => {
                let condition = self.value(*condition);
                match self.literal(&self.new, condition) {
                    Some(Literal::Bool(holds)) => self.statements(if holds { accept } else { reject }, to),
                    _ => {
                        let (accept, reject) = (self.block(accept), self.block(reject));
                        to.push(Statement::If { condition, accept, reject }, span);
                    }
                }
            }
            Statement::Switch { selector, cases } => {
                let selector = self.value(*selector);
                let case = |case: &'a naga::SwitchCase| naga::SwitchCase {
                    value: case.value,
                    body: self.block(&case.body),
                    fall_through: case.fall_through,
                };
                let cases = cases.iter().map(case).collect();
                to.push(Statement::Switch { selector, cases }, span);
            }
            Statement::Loop { body, continuing, break_if: None } if self.is_marked(body) => {
                self.turns(body, continuing, to);
            }
            Statement::Loop { body, continuing, break_if } => {
                let (body, continuing) = (self.block(body), self.block(continuing));
                let break_if = break_if.map(|condition| self.value(condition));
                to.push(Statement::Loop { body, continuing, break_if }, span);
            }
            Statement::Call { function, .. } if self.markers.contains(function) => {}
            Statement::Call { function, arguments, .. } if self.inlined.contains(function) => {
                self.inline(*function, arguments, to);
            }
            // At the end of a function that is inlined.
            Statement::Return { .. } if self.is_inside => {}
            Statement::Store { pointer, value } if self.stores(*pointer, *value, span, to) => {}
            other => {
                let mut copy = other.clone();
                let mut made = vec![];
                of_statement(&mut copy, &mut |operand| *operand = self.value(*operand), &mut |result| {
                    made.push(*result);
                });
                // What the statement makes is another value each time.
                for old in made {
                    let new = self.append(self.old.expressions[old].clone(), self.old.expressions.get_span(old));
                    self.name(old, new);
                    self.values.insert(old, new);
                }
                of_statement(&mut copy, &mut |_| (), &mut |result| *result = self.values[result]);
                to.push(copy, span);
            }
        }
    }

    /// The body of a function with what it is called with.
    fn inline(&mut self, callee: Handle<Function>, arguments: &[Handle<Expression>], to: &mut Block) {
        let callee = &self.module.functions[callee];
        let arguments: Vec<_> = arguments.iter().map(|&argument| self.value(argument)).collect();
        let old = std::mem::replace(&mut self.old, callee);
        let (values, locals) = (std::mem::take(&mut self.values), std::mem::take(&mut self.locals));
        let is_inside = std::mem::replace(&mut self.is_inside, true);
        for (handle, expression) in callee.expressions.iter() {
            if let Expression::FunctionArgument(index) = *expression {
                self.values.insert(handle, arguments[index as usize]);
            }
        }
        // Variables begin anew at each call.
        for (handle, variable) in callee.local_variables.iter() {
            let span = callee.local_variables.get_span(handle);
            let local = self.new.local_variables.append(LocalVariable { init: None, ..variable.clone() }, span);
            self.locals.insert(handle, local);
            let pointer = self.append(Expression::LocalVariable(local), span);
            let value = match variable.init {
                Some(init) => self.value(init),
                None => self.append(Expression::ZeroValue(variable.ty), span),
            };
            to.push(Statement::Store { pointer, value }, span);
        }
        self.statements(&callee.body, to);
        (self.old, self.values, self.locals, self.is_inside) = (old, values, locals, is_inside);
    }

    /// Stores that are none in the new function: to a counter, to a variable that becomes a value, and to a whole array that is
    /// taken apart.
    fn stores(&mut self, pointer: Handle<Expression>, value: Handle<Expression>, span: Span, to: &mut Block) -> bool {
        let Some(variable) = self.variable(pointer) else { return false };
        if self.counters.contains_key(&variable) {
            let value = self.value(value);
            let known = self.literal(&self.new, value);
            assert!(known.is_some(), "the counter of a marked loop is known before the kernel runs");
            self.counters.insert(variable, known);
            return true;
        }
        if self.held.contains_key(&variable) {
            let value = self.value(value);
            self.held.insert(variable, Some(value));
            self.name_after(variable, value);
            return true;
        }
        let Some(elements) = self.elements.get(&variable).cloned() else { return false };
        for element in elements {
            let zero = self.append(Expression::ZeroValue(self.new.local_variables[element].ty), span);
            let pointer = self.append(Expression::LocalVariable(element), span);
            to.push(Statement::Store { pointer, value: zero }, span);
        }
        true
    }

    /// The turns of a marked loop, in the block around it: what one computes, what follows may use.
    fn turns(&mut self, body: &'a Block, continuing: &'a Block, to: &mut Block) {
        let (condition, rest) = split_condition(body);
        for _ in 0..MOST {
            condition.emits.iter().for_each(|(range, span)| self.emit(range.clone(), *span, to));
            let holds = self.value(condition.condition);
            match self.literal(&self.new, holds) {
                Some(Literal::Bool(true)) => {}
                Some(Literal::Bool(false)) => return,
                _ => panic!("the condition of a marked loop is known before the kernel runs"),
            }
            self.statements(rest, to);
            if returns(to) {
                return;
            }
            self.statements(continuing, to);
        }
        panic!("a marked loop ends after {MOST} turns at most");
    }

    /// Copies expressions, and emits those that are not known.
    fn emit(&mut self, range: Range<Expression>, span: Span, to: &mut Block) {
        let mut run: Option<(Handle<Expression>, Handle<Expression>)> = None;
        let flush = |run: &mut Option<_>, to: &mut Block| {
            if let Some((first, last)) = run.take() {
                to.push(Statement::Emit(Range::new_from_bounds(first, last)), span);
            }
        };
        for old in range {
            let mut expression = self.old.expressions[old].clone();
            if let Expression::Load { pointer } = expression
                && let Some(variable) = self.variable(pointer)
                && let Some(value) = self.loaded(variable)
            {
                self.values.insert(old, value);
                continue;
            }
            if let Some(element) = self.element(&expression) {
                let value = self.append(Expression::LocalVariable(element), Span::UNDEFINED);
                self.values.insert(old, value);
                continue;
            }
            of_expression(&mut expression, &mut |operand| *operand = self.value(*operand));
            if let Expression::Access { base, index } = expression
                && let Some(index) = self.literal(&self.new, index).and_then(place)
            {
                expression = Expression::AccessIndex { base, index };
            }
            let place = self.old.expressions.get_span(old);
            let value = match fold(&expression, &|value| self.literal(&self.new, value)) {
                Some(Folded::Value(literal)) => self.append(Expression::Literal(literal), place),
                Some(Folded::Operand(operand)) => operand,
                None => {
                    let new = self.append(expression, place);
                    match &mut run {
                        Some((_, last)) if new.index() == last.index() + 1 => *last = new,
                        _ => {
                            flush(&mut run, to);
                            run = Some((new, new));
                        }
                    }
                    self.name(old, new);
                    new
                }
            };
            self.values.insert(old, value);
        }
        flush(&mut run, to);
    }

    /// What is known to be in a variable of the old function that has no place in the new one.
    fn loaded(&mut self, variable: Handle<LocalVariable>) -> Option<Handle<Expression>> {
        if let Some(known) = self.counters.get(&variable) {
            let known = known.expect("a counter is set before it is read");
            return Some(self.append(Expression::Literal(known), Span::UNDEFINED));
        }
        let held = self.held.get(&variable)?;
        Some(held.expect("what becomes a value is stored before it is read"))
    }

    /// The variable that an expression of the old function points to, if it is an element of an array that is taken apart.
    fn element(&self, expression: &Expression) -> Option<Handle<LocalVariable>> {
        let Expression::AccessIndex { base, index } = *expression else { return None };
        self.elements.get(&self.variable(base)?).map(|elements| elements[index as usize])
    }

    /// Gives a value the name of the variable that held it: in languages of statements it is then computed where it was
    /// stored. One expression of all turns is computed at its end: NVRTC makes a LOP3 more of each bit of a digit.
    fn name_after(&mut self, variable: Handle<LocalVariable>, value: Handle<Expression>) {
        if self.new.expressions[value].needs_pre_emit() {
            return;
        }
        if let Some(name) = &self.old.local_variables[variable].name {
            self.new.named_expressions.entry(value).or_insert_with(|| name.clone());
        }
    }

    fn name(&mut self, old: Handle<Expression>, new: Handle<Expression>) {
        if let Some(name) = self.old.named_expressions.get(&old) {
            self.new.named_expressions.insert(new, name.clone());
        }
    }
}

/// Whether nothing can follow in a block: what is known to hold may lead to a `return`.
fn returns(block: &Block) -> bool {
    matches!(block.last(), Some(Statement::Return { .. } | Statement::Kill))
}

/// An index that is known.
fn place(index: Literal) -> Option<u32> {
    match index {
        Literal::U32(index) => Some(index),
        Literal::I32(index) => u32::try_from(index).ok(),
        _ => None,
    }
}
