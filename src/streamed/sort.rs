//! Sorting a stream: runs that the device sorts go to a temporary file, and are merged.

use super::spill::{Merge, Spill};
use super::{Streamed, Uploads};
use crate::array::Array;
use crate::device::Device;
use crate::element::Ordered;
use crosslane_core::error::{CallSite, Result};
use std::ops::Range;
use std::panic::Location;
use std::path::Path;

/// Runs that are merged at a time: blocks are this part of a piece, at least 64 KiB by default, so that a disk reads at its speed.
const FAN: usize = 64;

impl<'a, T: Ordered> Streamed<'a, T> {
    /// The elements in ascending order, as a stream: an external merge sort. Equal elements keep their order, and NaNs come last, as
    /// by [`Array::sort`].
    ///
    /// The call reads the whole stream. The device sorts it by pieces, which are written to a temporary file in
    /// [`std::env::temp_dir`]. On some systems that folder lies in memory; [`Streamed::sort_in`] names another. The file takes as much
    /// room as the elements. The merge reads blocks of 64 pieces at a time; the device sorts them. Of more pieces, 64 at a time are merged to longer ones
    /// first, in a second file.
    ///
    /// The files are the user's alone. They are gone when the stream is dropped, and on Unix when the process ends, however that is.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// let stream = Streamed::from_chunks(device, [vec![5, 1, 4], vec![2], vec![3, 0]]).chunk(2);
    /// assert_eq!(stream.sort()?.to_vec()?, [0, 1, 2, 3, 4, 5]);
    /// # Ok(()) });
    /// ```
    ///
    /// Cost: each element goes to the device and back, and to the disk and back, once a piece is sorted and once each merge. The
    /// device sorts it twice.
    ///
    /// Errors: a temporary file cannot be made or written; as [`Streamed::sum`].
    #[track_caller]
    pub fn sort(self) -> Result<Streamed<'a, T>> {
        self.sorted(&std::env::temp_dir(), Location::caller())
    }

    /// As [`Streamed::sort`], with the temporary files in this folder.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Streamed;
    /// let sorted = Streamed::from_chunks(device, [vec![2.5f32], vec![-1.0]]).sort_in(std::env::temp_dir())?;
    /// assert_eq!(sorted.to_vec()?, [-1.0, 2.5]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Streamed::sort`].
    #[track_caller]
    pub fn sort_in(self, folder: impl AsRef<Path>) -> Result<Streamed<'a, T>> {
        self.sorted(folder.as_ref(), Location::caller())
    }

    fn sorted(self, folder: &Path, at: CallSite) -> Result<Streamed<'a, T>> {
        let chunk = self.request(at)?.chunk.max(FAN);
        let device = self.device.clone();
        let mut spill = Spill::new(folder)?;
        self.map(|piece| piece.flatten().sort()).deliver(at, |sorted| {
            spill.open_run();
            spill.append(sorted)
        })?;
        while spill.runs.len() > FAN {
            spill = rounded(&device, &spill, folder, chunk, at)?;
        }
        let runs = 0..spill.runs.len();
        let mut sorted = merged(&device, &spill, runs, chunk);
        sorted.total = Some(spill.len());
        Ok(sorted)
    }
}

/// Longer runs, of [`FAN`] neighbours each.
fn rounded<T: Ordered>(
    device: &Device,
    spill: &Spill<T>,
    folder: &Path,
    chunk: usize,
    at: CallSite,
) -> Result<Spill<T>> {
    let mut longer = Spill::new(folder)?;
    for first in (0..spill.runs.len()).step_by(FAN) {
        longer.open_run();
        let runs = first..(first + FAN).min(spill.runs.len());
        merged(device, spill, runs, chunk).deliver(at, |values| longer.append(values))?;
    }
    Ok(longer)
}

/// Some of the runs as one: the device sorts what the source says comes next.
fn merged<'a, T: Ordered>(device: &Device, spill: &Spill<T>, runs: Range<usize>, chunk: usize) -> Streamed<'a, T> {
    let source: Merge<T> = spill.merge(runs.clone(), chunk / runs.len().max(1));
    let pieces = Box::new(Uploads::new(device, source));
    let groups = Streamed { device: device.clone(), pieces, chunk: None, progress: None, done: 0, total: None };
    groups.map(Array::sort)
}
