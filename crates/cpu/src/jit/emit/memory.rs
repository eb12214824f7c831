//! Loads and stores.
//!
//! Neighbours that touch neighbouring words do so as vectors. In a kernel that is not trusted, what lies outside its buffer
//! reads as 0 and is not written. Invocations that are not active touch nothing: they read the first word, and do not write.

use super::*;

/// Vectors of loaded words from which on those of active invocations are loaded in a loop.
const MANY: usize = 4;

impl Emitter<'_, '_> {
    /// The first byte of a memory space.
    fn space(&mut self, space: Space) -> Value {
        match space {
            Space::Workgroup => self.memory,
            Space::Immediate => {
                let offset = std::mem::offset_of!(Given, immediates) as i32;
                self.b.ins().load(I64, values::constant_memory(), self.given, offset)
            }
            Space::Buffer(buffer) => self.window(buffer, std::mem::offset_of!(Window, first)),
        }
    }

    fn windows(&mut self) -> Value {
        let offset = std::mem::offset_of!(Given, buffers) as i32;
        self.b.ins().load(I64, values::constant_memory(), self.given, offset)
    }

    fn window(&mut self, buffer: u32, field: usize) -> Value {
        let windows = self.windows();
        let at = buffer as usize * size_of::<Window>() + field;
        self.b.ins().load(I64, values::constant_memory(), windows, at as i32)
    }

    /// The first byte of a memory space for a load of neighbours, and how they are loaded. What the kernel does not write is
    /// loaded where it is used, mostly as an operand, which leaves registers to others. Such a load must not be placed
    /// before what decides that it happens: its pointer comes of an atomic load, which stays where it is.
    fn space_to_load(&mut self, space: Space) -> (Value, MemFlagsData) {
        match space {
            Space::Buffer(buffer) if !self.written[buffer as usize] => {
                if let Some(&first) = self.first_bytes.get(&buffer) {
                    return (first, values::constant_memory());
                }
                let windows = self.windows();
                let at = buffer as usize * size_of::<Window>() + std::mem::offset_of!(Window, first);
                let at = self.b.ins().iadd_imm_s(windows, at as i64);
                let first = self.b.ins().atomic_load(I64, plain(), at);
                self.first_bytes.insert(buffer, first);
                (first, values::constant_memory())
            }
            _ => (self.space(space), self.flags(space)),
        }
    }

    pub(super) fn window_bytes(&mut self, buffer: u32) -> Value {
        self.window(buffer, std::mem::offset_of!(Window, bytes))
    }

    /// Where accesses of so many bytes may begin at most, if they are guarded.
    fn last(&mut self, space: Space, bytes: u32) -> Option<Value> {
        match space {
            Space::Buffer(buffer) if self.guarded => {
                let all = self.window_bytes(buffer);
                let all = self.b.ins().ireduce(I32, all);
                Some(self.b.ins().iadd_imm_s(all, -(bytes as i64)))
            }
            Space::Workgroup if self.guarded => Some(self.int(self.kernel.workgroup_bytes.saturating_sub(bytes))),
            _ => None,
        }
    }

    fn flags(&self, space: Space) -> MemFlagsData {
        if space == Space::Immediate { values::constant_memory() } else { plain() }
    }

    /// The one address of a chunk, or that of its first invocation.
    fn address(&mut self, at: Address, more: u32) -> Value {
        let offset = at.offset.wrapping_add(more);
        if at.base == NONE {
            return self.int(offset);
        }
        let base = self.one(at.base);
        self.b.ins().iadd_imm_s(base, offset as i32 as i64)
    }

    fn addresses(&mut self, at: Address, more: u32) -> Vectors {
        let offset = at.offset.wrapping_add(more);
        if at.base == NONE {
            let address = self.int(offset);
            return self.spread(address, 0);
        }
        let base = self.each(at.base);
        if offset == 0 {
            return base;
        }
        let offset = self.constants(&[offset; VECTOR]);
        self.map(base, |e, base| e.b.ins().iadd(base, offset))
    }

    fn pointer(&mut self, first: Value, address: Value) -> Value {
        let address = self.b.ins().uextend(I64, address);
        self.b.ins().iadd(first, address)
    }

    fn read(&mut self, width: u8, flags: MemFlagsData, at: Value, offset: i32) -> Value {
        match width {
            4 => self.b.ins().load(I32, flags, at, offset),
            2 => self.b.ins().uload16(I32, flags, at, offset),
            _ => self.b.ins().uload8(I32, flags, at, offset),
        }
    }

    fn write(&mut self, width: u8, value: Value, at: Value, offset: i32) {
        match width {
            4 => self.b.ins().store(plain(), value, at, offset),
            2 => self.b.ins().istore16(plain(), value, at, offset),
            _ => self.b.ins().istore8(plain(), value, at, offset),
        };
    }

    fn stride(&self, at: Address) -> Option<i32> {
        if at.base == NONE { Some(0) } else { self.shapes.of(at.base).stride() }
    }

    pub(super) fn load(&mut self, to: List, at: Address, width: u8) {
        let list = &self.kernel.lists[to as usize];
        let bytes = list.len() as u32 * width as u32;
        match self.stride(at) {
            Some(0) => self.load_one(list, at, width),
            Some(stride) if stride as u32 == bytes && self.mask.is_none() && matches!(list.len(), 1 | 2 | 4) => {
                self.load_neighbours(list, at, width);
            }
            None if self.perhaps(list, at, width) => self.load_perhaps(list, at),
            _ => self.load_each(list, at, width),
        }
    }

    /// Whether it is worth asking if neighbours touch what follows each other, where that is not known.
    fn perhaps(&self, list: &[Reg], at: Address, width: u8) -> bool {
        width == 4 && self.mask.is_none() && matches!(list.len(), 1 | 2 | 4) && self.shapes.may_be_affine(at.base)
    }

    /// Asks; goes on where they do, with the address of the first, and gives the block where they do not.
    fn perhaps_neighbours(&mut self, list: &[Reg], at: Address) -> (Block, Value) {
        let bytes = 4 * list.len() as u32;
        let addresses = self.addresses(at, 0);
        let first = self.b.ins().extractlane(addresses.0[0], 0u8);
        let expected = self.spread(first, bytes as i32);
        let same = self.zip(addresses, expected, |e, a, b| e.b.ins().icmp(IntCC::Equal, a, b));
        let mut neighbours = self.all(same);
        if let Some(fits) = self.fits(at.space, first, bytes * self.lanes()) {
            neighbours = self.b.ins().band(neighbours, fits);
        }
        let (fast, slow) = (self.block(), self.block());
        self.branch(neighbours, fast, slow);
        self.enter(fast);
        (slow, first)
    }

    fn load_perhaps(&mut self, list: &[Reg], at: Address) {
        let (slow, address) = self.perhaps_neighbours(list, at);
        let (first, flags) = self.space_to_load(at.space);
        let pointer = self.pointer(first, address);
        self.load_rows(list, pointer, flags);
        let next = self.block();
        self.jump(next);
        self.enter(slow);
        self.load_each(list, at, 4);
        self.jump(next);
        self.enter(next);
    }

    fn store_perhaps(&mut self, list: &[Reg], at: Address) {
        let (slow, address) = self.perhaps_neighbours(list, at);
        let first = self.space(at.space);
        let pointer = self.pointer(first, address);
        self.store_rows(list, pointer);
        let next = self.block();
        self.jump(next);
        self.enter(slow);
        self.store_each(list, at, 4);
        self.jump(next);
        self.enter(next);
    }

    /// Where all read the same.
    fn load_one(&mut self, list: &[Reg], at: Address, width: u8) {
        let first = self.space(at.space);
        let flags = self.flags(at.space);
        let last = self.last(at.space, width as u32);
        for (k, &to) in (0..).zip(list) {
            let address = self.address(at, k * width as u32);
            let value = match last {
                None => {
                    let pointer = self.pointer(first, address);
                    self.read(width, flags, pointer, 0)
                }
                Some(last) => {
                    let inside = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, address, last);
                    let zero = self.int(0);
                    let address = self.b.ins().select(inside, address, zero);
                    let pointer = self.pointer(first, address);
                    let value = self.read(width, flags, pointer, 0);
                    self.b.ins().select(inside, value, zero)
                }
            };
            self.define_one(to, value);
        }
    }

    /// Where all are active, and each reads what follows its neighbour's.
    fn load_neighbours(&mut self, list: &[Reg], at: Address, width: u8) {
        let bytes = list.len() as u32 * width as u32 * self.lanes();
        let address = self.address(at, 0);
        let ways = self.inside(at.space, address, bytes);
        let (first, flags) = self.space_to_load(at.space);
        let pointer = self.pointer(first, address);
        if width == 4 {
            self.load_rows(list, pointer, flags);
        } else {
            // Several small ones of an invocation lie in a word, or two: taken apart one by one.
            let count = list.len();
            for (k, &to) in list.iter().enumerate() {
                let all: Vec<Value> = (0..self.vectors())
                    .map(|nth| self.read_small(width, pointer, (nth * VECTOR * count, k, count)))
                    .collect();
                self.define(to, Vectors::new(&all));
            }
        }
        self.otherwise(ways, |e| e.load_each(list, at, width));
    }

    /// Words of neighbours, one, two or four of each.
    fn load_rows(&mut self, list: &[Reg], pointer: Value, flags: MemFlagsData) {
        let count = list.len();
        let mut parts = vec![vec![]; count];
        for nth in 0..self.vectors() {
            let row = |row: usize| (16 * (nth * count + row)) as i32;
            let rows: Vec<Value> = (0..count).map(|nth| self.b.ins().load(I32X4, flags, pointer, row(nth))).collect();
            let columns = match rows[..] {
                [a, b] => vec![self.shuffle(a, b, [0, 2, 4, 6]), self.shuffle(a, b, [1, 3, 5, 7])],
                [a, b, c, d] => self.transpose([a, b, c, d]).to_vec(),
                _ => rows,
            };
            parts.iter_mut().zip(columns).for_each(|(part, column)| part.push(column));
        }
        list.iter().zip(parts).for_each(|(&to, part)| self.define(to, Vectors::new(&part)));
    }

    /// Four small elements, of which there are `count` an invocation.
    fn read_small(&mut self, width: u8, pointer: Value, (first, k, count): (usize, usize, usize)) -> Value {
        let at = |lane: usize| ((first + lane * count + k) * width as usize) as i32;
        if count == 1 && width == 2 {
            return self.b.ins().uload16x4(plain(), pointer, at(0));
        }
        if count == 1 {
            let word = self.b.ins().load(I32, plain(), pointer, at(0));
            let word = self.b.ins().scalar_to_vector(I32X4, word);
            let little = MemFlagsData::new().with_endianness(cranelift_codegen::ir::Endianness::Little);
            let bytes = self.b.ins().bitcast(I8X16, little, word);
            let halves = self.b.ins().uwiden_low(bytes);
            return self.b.ins().uwiden_low(halves);
        }
        let own: Vec<Value> = (0..VECTOR).map(|lane| self.read(width, plain(), pointer, at(lane))).collect();
        self.gathered(&own)
    }

    /// If accesses are guarded: begins what is done where all these bytes lie inside. Gives where to do otherwise, and on.
    fn inside(&mut self, space: Space, address: Value, bytes: u32) -> Option<(Block, Block)> {
        let inside = self.fits(space, address, bytes)?;
        let (fast, slow, next) = (self.block(), self.block(), self.block());
        self.branch(inside, fast, slow);
        self.enter(fast);
        Some((slow, next))
    }

    /// Whether so many bytes lie inside, if accesses are guarded.
    fn fits(&mut self, space: Space, address: Value, bytes: u32) -> Option<Value> {
        if !self.guarded || space == Space::Immediate {
            return None;
        }
        let all = match space {
            Space::Buffer(buffer) => self.window_bytes(buffer),
            _ => self.b.ins().iconst(I64, self.kernel.workgroup_bytes as i64),
        };
        let end = self.b.ins().uextend(I64, address);
        let end = self.b.ins().iadd_imm_s(end, bytes as i64);
        Some(self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, end, all))
    }

    fn otherwise(&mut self, ways: Option<(Block, Block)>, slow: impl FnOnce(&mut Self)) {
        let Some((block, next)) = ways else { return };
        self.jump(next);
        self.enter(block);
        self.b.set_cold_block(block);
        slow(self);
        self.jump(next);
        self.enter(next);
    }

    /// Where each reads somewhere.
    fn load_each(&mut self, list: &[Reg], at: Address, width: u8) {
        if list.len() == 4 && width == 4 && self.mask.is_none() && !self.guarded {
            return self.load_each_row(list, at);
        }
        if self.mask.is_some() && self.vectors() * list.len() >= MANY {
            return self.load_active(list, at, width);
        }
        let first = self.space(at.space);
        let flags = self.flags(at.space);
        let last = self.last(at.space, width as u32);
        let active = self.mask.map(|_| self.active());
        for (k, &to) in (0..).zip(list) {
            let mut addresses = self.addresses(at, k * width as u32);
            let inside = last.map(|last| {
                let last = self.b.ins().splat(I32X4, last);
                self.map(addresses, |e, own| e.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, own, last))
            });
            for mask in active.into_iter().chain(inside) {
                addresses = self.and(addresses, mask);
            }
            let mut values = self.map(addresses, |e, addresses| {
                let own: Vec<Value> = (0..VECTOR)
                    .map(|lane| {
                        let address = e.b.ins().extractlane(addresses, lane as u8);
                        let pointer = e.pointer(first, address);
                        e.read(width, flags, pointer, 0)
                    })
                    .collect();
                e.gathered(&own)
            });
            if let Some(inside) = inside {
                values = self.and(values, inside);
            }
            self.define(to, values);
        }
    }

    /// Where each active one reads somewhere: a loop, which is a fraction of the code.
    fn load_active(&mut self, list: &[Reg], at: Address, width: u8) {
        let first = self.space(at.space);
        let flags = self.flags(at.space);
        let last = self.last(at.space, width as u32);
        // What is guarded is guarded word by word.
        let at_once = if last.is_some() { 1 } else { list.len() };
        for (nth, some) in list.chunks(at_once).enumerate() {
            let addresses = self.addresses(at, nth as u32 * width as u32);
            let mut active = self.active();
            let inside = last.map(|last| {
                let last = self.b.ins().splat(I32X4, last);
                self.map(addresses, |e, own| e.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, own, last))
            });
            if let Some(inside) = inside {
                active = self.and(active, inside);
            }
            let loaded = self.for_active(active, &[addresses], some.len(), |e, _, words| {
                let pointer = e.pointer(first, words[0]);
                (0..some.len()).map(|k| e.read(width, flags, pointer, (k * width as usize) as i32)).collect()
            });
            for (&to, values) in some.iter().zip(loaded) {
                let values = if inside.is_some() { self.and(values, active) } else { values };
                self.define(to, values);
            }
        }
    }

    /// Where each reads four words somewhere: as a vector.
    fn load_each_row(&mut self, list: &[Reg], at: Address) {
        let (first, addresses, flags) = (self.space(at.space), self.addresses(at, 0), self.flags(at.space));
        let mut parts = [vec![], vec![], vec![], vec![]];
        for nth in 0..self.vectors() {
            let rows = [0, 1, 2, 3].map(|lane: u8| {
                let address = self.b.ins().extractlane(addresses.0[nth], lane);
                let pointer = self.pointer(first, address);
                self.b.ins().load(I32X4, flags, pointer, 0)
            });
            let columns = self.transpose(rows);
            parts.iter_mut().zip(columns).for_each(|(part, column)| part.push(column));
        }
        list.iter().zip(parts).for_each(|(&to, part)| self.define(to, Vectors::new(&part)));
    }

    pub(super) fn store(&mut self, from: List, at: Address, width: u8) {
        let list = &self.kernel.lists[from as usize];
        let bytes = list.len() as u32 * width as u32;
        if self.vectors() == 0 {
            return self.store_alone(list, at, width);
        }
        match self.stride(at) {
            Some(stride)
                if stride as u32 == bytes && self.mask.is_none() && matches!(list.len(), 1 | 2 | 4) && width == 4 =>
            {
                self.store_neighbours(list, at);
            }
            None if self.perhaps(list, at, width) => self.store_perhaps(list, at),
            _ => self.store_each(list, at, width),
        }
    }

    /// Where a chunk is one invocation.
    fn store_alone(&mut self, list: &[Reg], at: Address, width: u8) {
        let first = self.space(at.space);
        let last = self.last(at.space, width as u32);
        for (k, &from) in (0..).zip(list) {
            let (address, value) = (self.address(at, k * width as u32), self.one(from));
            let next = last.map(|last| {
                let inside = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, address, last);
                let (write, next) = (self.block(), self.block());
                self.branch(inside, write, next);
                self.enter(write);
                next
            });
            let pointer = self.pointer(first, address);
            self.write(width, value, pointer, 0);
            if let Some(next) = next {
                self.jump(next);
                self.enter(next);
            }
        }
    }

    fn store_neighbours(&mut self, list: &[Reg], at: Address) {
        let bytes = list.len() as u32 * 4 * self.lanes();
        let (first, address) = (self.space(at.space), self.address(at, 0));
        let ways = self.inside(at.space, address, bytes);
        let pointer = self.pointer(first, address);
        self.store_rows(list, pointer);
        self.otherwise(ways, |e| e.store_each(list, at, 4));
    }

    fn store_rows(&mut self, list: &[Reg], pointer: Value) {
        let values: Vec<Vectors> = list.iter().map(|&from| self.each(from)).collect();
        for nth in 0..self.vectors() {
            let own: Vec<Value> = values.iter().map(|values| values.0[nth]).collect();
            let rows = match own[..] {
                [a, b] => vec![self.shuffle(a, b, [0, 4, 1, 5]), self.shuffle(a, b, [2, 6, 3, 7])],
                [a, b, c, d] => self.transpose([a, b, c, d]).to_vec(),
                _ => own,
            };
            for (row, &value) in rows.iter().enumerate() {
                self.b.ins().store(plain(), value, pointer, 16 * (nth * rows.len() + row) as i32);
            }
        }
    }

    fn store_each(&mut self, list: &[Reg], at: Address, width: u8) {
        let first = self.space(at.space);
        let last = self.last(at.space, list.len() as u32 * width as u32);
        let parted = self.mask.is_some() || last.is_some();
        if !parted && self.stride(at) == Some(0) {
            // The last one's is what stays.
            let pointer = self.address(at, 0);
            let pointer = self.pointer(first, pointer);
            for (k, &from) in (0..).zip(list) {
                let value = if self.is_vector(from) {
                    let last = self.each(from).0[self.vectors() - 1];
                    self.b.ins().extractlane(last, VECTOR as u8 - 1)
                } else {
                    let (one, stride) = (self.one(from), self.shapes.of(from).stride().unwrap_or(0));
                    let more = stride.wrapping_mul(self.lanes() as i32 - 1);
                    self.b.ins().iadd_imm_s(one, more as i64)
                };
                self.write(width, value, pointer, k * width as i32);
            }
            return;
        }
        let addresses = self.addresses(at, 0);
        let values: Vec<Vectors> = list.iter().map(|&from| self.each(from)).collect();
        if !parted && self.vectors() * list.len() <= 4 {
            for nth in 0..self.vectors() {
                for lane in 0..VECTOR {
                    let address = self.b.ins().extractlane(addresses.0[nth], lane as u8);
                    let pointer = self.pointer(first, address);
                    for (k, values) in values.iter().enumerate() {
                        let value = self.b.ins().extractlane(values.0[nth], lane as u8);
                        self.write(width, value, pointer, (k * width as usize) as i32);
                    }
                }
            }
            return;
        }
        let mut active = self.active();
        if let Some(last) = last {
            // Of several words each is inside or not.
            if list.len() > 1 {
                return self.store_words(list, at, width);
            }
            let last = self.b.ins().splat(I32X4, last);
            let inside = self.map(addresses, |e, own| e.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, own, last));
            active = self.and(active, inside);
        }
        let words: Vec<Vectors> = [addresses].into_iter().chain(values).collect();
        self.for_active(active, &words, 0, |e, _, words| {
            let pointer = e.pointer(first, words[0]);
            for (k, &value) in words[1..].iter().enumerate() {
                e.write(width, value, pointer, (k * width as usize) as i32);
            }
            vec![]
        });
    }

    /// Words of which some may lie inside and others not.
    fn store_words(&mut self, list: &[Reg], at: Address, width: u8) {
        let first = self.space(at.space);
        let last = self.last(at.space, width as u32).expect("guarded");
        for (k, &from) in (0..).zip(list) {
            let (addresses, values) = (self.addresses(at, k * width as u32), self.each(from));
            let last = self.b.ins().splat(I32X4, last);
            let inside = self.map(addresses, |e, own| e.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, own, last));
            let active = self.active();
            let active = self.and(active, inside);
            self.for_active(active, &[addresses, values], 0, |e, _, words| {
                let pointer = e.pointer(first, words[0]);
                e.write(width, words[1], pointer, 0);
                vec![]
            });
        }
    }

    /// Words of two vectors: 0 to 3 are the first's.
    pub(super) fn shuffle(&mut self, a: Value, b: Value, words: [u8; 4]) -> Value {
        let bytes: Vec<u8> = words.into_iter().flat_map(|word| (0..4).map(move |byte| 4 * word + byte)).collect();
        let mask = self.b.func.dfg.immediates.push(bytes.into());
        let little = MemFlagsData::new().with_endianness(cranelift_codegen::ir::Endianness::Little);
        let (a, b) = (self.b.ins().bitcast(I8X16, little, a), self.b.ins().bitcast(I8X16, little, b));
        let all = self.b.ins().shuffle(a, b, mask);
        self.b.ins().bitcast(I32X4, little, all)
    }

    /// Rows to columns.
    fn transpose(&mut self, [a, b, c, d]: [Value; 4]) -> [Value; 4] {
        let (low0, high0) = (self.shuffle(a, b, [0, 4, 1, 5]), self.shuffle(a, b, [2, 6, 3, 7]));
        let (low1, high1) = (self.shuffle(c, d, [0, 4, 1, 5]), self.shuffle(c, d, [2, 6, 3, 7]));
        [
            self.shuffle(low0, low1, [0, 1, 4, 5]),
            self.shuffle(low0, low1, [2, 3, 6, 7]),
            self.shuffle(high0, high1, [0, 1, 4, 5]),
            self.shuffle(high0, high1, [2, 3, 6, 7]),
        ]
    }

    /// The pointer to what each invocation's address names.
    pub(super) fn pointer_in(&mut self, space: Space, address: Value) -> Value {
        let first = self.space(space);
        self.pointer(first, address)
    }

    pub(super) fn addresses_of(&mut self, at: Address) -> Vectors {
        self.addresses(at, 0)
    }

    pub(super) fn address_of(&mut self, at: Address) -> Value {
        self.address(at, 0)
    }

    /// Which addresses lie inside, if that must be asked.
    pub(super) fn last_of(&mut self, space: Space, bytes: u32) -> Option<Value> {
        self.last(space, bytes)
    }
}
