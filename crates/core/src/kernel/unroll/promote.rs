//! Promotes local variables to values, where for each load the last store before it is known.
//!
//! That is the case where all stores are in one block, and all loads come after the first store, in that block or in
//! nested ones.

use super::super::blocks::inside;
use super::super::operands::{of_expression, of_statement};
use super::split::shallow;
use naga::{Block, Expression, Function, Handle, LocalVariable, Statement, TypeInner};
use std::collections::{HashMap, HashSet};

pub(super) type Variables = HashSet<Handle<LocalVariable>>;

/// The variables of a function that can be values.
pub(super) fn variables(module: &naga::Module, function: &Function) -> Variables {
    let plain = |variable: &LocalVariable| {
        matches!(module.types[variable.ty].inner, TypeInner::Scalar(_) | TypeInner::Vector { .. })
    };
    let mut walk = Walk { function, open: vec![], blocks: 0, found: HashMap::new() };
    for (handle, variable) in function.local_variables.iter().filter(|(_, variable)| plain(variable)) {
        // What a variable begins with is stored at the beginning of the outermost block, the first.
        let stored = variable.init.map(|_| 0);
        walk.found.insert(handle, Some(stored));
    }
    // Other uses than loads and stores of the whole.
    for (_, expression) in function.expressions.iter() {
        if !matches!(expression, Expression::Load { .. }) {
            of_expression(&mut expression.clone(), &mut |operand| walk.refuse(*operand));
        }
    }
    walk.block(&function.body);
    walk.found.into_iter().filter(|(_, found)| matches!(found, Some(Some(_)))).map(|(handle, _)| handle).collect()
}

struct Walk<'a> {
    function: &'a Function,
    /// The numbers of the blocks around, outermost first.
    open: Vec<u32>,
    blocks: u32,
    /// The block that each variable is stored to in; `None` where that does not do.
    found: HashMap<Handle<LocalVariable>, Option<Option<u32>>>,
}

impl Walk<'_> {
    fn variable(&self, pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
        match self.function.expressions[pointer] {
            Expression::LocalVariable(variable) => Some(variable),
            _ => None,
        }
    }

    fn refuse(&mut self, pointer: Handle<Expression>) {
        if let Some(variable) = self.variable(pointer) {
            self.found.insert(variable, None);
        }
    }

    fn stored(&mut self, variable: Handle<LocalVariable>) {
        let here = *self.open.last().expect("a statement stands in a block");
        if let Some(Some(found)) = self.found.get_mut(&variable) {
            match found {
                Some(block) if *block != here => drop(self.found.insert(variable, None)),
                _ => *found = Some(here),
            }
        }
    }

    fn loaded(&mut self, variable: Handle<LocalVariable>) {
        if let Some(Some(found)) = self.found.get(&variable)
            && !found.is_some_and(|block| self.open.contains(&block))
        {
            self.found.insert(variable, None);
        }
    }

    fn block(&mut self, block: &Block) {
        self.open.push(self.blocks);
        self.blocks += 1;
        for statement in block {
            match statement {
                Statement::Emit(range) => {
                    for handle in range.clone() {
                        if let Expression::Load { pointer } = self.function.expressions[handle]
                            && let Some(variable) = self.variable(pointer)
                        {
                            self.loaded(variable);
                        }
                    }
                }
                Statement::Store { pointer, value } => {
                    self.refuse(*value);
                    if let Some(variable) = self.variable(*pointer) {
                        self.stored(variable);
                    }
                }
                other => {
                    let mut refused = vec![];
                    of_statement(&mut shallow(other), &mut |operand| refused.push(*operand), &mut |_| ());
                    refused.into_iter().for_each(|operand| self.refuse(operand));
                    inside(other).into_iter().for_each(|block| self.block(block));
                }
            }
        }
        self.open.pop();
    }
}
