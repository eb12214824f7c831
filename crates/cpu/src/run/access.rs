//! Loads and stores.

use super::*;
use crate::check::{Piece, Stray};

impl Machine {
    /// The addresses of these lanes if they are `step` bytes apart: the first.
    fn contiguous(&self, at: Address, range: &Range<usize>, step: u32) -> Option<u32> {
        if at.base == NONE {
            return (range.len() == 1).then_some(at.offset);
        }
        let base = &self.regs[at.base as usize][range.clone()];
        let first = base[0];
        let mut expected = first;
        let mut wrong = 0;
        for &address in base {
            wrong |= address ^ expected;
            expected = expected.wrapping_add(step);
        }
        (wrong == 0).then(|| first.wrapping_add(at.offset))
    }

    pub(super) fn address(&self, at: Address, lane: usize) -> u32 {
        match at.base {
            NONE => at.offset,
            base => self.regs[base as usize][lane].wrapping_add(at.offset),
        }
    }

    pub(super) fn load(&mut self, context: &Context, to: List, at: Address, width: u8, range: Range<usize>) {
        let list = &context.program.lists[to as usize];
        let count = list.len();
        let step = count as u32 * width as u32;
        let first = self.contiguous(at, &range, step).filter(|first| width == 4 && first % 4 == 0);
        for (k, &to) in list.iter().enumerate() {
            let mut lanes = std::mem::take(&mut self.regs[to as usize]);
            let view = self.view(context, at.space);
            match first.filter(|&first| view.holds(first, step * range.len() as u32)) {
                Some(first) => {
                    let words = &view.words[first as usize / 4 + k..];
                    let out = &mut lanes[range.clone()];
                    match count {
                        1 => out.iter_mut().zip(words).for_each(|(lane, word)| *lane = word.load(Relaxed)),
                        4 => out.iter_mut().zip(words.chunks(4)).for_each(|(lane, word)| *lane = word[0].load(Relaxed)),
                        _ => out.iter_mut().zip(words.chunks(count)).for_each(|(l, word)| *l = word[0].load(Relaxed)),
                    }
                }
                None => {
                    let skip = k as u32 * width as u32;
                    // What a lane reads that is not active does not matter; its address may be anything.
                    match at.base {
                        NONE => lanes[range.clone()].fill(view.load(at.offset.wrapping_add(skip), width)),
                        base => {
                            let offset = at.offset.wrapping_add(skip);
                            let addresses = &self.regs[base as usize][range.clone()];
                            let own = lanes[range.clone()].iter_mut().zip(addresses);
                            match width {
                                // Addresses of words are multiples of four: whole words decide. Half the time of the other.
                                4 => {
                                    let words = &view.words[..view.bytes as usize / 4];
                                    own.for_each(|(lane, address)| {
                                        let at = address.wrapping_add(offset) as usize / 4;
                                        *lane = words.get(at).map_or(0, |word| word.load(Relaxed));
                                    });
                                }
                                _ => own.for_each(|(lane, address)| {
                                    *lane = view.load(address.wrapping_add(offset), width);
                                }),
                            }
                        }
                    }
                }
            }
            self.regs[to as usize] = lanes;
        }
    }

    pub(super) fn store(&mut self, context: &Context, from: List, at: Address, width: u8) {
        let list = &context.program.lists[from as usize];
        let count = list.len();
        let step = count as u32 * width as u32;
        let range = self.active.low..self.active.high;
        let view = self.view(context, at.space);
        let first = match self.active.dense && width == 4 {
            true => self.contiguous(at, &range, step).filter(|first| first % 4 == 0),
            false => None,
        };
        let first = first.filter(|&first| view.holds(first, step * range.len() as u32));
        for (k, &from) in list.iter().enumerate() {
            let lanes = &self.regs[from as usize];
            match first {
                Some(first) => {
                    let words = &view.words[first as usize / 4 + k..];
                    let own = &lanes[range.clone()];
                    match count {
                        1 => own.iter().zip(words).for_each(|(&lane, word)| word.store(lane, Relaxed)),
                        4 => own.iter().zip(words.chunks(4)).for_each(|(&lane, word)| word[0].store(lane, Relaxed)),
                        _ => own.iter().zip(words.chunks(count)).for_each(|(&l, word)| word[0].store(l, Relaxed)),
                    }
                }
                None => {
                    let skip = k as u32 * width as u32;
                    if at.base != NONE && width == 4 && self.active.dense {
                        let words = &view.words[..view.bytes as usize / 4];
                        let addresses = &self.regs[at.base as usize][range.clone()];
                        let offset = at.offset.wrapping_add(skip);
                        for (&lane, address) in lanes[range.clone()].iter().zip(addresses) {
                            if let Some(word) = words.get(address.wrapping_add(offset) as usize / 4) {
                                word.store(lane, Relaxed);
                            }
                        }
                        continue;
                    }
                    for lane in self.active.lanes() {
                        view.store(self.address(at, lane).wrapping_add(skip), width, lanes[lane]);
                    }
                }
            }
        }
    }

    pub(super) fn load_checked(
        &mut self,
        context: &Context,
        checker: &mut Checker,
        step: u32,
        to: List,
        at: Address,
        width: u8,
    ) {
        self.look_at_stride(context, checker, step, at);
        self.load(context, to, at, width, self.active.low..self.active.high);
        let count = context.program.lists[to as usize].len() as u32;
        let lanes = self.active.lanes().map(|lane| (lane, self.address(at, lane)));
        let strays = checker.read(&self.who(context, step, 0), &self.piece(context, at, width), count, lanes);
        for (lane, nth, stray) in strays {
            let reg = context.program.lists[to as usize][nth as usize];
            // An index that leads nowhere has been found where it was computed.
            if !self.is_poison(reg, lane) {
                self.poison(context, checker, stray, (&[reg], lane));
            }
        }
    }

    /// What a step accesses, for the checks.
    fn piece<'a>(&'a self, context: &Context<'a>, at: Address, width: u8) -> Piece<'a> {
        Piece { space: at.space, address: 0, width: width as u32, view: self.view(context, at.space) }
    }

    pub(super) fn store_checked(
        &mut self,
        context: &Context,
        checker: &mut Checker,
        step: u32,
        from: List,
        at: Address,
        width: u8,
    ) {
        self.look_at_stride(context, checker, step, at);
        let list = &context.program.lists[from as usize];
        let lanes = self.active.lanes().map(|lane| (lane, self.address(at, lane)));
        let piece = self.piece(context, at, width);
        checker.write(&self.who(context, step, 0), &piece, list.len() as u32, lanes);
        let mut changes = 0;
        for lane in self.active.lanes() {
            for (k, &from) in (0..).zip(list) {
                let address = self.address(at, lane).wrapping_add(k * width as u32);
                let value = self.regs[from as usize][lane];
                changes += (piece.view.load(address, width) != value) as u64;
                piece.view.store(address, width, value);
            }
        }
        self.changes += changes;
    }

    pub(super) fn check_index(
        &mut self,
        context: &Context,
        checker: &mut Checker,
        step: u32,
        (index, limit, exact): (Reg, Reg, Pair),
        (of, to): (u32, List),
    ) {
        let mut wrong = vec![];
        for lane in self.active.lanes() {
            let (at, limit) = (self.regs[index as usize][lane], self.regs[limit as usize][0]);
            let exact = (exact[0] != NONE).then(|| {
                let [low, high] = exact.map(|r| self.regs[r as usize][lane]);
                super::super::scalar::join(low, high) as i64
            });
            // What is no index by itself has been told as such.
            let sound = || !self.is_poison(index, lane);
            if (at >= limit || exact.is_some_and(|exact| exact != at as i64)) && sound() {
                wrong.push((lane, at, limit, exact));
            }
        }
        for (lane, at, limit, exact) in wrong {
            let who = self.who(context, step, lane);
            if !checker.follows() || at < limit {
                checker.index(&who, (at, limit, exact), of);
            } else if checker.checks.bounds {
                let stray = Stray::index(&who, exact.unwrap_or(at as i64), limit, of);
                self.poison(context, checker, stray, (&context.program.lists[to as usize], lane));
            }
        }
    }

    pub(super) fn check_nan(
        &mut self,
        context: &Context,
        checker: &mut Checker,
        step: u32,
        result: Reg,
        operands: List,
    ) {
        let nan = |reg: Reg, lane: usize| f32::from_bits(self.regs[reg as usize][lane]).is_nan();
        let operands = &context.program.lists[operands as usize];
        for lane in self.active.lanes() {
            let sound = !self.is_poison(result, lane);
            if sound && nan(result, lane) && !operands.iter().any(|&r| nan(r, lane)) {
                checker.nan(&self.who(context, step, lane));
            }
        }
    }
}
