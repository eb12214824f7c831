//! Axes as arguments of reductions, permutations and products.

use crosslane_core::error::{CallSite, Error, Result};

/// Axes of an array by their numbers, from 0; negative numbers count from the end.
///
/// Functions of axes take everything that converts to them: a number (`0`), several (`[0, 2]`, a slice or a `Vec` of
/// `isize`), or `..` for all. A reduction drops the axes that it reduces. With [`Axes::keep_dims`] it keeps them with
/// extent 1, so that its result broadcasts to the array's shape; other functions ignore that.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::axes;
/// let x = crosslane::Array::from_shape(device, &[2, 3], &[1, 2, 3, 4, 5, 6]);
/// assert_eq!(x.sum_axes(0).to_vec()?, [5, 7, 9]);
/// assert_eq!(x.sum_axes([0, -1]).item()?, 21);
/// assert_eq!(x.sum_axes(axes(-1).keep_dims()).shape(), [2, 1]);
/// assert_eq!(x.sum_axes(axes(..).keep_dims()).shape(), [1, 1]);
/// # Ok(()) });
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axes {
    /// `None`: all of them.
    numbers: Option<Vec<isize>>,
    keep: bool,
}

/// Axes by their numbers, for options: `axes([0, 2]).keep_dims()`.
pub fn axes(axes: impl Into<Axes>) -> Axes {
    axes.into()
}

impl Axes {
    /// Keeps reduced axes with extent 1: NumPy's `keepdims`.
    #[doc(alias = "keepdims")]
    pub fn keep_dims(self) -> Axes {
        Axes { keep: true, ..self }
    }

    /// The place of each among an array's axes, in their order.
    pub(crate) fn places(&self, operation: &'static str, rank: usize, at: CallSite) -> Result<Vec<usize>> {
        match &self.numbers {
            None => Ok((0..rank).collect()),
            Some(numbers) => numbers.iter().map(|&number| axis(operation, number, rank, at)).collect(),
        }
    }

    /// As [`Axes::places`], where none may come twice.
    pub(crate) fn once(&self, operation: &'static str, rank: usize, at: CallSite) -> Result<Vec<usize>> {
        let places = self.places(operation, rank, at)?;
        let again = places.iter().enumerate().any(|(nth, place)| places[..nth].contains(place));
        match again {
            false => Ok(places),
            true => Err(self.mistaken(operation, "each axis once", at)),
        }
    }

    /// For each axis of an array whether it is reduced.
    pub(crate) fn reduced(&self, operation: &'static str, rank: usize, at: CallSite) -> Result<Vec<bool>> {
        let places = self.once(operation, rank, at)?;
        Ok((0..rank).map(|place| places.contains(&place)).collect())
    }

    /// What is left of a shape that is reduced so.
    pub(crate) fn left(&self, shape: &[usize], reduced: &[bool]) -> Vec<usize> {
        let left = shape.iter().zip(reduced).filter(|(_, reduced)| self.keep || !**reduced);
        left.map(|(&extent, &reduced)| if reduced { 1 } else { extent }).collect()
    }

    /// The error that they are not what is wanted.
    pub(crate) fn mistaken(&self, operation: &'static str, wanted: impl Into<String>, at: CallSite) -> Error {
        let got = self.numbers.as_ref().map_or("all".into(), |numbers| format!("{numbers:?}"));
        Error::argument(operation, "axes", wanted, got, at)
    }
}

impl From<&Axes> for Axes {
    fn from(axes: &Axes) -> Axes {
        axes.clone()
    }
}

impl From<isize> for Axes {
    fn from(axis: isize) -> Axes {
        Axes::from(vec![axis])
    }
}

impl From<Vec<isize>> for Axes {
    fn from(axes: Vec<isize>) -> Axes {
        Axes { numbers: Some(axes), keep: false }
    }
}

impl From<&Vec<isize>> for Axes {
    fn from(axes: &Vec<isize>) -> Axes {
        Axes::from(axes.clone())
    }
}

impl From<&[isize]> for Axes {
    fn from(axes: &[isize]) -> Axes {
        Axes::from(axes.to_vec())
    }
}

impl<const N: usize> From<[isize; N]> for Axes {
    fn from(axes: [isize; N]) -> Axes {
        Axes::from(axes.to_vec())
    }
}

impl<const N: usize> From<&[isize; N]> for Axes {
    fn from(axes: &[isize; N]) -> Axes {
        Axes::from(axes.to_vec())
    }
}

impl From<std::ops::RangeFull> for Axes {
    fn from(_: std::ops::RangeFull) -> Axes {
        Axes { numbers: None, keep: false }
    }
}

/// The index of an axis among this many, from its number.
pub(crate) fn axis(operation: &'static str, axis: isize, rank: usize, at: CallSite) -> Result<usize> {
    let place = if axis < 0 { axis + rank as isize } else { axis };
    if (0..rank as isize).contains(&place) {
        return Ok(place as usize);
    }
    let wanted = match rank {
        0 => "no axis: the array has rank 0".to_string(),
        _ => format!("-{rank} to {}", rank - 1),
    };
    Err(Error::argument(operation, "axis", wanted, axis.to_string(), at))
}
