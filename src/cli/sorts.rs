//! Sorts of random 32-bit keys: alone, with values, and as indices. The names are those of `shared/peers`.

use super::Outcome;
use super::compare::word;
use super::measure::{Group, Row};
use crosslane::{Array, Device, Kind, Result};
use rayon::prelude::*;
use std::cell::OnceCell;

const SEED: u64 = 6;

/// Random keys, uploaded when they are first needed, and the indices of their places.
pub struct Keys {
    device: Device,
    n: usize,
    keys: OnceCell<Array<u32>>,
    indices: OnceCell<Array<u32>>,
}

impl Keys {
    fn keys(&self) -> &Array<u32> {
        self.keys.get_or_init(|| Array::from_slice(&self.device, &host(self.n)))
    }

    /// Values, as other arrays hold them: in memory.
    fn indices(&self) -> &Array<u32> {
        self.indices.get_or_init(|| Array::from_slice(&self.device, &(0..self.n as u32).collect::<Vec<_>>()))
    }

    fn signed(&self) -> Result<Array<i32>> {
        let keys: Vec<i32> = host(self.n).into_iter().map(|key| key as i32).collect();
        let keys = Array::from_slice(&self.device, &keys);
        keys.eval().map(|()| keys)
    }
}

fn host(n: usize) -> Vec<u32> {
    (0..n).into_par_iter().map(|i| word(SEED, i) as u32).collect()
}

/// The sizes that fit a device, and do not take minutes.
pub fn inputs(device: &Device, quick: bool) -> Vec<Keys> {
    let most = match (device.properties().kind == Kind::Discrete, quick) {
        (true, false) => 28,
        (true, true) => 24,
        (false, _) => 20,
    };
    let fits = |bits: &u32| *bits <= most && device.caps().buffer_bytes >= 4u64 << *bits;
    let keys =
        |bits: u32| Keys { device: device.clone(), n: 1usize << bits, keys: OnceCell::new(), indices: OnceCell::new() };
    [20, 24, 26, 28].into_iter().filter(fits).map(keys).collect()
}

/// The lines of the table.
pub fn rows(inputs: &[Keys]) -> Vec<Row<'_>> {
    inputs.iter().flat_map(|keys| [alone(keys), pairs(keys), indices(keys)]).collect()
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

fn pairs(keys: &Keys) -> Row<'_> {
    let check = || {
        let (sorted, values) = keys.keys().sort_pairs(keys.indices());
        let (sorted, values, host) = (sorted.to_vec()?, values.to_vec()?, host(keys.n));
        let beside = sorted.par_iter().zip(&values).all(|(&key, &value)| host[value as usize] == key);
        right("sort_pairs_u32", beside && ascending(&host, &values))
    };
    row("sort_pairs_u32", keys, check, || keys.keys().sort_pairs(keys.indices()).0.eval())
}

fn indices(keys: &Keys) -> Row<'_> {
    let array = OnceCell::new();
    let check = || {
        let host: Vec<i32> = host(keys.n).into_iter().map(|key| key as i32).collect();
        right("argsort_i32", ascending(&host, &keys.signed()?.argsort().to_vec()?))
    };
    row("argsort_i32", keys, check, move || array.get_or_init(|| keys.signed()).clone()?.argsort().eval())
}

/// Whether the indices sort the keys, stably: then none is there twice.
fn ascending<K: Ord + Sync>(keys: &[K], indices: &[u32]) -> bool {
    let pair = |&index: &u32| keys.get(index as usize).map(|key| (key, index));
    indices.len() == keys.len()
        && indices.par_windows(2).all(|two| pair(&two[0]).zip(pair(&two[1])).is_some_and(|(a, b)| a < b))
}

fn right(op: &str, is: bool) -> Outcome {
    if is { Ok(()) } else { Err(format!("{op}: wrong result").into()) }
}
