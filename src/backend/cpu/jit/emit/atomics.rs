//! Atomics, one invocation after the other, and operations of subgroups.

use super::*;
use cranelift_codegen::ir::AtomicRmwOp;

impl Emitter<'_, '_> {
    pub(super) fn atomic(&mut self, op: AtomicOp, kind: Kind, to: Pair, at: Address, value: Pair, compare: Pair) {
        let words: Vec<Reg> = value.into_iter().chain(compare).filter(|&reg| reg != NONE).collect();
        let results: Vec<Reg> = to.into_iter().filter(|&reg| reg != NONE).collect();
        let last = self.last_of(at.space, if kind.long() { 8 } else { 4 });
        if self.vectors() == 0 {
            let address = self.address_of(at);
            let own: Vec<Value> = words.iter().map(|&reg| self.one(reg)).collect();
            let given = self.atomic_inside(op, kind, (at.space, address, last), &own);
            results.iter().zip(given).for_each(|(&to, value)| self.define_one(to, value));
            return;
        }
        let addresses = self.addresses_of(at);
        let all: Vec<Vectors> = [addresses].into_iter().chain(words.iter().map(|&reg| self.each(reg))).collect();
        let active = self.active();
        let given = self.for_active(active, &all, results.len(), |e, _, words| {
            e.atomic_inside(op, kind, (at.space, words[0], last), &words[1..])
        });
        results.iter().zip(given).for_each(|(&to, values)| self.define(to, values));
    }

    /// Of one invocation; nothing is done outside of memory, which gives 0.
    fn atomic_inside(
        &mut self,
        op: AtomicOp,
        kind: Kind,
        (space, address, last): (Space, Value, Option<Value>),
        words: &[Value],
    ) -> Vec<Value> {
        let Some(last) = last else {
            let pointer = self.pointer_in(space, address);
            return self.atomic_at(op, kind, space, pointer, words);
        };
        let inside = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, address, last);
        let (access, next) = (self.block(), self.block());
        let results = [self.b.declare_var(I32), self.b.declare_var(I32)];
        let zero = self.int(0);
        results.iter().for_each(|&result| self.b.def_var(result, zero));
        self.branch(inside, access, next);
        self.enter(access);
        let pointer = self.pointer_in(space, address);
        let given = self.atomic_at(op, kind, space, pointer, words);
        given.iter().zip(results).for_each(|(&value, result)| self.b.def_var(result, value));
        self.jump(next);
        self.enter(next);
        results.iter().take(given.len()).map(|&result| self.b.use_var(result)).collect()
    }

    fn atomic_at(&mut self, op: AtomicOp, kind: Kind, space: Space, pointer: Value, words: &[Value]) -> Vec<Value> {
        let plainly = matches!(op, AtomicOp::Load | AtomicOp::Store | AtomicOp::Exchange | AtomicOp::CompareExchange);
        let whole = matches!(kind, Kind::I32 | Kind::U32) || plainly && !kind.long();
        if !whole {
            return self.atomic_by_helper(op, kind, pointer, words);
        }
        if space == Space::Workgroup {
            return vec![self.plain_atomic(op, kind, pointer, words)];
        }
        // Any order among different words will do; x86-64 and aarch64 have no weaker ones in Cranelift.
        let flags = plain();
        let signed = kind == Kind::I32;
        let rmw = match op {
            AtomicOp::Load => return vec![self.b.ins().atomic_load(I32, flags, pointer)],
            AtomicOp::Store => {
                self.b.ins().store(flags, words[0], pointer, 0);
                return vec![words[0]];
            }
            AtomicOp::CompareExchange => return vec![self.b.ins().atomic_cas(flags, pointer, words[1], words[0])],
            AtomicOp::Add => AtomicRmwOp::Add,
            AtomicOp::Sub => AtomicRmwOp::Sub,
            AtomicOp::And => AtomicRmwOp::And,
            AtomicOp::Or => AtomicRmwOp::Or,
            AtomicOp::Xor => AtomicRmwOp::Xor,
            AtomicOp::Exchange => AtomicRmwOp::Xchg,
            AtomicOp::Min if signed => AtomicRmwOp::Smin,
            AtomicOp::Max if signed => AtomicRmwOp::Smax,
            AtomicOp::Min => AtomicRmwOp::Umin,
            AtomicOp::Max => AtomicRmwOp::Umax,
        };
        vec![self.b.ins().atomic_rmw(I32, flags, rmw, pointer, words[0])]
    }

    /// In the memory of a workgroup, which one thread runs.
    fn plain_atomic(&mut self, op: AtomicOp, kind: Kind, pointer: Value, words: &[Value]) -> Value {
        let old = self.b.ins().load(I32, plain(), pointer, 0);
        let signed = kind == Kind::I32;
        let ins = self.b.ins();
        let new = match op {
            AtomicOp::Load => return old,
            AtomicOp::Store | AtomicOp::Exchange => words[0],
            AtomicOp::CompareExchange => {
                let same = ins.icmp(IntCC::Equal, old, words[1]);
                self.b.ins().select(same, words[0], old)
            }
            AtomicOp::Add => ins.iadd(old, words[0]),
            AtomicOp::Sub => ins.isub(old, words[0]),
            AtomicOp::And => ins.band(old, words[0]),
            AtomicOp::Or => ins.bor(old, words[0]),
            AtomicOp::Xor => ins.bxor(old, words[0]),
            AtomicOp::Min if signed => ins.smin(old, words[0]),
            AtomicOp::Max if signed => ins.smax(old, words[0]),
            AtomicOp::Min => ins.umin(old, words[0]),
            AtomicOp::Max => ins.umax(old, words[0]),
        };
        self.b.ins().store(plain(), new, pointer, 0);
        old
    }

    /// Numbers that no instruction of the machine adds or compares at once.
    fn atomic_by_helper(&mut self, op: AtomicOp, kind: Kind, pointer: Value, words: &[Value]) -> Vec<Value> {
        let long = kind.long();
        // Apart from the room in which the invocations' words lie.
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, 16, 3);
        let slot = self.b.create_sized_stack_slot(data);
        let room = self.b.ins().stack_addr(I64, slot, 0);
        let per = if long { 2 } else { 1 };
        for (nth, &word) in words.iter().enumerate() {
            // The value, then what it is compared with, each with room for two words.
            self.b.ins().store(plain(), word, room, (nth / per * 8 + nth % per * 4) as i32);
        }
        let helper = self.b.ins().iconst(I64, helpers::atomic as *const () as i64);
        let (op, kind) = (self.b.ins().iconst(I64, op as i64), self.b.ins().iconst(I64, kind as i64));
        self.b.ins().call_indirect(self.collective, helper, &[op, kind, pointer, room]);
        (0..per).map(|nth| self.b.ins().load(I32, plain(), room, 4 * nth as i32)).collect()
    }

    /// An operation over the active invocations of each subgroup, all of which a chunk has.
    pub(super) fn subgroup(&mut self, instr: &Instr) -> Emitted<()> {
        let lanes = self.lanes();
        if self.chunks.count() > 1 && !lanes.is_multiple_of(self.kernel.subgroup) {
            return Err("subgroups that are larger than a chunk");
        }
        let (mut read, mut written) = (vec![], vec![]);
        instr.visit(&self.kernel.lists, |reg, role| match role {
            Role::Read => read.push(reg),
            Role::Write | Role::Update => written.push(reg),
        });
        let bytes = if self.vectors() == 0 { 4 } else { 16 * self.vectors() };
        let room = self.room((bytes * (1 + read.len() + written.len())) as u32);
        let active = if self.vectors() == 0 {
            let one = self.int(u32::MAX);
            Vectors::new(&[one])
        } else {
            self.active()
        };
        self.write_room(room, 0, active);
        for (nth, &reg) in read.iter().enumerate() {
            let values = if self.vectors() == 0 { Vectors::new(&[self.one(reg)]) } else { self.each(reg) };
            self.write_room(room, bytes * (1 + nth), values);
        }
        self.call(helpers::subgroup as *const (), instr, room, self.kernel.subgroup);
        for (nth, &reg) in written.iter().enumerate() {
            let at = bytes * (1 + read.len() + nth);
            if self.vectors() == 0 {
                let value = self.b.ins().load(I32, plain(), room, at as i32);
                self.define_one(reg, value);
            } else {
                let values = self.read_room(room, at);
                self.define(reg, values);
            }
        }
        Ok(())
    }

    fn write_room(&mut self, room: Value, first: usize, values: Vectors) {
        for (nth, &value) in values.all(self.vectors().max(1)).iter().enumerate() {
            self.b.ins().store(plain(), value, room, (first + 16 * nth) as i32);
        }
    }

    /// Calls a helper with an instruction, the room on the stack, the invocations of a chunk and one more number.
    fn call(&mut self, helper: *const (), instr: &Instr, room: Value, more: u32) {
        self.instrs.push(Box::new(instr.clone()));
        let instr = &raw const **self.instrs.last().expect("just pushed");
        let helper = self.b.ins().iconst(I64, helper as i64);
        let instr = self.b.ins().iconst(I64, instr as i64);
        let lanes = self.lanes() as i64;
        let lanes = self.b.ins().iconst(I64, lanes);
        let more = self.b.ins().iconst(I64, more as i64);
        self.b.ins().call_indirect(self.collective, helper, &[instr, room, lanes, more]);
    }

    /// Arithmetic that has no instructions of its own here: by the interpreter's function, through the room on the stack.
    pub(super) fn by_helper(&mut self, instr: &Instr) {
        let (mut read, mut written) = (vec![], vec![]);
        instr.visit(&self.kernel.lists, |reg, role| match role {
            Role::Read => read.push(reg),
            Role::Write | Role::Update => written.push(reg),
        });
        let vector = written.iter().any(|&reg| self.is_vector(reg));
        let count = if vector { self.vectors() } else { 1 };
        let bytes = if vector { 16 * count } else { 4 };
        let room = self.room((bytes * (read.len() + written.len())) as u32);
        for (nth, &reg) in read.iter().enumerate() {
            let values = if vector { self.each(reg) } else { Vectors::new(&[self.one(reg)]) };
            for (k, &value) in values.all(count).iter().enumerate() {
                self.b.ins().store(plain(), value, room, (bytes * (written.len() + nth) + 16 * k) as i32);
            }
        }
        self.instrs.push(Box::new(instr.clone()));
        let instr = &raw const **self.instrs.last().expect("just pushed");
        let helper = self.b.ins().iconst(I64, helpers::compute as *const () as i64);
        let instr = self.b.ins().iconst(I64, instr as i64);
        let lanes = self.b.ins().iconst(I64, (bytes / 4) as i64);
        self.b.ins().call_indirect(self.compute, helper, &[instr, room, lanes]);
        for (nth, &reg) in written.iter().enumerate() {
            if vector {
                let values = self.read_room(room, bytes * nth);
                self.define(reg, values);
            } else {
                let value = self.b.ins().load(I32, plain(), room, (bytes * nth) as i32);
                self.define_one(reg, value);
            }
        }
    }
}
