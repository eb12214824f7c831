//! Statements: control flow by masks.

use super::types::kind;
use super::*;
use naga::{AtomicFunction, Barrier, Block, GatherMode, Statement, SwitchCase, SwitchValue};

impl<'a> Builder<'a> {
    /// `set`: whether returning writes the result's registers. `tail`: whether the function ends after the block.
    pub(super) fn block(&mut self, block: &'a Block, set: bool, tail: bool) -> Outcome<()> {
        self.nested += 1;
        for (i, (statement, span)) in block.span_iter().enumerate() {
            self.at(*span);
            if self.nested > MOST_NESTED {
                return self
                    .refuse(format!("more than {MOST_NESTED} statements inside one another, functions inlined"));
            }
            if self.code.len() > MOST_STEPS {
                return self.refuse(format!("more than {MOST_STEPS} instructions once functions are inlined"));
            }
            self.statement(statement, set, tail && i + 1 == block.len())?;
        }
        self.nested -= 1;
        Ok(())
    }

    fn statement(&mut self, statement: &'a Statement, set: bool, tail: bool) -> Outcome<()> {
        match *statement {
            Statement::Emit(ref range) => {
                for handle in range.clone() {
                    self.value(handle)?;
                }
            }
            Statement::Block(ref block) => self.block(block, set, tail)?,
            Statement::If { condition, ref accept, ref reject } => {
                let condition = self.word(condition)?;
                self.branch(condition, |b| b.block(accept, set, tail), |b| b.block(reject, set, tail))?;
            }
            Statement::Switch { selector, ref cases } => self.switch(selector, cases, set)?,
            Statement::Loop { ref body, ref continuing, break_if } => self.repeat(body, continuing, break_if, set)?,
            Statement::Break => {
                let Some(&Breakable { frame, .. }) = self.breakable.last() else {
                    return self.refuse("break outside a loop");
                };
                let next = self.join();
                self.varying(Instr::Break { frame, next });
            }
            Statement::Continue => {
                let Some(&Breakable { frame, .. }) = self.breakable.iter().rev().find(|b| b.is_loop) else {
                    return self.refuse("continue outside a loop");
                };
                let next = self.join();
                self.varying(Instr::Continue { frame, next });
            }
            Statement::Return { value } => self.give(value, set, tail)?,
            Statement::ControlBarrier(flags) => self.barrier(flags),
            Statement::MemoryBarrier(_) => {}
            Statement::Store { pointer, value } => {
                let place = self.place(pointer)?;
                let words = self.words(value)?;
                match place.ty {
                    Inner::Atomic(scalar) => self.atomic(AtomicOp::Store, scalar, &place, &words, &[])?,
                    _ => return self.store(&place, &words),
                };
            }
            Statement::Atomic { pointer, fun, value, result } => {
                let place = self.place(pointer)?;
                let Inner::Atomic(scalar) = place.ty else {
                    return self.refuse("an atomic function of something that is not atomic");
                };
                let words = self.words(value)?;
                let (op, compare) = match fun {
                    AtomicFunction::Add => (AtomicOp::Add, None),
                    AtomicFunction::Subtract => (AtomicOp::Sub, None),
                    AtomicFunction::And => (AtomicOp::And, None),
                    AtomicFunction::ExclusiveOr => (AtomicOp::Xor, None),
                    AtomicFunction::InclusiveOr => (AtomicOp::Or, None),
                    AtomicFunction::Min => (AtomicOp::Min, None),
                    AtomicFunction::Max => (AtomicOp::Max, None),
                    AtomicFunction::Exchange { compare: None } => (AtomicOp::Exchange, None),
                    AtomicFunction::Exchange { compare } => (AtomicOp::CompareExchange, compare),
                };
                let compare = match compare {
                    Some(compare) => self.words(compare)?,
                    None => [].into(),
                };
                let mut old = self.atomic(op, scalar, &place, &words, &compare)?;
                if op == AtomicOp::CompareExchange {
                    old.push(match *old {
                        [low, high] => self.long_compare(LongCompare::Eq, [low, high], [compare[0], compare[1]]),
                        _ => self.bin(Bin::Eq, old[0], compare[0]),
                    });
                }
                if let Some(result) = result {
                    self.remember(result, Value::Words(old.into()));
                }
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                self.barrier(Barrier::WORK_GROUP);
                let place = self.place(pointer)?;
                let words = self.load(&place)?;
                self.barrier(Barrier::WORK_GROUP);
                self.remember(result, Value::Words(words.into()));
            }
            Statement::Call { function, ref arguments, result } => {
                let mut values = vec![];
                for &argument in arguments {
                    values.push(self.value(argument)?);
                }
                let site = self.site;
                let words = self.inline(&self.module.functions[function], &self.info[function], values)?;
                self.site = site;
                if let Some(result) = result {
                    self.remember(result, Value::Words(words));
                }
            }
            Statement::SubgroupBallot { result, predicate } => {
                let predicate = match predicate {
                    Some(predicate) => self.word(predicate)?,
                    None => self.constant(u32::MAX),
                };
                let to: Vec<Reg> = (0..4).map(|_| self.register(true)).collect();
                let list = self.list(to.clone());
                self.varying(Instr::Ballot { to: list, predicate });
                self.remember(result, Value::Words(to.into()));
            }
            Statement::SubgroupGather { mode, argument, result } => self.gather(mode, argument, result)?,
            Statement::SubgroupCollectiveOperation { op, collective_op, argument, result } => {
                let kind = self.scalar(argument)?;
                let words = self.words(argument)?;
                let per = if kind.long() { 2 } else { 1 };
                let mut results = vec![];
                for a in words.chunks_exact(per) {
                    let to = [self.register(true), if per == 2 { self.register(true) } else { NONE }];
                    let from = [a[0], if per == 2 { a[1] } else { NONE }];
                    self.varying(Instr::Collective { op, scan: collective_op, kind, to, from });
                    results.extend_from_slice(&to[..per]);
                }
                self.remember(result, Value::Words(results.into()));
            }
            Statement::CooperativeStore { target, ref data } => self.matrix_store(target, data)?,
            ref other => {
                let text = format!("{other:?}");
                let name = text.split([' ', '(', '{']).next().unwrap_or_default();
                return self.refuse(format!("{name} is not for compute kernels over buffers"));
            }
        }
        Ok(())
    }

    /// Where execution goes on when no invocation is left.
    pub(super) fn join(&mut self) -> Label {
        match self.joins.last() {
            Some(&label) => label,
            None => self.end,
        }
    }

    /// Two ways, by a jump if all go the same and by masks otherwise.
    fn branch(
        &mut self,
        condition: Reg,
        accept: impl FnOnce(&mut Self) -> Outcome<()>,
        reject: impl FnOnce(&mut Self) -> Outcome<()>,
    ) -> Outcome<()> {
        let (otherwise, end) = (self.label(), self.label());
        if !self.varies(condition) && !self.checked {
            self.push(Instr::JumpUnless { condition, to: otherwise }, true);
            accept(self)?;
            self.varying(Instr::Jump(end));
            self.varying(Instr::Label(otherwise));
            reject(self)?;
            self.varying(Instr::Label(end));
            return Ok(());
        }
        let frame = self.open();
        let site = self.site;
        self.varying(Instr::If { condition, frame, otherwise });
        self.joins.push(otherwise);
        accept(self)?;
        self.joins.pop();
        self.varying(Instr::Label(otherwise));
        self.varying(Instr::Else { frame, end });
        self.joins.push(end);
        reject(self)?;
        self.joins.pop();
        self.site = site;
        self.varying(Instr::Label(end));
        let next = self.join();
        self.varying(Instr::EndIf { frame, next });
        self.close();
        Ok(())
    }

    fn repeat(
        &mut self,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
        set: bool,
    ) -> Outcome<()> {
        let frame = self.open();
        let (start, cont, again) = (self.label(), self.label(), self.label());
        let site = self.site;
        self.varying(Instr::Open { frame });
        self.varying(Instr::Label(start));
        self.breakable.push(Breakable { frame, is_loop: true });
        self.joins.push(cont);
        self.block(body, set, false)?;
        self.joins.pop();
        self.varying(Instr::Label(cont));
        self.varying(Instr::Continuing { frame, end: again });
        self.joins.push(again);
        self.block(continuing, set, false)?;
        self.joins.pop();
        self.breakable.pop();
        let break_if = match break_if {
            Some(condition) => self.word(condition)?,
            None => NONE,
        };
        self.site = site;
        self.varying(Instr::Label(again));
        let next = self.join();
        self.varying(Instr::Again { frame, break_if, start, next });
        self.close();
        Ok(())
    }

    fn switch(&mut self, selector: Handle<Expression>, cases: &'a [SwitchCase], set: bool) -> Outcome<()> {
        let selector = self.word(selector)?;
        // Values that share a body, and whether the default does.
        let mut groups: Vec<(Vec<u32>, bool, &'a Block)> = vec![];
        let (mut values, mut default) = (vec![], false);
        for case in cases {
            match case.value {
                SwitchValue::I32(value) => values.push(value as u32),
                SwitchValue::U32(value) => values.push(value),
                SwitchValue::Default => default = true,
            }
            if !case.fall_through {
                groups.push((std::mem::take(&mut values), std::mem::take(&mut default), &case.body));
            } else if !case.body.is_empty() {
                return self.refuse("a case that falls through");
            }
        }
        let all: Vec<u32> = groups.iter().flat_map(|(values, ..)| values.clone()).collect();
        let mut conditions = vec![];
        for (values, default, _) in &groups {
            // The default is taken where no value of another case fits.
            let others: Vec<u32> = all.iter().copied().filter(|v| !values.contains(v)).collect();
            let fits = self.one_of(selector, if *default { &others } else { values });
            conditions.push(if *default { self.un(Un::Not, fits) } else { fits });
        }
        let frame = self.open();
        let close = self.label();
        self.varying(Instr::Open { frame });
        self.breakable.push(Breakable { frame, is_loop: false });
        self.joins.push(close);
        for (condition, (_, _, body)) in conditions.into_iter().zip(groups) {
            self.branch(condition, |b| b.block(body, set, false), |_| Ok(()))?;
        }
        self.joins.pop();
        self.breakable.pop();
        self.varying(Instr::Label(close));
        let next = self.join();
        self.varying(Instr::Close { frame, next });
        self.close();
        Ok(())
    }

    fn one_of(&mut self, selector: Reg, values: &[u32]) -> Reg {
        let mut fits = self.constant(0);
        for (i, &value) in values.iter().enumerate() {
            let value = self.constant(value);
            let equal = self.bin(Bin::Eq, selector, value);
            fits = if i == 0 { equal } else { self.bin(Bin::Or, fits, equal) };
        }
        fits
    }

    /// Writes a variable.
    pub(super) fn set(&mut self, to: Reg, from: Reg) -> Outcome<()> {
        let uniform = !self.varies(to);
        if uniform && self.varies(from) {
            return self.refuse("a value that differs between invocations, for a variable that was proven not to");
        }
        self.push(Instr::Set { to, from }, uniform);
        self.follow_written(to, from);
        Ok(())
    }

    fn barrier(&mut self, flags: Barrier) {
        let (workgroup, storage) = (flags.contains(Barrier::WORK_GROUP), flags.contains(Barrier::STORAGE));
        self.varying(Instr::Barrier { workgroup, storage, subgroup: flags.contains(Barrier::SUB_GROUP) });
    }

    /// Gives the registers of the old value.
    pub(super) fn atomic(
        &mut self,
        op: AtomicOp,
        scalar: naga::Scalar,
        place: &Place,
        value: &[Reg],
        compare: &[Reg],
    ) -> Outcome<Vec<Reg>> {
        let Some(kind) = kind(scalar) else { return self.refuse(format!("atomics of {scalar:?}")) };
        let at = self.memory(place)?;
        let words = if kind.long() { 2 } else { 1 };
        let pair = |regs: &[Reg]| [0, 1].map(|i| regs.get(i).copied().unwrap_or(NONE));
        let to: Vec<Reg> = (0..words).map(|_| self.register(true)).collect();
        let (to_pair, value, compare) = (pair(&to), pair(value), pair(compare));
        self.varying(Instr::Atomic { op, kind, to: to_pair, at, value, compare });
        Ok(to)
    }

    fn gather(&mut self, mode: GatherMode, argument: Handle<Expression>, result: Handle<Expression>) -> Outcome<()> {
        let (mode, index) = match mode {
            GatherMode::BroadcastFirst => (Gather::First, None),
            GatherMode::Broadcast(index) | GatherMode::Shuffle(index) => (Gather::At, Some(index)),
            GatherMode::ShuffleDown(index) => (Gather::Down, Some(index)),
            GatherMode::ShuffleUp(index) => (Gather::Up, Some(index)),
            GatherMode::ShuffleXor(index) => (Gather::Xor, Some(index)),
            GatherMode::QuadBroadcast(index) => (Gather::Quad, Some(index)),
            GatherMode::QuadSwap(naga::Direction::X) => (Gather::SwapX, None),
            GatherMode::QuadSwap(naga::Direction::Y) => (Gather::SwapY, None),
            GatherMode::QuadSwap(naga::Direction::Diagonal) => (Gather::SwapDiagonal, None),
        };
        let index = match index {
            Some(index) => self.word(index)?,
            None => NONE,
        };
        let words = self.words(argument)?;
        let mut to = vec![];
        for &from in words.iter() {
            let reg = self.register(true);
            self.varying(Instr::Gather { mode, to: reg, from, index });
            to.push(reg);
        }
        self.remember(result, Value::Words(to.into()));
        Ok(())
    }
}
