//! The WGSL function around a formula's text. It knows where each part of it came from, for messages.

use super::scan::names;
use crate::element::DType;
use crate::kernel::text::without_comments;
use std::ops::Range;

/// A text that messages can point into.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    /// The text's description, which stands in place of a file's name.
    pub name: &'static str,
    pub text: &'a str,
}

/// WGSL built from text of the wrapper's own and from parts of the program's texts.
pub(super) struct Wrapper<'a> {
    pub text: String,
    /// For each part: its place here, its source, and its place there.
    pieces: Vec<(Range<usize>, Source<'a>, Range<usize>)>,
    /// The types that capital letters stand for.
    letters: &'a [(String, DType)],
}

impl<'a> Wrapper<'a> {
    pub fn new(letters: &'a [(String, DType)]) -> Wrapper<'a> {
        Wrapper { text: String::new(), pieces: vec![], letters }
    }

    /// Adds text of the wrapper's own.
    pub fn push(&mut self, text: &str) {
        self.text += text;
    }

    /// Adds `text` in place of a part of a source.
    pub fn put(&mut self, source: Source<'a>, range: Range<usize>, text: &str) {
        let start = self.text.len();
        self.text += text;
        self.pieces.push((start..self.text.len(), source, range));
    }

    /// Adds a part of a source, with types in place of letters.
    pub fn copy(&mut self, source: Source<'a>, range: Range<usize>) {
        let clean = without_comments(source.text);
        let mut from = range.start;
        for (at, name) in names(&clean).filter(|(at, _)| range.start <= at.start && at.end <= range.end) {
            if let Some((_, dtype)) = self.letters.iter().find(|(letter, _)| letter == name) {
                self.put(source, from..at.start, &source.text[from..at.start]);
                self.put(source, at.clone(), dtype.wgsl());
                from = at.end;
            }
        }
        self.put(source, from..range.end, &source.text[from..range.end]);
    }

    /// Where a part of the built text comes from.
    fn origin(&self, range: &Range<usize>) -> Option<(Source<'a>, Range<usize>)> {
        let (here, source, there) = self.pieces.iter().find(|(here, ..)| here.contains(&range.start))?;
        if here.len() != there.len() {
            return Some((*source, there.clone()));
        }
        let move_back = |at: usize| at.min(here.end) - here.start + there.start;
        Some((*source, move_back(range.start)..move_back(range.end)))
    }

    /// A compiler's message, pointing at the first of its places that lies in the program's text.
    pub fn message<'m>(&self, message: &str, labels: impl Iterator<Item = (Option<Range<usize>>, &'m str)>) -> String {
        let place = labels.filter_map(|(range, label)| Some((self.origin(&range?)?, label))).next();
        match place {
            Some(((source, range), label)) => pointed(message, source, range, label),
            None => format!("error: {message}"),
        }
    }
}

/// A message that points at a place, as compilers do.
pub(super) fn pointed(message: &str, source: Source, range: Range<usize>, label: &str) -> String {
    let before = &source.text[..range.start];
    let (line, start) = (before.matches('\n').count() + 1, before.rfind('\n').map_or(0, |at| at + 1));
    let text = source.text[start..].lines().next().unwrap_or("");
    // One column for each character, so that the mark stands below its place.
    let visible: String = text
        .chars()
        .map(|c| match c {
            '\t' => ' ',
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect();
    let column = before[start..].chars().count();
    let shown = &source.text[range.start..range.end.min(start + text.len()).max(range.start)];
    let (margin, carets) = (" ".repeat(line.to_string().len()), "^".repeat(shown.chars().count().max(1)));
    format!(
        "error: {message}\n{margin} ┌─ {}:{line}:{}\n{margin} │\n{line} │ {visible}\n{margin} │ {}{carets} {label}",
        source.name,
        column + 1,
        " ".repeat(column)
    )
}
