//! Registers that an index chooses from: by comparing where there are few, else in memory.

use super::*;

/// Registers of a list up to which an index is compared with each place.
pub(in crate::jit) const FEW: usize = 8;

impl Emitter<'_, '_> {
    /// The memory of a chunk's vectors of an element.
    fn element_at(&mut self, reg: Reg) -> Value {
        let at = self.layout.elements[reg as usize].expect("it lies in memory");
        let lane = self.lane_bytes();
        let memory = self.b.ins().iadd(self.memory, lane);
        self.b.ins().iadd_imm_s(memory, at as i64)
    }

    /// Bytes of the invocations before this chunk, a word each.
    fn lane_bytes(&mut self) -> Value {
        let lane = self.b.use_var(self.lane);
        let lane = self.b.ins().uextend(I64, lane);
        self.b.ins().ishl_imm_u(lane, 2)
    }

    pub(super) fn element(&mut self, reg: Reg) -> Vectors {
        let at = self.element_at(reg);
        let all: Vec<Value> =
            (0..self.vectors()).map(|nth| self.b.ins().load(I32X4, plain(), at, 16 * nth as i32)).collect();
        Vectors::new(&all)
    }

    pub(super) fn define_element(&mut self, reg: Reg, values: Vectors) {
        let at = self.element_at(reg);
        for (nth, &value) in values.all(self.vectors()).iter().enumerate() {
            self.b.ins().store(plain(), value, at, 16 * nth as i32);
        }
    }

    /// First byte of a list that lies in memory, and bytes from one element to the next.
    fn in_memory(&self, list: &[Reg]) -> Option<(u32, u32)> {
        let first = self.layout.elements[list[0] as usize]?;
        let second = list.get(1).map_or(first, |&reg| self.layout.elements[reg as usize].expect("as the first"));
        Some((first, second - first))
    }

    pub(super) fn pick(&mut self, to: Reg, list: List, index: Reg) {
        let list = &self.kernel.lists[list as usize];
        let last = list.len() as u32 - 1;
        let (one, apart) = (self.shapes.of(index).is_one(), self.is_vector(list[0]));
        match self.in_memory(list) {
            Some(place) if one => {
                let (index, last) = (self.one(index), self.int(last));
                let index = self.b.ins().umin(index, last);
                let mut at = self.element_place(index, place);
                // Also where all have the same: other chunks may not have come to where the list was written.
                if apart {
                    let lane = self.lane_bytes();
                    at = self.b.ins().iadd(at, lane);
                }
                if self.is_vector(to) && apart {
                    let all: Vec<Value> =
                        (0..self.vectors()).map(|nth| self.b.ins().load(I32X4, plain(), at, 16 * nth as i32)).collect();
                    return self.define(to, Vectors::new(&all));
                }
                let value = self.b.ins().load(I32, plain(), at, 0);
                self.define_one(to, value);
            }
            Some(place) => {
                let indices = self.each(index);
                let last = self.constants(&[last; VECTOR]);
                let lane = self.lane_bytes();
                let mut all = vec![];
                for (nth, &indices) in indices.all(self.vectors()).iter().enumerate() {
                    let indices = self.b.ins().umin(indices, last);
                    let own: Vec<Value> = (0..VECTOR)
                        .map(|at| {
                            let index = self.b.ins().extractlane(indices, at as u8);
                            let place = self.element_place(index, place);
                            let place = self.b.ins().iadd(place, lane);
                            self.b.ins().load(I32, plain(), place, (16 * nth + 4 * at) as i32)
                        })
                        .collect();
                    all.push(self.gathered(&own));
                }
                self.define(to, Vectors::new(&all));
            }
            None if !self.is_vector(to) => {
                let index = self.one(index);
                let mut value = self.one(list[0]);
                for (place, &reg) in (1..).zip(&list[1..]) {
                    let (own, place) = (self.one(reg), self.int(place));
                    let here = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, index, place);
                    value = self.b.ins().select(here, own, value);
                }
                self.define_one(to, value);
            }
            None => {
                let indices = self.each(index);
                let mut values = self.each(list[0]);
                for (place, &reg) in (1..).zip(&list[1..]) {
                    let (own, place) = (self.each(reg), self.constants(&[place; VECTOR]));
                    for nth in 0..self.vectors() {
                        let here = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, indices.0[nth], place);
                        values.0[nth] = self.b.ins().bitselect(here, own.0[nth], values.0[nth]);
                    }
                }
                self.define(to, values);
            }
        }
    }

    /// The address of an element of the first invocation.
    fn element_place(&mut self, index: Value, (first, step): (u32, u32)) -> Value {
        let index = self.b.ins().uextend(I64, index);
        let offset = self.b.ins().imul_imm_s(index, step as i64);
        let memory = self.b.ins().iadd(self.memory, offset);
        self.b.ins().iadd_imm_s(memory, first as i64)
    }

    /// Writes the element that each active invocation's index names; nothing past the end.
    pub(super) fn put(&mut self, list: List, index: Reg, from: Reg) {
        let list = &self.kernel.lists[list as usize];
        let count = list.len() as u32;
        match self.in_memory(list) {
            Some(place) if self.shapes.of(index).is_one() => {
                let index = self.one(index);
                let count = self.int(count);
                let inside = self.b.ins().icmp(IntCC::UnsignedLessThan, index, count);
                let (write, next) = (self.block(), self.block());
                self.branch(inside, write, next);
                self.enter(write);
                let at = self.element_place(index, place);
                if self.is_vector(list[0]) {
                    let lane = self.lane_bytes();
                    let at = self.b.ins().iadd(at, lane);
                    let values = self.each(from);
                    let active = self.mask.map(|_| self.active());
                    for nth in 0..self.vectors() {
                        let mut value = values.0[nth];
                        if let Some(active) = active {
                            let old = self.b.ins().load(I32X4, plain(), at, 16 * nth as i32);
                            value = self.b.ins().bitselect(active.0[nth], value, old);
                        }
                        self.b.ins().store(plain(), value, at, 16 * nth as i32);
                    }
                } else {
                    let value = self.one(from);
                    self.b.ins().store(plain(), value, at, 0);
                }
                self.jump(next);
                self.enter(next);
            }
            Some(place) => {
                let (indices, values) = (self.each(index), self.each(from));
                let count = self.constants(&[count; VECTOR]);
                let inside = self.map(indices, |e, indices| e.b.ins().icmp(IntCC::UnsignedLessThan, indices, count));
                let active = self.active();
                let active = self.and(active, inside);
                let lane_bytes = self.lane_bytes();
                self.for_active(active, &[indices, values], 0, |e, lane, words| {
                    let at = e.element_place(words[0], place);
                    let at = e.b.ins().iadd(at, lane_bytes);
                    let own = e.b.ins().ishl_imm_u(lane, 2);
                    let at = e.b.ins().iadd(at, own);
                    e.b.ins().store(plain(), words[1], at, 0);
                    vec![]
                });
            }
            None if !self.is_vector(list[0]) => {
                let (index, value) = (self.one(index), self.one(from));
                for (place, &reg) in (0..).zip(list) {
                    let (old, place) = (self.one(reg), self.int(place));
                    let here = self.b.ins().icmp(IntCC::Equal, index, place);
                    let new = self.b.ins().select(here, value, old);
                    self.define_one(reg, new);
                }
            }
            None => {
                let (indices, values) = (self.each(index), self.each(from));
                let active = self.mask.map(|_| self.active());
                for (place, &reg) in (0..).zip(list) {
                    let (mut new, place) = (self.each(reg), self.constants(&[place; VECTOR]));
                    for nth in 0..self.vectors() {
                        let mut here = self.b.ins().icmp(IntCC::Equal, indices.0[nth], place);
                        if let Some(active) = active {
                            here = self.b.ins().band(here, active.0[nth]);
                        }
                        new.0[nth] = self.b.ins().bitselect(here, values.0[nth], new.0[nth]);
                    }
                    self.define(reg, new);
                }
            }
        }
    }

    /// Does something for each active invocation, one after the other: given its number in the chunk, as 64 bits, and its words.
    /// Gives what it gave, in that order, where `results` are wanted.
    pub(super) fn for_active(
        &mut self,
        active: Vectors,
        words: &[Vectors],
        results: usize,
        each: impl FnOnce(&mut Self, Value, &[Value]) -> Vec<Value>,
    ) -> Vec<Vectors> {
        let bytes = 16 * self.vectors();
        let room = self.room((bytes * (words.len() + results)) as u32);
        for (word, values) in words.iter().enumerate() {
            for (nth, &value) in values.all(self.vectors()).iter().enumerate() {
                self.b.ins().store(plain(), value, room, (bytes * word + 16 * nth) as i32);
            }
        }
        let bits = self.bits(active);
        let left = self.b.declare_var(I32);
        self.b.def_var(left, bits);
        let (head, body, over) = (self.block(), self.block(), self.block());
        self.jump(head);
        self.enter(head);
        let bits = self.b.use_var(left);
        self.branch(bits, body, over);
        self.enter(body);
        let lane = self.b.ins().ctz(bits);
        let less = self.b.ins().iadd_imm_s(bits, -1);
        let rest = self.b.ins().band(bits, less);
        self.b.def_var(left, rest);
        let lane = self.b.ins().uextend(I64, lane);
        let offset = self.b.ins().ishl_imm_u(lane, 2);
        let at = self.b.ins().iadd(room, offset);
        let own: Vec<Value> =
            (0..words.len()).map(|word| self.b.ins().load(I32, plain(), at, (bytes * word) as i32)).collect();
        let given = each(self, lane, &own);
        for (result, &value) in given.iter().take(results).enumerate() {
            self.b.ins().store(plain(), value, at, (bytes * (words.len() + result)) as i32);
        }
        self.jump(head);
        self.enter(over);
        (0..results).map(|result| self.read_room(room, bytes * (words.len() + result))).collect()
    }

    /// Vectors of the room on the stack.
    pub(super) fn read_room(&mut self, room: Value, first: usize) -> Vectors {
        let all: Vec<Value> =
            (0..self.vectors()).map(|nth| self.b.ins().load(I32X4, plain(), room, (first + 16 * nth) as i32)).collect();
        Vectors::new(&all)
    }

    /// A bit for each invocation of a chunk.
    fn bits(&mut self, mask: Vectors) -> Value {
        let mut all = None;
        for (nth, &mask) in mask.all(self.vectors()).iter().enumerate() {
            let bits = self.b.ins().vhigh_bits(I32, mask);
            let bits = self.b.ins().ishl_imm_u(bits, (nth * VECTOR) as i64);
            all = Some(all.map_or(bits, |all| self.b.ins().bor(all, bits)));
        }
        all.expect("a chunk has a vector")
    }
}
