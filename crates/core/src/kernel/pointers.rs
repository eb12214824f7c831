//! Functions that are given pointers to storage, uniform or workgroup memory, which naga's validator refuses: their bodies take the place of
//! the calls, so that what a pointer points to is named where it is used.
//!
//! An element that a pointer names (`&x[i]`) is the one that `i` named at the call: the index is computed there.

use super::blocks::{each, inside};
use super::operands::{of_expression, of_statement};
use naga::{
    AddressSpace, Block, Expression, Function, Handle, Literal, LocalVariable, Module, Range, Scalar, Span, Statement,
    SwitchCase, Type, TypeInner,
};
use std::collections::{HashMap, HashSet};

type Value = Handle<Expression>;

/// Inlines all functions with such arguments.
pub(super) fn inline(module: &mut Module) {
    let inlined: HashSet<_> = module
        .functions
        .iter()
        .filter(|(_, function)| function.arguments.iter().any(|argument| is_shared(module, argument.ty)))
        .map(|(handle, _)| handle)
        .collect();
    if inlined.is_empty() {
        return;
    }
    let flag = module.types.insert(Type { name: None, inner: TypeInner::Scalar(Scalar::BOOL) }, Span::UNDEFINED);
    let calls = |function: &Function| {
        let mut found = false;
        each(&function.body, &mut |_, statement| {
            found |= matches!(statement, Statement::Call { function, .. } if inlined.contains(function));
        });
        found
    };
    let handles: Vec<_> = module.functions.iter().map(|(handle, _)| handle).collect();
    for handle in handles.iter().filter(|handle| !inlined.contains(handle)) {
        if calls(&module.functions[*handle]) {
            module.functions[*handle] = Inliner::of(module, &inlined, flag, &module.functions[*handle]);
        }
    }
    for entry in 0..module.entry_points.len() {
        if calls(&module.entry_points[entry].function) {
            module.entry_points[entry].function =
                Inliner::of(module, &inlined, flag, &module.entry_points[entry].function);
        }
    }
    // Nothing calls them.
    for handle in inlined {
        let name = module.functions[handle].name.take();
        module.functions[handle] = Function { name, ..Function::default() };
    }
}

/// Whether a type is a pointer that naga takes as no argument.
fn is_shared(module: &Module, ty: Handle<Type>) -> bool {
    let space = match module.types[ty].inner {
        TypeInner::Pointer { space, .. } | TypeInner::ValuePointer { space, .. } => space,
        _ => return false,
    };
    !matches!(space, AddressSpace::Function | AddressSpace::Private)
}

/// A function as it is copied.
struct Inliner<'a> {
    module: &'a Module,
    inlined: &'a HashSet<Handle<Function>>,
    /// The type of flags.
    flag: Handle<Type>,
    new: Function,
    frame: Frame<'a>,
}

/// The function whose body is copied, and what stands for its values and variables.
struct Frame<'a> {
    old: &'a Function,
    values: HashMap<Value, Value>,
    locals: HashMap<Handle<LocalVariable>, Handle<LocalVariable>>,
    returns: Returns,
}

/// What becomes of a `return`.
#[derive(Clone, Copy)]
enum Returns {
    /// One of the function itself.
    Stays,
    /// The function ends there anyway: its value is kept.
    AtEnd { result: Option<Handle<LocalVariable>> },
    /// Leaves the loop around the body. Loops and switches inside are left one after the other, by the flag.
    Leaves { result: Option<Handle<LocalVariable>>, left: Handle<LocalVariable> },
}

impl<'a> Inliner<'a> {
    fn of(
        module: &'a Module,
        inlined: &'a HashSet<Handle<Function>>,
        flag: Handle<Type>,
        old: &'a Function,
    ) -> Function {
        let new = Function {
            name: old.name.clone(),
            arguments: old.arguments.clone(),
            result: old.result.clone(),
            diagnostic_filter_leaf: old.diagnostic_filter_leaf,
            ..Function::default()
        };
        let frame = Frame { old, values: HashMap::new(), locals: HashMap::new(), returns: Returns::Stays };
        let mut inliner = Inliner { module, inlined, flag, new, frame };
        for (handle, variable) in old.local_variables.iter() {
            let init = variable.init.map(|init| inliner.value(init));
            let copy = LocalVariable { init, ..variable.clone() };
            let local = inliner.new.local_variables.append(copy, old.local_variables.get_span(handle));
            inliner.frame.locals.insert(handle, local);
        }
        let mut body = Block::new();
        inliner.block(&old.body, &mut body);
        Function { body, ..inliner.new }
    }

    fn append(&mut self, expression: Expression, span: Span) -> Value {
        self.new.expressions.append(expression, span)
    }

    /// An expression that a statement emits.
    fn emitted(&mut self, expression: Expression, span: Span, to: &mut Block) -> Value {
        let value = self.append(expression, span);
        to.push(Statement::Emit(Range::new_from_bounds(value, value)), span);
        value
    }

    fn pointer(&mut self, variable: Handle<LocalVariable>) -> Value {
        self.append(Expression::LocalVariable(variable), Span::UNDEFINED)
    }

    fn store(&mut self, variable: Handle<LocalVariable>, value: Value, span: Span, to: &mut Block) {
        let pointer = self.pointer(variable);
        to.push(Statement::Store { pointer, value }, span);
    }

    fn bool(&mut self, value: bool) -> Value {
        self.append(Expression::Literal(Literal::Bool(value)), Span::UNDEFINED)
    }

    /// What stands for a value: a copy, if there is none yet.
    fn value(&mut self, old: Value) -> Value {
        if let Some(&value) = self.frame.values.get(&old) {
            return value;
        }
        let value = self.copied(old);
        self.frame.values.insert(old, value);
        value
    }

    fn copied(&mut self, old: Value) -> Value {
        let (function, span) = (self.frame.old, self.frame.old.expressions.get_span(old));
        let mut expression = function.expressions[old].clone();
        match &mut expression {
            Expression::LocalVariable(variable) => *variable = self.frame.locals[variable],
            other => of_expression(other, &mut |operand| *operand = self.value(*operand)),
        }
        let new = self.append(expression, span);
        if let Some(name) = function.named_expressions.get(&old) {
            self.new.named_expressions.insert(new, name.clone());
        }
        new
    }

    fn emit(&mut self, range: &Range<Expression>, span: Span, to: &mut Block) {
        // What nothing emits comes first, so that the rest stays together.
        for old in range.clone() {
            let mut operands = vec![];
            of_expression(&mut self.frame.old.expressions[old].clone(), &mut |operand| operands.push(*operand));
            for operand in operands {
                if self.frame.old.expressions[operand].needs_pre_emit() {
                    self.value(operand);
                }
            }
        }
        let mut made = vec![];
        for old in range.clone() {
            let new = self.copied(old);
            self.frame.values.insert(old, new);
            made.push(new);
        }
        if let (Some(&first), Some(&last)) = (made.first(), made.last()) {
            to.push(Statement::Emit(Range::new_from_bounds(first, last)), span);
        }
    }

    fn block(&mut self, old: &'a Block, to: &mut Block) {
        for (statement, &span) in old.span_iter() {
            self.statement(statement, span, to);
            // Nothing runs after it.
            if matches!(statement, Statement::Return { .. }) {
                return;
            }
            if let Returns::Leaves { left, .. } = self.frame.returns
                && matches!(statement, Statement::Loop { .. } | Statement::Switch { .. })
                && returns(statement)
            {
                let pointer = self.pointer(left);
                let condition = self.emitted(Expression::Load { pointer }, span, to);
                let accept = Block::from_vec(vec![Statement::Break]);
                to.push(Statement::If { condition, accept, reject: Block::new() }, span);
            }
        }
    }

    fn inner(&mut self, old: &'a Block) -> Block {
        let mut to = Block::new();
        self.block(old, &mut to);
        to
    }

    fn statement(&mut self, old: &'a Statement, span: Span, to: &mut Block) {
        match old {
            Statement::Emit(range) => self.emit(range, span, to),
            Statement::Block(block) => {
                let block = self.inner(block);
                to.push(Statement::Block(block), span);
            }
            Statement::If { condition, accept, reject } => {
                let condition = self.value(*condition);
                let (accept, reject) = (self.inner(accept), self.inner(reject));
                to.push(Statement::If { condition, accept, reject }, span);
            }
            Statement::Switch { selector, cases } => {
                let selector = self.value(*selector);
                let case = |case: &'a SwitchCase| SwitchCase {
                    value: case.value,
                    body: self.inner(&case.body),
                    fall_through: case.fall_through,
                };
                let cases = cases.iter().map(case).collect();
                to.push(Statement::Switch { selector, cases }, span);
            }
            Statement::Loop { body, continuing, break_if } => {
                let (body, continuing) = (self.inner(body), self.inner(continuing));
                let break_if = break_if.map(|condition| self.value(condition));
                to.push(Statement::Loop { body, continuing, break_if }, span);
            }
            Statement::Return { value } => self.returned(*value, span, to),
            Statement::Call { function, arguments, result } if self.inlined.contains(function) => {
                self.call(*function, arguments, *result, span, to);
            }
            other => {
                let (mut copy, mut made) = (other.clone(), vec![]);
                of_statement(&mut copy, &mut |operand| *operand = self.value(*operand), &mut |old| made.push(*old));
                for old in made {
                    let new = self.copied(old);
                    self.frame.values.insert(old, new);
                }
                of_statement(&mut copy, &mut |_| (), &mut |old| *old = self.frame.values[old]);
                to.push(copy, span);
            }
        }
    }

    fn returned(&mut self, value: Option<Value>, span: Span, to: &mut Block) {
        let value = value.map(|value| self.value(value));
        let result = match self.frame.returns {
            Returns::Stays => return to.push(Statement::Return { value }, span),
            Returns::AtEnd { result } | Returns::Leaves { result, .. } => result,
        };
        if let (Some(result), Some(value)) = (result, value) {
            self.store(result, value, span, to);
        }
        if let Returns::Leaves { left, .. } = self.frame.returns {
            let set = self.bool(true);
            self.store(left, set, span, to);
            to.push(Statement::Break, span);
        }
    }

    /// A function's body in place of a call to it.
    fn call(
        &mut self,
        callee: Handle<Function>,
        arguments: &[Value],
        result: Option<Value>,
        span: Span,
        to: &mut Block,
    ) {
        let old = &self.module.functions[callee];
        let arguments: Vec<_> = arguments.iter().map(|&argument| self.value(argument)).collect();
        let given = old.expressions.iter().filter_map(|(handle, expression)| match *expression {
            Expression::FunctionArgument(index) => Some((handle, arguments[index as usize])),
            _ => None,
        });
        let kept = old.result.as_ref().map(|result| self.variable(result.ty));
        let leaves = !returns_at_end(&old.body, true);
        let returns = match leaves {
            true => Returns::Leaves { result: kept, left: self.variable(self.flag) },
            false => Returns::AtEnd { result: kept },
        };
        let frame = Frame { old, values: given.collect(), locals: HashMap::new(), returns };
        let outer = std::mem::replace(&mut self.frame, frame);
        self.begin_variables(span, to);
        if let Returns::Leaves { left, .. } = returns {
            let unset = self.bool(false);
            self.store(left, unset, span, to);
        }
        let mut body = self.inner(&old.body);
        if leaves {
            body.push(Statement::Break, span);
            to.push(Statement::Loop { body, continuing: Block::new(), break_if: None }, span);
        } else {
            to.push(Statement::Block(body), span);
        }
        self.frame = outer;
        if let (Some(result), Some(kept)) = (result, kept) {
            let pointer = self.pointer(kept);
            let value = self.emitted(Expression::Load { pointer }, span, to);
            if let Some(name) = self.frame.old.named_expressions.get(&result) {
                self.new.named_expressions.insert(value, name.clone());
            }
            self.frame.values.insert(result, value);
        }
    }

    fn variable(&mut self, ty: Handle<Type>) -> Handle<LocalVariable> {
        self.new.local_variables.append(LocalVariable { name: None, ty, init: None }, Span::UNDEFINED)
    }

    /// Variables of a function that is called begin anew at each call.
    fn begin_variables(&mut self, span: Span, to: &mut Block) {
        let old = self.frame.old;
        for (handle, variable) in old.local_variables.iter() {
            let copy = LocalVariable { init: None, ..variable.clone() };
            let local = self.new.local_variables.append(copy, old.local_variables.get_span(handle));
            self.frame.locals.insert(handle, local);
            let first = self.new.expressions.len();
            let value = match variable.init {
                Some(init) => self.value(init),
                None => self.append(Expression::ZeroValue(variable.ty), span),
            };
            let made: Vec<_> = self.new.expressions.range_from(first).collect();
            for made in made {
                if !self.new.expressions[made].needs_pre_emit() {
                    to.push(Statement::Emit(Range::new_from_bounds(made, made)), span);
                }
            }
            self.store(local, value, span, to);
        }
    }
}

/// Whether a statement has a `return` inside.
fn returns(statement: &Statement) -> bool {
    let within = |block: &Block| block.iter().any(returns);
    matches!(statement, Statement::Return { .. }) || inside(statement).into_iter().any(within)
}

/// Whether all `return`s of a block are where the function ends anyway.
fn returns_at_end(block: &Block, is_end: bool) -> bool {
    block.iter().enumerate().all(|(index, statement)| match statement {
        Statement::Return { .. } => is_end && index + 1 == block.len(),
        Statement::Block(_) | Statement::If { .. } => {
            let is_end = is_end && index + 1 == block.len();
            inside(statement).into_iter().all(|block| returns_at_end(block, is_end))
        }
        other => !returns(other),
    })
}
