//! Where the invocations of a subgroup may have parted, by what may differ between them; and which loops are begun
//! again in the middle.
//!
//! naga says which expressions are the same in a workgroup; here variables of functions are added that only ever hold
//! such values, the counters of most loops.

use naga::valid::FunctionInfo;
use naga::{
    AddressSpace, Binding, Block, BuiltIn, Expression, Function, Handle, LocalVariable, Module, Statement, TypeInner,
};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// What leaves a block before its end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// `break`, `continue` or `return`, out of the statements looked at.
    Any,
    /// `return`.
    Return,
}

/// What is known of a function's flow.
pub(super) struct Flow<'a> {
    module: &'a Module,
    function: &'a Function,
    info: &'a FunctionInfo,
    /// Arguments that may differ.
    arguments: Vec<bool>,
    /// Variables that are the same in all invocations which read them.
    same: HashSet<Handle<LocalVariable>>,
    /// What has been found of expressions.
    found: RefCell<HashMap<Handle<Expression>, bool>>,
}

impl<'a> Flow<'a> {
    /// `parted`: whether the function is called where invocations may have parted.
    pub(super) fn new(
        module: &'a Module,
        function: &'a Function,
        info: &'a FunctionInfo,
        arguments: Vec<bool>,
        parted: bool,
    ) -> Flow<'a> {
        let same = function.local_variables.iter().map(|(handle, _)| handle).collect();
        let mut flow = Flow { module, function, info, arguments, same, found: RefCell::default() };
        loop {
            let before = flow.same.len();
            flow.block(&function.body, parted);
            flow.found.borrow_mut().clear();
            if flow.same.len() == before {
                return flow;
            }
        }
    }

    /// Whether a value, or the place behind a pointer, may differ between the invocations of a workgroup.
    pub(super) fn differs(&self, value: Handle<Expression>) -> bool {
        if self.info[value].uniformity.non_uniform_result.is_none() {
            return false;
        }
        if let Some(&found) = self.found.borrow().get(&value) {
            return found;
        }
        let found = self.finds(value);
        self.found.borrow_mut().insert(value, found);
        found
    }

    fn finds(&self, value: Handle<Expression>) -> bool {
        let any = |values: &[Handle<Expression>]| values.iter().any(|&value| self.differs(value));
        match self.function.expressions[value] {
            Expression::FunctionArgument(index) => self.arguments[index as usize],
            Expression::LocalVariable(local) => !self.same.contains(&local),
            Expression::GlobalVariable(global) => match self.module.global_variables[global].space {
                AddressSpace::WorkGroup | AddressSpace::Uniform | AddressSpace::Immediate => false,
                AddressSpace::Storage { access } => access.contains(naga::StorageAccess::STORE),
                _ => true,
            },
            Expression::Load { pointer } => self.is_atomic(pointer) || self.differs(pointer),
            Expression::Access { base, index } => any(&[base, index]),
            Expression::AccessIndex { base, index } => !self.is_of_workgroup(base, index) && self.differs(base),
            Expression::Compose { ref components, .. } => any(components),
            Expression::Splat { value, .. } => self.differs(value),
            Expression::Swizzle { vector, .. } => self.differs(vector),
            Expression::Unary { expr, .. } | Expression::As { expr, .. } => self.differs(expr),
            Expression::Binary { left, right, .. } => any(&[left, right]),
            Expression::Select { condition, accept, reject } => any(&[condition, accept, reject]),
            Expression::Relational { argument, .. } => self.differs(argument),
            Expression::Math { arg, arg1, arg2, arg3, .. } => {
                [Some(arg), arg1, arg2, arg3].into_iter().flatten().any(|value| self.differs(value))
            }
            Expression::ArrayLength(_) | Expression::WorkGroupUniformLoadResult { .. } => false,
            _ => true,
        }
    }

    /// Whether it is a member of an entry point's argument that is the same in a workgroup.
    fn is_of_workgroup(&self, base: Handle<Expression>, index: u32) -> bool {
        let Expression::FunctionArgument(argument) = self.function.expressions[base] else { return false };
        let ty = self.function.arguments[argument as usize].ty;
        let TypeInner::Struct { members, .. } = &self.module.types[ty].inner else { return false };
        let same = [BuiltIn::WorkGroupId, BuiltIn::NumWorkGroups, BuiltIn::WorkGroupSize, BuiltIn::NumSubgroups];
        matches!(members[index as usize].binding, Some(Binding::BuiltIn(builtin)) if same.contains(&builtin))
    }

    fn is_atomic(&self, pointer: Handle<Expression>) -> bool {
        let inner = self.info[pointer].ty.inner_with(&self.module.types);
        matches!(inner, TypeInner::Pointer { .. }) && inner.is_atomic_pointer(&self.module.types)
    }

    /// The variable that a pointer leads to, if it is one of the function.
    fn local(&self, pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
        match self.function.expressions[pointer] {
            Expression::LocalVariable(local) => Some(local),
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => self.local(base),
            _ => None,
        }
    }

    /// Strikes out the variables that are written where invocations have parted, or with what differs. What is found
    /// before a variable is struck out may be wrong after, in the next round it is not.
    fn block(&mut self, block: &Block, mut parted: bool) {
        for statement in block {
            match statement {
                Statement::Store { pointer, value } => {
                    if let Some(local) = self.local(*pointer)
                        && (parted || self.differs(*value) || self.differs(*pointer))
                    {
                        self.same.remove(&local);
                    }
                }
                Statement::Call { arguments, .. } => {
                    for &argument in arguments {
                        if let Some(local) = self.local(argument) {
                            self.same.remove(&local);
                        }
                    }
                }
                _ => {}
            }
            let inside = self.inside(statement, parted);
            blocks(statement).into_iter().for_each(|block| self.block(block, inside));
            parted = self.after(statement, parted, inside);
        }
    }

    /// Whether invocations may have parted in the blocks of a statement.
    pub(super) fn inside(&self, statement: &Statement, parted: bool) -> bool {
        parted
            || match statement {
                Statement::If { condition, .. } => self.differs(*condition),
                Statement::Switch { selector, .. } => self.differs(*selector),
                // Once some have left the loop, those that go on are parted from them in it.
                Statement::Loop { body, break_if, .. } => {
                    break_if.is_some_and(|condition| self.differs(condition)) || self.parts(body, Exit::Any, false)
                }
                _ => false,
            }
    }

    /// Whether they may have after it.
    pub(super) fn after(&self, statement: &Statement, parted: bool, inside: bool) -> bool {
        let exit = if matches!(statement, Statement::Loop { .. }) { Exit::Return } else { Exit::Any };
        parted || blocks(statement).into_iter().any(|block| self.parts(block, exit, inside))
    }

    /// Whether some invocations may leave a block before its end while others go on.
    fn parts(&self, block: &Block, exit: Exit, parted: bool) -> bool {
        block.iter().any(|statement| match statement {
            Statement::Break | Statement::Continue => parted && exit == Exit::Any,
            Statement::Return { .. } => parted,
            _ => {
                let inside = self.inside(statement, parted);
                let exit = if matches!(statement, Statement::Loop { .. }) { Exit::Return } else { exit };
                blocks(statement).into_iter().any(|block| self.parts(block, exit, inside))
            }
        })
    }
}

/// The blocks of a statement.
fn blocks(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => vec![],
    }
}

/// Whether a block has a `continue` of the loop whose body it belongs to.
pub(super) fn continues(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Continue => true,
        Statement::Loop { .. } => false,
        _ => blocks(statement).into_iter().any(continues),
    })
}
