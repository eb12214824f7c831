//! Values that stem from a read that gave none, on a device that checks: followed through arithmetic, variables and calls to
//! where they matter. Until a workgroup has one, this costs a comparison a step.

use super::*;
use crate::check::Stray;
use crate::lanes::{Bin, Tern};

/// Reads that a workgroup remembers; more at one place count as the first.
const MOST_STRAYS: usize = 1 << 16;

/// Which read each value stems from.
#[derive(Default)]
pub(super) struct Poison {
    /// By register and lane, counted from 1 as in `strays`; 0 is a sound value. Empty where all lanes are sound.
    stems: Vec<Box<[u32]>>,
    strays: Vec<Stray>,
}

impl Poison {
    fn stem(&self, reg: Reg, lane: usize) -> u32 {
        self.lanes(reg).get(lane).copied().unwrap_or(0)
    }

    fn lanes(&self, reg: Reg) -> &[u32] {
        self.stems.get(reg as usize).map_or(&[], |lanes| lanes)
    }

    fn is_sound(&self, reg: Reg) -> bool {
        self.lanes(reg).is_empty()
    }

    /// Sets a register's lanes.
    fn set(&mut self, reg: Reg, lanes: Vec<u32>) {
        let sound = lanes.iter().all(|&stem| stem == 0);
        self.stems[reg as usize] = if sound { Box::default() } else { lanes.into() };
    }

    fn set_lane(&mut self, reg: Reg, lane: usize, stem: u32, count: usize) {
        let lanes = &mut self.stems[reg as usize];
        if lanes.is_empty() {
            if stem == 0 {
                return;
            }
            *lanes = vec![0; count].into();
        }
        lanes[lane] = stem;
    }
}

impl Machine {
    /// The value of a lane in these registers stems from a read that gave none.
    pub(super) fn poison(
        &mut self,
        context: &Context,
        checker: &mut Checker,
        stray: Stray,
        (regs, lane): (&[Reg], usize),
    ) {
        checker.note(context, self.group, &stray);
        let registers = self.regs.len();
        let poison = self.poison.get_or_insert_with(Box::default);
        poison.stems.resize_with(registers, Box::default);
        if poison.strays.len() < MOST_STRAYS {
            poison.strays.push(stray);
        }
        let same = || poison.strays.iter().position(|known| known.step == stray.step).unwrap_or(0) + 1;
        let stem = if poison.strays.len() < MOST_STRAYS { poison.strays.len() } else { same() };
        for &reg in regs.iter().filter(|reg| **reg != NONE) {
            poison.set_lane(reg, lane, stem as u32, self.lanes);
        }
    }

    /// Whether a lane's value in a register stems from a read that gave none.
    pub(super) fn is_poison(&self, reg: Reg, lane: usize) -> bool {
        self.poison.as_ref().is_some_and(|poison| poison.stem(reg, lane) != 0)
    }

    /// Called before a step: tells what matters there, and follows what it does with values.
    pub(super) fn follow(&mut self, context: &Context, checker: &mut Checker, at: u32) {
        let Some(mut poison) = self.poison.take() else { return };
        let step = &context.program.code[at as usize];
        let lists = &context.program.lists;
        let list = |list: List| lists[list as usize].as_slice();
        let mut tell = |poison: &mut Poison, regs: &[Reg], step: Option<u32>| {
            for &reg in regs.iter().filter(|reg| **reg != NONE) {
                self.tell_lanes(context, checker, poison, reg, step);
            }
        };
        match step.instr {
            Instr::Store { from, at: address, .. } => {
                tell(&mut poison, &[address.base], None);
                tell(&mut poison, list(from), Some(at));
            }
            Instr::Atomic { op: AtomicOp::Load, to, at: address, .. } => self.hand_on(&mut poison, &to, address.base),
            Instr::Atomic { to, at: address, value, compare, .. } => {
                tell(&mut poison, &[address.base], None);
                tell(&mut poison, &[value, compare].concat(), Some(at));
                clear(&mut poison, &to);
            }
            Instr::If { condition, .. } | Instr::JumpUnless { condition, .. } => {
                tell(&mut poison, &[condition], Some(at));
            }
            Instr::Again { break_if, .. } => tell(&mut poison, &[break_if], Some(at)),
            Instr::CheckIndex { index, exact, .. } => {
                tell(&mut poison, &[[index].as_slice(), &exact].concat(), Some(at));
            }
            Instr::Load { to, at: address, .. } => self.hand_on(&mut poison, list(to), address.base),
            Instr::Set { to, from } => {
                for lane in self.active.lanes() {
                    poison.set_lane(to, lane, poison.stem(from, lane), self.lanes);
                }
            }
            Instr::Pick { to, list: of, index } => self.pick_stems(&mut poison, to, list(of), index),
            Instr::Put { list: of, index, from } => {
                tell(&mut poison, &[index], None);
                for lane in self.active.lanes() {
                    if let Some(&to) = list(of).get(self.regs[index as usize][lane] as usize) {
                        poison.set_lane(to, lane, poison.stem(from, lane), self.lanes);
                    }
                }
            }
            // It leaves out what is no value by itself.
            Instr::CheckNan { .. } => {}
            ref instr if instr.pure() => self.compute_stems(&mut poison, lists, step),
            ref instr => {
                // Operations of a subgroup, and on matrices: others get the value.
                let (mut reads, mut writes) = (vec![], vec![]);
                instr.visit(lists, |reg, role| match role {
                    Role::Read => reads.push(reg),
                    Role::Write => writes.push(reg),
                    Role::Update => {}
                });
                tell(&mut poison, &reads, Some(at));
                clear(&mut poison, &writes);
            }
        }
        self.poison = Some(poison);
    }

    fn tell_lanes(&self, context: &Context, checker: &mut Checker, poison: &mut Poison, reg: Reg, step: Option<u32>) {
        if poison.is_sound(reg) {
            return;
        }
        for lane in self.active.lanes() {
            let stem = poison.stem(reg, lane);
            if stem != 0 {
                checker.matters(context, self.group, &mut poison.strays[stem as usize - 1], step);
            }
        }
    }

    /// What is read at an address that leads nowhere is no value.
    fn hand_on(&self, poison: &mut Poison, to: &[Reg], base: Reg) {
        for &to in to.iter().filter(|reg| **reg != NONE) {
            let mut lanes = vec![0; self.lanes];
            if !poison.is_sound(base) {
                self.active.lanes().for_each(|lane| lanes[lane] = poison.stem(base, lane));
            }
            poison.set(to, lanes);
        }
    }

    fn pick_stems(&self, poison: &mut Poison, to: Reg, list: &[Reg], index: Reg) {
        let last = list.len() - 1;
        let stem = |lane: usize| match poison.stem(index, lane) {
            0 => poison.stem(list[(self.regs[index as usize][lane] as usize).min(last)], lane),
            stem => stem,
        };
        let lanes = (0..self.lanes).map(stem).collect();
        poison.set(to, lanes);
    }

    /// A result is as sound as the operands that it depends on.
    fn compute_stems(&self, poison: &mut Poison, lists: &[Vec<Reg>], step: &Step) {
        let (mut reads, mut writes) = (vec![], vec![]);
        step.instr.visit(lists, |reg, role| match role {
            Role::Read => reads.push(reg),
            _ => writes.push(reg),
        });
        if reads.iter().all(|&reg| poison.is_sound(reg)) {
            return clear(poison, &writes);
        }
        // What is the same for all invocations is in the first lane.
        let value = |reg: Reg, lane: usize| self.regs[reg as usize][if step.uniform { 0 } else { lane }];
        let first = |lane: usize, regs: &[Reg]| {
            regs.iter().map(|&reg| poison.stem(reg, lane)).find(|&stem| stem != 0).unwrap_or(0)
        };
        let decides = |reg: Reg, lane: usize, word: u32| poison.stem(reg, lane) == 0 && value(reg, lane) == word;
        let stem = |lane: usize| match step.instr {
            Instr::Tern(Tern::Select, _, condition, accept, reject) => match poison.stem(condition, lane) {
                0 => match value(condition, lane) {
                    0 => poison.stem(reject, lane),
                    u32::MAX => poison.stem(accept, lane),
                    _ => first(lane, &[accept, reject]),
                },
                stem => stem,
            },
            // False and anything is false, true or anything is true.
            Instr::Bin(Bin::And, _, a, b) if decides(a, lane, 0) || decides(b, lane, 0) => 0,
            Instr::Bin(Bin::Or, _, a, b) if decides(a, lane, u32::MAX) || decides(b, lane, u32::MAX) => 0,
            _ => first(lane, &reads),
        };
        let lanes: Vec<u32> = (0..self.lanes).map(stem).collect();
        writes.iter().for_each(|&reg| poison.set(reg, lanes.clone()));
    }
}

fn clear(poison: &mut Poison, regs: &[Reg]) {
    for &reg in regs.iter().filter(|reg| **reg != NONE) {
        poison.stems[reg as usize] = Box::default();
    }
}
