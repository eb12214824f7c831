//! Writing instructions: registers, labels, places in the text.

use super::*;

impl Builder<'_> {
    /// A new register.
    pub(super) fn register(&mut self, varying: bool) -> Reg {
        self.registers.push(Register { varying, home: self.code.len() as u32 });
        self.registers.len() as Reg - 1
    }

    pub(super) fn pair(&mut self, varying: bool) -> Pair {
        [self.register(varying), self.register(varying)]
    }

    /// A register that is filled before the kernel starts.
    pub(super) fn given(&mut self, given: Given) -> Reg {
        if let Some(&reg) = self.given.get(&given) {
            return reg;
        }
        let uniform = matches!(given, Given::Constant(_) | Given::WorkgroupId(_) | Given::Workgroups(_));
        let reg = self.register(!uniform);
        self.registers[reg as usize].home = 0;
        self.given.insert(given, reg);
        let last = self.size.iter().fold(1, |all: u32, &size| all.saturating_mul(size)).saturating_sub(1);
        match given {
            Given::Constant(word) => {
                self.constants.insert(reg, word);
                self.note_most(reg, word);
            }
            Given::LocalId(axis) => self.note_most(reg, self.size[axis as usize].saturating_sub(1)),
            Given::LocalIndex => self.note_most(reg, last),
            Given::SubgroupId => self.note_most(reg, last / self.types.subgroup),
            Given::SubgroupLane => self.note_most(reg, self.types.subgroup - 1),
            Given::WorkgroupId(_) | Given::Workgroups(_) => {}
        }
        reg
    }

    pub(super) fn constant(&mut self, word: u32) -> Reg {
        self.given(Given::Constant(word))
    }

    pub(super) fn constant64(&mut self, long: u64) -> Pair {
        [self.constant(long as u32), self.constant((long >> 32) as u32)]
    }

    pub(super) fn varies(&self, reg: Reg) -> bool {
        reg != NONE && self.registers[reg as usize].varying
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels += 1;
        self.labels - 1
    }

    /// Masks for a construct, until [`Builder::close`]: those that lie side by side use the same.
    pub(super) fn open(&mut self) -> Frame {
        self.depth += 1;
        self.frames = self.frames.max(self.depth);
        self.depth - 1
    }

    /// The construct that was opened last has ended.
    pub(super) fn close(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn list(&mut self, regs: Vec<Reg>) -> List {
        self.lists.push(regs);
        self.lists.len() as List - 1
    }

    /// The list of a variable's registers, shared by all that index it.
    pub(super) fn variable_list(&mut self, variable: &Rc<Vec<Reg>>) -> List {
        if let Some((_, list)) = self.list_ids.get(&Rc::as_ptr(variable)) {
            return *list;
        }
        let list = self.list(variable.to_vec());
        self.list_ids.insert(Rc::as_ptr(variable), (variable.clone(), list));
        list
    }

    /// What a finding calls a variable or value.
    pub(super) fn name(&mut self, name: &str) -> u32 {
        let known = self.names.iter().position(|n| n == name);
        known.unwrap_or_else(|| {
            self.names.push(name.into());
            self.names.len() - 1
        }) as u32
    }

    pub(super) fn push(&mut self, instr: Instr, uniform: bool) {
        self.code.push(Step { instr, uniform, site: self.site });
    }

    /// A step that every invocation does for itself.
    pub(super) fn varying(&mut self, instr: Instr) {
        self.push(instr, false);
    }

    /// The instructions from here on stand at this place of the text.
    pub(super) fn at(&mut self, span: Span) {
        let Some(range) = span.to_range().filter(|range| range.start < self.own) else { return };
        let key = (range.start as u32, range.end as u32);
        let next = self.sites.len() as u32;
        self.site = *self.site_ids.entry(key).or_insert(next);
        if self.site == next {
            self.sites.push(span);
        }
    }

    pub(super) fn un(&mut self, op: Un, a: Reg) -> Reg {
        let varying = self.varies(a);
        let to = self.register(varying);
        self.push(Instr::Un(op, to, a), !varying);
        to
    }

    pub(super) fn bin(&mut self, op: Bin, a: Reg, b: Reg) -> Reg {
        if let Some(known) = self.simplified(op, a, b).filter(|_| !self.checked) {
            return known;
        }
        let varying = self.varies(a) || self.varies(b);
        let to = self.register(varying);
        self.push(Instr::Bin(op, to, a, b), !varying);
        self.bound(op, to, a, b);
        to
    }

    /// The result where it is an operand, or a constant, whatever the operands hold.
    fn simplified(&mut self, op: Bin, a: Reg, b: Reg) -> Option<Reg> {
        let [x, y] = [a, b].map(|reg| self.constants.get(&reg).copied());
        match (op, x, y) {
            (Bin::AddI32 | Bin::Or | Bin::Xor, _, Some(0)) => Some(a),
            (Bin::SubI32 | Bin::Shl | Bin::ShrU32 | Bin::ShrI32, _, Some(0)) => Some(a),
            (Bin::AddI32 | Bin::Or | Bin::Xor, Some(0), _) => Some(b),
            (Bin::MulI32 | Bin::DivU32 | Bin::DivI32, _, Some(1)) => Some(a),
            (Bin::MulI32, Some(1), _) => Some(b),
            (Bin::MulI32 | Bin::And, _, Some(0)) | (Bin::MulI32 | Bin::And, Some(0), _) => Some(self.constant(0)),
            (Bin::RemU32, _, Some(by)) if self.most(a) < by => Some(a),
            (Bin::DivU32, _, Some(by)) if self.most(a) < by => Some(self.constant(0)),
            (Bin::RemU32, _, Some(1)) => Some(self.constant(0)),
            _ => None,
        }
    }

    pub(super) fn tern(&mut self, op: Tern, a: Reg, b: Reg, c: Reg) -> Reg {
        let varying = self.varies(a) || self.varies(b) || self.varies(c);
        let to = self.register(varying);
        self.push(Instr::Tern(op, to, a, b, c), !varying);
        match op {
            Tern::Select => self.note_most(to, self.most(b).max(self.most(c))),
            Tern::MulAddI32 => {
                let most = self.most(a).checked_mul(self.most(b)).and_then(|most| most.checked_add(self.most(c)));
                self.note_most(to, most.unwrap_or(u32::MAX));
            }
            // max(a, b), then min with c.
            Tern::ClampU32 => self.note_most(to, self.most(c)),
            _ => {}
        }
        to
    }

    pub(super) fn quad(&mut self, op: Quad, a: Reg, b: Reg, c: Reg, d: Reg) -> Reg {
        let varying = [a, b, c, d].iter().any(|&r| self.varies(r));
        let to = self.register(varying);
        self.push(Instr::Quad(op, to, a, b, c, d), !varying);
        to
    }

    pub(super) fn varies2(&self, a: Pair) -> bool {
        self.varies(a[0]) || self.varies(a[1])
    }

    pub(super) fn long_un(&mut self, op: LongUn, a: Pair) -> Pair {
        let varying = self.varies2(a);
        let to = self.pair(varying);
        self.push(Instr::LongUn(op, to, a), !varying);
        to
    }

    pub(super) fn long_bin(&mut self, op: LongBin, a: Pair, b: Pair) -> Pair {
        let varying = self.varies2(a) || self.varies2(b);
        let to = self.pair(varying);
        self.push(Instr::LongBin(op, to, a, b), !varying);
        to
    }

    pub(super) fn long_tern(&mut self, op: LongTern, a: Pair, b: Pair, c: Pair) -> Pair {
        let varying = self.varies2(a) || self.varies2(b) || self.varies2(c);
        let to = self.pair(varying);
        self.push(Instr::LongTern(op, to, a, b, c), !varying);
        to
    }

    pub(super) fn long_shift(&mut self, op: LongShift, a: Pair, b: Reg) -> Pair {
        let varying = self.varies2(a) || self.varies(b);
        let to = self.pair(varying);
        self.push(Instr::LongShift(op, to, a, b), !varying);
        to
    }

    pub(super) fn widen(&mut self, op: Widen, a: Reg) -> Pair {
        let varying = self.varies(a);
        let to = self.pair(varying);
        self.push(Instr::Widen(op, to, a), !varying);
        to
    }

    pub(super) fn narrow(&mut self, op: Narrow, a: Pair) -> Reg {
        let varying = self.varies2(a);
        let to = self.register(varying);
        self.push(Instr::Narrow(op, to, a), !varying);
        to
    }

    pub(super) fn long_compare(&mut self, op: LongCompare, a: Pair, b: Pair) -> Reg {
        let varying = self.varies2(a) || self.varies2(b);
        let to = self.register(varying);
        self.push(Instr::LongCompare(op, to, a, b), !varying);
        to
    }
}
