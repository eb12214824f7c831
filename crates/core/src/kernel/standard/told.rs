//! The library's own messages about a text, as naga prints its own: with line, column and the place underlined.

use naga::{Span, WithSpan};
use std::ops::Range;

/// What is wrong, and the remedy.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Told(String, #[source] Note);

#[derive(Debug, thiserror::Error)]
#[error("note: {0}")]
struct Note(String);

/// A message about a place in a text.
pub(in super::super) fn told(source: &str, place: Range<usize>, message: String, label: &str, remedy: &str) -> String {
    let span = Span::new(place.start as u32, place.end as u32);
    WithSpan::new(Told(message, Note(remedy.into()))).with_span(span, label).emit_to_string(source)
}
