//! CUDA work of other libraries on arrays, ordered with this library's own.

use super::argument::{Arguments, Bound, Kind};
use crate::device::Device;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::work::Window;
use std::ffi::c_void;
use std::panic::Location;

/// The function's name in errors.
const OPERATION: &str = "Device::with_stream";

impl Device {
    /// Runs CUDA work of another library on arrays, ordered with this library's work before and after it. `work` is
    /// given a stream, a `CUstream`, and the address of each array, and queues its work in that stream: calls of cuBLAS
    /// or cuDNN, or kernels of the program. That work runs after all earlier work, in any stream, that computes the
    /// arrays or uses those that are written, and before all later work on them. The host does not wait. On other
    /// engines `work` is not called, and the result is `None`.
    ///
    /// The arrays are passed as to a kernel: `&x` is read; `&mut y` may be written, and arrays that share its memory
    /// keep their values; views that are read are copied if they have gaps. The arrays are evaluated first. The stream
    /// is this thread's: the main one outside of [`Stream::run`](crate::Stream::run). It lives as long as the device.
    /// The card's primary context is current in `work`. Work that `work` queues in other streams must be joined to this
    /// stream by events before it returns. `work` may use the device, but must not wait for work that it has queued
    /// itself.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::device::Backend;
    /// let x = Array::<f32>::ones(device, &[100]);
    /// let mut y = Array::<f32>::zeros(device, &[100]);
    /// let queued = device.with_stream((&x, &mut y), |stream, addresses| {
    ///     let [_x, _y] = addresses else { unreachable!("one for each array") };
    ///     // cublasSetStream(handle, stream); cublasSaxpy(handle, 100, &2.0, x, 1, y, 1);
    ///     assert!(!stream.is_null());
    ///     Ok(())
    /// })?;
    /// assert_eq!(queued.is_some(), device.properties().backend == Backend::Cuda);
    /// y.to_vec()?; // after that
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: an argument that is no array, or one of another device; an array to write that has gaps, is marked
    /// read-only by its owner, or is passed twice; the error that an array holds; the error of `work`; device lost.
    #[doc(alias = "cudaStream_t")]
    #[doc(alias = "CUstream")]
    #[track_caller]
    pub fn with_stream<'a, R>(
        &self,
        arrays: impl Arguments<'a>,
        work: impl FnOnce(*mut c_void, &[u64]) -> Result<R>,
    ) -> Result<Option<R>> {
        let at = Location::caller();
        if self.driver().stream().is_none() {
            return Ok(None);
        }
        let arrays = arrays.arguments();
        let uses: Vec<(Window, bool)> = arrays
            .iter()
            .enumerate()
            .map(|(place, argument)| match &argument.kind {
                Kind::Array(bound) => self.used(place, bound, at),
                Kind::Failed(error) => Err(error.clone()),
                _ => mistake(place, "an array", "a value", at),
            })
            .collect::<Result<_>>()?;
        alone(&uses, at)?;
        let (mut work, mut result) = (Some(work), None);
        self.driver().in_stream(&uses, &mut |stream, addresses| {
            let work = work.take().expect("the engine calls it once");
            result = Some(work(stream, addresses)?);
            Ok(())
        })?;
        let written = uses.iter().filter(|(_, writes)| *writes);
        written.for_each(|(window, _)| window.memory.history.note_write());
        Ok(result)
    }

    /// Where an array lies, computed, without gaps.
    fn used(&self, place: usize, bound: &Bound, at: CallSite) -> Result<(Window, bool)> {
        let Bound { array, written, .. } = bound;
        if let Some(error) = array.error() {
            return Err(error);
        }
        if array.device() != self {
            let (wanted, got) = (format!("an array on {self:?}"), format!("one on {:?}", array.device()));
            return mistake(place, &wanted, &got, at);
        }
        let window = match array.in_place(1)? {
            Some(window) => window,
            None if *written => {
                let got = format!("a view of shape {:?}", array.shape());
                return mistake(place, "an array without gaps, to be written in place", &got, at);
            }
            None => array.copied().in_place(1)?.expect("a copy has no gaps"),
        };
        if *written && window.memory.is_read_only() {
            let wanted = "memory that may be written: Array::copy makes some";
            return mistake(place, wanted, "memory that another library marked read-only", at);
        }
        Ok((window, *written))
    }
}

/// Whether what is written is given once.
fn alone(uses: &[(Window, bool)], at: CallSite) -> Result<()> {
    for (place, (window, _)) in uses.iter().enumerate().filter(|(_, (_, written))| *written) {
        let same =
            |(other, (used, _)): &(usize, &(Window, bool))| *other != place && used.memory.id() == window.memory.id();
        if uses.iter().enumerate().any(|other| same(&other)) {
            let got = "one array, or views of one, twice";
            return mistake(place, "memory of its own: it may be written", got, at);
        }
    }
    Ok(())
}

fn mistake<R>(place: usize, wanted: &str, got: &str, at: CallSite) -> Result<R> {
    Err(Error::argument(OPERATION, format!("array {place}"), wanted, got, at))
}
