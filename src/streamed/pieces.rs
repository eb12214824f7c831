//! A stream as arrays on the device: the next piece is read and copied to the device while the program works on the one before.

use super::source::Source;
use crate::array::Array;
use crate::device::{Begun, Device};
use crate::element::Element;
use crosslane_core::error::{CallSite, Error, Result};

/// What an operation asks of a stream.
#[derive(Clone, Copy)]
pub(super) struct Request {
    /// Elements of the source in a piece, at most.
    pub chunk: usize,
    /// The line that called the operation.
    pub at: CallSite,
}

/// A part of a stream.
pub(super) struct Piece<T: Element> {
    pub array: Array<T>,
    /// Elements of the source that became the array.
    pub taken: u64,
}

/// A stream of arrays, in order.
pub(super) trait Pieces<T: Element> {
    fn next(&mut self, request: Request) -> Result<Option<Piece<T>>>;
    /// The elements on the host, if nothing is computed of them: to be asked instead of [`Pieces::next`].
    fn on_host(&mut self) -> Option<&mut dyn Source<T>>;
    /// Bytes of an element of the source, or of what becomes of it if that is more.
    fn bytes(&self) -> usize;
}

/// The pieces of a source. The host fills one vector while the device's thread copies the other to the device.
pub(super) struct Uploads<S, T: Element> {
    device: Device,
    source: S,
    /// The last vector that was filled, on its way to the device.
    arriving: Option<Begun<(Vec<T>, Array<T>)>>,
    /// A vector to be filled.
    spare: Vec<T>,
    state: State,
}

enum State {
    Fresh,
    Running,
    Ended,
    /// The source failed after what is arriving.
    Failed(Error),
}

impl<S: Source<T>, T: Element> Uploads<S, T> {
    pub fn new(device: &Device, source: S) -> Uploads<S, T> {
        Uploads { device: device.clone(), source, arriving: None, spare: vec![], state: State::Fresh }
    }

    /// Reads a piece, and begins to copy it.
    fn begin(&mut self, Request { chunk, at }: Request) -> Option<Begun<(Vec<T>, Array<T>)>> {
        if matches!(self.state, State::Ended | State::Failed(_)) {
            return None;
        }
        let mut values = std::mem::take(&mut self.spare);
        self.state = match self.source.fill(&mut values, chunk, at) {
            Ok(()) if values.is_empty() => State::Ended,
            Ok(()) => State::Running,
            Err(error) => State::Failed(error),
        };
        let device = self.device.clone();
        let upload = move || Array::uploaded(&device, &[values.len()], &values, at).map(|array| (values, array));
        matches!(self.state, State::Running).then(|| self.device.begin(Box::new(upload)))
    }
}

impl<S: Source<T>, T: Element> Pieces<T> for Uploads<S, T> {
    fn next(&mut self, request: Request) -> Result<Option<Piece<T>>> {
        if matches!(self.state, State::Fresh) {
            self.arriving = self.begin(request);
        }
        let Some(now) = self.arriving.take() else {
            return match std::mem::replace(&mut self.state, State::Ended) {
                State::Failed(error) => Err(error),
                _ => Ok(None),
            };
        };
        self.arriving = self.begin(request);
        let (values, array) = now.wait().map_err(|error| error.asked_at(request.at))?;
        let taken = values.len() as u64;
        self.spare = values;
        Ok(Some(Piece { array, taken }))
    }

    fn on_host(&mut self) -> Option<&mut dyn Source<T>> {
        Some(&mut self.source)
    }

    fn bytes(&self) -> usize {
        size_of::<T>()
    }
}

/// Pieces that a function makes of others.
pub(super) struct Mapped<'a, T: Element, F> {
    pub pieces: Box<dyn Pieces<T> + 'a>,
    pub map: F,
}

impl<T: Element, U: Element, F: FnMut(&Array<T>) -> Result<Array<U>>> Pieces<U> for Mapped<'_, T, F> {
    fn next(&mut self, request: Request) -> Result<Option<Piece<U>>> {
        let Some(Piece { array, taken }) = self.pieces.next(request)? else { return Ok(None) };
        Ok(Some(Piece { array: (self.map)(&array)?, taken }))
    }

    fn on_host(&mut self) -> Option<&mut dyn Source<U>> {
        None
    }

    fn bytes(&self) -> usize {
        self.pieces.bytes().max(size_of::<U>())
    }
}
