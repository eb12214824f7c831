//! Sorts of short rows: each by one thread, in its cache.

use super::sort::{number_of, words};
use crosslane_core::kernel::{Carried, SortRows};
use crosslane_core::threads;
use crosslane_core::work::Launch;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

const BINS: usize = 256;
/// Rows of fewer keys are sorted by comparing: counting all digits costs as much.
const FEW: usize = 192;
/// Keys that a thread takes at least at a time.
const PIECE: usize = 1 << 13;

/// A launch as rows that are sorted whole.
pub(crate) struct SortedRows<'a> {
    rows: &'a SortRows,
    params: Params,
    keys: &'a [AtomicU32],
    values: Option<&'a [AtomicU32]>,
    keys_out: Option<&'a [AtomicU32]>,
    values_out: Option<&'a [AtomicU32]>,
}

/// What is used of the parameters of `shaders/sort_rows.wgsl`, or of `sort_merge.wgsl`.
#[derive(Clone, Copy)]
struct Params {
    rows: usize,
    length: usize,
    /// The bits of a key's number that count.
    mask: u32,
    keys_first: usize,
    values_first: usize,
    keys_out_first: usize,
    values_out_first: usize,
}

impl Params {
    fn of(params: &[u32], merges: bool) -> Option<Params> {
        let [_, _, own @ ..] = params else { return None };
        let (rows, length, mask, firsts) = match *own {
            [rows, _, length, _, mask, _, ref firsts @ ..] if merges => (rows, length, mask, firsts),
            [length, count, begin, places, last_mask, _, ref firsts @ ..] if !merges => {
                let digits = (last_mask as u64) << (8 * (places - 1)) | ((1u64 << (8 * (places - 1))) - 1);
                (count.checked_div(length)?, length, (digits << begin) as u32, firsts)
            }
            _ => return None,
        };
        let [keys_first, values_first, keys_out_first, values_out_first] = *firsts else { return None };
        let [rows, length, keys_first, values_first, keys_out_first, values_out_first] =
            [rows, length, keys_first, values_first, keys_out_first, values_out_first].map(|word| word as usize);
        Some(Params { rows, length, mask, keys_first, values_first, keys_out_first, values_out_first })
    }
}

impl<'a> SortedRows<'a> {
    pub fn of(rows: &'a SortRows, launch: &'a Launch) -> Option<SortedRows<'a>> {
        let mut windows = launch.buffers.iter().map(words);
        let keys = windows.next()?;
        let values = if rows.values == Carried::Word { Some(windows.next()?) } else { None };
        let keys_out = if rows.stores_keys { Some(windows.next()?) } else { None };
        let values_out = if rows.values == Carried::Nothing { None } else { Some(windows.next()?) };
        let params = Params::of(&launch.params, rows.merges).filter(|_| windows.next().is_none())?;
        Some(SortedRows { rows, params, keys, values, keys_out, values_out })
    }

    pub fn run(&self) {
        let Params { rows, length, .. } = self.params;
        if length == 0 {
            return;
        }
        let at_once = PIECE.div_ceil(length).max(rows.div_ceil(8 * threads::count()));
        let pieces: Vec<(usize, usize)> =
            (0..rows).step_by(at_once).map(|row| (row, (row + at_once).min(rows))).collect();
        threads::each(pieces, |(begin, end)| {
            let mut items = [vec![0; length], vec![0; length]];
            (begin..end).for_each(|row| self.sort_row(row, &mut items));
        });
    }

    fn sort_row(&self, row: usize, [items, other]: &mut [Vec<u64>; 2]) {
        let Params { length, mask, keys_first, values_first, keys_out_first, values_out_first, .. } = self.params;
        let first = row * length;
        let keys = &self.keys[keys_first + first..][..length];
        let number = |key: u32| number_of(self.rows.key, self.rows.descending, key) & mask;
        for (index, (item, key)) in items.iter_mut().zip(keys).enumerate() {
            *item = (number(key.load(Relaxed)) as u64) << 32 | index as u64;
        }
        let sorted = if length < FEW { by_comparing(items) } else { by_digits(items, other) };
        if let Some(keys_out) = self.keys_out {
            let to = &keys_out[keys_out_first + first..][..length];
            to.iter().zip(sorted).for_each(|(to, item)| to.store(keys[*item as u32 as usize].load(Relaxed), Relaxed));
        }
        if let Some(values_out) = self.values_out {
            let values = self.values.map(|values| &values[values_first + first..][..length]);
            let value = |index: u32| values.map_or(index, |values| values[index as usize].load(Relaxed));
            let to = &values_out[values_out_first + first..][..length];
            to.iter().zip(sorted).for_each(|(to, item)| to.store(value(*item as u32), Relaxed));
        }
    }
}

/// No two are equal, since their indices differ: any sort keeps the order of equal keys.
fn by_comparing(items: &mut [u64]) -> &[u64] {
    items.sort_unstable();
    items
}

/// By the four digits of their numbers, the last first; by none that all share.
fn by_digits<'a>(mut items: &'a mut [u64], mut other: &'a mut [u64]) -> &'a [u64] {
    let digit = |item: u64, place: usize| (item >> (32 + 8 * place)) as usize % BINS;
    let mut counts = [[0u32; BINS]; 4];
    for &item in items.iter() {
        (0..4).for_each(|place| counts[place][digit(item, place)] += 1);
    }
    for (place, counts) in counts.iter_mut().enumerate() {
        if counts[digit(items[0], place)] as usize == items.len() {
            continue;
        }
        let mut first = 0;
        for count in counts.iter_mut() {
            first += std::mem::replace(count, first);
        }
        for &item in items.iter() {
            let next = &mut counts[digit(item, place)];
            other[*next as usize] = item;
            *next += 1;
        }
        std::mem::swap(&mut items, &mut other);
    }
    items
}
