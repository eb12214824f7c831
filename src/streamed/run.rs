//! How operations go through a stream: while the device computes a piece and its results return, the host reads the next.

use super::pieces::{Piece, Request};
use super::{Progress, Streamed};
use crate::array::{Array, eval_all};
use crate::device::{Backend, Begun};
use crate::element::Element;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::memory::zeros;
use std::cell::RefCell;

/// Bytes of a piece, where the program names no number of elements: 8 MiB take 0.2 ms on a fast bus, the calls for it less than 0.1,
/// and the host's caches still hold what it has just read. 32 MiB were a tenth to a quarter slower (`benches/NOTES.md`).
const PIECE: u64 = 8 << 20;
/// The same on a processor, which needs room in its caches for what it computes.
const PIECE_OF_PROCESSOR: u64 = 4 << 20;
/// Pieces that fit the pool's limit. Two arrive, and the operation on one may need several times its memory: sorting takes four
/// times, the pool rounds up, and what a program's functions take is not known.
const FIT: u64 = 16;
/// The most elements of a piece: positions and counts in it are 32-bit numbers.
const MOST: u64 = 1 << 31;

/// What is yet to be computed and read of a piece, on the device's own thread.
pub(super) type Work<R> = Box<dyn FnOnce() -> Result<R> + Send>;

impl<'a, T: Element> Streamed<'a, T> {
    /// Does work on each piece that is not empty, and takes the results in order.
    ///
    /// `start` describes a piece's work. It runs while the results of the piece before are still on their way. If the source fails,
    /// the results of all pieces before are taken first.
    pub(super) fn run<R: Send + 'static>(
        &mut self,
        at: CallSite,
        mut start: impl FnMut(&Array<T>) -> Result<Work<R>>,
        mut take: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        let request = self.request(at)?;
        let mut before = None;
        loop {
            let now = self.begin(request, &mut start);
            if let Some((work, elements)) = before.take() {
                let work: Begun<R> = work;
                take(work.wait().map_err(|error| error.asked_at(at))?)?;
                self.report(elements);
            }
            match now? {
                (Some(work), elements) => before = Some((work, elements)),
                (None, elements) => {
                    self.report(elements);
                    return Ok(());
                }
            }
        }
    }

    /// Begins the work on the next piece, if there is one. Also returns the elements of the source that were passed.
    fn begin<R: Send + 'static>(
        &mut self,
        request: Request,
        start: &mut impl FnMut(&Array<T>) -> Result<Work<R>>,
    ) -> Result<(Option<Begun<R>>, u64)> {
        let mut passed = 0;
        while let Some(Piece { array, taken }) = self.pieces.next(request)? {
            passed += taken;
            if !array.check()?.is_empty() {
                let work = start(&array)?;
                return Ok((Some(self.device.begin(work)), passed));
            }
        }
        Ok((None, passed))
    }

    /// Gives the elements of each piece to a function, in order.
    pub(super) fn deliver(&mut self, at: CallSite, mut take: impl FnMut(&[T]) -> Result<()>) -> Result<()> {
        let Request { chunk, .. } = self.request(at)?;
        if self.pieces.on_host().is_some() {
            let mut values = vec![];
            while let Some(source) = self.pieces.on_host() {
                source.fill(&mut values, chunk, at)?;
                if values.is_empty() {
                    break;
                }
                take(&values)?;
                self.report(values.len() as u64);
            }
            return Ok(());
        }
        let spare = RefCell::new(vec![]);
        let start = |array: &Array<T>| {
            ahead(&[array], at)?;
            let array = array.clone();
            let mut values: Vec<T> = spare.borrow_mut().pop().unwrap_or_default();
            if values.capacity() < array.len() {
                values = T::from_stored(zeros("Streamed", array.len(), at)?);
            }
            values.resize(array.len(), T::zeroed());
            Ok(Box::new(move || array.read_into(&mut values).map(|()| values)) as Work<Vec<T>>)
        };
        self.run(at, start, |values| {
            take(&values)?;
            spare.borrow_mut().push(values);
            Ok(())
        })
    }

    /// Elements of a piece: what the program wants, or what fits.
    pub(super) fn request(&self, at: CallSite) -> Result<Request> {
        let (bytes, caps) = (self.pieces.bytes() as u64, self.device.caps());
        let most = (caps.buffer_bytes / bytes).min(MOST);
        if let Some((chunk, asked_at)) = self.chunk {
            if !(1..=most).contains(&(chunk as u64)) {
                let (wanted, got) = (format!("1 to {most}"), chunk.to_string());
                return Err(Error::argument("Streamed::chunk", "elements", wanted, got, asked_at));
            }
            return Ok(Request { chunk, at });
        }
        let memory = self.device.memory();
        let room = memory.limit.map_or(u64::MAX, |limit| limit.saturating_sub(memory.live));
        let piece = if caps.processor.is_some() { PIECE_OF_PROCESSOR } else { PIECE };
        let chunk = (piece.min(room / FIT) / bytes).clamp(1, most) as usize;
        Ok(Request { chunk, at })
    }

    fn report(&mut self, elements: u64) {
        self.done += elements;
        if let Some(progress) = self.progress.as_mut().filter(|_| elements > 0) {
            progress(Progress { elements: self.done, total: self.total });
        }
    }
}

/// Has a device that works beside the program begin to compute the arrays now, before the copies that its own thread does first.
pub(super) fn ahead<T: Element>(arrays: &[&Array<T>], at: CallSite) -> Result<()> {
    // The cpu engine computes in the call: the host would not read the next piece meanwhile.
    match arrays.iter().all(|array| array.device().properties().backend == Backend::Cpu) {
        true => Ok(()),
        false => eval_all(arrays).map_err(|error| error.asked_at(at)),
    }
}
