//! Indices that stay inside what they index. A kernel that is not trusted has them clamped to the last element, unless it
//! shows by itself that they are below the end; [`Builder::most`] is what is known without running it.

use super::*;

/// What an index must be below.
pub(super) enum Limit {
    Count(u32),
    Runtime { buffer: u32, offset: u32, stride: u32 },
}

impl Builder<'_> {
    /// An index as it is used: watched by a device that checks, and clamped where the kernel is not trusted. `guarded`: past
    /// the end there is nothing that could be reached.
    pub(super) fn index(&mut self, index: Reg, limit: Limit, of: u32, guarded: bool) -> Reg {
        let known = matches!(limit, Limit::Count(count) if self.most(index) < count);
        let clamps = self.clamps && !guarded && !known;
        if !self.checked && !clamps {
            return index;
        }
        let end = match limit {
            Limit::Count(count) => self.constant(count),
            Limit::Runtime { buffer, offset, stride } => {
                let to = self.register(false);
                self.push(Instr::Length { to, buffer, offset, stride }, true);
                to
            }
        };
        if self.checked {
            let exact = self.exact.get(&index).copied().unwrap_or([NONE, NONE]);
            self.varying(Instr::CheckIndex { index, limit: end, exact, of });
        }
        if !clamps {
            return index;
        }
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
            (Bin::AddI32, _) => x.checked_add(y).unwrap_or(u32::MAX),
            (Bin::MulI32, _) => x.checked_mul(y).unwrap_or(u32::MAX),
            (Bin::Shl, Some(by)) => x.checked_mul(1 << (by & 31)).unwrap_or(u32::MAX),
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
