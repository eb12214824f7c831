//! Several arrays by name in one file, a zip archive of `.npy` files.

use super::header::Header;
use super::{data, failed};
use crate::array::HostArray;
use crate::element::{DType, Element};
use crosslane_core::error::{Error, Result};
use crosslane_core::files::Replacement;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use zip::read::ZipFile;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// A `.npz` file to read, as NumPy's `savez` and `savez_compressed` write it.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::npy::{Npz, NpzWriter};
/// let path = std::env::temp_dir().join(format!("crosslane-{}.npz", std::process::id()));
/// let mut writer = NpzWriter::create(&path)?;
/// writer.add("x", &device.array([1.0f32, 2.0]).to_host()?)?;
/// writer.add("mask", &device.array([true, false]).to_host()?)?;
/// writer.finish()?;
/// let mut npz = Npz::open(&path)?;
/// assert_eq!(npz.names(), ["x", "mask"]);
/// assert_eq!(npz.load::<f32>("x")?.to_device(device).to_vec()?, [1.0, 2.0]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok(()) });
/// ```
pub struct Npz {
    path: PathBuf,
    archive: ZipArchive<BufReader<File>>,
}

impl Npz {
    /// Opens a file and reads its directory, not the arrays.
    ///
    /// Errors: the file cannot be read, or is no zip archive.
    pub fn open(path: impl AsRef<Path>) -> Result<Npz> {
        let path = path.as_ref().to_path_buf();
        let fails = |message: String| failed("Npz::open", path.display(), message);
        let file = File::open(&path).map_err(|error| fails(error.to_string()))?;
        let archive = ZipArchive::new(BufReader::new(file));
        let archive = archive.map_err(|error| fails(format!("not a .npz file: {error}")))?;
        Ok(Npz { archive, path })
    }

    /// The arrays' names, in the order of the file.
    pub fn names(&self) -> Vec<String> {
        // What has no name in UTF-8 is no array of NumPy's.
        let names = (0..self.archive.len()).filter_map(|index| self.archive.name_for_index(index)?.ok());
        names.filter_map(|name| name.strip_suffix(".npy").map(str::to_string)).collect()
    }

    /// The type of an array's elements. Errors: as [`Npz::load`].
    pub fn dtype(&mut self, name: &str) -> Result<DType> {
        self.with("Npz::dtype", name, |file| Header::read(file).map(|header| header.dtype))
    }

    /// The array of a name.
    ///
    /// Errors: no array of this name; as [`super::load`].
    pub fn load<T: Element>(&mut self, name: &str) -> Result<HostArray<T>> {
        self.with("Npz::load", name, |file| data::read(file))
    }

    fn with<R>(
        &mut self,
        operation: &'static str,
        name: &str,
        read: impl FnOnce(&mut ZipFile<'_, BufReader<File>>) -> Result<R, String>,
    ) -> Result<R> {
        let (path, names) = (self.path.display().to_string(), self.names());
        let fails = |message: String| failed(operation, format!("{path}: {name}"), message);
        if !names.iter().any(|there| there == name) {
            return Err(fails(format!("not there; wanted one of {}", names.join(", "))));
        }
        let mut file = self.archive.by_name(&format!("{name}.npy")).map_err(|error| fails(error.to_string()))?;
        read(&mut file).map_err(fails)
    }
}

/// A `.npz` file to write, for NumPy's `load`: not compressed, as by `savez`.
pub struct NpzWriter {
    path: PathBuf,
    archive: ZipWriter<Replacement>,
}

impl NpzWriter {
    /// A file that is there already is replaced by [`NpzWriter::finish`]; without that it stays as it was, and no file is made.
    ///
    /// Errors: the place cannot be written.
    pub fn create(path: impl AsRef<Path>) -> Result<NpzWriter> {
        let path = path.as_ref().to_path_buf();
        let file = Replacement::new(&path).map_err(|error| failed("NpzWriter::create", path.display(), error))?;
        Ok(NpzWriter { archive: ZipWriter::new(file), path })
    }

    /// Adds an array. Errors: a name that the file has already; the file cannot be written.
    pub fn add<T: Element>(&mut self, name: &str, array: &HostArray<T>) -> Result<()> {
        // Sizes past 4 GiB need another form of the archive's entry.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(std::mem::size_of_val(array.values()) >= 1 << 31);
        let started = self.archive.start_file(format!("{name}.npy"), options);
        started.map_err(|error| self.fails(name, error))?;
        data::write(&mut self.archive, array).map_err(|error| self.fails(name, error))
    }

    /// Writes the archive's directory at its end, and puts the file in its place.
    ///
    /// Errors: the file cannot be written.
    pub fn finish(self) -> Result<()> {
        let fails = |message: String| failed("NpzWriter::finish", self.path.display(), message);
        let file = self.archive.finish().map_err(|error| fails(error.to_string()))?;
        file.finish().map_err(|error| fails(error.to_string()))
    }

    fn fails(&self, name: &str, error: impl ToString) -> Error {
        failed("NpzWriter::add", format!("{}: {name}", self.path.display()), error)
    }
}
