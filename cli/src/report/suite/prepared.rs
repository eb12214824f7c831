//! A problem that is ready to run: what is timed, and how its result is checked.

use super::super::super::Outcome;
use super::super::super::measure::{Group, Row};
use crosslane::{Array, Element, Result, eval_all};

/// What a problem moves and computes at least, for the roofline: each input once, each result once, every operation of f32.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    pub bytes: u64,
    pub flops: u64,
}

impl Work {
    /// Of `n` elements: arrays of 4 bytes an element, and operations on each.
    pub fn each(n: usize, arrays: usize, flops: usize) -> Work {
        Work { bytes: (4 * arrays * n) as u64, flops: (flops * n) as u64 }
    }
}

/// A problem on a device.
pub struct Prepared {
    /// Elements, or the side of a matrix.
    pub n: usize,
    pub work: Work,
    /// What is timed: submitted, not waited for.
    run: Box<dyn Fn() -> Result<()>>,
    check: Box<dyn Fn() -> Outcome>,
}

/// Arrays that a problem makes: deferred, or launched already.
pub trait Results {
    fn evaluated(&self) -> Result<()>;
    /// Their elements one after the other: an f64 holds each exactly.
    fn values(&self) -> Result<Vec<f64>>;
}

impl<T: Element + Into<f64>> Results for Array<T> {
    fn evaluated(&self) -> Result<()> {
        self.eval()
    }

    fn values(&self) -> Result<Vec<f64>> {
        Ok(self.to_vec()?.into_iter().map(Into::into).collect())
    }
}

impl<T: Element + Into<f64>> Results for Vec<Array<T>> {
    fn evaluated(&self) -> Result<()> {
        eval_all(&self.iter().collect::<Vec<_>>())
    }

    fn values(&self) -> Result<Vec<f64>> {
        self.evaluated()?;
        let parts: Vec<Vec<f64>> = self.iter().map(Results::values).collect::<Result<_>>()?;
        Ok(parts.concat())
    }
}

impl<A: Results, B: Results> Results for (A, B) {
    fn evaluated(&self) -> Result<()> {
        self.0.evaluated()?;
        self.1.evaluated()
    }

    fn values(&self) -> Result<Vec<f64>> {
        Ok([self.0.values()?, self.1.values()?].concat())
    }
}

impl Prepared {
    /// `make` computes the results anew each time. They are compared with `wanted`: see [`compared`].
    pub fn new<R: Results>(
        n: usize,
        work: Work,
        bound: f64,
        make: impl Fn() -> Result<R> + Clone + 'static,
        wanted: impl Fn() -> Vec<f64> + 'static,
    ) -> Prepared {
        let again = make.clone();
        Prepared {
            n,
            work,
            run: Box::new(move || make()?.evaluated()),
            check: Box::new(move || compared(&again()?.values()?, &wanted(), bound)),
        }
    }

    /// With a check of its own.
    pub fn checked(
        n: usize,
        work: Work,
        run: impl Fn() -> Result<()> + 'static,
        check: impl Fn() -> Outcome + 'static,
    ) -> Prepared {
        Prepared { n, work, run: Box::new(run), check: Box::new(check) }
    }

    /// As a line of the benchmark.
    pub fn row(&self, op: &'static str) -> Row<'_> {
        let group = Group::Memory { bytes: self.work.bytes };
        Row { op, n: self.n, group, before: None, check: Box::new(|| (self.check)()), work: Box::new(|| (self.run)()) }
    }
}

/// Each result must be within `bound` of the larger of two: its own size, and the mean size of all results. A bound of 0 wants
/// them exactly.
pub fn compared(got: &[f64], wanted: &[f64], bound: f64) -> Outcome {
    if got.len() != wanted.len() {
        return Err(format!("wrong result: wanted {} elements, got {}", wanted.len(), got.len()).into());
    }
    let mean = wanted.iter().map(|x| x.abs()).sum::<f64>() / wanted.len().max(1) as f64;
    let right = |(got, wanted): (&f64, &f64)| (got - wanted).abs() <= bound * wanted.abs().max(mean); // false for NaN
    match got.iter().zip(wanted).position(|pair| !right(pair)) {
        None => Ok(()),
        Some(i) => {
            let (got, wanted) = (got[i], wanted[i]);
            Err(format!("wrong result at index {i}: wanted {wanted:e} within {bound:e}, got {got:e}").into())
        }
    }
}
