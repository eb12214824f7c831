//! Fourier transforms by the crates rustfft and realfft.

use super::sort::words;
use crosslane_core::element::DType;
use crosslane_core::kernel::Transforms;
use crosslane_core::recent::Recent;
use crosslane_core::threads;
use crosslane_core::work::Launch;
use crosslane_fft::{ComplexToReal, Fft, Part, RealToComplex, Zero};
use num_complex::Complex;
use std::hash::Hash;
use std::ops::Range;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, LazyLock};

/// Shorter transforms are the kernel's: it has whole vectors of them.
const LEAST: u32 = 8;
/// Complex numbers that a thread transforms at a time.
const BLOCK: usize = 1 << 13;
/// Rows of a block, if they are neighbours in memory: as many as fill two lines of a cache, unless they are long.
const ACROSS: usize = 16;
const LONG_BLOCK: usize = 1 << 20;
/// Complex numbers between the rows of a block, so that they do not lie in one set of the cache.
const GAP: usize = 8;
/// Values of a row that are moved before the next row's: they fill a line of the cache.
const TILE: usize = 8;
/// Values that are not worth a second thread.
const SMALL: usize = 1 << 14;
/// Plans that are kept.
const PLANS: usize = 64;

type Plans<K, T> = LazyLock<Recent<K, Arc<T>>>;

/// Parts of complex numbers whose plans are kept.
trait Kept: Part {
    /// The plans of complex transforms by length and direction, of real ones, and of halves.
    fn complex_plans() -> &'static Plans<(usize, bool), dyn Fft<Self>>;
    fn real_plans() -> &'static Plans<usize, dyn RealToComplex<Self>>;
    fn half_plans() -> &'static Plans<usize, dyn ComplexToReal<Self>>;
    fn from_words(words: [u32; 2]) -> Self;
}

macro_rules! part {
    ($type:ident, $words:ident => $value:expr) => {
        impl Kept for $type {
            fn complex_plans() -> &'static Plans<(usize, bool), dyn Fft<Self>> {
                static KEPT: Plans<(usize, bool), dyn Fft<$type>> = LazyLock::new(|| Recent::new(PLANS));
                &KEPT
            }
            fn real_plans() -> &'static Plans<usize, dyn RealToComplex<Self>> {
                static KEPT: Plans<usize, dyn RealToComplex<$type>> = LazyLock::new(|| Recent::new(PLANS));
                &KEPT
            }
            fn half_plans() -> &'static Plans<usize, dyn ComplexToReal<Self>> {
                static KEPT: Plans<usize, dyn ComplexToReal<$type>> = LazyLock::new(|| Recent::new(PLANS));
                &KEPT
            }
            fn from_words($words: [u32; 2]) -> Self {
                $value
            }
        }
    };
}

part!(f32, words => f32::from_bits(words[0]));
part!(f64, words => f64::from_bits(words[0] as u64 | (words[1] as u64) << 32));

/// A launch as transforms of rows.
pub(crate) struct TransformedRows<'a> {
    contract: &'a Transforms,
    rows: usize,
    inner: usize,
    scale: [u32; 2],
    first: usize,
    input: &'a [AtomicU32],
    output: &'a [AtomicU32],
}

/// Where a row lies: value `e` at `base + e * step`, for the first `count`.
#[derive(Clone, Copy)]
struct Line {
    base: usize,
    step: usize,
    count: usize,
}

/// How rows are transformed.
enum Plan<T: Kept> {
    /// Complex numbers, from memory to memory.
    Direct(Arc<dyn Fft<T>>),
    /// Complex numbers, or what is taken for such, in a block.
    Blocks(Arc<dyn Fft<T>>),
    /// Real numbers, of whose results the first half is wanted.
    Real(Arc<dyn RealToComplex<T>>),
    /// The first half of what equals its mirrored conjugate, of which the real parts are wanted.
    Half(Arc<dyn ComplexToReal<T>>),
}

/// A thread's memory.
struct Room<T> {
    values: Vec<Complex<T>>,
    reals: Vec<T>,
    scratch: Vec<Complex<T>>,
}

impl<'a> TransformedRows<'a> {
    /// None where memory is too small for what the parameters say.
    pub fn of(contract: &'a Transforms, launch: &'a Launch) -> Option<TransformedRows<'a>> {
        let [input, output, ..] = &launch.buffers[..] else { return None };
        let [rows, inner, first] =
            [contract.rows, contract.inner, contract.first].map(|word| word.of(&launch.params) as usize);
        let scale = contract.scale.map(|word| word.of(&launch.params));
        let (input, output) = (words(input), words(output));
        let real = contract.to.real();
        let known = matches!(real, DType::F32 | DType::F64) && contract.from.real() == real;
        let size = |dtype: DType, values: u32| rows as u128 * values as u128 * (dtype.size() / 4) as u128;
        let before = first as u128 * (contract.from.size() / 4) as u128;
        let fits = before + size(contract.from, contract.given) <= input.len() as u128
            && size(contract.to, contract.kept) <= output.len() as u128;
        (known && fits && inner > 0 && rows.is_multiple_of(inner)).then_some(TransformedRows {
            contract,
            rows,
            inner,
            scale,
            first,
            input,
            output,
        })
    }

    /// Whether the library takes less time than the kernel.
    pub fn is_worthwhile(&self) -> bool {
        self.contract.length >= LEAST
    }

    fn plan<T: Kept>(&self) -> Plan<T> {
        let Transforms { length, inverse, from, given, half, to, kept: values, .. } = *self.contract;
        let whole = length as usize;
        let complex = || kept(T::complex_plans(), (whole, inverse), || T::complex(whole, inverse));
        match (half, from.is_complex(), to.is_complex()) {
            (true, _, false) => Plan::Half(kept(T::half_plans(), whole, || T::half(whole))),
            (false, false, true) if values <= length / 2 + 1 => {
                Plan::Real(kept(T::real_plans(), whole, || T::real(whole)))
            }
            (false, true, true) if self.inner == 1 && [given, values] == [length; 2] && self.is_aligned::<T>() => {
                Plan::Direct(complex())
            }
            _ => Plan::Blocks(complex()),
        }
    }

    /// Whether what is read and written begins where complex numbers may: memory consists of words.
    fn is_aligned<T>(&self) -> bool {
        let begins = [self.input.as_ptr().cast::<Complex<T>>(), self.output.as_ptr().cast::<Complex<T>>()];
        begins.iter().all(|begin| begin.is_aligned())
    }

    /// # Safety
    ///
    /// Nobody may use what the launch writes, and nobody may write to what it reads, until it returns.
    pub unsafe fn run(&self) {
        // SAFETY: as the caller says; `of` has seen that parts have one of these types.
        unsafe {
            match self.contract.to.real() {
                DType::F64 => self.run_of::<f64>(),
                _ => self.run_of::<f32>(),
            }
        }
    }

    /// # Safety
    ///
    /// As [`TransformedRows::run`]; parts must have this type.
    unsafe fn run_of<T: Kept>(&self) {
        let length = self.contract.length as usize;
        let plan = self.plan::<T>();
        let least = if self.inner > 1 { (LONG_BLOCK / length).clamp(1, ACROSS) } else { 1 };
        let at_once = (BLOCK / length).clamp(least, 1 << 10).min(self.rows.max(1));
        let shares = if self.rows * length < SMALL { 1 } else { 4 * threads::count() };
        let piece = self.rows.div_ceil(shares).next_multiple_of(at_once).max(1);
        let pieces = (0..self.rows).step_by(piece).map(|first| first..(first + piece).min(self.rows)).collect();
        threads::each(pieces, |piece: Range<usize>| {
            let mut room = Room::new(&plan, at_once, length);
            for first in piece.clone().step_by(at_once) {
                let block = first..(first + at_once).min(piece.end);
                // SAFETY: as the caller says; no two rows have a place in common, and `of` has seen that all lie in memory.
                unsafe {
                    match &plan {
                        Plan::Direct(fft) => self.run_direct(&**fft, block, &mut room),
                        Plan::Blocks(fft) => self.run_block(&**fft, block, &mut room),
                        Plan::Real(fft) => block.for_each(|row| self.run_real(&**fft, row, &mut room)),
                        Plan::Half(fft) => block.for_each(|row| self.run_half(&**fft, row, &mut room)),
                    }
                }
            }
        });
    }

    fn line(&self, row: usize, first: usize, count: usize) -> Line {
        let base = first + row / self.inner * count * self.inner + row % self.inner;
        Line { base, step: self.inner, count }
    }

    /// The values of a row that count.
    fn read_line(&self, row: usize) -> Line {
        let (line, length) = (self.line(row, self.first, self.contract.given as usize), self.contract.length as usize);
        Line { count: line.count.min(if self.contract.half { length / 2 + 1 } else { length }), ..line }
    }

    fn write_line(&self, row: usize) -> Line {
        self.line(row, 0, self.contract.kept as usize)
    }

    /// # Safety
    ///
    /// As [`TransformedRows::run_of`].
    unsafe fn run_direct<T: Kept>(&self, fft: &dyn Fft<T>, block: Range<usize>, room: &mut Room<T>) {
        let length = self.contract.length as usize;
        let (first, count) = (block.start * length, block.len() * length);
        // SAFETY: as the caller says: nobody writes to what is read, and nobody else uses what is written. Both are
        // aligned, as `plan` has seen.
        let (from, to) = unsafe {
            let from = self.input.as_ptr().cast::<Complex<T>>().add(self.first + first);
            let to = self.output.as_ptr().cast::<Complex<T>>().cast_mut().add(first);
            (std::slice::from_raw_parts(from, count), std::slice::from_raw_parts_mut(to, count))
        };
        fft.process_immutable_with_scratch(from, to, &mut room.scratch);
        let scale = T::from_words(self.scale);
        if scale != T::one() {
            to.iter_mut().for_each(|value| *value = *value * scale);
        }
    }

    /// # Safety
    ///
    /// As [`TransformedRows::run_of`].
    unsafe fn run_block<T: Kept>(&self, fft: &dyn Fft<T>, block: Range<usize>, room: &mut Room<T>) {
        let length = self.contract.length as usize;
        let Room { values, scratch, .. } = room;
        let values = &mut values[..block.len() * pitch(length)];
        // SAFETY: as the caller says.
        unsafe { self.load(values, block.clone()) };
        for row in values.chunks_mut(pitch(length)) {
            let row = &mut row[..length];
            if self.contract.half {
                (length / 2 + 1..length).for_each(|e| row[e] = row[length - e].conj());
            }
            fft.process_with_scratch(row, scratch);
        }
        let lines = block.map(|row| self.write_line(row));
        let (output, scale) = (self.output.as_ptr().cast::<T>().cast_mut(), T::from_words(self.scale));
        // SAFETY: as the caller says.
        let real = |at, value: Complex<T>| unsafe { output.add(at).write_unaligned(value.re * scale) };
        // SAFETY: as the caller says.
        let complex = |at, value| unsafe { output.cast::<Complex<T>>().add(at).write_unaligned(value * scale) };
        match self.contract.to.is_complex() {
            true => scatter(values, lines, length, complex),
            false => scatter(values, lines, length, real),
        }
    }

    /// Rows as they lie in memory, and zeros.
    ///
    /// # Safety
    ///
    /// As [`TransformedRows::run_of`].
    unsafe fn load<T: Kept>(&self, values: &mut [Complex<T>], block: Range<usize>) {
        let (length, lines) = (self.contract.length as usize, block.map(|row| self.read_line(row)));
        let input: *const T = self.input.as_ptr().cast();
        // SAFETY: as the caller says.
        let real = |at| unsafe { Complex::new(input.add(at).read_unaligned(), T::zero()) };
        // SAFETY: as the caller says.
        let complex = |at| unsafe { input.cast::<Complex<T>>().add(at).read_unaligned() };
        match self.contract.from.is_complex() {
            true => gather(values, lines, length, complex),
            false => gather(values, lines, length, real),
        }
    }

    /// # Safety
    ///
    /// As [`TransformedRows::run_of`].
    unsafe fn run_real<T: Kept>(&self, fft: &dyn RealToComplex<T>, row: usize, room: &mut Room<T>) {
        let length = self.contract.length as usize;
        let Room { values, reals, scratch } = room;
        let (line, values) = (self.read_line(row), &mut values[..length / 2 + 1]);
        let input: *const T = self.input.as_ptr().cast();
        for (e, real) in reals.iter_mut().enumerate() {
            // SAFETY: as the caller says.
            *real = if e < line.count {
                unsafe { input.add(line.base + e * line.step).read_unaligned() }
            } else {
                T::zero()
            };
        }
        fft.process_with_scratch(reals, values, scratch).expect("all have the lengths of the plan");
        let (line, scale) = (self.write_line(row), T::from_words(self.scale));
        let factor = |value: &Complex<T>| if self.contract.inverse { value.conj() * scale } else { value * scale };
        let output: *mut Complex<T> = self.output.as_ptr().cast::<Complex<T>>().cast_mut();
        for (e, value) in values[..line.count].iter().enumerate() {
            // SAFETY: as the caller says.
            unsafe { output.add(line.base + e * line.step).write_unaligned(factor(value)) };
        }
    }

    /// # Safety
    ///
    /// As [`TransformedRows::run_of`].
    unsafe fn run_half<T: Kept>(&self, fft: &dyn ComplexToReal<T>, row: usize, room: &mut Room<T>) {
        let length = self.contract.length as usize;
        let Room { values, reals, scratch } = room;
        // SAFETY: as the caller says.
        unsafe { self.load(&mut values[..pitch(length)], row..row + 1) };
        let values = &mut values[..length / 2 + 1];
        if !self.contract.inverse {
            values.iter_mut().for_each(|value| *value = value.conj());
        }
        // The library wants what does not count to be 0.
        values[0].im = T::zero();
        if length.is_multiple_of(2) {
            values[length / 2].im = T::zero();
        }
        fft.process_with_scratch(values, reals, scratch)
            .expect("all have the lengths of the plan, and the ends are real");
        let (line, output) = (self.write_line(row), self.output.as_ptr().cast::<T>().cast_mut());
        let scale = T::from_words(self.scale);
        for (e, real) in reals[..line.count].iter().enumerate() {
            // SAFETY: as the caller says.
            unsafe { output.add(line.base + e * line.step).write_unaligned(*real * scale) };
        }
    }
}

impl<T: Kept> Room<T> {
    fn new(plan: &Plan<T>, rows: usize, length: usize) -> Room<T> {
        let (rows, reals, scratch) = match plan {
            Plan::Direct(fft) => (0, 0, fft.get_immutable_scratch_len()),
            Plan::Blocks(fft) => (rows, 0, fft.get_inplace_scratch_len()),
            Plan::Real(fft) => (1, length, fft.get_scratch_len()),
            Plan::Half(fft) => (1, length, fft.get_scratch_len()),
        };
        let zero = Complex::zero();
        Room { values: vec![zero; rows * pitch(length)], reals: vec![T::zero(); reals], scratch: vec![zero; scratch] }
    }
}

fn kept<K: Hash + Eq + Clone, T: ?Sized>(plans: &Recent<K, Arc<T>>, key: K, make: impl FnOnce() -> Arc<T>) -> Arc<T> {
    plans.get(&key).unwrap_or_else(|| plans.keep(key, make()))
}

/// Complex numbers from one row of a block to the next.
fn pitch(length: usize) -> usize {
    length + GAP
}

/// Values that are moved in tiles: rows are neighbours in memory, and equally long.
fn in_tiles(lines: &mut (impl Iterator<Item = Line> + Clone)) -> usize {
    lines.clone().next().filter(|line| line.step > 1).map_or(0, |line| line.count / TILE * TILE)
}

/// Rows from memory to a block, zeros where there is nothing.
fn gather<T: Kept>(
    values: &mut [Complex<T>],
    mut lines: impl Iterator<Item = Line> + Clone,
    length: usize,
    read: impl Fn(usize) -> Complex<T>,
) {
    let tiles = in_tiles(&mut lines);
    for first in (0..tiles).step_by(TILE) {
        for (line, row) in lines.clone().zip(values.chunks_mut(pitch(length))) {
            let at = line.base + first * line.step;
            row[first..][..TILE].iter_mut().enumerate().for_each(|(e, to)| *to = read(at + e * line.step));
        }
    }
    for (line, row) in lines.zip(values.chunks_mut(pitch(length))) {
        let (there, beyond) = row[..length].split_at_mut(line.count);
        there[tiles..].iter_mut().zip(tiles..).for_each(|(to, e)| *to = read(line.base + e * line.step));
        beyond.fill(Complex::zero());
    }
}

/// Rows from a block to memory.
fn scatter<T: Kept>(
    values: &[Complex<T>],
    mut lines: impl Iterator<Item = Line> + Clone,
    length: usize,
    write: impl Fn(usize, Complex<T>),
) {
    let tiles = in_tiles(&mut lines);
    for first in (0..tiles).step_by(TILE) {
        for (line, row) in lines.clone().zip(values.chunks(pitch(length))) {
            let at = line.base + first * line.step;
            row[first..][..TILE].iter().enumerate().for_each(|(e, value)| write(at + e * line.step, *value));
        }
    }
    for (line, row) in lines.zip(values.chunks(pitch(length))) {
        row[tiles..line.count].iter().zip(tiles..).for_each(|(value, e)| write(line.base + e * line.step, *value));
    }
}
