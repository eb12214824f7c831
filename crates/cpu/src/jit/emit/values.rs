//! Registers as values: one for all invocations of a chunk, or vectors.

use super::*;
use crate::program::Given as Known;

impl Emitter<'_, '_> {
    fn variable(&mut self, reg: Reg, vector: usize) -> Variable {
        let ty = if self.is_vector(reg) { I32X4 } else { I32 };
        let known = &mut self.registers[reg as usize][vector];
        match *known {
            Some(variable) => variable,
            None => *known.insert(self.b.declare_var(ty)),
        }
    }

    pub(super) fn is_vector(&self, reg: Reg) -> bool {
        self.shapes.of(reg) == Shape::Vector
    }

    /// The one value of a register that is no vector: of the first invocation, where it goes up by equal steps.
    pub(super) fn one(&mut self, reg: Reg) -> Value {
        match self.givens[reg as usize] {
            Some(Known::Constant(word)) => return self.int(word),
            Some(Known::WorkgroupId(axis)) => return self.b.use_var(self.group[axis as usize]),
            Some(Known::Workgroups(axis)) => return self.workgroups_along(axis),
            Some(local) => return self.local(local),
            None => {}
        }
        if let Some(at) = self.layout.elements[reg as usize] {
            return self.b.ins().load(I32, plain(), self.memory, at as i32);
        }
        let variable = self.variable(reg, 0);
        self.b.use_var(variable)
    }

    pub(super) fn workgroups_along(&mut self, axis: u8) -> Value {
        let offset = std::mem::offset_of!(Given, groups) + 4 * axis as usize;
        self.b.ins().load(I32, constant_memory(), self.given, offset as i32)
    }

    /// What the first invocation of a chunk is given.
    fn local(&mut self, given: Known) -> Value {
        let lane = self.b.use_var(self.lane);
        let [x, y, _] = self.kernel.size;
        let all = self.kernel.size.iter().product::<u32>();
        match given {
            Known::LocalIndex => lane,
            Known::LocalId(axis) => {
                let (before, upto) = [(1, x), (x, x * y), (x * y, all)][axis as usize];
                let lane = if upto < all { self.by(lane, upto, true) } else { lane };
                if before > 1 { self.by(lane, before, false) } else { lane }
            }
            Known::SubgroupId => self.by(lane, self.kernel.subgroup, false),
            Known::SubgroupLane => self.by(lane, self.kernel.subgroup, true),
            Known::Constant(_) | Known::WorkgroupId(_) | Known::Workgroups(_) => {
                unreachable!("not an invocation's own")
            }
        }
    }

    fn by(&mut self, lane: Value, number: u32, rest: bool) -> Value {
        let by = self.int(number);
        if rest { self.b.ins().urem(lane, by) } else { self.b.ins().udiv(lane, by) }
    }

    /// What each invocation of a chunk is given.
    fn local_vectors(&mut self, given: Known) -> Vectors {
        let [x, y, _] = self.kernel.size;
        let number = |lane: u32| match given {
            Known::LocalId(0) => lane % x,
            Known::LocalId(1) => lane / x % y,
            Known::LocalId(_) => lane / (x * y),
            Known::SubgroupId => lane / self.kernel.subgroup,
            Known::SubgroupLane => lane % self.kernel.subgroup,
            _ => lane,
        };
        let numbers: Vec<u32> = (0..self.chunks.count() * self.lanes()).map(number).collect();
        let chunks: Vec<&[u32]> = numbers.chunks(self.lanes() as usize).collect();
        // Often each chunk has the same, or as much more than the first.
        let more: Vec<Option<u32>> = chunks
            .iter()
            .map(|chunk| {
                let more = chunk[0].wrapping_sub(chunks[0][0]);
                chunk.iter().zip(chunks[0]).all(|(&own, &first)| own == first.wrapping_add(more)).then_some(more)
            })
            .collect();
        let first: Vec<Value> = chunks[0].chunks(VECTOR).map(|words| self.constants(words)).collect();
        let mut vectors = first.clone();
        let equal = more.windows(2).map(|pair| Some(pair[1]?.wrapping_sub(pair[0]?))).collect::<Option<Vec<u32>>>();
        match equal.filter(|steps| steps.windows(2).all(|pair| pair[0] == pair[1])) {
            Some(steps) if steps.first().is_none_or(|&step| step == 0) => {}
            Some(steps) => {
                let (chunk, step) = (self.b.use_var(self.chunk), self.int(steps[0]));
                let more = self.b.ins().imul(chunk, step);
                let more = self.b.ins().splat(I32X4, more);
                vectors.iter_mut().for_each(|vector| *vector = self.b.ins().iadd(*vector, more));
            }
            None => {
                // By arithmetic.
                let lane = self.b.use_var(self.lane);
                for (nth, vector) in vectors.iter_mut().enumerate() {
                    let own: Vec<Value> = (0..VECTOR)
                        .map(|at| {
                            let lane = self.b.ins().iadd_imm_s(lane, (nth * VECTOR + at) as i64);
                            self.at_lane(given, lane)
                        })
                        .collect();
                    *vector = self.gathered(&own);
                }
            }
        }
        Vectors::new(&vectors)
    }

    fn at_lane(&mut self, given: Known, lane: Value) -> Value {
        let [x, y, _] = self.kernel.size;
        match given {
            Known::LocalId(0) => self.by(lane, x, true),
            Known::LocalId(1) => {
                let rows = self.by(lane, x, false);
                self.by(rows, y, true)
            }
            Known::LocalId(_) => self.by(lane, x * y, false),
            Known::SubgroupId => self.by(lane, self.kernel.subgroup, false),
            _ => self.by(lane, self.kernel.subgroup, true),
        }
    }

    /// A vector of constants.
    pub(super) fn constants(&mut self, words: &[u32]) -> Value {
        if words.iter().all(|&word| word == words[0]) {
            let word = self.int(words[0]);
            return self.b.ins().splat(I32X4, word);
        }
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let constant = self.b.func.dfg.constants.insert(bytes.into());
        self.b.ins().vconst(I32X4, constant)
    }

    /// A vector of these.
    pub(super) fn gathered(&mut self, lanes: &[Value]) -> Value {
        let first = self.b.ins().scalar_to_vector(I32X4, lanes[0]);
        (1..).zip(&lanes[1..]).fold(first, |vector, (at, &lane)| self.b.ins().insertlane(vector, lane, at as u8))
    }

    /// The values of each invocation.
    pub(super) fn each(&mut self, reg: Reg) -> Vectors {
        match self.shapes.of(reg) {
            Shape::Vector => match self.givens[reg as usize] {
                Some(given) => self.local_vectors(given),
                None if self.layout.elements[reg as usize].is_some() => self.element(reg),
                None => {
                    let all: Vec<Value> = (0..self.vectors())
                        .map(|vector| {
                            let variable = self.variable(reg, vector);
                            self.b.use_var(variable)
                        })
                        .collect();
                    Vectors::new(&all)
                }
            },
            shape => {
                let one = self.one(reg);
                self.spread(one, shape.stride().unwrap_or(0))
            }
        }
    }

    /// Vectors that go up by equal steps from this value on.
    pub(super) fn spread(&mut self, first: Value, stride: i32) -> Vectors {
        let vector = self.b.ins().splat(I32X4, first);
        let all: Vec<Value> = (0..self.vectors())
            .map(|nth| {
                if stride == 0 {
                    return vector;
                }
                let step = |at: usize| (stride as u32).wrapping_mul((nth * VECTOR + at) as u32);
                let steps = self.constants(&[0, 1, 2, 3].map(step));
                self.b.ins().iadd(vector, steps)
            })
            .collect();
        Vectors::new(&all)
    }

    /// Gives a register its one value.
    pub(super) fn define_one(&mut self, reg: Reg, value: Value) {
        if self.is_vector(reg) {
            let vectors = self.spread(value, 0);
            return self.define(reg, vectors);
        }
        if let Some(at) = self.layout.elements[reg as usize] {
            self.b.ins().store(plain(), value, self.memory, at as i32);
            return;
        }
        let variable = self.variable(reg, 0);
        self.b.def_var(variable, value);
        if let Some(at) = self.kept_at(reg) {
            self.b.ins().store(plain(), value, at, 0);
        }
    }

    /// Gives a register values for each invocation: all, whichever are active.
    pub(super) fn define(&mut self, reg: Reg, values: Vectors) {
        if self.layout.elements[reg as usize].is_some() {
            return self.define_element(reg, values);
        }
        let kept = self.kept_at(reg);
        for vector in 0..self.vectors() {
            let variable = self.variable(reg, vector);
            self.b.def_var(variable, values.0[vector]);
            if let Some(at) = kept {
                self.b.ins().store(plain(), values.0[vector], at, 16 * vector as i32);
            }
        }
    }

    /// Where a register's values of this chunk are kept, if they live across regions.
    fn kept_at(&mut self, reg: Reg) -> Option<Value> {
        let at = self.layout.kept[reg as usize]?;
        let bytes = if self.is_vector(reg) { 16 * self.vectors() as i64 } else { 4 };
        let chunk = self.b.use_var(self.chunk);
        let chunk = self.b.ins().uextend(I64, chunk);
        let offset = self.b.ins().imul_imm_s(chunk, bytes);
        let memory = self.b.ins().iadd(self.memory, offset);
        Some(self.b.ins().iadd_imm_s(memory, at as i64))
    }

    /// Reads what another region has kept.
    pub(super) fn fetch(&mut self, reg: Reg) {
        let Some(at) = self.kept_at(reg) else { return };
        let (ty, count) = if self.is_vector(reg) { (I32X4, self.vectors()) } else { (I32, 1) };
        for vector in 0..count {
            let value = self.b.ins().load(ty, plain(), at, 16 * vector as i32);
            let variable = self.variable(reg, vector);
            self.b.def_var(variable, value);
        }
    }

    /// Writes a variable, where active.
    pub(super) fn set(&mut self, to: Reg, from: Reg) {
        if !self.is_vector(to) {
            let value = self.one(from);
            return self.define_one(to, value);
        }
        let mut values = self.each(from);
        if self.mask.is_some() && !self.shapes.is_whole(self.at) {
            let (old, mask) = (self.each(to), self.active());
            for vector in 0..self.vectors() {
                values.0[vector] = self.b.ins().bitselect(mask.0[vector], values.0[vector], old.0[vector]);
            }
        }
        self.define(to, values);
    }

    /// The active invocations as masks.
    pub(super) fn active(&mut self) -> Vectors {
        match self.mask {
            Some(mask) => self.mask_values(mask),
            None => {
                let all = self.constants(&[u32::MAX; VECTOR]);
                Vectors([all; MOST_VECTORS])
            }
        }
    }

    pub(super) fn mask_values(&mut self, mask: Mask) -> Vectors {
        let all: Vec<Value> = (0..self.vectors()).map(|vector| self.b.use_var(mask[vector])).collect();
        Vectors::new(&all)
    }

    pub(super) fn define_mask(&mut self, mask: Mask, values: Vectors) {
        for (&variable, &value) in mask.iter().zip(&values.0).take(self.vectors()) {
            self.b.def_var(variable, value);
        }
    }

    /// Variables of a mask that nobody else uses until they are given back.
    pub(super) fn new_mask(&mut self) -> Mask {
        self.spare.pop().unwrap_or_else(|| std::array::from_fn(|_| self.b.declare_var(I32X4)))
    }

    pub(super) fn map(&mut self, a: Vectors, f: impl Fn(&mut Self, Value) -> Value) -> Vectors {
        let all: Vec<Value> = a.0[..self.vectors()].iter().map(|&a| f(self, a)).collect();
        Vectors::new(&all)
    }

    pub(super) fn zip(&mut self, a: Vectors, b: Vectors, f: impl Fn(&mut Self, Value, Value) -> Value) -> Vectors {
        let all: Vec<Value> = a.0[..self.vectors()].iter().zip(b.0).map(|(&a, b)| f(self, a, b)).collect();
        Vectors::new(&all)
    }

    pub(super) fn and(&mut self, a: Vectors, b: Vectors) -> Vectors {
        self.zip(a, b, |e, a, b| e.b.ins().band(a, b))
    }

    pub(super) fn or(&mut self, a: Vectors, b: Vectors) -> Vectors {
        self.zip(a, b, |e, a, b| e.b.ins().bor(a, b))
    }

    /// What is in the first and not in the second.
    pub(super) fn without(&mut self, a: Vectors, b: Vectors) -> Vectors {
        self.zip(a, b, |e, a, b| e.b.ins().band_not(a, b))
    }

    /// Whether any invocation of a mask is.
    pub(super) fn any(&mut self, mask: Vectors) -> Value {
        let all = mask.0[1..self.vectors()].iter().fold(mask.0[0], |all, &next| self.b.ins().bor(all, next));
        self.b.ins().vany_true(all)
    }

    /// Whether all are.
    pub(super) fn all(&mut self, mask: Vectors) -> Value {
        let all = mask.0[1..self.vectors()].iter().fold(mask.0[0], |all, &next| self.b.ins().band(all, next));
        self.b.ins().vall_true(all)
    }
}

impl Vectors {
    pub fn new(all: &[Value]) -> Vectors {
        Vectors(std::array::from_fn(|at| all[at.min(all.len() - 1)]))
    }

    pub fn all(&self, count: usize) -> &[Value] {
        &self.0[..count]
    }
}

/// Memory that no kernel writes.
pub(super) fn constant_memory() -> MemFlagsData {
    plain().with_readonly().with_can_move()
}

/// Memory whose accesses do not trap, of any alignment.
pub(super) fn plain() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}
