//! Which registers an instruction reads and writes.

use super::program::*;

impl Instr {
    /// Visits every register, those of its lists too.
    pub fn visit(&self, lists: &[Vec<Reg>], mut f: impl FnMut(Reg, Role)) {
        let mut used = Vec::new();
        let mut whole = Vec::new();
        let present = |r: Reg| r != NONE;
        self.clone().each(&mut |r, role| used.push((*r, role)), &mut |l, role| whole.push((l, role)));
        used.iter().filter(|(r, _)| present(*r)).for_each(|&(r, role)| f(r, role));
        for (list, role) in whole {
            lists[list as usize].iter().filter(|r| present(**r)).for_each(|&r| f(r, role));
        }
    }

    /// Visits the registers named in the instruction itself, and its lists.
    pub fn each(&mut self, reg: &mut dyn FnMut(&mut Reg, Role), list: &mut dyn FnMut(List, Role)) {
        use Role::{Read, Update, Write};
        let (mut writes, mut reads): (Vec<&mut Reg>, Vec<&mut Reg>) = (vec![], vec![]);
        match self {
            Instr::Un(_, to, a) => {
                writes.push(to);
                reads.push(a);
            }
            Instr::Bin(_, to, a, b) => {
                writes.push(to);
                reads.extend([a, b]);
            }
            Instr::Tern(_, to, a, b, c) => {
                writes.push(to);
                reads.extend([a, b, c]);
            }
            Instr::Quad(_, to, a, b, c, d) => {
                writes.push(to);
                reads.extend([a, b, c, d]);
            }
            Instr::LongUn(_, to, a) => {
                writes.extend(to);
                reads.extend(a);
            }
            Instr::LongBin(_, to, a, b) => {
                writes.extend(to);
                reads.extend(a.iter_mut().chain(b));
            }
            Instr::LongTern(_, to, a, b, c) => {
                writes.extend(to);
                reads.extend(a.iter_mut().chain(b).chain(c));
            }
            Instr::LongShift(_, to, a, b) => {
                writes.extend(to);
                reads.extend(a.iter_mut().chain([b]));
            }
            Instr::Widen(_, to, a) => {
                writes.extend(to);
                reads.push(a);
            }
            Instr::Narrow(_, to, a) => {
                writes.push(to);
                reads.extend(a);
            }
            Instr::LongCompare(_, to, a, b) => {
                writes.push(to);
                reads.extend(a.iter_mut().chain(b));
            }
            Instr::Broadcast(to) => reg(to, Update),
            Instr::Set { to, from } => {
                reg(to, Update);
                reads.push(from);
            }
            Instr::Pick { to, list: from, index } => {
                writes.push(to);
                reads.push(index);
                list(*from, Read);
            }
            Instr::Put { list: to, index, from } => {
                list(*to, Update);
                reads.extend([index, from]);
            }
            Instr::Length { to, .. } => writes.push(to),
            Instr::Load { to, at, .. } => {
                list(*to, Write);
                reads.push(&mut at.base);
            }
            Instr::Store { from, at, .. } => {
                list(*from, Read);
                reads.push(&mut at.base);
            }
            Instr::Atomic { to, at, value, compare, .. } => {
                writes.extend(to);
                reads.push(&mut at.base);
                reads.extend(value.iter_mut().chain(compare));
            }
            Instr::JumpUnless { condition, .. } | Instr::If { condition, .. } => reads.push(condition),
            Instr::Again { break_if, .. } => reads.push(break_if),
            Instr::Ballot { to, predicate } => {
                list(*to, Write);
                reads.push(predicate);
            }
            Instr::Gather { to, from, index, .. } => {
                writes.push(to);
                reads.extend([from, index]);
            }
            Instr::Collective { to, from, .. } => {
                writes.extend(to);
                reads.extend(from);
            }
            Instr::MatrixLoad { to, at, stride, .. } => {
                list(*to, Write);
                reads.extend([&mut at.base, stride]);
            }
            Instr::MatrixStore { from, at, stride, .. } => {
                list(*from, Read);
                reads.extend([&mut at.base, stride]);
            }
            Instr::MatrixMulAdd { to, a, b, c, .. } => {
                list(*to, Write);
                [*a, *b, *c].into_iter().for_each(|from| list(from, Read));
            }
            Instr::CheckIndex { index, limit, exact, to, .. } => {
                list(*to, Update);
                reads.extend([index, limit].into_iter().chain(exact));
            }
            Instr::CheckNan { result, operands } => {
                list(*operands, Read);
                reads.push(result);
            }
            Instr::Label(_)
            | Instr::Jump(_)
            | Instr::Else { .. }
            | Instr::EndIf { .. }
            | Instr::Open { .. }
            | Instr::Break { .. }
            | Instr::Continue { .. }
            | Instr::Continuing { .. }
            | Instr::Close { .. }
            | Instr::Enter { .. }
            | Instr::Return { .. }
            | Instr::Leave { .. }
            | Instr::End
            | Instr::Barrier { .. } => {}
        }
        writes.into_iter().for_each(|r| reg(r, Write));
        reads.into_iter().for_each(|r| reg(r, Read));
    }

    /// Whether it does nothing but write its results.
    pub fn pure(&self) -> bool {
        matches!(
            self,
            Instr::Un(..)
                | Instr::Bin(..)
                | Instr::Tern(..)
                | Instr::Quad(..)
                | Instr::LongUn(..)
                | Instr::LongBin(..)
                | Instr::LongTern(..)
                | Instr::LongShift(..)
                | Instr::Widen(..)
                | Instr::Narrow(..)
                | Instr::LongCompare(..)
                | Instr::Pick { .. }
                | Instr::Length { .. }
                | Instr::Load { .. }
        )
    }
}
