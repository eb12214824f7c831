//! Which variables are still read: by one invocation, as if it ran alone.

use super::tree::{Exit, Node, Tree};
use crate::program::{Frame, Instr, Lowered, NONE, Reg, Role};

/// A set of variables.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Set(Vec<u64>);

impl Set {
    pub fn has(&self, variable: usize) -> bool {
        self.0.get(variable / 64).is_some_and(|word| word >> (variable % 64) & 1 != 0)
    }

    fn add(&mut self, variable: usize) {
        if self.0.len() <= variable / 64 {
            self.0.resize(variable / 64 + 1, 0);
        }
        self.0[variable / 64] |= 1 << (variable % 64);
    }

    fn remove(&mut self, variable: usize) {
        if let Some(word) = self.0.get_mut(variable / 64) {
            *word &= !(1 << (variable % 64));
        }
    }

    fn join(&mut self, other: &Set) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(own, more)| *own |= more);
    }
}

/// What is read after the places of a construct where invocations meet again.
#[derive(Clone, Default)]
pub(super) struct Meeting {
    /// After the construct.
    pub end: Set,
    /// From the other branch on, or from what a loop does before its next iteration.
    pub middle: Set,
}

pub(super) struct Liveness {
    /// The number of a register among variables.
    variables: Vec<Option<usize>>,
    /// By construct.
    pub meetings: Vec<Meeting>,
    /// Steps that write a variable which nothing reads after.
    pub dead: Vec<bool>,
}

impl Liveness {
    pub fn new(lowered: &Lowered, tree: &Tree) -> Liveness {
        let mut variables = vec![None; lowered.registers.len()];
        let mut count = 0;
        for step in &lowered.code {
            step.instr.visit(&lowered.lists, |reg, role| {
                if role == Role::Update && variables[reg as usize].is_none() {
                    variables[reg as usize] = Some(count);
                    count += 1;
                }
            });
        }
        let (meetings, dead) = (vec![Meeting::default(); tree.ids], vec![false; lowered.code.len()]);
        let all = Liveness { variables, meetings, dead };
        let begun = vec![Set::default(); tree.ids];
        let mut walk = Walk { lowered, all, frames: vec![], returns: vec![], begun };
        walk.before(&tree.nodes, Set::default());
        walk.all
    }

    /// Whether a register is a variable of this set.
    pub fn reads(&self, set: &Set, reg: Reg) -> bool {
        self.variables[reg as usize].is_some_and(|variable| set.has(variable))
    }

    pub fn is_variable(&self, reg: Reg) -> bool {
        self.variables[reg as usize].is_some()
    }
}

/// What is read after leaving a construct, and after going on with its next iteration.
struct Target {
    frame: Frame,
    leave: Set,
    again: Set,
}

struct Walk<'a> {
    lowered: &'a Lowered,
    all: Liveness,
    frames: Vec<Target>,
    returns: Vec<Set>,
    /// By loop: what the last walk through it found to be read from its beginning on. Sets only grow from walk to walk, so the
    /// next one begins with it. From nothing each time, loops in loops would take 2^depth walks.
    begun: Vec<Set>,
}

impl Walk<'_> {
    /// What is read from the beginning of statements on, if this is read after them.
    fn before(&mut self, nodes: &[Node], after: Set) -> Set {
        nodes.iter().rev().fold(after, |after, node| self.before_node(node, after))
    }

    fn before_node(&mut self, node: &Node, after: Set) -> Set {
        match node {
            Node::Step(at) => self.before_step(*at, after),
            Node::Exit(Exit::Return) => self.returns.last().cloned().unwrap_or_default(),
            Node::Exit(exit) => {
                let (Exit::Break(frame) | Exit::Continue(frame)) = exit else { unreachable!("returns are above") };
                let target = self.frames.iter().rev().find(|target| target.frame == *frame);
                let target = target.expect("it leaves a construct around it");
                if matches!(exit, Exit::Break(_)) { target.leave.clone() } else { target.again.clone() }
            }
            Node::If { id, condition, accept, reject } => {
                self.all.meetings[*id].end = after.clone();
                let mut live = self.before(reject, after.clone());
                self.all.meetings[*id].middle = live.clone();
                live.join(&self.before(accept, after));
                self.read(*condition, &mut live);
                live
            }
            Node::Loop { id, frame, body, continuing, break_if, .. } => {
                self.all.meetings[*id].end = after.clone();
                let mut live = std::mem::take(&mut self.begun[*id]);
                loop {
                    let mut again = live.clone();
                    if *break_if != NONE {
                        again.join(&after);
                        self.read(*break_if, &mut again);
                    }
                    self.frames.push(Target { frame: *frame, leave: after.clone(), again: Set::default() });
                    let middle = self.before(continuing, again);
                    self.all.meetings[*id].middle = middle.clone();
                    self.frames.last_mut().expect("just pushed").again = middle.clone();
                    let next = self.before(body, middle);
                    self.frames.pop();
                    let old = live.clone();
                    live.join(&next);
                    if live == old {
                        self.begun[*id] = live.clone();
                        return live;
                    }
                }
            }
            Node::Switch { id, frame, body } => {
                self.all.meetings[*id].end = after.clone();
                self.frames.push(Target { frame: *frame, leave: after.clone(), again: Set::default() });
                let live = self.before(body, after);
                self.frames.pop();
                live
            }
            Node::Function { id, body } => {
                self.all.meetings[*id].end = after.clone();
                self.returns.push(after.clone());
                let live = self.before(body, after);
                self.returns.pop();
                live
            }
        }
    }

    fn read(&self, reg: Reg, live: &mut Set) {
        if let Some(variable) = self.all.variables[reg as usize] {
            live.add(variable);
        }
    }

    fn before_step(&mut self, at: usize, mut live: Set) -> Set {
        let step = &self.lowered.code[at];
        if let Instr::Set { to, .. } = step.instr
            && let Some(variable) = self.all.variables[to as usize]
        {
            self.all.dead[at] = !live.has(variable);
            live.remove(variable);
        }
        let is_set = matches!(step.instr, Instr::Set { .. });
        step.instr.visit(&self.lowered.lists, |reg, role| {
            if let Some(variable) = self.all.variables[reg as usize]
                && (role == Role::Read || role == Role::Update && !is_set)
            {
                live.add(variable);
            }
        });
        live
    }
}
