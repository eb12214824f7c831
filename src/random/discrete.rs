//! Draws of words, integers and counts.

use super::Generator;
use super::draw::{Draw, Given, bits, in_type, integer};
use crate::array::{Array, Input, Side};
use crate::element::{DType, Element, Integer};
use crosslane_core::error::{Error, Result};
use crosslane_core::op::Value;
use crosslane_ops::random::{BELOW, BELOW_WIDE, BERNOULLI, BINOMIAL, GEOMETRIC, POISSON, WORD, WORD_WIDE};
use std::ops::{Bound, RangeBounds};
use std::panic::Location;

const CHANCE: (&str, fn(f64) -> bool) = ("a chance from 0 to 1", |x| (0.0..=1.0).contains(&x));
const RATE: (&str, fn(f64) -> bool) = ("a rate from 0 to 16,000,000", |x| (0.0..=16e6).contains(&x));
/// Counts up to which f32 has all whole numbers.
const TRIALS: (&str, fn(f64) -> bool) = ("at most 2^24 trials", |x| (0.0..=16_777_216.0).contains(&x));

impl Generator {
    /// Words of 32 random bits.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let words = crosslane::random::Generator::new(device, 0).words(&[4]).to_vec()?;
    /// assert_eq!(words, [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]); // Philox4x32-10 of zeros
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): more than 2^32 elements.
    #[doc(alias = "bytes")]
    #[track_caller]
    pub fn words(&mut self, shape: &[usize]) -> Array<u32> {
        let draw = Draw { operation: "words", function: &WORD, words: 1, at: Location::caller() };
        self.draw(draw, shape, Ok(vec![]))
    }

    /// Integers of a range, each as likely: no value is favoured, whatever the range's length.
    ///
    /// Source: Lemire, 2019; for 64 bits, attempts with as many bits as the range needs.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let dice = random.integers(1..=6, &[1000]);
    /// assert_eq!((dice.min().item()?, dice.max().item()?), (1, 6));
    /// let any = random.integers::<u32>(.., &[1000]);
    /// # any.eval()?;
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an empty range; a type that the device lacks; more than 2^32 elements.
    #[doc(alias = "randint")]
    #[track_caller]
    pub fn integers<T: Integer>(&mut self, range: impl RangeBounds<T>, shape: &[usize]) -> Array<T> {
        let (operation, at) = ("integers", Location::caller());
        let [least, most] = ends::<T>();
        let first = match range.start_bound() {
            Bound::Included(&x) => integer(x),
            Bound::Excluded(&x) => integer(x) + 1,
            Bound::Unbounded => least,
        };
        let last = match range.end_bound() {
            Bound::Included(&x) => integer(x),
            Bound::Excluded(&x) => integer(x) - 1,
            Bound::Unbounded => most,
        };
        if first > last {
            let error =
                Error::argument(operation, "range", "a range with a number in it", format!("{first}..={last}"), at);
            return Array::failed(&self.device, error);
        }
        let (all, wide) = (last - first == most - least, T::DTYPE.size() == 8);
        let count = Value::Int(last - first + 1);
        let draw = |function, words| Draw { operation, function, words, at };
        let drawn: Array<T> = match (wide, all) {
            (false, true) => self.draw::<u32>(draw(&WORD, 1), shape, Ok(vec![])).cast(),
            (true, true) => self.draw::<u64>(draw(&WORD_WIDE, 2), shape, Ok(vec![])).cast(),
            (false, false) => {
                let given = Given::scalar("range", count.scalar(DType::U32));
                self.draw::<u32>(draw(&BELOW, 1), shape, Ok(vec![given])).cast()
            }
            (true, false) => {
                let given = Given::scalar("range", count.scalar(DType::U64));
                self.draw::<u64>(draw(&BELOW_WIDE, 2), shape, Ok(vec![given])).cast()
            }
        };
        if first == 0 { drawn } else { drawn + in_type::<T>(Value::Int(first)) }
    }

    /// Whether a thing of this chance, an array or a scalar, happens; chances in steps of 2^-24.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let heads = random.bernoulli(0.5, &[10_000]).count_nonzero().item()?;
    /// assert!((4800..5200).contains(&heads));
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): a scalar that is no chance; an array of a shape that does not broadcast to the result's;
    /// more than 2^32 elements.
    #[track_caller]
    pub fn bernoulli(&mut self, chance: impl Input, shape: &[usize]) -> Array<bool> {
        let draw = Draw { operation: "bernoulli", function: &BERNOULLI, words: 1, at: Location::caller() };
        let given = Given::of(&draw, "chance", &chance, CHANCE).map(|given| vec![given]);
        self.draw(draw, shape, given)
    }

    /// Poisson numbers: how often a thing of this rate, an array or a scalar, happens. An array's elements that are not above
    /// 0 give 0; rates past 16,000,000 are taken for that. Chances below 6e-8 never come up for rates below 10.
    ///
    /// Source: Hoermann, 1993, with chances as in Loader, 2000.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let x = random.poisson(40.0, &[10_000]).cast::<f32>();
    /// assert!((x.mean().item()? - 40.0).abs() < 0.5);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): a scalar rate that is negative or past 16,000,000; an array of a shape that does not
    /// broadcast to the result's; more than 2^32 elements.
    #[track_caller]
    pub fn poisson(&mut self, rate: impl Input, shape: &[usize]) -> Array<u32> {
        let draw = Draw { operation: "poisson", function: &POISSON, words: 4, at: Location::caller() };
        let given = Given::of(&draw, "rate", &rate, RATE).map(|given| vec![given]);
        self.draw(draw, shape, given)
    }

    /// Binomial numbers: how many of some trials, each of this chance, succeed; trials and chance are arrays or scalars. Of an
    /// array, trials past 2^24 are taken for that, and chances are held to 0 and 1.
    ///
    /// Source: Hoermann, 1993, with chances as in Loader, 2000.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let x = random.binomial(100u32, 0.3, &[10_000]).cast::<f32>();
    /// assert!((x.mean().item()? - 30.0).abs() < 0.5);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): scalar trials that are negative or past 2^24; a scalar that is no chance; an array of a
    /// shape that does not broadcast to the result's; more than 2^32 elements.
    #[track_caller]
    pub fn binomial(&mut self, trials: impl Input, chance: impl Input, shape: &[usize]) -> Array<u32> {
        let draw = Draw { operation: "binomial", function: &BINOMIAL, words: 4, at: Location::caller() };
        let given = Given::of(&draw, "trials", &trials, TRIALS)
            .and_then(|trials| Ok(vec![trials, Given::of(&draw, "chance", &chance, CHANCE)?]));
        self.draw(draw, shape, given)
    }

    /// Geometric numbers: the trials up to and with the first success of this chance, an array or a scalar; at most
    /// 4,294,967,040, which a chance of 0 gives.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let x = random.geometric(0.25, &[10_000]).cast::<f32>();
    /// assert!((x.mean().item()? - 4.0).abs() < 0.2);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): a scalar that is no chance, or 0; an array of a shape that does not broadcast to the
    /// result's; more than 2^32 elements.
    #[track_caller]
    pub fn geometric(&mut self, chance: impl Input, shape: &[usize]) -> Array<u32> {
        let draw = Draw { operation: "geometric", function: &GEOMETRIC, words: 1, at: Location::caller() };
        let valid = ("a chance above 0, at most 1", |x: f64| x > 0.0 && x <= 1.0);
        let given = Given::of(&draw, "chance", &chance, valid).map(|given| vec![given]);
        self.draw(draw, shape, given)
    }

    /// The number of a category, from 0 on, each as likely as its weight is of the sum: in steps of 2^-32.
    ///
    /// Cost: a search among the categories for each element.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let x = random.categorical(&[1.0, 0.0, 3.0], &[1000]);
    /// let counts = x.bincount(3).to_vec()?;
    /// assert!(counts[1] == 0 && counts[2] > 2 * counts[0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): weights that are negative or not finite, or all 0; more than 2^32 elements.
    #[track_caller]
    pub fn categorical(&mut self, weights: &[f64], shape: &[usize]) -> Array<u32> {
        let thresholds = match thresholds("categorical", weights) {
            Ok(thresholds) => thresholds,
            Err(error) => return Array::failed(&self.device, error),
        };
        let words = self.words(shape);
        match thresholds.is_empty() {
            true => words.zeros_like(),
            false => Array::from_slice(&self.device, &thresholds).searchsorted(&words, Side::Right),
        }
    }

    /// How many of some trials fall into each category, along a new last axis; weights as for
    /// [`Generator::categorical`].
    ///
    /// A binomial number for each category of those that the categories before it have left: a kernel each, run at once.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let x = random.multinomial(100, &[1.0, 2.0, 1.0], &[5])?;
    /// assert_eq!(x.shape(), [5, 3]);
    /// assert_eq!(x.sum_axes(1).to_vec()?, [100; 5]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Generator::categorical`] and [`Generator::binomial`].
    #[track_caller]
    pub fn multinomial(&mut self, trials: u32, weights: &[f64], shape: &[usize]) -> Result<Array<u32>> {
        let mut rest: f64 = checked("multinomial", weights)?;
        let mut left = Array::full(&self.device, shape, trials);
        let mut counts = Vec::with_capacity(weights.len());
        for (nth, weight) in weights.iter().enumerate() {
            let chance = if nth + 1 == weights.len() || *weight >= rest { 1.0 } else { weight / rest };
            let count = if *weight == 0.0 { left.zeros_like() } else { self.binomial(&left, chance, shape) };
            left = &left - &count;
            crate::array::eval_all(&[&count, &left])?;
            counts.push(count);
            rest -= weight;
        }
        Array::stack(&counts.iter().collect::<Vec<_>>(), -1)
    }
}

/// The smallest and the largest number of a type.
fn ends<T: Element>() -> [i128; 2] {
    let bits = bits(T::DTYPE);
    match T::DTYPE {
        DType::I32 | DType::I64 => [-(1 << (bits - 1)), (1 << (bits - 1)) - 1],
        _ => [0, (1 << bits) - 1],
    }
}

/// The sum of weights.
#[track_caller]
fn checked(operation: &'static str, weights: &[f64]) -> Result<f64> {
    let total: f64 = weights.iter().sum();
    match weights.iter().all(|weight| *weight >= 0.0) && total > 0.0 && total.is_finite() {
        true => Ok(total),
        false => {
            let wanted = "finite numbers, 0 or above, one above 0";
            Err(Error::argument(operation, "weights", wanted, format!("{weights:?}"), Location::caller()))
        }
    }
}

/// The words that each category but the first begins with.
#[track_caller]
fn thresholds(operation: &'static str, weights: &[f64]) -> Result<Vec<u32>> {
    let total = checked(operation, weights)?;
    let ends = weights.iter().scan(0.0, |sum, weight| {
        *sum += weight;
        Some((*sum / total * (1u64 << 32) as f64).round() as u64)
    });
    // Where the last categories have no weight, what is left belongs to the last that has.
    let ends: Vec<u64> = ends.collect();
    let full = weights.iter().rposition(|weight| *weight > 0.0).expect("one is above 0");
    Ok(ends[..full].iter().map(|&end| end.min(u32::MAX as u64) as u32).collect())
}
