//! Permutations, shuffles and choices.

use super::Generator;
use crate::array::{AnyInput, Array, OutOfRange, apply};
use crate::element::Element;
use crosslane_core::error::{Error, Result};
use crosslane_core::op::Formula;
use crosslane_ops::random::PERMUTED;
use std::panic::Location;

/// Up to here a permutation sorts random keys, beyond it computes where each number goes.
const SORTED: usize = 4096;

impl Generator {
    /// The numbers below `count` in a random order.
    ///
    /// Up to 4096 every order is as likely: random keys of 64 bits are sorted. Beyond, each number's place is computed by
    /// itself, by a cipher over the numbers with a random key of 64 bits: a kernel that only writes, and that computes no more
    /// of a view than the view has.
    ///
    /// Source: Black and Rogaway, "Ciphers with arbitrary finite domains", 2002; Mitchell, Stokes, Frank and Holmes,
    /// "Bandwidth-optimal random shuffling for GPUs", TOPC 2022.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let order = random.permutation(10);
    /// assert_eq!(order.sort().to_vec()?, (0..10).collect::<Vec<u32>>());
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): more than 2^32 - 1 numbers.
    #[doc(alias = "randperm")]
    #[track_caller]
    pub fn permutation(&mut self, count: usize) -> Array<u32> {
        let at = Location::caller();
        if count <= SORTED {
            let (first, second) = (self.words(&[count]), self.words(&[count]));
            let by_first = first.argsort();
            let then = second.take(&by_first, OutOfRange::Clamp).argsort();
            return if count == 0 { by_first } else { by_first.take(&then, OutOfRange::Clamp) };
        }
        let Ok(length) = u32::try_from(count) else {
            let error = Error::argument("permutation", "count", "fewer than 2^32 numbers", count.to_string(), at);
            return Array::failed(&self.device, error);
        };
        let side = (count as f64).sqrt().ceil() as u32;
        let [key0, key1] = self.order_key();
        let scalars = [key0, key1, side, length].map(|word| AnyInput::of_scalar(word.scalar()));
        let index = AnyInput::of_array(&Array::counting(&self.device, count));
        let inputs: Vec<AnyInput> = [index].into_iter().chain(scalars).collect();
        match apply("permutation", &Formula::shared(&PERMUTED), &inputs, at) {
            Ok(node) => Array::of(node),
            Err(error) => Array::failed(&self.device, error),
        }
    }

    /// An array's rows, along its first axis, in a random order.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let cards = Array::arange(device, 0, 52, 1);
    /// let shuffled = random.shuffle(&cards);
    /// assert_eq!(shuffled.sort().to_vec()?, cards.to_vec()?);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an array without axes, or on another device; the error that the array holds.
    #[track_caller]
    pub fn shuffle<T: Element>(&mut self, array: &Array<T>) -> Array<T> {
        let Some(&rows) = array.shape().first() else {
            let error = Error::argument("shuffle", "array", "an axis at least", "a scalar", Location::caller());
            return Array::failed(&self.device, error);
        };
        if rows == 0 {
            return array.clone();
        }
        array.take_axis(&self.permutation(rows), 0, OutOfRange::Clamp)
    }

    /// Elements of an array of one dimension, each as likely, any of them several times.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let x = random.choice(&Array::from_slice(device, &[2, 3, 5, 7]), &[100]);
    /// assert!(x.equal(4).count_nonzero().item()? == 0);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an array of another rank, empty, or on another device; the error that the array holds.
    #[track_caller]
    pub fn choice<T: Element>(&mut self, array: &Array<T>, shape: &[usize]) -> Array<T> {
        let at = Location::caller();
        match array.shape() {
            &[count] if (1..=u32::MAX as usize).contains(&count) => {
                array.take(&self.integers(0..count as u32, shape), OutOfRange::Clamp)
            }
            other => {
                let got = format!("{other:?}");
                let error = array.error().unwrap_or(Error::argument("choice", "array", "one axis, not empty", got, at));
                Array::failed(&self.device, error)
            }
        }
    }

    /// So many elements of an array of one dimension, each at most once; every set and order is as likely, as
    /// [`Generator::permutation`] says.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let x = random.choice_without_replacement(&Array::arange(device, 0, 49, 1), 6)?;
    /// assert_eq!(x.len(), 6);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Generator::choice`]; more elements than there are.
    #[doc(alias = "sample")]
    #[track_caller]
    pub fn choice_without_replacement<T: Element>(&mut self, array: &Array<T>, count: usize) -> Result<Array<T>> {
        let operation = "choice_without_replacement";
        let of = enough(operation, array, count, Location::caller())?;
        let first = self.permutation(of).slice(&[(0..count).into()]);
        Ok(if count == 0 { array.slice(&[(0..0).into()]) } else { array.take(&first, OutOfRange::Clamp) })
    }

    /// So many elements, each at most once, drawn one after another by their weights among those that are left.
    ///
    /// Source: Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006: the smallest of exponential numbers
    /// over weights.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let x = Array::arange(device, 0, 4, 1);
    /// let two = random.choice_by_weights(&x, &[1.0, 0.0, 2.0, 0.0], 2)?;
    /// assert_eq!(two.sort().to_vec()?, [0, 2]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Generator::choice_without_replacement`]; another number of weights than elements; weights that are
    /// negative or not finite; fewer above 0 than elements wanted.
    #[track_caller]
    pub fn choice_by_weights<T: Element>(
        &mut self,
        array: &Array<T>,
        weights: &[f64],
        count: usize,
    ) -> Result<Array<T>> {
        let (operation, at) = ("choice_by_weights", Location::caller());
        let of = enough(operation, array, count, at)?;
        let mistake = |wanted: String, got: String| Err(Error::argument(operation, "weights", wanted, got, at));
        if weights.len() != of {
            return mistake(format!("{of}, one for each element"), weights.len().to_string());
        }
        if let Some(wrong) = weights.iter().find(|weight| !weight.is_finite() || **weight < 0.0) {
            return mistake("finite numbers, 0 or above".into(), wrong.to_string());
        }
        let positive = weights.iter().filter(|weight| **weight > 0.0).count();
        if positive < count {
            return mistake(format!("{count} above 0"), positive.to_string());
        }
        // The largest weight is 1, so that no quotient is too large. What has no weight comes last.
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let over: Vec<f32> = weights.iter().map(|weight| (largest / weight).min(1e30) as f32).collect();
        let waits = self.exponential(&[of]) * Array::from_slice(&self.device, &over);
        let first = waits.argsort().slice(&[(0..count).into()]);
        Ok(if count == 0 { array.slice(&[(0..0).into()]) } else { array.take(&first, OutOfRange::Clamp) })
    }
}

/// The elements of an array of one dimension, if there are enough.
fn enough<T: Element>(
    operation: &'static str,
    array: &Array<T>,
    count: usize,
    at: crosslane_core::error::CallSite,
) -> Result<usize> {
    if let Some(error) = array.error() {
        return Err(error);
    }
    match *array.shape() {
        [of] if of >= count => Ok(of),
        ref other => {
            let wanted = format!("one axis with {count} elements at least");
            Err(Error::argument(operation, "array", wanted, format!("{other:?}"), at))
        }
    }
}
