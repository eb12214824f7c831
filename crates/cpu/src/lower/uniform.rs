//! Which variables of a function hold the same for all active invocations, so that one lane computes them.
//!
//! A variable does if every value stored in it is the same for all, and no construct that invocations leave or enter
//! apart lies between its home and a store. Its home is the block that first stores it, if all accesses lie inside, else
//! the function: there all that will ever read it are active. Invocations that have returned do not come back.

use super::*;
use naga::{Block, Function, LocalVariable, Statement};
use std::collections::HashSet;

/// A block of statements, and why invocations may be in it apart from those of the block around it.
struct Node {
    around: Option<usize>,
    cause: Cause,
}

#[derive(Clone, Copy)]
enum Cause {
    None,
    Branch(Handle<Expression>),
    /// Index into [`Walk::loops`].
    Loop(usize),
    /// A switch, which `break` may leave anywhere.
    Always,
}

/// Where a loop is left or begun again, and by which condition at its end.
#[derive(Default)]
struct Exits {
    blocks: Vec<usize>,
    break_if: Option<Handle<Expression>>,
    /// The block of its body.
    body: usize,
}

struct Access {
    block: usize,
    /// What is stored, or none for a load.
    value: Option<Handle<Expression>>,
}

/// A call: the function and its arguments.
type Call<'a> = (Handle<Function>, &'a [Handle<Expression>]);

struct Walk<'a> {
    function: &'a Function,
    /// Whether each argument differs between invocations.
    arguments: &'a [bool],
    module: &'a Module,
    nodes: Vec<Node>,
    loops: Vec<Exits>,
    open: Vec<usize>,
    accesses: HashMap<Handle<LocalVariable>, Vec<Access>>,
    /// What calls gave.
    results: HashMap<Handle<Expression>, Call<'a>>,
    /// Variables that something else than a load or store touches.
    other: HashSet<Handle<LocalVariable>>,
}

/// The variables of a function that one lane computes.
pub(super) fn uniform_locals(
    module: &Module,
    function: &Function,
    arguments: &[bool],
) -> HashSet<Handle<LocalVariable>> {
    let walk = Walk::new(module, function, arguments);
    let mut uniform: HashSet<_> = walk.accesses.keys().copied().filter(|v| !walk.other.contains(v)).collect();
    loop {
        let mut memo = HashMap::new();
        let kept: HashSet<_> = uniform.iter().copied().filter(|&v| walk.holds(v, &uniform, &mut memo)).collect();
        if kept.len() == uniform.len() {
            return uniform;
        }
        uniform = kept;
    }
}

/// Whether a function of straight code gives the same for all invocations that call it.
fn gives_same(module: &Module, function: &Function, arguments: &[bool]) -> bool {
    let [before @ .., Statement::Return { value: Some(value) }] = &function.body[..] else { return false };
    let straight = before.iter().all(|statement| matches!(statement, Statement::Emit(_) | Statement::Call { .. }));
    straight && Walk::new(module, function, arguments).same(*value, &HashSet::new(), &mut HashMap::new())
}

type Memo = HashMap<Handle<Expression>, bool>;
type Locals = HashSet<Handle<LocalVariable>>;

impl<'a> Walk<'a> {
    fn new(module: &'a Module, function: &'a Function, arguments: &'a [bool]) -> Walk<'a> {
        let (nodes, loops, open) = (vec![], vec![], vec![]);
        let (accesses, results, other) = (HashMap::new(), HashMap::new(), HashSet::new());
        let mut walk = Walk { function, arguments, module, nodes, loops, open, accesses, results, other };
        walk.block(&function.body, None, Cause::None);
        walk
    }

    fn block(&mut self, block: &'a Block, around: Option<usize>, cause: Cause) -> usize {
        let node = self.nodes.len();
        self.nodes.push(Node { around, cause });
        block.iter().for_each(|statement| self.statement(statement, node));
        node
    }

    fn statement(&mut self, statement: &'a Statement, node: usize) {
        match statement {
            Statement::Emit(range) => range.clone().for_each(|handle| {
                if let Expression::Load { pointer } = self.function.expressions[handle] {
                    self.access(pointer, node, None);
                }
            }),
            Statement::Store { pointer, value } => self.access(*pointer, node, Some(*value)),
            Statement::Block(block) => {
                self.block(block, Some(node), Cause::None);
            }
            Statement::If { condition, accept, reject } => {
                self.block(accept, Some(node), Cause::Branch(*condition));
                self.block(reject, Some(node), Cause::Branch(*condition));
            }
            Statement::Switch { cases, .. } => {
                for case in cases {
                    self.block(&case.body, Some(node), Cause::Always);
                }
            }
            Statement::Loop { body, continuing, break_if } => {
                let index = self.loops.len();
                self.loops.push(Exits { break_if: *break_if, ..Exits::default() });
                self.open.push(index);
                let inside = self.block(body, Some(node), Cause::Loop(index));
                self.loops[index].body = inside;
                self.block(continuing, Some(inside), Cause::None);
                self.open.pop();
            }
            // In a switch a break is the switch's own; counting it for the loop too does no harm.
            Statement::Break | Statement::Continue => {
                if let Some(&index) = self.open.last() {
                    self.loops[index].blocks.push(node);
                }
            }
            Statement::Call { function, arguments, result } => {
                self.results.extend(result.map(|result| (result, (*function, &arguments[..]))));
                for &handle in arguments {
                    if let Some((local, _)) = self.root(handle) {
                        self.other.insert(local);
                    }
                }
            }
            _ => {}
        }
    }

    /// The variable behind a pointer, and whether the pointer is to a part chosen at run time.
    fn root(&self, pointer: Handle<Expression>) -> Option<(Handle<LocalVariable>, bool)> {
        match self.function.expressions[pointer] {
            Expression::LocalVariable(local) => Some((local, false)),
            Expression::AccessIndex { base, .. } => self.root(base),
            Expression::Access { base, .. } => self.root(base).map(|(local, _)| (local, true)),
            _ => None,
        }
    }

    fn access(&mut self, pointer: Handle<Expression>, block: usize, value: Option<Handle<Expression>>) {
        if let Some((local, chosen)) = self.root(pointer) {
            self.accesses.entry(local).or_default().push(Access { block, value });
            if chosen && value.is_some() {
                self.other.insert(local);
            }
        }
    }

    /// Whether a variable stays the same for all, if those of `uniform` do.
    fn holds(&self, local: Handle<LocalVariable>, uniform: &Locals, memo: &mut Memo) -> bool {
        let accesses = &self.accesses[&local];
        let first = &accesses[0];
        let inside = |access: &Access| self.path(access.block).any(|node| node == first.block);
        let home = if first.value.is_some() && accesses.iter().all(inside) { first.block } else { 0 };
        accesses.iter().all(|access| {
            let Some(value) = access.value else { return true };
            self.same(value, uniform, memo) && self.together(access.block, home, uniform, memo)
        })
    }

    /// A block and those around it.
    fn path(&self, block: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(block), |&node| self.nodes[node].around)
    }

    /// Whether all that are in the block `home` come to this block inside it.
    fn together(&self, block: usize, home: usize, uniform: &Locals, memo: &mut Memo) -> bool {
        self.path(block).take_while(|&node| node != home).all(|node| match self.nodes[node].cause {
            Cause::None => true,
            Cause::Branch(condition) => self.same(condition, uniform, memo),
            Cause::Always => false,
            Cause::Loop(index) => {
                let exits = &self.loops[index];
                exits.break_if.is_none_or(|condition| self.same(condition, uniform, memo))
                    && exits.blocks.iter().all(|&exit| self.together(exit, exits.body, uniform, memo))
            }
        })
    }

    /// Whether an expression is the same for all active invocations.
    fn same(&self, handle: Handle<Expression>, uniform: &Locals, memo: &mut Memo) -> bool {
        if let Some(&known) = memo.get(&handle) {
            return known;
        }
        let mut all = |handles: &[Handle<Expression>]| handles.iter().all(|&h| self.same(h, uniform, memo));
        let result = match self.function.expressions[handle] {
            Expression::Literal(_) | Expression::Constant(_) | Expression::ZeroValue(_) => true,
            Expression::ArrayLength(_) => true,
            Expression::FunctionArgument(index) => !self.arguments[index as usize],
            Expression::Compose { ref components, .. } => all(components),
            Expression::Splat { value, .. } => all(&[value]),
            Expression::Swizzle { vector, .. } => all(&[vector]),
            Expression::Access { base, index } => all(&[base, index]),
            Expression::AccessIndex { base, .. } => all(&[base]),
            Expression::LocalVariable(local) => uniform.contains(&local),
            // Memory at one address, read once; private variables are each invocation's own.
            Expression::GlobalVariable(global) => self.module.global_variables[global].space != AddressSpace::Private,
            Expression::Load { pointer } => !self.atomic(pointer) && all(&[pointer]),
            Expression::Unary { expr, .. } | Expression::As { expr, .. } => all(&[expr]),
            Expression::Binary { left, right, .. } => all(&[left, right]),
            Expression::Select { condition, accept, reject } => all(&[condition, accept, reject]),
            Expression::Relational { argument, .. } => all(&[argument]),
            Expression::Math { arg, arg1, arg2, arg3, .. } => {
                all(&[Some(arg), arg1, arg2, arg3].into_iter().flatten().collect::<Vec<_>>())
            }
            Expression::CallResult(_) => {
                let (function, arguments) = self.results[&handle];
                let differ: Vec<bool> = arguments.iter().map(|&argument| !self.same(argument, uniform, memo)).collect();
                gives_same(self.module, &self.module.functions[function], &differ)
            }
            _ => false,
        };
        memo.insert(handle, result);
        result
    }

    /// Whether a pointer may be to an atomic: its type is not looked up, the variable's is.
    fn atomic(&self, pointer: Handle<Expression>) -> bool {
        match self.function.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => self.atomic(base),
            Expression::GlobalVariable(global) => self.holds_atomics(self.module.global_variables[global].ty),
            Expression::FunctionArgument(_) => true,
            _ => false,
        }
    }

    fn holds_atomics(&self, ty: Handle<naga::Type>) -> bool {
        match self.module.types[ty].inner {
            Inner::Atomic(_) => true,
            Inner::Array { base, .. } => self.holds_atomics(base),
            Inner::Struct { ref members, .. } => members.iter().any(|member| self.holds_atomics(member.ty)),
            _ => false,
        }
    }
}
