//! Passes of radix sorts: each thread counts the digits of a part of a row, then moves its keys, in order, to where those
//! of their digit go.

use super::super::block;
use crosslane_core::element::DType;
use crosslane_core::kernel::{Carried, SortByDigit};
use crosslane_core::threads;
use crosslane_core::work::{Launch, Window};
use std::array::from_fn;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

const BINS: usize = 256;
/// Keys below which a row is sorted by one thread.
const SMALL: usize = 1 << 16;

/// A launch as a pass of a radix sort.
pub(crate) struct SortPass<'a> {
    pass: &'a SortByDigit,
    params: Params,
    keys: &'a [AtomicU32],
    values: Option<&'a [AtomicU32]>,
    /// The states of tiles: of a row's first the digits' first places, which must be there; of its last what comes after.
    state: &'a [AtomicU32],
    keys_out: Option<&'a [AtomicU32]>,
    values_out: Option<&'a [AtomicU32]>,
}

/// The parameters of `shaders/sort_scatter.wgsl`, without those of windows and of tickets.
#[derive(Clone, Copy)]
struct Params {
    rows: usize,
    row_tiles: usize,
    length: usize,
    stride: usize,
    shift: u32,
    mask: u32,
    keys_first: usize,
    values_first: usize,
    index_first: u32,
    keys_out_first: usize,
    values_out_first: usize,
}

impl Params {
    fn of(params: &[u32]) -> Option<Params> {
        let [groups, row_tiles, length, stride, shift, mask, keys, values, index, keys_out, values_out, ..] = *params
        else {
            return None;
        };
        Some(Params {
            rows: (groups as usize).checked_div(row_tiles as usize)?,
            row_tiles: row_tiles as usize,
            length: length as usize,
            stride: stride as usize,
            shift,
            mask,
            keys_first: keys as usize,
            values_first: values as usize,
            index_first: index,
            keys_out_first: keys_out as usize,
            values_out_first: values_out as usize,
        })
    }
}

/// A window's words.
pub(super) fn words(window: &Window) -> &[AtomicU32] {
    &block(&window.memory).words[(window.offset / 4) as usize..][..(window.bytes / 4) as usize]
}

impl<'a> SortPass<'a> {
    pub fn of(pass: &'a SortByDigit, launch: &'a Launch) -> Option<SortPass<'a>> {
        let mut windows = launch.buffers.iter().map(words);
        let keys = windows.next()?;
        let values = if pass.values == Carried::Word { Some(windows.next()?) } else { None };
        let state = windows.next()?;
        let keys_out = if pass.stores_keys { Some(windows.next()?) } else { None };
        let values_out = if pass.values == Carried::Nothing { None } else { Some(windows.next()?) };
        let known = matches!(pass.key, DType::U32 | DType::I32 | DType::F32);
        let params = Params::of(&launch.params).filter(|_| known && windows.next().is_none())?;
        Some(SortPass { pass, params, keys, values, state, keys_out, values_out })
    }

    pub fn run(&self) {
        let descending = self.pass.descending;
        match self.pass.key {
            DType::F32 => self.run_by(|key| number_of(DType::F32, descending, key)),
            DType::I32 => self.run_by(|key| number_of(DType::I32, descending, key)),
            _ => self.run_by(|key| number_of(DType::U32, descending, key)),
        }
    }

    /// By a number for each key that is ordered as keys are.
    fn run_by(&self, number: impl Fn(u32) -> u32 + Copy + Sync) {
        let Params { shift, mask, .. } = self.params;
        let digit = move |key: &AtomicU32| ((number(key.load(Relaxed)) >> shift) & mask) as usize % BINS;
        (0..self.params.rows).for_each(|row| self.sort_row(row, digit));
    }

    fn sort_row(&self, row: usize, digit: impl Fn(&AtomicU32) -> usize + Copy + Sync) {
        let Params { length, stride, row_tiles, keys_first, .. } = self.params;
        let keys = &self.keys[keys_first + row * stride..][..length];
        let first_state = row * (row_tiles + 1) * BINS;
        let mut next: [u32; BINS] =
            from_fn(|bin| self.state[first_state + bin].load(Relaxed).wrapping_sub(self.pass.prefix));
        let threads = if length < SMALL { 1 } else { threads::count() };
        let part = length.div_ceil(threads).max(1);
        let parts: Vec<&[AtomicU32]> = keys.chunks(part).collect();
        let mut counts = vec![[0u32; BINS]; parts.len()];
        let count = |(keys, counts): (&[AtomicU32], &mut [u32; BINS])| {
            keys.iter().for_each(|key| counts[digit(key)] += 1);
        };
        threads::each(parts.iter().copied().zip(&mut counts).collect(), count);
        for part in &mut counts {
            for (next, count) in next.iter_mut().zip(part) {
                let first = *next;
                *next += *count;
                *count = first;
            }
        }
        // The next window of a long row begins with what its last tile publishes.
        let last = &self.state[first_state + row_tiles * BINS..][..BINS];
        last.iter().zip(next).for_each(|(state, next)| state.store(self.pass.prefix.wrapping_add(next), Relaxed));
        let all = parts.iter().zip(counts).enumerate().collect();
        threads::each(all, |(nth, (keys, firsts))| self.move_part(row, nth * part, keys, firsts, digit));
    }

    /// Moves the keys of a row from this one on, and their values, to where those of each digit go.
    fn move_part(
        &self,
        row: usize,
        begin: usize,
        keys: &[AtomicU32],
        mut next: [u32; BINS],
        digit: impl Fn(&AtomicU32) -> usize,
    ) {
        let Params { stride, values_first, index_first, keys_out_first, values_out_first, .. } = self.params;
        let values = self.values.map(|values| &values[values_first + row * stride + begin..][..keys.len()]);
        let keys_out = self.keys_out.map(|words| &words[keys_out_first + row * stride..]);
        let values_out = self.values_out.map(|words| &words[values_out_first + row * stride..]);
        for (at, key) in keys.iter().enumerate() {
            let place = &mut next[digit(key)];
            let to = *place as usize;
            *place += 1;
            if let Some(keys_out) = keys_out {
                keys_out[to].store(key.load(Relaxed), Relaxed);
            }
            if let Some(values_out) = values_out {
                let index = index_first.wrapping_add((begin + at) as u32);
                let value = values.map_or(index, |values| values[at].load(Relaxed));
                values_out[to].store(value, Relaxed);
            }
        }
    }
}

/// A key's bits as a number that is ordered as keys are.
#[inline(always)]
pub(super) fn number_of(dtype: DType, descending: bool, key: u32) -> u32 {
    let flip = if descending { u32::MAX } else { 0 };
    match dtype {
        DType::F32 => of_float(key, flip),
        DType::I32 => key ^ 0x8000_0000 ^ flip,
        _ => key ^ flip,
    }
}

/// A float's bits as a number that is ordered as floats are, both zeros alike and NaN last.
fn of_float(key: u32, flip: u32) -> u32 {
    let magnitude = key & 0x7fff_ffff;
    let bits = if magnitude == 0 { 0 } else { key };
    let number = bits ^ if bits >> 31 == 1 { u32::MAX } else { 0x8000_0000 } ^ flip;
    if magnitude > 0x7f80_0000 { u32::MAX } else { number }
}
