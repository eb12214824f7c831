//! Sorts of random 32-bit keys: alone, with values, and as indices; the largest of them. The names are those of
//! `benches/peers`.

use super::Outcome;
use super::compare::word;
use super::indices::{all, map};
use super::measure::{Group, Row};
use crosslane::device::DeviceKind;
use crosslane::{Array, Device, Result};
use rayon::prelude::*;
use std::cell::OnceCell;

const SEED: u64 = 6;

/// Random keys, uploaded at their first use, and their indices.
pub struct Keys {
    device: Device,
    n: usize,
    keys: OnceCell<Array<u32>>,
    indices: OnceCell<Array<u32>>,
    signed: OnceCell<Array<i32>>,
    wide: OnceCell<Array<u64>>,
}

impl Keys {
    pub fn new(device: &Device, n: usize) -> Keys {
        let (keys, indices, signed, wide) = (OnceCell::new(), OnceCell::new(), OnceCell::new(), OnceCell::new());
        Keys { device: device.clone(), n, keys, indices, signed, wide }
    }

    fn keys(&self) -> &Array<u32> {
        self.keys.get_or_init(|| Array::from_slice(&self.device, &host(self.n)))
    }

    /// Values, as other arrays hold them: in memory.
    fn indices(&self) -> &Array<u32> {
        self.indices.get_or_init(|| Array::from_slice(&self.device, &(0..self.n as u32).collect::<Vec<_>>()))
    }

    fn signed(&self) -> &Array<i32> {
        self.signed.get_or_init(|| Array::from_slice(&self.device, &signed(self.n)))
    }

    fn wide(&self) -> &Array<u64> {
        self.wide.get_or_init(|| Array::from_slice(&self.device, &wide(self.n)))
    }
}

fn host(n: usize) -> Vec<u32> {
    map(n, |i| word(SEED, i) as u32)
}

fn wide(n: usize) -> Vec<u64> {
    map(n, |i| word(SEED, i))
}

fn signed(n: usize) -> Vec<i32> {
    host(n).into_iter().map(|key| key as i32).collect()
}

/// The sizes that fit a device, and do not take minutes.
pub fn inputs(device: &Device, quick: bool) -> Vec<Keys> {
    let most = match (device.properties().kind == DeviceKind::Discrete, quick) {
        (true, false) => 28,
        (true, true) => 24,
        (false, _) => 20,
    };
    let fits = |bits: &u32| *bits <= most && device.caps().buffer_bytes >= 4u64 << *bits;
    [20, 24, 26, 28].into_iter().filter(fits).map(|bits| Keys::new(device, 1 << bits)).collect()
}

/// The lines of the table.
pub fn rows(inputs: &[Keys]) -> Vec<Row<'_>> {
    let each = |keys| {
        [alone(keys), short(keys), pairs(keys), indices(keys), largest(keys), middle(keys), chained(keys)]
            .into_iter()
            .chain(long(keys))
    };
    inputs.iter().flat_map(each).collect()
}

fn row<'a>(
    op: &'static str,
    keys: &Keys,
    check: impl Fn() -> Outcome + 'a,
    work: impl Fn() -> Result<()> + 'a,
) -> Row<'a> {
    let group = Group::Keys { keys: keys.n as u64 };
    Row { op, n: keys.n, group, before: None, check: Box::new(check), work: Box::new(work) }
}

fn alone(keys: &Keys) -> Row<'_> {
    let check = || {
        let mut wanted = host(keys.n);
        wanted.par_sort_unstable();
        right("sort_keys_u32", keys.keys().sort().to_vec()? == wanted)
    };
    row("sort_keys_u32", keys, check, || keys.keys().sort().eval())
}

/// Rows of 1024, each by itself.
fn short(keys: &Keys) -> Row<'_> {
    let sorted = || keys.keys().reshape(&[keys.n / 1024, 1024]).sort();
    let check = move || {
        let host = host(keys.n);
        let row = |row: usize| {
            let mut row = host[row * 1024..][..1024].to_vec();
            row.sort_unstable();
            row
        };
        right("sort_rows_u32_1024", sorted().to_vec()? == map(keys.n / 1024, row).concat())
    };
    row("sort_rows_u32_1024", keys, check, move || sorted().eval())
}

/// Keys of two words, where the device has them and room.
fn long(keys: &Keys) -> Option<Row<'_>> {
    let check = || {
        let mut wanted = wide(keys.n);
        wanted.par_sort_unstable();
        right("sort_keys_u64", keys.wide().sort().to_vec()? == wanted)
    };
    let fits = keys.device.caps().i64 && keys.n <= 1 << 26 && keys.device.caps().buffer_bytes >= 8 * keys.n as u64;
    fits.then(|| row("sort_keys_u64", keys, check, || keys.wide().sort().eval()))
}

fn pairs(keys: &Keys) -> Row<'_> {
    let check = || {
        let (sorted, values) = keys.keys().sort_pairs(keys.indices());
        let (sorted, values, host) = (sorted.to_vec()?, values.to_vec()?, host(keys.n));
        let beside = all(sorted.len(), |i| host[values[i] as usize] == sorted[i]);
        right("sort_pairs_u32", beside && ascending(&host, &values))
    };
    row("sort_pairs_u32", keys, check, || keys.keys().sort_pairs(keys.indices()).0.eval())
}

fn indices(keys: &Keys) -> Row<'_> {
    let check = || right("argsort_i32", ascending(&signed(keys.n), &keys.signed().argsort().to_vec()?));
    row("argsort_i32", keys, check, || keys.signed().argsort().eval())
}

/// A quarter of them selected, sorted and added up, while the host does not know how many there are.
fn chained(keys: &Keys) -> Row<'_> {
    let sum = || keys.keys().compress(&keys.keys().less(1 << 30)).sort().sum();
    let check = move || {
        let wanted = host(keys.n).into_iter().filter(|&key| key < 1 << 30).fold(0, u32::wrapping_add);
        right("select_sort_sum_u32", sum().item()? == wanted)
    };
    row("select_sort_sum_u32", keys, check, move || sum().eval())
}

/// As PyTorch counts it: the bytes of the keys, each read once. Both the values and their indices are computed.
fn largest(keys: &Keys) -> Row<'_> {
    let check = || {
        let (values, indices) = keys.signed().top_k(100);
        let host = signed(keys.n);
        let mut wanted: Vec<(i32, u32)> = host.into_iter().zip(0..).collect();
        let first = |&(key, index): &(i32, u32)| (std::cmp::Reverse(key), index);
        wanted.select_nth_unstable_by_key(100, first);
        wanted.truncate(100);
        wanted.sort_by_key(first);
        let got: Vec<(i32, u32)> = values.to_vec()?.into_iter().zip(indices.to_vec()?).collect();
        right("topk_100_i32", got == wanted)
    };
    let group = Group::Memory { bytes: 4 * keys.n as u64 };
    Row { group, ..row("topk_100_i32", keys, check, || keys.signed().top_k(100).0.eval()) }
}

/// The element in the middle of the order, by the bytes of the keys too.
fn middle(keys: &Keys) -> Row<'_> {
    let check = || {
        let mut host = signed(keys.n);
        let wanted = *host.select_nth_unstable(keys.n / 2).1;
        right("nth_i32", keys.signed().nth(keys.n / 2).item()? == wanted)
    };
    let group = Group::Memory { bytes: 4 * keys.n as u64 };
    Row { group, ..row("nth_i32", keys, check, || keys.signed().nth(keys.n / 2).eval()) }
}

/// Whether the indices sort the keys, stably: then none is there twice.
fn ascending<K: Ord + Sync>(keys: &[K], indices: &[u32]) -> bool {
    let pair = |i: usize| keys.get(indices[i] as usize).map(|key| (key, indices[i]));
    indices.len() == keys.len()
        && all(keys.len().saturating_sub(1), |i| pair(i).zip(pair(i + 1)).is_some_and(|(a, b)| a < b))
}

fn right(op: &str, is: bool) -> Outcome {
    if is { Ok(()) } else { Err(format!("{op}: wrong result").into()) }
}
