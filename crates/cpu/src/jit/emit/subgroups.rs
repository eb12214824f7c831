//! Operations of subgroups, all of whose invocations a chunk has: in registers where the machine can, else by a helper.

use super::arithmetic::MANY;
use super::*;
use crate::subgroups::identity;
use naga::{CollectiveOperation, SubgroupOperation};

impl Emitter<'_, '_> {
    pub(super) fn subgroup(&mut self, instr: &Instr) -> Emitted<()> {
        let lanes = self.lanes();
        if self.chunks.count() > 1 && !lanes.is_multiple_of(self.kernel.subgroup) {
            return Err("subgroups that are larger than a chunk");
        }
        let done = match *instr {
            _ if self.vectors() == 0 || self.chunks.rest > 0 => None,
            Instr::Ballot { to, predicate } => self.ballot(to, predicate),
            Instr::Gather { mode, to, from, index } => self.gather(mode, to, from, index),
            Instr::Collective { op, scan, kind, to, from } => self.collective(op, scan, kind, to[0], from[0]),
            _ => None,
        };
        if done.is_none() {
            self.subgroup_by_helper(instr);
        }
        Ok(())
    }

    /// Vectors of a subgroup, of which a chunk has several or one.
    fn run(&self) -> usize {
        (self.kernel.subgroup as usize / VECTOR).clamp(1, self.vectors())
    }

    fn ballot(&mut self, to: List, predicate: Reg) -> Option<()> {
        let truth = self.each(predicate);
        let truth = if self.mask.is_some() {
            let active = self.active();
            self.and(truth, active)
        } else {
            truth
        };
        let run = self.run();
        let mut words = vec![];
        for vectors in truth.all(self.vectors()).to_vec().chunks(run) {
            let mut all = None;
            for (nth, &mask) in vectors.iter().enumerate() {
                let bits = self.b.ins().vhigh_bits(I32, mask);
                let bits = self.b.ins().ishl_imm_u(bits, (nth * VECTOR) as i64);
                all = Some(all.map_or(bits, |all| self.b.ins().bor(all, bits)));
            }
            let word = self.b.ins().splat(I32X4, all.expect("a subgroup has a vector"));
            words.extend(vec![word; vectors.len()]);
        }
        let list = &self.kernel.lists[to as usize];
        self.define(list[0], Vectors::new(&words));
        let none = self.constants(&[0; VECTOR]);
        list[1..].iter().for_each(|&reg| self.define(reg, Vectors([none; MOST_VECTORS])));
        Some(())
    }

    /// Where all are active, and each takes the value of one that is as far away.
    fn gather(&mut self, mode: Gather, to: Reg, from: Reg, index: Reg) -> Option<()> {
        if self.mask.is_some() {
            return None;
        }
        let known = if index == NONE { None } else { self.constants[index as usize] };
        let size = self.kernel.subgroup;
        let own: Vec<u32> = (0..self.lanes()).collect();
        let source = |lane: u32| {
            let at = lane % size;
            let source = match (mode, known) {
                (Gather::First, _) => 0,
                (Gather::At, Some(index)) => index,
                (Gather::Down, Some(index)) => at.wrapping_add(index),
                (Gather::Up, Some(index)) => at.wrapping_sub(index),
                (Gather::Xor, Some(index)) => at ^ index,
                (Gather::Quad, Some(index)) => (at & !3) + (index & 3),
                (Gather::SwapX, _) => at ^ 1,
                (Gather::SwapY, _) => at ^ 2,
                (Gather::SwapDiagonal, _) => at ^ 3,
                _ => return None,
            };
            Some(if source < size { lane - at + source } else { lane })
        };
        let sources = own.iter().map(|&lane| source(lane)).collect::<Option<Vec<u32>>>()?;
        let values = self.each(from);
        let all: Vec<Value> = sources.chunks(VECTOR).map(|sources| self.lanes_of(values, sources)).collect();
        self.define(to, Vectors::new(&all));
        Some(())
    }

    /// A vector of the values of these invocations.
    fn lanes_of(&mut self, values: Vectors, sources: &[u32]) -> Value {
        let place = |&source: &u32| (source as usize / VECTOR, source as u8 % VECTOR as u8);
        let places: Vec<(usize, u8)> = sources.iter().map(place).collect();
        let first = places[0].0;
        let second = places.iter().map(|place| place.0).find(|&vector| vector != first).unwrap_or(first);
        if places.iter().all(|place| place.0 == first || place.0 == second) {
            let word = |&(vector, lane): &(usize, u8)| if vector == first { lane } else { 4 + lane };
            let words: Vec<u8> = places.iter().map(word).collect();
            return self.shuffle(values.0[first], values.0[second], [words[0], words[1], words[2], words[3]]);
        }
        let lanes: Vec<Value> =
            places.iter().map(|&(vector, lane)| self.b.ins().extractlane(values.0[vector], lane)).collect();
        self.gathered(&lanes)
    }

    fn collective(
        &mut self,
        op: SubgroupOperation,
        scan: CollectiveOperation,
        kind: Kind,
        to: Reg,
        from: Reg,
    ) -> Option<()> {
        let combined = combination(op, kind)?;
        let none = self.word(MANY, identity(op, kind) as u32);
        let mut values = self.each(from);
        if self.mask.is_some() {
            let active = self.active();
            values = self.zip(values, active, |e, value, active| e.b.ins().bitselect(active, value, none));
        }
        let combine =
            |e: &mut Self, a: Value, b: Value| e.bin(combined, MANY, a, b, None).expect("it has instructions");
        let run = self.run();
        let mut results = vec![];
        for vectors in values.all(self.vectors()).to_vec().chunks(run) {
            let mut before: Option<Value> = None;
            let count = vectors.len();
            for (nth, &vector) in vectors.iter().enumerate() {
                let far = self.shuffle(none, vector, [0, 4, 5, 6]);
                let two = combine(self, far, vector);
                let far = self.shuffle(none, two, [0, 1, 4, 5]);
                let four = combine(self, far, two);
                let start = before.unwrap_or(none);
                match scan {
                    CollectiveOperation::Reduce => {}
                    CollectiveOperation::InclusiveScan => results.push(combine(self, start, four)),
                    CollectiveOperation::ExclusiveScan => {
                        let less = self.shuffle(none, four, [0, 4, 5, 6]);
                        results.push(combine(self, start, less));
                    }
                }
                if scan == CollectiveOperation::Reduce || nth + 1 < count {
                    let last = self.shuffle(four, four, [3, 3, 3, 3]);
                    before = Some(combine(self, start, last));
                }
            }
            if scan == CollectiveOperation::Reduce {
                results.extend(vec![before.expect("a subgroup has a vector"); count]);
            }
        }
        self.define(to, Vectors::new(&results));
        Some(())
    }

    fn subgroup_by_helper(&mut self, instr: &Instr) {
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
        self.call(runtime::subgroup as *const (), instr, room, self.kernel.subgroup);
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
    }
}

/// What two values of a kind are combined by, if the machine can.
fn combination(op: SubgroupOperation, kind: Kind) -> Option<Bin> {
    use SubgroupOperation as Op;
    if kind.long() || kind == Kind::F16 {
        return None;
    }
    Some(match (op, kind) {
        (Op::All | Op::And, _) => Bin::And,
        (Op::Any | Op::Or, _) => Bin::Or,
        (Op::Xor, _) => Bin::Xor,
        (Op::Add, Kind::F32) => Bin::AddF32,
        (Op::Mul, Kind::F32) => Bin::MulF32,
        (Op::Min, Kind::F32) => Bin::MinF32,
        (Op::Max, Kind::F32) => Bin::MaxF32,
        (_, Kind::Bool) => return None,
        (Op::Add, _) => Bin::AddI32,
        (Op::Mul, _) => Bin::MulI32,
        (Op::Min, Kind::I32) => Bin::MinI32,
        (Op::Max, Kind::I32) => Bin::MaxI32,
        (Op::Min, _) => Bin::MinU32,
        (Op::Max, _) => Bin::MaxU32,
    })
}
