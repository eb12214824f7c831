//! What is computed by the interpreter's own functions, through room on the stack.

use super::*;

impl Emitter<'_, '_> {
    pub(super) fn write_room(&mut self, room: Value, first: usize, values: Vectors) {
        for (nth, &value) in values.all(self.vectors().max(1)).iter().enumerate() {
            self.b.ins().store(plain(), value, room, (first + 16 * nth) as i32);
        }
    }

    /// Calls a helper with an instruction, the room on the stack, the invocations of a chunk and one more number.
    pub(super) fn call(&mut self, helper: *const (), instr: &Instr, room: Value, more: u32) {
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
        let helper = self.b.ins().iconst(I64, runtime::compute as *const () as i64);
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
