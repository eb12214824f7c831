//! Atomics, one invocation after the other.

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
        let helper = self.b.ins().iconst(I64, runtime::atomic as *const () as i64);
        let (op, kind) = (self.b.ins().iconst(I64, op as i64), self.b.ins().iconst(I64, kind as i64));
        self.b.ins().call_indirect(self.collective, helper, &[op, kind, pointer, room]);
        (0..per).map(|nth| self.b.ins().load(I32, plain(), room, 4 * nth as i32)).collect()
    }
}
