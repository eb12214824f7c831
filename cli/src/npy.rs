//! NumPy's `.npy` files, of a type that is known only at run time.

use super::data::{OnHost, Plain, Values, typed};
use super::{Outcome, told};
use crosslane::{Complex, DType, bf16, f16, npy};
use std::path::Path;

/// An array from a file, in either byte order.
pub fn read(path: &Path) -> Outcome<Box<dyn OnHost>> {
    let dtype = npy::dtype(path).map_err(told)?;
    typed!(dtype, load(path))
}

fn load<T: Plain>(path: &Path) -> Outcome<Box<dyn OnHost>> {
    Ok(Box::new(npy::load::<T>(path).map_err(told)?))
}

/// Writes an array in C order.
pub fn write<T: Plain>(path: &Path, array: &Values<T>) -> Outcome {
    Ok(npy::save(path, array).map_err(told)?)
}
