//! The structure of a kernel's control flow, found again in its list of steps.

use crate::program::{Frame, Instr, Lowered, NONE, Reg};

/// A statement.
#[derive(Debug)]
pub(super) enum Node {
    /// A step without control flow, by its place in the code.
    Step(usize),
    If {
        id: usize,
        condition: Reg,
        accept: Vec<Node>,
        reject: Vec<Node>,
    },
    Loop {
        id: usize,
        frame: Frame,
        body: Vec<Node>,
        continuing: Vec<Node>,
        /// Or NONE.
        break_if: Reg,
        /// The step that ends an iteration.
        again: usize,
    },
    /// What `break` leaves, once.
    Switch {
        id: usize,
        frame: Frame,
        body: Vec<Node>,
    },
    /// What `return` leaves.
    Function {
        id: usize,
        body: Vec<Node>,
    },
    Exit(Exit),
}

/// How invocations leave a construct before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    Break(Frame),
    Continue(Frame),
    /// From the innermost function.
    Return,
}

/// A kernel's statements, and how many constructs have an id.
pub(super) struct Tree {
    pub nodes: Vec<Node>,
    pub ids: usize,
}

pub(super) fn tree(lowered: &Lowered) -> Tree {
    let mut reader = Reader { lowered, at: 0, ids: 0 };
    let nodes = reader.block();
    Tree { nodes, ids: reader.ids }
}

struct Reader<'a> {
    lowered: &'a Lowered,
    at: usize,
    ids: usize,
}

impl Reader<'_> {
    fn instr(&self) -> &Instr {
        &self.lowered.code[self.at].instr
    }

    fn id(&mut self) -> usize {
        self.ids += 1;
        self.ids - 1
    }

    /// Passes over a label, and over the step after it that opens or ends a part of the same construct.
    fn label(&mut self, steps: usize) {
        debug_assert!(matches!(self.instr(), Instr::Label(_)), "{:?}", self.instr());
        self.at += 1 + steps;
    }

    /// The statements up to a label or a jump, which belong to the construct around.
    fn block(&mut self) -> Vec<Node> {
        let mut nodes = vec![];
        loop {
            match *self.instr() {
                Instr::Label(_) | Instr::Jump(_) | Instr::End => return nodes,
                Instr::JumpUnless { condition, .. } => {
                    self.at += 1;
                    let accept = self.block();
                    self.at += 1;
                    self.label(0);
                    let reject = self.block();
                    self.label(0);
                    nodes.push(Node::If { id: self.id(), condition, accept, reject });
                }
                Instr::If { condition, .. } => {
                    self.at += 1;
                    let accept = self.block();
                    self.label(1);
                    let reject = self.block();
                    self.label(1);
                    nodes.push(Node::If { id: self.id(), condition, accept, reject });
                }
                Instr::Open { frame } => {
                    self.at += 1;
                    nodes.push(if self.is_loop() { self.repeat(frame) } else { self.switch(frame) });
                }
                Instr::Enter { .. } => {
                    self.at += 1;
                    let body = self.block();
                    self.label(1);
                    nodes.push(Node::Function { id: self.id(), body });
                }
                Instr::Break { frame, .. } => self.exit(&mut nodes, Exit::Break(frame)),
                Instr::Continue { frame, .. } => self.exit(&mut nodes, Exit::Continue(frame)),
                Instr::Return { .. } => self.exit(&mut nodes, Exit::Return),
                _ => {
                    nodes.push(Node::Step(self.at));
                    self.at += 1;
                }
            }
        }
    }

    fn exit(&mut self, nodes: &mut Vec<Node>, exit: Exit) {
        nodes.push(Node::Exit(exit));
        self.at += 1;
    }

    /// A loop begins with its label; a switch without a case with the label of its end.
    fn is_loop(&self) -> bool {
        let next = self.lowered.code.get(self.at + 1).map(|step| &step.instr);
        matches!(self.instr(), Instr::Label(_)) && !matches!(next, Some(Instr::Close { .. }))
    }

    fn repeat(&mut self, frame: Frame) -> Node {
        let id = self.id();
        self.label(0);
        let body = self.block();
        self.label(1);
        let continuing = self.block();
        self.label(0);
        let again = self.at;
        let Instr::Again { break_if, .. } = *self.instr() else {
            unreachable!("a loop ends with Again, not {:?}", self.instr())
        };
        self.at += 1;
        Node::Loop { id, frame, body, continuing, break_if, again }
    }

    fn switch(&mut self, frame: Frame) -> Node {
        let id = self.id();
        let body = self.block();
        self.label(1);
        Node::Switch { id, frame, body }
    }
}

impl Node {
    /// The lists of statements inside.
    pub fn parts(&self) -> [&[Node]; 2] {
        match self {
            Node::Step(_) | Node::Exit(_) => [&[], &[]],
            Node::If { accept, reject, .. } => [accept, reject],
            Node::Loop { body, continuing, .. } => [body, continuing],
            Node::Switch { body, .. } | Node::Function { body, .. } => [body, &[]],
        }
    }

    /// Visits every step in it.
    pub fn steps(&self, visit: &mut dyn FnMut(usize)) {
        match self {
            Node::Step(step) => visit(*step),
            _ => self.parts().into_iter().flatten().for_each(|node| node.steps(visit)),
        }
    }

    /// Whether invocations may leave it for a construct around it.
    pub fn escapes(&self) -> bool {
        self.leaves_for(&mut vec![], false)
    }

    fn leaves_for(&self, frames: &mut Vec<Frame>, function: bool) -> bool {
        let inside = |frames: &mut Vec<Frame>, function: bool| {
            self.parts().into_iter().flatten().any(|node| node.leaves_for(frames, function))
        };
        match self {
            Node::Step(_) => false,
            Node::Exit(Exit::Return) => !function,
            Node::Exit(Exit::Break(frame) | Exit::Continue(frame)) => !frames.contains(frame),
            Node::If { .. } => inside(frames, function),
            Node::Function { .. } => inside(frames, true),
            Node::Loop { frame, .. } | Node::Switch { frame, .. } => {
                frames.push(*frame);
                let escapes = inside(frames, function);
                frames.pop();
                escapes
            }
        }
    }
}

/// The register of a condition, if there is one.
pub(super) fn present(reg: Reg) -> Option<Reg> {
    (reg != NONE).then_some(reg)
}
