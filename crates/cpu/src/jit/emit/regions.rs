//! A workgroup: control flow that all of it takes together, and regions in between, which run chunk by chunk.

use super::*;
use crate::jit::tree::{Exit, present};
use std::collections::BTreeSet;

/// Whether a step makes all chunks wait for each other.
pub(super) fn waits(instr: &Instr, subgroup_fits: bool) -> bool {
    match instr {
        Instr::Barrier { workgroup, storage, subgroup } => *workgroup || *storage || *subgroup && !subgroup_fits,
        _ => false,
    }
}

/// Whether statements must be emitted for the workgroup as a whole: they wait, or leave a construct that is.
pub(in crate::jit) fn is_outer(kernel: &Lowered, node: &Node, frames: &[Frame], function: bool) -> bool {
    match node {
        Node::Step(at) => waits(&kernel.code[*at].instr, true),
        Node::Exit(Exit::Return) => function,
        Node::Exit(Exit::Break(frame) | Exit::Continue(frame)) => frames.contains(frame),
        Node::Function { body, .. } => body.iter().any(|node| is_outer(kernel, node, frames, false)),
        Node::Loop { frame, .. } | Node::Switch { frame, .. } => {
            let outside: Vec<Frame> = frames.iter().copied().filter(|other| other != frame).collect();
            node.parts().into_iter().flatten().any(|node| is_outer(kernel, node, &outside, function))
        }
        Node::If { .. } => node.parts().into_iter().flatten().any(|node| is_outer(kernel, node, frames, function)),
    }
}

/// Splits a kernel into what is emitted for the workgroup as a whole, and the regions in between, in the order of emission.
pub(in crate::jit) fn visit_regions<'n>(
    kernel: &Lowered,
    nodes: &'n [Node],
    frames: &mut Vec<Frame>,
    function: bool,
    region: &mut dyn FnMut(&'n [Node]),
) {
    let mut rest = nodes;
    while let Some(first) = rest.first() {
        let inner = rest.iter().position(|node| is_outer(kernel, node, frames, function)).unwrap_or(rest.len());
        if inner > 0 {
            region(&rest[..inner]);
            rest = &rest[inner..];
            continue;
        }
        match first {
            Node::Step(_) | Node::Exit(_) => {}
            Node::Function { body, .. } => visit_regions(kernel, body, frames, true, region),
            Node::Loop { frame, .. } | Node::Switch { frame, .. } => {
                frames.push(*frame);
                first.parts().into_iter().for_each(|part| visit_regions(kernel, part, frames, function, region));
                frames.pop();
            }
            Node::If { .. } => {
                first.parts().into_iter().for_each(|part| visit_regions(kernel, part, frames, function, region));
            }
        }
        rest = &rest[1..];
    }
}

impl Emitter<'_, '_> {
    /// Emits the kernel for several workgroups, one after the other: by x, then y, then z.
    pub(super) fn workgroups(&mut self, nodes: &[Node]) -> Emitted<()> {
        let (head, next, on, over) = (self.block(), self.block(), self.block(), self.block());
        self.jump(head);
        self.enter(head);
        if self.guarded {
            self.clear(self.kernel.workgroup_bytes);
        }
        self.workgroup(nodes)?;
        let left = self.b.use_var(self.left);
        let left = self.b.ins().iadd_imm_s(left, -1);
        self.b.def_var(self.left, left);
        self.branch(left, next, over);
        self.enter(next);
        for axis in 0..2 {
            let own = self.b.use_var(self.group[axis]);
            let own = self.b.ins().iadd_imm_s(own, 1);
            self.b.def_var(self.group[axis], own);
            let all = self.workgroups_along(axis as u8);
            let inside = self.b.ins().icmp(IntCC::UnsignedLessThan, own, all);
            let carry = self.block();
            self.branch(inside, on, carry);
            self.enter(carry);
            self.b.set_cold_block(carry);
            let zero = self.int(0);
            self.b.def_var(self.group[axis], zero);
        }
        let z = self.b.use_var(self.group[2]);
        let z = self.b.ins().iadd_imm_s(z, 1);
        self.b.def_var(self.group[2], z);
        self.jump(on);
        self.enter(on);
        self.jump(head);
        self.enter(over);
        Ok(())
    }

    /// Fills the first bytes of the workgroup's memory with zeros.
    fn clear(&mut self, bytes: u32) {
        let none = self.constants(&[0; VECTOR]);
        let vectors = bytes.div_ceil(16);
        if vectors <= 16 {
            for nth in 0..vectors {
                self.b.ins().store(plain(), none, self.memory, 16 * nth as i32);
            }
            return;
        }
        // Four at a time: the memory is a multiple of 64 bytes.
        let at = self.b.declare_var(I64);
        self.b.def_var(at, self.memory);
        let end = self.b.ins().iadd_imm_s(self.memory, bytes.next_multiple_of(64) as i64);
        let (head, over) = (self.block(), self.block());
        self.jump(head);
        self.enter(head);
        let place = self.b.use_var(at);
        for nth in 0..4 {
            self.b.ins().store(plain(), none, place, 16 * nth);
        }
        let next = self.b.ins().iadd_imm_s(place, 64);
        self.b.def_var(at, next);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, next, end);
        self.branch(more, head, over);
        self.enter(over);
    }

    fn workgroup(&mut self, nodes: &[Node]) -> Emitted<()> {
        if self.chunks.count() == 1 {
            // There is nobody to wait for.
            return self.region(nodes);
        }
        self.outer(nodes, &mut vec![], false)?;
        Ok(())
    }

    /// Emits statements for the workgroup as a whole; false if their end is not reached.
    fn outer(&mut self, nodes: &[Node], frames: &mut Vec<Frame>, function: bool) -> Emitted<bool> {
        let mut rest = nodes;
        while let Some(first) = rest.first() {
            let inner =
                rest.iter().position(|node| is_outer(self.kernel, node, frames, function)).unwrap_or(rest.len());
            if inner > 0 {
                self.region(&rest[..inner])?;
                rest = &rest[inner..];
                continue;
            }
            if !self.outer_node(first, frames, function)? {
                return Ok(false);
            }
            rest = &rest[1..];
        }
        Ok(true)
    }

    /// The condition of control flow that the workgroup takes together.
    fn together(&mut self, condition: Reg) -> Emitted<Value> {
        match self.shapes.of(condition) {
            Shape::Uniform => Ok(self.one(condition)),
            _ => Err("a barrier where invocations may be apart"),
        }
    }

    fn outer_node(&mut self, node: &Node, frames: &mut Vec<Frame>, function: bool) -> Emitted<bool> {
        match node {
            Node::Step(_) => Ok(true),
            Node::Exit(exit) => {
                let block = match exit {
                    Exit::Return => *self.returns.last().expect("a function is open"),
                    Exit::Break(frame) => self.outer_target(*frame).leave,
                    Exit::Continue(frame) => self.outer_target(*frame).again,
                };
                self.jump(block.expect("constructs of a workgroup have blocks"));
                Ok(false)
            }
            Node::If { condition, accept, reject, .. } => {
                let condition = self.together(*condition)?;
                let (then, otherwise, next) = (self.block(), self.block(), self.block());
                self.branch(condition, then, otherwise);
                for (block, nodes) in [(then, accept), (otherwise, reject)] {
                    self.enter(block);
                    if self.outer(nodes, frames, function)? {
                        self.jump(next);
                    }
                }
                self.enter(next);
                Ok(true)
            }
            Node::Loop { frame, body, continuing, break_if, again, .. } => {
                let (head, middle, next) = (self.block(), self.block(), self.block());
                self.jump(head);
                self.enter(head);
                let target =
                    Target { frame: *frame, leave: Some(next), again: Some(middle), left: None, continued: None };
                self.targets.push(target);
                frames.push(*frame);
                if self.outer(body, frames, function)? {
                    self.jump(middle);
                }
                self.enter(middle);
                if self.outer(continuing, frames, function)? {
                    self.watch(*again);
                    match present(*break_if) {
                        None => self.jump(head),
                        Some(condition) => {
                            let condition = self.together(condition)?;
                            self.branch(condition, next, head);
                        }
                    }
                }
                frames.pop();
                self.targets.pop();
                self.enter(next);
                Ok(true)
            }
            Node::Switch { frame, body, .. } => {
                let next = self.block();
                self.targets.push(Target {
                    frame: *frame,
                    leave: Some(next),
                    again: None,
                    left: None,
                    continued: None,
                });
                frames.push(*frame);
                if self.outer(body, frames, function)? {
                    self.jump(next);
                }
                frames.pop();
                self.targets.pop();
                self.enter(next);
                Ok(true)
            }
            Node::Function { body, .. } => {
                let next = self.block();
                self.returns.push(Some(next));
                if self.outer(body, frames, true)? {
                    self.jump(next);
                }
                self.returns.pop();
                self.enter(next);
                Ok(true)
            }
        }
    }

    fn outer_target(&self, frame: Frame) -> &Target {
        self.targets.iter().rev().find(|target| target.frame == frame).expect("it leaves a construct around it")
    }

    /// Runs statements chunk by chunk; what the workgroup computes once comes before and after.
    fn region(&mut self, nodes: &[Node]) -> Emitted<()> {
        let uniform = |node: &Node| matches!(node, Node::Step(at) if self.kernel.code[*at].uniform);
        let first = nodes.iter().position(|node| !uniform(node)).unwrap_or(nodes.len());
        let last = nodes.iter().rposition(|node| !uniform(node)).map_or(first, |last| last + 1);
        self.once(&nodes[..first])?;
        if first < last {
            self.chunk_by_chunk(&nodes[first..last])?;
        }
        self.once(&nodes[last..])
    }

    fn once(&mut self, nodes: &[Node]) -> Emitted<()> {
        for node in nodes {
            let Node::Step(at) = node else { unreachable!("uniform steps are asked for") };
            self.step(*at)?;
        }
        Ok(())
    }

    fn chunk_by_chunk(&mut self, nodes: &[Node]) -> Emitted<()> {
        let used = self.used(nodes);
        // Every chunk begins with what the workgroup's variables hold before the region.
        let before: Vec<(Reg, Value)> = used
            .set
            .iter()
            .filter(|&&reg| self.shapes.of(reg) == Shape::Uniform)
            .map(|&reg| (reg, self.one(reg)))
            .collect();
        if self.chunks.full > 0 {
            let (head, masked, next, over) = (self.block(), self.block(), self.block(), self.block());
            let zero = self.int(0);
            self.b.def_var(self.chunk, zero);
            self.b.def_var(self.lane, zero);
            self.jump(head);
            self.enter(head);
            self.begin(&before, &used.kept);
            let mask = self.new_mask();
            self.full(nodes, next, masked, mask)?;
            self.spare.push(mask);
            self.enter(masked);
            self.jump(next);
            self.enter(next);
            match self.chunks.full {
                1 => self.jump(over),
                full => {
                    let (chunk, lane) = (self.b.use_var(self.chunk), self.b.use_var(self.lane));
                    let chunk = self.b.ins().iadd_imm_s(chunk, 1);
                    let lanes = self.lanes() as i64;
                    let lane = self.b.ins().iadd_imm_s(lane, lanes);
                    self.b.def_var(self.chunk, chunk);
                    self.b.def_var(self.lane, lane);
                    let full = self.int(full);
                    let more = self.b.ins().icmp(IntCC::UnsignedLessThan, chunk, full);
                    self.branch(more, head, over);
                }
            }
            self.enter(over);
        }
        if self.chunks.rest > 0 {
            let (chunk, lane) = (self.int(self.chunks.full), self.int(self.chunks.full * self.lanes()));
            self.b.def_var(self.chunk, chunk);
            self.b.def_var(self.lane, lane);
            self.begin(&before, &used.kept);
            let words: Vec<u32> =
                (0..self.lanes()).map(|lane| if lane < self.chunks.rest { u32::MAX } else { 0 }).collect();
            let active: Vec<Value> = words.chunks(VECTOR).map(|words| self.constants(words)).collect();
            let mask = self.new_mask();
            self.define_mask(mask, Vectors::new(&active));
            self.mask = Some(mask);
            self.masked(nodes)?;
            self.mask = None;
            self.spare.push(mask);
        }
        Ok(())
    }

    fn begin(&mut self, before: &[(Reg, Value)], kept: &BTreeSet<Reg>) {
        for &(reg, value) in before {
            self.define_one(reg, value);
        }
        kept.iter().for_each(|&reg| self.fetch(reg));
    }

    fn used(&self, nodes: &[Node]) -> Used {
        let mut used = Used::default();
        for node in nodes {
            node.steps(&mut |at| {
                let instr = &self.kernel.code[at].instr;
                instr.visit(&self.kernel.lists, |reg, role| {
                    if self.layout.kept[reg as usize].is_some() {
                        used.kept.insert(reg);
                    }
                    if role == Role::Update {
                        used.set.insert(reg);
                    }
                });
            });
            conditions(node, &mut |reg| {
                if self.layout.kept[reg as usize].is_some() {
                    used.kept.insert(reg);
                }
            });
        }
        used
    }
}

/// What statements touch.
#[derive(Default)]
struct Used {
    /// Registers that other regions touch too.
    kept: BTreeSet<Reg>,
    /// Variables that are written.
    set: BTreeSet<Reg>,
}

/// The registers that decide where control goes.
pub(in crate::jit) fn conditions(node: &Node, visit: &mut dyn FnMut(Reg)) {
    match node {
        Node::If { condition, .. } => visit(*condition),
        Node::Loop { break_if, .. } => present(*break_if).into_iter().for_each(&mut *visit),
        _ => {}
    }
    node.parts().into_iter().flatten().for_each(|node| conditions(node, visit));
}
