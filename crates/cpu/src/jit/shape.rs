//! What is known of registers over the invocations of a chunk before code is made: the same in all, going up by equal steps,
//! or anything.

use super::live::{Liveness, Meeting};
use super::tree::{Exit, Node, Tree, present};
use crate::lanes::*;
use crate::program::*;

/// A register over a chunk of invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Not computed yet.
    Unknown,
    /// The same for the whole workgroup.
    Uniform,
    /// From one invocation to the next as much more. Where it is 0, the same for the chunk.
    Affine(i32),
    /// Anything.
    Vector,
}

impl Shape {
    /// How much more, if it is that.
    pub fn stride(self) -> Option<i32> {
        match self {
            Shape::Unknown | Shape::Uniform => Some(0),
            Shape::Affine(stride) => Some(stride),
            Shape::Vector => None,
        }
    }

    /// Whether it is one value for a chunk.
    pub fn is_one(self) -> bool {
        self.stride() == Some(0)
    }

    fn join(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Unknown, other) | (other, Shape::Unknown) => other,
            (a, b) => match (a.stride(), b.stride()) {
                (Some(a), Some(b)) if a == b => Shape::Affine(a),
                _ => Shape::Vector,
            },
        }
    }
}

pub(super) struct Shapes {
    of: Vec<Shape>,
    /// By register: whether it comes of what each invocation has read from memory.
    read: Vec<bool>,
    /// By step that writes a variable: whether nobody needs its old value.
    whole: Vec<bool>,
    /// By construct: whether invocations of a chunk may leave it apart, or go on to its next iteration apart.
    apart: Vec<Apart>,
    /// Invocations of a chunk.
    lanes: u32,
}

#[derive(Clone, Copy, Default, PartialEq)]
pub(super) struct Apart {
    pub leave: bool,
    pub again: bool,
}

impl Shapes {
    pub fn of(&self, reg: Reg) -> Shape {
        self.of[reg as usize]
    }

    /// Whether it is worth asking if neighbours hold equal steps, where that is not known: what was read may be anything.
    pub fn may_be_affine(&self, reg: Reg) -> bool {
        !self.read[reg as usize]
    }

    /// Whether a write of a variable may take the place of its old value for all invocations: those that do not take part
    /// write it before they read it.
    pub fn is_whole(&self, at: usize) -> bool {
        self.whole[at]
    }

    pub fn apart(&self, id: usize) -> Apart {
        self.apart[id]
    }

    /// The shapes for chunks of so many invocations.
    pub fn new(lowered: &Lowered, tree: &Tree, live: &Liveness, indexed: &[Vec<Reg>], lanes: u32) -> Shapes {
        let mut of = vec![Shape::Unknown; lowered.registers.len()];
        let mut constants = vec![None; lowered.registers.len()];
        for &(reg, given) in &lowered.given {
            of[reg as usize] = given_shape(given, lowered, lanes);
            if let Given::Constant(word) = given {
                constants[reg as usize] = Some(word as i32);
            }
        }
        for (reg, register) in lowered.registers.iter().enumerate() {
            if !register.varying {
                of[reg] = Shape::Uniform;
            }
        }
        // What lies in memory is there for each invocation.
        let memory = if lanes == 1 { Shape::Affine(0) } else { Shape::Vector };
        indexed.iter().flatten().for_each(|&reg| of[reg as usize] = memory);
        let apart = vec![Apart::default(); tree.ids];
        let mut walk = Walk {
            lowered,
            live,
            constants,
            shapes: Shapes { of, read: vec![], whole: vec![false; lowered.code.len()], apart, lanes },
            around: vec![],
            changed: true,
        };
        while std::mem::take(&mut walk.changed) {
            walk.nodes(&tree.nodes);
        }
        let mut shapes = walk.shapes;
        shapes.read = read_from_memory(lowered, &shapes);
        shapes
    }
}

/// Which registers come of what invocations have read each at its own address, or of each other.
fn read_from_memory(lowered: &Lowered, shapes: &Shapes) -> Vec<bool> {
    let mut read = vec![false; lowered.registers.len()];
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for step in &lowered.code {
            let reads = match step.instr {
                Instr::Load { at, .. } => present(at.base).is_some_and(|base| !shapes.of(base).is_one()),
                Instr::Atomic { .. } | Instr::Gather { .. } | Instr::Collective { .. } => true,
                _ => false,
            };
            let mut comes = reads;
            step.instr.visit(&lowered.lists, |reg, role| comes |= role == Role::Read && read[reg as usize]);
            if comes {
                step.instr.visit(&lowered.lists, |reg, role| {
                    if role != Role::Read && !read[reg as usize] {
                        (read[reg as usize], changed) = (true, true);
                    }
                });
            }
        }
    }
    read
}

/// The shape of what is given to invocations that follow each other by x, then y, then z.
fn given_shape(given: Given, lowered: &Lowered, lanes: u32) -> Shape {
    let [x, y, z] = lowered.size;
    match given {
        Given::Constant(_) | Given::WorkgroupId(_) | Given::Workgroups(_) => Shape::Uniform,
        _ if lanes == 1 => Shape::Affine(0),
        Given::LocalIndex => Shape::Affine(1),
        Given::LocalId(axis) => {
            // Those that come before it, and those that it has itself.
            let (before, own) = [(1, x), (x, y), (x * y, z)][axis as usize];
            match () {
                () if own == 1 || before.is_multiple_of(lanes) => Shape::Affine(0),
                () if before == 1 && own.is_multiple_of(lanes) => Shape::Affine(1),
                () => Shape::Vector,
            }
        }
        Given::SubgroupId | Given::SubgroupLane => Shape::Vector,
    }
}

/// A construct around a statement.
#[derive(Clone, Copy)]
struct Around {
    id: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Whose condition differs in a chunk, in its first branch or in its second.
    Branch {
        apart: bool,
        first: bool,
    },
    Loop {
        frame: Frame,
        continuing: bool,
    },
    Switch {
        frame: Frame,
    },
    Function,
}

struct Walk<'a> {
    lowered: &'a Lowered,
    live: &'a Liveness,
    constants: Vec<Option<i32>>,
    shapes: Shapes,
    around: Vec<Around>,
    changed: bool,
}

impl Walk<'_> {
    fn nodes(&mut self, nodes: &[Node]) {
        nodes.iter().for_each(|node| self.node(node));
    }

    fn inside(&mut self, id: usize, kind: Kind, nodes: &[Node]) {
        self.around.push(Around { id, kind });
        self.nodes(nodes);
        self.around.pop();
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Step(at) => self.step(*at),
            Node::If { id, condition, accept, reject } => {
                let apart = self.shapes.of(*condition) == Shape::Vector;
                self.inside(*id, Kind::Branch { apart, first: true }, accept);
                self.inside(*id, Kind::Branch { apart, first: false }, reject);
            }
            Node::Loop { id, frame, body, continuing, break_if, .. } => {
                self.inside(*id, Kind::Loop { frame: *frame, continuing: false }, body);
                self.inside(*id, Kind::Loop { frame: *frame, continuing: true }, continuing);
                if present(*break_if).is_some_and(|reg| self.shapes.of(reg) == Shape::Vector) {
                    self.part(*id, Apart { leave: true, again: false });
                }
            }
            Node::Switch { id, frame, body } => self.inside(*id, Kind::Switch { frame: *frame }, body),
            Node::Function { id, body } => self.inside(*id, Kind::Function, body),
            Node::Exit(exit) => self.exit(*exit),
        }
    }

    fn part(&mut self, id: usize, more: Apart) {
        let apart = &mut self.shapes.apart[id];
        let new = Apart { leave: apart.leave | more.leave, again: apart.again | more.again };
        self.changed |= new != *apart;
        *apart = new;
    }

    /// Notes whether what is left is left by some of a chunk only.
    fn exit(&mut self, exit: Exit) {
        let mut alone = false;
        for at in (0..self.around.len()).rev() {
            let Around { id, kind } = self.around[at];
            let target = match (exit, kind) {
                (Exit::Break(frame), Kind::Loop { frame: own, .. } | Kind::Switch { frame: own }) => frame == own,
                (Exit::Continue(frame), Kind::Loop { frame: own, .. }) => frame == own,
                (Exit::Return, Kind::Function) => true,
                _ => false,
            };
            let apart = self.shapes.apart[id];
            alone |= match kind {
                Kind::Branch { apart, .. } => apart,
                _ => apart.leave || apart.again,
            };
            if target && alone {
                let again = matches!(exit, Exit::Continue(_));
                self.part(id, Apart { leave: !again, again });
            }
            if target {
                return;
            }
            // What it passes on its way out is left apart too.
            if alone && !matches!(kind, Kind::Branch { .. }) {
                self.part(id, Apart { leave: true, again: false });
            }
        }
    }

    fn note(&mut self, reg: Reg, shape: Shape) {
        let new = if self.shapes.lanes == 1 && shape != Shape::Unknown { Shape::Affine(0) } else { shape };
        let old = &mut self.shapes.of[reg as usize];
        if *old == Shape::Uniform || reg == NONE {
            return;
        }
        let joined = old.join(new);
        self.changed |= joined != *old;
        *old = joined;
    }

    /// Whether all that will read a variable take part in this write of it: those that are elsewhere write it before they
    /// read it.
    fn is_whole(&self, to: Reg) -> bool {
        self.around.iter().all(|&Around { id, kind }| {
            let Meeting { end, middle } = &self.live.meetings[id];
            let apart = self.shapes.apart[id];
            let read = |set| self.live.reads(set, to);
            match kind {
                Kind::Branch { apart: false, .. } => true,
                Kind::Branch { first, .. } => !(read(end) || first && read(middle)),
                Kind::Loop { continuing, .. } => {
                    !(apart.leave && read(end)) && (continuing || !(apart.again && read(middle)))
                }
                Kind::Switch { .. } | Kind::Function => !(apart.leave && read(end)),
            }
        })
    }

    fn step(&mut self, at: usize) {
        let lowered = self.lowered;
        let step = &lowered.code[at];
        match step.instr {
            Instr::Set { to, from } => {
                if self.live.dead[at] {
                    return;
                }
                let whole = self.is_whole(to);
                self.shapes.whole[at] = whole;
                let shape = match self.shapes.of(from) {
                    Shape::Unknown => return,
                    Shape::Uniform => Shape::Affine(0),
                    shape => shape,
                };
                let shape = if whole { shape } else { Shape::Vector };
                self.note(to, shape);
            }
            Instr::Put { list, .. } => {
                for &reg in &lowered.lists[list as usize] {
                    self.note(reg, Shape::Vector);
                }
            }
            Instr::Pick { to, list, index } => {
                let all = lowered.lists[list as usize].iter().all(|&reg| self.shapes.of(reg).is_one());
                let one = all && self.shapes.of(index).is_one();
                self.note(to, if one { Shape::Affine(0) } else { Shape::Vector });
            }
            Instr::Atomic { .. } | Instr::Ballot { .. } | Instr::Gather { .. } | Instr::Collective { .. } => {
                let mut written = vec![];
                step.instr.visit(&lowered.lists, |reg, role| written.extend((role == Role::Write).then_some(reg)));
                written.into_iter().for_each(|reg| self.note(reg, Shape::Vector));
            }
            Instr::Load { to, at, .. } => {
                let shape = match present(at.base).map_or(Shape::Uniform, |base| self.shapes.of(base)) {
                    Shape::Unknown => return,
                    shape if shape.is_one() => Shape::Affine(0),
                    _ => Shape::Vector,
                };
                lowered.lists[to as usize].iter().for_each(|&reg| self.note(reg, shape));
            }
            _ => self.value(&step.instr),
        }
    }

    /// Arithmetic: the same of the same; sums and multiples go up by equal steps.
    fn value(&mut self, instr: &Instr) {
        let (mut read, mut written) = (vec![], vec![]);
        instr.visit(&self.lowered.lists, |reg, role| match role {
            Role::Read => read.push(reg),
            Role::Write | Role::Update => written.push(reg),
        });
        let of = |reg: Reg| self.shapes.of(reg);
        if read.iter().any(|&reg| of(reg) == Shape::Unknown) {
            return;
        }
        let stride = |reg: Reg| of(reg).stride();
        let times = |a: Reg, b: Reg| match (stride(a)?, stride(b)?) {
            (0, 0) => Some(0),
            (step, 0) => Some(step.wrapping_mul(self.constants[b as usize]?)),
            (0, step) => Some(step.wrapping_mul(self.constants[a as usize]?)),
            _ => None,
        };
        let both = |f: fn(i32, i32) -> i32, a: Option<i32>, b: Option<i32>| Some(f(a?, b?));
        let steps = match *instr {
            Instr::Un(Un::Copy, _, a) => stride(a),
            Instr::Un(Un::NegI32, _, a) => stride(a).map(i32::wrapping_neg),
            Instr::Bin(Bin::AddI32, _, a, b) => both(i32::wrapping_add, stride(a), stride(b)),
            Instr::Bin(Bin::SubI32, _, a, b) => both(i32::wrapping_sub, stride(a), stride(b)),
            Instr::Bin(Bin::MulI32, _, a, b) => times(a, b),
            Instr::Tern(Tern::MulAddI32, _, a, b, c) => both(i32::wrapping_add, times(a, b), stride(c)),
            Instr::Bin(Bin::Shl, _, a, b) => match (stride(a), stride(b), self.constants[b as usize]) {
                (Some(step), _, Some(by)) => Some(step.wrapping_shl(by as u32 & 31)),
                (Some(0), Some(0), _) => Some(0),
                _ => None,
            },
            Instr::Tern(Tern::Select, _, a, b, c) if of(a).is_one() && stride(b) == stride(c) => stride(b),
            _ => read.iter().all(|&reg| of(reg).is_one()).then_some(0),
        };
        let shape = steps.map_or(Shape::Vector, Shape::Affine);
        written.into_iter().for_each(|reg| self.note(reg, shape));
    }
}
