//! NumPy's files: an array each in `.npy`, several by name in `.npz` (feature `npz`). Every element type, either byte order, C and
//! Fortran order. Files are written in the host's byte order and C order.
//!
//! ```
//! # crosslane::example(|device| {
//! use crosslane::{Array, npy};
//! let path = std::env::temp_dir().join(format!("crosslane-{}.npy", std::process::id()));
//! device.array([1.0f32, 2.0]).save_npy(&path)?; // numpy.load(path)
//! assert_eq!(npy::dtype(&path)?.name(), "f32");
//! assert_eq!(Array::<f32>::load_npy(device, &path)?.to_vec()?, [1.0, 2.0]);
//! # std::fs::remove_file(&path).unwrap();
//! # Ok(()) });
//! ```

mod data;
mod header;
#[cfg(feature = "npz")]
mod npz;

#[cfg(feature = "npz")]
pub use npz::{Npz, NpzWriter};

use crate::array::{Array, HostArray};
use crate::device::Device;
use crate::element::{DType, Element};
use crosslane_core::error::{ErrorKind, Result};
use crosslane_core::files;
pub(crate) use header::Header;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// What went wrong with a file.
fn failed(operation: &'static str, file: impl std::fmt::Display, message: impl ToString) -> crate::Error {
    ErrorKind::File { operation, file: file.to_string(), message: message.to_string() }.into()
}

/// The type of the elements in a file, for programs that do not know it at compile time.
///
/// Errors: the file cannot be read, or is no `.npy` file; a type that arrays do not have.
pub fn dtype(path: impl AsRef<Path>) -> Result<DType> {
    let fails = |message: String| failed("npy::dtype", path.as_ref().display(), message);
    let file = File::open(&path).map_err(|error| fails(error.to_string()))?;
    Header::read(&mut BufReader::new(file)).map(|header| header.dtype).map_err(fails)
}

/// The array in a `.npy` file.
///
/// Errors: the file cannot be read, or is no `.npy` file; elements of another type than `T`; fewer elements than its
/// shape has.
pub fn load<T: Element>(path: impl AsRef<Path>) -> Result<HostArray<T>> {
    let fails = |message: String| failed("npy::load", path.as_ref().display(), message);
    let file = File::open(&path).map_err(|error| fails(error.to_string()))?;
    data::read(&mut BufReader::new(file)).map_err(fails)
}

/// Writes an array to a `.npy` file. A file that is there already is replaced once the new one is complete.
///
/// Errors: the file cannot be written: it is then what it was before.
pub fn save<T: Element>(path: impl AsRef<Path>, array: &HostArray<T>) -> Result<()> {
    files::replace(path.as_ref(), |file| data::write(file, array))
        .map_err(|error| failed("npy::save", path.as_ref().display(), error))
}

impl<T: Element> Array<T> {
    /// The array in a `.npy` file, as NumPy's `save` writes it; see [`crate::npy`].
    ///
    /// Errors: as [`load`] and [`Array::from_slice`].
    #[track_caller]
    pub fn load_npy(device: &Device, path: impl AsRef<Path>) -> Result<Array<T>> {
        let array = load(path)?.to_device(device);
        array.check()?;
        Ok(array)
    }

    /// Writes the array to a `.npy` file, for NumPy's `load`; see [`crate::npy`]. Computes it if need be, and waits.
    ///
    /// Errors: as [`Array::to_vec`] and [`save`].
    #[track_caller]
    pub fn save_npy(&self, path: impl AsRef<Path>) -> Result<()> {
        save(path, &self.to_host()?)
    }
}
