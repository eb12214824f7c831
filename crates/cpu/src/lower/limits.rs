//! Indices that are known to be in bounds. A kernel that is not trusted has them clamped to the last element, unless it
//! shows by itself that they are below the end; [`Builder::most`] is the bound that is known without running it.

use super::*;

/// What an index must be below.
pub(super) enum Limit {
    Count(u32),
    Runtime { buffer: u32, offset: u32, stride: u32 },
}

/// Where an access that is out of bounds goes on a device that checks: no memory is there, so that it is found once, and
/// not as a race for the last element too.
const NOWHERE: u32 = 0xc000_0000;

impl Builder<'_> {
    /// The element of a place at an index, which a device that checks watches. Where the kernel is not trusted it stays
    /// inside. `guarded`: past the end there is nothing that could be reached.
    pub(super) fn step(&mut self, place: &mut Place, index: Reg, stride: u32, limit: Limit, guarded: bool) {
        let (memory, of) = match place.root {
            Root::Memory(_, of) => (true, of),
            Root::Variable(_, of) => (false, of),
        };
        let known = matches!(limit, Limit::Count(count) if self.most(index) < count);
        let clamps = self.clamps && !guarded && !known;
        let end = (self.checked || clamps).then(|| self.end(&limit));
        let checked = end.filter(|_| self.checked);
        let inside = match checked {
            Some(end) if clamps && memory => Some(self.bin(Bin::LtU32, index, end)),
            _ => None,
        };
        let at = match end.filter(|_| clamps && inside.is_none()) {
            Some(end) => self.clamp(index, &limit, end),
            None => index,
        };
        let stride = self.constant(stride);
        place.dynamic = match place.dynamic {
            NONE => self.bin(Bin::MulI32, at, stride),
            base => self.tern(Tern::MulAddI32, at, stride, base),
        };
        if let Some(inside) = inside {
            let nowhere = self.constant(NOWHERE);
            place.dynamic = self.tern(Tern::Select, inside, place.dynamic, nowhere);
        }
        if let Some(end) = checked {
            self.check(index, end, of, vec![place.dynamic]);
        }
    }

    /// Watches the index of a value, which is clamped as it is: a list of registers gives the last for what lies past it.
    pub(super) fn watch(&mut self, index: Reg, limit: Limit, of: u32, picked: &[Reg]) {
        if self.checked {
            let end = self.end(&limit);
            self.check(index, end, of, picked.to_vec());
        }
    }

    fn check(&mut self, index: Reg, limit: Reg, of: u32, to: Vec<Reg>) {
        let exact = self.exact.get(&index).copied().unwrap_or([NONE, NONE]);
        let to = self.list(to);
        self.varying(Instr::CheckIndex { index, limit, exact, of, to });
    }

    fn end(&mut self, limit: &Limit) -> Reg {
        match *limit {
            Limit::Count(count) => self.constant(count),
            Limit::Runtime { buffer, offset, stride } => {
                let to = self.register(false);
                self.push(Instr::Length { to, buffer, offset, stride }, true);
                to
            }
        }
    }

    fn clamp(&mut self, index: Reg, limit: &Limit, end: Reg) -> Reg {
        let last = match limit {
            Limit::Count(count) => self.constant(count.saturating_sub(1)),
            Limit::Runtime { .. } => {
                let one = self.constant(1);
                self.bin(Bin::SubI32, end, one)
            }
        };
        self.bin(Bin::MinU32, index, last)
    }

    /// The most that a word can be as an unsigned number.
    pub(super) fn most(&self, reg: Reg) -> u32 {
        self.most.get(&reg).copied().unwrap_or(u32::MAX)
    }

    /// Notes the most that a result can be. Only values are noted: what a variable holds changes.
    pub(super) fn bound(&mut self, op: Bin, to: Reg, a: Reg, b: Reg) {
        let (x, y) = (self.most(a), self.most(b));
        let constant = self.constants.get(&b).copied();
        let most = match (op, constant) {
            (Bin::And | Bin::MinU32, _) => x.min(y),
            (Bin::MaxU32, _) => x.max(y),
            (Bin::Or | Bin::Xor, _) => u32::MAX.checked_shr((x | y).leading_zeros()).unwrap_or(0),
            (Bin::RemU32, Some(by)) => x.min(by.saturating_sub(1)),
            (Bin::RemU32, None) => x,
            (Bin::DivU32, Some(by)) => x.checked_div(by).unwrap_or(x),
            (Bin::ShrU32, Some(by)) => x >> (by & 31),
            (Bin::DivU32 | Bin::ShrU32, None) => x,
            (Bin::AddI32, _) => x.saturating_add(y),
            (Bin::MulI32, _) => x.saturating_mul(y),
            (Bin::Shl, Some(by)) => x.saturating_mul(1 << (by & 31)),
            _ => u32::MAX,
        };
        self.note_most(to, most);
    }

    pub(super) fn note_most(&mut self, reg: Reg, most: u32) {
        if most < u32::MAX {
            self.most.insert(reg, most);
        }
    }
}
