//! Reading WGSL as text: its words, without its comments.

use std::ops::Range;

/// Whether a name may have this character.
pub(crate) fn in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Names, keywords and numbers, and where they begin.
pub fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.split(|c| !in_name(c)).filter(|word| !word.is_empty()).map(|word| {
        let at = word.as_ptr() as usize - code.as_ptr() as usize;
        (at, word)
    })
}

/// What lies between the bracket at `open` and its partner.
pub(crate) fn enclosed(code: &str, open: usize) -> Option<Range<usize>> {
    let mut depth = 0;
    for (at, c) in code[open..].char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(open + 1..open + at);
        }
    }
    None
}

/// The line of a place in a text, from 1 on.
pub fn line(text: &str, at: usize) -> usize {
    1 + text[..at].matches('\n').count()
}

/// The line and the column of a place in a text, from 1 on. Columns are counted in characters.
pub fn position(text: &str, at: usize) -> (usize, usize) {
    let column = 1 + text[..at].chars().rev().take_while(|c| *c != '\n').count();
    (line(text, at), column)
}

/// Whether a character is blank space of WGSL, or of another language.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200e}' | '\u{200f}')
}

/// Whether a character ends a line of WGSL, and so a comment.
fn ends_line(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The text with spaces in place of comments, each byte where it was.
pub(crate) fn without_comments(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut code = bytes.to_vec();
    let mut blank = |range: Range<usize>| {
        code[range].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    };
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at..] {
            [b'/', b'/', ..] => at + source[at..].find(ends_line).unwrap_or(bytes.len() - at),
            [b'/', b'*', ..] => block_end(bytes, at),
            _ => at,
        };
        blank(at..end);
        at = end.max(at + 1);
    }
    String::from_utf8(code).expect("whole characters became spaces")
}

/// Where the block comment ends that begins at `at`; they nest.
fn block_end(bytes: &[u8], at: usize) -> usize {
    let (mut depth, mut end) = (1, at + 2);
    while depth > 0 && end < bytes.len() {
        match bytes[end..] {
            [b'/', b'*', ..] => (depth, end) = (depth + 1, end + 2),
            [b'*', b'/', ..] => (depth, end) = (depth - 1, end + 2),
            _ => end += 1,
        }
    }
    end
}
