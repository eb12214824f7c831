//! Control flow inside a chunk.
//!
//! Where all invocations of the chunk are active, there are no masks: statements are emitted "full". Where a condition divides
//! them, both ways follow with masks, and if some have left for good, what comes after too: in a second copy of the statements,
//! "masked", which is entered where they part. A loop that has been left by some goes on in its masked copy until all have left.

use super::*;
use crate::jit::tree::{Exit, present};

/// Steps of a branch that is emitted without a jump.
const SHORT: usize = 16;

impl Emitter<'_, '_> {
    /// Emits statements for a chunk that is active as a whole. Goes to the first block if all of it comes to their end, else to
    /// the second, with `mask` telling who does.
    pub(super) fn full(&mut self, nodes: &[Node], to: Block, masked: Block, mask: Mask) -> Emitted<()> {
        debug_assert!(self.mask.is_none());
        // Where the masked copy begins, before each statement.
        let mut resume: Vec<Option<Block>> = vec![None; nodes.len() + 1];
        let mut open = true;
        for (at, node) in nodes.iter().enumerate() {
            match node {
                Node::Step(step) => self.step(*step)?,
                Node::Exit(exit) => {
                    let block = self.exit_block(*exit);
                    self.jump(block);
                    open = false;
                    break;
                }
                _ if self.parts(node) => {
                    let (next, part, some) = (self.block(), self.block(), self.block());
                    resume[at + 1] = Some(some);
                    self.full_construct(node, next, part, mask)?;
                    self.enter(part);
                    self.b.set_cold_block(part);
                    let active = self.mask_values(mask);
                    let any = self.any(active);
                    self.branch(any, some, masked);
                    self.enter(next);
                }
                _ => {
                    let next = self.block();
                    self.full_construct(node, next, next, mask)?;
                    self.enter(next);
                }
            }
        }
        if open {
            self.jump(to);
        }
        self.masked_rest(nodes, &resume, masked, mask)
    }

    /// Whether a full chunk may part in a construct for good: some of it leave for a construct around, others do not.
    fn parts(&self, node: &Node) -> bool {
        node.escapes() && self.parts_apart(node, &mut vec![], false, false)
    }

    /// `frames`, `function`: what is open inside the construct. `apart`: whether only some come here.
    fn parts_apart(&self, node: &Node, frames: &mut Vec<Frame>, function: bool, apart: bool) -> bool {
        let own = |id: &usize| self.shapes.apart(*id).leave || self.shapes.apart(*id).again;
        let (frame, function, apart) = match node {
            Node::Step(_) => return false,
            Node::Exit(Exit::Return) => return apart && !function,
            Node::Exit(Exit::Break(frame) | Exit::Continue(frame)) => return apart && !frames.contains(frame),
            Node::If { condition, .. } => (None, function, apart || self.is_vector(*condition)),
            Node::Loop { id, frame, .. } | Node::Switch { id, frame, .. } => (Some(*frame), function, apart || own(id)),
            Node::Function { id, .. } => (None, true, apart || own(id)),
        };
        frames.extend(frame);
        let parts = node.parts().into_iter().flatten().any(|node| self.parts_apart(node, frames, function, apart));
        frames.truncate(frames.len() - frame.is_some() as usize);
        parts
    }

    /// The masked copy of statements from the first place on where the chunk may part.
    fn masked_rest(&mut self, nodes: &[Node], resume: &[Option<Block>], to: Block, mask: Mask) -> Emitted<()> {
        let Some(first) = resume.iter().position(Option::is_some) else { return Ok(()) };
        self.mask = Some(mask);
        let mut open = false;
        for at in first..=nodes.len() {
            if let Some(block) = resume[at] {
                if open {
                    self.jump(block);
                }
                self.enter(block);
                self.b.set_cold_block(block);
                open = true;
            }
            if at < nodes.len() && open {
                open = self.masked_node(&nodes[at], to)?;
            }
        }
        if open {
            self.jump(to);
        }
        self.mask = None;
        Ok(())
    }

    /// Where an exit goes that all invocations of a chunk take.
    fn exit_block(&mut self, exit: Exit) -> Block {
        let block = match exit {
            Exit::Return => *self.returns.last().expect("a function is open"),
            Exit::Break(frame) => self.target(frame).leave,
            Exit::Continue(frame) => self.target(frame).again,
        };
        block.expect("what is emitted full lies in full constructs")
    }

    fn target(&self, frame: Frame) -> &Target {
        self.targets.iter().rev().find(|target| target.frame == frame).expect("it leaves a construct around it")
    }

    fn full_construct(&mut self, node: &Node, next: Block, part: Block, mask: Mask) -> Emitted<()> {
        match node {
            Node::If { condition, accept, reject, .. } if !self.is_vector(*condition) => {
                let condition = self.one(*condition);
                let (then, otherwise) = (self.block(), self.block());
                self.branch_leaving_first(condition, (then, otherwise), reject);
                self.enter(then);
                self.full(accept, next, part, mask)?;
                self.enter(otherwise);
                self.full(reject, next, part, mask)
            }
            Node::If { condition, accept, reject, .. } => {
                let (taken, ends) = (self.each(*condition), self.ends.get(condition).copied());
                if is_short(self.kernel, accept) && is_short(self.kernel, reject) {
                    self.both(taken, [accept, reject], mask)?;
                    self.jump(next);
                    return Ok(());
                }
                self.parted(node, (taken, ends), [accept, reject], (next, part, mask))
            }
            Node::Loop { .. } => self.full_loop(node, next, part, mask),
            Node::Switch { id, frame, body } => {
                let left = self.shapes.apart(*id).leave.then(|| self.new_zero_mask());
                let ended = if left.is_some() { self.block() } else { next };
                self.targets.push(Target { frame: *frame, leave: Some(next), again: None, left, continued: None });
                self.full(body, next, ended, mask)?;
                self.targets.pop();
                if left.is_none() {
                    return Ok(());
                }
                self.enter(ended);
                let mut back = self.mask_values(mask);
                if let Some(left) = left {
                    let left = self.mask_values(left);
                    back = self.or(back, left);
                }
                self.define_mask(mask, back);
                self.jump(if self.parts(node) { part } else { next });
                self.spare.extend(left);
                Ok(())
            }
            Node::Function { body, .. } => {
                // At its end those that have returned are back: all.
                self.returns.push(Some(next));
                self.full(body, next, next, mask)?;
                self.returns.pop();
                Ok(())
            }
            Node::Step(_) | Node::Exit(_) => unreachable!("handled by who calls"),
        }
    }

    /// Both branches with masks, without jumps.
    fn both(&mut self, taken: Vectors, [accept, reject]: [&[Node]; 2], mask: Mask) -> Emitted<()> {
        let outer = self.mask;
        let active = outer.map(|_| self.active());
        let parts = match active {
            None => [taken, self.map(taken, |e, mask| e.b.ins().bnot(mask))],
            Some(active) => [self.and(active, taken), self.without(active, taken)],
        };
        for (nodes, part) in [accept, reject].into_iter().zip(parts) {
            if nodes.is_empty() {
                continue;
            }
            self.define_mask(mask, part);
            self.mask = Some(mask);
            for node in nodes {
                let Node::Step(step) = node else { unreachable!("short branches have steps only") };
                self.step(*step)?;
            }
            self.mask = outer;
        }
        if let Some(active) = active {
            self.define_mask(mask, active);
        }
        Ok(())
    }

    /// A branch of a full chunk that may take either way, or part.
    fn parted(
        &mut self,
        node: &Node,
        (taken, ends): (Vectors, Option<Ends>),
        [accept, reject]: [&[Node]; 2],
        (next, part, mask): (Block, Block, Mask),
    ) -> Emitted<()> {
        let (then, some, mixed, otherwise) = (self.block(), self.block(), self.block(), self.block());
        if let Some(ends) = ends {
            // What is known without looking at each decides nearly always.
            let (not_all, unknown) = (self.block(), self.block());
            self.branch_leaving_first(ends.all, (then, not_all), reject);
            self.enter(not_all);
            self.branch(ends.none, otherwise, unknown);
            self.enter(unknown);
            self.b.set_cold_block(unknown);
        }
        let all = self.all(taken);
        self.branch_leaving_first(all, (then, some), reject);
        self.enter(some);
        let any = self.any(taken);
        self.branch(any, mixed, otherwise);
        self.enter(then);
        self.full(accept, next, part, mask)?;
        self.enter(otherwise);
        self.full(reject, next, part, mask)?;
        self.enter(mixed);
        self.b.set_cold_block(mixed);
        let rest = self.map(taken, |e, mask| e.b.ins().bnot(mask));
        self.define_mask(mask, taken);
        self.mask = Some(mask);
        self.masked(accept)?;
        let after = self.active();
        self.define_mask(mask, rest);
        self.masked(reject)?;
        let other = self.active();
        let both = self.or(after, other);
        self.define_mask(mask, both);
        self.mask = None;
        self.jump(if node.escapes() { part } else { next });
        Ok(())
    }

    /// A branch whose second way goes to what may leave a construct. Cranelift takes what is the same in all iterations out of a
    /// loop only until it has come to where the loop is left, and it comes to the first way last.
    fn branch_leaving_first(&mut self, condition: Value, (then, otherwise): (Block, Block), reject: &[Node]) {
        if !reject.iter().any(|node| matches!(node, Node::Exit(_)) || node.escapes()) {
            return self.branch(condition, then, otherwise);
        }
        let opposite = self.b.ins().icmp_imm_u(IntCC::Equal, condition, 0);
        self.branch(opposite, otherwise, then);
    }

    fn new_zero_mask(&mut self) -> Mask {
        let mask = self.new_mask();
        let none = self.constants(&[0; VECTOR]);
        self.define_mask(mask, Vectors([none; MOST_VECTORS]));
        mask
    }

    fn full_loop(&mut self, node: &Node, next: Block, part: Block, mask: Mask) -> Emitted<()> {
        let Node::Loop { id, frame, body, continuing, break_if, again } = node else {
            unreachable!("a loop is asked for")
        };
        let apart = self.shapes.apart(*id);
        let left = apart.leave.then(|| self.new_zero_mask());
        let continued = apart.again.then(|| self.new_zero_mask());
        let (head, middle, end) = (self.block(), self.block(), self.block());
        let is_apart = apart.leave || apart.again;
        // Never gone to where the chunk stays together.
        let [masked_head, masked_middle, masked_end] =
            if is_apart { [(); 3].map(|()| self.block()) } else { [next; 3] };
        self.jump(head);
        self.enter(head);
        let target = Target { frame: *frame, leave: Some(next), again: Some(middle), left, continued };
        self.targets.push(target);
        self.full(body, middle, masked_middle, mask)?;
        self.enter(middle);
        self.full(continuing, end, masked_end, mask)?;
        self.enter(end);
        self.watch(*again);
        match present(*break_if) {
            None => self.jump(head),
            Some(condition) if !self.is_vector(condition) => {
                let condition = self.one(condition);
                self.branch(condition, next, head);
            }
            Some(condition) => {
                let leaves = self.each(condition);
                let (some, mixed) = (self.block(), self.block());
                let any = self.any(leaves);
                self.branch(any, some, head);
                self.enter(some);
                let all = self.all(leaves);
                self.branch(all, next, mixed);
                self.enter(mixed);
                let stay = self.map(leaves, |e, mask| e.b.ins().bnot(mask));
                self.define_mask(left.expect("it may be left apart"), leaves);
                self.define_mask(mask, stay);
                self.jump(masked_head);
            }
        }
        if !is_apart {
            self.targets.pop();
            return Ok(());
        }
        // The masked copy, which goes on until all have left.
        let blocks = [masked_head, masked_middle, masked_end];
        self.mask = Some(mask);
        self.masked_turns(node, blocks)?;
        self.mask = None;
        self.targets.pop();
        let back = match left {
            Some(left) => self.mask_values(left),
            None => {
                let none = self.constants(&[0; VECTOR]);
                Vectors([none; MOST_VECTORS])
            }
        };
        self.define_mask(mask, back);
        self.jump(if self.parts(node) { part } else { next });
        self.spare.extend(left.into_iter().chain(continued));
        Ok(())
    }

    /// The iterations of a loop with masks; begins in any of these blocks, ends where nobody is in it any more.
    fn masked_turns(&mut self, node: &Node, [head, middle, end]: [Block; 3]) -> Emitted<()> {
        let Node::Loop { body, continuing, break_if, again, .. } = node else { unreachable!("a loop is asked for") };
        let target = *self.targets.last().expect("the loop's own");
        let mask = self.mask.expect("masked");
        self.enter(head);
        self.masked(body)?;
        self.jump(middle);
        self.enter(middle);
        if let Some(continued) = target.continued {
            let (active, back) = (self.active(), self.mask_values(continued));
            let both = self.or(active, back);
            self.define_mask(mask, both);
            let none = self.constants(&[0; VECTOR]);
            self.define_mask(continued, Vectors([none; MOST_VECTORS]));
        }
        if !continuing.is_empty() {
            let some = self.block();
            let active = self.active();
            let any = self.any(active);
            self.branch(any, some, end);
            self.enter(some);
            self.masked(continuing)?;
        }
        self.jump(end);
        self.enter(end);
        if let Some(condition) = present(*break_if) {
            // The condition was computed where somebody is.
            let active = self.active();
            let leaves = self.each(condition);
            let leaves = self.and(active, leaves);
            let stay = self.without(active, leaves);
            if let Some(left) = target.left {
                let before = self.mask_values(left);
                let all = self.or(before, leaves);
                self.define_mask(left, all);
            }
            self.define_mask(mask, stay);
        }
        self.watch(*again);
        let over = self.block();
        let active = self.active();
        let any = self.any(active);
        self.branch(any, head, over);
        self.enter(over);
        Ok(())
    }

    /// Emits statements with the mask that is set, which those that leave are taken from. At least one is active.
    pub(super) fn masked(&mut self, nodes: &[Node]) -> Emitted<()> {
        let end = self.block();
        let mut open = true;
        for node in nodes {
            open = self.masked_node(node, end)?;
            if !open {
                break;
            }
        }
        if open {
            self.jump(end);
        }
        self.enter(end);
        Ok(())
    }

    /// Goes to the block if nobody is left; false if nobody can be.
    fn masked_node(&mut self, node: &Node, none: Block) -> Emitted<bool> {
        let mask = self.mask.expect("masked");
        match node {
            Node::Step(step) => {
                self.step(*step)?;
                return Ok(true);
            }
            Node::Exit(exit) => {
                let active = self.active();
                let to = match exit {
                    Exit::Break(frame) => self.target(*frame).left,
                    Exit::Continue(frame) => self.target(*frame).continued,
                    Exit::Return => None,
                };
                if let Some(to) = to {
                    let before = self.mask_values(to);
                    let all = self.or(before, active);
                    self.define_mask(to, all);
                }
                let nobody = self.constants(&[0; VECTOR]);
                self.define_mask(mask, Vectors([nobody; MOST_VECTORS]));
                self.jump(none);
                return Ok(false);
            }
            Node::If { condition, accept, reject, .. } if !self.is_vector(*condition) => {
                let condition = self.one(*condition);
                let (then, otherwise, next) = (self.block(), self.block(), self.block());
                self.branch(condition, then, otherwise);
                for (block, nodes) in [(then, accept), (otherwise, reject)] {
                    self.enter(block);
                    self.masked(nodes)?;
                    self.jump(next);
                }
                self.enter(next);
            }
            Node::If { condition, accept, reject, .. } => {
                let taken = self.each(*condition);
                if is_short(self.kernel, accept) && is_short(self.kernel, reject) {
                    self.both(taken, [accept, reject], mask)?;
                } else {
                    self.masked_if(taken, accept, reject, mask)?;
                }
            }
            Node::Loop { frame, .. } => {
                let (left, continued) = (Some(self.new_zero_mask()), Some(self.new_zero_mask()));
                self.targets.push(Target { frame: *frame, leave: None, again: None, left, continued });
                let blocks = [self.block(), self.block(), self.block()];
                self.jump(blocks[0]);
                self.masked_turns(node, blocks)?;
                self.targets.pop();
                let back = self.mask_values(left.expect("made above"));
                self.define_mask(mask, back);
                self.spare.extend(left.into_iter().chain(continued));
            }
            Node::Switch { frame, body, .. } => {
                let left = self.new_zero_mask();
                self.targets.push(Target {
                    frame: *frame,
                    leave: None,
                    again: None,
                    left: Some(left),
                    continued: None,
                });
                self.masked(body)?;
                self.targets.pop();
                let (active, back) = (self.active(), self.mask_values(left));
                let all = self.or(active, back);
                self.define_mask(mask, all);
                self.spare.push(left);
            }
            Node::Function { body, .. } => {
                // In a variable: the body's loops come back to what stands before them.
                let kept = self.new_mask();
                let active = self.active();
                self.define_mask(kept, active);
                self.returns.push(None);
                self.masked(body)?;
                self.returns.pop();
                let all = self.mask_values(kept);
                self.define_mask(mask, all);
                self.spare.push(kept);
            }
        }
        if node.escapes() {
            let next = self.block();
            let active = self.active();
            let any = self.any(active);
            self.branch(any, next, none);
            self.enter(next);
        }
        Ok(true)
    }

    fn masked_if(&mut self, taken: Vectors, accept: &[Node], reject: &[Node], mask: Mask) -> Emitted<()> {
        let active = self.active();
        let first = self.and(active, taken);
        let second = self.without(active, taken);
        self.define_mask(mask, first);
        self.where_any(first, accept)?;
        let after = self.active();
        self.define_mask(mask, second);
        self.where_any(second, reject)?;
        let other = self.active();
        let both = self.or(after, other);
        self.define_mask(mask, both);
        Ok(())
    }

    fn where_any(&mut self, active: Vectors, nodes: &[Node]) -> Emitted<()> {
        if nodes.is_empty() {
            return Ok(());
        }
        let (some, next) = (self.block(), self.block());
        let any = self.any(active);
        self.branch(any, some, next);
        self.enter(some);
        self.masked(nodes)?;
        self.jump(next);
        self.enter(next);
        Ok(())
    }
}

/// Whether a branch is a few steps that do no harm where nobody is active.
fn is_short(kernel: &Lowered, nodes: &[Node]) -> bool {
    nodes.len() <= SHORT
        && nodes.iter().all(|node| match node {
            Node::Step(at) => {
                let instr = &kernel.code[*at].instr;
                matches!(instr, Instr::Set { .. }) || instr.pure() && !matches!(instr, Instr::Load { .. })
            }
            _ => false,
        })
}
