//! Sorted runs in a temporary file, and their merge: groups of elements that no element of a later group comes before.

use super::failed;
use super::reductions::rank;
use super::source::{Source, read_values};
use crate::element::Ordered;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::files::Temporary;
use std::io::{self, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Runs one after the other in a file. It is gone when the last handle to it is.
pub(super) struct Spill<T> {
    file: Rc<Temporary>,
    folder: PathBuf,
    /// Elements of the runs.
    pub runs: Vec<Range<u64>>,
    marker: PhantomData<T>,
}

impl<T: Ordered> Spill<T> {
    pub fn new(folder: &Path) -> Result<Spill<T>> {
        let file = Temporary::new(folder).map_err(|error| spilled(folder, error))?;
        Ok(Spill { file: Rc::new(file), folder: folder.into(), runs: vec![], marker: PhantomData })
    }

    /// All elements.
    pub fn len(&self) -> u64 {
        self.runs.last().map_or(0, |run| run.end)
    }

    /// Begins a run.
    pub fn open_run(&mut self) {
        self.runs.push(self.len()..self.len());
    }

    /// Adds elements to the last run.
    pub fn append(&mut self, values: &[T]) -> Result<()> {
        let run = self.runs.last_mut().expect("a run was begun");
        let mut file = self.file.file();
        file.write_all(bytemuck::cast_slice(values)).map_err(|error| spilled(&self.folder, error))?;
        run.end += values.len() as u64;
        Ok(())
    }

    /// The merge of some of the runs, with blocks of so many elements each.
    pub fn merge(&self, runs: Range<usize>, block: usize) -> Merge<T> {
        let runs = self.runs[runs].iter();
        let heads = runs.map(|run| Head { left: run.clone(), block: vec![], taken: 0 }).collect();
        Merge { file: self.file.clone(), folder: self.folder.clone(), heads, block }
    }
}

fn spilled(folder: &Path, message: impl std::fmt::Display) -> Error {
    failed(format!("a temporary file in {}", folder.display()), message)
}

/// A source of groups. Sorted on their own, as a stable sort does, they are the sorted whole.
pub(super) struct Merge<T> {
    file: Rc<Temporary>,
    folder: PathBuf,
    /// The runs, the earlier ones first.
    heads: Vec<Head<T>>,
    block: usize,
}

/// A run as far as it is not merged.
struct Head<T> {
    /// What is still in the file.
    left: Range<u64>,
    block: Vec<T>,
    taken: usize,
}

impl<T: Ordered> Head<T> {
    /// Reads the next block, if all of this one was taken.
    fn refill(&mut self, file: &Temporary, most: usize) -> Result<(), String> {
        if self.taken < self.block.len() || self.left.is_empty() {
            return Ok(());
        }
        let count = (self.left.end - self.left.start).min(most as u64) as usize;
        self.block.resize(count, T::zeroed());
        let place = SeekFrom::Start(self.left.start * size_of::<T>() as u64);
        file.file().seek(place).map_err(|error: io::Error| error.to_string())?;
        let got = read_values(&mut file.file(), &mut self.block, false)?;
        if got < count {
            return Err(format!("wanted {count} elements, got {got}"));
        }
        (self.left.start, self.taken) = (self.left.start + count as u64, 0);
        Ok(())
    }

    fn rest(&self) -> &[T] {
        &self.block[self.taken..]
    }
}

impl<T: Ordered> Source<T> for Merge<T> {
    /// All elements of the blocks that come before what is still in the file: how many is not known before.
    fn fill(&mut self, values: &mut Vec<T>, _: usize, _: CallSite) -> Result<()> {
        values.clear();
        for head in &mut self.heads {
            head.refill(&self.file, self.block).map_err(|message| spilled(&self.folder, message))?;
        }
        // Where elements are equal, the earlier run's come first.
        let ends = self.heads.iter().enumerate().filter(|(_, head)| !head.left.is_empty());
        let bound = ends.filter_map(|(run, head)| head.rest().last().map(|&last| (rank(last), run))).min();
        for (run, head) in self.heads.iter_mut().enumerate() {
            let rest = head.rest();
            let count = bound.map_or(rest.len(), |bound| rest.partition_point(|&value| (rank(value), run) <= bound));
            values.extend_from_slice(&rest[..count]);
            head.taken += count;
        }
        Ok(())
    }
}
