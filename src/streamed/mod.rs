//! Streams of numbers that fit neither the device's memory nor the host's: files, readers, iterators of chunks.
//!
//! See [`Streamed`].

mod moments;
mod pieces;
mod reductions;
mod run;
mod sinks;
mod sort;
mod source;
mod spill;
mod total;

pub use total::Total;

use crate::array::Array;
use crate::device::Device;
use crate::element::Element;
use crosslane_core::error::{CallSite, Error, ErrorKind, Result};
use pieces::{Mapped, Pieces, Uploads};
use source::{Bytes, Chunks, Source};
use std::convert::Infallible;
use std::fmt::Display;
use std::fs::File;
use std::io::Read;
use std::panic::Location;
use std::path::Path;

/// Numbers that come in order from a file, a reader or an iterator, and go through the device piece by piece. Neither the device
/// nor the host holds all of them: their number has no bound but 2^64.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::Streamed;
/// let chunks = (0..100u32).map(|k| vec![k; 1000]); // made while the device works
/// let squares = Streamed::from_chunks(device, chunks).map(|x| x * x);
/// assert_eq!(squares.sum()?, 328_350_000u64); // of u32, in 64 bits
/// # Ok(()) });
/// ```
///
/// | from | |
/// |---|---|
/// | an iterator of `Vec<T>`, or of `Result<Vec<T>, E>` | [`from_chunks`](Streamed::from_chunks), [`try_from_chunks`](Streamed::try_from_chunks) |
/// | a reader, or a file, of little-endian elements | [`from_read`](Streamed::from_read), [`from_file`](Streamed::from_file) |
/// | a `.npy` file | `from_npy` (feature `npy`) |
///
/// | to | |
/// |---|---|
/// | another stream | [`map`](Streamed::map), [`try_map`](Streamed::try_map), [`sort`](Streamed::sort) |
/// | a number | [`sum`](Streamed::sum), [`mean`](Streamed::mean), [`variance`](Streamed::variance), [`std`](Streamed::std), [`min`](Streamed::min), [`max`](Streamed::max), [`arg_min`](Streamed::arg_min), [`arg_max`](Streamed::arg_max), [`count`](Streamed::count), [`count_nonzero`](Streamed::count_nonzero) |
/// | counts | [`histogram`](Streamed::histogram) |
/// | anything | [`fold`](Streamed::fold) |
/// | the elements themselves, in order | [`for_each`](Streamed::for_each), [`write_to`](Streamed::write_to), [`to_vec`](Streamed::to_vec) |
///
/// **Pieces.** A source's chunks may have any lengths: they are joined and split into pieces of [`chunk`](Streamed::chunk)
/// elements. By default a piece has 8 MiB, 4 MiB on a processor, and at most a sixteenth of what [`Device::set_memory_limit`] leaves.
///
/// **Overlap.** The thread that calls an operation reads the source and gives results to functions of the program. Meanwhile the
/// device's own thread copies the next piece to the device, has the one before computed, and copies its results. There is no
/// other thread: sources and functions need not be `Send`. An operation thus takes about the longer of the two times. The host
/// holds two pieces, and two of results.
///
/// **Errors.** A source's error has kind [`ErrorKind::File`], with the number of the chunk or element and the error's own text.
/// Results of the pieces before it have been delivered. After an error, or a panic of a function, nothing of the operation is in
/// flight, its memory is released, and the device works.
///
/// A function that the program passes may use the device.
pub struct Streamed<'a, T: Element> {
    device: Device,
    pieces: Box<dyn Pieces<T> + 'a>,
    /// Elements of a piece, and the line that set them.
    chunk: Option<(usize, CallSite)>,
    progress: Option<Box<dyn FnMut(Progress) + 'a>>,
    /// Elements of the source that went through.
    done: u64,
    total: Option<u64>,
}

/// How far an operation on a [`Streamed`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Elements of the source whose results have been taken.
    pub elements: u64,
    /// All elements of the source, where that is known beforehand: in files.
    pub total: Option<u64>,
}

impl<'a, T: Element> Streamed<'a, T> {
    /// The elements of an iterator's chunks, of any lengths.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// assert_eq!(Streamed::from_chunks(device, [vec![1, 5], vec![], vec![3]]).max()?, 5);
    /// # Ok(()) });
    /// ```
    pub fn from_chunks<I>(device: &Device, chunks: I) -> Streamed<'a, T>
    where
        I: IntoIterator<Item = Vec<T>>,
        I::IntoIter: 'a,
    {
        Streamed::try_from_chunks(device, chunks.into_iter().map(Ok::<_, Infallible>))
    }

    /// As [`Streamed::from_chunks`], of an iterator that may fail. Its error ends the operation.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// let chunks = ["1", "2", "x"].map(|text| text.parse().map(|number: i32| vec![number]));
    /// let error = Streamed::try_from_chunks(device, chunks).sum().unwrap_err();
    /// assert_eq!(error.to_string(), "Streamed: chunk 3 of the source: invalid digit found in string");
    /// # Ok(()) });
    /// ```
    pub fn try_from_chunks<I, E>(device: &Device, chunks: I) -> Streamed<'a, T>
    where
        I: IntoIterator<Item = Result<Vec<T>, E>>,
        I::IntoIter: 'a,
        E: Display + 'a,
    {
        Streamed::of(device, Chunks::new(chunks.into_iter()))
    }

    /// The elements that a reader gives, each in little-endian order, up to its end. It need not be buffered.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// let bytes: &[u8] = &[1, 0, 2, 1];
    /// assert_eq!(Streamed::<u16>::from_read(device, bytes).to_vec()?, [1, 258]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors of operations: the reader's; bytes at the end that are no whole element; a byte other than 0 and 1 for a `bool`.
    pub fn from_read(device: &Device, reader: impl Read + 'a) -> Streamed<'a, T> {
        Streamed::of_bytes(device, reader, "the reader".into())
    }

    /// As [`Streamed::from_read`], of a file.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// let path = std::env::temp_dir().join(format!("crosslane-{}.raw", std::process::id()));
    /// std::fs::write(&path, 1.5f32.to_le_bytes()).unwrap();
    /// assert_eq!(Streamed::<f32>::from_file(device, &path)?.sum()?, 1.5);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: the file cannot be opened.
    pub fn from_file(device: &Device, path: impl AsRef<Path>) -> Result<Streamed<'a, T>> {
        let name = path.as_ref().display().to_string();
        let opened = File::open(path).and_then(|file| file.metadata().map(|about| (file, about)));
        let (file, about) = opened.map_err(|error| failed(&name, error))?;
        let total = about.is_file().then(|| about.len() / size_of::<T>() as u64);
        Ok(Streamed { total, ..Streamed::of_bytes(device, file, name) })
    }

    /// The elements of a `.npy` file, in C order. Their shape does not matter.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// let path = std::env::temp_dir().join(format!("crosslane-streamed-{}.npy", std::process::id()));
    /// device.array([1.0f32, 2.5]).save_npy(&path)?;
    /// assert_eq!(Streamed::<f32>::from_npy(device, &path)?.sum()?, 3.5);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: the file cannot be read, or is no `.npy` file; elements of another type than `T`; Fortran order, unless only one
    /// axis is longer than 1. Errors of operations: fewer elements than the shape has.
    #[cfg(feature = "npy")]
    pub fn from_npy(device: &Device, path: impl AsRef<Path>) -> Result<Streamed<'a, T>> {
        let name = path.as_ref().display().to_string();
        let mut file = File::open(path).map_err(|error| failed(&name, error))?;
        let header = crate::npy::Header::read(&mut file).map_err(|message| failed(&name, message))?;
        if header.dtype != T::DTYPE {
            return Err(failed(&name, format!("wanted elements of {}, got {}", T::DTYPE, header.dtype)));
        }
        if header.fortran && header.shape.iter().filter(|&&extent| extent > 1).count() > 1 {
            return Err(failed(
                &name,
                format!("wanted elements in C order, got Fortran order of shape {:?}", header.shape),
            ));
        }
        let len = header.shape.iter().try_fold(1u64, |len, &extent| len.checked_mul(extent as u64));
        let len =
            len.ok_or_else(|| failed(&name, format!("wanted fewer than 2^64 elements, got {:?}", header.shape)))?;
        let source = Bytes { reader: file, name, swapped: header.swapped, len: Some(len), taken: 0 };
        Ok(Streamed { total: Some(len), ..Streamed::of(device, source) })
    }

    fn of_bytes(device: &Device, reader: impl Read + 'a, name: String) -> Streamed<'a, T> {
        Streamed::of(device, Bytes { reader, name, swapped: cfg!(target_endian = "big"), len: None, taken: 0 })
    }

    fn of(device: &Device, source: impl Source<T> + 'a) -> Streamed<'a, T> {
        let pieces = Box::new(Uploads::new(device, source));
        Streamed { device: device.clone(), pieces, chunk: None, progress: None, done: 0, total: None }
    }

    /// How many elements of the source go through the device at a time. Results of floats depend on it in their last bits.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// let sums = Streamed::from_chunks(device, [vec![1; 10]]).chunk(4).map(|x| x.sum());
    /// assert_eq!(sums.to_vec()?, [4, 4, 2]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors of operations: 0, or more than 2^31 or than a buffer of the device holds.
    #[track_caller]
    pub fn chunk(self, elements: usize) -> Streamed<'a, T> {
        Streamed { chunk: Some((elements, Location::caller())), ..self }
    }

    /// Calls a function each time the results of a piece have been taken. To stop an operation early, end the source.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// let mut done = vec![];
    /// let stream = Streamed::from_chunks(device, [vec![1u32; 10]]).chunk(4);
    /// stream.progress(|progress| done.push(progress.elements)).sum()?;
    /// assert_eq!(done, [4, 8, 10]);
    /// # Ok(()) });
    /// ```
    pub fn progress(self, call: impl FnMut(Progress) + 'a) -> Streamed<'a, T> {
        Streamed { progress: Some(Box::new(call)), ..self }
    }

    /// What a function makes of each piece, which is one-dimensional. Pieces are computed on their own: the function must not depend
    /// on where they begin. Elementwise work fuses with what comes after, a reduction as well as another `map`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// let halves = Streamed::from_chunks(device, [vec![1.0f32, 2.0], vec![4.0]]).map(|x| x * 0.5);
    /// assert_eq!(halves.to_vec()?, [0.5, 1.0, 2.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// The array may have another type, length and shape. Its elements follow those of the piece before in row-major order.
    ///
    /// Errors of operations: the error that an array holds.
    pub fn map<U: Element>(self, mut map: impl FnMut(&Array<T>) -> Array<U> + 'a) -> Streamed<'a, U> {
        self.try_map(move |piece| Ok(map(piece)))
    }

    /// As [`Streamed::map`], of a function that may fail, as launches of kernels may.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Kernel, Streamed};
    /// let double = Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read> x: array<u32>;
    ///     @group(0) @binding(1) var<storage, read_write> y: array<u32>;
    ///     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    ///         if id.x < arrayLength(&y) { y[id.x] = 2u * x[id.x]; }
    ///     }")?;
    /// let doubles = Streamed::from_chunks(device, [vec![1u32, 2, 3]]).try_map(|x| {
    ///     let mut y = device.acquire::<u32>(x.len());
    ///     double.for_elements(x.len()).args((x, &mut y)).launch(device)?;
    ///     Ok(y)
    /// });
    /// assert_eq!(doubles.to_vec()?, [2, 4, 6]);
    /// # Ok(()) });
    /// ```
    pub fn try_map<U: Element>(self, map: impl FnMut(&Array<T>) -> Result<Array<U>> + 'a) -> Streamed<'a, U> {
        let Streamed { device, pieces, chunk, progress, done, total } = self;
        Streamed { device, pieces: Box::new(Mapped { pieces, map }), chunk, progress, done, total }
    }
}

/// What failed outside of the device.
fn failed(what: impl Into<String>, message: impl Display) -> Error {
    ErrorKind::File { operation: "Streamed", file: what.into(), message: message.to_string() }.into()
}
