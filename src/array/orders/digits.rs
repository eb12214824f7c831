//! Digits of keys as arrays of numbers: sorts of long rows by some of their bits are sorts by these.

use crate::array::selections::gather::Along;
use crate::array::{Array, ArrayIndex, OutOfRange, SortOptions};
use crate::element::{Class, DType, Element, Number, Ordered};
use crate::graph::{Node, State, evaluate};
use crosslane_core::error::{CallSite, Result};
use crosslane_ops::order::infinity;
use std::ops::Range;

/// `digits(bits, dtype, descending, range)`: the digit of each key, of which `bits` are the bits, as `crates/ops/src/order.rs` has it.
macro_rules! digits {
    ($name:ident, $number:ident) => {
        fn $name(bits: &Array<$number>, dtype: DType, descending: bool, range: &Range<u32>) -> Array<$number> {
            let width = dtype.size() as u32 * 8;
            let all = $number::MAX >> ($number::BITS - width);
            let sign = (1 as $number) << (width - 1);
            let turned = |number: Array<$number>| if descending { number ^ all } else { number };
            let number = match dtype.class() {
                Class::Signed => turned(bits ^ sign),
                Class::Float => {
                    let magnitude = bits & (all ^ sign);
                    let bits = magnitude.equal(0).select(0, bits);
                    let flips = (&bits & sign).equal(0).select(sign, all);
                    magnitude.greater(infinity(dtype) as $number).select(all, turned(bits ^ flips))
                }
                _ => turned(bits.clone()),
            };
            (number >> range.start as $number) & ($number::MAX >> ($number::BITS - range.len() as u32))
        }
    };
}
digits!(in_words, u32);
digits!(in_pairs, u64);

/// Digits of keys, in words or pairs of them.
enum Digits {
    Words(Array<u32>),
    Pairs(Array<u64>),
}

impl<K: Ordered> Array<K> {
    /// The bits of the keys as another type of the same size. Evaluates them.
    fn in_bits<B: Element>(&self) -> Result<Array<B>> {
        evaluate(std::slice::from_ref(&self.node))?;
        match &*self.node.state() {
            State::Ready(storage) => Ok(Array::of(Node::ready(self.device(), B::DTYPE, storage.clone()))),
            State::Failed(error) => Err(error.clone()),
            State::Lazy(_) => unreachable!("it was evaluated"),
        }
    }

    /// Long rows sorted by some bits of their keys, with values of the same shape: by their digits, once for the keys and once
    /// for the values.
    pub(super) fn sorted_long_by<V: Element>(
        &self,
        operation: &'static str,
        values: Option<&Array<V>>,
        options: &SortOptions,
        (bits, axis): (&Range<u32>, usize),
        at: CallSite,
    ) -> Result<(Array<K>, Option<Array<V>>)> {
        if bits.is_empty() {
            return Ok((self.clone(), values.cloned()));
        }
        match self.digits(bits, options.is_descending())? {
            Digits::Words(digits) => digits.puts_in_order(operation, self, values, axis, at),
            Digits::Pairs(digits) => digits.puts_in_order(operation, self, values, axis, at),
        }
    }

    /// The same with the place in its row that each element comes from.
    pub(super) fn sorted_long_by_with_places<I: ArrayIndex + Number>(
        &self,
        operation: &'static str,
        options: &SortOptions,
        (bits, axis): (&Range<u32>, usize),
        at: CallSite,
    ) -> Result<(Array<K>, Array<I>)> {
        // By no bits each keeps its place: so do equal digits.
        let digits = match bits.is_empty() {
            true => Digits::Words(Array::zeros(self.device(), self.shape())),
            false => self.digits(bits, options.is_descending())?,
        };
        let all = SortOptions::default();
        let places = match digits {
            Digits::Words(digits) => digits.sorted_long_with_places::<I>(operation, &all, axis, at)?.1,
            Digits::Pairs(digits) => digits.sorted_long_with_places::<I>(operation, &all, axis, at)?.1,
        };
        let keys = self.gather(operation, &places, Along::Each(axis as isize), OutOfRange::Drop, at);
        Ok((keys, places))
    }

    /// The digits at these bits.
    fn digits(&self, bits: &Range<u32>, descending: bool) -> Result<Digits> {
        let words: Array<u32> = match K::DTYPE.size() {
            1 => self.in_bits::<u8>()?.cast(),
            2 => self.in_bits::<u16>()?.cast(),
            4 => self.in_bits()?,
            _ => return Ok(Digits::Pairs(in_pairs(&self.in_bits()?, K::DTYPE, descending, bits))),
        };
        Ok(Digits::Words(in_words(&words, K::DTYPE, descending, bits)))
    }

    /// Keys, and values, in the order of these digits.
    fn puts_in_order<T: Ordered, V: Element>(
        &self,
        operation: &'static str,
        keys: &Array<T>,
        values: Option<&Array<V>>,
        axis: usize,
        at: CallSite,
    ) -> Result<(Array<T>, Option<Array<V>>)> {
        let all = SortOptions::default();
        let (_, keys) = self.sorted_long(operation, Some(keys), &all, axis, at)?;
        let values = values.map(|values| self.sorted_long(operation, Some(values), &all, axis, at)).transpose()?;
        Ok((keys.expect("they are moved"), values.and_then(|(_, values)| values)))
    }
}
