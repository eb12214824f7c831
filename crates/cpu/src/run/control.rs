//! Control flow by masks.

use super::*;

impl Machine {
    /// Runs an instruction of control flow.
    pub(super) fn control(&mut self, context: &Context, instr: &Instr, at: u32, checked: bool) -> Option<Status> {
        let labels = &context.program.labels;
        match *instr {
            Instr::Jump(label) => self.pc = labels[label as usize],
            Instr::JumpUnless { condition, to } if self.regs[condition as usize][0] == 0 => {
                self.pc = labels[to as usize];
            }
            Instr::If { condition, frame, otherwise } => {
                let saved = &mut self.frames[frame as usize];
                self.active.split(&self.regs[condition as usize], &mut saved.first);
                if self.active.is_empty() {
                    self.pc = labels[otherwise as usize];
                }
            }
            Instr::Else { frame, end } => {
                let saved = &mut self.frames[frame as usize];
                std::mem::swap(&mut saved.second, &mut self.active);
                std::mem::swap(&mut saved.first, &mut self.active);
                if self.active.is_empty() {
                    self.pc = labels[end as usize];
                }
            }
            Instr::EndIf { frame, next } => {
                let second = &self.frames[frame as usize].second;
                self.active.join(second);
                self.leave_if_empty(labels, next);
            }
            Instr::Open { frame } => {
                let saved = &mut self.frames[frame as usize];
                saved.first.clear();
                saved.second.clear();
                saved.changes = self.changes;
            }
            Instr::Break { frame, next } => {
                self.frames[frame as usize].first.join(&self.active);
                self.changes += 1;
                self.active.clear();
                self.leave_if_empty(labels, next);
            }
            Instr::Continue { frame, next } => {
                self.frames[frame as usize].second.join(&self.active);
                self.active.clear();
                self.leave_if_empty(labels, next);
            }
            Instr::Continuing { frame, end } => {
                let saved = &mut self.frames[frame as usize];
                self.active.join(&saved.second);
                saved.second.clear();
                self.leave_if_empty(labels, end);
            }
            Instr::Again { frame, break_if, start, next } => {
                return self.again(context, frame, break_if, (start, next), at, checked);
            }
            Instr::Close { frame, next } => {
                self.active.join(&self.frames[frame as usize].first);
                self.leave_if_empty(labels, next);
            }
            Instr::Enter { frame } => self.frames[frame as usize].first.copy_from(&self.active),
            Instr::Return { next } => {
                self.changes += 1;
                self.active.clear();
                self.leave_if_empty(labels, next);
            }
            Instr::Leave { frame } => self.active.copy_from(&self.frames[frame as usize].first),
            _ => {}
        }
        None
    }

    fn leave_if_empty(&mut self, labels: &[u32], next: Label) {
        if self.active.is_empty() {
            self.pc = labels[next as usize];
        }
    }

    /// The end of an iteration.
    fn again(
        &mut self,
        context: &Context,
        frame: Frame,
        break_if: Reg,
        (start, next): (Label, Label),
        at: u32,
        checked: bool,
    ) -> Option<Status> {
        let labels = &context.program.labels;
        let saved = &mut self.frames[frame as usize];
        if break_if != NONE && !self.active.is_empty() {
            // Where the condition holds they leave; the rest stays.
            self.active.split(&self.regs[break_if as usize], &mut saved.second);
            std::mem::swap(&mut self.active, &mut saved.second);
            if !saved.second.is_empty() {
                self.changes += 1;
            }
            saved.first.join(&saved.second);
            saved.second.clear();
        }
        if self.active.is_empty() {
            std::mem::swap(&mut self.active, &mut saved.first);
            self.leave_if_empty(labels, next);
            return None;
        }
        self.pc = labels[start as usize];
        let stuck = checked && saved.changes == self.changes;
        saved.changes = self.changes;
        self.iterations = self.iterations.wrapping_add(1);
        if stuck {
            // With nothing read in the loop, no other workgroup can end it either.
            let first = labels[start as usize];
            let inside = self.waits_for.filter(|&step| step >= first && step < at);
            return Some(inside.map_or(Status::Exhausted(at), Status::Spinning));
        }
        if self.iterations.is_multiple_of(LOOK) && (context.stop.load(Relaxed) || self.is_late(context)) {
            return Some(Status::Exhausted(at));
        }
        None
    }

    /// Whether the workgroup's time, or the launch's, is used up.
    fn is_late(&self, context: &Context) -> bool {
        let now = Instant::now();
        self.spent + (now - self.since) > context.budget || context.until.is_some_and(|until| now > until)
    }
}
