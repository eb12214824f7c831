//! Running a program: one workgroup at a time on a machine, several machines side by side.

mod access;
mod atomic;
mod control;
mod mask;
mod matrix;
mod poison;
mod stride;
mod subgroup;

use super::check::{Checker, Who};
use super::lanes;
use super::memory::View;
use super::program::*;
use mask::Mask;
use poison::Poison;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// What all workgroups of a launch share.
pub(super) struct Context<'a> {
    pub program: &'a Program,
    /// In the order of [`Program::buffers`].
    pub buffers: Vec<View<'a>>,
    pub immediates: &'a [AtomicU32],
    pub groups: [u32; 3],
    /// Set when a workgroup has failed: the others need not go on.
    pub stop: &'a AtomicBool,
    /// The longest that one workgroup may take.
    pub budget: Duration,
    /// When all must be done: a launch of a program's kernel, without checks, which take their time.
    pub until: Option<Instant>,
}

/// Why a machine stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Done,
    /// It waits at this step for memory that another workgroup would have to change.
    Spinning(u32),
    /// It has come to an atomic on a buffer; the others may overtake it.
    Preempted,
    /// Its time is used up, at this step.
    Exhausted(u32),
}

/// Masks of one control-flow construct.
#[derive(Debug, Default)]
struct Saved {
    /// Invocations that wait for the other branch, or that broke out, or that entered a function.
    first: Mask,
    /// Invocations that have been through a branch, or that continued.
    second: Mask,
    /// Changes of state when the iteration began.
    changes: u64,
}

/// The state of one workgroup.
pub(super) struct Machine {
    regs: Vec<Box<[u32]>>,
    active: Mask,
    frames: Vec<Saved>,
    workgroup: Box<[AtomicU32]>,
    pc: u32,
    pub group: [u32; 3],
    lanes: usize,
    /// How often state changed that a loop could wait for: only counted when checking.
    changes: u64,
    /// Values that stem from reads that gave none: only when checking, and once there are some.
    poison: Option<Box<Poison>>,
    /// How many more atomics on buffers stop it.
    turns: u32,
    /// It was stopped before the atomic that comes next.
    resumed: bool,
    iterations: u32,
    /// The last atomic or load, which a loop that spins waits for.
    waits_for: Option<u32>,
    /// Time it has run: what others run while it waits for its turn does not count.
    spent: Duration,
    /// Since when it has been running now.
    since: Instant,
}

/// Iterations between looks at the clock.
const LOOK: u32 = 256;

impl Machine {
    pub fn new(program: &Program) -> Machine {
        let lanes = program.lanes();
        let mut regs = vec![vec![0u32; lanes].into_boxed_slice(); program.registers];
        let [x, y, _] = program.size;
        for &(reg, given) in &program.given {
            for (lane, word) in (0..).zip(regs[reg as usize].iter_mut()) {
                *word = match given {
                    Given::Constant(word) => word,
                    Given::LocalId(0) => lane % x,
                    Given::LocalId(1) => lane / x % y,
                    Given::LocalId(_) => lane / (x * y),
                    Given::LocalIndex => lane,
                    Given::SubgroupId => lane / program.subgroup,
                    Given::SubgroupLane => lane % program.subgroup,
                    Given::WorkgroupId(_) | Given::Workgroups(_) => 0,
                };
            }
        }
        let saved = || Saved { first: Mask::empty(lanes), second: Mask::empty(lanes), changes: 0 };
        Machine {
            regs,
            active: Mask::empty(lanes),
            frames: (0..program.frames).map(|_| saved()).collect(),
            workgroup: (0..program.workgroup_bytes.div_ceil(4)).map(|_| AtomicU32::new(0)).collect(),
            pc: 0,
            group: [0; 3],
            lanes,
            changes: 0,
            poison: None,
            turns: 0,
            resumed: false,
            iterations: 0,
            waits_for: None,
            spent: Duration::ZERO,
            since: Instant::now(),
        }
    }

    /// How often state changed that a loop could wait for.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Makes it ready for a workgroup.
    pub fn begin(&mut self, context: &Context, group: [u32; 3], turns: u32) {
        self.group = group;
        self.turns = turns;
        self.resumed = false;
        self.pc = 0;
        self.iterations = 0;
        self.waits_for = None;
        self.spent = Duration::ZERO;
        self.poison = None;
        self.active.fill(0, self.lanes);
        self.workgroup.iter().for_each(|word| word.store(0, Relaxed));
        for &(reg, given) in &context.program.given {
            let word = match given {
                Given::WorkgroupId(axis) => group[axis as usize],
                Given::Workgroups(axis) => context.groups[axis as usize],
                _ => continue,
            };
            self.regs[reg as usize].fill(word);
        }
    }

    fn who<'a>(&self, context: &'a Context, step: u32, lane: usize) -> Who<'a> {
        Who { context, step, group: self.group, lane }
    }

    fn view<'a>(&'a self, context: &Context<'a>, space: Space) -> View<'a> {
        match space {
            Space::Buffer(buffer) => context.buffers[buffer as usize],
            Space::Workgroup => View::new(&self.workgroup, u64::MAX),
            Space::Immediate => View::new(context.immediates, u64::MAX),
        }
    }

    /// Runs until the workgroup is done or cannot go on.
    pub fn run(&mut self, context: &Context, checker: &mut Option<Checker>) -> Status {
        self.since = Instant::now();
        let status = self.steps(context, checker);
        self.spent += self.since.elapsed();
        status
    }

    fn steps(&mut self, context: &Context, checker: &mut Option<Checker>) -> Status {
        loop {
            let at = self.pc;
            let step = &context.program.code[at as usize];
            self.pc += 1;
            if self.poison.is_some()
                && let Some(checker) = checker
            {
                self.follow(context, checker, at);
            }
            let range = if step.uniform { 0..1 } else { self.active.low..self.active.high };
            match step.instr {
                Instr::End => return Status::Done,
                Instr::Un(op, to, a) => self.word(to, [a], range, |to, from| lanes::un(op, to, from)),
                Instr::Bin(op, to, a, b) => self.word(to, [a, b], range, |to, from| lanes::bin(op, to, from)),
                Instr::Tern(op, to, a, b, c) => self.word(to, [a, b, c], range, |to, from| lanes::tern(op, to, from)),
                Instr::Quad(op, to, a, b, c, d) => {
                    self.word(to, [a, b, c, d], range, |to, from| lanes::quad(op, to, from));
                }
                Instr::LongUn(op, to, a) => self.long(to, a, range, |to, from| lanes::long_un(op, to, from)),
                Instr::LongBin(op, to, [a, b], [c, d]) => {
                    self.long(to, [a, b, c, d], range, |to, from| lanes::long_bin(op, to, from));
                }
                Instr::LongTern(op, to, [a, b], [c, d], [e, f]) => {
                    self.long(to, [a, b, c, d, e, f], range, |to, from| lanes::long_tern(op, to, from));
                }
                Instr::LongShift(op, to, [a, b], c) => {
                    self.long(to, [a, b, c], range, |to, from| lanes::long_shift(op, to, from));
                }
                Instr::Widen(op, to, a) => self.long(to, [a], range, |to, from| lanes::widen(op, to, from)),
                Instr::Narrow(op, to, a) => self.word(to, a, range, |to, from| lanes::narrow(op, to, from)),
                Instr::LongCompare(op, to, [a, b], [c, d]) => {
                    self.word(to, [a, b, c, d], range, |to, from| lanes::long_compare(op, to, from));
                }
                Instr::Broadcast(reg) => {
                    let lanes = &mut self.regs[reg as usize];
                    let word = lanes[0];
                    lanes[range].fill(word);
                }
                Instr::Set { to, from } if step.uniform => self.regs[to as usize][0] = self.regs[from as usize][0],
                Instr::Set { to, from } => self.set(to, from, checker.is_some()),
                Instr::Pick { to, list, index } => self.pick(context, to, list, index, range),
                Instr::Put { list, index, from } => self.put(context, list, index, from),
                Instr::Length { to, buffer, offset, stride } => {
                    let count = context.buffers[buffer as usize].bytes.saturating_sub(offset) / stride;
                    self.regs[to as usize][range].fill(count);
                }
                Instr::Load { to, at: address, width } => match checker {
                    None => self.load(context, to, address, width, range),
                    Some(checker) => {
                        self.waits_for = Some(at);
                        self.load_checked(context, checker, at, to, address, width);
                    }
                },
                Instr::Store { from, at: address, width } => match checker {
                    None => self.store(context, from, address, width),
                    Some(checker) => self.store_checked(context, checker, at, from, address, width),
                },
                Instr::Atomic { op, kind, to, at: address, value, compare } => {
                    // Before it says something to the others or listens to them; but a ticket is drawn in order.
                    let talks = matches!(op, AtomicOp::Load | AtomicOp::Store);
                    let overtaken = self.turns > 0 && matches!(address.space, Space::Buffer(_)) && !self.resumed;
                    self.turns -= overtaken as u32;
                    self.resumed = overtaken && talks;
                    if self.resumed {
                        self.pc = at;
                        return Status::Preempted;
                    }
                    self.waits_for = Some(at);
                    self.atomic(context, checker, at, (op, kind), to, address, value, compare);
                    if overtaken {
                        return Status::Preempted;
                    }
                }
                Instr::Barrier { workgroup, storage, subgroup } => {
                    if let Some(checker) = checker {
                        let divergent = self.active.count() != self.lanes;
                        let lanes = (divergent && !subgroup).then(|| self.active.lanes().collect::<Vec<_>>());
                        checker.barrier(&self.who(context, at, 0), lanes, [workgroup, storage, subgroup]);
                    }
                }
                Instr::Ballot { to, predicate } => self.ballot(context, to, predicate),
                Instr::Gather { mode, to, from, index } => self.gather(context, mode, to, from, index),
                Instr::Collective { op, scan, kind, to, from } => self.collective(context, op, scan, kind, to, from),
                Instr::MatrixLoad { to, at: address, within, stride, row_major, shape } => {
                    self.matrix_load(context, checker, at, to, (address, within), stride, row_major, shape);
                }
                Instr::MatrixStore { from, at: address, within, stride, row_major, shape } => {
                    self.matrix_store(context, checker, at, from, (address, within), stride, row_major, shape);
                }
                Instr::MatrixMulAdd { to, a, b, c, shape_a, shape_b, shape_c } => {
                    self.matrix_multiply_add(context, to, [a, b, c], [shape_a, shape_b, shape_c]);
                }
                Instr::CheckIndex { index, limit, exact, of, to } => {
                    if let Some(checker) = checker {
                        self.check_index(context, checker, at, (index, limit, exact), (of, to));
                    }
                }
                Instr::CheckNan { result, operands } => {
                    if let Some(checker) = checker {
                        self.check_nan(context, checker, at, result, operands);
                    }
                }
                _ => {
                    if let Some(status) = self.control(context, &step.instr, at, checker.is_some()) {
                        return status;
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn word<const N: usize>(
        &mut self,
        to: Reg,
        from: [Reg; N],
        range: Range<usize>,
        f: impl FnOnce([&mut [u32]; 1], [&[u32]; N]),
    ) {
        let mut lanes = std::mem::take(&mut self.regs[to as usize]);
        f([&mut lanes[range.clone()]], from.map(|reg| &self.regs[reg as usize][range.clone()]));
        self.regs[to as usize] = lanes;
    }

    #[inline(always)]
    fn long<const N: usize>(
        &mut self,
        to: Pair,
        from: [Reg; N],
        range: Range<usize>,
        f: impl FnOnce([&mut [u32]; 2], [&[u32]; N]),
    ) {
        let [mut low, mut high] = to.map(|r| std::mem::take(&mut self.regs[r as usize]));
        let to_lanes = [&mut low[range.clone()], &mut high[range.clone()]];
        f(to_lanes, from.map(|reg| &self.regs[reg as usize][range.clone()]));
        self.regs[to[0] as usize] = low;
        self.regs[to[1] as usize] = high;
    }

    /// Writes a variable where active.
    fn set(&mut self, to: Reg, from: Reg, checked: bool) {
        let range = self.active.low..self.active.high;
        let mut lanes = std::mem::take(&mut self.regs[to as usize]);
        let (own, from) = (&mut lanes[range.clone()], &self.regs[from as usize][range]);
        if checked {
            let mut old = own.iter().zip(from);
            let changed = match self.active.dense {
                true => old.any(|(a, b)| a != b),
                false => old.zip(self.active.words()).any(|((a, b), &m)| (a ^ b) & m != 0),
            };
            self.changes += changed as u64;
        }
        match self.active.dense {
            true => own.copy_from_slice(from),
            false => {
                for ((to, &from), &mask) in own.iter_mut().zip(from).zip(self.active.words()) {
                    *to = (from & mask) | (*to & !mask);
                }
            }
        }
        self.regs[to as usize] = lanes;
    }

    /// Reads the register that each lane's index names; indices past the end name the last.
    fn pick(&mut self, context: &Context, to: Reg, list: List, index: Reg, range: Range<usize>) {
        let list = &context.program.lists[list as usize];
        let last = list.len() as u32 - 1;
        let mut lanes = std::mem::take(&mut self.regs[to as usize]);
        let index = &self.regs[index as usize];
        let first = index[range.start].min(last);
        if index[range.clone()].iter().all(|&i| i.min(last) == first) {
            lanes[range.clone()].copy_from_slice(&self.regs[list[first as usize] as usize][range]);
        } else {
            for lane in range {
                lanes[lane] = self.regs[list[index[lane].min(last) as usize] as usize][lane];
            }
        }
        self.regs[to as usize] = lanes;
    }

    fn put(&mut self, context: &Context, list: List, index: Reg, from: Reg) {
        let list = &context.program.lists[list as usize];
        for lane in self.active.lanes() {
            let at = self.regs[index as usize][lane];
            if let Some(&to) = list.get(at as usize) {
                let word = self.regs[from as usize][lane];
                self.changes += (self.regs[to as usize][lane] != word) as u64;
                self.regs[to as usize][lane] = word;
            }
        }
    }
}
