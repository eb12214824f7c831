//! Sequences that fill a cube more evenly than random points do: Sobol's and Halton's.

use crate::array::{AnyInput, Array, Reduction, apply};
use crate::device::Device;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::op::Formula;
use crosslane_ops::random::{MIRRORED, OWEN};
use std::panic::Location;

/// Joe and Kuo's numbers: for each dimension from the second on its polynomial, and the first direction numbers.
const DIRECTIONS: &str = include_str!("directions.txt");
/// Bits of a point's coordinate.
const BITS: usize = 32;
/// The most dimensions that there are numbers or bases for.
const DIMENSIONS: usize = 1024;

/// Sobol's sequence: points of a cube in up to 1024 dimensions, of which every first 2^k fill it evenly. In Gray code order, as
/// SciPy and PyTorch have it.
///
/// Sums over such points converge nearly as 1 / n for smooth functions, where random points do as 1 / sqrt(n). Take a power of
/// two of them. Scrambled, they are random points that are as even, and their means have no bias.
///
/// Source: Joe and Kuo, "Constructing Sobol sequences with better two-dimensional projections", SISC 2008 (new-joe-kuo-6); Owen
/// 1995 as by Burley, "Practical hash-based Owen scrambling", JCGT 2020.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::random::Sobol;
/// let points = Sobol::new(2)?.points(device, 4);
/// assert_eq!(points.to_vec()?, [0.0, 0.0, 0.5, 0.5, 0.75, 0.25, 0.25, 0.75]);
/// let product = Sobol::new(2)?.scrambled(1).points(device, 1 << 14).product_axes(1).mean().item()?;
/// assert!((product - 0.25).abs() < 1e-4);
/// # Ok(()) });
/// ```
#[derive(Clone, Debug)]
pub struct Sobol {
    dimensions: usize,
    first: u32,
    seed: Option<u64>,
}

/// Halton's sequence: points of a cube, coordinate `d` of point `i` the digits of `i` in the `d`th prime, mirrored at the point.
/// Any number of points is even; with many dimensions Sobol's are better.
///
/// Scrambled, each digit is moved by numbers of its own.
///
/// Source: Halton 1960; Matousek, "On the L2-discrepancy for anchored boxes", 1998.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::random::Halton;
/// let points = Halton::new(2)?.starting(1).points(device, 2);
/// crosslane::assert_close(&points.to_vec()?, &[0.5, 1.0 / 3.0, 0.25, 2.0 / 3.0]);
/// # Ok(()) });
/// ```
#[derive(Clone, Debug)]
pub struct Halton {
    dimensions: usize,
    first: u32,
    seed: Option<u64>,
}

#[track_caller]
fn checked(operation: &'static str, dimensions: usize) -> Result<usize> {
    match (1..=DIMENSIONS).contains(&dimensions) {
        true => Ok(dimensions),
        false => {
            let wanted = format!("1 to {DIMENSIONS}");
            Err(Error::argument(operation, "dimensions", wanted, dimensions.to_string(), Location::caller()))
        }
    }
}

/// The numbers of points, in a column.
fn numbers(operation: &'static str, device: &Device, first: u32, count: usize, at: CallSite) -> Result<Array<u32>> {
    match first as u64 + count as u64 <= 1 << 32 {
        true => Ok((Array::counting(device, count) + first).reshape(&[count, 1])),
        false => {
            let got = format!("{count} from {first} on");
            Err(Error::argument(operation, "count", "points with numbers below 2^32", got, at))
        }
    }
}

/// A word for each dimension.
fn seeds(device: &Device, seed: u64, dimensions: usize) -> Array<u32> {
    let words = crosslane_ops::random::words(seed, dimensions);
    Array::from_slice(device, &words)
}

impl Sobol {
    /// The sequence in so many dimensions, from its first point on.
    ///
    /// ```
    /// use crosslane::random::Sobol;
    /// assert!(Sobol::new(1024).is_ok() && Sobol::new(0).is_err());
    /// ```
    ///
    /// Errors: no dimensions, or more than 1024.
    #[track_caller]
    pub fn new(dimensions: usize) -> Result<Sobol> {
        Ok(Sobol { dimensions: checked("sobol", dimensions)?, first: 0, seed: None })
    }

    /// From this point on: threads and devices share a sequence by taking parts of it.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let sobol = crosslane::random::Sobol::new(1)?;
    /// let (all, rest) = (sobol.points(device, 8), sobol.starting(4).points(device, 4));
    /// assert_eq!(all.to_vec()?[4..], rest.to_vec()?);
    /// # Ok(()) });
    /// ```
    pub fn starting(self, first: u32) -> Sobol {
        Sobol { first, ..self }
    }

    /// Scrambled by this seed.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let sobol = crosslane::random::Sobol::new(3)?;
    /// let points = |seed| sobol.clone().scrambled(seed).points(device, 8).to_vec();
    /// assert!(points(1)? == points(1)? && points(1)? != points(2)?);
    /// # Ok(()) });
    /// ```
    pub fn scrambled(self, seed: u64) -> Sobol {
        Sobol { seed: Some(seed), ..self }
    }

    /// Points as rows, coordinates of [0, 1) with 24 bits. Cost: a kernel of 32 steps for each coordinate.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let points = crosslane::random::Sobol::new(5)?.points(device, 16);
    /// assert_eq!(points.shape(), [16, 5]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): points past 2^32.
    #[track_caller]
    pub fn points(&self, device: &Device, count: usize) -> Array<f32> {
        let at = Location::caller();
        self.words(device, count, at).map_or_else(|error| Array::failed(device, error), |words| unit(&words))
    }

    fn words(&self, device: &Device, count: usize, at: CallSite) -> Result<Array<u32>> {
        let i = numbers("sobol", device, self.first, count, at)?.reshape(&[count, 1, 1]);
        let directions: Vec<u32> = directions().take(self.dimensions).flatten().collect();
        let v = Array::from_slice(device, &directions).reshape(&[1, self.dimensions, BITS]);
        let k = Array::counting(device, BITS).reshape(&[1, 1, BITS]);
        let text = "select(0u, v, (((point ^ (point >> 1u)) >> (bit & 31u)) & 1u) == 1u)";
        let points = Reduction::new("point: u32, bit: u32, v: u32", text, "a ^ b", "0", "")?;
        let points = points.call_axes::<u32>((&i, &k, &v), 2)?;
        let Some(seed) = self.seed else { return Ok(points) };
        let seeds = seeds(device, seed, self.dimensions);
        let inputs = [AnyInput::of_array(&points), AnyInput::of_array(&seeds)];
        Ok(Array::of(apply("sobol", &Formula::shared(&OWEN), &inputs, at)?))
    }
}

impl Halton {
    /// The sequence in so many dimensions, from its first point on.
    ///
    /// ```
    /// use crosslane::random::Halton;
    /// assert!(Halton::new(7).is_ok() && Halton::new(0).is_err());
    /// ```
    ///
    /// Errors: no dimensions, or more than 1024.
    #[track_caller]
    pub fn new(dimensions: usize) -> Result<Halton> {
        Ok(Halton { dimensions: checked("halton", dimensions)?, first: 0, seed: None })
    }

    /// From this point on.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let points = crosslane::random::Halton::new(1)?.starting(1).points(device, 3);
    /// assert_eq!(points.to_vec()?, [0.5, 0.25, 0.75]);
    /// # Ok(()) });
    /// ```
    pub fn starting(self, first: u32) -> Halton {
        Halton { first, ..self }
    }

    /// Scrambled by this seed.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let halton = crosslane::random::Halton::new(3)?;
    /// let points = |seed| halton.clone().scrambled(seed).points(device, 8).to_vec();
    /// assert!(points(1)? == points(1)? && points(1)? != points(2)?);
    /// # Ok(()) });
    /// ```
    pub fn scrambled(self, seed: u64) -> Halton {
        Halton { seed: Some(seed), ..self }
    }

    /// Points as rows, coordinates of [0, 1). Cost: two divisions for each digit of a coordinate, of which there are 32 in the
    /// first dimension and 2 from the thousandth on. Points come again after 2^31 in the first dimension.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let points = crosslane::random::Halton::new(5)?.points(device, 16);
    /// assert_eq!(points.shape(), [16, 5]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): points past 2^32.
    #[track_caller]
    pub fn points(&self, device: &Device, count: usize) -> Array<f32> {
        let at = Location::caller();
        self.coordinates(device, count, at).unwrap_or_else(|error| Array::failed(device, error))
    }

    fn coordinates(&self, device: &Device, count: usize, at: CallSite) -> Result<Array<f32>> {
        let i = numbers("halton", device, self.first, count, at)?;
        let bases: Vec<u32> = primes().take(self.dimensions).collect();
        let powers: Vec<u32> = bases.iter().map(|&base| base.pow(u32::MAX.ilog(base))).collect();
        // What f32 has no room for is left out.
        let shifts: Vec<u32> = powers.iter().map(|power| 8u32.saturating_sub(power.leading_zeros())).collect();
        let scale = |(power, shift): (&u32, &u32)| ((1u64 << shift) as f64 / *power as f64) as f32;
        let scales: Vec<f32> = powers.iter().zip(&shifts).map(scale).collect();
        let seeds = match self.seed {
            None => Array::zeros(device, &[self.dimensions]),
            Some(seed) => seeds(device, seed, self.dimensions).maximum(1),
        };
        let [bases, powers, shifts] = [bases, powers, shifts].map(|words| Array::from_slice(device, &words));
        let inputs = [&i, &bases, &powers, &seeds].map(AnyInput::of_array);
        let mirrored: Array<u32> = Array::of(apply("halton", &Formula::shared(&MIRRORED), &inputs, at)?);
        let coordinates = (mirrored >> shifts).cast::<f32>() * Array::from_slice(device, &scales);
        Ok(coordinates.minimum(1.0 - f32::EPSILON / 2.0))
    }
}

/// The number of [0, 1) that the first 24 bits of words are.
fn unit(words: &Array<u32>) -> Array<f32> {
    (words >> 8u32).cast::<f32>() * (1.0 / (1 << 24) as f32)
}

/// Each dimension's direction numbers.
fn directions() -> impl Iterator<Item = [u32; BITS]> {
    let first = std::array::from_fn(|bit| 1 << (BITS - 1 - bit));
    [first].into_iter().chain(DIRECTIONS.lines().map(|line| {
        let mut numbers = line.split(' ').map(|word| word.parse::<u32>().expect("the file has numbers"));
        let polynomial = numbers.next().expect("a line begins with a polynomial");
        let degree = polynomial.ilog2() as usize;
        let mut v = [0; BITS];
        for (bit, number) in numbers.enumerate() {
            v[bit] = number << (BITS - 1 - bit);
        }
        for bit in degree..BITS {
            v[bit] = v[bit - degree] ^ v[bit - degree] >> degree;
            for term in (1..degree).filter(|term| polynomial >> (degree - term) & 1 == 1) {
                v[bit] ^= v[bit - term];
            }
        }
        v
    }))
}

fn primes() -> impl Iterator<Item = u32> {
    (2..).filter(|&number| (2..).take_while(|factor| factor * factor <= number).all(|factor| number % factor != 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_numbers_for_all_dimensions() {
        assert_eq!(directions().count(), DIMENSIONS);
        // The matrix of a dimension's first bits has ones on its diagonal: every first 2^k coordinates differ in k bits.
        assert!(directions().all(|v| {
            v.iter().enumerate().all(|(bit, v)| v << bit == 1 << 31 || v.trailing_zeros() >= 31 - bit as u32)
        }));
        assert_eq!(primes().nth(999), Some(7919));
    }
}
