//! Pointers: indexing, loads and stores.

use super::limits::Limit;
use super::types::Leaf;
use super::*;
use naga::ScalarKind;

/// Words that one load or store moves.
const MOST_WORDS: usize = 8;

impl<'a> Builder<'a> {
    /// An element by dynamic index, of a value or a pointer.
    pub(super) fn access(&mut self, base: Handle<Expression>, index: Handle<Expression>) -> Outcome<Value> {
        let reg = self.word(index)?;
        match self.value(base)? {
            Value::Words(words) => {
                let Some((_, per, _, Some(count))) = self.types.element(self.ty(base)) else {
                    return self.refuse("indexing something that has no elements");
                };
                let of = self.name("a value");
                let mut result = vec![];
                for k in 0..per as usize {
                    let list = self.list(words.iter().copied().skip(k).step_by(per as usize).collect());
                    result.push(self.pick(list, reg));
                }
                self.watch(reg, Limit::Count(count), of, &result);
                Ok(Value::Words(result.into()))
            }
            Value::Place(mut place) => {
                let Some((ty, words, bytes, count)) = self.types.element(&place.ty) else {
                    return self.refuse("indexing something that has no elements");
                };
                let stride = match place.root {
                    Root::Memory(..) => bytes,
                    Root::Variable(..) => words,
                };
                let limit = match (count, &place.root) {
                    (Some(count), _) => Limit::Count(count),
                    (None, Root::Memory(Space::Buffer(buffer), _)) => {
                        Limit::Runtime { buffer: *buffer, offset: place.offset, stride }
                    }
                    _ => return self.refuse("a runtime-sized array outside a buffer"),
                };
                let guarded = self.guarded(&place, stride);
                self.step(&mut place, reg, stride, limit, guarded);
                place.ty = ty;
                Ok(Value::Place(place))
            }
        }
    }

    /// A member or element by constant index.
    pub(super) fn access_index(&mut self, base: Handle<Expression>, index: u32) -> Outcome<Value> {
        match self.value(base)? {
            Value::Words(words) => {
                let Some((ty, first, _)) = self.types.member(self.ty(base), index) else {
                    return self.refuse("a member that does not exist");
                };
                let count = self.types.words(&ty) as usize;
                Ok(Value::Words(words[first as usize..][..count].into()))
            }
            Value::Place(mut place) => {
                if let Inner::Array { base, size: naga::ArraySize::Dynamic, stride } = place.ty
                    && let Root::Memory(Space::Buffer(buffer), _) = place.root
                {
                    return self.runtime_element(place, index, self.types.inner(base).clone(), (buffer, stride));
                }
                let Some((ty, words, bytes)) = self.types.member(&place.ty, index) else {
                    return self.refuse("a member that does not exist");
                };
                place.offset += match place.root {
                    Root::Memory(..) => bytes,
                    Root::Variable(..) => words,
                };
                place.ty = ty;
                Ok(Value::Place(place))
            }
        }
    }

    /// An element of a runtime-sized array by constant index.
    fn runtime_element(
        &mut self,
        mut place: Place,
        index: u32,
        ty: Inner,
        (buffer, stride): (u32, u32),
    ) -> Outcome<Value> {
        place.ty = ty;
        let limit = Limit::Runtime { buffer, offset: place.offset, stride };
        let reg = self.constant(index);
        // Past the end of the buffer there is nothing, unless the address wraps round. A device that checks watches the index.
        let end = (index as u64 + 1) * stride as u64 + place.offset as u64;
        if u32::try_from(end).is_ok() && !self.checked {
            place.offset += index * stride;
            return Ok(Value::Place(place));
        }
        self.step(&mut place, reg, stride, limit, false);
        Ok(Value::Place(place))
    }

    /// Whether no element past the end of an array is anything: a variable of one word an element, which its list of
    /// registers ends; a buffer that holds nothing else, where products that wrap round come to an element again.
    fn guarded(&self, place: &Place, stride: u32) -> bool {
        match &place.root {
            Root::Variable(variable, _) => {
                place.dynamic == NONE && stride == 1 && variable.len() as u32 == self.types.words(&place.ty)
            }
            Root::Memory(Space::Buffer(_), _) => {
                matches!(place.ty, Inner::Array { size: naga::ArraySize::Dynamic, .. })
                    && place.offset == 0
                    && stride.is_power_of_two()
            }
            Root::Memory(..) => false,
        }
    }

    pub(super) fn pick(&mut self, list: List, index: Reg) -> Reg {
        let varying = self.varies(index) || self.lists[list as usize].clone().iter().any(|&r| self.varies(r));
        let to = self.register(varying);
        self.push(Instr::Pick { to, list, index }, !varying);
        to
    }

    fn address(&self, space: Space, place: &Place, byte: u32) -> Address {
        Address { space, base: place.dynamic, offset: place.offset + byte }
    }

    /// Reads a value.
    pub(super) fn load(&mut self, place: &Place) -> Outcome<Vec<Reg>> {
        match &place.root {
            Root::Memory(space, _) => self.load_memory(*space, place),
            Root::Variable(variable, _) => {
                let words = self.types.words(&place.ty);
                let variable = variable.clone();
                let mut result = vec![];
                for word in 0..words {
                    result.push(match place.dynamic {
                        NONE => {
                            let from = variable[(place.offset + word) as usize];
                            let to = self.un(Un::Copy, from);
                            self.follow_read(to, from);
                            to
                        }
                        dynamic => {
                            let offset = self.constant(place.offset + word);
                            let index = self.bin(Bin::AddI32, dynamic, offset);
                            let list = self.variable_list(&variable);
                            self.pick(list, index)
                        }
                    });
                }
                Ok(result)
            }
        }
    }

    fn leaves_of(&mut self, place: &Place) -> Outcome<Vec<Leaf>> {
        let mut leaves = vec![];
        self.types.leaves(&place.ty, 0, &mut leaves);
        self.small |= leaves.iter().any(|l| l.scalar.width == 2);
        if leaves.is_empty() {
            return self.refuse(format!("{:?} cannot be read or written as a whole", place.ty));
        }
        Ok(leaves)
    }

    fn load_memory(&mut self, space: Space, place: &Place) -> Outcome<Vec<Reg>> {
        if let Inner::Atomic(scalar) = place.ty {
            return self.atomic(AtomicOp::Load, scalar, place, &[], &[]);
        }
        let leaves = self.leaves_of(place)?;
        // Atomics are read by a function of their own; all others may be read once where the address is the same.
        let varying = self.varies(place.dynamic) || self.checked;
        let mut result = vec![];
        for run in runs(&leaves) {
            let width = run[0].scalar.width;
            let count = run.len() * if width == 8 { 2 } else { 1 };
            let to: Vec<Reg> = (0..count).map(|_| self.register(varying)).collect();
            let list = self.list(to.clone());
            let at = self.address(space, place, run[0].offset);
            self.push(Instr::Load { to: list, at, width: width.min(4) }, !varying);
            match run[0].scalar.kind {
                ScalarKind::Bool => to.iter().for_each(|&w| result.push(self.un(Un::WordToBool, w))),
                _ => result.extend(to),
            }
        }
        Ok(result)
    }

    /// Writes a value.
    pub(super) fn store(&mut self, place: &Place, words: &[Reg]) -> Outcome<()> {
        match &place.root {
            Root::Memory(space, _) => self.store_memory(*space, place, words),
            Root::Variable(variable, _) => {
                for (word, &from) in (0..).zip(words) {
                    match place.dynamic {
                        NONE => {
                            let to = variable[(place.offset + word) as usize];
                            self.set(to, from)?;
                        }
                        dynamic => {
                            let offset = self.constant(place.offset + word);
                            let index = self.bin(Bin::AddI32, dynamic, offset);
                            let list = self.variable_list(variable);
                            self.varying(Instr::Put { list, index, from });
                            self.follow_put(variable, index, from);
                        }
                    }
                }
                Ok(())
            }
        }
    }

    fn store_memory(&mut self, space: Space, place: &Place, words: &[Reg]) -> Outcome<()> {
        let leaves = self.leaves_of(place)?;
        let mut words = words;
        for run in runs(&leaves) {
            let width = run[0].scalar.width;
            let (these, rest) = words.split_at(run.len() * if width == 8 { 2 } else { 1 });
            words = rest;
            let mut from = these.to_vec();
            if run[0].scalar.kind == ScalarKind::Bool {
                let one = self.constant(1);
                from = from.iter().map(|&w| self.bin(Bin::And, w, one)).collect();
            }
            let list = self.list(from);
            let at = self.address(space, place, run[0].offset);
            self.varying(Instr::Store { from: list, at, width: width.min(4) });
        }
        Ok(())
    }

    /// The address behind a pointer into memory.
    pub(super) fn memory(&mut self, place: &Place) -> Outcome<Address> {
        match place.root {
            Root::Memory(space, _) => Ok(self.address(space, place, 0)),
            Root::Variable(..) => self.refuse("a pointer to a function's variable stands where memory is wanted"),
        }
    }

    pub(super) fn array_length(&mut self, pointer: Handle<Expression>) -> Outcome<Reg> {
        let place = self.place(pointer)?;
        let (Inner::Array { stride, .. }, Root::Memory(Space::Buffer(buffer), _)) = (&place.ty, &place.root) else {
            return self.refuse("arrayLength of something other than a runtime-sized array");
        };
        let to = self.register(false);
        self.push(Instr::Length { to, buffer: *buffer, offset: place.offset, stride: *stride }, true);
        Ok(to)
    }
}

/// Leaves that lie side by side and have one width, a few at a time.
fn runs(leaves: &[Leaf]) -> Vec<&[Leaf]> {
    let mut runs = vec![];
    let mut start = 0;
    for end in 1..=leaves.len() {
        let first = leaves[start].scalar;
        let together = leaves.get(end).is_some_and(|leaf| {
            (leaf.scalar.width, leaf.scalar.kind == ScalarKind::Bool) == (first.width, first.kind == ScalarKind::Bool)
                && leaf.offset == leaves[end - 1].offset + first.width as u32
                && (end - start + 1) * if first.width == 8 { 2 } else { 1 } <= MOST_WORDS
        });
        if !together {
            runs.push(&leaves[start..end]);
            start = end;
        }
    }
    runs
}
